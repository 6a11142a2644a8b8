//! The whole program says when time is no straight line, and only then.

use crate::invented::{Outcome, bench_slope, entry, machine};

/// As PMAC goes: so much more after each kilobyte.
fn steps(_: &str, size: usize) -> u64 {
    80_000 + 300 * size as u64 + 500_000 * (size as u64).saturating_sub(1).div_euclid(1024)
}

/// MD5 has a line, SHA1 a kink at 2048 bytes from 1 to 2 ns/B, SHA256 blocks of 136 bytes, and
/// SHAKE128 four chunks at once, as BLAKE3 has, at 4096 bytes.
fn cost(algorithm: &str, size: usize) -> u64 {
    let size = size as u64;
    80_000
        + match algorithm {
            "SHA1" => 1_000 * (size + size.saturating_sub(2048)),
            "SHA256" => 136_000 * (size / 136 + 1),
            "SHAKE128" if size >= 4096 => 500 * size,
            _ => 1_000 * size,
        }
}

fn program(words: &[&str]) -> Outcome {
    let names = ["MD5", "SHA1", "SHA256", "SHAKE128"];
    bench_slope(&machine(names.map(entry).to_vec(), 1, cost), words)
}

fn warning(outcome: &Outcome) -> Option<&str> {
    outcome.err.lines().find(|line| line.contains("straight line"))
}

#[test]
fn bent_rows_carry_the_warning_and_straight_ones_do_not() {
    let outcome = program(&["hash"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(
        warning(&outcome),
        Some(
            "warning: time is no straight line, and the slope is not the cost of every size: SHA1 \
             1.000 ns/byte up to 1984, 2.000 above; SHAKE128 1.000 ns/byte up to 4032, 0.500 above: \
             compare at the sizes you need"
        )
    );
    // The numbers stay: a line through a bend is still what was asked for.
    assert_eq!(outcome.out.matches("ns/B").count(), 4, "{}", outcome.out);
}

#[test]
fn long_steps_are_called_steps() {
    let outcome = bench_slope(&machine(vec![entry("MD5")], 1, steps), &["hash"]);
    assert_eq!(
        warning(&outcome),
        Some(
            "warning: time is no straight line, and the slope is not the cost of every size: MD5 \
             0.300 ns/byte within steps of 1024, 0.788 over whole ones: compare at the sizes you need"
        )
    );
}

#[test]
fn without_a_bent_row_there_is_no_warning() {
    let outcome = program(&["hash", "md5", "sha256"]);
    assert_eq!(warning(&outcome), None);
}

#[test]
fn quiet_and_quick_leave_it_out() {
    assert_eq!(warning(&program(&["--quiet", "hash"])), None);
    assert_eq!(warning(&program(&["--quick", "hash"])), None);
}

#[test]
fn verbose_tells_it_of_the_row() {
    let outcome = program(&["--verbose", "hash"]);
    let told = |name: &str| {
        let mut lines = outcome.err.lines();
        lines.find(|line| line.starts_with(&format!("{name}: "))).expect("a line").to_owned()
    };
    assert!(told("SHA1").contains(", no straight line (1.000 ns/byte up to 1984, 2.000 above), "));
    assert!(!told("MD5").contains("straight"));
    assert!(!told("SHA256").contains("straight"));
}
