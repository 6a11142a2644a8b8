//! What every cipher gives back for messages of every length up to 257 bytes.

use bench_slope_algorithms::{Case, Catalogue, Entry, Operation, Placement, Section, Setup};
use bench_slope_algorithms::{Routine, message_bytes};

const LONGEST: usize = 257;

fn setup(entry: &Entry) -> Setup {
    Setup {
        key: message_bytes(entry.key_bytes, 1),
        nonce: message_bytes(entry.nonce_bytes, 3),
        // Half of the modes that authenticate have a partial block of it.
        aad: if entry.operations.len() > 2 { message_bytes(20, 4) } else { Vec::new() },
        input: message_bytes(LONGEST, 2),
        output_bytes: entry.output_bytes,
        placement: Placement { offset: 1 },
    }
}

/// The lengths a mode takes: all of them, whole blocks, or for XTS nothing or a block and more.
fn takes(entry: &Entry, block: usize, size: usize) -> bool {
    match entry.mode {
        "ECB" | "CBC" => size.is_multiple_of(block),
        "XTS" => size == 0 || size >= 16,
        _ => true,
    }
}

fn answer(routine: &mut dyn Routine, size: usize) -> Vec<u8> {
    routine.prepare(size).expect("takes the message");
    routine.run();
    routine.output().to_vec()
}

fn open(case: &Case, setup: &Setup) -> Box<dyn Routine> {
    case.open(setup).expect("opens")
}

fn round_trip(entry: &Entry) {
    let setup = setup(entry);
    let encrypting = entry.case(Operation::Encrypt);
    let (mut encrypt, mut decrypt) =
        (open(&encrypting, &setup), open(&entry.case(Operation::Decrypt), &setup));
    let block = (1..=LONGEST).find(|&size| encrypt.prepare(size).is_ok()).expect("some length");
    let mut seen = Vec::new();
    for size in 0..=LONGEST {
        let id = format!("{}, {size} bytes", encrypting.id());
        if !takes(entry, block, size) {
            for routine in [&mut encrypt, &mut decrypt] {
                let error = routine.prepare(size).expect_err(&id).to_string();
                assert!(error.contains(&format!("{block} bytes")), "{id}: {error}");
            }
            continue;
        }
        let message = &setup.input[..size];
        let sealed = answer(&mut *encrypt, size);
        assert_eq!(sealed.len(), size + entry.output_bytes, "{id}");
        if size >= 8 {
            assert_ne!(&sealed[..size], message, "{id}");
        }
        assert_eq!(answer(&mut *decrypt, size), message, "{id}");
        // Nothing of the longer message that comes next may stay.
        seen.push((size, sealed));
    }
    for (size, sealed) in seen.into_iter().rev().step_by(17) {
        assert_eq!(answer(&mut *encrypt, size), sealed, "{} again", encrypting.id());
    }
    assert!(encrypt.prepare(LONGEST + 1).is_err(), "{}", encrypting.id());
}

fn every(part: usize) {
    let catalogue = Catalogue::standard();
    let ciphers = catalogue.entries().iter().filter(|entry| entry.section == Section::Cipher);
    ciphers.skip(part).step_by(2).for_each(round_trip);
}

#[test]
fn half_of_the_ciphers_give_messages_back() {
    every(0);
}

#[test]
fn the_other_half_too() {
    every(1);
}

#[test]
fn keys_and_nonces_of_other_lengths_are_refused() {
    let catalogue = Catalogue::standard();
    for case in catalogue.cases(Section::Cipher) {
        let right = setup(&case.entry);
        let longer = |bytes: &[u8]| [bytes, &[0]].concat();
        let error = case.open(&Setup { key: longer(&right.key), ..right.clone() }).err();
        assert!(error.is_some_and(|e| e.to_string().contains("key")), "{}", case.id());
        if case.entry.mode != "SIV" {
            let error = case.open(&Setup { nonce: longer(&right.nonce), ..right.clone() }).err();
            assert!(error.is_some_and(|e| e.to_string().contains("nonce")), "{}", case.id());
        }
    }
}

#[test]
fn timing_prepares_every_size_and_its_results_repeat() {
    let catalogue = Catalogue::standard();
    for case in catalogue.cases(Section::Cipher) {
        let mut routine = open(&case, &case.timing_setup(Placement::default()));
        let sizes = case.entry.axis.sizes();
        for size in [sizes[0], sizes[1], sizes[sizes.len() - 1]] {
            let mut twice = || {
                routine.prepare(size).expect("a timed size");
                (0..2).for_each(|_| routine.run());
                routine.output().to_vec()
            };
            assert_eq!(twice(), twice(), "{}, {size} bytes", case.id());
        }
    }
}

/// RFC 4357 publishes no answer; these were computed by a Python program written from RFC 5830
/// and RFC 4357, which agrees with libgcrypt's 45 shorter ones.
#[test]
fn meshed_keys_change_after_each_1024_bytes() {
    let catalogue = Catalogue::standard();
    let entries = catalogue.find_all(Section::Cipher, "gost28147-mesh").expect("is there");
    let setup = Setup {
        key: (0..32_u8).map(|i| i.wrapping_mul(37).wrapping_add(11)).collect(),
        nonce: vec![1, 2, 3, 4, 5, 6, 7, 8],
        input: (0..3000_u32).map(|i| (i % 251) as u8).collect(),
        ..Setup::default()
    };
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    for (mode, around_1024, at_the_end) in [
        ("ECB", "405b018891def2f66c820f47c4dec363", "4b9e5391d592c12cb60edab620f7826f"),
        ("CBC", "5b0cdf00fa01738b3accdb8df0f57bb5", "9ddcf90c0613b30c9ad3a0abe4f0651f"),
        ("CFB", "6dfbbb7c3af856e1196df5d37d0c93aa", "ee8e4ddd7e68f0cee34622291ff57f1d"),
        ("OFB", "68d565365b4bf7e7d55d016bd9358618", "c6f70889bf8206e2b483fef36b12c2fe"),
        ("CTR", "7fecd29c44c612eefaba4bc2e4b922be", "7d3a81bbb66137f2a867b47641f9d8eb"),
        // The last eight bytes of the ciphertext, then the tag.
        ("EAX", "", "1355baad82bd4ddbe225da10da10d0cb"),
    ] {
        let entry = entries.iter().find(|entry| entry.mode == mode).expect("the mode is there");
        let mut setup = setup.clone();
        match mode {
            "ECB" => setup.nonce.clear(),
            "EAX" => setup.aad = setup.input[..2100].to_vec(),
            _ => {}
        }
        let sealed = answer(&mut *open(&entry.case(Operation::Encrypt), &setup), 3000);
        if !around_1024.is_empty() {
            assert_eq!(hex(&sealed[1016..1032]), around_1024, "{mode}");
        }
        assert_eq!(hex(&sealed[sealed.len() - 16..]), at_the_end, "{mode}");
        let opened = answer(&mut *open(&entry.case(Operation::Decrypt), &setup), 3000);
        assert_eq!(opened, setup.input, "{mode}");
    }
}
