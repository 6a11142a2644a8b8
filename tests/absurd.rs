//! Machines and routines on which a careless program prints nonsense: a right number or a plain
//! reason must come out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::invented::{bench_slope, entry, entry_of, machine};
use bench_slope_algorithms::{Entry, OpenError, Operation, Routine, Setup};

/// 50 ns a call and 2 ns a byte.
fn plain(_: &str, size: usize) -> u64 {
    50_000 + 2_000 * size as u64
}

fn slope(csv: &str) -> Option<f64> {
    csv.trim().split(',').nth(5)?.parse().ok()
}

#[test]
fn a_coarse_clock_gives_the_right_number() {
    for step_ns in [1, 25, 100, 1_000, 10_000] {
        let machine = machine(vec![entry("MD5")], step_ns, plain);
        let outcome = bench_slope(&machine, &["--csv", "--quiet", "hash"]);
        assert_eq!(outcome.code, 0, "{step_ns}: {}", outcome.err);
        let slope = slope(&outcome.out).unwrap_or_else(|| panic!("{step_ns}: {}", outcome.out));
        assert!((slope / 2.0 - 1.0).abs() < 0.002, "{step_ns}: {slope}");
    }
}

#[test]
fn a_clock_that_is_too_coarse_is_called_so() {
    let machine = machine(vec![entry("MD5")], 15_600_000, plain);
    let outcome = bench_slope(&machine, &["--csv", "--quiet", "hash"]);
    assert_eq!(outcome.code, 1);
    assert_eq!(outcome.out, "hash,MD5,,,,,ns/B,,MiB/s,,c/B,n/a: clock too coarse\n");
    assert!(outcome.err.contains("15.600 ms"), "{}", outcome.err);
}

#[test]
fn no_work_is_no_number() {
    let nothing = |_: &str, _: usize| 1_000;
    let constant = |_: &str, _: usize| 80_000;
    let falling = |_: &str, size: usize| 80_000_000 - 100 * size as u64;
    let absurdly_fast = |_: &str, size: usize| 80_000 + size as u64 / 10;
    for cost in [nothing, constant, falling, absurdly_fast] {
        let machine = machine(vec![entry("MD5")], 1, cost);
        let outcome = bench_slope(&machine, &["--csv", "--quiet", "--cpu-mhz", "3000", "hash"]);
        assert_eq!(outcome.code, 1, "{}", outcome.out);
        assert_eq!(outcome.out, "hash,MD5,,,,,ns/B,,MiB/s,,c/B,n/a: no slope\n");
    }
}

#[test]
fn noise_is_never_called_no_work() {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    // 16.7 ns a byte on a core that somebody else has for 4 ms about every second sample.
    fn beside_another(_: &str, size: usize) -> u64 {
        let mut draw = CALLS.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        draw = (draw ^ (draw >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        50_000 + 16_700 * size as u64 + if draw >> 63 == 0 { 4_000_000_000 } else { 0 }
    }
    let machine = machine(vec![entry("MD5")], 1, beside_another);
    let mut noisy = 0;
    for words in [&["--quick"][..], &["--repetitions", "1"], &["--repetitions", "6"]] {
        for _ in 0..30 {
            let outcome = bench_slope(&machine, &[words, &["--csv", "--quiet", "hash"]].concat());
            assert_eq!(outcome.code, 0, "{words:?}: {} {}", outcome.out, outcome.err);
            assert!(!outcome.out.contains("no slope"), "{words:?}: {}", outcome.err);
            noisy += usize::from(outcome.out.contains("n/a: too noisy"));
        }
    }
    // With a line that falls by chance there is no number.
    assert!(noisy > 3, "{noisy}");
}

#[test]
fn no_work_is_told_without_a_stated_error_too() {
    let constant = |_: &str, _: usize| 80_000;
    let falling = |_: &str, size: usize| 80_000_000 - 100 * size as u64;
    for cost in [constant, falling] {
        let machine = machine(vec![entry("MD5")], 1, cost);
        for (words, code) in [(&["--quick"][..], 0), (&["--repetitions", "1"], 1)] {
            let outcome = bench_slope(&machine, &[words, &["--csv", "--quiet", "hash"]].concat());
            assert!(outcome.out.ends_with("n/a: no slope\n"), "{words:?}: {}", outcome.out);
            assert_eq!(outcome.code, code, "{words:?}");
        }
    }
}

#[test]
fn a_constant_delay_lands_in_the_intercept() {
    let verbose = |cost| {
        let machine = machine(vec![entry("MD5")], 1, cost);
        bench_slope(&machine, &["--csv", "--verbose", "hash"])
    };
    let (short, long) = (verbose(plain), verbose(|name, size| plain(name, size) + 700_000));
    let ratio = slope(&long.out).expect("a number") / slope(&short.out).expect("a number");
    assert!((ratio - 1.0).abs() < 0.002, "{ratio}");
    let per_call = |err: &str| -> f64 {
        let words: Vec<&str> = err.split_whitespace().collect();
        let at = words.iter().position(|&word| word == "ns/call,").expect("told");
        words[at - 1].parse().expect("a number")
    };
    let added = per_call(&long.err) - per_call(&short.err);
    assert!((added - 700.0).abs() < 2.0, "{added}");
}

#[test]
fn a_slow_routine_ends_in_bounded_time() {
    // 40 ms a call: 65 sizes take 1.5 s a round, far beyond the time a row may take.
    let machine =
        machine(vec![entry("MD5")], 1, |_, size| 1_000_000_000 + 10_000_000 * size as u64);
    let outcome = bench_slope(&machine, &["--csv", "--quiet", "hash"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let slope = slope(&outcome.out).expect("a number");
    assert!((slope / 10_000.0 - 1.0).abs() < 0.002, "{slope}");
    assert!(machine.clock.monotonic_ns() < 60_000_000_000, "{}", machine.clock.monotonic_ns());
}

/// Whether a routine that was opened for messages of up to so many bytes rejects one of so many.
type Rejects = fn(opened_for: usize, size: usize) -> bool;

/// Rejects messages, as a tag check does that goes wrong.
struct Rejecting {
    inner: Box<dyn Routine>,
    rejects: Rejects,
    opened_for: usize,
    size: usize,
}

impl Routine for Rejecting {
    fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
        self.size = size;
        self.inner.prepare(size)
    }
    fn run(&mut self) {
        self.inner.run();
    }
    fn output(&self) -> &[u8] {
        if self.accepted() { self.inner.output() } else { &[] }
    }
    fn accepted(&self) -> bool {
        !(self.rejects)(self.opened_for, self.size)
    }
}

fn rejecting(mut entry: Entry, rejects: Rejects) -> Entry {
    let open = entry.open.clone();
    entry.open = Arc::new(move |setup: &Setup, operation: Operation| {
        let inner = open(setup, operation)?;
        if operation != Operation::Decrypt {
            return Ok(inner);
        }
        let opened_for = setup.input.len();
        let routine: Box<dyn Routine> = Box::new(Rejecting { inner, rejects, opened_for, size: 0 });
        Ok(routine)
    });
    entry
}

#[test]
fn a_rejected_message_is_no_number() {
    // The known answers of up to 16 bytes come out; it is other messages that are rejected. The last
    // rejects the empty one alone, and that not as a known answer, whose output is empty either way.
    let all: [Rejects; 4] = [
        |_, size| size > 16,
        |_, size| size > 1000,
        |_, size| size > 4095,
        |opened_for, size| opened_for == 4096 && size == 0,
    ];
    for rejects in all {
        let machine = machine(vec![rejecting(entry_of("AES", "GCM"), rejects)], 1, plain);
        let outcome = bench_slope(&machine, &["--csv", "--quiet", "cipher"]);
        assert_eq!(outcome.code, 1, "{}", outcome.err);
        let rows: Vec<&str> = outcome.out.lines().collect();
        assert_eq!(rows.len(), 3);
        assert!(rows[0].starts_with("cipher,AES,GCM enc,,,2.0"), "{}", rows[0]);
        assert_eq!(rows[1], "cipher,AES,GCM dec,,,,ns/B,,MiB/s,,c/B,n/a: wrong answer");
        assert!(rows[2].starts_with("cipher,AES,GCM auth,,,2.0"), "{}", rows[2]);
    }
}

#[test]
fn a_rejected_empty_message_is_no_known_answer() {
    let entry = rejecting(entry_of("AES", "GCM"), |_, size| size == 0);
    let case = entry.case(Operation::Decrypt);
    let catalogue = bench_slope_algorithms::Catalogue::standard();
    let answer = catalogue.answers(&entry).find(|answer| answer.input.is_empty());
    let told = catalogue.check(&case, answer.expect("GCM has one")).expect_err("it is rejected");
    assert!(told.to_string().ends_with("computed nothing, for the message was rejected"), "{told}");
}

#[test]
fn long_samples_have_a_warning() {
    let told = |epoch: &str| {
        let machine = machine(vec![entry("MD5")], 1, plain);
        bench_slope(&machine, &["--csv", "--min-epoch", epoch, "hash"]).err
    };
    assert!(
        told("5ms").contains("warning: samples of 5 ms have every interruption"),
        "{}",
        told("5ms")
    );
    assert!(!told("100us").contains("every interruption"));
}

#[test]
fn a_slope_that_a_call_swallows_is_no_number_without_an_error() {
    // 3 µs a call and 0.01 ns a byte, as authentication beside a slow cipher: one round tells nothing.
    fn swallowed(_: &str, size: usize) -> u64 {
        3_000_000 + 10 * size as u64
    }
    let machine = machine(vec![entry("MD5")], 1, swallowed);
    let outcome = bench_slope(&machine, &["--csv", "--repetitions", "1", "hash"]);
    assert!(outcome.out.contains("n/a"), "{}", outcome.out);
    assert!(outcome.err.contains("too few processes to tell its cost"), "{}", outcome.err);
    let outcome = bench_slope(&machine, &["--csv", "--repetitions", "12", "hash"]);
    assert!((slope(&outcome.out).expect("a slope") / 0.01 - 1.0).abs() < 0.01, "{}", outcome.out);
}
