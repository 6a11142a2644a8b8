//! A run made up by hand.

// Each test program uses a part of this.
#![allow(dead_code)]

use bench_slope::environment::{Boost, CoreKind, Environment, Governor, Quota};
use bench_slope::growth::{Growth, SizeTime};
use bench_slope::linearity::{Bend, Unpredictable};
use bench_slope::record::{
    Conditions, Counters, Counts, Frequency, Layouts, Measured, Point, Predicted, Record, Run,
    Sample,
};
use bench_slope::scaling::Scaling;
use bench_slope::versions::Versions;
use bench_slope::warning::Warning;
use bench_slope::wire::Failure;
use bench_slope_algorithms::Section;

/// Numbers that do not end in decimals or in binary.
pub const THIRD: f64 = 1.0 / 3.0;

pub fn measured() -> Measured {
    Measured {
        ns_per_unit: 0.1 + 0.2,
        measured_ns_per_unit: 0.4 * THIRD,
        told_at_mhz: Some(3400.1 * THIRD),
        mib_per_s: Some(953.674_316_406_25 / THIRD),
        cycles_per_unit: Some(10.0 * THIRD),
        measured_mhz: Some(3500.1 * THIRD),
        ns_per_call: -THIRD,
        relative_error: Some(THIRD / 1e3),
        first_call_ns: Some(THIRD),
        bend: Some(Bend {
            size: 1024,
            ns_per_unit_below: 2.0 * THIRD,
            ns_per_unit_above: THIRD,
            batch: Some(1024),
        }),
        layouts: Some(Layouts {
            best_ns_per_unit: THIRD,
            other_ns_per_unit: 5.0 * THIRD,
            other_share: 0.1,
        }),
        points: vec![Point { size: 0, ns: 10.0 * THIRD }, Point { size: 64, ns: 1e22 }],
        counts: Some(Counts {
            instructions_per_unit: Some(7.0 * THIRD),
            instructions_per_cycle: Some(2.9),
            ..Counts::default()
        }),
        processes: 8,
        rounds: 64,
        quiet: false,
        predicted: None,
        total_s: Some(THIRD / 7.0),
    }
}

fn growth() -> Growth {
    let time = |size| SizeTime {
        size,
        ns: 10.0 * THIRD * size as f64,
        relative_error: Some(0.01 * THIRD),
    };
    bench_slope::growth::growth(&[16, 32, 64, 128].map(time)).expect("a growth")
}

fn scaling() -> Scaling {
    Scaling {
        threads: 2,
        cpus: vec![0, 3],
        cores: Some(2),
        message_bytes: 4096,
        mib_per_s: 1000.0 * THIRD,
        relative_error: Some(0.2 * THIRD),
        one_mib_per_s: 500.0 * THIRD,
        one_relative_error: Some(0.1 * THIRD),
        scaling: 2.0,
        scaling_relative_error: Some(0.05 * THIRD),
        all_free: true,
        shared_core: Some(0.25 * THIRD),
        pairs: 24,
        processes: 6,
    }
}

pub fn record(algorithm: &str, result: Result<Measured, Failure>) -> Record {
    Record {
        id: format!("rustcrypto/{algorithm}/digest"),
        section: Section::Hash,
        algorithm: algorithm.to_owned(),
        label: String::new(),
        unit: "byte".to_owned(),
        package: "sha2".to_owned(),
        package_version: Some("0.11.0".to_owned()),
        squeezed_bytes: Some(32),
        result,
        samples: Some(vec![Sample { worker: 1, round: 2, size: 64, ns: 4.0 * THIRD }]),
        size: None,
        growth: Some(growth()),
        scaling: Some(scaling()),
    }
}

/// Why a row may have no number: all there is.
pub fn failures() -> Vec<Failure> {
    let sentence = || "a \"sentence\", with | and `".to_owned();
    vec![
        Failure::Wrong(sentence()),
        Failure::Unavailable(sentence()),
        Failure::Crashed(sentence()),
        Failure::ClockTooCoarse(sentence()),
        Failure::NoSlope(sentence()),
        Failure::TooNoisy(sentence()),
        Failure::Interrupted(sentence()),
        Failure::NoTime(sentence()),
    ]
}

/// A run in which everything that may be there is there.
pub fn full() -> Run {
    let mut records = vec![record("SHA256", Ok(measured()))];
    records.extend(failures().into_iter().map(|failure| record("SHA512", Err(failure))));
    for (record, &section) in records.iter_mut().zip(Section::ALL) {
        record.section = section;
    }
    // A row at one size beside its slope.
    let at_64 = Measured {
        points: vec![Point { size: 64, ns: 0.1 + 0.2 }],
        predicted: Some(Ok(Predicted {
            ns_per_call: 7.0 * THIRD,
            batch_bytes: Some(256),
            error_ns: Some(THIRD / 7.0),
        })),
        ..measured()
    };
    let at_100 = Measured {
        points: vec![Point { size: 100, ns: 0.1 + 0.2 }],
        predicted: Some(Err(Unpredictable::Bent)),
        ..measured()
    };
    records.push(Record {
        id: "rustcrypto/SHA256/digest/64".to_owned(),
        unit: "op".to_owned(),
        size: Some(64),
        ..record("SHA256", Ok(at_64))
    });
    records.push(Record {
        id: "rustcrypto/SHA256/digest/100".to_owned(),
        unit: "op".to_owned(),
        size: Some(100),
        ..record("SHA256", Ok(at_100))
    });
    let environment = Environment {
        cpu_model: Some("a \\ model".to_owned()),
        architecture: "x86_64".into(),
        online_cpus: Some(vec![0, 1]),
        governors: Some(vec![Governor { name: "powersave".to_owned(), cpus: vec![0, 1] }]),
        scaling_driver: Some("intel_pstate".to_owned()),
        boost: Some(Boost { on: true, file: "/sys/boost".into(), on_is: 1 }),
        virtualised: Some(true),
        hypervisor: Some("kvm".to_owned()),
        load_average: Some(0.1),
        running: Some(2),
        quota: Some(Quota {
            cpus: THIRD,
            file: "/sys/fs/cgroup/cpu.max".to_owned(),
            unlimited: "max".into(),
            value: "50000 100000".to_owned(),
        }),
        smt: Some(false),
        core_kinds: Some(vec![CoreKind { name: "performance".to_owned(), cpus: vec![0] }]),
        clocksource: Some("tsc".to_owned()),
        available_clocksources: Some(vec!["tsc".to_owned()]),
        kernel: Some("6.1".to_owned()),
        pinned_cpu: Some(1),
    };
    Run {
        partial: true,
        machine: Some("the one, \"left\"".to_owned()),
        started_unix_s: Some(1_796_000_000),
        versions: Versions::of_this_program(),
        frequency: Some(Frequency::Given(3201.7)),
        environment,
        counters: Counters {
            counted: vec!["cycles".to_owned()],
            notes: vec!["no branches: why".to_owned()],
        },
        conditions: Conditions {
            quick: true,
            unaligned: true,
            repetitions: Some(9),
            sizes: Some(vec![16, 32]),
            precision: Some(THIRD),
            time_limit_s: Some(2.5),
            bytes: Some(vec![0, 64]),
            min_epoch_ns: Some(10_000_000),
            growth: false,
            message_bytes: Some(32),
            threads: None,
            at_mhz: Some(3400.1 * THIRD),
        },
        warnings: vec![Warning::FrequencyUnknown.advice()],
        records,
        ..Run::default()
    }
}
