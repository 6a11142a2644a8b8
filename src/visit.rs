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
    /// A round that takes longer than this is shared among workers ...
    long_round_ns: f64,
    /// ... at most this many, each with one size in so many.
    shares: usize,
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
        shares: 16,
    };
    /// For a sign of life in a millisecond.
    pub const QUICK: Pace = Pace {
        visit_ns: 0.0,
        rounds: 1,
        samples: 1,
        warm_up_ns: 0.0,
        patience_ns: 0,
        long_round_ns: 1e6,
        shares: 16,
    };
}

/// Samples between two looks at the core take about this long.
const WINDOW_NS: f64 = 3e5;
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
    /// Rounds recorded so far.
    pub recorded: u32,
    /// Checksum of the output at each size, from the first time it was computed.
    pub expected: Vec<Option<u64>>,
}

/// What the visits of one worker share.
pub struct Sampler<'a> {
    /// The worker's number: which sizes of a slow case are its own.
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
        // A slow case shares its sizes among the workers, unless every size is wanted of this one.
        let share = if self.every_size {
            1
        } else {
            let most = self.pace.shares.min(subject.sizes.len()).max(1);
            ((round_ns / self.pace.long_round_ns).ceil() as usize).clamp(1, most)
        };
        let mut own: Vec<usize> =
            (self.worker as usize % share..subject.sizes.len()).step_by(share).collect();
        // Each worker begins with another size, so that a visit that breaks off does not always
        // lack the large ones.
        let first = self.worker as usize * 11 % own.len().max(1);
        own.rotate_left(first);
        let most = self.pace.rounds.max((self.pace.samples / own.len().max(1)) as u32);
        let wanted = ((self.pace.visit_ns * share as f64 / round_ns.max(1.0)) as u32)
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
        let mut round = Round { case, calls, windows: Vec::new(), whole: false };
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
        subject.checked(at, |routine, calls| {
            on_stack_at(0, place, &mut || time_calls(self.clock, routine, calls)).unwrap_or(0)
        })
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
        if output.is_empty() && size > 0 {
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
