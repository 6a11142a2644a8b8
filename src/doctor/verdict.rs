//! Fit or not, and why not. Unfit means that numbers cannot be trusted within their stated error;
//! what only makes them harder to have again is a remark.

use super::findings::{Comparison, Findings, Look};
use super::reason::Reason;
use crate::cpus::QUIET_WITHIN;
use crate::environment::Quota;
use crate::group::STARVED;
use crate::known_cost::CYCLES_PER_BYTE;
use crate::schedule::COARSEST_STEP_NS;

/// The slope of the routine of known cost may be off by this: ten times what it is off on a quiet
/// machine, and what a reader takes for a difference between two rows.
pub const COST_WITHIN: f64 = 0.01;
/// Quiet windows of the best processor. A visit looks for quiet for 10 ms, some 30 windows: with
/// fewer than one in fifty quiet most visits find none.
pub const FEWEST_QUIET: f64 = 0.02;
/// The share of the time at the frequency of a run. Rounds at another one do not count: a processor
/// that changes between two speeds loses some time, one that drifts has no frequency to tell a number
/// at.
pub const FEWEST_HELD: f64 = 0.2;
/// A quota below one processor stops the only one that measures.
pub const QUOTA_CPUS: f64 = 1.0;

/// Whether the machine is fit.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Numbers hold within their stated error.
    Fit,
    /// They cannot be trusted, and why; at least one reason.
    Unfit(Vec<Reason>),
}

/// Judges.
#[must_use]
pub fn verdict(findings: &Findings) -> Verdict {
    let mut reasons = Vec::new();
    match findings.clock.grain {
        None => reasons.push(Reason::ClockStandsStill),
        Some(grain) if grain.step_ns > COARSEST_STEP_NS => {
            reasons.push(Reason::ClockTooCoarse { step_ns: grain.step_ns });
        }
        Some(_) => {}
    }
    match &findings.known_cost {
        Some(Ok(comparison)) => {
            reasons.extend(known_cost(comparison, findings.look.as_ref()));
        }
        Some(Err(why)) => reasons.push(Reason::NoKnownCost { why: why.clone() }),
        None => {}
    }
    if let Some(look) = &findings.look {
        reasons.extend(quiet(look));
        let wandering = look.mhz.filter(|mhz| mhz.held < FEWEST_HELD);
        reasons.extend(wandering.map(|mhz| Reason::FrequencyWanders { held: mhz.held }));
    }
    let starved = findings.cpu_share.filter(|&share| share < STARVED);
    reasons.extend(starved.map(|share| Reason::Starved { share }));
    reasons.extend(findings.environment.quota.as_ref().and_then(quota));
    if reasons.is_empty() { Verdict::Fit } else { Verdict::Unfit(reasons) }
}

fn known_cost(comparison: &Comparison, look: Option<&Look>) -> Option<Reason> {
    let deviation = comparison.deviation();
    // What is no number is not within anything.
    let is_right = deviation.abs() <= COST_WITHIN;
    let cycles = comparison.cycles_per_byte.zip(CYCLES_PER_BYTE);
    let cycles_are_right =
        cycles.is_some_and(|(read, known)| (read / known - 1.0).abs() <= COST_WITHIN);
    if is_right || (cycles_are_right && is_explained(comparison, look)) {
        return None;
    }
    Some(Reason::WrongKnownCost { deviation, cycles_are_right })
}

/// Whether the core was seen to run at the frequencies of the measurement and of the routine by
/// itself: nanoseconds then differ as they must.
fn is_explained(comparison: &Comparison, look: Option<&Look>) -> bool {
    let range = look.and_then(|look| look.mhz).map(|mhz| mhz.range);
    comparison.mhz().zip(range).is_some_and(|(all, (low, high))| {
        let seen = low * (1.0 - COST_WITHIN)..=high * (1.0 + COST_WITHIN);
        all.iter().all(|mhz| seen.contains(mhz))
    })
}

/// Whether the lowest contention is what this kind of core is known to read; `None` where either is
/// unknown.
#[must_use]
pub fn is_as_quiet_as_known(look: &Look) -> Option<bool> {
    let known = look.known_quiet?;
    Some(look.lowest_contention? <= QUIET_WITHIN * known.highest)
}

fn quiet(look: &Look) -> Option<Reason> {
    if let (Some(false), Some(lowest), Some(known)) =
        (is_as_quiet_as_known(look), look.lowest_contention, look.known_quiet)
    {
        return Some(Reason::NeverAsQuietAsKnown { lowest, known: known.highest });
    }
    let best = look.shares.iter().map(|share| share.share()).fold(0.0, f64::max);
    (best < FEWEST_QUIET).then_some(Reason::NeverQuiet { best })
}

fn quota(quota: &Quota) -> Option<Reason> {
    let (cpus, file) = (quota.cpus, quota.file.clone());
    (cpus < QUOTA_CPUS).then_some(Reason::Quota { cpus, file })
}
