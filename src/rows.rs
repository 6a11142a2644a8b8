//! What workers told, gathered row by row and judged.

mod growing;

use std::io;

use bench_slope_algorithms::{Axis, Case};

use crate::costs::two_costs_of_samples;
use crate::cpus::QuietLevel;
use crate::fit::{
    Estimate, FEWEST_PROCESSES, Rounds, coverage, error_by_scatter, estimate, estimate_at_one_size,
    median,
};
use crate::frequency::{CHAIN_TELLS_CYCLES, megahertz};
use crate::layouts::{Layouts, two_costs};
use crate::linearity::{Bend, bend};
use crate::record::{FAR_FROM_EXACT, Measured, Point, Record, Sample};
use crate::tally::{Tally, counters_agree};
use crate::timed::{Choice, Core, Timed, rounds_of_worker, share_between_chains, usable};
use crate::wire::{Calls, Event, Failure, Request, Round};

pub use growing::{CLEAR, growth_record, is_clear};

/// A row is good enough when its 95 % interval is within this of its slope, unless the user says ...
pub const PRECISION: f64 = 0.0014;
/// ... after so many workers, each with its own layout of code and data.
pub const FEWEST_WORKERS: u32 = 8;
/// What all processes of a run share moves its numbers by this much, as a share, in 95 of 100 runs:
/// light use of the core that no gate sees, the place of pages in memory, and that sampling ends when
/// the error looks small. Halves of the processes do not differ in it; docs/method.md has the figures.
const SHARED_BY_A_RUN: f64 = 0.001;
/// At one size there is no line to average over, and runs differ by more.
const SHARED_AT_ONE_SIZE: f64 = 0.0025;
/// A row at one size is good enough within this.
const PRECISION_AT_ONE_SIZE: f64 = 0.0027;
/// The first call of a sample takes up to so many readings of the clock longer: MD5 of 64 bytes takes 250 ns
/// among many calls and 272 ns alone, where a reading takes 19; AES in CBC mode, which waits for itself
/// most of the time, 57 ns more.
const READINGS_OF_FIRST_CALL: f64 = 3.0;
/// An interval that is wider to either side than this share of the slope holds zero, and is no answer.
const USELESS: f64 = 1.0;
/// Where no error can be stated, a slope that makes less than this share of the longest call cannot be
/// told from what calls differ by.
const LEAST_SHARE_OF_A_CALL: f64 = 0.02;
/// At one size there is no line to average over: SHA-256 of 32 bytes is 2 % faster in some visits than in
/// others, and those of eight processes may all be of the others.
const FEWEST_WORKERS_AT_ONE_SIZE: u32 = 24;
/// Two kinds of chains that differ by more than this leave the frequency unknown.
const CHAINS_AGREE_WITHIN: f64 = 0.01;
/// So does a system that tells another frequency than they: its figures are means over some
/// milliseconds, or what it asked the processor for.
const SYSTEM_AGREES_WITHIN: f64 = 0.05;
/// Nothing computes faster than this: a first-level cache delivers 0.0015 ns/B at best.
const FASTEST_NS_PER_BYTE: f64 = 0.0015;

/// What has been gathered of one case.
pub struct Row {
    /// The case.
    pub case: Case,
    /// The sizes it is timed at, ascending.
    pub sizes: Vec<usize>,
    /// Calls per sample, once a worker has found them.
    pub calls: Option<Calls>,
    /// The step from one size to the next that is sampled, once a worker has settled it.
    pub step: Option<usize>,
    /// What all its samples took.
    pub total_ns: f64,
    /// Rounds of every process that had some.
    pub processes: Vec<Vec<Timed>>,
    /// What was counted of it.
    pub tally: Tally,
    /// Why it has no number, once that is known.
    pub failure: Option<Failure>,
    /// How far it was when it was judged last.
    pub standing: Option<Standing>,
    /// Whether its number is exact enough.
    pub good_enough: bool,
}

impl Row {
    /// A row of which nothing is gathered yet.
    #[must_use]
    pub fn new(case: Case, sizes: Vec<usize>) -> Self {
        Row {
            case,
            sizes,
            calls: None,
            step: None,
            total_ns: 0.0,
            processes: Vec::new(),
            tally: Tally::default(),
            failure: None,
            standing: None,
            good_enough: false,
        }
    }
}

/// What is known of the machine from all workers so far.
#[derive(Default)]
pub struct Seen {
    /// What is known of the core.
    pub core: Core,
    /// What quiet reads, as the workers tell it.
    pub quiet_level: QuietLevel,
    /// How the frequency from additions compared with that from multiplications, by worker.
    pub frequency_agreements: Vec<f64>,
    /// How the system's own idea of the frequency compared with the chains', by worker.
    pub system_agreements: Vec<f64>,
    /// Cycles that a counter saw in a cycle of the chain, by worker.
    pub counted_cycles: Vec<f64>,
    /// How much longer the long chain takes than the short one, over the long one, by worker.
    pub chain_shares: Vec<f64>,
    /// The largest of the clocks' smallest steps, in nanoseconds.
    pub step_ns: f64,
    /// The lowest of what it cost the workers to read the clock, in nanoseconds.
    pub reading_ns: Option<f64>,
    /// Processor time the workers had.
    pub cpu_ns: u64,
    /// Wall time they took.
    pub wall_ns: u64,
}

/// Files what a worker told under its rows; `open` are the rows it was asked for by `request`.
///
/// # Errors
/// When the worker died before it began with any row.
pub fn take(
    rows: &mut [Row],
    open: &[usize],
    request: &Request,
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
            Event::Parallel(_) => {}
            Event::Counted(counted) => {
                if let Some(&at) = open.get(counted.case) {
                    rows[at].tally.add(&request.counters, &counted);
                }
            }
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
    let sizes = |case: usize| open.get(case).map_or(0, |&at| rows[at].sizes.len());
    let calls: Vec<(Calls, usize, u64)> = rounds
        .iter()
        .map(|round| (round.calls.clone(), round.step, round.ticks_in_all()))
        .collect();
    let timed = rounds_of_worker(rounds, sizes, &done);
    seen.chain_shares.extend(share_between_chains(timed.iter().map(|(_, round)| round)));
    let mut added = vec![false; rows.len()];
    for ((case, timed), (calls, step, ticks)) in timed.into_iter().zip(calls) {
        let Some(&at) = open.get(case) else { continue };
        let row = &mut rows[at];
        row.calls = Some(calls);
        row.step = Some(step);
        row.total_ns += ticks as f64 * done.ns_per_tick;
        if !std::mem::replace(&mut added[at], true) {
            row.processes.push(Vec::new());
        }
        if let Some(process) = row.processes.last_mut() {
            process.push(timed);
        }
    }
    seen.core.lowest_contention = seen.quiet_level.take(done.lowest_contention);
    seen.step_ns = seen.step_ns.max(done.resolution_ticks as f64 * done.ns_per_tick);
    let reading_ns = done.cost_ticks as f64 * done.ns_per_tick;
    seen.reading_ns = Some(seen.reading_ns.map_or(reading_ns, |lowest| lowest.min(reading_ns)));
    seen.frequency_agreements.extend(done.frequency_agreement);
    seen.system_agreements.extend(done.system_agreement);
    seen.counted_cycles.extend(done.counted_cycles);
    seen.cpu_ns += done.cpu_ns.unwrap_or(done.wall_ns);
    seen.wall_ns += done.wall_ns;
    Ok(())
}

/// Settles the frequency that the rows of a run are told at. Rows that were good enough at another
/// one are not any more.
pub fn settle_frequency(rows: &mut [Row], seen: &mut Seen) {
    let rounds = rows.iter().flat_map(|row| row.processes.iter().flatten());
    if seen.core.settle_frequency(rounds) {
        rows.iter_mut().for_each(|row| row.good_enough = false);
    }
}

/// Whether all that tell the frequency tell the same: two kinds of chains, where there are two, and
/// the system, where it does; each by its ratios to the first kind of chain.
#[must_use]
pub fn frequency_is_sure(chains: &[f64], system: &[f64]) -> bool {
    let agree = |ratios: &[f64], within: f64| {
        let mut sorted = ratios.to_vec();
        sorted.sort_by(f64::total_cmp);
        let median = sorted.get(sorted.len() / 2);
        median.is_none_or(|ratio| (ratio - 1.0).abs() <= within)
    };
    CHAIN_TELLS_CYCLES && agree(chains, CHAINS_AGREE_WITHIN) && agree(system, SYSTEM_AGREES_WITHIN)
}

/// The frequency that the rows of a run are told at, and how far it may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunFrequency {
    /// In megahertz.
    pub mhz: f64,
    /// Half the width of its 95 % interval, over it.
    pub relative_error: f64,
}

impl Seen {
    /// The frequency of the run's usual chain, when all that tell it agree.
    #[must_use]
    pub fn frequency(&self) -> Option<RunFrequency> {
        let sure = frequency_is_sure(&self.frequency_agreements, &self.system_agreements)
            && counters_agree(&self.counted_cycles);
        let usual_ns = self.core.usual_chain_ns.filter(|_| sure)?;
        let share = median(&self.chain_shares)?;
        let mhz = megahertz(share * usual_ns, 0.0)?;
        // Workers differ by this; the median of a normal sample scatters 1.25 times as much as its mean,
        // and the median deviation is 0.67 standard deviations.
        let deviations: Vec<f64> =
            self.chain_shares.iter().map(|own| (own / share - 1.0).abs()).collect();
        let scatter = 1.96 * 1.25 / 0.67 * median(&deviations)?;
        let scatter = scatter / (self.chain_shares.len() as f64).sqrt();
        let second = median(&self.frequency_agreements).map_or(0.0, |ratio| (ratio - 1.0).abs());
        Some(RunFrequency { mhz, relative_error: scatter.hypot(second) })
    }

    /// The frequency's part of the error of a row; 0 where it is not known.
    fn frequency_error(&self) -> f64 {
        self.frequency().map_or(0.0, |frequency| frequency.relative_error)
    }
}

/// The frequency beside a row's own samples, when all that tell it agree.
fn measured_mhz(row: &Row, seen: &Seen) -> Option<f64> {
    Some(seen.frequency()?.mhz / seen.core.slower_beside(&row.processes))
}

fn judge(row: &Row, seen: &Seen) -> Option<(Estimate, Vec<Rounds>, Choice)> {
    let (processes, choice) = usable(&row.processes, &seen.core);
    let estimate = match row.case.entry.axis.units_of_one() {
        Some(units) => estimate_at_one_size(units, &processes)?,
        None => estimate(&row.sizes, &processes)?,
    };
    Some((estimate, processes, choice))
}

/// What a row at one size may be off, in nanoseconds per unit, because a clock's reading is up to a
/// step old: the floor picks samples that began late in a step. At many sizes all are off alike, and
/// their slope is not.
fn error_of_reading(row: &Row, seen: &Seen) -> f64 {
    match (row.case.entry.axis.units_of_one(), &row.calls) {
        (Some(units), Some(calls)) => seen.step_ns / f64::from(calls.at(0)) / units as f64,
        _ => 0.0,
    }
}

/// What a call may take more in a sample of a slope than among many: the first of them overlaps with none
/// before it, but for what it takes to read the clock.
fn first_call_ns(row: &Row, seen: &Seen) -> Option<f64> {
    let calls = row.calls.as_ref().filter(|_| !is_at_one_size(row))?;
    // The largest size has the fewest calls, where they are not alike.
    let calls = calls.at(row.sizes.len().saturating_sub(1));
    Some(READINGS_OF_FIRST_CALL * seen.reading_ns? / f64::from(calls))
}

/// Workers that a row takes at least.
fn fewest_workers(row: &Row) -> u32 {
    if is_at_one_size(row) { FEWEST_WORKERS_AT_ONE_SIZE } else { FEWEST_WORKERS }
}

/// Why there is no work that a cost could be of, when that is sure: a slope that chance made so low is
/// noise, and says nothing of the routine. Where no error is stated, how the sizes scatter about the line
/// tells what chance does; at one size noise only adds time.
fn no_cost(row: &Row, estimate: &Estimate, fastest: f64) -> Option<&'static str> {
    let slope = estimate.line.slope;
    let scatter = || match is_at_one_size(row) {
        true => Some(0.0),
        false => error_by_scatter(&row.sizes, &estimate.floors),
    };
    let error = estimate.slope_error.or_else(scatter)?;
    (slope + error <= fastest).then_some(if slope <= 0.0 {
        "its time does not grow with the size"
    } else {
        "faster than any memory: it seems to do no work"
    })
}

/// How far a row is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Half the 95 % interval of the slope, as a share of it; `None` when it cannot be stated yet.
    relative_error: Option<f64>,
    /// Whether it has samples on a quiet core that hold the line.
    is_quiet: bool,
    /// Processes that hold the line.
    processes: usize,
}

/// How far a row is by what is gathered now.
fn standing(row: &Row, seen: &Seen) -> Option<Standing> {
    let (estimate, processes, choice) = judge(row, seen)?;
    // A slope below zero has no share to be told in.
    let relative_error = stated_error(row, seen, &estimate).filter(|&error| error >= 0.0);
    let (is_quiet, processes) = (choice.is_quiet(), coverage(&processes));
    Some(Standing { relative_error, is_quiet, processes })
}

impl Row {
    /// Judges anew how far it is.
    pub fn settle_standing(&mut self, seen: &Seen) {
        self.standing = standing(self, seen);
    }

    /// Whether it needs no further worker.
    #[must_use]
    pub fn is_good_enough(&self, precision: f64) -> bool {
        let least = if is_at_one_size(self) { PRECISION_AT_ONE_SIZE } else { 0.0 };
        self.standing.is_some_and(|standing| {
            standing.is_quiet
                && standing.processes >= fewest_workers(self) as usize
                && standing.relative_error.is_some_and(|error| error <= precision.max(least))
        })
    }

    /// Whether its error is still so large that more time should be spent on it than on the others.
    #[must_use]
    pub fn is_far_from_exact(&self) -> bool {
        let error = self.standing.and_then(|standing| standing.relative_error);
        error.is_none_or(|error| error > FAR_FROM_EXACT)
    }

    /// Whether any samples are welcome, those beside a busy neighbour too.
    #[must_use]
    pub fn takes_any(&self) -> bool {
        !self
            .standing
            .is_some_and(|standing| standing.is_quiet && standing.processes >= FEWEST_PROCESSES)
    }
}

/// Half the 95 % interval of the slope, as a share of it: what the processes differ by and what a
/// reading of the clock may be off, what they share, and the frequency's part.
fn stated_error(row: &Row, seen: &Seen, estimate: &Estimate) -> Option<f64> {
    let differ = (estimate.slope_error? + error_of_reading(row, seen)) / estimate.line.slope;
    let shared = if is_at_one_size(row) { SHARED_AT_ONE_SIZE } else { SHARED_BY_A_RUN };
    Some(differ.hypot(shared).hypot(seen.frequency_error()))
}

fn is_at_one_size(row: &Row) -> bool {
    row.case.entry.axis.units_of_one().is_some()
}

/// Gives a row up that an interruption left without samples enough to state an error.
pub fn leave_unfinished(row: &mut Row) {
    if row.failure.is_none() && row.processes.len() < FEWEST_PROCESSES {
        row.failure = Some(Failure::Interrupted("interrupted before it was measured".to_owned()));
    }
}

/// The bend in the floors, when the earlier and the later processes both have it: a neighbour that
/// kept some sizes slow for a while is in one half only.
fn agreed_bend(sizes: &[usize], estimate: &Estimate, processes: &[Rounds]) -> Option<Bend> {
    let found = bend(sizes, &estimate.floors, estimate.slope_error?)?;
    let rises = |bend: &Bend| bend.ns_per_unit_above > bend.ns_per_unit_below;
    let agrees = |half: &[Rounds]| {
        // The error of all: a half has too few processes for one of its own.
        let half = self::estimate(sizes, half)?;
        let bend = bend(sizes, &half.floors, estimate.slope_error?)?;
        (rises(&bend) == rises(&found)).then_some(())
    };
    let (earlier, later) = processes.split_at(processes.len() / 2);
    agrees(earlier).and(agrees(later)).map(|()| found)
}

/// Both costs of a row whose processes have two, or whose samples have within them.
fn layouts(estimate: &Estimate, processes: &[Rounds]) -> Option<Layouts> {
    let found = two_costs(processes, &estimate.floors)
        .or_else(|| two_costs_of_samples(processes, &estimate.floors))?;
    let best_ns_per_unit = estimate.line.slope;
    Some(Layouts {
        best_ns_per_unit,
        other_ns_per_unit: best_ns_per_unit * (1.0 + found.high) / (1.0 + found.low),
        other_share: found.share_high,
    })
}

/// Every sample of a row.
pub fn samples(row: &Row) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (worker, process) in (0..).zip(&row.processes) {
        for (round, timed) in (0..).zip(process) {
            let sample = |(at, ns): (usize, f64)| Sample { worker, round, size: row.sizes[at], ns };
            samples.extend(timed.samples().map(sample));
        }
    }
    samples
}

/// The record of a row: a number only when it is one.
pub fn record(row: &Row, seen: &Seen) -> Record {
    if let Some(failure) = &row.failure {
        return Record::of(&row.case, Err(failure.clone()));
    }
    let Some((estimate, processes, choice)) = judge(row, seen) else {
        let reason = "no sample came out: the clock did not move while it ran".to_owned();
        return Record::of(&row.case, Err(Failure::NoTime(reason)));
    };
    let is_one = is_at_one_size(row);
    let slope = estimate.line.slope;
    let relative_error = stated_error(row, seen, &estimate);
    let error = relative_error.map_or(0.0, |error| error.abs() * slope.abs());
    let sizes = &row.sizes;
    let points = sizes.iter().zip(&estimate.floors).filter(|(_, ns)| ns.is_finite());
    let bytes_in_unit = match row.case.entry.axis {
        Axis::Bytes | Axis::One { per_byte: true, .. } => 1,
        Axis::One { bytes, .. } => bytes,
        Axis::Count { .. } => 0,
    };
    let fastest = FASTEST_NS_PER_BYTE * bytes_in_unit as f64;
    let largest = sizes.last().copied().unwrap_or(0) as f64;
    let is_lost = estimate.slope_error.is_none()
        && !is_one
        && slope > 0.0
        && slope * largest < LEAST_SHARE_OF_A_CALL * estimate.line.intercept;
    if slope <= 0.0 && is_one {
        let reason = "a call takes no time that this clock can tell".to_owned();
        return Record::of(&row.case, Err(Failure::NoTime(reason)));
    }
    if let Some(reason) = no_cost(row, &estimate, fastest) {
        return Record::of(&row.case, Err(Failure::NoSlope(reason.to_owned())));
    }
    let is_lost = is_lost || slope <= fastest;
    // An error that is small beside the fastest work there is says that there is none.
    if (error > fastest && error >= USELESS * slope) || is_lost {
        let mut reason = match relative_error {
            Some(_) => format!("too noisy to tell its cost: {slope:.3} ns ±{error:.3}"),
            None => format!("too few processes to tell its cost: {slope:.3} ns"),
        };
        if !is_one {
            reason.push_str(&format!(", beside {:.0} ns of a call", estimate.line.intercept));
        }
        return Record::of(&row.case, Err(Failure::TooNoisy(reason)));
    }
    Record::of(
        &row.case,
        Ok(Measured {
            ns_per_unit: slope,
            measured_ns_per_unit: slope * seen.core.slower_beside(&row.processes),
            told_at_mhz: None,
            mib_per_s: None,
            cycles_per_unit: None,
            measured_mhz: measured_mhz(row, seen),
            ns_per_call: estimate.line.intercept,
            first_call_ns: first_call_ns(row, seen),
            bend: agreed_bend(sizes, &estimate, &processes),
            relative_error,
            layouts: (choice == Choice::AtFrequency)
                .then(|| layouts(&estimate, &processes))
                .flatten(),
            points: points.map(|(&size, &ns)| Point { size, ns }).collect(),
            counts: match row.case.entry.axis.units_of_one() {
                Some(units) => row.tally.counts_at_one_size(units),
                None => row.tally.counts(sizes),
            },
            processes: processes.len() as u32,
            rounds: processes.iter().map(Vec::len).sum::<usize>() as u32,
            quiet: choice.is_quiet(),
            predicted: None,
            total_s: Some(row.total_ns / 1e9),
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_disagrees_leaves_the_frequency_unknown() {
        let sure = frequency_is_sure;
        assert_eq!(sure(&[], &[]), CHAIN_TELLS_CYCLES);
        assert_eq!(sure(&[1.001, 0.999, 1.3], &[0.97, 1.0, 0.4]), CHAIN_TELLS_CYCLES);
        // A core that does additions in half a cycle.
        assert!(!sure(&[0.5, 0.5, 0.501], &[]));
        assert!(!sure(&[1.02, 1.02, 1.0], &[]));
        // The system tells the nominal frequency, and the core is at another.
        assert!(!sure(&[1.0], &[0.66, 0.66, 0.67]));
    }

    /// Eight processes of two rounds; `cost(process, size)` is a call's nanoseconds.
    fn found(cost: impl Fn(usize, f64) -> f64) -> Option<Bend> {
        let sizes = Axis::Bytes.sizes();
        let round = |process| sizes.iter().map(|&size| cost(process, size as f64)).collect();
        let processes: Vec<Rounds> =
            (0..8).map(|process| vec![round(process), round(process)]).collect();
        let estimate = estimate(&sizes, &processes).expect("an estimate");
        agreed_bend(&sizes, &estimate, &processes)
    }

    #[test]
    fn both_halves_of_the_processes_must_have_the_bend() {
        let bent = |x: f64| 50.0 + x + (x - 2048.0).max(0.0);
        let straight = |x: f64| 50.0 + x;
        assert!(found(|_, x| bent(x)).is_some());
        assert_eq!(found(|_, x| straight(x)), None);
        // One process is quicker for small messages only, and makes the floor.
        let lucky = |x: f64| if x < 1536.0 { 0.8 * straight(x) } else { straight(x) };
        assert_eq!(found(|process, x| if process == 5 { lucky(x) } else { straight(x) }), None);
    }
}
