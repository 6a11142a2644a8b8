//! Does a comparison find a difference that is there, and none that is not?
//!
//! A chain of dependent operations is measured beside hashes, run after run, and then a chain that
//! is three per cent longer in its place. Runs of the same are compared in a chain, each with the
//! one before; runs with the longer chain with the run before them.

use std::process::ExitCode;
use std::sync::Arc;

use bench_slope::clock::machine_clock;
use bench_slope::compare::{Comparison, Source, compare};
use bench_slope::counters::{Absence, NoPmu};
use bench_slope::frequency::chain;
use bench_slope::group::{Machine, Plan, measure};
use bench_slope::record::Run;
use bench_slope::run::run_here;
use bench_slope::worker::{WORD, Workers};
use bench_slope_algorithms::{
    Axis, Case, Catalogue, Entry, Lengths, OpenError, Operation, Routine, Section, Setup,
};

/// Turns of 64 operations for 64 bytes: as it was, and three per cent more.
const TURNS: u32 = 100;
const LONGER_TURNS: u32 = 103;
const RUNS: usize = 10;

struct Chain {
    turns_per_64_bytes: u32,
    turns: u32,
    output: [u8; 8],
}

impl Routine for Chain {
    fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
        self.turns = size as u32 / 64 * self.turns_per_64_bytes;
        Ok(())
    }
    fn run(&mut self) {
        self.output = chain(self.turns).to_le_bytes();
    }
    fn output(&self) -> &[u8] {
        &self.output
    }
}

fn entry(algorithm: &'static str, turns_per_64_bytes: u32) -> Entry {
    Entry {
        section: Section::Hash,
        provider: "bench",
        package: "known_difference",
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
            let routine: Box<dyn Routine> =
                Box::new(Chain { turns_per_64_bytes, turns: 0, output: [0; 8] });
            Ok(routine)
        }),
    }
}

fn catalogue() -> Catalogue {
    let empty: String = chain(0).to_le_bytes().iter().map(|b| format!("{b:02x}")).collect();
    let answers = format!(
        "CHAIN output={empty} ; a chain of no operations\n\
         LONGER output={empty} ; a chain of no operations\n\
         MD5 input=\"abc\" output=900150983cd24fb0d6963f7d28e17f72 ; RFC 1321, A.5\n\
         SHA1 input=\"abc\" output=a9993e364706816aba3e25717850c26c9cd0d89d ; FIPS 180-2, A.1\n\
         SHA256 input=\"abc\" output=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad ; FIPS 180-2, B.1\n"
    );
    let standard = Catalogue::standard();
    let hashes = standard.entries().iter();
    let hashes = hashes.filter(|entry| ["MD5", "SHA1", "SHA256"].contains(&entry.algorithm));
    let mut entries: Vec<Entry> = hashes.cloned().collect();
    entries.push(entry("CHAIN", TURNS));
    entries.push(entry("LONGER", LONGER_TURNS));
    Catalogue::new(entries, &[("hash", &answers)]).expect("the answers parse")
}

/// A run with one of the chains, which is called by the same name.
fn run(machine: &Machine, leave_out: &str) -> Source {
    let cases: Vec<Case> = machine
        .catalogue
        .cases(Section::Hash)
        .filter(|case| case.entry.algorithm != leave_out)
        .collect();
    let gathered = measure(machine, &cases, Plan::default(), &mut |_| ()).expect("workers start");
    let mut records = gathered.records;
    for record in &mut records {
        record.id = record.id.replace("LONGER", "CHAIN");
    }
    Source { name: "run".to_owned(), run: Run { records, ..Run::default() } }
}

/// Rows that differ by more than chance, each with its change in per cent.
fn found(comparison: &Comparison) -> Vec<(String, f64)> {
    let rows = comparison.rows.iter().filter_map(|row| {
        let difference = row.differences.first().copied().flatten()?;
        let change = 100.0 * (difference.ratio - 1.0);
        difference.verdict.is_significant().then(|| (row.id.clone(), change))
    });
    rows.collect()
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(WORD) {
        return ExitCode::from(run_here(std::env::args_os(), catalogue()));
    }
    let machine = Machine {
        catalogue: catalogue(),
        pmu: Arc::new(NoPmu(Absence::SwitchedOff)),
        clock: machine_clock(),
        workers: Workers::Processes(std::env::current_exe().expect("this program has a path")),
        patience: Machine::PATIENCE,
        interrupted: Arc::default(),
        root: "/".into(),
    };
    let mut before = run(&machine, "LONGER");
    let (mut same, mut longer, mut others) = (0, 0, 0);
    for _ in 0..RUNS {
        let again = run(&machine, "LONGER");
        let changed = run(&machine, "CHAIN");
        let none = found(&compare(&[before, again.clone()], Vec::new()));
        let some = found(&compare(&[again.clone(), changed], Vec::new()));
        println!("the same: {none:?}; 3 % longer: {some:?}");
        same += none.len();
        longer += some.iter().filter(|(id, _)| id.contains("CHAIN")).count();
        others += some.iter().filter(|(id, _)| !id.contains("CHAIN")).count();
        before = again;
    }
    println!(
        "of {RUNS}: the longer chain found {longer} times; false differences {}",
        same + others
    );
    ExitCode::SUCCESS
}
