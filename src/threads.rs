//! Rows on several processors at once: the sum, and how it scales.

use std::io;

use bench_slope_algorithms::Case;

use crate::cpus;
use crate::group::{Machine, Progress};
use crate::record::{Measured, Record};
use crate::scaling::{Pair, Parallel, Scaling};
use crate::wire::{Event, Failure, Order, Request};

/// Processes a row is measured by. The median of six lies between the lowest and the highest of six
/// in 97 % of all cases, whatever the distribution.
pub const PROCESSES: u32 = 6;

/// Threads that can be had.
///
/// # Errors
/// When there are fewer processors, or they cannot be chosen.
pub fn check(threads: usize) -> Result<Parallel, String> {
    let allowed = cpus::allowed().filter(|allowed| !allowed.is_empty());
    let processors = match &allowed {
        Some(allowed) => allowed.len(),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    if threads > processors {
        return Err(format!("this process may run on {processors} processors"));
    }
    let cpus: Vec<usize> = allowed.unwrap_or_default().into_iter().take(threads).collect();
    // A sandbox may let the mask be read but not written.
    cpus.iter().try_for_each(|&cpu| cpus::check_pin(cpu))?;
    Ok(Parallel { cpus, threads })
}

/// Measures each row; the records come in the order of the cases.
///
/// # Errors
/// When no worker can be started.
pub fn measure(
    machine: &Machine,
    cases: &[Case],
    message_bytes: usize,
    parallel: &Parallel,
    progress: &mut dyn FnMut(Progress),
) -> io::Result<Vec<Record>> {
    let begin = machine.clock.monotonic_ns();
    let mut records = Vec::new();
    for (done, case) in cases.iter().enumerate() {
        let spent = machine.clock.monotonic_ns().saturating_sub(begin) as f64 / 1e9;
        let left = (done > 0).then(|| spent / done as f64 * (cases.len() - done) as f64);
        progress(Progress { done, rows: cases.len(), seconds: spent, seconds_left: left });
        records.push(measure_row(machine, case, message_bytes, parallel)?);
    }
    Ok(records)
}

fn measure_row(
    machine: &Machine,
    case: &Case,
    message_bytes: usize,
    parallel: &Parallel,
) -> io::Result<Record> {
    let mut processes: Vec<Vec<Pair>> = Vec::new();
    let failed = |failure| Ok(Record::of(case, Err(failure)));
    for worker in 0..PROCESSES {
        let interrupted = || Failure::Interrupted("interrupted before it was measured".to_owned());
        if machine.is_interrupted() {
            return failed(interrupted());
        }
        let request = request(case, message_bytes, parallel, worker);
        let Machine { catalogue, clock, workers, patience, .. } = machine;
        let outcome =
            workers.serve(catalogue, &**clock, &request, *patience, &machine.interrupted)?;
        if machine.is_interrupted() {
            return failed(interrupted());
        }
        if let Some(death) = outcome.death {
            return failed(Failure::Crashed(death));
        }
        for event in outcome.events {
            match event {
                Event::Failed(_, failure) => return failed(failure),
                Event::Parallel(pairs) => processes.push(pairs),
                _ => {}
            }
        }
    }
    let Some(scaling) = Scaling::of(&processes, message_bytes, parallel) else {
        return failed(Failure::NoTime("no window came out".to_owned()));
    };
    Ok(record(case, scaling, &processes))
}

fn request(case: &Case, bytes: usize, parallel: &Parallel, worker: u32) -> Request {
    Request {
        worker,
        budget_ns: 0,
        rounds: None,
        quick: false,
        lowest_contention: None,
        cpus: parallel.cpus.clone(),
        offset_bytes: 0,
        cases: vec![Order {
            id: case.id(),
            sizes: vec![bytes],
            own_calls: false,
            message_bytes: None,
            calls: None,
            must: true,
        }],
        parallel: Some(parallel.clone()),
    }
}

/// A row's number is the sum: nanoseconds for a byte of all threads together.
fn record(case: &Case, scaling: Scaling, processes: &[Vec<Pair>]) -> Record {
    let measured = Measured {
        ns_per_unit: 1e9 / (scaling.mib_per_s * f64::from(1 << 20)),
        mib_per_s: Some(scaling.mib_per_s),
        cycles_per_unit: None,
        measured_mhz: None,
        ns_per_call: 0.0,
        relative_error: Some(scaling.relative_error),
        bend: None,
        layouts: None,
        points: Vec::new(),
        counts: None,
        processes: processes.len() as u32,
        rounds: processes.iter().map(Vec::len).sum::<usize>() as u32,
        quiet: true,
    };
    Record { scaling: Some(scaling), ..Record::of(case, Ok(measured)) }
}
