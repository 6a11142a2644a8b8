//! The section `hash`: 36 algorithms, 17 lengths each.

use std::collections::BTreeMap;

use bench_slope_algorithms::{Case, Catalogue, Entry, Placement, Section, Setup};

use super::{bytes, compute, lines, text};

fn only_case(entry: &Entry) -> Case {
    assert_eq!(entry.operations.len(), 1, "{entry:?}");
    entry.case(entry.operations[0])
}

#[test]
fn hashes_agree() {
    let catalogue = Catalogue::standard();
    let mut agreed: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines().filter(|line| text(line, "section") == "hash") {
        let name = text(&line, "algorithm");
        let entry = catalogue.find(Section::Hash, name).expect("every hash of libgcrypt is there");
        assert_eq!(entry.algorithm, name);
        let (input, output) = (bytes(&line, "input"), bytes(&line, "output"));
        for offset in [0, 1] {
            let setup = Setup {
                input: input.clone(),
                output_bytes: output.len(),
                placement: Placement { offset },
                ..Setup::default()
            };
            assert_eq!(
                compute(&only_case(entry), &setup, input.len()),
                output,
                "{name}, {} bytes",
                input.len()
            );
        }
        *agreed.entry(name.to_owned()).or_default() += 1;
    }
    assert_eq!(agreed.len(), 36);
    assert!(agreed.values().all(|&count| count == 17), "{agreed:?}");
}
