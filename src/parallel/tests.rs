//! Threads in orders that are made up.

use std::cell::Cell;
use std::sync::{Condvar, Mutex};

use bench_slope_algorithms::{OpenError, Section};

use super::*;
use crate::clock::InventedClock;

const CALL_NS: u64 = 4_200;

/// A call that takes time and does nothing.
struct Idle(InventedClock);

impl Routine for Idle {
    fn prepare(&mut self, _: usize) -> Result<(), OpenError> {
        Ok(())
    }
    fn run(&mut self) {
        self.0.advance_ps(CALL_NS * 1000);
    }
    fn output(&self) -> &[u8] {
        &[]
    }
}

/// Lets a late thread begin only when an early one has had its window, and stops the early one there
/// until the late one has had its own: what a busy processor does to threads.
struct Staged {
    inner: InventedClock,
    done: Mutex<[bool; 2]>,
    changed: Condvar,
}

thread_local! {
    /// Whether this thread is the late one, and when its window began.
    static ROLE: Cell<(usize, Option<u64>)> = const { Cell::new((0, None)) };
}

impl Staged {
    fn wait_for(&self, other: usize) {
        let done = self.done.lock().expect("no panic");
        drop(self.changed.wait_while(done, |done| !done[other]).expect("no panic"));
    }
}

impl Clock for Staged {
    fn name(&self) -> &'static str {
        "staged clock"
    }
    fn ticks(&self) -> u64 {
        self.inner.ticks()
    }
    fn monotonic_ns(&self) -> u64 {
        let (role, begin) = ROLE.get();
        let Some(begin) = begin else {
            if role == 1 {
                self.wait_for(0);
            }
            let now = self.inner.monotonic_ns();
            ROLE.set((role, Some(now)));
            return now;
        };
        let now = self.inner.monotonic_ns();
        if now - begin >= WINDOW_NS {
            self.done.lock().expect("no panic")[role] = true;
            self.changed.notify_all();
            self.wait_for(1 - role);
        }
        now
    }
}

#[test]
fn a_thread_that_is_stopped_after_its_window_still_meets_a_late_one() {
    let (inner, done) = (InventedClock::new(1), Mutex::default());
    let clock = Staged { inner, done, changed: Condvar::new() };
    let case = Catalogue::standard().cases(Section::Hash).next().expect("a case");
    let all = All {
        clock: &clock,
        grain: Grain { resolution_ticks: 20, cost_ticks: 20 },
        case: &case,
        size: 0,
        lowest_contention: None,
        shortest_window_ns: WINDOW_NS,
        longest_batch_ns: AtomicU64::new(0),
        barrier: Barrier::new(2),
        gave_up: AtomicBool::new(false),
        finished: std::array::from_fn(|_| AtomicUsize::new(0)),
        looked: std::array::from_fn(|_| AtomicUsize::new(0)),
        worker: 0,
        threads: 2,
    };
    let windows = std::thread::scope(|scope| {
        let threads = [0, 1].map(|role| {
            let all = &all;
            let mut routine = Idle(clock.inner.clone());
            scope.spawn(move || {
                ROLE.set((role, None));
                all.run(&mut routine, 4, 1, 2)
            })
        });
        threads.map(|thread| thread.join().expect("no panic"))
    });
    let both = [&windows[0].progress, &windows[1].progress];
    let calls_per_ns = rate(&both, WINDOW_NS / SETTLING).expect("a time of both");
    assert!((calls_per_ns * CALL_NS as f64 - 1.0).abs() < 0.05, "{calls_per_ns}");
}
