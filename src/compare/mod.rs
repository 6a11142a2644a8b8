//! Saved runs side by side: which rows differ by more than chance, and whether a gate is passed.

mod csv;
mod differ;
mod json;
mod judge;
mod lines;
mod markdown;
mod pair;
mod table;

pub use differ::{Unlike, is_one_machine, unlike};
pub use judge::{Difference, Reading, Verdict, allowance, difference};
pub use lines::Line;
pub use pair::{check, compare};

use bench_slope_algorithms::Section;

use crate::record::Run;
use crate::report::Format;

/// A run, and what it is called.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file's name, or another that tells it from the others.
    pub name: String,
    /// What was measured.
    pub run: Run,
}

/// Two or more runs side by side; each is compared with the first, the base.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What the runs are called.
    pub names: Vec<String>,
    /// What is not the same in all of them.
    pub unlike: Vec<Unlike>,
    /// How many differences were looked at.
    pub comparisons: usize,
    /// The rows: first what lost its number, then what differs, the largest first, then the rest.
    pub rows: Vec<Row>,
}

/// A row of all runs.
#[derive(Clone, Debug)]
pub struct Row {
    /// The case's identifier.
    pub id: String,
    /// The section it belongs to.
    pub section: Section,
    /// The algorithm's name.
    pub algorithm: String,
    /// Mode and operation as a row names them.
    pub label: String,
    /// What the cost is counted by.
    pub unit: String,
    /// What is compared.
    pub quantity: Quantity,
    /// What each run has.
    pub cells: Vec<Cell>,
    /// How each run but the first compares with the first; `None` where one of them has no number.
    pub differences: Vec<Option<Difference>>,
}

/// What is compared of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Nanoseconds per unit.
    Nanoseconds,
    /// Cycles per unit, at the frequency measured beside the row: all runs know it.
    Cycles,
}

/// What a run has of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number.
    Number {
        /// What is compared.
        reading: Reading,
        /// Nanoseconds per unit.
        ns_per_unit: f64,
        /// The core's frequency beside it, in megahertz.
        measured_mhz: Option<f64>,
        /// The version of the crate that computed it.
        package_version: Option<String>,
    },
    /// None, and why.
    Nothing {
        /// In a word or two.
        kind: &'static str,
        /// In a sentence.
        reason: String,
        /// Whether something is broken, rather than too noisy or not to be had.
        broken: bool,
    },
    /// The run has not this row.
    Missing,
}

impl Row {
    /// The row's name as people say it: `AES CBC enc`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {}", self.algorithm, self.label).trim_end().to_owned()
    }

    /// Whether it had a number in the base, and another run shows that it is broken.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        let had = matches!(self.cells.first(), Some(Cell::Number { .. }));
        let broken = |cell: &Cell| matches!(cell, Cell::Nothing { broken: true, .. });
        had && self.cells.iter().any(broken)
    }

    /// Differences with the names of the runs they are of.
    pub fn with_names<'a>(
        &'a self,
        names: &'a [String],
    ) -> impl Iterator<Item = (&'a str, &'a Cell, Option<Difference>)> {
        let rest = names.iter().zip(&self.cells).skip(1).zip(&self.differences);
        rest.map(|((name, cell), difference)| (name.as_str(), cell, *difference))
    }
}

/// What a gate says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gate {
    /// What fails it: rows that are slower by more than it allows, or broken now.
    pub failed: Vec<String>,
    /// What it could not judge though the numbers are beyond it, and why.
    pub unjudged: Vec<String>,
}

impl Comparison {
    /// How many differences are to be believed, the faster and the slower.
    #[must_use]
    pub fn significant(&self) -> (usize, usize) {
        let all = || self.rows.iter().flat_map(|row| row.differences.iter().flatten());
        let count = |verdict| all().filter(|difference| difference.verdict == verdict).count();
        (count(Verdict::Faster), count(Verdict::Slower))
    }

    /// Judges by a gate: no row may be slower by more than `limit`, a share of the base.
    #[must_use]
    pub fn gate(&self, limit: f64) -> Gate {
        let mut gate = Gate::default();
        for row in &self.rows {
            let had = matches!(row.cells.first(), Some(Cell::Number { .. }));
            for (name, cell, difference) in row.with_names(&self.names) {
                let who = format!("{} in {name}", row.name());
                match (cell, difference) {
                    (_, Some(Difference { ratio, verdict, .. })) if ratio - 1.0 > limit => {
                        let change = lines::percent(ratio - 1.0);
                        match verdict {
                            Verdict::Slower => gate.failed.push(format!("{who}: {change} slower")),
                            other => {
                                gate.unjudged.push(format!("{who}: {change}, {}", other.word()))
                            }
                        }
                    }
                    (Cell::Nothing { kind, broken, .. }, _) if had => {
                        let list = if *broken { &mut gate.failed } else { &mut gate.unjudged };
                        list.push(format!("{who}: no number any more ({kind})"));
                    }
                    (Cell::Missing, _) if had => gate.unjudged.push(format!("{who}: no such row")),
                    _ => {}
                }
            }
        }
        gate
    }

    /// The comparison as text; in colour only the table, where it is wanted.
    #[must_use]
    pub fn render(&self, format: Format, colour: bool) -> String {
        match format {
            // There is no picture of a comparison: the command line refuses it.
            Format::Table | Format::Html | Format::Svg => table::render(self, colour),
            Format::Csv | Format::LibgcryptCsv => csv::render(self),
            Format::Json => json::render(self),
            Format::Markdown => markdown::render(self),
        }
    }
}
