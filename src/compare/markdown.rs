//! A comparison as a table in Markdown.

use super::{Comparison, table};
use crate::report::markdown::code;

pub(super) fn render(comparison: &Comparison) -> String {
    let (headings, rows) = comparison.grid();
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let headings: Vec<String> = headings
        .iter()
        .map(|cell| if cell.is_empty() { cell.clone() } else { code(cell) })
        .collect();
    let mut text = line(&headings);
    let rules: Vec<String> =
        (0..headings.len()).map(|at| if at == 0 { ":--" } else { "--:" }.to_owned()).collect();
    text.push_str(&line(&rules));
    for mut cells in rows {
        for (at, cell) in cells.iter_mut().enumerate() {
            *cell = if at == 0 { code(cell) } else { cell.replace('|', r"\|") };
        }
        text.push_str(&line(&cells));
    }
    text + "\n" + &table::summary(comparison)
}
