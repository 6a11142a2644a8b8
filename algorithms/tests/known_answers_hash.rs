//! Holds the known answers to what `vectors/README.md` promises, and every algorithm to them.

use bench_slope_algorithms::{Catalogue, Entry, Section, Setup, Unverified, Vector};
use blake2::digest::consts::{U16, U20, U28, U32, U48, U64};
use blake2::digest::{KeyInit, Mac};
use blake2::{Blake2bMac, Blake2sMac};

/// The longest message the program checks before it times anything.
const CHECKED_BEFORE_TIMING: usize = 8192;

/// Bytes that go through one call of the compression function or permutation; for the two that
/// hash a tree the bytes of a leaf, for checksums what the README asks for.
fn block_bytes(algorithm: &str) -> usize {
    match algorithm {
        "CRC32" | "CRC32RFC1510" | "CRC24RFC2440" => 8,
        "SIPHASH-2-4" | "ASCON-HASH256" | "ASCON-XOF128" => 8,
        "MD2" => 16,
        "GOSTR3411_94" | "GOSTR3411_CP" | "BELT-HASH" | "SKEIN256_256" => 32,
        "MD4" | "MD5" | "SHA1" | "SHA224" | "SHA256" | "SHA256D" | "SM3" => 64,
        "RIPEMD128" | "RIPEMD160" | "RIPEMD256" | "RIPEMD320" => 64,
        "TIGER" | "TIGER2" | "TIGER192" | "WHIRLPOOL" | "STRIBOG256" | "STRIBOG512" => 64,
        "BLAKE2S_128" | "BLAKE2S_160" | "BLAKE2S_224" | "BLAKE2S_256" => 64,
        "GROESTL256" | "JH256" | "JH512" | "KUPYNA256" | "SHABAL256" | "SHABAL512" => 64,
        "SKEIN512_256" | "SKEIN512_512" | "BASH512" => 64,
        "SHA3-512" | "KECCAK512" => 72,
        "FSB256" | "BASH384" => 96,
        "SHA3-384" => 104,
        "SHA384" | "SHA512" | "SHA512_224" | "SHA512_256" => 128,
        "BLAKE2B_160" | "BLAKE2B_256" | "BLAKE2B_384" | "BLAKE2B_512" => 128,
        "GROESTL512" | "KUPYNA512" | "SKEIN1024_1024" | "BASH256" => 128,
        "SHA3-256" | "KECCAK256" | "SHAKE256" | "TURBOSHAKE256" => 136,
        "SHA3-224" => 144,
        "FSB512" => 155,
        "SHAKE128" | "TURBOSHAKE128" => 168,
        "BLAKE3" => 1024,
        "KT128" | "KT256" => 8192,
        _ => panic!("{algorithm}: add its block length to this table"),
    }
}

fn hashes(catalogue: &Catalogue) -> impl Iterator<Item = &Entry> {
    catalogue.entries().iter().filter(|entry| entry.section == Section::Hash)
}

#[test]
fn every_entry_has_answers_enough() {
    let catalogue = Catalogue::standard();
    let mut complaints = Vec::new();
    for entry in hashes(&catalogue) {
        let name = entry.algorithm;
        let block = block_bytes(name);
        let lengths: Vec<usize> = catalogue.answers(entry).map(|v| v.input.len()).collect();
        if lengths.len() < 2 {
            complaints.push(format!("{name}: {} known answers, two are needed", lengths.len()));
        }
        if !lengths.iter().any(|&length| length > block) {
            complaints
                .push(format!("{name}: no message is longer than its block of {block} bytes"));
        }
        if !lengths.iter().any(|&length| length <= CHECKED_BEFORE_TIMING) {
            complaints.push(format!("{name}: all are too long to be checked before timing"));
        }
        let both = |length: &usize| (block + 1..=CHECKED_BEFORE_TIMING).contains(length);
        if block < CHECKED_BEFORE_TIMING && !lengths.iter().any(both) {
            complaints
                .push(format!("{name}: nothing longer than a block is checked before timing"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_answer_has_its_entry_and_its_source() {
    let catalogue = Catalogue::standard();
    for vector in catalogue.vectors() {
        let Vector { section, algorithm, mode, source, .. } = vector;
        let used = catalogue
            .entries()
            .iter()
            .any(|entry| catalogue.answers(entry).any(|answer| std::ptr::eq(answer, vector)));
        assert!(used, "{section}: no entry is called {algorithm} {mode} ({source})");
        assert!(
            !source.trim().is_empty(),
            "{section}: an answer of {algorithm} {mode} has no source"
        );
    }
}

#[test]
fn no_answer_is_there_twice() {
    let catalogue = Catalogue::standard();
    let vectors = catalogue.vectors();
    for (i, vector) in vectors.iter().enumerate() {
        // An extendable output may be there in two lengths.
        let question = |v: &Vector| Vector {
            output: Default::default(),
            tag: Default::default(),
            source: String::new(),
            ..v.clone()
        };
        let again = vectors[..i].iter().any(|earlier| {
            question(earlier) == question(vector) && earlier.output.len() == vector.output.len()
        });
        assert!(!again, "{}: the message of {} is there twice", vector.algorithm, vector.source);
    }
}

#[test]
fn outputs_are_as_long_as_the_algorithm_makes_them() {
    let catalogue = Catalogue::standard();
    for entry in hashes(&catalogue) {
        for vector in catalogue.answers(entry) {
            let name = entry.algorithm;
            assert_eq!(vector.key.len(), entry.key_bytes, "{name}: key of {}", vector.source);
            if !entry.extendable {
                assert_eq!(vector.output.len(), entry.output_bytes, "{name}: {}", vector.source);
            }
        }
    }
}

#[test]
fn every_case_gives_all_its_answers() {
    let catalogue = Catalogue::standard();
    let cases: Vec<_> = catalogue.cases(Section::Hash).collect();
    assert!(!cases.is_empty(), "there is nothing to check");
    let mut complaints = Vec::new();
    for case in cases {
        let expected = catalogue.answers(&case.entry).count();
        match catalogue.verify(&case, usize::MAX) {
            Ok(right) if right == expected => {}
            Ok(right) => complaints.push(format!("{}: {right} of {expected} answers", case.id())),
            Err(error) => complaints.push(error.to_string()),
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// FIPS 180-2, B.1, right and with its last bit flipped.
#[test]
fn one_flipped_bit_is_noticed() {
    const RIGHT: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let standard = Catalogue::standard();
    let entry = standard.find(Section::Hash, "sha256").expect("SHA256 is there");
    let verify = |output: &str| {
        let line = format!("SHA256 input=\"abc\" output={output} ; a test");
        let catalogue =
            Catalogue::new(vec![entry.clone()], &[("hash", &line)]).expect("the line parses");
        catalogue.verify(&entry.case(entry.operations[0]), usize::MAX)
    };
    assert_eq!(verify(RIGHT), Ok(1));
    let flipped = RIGHT.replace("15ad", "15ac");
    match verify(&flipped) {
        Err(Unverified::WrongAnswer { expected, got, .. }) => {
            assert_eq!(expected, flipped);
            assert_eq!(got, RIGHT);
        }
        other => panic!("a flipped bit gave {other:?}"),
    }
}

/// The self-test of RFC 7693, appendix E: unkeyed hashes of six messages in four lengths, as the
/// entries compute them, between keyed ones; a hash of them all is what the RFC gives.
#[test]
fn blake2_passes_the_self_test_of_its_rfc() {
    macro_rules! mac {
        ($mac:ident, $size:ty) => {
            |key: &[u8], message: &[u8]| {
                let mut mac = $mac::<$size>::new_from_slice(key).expect("a key this long is fine");
                mac.update(message);
                mac.finalize().into_bytes().to_vec()
            }
        };
    }
    type Keyed = fn(&[u8], &[u8]) -> Vec<u8>;
    let catalogue = Catalogue::standard();
    let unkeyed = |name: &str, message: &[u8]| {
        let entry = catalogue.find(Section::Hash, name).expect("it is there");
        let setup = Setup {
            key: Vec::new(),
            input: message.to_vec(),
            output_bytes: entry.output_bytes,
            placement: Default::default(),
            ..Setup::default()
        };
        let mut routine = entry.case(entry.operations[0]).open(&setup).expect("opens");
        routine.prepare(message.len()).expect("the message fits");
        routine.run();
        routine.output().to_vec()
    };

    let blake2b: [(&str, usize, Keyed); 4] = [
        ("BLAKE2B_160", 20, mac!(Blake2bMac, U20)),
        ("BLAKE2B_256", 32, mac!(Blake2bMac, U32)),
        ("BLAKE2B_384", 48, mac!(Blake2bMac, U48)),
        ("BLAKE2B_512", 64, mac!(Blake2bMac, U64)),
    ];
    let blake2s: [(&str, usize, Keyed); 4] = [
        ("BLAKE2S_128", 16, mac!(Blake2sMac, U16)),
        ("BLAKE2S_160", 20, mac!(Blake2sMac, U20)),
        ("BLAKE2S_224", 28, mac!(Blake2sMac, U28)),
        ("BLAKE2S_256", 32, mac!(Blake2sMac, U32)),
    ];
    let all = |variants: [(&str, usize, Keyed); 4], lengths: [usize; 6]| {
        let mut digests = Vec::new();
        for (name, output_bytes, keyed) in variants {
            for length in lengths {
                let message = fibonacci_bytes(length, length);
                digests.extend(unkeyed(name, &message));
                digests.extend(keyed(&fibonacci_bytes(output_bytes, output_bytes), &message));
            }
        }
        digests
    };
    assert_eq!(
        hex(&unkeyed("BLAKE2B_256", &all(blake2b, [0, 3, 128, 129, 255, 1024]))),
        "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475",
    );
    assert_eq!(
        hex(&unkeyed("BLAKE2S_256", &all(blake2s, [0, 3, 64, 65, 255, 1024]))),
        "6a411f08ce25adcdfb02aba641451cec53c598b24f4fc787fbdc88797f4c1dfe",
    );
}

/// The RFC's message of `length` bytes: the top bytes of a sequence in which each number is the
/// sum of the two before it.
fn fibonacci_bytes(length: usize, seed: usize) -> Vec<u8> {
    let seed = u32::try_from(seed).expect("the seeds are small");
    let (mut a, mut b) = (0xdead_4bad_u32.wrapping_mul(seed), 1_u32);
    let mut bytes = Vec::with_capacity(length);
    for _ in 0..length {
        let sum = a.wrapping_add(b);
        (a, b) = (b, sum);
        bytes.push(sum.to_be_bytes()[0]);
    }
    bytes
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
