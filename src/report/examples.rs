//! Runs for the tests of reports.

use bench_slope_algorithms::Section;

use crate::record::{Measured, Point, Record, Run};
use crate::wire::Failure;

/// A run of these records on a machine of which nothing is known.
pub fn run(records: Vec<Record>) -> Run {
    Run { records, ..Run::default() }
}

/// A row of this section.
pub fn record(section: Section, label: &str, result: Result<Measured, Failure>) -> Record {
    Record {
        id: format!("test/{section}/{label}"),
        section,
        algorithm: "AES".to_owned(),
        label: label.to_owned(),
        unit: "byte".to_owned(),
        package: "aes".to_owned(),
        package_version: None,
        squeezed_bytes: None,
        result,
        samples: None,
        size: None,
        growth: None,
        scaling: None,
    }
}

/// A cost of so many nanoseconds a byte, by 65 points 10 ns above a line.
pub fn measured(ns_per_byte: f64) -> Measured {
    let point = |size| Point { size, ns: 110.0 + ns_per_byte * size as f64 };
    Measured {
        ns_per_unit: ns_per_byte,
        measured_ns_per_unit: ns_per_byte,
        told_at_mhz: None,
        mib_per_s: Some(953.674_316 / ns_per_byte),
        cycles_per_unit: None,
        measured_mhz: None,
        ns_per_call: 100.0,
        relative_error: Some(0.0125),
        first_call_ns: None,
        bend: None,
        layouts: None,
        points: (0..=64).map(|at| point(64 * at)).collect(),
        counts: None,
        processes: 8,
        rounds: 80,
        quiet: true,
        predicted: None,
        total_s: Some(0.25),
    }
}
