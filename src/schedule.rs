//! What one worker does with its time: every case proven right, then visited in turn.
//!
//! Why in turn: a neighbour on the sibling hardware thread slows some code to half its speed for a
//! tenth of a second up to several seconds. A row that is measured in one stretch gets whichever
//! state holds; a row whose visits are spread over the whole run meets the quiet one too.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use bench_slope_algorithms::{
    Case, Catalogue, OpenError, Operation, Placement, Routine, Section, Setup, gives_back,
};

use crate::clock::{Clock, Grain, grain, moment};
use crate::count::CountingPass;
use crate::counters::Pmu;
use crate::cpus::{Cpus, current, told_megahertz};
use crate::frequency::{agreement, megahertz, probe};
use crate::sample::time_calls;
use crate::visit::{Pace, Reopen, Sampler, Subject};
use crate::wire::{Calls, Done, Event, Failure, Order, Request};

/// Known answers of longer messages, or of more iterations, are left to `self-test`: before timing
/// they would cost more than the measurement.
pub const LONGEST_ANSWER: usize = 8192;

/// A sample lasts at least this many steps of the clock, so that a step is a thousandth of it.
const STEPS_PER_SAMPLE: u64 = 1000;
/// On a coarse clock as few as this many, down from [`STEPS_PER_SAMPLE`] ...
const FEWEST_STEPS_PER_SAMPLE: u64 = 100;
/// ... when samples would last longer than this.
const LONG_SAMPLE_NS: f64 = 200e3;
/// A sample never has to last longer than this; a clock that would need it is too coarse.
const LONGEST_SAMPLE_NS: f64 = 5e6;
/// Steps longer than this are too coarse to time anything by.
pub const COARSEST_STEP_NS: f64 = LONGEST_SAMPLE_NS / FEWEST_STEPS_PER_SAMPLE as f64;
/// A sample on the finest clock lasts at least this long, so that a reading's jitter drowns.
const SHORTEST_SAMPLE_NS: f64 = 8e3;
/// The same where the user says how long a sample lasts.
const MOST_CALLS_IN_EPOCH: u32 = 1 << 27;
/// A little more than the user says, for the calls that were timed may have been slow ones.
const EPOCH_MARGIN: f64 = 1.05;
/// A call that lasts so many times what a sample has to cannot be too short by chance.
const FAR_TOO_LONG: f64 = 100.0;
/// Calls per sample end here, for routines that do nothing at all.
const MOST_CALLS: u32 = 1 << 14;
/// Longer messages stay where they are: to copy them takes its time, and they lie at all places of a page.
const LONGEST_MOVED: usize = 16 * 1024;

/// Does what a request asks, telling `tell` of it.
///
/// # Errors
/// Whatever `tell` returns: the parent is gone.
pub fn work<E>(
    catalogue: &Catalogue,
    clock: &dyn Clock,
    pmu: &dyn Pmu,
    request: &Request,
    tell: &mut dyn FnMut(Event) -> Result<(), E>,
) -> Result<(), E> {
    let start = moment(clock);
    let cpu_start = clock.cpu_ns();
    let deadline_ns = start.1.saturating_add(request.budget_ns);
    let Some(grain) = grain(clock) else {
        for index in 0..request.cases.len() {
            tell(Event::Failed(index, Failure::ClockTooCoarse("the clock stands still".into())))?;
        }
        return tell(Event::Done(Done {
            clock: clock.name().to_owned(),
            ns_per_tick: 1.0,
            cost_ticks: 0,
            resolution_ticks: 0,
            wall_ns: 0,
            cpu_ns: None,
            frequency_agreement: None,
            system_agreement: None,
            counted_cycles: None,
            lowest_contention: None,
        }));
    };
    let tick_ns = tick_ns(clock, start, grain);
    let cases = Section::ALL.iter().flat_map(|&section| catalogue.cases(section));
    let by_id: HashMap<String, Case> = cases.map(|case| (case.id(), case)).collect();
    let placement = Placement { offset: request.offset_bytes };
    let min_epoch_ns = request.min_epoch_ns.map(|ns| ns as f64);
    let preparation = Preparation { catalogue, clock, grain, tick_ns, placement, min_epoch_ns };

    let mut sampler = Sampler {
        worker: request.worker,
        pace: if request.quick { Pace::QUICK } else { Pace::THOROUGH },
        // Sizes that are far apart are not shared: each point counts by itself.
        // But long samples are, for a round of all sizes would be too long.
        every_size: request.rounds.is_some()
            || request.min_epoch_ns.is_none() && request.cases.iter().any(|order| order.own_calls),
        clock,
        cpus: Cpus::new(clock, grain, &request.cpus, request.lowest_contention),
        tick_ns,
        wanted: request.rounds.unwrap_or(u32::MAX),
    };
    let mut counting = CountingPass::new(pmu, request, tick_ns);
    let mut subjects = Vec::new();
    for (index, order) in request.cases.iter().enumerate() {
        tell(Event::Begin(index))?;
        match preparation.subject(index, order, by_id.get(&order.id)) {
            Ok(subject) => subjects.push(subject),
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
            let begin_ns = clock.monotonic_ns();
            let (rounds, mut failure) = sampler.visit(&mut subject);
            if failure.is_none() {
                let visit_ns = clock.monotonic_ns().saturating_sub(begin_ns);
                let (counted, wrong) =
                    counting.after_visit(&mut sampler, &mut subject, &rounds, visit_ns);
                for counted in counted {
                    tell(Event::Counted(counted))?;
                }
                failure = wrong;
            }
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

    let end = moment(clock);
    let ticks = end.0.saturating_sub(start.0);
    let elapsed_ns = end.1.saturating_sub(start.1);
    tell(Event::Done(Done {
        clock: clock.name().to_owned(),
        // Without ticks there are no samples either.
        ns_per_tick: if ticks > 0 { elapsed_ns as f64 / ticks as f64 } else { 1.0 },
        cost_ticks: grain.cost_ticks,
        resolution_ticks: grain.resolution_ticks,
        wall_ns: elapsed_ns,
        cpu_ns: cpu_start.zip(clock.cpu_ns()).map(|(start, end)| end.saturating_sub(start)),
        frequency_agreement: agreement(clock, grain),
        system_agreement: system_agreement(clock, grain, tick_ns, &request.root),
        counted_cycles: counting.counted_cycles(),
        lowest_contention: sampler.cpus.lowest(),
    }))
}

/// The frequency that the system tells of the processor this runs on, over that of the chain.
fn system_agreement(clock: &dyn Clock, grain: Grain, tick_ns: f64, root: &Path) -> Option<f64> {
    let told = told_megahertz(root, current()?)?;
    let probe = probe(clock, grain)?;
    let ns = |ticks: u64| ticks as f64 * tick_ns;
    Some(told / megahertz(ns(probe.long_ticks), ns(probe.short_ticks))?)
}

/// A first idea of a tick's length since the `start` moment, for budgets only: 1 when too little time
/// has passed to tell.
#[must_use]
pub fn tick_ns(clock: &dyn Clock, start: (u64, u64), grain: Grain) -> f64 {
    // The grain was measured for some 10 µs at least; a millisecond makes the idea a good one.
    let until = clock.monotonic_ns().saturating_add(1_000_000);
    while clock.monotonic_ns() < until && clock.ticks() > 0 {}
    let end = moment(clock);
    let (ticks, elapsed) = (end.0.saturating_sub(start.0), end.1.saturating_sub(start.1));
    if ticks > 10 * grain.resolution_ticks { elapsed as f64 / ticks as f64 } else { 1.0 }
}

/// A routine whose message is as long whatever size is asked for.
struct OneSize {
    inner: Box<dyn Routine>,
    bytes: usize,
}

impl Routine for OneSize {
    fn prepare(&mut self, _: usize) -> Result<(), OpenError> {
        self.inner.prepare(self.bytes)
    }

    fn run(&mut self) {
        self.inner.run();
    }

    fn output(&self) -> &[u8] {
        self.inner.output()
    }

    fn accepted(&self) -> bool {
        self.inner.accepted()
    }
}

/// What makes cases ready.
struct Preparation<'a> {
    catalogue: &'a Catalogue,
    clock: &'a dyn Clock,
    grain: Grain,
    tick_ns: f64,
    placement: Placement,
    min_epoch_ns: Option<f64>,
}

impl Preparation<'_> {
    /// Proves a case right, opens it and finds its calls per sample.
    fn subject(
        &self,
        index: usize,
        order: &Order,
        case: Option<&Case>,
    ) -> Result<Subject, Failure> {
        let case =
            case.ok_or_else(|| Failure::Unavailable("this build does not have it".into()))?;
        self.catalogue
            .verify(case, LONGEST_ANSWER)
            .map_err(|unverified| Failure::Wrong(unverified.to_string()))?;
        let unavailable = |error: OpenError| Failure::Unavailable(error.to_string());
        let sizes = order.sizes.clone();
        let largest = sizes.last().copied().unwrap_or(0);
        let longest = order.message_bytes.unwrap_or(largest);
        let setup = case.timing_setup_up_to(self.placement, longest);
        let reopen = self.reopen(case, setup.clone(), order.message_bytes);
        let mut routine = reopen(self.placement)?;
        routine.prepare(largest).map_err(unavailable)?;
        if case.operation == Operation::Decrypt && !gives_back(&mut *routine, &setup.input) {
            let sentence = "decryption does not give the message back".to_owned();
            return Err(Failure::Wrong(sentence));
        }
        let calls = match &order.calls {
            Some(calls) => calls.clone(),
            None if order.own_calls => {
                let mut each = Vec::with_capacity(sizes.len());
                for &size in &sizes {
                    routine.prepare(size).map_err(unavailable)?;
                    each.push(self.calls_per_sample(&mut *routine)?);
                }
                Calls::Each(each)
            }
            None => Calls::Alike(self.calls_per_sample(&mut *routine)?),
        };
        let expected = vec![None; sizes.len()];
        let long = vec![false; sizes.len()];
        let moves = !setup.input.is_empty() || !setup.aad.is_empty();
        Ok(Subject {
            index,
            routine,
            reopen: (moves && longest <= LONGEST_MOVED).then_some(reopen),
            first: self.placement,
            visits: 0,
            calls,
            must: order.must,
            sizes,
            step: order.step,
            recorded: 0,
            expected,
            long,
        })
    }

    /// What opens a case with its message at a place.
    fn reopen(&self, case: &Case, setup: Setup, message_bytes: Option<usize>) -> Reopen {
        let (case, setup) = (case.clone(), RefCell::new(setup));
        Box::new(move |placement| {
            let mut setup = setup.borrow_mut();
            setup.placement = placement;
            let opened = case.open(&setup);
            let inner = opened.map_err(|error| Failure::Unavailable(error.to_string()))?;
            Ok(match message_bytes {
                Some(bytes) => Box::new(OneSize { inner, bytes }),
                None => inner,
            })
        })
    }

    /// Calls that make a sample of the message that is prepared long enough for this clock.
    fn calls_per_sample(&self, routine: &mut dyn Routine) -> Result<u32, Failure> {
        let step_ns = self.grain.resolution_ticks as f64 * self.tick_ns;
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
            // The lowest of three: an interruption here would make all samples too short. A call that
            // lasts by far long enough is not made again.
            let far = |ticks: u64| ticks as f64 * self.tick_ns > FAR_TOO_LONG * wanted_ns;
            let mut ticks = None;
            for _ in 0..3 {
                ticks = time_calls(self.clock, routine, calls).into_iter().chain(ticks).min();
                if calls == 1 && ticks.is_some_and(far) {
                    break;
                }
            }
            let ticks = ticks.unwrap_or(0);
            let elapsed_ns = ticks.saturating_sub(self.grain.cost_ticks) as f64 * self.tick_ns;
            if elapsed_ns >= wanted_ns || calls >= MOST_CALLS {
                return Ok(self.calls_for_epoch(calls, elapsed_ns));
            }
            // Too little was seen to extrapolate from: four times as many. Else aim a tenth past the mark.
            calls = if elapsed_ns < wanted_ns / 50.0 {
                calls * 4
            } else {
                let factor = (1.1 * wanted_ns / elapsed_ns).max(1.1);
                (f64::from(calls) * factor).ceil() as u32
            }
            .min(MOST_CALLS);
        }
    }

    /// As many calls as make a sample last as long as the user says, from so many that were timed.
    fn calls_for_epoch(&self, calls: u32, elapsed_ns: f64) -> u32 {
        match self.min_epoch_ns {
            Some(epoch_ns) if elapsed_ns > 0.0 && elapsed_ns < epoch_ns => {
                let wanted = f64::from(calls) * epoch_ns / elapsed_ns * EPOCH_MARGIN;
                wanted.ceil().min(f64::from(MOST_CALLS_IN_EPOCH)) as u32
            }
            _ => calls,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::clock::Stalling;
    use crate::counters::{Absence, NoPmu};

    /// What a worker says at its end that is stopped for 5 ms at one reading of the clock, and how
    /// often it read the clock.
    fn worked(stops_at: u64) -> (Done, u64) {
        let request = Request {
            worker: 0,
            budget_ns: 0,
            rounds: None,
            quick: false,
            lowest_contention: None,
            cpus: Vec::new(),
            offset_bytes: 0,
            min_epoch_ns: None,
            root: "/nonexistent".into(),
            counters: Vec::new(),
            cases: Vec::new(),
            parallel: None,
        };
        let clock = Stalling::new(stops_at);
        let catalogue = Catalogue::new(Vec::new(), &[]).expect("no answers");
        let mut told = None;
        let mut tell = |event| -> Result<(), Infallible> {
            if let Event::Done(done) = event {
                told = Some(done);
            }
            Ok(())
        };
        let pmu = NoPmu(Absence::SwitchedOff);
        let Ok(()) = work(&catalogue, &clock, &pmu, &request, &mut tell);
        (told.expect("it came to its end"), clock.readings())
    }

    #[test]
    fn a_stall_at_no_reading_moves_the_length_of_a_tick() {
        let (_, readings) = worked(u64::MAX);
        // Beginning and end: between them the clock is read tens of thousands of times, all alike.
        for at in (0..100).chain(readings - 100..readings) {
            let ns_per_tick = worked(at).0.ns_per_tick;
            assert!((ns_per_tick - 1.0).abs() < 1e-3, "stopped at reading {at}: {ns_per_tick}");
        }
    }
}
