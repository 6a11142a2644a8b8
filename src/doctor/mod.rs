//! Whether this machine is fit to measure: what can be seen in three seconds, what it means, and a
//! screen that tells it. `docs/doctor.md` explains each line.

mod findings;
mod look;
mod reason;
mod screen;
mod summary;
mod verdict;

use std::io;

use bench_slope_algorithms::{Case, Section};

pub use findings::{ClockFindings, Comparison, Findings, GrainNs, Look, Mhz, QuietShare};
pub use reason::Reason;
pub use screen::render;
pub use verdict::{Verdict, verdict};

use crate::clock::{Grain, grain, moment};
use crate::counters;
use crate::cpus::staying_on;
use crate::environment::Environment;
use crate::group::{Machine, Plan, measure};
use crate::known_cost::{self, Empty, PROVIDER, by_itself};
use crate::quiet::Processor;
use crate::sample::time_calls;
use crate::schedule::{COARSEST_STEP_NS, tick_ns};
use look::Looker;
use summary::summary;

/// The core is looked at for so long before the routine of known cost is measured, and again after.
const LOOK_NS: u64 = 400_000_000;
/// A first comparison that is off by more than this is made once more: a frequency that changed in
/// between is no fault of the program's.
const SURE_WITHIN: f64 = 0.005;
/// Calls of the empty routine in a sample of it, on a fine clock ...
const EMPTY_CALLS: u32 = 10_000;
/// ... and on ever coarser ones, so many times as many each.
const EMPTY_CALLS_TIMES: [u32; 4] = [1, 10, 100, 1000];
/// Samples of the empty routine: the lowest counts.
const EMPTY_SAMPLES: u32 = 20;
/// On a coarse clock a sample of it takes at least so many steps.
const EMPTY_STEPS: u64 = 100;
/// Readings after which a clock that still tells the same time stands still.
const MOST_READINGS: u32 = 1_000_000;

/// Looks at the machine for two to three seconds, staying on `cpus` unless empty.
///
/// What is there to see stays untold, rather than wrong, where the clock cannot tell it.
///
/// # Errors
/// When no worker can be started.
pub fn examine(
    machine: &Machine,
    environment: Environment,
    cpus: &[usize],
) -> io::Result<Findings> {
    let clock = &*machine.clock;
    let mut findings = Findings {
        environment,
        clock: ClockFindings { name: clock.name(), grain: None },
        ..Findings::default()
    };
    let counting = staying_on(cpus, || counters::examine(&*machine.pmu));
    findings.counters = Some(counting.summary());
    let start = moment(clock);
    let moves = (0..MOST_READINGS).any(|_| clock.ticks() > 0 && clock.monotonic_ns() > start.1);
    let Some(grain) = moves.then(|| grain(clock)).flatten() else { return Ok(findings) };
    let tick_ns = tick_ns(clock, start, grain);
    let ns = |ticks: u64| ticks as f64 * tick_ns;
    let step_ns = ns(grain.resolution_ticks);
    findings.clock.grain = Some(GrainNs { step_ns, reading_ns: ns(grain.cost_ticks) });
    if step_ns > COARSEST_STEP_NS {
        return Ok(findings);
    }
    findings.empty_call_ns = empty_call(machine, grain).map(|ticks| ticks * tick_ns);
    let mut looker = Looker::new(machine, grain, tick_ns, cpus);
    let tells = looker.look(LOOK_NS);
    findings.known_cost = Some(compare(machine, cpus, step_ns)?);
    // A clock that could not tell before will not now.
    if tells {
        looker.look(LOOK_NS);
    }
    findings.cpu_share = looker.cpu_share();
    let known = Processor::here().and_then(|processor| processor.known_quiet());
    findings.look = summary(&looker, known);
    Ok(findings)
}

/// Ticks of an empty call through the one timed loop; `None` when the clock saw none.
fn empty_call(machine: &Machine, grain: Grain) -> Option<f64> {
    let ticks = |calls: u32| {
        let ticks = time_calls(&*machine.clock, &mut Empty, calls).unwrap_or(0);
        ticks.saturating_sub(grain.cost_ticks)
    };
    let calls = EMPTY_CALLS_TIMES
        .map(|times| EMPTY_CALLS * times)
        .into_iter()
        .find(|&calls| ticks(calls) >= EMPTY_STEPS * grain.resolution_ticks)?;
    let lowest = (0..EMPTY_SAMPLES).map(|_| ticks(calls)).filter(|&ticks| ticks > 0).min()?;
    Some(lowest as f64 / f64::from(calls))
}

/// The routine of known cost, measured by the program's own workers and by itself before and after;
/// or why there is no comparison.
fn compare(
    machine: &Machine,
    cpus: &[usize],
    step_ns: f64,
) -> io::Result<Result<Comparison, String>> {
    let (machine, case) = with_known_cost(machine)?;
    let once = || -> io::Result<Result<Comparison, String>> {
        let alone = || staying_on(cpus, || by_itself(&*machine.clock, &case, step_ns));
        let no_time = || "the clock saw no time pass while it ran".to_owned();
        let before = alone().map_err(io::Error::other)?;
        let plan = Plan { cpus, ..Plan::default() };
        let gathered = measure(&machine, std::slice::from_ref(&case), plan, &mut |_| ())?;
        let after = alone().map_err(io::Error::other)?;
        let record = gathered.records.into_iter().next().map(|record| record.result);
        let measured = match record {
            Some(Ok(measured)) => measured,
            Some(Err(failure)) => return Ok(Err(failure.reason().to_owned())),
            None => return Ok(Err(no_time())),
        };
        let Some((before, after)) = before.zip(after) else { return Ok(Err(no_time())) };
        Ok(Ok(Comparison {
            ns_per_byte: measured.ns_per_unit,
            by_itself_ns: (before.min(after), before.max(after)),
            cycles_per_byte: measured.measured_cycles(),
        }))
    };
    let first = once()?;
    match &first {
        Ok(comparison) if comparison.deviation().abs() <= SURE_WITHIN => return Ok(first),
        _ if machine.is_interrupted() => return Ok(first),
        _ => {}
    }
    Ok(match (first, once()?) {
        (Ok(first), Ok(second)) => Ok(first.nearer(second)),
        (Ok(one), Err(_)) | (_, Ok(one)) => Ok(one),
        (_, second) => second,
    })
}

/// The machine with the chain in its catalogue, and the chain. A catalogue that has one already, as
/// one on invented time, keeps its own.
fn with_known_cost(machine: &Machine) -> io::Result<(Machine, Case)> {
    let chain = |machine: &Machine| {
        let mut cases = machine.catalogue.cases(Section::Hash);
        cases.find(|case| case.entry.provider == PROVIDER)
    };
    let mut machine = machine.clone();
    if chain(&machine).is_none() {
        machine.catalogue = known_cost::catalogue()?;
    }
    let case = chain(&machine).ok_or_else(|| io::Error::other("there is no chain"))?;
    Ok((machine, case))
}
