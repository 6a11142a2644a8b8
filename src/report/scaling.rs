//! Rows on several processors at once: the sum, one thread, and the sum over the one, each with its error.

use bench_slope_algorithms::Section;

use super::markdown::code;
use super::significant;
use super::table::title;
use crate::record::Record;

const DIGITS: i32 = 4;

/// The columns of a table for so many threads.
fn headings(threads: usize) -> [String; 6] {
    let all = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    [all, "err%".into(), "one alone".into(), "err%".into(), "scaling".into(), "err%".into()]
}

/// The cells of a row, `n/a` where there is no number, and why.
fn cells(record: &Record) -> ([String; 6], Option<&'static str>) {
    let Some(s) = &record.scaling else {
        let kind = record.result.as_ref().err().map(|failure| failure.kind());
        return (std::array::from_fn(|_| "n/a".to_owned()), kind);
    };
    let rate = |mib_per_s| format!("{} MiB/s", significant(mib_per_s, DIGITS));
    let error =
        |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |e| format!("{:.2}%", 100.0 * e));
    let cells = [
        rate(s.mib_per_s),
        error(s.relative_error),
        rate(s.one_mib_per_s),
        error(s.one_relative_error),
        format!("{:.3}", s.scaling),
        error(s.scaling_relative_error),
    ];
    (cells, None)
}

fn line(name: &str, width: usize, cells: &[String; 6]) -> String {
    let [all, all_error, one, one_error, scaling, scaling_error] = cells;
    format!(
        "{name:width$}|{all:>17}{all_error:>8}{one:>17}{one_error:>8}{scaling:>10}{scaling_error:>8}"
    )
}

/// A section as a table.
#[must_use]
pub fn table(records: &[&Record], threads: usize) -> String {
    let width = records.iter().map(|record| record.name().len() + 2).max().unwrap_or(0).max(16);
    let mut text = format!("{}\n", line("", width, &headings(threads)));
    for record in records {
        let (cells, kind) = cells(record);
        let why = kind.map_or_else(String::new, |kind| format!("  ({kind})"));
        text.push_str(&format!("{}{why}\n", line(&format!(" {}", record.name()), width, &cells)));
    }
    text + &format!("{:width$}=\n", "")
}

/// A section in Markdown.
#[must_use]
pub fn markdown(section: Section, records: &[&Record], threads: usize) -> String {
    let row = |cells: [String; 6], last: &str| {
        let cells = cells.map(|cell| format!("|{cell:>17} "));
        format!("{}| {last}\n", cells.concat())
    };
    let mut text = format!("## {}\n\n", title(section));
    text.push_str(&row(headings(threads), "benchmark"));
    text.push_str(&format!("{}|:----------\n", format!("|{}:", "-".repeat(17)).repeat(6)));
    for record in records {
        let (cells, kind) = cells(record);
        let why = kind.map_or_else(String::new, |kind| format!(" ({kind})"));
        text.push_str(&row(cells, &format!("{}{why}", code(&record.name()))));
    }
    text
}
