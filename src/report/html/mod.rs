//! The report as one HTML file: tables, text, and data that inline scripts draw plots from.
//!
//! It asks nothing of a network, and its content security policy would not let it. Text is escaped
//! by the templates; without scripts, tables and text are still whole.

mod data;
mod detail;
mod table;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::significant;
use super::table::told_at;
use super::tables::{Table, tables};
use crate::record::{Conditions, Frequency, Record, Run};

/// Significant digits where there is room for four.
const DIGITS: i32 = 4;
/// So many reasons are open to be read; more would push the results away.
const FEW: usize = 8;
const STYLE: &str = include_str!("style.css");
const SCRIPTS: [&str; 3] =
    [include_str!("table.js"), include_str!("scale.js"), include_str!("plots.js")];
/// Nothing may be loaded from anywhere; what is inline is all there is.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

/// A run as an HTML document.
#[must_use]
pub fn render(run: &Run) -> String {
    let tables = tables(run);
    let title = "What a hash or a cipher costs per byte";
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // Without it a browser asks the server of the page for one.
                link rel="icon" href="data:,";
                title { "bench-slope: " (summary(run)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#results" { "Skip to the results" }
                header {
                    h1 { (title) }
                    p {
                        (summary(run))
                        @if let Some(seconds) = run.started_unix_s {
                            ", begun " time data-unix-s=(seconds) { (seconds) " s after 1970" }
                        }
                    }
                    @if run.partial { p.kind { (super::PARTIAL) } }
                    @if run.conditions.quick { p.kind { "A smoke test: the numbers are rough." } }
                    (navigation(&tables))
                }
                main {
                    (warnings(run))
                    (without_number(run))
                    div #results tabindex="-1" {
                        p #tools hidden {
                            label for="filter" { "Show rows with " }
                            input #filter type="search" autocomplete="off" spellcheck="false";
                            " "
                            span #shown role="status" {}
                        }
                        noscript {
                            p.note {
                                "Sorting and plots need scripts, which are off here. Tables and text are whole \
                                 without them."
                            }
                        }
                        @for table in &tables { (table::markup(table)) }
                    }
                    (environment(run))
                    (reading())
                }
                footer { p { "Written by bench-slope " (env!("CARGO_PKG_VERSION")) "." } }
                script #data type="application/json" { (PreEscaped(data::json(run))) }
                @for script in SCRIPTS { script { (PreEscaped(script)) } }
            }
        }
    };
    page.into_string()
}

/// The run in a line.
fn summary(run: &Run) -> String {
    let rows = run.records.len();
    let mut text = format!("{rows} {}", if rows == 1 { "row" } else { "rows" });
    let machine = run.machine.as_ref().or(run.environment.cpu_model.as_ref());
    if let Some(machine) = machine {
        text.push_str(&format!(" on {machine}"));
    }
    text
}

fn navigation(tables: &[Table]) -> Markup {
    html! {
        nav aria-label="Parts of the report" {
            ul {
                @for table in tables { li { a href={ "#" (table::id(table)) } { (table.title()) } } }
                li { a href="#environment" { "Environment" } }
                li { a href="#reading" { "How to read it" } }
            }
        }
    }
}

fn warnings(run: &Run) -> Markup {
    html! {
        @if !run.warnings.is_empty() {
            section #warnings aria-labelledby="warnings-title" {
                h2 #warnings-title { "Warnings" }
                ul {
                    @for advice in &run.warnings {
                        li { span.kind { (advice.kind.replace('-', " ")) ":" } " " (advice.text) }
                    }
                }
            }
        }
    }
}

/// Rows without a number: each with its reason, before anything else is read.
fn without_number(run: &Run) -> Markup {
    let failed: Vec<(usize, &Record)> =
        run.records.iter().enumerate().filter(|(_, record)| record.result.is_err()).collect();
    html! {
        @if !failed.is_empty() {
            section #failures aria-label="Rows without a number" {
                details open[failed.len() <= FEW] {
                    summary { h2 { "Rows without a number: " (failed.len()) " of " (run.records.len()) } }
                    ul {
                        @for (row, record) in failed {
                            @if let Err(failure) = &record.result {
                                li {
                                    span.kind { (failure.kind()) ":" } " "
                                    a href={ "#row-" (row) } { (record.name()) }
                                    ": " (failure.reason())
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn environment(run: &Run) -> Markup {
    let frequency = match run.frequency {
        Some(Frequency::Given(mhz)) => format!("given, {mhz} MHz"),
        Some(Frequency::Measured) => "measured beside each row".to_owned(),
        None => "not given; cycles need --cpu-mhz".to_owned(),
    };
    let Conditions {
        quick,
        unaligned,
        repetitions,
        sizes,
        precision,
        time_limit_s,
        bytes,
        min_epoch_ns,
        ..
    } = &run.conditions;
    let records: Vec<&Record> = run.records.iter().collect();
    html! {
        section #environment aria-labelledby="environment-title" {
            h2 #environment-title { "Environment" }
            dl.facts {
                @for (name, value) in run.environment.facts() { dt { (name) } dd { (value) } }
                dt { "frequency for cycles" } dd { (frequency) }
                @if let Some(told) = told_at(&records, run.conditions.at_mhz.is_some()) {
                    dt { "nanoseconds" } dd { (told) }
                }
                dt { "rounds" }
                dd {
                    @if *quick { "a smoke test: numbers are rough" }
                    @else if let Some(rounds) = repetitions { "exactly " (rounds) " of every row" }
                    @else { "as many as a precise answer takes" }
                }
                @if let Some(precision) = precision {
                    dt { "precision" } dd { (significant(100.0 * precision, DIGITS)) " %" }
                }
                @if let Some(seconds) = time_limit_s {
                    dt { "time limit" } dd { (significant(*seconds, DIGITS)) " s a row in the mean" }
                }
                @if !run.counters.counted.is_empty() {
                    dt { "counted" } dd { (run.counters.counted.join(", ")) }
                }
                @for note in &run.counters.notes { dt { "not counted" } dd { (note) } }
                dt { "messages" }
                dd { @if *unaligned { "start at odd addresses" } @else { "aligned" } }
                @if let Some(sizes) = sizes {
                    dt { "sizes" }
                    dd { (sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")) }
                }
                @if let Some(bytes) = bytes {
                    dt { "exact sizes" }
                    dd { (bytes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")) }
                }
                @if let Some(ns) = min_epoch_ns {
                    dt { "samples" }
                    dd { "last at least " (significant(*ns as f64 / 1e6, DIGITS)) " ms" }
                }
                @for (name, value) in versions(run) { dt { (name) } dd { (value) } }
            }
        }
    }
}

/// What ran, as far as it is known.
fn versions(run: &Run) -> Vec<(&'static str, String)> {
    let v = &run.versions;
    let build = format!("{} {}", v.profile, v.opt_level);
    let all = [
        ("bench-slope", v.bench_slope.clone()),
        ("built for", v.target.clone()),
        ("profile, optimisation", build.trim().to_owned()),
        ("compiler", v.compiler.clone()),
        ("compiler's flags", v.flags.clone()),
        ("features taken for granted", v.target_features.join(", ")),
        ("processor's features", v.cpu_features.clone().unwrap_or_default().join(", ")),
    ];
    all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

fn reading() -> Markup {
    html! {
        section #reading aria-labelledby="reading-title" {
            h2 #reading-title { "How to read it" }
            p {
                "Each row is timed at many message sizes. The slope of time over size is the cost of a byte \
                 (ns/B); what a call costs besides, the intercept, is taken out and stands under ns/call. \
                 MiB/s is 2^20 bytes a second. Each number is the best this machine does with the message \
                 in its first-level cache."
            }
            p {
                "The error is half the width of the slope's 95 % interval. In the plots it is the band: lines \
                 of every slope within the interval, through the middle of the sizes. Residuals are how far \
                 a point lies from the line, in per cent of the line."
            }
            p {
                "The scale of the marks beside the numbers is logarithmic: from one of its lines to the next \
                 the cost is ten times as high."
            }
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
