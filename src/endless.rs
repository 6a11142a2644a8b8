//! One row without end, for a profiler to look at: proven right, then run until it is interrupted.

use std::io::{self, Write};

use bench_slope_algorithms::{Axis, Case, Placement, Routine};

use crate::group::Machine;
use crate::ready::{calls_of, is_right, open};
use crate::report::significant;
use crate::sample::time_calls;
use crate::schedule::LONGEST_ANSWER;

/// The message when no size is asked for, in bytes.
pub const MESSAGE_BYTES: usize = 4096;
/// About how long calls go on before the clock and the user are looked at again.
const BATCH_NS: u64 = 5_000_000;
/// How often the rate is told.
const SECOND_NS: u64 = 1_000_000_000;

/// The size a row is run at: what is asked for, else 4 KiB, or its own, or the largest count it is timed at.
#[must_use]
pub fn size(case: &Case, message_bytes: Option<usize>) -> usize {
    match case.entry.axis {
        Axis::Bytes => message_bytes.unwrap_or(MESSAGE_BYTES),
        Axis::Count { values, .. } => values.last().copied().unwrap_or(1),
        Axis::One { bytes, .. } => bytes,
    }
}

/// Runs a case until the user interrupts it; standard error has the process and, each second, the rate.
/// Says whether all went well.
///
/// # Errors
/// When standard error cannot be written.
pub fn run(
    machine: &Machine,
    case: &Case,
    size: usize,
    quiet: bool,
    err: &mut dyn Write,
) -> io::Result<bool> {
    let clock = &*machine.clock;
    let (mut routine, right) = match ready(machine, case, size) {
        Ok(ready) => ready,
        Err(reason) => {
            writeln!(err, "error: {reason}")?;
            return Ok(false);
        }
    };
    let what = match case.entry.axis {
        Axis::Bytes | Axis::One { .. } => format!("messages of {size} bytes"),
        Axis::Count { unit, .. } => format!("{unit} {size}"),
    };
    if !quiet {
        let (id, process) = (case.id(), std::process::id());
        writeln!(err, "endless: {id}, {what}, process {process}; Ctrl-C ends it")?;
    }
    let (calls, _) = calls_of(clock, &mut *routine, BATCH_NS);
    let (mut told_ns, mut told_calls) = (clock.monotonic_ns(), 0);
    let (mut seconds, mut done) = (0, 0_u64);
    while !machine.is_interrupted() {
        // How long the calls took does not matter: the profiler has its own clock.
        let _ = time_calls(clock, &mut *routine, calls);
        done += u64::from(calls);
        let elapsed_ns = clock.monotonic_ns().saturating_sub(told_ns);
        if elapsed_ns < SECOND_NS {
            continue;
        }
        if !is_right(clock, &mut *routine, size, &right) {
            writeln!(err, "error: {}: the same message gave two different results", case.id())?;
            return Ok(false);
        }
        seconds += elapsed_ns / SECOND_NS;
        if !quiet {
            let calls_per_s = (done - told_calls) as f64 * 1e9 / elapsed_ns as f64;
            writeln!(err, "{seconds} s: {}", rate(case, size, calls_per_s))?;
        }
        (told_ns, told_calls) = (clock.monotonic_ns(), done);
    }
    if !quiet {
        writeln!(err, "endless: {done} calls")?;
    }
    Ok(true)
}

fn rate(case: &Case, size: usize, calls_per_s: f64) -> String {
    let calls = significant(calls_per_s, 4);
    match case.entry.axis {
        Axis::Bytes | Axis::One { .. } => {
            let mib = significant(calls_per_s * size as f64 / f64::from(1 << 20), 4);
            format!("{calls} calls/s, {mib} MiB/s")
        }
        Axis::Count { .. } => format!("{calls} calls/s"),
    }
}

/// A case that is proven right, opened and prepared, with its output; or why not, as a sentence.
fn ready(
    machine: &Machine,
    case: &Case,
    size: usize,
) -> Result<(Box<dyn Routine>, Vec<u8>), String> {
    machine.catalogue.verify(case, LONGEST_ANSWER).map_err(|error| error.to_string())?;
    open(&*machine.clock, case, size, Placement::default())
        .map_err(|failure| format!("{}: {}", case.id(), failure.reason()))
}
