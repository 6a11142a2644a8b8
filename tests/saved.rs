//! A run that is saved and read back is the same run, to the last digit, and what is saved keeps to
//! its schema.

use bench_slope::environment::{Boost, CoreKind, Environment, Governor, Quota};
use bench_slope::linearity::Bend;
use bench_slope::record::{
    Conditions, Counts, Frequency, Layouts, Measured, Point, Record, Run, SCHEMA_VERSION, Sample,
};
use bench_slope::report::json;
use bench_slope::saved::{Unreadable, load, parse};
use bench_slope::versions::Versions;
use bench_slope::warning::Warning;
use bench_slope::wire::Failure;
use bench_slope_algorithms::Section;
use serde_json::Value;

/// Numbers that do not end in decimals or in binary.
const THIRD: f64 = 1.0 / 3.0;

fn measured() -> Measured {
    Measured {
        ns_per_unit: 0.1 + 0.2,
        mib_per_s: Some(953.674_316_406_25 / THIRD),
        cycles_per_unit: Some(f64::MIN_POSITIVE),
        measured_mhz: Some(3500.1 * THIRD),
        ns_per_call: -THIRD,
        relative_error: Some(THIRD / 1e3),
        bend: Some(Bend { size: 1024, ns_per_unit_below: 2.0 * THIRD, ns_per_unit_above: THIRD }),
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
    }
}

fn record(algorithm: &str, result: Result<Measured, Failure>) -> Record {
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
    }
}

/// Why a row may have no number: all there is.
fn failures() -> Vec<Failure> {
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
fn full() -> Run {
    let mut records = vec![record("SHA256", Ok(measured()))];
    records.extend(failures().into_iter().map(|failure| record("SHA512", Err(failure))));
    for (record, &section) in records.iter_mut().zip(Section::ALL) {
        record.section = section;
    }
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
        conditions: Conditions {
            quick: true,
            unaligned: true,
            repetitions: Some(9),
            sizes: Some(vec![16, 32]),
        },
        warnings: vec![Warning::FrequencyUnknown.advice()],
        records,
        ..Run::default()
    }
}

#[test]
fn what_is_saved_is_read_back_to_the_last_digit() {
    for run in [full(), Run::default(), Run { frequency: Some(Frequency::Measured), ..full() }] {
        let text = json::render(&run);
        assert_eq!(parse(&text).as_ref(), Ok(&run), "{text}");
    }
}

#[test]
fn what_cannot_be_a_number_is_null() {
    let mut run = full();
    if let Ok(measured) = &mut run.records[0].result {
        measured.mib_per_s = Some(f64::INFINITY);
        measured.relative_error = Some(f64::NAN);
    }
    let value: Value = serde_json::from_str(&json::render(&run)).expect("strict JSON");
    assert_eq!(value["records"][0]["mib_per_s"], Value::Null);
    assert_eq!(value["records"][0]["err_percent"], Value::Null);
    assert_eq!(value["records"][1]["ns_per_unit"], Value::Null);
    assert_eq!(value["records"][1]["reason_kind"], "wrong answer");
}

#[test]
fn rows_have_a_line_each() {
    let text = json::render(&full());
    let rows = text.lines().filter(|line| line.starts_with("{\"id\":"));
    assert_eq!(rows.count(), full().records.len(), "{text}");
    assert!(text.ends_with("}\n"));
}

#[test]
fn fields_of_a_later_program_are_passed_over_and_a_later_schema_is_refused() {
    let mut value: Value = serde_json::from_str(&json::render(&full())).expect("JSON");
    for place in ["", "/environment", "/conditions", "/versions", "/records/0", "/records/0/bend"] {
        let object = value.pointer_mut(place).and_then(Value::as_object_mut).expect(place);
        object.insert("a_later_field".to_owned(), Value::from(1));
    }
    assert_eq!(parse(&value.to_string()), Ok(full()));

    value["schema_version"] = Value::from(SCHEMA_VERSION + 1);
    // Whatever the later version changed.
    value["records"] = Value::from("elsewhere");
    let refused = parse(&value.to_string()).expect_err("it is later");
    assert_eq!(refused, Unreadable::Later(u64::from(SCHEMA_VERSION) + 1));
    assert!(refused.to_string().contains("schema version 2"), "{refused}");
}

#[test]
fn what_is_no_run_is_refused_with_a_reason() {
    for bad in ["", "{}", "[]", "null", "{\"schema_version\": 1}", "hash,MD5,,,"] {
        let refused = parse(bad).expect_err(bad);
        assert!(matches!(refused, Unreadable::NotARun(_)), "{bad}: {refused}");
    }
    let mut value: Value = serde_json::from_str(&json::render(&full())).expect("JSON");
    for (field, bad) in [("section", "hahs"), ("reason_kind", "bored"), ("status", "fine")] {
        let mut value = value.clone();
        value["records"][1][field] = Value::from(bad);
        let refused = parse(&value.to_string()).expect_err(bad);
        assert!(refused.to_string().contains(bad), "{refused}");
    }
    value["records"][0]["ns_per_unit"] = Value::Null;
    let refused = parse(&value.to_string()).expect_err("it was measured");
    assert!(
        refused.to_string().contains("rustcrypto/SHA256/digest: a measured row lacks ns_per_unit")
    );
    assert!(matches!(load("/nonexistent/run.json".as_ref()), Err(Unreadable::File(_))));
}

fn schema() -> Value {
    serde_json::from_str(include_str!("../docs/bench-slope.schema.json")).expect("JSON")
}

#[test]
fn what_is_saved_keeps_to_the_schema() {
    let validator = jsonschema::validator_for(&schema()).expect("the schema is one");
    for run in [full(), Run::default(), Run { frequency: Some(Frequency::Measured), ..full() }] {
        let value: Value = serde_json::from_str(&json::render(&run)).expect("JSON");
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    // It refuses something, too.
    let mut value: Value = serde_json::from_str(&json::render(&full())).expect("JSON");
    value["records"][0]["ns_per_unit"] = Value::Null;
    assert!(!validator.is_valid(&value), "a measured row without a number");
}

/// Compares the names in an object with the properties of its schema, and what lies below.
fn compare(value: &Value, schema: &Value, root: &Value, path: &str, compared: &mut usize) {
    if let Some(place) = schema["$ref"].as_str() {
        let place = root.pointer(place.trim_start_matches('#')).expect(place);
        return compare(value, place, root, path, compared);
    }
    if let Some(either) = schema["anyOf"].as_array() {
        let kind = &value["source"];
        let fits = |one: &&Value| match &one["properties"]["source"]["const"] {
            Value::Null => one["type"] != "null",
            constant => constant == kind,
        };
        let one = either.iter().find(fits).unwrap_or_else(|| panic!("{path}: no schema fits"));
        return compare(value, one, root, path, compared);
    }
    match value {
        Value::Object(object) if schema["additionalProperties"].is_null() => {
            let properties = schema["properties"].as_object();
            let properties = properties.unwrap_or_else(|| panic!("{path} has no properties"));
            let told: Vec<&String> = properties.keys().collect();
            let has: Vec<&String> = object.keys().collect();
            assert_eq!(told, has, "{path}");
            *compared += 1;
            for (name, value) in object {
                compare(value, &properties[name], root, &format!("{path}/{name}"), compared);
            }
        }
        Value::Array(values) => {
            for value in values {
                compare(value, &schema["items"], root, path, compared);
            }
        }
        _ => {}
    }
}

#[test]
fn the_schema_tells_every_field_and_no_other() {
    let (schema, mut compared) = (schema(), 0);
    let value: Value = serde_json::from_str(&json::render(&full())).expect("JSON");
    compare(&value, &schema, &schema, "", &mut compared);
    assert!(compared > 15, "only {compared} objects were compared");
}
