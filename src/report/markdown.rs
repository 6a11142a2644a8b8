//! nanobench's table in Markdown: a table for each section and unit, and a column for what was
//! counted only where something was.

use bench_slope_algorithms::Section;

use super::tables::{Table, tables};
use super::{predicted, significant};
use crate::record::{Counts, Measured, Record, Run};

/// A column: its heading, its width, and a cell.
struct Column {
    heading: String,
    width: usize,
    cell: fn(&Record, &Measured) -> Option<String>,
    /// Whether it is there without a value, too.
    always: bool,
}

/// A run as tables.
#[must_use]
pub fn render(run: &Run) -> String {
    let mut parts = Vec::new();
    if let Some(machine) = &run.machine {
        parts.push(format!("Machine: {}\n", code(machine)));
    }
    let has = |section: Section| run.records.iter().any(|record| record.section == section);
    let several = Section::ALL.iter().filter(|&&section| has(section)).count() > 1;
    let mut before = None;
    for rows in tables(run) {
        let records = || rows.rows.iter().map(|&(_, record)| record);
        if let Some(threads) = run.conditions.threads {
            let records: Vec<&Record> = records().collect();
            parts.push(super::scaling::markdown(rows.section, &records, threads));
            continue;
        }
        if run.conditions.growth {
            parts.extend(records().map(super::growth::tables));
            continue;
        }
        if several && before != Some(rows.section) {
            parts.push(format!("## {}\n", super::table::title(rows.section)));
        }
        before = Some(rows.section);
        parts.push(if run.is_by_size() { sizes(&rows) } else { table(&rows) });
    }
    if run.partial {
        parts.push(format!("{}\n", super::PARTIAL));
    }
    parts.join("\n")
}

fn columns(unit: &str) -> Vec<Column> {
    let column = |heading: &str, width, always, cell| Column {
        heading: heading.replace("UNIT", unit),
        width,
        cell,
        always,
    };
    vec![
        column("ns/UNIT", 20, true, |_, m| Some(significant(m.ns_per_unit, 4))),
        column("UNIT/s", 20, true, |_, m| Some(rate(1e9, m.ns_per_unit))),
        column("ns/byte", 20, false, |r, _| at_size(r, |bytes, ns| significant(ns / bytes, 4))),
        column("byte/s", 20, false, |r, _| at_size(r, |bytes, ns| rate(1e9 * bytes, ns))),
        column("ns/op by slope", 20, false, |_, m| predicted(m)),
        column("err%", 8, true, |_, m| Some(format!("{:.2}%", m.err_percent()?))),
        column("ins/UNIT", 16, false, |_, m| four(|c| c.instructions_per_unit, m)),
        column("cyc/UNIT", 16, false, |_, m| {
            four(|c| c.cycles_per_unit, m).or_else(|| Some(significant(m.cycles_per_unit?, 4)))
        }),
        column("IPC", 7, false, |_, m| Some(format!("{:.3}", m.counts?.instructions_per_cycle?))),
        column("bra/UNIT", 15, false, |_, m| four(|c| c.branches_per_unit, m)),
        column("miss%", 8, false, |_, m| {
            let counts = m.counts?;
            let share = counts.branch_misses_per_unit? / counts.branches_per_unit?;
            share.is_finite().then(|| format!("{:.1}%", 100.0 * share))
        }),
        column("total", 10, true, |_, m| Some(format!("{:.2}", m.total_s?))),
    ]
}

/// So much in so many nanoseconds, by the second; a time that is no number has no rate.
fn rate(amount: f64, ns: f64) -> String {
    with_commas(if ns.is_finite() { amount / ns } else { f64::NAN })
}

fn four(value: fn(&Counts) -> Option<f64>, measured: &Measured) -> Option<String> {
    Some(significant(value(measured.counts.as_ref()?)?, 4))
}

/// What a row of another table says of the bytes of its one size.
fn at_size(record: &Record, show: fn(f64, f64) -> String) -> Option<String> {
    let bytes = record.size.filter(|&bytes| bytes > 0 && record.section != Section::Points)?;
    Some(show(bytes as f64, record.result.as_ref().ok()?.ns_per_unit))
}

fn table(rows: &Table) -> String {
    let records = || rows.rows.iter().map(|(_, record)| *record);
    let measured = || records().filter_map(|r| r.result.as_ref().ok().map(|m| (r, m)));
    let mut columns = columns(rows.unit);
    columns
        .retain(|column| column.always || measured().any(|(r, m)| (column.cell)(r, m).is_some()));
    let line = |cell: &dyn Fn(&Column) -> String, last: &str| {
        let cells = columns.iter().map(|column| format!("|{:>1$} ", cell(column), column.width));
        format!("{}| {last}\n", cells.collect::<String>())
    };
    let mut text = line(&|column| column.heading.clone(), "benchmark");
    let rules = columns.iter().map(|column| format!("|{}:", "-".repeat(column.width)));
    text.push_str(&format!("{}|:----------\n", rules.collect::<String>()));
    for record in records() {
        let name = code(&record.name());
        text.push_str(&match &record.result {
            Ok(m) => {
                line(&|column| (column.cell)(record, m).unwrap_or_else(|| "-".to_owned()), &name)
            }
            Err(failure) => line(&|_| "n/a".to_owned(), &format!("{name} ({})", failure.kind())),
        });
    }
    text
}

/// Rows that are told size by size.
fn sizes(rows: &Table) -> String {
    const WIDTH: usize = 20;
    let line =
        |ns: &str, rate: &str, last: &str| format!("|{ns:>WIDTH$} |{rate:>WIDTH$} | {last}\n");
    let mut text = line("ns/call", "byte/s", "benchmark");
    let rule = "-".repeat(WIDTH);
    text.push_str(&format!("|{rule}:|{rule}:|:----------\n"));
    for (_, record) in &rows.rows {
        match &record.result {
            Ok(measured) => {
                for point in &measured.points {
                    let rate = 1e9 * point.size as f64 / point.ns;
                    let rate = if point.ns > 0.0 { with_commas(rate) } else { "-".to_owned() };
                    let name = code(&format!("{} {}", record.name(), point.size));
                    text.push_str(&line(&significant(point.ns, 4), &rate, &name));
                }
            }
            Err(failure) => {
                let name = format!("{} ({})", code(&record.name()), failure.kind());
                text.push_str(&line("n/a", "n/a", &name));
            }
        }
    }
    text
}

/// A text as code in a cell: what would end the cell, the code or the line does not.
pub fn code(text: &str) -> String {
    let text = text.replace('|', r"\|").replace(|c: char| c.is_control(), " ");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("`{text}`") } else { format!("{fence} {text} {fence}") }
}

/// Two decimals, thousands apart: `396,529,415.94`.
pub fn with_commas(value: f64) -> String {
    if !value.is_finite() {
        return super::NOT_A_NUMBER.to_owned();
    }
    let text = format!("{value:.2}");
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, "00"));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{grouped}.{decimals}")
}

#[cfg(test)]
mod tests {
    use super::{code, with_commas};

    #[test]
    fn thousands_are_apart() {
        for (value, text) in [
            (396_529_415.94, "396,529,415.94"),
            (999.999, "1,000.00"),
            (12.345, "12.35"),
            (1e9, "1,000,000,000.00"),
            (0.0, "0.00"),
        ] {
            assert_eq!(with_commas(value), text);
        }
    }

    #[test]
    fn names_stay_in_their_cell() {
        assert_eq!(code("AES CBC enc"), "`AES CBC enc`");
        assert_eq!(code("a|b"), r"`a\|b`");
        assert_eq!(code("a`b"), "`` a`b ``");
        assert_eq!(code("``"), "``` `` ```");
        assert_eq!(code("a\nb"), "`a b`");
    }
}
