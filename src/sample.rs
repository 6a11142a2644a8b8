//! The only timed loop of the program; the same loop is counted, never while it is timed.

use std::mem::MaybeUninit;

use bench_slope_algorithms::Routine;

use crate::clock::Clock;
use crate::counters::{Absence, Counters, Reading};
use crate::placements::{PAGE, STACK_STEP};

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

/// Frames of a middling size are laid down until fewer bytes than this are left ...
const FINE_BYTES: usize = 512;
/// ... and large ones until fewer than this are.
const COARSE_BYTES: usize = PAGE + FINE_BYTES;
/// Bytes of the stack that a routine uses first: they are in the first-level cache when it begins.
const TOUCHED: usize = 2048;
/// Bytes in a line of the cache, or a part of one.
const LINE: usize = 64;

/// Calls `work` with the stack at this [place](crate::placements::STACK_PLACES) of a page, `pages` further down than the next.
///
/// The place is one of addresses, the same in every process but for a constant of the build. Frames are
/// as long as a compiler makes them, so that each looks where it is: large ones first, for few lines of
/// the cache to be touched, then one whose length is known in steps of 16.
#[inline(never)]
pub fn on_stack_at<T>(pages: usize, place: usize, work: &mut dyn FnMut() -> T) -> T {
    let here = 0_u8;
    let here = address(&here);
    let down = pages * PAGE + here.wrapping_sub(place * STACK_STEP) % PAGE;
    let mut done = None;
    descend(here.saturating_sub(down), &mut || done = Some(work()));
    // It has been called once, and what came back is there.
    done.unwrap_or_else(work)
}

/// Where a variable lies.
fn address<T>(variable: &T) -> usize {
    std::ptr::from_ref(std::hint::black_box(variable)) as usize
}

fn descend(goal: usize, work: &mut dyn FnMut()) {
    let here = 0_u8;
    let left = address(&here).saturating_sub(goal);
    if left >= COARSE_BYTES {
        frame::<PAGE>(goal, work);
    } else if left >= FINE_BYTES {
        frame::<256>(goal, work);
    } else {
        FINE[left / STACK_STEP](work);
    }
}

/// A frame of somewhat more than `BYTES`.
#[inline(never)]
fn frame<const BYTES: usize>(goal: usize, work: &mut dyn FnMut()) {
    let room = MaybeUninit::<[u8; BYTES]>::uninit();
    std::hint::black_box(&room);
    descend(goal, work);
    std::hint::black_box(&room);
}

/// Calls `work` from a frame of so many [steps](STACK_STEP) and what every frame has.
#[inline(never)]
fn fine<const STEPS: usize>(work: &mut dyn FnMut()) {
    let room = MaybeUninit::<[[u8; STACK_STEP]; STEPS]>::uninit();
    std::hint::black_box(&room);
    touch();
    work();
    std::hint::black_box(&room);
}

/// Fetches the part of the stack that is about to be used.
#[inline(never)]
fn touch() {
    let mut room = [MaybeUninit::<u8>::uninit(); TOUCHED];
    room.iter_mut().step_by(LINE).for_each(|byte| {
        byte.write(0);
    });
    std::hint::black_box(&room);
}

/// [`fine`] by the number of its steps, each with one more: a frame without an array may be none.
macro_rules! fine {
    ($($steps:literal)*) => { [$(fine::<{ 1 + $steps }>),*] };
}
static FINE: [fn(&mut dyn FnMut()); FINE_BYTES / STACK_STEP] = fine!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placements::STACK_PLACES;

    /// Where the stack is in what is called.
    #[inline(never)]
    fn place_of_stack() -> usize {
        let here = 0_u128;
        address(&here)
    }

    #[test]
    fn the_stack_is_met_at_every_place_of_a_page() {
        // From wherever this test is called; and again from another depth.
        let all = || -> Vec<usize> {
            let mut place = |at| on_stack_at(0, at, &mut place_of_stack) % PAGE / STACK_STEP;
            (0..STACK_PLACES).map(&mut place).collect()
        };
        let found = all();
        let mut sorted = found.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..STACK_PLACES).collect::<Vec<_>>());
        // The place that is asked for differs from that by the same in each case.
        let steps = |at: usize| (found[at] + STACK_PLACES - at) % STACK_PLACES;
        assert!((0..STACK_PLACES).all(|at| steps(at) == steps(0)), "{found:?}");
        assert_eq!(on_stack_at(0, 77, &mut || all()), found);
    }

    #[test]
    fn the_stack_is_met_at_other_pages() {
        let page = |pages| on_stack_at(pages, 5, &mut place_of_stack) / PAGE;
        let found: Vec<usize> = (0..8).map(page).collect();
        assert!(found.windows(2).all(|two| two[0] == two[1] + 1), "{found:?}");
    }

    #[test]
    fn work_is_done_once_and_comes_back() {
        let mut calls = 0;
        let mut work = || {
            calls += 1;
            calls * 10
        };
        assert_eq!(on_stack_at(2, 9, &mut work), 10);
        assert_eq!(calls, 1);
    }
}
