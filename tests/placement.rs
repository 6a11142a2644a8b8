//! Code whose cost depends on where its locals and its message lie, on invented time: the number is the
//! same in every run, and both costs are told.

use std::sync::Arc;

use crate::invented::{ANSWERS, Outcome, bench_slope, entry, machine_on};
use bench_slope::clock::InventedClock;
use bench_slope::group::Machine;
use bench_slope::placements::STACK_PLACES;
use bench_slope::sample::on_stack_at;
use bench_slope_algorithms::{Buffer, Catalogue, Entry, OpenError, Operation, Routine, Setup};

/// Thousandths above the least cost, by the addresses of a local and of the message.
type Above = fn(local: usize, message: usize) -> u64;

/// A hash that takes 1 ns a byte where it lies well.
struct Placed {
    inner: Box<dyn Routine>,
    message: Buffer,
    clock: InventedClock,
    above: Above,
    size: usize,
    /// The answer is computed once for each message.
    computed: bool,
}

impl Routine for Placed {
    fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
        (self.size, self.computed) = (size, false);
        self.inner.prepare(size)
    }

    #[inline(never)]
    fn run(&mut self) {
        if !std::mem::replace(&mut self.computed, true) {
            self.inner.run();
        }
        let local = 0_u128;
        let local = std::ptr::from_ref(std::hint::black_box(&local)) as usize;
        let message = self.message.first(0).as_ptr() as usize;
        let ps_per_byte = 1000 + (self.above)(local, message);
        self.clock.advance_ps(1000 + self.size as u64 * ps_per_byte);
    }

    fn output(&self) -> &[u8] {
        self.inner.output()
    }
}

fn placed(mut entry: Entry, clock: &InventedClock, above: Above) -> Entry {
    let (open, clock) = (entry.open.clone(), clock.clone());
    entry.open = Arc::new(move |setup: &Setup, operation: Operation| {
        let routine: Box<dyn Routine> = Box::new(Placed {
            inner: open(setup, operation)?,
            message: Buffer::new(&setup.input, setup.placement),
            clock: clock.clone(),
            above,
            size: 0,
            computed: false,
        });
        Ok(routine)
    });
    entry
}

/// What runs print whose stack begins at several places, and which have other things in memory.
fn runs(above: Above, words: &[&str]) -> Vec<Outcome> {
    let run = |nth: usize| {
        let _ballast: Vec<Vec<u8>> = (0..nth).map(|at| vec![1; 100 + 1000 * at]).collect();
        let clock = InventedClock::new(1);
        // Its calls advance the clock themselves, each of them: nothing else is to charge for them.
        let catalogue =
            Catalogue::new(vec![placed(entry("SHA256"), &clock, above)], &[("hash", ANSWERS)]);
        let catalogue = catalogue.expect("the answers parse");
        let machine = Machine { catalogue, ..machine_on(clock, Vec::new(), |_, _| 0) };
        bench_slope(&machine, words)
    };
    (0..5).map(|nth| on_stack_at(nth, nth * 77 % STACK_PLACES, &mut || run(nth))).collect()
}

/// All runs print this; returns what each says on standard error.
fn all_print(runs: &[Outcome], row: &str) -> Vec<String> {
    for run in runs {
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.contains(row), "{}{}", run.out, run.err);
    }
    runs.iter().map(|run| run.err.clone()).collect()
}

#[test]
fn locals_across_a_line_of_the_cache() {
    let above: Above = |local, _| if local % 64 == 48 { 100 } else { 0 };
    for said in all_print(&runs(above, &["hash", "sha256"]), "1.000 ns/B") {
        assert!(said.contains("SHA256 1.000 ns/byte, 1.100 in 25 % of the samples"), "{said}");
    }
}

#[test]
fn one_place_in_four_of_a_page_that_is_good() {
    let above: Above = |local, _| if local % 4096 / 1024 == 2 { 0 } else { 60 };
    for said in all_print(&runs(above, &["hash", "sha256"]), "1.000 ns/B") {
        assert!(said.contains("SHA256 1.000 ns/byte, 1.060 in "), "{said}");
    }
}

#[test]
fn messages_at_half_of_the_lines_of_a_page() {
    let above: Above = |_, message| if message / 64 % 2 == 1 { 80 } else { 0 };
    for said in all_print(&runs(above, &["hash", "sha256"]), "1.000 ns/B") {
        assert!(said.contains("SHA256 1.000 ns/byte, 1.080 in "), "{said}");
    }
}

#[test]
fn messages_on_half_of_the_pages() {
    let above: Above = |_, message| if message / 4096 % 2 == 1 { 80 } else { 0 };
    for said in all_print(&runs(above, &["hash", "sha256"]), "1.000 ns/B") {
        assert!(said.contains("SHA256 1.000 ns/byte, 1.080 in "), "{said}");
    }
}

#[test]
fn odd_addresses_stay_odd() {
    let above: Above = |_, message| if message % 64 == 1 { 0 } else { 1000 };
    for said in all_print(&runs(above, &["--unaligned", "hash", "sha256"]), "1.000 ns/B") {
        assert!(!said.contains("two costs"), "{said}");
    }
    for said in all_print(&runs(above, &["hash", "sha256"]), "2.000 ns/B") {
        assert!(!said.contains("two costs"), "{said}");
    }
}

#[test]
fn one_size_meets_the_places_too() {
    let above: Above = |local, _| if local % 64 == 48 { 100 } else { 0 };
    let runs = runs(above, &["--bytes", "1000", "hash", "sha256"]);
    all_print(&runs, "1000 |           1001 ");
}
