//! Why a machine is unfit, in words: fact and remedy. `docs/doctor.md` has all of them.

use std::fmt;

use crate::schedule::COARSEST_STEP_NS;

/// Why a machine is unfit: fact and remedy.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The clock never moved.
    ClockStandsStill,
    /// The clock's steps are too coarse.
    ClockTooCoarse {
        /// The step.
        step_ns: f64,
    },
    /// The routine of known cost has no number.
    NoKnownCost {
        /// Why.
        why: String,
    },
    /// It has a wrong one.
    WrongKnownCost {
        /// How far off, in shares of the cost.
        deviation: f64,
        /// Whether its cycles are right.
        cycles_are_right: bool,
    },
    /// Hardly a window was quiet on any processor.
    NeverQuiet {
        /// The share of the best processor.
        best: f64,
    },
    /// Quiet, as learnt from the lowest reading, is not what this kind of core reads.
    NeverAsQuietAsKnown {
        /// The lowest reading.
        lowest: f64,
        /// What the kind reads at most.
        known: f64,
    },
    /// No frequency is held.
    FrequencyWanders {
        /// The share of the time at that which was met most.
        held: f64,
    },
    /// Something else had the processor.
    Starved {
        /// Processor time over wall time.
        share: f64,
    },
    /// The process is stopped again and again.
    Quota {
        /// Processors' worth of time.
        cpus: f64,
        /// The file that sets it.
        file: String,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NEIGHBOURS: &str = "stop other programs, or try later";
        let percent = |share: f64| 100.0 * share;
        match self {
            Reason::ClockStandsStill => write!(
                f,
                "the clock stands still: set another time source of the kernel (docs/environment.md)"
            ),
            Reason::ClockTooCoarse { step_ns } => write!(
                f,
                "the clock's steps of {:.3} ms are too coarse to time anything by, {:.3} ms would \
                 do: set another time source of the kernel (docs/environment.md)",
                step_ns / 1e6,
                COARSEST_STEP_NS / 1e6,
            ),
            Reason::NoKnownCost { why } => {
                write!(f, "the routine of known cost has no number: {why}; do not use others")
            }
            Reason::WrongKnownCost { deviation, cycles_are_right: true } => write!(
                f,
                "the routine of known cost reads {:+.1} % in nanoseconds and is right in cycles: the \
                 frequency changed, and the look did not see it: fix it (governor, turbo), or compare c/B with \
                 --cpu-mhz auto",
                percent(*deviation),
            ),
            Reason::WrongKnownCost { deviation, cycles_are_right: false } => write!(
                f,
                "the routine of known cost reads {:+.1} %: {NEIGHBOURS}; where it stays, report it",
                percent(*deviation),
            ),
            Reason::NeverQuiet { best } => write!(
                f,
                "another program or guest shares every core nearly all the time (quiet in at most \
                 {:.1} % of windows): {NEIGHBOURS}",
                percent(*best),
            ),
            Reason::NeverAsQuietAsKnown { lowest, known } => write!(
                f,
                "contention was {lowest:.4} at the lowest, quiet cores of this kind read {known:.4}: \
                 neighbours shared every core; {NEIGHBOURS}"
            ),
            Reason::FrequencyWanders { held } => write!(
                f,
                "the frequency wanders: within 1 % of one for only {:.0} % of the time; fix it \
                 (governor, turbo), or compare c/B (--cpu-mhz auto)",
                percent(*held),
            ),
            Reason::Starved { share } => write!(
                f,
                "this program had the processor for only {:.0} % of the time: stop other programs, \
                 or lift the CPU quota",
                percent(*share),
            ),
            Reason::Quota { cpus, file } => write!(
                f,
                "a CPU quota allows {cpus:.2} of a processor: start the container without --cpus, or \
                 lift it in {file}"
            ),
        }
    }
}
