//! What was found: plain data, each quantity with its unit in its name.

use crate::environment::Environment;
use crate::known_cost::CYCLES_PER_BYTE;
use crate::quiet::KnownQuiet;

/// Everything that was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Facts from files.
    pub environment: Environment,
    /// The clock.
    pub clock: ClockFindings,
    /// What an empty call costs in the one timed loop, in nanoseconds; `None` when the clock cannot
    /// tell.
    pub empty_call_ns: Option<f64>,
    /// What a look at the processors showed; `None` when the clock cannot tell.
    pub look: Option<Look>,
    /// The routine of known cost, or why it has no number; `None` when it was not tried, for the clock
    /// is of no use.
    pub known_cost: Option<Result<Comparison, String>>,
    /// Processor time over wall time while only this program should have run.
    pub cpu_share: Option<f64>,
    /// Hardware counters in a line; `None` when nobody looked.
    pub counters: Option<String>,
}

/// The clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClockFindings {
    /// What it is.
    pub name: &'static str,
    /// Its grain; `None` when it stands still.
    pub grain: Option<GrainNs>,
}

/// The grain of a clock in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrainNs {
    /// The smallest step.
    pub step_ns: f64,
    /// What a reading costs; 0 where that is less than a step.
    pub reading_ns: f64,
}

/// A look at the processors.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The share of quiet windows of each processor that was looked at.
    pub shares: Vec<QuietShare>,
    /// Processors that might have been looked at.
    pub processors: usize,
    /// The lowest contention that a dozen readings agree on; `None` when no dozen does.
    pub lowest_contention: Option<f64>,
    /// What this kind of core reads when quiet, where that is known.
    pub known_quiet: Option<KnownQuiet>,
    /// The frequency; `None` where it cannot be told for sure.
    pub mhz: Option<Mhz>,
}

/// How often a processor was quiet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuietShare {
    /// Its number; `None` where the platform does not tell.
    pub cpu: Option<usize>,
    /// Windows it was looked at.
    pub windows: usize,
    /// Of these, quiet ones.
    pub quiet: usize,
}

impl QuietShare {
    /// The share.
    #[must_use]
    pub fn share(self) -> f64 {
        self.quiet as f64 / self.windows.max(1) as f64
    }
}

/// The frequency in megahertz.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mhz {
    /// A high one that was met often: that of a measurement.
    pub usual: f64,
    /// The share of readings that are at it.
    pub held: f64,
    /// The lowest and the highest reading.
    pub range: (f64, f64),
}

/// The routine of known cost by the program's own workers, and by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The slope.
    pub ns_per_byte: f64,
    /// By itself, the lower and the higher of before and after.
    pub by_itself_ns: (f64, f64),
    /// The slope in cycles, at the frequency measured beside it.
    pub cycles_per_byte: Option<f64>,
}

impl Comparison {
    /// How far the slope is off, in shares of the cost; 0 when it lies between before and after.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        let (low, high) = self.by_itself_ns;
        self.ns_per_byte / self.ns_per_byte.clamp(low, high.max(low)) - 1.0
    }

    /// The frequencies that it and the lower and higher of the two by itself were made at, when an
    /// operation takes a cycle; `None` where they are not known.
    #[must_use]
    pub fn mhz(&self) -> Option<[f64; 3]> {
        let (read, known) = self.cycles_per_byte.zip(CYCLES_PER_BYTE)?;
        let (low, high) = self.by_itself_ns;
        Some([read / self.ns_per_byte, known / low, known / high].map(|ghz| 1e3 * ghz))
    }

    /// The one that is nearer to its cost.
    #[must_use]
    pub fn nearer(self, other: Comparison) -> Comparison {
        if other.deviation().abs() < self.deviation().abs() { other } else { self }
    }
}
