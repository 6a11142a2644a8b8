//! libgcrypt's CSV: no header, two reserved empty fields, a value and its unit in turn.
//!
//! A row without a number has empty values and, as a last field that no other row has, the reason.

use super::significant;
use crate::record::{Frequency, Record, Run};

/// Significant digits: rounding must neither hide nor fake a difference.
const DIGITS: i32 = 6;

/// A run as lines.
#[must_use]
pub fn render(run: &Run) -> String {
    let with_mhz = run.frequency == Some(Frequency::Measured);
    run.records.iter().map(|record| row(record, with_mhz) + "\n").collect()
}

fn row(record: &Record, with_mhz: bool) -> String {
    let show = |value: Option<f64>| match value.filter(|value| value.is_finite()) {
        Some(value) => significant(value, DIGITS),
        None => String::new(),
    };
    let measured = record.result.as_ref().ok();
    let ns = show(measured.map(|m| m.ns_per_unit));
    let mib = show(measured.and_then(|m| m.mib_per_s));
    let cycles = show(measured.and_then(|m| m.cycles_per_unit));
    let (section, algorithm, label) = (record.section, &record.algorithm, record.label_at_size());
    let mut row = if record.unit == "byte" {
        format!("{section},{algorithm},{label},,,{ns},ns/B,{mib},MiB/s,{cycles},c/B")
    } else {
        // A call is an iteration to those who read libgcrypt's rows.
        let unit = if record.unit == "op" { "iter" } else { &record.unit };
        format!("{section},{algorithm},{label},,,,,,,,,{ns},ns/{unit},{cycles},c/{unit}")
    };
    if with_mhz {
        let mhz = show(measured.and_then(|m| m.mhz_of_cycles()));
        row.push_str(&format!(",{mhz},Mhz"));
    }
    if let Err(failure) = &record.result {
        row.push_str(&format!(",n/a: {}", failure.kind()));
    }
    row
}
