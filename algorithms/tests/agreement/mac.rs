//! The section `mac`: 58 algorithms, 9 lengths each.

use std::collections::BTreeMap;

use bench_slope_algorithms::{Catalogue, Operation, Placement, Section, Setup};

use super::{bytes, compute, lines, text};

#[test]
fn macs_agree() {
    let catalogue = Catalogue::standard();
    let mut agreed: BTreeMap<String, usize> = BTreeMap::new();
    let mut complaints = Vec::new();
    for line in lines().filter(|line| text(line, "section") == "mac") {
        let name = text(&line, "algorithm");
        let entry = catalogue.find(Section::Mac, name).expect("every MAC of libgcrypt is there");
        assert_eq!(entry.algorithm, name);
        let (input, output) = (bytes(&line, "input"), bytes(&line, "output"));
        for offset in [0, 1] {
            let setup = Setup {
                key: bytes(&line, "key"),
                nonce: bytes(&line, "nonce"),
                input: input.clone(),
                output_bytes: output.len(),
                placement: Placement { offset },
                ..Setup::default()
            };
            let tag = compute(&entry.case(Operation::Authenticate), &setup, input.len());
            if tag != output {
                complaints.push(format!("{name}, {} bytes at {offset}", input.len()));
            }
        }
        *agreed.entry(name.to_owned()).or_default() += 1;
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert_eq!(agreed.len(), 58);
    assert!(agreed.values().all(|&count| count == 9), "{agreed:?}");
}
