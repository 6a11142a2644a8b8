//! Is the slope right? A routine of known cost, measured by the program's own workers and by
//! itself.
//!
//! The routine is a chain of dependent operations whose length is proportional to the size: nothing
//! but the clock frequency decides what it takes. Measured by itself it runs up to 64 times longer
//! than the largest message, so that neither the reading of a clock nor the cost of a call counts.
//! Both are done in turn, so that a drift of the frequency shows in the spread.
//!
//! A second routine is the same with a constant delay in each call: the slope must not move, and
//! the delay must come out as the intercept.

use std::process::ExitCode;
use std::sync::Arc;

use bench_slope::clock::{Clock, machine_clock};
use bench_slope::frequency::chain;
use bench_slope::group::{Machine, Plan, measure};
use bench_slope::record::Measured;
use bench_slope::run::run_here;
use bench_slope::worker::{WORD, Workers};
use bench_slope_algorithms::{
    Axis, Catalogue, Entry, Lengths, OpenError, Operation, Routine, Section, Setup,
};

/// Turns of 64 operations a byte: 64 sizes from 0 to 4096 bytes give chains of 0 to 256 turns.
const BYTES_PER_TURN: usize = 16;
/// Turns of the delay: about as long as the chain of the largest message.
const DELAY_TURNS: u32 = 256;

struct Chain {
    turns: u32,
    delay: u32,
    output: [u8; 8],
}

impl Routine for Chain {
    fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
        self.turns = (size / BYTES_PER_TURN) as u32;
        Ok(())
    }
    fn run(&mut self) {
        std::hint::black_box(chain(self.delay));
        self.output = chain(self.turns).to_le_bytes();
    }
    fn output(&self) -> &[u8] {
        &self.output
    }
}

fn entry(algorithm: &'static str, delay: u32) -> Entry {
    Entry {
        section: Section::Hash,
        provider: "bench",
        package: "known_cost",
        algorithm,
        mode: "",
        aliases: &[],
        operations: &[Operation::Digest],
        output_bytes: 8,
        extendable: true,
        slow: false,
        key_bytes: 0,
        nonce_bytes: 0,
        axis: Axis::Bytes,
        lengths: Lengths::All,
        known_as: None,
        open: Arc::new(move |_: &Setup, _: Operation| {
            let routine: Box<dyn Routine> = Box::new(Chain { turns: 0, delay, output: [0; 8] });
            Ok(routine)
        }),
    }
}

fn catalogue() -> Catalogue {
    let empty: String = chain(0).to_le_bytes().iter().map(|b| format!("{b:02x}")).collect();
    let answers = format!(
        "CHAIN output={empty} ; a chain of no operations\n\
         DELAYED output={empty} ; a chain of no operations\n"
    );
    let entries = vec![entry("CHAIN", 0), entry("DELAYED", DELAY_TURNS)];
    Catalogue::new(entries, &[("hash", &answers)]).expect("the answers parse")
}

/// Nanoseconds of 64 operations, from chains of 256 to 16,384 turns: the lowest of many.
fn by_itself(clock: &dyn Clock) -> f64 {
    let lowest_ns = |turns: u32| {
        let one = || {
            let start = clock.monotonic_ns();
            std::hint::black_box(chain(turns));
            clock.monotonic_ns() - start
        };
        (0..200).map(|_| one()).min().unwrap_or(0) as f64
    };
    let (short, long) = (256, 64 * 256);
    (lowest_ns(long) - lowest_ns(short)) / f64::from(long - short)
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(WORD) {
        return ExitCode::from(run_here(std::env::args_os(), catalogue()));
    }
    let workers = Workers::Processes(std::env::current_exe().expect("this program has a path"));
    let machine = Machine {
        catalogue: catalogue(),
        clock: machine_clock(),
        workers,
        patience: Machine::PATIENCE,
        interrupted: Arc::default(),
        root: "/".into(),
    };
    let cases: Vec<_> = machine.catalogue.cases(Section::Hash).collect();
    let plan = Plan::default();
    println!("{:>12} {:>12} {:>9} {:>9} {:>12}", "slope", "by itself", "ratio", "delayed", "delay");
    let mut ratios = Vec::new();
    for _ in 0..10 {
        let before = by_itself(&*machine.clock);
        let (records, _) = measure(&machine, &cases, plan, &mut |_| ()).expect("workers start");
        let after = by_itself(&*machine.clock);
        let itself = before.min(after) / BYTES_PER_TURN as f64;
        let measured: Vec<&Measured> =
            records.iter().filter_map(|record| record.result.as_ref().ok()).collect();
        let [plain, delayed] = measured[..] else {
            println!("no number: {records:?}");
            continue;
        };
        let delay_ns = itself * (BYTES_PER_TURN as f64) * f64::from(DELAY_TURNS);
        let ratio = plain.ns_per_unit / itself;
        println!(
            "{:>10.5} ns {:>10.5} ns {:>+8.3}% {:>+8.3}% {:>+11.3}%",
            plain.ns_per_unit,
            itself,
            100.0 * (ratio - 1.0),
            100.0 * (delayed.ns_per_unit / plain.ns_per_unit - 1.0),
            100.0 * ((delayed.ns_per_call - plain.ns_per_call) / delay_ns - 1.0),
        );
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    if let Some(median) = ratios.get(ratios.len() / 2) {
        println!("median ratio {:+.3} %", 100.0 * (median - 1.0));
    }
    ExitCode::SUCCESS
}
