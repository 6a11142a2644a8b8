//! What parent and worker tell each other: plain data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::counters;
use crate::frequency::Probe;
use crate::scaling::{Parallel, Told};

/// What the parent asks of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The worker's number, from 0.
    pub worker: u32,
    /// How long to sample, known answers and calibration included.
    pub budget_ns: u64,
    /// Record exactly so many rounds of every case instead, however long it takes.
    pub rounds: Option<u32>,
    /// One rough visit to each case, quiet or not.
    pub quick: bool,
    /// The contention of a quiet core, as far as earlier workers know.
    pub lowest_contention: Option<f64>,
    /// The processors to stay on; empty for any that is allowed.
    pub cpus: Vec<usize>,
    /// Bytes past the boundary of a page at which messages start in the first visit.
    pub offset_bytes: usize,
    /// A sample lasts at least so long, where the user says; else as the clock has it.
    pub min_epoch_ns: Option<u64>,
    /// Where the files that describe the machine begin.
    pub root: PathBuf,
    /// What is to be counted; empty where nothing can be.
    pub counters: Vec<counters::Event>,
    /// The cases in the order of the visits.
    pub cases: Vec<Order>,
    /// Run the first case on so many processors at once instead, at its first size.
    pub parallel: Option<Parallel>,
}

/// One case of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The case's identifier.
    pub id: String,
    /// The sizes, ascending.
    pub sizes: Vec<usize>,
    /// Whether each size has a number of calls of its own, for sizes that are far apart. Else one
    /// serves all, so that what a sample costs beside the calls cannot reach the slope.
    pub own_calls: bool,
    /// Every message has so many bytes, whatever the size is called.
    pub message_bytes: Option<usize>,
    /// Calls per sample, when an earlier worker has found them.
    pub calls: Option<Calls>,
    /// The step from one size to the next that is sampled, when an earlier worker has settled it.
    pub step: Option<usize>,
    /// Record it on a busy core too when no quiet one is found, for nothing is on record yet.
    pub must: bool,
    /// How many samples have been counted of it; `None` when that is enough.
    pub counted: Option<u32>,
}

/// Calls per sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Calls {
    /// At every size.
    Alike(u32),
    /// At each size in the order of the sizes.
    Each(Vec<u32>),
}

impl Calls {
    /// Those at one size; at least one.
    #[must_use]
    pub fn at(&self, index: usize) -> u32 {
        match self {
            Calls::Alike(calls) => *calls,
            Calls::Each(all) => all.get(index).copied().unwrap_or(1),
        }
        .max(1)
    }
}

/// What a worker tells the parent, in the order of events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The case with this index is worked on from now on; whoever dies next died of it.
    Begin(usize),
    /// The case cannot be timed, and why.
    Failed(usize, Failure),
    /// One round of a case.
    Round(Round),
    /// What was counted of one sample of a case.
    Counted(Counted),
    /// Pairs of windows of one thread and of several.
    Parallel(Told),
    /// The worker is done.
    Done(Done),
}

/// Raw samples of one case: at most one for every size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The case's index in the request.
    pub case: usize,
    /// Calls in each sample.
    pub calls: Calls,
    /// The step from one size to the next that is sampled: a slow case leaves some out.
    pub step: usize,
    /// The samples in the order they were taken.
    pub windows: Vec<Window>,
    /// Whether it has every size that is the worker's own; it has not when the core was busy for too
    /// long.
    pub whole: bool,
}

impl Round {
    /// Ticks of all its samples.
    #[must_use]
    pub fn ticks_in_all(&self) -> u64 {
        self.windows.iter().flat_map(|window| &window.samples).map(|&(_, ticks)| ticks).sum()
    }
}

/// What counters counted of a sample that was not timed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// The case's index in the request.
    pub case: usize,
    /// The size's place among the case's sizes.
    pub at: usize,
    /// Calls in the sample.
    pub calls: u32,
    /// Of all calls together, in the order of the request's counters; `None` where one did not run.
    pub counts: Vec<Option<f64>>,
    /// Whether the core was quiet, as far as can be told: a neighbour takes cycles and cache away.
    pub quiet: bool,
}

/// Samples between two looks at the core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// The place of each sample's size among the sizes, and its ticks: 0 where the clock did not
    /// move forward.
    pub samples: Vec<(usize, u64)>,
    /// The looks before and after; `None` when the clock cannot tell.
    pub looks: Option<(Probe, Probe)>,
}

impl Window {
    /// How busy the core was just before or just after, whichever is more.
    #[must_use]
    pub fn contention(&self) -> Option<f64> {
        self.looks.map(|(before, after)| f64::max(before.contention(), after.contention()))
    }
}

/// What a worker knows at its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// The clock it read.
    pub clock: String,
    /// Nanoseconds in a tick of that clock.
    pub ns_per_tick: f64,
    /// What one pair of readings costs, in ticks: part of every sample, taken off by the parent.
    pub cost_ticks: u64,
    /// The clock's smallest step in ticks.
    pub resolution_ticks: u64,
    /// How long it worked, in nanoseconds.
    pub wall_ns: u64,
    /// How much processor time it had meanwhile, where that can be told.
    pub cpu_ns: Option<u64>,
    /// How the frequency from additions compares with that from multiplications; `None` where there
    /// is no second opinion.
    pub frequency_agreement: Option<f64>,
    /// How the system's own idea of the frequency compares with the chain's at that moment; `None`
    /// where it tells none.
    pub system_agreement: Option<f64>,
    /// Cycles that a counter saw in a cycle of the chain; `None` where cycles are not counted.
    pub counted_cycles: Option<f64>,
    /// The lowest contention that this worker's own readings agree on, or what is known of this kind of
    /// core, whichever is lower.
    pub lowest_contention: Option<f64>,
}

/// Why a case has no number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failure {
    /// The implementation gave a wrong answer, or none; with the full sentence.
    Wrong(String),
    /// It cannot be opened on this machine.
    Unavailable(String),
    /// The process that timed it died.
    Crashed(String),
    /// The clock is too coarse to time it.
    ClockTooCoarse(String),
    /// The measurement says nothing: the time does not grow with the size.
    NoSlope(String),
    /// The time seems to grow with the size, but not more surely than by chance.
    TooNoisy(String),
    /// The user stopped the run before enough was recorded.
    Interrupted(String),
    /// Nothing was recorded in the time given.
    NoTime(String),
}

impl Failure {
    /// The reason in a word or two, without commas.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Failure::Wrong(_) => "wrong answer",
            Failure::Unavailable(_) => "not available",
            Failure::Crashed(_) => "crashed",
            Failure::ClockTooCoarse(_) => "clock too coarse",
            Failure::NoSlope(_) => "no slope",
            Failure::TooNoisy(_) => "too noisy",
            Failure::Interrupted(_) => "interrupted",
            Failure::NoTime(_) => "no time passed",
        }
    }

    /// The failure of this kind, if there is one.
    #[must_use]
    pub fn of_kind(kind: &str, reason: String) -> Option<Failure> {
        let all = [
            Failure::Wrong,
            Failure::Unavailable,
            Failure::Crashed,
            Failure::ClockTooCoarse,
            Failure::NoSlope,
            Failure::TooNoisy,
            Failure::Interrupted,
            Failure::NoTime,
        ];
        let make = all.into_iter().find(|make| make(String::new()).kind() == kind)?;
        Some(make(reason))
    }

    /// The reason as a sentence.
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Failure::Wrong(reason)
            | Failure::Unavailable(reason)
            | Failure::Crashed(reason)
            | Failure::ClockTooCoarse(reason)
            | Failure::NoSlope(reason)
            | Failure::TooNoisy(reason)
            | Failure::Interrupted(reason)
            | Failure::NoTime(reason) => reason,
        }
    }

    /// Whether the program should exit with 1: a row that is absent or too noisy today breaks no
    /// script. A quick run only looks for what is broken: that a
    /// number could not be had says nothing then.
    #[must_use]
    pub fn is_error(&self, quick: bool) -> bool {
        match self {
            Failure::Wrong(_) | Failure::Crashed(_) => true,
            // An interruption has an exit code of its own.
            Failure::Unavailable(_) | Failure::TooNoisy(_) | Failure::Interrupted(_) => false,
            Failure::ClockTooCoarse(_) | Failure::NoSlope(_) | Failure::NoTime(_) => !quick,
        }
    }
}
