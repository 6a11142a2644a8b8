//! What the counters say of a case: samples that are counted and not timed, after the timed rounds
//! of a visit, in a tenth of the time that these took.

use std::collections::HashMap;

use crate::counters::{Counters, Pmu, Reading};
use crate::frequency::counted_cycles;
use crate::sample::count_calls;
use crate::visit::{Sampler, Subject};
use crate::wire::{Counted, Failure, Request, Round};

/// The share of a visit's time that counting may take.
const SHARE: f64 = 0.1;
/// What starting, stopping and reading the counters may take beside a sample, before one is known.
const SWITCHING_NS: f64 = 20e3;

/// The counting of one worker.
pub struct CountingPass {
    /// None where nothing can be counted.
    counters: Option<Counters>,
    worker: u32,
    tick_ns: f64,
    states: HashMap<usize, State>,
}

/// How far the counting of a case is.
struct State {
    /// Samples counted, those of earlier workers included.
    counted: u32,
    /// Nanoseconds that it may still take; below zero after a sample that took longer than thought.
    saved_ns: f64,
    /// Whether this worker has made room for a sample that takes more than all of a worker's share.
    borrowed: bool,
}

impl CountingPass {
    /// Opens the counters that are asked for; without any no system call is made.
    #[must_use]
    pub fn new(pmu: &dyn Pmu, request: &Request, tick_ns: f64) -> Self {
        let state = |counted| State { counted, saved_ns: 0.0, borrowed: false };
        let wanted = request.cases.iter().enumerate();
        let states: HashMap<usize, State> =
            wanted.filter_map(|(at, order)| Some((at, state(order.counted?)))).collect();
        let wanted = !request.counters.is_empty() && !states.is_empty();
        let counters = wanted.then(|| Counters::open(pmu, &request.counters));
        CountingPass { counters, worker: request.worker, tick_ns, states }
    }

    /// Counts samples of a case after a visit that took `visit_ns`, as many as there is time for; and
    /// tells why the case must not be timed any more, when that came out.
    pub fn after_visit(
        &mut self,
        sampler: &mut Sampler<'_>,
        subject: &mut Subject,
        rounds: &[Round],
        visit_ns: u64,
    ) -> (Vec<Counted>, Option<Failure>) {
        let mut counted = Vec::new();
        let Some(counters) = &mut self.counters else { return (counted, None) };
        let Some(state) = self.states.get_mut(&subject.index) else { return (counted, None) };
        state.saved_ns += SHARE * visit_ns as f64;
        let longest_ticks = rounds
            .iter()
            .flat_map(|round| &round.windows)
            .flat_map(|window| &window.samples)
            .map(|&(_, ticks)| ticks)
            .max();
        let sample_ns = longest_ticks.unwrap_or(0) as f64 * self.tick_ns + SWITCHING_NS;
        if rounds.is_empty() || !state.may_count(sample_ns, self.worker) {
            return (counted, None);
        }
        let before = sampler.cpus.probe();
        while state.saved_ns >= sample_ns && counted.len() < subject.sizes.len() {
            let begin_ns = sampler.clock.monotonic_ns();
            let at = place(state.counted, subject.sizes.len());
            let counts =
                match subject.checked(at, |routine, calls| count_calls(counters, routine, calls)) {
                    Ok(counts) => counts,
                    Err(failure) => return (counted, Some(failure)),
                };
            let scaled = |reading: Result<Reading, _>| reading.ok().and_then(Reading::scaled);
            counted.push(Counted {
                case: subject.index,
                at,
                calls: subject.calls.at(at),
                counts: counts.into_iter().map(scaled).collect(),
                quiet: false,
            });
            state.counted += 1;
            state.saved_ns -= sampler.clock.monotonic_ns().saturating_sub(begin_ns) as f64;
        }
        let looks = before.zip(sampler.cpus.probe());
        let contention = looks.map(|(a, b)| f64::max(a.contention(), b.contention()));
        let quiet = sampler.cpus.is_quiet(contention);
        counted.iter_mut().for_each(|counted| counted.quiet = quiet);
        (counted, None)
    }

    /// Cycles that a counter sees in a cycle of the chain, when this worker counts.
    pub fn counted_cycles(&mut self) -> Option<f64> {
        self.counters.as_mut().and_then(counted_cycles)
    }
}

impl State {
    /// Whether there is time for a sample. One that takes more than a worker's share is taken by one
    /// worker in so many.
    fn may_count(&mut self, sample_ns: f64, worker: u32) -> bool {
        if self.saved_ns < sample_ns && !self.borrowed && self.saved_ns > 0.0 {
            let one_in = (sample_ns / self.saved_ns).ceil() as u32;
            if worker.is_multiple_of(one_in.max(1)) {
                self.saved_ns = sample_ns;
                self.borrowed = true;
            }
        }
        self.saved_ns >= sample_ns
    }
}

/// Which of `sizes` sizes is counted next, after `counted` samples: each once in a turn, and the
/// first few of a turn far from each other, for a turn may break off.
fn place(counted: u32, sizes: usize) -> usize {
    /// Multiples of the golden section are the farthest from each other.
    const GOLDEN: f64 = 0.618_034;
    let from = ((sizes as f64 * GOLDEN).round() as usize).max(1);
    let step = (from..).find(|&step| common_divisor(step, sizes) == 1).unwrap_or(1);
    counted as usize % sizes.max(1) * step % sizes.max(1)
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_is_counted_once_in_a_turn() {
        for sizes in [1, 2, 3, 4, 5, 8, 16, 65] {
            for turn in 0..3 {
                let turn = turn * sizes as u32..(turn + 1) * sizes as u32;
                let mut places: Vec<usize> = turn.map(|counted| place(counted, sizes)).collect();
                places.sort_unstable();
                assert_eq!(places, (0..sizes).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn half_a_turn_is_spread_over_all_sizes() {
        let mut places: Vec<usize> = (0..32).map(|counted| place(counted, 65)).collect();
        places.sort_unstable();
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] <= 5), "{places:?}");
    }

    #[test]
    fn a_sample_longer_than_a_workers_share_is_left_to_one_worker_in_so_many() {
        let counts = |worker| {
            let mut state = State { counted: 0, saved_ns: 100.0, borrowed: false };
            state.may_count(450.0, worker)
        };
        let who: Vec<u32> = (0..11).filter(|&worker| counts(worker)).collect();
        assert_eq!(who, [0, 5, 10]);
        // It is not borrowed twice.
        let mut state = State { counted: 0, saved_ns: 100.0, borrowed: false };
        assert!(state.may_count(450.0, 0));
        state.saved_ns -= 450.0;
        state.saved_ns += 100.0;
        assert!(!state.may_count(450.0, 0));
    }
}
