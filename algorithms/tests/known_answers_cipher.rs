//! Holds the known answers of the ciphers to what `vectors/README.md` promises, and every cipher
//! to them.

use bench_slope_algorithms::{Catalogue, Entry, Operation, Section, Vector};

/// The longest message the program checks before it times anything.
const CHECKED_BEFORE_TIMING: usize = 8192;

/// Bytes that a call of the block cipher or key stream generator makes.
fn block_bytes(entry: &Entry) -> usize {
    match entry.algorithm {
        "ARCFOUR" => 1,
        "IDEA" | "3DES" | "DES" | "CAST5" | "BLOWFISH" | "RFC2268_40" | "RFC2268_128" => 8,
        "GOST28147" | "GOST28147_MESH" | "MAGMA" => 8,
        "THREEFISH256" | "AEGIS128L" => 32,
        "THREEFISH512" => 64,
        "THREEFISH1024" => 128,
        "SALSA20" | "SALSA20R12" | "SALSA20R8" | "XSALSA20" => 64,
        "CHACHA20" | "CHACHA12" | "CHACHA8" | "XCHACHA20" => 64,
        _ => 16,
    }
}

fn is_aead(entry: &Entry) -> bool {
    entry.operations.contains(&Operation::Authenticate)
}

fn ciphers(catalogue: &Catalogue) -> impl Iterator<Item = &Entry> {
    catalogue.entries().iter().filter(|entry| entry.section == Section::Cipher)
}

fn answers(catalogue: &Catalogue) -> impl Iterator<Item = &Vector> {
    catalogue.vectors().into_iter().filter(|vector| vector.section == Section::Cipher.word())
}

fn name(vector: &Vector) -> String {
    format!("{}/{} ({})", vector.algorithm, vector.mode, vector.source)
}

#[test]
fn every_entry_has_answers_enough() {
    let catalogue = Catalogue::standard();
    let mut complaints = Vec::new();
    for entry in ciphers(&catalogue) {
        let name = format!("{}/{}", entry.algorithm, entry.mode);
        let block = block_bytes(entry);
        let vectors: Vec<&Vector> = catalogue.answers(entry).collect();
        let has = |condition: &dyn Fn(&Vector) -> bool| vectors.iter().any(|v| condition(v));
        if vectors.len() < 2 {
            complaints.push(format!("{name}: {} known answers, two are needed", vectors.len()));
        }
        if !has(&|v| v.input.len() > block) {
            complaints.push(format!("{name}: nothing is longer than its block of {block} bytes"));
        }
        if is_aead(entry) && !has(&|v| v.input.is_empty() && !v.aad.is_empty()) {
            complaints.push(format!("{name}: no answer for authenticated data alone"));
        }
        if is_aead(entry) && !has(&|v| v.input.len() > block && !v.aad.is_empty()) {
            complaints.push(format!("{name}: no answer for authenticated data and a message"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_answer_has_its_entry() {
    let catalogue = Catalogue::standard();
    for vector in answers(&catalogue) {
        let used = ciphers(&catalogue)
            .any(|entry| catalogue.answers(entry).any(|answer| std::ptr::eq(answer, vector)));
        assert!(used, "{}: there is no such entry", name(vector));
    }
}

#[test]
fn no_answer_is_there_twice() {
    let catalogue = Catalogue::standard();
    let vectors: Vec<&Vector> = answers(&catalogue).collect();
    for (i, vector) in vectors.iter().enumerate() {
        let question = |v: &Vector| {
            let Vector { algorithm, mode, key, nonce, aad, input, .. } = v.clone();
            (algorithm, mode, [key, nonce, aad, input].map(|bytes| bytes.to_vec()))
        };
        let again = vectors[..i].iter().any(|earlier| {
            (&earlier.algorithm, &earlier.mode) == (&vector.algorithm, &vector.mode)
                && question(earlier) == question(vector)
        });
        assert!(!again, "{}: it is there twice", name(vector));
    }
}

#[test]
fn answers_are_as_long_as_the_mode_makes_them() {
    let catalogue = Catalogue::standard();
    for entry in ciphers(&catalogue) {
        for vector in catalogue.answers(entry) {
            let name = name(vector);
            assert_eq!(vector.key.len(), entry.key_bytes, "{name}: key");
            assert_eq!(vector.output.len(), vector.input.len(), "{name}: ciphertext");
            assert!(vector.input.len() <= CHECKED_BEFORE_TIMING, "{name}: message");
            assert_eq!(!vector.tag.is_empty(), is_aead(entry), "{name}: tag");
            // The one mode whose nonce may be of any length, and is in its standard's answer.
            if entry.mode != "SIV" {
                assert_eq!(vector.nonce.len(), entry.nonce_bytes, "{name}: nonce");
            }
        }
    }
}

#[test]
fn every_case_gives_all_its_answers() {
    let catalogue = Catalogue::standard();
    let cases: Vec<_> = catalogue.cases(Section::Cipher).collect();
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

/// Test case 2 of the paper on GCM, right and with one bit of ciphertext or tag flipped.
#[test]
fn one_flipped_bit_is_noticed() {
    const RIGHT: &str = "AES/GCM key=00*16 nonce=00*12 input=00*16 \
        output=0388dace60b6a392f328c2b971b2fe78 tag=ab6e47d42cec13bdf53a67b21257bddf ; a test";
    let standard = Catalogue::standard();
    let entry = ciphers(&standard)
        .find(|entry| (entry.algorithm, entry.mode) == ("AES", "GCM"))
        .expect("AES/GCM is there");
    let verify = |line: &str, operation: Operation| {
        let catalogue =
            Catalogue::new(vec![entry.clone()], &[("cipher", line)]).expect("the line parses");
        catalogue.verify(&entry.case(operation), usize::MAX).is_ok()
    };
    for operation in [Operation::Encrypt, Operation::Decrypt, Operation::Authenticate] {
        assert!(verify(RIGHT, operation), "{operation:?}");
    }
    let ciphertext = RIGHT.replace("fe78 tag", "fe79 tag");
    let tag = RIGHT.replace("bddf ;", "bdde ;");
    assert!(!verify(&ciphertext, Operation::Encrypt));
    assert!(!verify(&tag, Operation::Encrypt));
    assert!(!verify(&tag, Operation::Authenticate));
}
