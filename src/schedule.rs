//! What one worker does with its time: cases visited in turn, each visit a warm-up and several
//! rounds over all sizes.
//!
//! Why in turn: a neighbour on the sibling hardware thread slows some code to half its speed for a
//! tenth of a second up to several seconds. A row that is measured in one stretch gets whichever
//! state holds; a row whose visits are spread over the whole run meets the quiet one too.

use std::collections::HashMap;

use bench_slope_algorithms::{Case, Catalogue, OpenError, Placement, Routine};
use serde::{Deserialize, Serialize};

use crate::clock::{Clock, Grain, grain};
use crate::cpus::Cpus;
use crate::sample::{deeper, time_calls};

/// Known answers longer than this are left to `self-test`: before timing they would cost more than
/// the measurement.
const LONGEST_ANSWER_BYTES: usize = 8192;

/// What the parent asks of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The worker's number, from 0.
    pub worker: u32,
    /// How long to sample, known answers and calibration included.
    pub budget_ns: u64,
    /// Record exactly so many rounds of every case instead, however long it takes.
    pub rounds: Option<u32>,
    /// The lowest contention that earlier workers saw.
    pub lowest_contention: Option<f64>,
    /// Bytes past a 64-byte boundary at which messages start.
    pub offset_bytes: usize,
    /// The cases in the order of the visits.
    pub cases: Vec<Order>,
}

/// One case of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The case's identifier.
    pub id: String,
    /// Calls per sample, when an earlier worker has found the number.
    pub calls: Option<u32>,
    /// Record it on a busy core too when no quiet one is found, for nothing is on record yet.
    pub must: bool,
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
    /// The worker is done.
    Done(Done),
}

/// Raw samples of one case: one for every size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The case's index in the request.
    pub case: usize,
    /// Calls in each sample.
    pub calls: u32,
    /// Ticks of each sample in the order of the sizes; 0 where the clock did not move forward.
    pub ticks: Vec<u64>,
    /// How busy the core was just before or just after, whichever is more; `None` when the clock
    /// cannot tell.
    pub contention: Option<f64>,
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
    /// The lowest contention seen.
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
            Failure::NoTime(_) => "no time passed",
        }
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
            | Failure::NoTime(reason) => reason,
        }
    }

    /// Whether the program should exit with 1: something is broken, rather than absent.
    #[must_use]
    pub fn is_error(&self) -> bool {
        !matches!(self, Failure::Unavailable(_))
    }
}

/// A sample lasts at least this many steps of the clock, so that a step is a thousandth of it.
const STEPS_PER_SAMPLE: u64 = 1000;
/// On a coarse clock as few as this many, down from [`STEPS_PER_SAMPLE`] ...
const FEWEST_STEPS_PER_SAMPLE: u64 = 100;
/// ... when samples would last longer than this.
const LONG_SAMPLE_NS: f64 = 200e3;
/// A sample never has to last longer than this; a clock that would need it is too coarse.
const LONGEST_SAMPLE_NS: f64 = 5e6;
/// A sample on the finest clock lasts at least this long, so that a reading's jitter drowns.
const SHORTEST_SAMPLE_NS: f64 = 4e3;
/// Calls per sample end here, for routines that do nothing at all.
const MOST_CALLS: u32 = 1 << 20;
/// A visit goes on for about this long after its warm-up, but has at most so many rounds.
const VISIT_NS: f64 = 2e6;
/// The most rounds of a visit.
const ROUNDS_PER_VISIT: u32 = 8;
/// A warm-up is one round over all sizes, or as much of it as fits in this time.
const WARM_UP_NS: f64 = 8e5;
/// A visit looks for a quiet core for this long in all.
const PATIENCE_NS: u64 = 10_000_000;
/// Samples between two looks at the core take about this long.
const WINDOW_NS: f64 = 3e5;
/// Depths of the stack that rounds are taken at.
const DEPTHS: u32 = 16;

/// A case that is ready to be sampled.
struct Subject {
    index: usize,
    routine: Box<dyn Routine>,
    calls: u32,
    must: bool,
    sizes: Vec<usize>,
    recorded: u32,
    /// Checksum of the output at each size, from the first time it was computed.
    expected: Vec<Option<u64>>,
}

/// Does what a request asks, telling `tell` of it.
///
/// # Errors
/// Whatever `tell` returns: the parent is gone.
pub fn work<E>(
    catalogue: &Catalogue,
    clock: &dyn Clock,
    request: &Request,
    tell: &mut dyn FnMut(Event) -> Result<(), E>,
) -> Result<(), E> {
    let start = (clock.ticks(), clock.monotonic_ns());
    let cpu_start = clock.cpu_ns();
    let deadline_ns = start.1.saturating_add(request.budget_ns);
    let Some(grain) = grain(clock) else {
        for index in 0..request.cases.len() {
            tell(Event::Failed(index, Failure::ClockTooCoarse("the clock stands still".into())))?;
        }
        return Ok(());
    };
    let tick_ns = tick_ns(clock, start, grain);
    let by_id: HashMap<String, Case> = bench_slope_algorithms::Section::ALL
        .iter()
        .flat_map(|&s| catalogue.cases(s))
        .map(|c| (c.id(), c))
        .collect();

    let mut sampler = Sampler {
        clock,
        cpus: Cpus::new(clock, grain, request.lowest_contention),
        tick_ns,
        wanted: request.rounds.unwrap_or(u32::MAX),
    };
    let mut subjects = Vec::new();
    for (index, order) in request.cases.iter().enumerate() {
        tell(Event::Begin(index))?;
        let case = by_id.get(&order.id);
        match ready(catalogue, case, request.offset_bytes, clock, grain, tick_ns, order.calls) {
            Ok((routine, sizes, calls)) => subjects.push(Subject {
                index,
                routine,
                calls,
                must: order.must,
                recorded: 0,
                expected: vec![None; sizes.len()],
                sizes,
            }),
            Err(failure) => tell(Event::Failed(index, failure))?,
        }
    }

    let mut first_pass = true;
    while !subjects.is_empty() {
        let mut kept = Vec::with_capacity(subjects.len());
        for mut subject in subjects {
            let out_of_time = request.rounds.is_none() && clock.monotonic_ns() >= deadline_ns;
            if subject.recorded >= sampler.wanted || (out_of_time && !first_pass) {
                continue;
            }
            tell(Event::Begin(subject.index))?;
            let (rounds, failure) = sampler.visit(&mut subject);
            // Told only now: a message to the parent is a system call and wakes another process.
            for round in rounds {
                tell(Event::Round(round))?;
            }
            match failure {
                Some(failure) => tell(Event::Failed(subject.index, failure))?,
                None => kept.push(subject),
            }
        }
        subjects = kept;
        first_pass = false;
    }

    let ticks = clock.ticks().saturating_sub(start.0);
    let elapsed_ns = clock.monotonic_ns().saturating_sub(start.1);
    tell(Event::Done(Done {
        clock: clock.name().to_owned(),
        ns_per_tick: if ticks > 0 { elapsed_ns as f64 / ticks as f64 } else { f64::NAN },
        cost_ticks: grain.cost_ticks,
        resolution_ticks: grain.resolution_ticks,
        wall_ns: elapsed_ns,
        cpu_ns: cpu_start.zip(clock.cpu_ns()).map(|(start, end)| end.saturating_sub(start)),
        lowest_contention: sampler.cpus.lowest(),
    }))
}

/// A first idea of a tick's length, for budgets only: 1 when too little time has passed to tell.
fn tick_ns(clock: &dyn Clock, start: (u64, u64), grain: Grain) -> f64 {
    // The grain was measured for some 10 µs at least; a millisecond makes the idea a good one.
    let until = clock.monotonic_ns().saturating_add(1_000_000);
    while clock.monotonic_ns() < until && clock.ticks() > 0 {}
    let ticks = clock.ticks().saturating_sub(start.0);
    let elapsed = clock.monotonic_ns().saturating_sub(start.1);
    if ticks > 10 * grain.resolution_ticks { elapsed as f64 / ticks as f64 } else { 1.0 }
}

/// Proves a case right, opens it and finds its calls per sample.
fn ready(
    catalogue: &Catalogue,
    case: Option<&Case>,
    offset_bytes: usize,
    clock: &dyn Clock,
    grain: Grain,
    tick_ns: f64,
    calls: Option<u32>,
) -> Result<(Box<dyn Routine>, Vec<usize>, u32), Failure> {
    let case = case.ok_or_else(|| Failure::Unavailable("this build does not have it".into()))?;
    catalogue
        .verify(case, LONGEST_ANSWER_BYTES)
        .map_err(|unverified| Failure::Wrong(unverified.to_string()))?;
    let unavailable = |error: OpenError| Failure::Unavailable(error.to_string());
    let placement = Placement { offset: offset_bytes };
    let sizes = case.entry.axis.sizes();
    let mut routine = case.open(&case.timing_setup(placement)).map_err(unavailable)?;
    routine.prepare(sizes.last().copied().unwrap_or(0)).map_err(unavailable)?;
    let calls = match calls {
        Some(calls) => calls,
        None => calls_per_sample(clock, &mut *routine, grain, tick_ns)?,
    };
    Ok((routine, sizes, calls))
}

/// Calls that make a sample of the largest size long enough for this clock. The same number serves
/// all sizes, so that what a sample costs beside the calls is the same at every size and cannot
/// reach the slope.
fn calls_per_sample(
    clock: &dyn Clock,
    routine: &mut dyn Routine,
    grain: Grain,
    tick_ns: f64,
) -> Result<u32, Failure> {
    let step_ns = grain.resolution_ticks as f64 * tick_ns;
    let wanted_ns = (STEPS_PER_SAMPLE as f64 * step_ns)
        .min(LONG_SAMPLE_NS)
        .max(FEWEST_STEPS_PER_SAMPLE as f64 * step_ns)
        .max(SHORTEST_SAMPLE_NS);
    if wanted_ns > LONGEST_SAMPLE_NS {
        return Err(Failure::ClockTooCoarse(format!(
            "the clock's steps of {:.3} ms are too coarse to time it",
            step_ns / 1e6
        )));
    }
    let mut calls = 1;
    loop {
        // The lowest of three: an interruption here would make all samples too short.
        let ticks = (0..3).filter_map(|_| time_calls(clock, routine, calls)).min().unwrap_or(0);
        let elapsed_ns = ticks.saturating_sub(grain.cost_ticks) as f64 * tick_ns;
        if elapsed_ns >= wanted_ns || calls >= MOST_CALLS {
            return Ok(calls);
        }
        // Too little was seen to extrapolate from: double. Else aim a tenth past the mark.
        calls = if elapsed_ns < wanted_ns / 50.0 {
            calls * 4
        } else {
            let factor = (1.1 * wanted_ns / elapsed_ns).max(1.1);
            (f64::from(calls) * factor).ceil() as u32
        }
        .min(MOST_CALLS);
    }
}

/// What the visits of one worker share.
struct Sampler<'a> {
    clock: &'a dyn Clock,
    cpus: Cpus<'a>,
    tick_ns: f64,
    /// Rounds wanted of every case, when the user gave their number.
    wanted: u32,
}

/// Why a round came to nothing.
enum Unfinished {
    /// The case must not be timed any more.
    Failed(Failure),
    /// No quiet core was found in time.
    Busy,
}

impl From<Failure> for Unfinished {
    fn from(failure: Failure) -> Self {
        Unfinished::Failed(failure)
    }
}

impl Sampler<'_> {
    /// One visit: on a quiet core an unrecorded warm-up, then recorded rounds.
    fn visit(&mut self, subject: &mut Subject) -> (Vec<Round>, Option<Failure>) {
        let mut rounds = Vec::new();
        let deadline_ns = self.clock.monotonic_ns().saturating_add(PATIENCE_NS);
        self.cpus.settle(deadline_ns);
        let round_ns = match self.warm_up(subject) {
            Ok(round_ns) => round_ns,
            Err(failure) => return (rounds, Some(failure)),
        };
        let wanted = ((VISIT_NS / round_ns.max(1.0)) as u32)
            .clamp(1, ROUNDS_PER_VISIT)
            .min(self.wanted - subject.recorded);
        for _ in 0..wanted {
            // Each round at another depth of the stack: some code is slower where its locals and
            // the message lie badly to each other.
            let depth = (subject.recorded * 5) % DEPTHS;
            match deeper(depth, &mut || self.round(subject, deadline_ns)) {
                Ok(round) => rounds.push(round),
                Err(Unfinished::Failed(failure)) => return (rounds, Some(failure)),
                Err(Unfinished::Busy) => break,
            }
            subject.recorded += 1;
        }
        (rounds, None)
    }

    /// One sample at every size, in windows with a look at the core between them; a window beside a
    /// busy neighbour is repeated until `deadline_ns`.
    fn round(&mut self, subject: &mut Subject, deadline_ns: u64) -> Result<Round, Unfinished> {
        let mut ticks = vec![0; subject.sizes.len()];
        let mut worst: Option<f64> = None;
        let mut next = 0;
        let mut before = self.cpus.probe();
        while next < ticks.len() {
            let begin = self.clock.ticks();
            let mut at = next;
            while at < ticks.len() && (at == next || self.elapsed_ns(begin) < WINDOW_NS) {
                ticks[at] = self.sample(subject, at)?;
                at += 1;
            }
            let after = self.cpus.probe();
            let contention = before.zip(after).map(|(before, after)| f64::max(before, after));
            before = after;
            if !self.cpus.is_quiet(contention) {
                if self.clock.monotonic_ns() < deadline_ns {
                    before = self.cpus.settle(deadline_ns);
                    self.warm_up(subject)?;
                    continue;
                }
                if !subject.must {
                    return Err(Unfinished::Busy);
                }
            }
            worst = contention.map(|contention| worst.map_or(contention, |w| w.max(contention)));
            next = at;
        }
        Ok(Round { case: subject.index, calls: subject.calls, ticks, contention: worst })
    }

    fn elapsed_ns(&self, begin: u64) -> f64 {
        self.clock.ticks().saturating_sub(begin) as f64 * self.tick_ns
    }

    /// Samples that are not recorded, for caches and predictors still hold what ran before. Returns
    /// what a whole round will take, in nanoseconds.
    fn warm_up(&mut self, subject: &mut Subject) -> Result<f64, Failure> {
        let begin = self.clock.ticks();
        let (mut calls, mut bytes) = (0, 0);
        // From the largest size down, so that a slow case, which has no time for all, warms up on
        // what matters most.
        for at in (0..subject.sizes.len()).rev() {
            self.sample(subject, at)?;
            (calls, bytes) = (calls + 1, bytes + subject.sizes[at]);
            if self.elapsed_ns(begin) > WARM_UP_NS {
                break;
            }
        }
        // By calls where they are all alike, by bytes where bytes count.
        let by_calls = subject.sizes.len() as f64 / f64::from(calls);
        let by_bytes = subject.sizes.iter().sum::<usize>() as f64 / bytes.max(1) as f64;
        Ok(self.elapsed_ns(begin) * by_calls.min(by_bytes))
    }

    /// One sample at one size, its result checked; 0 when the clock did not move forward.
    fn sample(&self, subject: &mut Subject, at: usize) -> Result<u64, Failure> {
        let size = subject.sizes[at];
        subject.routine.prepare(size).map_err(|error| Failure::Wrong(error.to_string()))?;
        let ticks = time_calls(self.clock, &mut *subject.routine, subject.calls).unwrap_or(0);
        let output = checksum(subject.routine.output());
        if *subject.expected[at].get_or_insert(output) != output {
            return Err(Failure::Wrong(format!(
                "the same message of {size} bytes gave two different results"
            )));
        }
        Ok(ticks)
    }
}

/// Tells two outputs apart; no more is asked of it (FNV-1a by words, Fowler, Noll and Vo).
fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, |sum: u64, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (sum ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
