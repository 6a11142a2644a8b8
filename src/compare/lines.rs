//! A comparison as lines: one for each row and each run beside the base. CSV and JSON have these
//! fields; text formats have a grid.

use serde::Serialize;

use super::{Cell, Comparison, Quantity, Row, Verdict};
use crate::report::significant;

/// A row of one run beside the base; every field is there, empty or null where there is nothing. New
/// fields come last.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "docs/compare.md tells what each field holds")]
pub struct Line {
    pub section: &'static str,
    pub algorithm: String,
    pub label: String,
    pub unit: String,
    pub base: String,
    pub new: String,
    pub verdict: Option<Verdict>,
    pub change_percent: Option<f64>,
    pub change_percent_low: Option<f64>,
    pub change_percent_high: Option<f64>,
    pub ratio: Option<f64>,
    pub quantity: Quantity,
    pub base_cost: Option<f64>,
    pub new_cost: Option<f64>,
    pub base_err_percent: Option<f64>,
    pub new_err_percent: Option<f64>,
    pub base_ns_per_unit: Option<f64>,
    pub new_ns_per_unit: Option<f64>,
    pub base_measured_mhz: Option<f64>,
    pub new_measured_mhz: Option<f64>,
    pub base_package_version: Option<String>,
    pub new_package_version: Option<String>,
    pub base_reason_kind: Option<&'static str>,
    pub new_reason_kind: Option<&'static str>,
    pub base_reason: Option<String>,
    pub new_reason: Option<String>,
    pub id: String,
}

/// Why a run without the row has no number.
const MISSING: &str = "no such row";

/// The cells of a line that are of one run.
#[derive(Default)]
struct Side {
    cost: Option<f64>,
    err_percent: Option<f64>,
    ns_per_unit: Option<f64>,
    measured_mhz: Option<f64>,
    package_version: Option<String>,
    reason_kind: Option<&'static str>,
    reason: Option<String>,
}

impl Side {
    fn of(cell: &Cell) -> Self {
        match cell {
            Cell::Number { reading, ns_per_unit, measured_mhz, package_version } => Side {
                cost: Some(reading.cost),
                err_percent: reading.relative_error.map(|error| 100.0 * error),
                ns_per_unit: Some(*ns_per_unit),
                measured_mhz: *measured_mhz,
                package_version: package_version.clone(),
                ..Side::default()
            },
            Cell::Nothing { kind, reason, .. } => {
                Side { reason_kind: Some(kind), reason: Some(reason.clone()), ..Side::default() }
            }
            Cell::Missing => Side {
                reason_kind: Some(MISSING),
                reason: Some("this run has no such row".to_owned()),
                ..Side::default()
            },
        }
    }
}

impl Comparison {
    /// The lines in the order of the rows.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        self.rows.iter().flat_map(|row| self.lines_of(row)).collect()
    }

    fn lines_of(&self, row: &Row) -> Vec<Line> {
        let Some((base_name, base_cell)) = self.names.first().zip(row.cells.first()) else {
            return Vec::new();
        };
        let line = |(name, cell, difference): (&str, &Cell, Option<super::Difference>)| {
            let (base, new) = (Side::of(base_cell), Side::of(cell));
            let interval = difference.and_then(|difference| difference.interval);
            let change = |ratio: f64| 100.0 * (ratio - 1.0);
            Line {
                section: row.section.word(),
                algorithm: row.algorithm.clone(),
                label: row.label.clone(),
                unit: row.unit.clone(),
                base: base_name.clone(),
                new: name.to_owned(),
                verdict: difference.map(|difference| difference.verdict),
                change_percent: difference.map(|difference| change(difference.ratio)),
                change_percent_low: interval.map(|(low, _)| change(low)),
                change_percent_high: interval.map(|(_, high)| change(high)),
                ratio: difference.map(|difference| difference.ratio),
                quantity: row.quantity,
                base_cost: base.cost,
                new_cost: new.cost,
                base_err_percent: base.err_percent,
                new_err_percent: new.err_percent,
                base_ns_per_unit: base.ns_per_unit,
                new_ns_per_unit: new.ns_per_unit,
                base_measured_mhz: base.measured_mhz,
                new_measured_mhz: new.measured_mhz,
                base_package_version: base.package_version,
                new_package_version: new.package_version,
                base_reason_kind: base.reason_kind,
                new_reason_kind: new.reason_kind,
                base_reason: base.reason,
                new_reason: new.reason,
                id: row.id.clone(),
            }
        };
        row.with_names(&self.names).map(line).collect()
    }

    /// Headings, and for each row its cells: name and base; then of each other run cost, change,
    /// interval and verdict.
    #[must_use]
    pub(super) fn grid(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let mut headings = vec![String::new()];
        for (at, name) in self.names.iter().enumerate() {
            headings.push(name.clone());
            if at > 0 {
                headings.extend(["change", "between", ""].map(str::to_owned));
            }
        }
        // What a file says must not steer a terminal.
        let plain = |cells: Vec<String>| -> Vec<String> {
            cells.iter().map(|cell| cell.replace(char::is_control, " ")).collect()
        };
        let rows = self.rows.iter().map(|row| plain(self.cells(row))).collect();
        (plain(headings), rows)
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let mut cells = vec![row.name()];
        cells.extend(row.cells.first().map(|cell| cost(row, cell)));
        let base_version = row.cells.first().and_then(version);
        for (_, cell, difference) in row.with_names(&self.names) {
            cells.push(cost(row, cell));
            cells.push(difference.map_or_else(String::new, |d| percent(d.ratio - 1.0)));
            let interval = difference.and_then(|difference| difference.interval);
            cells.push(interval.map_or_else(String::new, |(low, high)| {
                format!("{} to {}", percent(low - 1.0), percent(high - 1.0))
            }));
            let verdict = difference.map(|difference| difference.verdict);
            let word = verdict.filter(|verdict| *verdict != Verdict::Same).map(Verdict::word);
            let crates = match (base_version, version(cell)) {
                (Some(base), Some(new)) if base != new => Some(format!("crate {base} to {new}")),
                _ => None,
            };
            let remarks: Vec<String> = word.map(str::to_owned).into_iter().chain(crates).collect();
            cells.push(remarks.join(", "));
        }
        cells
    }
}

fn version(cell: &Cell) -> Option<&str> {
    match cell {
        Cell::Number { package_version, .. } => package_version.as_deref(),
        _ => None,
    }
}

/// What a run has of a row: `2.047 c/B`, `n/a (crashed)`, `-` where it has no such row.
fn cost(row: &Row, cell: &Cell) -> String {
    let unit = if row.unit == "byte" { "B" } else { &row.unit };
    let quantity = match row.quantity {
        Quantity::Nanoseconds => "ns",
        Quantity::Cycles => "c",
    };
    match cell {
        Cell::Number { reading, .. } => {
            format!("{} {quantity}/{unit}", significant(reading.cost, 4))
        }
        Cell::Nothing { kind, .. } => format!("n/a ({kind})"),
        Cell::Missing => "-".to_owned(),
    }
}

/// A share as per cent with its sign: `+3.14 %`.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    // No minus before a zero.
    let percent = if percent.abs() < 0.005 { 0.0 } else { percent };
    format!("{percent:+.2} %")
}
