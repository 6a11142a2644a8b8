//! The table's part for rows at exact sizes: below each row its sizes, and beside each what the slope
//! says of it.

use bench_slope_algorithms::Section;

use super::significant;
use super::table::{DIGITS, FAILED, HEADING, Look, line, styled, title, width};
use crate::record::Record;

/// A column: its heading, its width, and a cell; `-` where there is none.
type Column = (&'static str, usize, fn(&Record) -> Option<String>);

const COLUMNS: &[Column] = &[
    ("nanosecs/call", 15, |r| Some(digits(of_call(r, r.result.as_ref().ok()?.ns_per_unit)?))),
    ("by the slope", 14, |r| Some(digits(r.result.as_ref().ok()?.predicted_ns_per_call?))),
    ("calls/sec", 12, |r| Some(digits(1e9 / of_call(r, r.result.as_ref().ok()?.ns_per_unit)?))),
    ("nanosecs/byte", 15, |r| Some(digits(r.ns_per_byte()?))),
    ("mebibytes/sec", 15, |r| Some(digits(r.result.as_ref().ok()?.mib_per_s?))),
    ("cycles/byte", 13, |r| {
        let measured = r.result.as_ref().ok()?;
        Some(digits(measured.cycles_per_unit? * r.ns_per_byte()? / measured.ns_per_unit))
    }),
    ("err%", 8, |r| Some(format!("{:.2}%", r.result.as_ref().ok()?.err_percent()?))),
    ("total s", 9, |r| Some(format!("{:.3}", r.result.as_ref().ok()?.total_s?))),
];

fn digits(value: f64) -> String {
    significant(value, DIGITS)
}

/// What a row at one size says of its call.
fn of_call(record: &Record, value: f64) -> Option<f64> {
    record.size.map(|_| value)
}

/// A section: a heading for each row, then its slope and its sizes.
pub fn render(section: Section, records: &[&Record], look: Look, text: &mut String) {
    let width = width(section);
    line(text, &styled(&format!("{}:", title(section)), HEADING, look));
    for record in records {
        if record.size.is_none() {
            let name = format!(" {}", record.name());
            let heads = COLUMNS.iter().map(|(head, width, _)| format!("{head:>width$}"));
            let heading = format!("{name:width$}|{}", heads.collect::<String>());
            line(text, &styled(&heading, HEADING, look));
        }
        let what = record.size.map_or_else(|| "slope".to_owned(), |bytes| bytes.to_string());
        let cell = |&(_, width, cell): &Column| {
            let none = if record.result.is_ok() { "-" } else { "n/a" };
            format!("{:>width$}", cell(record).unwrap_or_else(|| none.to_owned()))
        };
        let cells: String = COLUMNS.iter().map(cell).collect();
        let what = format!("{what:>0$} |{cells}", width - 1);
        match &record.result {
            Ok(_) => line(text, &what),
            Err(failure) => {
                let row = format!("{what}  ({})", failure.kind());
                line(text, &styled(&row, FAILED, look));
            }
        }
    }
    line(text, &format!("{:width$}=", ""));
}
