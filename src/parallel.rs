//! One case on several processors at once: what a worker does when threads are asked for.
//!
//! The threads wait for each other, then all run calls and note the time after every few of them.
//! Only the time that all of them were running in counts, and the work done in it. In turn with these
//! windows each thread has some alone, so that both are taken at the same frequency and beside the
//! same neighbours. Nothing is thrown away: that processors get in each other's way is what is measured.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex};

use bench_slope_algorithms::{Case, Catalogue, Placement, Routine};

use crate::clock::{Clock, grain};
use crate::cpus;
use crate::ready;
use crate::sample::time_calls;
use crate::scaling::{Pair, Parallel, Progress, rate};
use crate::schedule::LONGEST_ANSWER;
use crate::wire::{Event, Failure, Request};

/// Pairs of windows that a worker takes: one thread alone, then all.
const PAIRS: usize = 4;
/// A window lasts so long ...
const WINDOW_NS: u64 = 20_000_000;
/// ... and at least so many steps of the clock.
const STEPS_PER_WINDOW: u64 = 1000;
/// A window that would have to last longer than this cannot be had.
const LONGEST_WINDOW_NS: u64 = 500_000_000;
/// The beginning of a window does not count, for caches and frequency settle in it: one part in so
/// many.
const SETTLING: u64 = 10;
/// The time is noted about so often.
const BATCH_NS: u64 = 20_000;

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
    let worker = request.worker as usize;
    let measured = case
        .ok_or_else(absent)
        .and_then(|case| measure(catalogue, clock, &case, size, asked, worker));
    tell(match measured {
        Ok(pairs) => Event::Parallel(pairs),
        Err(failure) => Event::Failed(0, failure),
    })
}

/// Proves a case right and measures it; `worker` decides which thread is alone first.
///
/// # Errors
/// Why there is no number.
fn measure(
    catalogue: &Catalogue,
    clock: &(dyn Clock + Send + Sync),
    case: &Case,
    size: usize,
    asked: &Parallel,
    worker: usize,
) -> Result<Vec<Pair>, Failure> {
    catalogue
        .verify(case, LONGEST_ANSWER)
        .map_err(|unverified| Failure::Wrong(unverified.to_string()))?;
    let window_ns = window_ns(clock)?;
    let all = All {
        clock,
        case,
        size,
        window_ns,
        barrier: Barrier::new(asked.threads),
        gave_up: AtomicBool::new(false),
        worker,
        threads: asked.threads,
        windows: Mutex::new(vec![Vec::new(); 2 * PAIRS]),
    };
    let outcomes: Vec<Result<(), Failure>> = std::thread::scope(|scope| {
        let spawn = |thread| {
            let (all, cpu) = (&all, asked.cpus.get(thread).copied());
            scope.spawn(move || all.thread(thread, cpu))
        };
        let threads: Vec<_> = (0..asked.threads).map(spawn).collect();
        let crashed = || Failure::Crashed("a thread panicked".to_owned());
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(crashed()))).collect()
    });
    outcomes.into_iter().collect::<Result<(), Failure>>()?;
    let windows = all.windows.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let rates = windows.iter().map(|threads| rate(threads, window_ns / SETTLING));
    let rates = rates.collect::<Option<Vec<f64>>>().ok_or_else(|| {
        Failure::NoTime("the threads did not run at the same time".to_owned())
    })?;
    Ok(rates.chunks(2).map(|pair| Pair { alone: pair[0], together: pair[1] }).collect())
}

/// How long a window lasts on this clock.
fn window_ns(clock: &dyn Clock) -> Result<u64, Failure> {
    let too_coarse = || Failure::ClockTooCoarse("the clock is too coarse for windows".to_owned());
    let grain = grain(clock).ok_or_else(too_coarse)?;
    // A tick is at most as long as a nanosecond clock's step: time both over the same stretch.
    let begin = (clock.ticks(), clock.monotonic_ns());
    while clock.monotonic_ns() <= begin.1.saturating_add(1_000_000) && clock.ticks() > 0 {}
    let ticks = clock.ticks().saturating_sub(begin.0).max(1);
    let tick_ns = clock.monotonic_ns().saturating_sub(begin.1) as f64 / ticks as f64;
    let steps_ns = (STEPS_PER_WINDOW * grain.resolution_ticks) as f64 * tick_ns;
    let window_ns = WINDOW_NS.max(steps_ns as u64);
    if window_ns > LONGEST_WINDOW_NS { Err(too_coarse()) } else { Ok(window_ns) }
}

/// What the threads share.
struct All<'a> {
    clock: &'a (dyn Clock + Send + Sync),
    case: &'a Case,
    size: usize,
    window_ns: u64,
    barrier: Barrier,
    gave_up: AtomicBool,
    worker: usize,
    threads: usize,
    /// The progress of the threads in each window.
    windows: Mutex<Vec<Vec<Progress>>>,
}

impl All<'_> {
    /// What one thread does. All wait for each other before each window; a thread that fails still
    /// comes to the first meeting, for the others would wait for ever.
    fn thread(&self, thread: usize, cpu: Option<usize>) -> Result<(), Failure> {
        let opened = self.open(thread, cpu);
        if opened.is_err() {
            self.gave_up.store(true, Ordering::SeqCst);
        }
        self.barrier.wait();
        let (mut routine, right) = opened?;
        if self.gave_up.load(Ordering::SeqCst) {
            return Ok(());
        }
        let calls = ready::calls_of(self.clock, &mut *routine, BATCH_NS);
        let mut all_right = true;
        for window in 0..2 * PAIRS {
            let _ = routine.prepare(self.size);
            let alone = window % 2 == 0;
            let runs = !alone || (self.worker + window / 2) % self.threads == thread;
            self.barrier.wait();
            if runs {
                let progress = self.run(&mut *routine, calls);
                let mut windows = self.windows.lock().unwrap_or_else(|e| e.into_inner());
                windows[window].push(progress);
            }
            // No thread goes on to its check while another is still in its window.
            self.barrier.wait();
            all_right &= ready::is_right(self.clock, &mut *routine, self.size, &right);
        }
        let sentence = "the same message gave two different results";
        if all_right { Ok(()) } else { Err(Failure::Wrong(sentence.to_owned())) }
    }

    fn open(
        &self,
        thread: usize,
        cpu: Option<usize>,
    ) -> Result<(Box<dyn Routine>, Vec<u8>), Failure> {
        if let Some(cpu) = cpu {
            cpus::pin(cpu).map_err(Failure::Unavailable)?;
        }
        // Messages of different threads lie at different places within a page.
        let offset = 64 * ((self.worker * 5 + thread * 17) % 64);
        ready::open(self.clock, self.case, self.size, Placement { offset })
    }

    /// Runs calls for a window.
    fn run(&self, routine: &mut dyn Routine, calls: u32) -> Progress {
        let begin = self.clock.monotonic_ns();
        let (mut now, mut done) = (begin, 0);
        let mut progress = vec![(now, done)];
        while now.saturating_sub(begin) < self.window_ns {
            let _ = time_calls(self.clock, routine, calls);
            done += u64::from(calls);
            now = self.clock.monotonic_ns();
            progress.push((now, done));
        }
        progress
    }
}
