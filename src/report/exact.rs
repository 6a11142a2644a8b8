//! The table's part for rows at exact sizes: below each row its sizes, and beside each what the slope
//! says of it.

use bench_slope_algorithms::Section;

use super::table::{DIGITS, FAILED, HEADING, Look, line, styled, width};
use super::{predicted, significant};
use crate::record::Record;

/// A column: its heading, its width, and a cell; `-` where there is none.
type Column = (&'static str, usize, fn(&Record) -> Option<String>);

const COLUMNS: &[Column] = &[
    ("nanosecs/call", 15, |r| Some(digits(r.point()?.ns))),
    ("by the slope", 17, |r| predicted(r.result.as_ref().ok()?)),
    ("calls/sec", 12, |r| Some(digits(r.point()?.calls_per_s()?))),
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

/// The last one, where the frequency was measured.
const MHZ: Column = ("auto Mhz", 10, |r| Some(digits(r.result.as_ref().ok()?.mhz_of_cycles()?)));

/// A section: a heading for each row, then its slope and its sizes.
pub fn render(
    section: Section,
    records: &[&Record],
    with_mhz: bool,
    look: Look,
    text: &mut String,
) {
    let columns = || COLUMNS.iter().chain(with_mhz.then_some(&MHZ));
    let width = width(section);
    for record in records {
        if record.size.is_none() {
            let name = format!(" {}", record.name());
            let heads = columns().map(|(head, width, _)| format!("{head:>width$}"));
            let heading = format!("{name:width$}|{}", heads.collect::<String>());
            line(text, &styled(&heading, HEADING, look));
        }
        let what = record.size.map_or_else(|| "slope".to_owned(), |bytes| bytes.to_string());
        let cell = |&(_, width, cell): &Column| {
            let none = if record.result.is_ok() { "-" } else { "n/a" };
            format!("{:>width$}", cell(record).unwrap_or_else(|| none.to_owned()))
        };
        let cells: String = columns().map(cell).collect();
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
