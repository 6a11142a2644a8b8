//! One case on several processors at once: what a worker does when threads are asked for.
//!
//! The threads wait for each other, then all run calls and note the time after every few of them.
//! Only the time that all of them were running in counts, and the work done in it. In turn with these
//! windows each thread has some alone, so that both are taken at the same frequency and beside the
//! same neighbours. About each window each thread looks at its processor while the others stand
//! still: strangers are seen, and the threads do not take each other for strangers. Then all look at
//! once: processors that share a core are found out, whatever the system tells of them. That threads get
//! in each other's way in the windows is what is measured.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use bench_slope_algorithms::{Case, Catalogue, Placement, Routine};

use crate::clock::{Clock, Grain, grain, moment};
use crate::cpus::{Cpus, stay_on};
use crate::frequency::Probe;
use crate::ready;
use crate::sample::time_calls;
use crate::scaling::{Pair, Parallel, Progress, Told, rate};
use crate::schedule::{COARSEST_STEP_NS, LONGEST_ANSWER, tick_ns};
use crate::wire::{Event, Failure, Request};

/// Pairs of windows that a worker takes: one thread alone, then all.
const PAIRS: usize = 4;
/// Windows of all pairs.
const WINDOWS: usize = 2 * PAIRS;
/// A window lasts so long at least ...
const WINDOW_NS: u64 = 20_000_000;
/// ... and so many batches of calls, ...
const BATCHES_PER_WINDOW: u64 = 8;
/// ... unless it would be longer than this, or so many steps of the clock.
const LONGEST_WINDOW_NS: u64 = 1_000_000_000;
const STEPS_PER_WINDOW: f64 = 1000.0;
/// The beginning of a window does not count, for caches and frequency settle in it: one part in so
/// many.
const SETTLING: u64 = 10;
/// The time is noted about so often.
const BATCH_NS: u64 = 20_000;
/// Looks at a processor each time: the lowest counts, for an interruption makes one high.
const LOOKS: usize = 3;
/// Looks when all look at once: 0.2 ms, for they are not woken at once. The median counts.
const LOOKS_AT_ONCE: usize = 16;

/// Does what a request asks of its first case, telling `tell` of it.
///
/// # Errors
/// Whatever `tell` returns: the parent is gone.
pub fn work<E>(
    catalogue: &Catalogue,
    clock: &(dyn Clock + Send + Sync),
    request: &Request,
    asked: &Parallel,
    tell: &mut dyn FnMut(Event) -> Result<(), E>,
) -> Result<(), E> {
    tell(Event::Begin(0))?;
    let order = request.cases.first();
    let case = order.and_then(|order| catalogue.case(&order.id));
    let size = order.and_then(|order| order.sizes.first().copied()).unwrap_or(0);
    let absent = || Failure::Unavailable("this build does not have it".to_owned());
    let measured = case
        .ok_or_else(absent)
        .and_then(|case| measure(catalogue, clock, &case, size, asked, request));
    tell(match measured {
        Ok(told) => Event::Parallel(told),
        Err(failure) => Event::Failed(0, failure),
    })
}

/// Proves a case right and measures it; the worker's number decides which thread is alone first.
///
/// # Errors
/// Why there is no number.
fn measure(
    catalogue: &Catalogue,
    clock: &(dyn Clock + Send + Sync),
    case: &Case,
    size: usize,
    asked: &Parallel,
    request: &Request,
) -> Result<Told, Failure> {
    catalogue
        .verify(case, LONGEST_ANSWER)
        .map_err(|unverified| Failure::Wrong(unverified.to_string()))?;
    let grain =
        grain(clock).ok_or_else(|| Failure::ClockTooCoarse("the clock stands still".to_owned()))?;
    let step_ns = grain.resolution_ticks as f64 * tick_ns(clock, moment(clock), grain);
    if step_ns > COARSEST_STEP_NS {
        let sentence = format!("the clock's steps of {:.3} ms are too coarse", step_ns / 1e6);
        return Err(Failure::ClockTooCoarse(sentence));
    }
    let all = All {
        clock,
        grain,
        case,
        size,
        lowest_contention: request.lowest_contention,
        shortest_window_ns: WINDOW_NS.max((STEPS_PER_WINDOW * step_ns) as u64),
        longest_batch_ns: AtomicU64::new(0),
        barrier: Barrier::new(asked.threads),
        gave_up: AtomicBool::new(false),
        finished: std::array::from_fn(|_| AtomicUsize::new(0)),
        looked: std::array::from_fn(|_| AtomicUsize::new(0)),
        worker: request.worker as usize,
        threads: asked.threads,
    };
    let outcomes: Vec<Result<Seen, Failure>> = std::thread::scope(|scope| {
        let spawn = |thread| {
            let (all, cpu) = (&all, asked.cpus.get(thread).copied());
            scope.spawn(move || {
                catch_unwind(AssertUnwindSafe(|| all.thread(thread, cpu)))
                    // The others would wait for it for ever; the message of the panic is out.
                    .unwrap_or_else(|_| std::process::abort())
            })
        };
        let threads: Vec<_> = (0..asked.threads).map(spawn).collect();
        let lost = |_| Err(Failure::Crashed("a thread was lost".to_owned()));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(lost)).collect()
    });
    let mut seen = Vec::new();
    let mut failure = None;
    for outcome in outcomes {
        match outcome {
            Ok(one) => seen.push(one),
            // A thread that gave up because of another one has nothing to say.
            Err(why) => failure = failure.or(Some(why)),
        }
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    told(&seen, all.window_ns() / SETTLING)
}

/// Pairs from what the threads saw.
fn told(seen: &[Seen], settling_ns: u64) -> Result<Told, Failure> {
    let rate_in = |window: usize| {
        let ran: Vec<&Progress> = seen
            .iter()
            .filter_map(|one| Some(&one.windows.get(window)?.as_ref()?.progress))
            .collect();
        // The system did not let them: a busy machine, and no fault of the case.
        let apart = || Failure::TooNoisy("the threads did not run at the same time".to_owned());
        rate(&ran, settling_ns).ok_or_else(apart)
    };
    // The highest of all processors and looks, when all of them could be told.
    let contention = |looks: std::ops::RangeInclusive<usize>| {
        let of_all =
            seen.iter().flat_map(|one| looks.clone().map(|look| one.looks.get(look).copied()?));
        of_all.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
    };
    // Two that share a core are both slowed down, before and after; a stranger comes to one.
    let at_once = |look: usize| {
        let of_all = seen.iter().map(|one| one.at_once.get(look).copied()?);
        let mut of_all = of_all.collect::<Option<Vec<f64>>>()?;
        of_all.sort_unstable_by(|a, b| b.total_cmp(a));
        of_all.get(1).copied()
    };
    let cpu_share = |windows: [usize; 2]| {
        let of =
            |window: usize| seen.iter().filter_map(move |one| one.windows.get(window)?.as_ref());
        let shares = windows.into_iter().flat_map(of).filter_map(|window| window.cpu_share);
        shares.reduce(f64::min)
    };
    let pair = |at: usize| {
        let (alone, together) = (2 * at, 2 * at + 1);
        Ok(Pair {
            alone: rate_in(alone)?,
            together: rate_in(together)?,
            contention: contention(alone..=together + 1),
            contention_at_once: at_once(together)
                .zip(at_once(together + 1))
                .map(|(before, after)| before.min(after)),
            cpu_share: cpu_share([alone, together]),
        })
    };
    let lowest = seen.iter().filter_map(|one| one.lowest_contention).reduce(f64::min);
    Ok(Told {
        pairs: (0..PAIRS).map(pair).collect::<Result<Vec<Pair>, Failure>>()?,
        lowest_contention: lowest,
    })
}

/// What one thread saw.
#[derive(Default)]
struct Seen {
    /// Contention before each window and after the last.
    looks: Vec<Option<f64>>,
    /// The same when all looked at once.
    at_once: Vec<Option<f64>>,
    /// What it did in each window; `None` where another one was alone.
    windows: Vec<Option<Window>>,
    lowest_contention: Option<f64>,
}

struct Window {
    progress: Progress,
    /// Processor time over wall time.
    cpu_share: Option<f64>,
}

/// What the threads share.
struct All<'a> {
    clock: &'a (dyn Clock + Send + Sync),
    grain: Grain,
    case: &'a Case,
    size: usize,
    lowest_contention: Option<f64>,
    shortest_window_ns: u64,
    /// What the slowest thread's batch of calls takes.
    longest_batch_ns: AtomicU64,
    barrier: Barrier,
    gave_up: AtomicBool,
    /// How many threads have had their window, by window.
    finished: [AtomicUsize; WINDOWS],
    /// How many threads have looked often enough, by window.
    looked: [AtomicUsize; WINDOWS + 1],
    worker: usize,
    threads: usize,
}

impl All<'_> {
    fn window_ns(&self) -> u64 {
        let batches = BATCHES_PER_WINDOW * self.longest_batch_ns.load(Ordering::SeqCst);
        batches.min(LONGEST_WINDOW_NS).max(self.shortest_window_ns)
    }

    /// What one thread does. All wait for each other before each window; a thread that fails still
    /// comes to the first meeting, for the others would wait for ever.
    fn thread(&self, thread: usize, cpu: Option<usize>) -> Result<Seen, Failure> {
        let opened = self.open(thread, cpu);
        if opened.is_err() {
            self.gave_up.store(true, Ordering::SeqCst);
        }
        self.barrier.wait();
        let (mut routine, right) = opened?;
        let mut seen = Seen::default();
        if self.gave_up.load(Ordering::SeqCst) {
            return Ok(seen);
        }
        let (calls, batch_ns) = ready::calls_of(self.clock, &mut *routine, BATCH_NS);
        self.longest_batch_ns.fetch_max(batch_ns, Ordering::SeqCst);
        let here: Vec<usize> = cpu.into_iter().collect();
        let mut cpus = Cpus::new(self.clock, self.grain, &here, self.lowest_contention);
        let mut all_right = true;
        for window in 0..WINDOWS {
            self.look(thread, window, &mut cpus, &mut seen);
            let prepared = routine.prepare(self.size).is_ok();
            let is_alone = window % 2 == 0;
            let runs = !is_alone || (self.worker + window / 2) % self.threads == thread;
            self.barrier.wait();
            let runners = if is_alone { 1 } else { self.threads };
            let ran = runs.then(|| self.run(&mut *routine, calls, window, runners));
            seen.windows.push(ran);
            // No thread goes on to its check while another is still in its window.
            self.barrier.wait();
            all_right &= prepared && ready::is_right(self.clock, &mut *routine, self.size, &right);
        }
        self.look(thread, WINDOWS, &mut cpus, &mut seen);
        seen.lowest_contention = cpus.lowest();
        let sentence = "the same message gave two different results";
        if all_right { Ok(seen) } else { Err(Failure::Wrong(sentence.to_owned())) }
    }

    fn open(
        &self,
        thread: usize,
        cpu: Option<usize>,
    ) -> Result<(Box<dyn Routine>, Vec<u8>), Failure> {
        if let Some(cpu) = cpu {
            let refused = |error| Failure::Unavailable(format!("processor {cpu}: {error}"));
            stay_on(&[cpu]).map_err(refused)?;
        }
        // Messages of different threads lie at different places within a page.
        let offset = 64 * ((self.worker * 5 + thread * 17) % 64);
        ready::open(self.clock, self.case, self.size, Placement { offset })
    }

    /// Looks at the processors before this window, or after the last.
    fn look(&self, thread: usize, window: usize, cpus: &mut Cpus, seen: &mut Seen) {
        seen.looks.push(self.look_in_turn(thread, cpus));
        seen.at_once.push(self.look_at_once(window, cpus));
    }

    /// All look until each has looked often enough: whether they are in each other's way.
    fn look_at_once(&self, window: usize, cpus: &mut Cpus) -> Option<f64> {
        let mut looks = Vec::new();
        let looked = &self.looked[window];
        while looks.len() < LOOKS_AT_ONCE || looked.load(Ordering::SeqCst) < self.threads {
            let Some(probe) = cpus.probe() else {
                // The clock tells nothing; nobody shall wait for this thread.
                looked.fetch_add(1, Ordering::SeqCst);
                return None;
            };
            looks.push(probe.contention());
            if looks.len() == LOOKS_AT_ONCE {
                looked.fetch_add(1, Ordering::SeqCst);
            }
        }
        looks.sort_unstable_by(f64::total_cmp);
        looks.get(looks.len() / 2).copied()
    }

    /// Each thread looks at its processor while the others stand still: how busy others keep it.
    fn look_in_turn(&self, thread: usize, cpus: &mut Cpus) -> Option<f64> {
        let mut found = None;
        for turn in 0..self.threads {
            self.barrier.wait();
            if turn == thread {
                let looks = (0..LOOKS).filter_map(|_| cpus.probe()).map(Probe::contention);
                found = looks.reduce(f64::min);
            }
        }
        self.barrier.wait();
        found
    }

    /// Runs calls for a window, and on until each of the other runners has had its own: threads are not
    /// woken at once, and only common time counts.
    fn run(&self, routine: &mut dyn Routine, calls: u32, window: usize, runners: usize) -> Window {
        let window_ns = self.window_ns();
        let cpu_begin = self.clock.thread_cpu_ns();
        let begin = self.clock.monotonic_ns();
        let (mut done, mut own, mut last) = (0, false, false);
        let (mut now, mut progress) = (begin, vec![(begin, done)]);
        while !last {
            // Known before the batch: one that was stopped after its own window goes on once more, or it
            // would have left before another one came.
            last = self.finished[window].load(Ordering::SeqCst) >= runners;
            let _ = time_calls(self.clock, routine, calls);
            done += u64::from(calls);
            now = self.clock.monotonic_ns();
            progress.push((now, done));
            if !own && now.saturating_sub(begin) >= window_ns {
                own = true;
                self.finished[window].fetch_add(1, Ordering::SeqCst);
                last = runners == 1;
            }
        }
        let cpu_ns = cpu_begin.zip(self.clock.thread_cpu_ns());
        let wall_ns = now.saturating_sub(begin).max(1) as f64;
        let cpu_share = cpu_ns.map(|(begin, end)| end.saturating_sub(begin) as f64 / wall_ns);
        Window { progress, cpu_share }
    }
}

#[cfg(test)]
mod tests;
