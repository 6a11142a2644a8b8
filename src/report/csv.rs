//! Comma-separated values: a header, then the same fields on every row, at full precision and empty
//! where there is none. `docs/formats.md` tells them.

use crate::record::{Counts, Measured, Record, Run};

/// What a field holds.
type Field = fn(&Run, &Record) -> Option<String>;

/// The fields in their order, each with its unit in its name. New ones come last.
pub const COLUMNS: &[(&str, Field)] = &[
    ("section", |_, r| text(r.section)),
    ("algorithm", |_, r| text(&r.algorithm)),
    ("label", |_, r| text(&r.label)),
    ("unit", |_, r| text(&r.unit)),
    ("status", |_, r| text(if r.result.is_ok() { "measured" } else { "n/a" })),
    ("ns_per_unit", |_, r| number(measured(r)?.ns_per_unit)),
    ("mib_per_s", |_, r| number(measured(r)?.mib_per_s?)),
    ("cycles_per_unit", |_, r| number(measured(r)?.cycles_per_unit?)),
    ("measured_mhz", |_, r| number(measured(r)?.measured_mhz?)),
    ("err_percent", |_, r| number(measured(r)?.err_percent()?)),
    ("ns_per_call", |_, r| number(measured(r)?.ns_per_call)),
    ("processes", |_, r| text(measured(r)?.processes)),
    ("rounds", |_, r| text(measured(r)?.rounds)),
    ("quiet", |_, r| text(measured(r)?.quiet)),
    ("bend_size", |_, r| text(measured(r)?.bend?.size)),
    ("bend_ns_per_unit_below", |_, r| number(measured(r)?.bend?.ns_per_unit_below)),
    ("bend_ns_per_unit_above", |_, r| number(measured(r)?.bend?.ns_per_unit_above)),
    ("layouts_best_ns_per_unit", |_, r| number(measured(r)?.layouts?.best_ns_per_unit)),
    ("layouts_other_ns_per_unit", |_, r| number(measured(r)?.layouts?.other_ns_per_unit)),
    ("layouts_other_share", |_, r| number(measured(r)?.layouts?.other_share)),
    ("counted_instructions_per_unit", |_, r| number(counts(r)?.instructions_per_unit?)),
    ("counted_cycles_per_unit", |_, r| number(counts(r)?.cycles_per_unit?)),
    ("counted_branches_per_unit", |_, r| number(counts(r)?.branches_per_unit?)),
    ("counted_branch_misses_per_unit", |_, r| number(counts(r)?.branch_misses_per_unit?)),
    ("counted_cache_misses_per_unit", |_, r| number(counts(r)?.cache_misses_per_unit?)),
    ("counted_instructions_per_cycle", |_, r| number(counts(r)?.instructions_per_cycle?)),
    ("squeezed_bytes", |_, r| text(r.squeezed_bytes?)),
    ("package", |_, r| text(&r.package)),
    ("package_version", |_, r| text(r.package_version.as_ref()?)),
    ("id", |_, r| text(&r.id)),
    ("reason_kind", |_, r| text(r.result.as_ref().err()?.kind())),
    ("reason", |_, r| text(r.result.as_ref().err()?.reason())),
    ("machine", |run, _| text(run.machine.as_ref()?)),
];

/// A run as lines. Where rows are missing, a last row without a name says so.
#[must_use]
pub fn render(run: &Run) -> String {
    let mut lines = vec![COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect()];
    for record in &run.records {
        let field = |(_, field): &(&str, Field)| field(run, record).unwrap_or_default();
        lines.push(COLUMNS.iter().map(field).collect());
    }
    if run.partial {
        lines.push(remark("partial", super::PARTIAL));
    }
    written(&lines)
}

/// A row that tells something of the run rather than of a case.
fn remark(status: &str, reason: &str) -> Vec<String> {
    let field = |(name, _): &(&str, Field)| match *name {
        "status" => status,
        "reason" => reason,
        _ => "",
    };
    COLUMNS.iter().map(|column| field(column).to_owned()).collect()
}

fn written(lines: &[Vec<String>]) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for line in lines {
        writer.write_record(line).expect("every line has as many fields as the first");
    }
    let bytes = writer.into_inner().expect("memory takes every byte");
    String::from_utf8(bytes).expect("fields are text")
}

fn measured(record: &Record) -> Option<&Measured> {
    record.result.as_ref().ok()
}

fn counts(record: &Record) -> Option<Counts> {
    measured(record)?.counts
}

#[expect(clippy::unnecessary_wraps, reason = "fields are optional")]
fn text(value: impl ToString) -> Option<String> {
    Some(value.to_string())
}

/// The shortest digits that are read as the same number again.
fn number(value: f64) -> Option<String> {
    value.is_finite().then(|| value.to_string())
}
