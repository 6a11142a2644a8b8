//! Rows on several processors at once.

use bench_slope_algorithms::Section;

use super::significant;
use super::table::title;
use crate::record::Record;

const DIGITS: i32 = 4;

/// A section as a table: the sum, one thread, and the sum over the one.
#[must_use]
pub fn table(section: Section, records: &[&Record], threads: usize) -> String {
    let all = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    let width = records.iter().map(|record| record.name().len() + 2).max().unwrap_or(0).max(16);
    let mut text = format!("{}:\n", title(section));
    text.push_str(&format!("{:width$}|{all:>17}{:>17}{:>10}{:>8}\n", "", "one alone", "scaling", "err%"));
    for record in records {
        let cells = match (&record.scaling, &record.result) {
            (Some(s), _) => format!(
                "{:>11} MiB/s{:>11} MiB/s{:>10.3}{:>7.2}%",
                significant(s.mib_per_s, DIGITS),
                significant(s.one_mib_per_s, DIGITS),
                s.scaling,
                100.0 * s.scaling_relative_error,
            ),
            (None, result) => {
                let kind = result.as_ref().err().map_or("", |failure| failure.kind());
                format!("{0:>11} MiB/s{0:>11} MiB/s{0:>10}{0:>8}  ({kind})", "n/a")
            }
        };
        text.push_str(&format!(" {:<1$}|{cells}\n", record.name(), width - 1));
    }
    text + &format!("{:width$}=\n", "")
}
