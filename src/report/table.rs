//! The table, with libgcrypt's words and column widths.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use bench_slope_algorithms::Section;

use super::{exact, significant};
use crate::record::{Frequency, Measured, Record, Run};

/// Significant digits: the error is small enough for four.
pub const DIGITS: i32 = 4;

/// How a table looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Headings are bold and rows without a number red, for terminals.
    pub styled: bool,
    /// Each row has a bar for its speed beside that of the fastest in its section.
    pub bars: bool,
}

/// The longest bar.
const BAR: f64 = 24.0;

/// A run as tables, one for each section.
#[must_use]
pub fn render(run: &Run) -> String {
    render_as(run, Look::default())
}

/// The same with a look of its own.
#[must_use]
pub fn render_as(run: &Run, look: Look) -> String {
    let mut text = String::new();
    if let Some(machine) = &run.machine {
        line(&mut text, &format!("Machine: {machine}"));
    }
    for &section in Section::ALL {
        let records: Vec<&Record> = run.records.iter().filter(|r| r.section == section).collect();
        if !records.is_empty() {
            let with_mhz = run.frequency == Some(Frequency::Measured);
            let given = run.conditions.at_mhz.is_some();
            if let Some(threads) = run.conditions.threads {
                line(&mut text, &styled(&format!("{}:", title(section)), HEADING, look));
                text.push_str(&super::scaling::table(&records, threads));
            } else if run.conditions.growth {
                line(&mut text, &styled(&format!("{}:", title(section)), HEADING, look));
                let tables = records.iter().map(|record| super::growth::tables(record));
                text.push_str(&tables.collect::<Vec<_>>().join("\n"));
            } else if section != Section::Points && records.iter().any(|r| r.size.is_some()) {
                line(&mut text, &heading(section, &records, given, look));
                exact::render(section, &records, with_mhz, look, &mut text);
            } else if run.is_by_size() {
                line(&mut text, &heading(section, &records, given, look));
                render_sizes(section, &records, with_mhz, look, &mut text);
            } else {
                line(&mut text, &heading(section, &records, given, look));
                render_section(section, &records, with_mhz, look, &mut text);
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
        Section::Points => "Points",
    }
}

/// A section's heading, and which frequency its nanoseconds are told at, where it is known.
fn heading(section: Section, records: &[&Record], given: bool, look: Look) -> String {
    let name = styled(&format!("{}:", title(section)), HEADING, look);
    match told_at(records, given) {
        Some(told) => format!("{name} {told}"),
        None => name,
    }
}

/// The frequency that nanoseconds are told at, and what the core ran at where that was another:
/// `at 3.20 GHz, measured; the core ran at 3.12 to 3.25 GHz`.
#[must_use]
pub fn told_at(records: &[&Record], given: bool) -> Option<String> {
    let measured = || records.iter().filter_map(|record| record.result.as_ref().ok());
    let mhz = measured().find_map(|measured| measured.told_at_mhz)?;
    let ran = || measured().filter_map(|measured| measured.measured_mhz);
    let (slowest, fastest) = (ran().reduce(f64::min)?, ran().reduce(f64::max)?);
    let whose = if given { "given" } else { "measured" };
    let mut told = format!("at {:.2} GHz, {whose}", mhz / 1e3);
    let moved = |ran: f64| (ran / mhz - 1.0).abs() > MOVED;
    if moved(slowest) || moved(fastest) {
        let (slowest, fastest) = (slowest / 1e3, fastest / 1e3);
        told.push_str(&if fastest - slowest < 0.01 {
            format!("; the core ran at {fastest:.2} GHz")
        } else {
            format!("; the core ran at {slowest:.2} to {fastest:.2} GHz")
        });
    }
    Some(told)
}

/// A frequency that differs by less than this share is the same: chains tremble.
const MOVED: f64 = 0.005;

/// A text in a style where styles are shown.
pub fn styled(text: &str, style: Style, look: Look) -> String {
    if look.styled { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// How headings look.
pub const HEADING: Style = Style::new().bold();
/// How rows without a number look.
pub const FAILED: Style = AnsiColor::Red.on_default();

/// A row's bar: the fastest of the same unit has the longest.
fn bar(record: &Record, records: &[&Record]) -> String {
    let ns = |record: &Record| Some(record.result.as_ref().ok()?.ns_per_unit);
    let alike = records.iter().filter(|other| other.unit == record.unit);
    let fastest = alike.filter_map(|other| ns(other)).reduce(f64::min);
    let (Some(ns), Some(fastest)) = (ns(record), fastest) else { return String::new() };
    format!("  {}", "#".repeat((BAR * fastest / ns).round() as usize))
}

fn render_section(
    section: Section,
    records: &[&Record],
    with_mhz: bool,
    look: Look,
    text: &mut String,
) {
    let width = width(section);
    let mut heading = None;
    for record in records {
        // One heading above the section; in the cipher section one above each algorithm.
        let wanted = if section == Section::Cipher { record.algorithm.as_str() } else { "" };
        if heading != Some((wanted, record.unit.as_str())) {
            if heading.is_some() {
                line(text, &format!("{:width$}=", ""));
            }
            let name = if wanted.is_empty() { String::new() } else { format!(" {wanted}") };
            let columns = columns(&record.unit, with_mhz);
            line(text, &styled(&format!("{name:width$}|{columns}"), HEADING, look));
            heading = Some((wanted, record.unit.as_str()));
        }
        let name = if section == Section::Cipher {
            format!("{:>1$} ", record.label, width - 1)
        } else {
            format!(" {:<1$}", record.algorithm, width - 1)
        };
        let row = format!("{name}|{}", cells(record, with_mhz));
        let bar = if look.bars { bar(record, records) } else { String::new() };
        let style = if record.result.is_err() { FAILED } else { Style::new() };
        line(text, (styled(&row, style, look) + &bar).trim_end());
    }
    line(text, &format!("{:width$}=", ""));
}

/// The width of the first column.
pub fn width(section: Section) -> usize {
    match section {
        Section::Hash | Section::Cipher => 16,
        Section::Mac => 20,
        Section::Kdf => 26,
        // The longest of these names has 47 letters.
        Section::Points => 49,
    }
}

/// A section whose rows are told size by size: a heading for each row, and below it the sizes.
fn render_sizes(
    section: Section,
    records: &[&Record],
    with_mhz: bool,
    look: Look,
    text: &mut String,
) {
    let width = width(section);
    for record in records {
        let name = format!(" {}", record.name());
        let Ok(measured) = &record.result else {
            let row = format!("{name:width$}|{}", cells(record, with_mhz));
            line(text, &styled(&row, FAILED, look));
            continue;
        };
        let mhz = if with_mhz { "  auto Mhz" } else { "" };
        let columns = "  nanosecs/call   mebibytes/sec   cycles/byte";
        line(text, &styled(&format!("{name:width$}|{columns}{mhz}"), HEADING, look));
        let known = |value: Option<f64>| {
            value.map_or_else(|| "-".to_owned(), |value| significant(value, DIGITS))
        };
        for &point in &measured.points {
            let ns = significant(point.ns, DIGITS);
            let mib = known(measured.mib_per_s_at(point));
            let cycles = known(measured.cycles_per_unit_at(point));
            let mut cells = format!("{ns:>12} ns{mib:>10} MiB/s{cycles:>10} c/B");
            if with_mhz {
                cells.push_str(&format!("{:>10}", known(measured.mhz_of_cycles())));
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

/// An error that is too large for the digits that are shown stands behind the row: `±34 %`.
fn mark(measured: &Measured) -> String {
    let large = measured.err_percent().filter(|_| measured.is_far_from_exact());
    large.map_or_else(String::new, |percent| format!("  ±{percent:.0} %"))
}

/// A row's cells.
fn cells(record: &Record, with_mhz: bool) -> String {
    let show = |value: f64| significant(value, DIGITS);
    let (ns, mib, cycles, mhz, remark) = match &record.result {
        Ok(measured) => {
            let known = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), show);
            let (mib, cycles) = (known(measured.mib_per_s), known(measured.cycles_per_unit));
            (
                show(measured.ns_per_unit),
                mib,
                cycles,
                known(measured.mhz_of_cycles()),
                mark(measured),
            )
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

/// Adds a line.
pub fn line(text: &mut String, line: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{measured, record, run};

    fn at(told_at_mhz: f64, measured_mhz: f64) -> Record {
        let (told_at_mhz, measured_mhz) = (Some(told_at_mhz), Some(measured_mhz));
        let measured = Measured { told_at_mhz, measured_mhz, ..measured(1.0) };
        record(Section::Hash, "MD5", Ok(measured))
    }

    #[test]
    fn the_heading_tells_the_frequency_and_how_far_the_core_moved() {
        let heading = |records: Vec<Record>| {
            render(&run(records)).lines().next().map(str::to_owned).expect("a heading")
        };
        assert_eq!(heading(vec![at(3200.0, 3201.0)]), "Hash: at 3.20 GHz, measured");
        assert_eq!(
            heading(vec![at(3200.0, 3120.0), at(3200.0, 3246.0)]),
            "Hash: at 3.20 GHz, measured; the core ran at 3.12 to 3.25 GHz"
        );
        assert_eq!(
            heading(vec![at(3200.0, 3000.0), at(3200.0, 3001.0)]),
            "Hash: at 3.20 GHz, measured; the core ran at 3.00 GHz"
        );
        assert_eq!(heading(vec![record(Section::Hash, "MD5", Ok(measured(1.0)))]), "Hash:");
    }

    #[test]
    fn a_number_that_is_far_from_exact_has_its_error_behind_it() {
        let row = |relative_error| {
            let measured = Measured { relative_error, ..measured(1.0) };
            let text = render(&run(vec![record(Section::Hash, "MD5", Ok(measured))]));
            text.lines().nth(2).map(str::to_owned).expect("a row")
        };
        assert!(row(Some(0.34)).ends_with(" c/B  ±34 %"), "{}", row(Some(0.34)));
        assert!(row(Some(0.05)).ends_with(" c/B"), "{}", row(Some(0.05)));
        assert!(row(None).ends_with(" c/B"), "{}", row(None));
    }

    #[test]
    fn all_nanoseconds_are_told_at_another_frequency_and_cycles_stay() {
        let own = Measured {
            measured_mhz: Some(3000.0),
            bend: Some(crate::linearity::Bend {
                size: 64,
                ns_per_unit_below: 1.0,
                ns_per_unit_above: 3.0,
                batch: None,
            }),
            ..measured(2.0)
        };
        let mut row = record(Section::Hash, "MD5", Ok(own.clone()));
        row.tell_at(3000.0, 1500.0);
        row.derive(Some(Frequency::Measured));
        let told = row.result.expect("a number");
        assert_eq!((told.ns_per_unit, told.measured_ns_per_unit), (4.0, 2.0));
        assert_eq!((told.ns_per_call, told.told_at_mhz), (2.0 * own.ns_per_call, Some(1500.0)));
        assert_eq!(told.points[3].ns, 2.0 * own.points[3].ns);
        assert_eq!(told.bend.expect("a bend").ns_per_unit_above, 6.0);
        assert_eq!(told.cycles_per_unit, Some(6.0));
        // What always holds: cycles are nanoseconds times the frequency they are told at.
        assert_eq!(told.mhz_of_cycles().map(|mhz| told.ns_per_unit * mhz / 1e3), Some(6.0));
        assert!((told.mib_per_s.expect("a rate") * told.ns_per_unit - 953.674).abs() < 1e-3);
    }
}
