//! Rows at exact sizes beside the row they are of, and what its slope says of them.

use std::fmt;

use bench_slope_algorithms::{Axis, Case, Section};

use crate::record::{Point, Record};

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

/// The line of a row, to hold a size against.
struct Line {
    name: String,
    ns_per_call: f64,
    ns_per_byte: f64,
    relative_error: Option<f64>,
    /// The sizes it is drawn through, in bytes, ascending.
    sizes: Vec<usize>,
    /// How far the farthest of its points lies from it, in nanoseconds.
    farthest_ns: f64,
}

impl Line {
    fn of(record: &Record) -> Option<Line> {
        let m = record.result.as_ref().ok()?;
        let off =
            |point: &Point| (point.ns - m.ns_per_call - m.ns_per_unit * point.size as f64).abs();
        Some(Line {
            name: record.name(),
            ns_per_call: m.ns_per_call,
            ns_per_byte: m.ns_per_unit,
            relative_error: m.relative_error,
            sizes: m.points.iter().map(|point| point.size).collect(),
            farthest_ns: m.points.iter().map(off).reduce(f64::max)?,
        })
    }

    fn at(&self, bytes: usize) -> f64 {
        self.ns_per_call + self.ns_per_byte * bytes as f64
    }

    /// How far it may be off at a size that lies among its points: as far as at any of them, and
    /// between two of them by what lies between, for a block that is begun is worked on whole.
    fn error_at(&self, bytes: usize) -> Option<f64> {
        let by_slope = self.relative_error? * self.ns_per_byte * bytes as f64;
        let after = self.sizes.partition_point(|&size| size < bytes);
        let next = *self.sizes.get(after)?;
        let before = if next == bytes { next } else { *self.sizes.get(after.checked_sub(1)?)? };
        let between = self.ns_per_byte * (next - before) as f64;
        Some(self.farthest_ns + by_slope + between)
    }
}

/// Tells each row at one size what the slope of the row before says of it: intercept plus slope times
/// size, where that is a time at all, and how far that may be off.
pub fn predict(records: &mut [Record]) {
    let mut line: Option<Line> = None;
    for record in records {
        let size = record.size.filter(|_| record.section != Section::Points);
        let Some(size) = size else {
            line = Line::of(record);
            continue;
        };
        let (Some(line), Ok(measured)) = (&line, &mut record.result) else {
            continue;
        };
        let of_same = format!("{} {}", record.algorithm, record.label).trim_end() == line.name;
        let ns = line.at(size);
        if of_same && ns > 0.0 {
            measured.predicted_ns_per_call = Some(ns);
            measured.predicted_error_ns = line.error_at(size);
        }
    }
}
