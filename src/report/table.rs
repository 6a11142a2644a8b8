//! The table, with libgcrypt's words and column widths.

use std::fmt::Write;

use bench_slope_algorithms::Section;

use super::significant;
use crate::record::{Record, Run};

/// Significant digits: the error is small enough for four.
const DIGITS: i32 = 4;

/// A run as tables, one for each section.
#[must_use]
pub fn render(run: &Run) -> String {
    let mut text = String::new();
    for &section in Section::ALL {
        let records: Vec<&Record> = run.records.iter().filter(|r| r.section == section).collect();
        if !records.is_empty() {
            render_section(section, &records, &mut text);
        }
    }
    text
}

fn render_section(section: Section, records: &[&Record], text: &mut String) {
    let title = match section {
        Section::Hash => "Hash",
        Section::Mac => "MAC",
        Section::Cipher => "Cipher",
        Section::Kdf => "KDF",
    };
    let width = match section {
        Section::Hash | Section::Cipher => 16,
        Section::Mac => 20,
        Section::Kdf => 26,
    };
    line(text, &format!("{title}:"));
    let mut heading = None;
    for record in records {
        // One heading above the section; in the cipher section one above each algorithm.
        let wanted = if section == Section::Cipher { record.algorithm } else { "" };
        if heading != Some((wanted, record.unit)) {
            if heading.is_some() {
                line(text, &format!("{:width$}=", ""));
            }
            let name = if wanted.is_empty() { String::new() } else { format!(" {wanted}") };
            line(text, &format!("{name:width$}|{}", columns(record.unit)));
            heading = Some((wanted, record.unit));
        }
        let name = if section == Section::Cipher {
            format!("{:>1$} ", record.label, width - 1)
        } else {
            format!(" {:<1$}", record.algorithm, width - 1)
        };
        line(text, &format!("{name}|{}", cells(record)));
    }
    line(text, &format!("{:width$}=", ""));
}

/// The headings of the columns.
fn columns(unit: &str) -> String {
    if unit == "byte" {
        return "  nanosecs/byte   mebibytes/sec   cycles/byte".to_owned();
    }
    format!("{:>15}{:>14}", format!("nanosecs/{unit}"), format!("cycles/{unit}"))
}

/// A row's cells.
fn cells(record: &Record) -> String {
    let show = |value: f64| significant(value, DIGITS);
    let (ns, mib, cycles, remark) = match &record.result {
        Ok(measured) => (
            show(measured.ns_per_unit),
            measured.mib_per_s.map_or_else(|| "-".to_owned(), show),
            measured.cycles_per_unit.map_or_else(|| "-".to_owned(), show),
            String::new(),
        ),
        Err(failure) => {
            let not = || "n/a".to_owned();
            (not(), not(), not(), format!("  ({})", failure.kind()))
        }
    };
    if record.unit == "byte" {
        format!("{ns:>10} ns/B{mib:>10} MiB/s{cycles:>10} c/B{remark}")
    } else {
        format!("{ns:>15}{cycles:>14}{remark}")
    }
}

fn line(text: &mut String, line: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}
