//! Comma-separated values: a header, then the same fields on every row, at full precision and empty
//! where there is none. `docs/formats.md` tells them.

use crate::growth::{Growth, SizeTime};
use crate::record::{Counts, Measured, Point, Record, Run};

/// What a field holds.
type Field = fn(&Row) -> Option<String>;

/// What a row is about.
pub struct Row<'a> {
    run: &'a Run,
    record: &'a Record,
    /// The size, where rows are told size by size.
    point: Option<Point>,
}

/// The fields in their order, each with its unit in its name. New ones come last.
pub const COLUMNS: &[(&str, Field)] = &[
    ("section", |r| text(r.record.section)),
    ("algorithm", |r| text(&r.record.algorithm)),
    ("label", |r| text(&r.record.label)),
    ("unit", |r| text(&r.record.unit)),
    ("status", |r| text(if r.record.result.is_ok() { "measured" } else { "n/a" })),
    ("ns_per_unit", |r| number(measured(r)?.ns_per_unit)),
    ("mib_per_s", |r| number(measured(r)?.mib_per_s?)),
    ("cycles_per_unit", |r| number(measured(r)?.cycles_per_unit?)),
    ("measured_mhz", |r| number(measured(r)?.measured_mhz?)),
    ("err_percent", |r| number(measured(r)?.err_percent()?)),
    ("ns_per_call", |r| number(measured(r)?.ns_per_call)),
    ("first_call_ns", |r| number(measured(r)?.first_call_ns?)),
    ("processes", |r| text(measured(r)?.processes)),
    ("rounds", |r| text(measured(r)?.rounds)),
    ("quiet", |r| text(measured(r)?.quiet)),
    ("bend_size", |r| text(measured(r)?.bend?.size)),
    ("bend_ns_per_unit_below", |r| number(measured(r)?.bend?.ns_per_unit_below)),
    ("bend_ns_per_unit_above", |r| number(measured(r)?.bend?.ns_per_unit_above)),
    ("layouts_best_ns_per_unit", |r| number(measured(r)?.layouts?.best_ns_per_unit)),
    ("layouts_other_ns_per_unit", |r| number(measured(r)?.layouts?.other_ns_per_unit)),
    ("layouts_other_share", |r| number(measured(r)?.layouts?.other_share)),
    ("counted_instructions_per_unit", |r| number(counts(r)?.instructions_per_unit?)),
    ("counted_cycles_per_unit", |r| number(counts(r)?.cycles_per_unit?)),
    ("counted_branches_per_unit", |r| number(counts(r)?.branches_per_unit?)),
    ("counted_branch_misses_per_unit", |r| number(counts(r)?.branch_misses_per_unit?)),
    ("counted_cache_misses_per_unit", |r| number(counts(r)?.cache_misses_per_unit?)),
    ("counted_instructions_per_cycle", |r| number(counts(r)?.instructions_per_cycle?)),
    ("squeezed_bytes", |r| text(r.record.squeezed_bytes?)),
    ("package", |r| text(&r.record.package)),
    ("package_version", |r| text(r.record.package_version.as_ref()?)),
    ("id", |r| text(&r.record.id)),
    ("reason_kind", |r| text(r.record.result.as_ref().err()?.kind())),
    ("reason", |r| text(r.record.result.as_ref().err()?.reason())),
    ("machine", |r| text(r.run.machine.as_ref()?)),
    ("size", |r| text(r.point.map(|point| point.size).or(r.record.size)?)),
    ("ns_per_call_at_size", |r| number(r.point?.ns)),
    ("mib_per_s_at_size", |r| number(measured(r)?.mib_per_s_at(r.point?)?)),
    ("cycles_per_unit_at_size", |r| number(measured(r)?.cycles_per_unit_at(r.point?)?)),
    ("ns_per_byte_at_size", |r| number(r.point?.ns_per_byte()?)),
    ("calls_per_s_at_size", |r| number(r.point?.calls_per_s()?)),
    ("bytes_per_s_at_size", |r| number(r.point?.bytes_per_s()?)),
    ("predicted_ns_per_call", |r| number(measured(r)?.predicted?.ok()?.ns_per_call)),
    ("predicted_batch_bytes", |r| text(measured(r)?.predicted?.ok()?.batch_bytes?)),
    ("predicted_error_ns", |r| number(measured(r)?.predicted?.ok()?.error_ns?)),
    ("total_s", |r| number(measured(r)?.total_s?)),
    ("err_percent_at_size", |r| number(100.0 * time(r)?.relative_error?)),
    ("growth_class", |r| text(growth(r)?.told()?.class.name())),
    ("growth_coefficient_ns", |r| number(growth(r)?.told()?.coefficient_ns)),
    ("growth_constant_ns", |r| number(growth(r)?.told()?.constant_ns)),
    ("growth_err_percent", |r| number(100.0 * growth(r)?.told()?.relative_error)),
    ("growth_alike", |r| {
        let growth = growth(r)?;
        // Where no class fits they are all alike, and none is worth naming.
        (growth.alike < growth.classes.len()).then(|| growth.alike_names().join(" or "))
    }),
    ("threads", |r| text(r.record.scaling.as_ref()?.threads)),
    ("threads_message_bytes", |r| text(r.record.scaling.as_ref()?.message_bytes)),
    ("threads_one_mib_per_s", |r| number(r.record.scaling.as_ref()?.one_mib_per_s)),
    ("threads_one_err_percent", |r| number(100.0 * r.record.scaling.as_ref()?.one_relative_error?)),
    ("threads_scaling", |r| number(r.record.scaling.as_ref()?.scaling)),
    ("threads_scaling_err_percent", |r| {
        number(100.0 * r.record.scaling.as_ref()?.scaling_relative_error?)
    }),
    ("measured_ns_per_unit", |r| number(measured(r)?.measured_ns_per_unit)),
    ("told_at_mhz", |r| number(measured(r)?.told_at_mhz?)),
    ("growth_unclear", |r| text(growth(r)?.unclear.as_ref()?)),
    ("predicted_reason", |r| text(measured(r)?.predicted?.err()?.reason())),
    ("bend_batch", |r| text(measured(r)?.bend?.batch?)),
];

/// A run as lines. Where rows are missing, a last row without a name says so.
#[must_use]
pub fn render(run: &Run) -> String {
    let mut lines = vec![COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect()];
    for record in &run.records {
        let points = record.result.as_ref().map_or([].as_slice(), |measured| &measured.points);
        let one_size = record.size.is_some();
        let by_size = (run.is_by_size() || one_size) && !points.is_empty();
        let rows: Vec<Option<Point>> =
            if by_size { points.iter().copied().map(Some).collect() } else { vec![None] };
        for point in rows {
            let row = Row { run, record, point };
            let field = |(_, field): &(&str, Field)| field(&row).unwrap_or_default();
            lines.push(COLUMNS.iter().map(field).collect());
        }
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

fn measured<'a>(row: &Row<'a>) -> Option<&'a Measured> {
    row.record.result.as_ref().ok()
}

fn time(row: &Row) -> Option<SizeTime> {
    let size = row.point?.size;
    growth(row)?.times.iter().find(|time| time.size == size).copied()
}

fn growth<'a>(row: &Row<'a>) -> Option<&'a Growth> {
    row.record.growth.as_ref()
}

fn counts(row: &Row) -> Option<Counts> {
    measured(row)?.counts
}

#[expect(clippy::unnecessary_wraps, reason = "fields are optional")]
fn text(value: impl ToString) -> Option<String> {
    Some(value.to_string())
}

/// The shortest digits that are read as the same number again.
fn number(value: f64) -> Option<String> {
    value.is_finite().then(|| value.to_string())
}
