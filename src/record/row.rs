//! A record as it is saved: every row has every field, null where there is none.

use bench_slope_algorithms::Section;
use serde::{Deserialize, Serialize};

use super::{Counts, Layouts, Measured, Point, Predicted, Record, Sample};
use crate::growth::Growth;
use crate::linearity::{Bend, Unpredictable};
use crate::scaling::Scaling;
use crate::wire::Failure;

/// The fields, in their order. New ones come last.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    id: String,
    section: String,
    algorithm: String,
    label: String,
    unit: String,
    status: Status,
    reason_kind: Option<String>,
    reason: Option<String>,
    ns_per_unit: Option<f64>,
    mib_per_s: Option<f64>,
    cycles_per_unit: Option<f64>,
    measured_mhz: Option<f64>,
    ns_per_call: Option<f64>,
    first_call_ns: Option<f64>,
    relative_error: Option<f64>,
    /// The same in per cent, for people; not read.
    #[serde(skip_deserializing)]
    err_percent: Option<f64>,
    processes: Option<u32>,
    rounds: Option<u32>,
    quiet: Option<bool>,
    package: String,
    package_version: Option<String>,
    squeezed_bytes: Option<usize>,
    bend: Option<Bend>,
    layouts: Option<Layouts>,
    counts: Option<Counts>,
    points: Option<Vec<Point>>,
    samples: Option<Vec<Sample>>,
    size: Option<usize>,
    /// These six follow from the points; not read.
    #[serde(skip_deserializing)]
    ns_per_call_at_size: Option<f64>,
    #[serde(skip_deserializing)]
    ns_per_byte_at_size: Option<f64>,
    #[serde(skip_deserializing)]
    calls_per_s_at_size: Option<f64>,
    #[serde(skip_deserializing)]
    bytes_per_s_at_size: Option<f64>,
    #[serde(skip_deserializing)]
    mib_per_s_at_size: Option<f64>,
    #[serde(skip_deserializing)]
    cycles_per_unit_at_size: Option<f64>,
    predicted_ns_per_call: Option<f64>,
    predicted_batch_bytes: Option<usize>,
    predicted_error_ns: Option<f64>,
    total_s: Option<f64>,
    growth: Option<Growth>,
    scaling: Option<Scaling>,
    measured_ns_per_unit: Option<f64>,
    told_at_mhz: Option<f64>,
    predicted_reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Status {
    #[serde(rename = "measured")]
    Measured,
    #[serde(rename = "n/a")]
    NotAvailable,
}

impl From<Record> for Row {
    fn from(record: Record) -> Self {
        let point = record.point();
        let Record {
            id,
            section,
            algorithm,
            label,
            unit,
            package,
            package_version,
            squeezed_bytes,
            result,
            samples,
            size,
            growth,
            scaling,
        } = record;
        let (measured, failure) = match result {
            Ok(measured) => (Some(measured), None),
            Err(failure) => (None, Some(failure)),
        };
        let m = measured.as_ref();
        Row {
            id,
            section: section.word().to_owned(),
            algorithm,
            label,
            unit,
            status: if m.is_some() { Status::Measured } else { Status::NotAvailable },
            reason_kind: failure.as_ref().map(|failure| failure.kind().to_owned()),
            reason: failure.as_ref().map(|failure| failure.reason().to_owned()),
            ns_per_unit: m.map(|m| m.ns_per_unit),
            mib_per_s: m.and_then(|m| m.mib_per_s),
            cycles_per_unit: m.and_then(|m| m.cycles_per_unit),
            measured_mhz: m.and_then(|m| m.measured_mhz),
            ns_per_call: m.map(|m| m.ns_per_call),
            first_call_ns: m.and_then(|m| m.first_call_ns),
            relative_error: m.and_then(|m| m.relative_error),
            err_percent: m.and_then(Measured::err_percent),
            processes: m.map(|m| m.processes),
            rounds: m.map(|m| m.rounds),
            quiet: m.map(|m| m.quiet),
            package,
            package_version,
            squeezed_bytes,
            bend: m.and_then(|m| m.bend),
            layouts: m.and_then(|m| m.layouts),
            counts: m.and_then(|m| m.counts),
            size,
            ns_per_call_at_size: point.map(|point| point.ns),
            ns_per_byte_at_size: point.and_then(Point::ns_per_byte),
            calls_per_s_at_size: point.and_then(Point::calls_per_s),
            bytes_per_s_at_size: point.and_then(Point::bytes_per_s),
            mib_per_s_at_size: m.zip(point).and_then(|(m, point)| m.mib_per_s_at(point)),
            cycles_per_unit_at_size: m
                .zip(point)
                .and_then(|(m, point)| m.cycles_per_unit_at(point)),
            predicted_ns_per_call: m.and_then(|m| Some(m.predicted?.ok()?.ns_per_call)),
            predicted_batch_bytes: m.and_then(|m| m.predicted?.ok()?.batch_bytes),
            predicted_error_ns: m.and_then(|m| m.predicted?.ok()?.error_ns),
            total_s: m.and_then(|m| m.total_s),
            measured_ns_per_unit: m.map(|m| m.measured_ns_per_unit),
            told_at_mhz: m.and_then(|m| m.told_at_mhz),
            predicted_reason: m.and_then(|m| Some(m.predicted?.err()?.reason().to_owned())),
            points: measured.map(|m| m.points),
            samples,
            growth,
            scaling,
        }
    }
}

impl TryFrom<Row> for Record {
    type Error = String;

    fn try_from(row: Row) -> Result<Self, String> {
        let id = row.id;
        let section = Section::ALL.iter().copied().find(|section| section.word() == row.section);
        let section = section.ok_or_else(|| format!("{id}: no section '{}'", row.section))?;
        let lacks = |field: &str| format!("{id}: a measured row lacks {field}");
        let result = match row.status {
            Status::Measured => Ok(Measured {
                ns_per_unit: row.ns_per_unit.ok_or_else(|| lacks("ns_per_unit"))?,
                // Older programs told what had passed.
                measured_ns_per_unit: row
                    .measured_ns_per_unit
                    .or(row.ns_per_unit)
                    .ok_or_else(|| lacks("measured_ns_per_unit"))?,
                told_at_mhz: row.told_at_mhz,
                mib_per_s: row.mib_per_s,
                cycles_per_unit: row.cycles_per_unit,
                measured_mhz: row.measured_mhz,
                ns_per_call: row.ns_per_call.ok_or_else(|| lacks("ns_per_call"))?,
                first_call_ns: row.first_call_ns,
                relative_error: row.relative_error,
                bend: row.bend,
                layouts: row.layouts,
                points: row.points.unwrap_or_default(),
                counts: row.counts,
                processes: row.processes.ok_or_else(|| lacks("processes"))?,
                rounds: row.rounds.ok_or_else(|| lacks("rounds"))?,
                quiet: row.quiet.ok_or_else(|| lacks("quiet"))?,
                predicted: match row.predicted_ns_per_call {
                    Some(ns_per_call) => Some(Ok(Predicted {
                        ns_per_call,
                        batch_bytes: row.predicted_batch_bytes,
                        error_ns: row.predicted_error_ns,
                    })),
                    None => row.predicted_reason.and_then(|told| {
                        let all = Unpredictable::ALL.iter().copied();
                        all.map(Err).find(|reason| reason.is_err_and(|it| it.reason() == told))
                    }),
                },
                total_s: row.total_s,
            }),
            Status::NotAvailable => {
                let kind = row.reason_kind.unwrap_or_default();
                let failure = Failure::of_kind(&kind, row.reason.unwrap_or_default());
                Err(failure.ok_or_else(|| format!("{id}: unknown reason_kind '{kind}'"))?)
            }
        };
        Ok(Record {
            id,
            section,
            algorithm: row.algorithm,
            label: row.label,
            unit: row.unit,
            package: row.package,
            package_version: row.package_version,
            squeezed_bytes: row.squeezed_bytes,
            result,
            samples: row.samples,
            size: row.size,
            growth: row.growth,
            scaling: row.scaling,
        })
    }
}
