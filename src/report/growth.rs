//! What a row's time grows with, as nanobench tells it: a table of times, and a table of classes.

use super::markdown::{code, with_commas};
use super::significant;
use crate::growth::{Class, Fitted, Growth};
use crate::record::Record;

/// The two tables of a row.
#[must_use]
pub fn tables(record: &Record) -> String {
    let Some(growth) = &record.growth else {
        let kind = record.result.as_ref().err().map_or("no growth", |failure| failure.kind());
        return format!("{}: n/a ({kind})\n", code(&record.name()));
    };
    format!("{}\n{}\n{}", times(record, growth), classes(growth), verdict(record, growth))
}

fn times(record: &Record, growth: &Growth) -> String {
    let mut text = "| complexityN |               ns/op |                op/s |    err% | benchmark\n\
                    |------------:|--------------------:|--------------------:|--------:|:----------\n"
        .to_owned();
    for time in &growth.times {
        let error = time.relative_error.map_or("-".to_owned(), per_cent);
        let (ns, rate) = (significant(time.ns, 4), with_commas(1e9 / time.ns));
        let name = code(&record.name());
        text.push_str(&format!("|{:>12} |{ns:>20} |{rate:>20} |{error:>8} | {name}\n", time.size));
    }
    text
}

fn classes(growth: &Growth) -> String {
    let mut text = "| coefficient (ns) |  constant (ns) |    err% | complexity\n\
                    |-----------------:|---------------:|--------:|:-----------\n"
        .to_owned();
    let mut shown: Vec<&Fitted> = growth.classes.iter().collect();
    if growth.class.is_none() {
        // None leads: the slowest growth first, instead of the best fit.
        shown.sort_by_key(|fitted| Class::ALL.iter().position(|&class| class == fitted.class));
    }
    for fitted in shown {
        let coefficient = exponent(fitted.coefficient_ns);
        let constant = significant(fitted.constant_ns, 4);
        let error = per_cent(fitted.relative_error);
        let name = fitted.class.name();
        text.push_str(&format!("|{coefficient:>17} |{constant:>15} |{error:>8} | {name}\n"));
    }
    text
}

/// A share in per cent; how far off a class is by ten times and more does not matter.
fn per_cent(share: f64) -> String {
    if share < 10.0 { format!("{:.2}%", 100.0 * share) } else { ">999%".to_owned() }
}

/// Coefficients of squares and cubes are small: their powers of ten are told.
fn exponent(value: f64) -> String {
    if value == 0.0 || value >= 1e-3 { significant(value, 4) } else { format!("{value:.3e}") }
}

/// One line: the class, or why it cannot be told.
#[must_use]
pub fn verdict(record: &Record, growth: &Growth) -> String {
    let name = record.name();
    match (growth.class, &growth.unclear) {
        (Some(class), _) => format!("{name}: {}\n", class.name()),
        (None, Some(why)) => format!("{name}: cannot tell what it grows with: {why}\n"),
        (None, None) => format!("{name}: cannot tell what it grows with\n"),
    }
}
