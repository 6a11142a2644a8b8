//! A comparison as comma-separated values: a header, then a line for each row and run beside the base.

use super::Comparison;

pub(super) fn render(comparison: &Comparison) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for line in comparison.lines() {
        writer.serialize(line).expect("a line has plain fields, and memory takes every byte");
    }
    let bytes = writer.into_inner().expect("memory takes every byte");
    String::from_utf8(bytes).expect("fields are text")
}
