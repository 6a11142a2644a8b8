//! A table for each section and unit, whose columns are those that this run has numbers for.

use maud::{Markup, html};

use super::{DIGITS, detail, significant};
use crate::record::{Measured, Record};
use crate::report::tables::{Decades, Table};

/// A column of numbers.
struct Column {
    head: String,
    /// What it is, in words.
    meaning: &'static str,
    value: fn(&Record, &Measured) -> Option<f64>,
    show: fn(f64) -> String,
}

/// The anchor.
pub fn id(table: &Table) -> String {
    format!("{}-{}", table.section, table.unit.to_lowercase())
}

fn columns(table: &Table) -> Vec<Column> {
    let unit = table.short_unit();
    let digits = |value| significant(value, DIGITS);
    let bytes = |value| format!("{value:.0}");
    let per = |head: &str| format!("{head}/{unit}");
    let column = |head: String, meaning, value, show| Column { head, meaning, value, show };
    let all = [
        column(per("ns"), "nanoseconds, the slope", |_, m| Some(m.ns_per_unit), digits),
        column("error".to_owned(), "half the 95 % interval", |_, m| m.relative_error, percent),
        column("MiB/s".to_owned(), "2^20 bytes a second", |_, m| m.mib_per_s, digits),
        column(per("c"), "cycles", |_, m| m.cycles_per_unit, digits),
        column("MHz".to_owned(), "the core's frequency", |_, m| m.measured_mhz, digits),
        column(
            per("ins"),
            "instructions",
            |_, m| m.counts.and_then(|c| c.instructions_per_unit),
            digits,
        ),
        column(
            "ins/c".to_owned(),
            "instructions a cycle",
            |_, m| m.counts.and_then(|c| c.instructions_per_cycle),
            |value| format!("{value:.2}"),
        ),
        column(
            "ns/call".to_owned(),
            "the intercept",
            |r, m| r.size.is_none().then_some(m.ns_per_call),
            digits,
        ),
        column("bytes".to_owned(), "size of the message", |r, _| Some(r.size? as f64), bytes),
        column(
            "ns/B".to_owned(),
            "nanoseconds a byte of the message",
            |r, _| r.ns_per_byte().filter(|_| r.unit != "byte"),
            digits,
        ),
        column("calls/s".to_owned(), "calls a second", |r, _| r.point()?.calls_per_s(), digits),
        column(
            "by slope".to_owned(),
            "nanoseconds of a call by the slope",
            |_, m| Some(m.predicted?.ok()?.ns_per_call),
            digits,
        ),
        column(
            "± ns".to_owned(),
            "how far that may be off, in nanoseconds",
            |_, m| m.predicted?.ok()?.error_ns,
            digits,
        ),
        column(
            "total s".to_owned(),
            "seconds of all its samples",
            |r, m| m.total_s.filter(|_| r.size.is_some()),
            |value| format!("{value:.3}"),
        ),
    ];
    // What no row has needs no column; cost and error always have one.
    let has = |column: &Column| {
        table.rows.iter().any(|(_, record)| {
            record.result.as_ref().is_ok_and(|measured| (column.value)(record, measured).is_some())
        })
    };
    all.into_iter()
        .enumerate()
        .filter(|(at, column)| *at < 2 || has(column))
        .map(|(_, c)| c)
        .collect()
}

/// Heading, table and details.
pub fn markup(table: &Table) -> Markup {
    let (id, columns, scale) = (id(table), columns(table), table.decades());
    let with_labels = table.rows.iter().any(|(_, record)| !record.label_at_size().is_empty());
    html! {
        section.results aria-labelledby={ (id) "-title" } {
            h2 id=(id) { span id={ (id) "-title" } { (table.title()) } }
            div.scroll tabindex="0" role="region" aria-label={ (table.title()) ", table" } {
                table {
                    thead {
                        tr {
                            (head("Algorithm", "name", false))
                            @if with_labels { (head("Mode", "mode and operation", false)) }
                            @for column in &columns { (head(&column.head, column.meaning, true)) }
                            th.scale scope="col" style={ "--decades:" (scale.count()) } {
                                span.sr { "cost on a logarithmic scale" }
                                @for (share, text) in scale.ticks() {
                                    span.tick aria-hidden="true" style={ "--at:" (place(share)) } { (text) }
                                }
                            }
                            (head("Notes", "what to know of the row", false))
                        }
                    }
                    tbody {
                        @for (row, record) in &table.rows {
                            (line(*row, record, &columns, with_labels, &scale))
                        }
                    }
                }
            }
            (detail::list(&table.rows, &table.title()))
        }
    }
}

fn head(text: &str, meaning: &str, number: bool) -> Markup {
    html! {
        th scope="col" aria-sort="none" .number[number] {
            button type="button" title={ (meaning) ": sort by it" } { (text) }
        }
    }
}

fn line(
    row: usize,
    record: &Record,
    columns: &[Column],
    with_labels: bool,
    scale: &Decades,
) -> Markup {
    let measured = record.result.as_ref();
    html! {
        tr data-row=(row) .failed[measured.is_err()] {
            th scope="row" { a href={ "#row-" (row) } { (record.algorithm) } }
            @if with_labels { td.label { (record.label_at_size()) } }
            @for column in columns {
                @match measured.map(|measured| (column.value)(record, measured)) {
                    Ok(Some(value)) => td.number data-value=(value) { ((column.show)(value)) },
                    Ok(None) => td.number { "-" },
                    Err(_) => td.number { "n/a" },
                }
            }
            td.scale style={ "--decades:" (scale.count()) } {
                @if let Ok(measured) = measured {
                    span.mark style={ "--at:" (place(scale.share(measured.ns_per_unit))) } {}
                }
            }
            td.notes { (detail::notes(record).join("; ")) }
        }
    }
}

/// A place between 0 and 1, as a style has it.
fn place(share: f64) -> String {
    format!("{share:.4}")
}

/// A relative error as per cent.
pub fn percent(error: f64) -> String {
    format!("±{:.2} %", 100.0 * error)
}
