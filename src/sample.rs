//! The only timed loop of the program.

use bench_slope_algorithms::Routine;

use crate::clock::Clock;

/// Ticks that `calls` calls of the routine took together, clock readings included; `None` when the
/// clock did not move forward.
///
/// Never inlined, so that every case is timed by the same machine code.
#[inline(never)]
pub fn time_calls(clock: &dyn Clock, routine: &mut dyn Routine, calls: u32) -> Option<u64> {
    let start = clock.ticks();
    for _ in 0..calls {
        routine.run();
    }
    let end = clock.ticks();
    end.checked_sub(start).filter(|&ticks| ticks > 0)
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
