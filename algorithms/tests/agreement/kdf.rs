//! The section `kdf`: 32 algorithms, three numbers of iterations each, 48 bytes of key.

use std::collections::BTreeMap;

use bench_slope_algorithms::{Catalogue, Operation, Section, Setup};

use super::{bytes, compute, lines, text};

#[test]
fn kdfs_agree() {
    let catalogue = Catalogue::standard();
    let mut agreed: BTreeMap<String, usize> = BTreeMap::new();
    let mut complaints = Vec::new();
    for line in lines().filter(|line| text(line, "section") == "kdf") {
        let name = text(&line, "algorithm");
        let entry = catalogue.find(Section::Kdf, name).expect("every KDF of libgcrypt is there");
        assert_eq!(entry.algorithm, name);
        let iterations = line["iterations"].as_u64().expect("a number");
        let iterations = usize::try_from(iterations).expect("a small one");
        let output = bytes(&line, "output");
        let setup = Setup {
            key: bytes(&line, "password"),
            nonce: bytes(&line, "salt"),
            output_bytes: output.len(),
            ..Setup::default()
        };
        if compute(&entry.case(Operation::Derive), &setup, iterations) != output {
            complaints.push(format!("{name}, {iterations} iterations"));
        }
        *agreed.entry(name.to_owned()).or_default() += 1;
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert_eq!(agreed.len(), 32);
    assert!(agreed.values().all(|&count| count == 3), "{agreed:?}");
}
