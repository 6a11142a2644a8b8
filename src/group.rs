//! A group of cases measured by worker after worker, until every row is good enough or time is up.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bench_slope_algorithms::{Axis, Case, Catalogue};

use crate::clock::Clock;
use crate::cpus::QUIET_WITHIN;
use crate::environment::Warning;
use crate::fit::{Estimate, Rounds, estimate};
use crate::record::{Measured, Record};
use crate::schedule::{Event, Failure, Order, Request, Round};
use crate::worker::Workers;

/// What a measurement is made with.
#[derive(Clone)]
pub struct Machine {
    /// What can be timed.
    pub catalogue: Catalogue,
    /// The clock, for budgets here and for samples when workers run in this process.
    pub clock: Arc<dyn Clock + Send + Sync>,
    /// How workers come to be.
    pub workers: Workers,
}

/// How a group is to be measured.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Exactly so many rounds of every row, instead of as many as it takes.
    pub repetitions: Option<u32>,
    /// Whether messages start at odd addresses.
    pub unaligned: bool,
}

/// How far a group is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Rows that are done.
    pub done: usize,
    /// All rows.
    pub rows: usize,
    /// Time spent over the time there is, 0 to 1.
    pub time: f64,
}

/// A row is good enough when its 95 % interval is within this of its slope ...
const PRECISION: f64 = 0.001;
/// ... after so many workers, each with its own layout of code and data.
const FEWEST_WORKERS: u32 = 8;
/// Without a precise answer sampling still goes on for so many workers, whatever the time.
const WORKERS_WHATEVER_THE_TIME: u32 = 4;
/// A worker that visited every row goes on visiting until it is this old.
const WORKER_NS: u64 = 60_000_000;
/// A worker that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(120);
/// Quiet rounds must come from this many processes; else busy ones are taken too, with a warning.
const FEWEST_QUIET: usize = 4;
/// Repetitions are spread over this many workers.
const WORKERS_FOR_REPETITIONS: u32 = 12;
/// Nothing computes faster than this: a first-level cache delivers 0.0015 ns/B at best.
const FASTEST_NS_PER_BYTE: f64 = 0.0015;
/// An error above this is worth a warning.
const IMPRECISE: f64 = 0.01;
/// Processor time over wall time below this is worth a warning.
const STARVED: f64 = 0.9;

/// The time a group of `rows` may take: half a second each for a few, 65 ms each for many.
fn time_limit_ns(rows: usize) -> u64 {
    (550_000_000 * rows as u64).min(2_000_000_000 + 65_000_000 * rows as u64)
}

/// What has been gathered of one case.
struct Row {
    case: Case,
    calls: Option<u32>,
    /// Rounds of every process that had some: nanoseconds per call, and the core's contention.
    processes: Vec<Vec<(Vec<f64>, Option<f64>)>>,
    failure: Option<Failure>,
    good_enough: bool,
}

/// What is known of the machine from all workers so far.
#[derive(Default)]
struct Seen {
    lowest_contention: Option<f64>,
    cpu_ns: u64,
    wall_ns: u64,
}

/// Measures a group; the records come in the order of the cases.
///
/// # Errors
/// When no worker can be started.
pub fn measure(
    machine: &Machine,
    cases: &[Case],
    plan: Plan,
    progress: &mut dyn FnMut(Progress),
) -> io::Result<(Vec<Record>, Vec<Warning>)> {
    let mut rows: Vec<Row> = cases
        .iter()
        .map(|case| Row {
            case: case.clone(),
            calls: None,
            processes: Vec::new(),
            failure: None,
            good_enough: false,
        })
        .collect();
    let mut seen = Seen::default();
    let begin = machine.clock.monotonic_ns();
    let limit_ns = time_limit_ns(rows.len());
    for worker in 0.. {
        let open: Vec<usize> = pending(&rows, worker);
        let spent_ns = machine.clock.monotonic_ns().saturating_sub(begin);
        progress(Progress {
            done: rows.len() - open.len(),
            rows: rows.len(),
            time: spent_ns as f64 / limit_ns.max(1) as f64,
        });
        let per_worker_ns = spent_ns / u64::from(worker.max(1));
        let enough = match plan.repetitions {
            Some(repetitions) => worker >= repetitions.min(WORKERS_FOR_REPETITIONS),
            // The next worker would overrun the limit by more than half of itself.
            None => worker >= WORKERS_WHATEVER_THE_TIME && spent_ns + per_worker_ns / 2 > limit_ns,
        };
        if open.is_empty() || enough {
            break;
        }
        let request = request(&rows, &open, worker, plan, &seen);
        let outcome =
            machine.workers.serve(&machine.catalogue, &*machine.clock, &request, PATIENCE)?;
        take(&mut rows, &open, outcome.events, outcome.death, &mut seen)?;
        if plan.repetitions.is_none() && worker + 1 >= FEWEST_WORKERS {
            for row in rows.iter_mut().filter(|row| row.failure.is_none() && !row.good_enough) {
                row.good_enough = is_good_enough(row, &seen);
            }
        }
    }
    let records: Vec<Record> = rows.iter().map(|row| record(row, &seen)).collect();
    let warnings = warnings(&records, &seen);
    Ok((records, warnings))
}

/// The rows still to be sampled, each worker starting with another one, so that no row always
/// follows the same one.
fn pending(rows: &[Row], worker: u32) -> Vec<usize> {
    let mut open: Vec<usize> =
        (0..rows.len()).filter(|&at| rows[at].failure.is_none() && !rows[at].good_enough).collect();
    if !open.is_empty() {
        let shift = worker as usize * 7 % open.len();
        open.rotate_left(shift);
    }
    open
}

fn request(rows: &[Row], open: &[usize], worker: u32, plan: Plan, seen: &Seen) -> Request {
    let rounds = plan.repetitions.map(|repetitions| {
        let workers = repetitions.min(WORKERS_FOR_REPETITIONS);
        repetitions / workers + u32::from(worker < repetitions % workers)
    });
    // Each worker's messages lie at another place within a page.
    let line = worker as usize % 64;
    Request {
        worker,
        budget_ns: WORKER_NS,
        rounds,
        lowest_contention: seen.lowest_contention,
        offset_bytes: 64 * line + usize::from(plan.unaligned),
        cases: open
            .iter()
            .map(|&at| Order {
                id: rows[at].case.id(),
                calls: rows[at].calls,
                must: plan.repetitions.is_some() || rows[at].processes.len() < FEWEST_QUIET,
            })
            .collect(),
    }
}

/// Files what a worker told under its rows.
fn take(
    rows: &mut [Row],
    open: &[usize],
    events: Vec<Event>,
    death: Option<String>,
    seen: &mut Seen,
) -> io::Result<()> {
    let mut rounds: Vec<Round> = Vec::new();
    let mut current = None;
    let mut done = None;
    for event in events {
        match event {
            Event::Begin(index) => current = open.get(index).copied(),
            Event::Failed(index, failure) => {
                if let Some(&at) = open.get(index) {
                    rows[at].failure = Some(failure);
                }
            }
            Event::Round(round) => rounds.push(round),
            Event::Done(told) => done = Some(told),
        }
    }
    if let Some(death) = death {
        let Some(at) = current else {
            return Err(io::Error::other(format!("a worker could not begin: {death}")));
        };
        // What it had told of other rows before is lost with its clock; other workers follow.
        rows[at].failure = Some(Failure::Crashed(death));
        return Ok(());
    }
    let Some(done) = done else { return Ok(()) };
    let mut added = vec![false; rows.len()];
    for round in rounds {
        let Some(&at) = open.get(round.case) else { continue };
        let row = &mut rows[at];
        row.calls = Some(round.calls);
        let ns = |&ticks: &u64| match ticks {
            0 => f64::NAN,
            ticks => {
                (ticks as f64 - done.cost_ticks as f64) * done.ns_per_tick / f64::from(round.calls)
            }
        };
        if !std::mem::replace(&mut added[at], true) {
            row.processes.push(Vec::new());
        }
        if let Some(process) = row.processes.last_mut() {
            process.push((round.ticks.iter().map(ns).collect(), round.contention));
        }
    }
    seen.lowest_contention = done.lowest_contention.or(seen.lowest_contention);
    seen.cpu_ns += done.cpu_ns.unwrap_or(done.wall_ns);
    seen.wall_ns += done.wall_ns;
    Ok(())
}

/// The rounds to judge by: those on a quiet core, if there are enough of them.
fn usable(row: &Row, seen: &Seen) -> (Vec<Rounds>, bool) {
    let is_quiet = |contention: Option<f64>| match (contention, seen.lowest_contention) {
        (Some(contention), Some(lowest)) => contention <= QUIET_WITHIN * lowest,
        // Never agreed on what quiet is.
        (Some(_), None) => false,
        (None, _) => true,
    };
    let select = |keep: &dyn Fn(Option<f64>) -> bool| -> Vec<Rounds> {
        row.processes
            .iter()
            .map(|process| {
                let kept = process.iter().filter(|(_, contention)| keep(*contention));
                kept.map(|(ns, _)| ns.clone()).collect::<Rounds>()
            })
            .filter(|rounds| !rounds.is_empty())
            .collect()
    };
    let quiet = select(&is_quiet);
    if quiet.len() >= FEWEST_QUIET.min(row.processes.len()) {
        (quiet, true)
    } else {
        (select(&|_| true), false)
    }
}

fn judge(row: &Row, seen: &Seen) -> Option<(Estimate, Vec<Rounds>, bool)> {
    let (processes, quiet) = usable(row, seen);
    let estimate = estimate(&row.case.entry.axis.sizes(), &processes)?;
    Some((estimate, processes, quiet))
}

fn is_good_enough(row: &Row, seen: &Seen) -> bool {
    judge(row, seen).is_some_and(|(estimate, processes, quiet)| {
        quiet
            && processes.len() >= FEWEST_WORKERS as usize
            && estimate.slope_error.is_some_and(|error| error <= PRECISION * estimate.line.slope)
    })
}

/// The record of a row: a number only when it is one.
fn record(row: &Row, seen: &Seen) -> Record {
    if let Some(failure) = &row.failure {
        return Record::of(&row.case, Err(failure.clone()));
    }
    let Some((estimate, processes, quiet)) = judge(row, seen) else {
        let reason = "no sample came out: the clock did not move while it ran".to_owned();
        return Record::of(&row.case, Err(Failure::NoTime(reason)));
    };
    let slope = estimate.line.slope;
    let by_bytes = row.case.entry.axis == Axis::Bytes;
    let no_slope = |reason: &str| Record::of(&row.case, Err(Failure::NoSlope(reason.into())));
    // Half the interval must not reach zero.
    if slope <= 0.0 || estimate.slope_error.is_some_and(|error| 2.0 * error >= slope) {
        return no_slope("its time does not clearly grow with the size");
    }
    if by_bytes && slope < FASTEST_NS_PER_BYTE {
        return no_slope("faster than any memory: it seems to do no work");
    }
    Record::of(
        &row.case,
        Ok(Measured {
            ns_per_unit: slope,
            mib_per_s: None,
            cycles_per_unit: None,
            ns_per_call: estimate.line.intercept,
            relative_error: estimate.slope_error.map(|error| error / slope),
            processes: processes.len() as u32,
            rounds: processes.iter().map(Vec::len).sum::<usize>() as u32,
            quiet,
        }),
    )
}

fn warnings(records: &[Record], seen: &Seen) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let measured = || records.iter().filter_map(|r| r.result.as_ref().ok().map(|m| (r, m)));
    let busy: Vec<String> = measured().filter(|(_, m)| !m.quiet).map(|(r, _)| r.name()).collect();
    if !busy.is_empty() {
        warnings.push(Warning::NeverQuiet { rows: busy });
    }
    let imprecise: Vec<(String, f64)> = measured()
        .filter_map(|(r, m)| m.relative_error.filter(|&e| e > IMPRECISE).map(|e| (r.name(), e)))
        .collect();
    if !imprecise.is_empty() {
        warnings.push(Warning::Imprecise { rows: imprecise });
    }
    let unknown = measured().filter(|(_, m)| m.relative_error.is_none()).count();
    if unknown > 0 {
        warnings.push(Warning::NoErrorStated { rows: unknown });
    }
    let share = seen.cpu_ns as f64 / seen.wall_ns.max(1) as f64;
    if seen.wall_ns > 0 && share < STARVED {
        warnings.push(Warning::Starved { share });
    }
    warnings
}
