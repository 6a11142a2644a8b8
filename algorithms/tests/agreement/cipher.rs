//! The section `cipher`: 247 pairs of a cipher and a mode, at several lengths, with authenticated data and
//! without, encrypted and decrypted.

use std::collections::BTreeMap;

use bench_slope_algorithms::{Case, Catalogue, Operation, Placement, Section, Setup};

use super::{bytes, lines, text};

/// Prepares and runs twice: each time the answer must be the same.
fn compute(case: &Case, setup: &Setup, size: usize) -> Vec<u8> {
    let mut routine = case.open(setup).expect("opens");
    let mut answers = (0..2).map(|_| {
        routine.prepare(size).expect("takes the message");
        routine.run();
        routine.output().to_vec()
    });
    let (first, second) = (answers.next(), answers.next());
    assert_eq!(first, second, "{}", case.id());
    first.unwrap_or_default()
}

#[test]
fn ciphers_agree() {
    let catalogue = Catalogue::standard();
    let mut agreed: BTreeMap<String, usize> = BTreeMap::new();
    let mut read = 0;
    for line in lines().filter(|line| text(line, "section") == "cipher") {
        let (name, mode) = (text(&line, "algorithm"), text(&line, "mode"));
        let entries = catalogue.find_all(Section::Cipher, name).expect("every cipher is there");
        let entry = entries.into_iter().find(|entry| entry.mode == mode).expect("in every mode");
        assert_eq!(entry.algorithm, name);
        let (input, output, tag) =
            (bytes(&line, "input"), bytes(&line, "output"), bytes(&line, "tag"));
        for offset in [0, 1] {
            let setup = Setup {
                key: bytes(&line, "key"),
                nonce: bytes(&line, "nonce"),
                aad: bytes(&line, "aad"),
                input: input.clone(),
                output_bytes: output.len(),
                placement: Placement { offset },
            };
            for &operation in entry.operations {
                let (size, answer) = match operation {
                    Operation::Encrypt => (input.len(), [&output[..], &tag].concat()),
                    Operation::Decrypt => (input.len(), input.clone()),
                    _ => (setup.aad.len(), tag.clone()),
                };
                let case = entry.case(operation);
                assert_eq!(
                    compute(&case, &setup, size),
                    answer,
                    "{}, {} bytes",
                    case.id(),
                    input.len()
                );
                *agreed.entry(case.id()).or_default() += 1;
            }
        }
        read += 1;
    }
    assert_eq!(read, 2321);
    // Every row of libgcrypt, each of its answers at two places.
    assert_eq!(agreed.len(), 596);
    let answers_of = |case: &str| agreed.get(&format!("rustcrypto/{case}")).copied();
    assert_eq!(answers_of("AES/CBC/decrypt"), Some(2 * 5));
    assert_eq!(answers_of("IDEA/CFB/encrypt"), Some(2 * 7));
    assert_eq!(answers_of("AES256/XTS/decrypt"), Some(2 * 6));
    assert_eq!(answers_of("SEED/GCM-SIV/authenticate"), Some(2 * 14));
    assert!(agreed.values().all(|&count| count >= 2 * 5), "{agreed:?}");
}
