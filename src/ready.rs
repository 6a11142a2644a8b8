//! A case made ready to be run at one size, outside the visits of the schedule.

use bench_slope_algorithms::{Case, OpenError, Operation, Placement, Routine, gives_back};

use crate::clock::Clock;
use crate::sample::time_calls;
use crate::wire::Failure;

/// Opens and prepares a case, and computes its output once.
///
/// # Errors
/// Why that is not possible.
pub fn open(
    clock: &dyn Clock,
    case: &Case,
    size: usize,
    placement: Placement,
) -> Result<(Box<dyn Routine>, Vec<u8>), Failure> {
    let setup = case.timing_setup_up_to(placement, size);
    let unavailable = |error: OpenError| Failure::Unavailable(error.to_string());
    let mut routine = case.open(&setup).map_err(unavailable)?;
    routine.prepare(size).map_err(unavailable)?;
    if case.operation == Operation::Decrypt && !gives_back(&mut *routine, &setup.input) {
        let sentence = "decryption does not give the message back".to_owned();
        return Err(Failure::Wrong(sentence));
    }
    routine.prepare(size).map_err(unavailable)?;
    let _ = time_calls(clock, &mut *routine, 1);
    if !routine.accepted() {
        return Err(Failure::Wrong(format!("a valid message of {size} bytes was rejected")));
    }
    let right = routine.output().to_vec();
    Ok((routine, right))
}

/// Whether a call on the message as it was at first gives the first output again.
pub fn is_right(clock: &dyn Clock, routine: &mut dyn Routine, size: usize, right: &[u8]) -> bool {
    let prepared = routine.prepare(size).is_ok();
    let _ = time_calls(clock, routine, 1);
    prepared && routine.accepted() && routine.output() == right
}

/// Calls that take about `batch_ns`, at least half of it, and what they took in nanoseconds.
pub fn calls_of(clock: &dyn Clock, routine: &mut dyn Routine, batch_ns: u64) -> (u32, u64) {
    const MOST: u32 = 1 << 24;
    let mut calls = 1;
    loop {
        let begin = clock.monotonic_ns();
        let _ = time_calls(clock, routine, calls);
        let elapsed_ns = clock.monotonic_ns().saturating_sub(begin);
        if elapsed_ns >= batch_ns / 2 || calls >= MOST {
            return (calls, elapsed_ns);
        }
        calls *= 2;
    }
}
