//! What a report may see of a run: everything, at full precision, each quantity with its unit in
//! its name.

mod row;

use bench_slope_algorithms::{Axis, Case, Section};
use serde::{Deserialize, Serialize};

use crate::counters::Counting;
use crate::environment::Environment;
use crate::growth::Growth;
pub use crate::layouts::Layouts;
use crate::linearity::{Bend, Unpredictable};
use crate::scaling::Scaling;
use crate::versions::Versions;
use crate::warning::Advice;
use crate::wire::Failure;

/// A row whose error is above this share of its cost is far from exact: it gets more time, and where
/// that did not help its error stands beside it.
pub const FAR_FROM_EXACT: f64 = 0.05;

/// The version of what is saved. A field more does not change it; anything else does.
pub const SCHEMA_VERSION: u32 = 1;

/// One run of the program. What is saved has these fields in this order; new ones come last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The version of what is saved: [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Whether rows are missing that were asked for: it was interrupted, or is still going on.
    pub partial: bool,
    /// What the user calls the machine.
    pub machine: Option<String>,
    /// When it began, in seconds since 1970.
    pub started_unix_s: Option<u64>,
    /// What ran.
    pub versions: Versions,
    /// Where the frequency behind cycles comes from, when there is one.
    pub frequency: Option<Frequency>,
    /// The machine as it was before the run.
    pub environment: Environment,
    /// What was counted, and why the rest was not.
    pub counters: Counters,
    /// How it was measured.
    pub conditions: Conditions,
    /// What the reader should know before believing a number.
    pub warnings: Vec<Advice>,
    /// One record for each row, in printing order.
    pub records: Vec<Record>,
    /// The frequency that nanoseconds are told at; `None` where it could not be measured.
    pub reference: Option<Reference>,
}

impl Default for Run {
    fn default() -> Self {
        Run {
            schema_version: SCHEMA_VERSION,
            partial: false,
            machine: None,
            started_unix_s: None,
            versions: Versions::default(),
            frequency: None,
            environment: Environment::default(),
            counters: Counters::default(),
            conditions: Conditions::default(),
            warnings: Vec::new(),
            records: Vec::new(),
            reference: None,
        }
    }
}

/// What hardware counters there were, in words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// What was counted.
    pub counted: Vec<String>,
    /// Why the rest was not: a sentence a cause, none for what was switched off.
    pub notes: Vec<String>,
}

impl Counters {
    /// What a run counts, in words.
    #[must_use]
    pub fn of(counting: &Counting) -> Self {
        let counted = counting.events.iter().map(|event| event.name().to_owned()).collect();
        Counters { counted, notes: counting.notes() }
    }
}

/// What the user asked for that changes numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Conditions {
    /// A smoke test: rough numbers.
    pub quick: bool,
    /// Messages start at odd addresses.
    pub unaligned: bool,
    /// Exactly so many rounds of every row.
    pub repetitions: Option<u32>,
    /// These sizes instead of the usual ones.
    pub sizes: Option<Vec<usize>>,
    /// The 95 % error, as a share, at which a row was done.
    pub precision: Option<f64>,
    /// Seconds that a row could take in the mean.
    pub time_limit_s: Option<f64>,
    /// Each row at these sizes too, in bytes.
    pub bytes: Option<Vec<usize>>,
    /// A sample lasts at least so long, in nanoseconds.
    pub min_epoch_ns: Option<u64>,
    /// What time grows with over these sizes, instead of a slope.
    pub growth: bool,
    /// Every message has so many bytes, whatever the size.
    pub message_bytes: Option<usize>,
    /// So many threads at once, instead of one.
    pub threads: Option<usize>,
    /// Nanoseconds are told at this frequency, in megahertz, whatever the core ran at.
    pub at_mhz: Option<f64>,
}

/// The frequency that the nanoseconds of a run are told at, so that they do not depend on what the
/// core did meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// In megahertz: that of most of the first rows, or what the user wants.
    pub mhz: f64,
    /// Whether the user wants it.
    pub given: bool,
    /// Half the width of the 95 % interval of the measured frequency, over it: part of the error of
    /// each row.
    pub relative_error: f64,
    /// The slowest that the core ran, in megahertz, but for 1 % of the time.
    pub slowest_mhz: f64,
    /// The fastest, likewise.
    pub fastest_mhz: f64,
}

impl Reference {
    /// Frequencies within this share are one: chains tremble by so much.
    const ONE: f64 = 0.005;

    /// Whether nanoseconds differ from those that passed by more than the frequency trembles.
    #[must_use]
    pub fn is_scaled(&self) -> bool {
        let differs = |mhz: f64| (mhz / self.mhz - 1.0).abs() > Self::ONE;
        differs(self.slowest_mhz) || differs(self.fastest_mhz)
    }

    /// That of this part of a run and of another part together.
    #[must_use]
    pub fn with(self, other: Reference) -> Reference {
        Reference {
            relative_error: self.relative_error.max(other.relative_error),
            slowest_mhz: self.slowest_mhz.min(other.slowest_mhz),
            fastest_mhz: self.fastest_mhz.max(other.fastest_mhz),
            ..self
        }
    }
}

/// Where the frequency behind cycles comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "source", content = "mhz", rename_all = "snake_case")]
pub enum Frequency {
    /// The user gave it, in megahertz.
    Given(f64),
    /// It was measured beside each row.
    Measured,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "row::Row", into = "row::Row")]
pub struct Record {
    /// The case's identifier, such as `rustcrypto/SHA256/digest`.
    pub id: String,
    /// The section it belongs to.
    pub section: Section,
    /// The algorithm's name.
    pub algorithm: String,
    /// Mode and operation as a row names them; empty where there is only one.
    pub label: String,
    /// What the cost is counted by: `byte`, or what a KDF counts.
    pub unit: String,
    /// The crate that computed it.
    pub package: String,
    /// That crate's version, where it is known.
    pub package_version: Option<String>,
    /// Bytes squeezed from an extendable-output function.
    pub squeezed_bytes: Option<usize>,
    /// The measurement, or why there is none.
    pub result: Result<Measured, Failure>,
    /// Every sample, when they were asked for.
    pub samples: Option<Vec<Sample>>,
    /// Bytes of the message where the row is about one size; its cost is then the time of a call over
    /// the units in it, and nothing is taken out.
    pub size: Option<usize>,
    /// What its time grows with, when that was asked for.
    pub growth: Option<Growth>,
    /// How it scales over threads, when that was asked for.
    pub scaling: Option<Scaling>,
}

/// A measured cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Nanoseconds per byte, or per unit of what is counted, at [`Measured::told_at_mhz`].
    pub ns_per_unit: f64,
    /// The same at the frequency that the core had beside the row's own samples: the time that passed.
    pub measured_ns_per_unit: f64,
    /// The frequency in megahertz that all nanoseconds here but the measured ones are told at; `None` where it is
    /// not known: then they are those that passed.
    pub told_at_mhz: Option<f64>,
    /// 2^20 bytes per second; `None` where there is no message.
    pub mib_per_s: Option<f64>,
    /// Cycles per unit, when the frequency is known.
    pub cycles_per_unit: Option<f64>,
    /// The core's frequency beside the row's own samples, in megahertz; `None` where it could not be
    /// told for sure.
    pub measured_mhz: Option<f64>,
    /// Nanoseconds of a call beside the cost of its bytes: the intercept. 0 at one size.
    pub ns_per_call: f64,
    /// How much of that may be of samples rather than of calls, in nanoseconds: the first call of a sample
    /// overlaps with none before it. Three readings of the clock over the calls of a sample; `None` at one size.
    pub first_call_ns: Option<f64>,
    /// Half the width of the slope's 95 % interval, relative to the slope; `None` when too few
    /// processes measured it to tell.
    pub relative_error: Option<f64>,
    /// Where the time bends, when it is no straight line: then the slope is not the cost of every size.
    pub bend: Option<Bend>,
    /// What each layout of code and data gives, when processes disagree beyond their error.
    pub layouts: Option<Layouts>,
    /// The time of a call at each size that the line goes through, ascending.
    pub points: Vec<Point>,
    /// What the processor counted, where it counts.
    pub counts: Option<Counts>,
    /// Processes that measured it.
    pub processes: u32,
    /// Rounds over all sizes that the number rests on.
    pub rounds: u32,
    /// Whether these rounds were taken on a quiet core; if not, the number may be too high.
    pub quiet: bool,
    /// At one size: what the slope over the usual sizes, measured beside it, says of a call, or why it says
    /// nothing; `None` where there is no such slope.
    pub predicted: Option<Result<Predicted, Unpredictable>>,
    /// Seconds that all its samples took.
    pub total_s: Option<f64>,
}

impl Measured {
    /// Tells all nanoseconds at another frequency, where so many passed that are `factor` times as many
    /// there.
    fn scale(&mut self, factor: f64) {
        self.ns_per_unit *= factor;
        self.ns_per_call *= factor;
        self.first_call_ns = self.first_call_ns.map(|ns| ns * factor);
        if let Some(bend) = &mut self.bend {
            bend.ns_per_unit_below *= factor;
            bend.ns_per_unit_above *= factor;
        }
        if let Some(layouts) = &mut self.layouts {
            layouts.best_ns_per_unit *= factor;
            layouts.other_ns_per_unit *= factor;
        }
        self.points.iter_mut().for_each(|point| point.ns *= factor);
    }

    /// What makes cycles of the nanoseconds that are told: the frequency that they are told at.
    #[must_use]
    pub fn mhz_of_cycles(&self) -> Option<f64> {
        self.told_at_mhz.or(self.measured_mhz)
    }

    /// Whether its error is so large that the number must not stand without it.
    #[must_use]
    pub fn is_far_from_exact(&self) -> bool {
        self.relative_error.is_some_and(|error| error > FAR_FROM_EXACT)
    }

    /// Cycles of a unit, at the frequency that was measured beside it.
    #[must_use]
    pub fn measured_cycles(&self) -> Option<f64> {
        self.measured_mhz.map(|mhz| self.measured_ns_per_unit * mhz / 1e3)
    }

    /// 2^20 bytes per second at one size, where bytes are what is counted.
    #[must_use]
    pub fn mib_per_s_at(&self, point: Point) -> Option<f64> {
        let mib_per_s = MIB_PER_S_AT_ONE_NS_PER_BYTE * point.size as f64 / point.ns;
        let is_rate = self.mib_per_s.is_some() && point.ns > 0.0 && mib_per_s.is_finite();
        is_rate.then_some(mib_per_s)
    }

    /// Cycles per unit at one size, the call included, when the frequency is known.
    #[must_use]
    pub fn cycles_per_unit_at(&self, point: Point) -> Option<f64> {
        let cycles_per_ns = self.cycles_per_unit? / self.ns_per_unit;
        let cycles = cycles_per_ns * point.ns / point.size as f64;
        (point.ns > 0.0 && cycles.is_finite()).then_some(cycles)
    }

    /// Half the width of the slope's 95 % interval, in per cent of the slope.
    #[must_use]
    pub fn err_percent(&self) -> Option<f64> {
        self.relative_error.map(|error| 100.0 * error)
    }
}

/// What a slope says of a call at one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Predicted {
    /// Nanoseconds of a call: intercept plus slope times size.
    pub ns_per_call: f64,
    /// The batch in bytes whose places tell the intercept; `None` where it is that of all sizes.
    pub batch_bytes: Option<usize>,
    /// How far that may be off, in nanoseconds: as far as the line is from any of its own points, and
    /// its error; `None` at a size that is none of the line's, where it is not known what a block that is begun
    /// costs, or how straight time goes on.
    pub error_ns: Option<f64>,
}

/// One sample as a worker took it, whether or not it counted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The process, in the order they measured the row, from 0.
    pub worker: u32,
    /// The round within it, from 0.
    pub round: u32,
    /// Bytes of the message, or the count.
    pub size: usize,
    /// Nanoseconds of a call.
    pub ns: f64,
}

/// What a call of one size takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Bytes of the message, or the count.
    pub size: usize,
    /// Nanoseconds of a call.
    pub ns: f64,
}

impl Point {
    /// Nanoseconds per byte of the message; `None` for the empty one.
    #[must_use]
    pub fn ns_per_byte(self) -> Option<f64> {
        finite(self.ns / self.size as f64)
    }

    /// Calls per second.
    #[must_use]
    pub fn calls_per_s(self) -> Option<f64> {
        finite(1e9 / self.ns)
    }

    /// Bytes of message per second; `None` for the empty one.
    #[must_use]
    pub fn bytes_per_s(self) -> Option<f64> {
        finite(1e9 * self.size as f64 / self.ns).filter(|_| self.size > 0)
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// What hardware counted per unit in user space, by the slope over sizes; `None` where it does not
/// count that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Instructions retired.
    pub instructions_per_unit: Option<f64>,
    /// Core cycles.
    pub cycles_per_unit: Option<f64>,
    /// Branches retired.
    pub branches_per_unit: Option<f64>,
    /// Branches that were predicted wrongly.
    pub branch_misses_per_unit: Option<f64>,
    /// Cache misses.
    pub cache_misses_per_unit: Option<f64>,
    /// Instructions a cycle.
    pub instructions_per_cycle: Option<f64>,
}

impl Run {
    /// Whether its rows are told size by size, rather than by the slope.
    #[must_use]
    pub fn is_by_size(&self) -> bool {
        self.conditions.sizes.is_some()
    }

    /// Takes up the rows of a part of the run, and what is said of them and was not said before.
    pub fn add(&mut self, part: &Run) {
        for advice in &part.warnings {
            if !self.warnings.contains(advice) {
                self.warnings.push(advice.clone());
            }
        }
        self.records.extend_from_slice(&part.records);
        self.reference = match (self.reference, part.reference) {
            (Some(ours), Some(other)) => Some(ours.with(other)),
            (ours, other) => ours.or(other),
        };
    }

    /// Whether a row failed in a way that the exit code tells.
    #[must_use]
    pub fn has_error(&self, quick: bool) -> bool {
        self.records.iter().any(|r| r.result.as_ref().is_err_and(|f| f.is_error(quick)))
    }

    /// The frequency that the rows were measured at, in the median; `None` when it is not known.
    #[must_use]
    pub fn usual_mhz(&self) -> Option<f64> {
        let measured = self.records.iter().filter_map(|record| record.result.as_ref().ok());
        let mut mhz: Vec<f64> = measured.filter_map(|measured| measured.measured_mhz).collect();
        mhz.sort_by(f64::total_cmp);
        mhz.get(mhz.len() / 2).copied()
    }

    /// Whether a row was measured without its frequency.
    #[must_use]
    pub fn has_unknown_frequency(&self) -> bool {
        let measured = self.records.iter().filter_map(|record| record.result.as_ref().ok());
        measured.into_iter().any(|measured| measured.measured_mhz.is_none())
    }
}

/// Nanoseconds in a second over bytes in a mebibyte.
const MIB_PER_S_AT_ONE_NS_PER_BYTE: f64 = 1e9 / (1024.0 * 1024.0);

/// The identifier of a case's row: the case's own, and behind it the size where the row is about one
/// that its name does not tell.
#[must_use]
pub fn id(case: &Case) -> String {
    match case.entry.axis {
        Axis::One { bytes, .. } if case.entry.section != Section::Points => {
            format!("{}/{bytes}", case.id())
        }
        _ => case.id(),
    }
}

impl Record {
    /// A record without a result yet.
    #[must_use]
    pub fn of(case: &Case, result: Result<Measured, Failure>) -> Self {
        let entry = &case.entry;
        let size = match entry.axis {
            Axis::One { bytes, .. } => Some(bytes),
            Axis::Bytes | Axis::Count { .. } => None,
        };
        Record {
            id: id(case),
            section: entry.section,
            algorithm: entry.algorithm.to_owned(),
            label: case.label(),
            unit: entry.axis.unit().to_owned(),
            package: entry.package.to_owned(),
            package_version: None,
            squeezed_bytes: entry.extendable.then_some(entry.output_bytes),
            result,
            samples: None,
            size,
            growth: None,
            scaling: None,
        }
    }

    /// The row's name as people say it: `AES CBC enc`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {}", self.algorithm, self.label_at_size()).trim_end().to_owned()
    }

    /// Mode and operation, and the size where the row is about one and its name does not tell it.
    #[must_use]
    pub fn label_at_size(&self) -> String {
        match self.size.filter(|_| self.section != Section::Points) {
            Some(bytes) => format!("{} {bytes}", self.label).trim_start().to_owned(),
            None => self.label.clone(),
        }
    }

    /// What a call takes, where the row is about one size.
    #[must_use]
    pub fn point(&self) -> Option<Point> {
        self.size.and_then(|_| self.result.as_ref().ok()?.points.first().copied())
    }

    /// Nanoseconds per byte where there are bytes: the slope's, or at one size those of the whole call.
    #[must_use]
    pub fn ns_per_byte(&self) -> Option<f64> {
        let ns = self.result.as_ref().ok()?.ns_per_unit;
        let bytes = self.bytes_in_unit()?;
        Some(ns / bytes as f64)
    }

    fn bytes_in_unit(&self) -> Option<usize> {
        if self.unit == "byte" { Some(1) } else { self.size.filter(|&bytes| bytes > 0) }
    }

    /// Tells its nanoseconds, which are of a core at `from_mhz`, as those of one at `to_mhz`: work within
    /// the caches takes the same cycles.
    pub fn tell_at(&mut self, from_mhz: f64, to_mhz: f64) {
        let factor = from_mhz / to_mhz;
        if let Ok(measured) = &mut self.result {
            measured.scale(factor);
            measured.told_at_mhz = Some(to_mhz);
        }
        if let Some(growth) = &mut self.growth {
            growth.scale(factor);
        }
    }

    /// Fills in what follows from the slope: throughput, and cycles when the frequency is known.
    pub fn derive(&mut self, frequency: Option<Frequency>) {
        let bytes = self.bytes_in_unit();
        if let Ok(measured) = &mut self.result {
            let ns = measured.ns_per_unit;
            let mib_per_s = |bytes| MIB_PER_S_AT_ONE_NS_PER_BYTE * bytes as f64 / ns;
            measured.mib_per_s = bytes.map(mib_per_s).filter(|mib_per_s| mib_per_s.is_finite());
            let cycles = match frequency {
                Some(Frequency::Given(mhz)) => Some(ns * mhz / 1e3),
                Some(Frequency::Measured) => measured.measured_cycles(),
                None => None,
            };
            // A frequency that no processor has may overflow.
            measured.cycles_per_unit = cycles.filter(|cycles| cycles.is_finite());
        }
    }
}
