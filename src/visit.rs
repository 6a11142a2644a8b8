//! A visit to one case: on a quiet core a warm-up that is not recorded, then rounds over all sizes.

use bench_slope_algorithms::{Placement, Routine};

use crate::clock::Clock;
use crate::cpus::Cpus;
use crate::placements::{message_offset, stack_pages, stack_place};
use crate::sample::{on_stack_at, time_calls};
use crate::wire::{Calls, Failure, Round, Window};

/// How much time a visit takes.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// A visit goes on for about this long after its warm-up ...
    visit_ns: f64,
    /// ... but has at most so many rounds ...
    rounds: u32,
    /// ... or, of a case of few sizes, as many as make so many samples.
    ///
    /// More visits tell more than longer ones: between one interruption
    /// and the next SHA-256 of 32 bytes is in one of two states, 2 % apart, and 64 samples in a row
    /// are often all in one.
    samples: usize,
    /// A warm-up is one round over all sizes, or as much of it as fits in this time.
    warm_up_ns: f64,
    /// A visit looks for a quiet core for this long in all.
    patience_ns: u64,
    /// A round that takes longer than this leaves sizes out ...
    long_round_ns: f64,
    /// ... of so many at most all but one ...
    thinning: usize,
    /// ... and of so many where samples are long for the clock's sake: its steps are evened out over the
    /// sizes.
    thinning_of_many_calls: usize,
}

impl Pace {
    /// For numbers to trust.
    pub const THOROUGH: Pace = Pace {
        visit_ns: 2e6,
        rounds: 8,
        samples: 16,
        warm_up_ns: 8e5,
        patience_ns: 10_000_000,
        long_round_ns: 8e6,
        thinning: 16,
        thinning_of_many_calls: 2,
    };
    /// For a sign of life in a millisecond.
    pub const QUICK: Pace = Pace {
        visit_ns: 0.0,
        rounds: 1,
        samples: 1,
        warm_up_ns: 0.0,
        patience_ns: 0,
        long_round_ns: 1e6,
        thinning: 16,
        thinning_of_many_calls: 16,
    };
}

impl Pace {
    /// The step from one size of a case to the next, so that a round over all sizes, which takes
    /// `round_ns`, does not get too long: 1, 2, 4 and so on. Every worker has the same, and so a whole line;
    /// were the sizes shared among them, each size would rest on a few workers only.
    fn step(self, sizes: usize, round_ns: f64, calls: u32) -> usize {
        let wanted = (round_ns / self.long_round_ns).ceil().max(1.0) as usize;
        let most = if calls == 1 { self.thinning } else { self.thinning_of_many_calls };
        wanted.min(most).min(sizes.max(1)).next_power_of_two()
    }
}

/// Every so many of the places of this many sizes, and always the last: the longest messages tell most
/// of a slope.
fn thinned(sizes: usize, step: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..sizes).step_by(step).collect();
    if let Some(last) = sizes.checked_sub(1).filter(|last| places.last() != Some(last)) {
        places.push(last);
    }
    places
}

/// Samples between two looks at the core take about this long.
const WINDOW_NS: f64 = 3e5;
/// A sample that lasts so long is seldom without another program, where there is one.
const LONG_SAMPLE_NS: f64 = 1e6;
/// A thread that lacked the processor for this share of a sample shared it: less is the accuracy of its time.
const LACKED: f64 = 0.02;
/// A case is opened again for its message to lie elsewhere when that takes no longer than this: a
/// fiftieth of a visit.
const QUICKLY_OPENED_NS: u64 = 50_000;

/// Opens a case with its message at a place.
pub type Reopen = Box<dyn Fn(Placement) -> Result<Box<dyn Routine>, Failure>>;

/// A case that is ready to be sampled.
pub struct Subject {
    /// Its place in the request.
    pub index: usize,
    /// The opened case, proven right.
    pub routine: Box<dyn Routine>,
    /// Opens it again elsewhere; `None` where it has no message to be moved, or one too long.
    pub reopen: Option<Reopen>,
    /// Where its message lies in the first visit.
    pub first: Placement,
    /// Visits so far.
    pub visits: u32,
    /// Calls in each sample.
    pub calls: Calls,
    /// Whether to record it on a busy core too.
    pub must: bool,
    /// The sizes, ascending.
    pub sizes: Vec<usize>,
    /// The step from one of them to the next that is sampled, once a visit has settled it.
    pub step: Option<usize>,
    /// Rounds recorded so far.
    pub recorded: u32,
    /// Checksum of the output at each size, from the first time it was computed.
    pub expected: Vec<Option<u64>>,
    /// Whether the last sample at each size lasted so long that others may have had the processor meanwhile.
    pub long: Vec<bool>,
}

/// What the visits of one worker share.
pub struct Sampler<'a> {
    /// The worker's number: which size it begins with.
    pub worker: u32,
    /// How much time it takes.
    pub pace: Pace,
    /// Whether each round must have every size.
    pub every_size: bool,
    /// The clock samples are taken with.
    pub clock: &'a dyn Clock,
    /// Where it is quiet.
    pub cpus: Cpus<'a>,
    /// About how many nanoseconds a tick is: for budgets.
    pub tick_ns: f64,
    /// Rounds wanted of every case, when the user gave their number.
    pub wanted: u32,
}

impl Sampler<'_> {
    /// One visit: on a quiet core a warm-up that is not recorded, then rounds; and why the case must
    /// not be timed any more, when that came out.
    pub fn visit(&mut self, subject: &mut Subject) -> (Vec<Round>, Option<Failure>) {
        let deadline_ns = self.clock.monotonic_ns().saturating_add(self.pace.patience_ns);
        if let Err(failure) = subject.move_message(self.clock) {
            return (Vec::new(), Some(failure));
        }
        let pages = stack_pages(self.worker, subject.visits);
        subject.visits += 1;
        on_stack_at(pages, 0, &mut || self.rounds(subject, deadline_ns))
    }

    /// What a visit does once stack and message lie where they shall.
    fn rounds(&mut self, subject: &mut Subject, deadline_ns: u64) -> (Vec<Round>, Option<Failure>) {
        let mut rounds = Vec::new();
        self.cpus.settle(deadline_ns);
        let round_ns = match self.warm_up(subject) {
            Ok(round_ns) => round_ns,
            Err(failure) => return (rounds, Some(failure)),
        };
        let most_calls = subject.calls.at(subject.sizes.len().saturating_sub(1));
        // The first visit settles it: a size that only some visits have would rest on fewer samples.
        let usual = || {
            if self.every_size {
                1
            } else {
                self.pace.step(subject.sizes.len(), round_ns, most_calls)
            }
        };
        let step = subject.step.unwrap_or_else(usual);
        subject.step = Some(step);
        let mut own = thinned(subject.sizes.len(), step);
        // Each worker begins with another size, so that a visit that breaks off does not always
        // lack the large ones.
        let first = self.worker as usize * 11 % own.len().max(1);
        own.rotate_left(first);
        let most = self.pace.rounds.max((self.pace.samples / own.len().max(1)) as u32);
        let wanted = ((self.pace.visit_ns * step as f64 / round_ns.max(1.0)) as u32)
            .clamp(1, most)
            .min(self.wanted - subject.recorded);
        for _ in 0..wanted {
            match self.round(subject, &own, deadline_ns) {
                Ok(round) => {
                    let whole = round.whole;
                    if round.windows.is_empty() && !whole {
                        break;
                    }
                    rounds.push(round);
                    subject.recorded += 1;
                    if !whole {
                        break;
                    }
                }
                Err(failure) => return (rounds, Some(failure)),
            }
        }
        (rounds, None)
    }

    /// One sample at each of these sizes, in windows with a look at the core between them; a window
    /// beside a busy neighbour is repeated until `deadline_ns`. When time is up the round ends early,
    /// unless the case must have samples.
    fn round(
        &mut self,
        subject: &mut Subject,
        own: &[usize],
        deadline_ns: u64,
    ) -> Result<Round, Failure> {
        let (case, calls) = (subject.index, subject.calls.clone());
        let step = subject.step.unwrap_or(1);
        let mut round = Round { case, calls, step, windows: Vec::new(), whole: false };
        let mut done = 0;
        let mut before = self.cpus.probe();
        while done < own.len() {
            let begin = self.clock.ticks();
            let mut samples = Vec::new();
            while let Some(&at) = own.get(done + samples.len()) {
                if !samples.is_empty() && self.elapsed_ns(begin) >= WINDOW_NS {
                    break;
                }
                samples.push((at, self.sample(subject, at)?));
            }
            let after = self.cpus.probe();
            let window = Window { samples, looks: before.zip(after) };
            before = after;
            if !self.cpus.is_quiet(window.contention()) {
                if self.clock.monotonic_ns() < deadline_ns {
                    before = self.cpus.settle(deadline_ns);
                    self.warm_up(subject)?;
                    continue;
                }
                if !subject.must {
                    return Ok(round);
                }
            }
            done += window.samples.len();
            round.windows.push(window);
        }
        round.whole = true;
        Ok(round)
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
            if self.elapsed_ns(begin) > self.pace.warm_up_ns {
                break;
            }
        }
        // By calls where they are all alike, by bytes where bytes count.
        let by_calls = subject.sizes.len() as f64 / f64::from(calls);
        let by_bytes = subject.sizes.iter().sum::<usize>() as f64 / bytes.max(1) as f64;
        Ok(self.elapsed_ns(begin) * by_calls.min(by_bytes))
    }

    /// One sample at one size, its result checked; 0 when the clock did not move forward.
    ///
    /// Each has the stack at another place, for many samples to share what luck and bad luck there is.
    fn sample(&self, subject: &mut Subject, at: usize) -> Result<u64, Failure> {
        let place = stack_place(self.worker, subject.recorded, at);
        // Not about short ones: the system call before them would be in what they take.
        let was_long = subject.long[at];
        let cpu_ns = || was_long.then(|| self.clock.thread_cpu_ns()).flatten();
        let ticks = subject.checked(at, |routine, calls| {
            let before = cpu_ns();
            let timed = on_stack_at(0, place, &mut || time_calls(self.clock, routine, calls));
            let ticks = timed.unwrap_or(0);
            let had_ns = before.zip(cpu_ns()).and_then(|(from, to)| to.checked_sub(from));
            without_others(ticks, had_ns, self.tick_ns)
        })?;
        subject.long[at] = ticks as f64 * self.tick_ns >= LONG_SAMPLE_NS;
        Ok(ticks)
    }
}

/// A sample without the time that others had the processor, where the thread had it for `had_ns` only.
///
/// A sample of 5 ms beside a busy program always has a slice of 4 ms of the other's in it, and no floor over
/// many such is the work's own time. Interruptions count as the thread's own, and stay.
fn without_others(ticks: u64, had_ns: Option<u64>, tick_ns: f64) -> u64 {
    let wall_ns = ticks as f64 * tick_ns;
    match had_ns.map(|ns| ns as f64) {
        Some(had_ns) if had_ns < (1.0 - LACKED) * wall_ns => (had_ns / tick_ns) as u64,
        _ => ticks,
    }
}

impl Subject {
    /// Puts the message where this visit has it, unless that takes too long.
    fn move_message(&mut self, clock: &dyn Clock) -> Result<(), Failure> {
        let Some(reopen) = self.reopen.as_ref().filter(|_| self.visits > 0) else {
            return Ok(());
        };
        let begin_ns = clock.monotonic_ns();
        let offset = message_offset(self.first.offset, self.visits);
        // The one before is still there, and so its own state lies elsewhere too.
        self.routine = reopen(Placement { offset })?;
        if clock.monotonic_ns().saturating_sub(begin_ns) > QUICKLY_OPENED_NS {
            self.reopen = None;
        }
        Ok(())
    }

    /// Lets `sample` call the routine on a message of the size at this place, and checks the result.
    pub fn checked<T>(
        &mut self,
        at: usize,
        sample: impl FnOnce(&mut dyn Routine, u32) -> T,
    ) -> Result<T, Failure> {
        let size = self.sizes[at];
        self.routine.prepare(size).map_err(|error| Failure::Wrong(error.to_string()))?;
        let sampled = sample(&mut *self.routine, self.calls.at(at));
        let output = self.routine.output();
        if !self.routine.accepted() || (output.is_empty() && size > 0) {
            // A rejected message takes no time worth telling.
            return Err(Failure::Wrong(format!("a valid message of {size} bytes was rejected")));
        }
        let output = checksum(output);
        if *self.expected[at].get_or_insert(output) != output {
            return Err(Failure::Wrong(format!(
                "the same message of {size} bytes gave two different results"
            )));
        }
        Ok(sampled)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_cases_have_fewer_sizes_and_both_ends() {
        let step = |ms: f64| Pace::THOROUGH.step(65, ms * 1e6, 1);
        assert_eq!([1.0, 8.0, 9.0, 30.0, 40.0, 1e6].map(step), [1, 1, 2, 4, 8, 16]);
        assert_eq!(Pace::THOROUGH.step(65, 1e12, 2), 2);
        assert_eq!(thinned(65, 16), [0, 16, 32, 48, 64]);
        assert_eq!(thinned(65, 1).len(), 65);
        assert_eq!(thinned(10, 4), [0, 4, 8, 9]);
        assert_eq!((thinned(1, 1), thinned(0, 1)), (vec![0], vec![]));
        assert_eq!(Pace::THOROUGH.step(3, 1e12, 1), 4);
        assert_eq!(thinned(3, 4), [0, 2]);
    }

    #[test]
    fn what_others_had_of_a_long_sample_is_taken_off() {
        // 9 ms on a clock of half a nanosecond, of which the thread had 5.
        assert_eq!(without_others(18_000_000, Some(5_000_000), 0.5), 10_000_000);
        // Two clocks never agree quite; a thread that had more than the sample lasted had all of it.
        assert_eq!(without_others(18_000_000, Some(8_900_000), 0.5), 18_000_000);
        assert_eq!(without_others(18_000_000, Some(9_100_000), 0.5), 18_000_000);
        assert_eq!(without_others(18_000_000, None, 0.5), 18_000_000);
        assert_eq!(without_others(0, Some(5_000_000), 0.5), 0);
    }
}
