//! Every row of libgcrypt agrees with what libgcrypt itself answered (`agreement.jsonl`: 3,551
//! answers at lengths around the block boundaries), and the catalogue has its names in its order.

mod cipher;
mod hash;
mod kdf;
mod mac;

use bench_slope_algorithms::{Case, Catalogue, Section, Setup};
use serde_json::Value;

const AGREEMENT: &str = include_str!("agreement.jsonl");
const ROWS: &str = include_str!("libgcrypt-rows.csv");

fn text<'a>(line: &'a Value, field: &str) -> &'a str {
    line[field].as_str().unwrap_or("")
}

fn bytes(line: &Value, field: &str) -> Vec<u8> {
    let hex = text(line, field);
    (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex"))
        .collect()
}

fn lines() -> impl Iterator<Item = Value> {
    AGREEMENT.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"))
}

/// What a case computes for a message at a place.
fn compute(case: &Case, setup: &Setup, size: usize) -> Vec<u8> {
    let mut routine = case.open(setup).expect("opens");
    routine.prepare(size).expect("takes the message");
    routine.run();
    // A second run must not see anything of the first.
    routine.run();
    routine.output().to_vec()
}

#[test]
fn libgcrypts_names_come_first_and_in_its_order() {
    let catalogue = Catalogue::standard();
    for &section in Section::BY_SLOPE {
        let theirs: Vec<&str> = ROWS
            .lines()
            .filter_map(|line| line.strip_prefix(section.word())?.strip_prefix(','))
            .collect();
        let ours: Vec<String> = catalogue
            .cases(section)
            .map(|case| format!("{},{}", case.entry.algorithm, case.label()))
            .collect();
        assert!(!theirs.is_empty());
        assert_eq!(ours[..theirs.len()], theirs);
    }
}
