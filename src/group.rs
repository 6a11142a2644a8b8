//! A group of cases measured by worker after worker, until every row is good enough or time is up.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bench_slope_algorithms::{Case, Catalogue, Section};

use crate::batches::batches;
use crate::clock::Clock;
use crate::counters::{self, Pmu};
use crate::placements::first_offset;
use crate::record::{Record, Reference};
use crate::rows::{
    CLEAR, FEWEST_WORKERS, PRECISION, Row, RunFrequency, Seen, growth_record, is_clear,
    leave_unfinished, record, samples, settle_frequency, take,
};
use crate::warning::Warning;
use crate::wire::{Failure, Order, Request};
use crate::worker::Workers;

/// What a measurement is made with.
#[derive(Clone)]
pub struct Machine {
    /// What can be timed.
    pub catalogue: Catalogue,
    /// The clock, for budgets here and for samples when workers run in this process.
    pub clock: Arc<dyn Clock + Send + Sync>,
    /// Where counters come from, when workers run in this process.
    pub pmu: Arc<dyn Pmu + Send + Sync>,
    /// How workers come to be.
    pub workers: Workers,
    /// A worker that takes longer than this hangs, and is ended.
    pub patience: Duration,
    /// Set when the user wants to stop: what is measured so far is kept.
    pub interrupted: Arc<AtomicBool>,
    /// Where the files that describe the machine begin: `/`, or a folder of an invented one.
    pub root: PathBuf,
}

impl Machine {
    /// Far more than any worker takes, and little enough to wait for.
    pub const PATIENCE: Duration = Duration::from_secs(120);

    /// Whether the user wants to stop.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

/// How a group is to be measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plan<'a> {
    /// Exactly so many rounds of every row, instead of as many as it takes.
    pub repetitions: Option<u32>,
    /// The 95 % error, as a share, at which a row is done; [`PRECISION`] when it is not given.
    pub precision: Option<f64>,
    /// The time a row may take in the mean; some, depending on how many there are, when not given.
    pub time_limit: Option<Duration>,
    /// Whether messages start at odd addresses.
    pub unaligned: bool,
    /// One rough visit to each row by each of a few workers; no number is not a failure then.
    pub quick: bool,
    /// Whether records keep every sample.
    pub samples: bool,
    /// These sizes of the message instead of the usual ones, ascending.
    pub sizes: Option<&'a [usize]>,
    /// A sample lasts at least so long; as the clock has it, when not given.
    pub min_epoch_ns: Option<u64>,
    /// What time grows with over these sizes, instead of a slope.
    pub growth: bool,
    /// Every message has so many bytes, whatever the size.
    pub message_bytes: Option<usize>,
    /// The processors workers stay on; empty for any that is allowed.
    pub cpus: &'a [usize],
    /// What is counted beside; empty for nothing.
    pub counters: &'a [counters::Event],
    /// Nanoseconds are told at this frequency, in megahertz; at that of most of the rows, when not given.
    pub at_mhz: Option<f64>,
}

/// What a group of rows came to.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// A record for each case, in their order.
    pub records: Vec<Record>,
    /// What is to be known before they are believed.
    pub warnings: Vec<Warning>,
    /// The frequency that they are told at; `None` where it could not be measured.
    pub reference: Option<Reference>,
}

/// How far a group is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Rows that are done.
    pub done: usize,
    /// Rows that get more than the usual time, for the machine is too noisy for them.
    pub noisy: usize,
    /// All rows.
    pub rows: usize,
    /// Seconds spent.
    pub seconds: f64,
    /// Seconds left at most, when that can be told.
    pub seconds_left: Option<f64>,
}

/// Without a precise answer sampling still goes on for so many workers, whatever the time.
const WORKERS_WHATEVER_THE_TIME: u32 = 4;
/// A worker that visited every row goes on visiting until it is this old.
const WORKER_NS: u64 = 60_000_000;
/// Repetitions are spread over this many workers.
const WORKERS_FOR_REPETITIONS: u32 = 12;
/// An error above this is worth a warning, unless the user says how exact it shall be.
const IMPRECISE: f64 = 0.01;
/// Samples of a row by the eight workers that a precise answer takes at least, when the user says how
/// long a sample lasts: a slow row shares its sizes among sixteen, and warms up.
const LONG_SAMPLES: u64 = 48;
/// Samples of a worker then, with those that find out how many calls make one.
const LONG_SAMPLES_OF_WORKER: u64 = 16;
/// Samples that last longer than a window hardly ever miss an interruption.
const LONG_SAMPLE_NS: u64 = 300_000;
/// Processor time over wall time below this is worth a warning.
pub const STARVED: f64 = 0.75;

/// The time a group of cases may take: half a second each for a few, 65 ms each for many, or what
/// the user says. Points take 1.5 s more together: what one size costs depends more on the layout of
/// each process than a slope does, and so they take more processes.
#[must_use]
pub fn time_limit_ns(cases: &[Case], plan: Plan<'_>) -> u64 {
    let rows = cases.len() as u64;
    let points = cases.iter().any(|case| case.entry.section == Section::Points);
    let together = if points { 4_000_000_000 } else { 2_500_000_000 };
    let long_samples = rows.saturating_mul(LONG_SAMPLES * plan.min_epoch_ns.unwrap_or(0));
    long_samples.saturating_add(match plan.time_limit {
        Some(limit) => {
            let limit_ns = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
            return limit_ns.saturating_mul(rows);
        }
        None if plan.quick => 8_000_000 * rows,
        // Long messages take their time.
        None if plan.sizes.is_some() => 550_000_000 * rows,
        None => (550_000_000 * rows).min(together + 65_000_000 * rows),
    })
}

/// Rows that are far from exact when time is up get so many times their share of it besides, unless
/// the user limits it.
const EXTRA_TIME: f64 = 9.0;
/// Workers in a row that may be lost before they began, as when the system is short of memory.
const UNLUCKY_WORKERS: u32 = 3;
/// Workers of a quick run: as few as a slope of slow rows, which share their sizes, can be drawn from.
const QUICK_WORKERS: u32 = 2;

/// Measures a group; the records come in the order of the cases.
///
/// # Errors
/// When no worker can be started.
pub fn measure(
    machine: &Machine,
    cases: &[Case],
    plan: Plan<'_>,
    progress: &mut dyn FnMut(Progress),
) -> io::Result<Gathered> {
    let (mut all, mut spent) = (Gathered::default(), 0.0);
    for some in batches(cases, plan.sizes) {
        let before = all.records.len();
        let after = time_limit_ns(&cases[before + some.len()..], plan) as f64 / 1e9;
        let mut seconds = 0.0;
        // All rows of a run are told at the frequency of the first.
        let at_mhz = plan.at_mhz.or(all.reference.map(|reference| reference.mhz));
        let plan = Plan { at_mhz, ..plan };
        let new = measure_at_once(machine, some, plan, &mut |now| {
            seconds = now.seconds;
            progress(Progress {
                done: before + now.done,
                rows: cases.len(),
                seconds: spent + now.seconds,
                seconds_left: now.seconds_left.map(|left| left + after),
                ..now
            });
        })?;
        spent += seconds;
        all.records.extend(new.records);
        all.warnings.extend(new.warnings);
        all.reference = match (all.reference, new.reference) {
            (Some(one), Some(other)) => Some(one.with(other)),
            (one, other) => one.or(other),
        };
    }
    Ok(all)
}

fn measure_at_once(
    machine: &Machine,
    cases: &[Case],
    plan: Plan<'_>,
    progress: &mut dyn FnMut(Progress),
) -> io::Result<Gathered> {
    let mut rows: Vec<Row> = cases
        .iter()
        .map(|case| {
            let sizes = plan.sizes.map_or_else(|| case.entry.axis.sizes(), <[usize]>::to_vec);
            Row::new(case.clone(), sizes)
        })
        .collect();
    let mut seen = Seen::default();
    let begin = machine.clock.monotonic_ns();
    let budget =
        Budget { usual_ns: time_limit_ns(cases, plan), is_fixed: plan.time_limit.is_some() };
    let planned = planned_workers(plan);
    let (mut worker, mut unlucky) = (0, 0);
    loop {
        let spent_ns = machine.clock.monotonic_ns().saturating_sub(begin);
        let time_is_up = planned.is_none() && budget.is_up(spent_ns, worker);
        let open = pending(&rows, worker, time_is_up);
        let noisy = if time_is_up { open.len() } else { 0 };
        let limit_ns = budget.with_extra(noisy, rows.len());
        progress(Progress::at(&rows, &open, noisy, worker, spent_ns, planned, limit_ns));
        let enough = match planned {
            Some(planned) => worker >= planned,
            None => worker >= WORKERS_WHATEVER_THE_TIME && time_is_up && spent_ns > limit_ns,
        };
        if open.is_empty() || enough || machine.is_interrupted() {
            break;
        }
        let request = request(&rows, &open, worker, plan, &seen, &machine.root);
        // Rounds that were asked for take what they take, a second each at the very most.
        let asked = u64::from(request.rounds.unwrap_or(0)) * open.len() as u64;
        let patience = machine.patience.saturating_add(Duration::from_secs(asked));
        let patience = patience.saturating_add(long_samples(&rows, &open, &request));
        let Machine { catalogue, clock, pmu, workers, interrupted, .. } = machine;
        let outcome =
            workers.serve(catalogue, &**clock, &**pmu, &request, patience, interrupted)?;
        if machine.is_interrupted() && outcome.death.is_some() {
            // The interruption reaches workers too; no row is to blame.
            break;
        }
        let died = outcome.death.is_some();
        match take(&mut rows, &open, &request, outcome.events, outcome.death, &mut seen) {
            Ok(()) => unlucky = 0,
            // Nothing was told: another worker follows, unless none ever begins.
            Err(_) if unlucky < UNLUCKY_WORKERS => unlucky += 1,
            Err(none_begins) => give_up(&mut rows, &open, &none_begins),
        }
        if died {
            // Another one does what this one did not come to: a run of two workers would lose half.
            continue;
        }
        worker += 1;
        settle_frequency(&mut rows, &mut seen);
        if planned.is_none() {
            settle_standings(&mut rows, &open, worker, plan, &seen);
        }
    }
    if machine.is_interrupted() {
        rows.iter_mut().for_each(leave_unfinished);
    }
    Ok(gathered(&rows, &seen, plan))
}

/// The time that a group may take.
#[derive(Clone, Copy, Debug)]
struct Budget {
    usual_ns: u64,
    /// Whether the user says so, and there is no more.
    is_fixed: bool,
}

impl Budget {
    /// Whether the next worker would overrun the usual time by more than half of itself.
    fn is_up(self, spent_ns: u64, worker: u32) -> bool {
        let time = spent_ns as f64 / self.usual_ns.max(1) as f64;
        worker >= WORKERS_WHATEVER_THE_TIME && time * (1.0 + 0.5 / f64::from(worker)) > 1.0
    }

    /// The time in all where so many of the rows are far from exact.
    fn with_extra(self, noisy: usize, rows: usize) -> u64 {
        if self.is_fixed {
            return self.usual_ns;
        }
        let share = noisy as f64 / rows.max(1) as f64;
        (self.usual_ns as f64 * (1.0 + EXTRA_TIME * share)) as u64
    }
}

/// Judges the rows that the last of so many workers has measured, once enough have.
fn settle_standings(rows: &mut [Row], open: &[usize], workers: u32, plan: Plan<'_>, seen: &Seen) {
    let precision = plan.precision.unwrap_or(if plan.growth { CLEAR } else { PRECISION });
    if workers < WORKERS_WHATEVER_THE_TIME {
        return;
    }
    for &at in open {
        let row = &mut rows[at];
        if row.failure.is_some() {
            continue;
        }
        row.settle_standing(seen);
        row.good_enough = workers >= FEWEST_WORKERS
            && if plan.growth {
                is_clear(row, seen, precision)
            } else {
                row.is_good_enough(precision)
            };
    }
}

/// The records of the rows, told at the frequency that is wanted.
fn gathered(rows: &[Row], seen: &Seen, plan: Plan<'_>) -> Gathered {
    let told = |row: &Row| if plan.growth { growth_record(row, seen) } else { record(row, seen) };
    let keep = |row: &Row| plan.samples.then(|| samples(row));
    let mut records: Vec<Record> =
        rows.iter().map(|row| Record { samples: keep(row), ..told(row) }).collect();
    let frequency = seen.frequency();
    if let Some(RunFrequency { mhz, .. }) = frequency {
        let at_mhz = plan.at_mhz.unwrap_or(mhz);
        records.iter_mut().for_each(|record| record.tell_at(mhz, at_mhz));
    }
    let reference = frequency.and_then(|frequency| reference(rows, seen, frequency, plan.at_mhz));
    let warnings = if plan.quick { Vec::new() } else { warnings(&records, seen, plan) };
    Gathered { records, warnings, reference }
}

/// The frequency that the rows are told at, and how far the core moved.
fn reference(
    rows: &[Row],
    seen: &Seen,
    frequency: RunFrequency,
    at_mhz: Option<f64>,
) -> Option<Reference> {
    let rounds = rows.iter().flat_map(|row| row.processes.iter().flatten());
    let (slowest, fastest) = seen.core.moved(rounds)?;
    Some(Reference {
        mhz: at_mhz.unwrap_or(frequency.mhz),
        given: false,
        relative_error: frequency.relative_error,
        slowest_mhz: frequency.mhz * slowest,
        fastest_mhz: frequency.mhz * fastest,
    })
}

/// Says of the rows that are still asked for how the workers died that should have measured them.
fn give_up(rows: &mut [Row], open: &[usize], none_begins: &io::Error) {
    for &at in open {
        rows[at].failure = Some(Failure::Crashed(none_begins.to_string()));
    }
}

/// What samples take when the user says how long one lasts.
fn long_samples(rows: &[Row], open: &[usize], request: &Request) -> Duration {
    let sizes: usize = open.iter().map(|&at| rows[at].sizes.len()).sum();
    let samples = match request.rounds {
        Some(rounds) => sizes as u64 * (u64::from(rounds) + 1),
        None => open.len() as u64 * LONG_SAMPLES_OF_WORKER,
    };
    Duration::from_nanos(request.min_epoch_ns.unwrap_or(0).saturating_mul(2 * samples))
}

/// How many workers a plan asks for; `None` when that depends on what they find.
fn planned_workers(plan: Plan) -> Option<u32> {
    match plan {
        Plan { repetitions: Some(repetitions), .. } => {
            Some(repetitions.min(WORKERS_FOR_REPETITIONS))
        }
        Plan { quick: true, .. } => Some(QUICK_WORKERS),
        _ => None,
    }
}

impl Progress {
    fn at(
        rows: &[Row],
        open: &[usize],
        noisy: usize,
        worker: u32,
        spent_ns: u64,
        planned: Option<u32>,
        limit_ns: u64,
    ) -> Self {
        let spent = spent_ns as f64 / 1e9;
        let seconds_left = match planned {
            // As long as those before took, once there was one.
            Some(planned) if worker > 0 => {
                Some(spent / f64::from(worker) * f64::from(planned.saturating_sub(worker)))
            }
            Some(_) => None,
            None => Some((limit_ns as f64 / 1e9 - spent).max(0.0)),
        };
        let (done, rows) = (rows.len() - open.len(), rows.len());
        Progress { done, noisy, rows, seconds: spent, seconds_left }
    }
}

/// The rows still to be sampled, each worker starting with another one, so that no row always
/// follows the same one; when time is up, only those that are far from exact.
fn pending(rows: &[Row], worker: u32, time_is_up: bool) -> Vec<usize> {
    let is_open = |row: &Row| row.failure.is_none() && !row.good_enough;
    let mut open: Vec<usize> = (0..rows.len())
        .filter(|&at| is_open(&rows[at]))
        .filter(|&at| !time_is_up || rows[at].is_far_from_exact())
        .collect();
    if !open.is_empty() {
        let shift = worker as usize * 7 % open.len();
        open.rotate_left(shift);
    }
    open
}

fn request(
    rows: &[Row],
    open: &[usize],
    worker: u32,
    plan: Plan<'_>,
    seen: &Seen,
    root: &Path,
) -> Request {
    let rounds = plan.repetitions.map(|repetitions| {
        let workers = repetitions.min(WORKERS_FOR_REPETITIONS);
        repetitions / workers + u32::from(worker < repetitions % workers)
    });
    Request {
        worker,
        budget_ns: if plan.quick { 0 } else { WORKER_NS },
        quick: plan.quick,
        rounds,
        lowest_contention: seen.core.lowest_contention,
        cpus: plan.cpus.to_vec(),
        root: root.to_owned(),
        counters: plan.counters.to_vec(),
        offset_bytes: first_offset(worker, usize::from(plan.unaligned)),
        min_epoch_ns: plan.min_epoch_ns,
        cases: open
            .iter()
            .map(|&at| Order {
                id: rows[at].case.id(),
                sizes: rows[at].sizes.clone(),
                own_calls: plan.sizes.is_some() || plan.min_epoch_ns.is_some(),
                message_bytes: plan.message_bytes,
                calls: rows[at].calls.clone(),
                step: rows[at].step,
                must: plan.repetitions.is_some() || plan.quick || rows[at].takes_any(),
                counted: rows[at].tally.wants_more(rows[at].sizes.len()),
            })
            .collect(),
        parallel: None,
    }
}

fn warnings(records: &[Record], seen: &Seen, plan: Plan<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let measured = || records.iter().filter_map(|r| r.result.as_ref().ok().map(|m| (r, m)));
    let busy: Vec<String> = measured().filter(|(_, m)| !m.quiet).map(|(r, _)| r.name()).collect();
    if !busy.is_empty() {
        warnings.push(Warning::NeverQuiet { rows: busy });
    }
    let imprecise = plan.precision.unwrap_or(IMPRECISE);
    let imprecise: Vec<(String, f64)> = measured()
        .filter_map(|(r, m)| m.relative_error.filter(|&e| e > imprecise).map(|e| (r.name(), e)))
        .collect();
    if !imprecise.is_empty() {
        warnings.push(Warning::Imprecise { rows: imprecise, asked: plan.precision.is_some() });
    }
    let bent: Vec<_> = measured()
        .filter_map(|(r, m)| m.bend.map(|bend| (r.name(), r.unit.clone(), bend)))
        .collect();
    if !bent.is_empty() {
        warnings.push(Warning::NoLine { rows: bent });
    }
    let two: Vec<_> = measured()
        .filter_map(|(r, m)| m.layouts.map(|layouts| (r.name(), r.unit.clone(), layouts)))
        .collect();
    if !two.is_empty() {
        warnings.push(Warning::TwoLayouts { rows: two });
    }
    if let Some(ns) = plan.min_epoch_ns.filter(|&ns| ns > LONG_SAMPLE_NS) {
        warnings.push(Warning::LongSamples { ms: ns as f64 / 1e6 });
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

#[cfg(test)]
mod tests {
    use bench_slope_algorithms::Operation;

    use super::*;
    use crate::wire::Counted;

    #[test]
    fn a_row_that_is_counted_at_its_own_sizes_is_not_counted_any_more() {
        let catalogue = Catalogue::standard();
        let entry = catalogue.find(Section::Hash, "md5").expect("there is one");
        let case = entry.case(Operation::Digest);
        // Those of `--raw` are fewer than the usual ones.
        let sizes = vec![16, 32, 64];
        let mut row = Row::new(case, sizes);
        let events = [counters::Event::Cycles];
        let counted = |at| Counted { case: 0, at, calls: 1, counts: vec![Some(1.0)], quiet: true };
        let plan = Plan { sizes: Some(&[16, 32, 64]), counters: &events, ..Plan::default() };
        let wanted = |row: &Row| {
            let rows = std::slice::from_ref(row);
            request(rows, &[0], 0, plan, &Seen::default(), Path::new("/")).cases[0].counted
        };
        assert_eq!(wanted(&row), Some(0));
        for _ in 0..3 {
            (0..2).for_each(|at| row.tally.add(&events, &counted(at)));
        }
        assert_eq!(wanted(&row), Some(6));
        (0..3).for_each(|_| row.tally.add(&events, &counted(2)));
        assert_eq!(wanted(&row), None);
    }

    #[test]
    fn noisy_rows_get_up_to_ten_times_their_share() {
        let budget = Budget { usual_ns: 1_000_000_000, is_fixed: false };
        assert_eq!(budget.with_extra(0, 10), 1_000_000_000);
        assert_eq!(budget.with_extra(1, 10), 1_900_000_000);
        assert_eq!(budget.with_extra(10, 10), 10_000_000_000);
        let fixed = Budget { is_fixed: true, ..budget };
        assert_eq!(fixed.with_extra(10, 10), 1_000_000_000);
        // The fourth worker is waited for, whatever the time.
        assert!(!budget.is_up(u64::MAX, 3));
        assert!(budget.is_up(1_000_000_000, 4) && !budget.is_up(500_000_000, 4));
    }
}
