//! A group of cases measured by worker after worker, until every row is good enough or time is up.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bench_slope_algorithms::{Case, Catalogue};

use crate::clock::Clock;
use crate::environment::Warning;
use crate::record::Record;
use crate::rows::{FEWEST_QUIET, FEWEST_WORKERS, Row, Seen, is_good_enough, record, take};
use crate::wire::{Order, Request};
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
    /// A worker that takes longer than this hangs, and is ended.
    pub patience: Duration,
}

impl Machine {
    /// Far more than any worker takes, and little enough to wait for.
    pub const PATIENCE: Duration = Duration::from_secs(120);
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

/// Without a precise answer sampling still goes on for so many workers, whatever the time.
const WORKERS_WHATEVER_THE_TIME: u32 = 4;
/// A worker that visited every row goes on visiting until it is this old.
const WORKER_NS: u64 = 60_000_000;
/// Repetitions are spread over this many workers.
const WORKERS_FOR_REPETITIONS: u32 = 12;
/// An error above this is worth a warning.
const IMPRECISE: f64 = 0.01;
/// Processor time over wall time below this is worth a warning.
const STARVED: f64 = 0.75;

/// The time a group of `rows` may take: half a second each for a few, 60 ms each for many.
fn time_limit_ns(rows: usize) -> u64 {
    (550_000_000 * rows as u64).min(1_900_000_000 + 60_000_000 * rows as u64)
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
        let outcome = machine.workers.serve(
            &machine.catalogue,
            &*machine.clock,
            &request,
            machine.patience,
        )?;
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
