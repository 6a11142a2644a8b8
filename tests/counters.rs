//! The whole program with invented counters: what is counted, what is not, and that timing goes on.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::invented::{bench_slope, entry, entry_of, machine_on};
use bench_slope::clock::{Clock, InventedClock};
use bench_slope::counters::{Absence, Counter, Event, Pmu, Reading};
use bench_slope::group::Machine;

/// 50 µs a call and 2 ns a byte.
fn plain(_: &str, size: usize) -> u64 {
    50_000_000 + 2_000 * size as u64
}

/// How a counter behaves.
#[derive(Clone)]
enum Way {
    /// It counts this much a nanosecond.
    Counts(u64),
    /// The same, but it has a place for only one part in so many.
    Shares(u64, u64),
    /// It can be opened and reads 0.
    Silent,
    /// It never has a place.
    NeverRuns,
    /// It cannot be opened.
    Refused(Absence),
    /// It can be read so many times, and then no more.
    Breaks(u64),
}

/// Counters of an invented processor: what they count follows from the time that passes.
#[derive(Clone)]
struct InventedPmu {
    clock: InventedClock,
    way: Arc<dyn Fn(Event) -> Way + Send + Sync>,
    opened: Arc<AtomicU64>,
    counting_ns: Arc<AtomicU64>,
}

struct InventedCounter {
    pmu: InventedPmu,
    way: Way,
    is_leader: bool,
    started_ns: u64,
    on_ns: u64,
    reads: u64,
}

impl Pmu for InventedPmu {
    fn open(&self, event: Event) -> Result<Box<dyn Counter>, Absence> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        let way = match (self.way)(event) {
            Way::Refused(absence) => return Err(absence),
            way => way,
        };
        Ok(Box::new(InventedCounter {
            pmu: self.clone(),
            way,
            is_leader: event == Event::ALL[0],
            started_ns: 0,
            on_ns: 0,
            reads: 0,
        }))
    }
}

impl Counter for InventedCounter {
    fn start(&mut self) -> io::Result<()> {
        self.started_ns = self.pmu.clock.monotonic_ns();
        // A system call takes its time, which all that were started before count.
        self.pmu.clock.advance_ps(500_000);
        Ok(())
    }

    fn stop(&mut self) -> io::Result<()> {
        let on_ns = self.pmu.clock.monotonic_ns() - self.started_ns;
        self.on_ns += on_ns;
        if self.is_leader {
            self.pmu.counting_ns.fetch_add(on_ns, Ordering::Relaxed);
        }
        Ok(())
    }

    fn read(&mut self) -> io::Result<Reading> {
        self.reads += 1;
        let enabled_ns = self.on_ns;
        let reading = |count, running_ns| Ok(Reading { count, enabled_ns, running_ns });
        match self.way {
            Way::Counts(per_ns) => reading(per_ns * self.on_ns, self.on_ns),
            Way::Shares(per_ns, parts) => {
                let running_ns = self.on_ns / parts;
                reading(per_ns * running_ns, running_ns)
            }
            Way::Silent => reading(0, self.on_ns),
            Way::NeverRuns | Way::Refused(_) => reading(0, 0),
            Way::Breaks(after) if self.reads > after => Err(io::ErrorKind::UnexpectedEof.into()),
            Way::Breaks(_) => reading(self.on_ns, self.on_ns),
        }
    }
}

/// A machine of two hashes and a cipher with such counters.
fn counting(way: impl Fn(Event) -> Way + Send + Sync + 'static) -> (Machine, InventedPmu) {
    let clock = InventedClock::new(1);
    let entries = vec![entry("MD5"), entry("SHA1"), entry_of("AES", "ECB")];
    let mut machine = machine_on(clock.clone(), entries, plain);
    let (opened, counting_ns) = Default::default();
    let pmu = InventedPmu { clock, way: Arc::new(way), opened, counting_ns };
    machine.pmu = Arc::new(pmu.clone());
    (machine, pmu)
}

/// A processor at 3 GHz that does four instructions a cycle, every fourth of them a branch.
fn healthy(event: Event) -> Way {
    match event {
        Event::Instructions => Way::Counts(12),
        Event::Cycles | Event::Branches => Way::Counts(3),
        Event::BranchMisses => Way::Counts(1),
        Event::CacheMisses => Way::Silent,
    }
}

fn notes(err: &str) -> Vec<&str> {
    err.lines().filter(|line| line.starts_with("note: no ")).collect()
}

#[test]
fn verbose_tells_what_was_counted() {
    let (machine, _) = counting(healthy);
    let outcome = bench_slope(&machine, &["--verbose", "hash"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    for name in ["MD5", "SHA1"] {
        let line = format!(
            "\n{name}: counted 24.00 instructions/byte, 6.000 cycles/byte, 4.00 instructions a \
             cycle, 6.000 branches/byte, 2.0000 branch misses/byte, 0.0000 cache misses/byte\n"
        );
        assert!(outcome.err.contains(&line), "{}", outcome.err);
    }
    assert!(notes(&outcome.err).is_empty(), "{}", outcome.err);
    // Without --verbose, and in values of comma-separated fields, nothing changes.
    let (machine, _) = counting(healthy);
    let outcome = bench_slope(&machine, &["--csv", "hash", "md5"]);
    assert_eq!(outcome.out, "hash,MD5,,,,2.00000,ns/B,476.837,MiB/s,,c/B\n");
    assert!(!outcome.err.contains("counted"), "{}", outcome.err);
}

#[test]
fn a_row_at_one_size_is_counted_by_the_call() {
    let (machine, _) = counting(healthy);
    let outcome = bench_slope(&machine, &["--verbose", "--bytes", "1000", "hash", "md5"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let line = outcome.err.lines().find(|line| line.starts_with("MD5 1000: counted "));
    let line = line.expect("it is counted");
    assert!(line.contains(" instructions/op, "), "{line}");
    let count: f64 = line.split(' ').nth(3).and_then(|word| word.parse().ok()).expect("a count");
    // 52 µs, and what starting the counters takes, for no slope takes it out.
    let wanted = 12.0 * 52_000.0;
    assert!((wanted..1.06 * wanted).contains(&count), "{line}");
    // The slope beside it is counted as ever.
    assert!(outcome.err.contains("\nMD5: counted 24.00 instructions/byte"), "{}", outcome.err);
}

#[test]
fn repetitions_are_counted_too_where_they_suffice() {
    let (machine, _) = counting(healthy);
    let outcome = bench_slope(&machine, &["--verbose", "--repetitions", "64", "hash", "md5"]);
    assert!(outcome.err.contains("MD5: counted 24.00 instructions/byte"), "{}", outcome.err);
    assert!(outcome.err.contains(" 64 rounds "), "{}", outcome.err);
    let (machine, _) = counting(healthy);
    let outcome = bench_slope(&machine, &["--verbose", "--repetitions", "1", "hash", "md5"]);
    assert!(outcome.err.contains("MD5: too little time to count enough"), "{}", outcome.err);
    assert!(outcome.out.contains("2.000 ns/B"), "{}", outcome.out);
}

#[test]
fn counters_that_take_turns_are_scaled() {
    let (machine, _) = counting(|event| match event {
        Event::Instructions => Way::Shares(12, 4),
        other => healthy(other),
    });
    let outcome = bench_slope(&machine, &["--verbose", "hash", "md5"]);
    let line = outcome.err.lines().find(|line| line.contains("counted")).expect("a line");
    let count: f64 = line.split(' ').nth(2).and_then(|word| word.parse().ok()).expect("a count");
    assert!((count / 24.0 - 1.0).abs() < 0.001, "{line}");
}

#[test]
fn what_is_missing_is_told_once_and_the_rest_is_counted() {
    let (machine, _) = counting(|event| match event {
        Event::Cycles => Way::Silent,
        Event::CacheMisses => Way::NeverRuns,
        Event::BranchMisses => Way::Refused(Absence::NoSuchCounter),
        other => healthy(other),
    });
    let outcome = bench_slope(&machine, &["--verbose"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(
        notes(&outcome.err),
        [
            format!("note: no cycles: {}", Absence::Silent),
            format!("note: no branch misses: {}", Absence::NoSuchCounter),
            format!("note: no cache misses: {}", Absence::NeverRan),
        ]
    );
    let line = "\nMD5: counted 24.00 instructions/byte, 6.000 branches/byte\n";
    assert!(outcome.err.contains(line), "{}", outcome.err);
    assert!(outcome.err.contains("\nAES ECB dec: counted 24.00 instr"), "{}", outcome.err);
}

#[test]
fn without_counters_timing_goes_on_and_one_note_tells_the_cause() {
    type Refusal = (fn(Event) -> Way, Absence);
    let ways: [Refusal; 6] = [
        (|_| Way::Silent, Absence::Silent),
        (|_| Way::NeverRuns, Absence::NeverRan),
        (|_| Way::Refused(Absence::Paranoid { level: 4 }), Absence::Paranoid { level: 4 }),
        (|_| Way::Refused(Absence::Filtered), Absence::Filtered),
        (|_| Way::Refused(Absence::TooManyFiles), Absence::TooManyFiles),
        (|_| Way::Refused(Absence::NoSuchCounter), Absence::NoSuchCounter),
    ];
    for (way, absence) in ways {
        let (machine, pmu) = counting(way);
        // Two sections, and rows enough for several workers.
        let outcome = bench_slope(&machine, &["--verbose"]);
        assert_eq!(outcome.code, 0, "{absence}: {}", outcome.err);
        assert_eq!(outcome.out.matches("2.000 ns/B").count(), 4, "{}", outcome.out);
        let told = format!("note: no hardware counters: {absence}");
        assert_eq!(notes(&outcome.err), [told], "{}", outcome.err);
        assert!(!outcome.err.contains("counted"), "{}", outcome.err);
        // Found out once: no worker asks again.
        assert_eq!(pmu.opened.load(Ordering::Relaxed), 5, "{absence}");
        let (machine, _) = counting(way);
        let outcome = bench_slope(&machine, &["--quiet", "hash"]);
        assert_eq!((outcome.code, outcome.err.as_str()), (0, ""), "{absence}");
    }
}

#[test]
fn no_counters_and_quick_runs_ask_for_none() {
    for words in [["--no-counters", "--verbose", "hash"], ["--quick", "--verbose", "hash"]] {
        for way in [healthy, |_| Way::Refused(Absence::Filtered)] {
            let (machine, pmu) = counting(way);
            let outcome = bench_slope(&machine, &words);
            assert_eq!(outcome.code, 0, "{}", outcome.err);
            assert_eq!(pmu.opened.load(Ordering::Relaxed), 0, "{words:?}");
            assert!(notes(&outcome.err).is_empty(), "{}", outcome.err);
            assert!(!outcome.err.contains("count"), "{}", outcome.err);
        }
    }
}

#[test]
fn a_counter_that_breaks_harms_nothing() {
    // Three readings are the parent's.
    for after in 3..10 {
        let (machine, _) = counting(move |_| Way::Breaks(after));
        let outcome = bench_slope(&machine, &["--verbose", "hash", "md5"]);
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        assert!(outcome.out.contains("2.000 ns/B"), "{}", outcome.out);
        assert!(outcome.err.contains("MD5: too little"), "{}", outcome.err);
    }
}

#[test]
fn counting_takes_a_tenth_of_the_time_at_most() {
    let (machine, pmu) = counting(healthy);
    let begin_ns = machine.clock.monotonic_ns();
    let outcome = bench_slope(&machine, &["hash"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let all_ns = machine.clock.monotonic_ns() - begin_ns;
    let counting_ns = pmu.counting_ns.load(Ordering::Relaxed);
    assert!(counting_ns > 0);
    assert!(counting_ns * 10 <= all_ns, "{counting_ns} of {all_ns} ns");
}
