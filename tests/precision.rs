//! How exact a number shall be, and how long that may take.

use std::cell::Cell;

use crate::invented::{Outcome, bench_slope, entry, machine};

thread_local! {
    /// Of this test alone, so that what others run at the same time changes nothing.
    static STATE: Cell<u64> = const { Cell::new(1) };
}

/// 50 ns a call and 2 ns a byte, and up to a fifth more, another time each call.
fn noisy(_: &str, size: usize) -> u64 {
    let before = STATE.get();
    // Linear congruential, Knuth's MMIX constants.
    STATE.set(
        before.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407),
    );
    let exact = 50_000 + 2_000 * size as u64;
    exact + exact * (before >> 44) / (5 << 20)
}

/// The same noise each time.
fn measured(words: &[&str]) -> Outcome {
    STATE.set(1);
    let words = [&["--csv", "--verbose", "hash", "md5"], words].concat();
    bench_slope(&machine(vec![entry("MD5")], 1, noisy), &words)
}

/// The processes that a row's details tell.
fn processes(outcome: &Outcome) -> u32 {
    let details = outcome.err.lines().find(|line| line.contains(" processes")).expect("details");
    let before = details.split(" processes").next().expect("words before it");
    before.rsplit(' ').next().and_then(|word| word.parse().ok()).expect("a number")
}

#[test]
fn sampling_stops_when_the_precision_is_reached() {
    let rough = measured(&["--precision", "10%", "--time-limit", "5s"]);
    let fine = measured(&["--precision", "0.11%", "--time-limit", "5s"]);
    assert_eq!((rough.code, fine.code), (0, 0));
    assert_eq!(processes(&rough), 8);
    assert!(processes(&fine) > 40, "{}", fine.err);
    // What was asked for and not reached is told.
    assert!(fine.err.contains("less exact than asked"), "{}", fine.err);
    assert!(!rough.err.contains("less exact"), "{}", rough.err);
}

#[test]
fn the_time_limit_is_kept() {
    let short = measured(&["--precision", "0.11%", "--time-limit", "600ms"]);
    let long = measured(&["--precision", "0.11%", "--time-limit", "3s"]);
    // A process samples for 60 ms, and is a little over it.
    assert!((6..=11).contains(&processes(&short)), "{}", short.err);
    assert!((30..=51).contains(&processes(&long)), "{}", long.err);
}

#[test]
fn only_percentages_and_times_with_a_unit_are_taken() {
    let precisions = ["0.5", "x", "", "%", "-1%", "0%", "0.1%", "21%", "nan%", "inf%", "1,5%"];
    let times =
        ["2", "x", "", "-2s", "0s", "1ms", "2h", "99999999999999999999s", "nan", "2 lightyears"];
    let wrong = precisions
        .map(|bad| ("--precision", bad))
        .into_iter()
        .chain(times.map(|bad| ("--time-limit", bad)));
    for (option, bad) in wrong {
        let outcome = bench_slope(&machine(vec![entry("MD5")], 1, noisy), &[option, bad, "hash"]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{option} {bad}");
        assert!(outcome.err.contains(option), "{option} {bad}: {}", outcome.err);
    }
}

#[test]
fn a_number_of_repetitions_has_neither() {
    for option in [["--precision", "1%"], ["--time-limit", "1s"]] {
        for other in [["--repetitions", "3"].as_slice(), &["--quick"]] {
            let words = [&option[..], other, &["hash"]].concat();
            let outcome = bench_slope(&machine(vec![entry("MD5")], 1, noisy), &words);
            assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{words:?}");
            assert!(outcome.err.contains(option[0]), "{words:?}: {}", outcome.err);
        }
    }
}
