//! Rows at exact sizes beside the row they are of, and what its slope says of them.

use std::fmt;

use bench_slope_algorithms::{Axis, Case, Section};

use crate::record::Record;

/// A size that a row does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongSize {
    /// The row.
    pub row: String,
    /// The size, in bytes.
    pub bytes: usize,
    /// Sizes it takes that are nearest.
    pub nearest: Vec<usize>,
}

impl fmt::Display for WrongSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nearest: Vec<String> = self.nearest.iter().map(ToString::to_string).collect();
        write!(
            f,
            "{} takes no message of {} bytes; the nearest that it takes: {}",
            self.row,
            self.bytes,
            nearest.join(" and ")
        )
    }
}

impl std::error::Error for WrongSize {}

/// Whether each case takes each size.
///
/// # Errors
/// The first that does not.
pub fn check<'a>(
    cases: impl IntoIterator<Item = &'a Case>,
    sizes: &[usize],
) -> Result<(), WrongSize> {
    for case in cases {
        let lengths = case.entry.lengths;
        if let Some(&bytes) = sizes.iter().find(|&&bytes| !lengths.takes(bytes)) {
            let row = format!("{} {}", case.entry.algorithm, case.label());
            let (row, nearest) = (row.trim_end().to_owned(), lengths.nearest(bytes));
            return Err(WrongSize { row, bytes, nearest });
        }
    }
    Ok(())
}

/// Behind each case with a message the same at each of the sizes.
#[must_use]
pub fn expand(cases: &[Case], sizes: &[usize]) -> Vec<Case> {
    let with_sizes = |case: &Case| {
        let sizes = if case.entry.axis == Axis::Bytes { sizes } else { &[] };
        let at_sizes = sizes.iter().map(|&bytes| case.at(bytes));
        std::iter::once(case.clone()).chain(at_sizes).collect::<Vec<_>>()
    };
    cases.iter().flat_map(with_sizes).collect()
}

/// Tells each row at one size what the slope of the row before says of it: intercept plus slope times
/// size, where that is a time at all.
pub fn predict(records: &mut [Record]) {
    let mut line: Option<(String, f64, f64)> = None;
    for record in records {
        let size = record.size.filter(|_| record.section != Section::Points);
        let Some(size) = size else {
            let slope = record.result.as_ref().ok();
            line = slope.map(|m| (record.name(), m.ns_per_call, m.ns_per_unit));
            continue;
        };
        let (Some((name, per_call, per_byte)), Ok(measured)) = (&line, &mut record.result) else {
            continue;
        };
        let of_same = format!("{} {}", record.algorithm, record.label).trim_end() == name;
        let ns = per_call + per_byte * size as f64;
        measured.predicted_ns_per_call = (of_same && ns > 0.0).then_some(ns);
    }
}
