//! The only timed loop of the program; the same loop is counted, never while it is timed.

use bench_slope_algorithms::Routine;

use crate::clock::Clock;
use crate::counters::{Absence, Counters, Reading};

/// Ticks that `calls` calls of the routine took together, clock readings included; `None` when the
/// clock did not move forward.
///
/// Never inlined, so that every case is timed by the same machine code.
#[inline(never)]
pub fn time_calls(clock: &dyn Clock, routine: &mut dyn Routine, calls: u32) -> Option<u64> {
    let start = clock.ticks();
    repeat(routine, calls);
    let end = clock.ticks();
    end.checked_sub(start).filter(|&ticks| ticks > 0)
}

/// What counters counted of `calls` calls of the routine together, in the order of their events.
#[inline(never)]
pub fn count_calls(
    counters: &mut Counters,
    routine: &mut dyn Routine,
    calls: u32,
) -> Vec<Result<Reading, Absence>> {
    counters.start();
    repeat(routine, calls);
    counters.stop()
}

/// The loop itself.
#[inline(always)]
fn repeat(routine: &mut dyn Routine, calls: u32) {
    for _ in 0..calls {
        routine.run();
    }
}

/// Calls `work` with the stack `depth` frames of at least 272 bytes deeper.
#[inline(never)]
pub fn deeper<T>(depth: u32, work: &mut dyn FnMut() -> T) -> T {
    if depth == 0 {
        return work();
    }
    let frame = [0_u64; 32];
    std::hint::black_box(&frame);
    let result = deeper(depth - 1, work);
    std::hint::black_box(&frame);
    result
}
