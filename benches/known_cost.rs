//! Is the slope right? A routine of known cost, measured by the program's own workers and by
//! itself.
//!
//! Both are done in turn, so that a drift of the frequency shows in the spread. A second routine is
//! the same with a constant delay in each call: the slope must not move, and the delay must come out
//! as the intercept.

use std::process::ExitCode;
use std::sync::Arc;

use bench_slope::clock::machine_clock;
use bench_slope::counters::{Absence, NoPmu};
use bench_slope::group::{Machine, Plan, measure};
use bench_slope::known_cost::{DELAY_BYTES, by_itself, catalogue};
use bench_slope::record::Measured;
use bench_slope::run::run_here;
use bench_slope::worker::{WORD, Workers};
use bench_slope_algorithms::{Catalogue, Section};

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(WORD) {
        return ExitCode::from(run_here(std::env::args_os(), Catalogue::standard()));
    }
    let workers = Workers::Processes(std::env::current_exe().expect("this program has a path"));
    let machine = Machine {
        catalogue: catalogue().expect("the answers parse"),
        clock: machine_clock(),
        pmu: Arc::new(NoPmu(Absence::SwitchedOff)),
        workers,
        patience: Machine::PATIENCE,
        interrupted: Arc::default(),
        root: "/".into(),
    };
    let cases: Vec<_> = machine.catalogue.cases(Section::Hash).collect();
    let plan = Plan::default();
    let alone = || by_itself(&*machine.clock, &cases[0], 1.0).ok().flatten();
    println!("{:>12} {:>12} {:>9} {:>9} {:>12}", "slope", "by itself", "ratio", "delayed", "delay");
    let mut ratios = Vec::new();
    for _ in 0..10 {
        let before = alone();
        let gathered = measure(&machine, &cases, plan, &mut |_| ()).expect("workers start");
        let records = gathered.records;
        let after = alone();
        let Some(itself) = before.zip(after).map(|(before, after)| before.min(after)) else {
            println!("no number: the clock saw no time pass");
            continue;
        };
        let measured: Vec<&Measured> =
            records.iter().filter_map(|record| record.result.as_ref().ok()).collect();
        let [plain, delayed] = measured[..] else {
            println!("no number: {records:?}");
            continue;
        };
        let delay_ns = itself * DELAY_BYTES as f64;
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
