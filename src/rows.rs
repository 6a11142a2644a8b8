//! What workers told, gathered row by row and judged.

mod growing;

use std::io;

use bench_slope_algorithms::{Axis, Case};

use crate::cpus::QUIET_WITHIN;
use crate::fit::{Estimate, FEWEST_PROCESSES, Rounds, coverage, estimate, lowest_mean};
use crate::frequency::{CHAIN_TELLS_CYCLES, megahertz};
use crate::linearity::{Bend, bend};
use crate::record::{Measured, Point, Record, Sample};
use crate::wire::{Calls, Event, Failure, Round};

pub use growing::{growth_record, is_clear};

/// A row is good enough when its 95 % interval is within this of its slope ...
const PRECISION: f64 = 0.001;
/// ... after so many workers, each with its own layout of code and data.
pub const FEWEST_WORKERS: u32 = 8;
/// A row whose error is above this share of its slope is far from exact.
const FAR_FROM_EXACT: f64 = 0.1;
/// The share of the chains, from the fastest, that the frequency is taken from.
const SHARE_OF_CHAINS: f64 = 0.125;
/// Chains within this share of each other ran at the same frequency.
const SAME_FREQUENCY: f64 = 0.01;
/// Two kinds of chains that differ by more than this leave the frequency unknown.
const SURE_WITHIN: f64 = 0.01;
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
    /// Rounds of every process that had some.
    pub processes: Vec<Vec<Timed>>,
    /// Why it has no number, once that is known.
    pub failure: Option<Failure>,
    /// Whether its number is exact enough.
    pub good_enough: bool,
}

/// A round in nanoseconds.
pub struct Timed {
    /// Of a call at each size; not a number where there is no sample.
    ns: Vec<f64>,
    /// Whether it has all sizes that are its process's own.
    whole: bool,
    /// The core's contention meanwhile.
    contention: Option<f64>,
    /// The long and the short chain of known cost meanwhile.
    chain_ns: Option<(f64, f64)>,
}

/// What is known of the machine from all workers so far.
#[derive(Default)]
pub struct Seen {
    /// The lowest contention seen: what a quiet core reads.
    pub lowest_contention: Option<f64>,
    /// How the frequency from additions compared with that from multiplications, by worker.
    pub frequency_agreements: Vec<f64>,
    /// What the long chain of known cost takes at the run's frequency.
    pub chain_ns: Option<f64>,
    /// Processor time the workers had.
    pub cpu_ns: u64,
    /// Wall time they took.
    pub wall_ns: u64,
}

/// Files what a worker told under its rows; `open` are the rows it was asked for.
///
/// # Errors
/// When the worker died before it began with any row.
pub fn take(
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
            Event::Parallel(_) => {}
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
        let ns = |(at, &ticks): (usize, &u64)| match ticks {
            0 => f64::NAN,
            ticks => {
                let calls = f64::from(round.calls.at(at));
                (ticks as f64 - done.cost_ticks as f64) * done.ns_per_tick / calls
            }
        };
        if !std::mem::replace(&mut added[at], true) {
            row.processes.push(Vec::new());
        }
        if let Some(process) = row.processes.last_mut() {
            process.push(Timed {
                ns: round.ticks.iter().enumerate().map(ns).collect(),
                whole: round.whole,
                contention: round.contention,
                chain_ns: round.chain.map(|chain| {
                    let ns = |ticks: u64| ticks as f64 * done.ns_per_tick;
                    (ns(chain.long_ticks), ns(chain.short_ticks))
                }),
            });
        }
        row.calls = Some(round.calls);
    }
    seen.lowest_contention = done.lowest_contention.or(seen.lowest_contention);
    seen.frequency_agreements.extend(done.frequency_agreement);
    seen.cpu_ns += done.cpu_ns.unwrap_or(done.wall_ns);
    seen.wall_ns += done.wall_ns;
    Ok(())
}

/// Whether a round was taken on a quiet core, as far as can be told.
fn is_quiet(round: &Timed, seen: &Seen) -> bool {
    match (round.contention, seen.lowest_contention) {
        (Some(contention), Some(lowest)) => contention <= QUIET_WITHIN * lowest,
        // Never agreed on what quiet is.
        (Some(_), None) => false,
        (None, _) => true,
    }
}

/// Whether the core ran at the run's frequency during a round, as far as can be told.
fn is_at_frequency(round: &Timed, seen: &Seen) -> bool {
    match (round.chain_ns, seen.chain_ns) {
        (Some((long, _)), Some(usual)) => (long / usual - 1.0).abs() <= SAME_FREQUENCY,
        _ => true,
    }
}

/// Settles the frequency that the rows of a run are told at: a high one that is met often. Rows that
/// were good enough at another one are not any more.
pub fn settle_frequency(rows: &mut [Row], seen: &mut Seen) {
    let rounds = rows.iter().flat_map(|row| row.processes.iter().flatten());
    let mut long: Vec<f64> =
        rounds.filter_map(|round| round.chain_ns.map(|(long, _)| long)).collect();
    long.sort_unstable_by(f64::total_cmp);
    let Some(&usual) = long.get(long.len() / 4) else { return };
    let moved = seen.chain_ns.is_none_or(|before| (usual / before - 1.0).abs() > SAME_FREQUENCY);
    if moved {
        seen.chain_ns = Some(usual);
        rows.iter_mut().for_each(|row| row.good_enough = false);
    }
}

/// Which rounds of a row count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// Those on a quiet core at the run's frequency.
    AtFrequency,
    /// Those on a quiet core; the error then has the drift of the frequency in it.
    Quiet,
    /// All that are whole: pieces of busy rounds and quiet ones make no line.
    Whole,
}

impl Choice {
    fn takes(self, round: &Timed, seen: &Seen) -> bool {
        match self {
            Choice::AtFrequency => is_quiet(round, seen) && is_at_frequency(round, seen),
            Choice::Quiet => is_quiet(round, seen),
            Choice::Whole => round.whole,
        }
    }
}

/// The rounds to judge by: of the first choice that holds the line at both ends.
fn usable(row: &Row, seen: &Seen) -> (Vec<Rounds>, Choice) {
    let select = |choice: Choice| -> Vec<Rounds> {
        row.processes
            .iter()
            .map(|process| {
                let kept = process.iter().filter(|round| choice.takes(round, seen));
                kept.map(|round| round.ns.clone()).collect::<Rounds>()
            })
            .filter(|rounds| !rounds.is_empty())
            .collect()
    };
    for choice in [Choice::AtFrequency, Choice::Quiet] {
        let rounds = select(choice);
        if coverage(&rounds) >= FEWEST_PROCESSES.min(row.processes.len()) {
            return (rounds, choice);
        }
    }
    (select(Choice::Whole), Choice::Whole)
}

/// The core's frequency beside a row's own samples: of the rounds its cost is from, and from their
/// fastest chains, as the cost is from their fastest samples.
fn frequency(row: &Row, seen: &Seen, choice: Choice) -> Option<f64> {
    if !frequency_is_sure(&seen.frequency_agreements) {
        return None;
    }
    let rounds = row.processes.iter().flatten().filter(|round| choice.takes(round, seen));
    let (mut long, mut short): (Vec<f64>, Vec<f64>) = rounds.filter_map(|r| r.chain_ns).unzip();
    let floor = |values: &mut [f64]| lowest_mean(values, SHARE_OF_CHAINS);
    megahertz(floor(&mut long)?, floor(&mut short)?)
}

/// Whether two kinds of chains tell the same frequency, where there are two.
fn frequency_is_sure(agreements: &[f64]) -> bool {
    let mut sorted = agreements.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2);
    CHAIN_TELLS_CYCLES && median.is_none_or(|ratio| (ratio - 1.0).abs() <= SURE_WITHIN)
}

fn judge(row: &Row, seen: &Seen) -> Option<(Estimate, Vec<Rounds>, Choice)> {
    let (processes, choice) = usable(row, seen);
    let estimate = estimate(&row.sizes, &processes)?;
    Some((estimate, processes, choice))
}

/// Whether a row needs no further worker.
pub fn is_good_enough(row: &Row, seen: &Seen) -> bool {
    judge(row, seen).is_some_and(|(estimate, processes, choice)| {
        choice != Choice::Whole
            && coverage(&processes) >= FEWEST_WORKERS as usize
            && estimate.slope_error.is_some_and(|error| error <= PRECISION * estimate.line.slope)
    })
}

/// Whether a row's error is still so large that more time should be spent on it than on the others.
pub fn is_far_from_exact(row: &Row, seen: &Seen) -> bool {
    judge(row, seen).is_none_or(|(estimate, ..)| {
        estimate.slope_error.is_none_or(|error| error > FAR_FROM_EXACT * estimate.line.slope)
    })
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

/// Every sample of a row.
pub fn samples(row: &Row) -> Vec<Sample> {
    let sizes = &row.sizes;
    let mut samples = Vec::new();
    for (worker, process) in (0..).zip(&row.processes) {
        for (round, timed) in (0..).zip(process) {
            let there = sizes.iter().zip(&timed.ns).filter(|(_, ns)| ns.is_finite());
            samples.extend(there.map(|(&size, &ns)| Sample { worker, round, size, ns }));
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
    let slope = estimate.line.slope;
    let error = estimate.slope_error.unwrap_or(0.0);
    let sizes = &row.sizes;
    let points = sizes.iter().zip(&estimate.floors).filter(|(_, ns)| ns.is_finite());
    let by_bytes = row.case.entry.axis == Axis::Bytes;
    let fastest = if by_bytes { FASTEST_NS_PER_BYTE } else { 0.0 };
    // Half the interval must not come near zero; an error that is small beside the fastest work
    // there is says that there is none.
    if error > fastest && 2.0 * error >= slope {
        let reason = format!(
            "too noisy to tell its cost: {slope:.3} ns ±{error:.3}, beside {:.0} ns of a call",
            estimate.line.intercept,
        );
        return Record::of(&row.case, Err(Failure::TooNoisy(reason)));
    }
    let no_slope = |reason: &str| Record::of(&row.case, Err(Failure::NoSlope(reason.into())));
    if slope <= 0.0 {
        return no_slope("its time does not grow with the size");
    }
    if slope < fastest {
        return no_slope("faster than any memory: it seems to do no work");
    }
    Record::of(
        &row.case,
        Ok(Measured {
            ns_per_unit: slope,
            mib_per_s: None,
            cycles_per_unit: None,
            measured_mhz: frequency(row, seen, choice),
            ns_per_call: estimate.line.intercept,
            bend: agreed_bend(sizes, &estimate, &processes),
            relative_error: estimate.slope_error.map(|error| error / slope),
            layouts: None,
            points: points.map(|(&size, &ns)| Point { size, ns }).collect(),
            counts: None,
            processes: processes.len() as u32,
            rounds: processes.iter().map(Vec::len).sum::<usize>() as u32,
            quiet: choice != Choice::Whole,
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_and_frequency_are_of_the_same_rounds() {
        // Five processes of a round at 3500 MHz in five at 3200 MHz: the cost is of the latter, and
        // so the frequency must be, though the fastest eighth of the chains ran at the former.
        let catalogue = bench_slope_algorithms::Catalogue::standard();
        let case = catalogue.cases(bench_slope_algorithms::Section::Hash).next().expect("one");
        let sizes = Axis::Bytes.sizes();
        let round = |mhz: f64| Timed {
            ns: sizes.iter().map(|&size| (100.0 + 2.0 * size as f64) * 1e3 / mhz).collect(),
            whole: true,
            contention: Some(0.2),
            chain_ns: Some((12_288.0 * 1e3 / mhz, 4_096.0 * 1e3 / mhz)),
        };
        let process = || (0..5).map(|at| round(if at == 0 { 3500.0 } else { 3200.0 })).collect();
        let row = Row {
            case,
            sizes: sizes.clone(),
            calls: None,
            processes: (0..8).map(|_| process()).collect(),
            failure: None,
            good_enough: false,
        };
        let mut rows = [row];
        let mut seen = Seen { lowest_contention: Some(0.2), ..Seen::default() };
        settle_frequency(&mut rows, &mut seen);
        let measured = record(&rows[0], &seen).result.expect("a number");
        if let Some(mhz) = measured.measured_mhz {
            assert!((mhz - 3200.0).abs() < 1.0, "{mhz}");
            let cycles = measured.ns_per_unit * mhz / 1e3;
            assert!((cycles - 2.0).abs() < 1e-3, "{cycles}");
        }
        assert_eq!(measured.measured_mhz.is_some(), crate::frequency::CHAIN_TELLS_CYCLES);
    }

    #[test]
    fn chains_that_disagree_leave_the_frequency_unknown() {
        assert_eq!(frequency_is_sure(&[]), crate::frequency::CHAIN_TELLS_CYCLES);
        assert!(frequency_is_sure(&[1.001, 0.999, 1.3]));
        // A core that does additions in half a cycle.
        assert!(!frequency_is_sure(&[0.5, 0.5, 0.501]));
        assert!(!frequency_is_sure(&[1.02, 1.02, 1.0]));
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
