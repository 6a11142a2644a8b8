//! Whether rows can work on the sizes that were asked for, before anything is timed.

use bench_slope_algorithms::{Axis, Case, OpenError, Placement};

/// The longest message that may be asked for, in bytes.
pub const LONGEST_MESSAGE: usize = 64 << 20;
/// The largest count that may be asked for, such as iterations: a gibibyte where it is memory.
pub const LARGEST_COUNT: usize = 1 << 20;

/// Refuses the first size that a row cannot work on; `sizes` are ascending.
///
/// # Errors
/// The row and the size, and why not.
pub fn check(cases: &[Case], sizes: &[usize]) -> Result<(), String> {
    cases.iter().try_for_each(|case| check_case(case, sizes))
}

fn check_case(case: &Case, sizes: &[usize]) -> Result<(), String> {
    let place = Placement::default();
    if case.open(&case.timing_setup(place)).is_err() {
        // It is not available at all, which its row will tell.
        return Ok(());
    }
    let largest = sizes.last().copied().unwrap_or(0);
    let name = format!("{} {}", case.entry.algorithm, case.label());
    let refused = |size: usize, reason: &str| format!("{size} for {}: {reason}", name.trim_end());
    let most = if case.entry.axis == Axis::Bytes { LONGEST_MESSAGE } else { LARGEST_COUNT };
    if largest > most {
        return Err(refused(largest, &format!("{most} is the most")));
    }
    let because = |size: usize| move |error: OpenError| refused(size, &error.0);
    let setup = case.timing_setup_up_to(place, largest);
    let mut routine = case.open(&setup).map_err(because(largest))?;
    sizes.iter().try_for_each(|&size| routine.prepare(size).map_err(because(size)))
}
