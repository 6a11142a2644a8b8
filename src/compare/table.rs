//! A comparison as a table, with what differs in colour where that is wanted.

use anstyle::{AnsiColor, Style};

use super::{Comparison, Row, Verdict};

/// Columns of a run beside the base: cost, change, interval, verdict.
const COLUMNS_OF_A_RUN: usize = 4;

pub(super) fn render(comparison: &Comparison, colour: bool) -> String {
    let (headings, rows) = comparison.grid();
    let width = |at: usize| {
        let cells = rows.iter().chain([&headings]).filter_map(|row| row.get(at));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let mut text = line(&headings, &widths, |_| Style::new());
    for (row, cells) in comparison.rows.iter().zip(&rows) {
        text.push_str(&line(cells, &widths, |at| style(row, at, colour)));
    }
    text + &summary(comparison)
}

/// The last line: how many rows differ.
pub(super) fn summary(comparison: &Comparison) -> String {
    let ((faster, slower), all) = (comparison.significant(), comparison.comparisons);
    let differ = match faster + slower {
        0 => format!("nothing differs by more than chance, of {all} compared"),
        some => format!("{some} of {all} compared differ: {slower} slower, {faster} faster"),
    };
    match comparison.rows.iter().filter(|row| row.is_lost()).count() {
        0 => format!("{differ}\n"),
        lost => format!("{differ}; {lost} had a number and are broken now\n"),
    }
}

/// Names to the left, numbers to the right, verdicts to the left.
fn line(cells: &[String], widths: &[usize], style: impl Fn(usize) -> Style) -> String {
    let mut text = String::new();
    for (at, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        let fill = " ".repeat(width.saturating_sub(cell.chars().count()));
        let style = style(at);
        let cell = format!("{style}{cell}{style:#}");
        let verdict = at > 1 && (at - 1) % COLUMNS_OF_A_RUN == 0;
        text.push_str(&match at {
            0 => format!("{cell}{fill}"),
            _ if verdict => format!("  {cell}{fill}"),
            _ => format!("  {fill}{cell}"),
        });
    }
    format!("{}\n", text.trim_end())
}

/// Only what is to be believed has a colour: what is slower or broken is red, what is faster green.
fn style(row: &Row, at: usize, colour: bool) -> Style {
    if !colour {
        return Style::new();
    }
    if row.is_lost() {
        return AnsiColor::Red.on_default();
    }
    let of_run = at.checked_sub(2).map(|at| at / COLUMNS_OF_A_RUN);
    let difference = of_run.and_then(|run| row.differences.get(run)).copied().flatten();
    match difference.map(|difference| difference.verdict) {
        Some(Verdict::Slower) => AnsiColor::Red.on_default(),
        Some(Verdict::Faster) => AnsiColor::Green.on_default(),
        _ => Style::new(),
    }
}
