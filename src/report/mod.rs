//! Reports: a run in, text out. They print nothing and compute nothing but the digits to show and
//! places on axes.

pub mod csv;
mod exact;
#[cfg(test)]
pub(crate) mod examples;
pub mod growth;
pub mod html;
pub mod json;
pub mod libgcrypt_csv;
pub mod markdown;
pub mod picture;
pub mod scaling;
pub mod table;
mod tables;

use crate::record::{Measured, Run};

/// How a run is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// libgcrypt's table.
    #[default]
    Table,
    /// libgcrypt's comma-separated values: `--csv`.
    LibgcryptCsv,
    /// Comma-separated values with a header and the same fields on every row.
    Csv,
    /// Everything.
    Json,
    /// nanobench's table.
    Markdown,
    /// One page with plots.
    Html,
    /// One picture.
    Svg,
}

impl Format {
    /// Those that have a name, with the extension of a file in them.
    pub const NAMED: &'static [(Format, &'static str, &'static str)] = &[
        (Format::Table, "table", "txt"),
        (Format::Csv, "csv", "csv"),
        (Format::Json, "json", "json"),
        (Format::Markdown, "markdown", "md"),
        (Format::Html, "html", "html"),
        (Format::Svg, "svg", "svg"),
    ];

    /// A run in this format.
    #[must_use]
    pub fn render(self, run: &Run) -> String {
        match self {
            Format::Table => table::render(run),
            Format::LibgcryptCsv => libgcrypt_csv::render(run),
            Format::Csv => csv::render(run),
            Format::Json => json::render(run),
            Format::Markdown => markdown::render(run),
            Format::Html => html::render(run),
            Format::Svg => picture::render(run),
        }
    }

    /// Whether the text of the first sections is the beginning of the text of all, so that it can be
    /// shown while the others are measured.
    #[must_use]
    pub fn grows(self) -> bool {
        matches!(self, Format::Table | Format::LibgcryptCsv | Format::Csv)
    }

    /// The format of this name.
    #[must_use]
    pub fn named(word: &str) -> Option<Format> {
        Self::NAMED.iter().find(|(_, name, _)| *name == word).map(|&(format, ..)| format)
    }

    /// The format of files with this extension.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Format> {
        let fits = |of_format: &str| of_format.eq_ignore_ascii_case(extension);
        Self::NAMED.iter().find(|(.., own)| fits(own)).map(|&(format, ..)| format)
    }
}

/// What formats for people say below a run that lacks rows.
pub const PARTIAL: &str =
    "partial: rows are missing, for the run was interrupted or is still going on";

/// What stands in the place of a number that is none.
pub const NOT_A_NUMBER: &str = "n/a";

/// `value` with this many significant digits, whole numbers in full: `0.1568`, `40.76`, `19459`;
/// [`NOT_A_NUMBER`] where it is none.
#[must_use]
pub fn significant(value: f64, digits: i32) -> String {
    if !value.is_finite() {
        return NOT_A_NUMBER.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    // Rounded first, so that 9.9996 becomes 10.00 rather than 10.000.
    let mut magnitude = value.abs().log10().floor() as i32;
    let scale = 10_f64.powi(digits - 1 - magnitude);
    if (value.abs() * scale).round() >= 10_f64.powi(digits) {
        magnitude += 1;
    }
    let decimals = (digits - 1 - magnitude).max(0);
    format!("{value:.*}", decimals as usize)
}

/// What the slope says of a call at one size, in nanoseconds, with how far it may be off; `-` where it says
/// nothing.
fn predicted(measured: &Measured) -> Option<String> {
    let Ok(predicted) = measured.predicted? else {
        return Some("-".to_owned());
    };
    let ns = significant(predicted.ns_per_call, 4);
    Some(match predicted.error_ns {
        Some(error) => format!("{ns} ±{}", significant(error, 2)),
        None => ns,
    })
}

#[cfg(test)]
mod tests {
    use bench_slope_algorithms::Section;

    use super::examples::{measured, record, run};
    use super::{Format, significant};
    use crate::record::Measured;

    #[test]
    fn what_is_no_number_is_told_as_none_in_every_format() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let measured = Measured {
                ns_per_unit: value,
                mib_per_s: Some(value),
                cycles_per_unit: Some(value),
                ..measured(1.0)
            };
            let run = run(vec![record(Section::Cipher, "ECB enc", Ok(measured))]);
            let table = Format::Table.render(&run);
            let row = table.lines().find(|line| line.contains("ECB enc")).expect("the row");
            let cells = ["n/a ns/B", "n/a MiB/s", "n/a c/B"];
            assert!(cells.iter().all(|cell| row.contains(cell)), "{row}");
            let csv = Format::LibgcryptCsv.render(&run);
            assert_eq!(csv, "cipher,AES,ECB enc,,,,ns/B,,MiB/s,,c/B\n");
            let json: serde_json::Value =
                serde_json::from_str(&Format::Json.render(&run)).expect("JSON");
            let record = &json["records"][0];
            for field in ["ns_per_unit", "mib_per_s", "cycles_per_unit"] {
                assert!(record[field].is_null(), "{field}: {record}");
            }
            let csv = Format::Csv.render(&run);
            let rows: Vec<Vec<&str>> = csv.lines().map(|row| row.split(',').collect()).collect();
            for (name, field) in rows[0].iter().zip(&rows[1]) {
                if ["ns_per_unit", "mib_per_s", "cycles_per_unit"].contains(name) {
                    assert_eq!(*field, "", "{name}");
                }
            }
            let markdown = Format::Markdown.render(&run);
            let row = markdown.lines().find(|line| line.contains("ECB enc")).expect("the row");
            assert_eq!(row.matches("n/a").count(), 3, "{row}");
        }
    }

    #[test]
    fn digits_are_significant() {
        for (value, text) in [
            (0.15678, "0.1568"),
            (1.69, "1.690"),
            (40.7573, "40.76"),
            (564.66, "564.7"),
            (1586.4, "1586"),
            (19459.2, "19459"),
            (9.99996, "10.00"),
            (999.96, "1000"),
            (0.049, "0.04900"),
            (0.0, "0"),
        ] {
            assert_eq!(significant(value, 4), text);
        }
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(significant(value, 4), "n/a");
        }
        assert_eq!(significant(1.9712345, 6), "1.97123");
        assert_eq!(significant(123_456_789.0, 6), "123456789");
    }
}
