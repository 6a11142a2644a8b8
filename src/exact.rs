//! Rows at exact sizes beside the row they are of, and what its slope says of them.

use std::fmt;

use bench_slope_algorithms::{Axis, Case, Section};

use crate::linearity::{Bend, START, Unpredictable, is_examined};
use crate::record::{Predicted, Record};
use crate::staircase::{Staircase, staircase};

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
    /// What its samples may add to a call.
    first_call_ns: f64,
    /// What it is drawn through: sizes in bytes, ascending, and nanoseconds of a call.
    sizes: Vec<usize>,
    ns: Vec<f64>,
    staircase: Option<Staircase>,
    bend: Option<Bend>,
}

impl Line {
    fn of(record: &Record) -> Option<Line> {
        let m = record.result.as_ref().ok()?;
        let (sizes, ns): (Vec<usize>, Vec<f64>) =
            m.points.iter().map(|point| (point.size, point.ns)).unzip();
        Some(Line {
            name: record.name(),
            ns_per_call: m.ns_per_call,
            ns_per_byte: m.ns_per_unit,
            relative_error: m.relative_error,
            first_call_ns: m.first_call_ns.unwrap_or(0.0),
            staircase: staircase(&sizes, &ns, m.ns_per_unit),
            bend: m.bend,
            sizes,
            ns,
        })
    }

    /// What it says of a size, or why it had better say nothing.
    ///
    /// At its own sizes even the line of a bent row is off by no more than it says. Elsewhere nothing holds it:
    /// BLAKE3 at 64 KiB takes less than a third of what the line says.
    fn predict(&self, bytes: usize) -> Result<Predicted, Unpredictable> {
        let is_own = self.sizes.binary_search(&bytes).is_ok();
        let is_beyond = self.sizes.last().is_none_or(|&largest| bytes > largest);
        if self.bend.is_some() && !is_own {
            return Err(Unpredictable::Bent);
        }
        if is_beyond && !is_examined(self.sizes.len(), self.relative_error) {
            return Err(Unpredictable::PerhapsBent);
        }
        let (batch_bytes, ns) = self.on_stairs(bytes).unzip();
        let ns_per_call = ns.unwrap_or_else(|| self.straight(bytes));
        if ns_per_call <= 0.0 {
            return Err(Unpredictable::BelowZero);
        }
        Ok(Predicted { ns_per_call, batch_bytes, error_ns: self.error_at(bytes) })
    }

    /// What the line says of a size.
    fn straight(&self, bytes: usize) -> f64 {
        self.ns_per_call + self.ns_per_byte * bytes as f64
    }

    /// What it says where the intercept is that of a place in a batch, and the batch.
    fn on_stairs(&self, bytes: usize) -> Option<(usize, f64)> {
        let staircase = self.staircase.as_ref()?;
        let intercept = staircase.intercept(bytes)?;
        Some((staircase.batch, intercept + self.ns_per_byte * bytes as f64))
    }

    /// How far it may be off at one of its own sizes: as far as at any of them, and its samples may add to a
    /// call. The first few points may be special, and then for messages about as short only. At other sizes
    /// nothing is stated: the points are of whole blocks, and what a block that is begun costs they do not know.
    fn error_at(&self, bytes: usize) -> Option<f64> {
        let by_slope = self.relative_error? * self.ns_per_byte * bytes as f64;
        let place = self.sizes.binary_search(&bytes).ok()?;
        // All by the same rule as this size: on the stairs, or about the line.
        let is_on_stairs = self.on_stairs(bytes).is_some();
        let off = |(&size, ns): (&usize, &f64)| {
            let on_stairs = self.on_stairs(size).filter(|_| is_on_stairs);
            (ns - on_stairs.map_or_else(|| self.straight(size), |(_, told)| told)).abs()
        };
        let first = if place >= 2 * START { START } else { 0 };
        let points = self.sizes.iter().zip(&self.ns).skip(first);
        Some(points.map(off).fold(0.0, f64::max) + by_slope + self.first_call_ns)
    }
}

/// Tells each row at one size what the slope of the row before says of it: intercept plus slope times
/// size, and how far that may be off, or why it says nothing. Where time is a staircase, the intercept is
/// that of sizes at the same place in a batch.
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
        if of_same {
            measured.predicted = Some(line.predict(size));
        }
    }
}
