//! What is known of each row beside the table: in words, with a place for its plots.

use bench_slope_algorithms::Section;
use maud::{Markup, html};

use super::significant;
use super::table::percent;
use crate::record::{Counts, Layouts, Measured, Record};
use crate::warning::bent;

/// Significant digits where there is room for more than in the table.
const DIGITS: i32 = 6;

/// Details by algorithm, closed until they are opened.
pub fn list(rows: &[(usize, &Record)], title: &str) -> Markup {
    let groups = rows.chunk_by(|(_, one), (_, other)| one.algorithm == other.algorithm);
    html! {
        h3 { (title) ": points, line and residuals" }
        @for group in groups {
            details.algorithm {
                summary { (group[0].1.algorithm) span.brief { (brief(group)) } }
                @for (row, record) in group { (row_markup(*row, record, group.len() > 1)) }
            }
        }
    }
}

/// What a closed group says.
fn brief(group: &[(usize, &Record)]) -> String {
    match group {
        [(_, record)] => cost(record, super::DIGITS),
        _ => format!("{} rows", group.len()),
    }
}

/// The cost with its error, or the reason why there is none.
fn cost(record: &Record, digits: i32) -> String {
    match &record.result {
        Ok(measured) => {
            let error =
                measured.relative_error.map_or_else(String::new, |e| " ".to_owned() + &percent(e));
            format!("{} ns/{}{error}", significant(measured.ns_per_unit, digits), record.unit)
        }
        Err(failure) => format!("n/a: {}", failure.kind()),
    }
}

fn row_markup(row: usize, record: &Record, titled: bool) -> Markup {
    html! {
        section.row id={ "row-" (row) } tabindex="-1" {
            @if titled { h4 { (record.name()) span.brief { (cost(record, super::DIGITS)) } } }
            @match &record.result {
                Ok(measured) => {
                    dl.facts {
                        @for (name, value) in facts(record, measured) { dt { (name) } dd { (value) } }
                    }
                    @if let Some(bytes) = record.size { p { "Measured at " (bytes) " bytes: there is no line to plot." } }
                    @else if measured.points.is_empty() { p { "No points were kept: there is nothing to plot." } }
                    @else { div.plots data-plots=(row) {} }
                }
                Err(failure) => p { span.kind { (failure.kind()) } " " (failure.reason()) }
            }
        }
    }
}

/// What is known of a measured row.
fn facts(record: &Record, measured: &Measured) -> Vec<(&'static str, String)> {
    let unit = record.unit.as_str();
    let show = |value: f64| significant(value, DIGITS);
    let rounds = format!("{} in {} processes", measured.rounds, measured.processes);
    let quiet = if measured.quiet { "" } else { ", beside a busy neighbour" };
    let cost = if record.size.is_some() { "cost" } else { "slope" };
    let mut facts = vec![
        (cost, format!("{} ns/{unit}", show(measured.ns_per_unit))),
        ("95 % error", measured.relative_error.map_or_else(|| "not stated".to_owned(), percent)),
        ("rounds", rounds + quiet),
        (
            "crate",
            match &record.package_version {
                Some(version) => format!("{} {version}", record.package),
                None => record.package.clone(),
            },
        ),
    ];
    if record.size.is_none() {
        let intercept = significant(measured.ns_per_call, super::DIGITS);
        facts.insert(2, ("intercept", format!("{intercept} ns/call")));
    }
    match measured.predicted {
        Some(Err(why)) => facts.push(("by the slope", format!("nothing: {}", why.reason()))),
        _ => facts.extend(
            super::super::predicted(measured).map(|ns| ("by the slope", format!("{ns} ns/call"))),
        ),
    }
    if let Some(mhz) = measured.measured_mhz {
        facts.push(("frequency", format!("{} MHz", show(mhz))));
    }
    if let Some(bend) = measured.bend {
        facts.push(("no straight line", bent(unit, bend)));
    }
    if let Some(Layouts { best_ns_per_unit, other_ns_per_unit, other_share }) = measured.layouts {
        facts.push((
            "layouts of code and data",
            format!(
                "{} ns/{unit} where they lie well, {} in {:.0} % of the samples",
                show(best_ns_per_unit),
                show(other_ns_per_unit),
                100.0 * other_share
            ),
        ));
    }
    facts.extend(measured.counts.map(|counts| ("counted", counted(&counts, unit))));
    facts
}

fn counted(counts: &Counts, unit: &str) -> String {
    let known = [
        (counts.instructions_per_unit, "instructions"),
        (counts.cycles_per_unit, "cycles"),
        (counts.branches_per_unit, "branches"),
        (counts.branch_misses_per_unit, "branches predicted wrongly"),
        (counts.cache_misses_per_unit, "cache misses"),
    ];
    let known = known.into_iter().filter_map(|(value, name)| Some((value?, name)));
    let known: Vec<String> = known
        .map(|(value, name)| format!("{} {name}", significant(value, super::DIGITS)))
        .collect();
    if known.is_empty() { "nothing".to_owned() } else { format!("{} per {unit}", known.join(", ")) }
}

/// What to know of a row, in a few words each.
pub fn notes(record: &Record) -> Vec<String> {
    let mut notes = Vec::new();
    match &record.result {
        Ok(measured) => {
            if measured.bend.is_some() {
                notes.push("no straight line".to_owned());
            }
            if measured.layouts.is_some() {
                notes.push("depends on layout".to_owned());
            }
            if !measured.quiet {
                notes.push("beside a busy neighbour".to_owned());
            }
            if measured.relative_error.is_none() {
                notes.push("no error stated".to_owned());
            }
            // A KDF's length is its own affair.
            if let Some(bytes) = record.squeezed_bytes.filter(|_| record.section != Section::Kdf) {
                notes.push(format!("{bytes} bytes squeezed"));
            }
        }
        Err(failure) => notes.push(failure.kind().to_owned()),
    }
    notes
}
