//! The record of a row whose growth is wanted: times at given sizes, and no slope.

use super::{FEWEST_WORKERS, Row, SHARED_AT_ONE_SIZE, Seen, USELESS, measured_mhz};
use crate::fit::{Rounds, coverage, estimate, floor_errors};
use crate::growth::{SizeTime, growth};
use crate::record::{Measured, Point, Record};
use crate::timed::{Choice, usable};
use crate::wire::Failure;

/// The record of a row with its growth. Its cost per unit is that of the largest size, the call
/// included: time that does not grow has no slope.
pub fn growth_record(row: &Row, seen: &Seen) -> Record {
    let failed = |failure| Record::of(&row.case, Err(failure));
    if let Some(failure) = &row.failure {
        return failed(failure.clone());
    }
    let (processes, choice) = usable(&row.processes, &seen.core);
    let Some(estimate) = estimate(&row.sizes, &processes) else {
        let reason = "no sample came out: the clock did not move while it ran".to_owned();
        return failed(Failure::NoTime(reason));
    };
    let errors = floor_errors(row.sizes.len(), &processes);
    let times: Vec<SizeTime> = row
        .sizes
        .iter()
        .zip(estimate.floors.iter().zip(&errors))
        .map(|(&size, (&ns, &error))| {
            let relative_error = error.map(stated);
            SizeTime { size, ns, relative_error }
        })
        .collect();
    let Some(growth) = growth(&times) else {
        let reason = "a size has no time above zero, so that no growth can be told".to_owned();
        return failed(Failure::NoTime(reason));
    };
    let is_useless = |time: &&SizeTime| time.relative_error.is_some_and(|e| e >= USELESS);
    if let Some(worst) = times.iter().find(is_useless) {
        let reason = format!("too noisy to tell its growth: its time at {} is unsure", worst.size);
        return failed(Failure::TooNoisy(reason));
    }
    Record { growth: Some(growth), ..measured(row, seen, &processes, choice, &times) }
}

fn measured(
    row: &Row,
    seen: &Seen,
    processes: &[Rounds],
    choice: Choice,
    times: &[SizeTime],
) -> Record {
    let largest = times[times.len() - 1];
    Record::of(
        &row.case,
        Ok(Measured {
            ns_per_unit: largest.ns / largest.size as f64,
            measured_ns_per_unit: largest.ns / largest.size as f64
                * seen.core.slower_beside(&row.processes),
            told_at_mhz: None,
            mib_per_s: None,
            cycles_per_unit: None,
            measured_mhz: measured_mhz(row, seen),
            ns_per_call: 0.0,
            first_call_ns: None,
            bend: None,
            relative_error: largest.relative_error,
            layouts: None,
            points: times.iter().map(|time| Point { size: time.size, ns: time.ns }).collect(),
            counts: None,
            processes: processes.len() as u32,
            rounds: processes.iter().map(Vec::len).sum::<usize>() as u32,
            quiet: choice.is_quiet(),
            predicted: None,
            total_s: Some(row.total_ns / 1e9),
        }),
    )
}

/// A row is clear when the 95 % interval of each of its times is within this, unless the user says.
pub const CLEAR: f64 = 0.0032;

/// What the processes of a run differ by at a size, together with what they share.
fn stated(relative_error: f64) -> f64 {
    relative_error.hypot(SHARED_AT_ONE_SIZE)
}

/// Whether the times of a row are so exact that no further worker would change its growth.
pub fn is_clear(row: &Row, seen: &Seen, precision: f64) -> bool {
    let (processes, choice) = usable(&row.processes, &seen.core);
    let exact = |error: Option<f64>| error.is_some_and(|e| stated(e) <= precision);
    let enough = coverage(&processes) >= FEWEST_WORKERS as usize;
    enough && choice.is_quiet() && floor_errors(row.sizes.len(), &processes).into_iter().all(exact)
}
