//! The table, with libgcrypt's words and column widths.

use std::fmt::Write;

use bench_slope_algorithms::Section;

use super::significant;
use crate::record::{Frequency, Record, Run};

/// Significant digits: the error is small enough for four.
const DIGITS: i32 = 4;

/// A run as tables, one for each section.
#[must_use]
pub fn render(run: &Run) -> String {
    let mut text = String::new();
    if let Some(machine) = &run.machine {
        line(&mut text, &format!("Machine: {machine}"));
    }
    for &section in Section::ALL {
        let records: Vec<&Record> = run.records.iter().filter(|r| r.section == section).collect();
        if !records.is_empty() {
            let with_mhz = run.frequency == Some(Frequency::Measured);
            if run.is_by_size() {
                render_sizes(section, &records, with_mhz, &mut text);
            } else {
                render_section(section, &records, with_mhz, &mut text);
            }
        }
    }
    if run.partial {
        line(&mut text, super::PARTIAL);
    }
    text
}

/// A section's name in headings.
pub fn title(section: Section) -> &'static str {
    match section {
        Section::Hash => "Hash",
        Section::Mac => "MAC",
        Section::Cipher => "Cipher",
        Section::Kdf => "KDF",
    }
}

fn render_section(section: Section, records: &[&Record], with_mhz: bool, text: &mut String) {
    let width = width(section);
    line(text, &format!("{}:", title(section)));
    let mut heading = None;
    for record in records {
        // One heading above the section; in the cipher section one above each algorithm.
        let wanted = if section == Section::Cipher { record.algorithm.as_str() } else { "" };
        if heading != Some((wanted, record.unit.as_str())) {
            if heading.is_some() {
                line(text, &format!("{:width$}=", ""));
            }
            let name = if wanted.is_empty() { String::new() } else { format!(" {wanted}") };
            line(text, &format!("{name:width$}|{}", columns(&record.unit, with_mhz)));
            heading = Some((wanted, record.unit.as_str()));
        }
        let name = if section == Section::Cipher {
            format!("{:>1$} ", record.label, width - 1)
        } else {
            format!(" {:<1$}", record.algorithm, width - 1)
        };
        line(text, &format!("{name}|{}", cells(record, with_mhz)));
    }
    line(text, &format!("{:width$}=", ""));
}

/// The width of the first column.
fn width(section: Section) -> usize {
    match section {
        Section::Hash | Section::Cipher => 16,
        Section::Mac => 20,
        Section::Kdf => 26,
    }
}

/// A section whose rows are told size by size: a heading for each row, and below it the sizes.
fn render_sizes(section: Section, records: &[&Record], with_mhz: bool, text: &mut String) {
    let width = width(section);
    line(text, &format!("{}:", title(section)));
    for record in records {
        let name = format!(" {}", record.name());
        let Ok(measured) = &record.result else {
            line(text, &format!("{name:width$}|{}", cells(record, with_mhz)));
            continue;
        };
        let mhz = if with_mhz { "  auto Mhz" } else { "" };
        let columns = "  nanosecs/call   mebibytes/sec   cycles/byte";
        line(text, &format!("{name:width$}|{columns}{mhz}"));
        let known = |value: Option<f64>| {
            value.map_or_else(|| "-".to_owned(), |value| significant(value, DIGITS))
        };
        for &point in &measured.points {
            let ns = significant(point.ns, DIGITS);
            let mib = known(measured.mib_per_s_at(point));
            let cycles = known(measured.cycles_per_unit_at(point));
            let mut cells = format!("{ns:>12} ns{mib:>10} MiB/s{cycles:>10} c/B");
            if with_mhz {
                cells.push_str(&format!("{:>10}", known(measured.measured_mhz)));
            }
            line(text, &format!("{:>1$} |{cells}", point.size, width - 1));
        }
    }
    line(text, &format!("{:width$}=", ""));
}

/// The headings of the columns; the last one is there when the frequency was measured.
fn columns(unit: &str, with_mhz: bool) -> String {
    let columns = if unit == "byte" {
        "  nanosecs/byte   mebibytes/sec   cycles/byte".to_owned()
    } else {
        format!("{:>15}{:>14}", format!("nanosecs/{unit}"), format!("cycles/{unit}"))
    };
    if with_mhz { columns + "  auto Mhz" } else { columns }
}

/// A row's cells.
fn cells(record: &Record, with_mhz: bool) -> String {
    let show = |value: f64| significant(value, DIGITS);
    let (ns, mib, cycles, mhz, remark) = match &record.result {
        Ok(measured) => {
            let known = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), show);
            let (mib, cycles) = (known(measured.mib_per_s), known(measured.cycles_per_unit));
            (show(measured.ns_per_unit), mib, cycles, known(measured.measured_mhz), String::new())
        }
        Err(failure) => {
            let not = || "n/a".to_owned();
            (not(), not(), not(), not(), format!("  ({})", failure.kind()))
        }
    };
    let mut cells = if record.unit == "byte" {
        format!("{ns:>10} ns/B{mib:>10} MiB/s{cycles:>10} c/B")
    } else {
        format!("{ns:>15}{cycles:>14}")
    };
    if with_mhz {
        cells.push_str(&format!("{mhz:>10}"));
    }
    cells + &remark
}

fn line(text: &mut String, line: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}
