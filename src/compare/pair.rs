//! The rows of several runs, paired by their identifiers and judged.

use std::collections::HashSet;

use super::{Cell, Comparison, Quantity, Reading, Row, Source, Unlike, difference, is_one_machine};
use crate::record::{Measured, Record, Run};

/// Whether a run's numbers are numbers: what a file says may be anything.
///
/// # Errors
/// What is wrong with which row.
pub fn check(run: &Run) -> Result<(), String> {
    let mut seen = HashSet::new();
    for record in &run.records {
        let id = &record.id;
        if !seen.insert((record.section, id)) {
            return Err(format!("it has two rows {id}"));
        }
        let Ok(measured) = &record.result else { continue };
        let wrong = |field: &str, value: f64| Err(format!("{id}: {field} is {value}"));
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let Measured { ns_per_unit, measured_ns_per_unit, measured_mhz, .. } = measured;
        let Measured { relative_error, layouts, .. } = measured;
        if !positive(*ns_per_unit) {
            return wrong("ns_per_unit", *ns_per_unit);
        }
        if !positive(*measured_ns_per_unit) {
            return wrong("measured_ns_per_unit", *measured_ns_per_unit);
        }
        if let Some(mhz) = measured_mhz
            && !(positive(*mhz) && positive(mhz * measured_ns_per_unit))
        {
            return wrong("measured_mhz", *mhz);
        }
        if let Some(error) = relative_error
            && !(0.0..1.0).contains(error)
        {
            return wrong("relative_error", *error);
        }
        if let Some(layouts) = layouts {
            for (field, value) in [
                ("best_ns_per_unit", layouts.best_ns_per_unit),
                ("other_ns_per_unit", layouts.other_ns_per_unit),
            ] {
                if !positive(value) {
                    return wrong(field, value);
                }
            }
        }
    }
    Ok(())
}

/// Compares the first run with each of the others. `unlike` is what differs between them: cycles are
/// compared on one machine only, for between machines the frequency is part of what is compared.
#[must_use]
pub fn compare(sources: &[Source], unlike: Vec<Unlike>) -> Comparison {
    let one_machine = is_one_machine(&unlike);
    let mut rows: Vec<Row> = Vec::new();
    let mut seen = HashSet::new();
    for record in sources.iter().flat_map(|source| &source.run.records) {
        if seen.insert((record.section, record.id.as_str())) {
            rows.push(row(record, sources, one_machine));
        }
    }
    let measured = |cell: &Cell| matches!(cell, Cell::Number { .. });
    let pairs = |row: &Row| match row.cells.split_first() {
        Some((base, others)) if measured(base) => others.iter().filter(|c| measured(c)).count(),
        _ => 0,
    };
    let comparisons = rows.iter().map(pairs).sum();
    for row in &mut rows {
        let Some((base, others)) = row.cells.split_first() else { continue };
        let difference = |new: &Cell| match (base, new) {
            (Cell::Number { reading: base, .. }, Cell::Number { reading: new, .. }) => {
                Some(difference(*base, *new, comparisons))
            }
            _ => None,
        };
        row.differences = others.iter().map(difference).collect();
    }
    rows.sort_by(|a, b| rank(a).cmp(&rank(b)).then(effect(b).total_cmp(&effect(a))));
    let names = sources.iter().map(|source| source.name.clone()).collect();
    Comparison { names, unlike, comparisons, rows }
}

/// A point has the identifier of the row it is of, and is another row.
fn is_same_row(a: &Record, b: &Record) -> bool {
    (a.section, &a.id) == (b.section, &b.id)
}

/// The row of a record in all runs, not judged yet.
fn row(record: &Record, sources: &[Source], one_machine: bool) -> Row {
    let of = |source: &Source| source.run.records.iter().find(|r| is_same_row(r, record)).cloned();
    let records: Vec<Option<Record>> = sources.iter().map(of).collect();
    let measured = || records.iter().flatten().filter_map(|record| record.result.as_ref().ok());
    let known = measured().all(|measured| measured.measured_mhz.is_some());
    let quantity = if one_machine && known { Quantity::Cycles } else { Quantity::Nanoseconds };
    Row {
        id: record.id.clone(),
        section: record.section,
        algorithm: record.algorithm.clone(),
        label: record.label_at_size(),
        unit: record.unit.clone(),
        quantity,
        cells: sources
            .iter()
            .zip(records)
            .map(|(source, own)| cell(own, &record.unit, quantity, source.run.conditions.quick))
            .collect(),
        differences: Vec::new(),
    }
}

/// What a run has of a row; no number is no fault in a `quick` one, unless it crashed or was wrong.
fn cell(record: Option<Record>, unit: &str, quantity: Quantity, quick: bool) -> Cell {
    let Some(record) = record else { return Cell::Missing };
    if record.unit != unit {
        let reason = format!("counted by {}, not by {unit}", record.unit);
        return Cell::Nothing { kind: "another unit", reason, broken: false };
    }
    match record.result {
        Ok(measured) => Cell::Number {
            reading: Reading {
                cost: match (quantity, measured.measured_cycles()) {
                    (Quantity::Cycles, Some(cycles)) => cycles,
                    _ => measured.ns_per_unit,
                },
                relative_error: measured.relative_error,
                quiet: measured.quiet,
                layout_factor: measured.layouts.map_or(1.0, |layouts| {
                    (layouts.other_ns_per_unit / layouts.best_ns_per_unit).max(1.0)
                }),
            },
            ns_per_unit: measured.ns_per_unit,
            measured_mhz: measured.measured_mhz,
            package_version: record.package_version,
        },
        Err(failure) => Cell::Nothing {
            kind: failure.kind(),
            reason: failure.reason().to_owned(),
            broken: failure.is_error(quick),
        },
    }
}

/// What comes first: broken rows, differences, what is the same, what cannot be compared.
fn rank(row: &Row) -> u8 {
    let mut differences = row.differences.iter().flatten().peekable();
    if row.is_lost() {
        0
    } else if differences.peek().is_none() {
        3
    } else if differences.any(|difference| difference.verdict.is_significant()) {
        1
    } else {
        2
    }
}

/// The largest difference of a row, of those to be believed if there is one.
fn effect(row: &Row) -> f64 {
    let believed = rank(row) == 1;
    let differences = row.differences.iter().flatten();
    let sizes = differences
        .filter(|difference| !believed || difference.verdict.is_significant())
        .map(|difference| difference.ratio.ln().abs());
    sizes.fold(0.0, f64::max)
}
