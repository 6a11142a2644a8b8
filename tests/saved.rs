//! A run that is saved and read back is the same run, to the last digit, and what is saved keeps to
//! its schema.

use crate::example::full;
use bench_slope::record::{Frequency, Run, SCHEMA_VERSION};
use bench_slope::report::json;
use bench_slope::saved::{Unreadable, load, parse};
use serde_json::Value;

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
