//! `compare` as a whole program: saved files and invented time.

use std::fs;
use std::sync::atomic::Ordering;

use crate::invented::{self, Closed, Outcome, bench_slope, entry, machine};
use bench_slope::group::Machine;
use bench_slope_algorithms::{Operation, Setup};
use serde_json::Value;
use tempfile::TempDir;

/// 100 ns a call and 0.625 ns/B.
fn cost(_: &str, size: usize) -> u64 {
    100_000 + 625 * size as u64
}

/// SHA1 costs 3 % more; all else is as it was.
fn slower(algorithm: &str, size: usize) -> u64 {
    let ps_per_byte_in_1000 = if algorithm == "SHA1" { 643_750 } else { 625_000 };
    100_000 + ps_per_byte_in_1000 * size as u64 / 1_000
}

fn three(cost: invented::Cost) -> Machine {
    machine(vec![entry("MD5"), entry("SHA1"), entry("SHA256")], 1, cost)
}

/// A folder with runs in it.
struct Files(TempDir);

impl Files {
    /// One run of each machine, called as the word before it.
    fn of(runs: &[(&str, invented::Cost)]) -> Self {
        let files = Files(tempfile::tempdir().expect("a folder"));
        for (name, cost) in runs {
            files.measure(name, &three(*cost), &[]);
        }
        files
    }

    fn measure(&self, name: &str, machine: &Machine, words: &[&str]) {
        let path = self.path(name);
        let words = [&["--output", &path, "hash"], words].concat();
        let outcome = bench_slope(machine, &words);
        assert!(outcome.code <= 1, "{}", outcome.err);
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(format!("{name}.json")).to_string_lossy().into_owned()
    }

    /// Writes a run again with something changed.
    fn change(&self, from: &str, to: &str, change: impl FnOnce(&mut Value)) {
        let text = fs::read_to_string(self.path(from)).expect("a run");
        let mut value = serde_json::from_str(&text).expect("JSON");
        change(&mut value);
        fs::write(self.path(to), value.to_string()).expect("the folder can be written");
    }

    fn compare(&self, names: &[&str], words: &[&str]) -> Outcome {
        let paths: Vec<String> = names.iter().map(|name| self.path(name)).collect();
        let mut all = vec!["compare"];
        all.extend(paths.iter().map(String::as_str));
        all.extend(words);
        bench_slope(&three(slower), &all)
    }
}

fn base_and_new() -> Files {
    Files::of(&[("base", cost), ("new", slower)])
}

/// Rows of the table that carry a verdict.
fn verdicts(text: &str) -> Vec<String> {
    let has = |line: &&str| [" faster", " slower", " layout"].iter().any(|w| line.ends_with(w));
    let rows = text.lines().filter(|line| !line.contains(" compared differ: "));
    rows.filter(has).map(str::to_owned).collect()
}

#[test]
fn a_run_compared_with_itself_has_no_difference() {
    let outcome = base_and_new().compare(&["base", "base"], &["--fail-above", "0%"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.ends_with("\nnothing differs by more than chance, of 3 compared\n"));
    assert_eq!(verdicts(&outcome.out), Vec::<String>::new());
}

#[test]
fn three_per_cent_in_one_row_are_found_in_that_row_only() {
    let files = base_and_new();
    let outcome = files.compare(&["base", "new"], &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let found = verdicts(&outcome.out);
    assert_eq!(found.len(), 1, "{}", outcome.out);
    assert!(found[0].starts_with("SHA1 ") && found[0].contains(" +3.00 %"), "{found:?}");
    // What differs comes first, and the heading names the files.
    let mut lines = outcome.out.lines();
    let heading = lines.next().expect("a heading");
    assert!(heading.contains(" base ") && heading.contains(" new "), "{heading}");
    assert_eq!(lines.next(), Some(found[0].as_str()));
    assert!(outcome.out.ends_with("1 of 3 compared differ: 1 slower, 0 faster\n"));
    let back = files.compare(&["new", "base"], &["--fail-above", "1%"]);
    assert_eq!(back.code, 0, "faster is no failure: {}", back.err);
    assert!(verdicts(&back.out)[0].ends_with(" faster"), "{}", back.out);
}

#[test]
fn the_gate_fails_above_its_limit_only() {
    let files = base_and_new();
    for (limit, code) in [("2.9%", 1), ("3.1%", 0), ("0%", 1), ("2.9 %", 1)] {
        let outcome = files.compare(&["base", "new"], &["--fail-above", limit, "--quiet"]);
        assert_eq!(outcome.code, code, "{limit}: {}", outcome.err);
        assert_eq!(outcome.err.contains("SHA1 in new: +3.00 % slower"), code == 1);
    }
}

#[test]
fn every_format_has_the_same_differences() {
    let files = base_and_new();
    let json = files.compare(&["base", "new"], &["--format", "json"]).out;
    let value: Value = serde_json::from_str(&json).expect("strict JSON");
    assert_eq!((&value["slower"], &value["faster"]), (&Value::from(1), &Value::from(0)));
    let rows = value["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0]["verdict"], "slower");
    assert_eq!(rows[0]["id"], "rustcrypto/SHA1/digest");
    let close = |value: &Value, to: f64| (value.as_f64().expect("a number") - to).abs() < 0.01;
    assert!(close(&rows[0]["change_percent"], 3.0), "{}", rows[0]);
    for format in [["--format", "csv"].as_slice(), &["--csv"]] {
        let text = files.compare(&["base", "new"], format).out;
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().expect("a header").clone();
        // The same fields as in JSON, whose objects are sorted by name here.
        let mut names: Vec<&str> = header.iter().collect();
        names.sort_unstable();
        let fields: Vec<&String> = rows[0].as_object().expect("an object").keys().collect();
        assert_eq!(names, fields);
        for (row, line) in rows.iter().zip(reader.records()) {
            let line = line.expect("as many fields as the header");
            for (name, field) in header.iter().zip(&line) {
                let value = &row[name];
                let same = match value {
                    Value::Null => field.is_empty(),
                    Value::String(text) => field == text,
                    number => field.parse::<f64>().ok() == number.as_f64(),
                };
                assert!(same, "{name}: {field} and {value}");
            }
        }
    }
    let markdown = files.compare(&["base", "new"], &["--format", "markdown"]).out;
    let lines: Vec<&str> = markdown.lines().collect();
    assert!(lines[2].starts_with("| `SHA1` | ") && lines[2].ends_with(" | slower |"));
    let cells = |line: &str| line.matches(" |").count();
    assert!(lines[..5].iter().all(|line| cells(line) == cells(lines[0])), "{markdown}");
}

#[test]
fn several_files_have_columns_each() {
    let files = Files::of(&[("a", cost), ("b", slower), ("c", cost)]);
    let outcome = files.compare(&["a", "b", "c"], &["--fail-above", "1%"]);
    assert_eq!(outcome.code, 1);
    let first = outcome.out.lines().nth(1).expect("a row");
    assert!(first.starts_with("SHA1 ") && first.contains("slower"), "{first}");
    assert_eq!(first.matches(" to ").count(), 2, "{first}");
    assert!(outcome.err.contains("SHA1 in b: ") && !outcome.err.contains(" in c: "));
    assert!(outcome.out.ends_with("1 of 6 compared differ: 1 slower, 0 faster\n"));
}

#[test]
fn files_with_the_same_name_are_told_apart_by_their_folders() {
    let (one, other) = (Files::of(&[("run", cost)]), Files::of(&[("run", slower)]));
    let outcome = bench_slope(&three(cost), &["compare", &one.path("run"), &other.path("run")]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.contains(&one.path("run")) && outcome.out.contains(&other.path("run")));
}

#[test]
fn unlike_machines_and_conditions_are_refused_with_what_differs() {
    let files = base_and_new();
    files.change("base", "other", |run| run["environment"]["cpu_model"] = "another one".into());
    files.change("new", "mine", |run| run["environment"]["cpu_model"] = "this one".into());
    files.change("new", "odd", |run| run["conditions"]["unaligned"] = true.into());
    files.change("new", "quick", |run| run["conditions"]["quick"] = true.into());
    files.change("new", "arm", |run| run["environment"]["architecture"] = "aarch64".into());
    for (pair, told) in [
        (["other", "mine"], "processor: another one in other, this one in mine"),
        (["base", "odd"], "--unaligned: no in base, yes in odd"),
        (["base", "quick"], "--quick: no in base, yes in quick"),
        (["base", "arm"], "architecture: "),
    ] {
        let outcome = files.compare(&pair, &[]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{pair:?}");
        assert!(
            outcome.err.starts_with("error: ") && outcome.err.contains(told),
            "{}",
            outcome.err
        );
        assert!(outcome.err.contains("--force"), "{}", outcome.err);
        let forced = files.compare(&pair, &["--force"]);
        assert_eq!(forced.code, 0, "{}", forced.err);
        assert!(forced.err.contains(told) && !forced.out.is_empty(), "{}", forced.err);
    }
    // Not known is not unlike, but said.
    let outcome = files.compare(&["base", "mine"], &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.err.contains("differ in processor: unknown in base, this one in mine"));
}

#[test]
fn machines_that_have_names_stand_side_by_side() {
    let files = base_and_new();
    for (from, to, name) in [("base", "one", "left"), ("new", "two", "right")] {
        files.change(from, to, |run| {
            run["machine"] = name.into();
            run["environment"]["cpu_model"] = format!("model {name}").into();
            for record in run["records"].as_array_mut().expect("rows") {
                record["measured_mhz"] = 3000.0.into();
            }
        });
    }
    let outcome = files.compare(&["one", "two"], &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let heading = outcome.out.lines().next().expect("a heading");
    assert!(heading.contains("left") && heading.contains("right"), "{heading}");
    // Between machines the frequency is part of what is compared.
    assert!(outcome.out.contains(" ns/B") && !outcome.out.contains(" c/B"), "{}", outcome.out);
    // A gate between unlike machines has to be asked for.
    assert_eq!(files.compare(&["one", "two"], &["--fail-above", "1%"]).code, 2);
}

#[test]
fn cycles_are_compared_where_both_know_the_frequency() {
    let files = base_and_new();
    for (to, mhz) in [("slow", 3000.0), ("fast", 3500.0)] {
        files.change("base", to, |run| {
            for record in run["records"].as_array_mut().expect("rows") {
                record["measured_mhz"] = mhz.into();
                let ns = record["ns_per_unit"].as_f64().expect("a number");
                record["ns_per_unit"] = (ns * 3000.0 / mhz).into();
                record["measured_ns_per_unit"] = (ns * 3000.0 / mhz).into();
            }
        });
    }
    let outcome = files.compare(&["slow", "fast"], &[]);
    assert_eq!(verdicts(&outcome.out), Vec::<String>::new(), "{}", outcome.out);
    assert!(outcome.out.contains(" c/B"), "{}", outcome.out);
    assert!(outcome.err.contains("3000 MHz in slow, 3500 MHz in fast"), "{}", outcome.err);
}

#[test]
fn other_versions_are_said_and_no_refusal() {
    let files = base_and_new();
    files.change("new", "later", |run| {
        run["versions"]["bench_slope"] = "9.9.9".into();
        run["versions"]["packages"]["sha1"] = "0.98.7".into();
        run["records"][1]["package_version"] = "0.98.7".into();
        run["records"][0]["package_version"] = Value::Null;
        run["versions"]["cpu_features"] = serde_json::json!(["another"]);
    });
    let outcome = files.compare(&["base", "later"], &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.err.contains("version of bench-slope: 0."), "{}", outcome.err);
    assert!(outcome.err.contains("crate sha1: ") && outcome.err.contains("0.98.7 in later"));
    assert!(outcome.err.contains(", another in later\n"), "{}", outcome.err);
    // Without the frequency nanoseconds are all there is.
    assert!(outcome.err.contains("warning: not all runs know the frequency"), "{}", outcome.err);
    let row = outcome.out.lines().find(|line| line.starts_with("SHA1 ")).expect("a row");
    assert!(row.ends_with(" to 0.98.7") && row.contains("slower, crate "), "{row}");
}

#[test]
fn noise_is_never_broken_to_the_gate() {
    let files = base_and_new();
    for (kind, broken, broken_in_quick) in [
        ("wrong answer", true, true),
        ("crashed", true, true),
        ("no slope", true, false),
        ("too noisy", false, false),
        ("interrupted", false, false),
        ("not available", false, false),
    ] {
        for (quick, broken) in [(false, broken), (true, broken_in_quick)] {
            let (base, new) = (format!("{quick} base"), format!("{quick} new"));
            files.change("base", &base, |run| run["conditions"]["quick"] = quick.into());
            files.change(&base, &new, |run| {
                let record = &mut run["records"][2];
                record["status"] = "n/a".into();
                record["reason_kind"] = kind.into();
                record["reason"] = "a sentence".into();
                record["ns_per_unit"] = Value::Null;
            });
            let outcome = files.compare(&[&base, &new], &["--fail-above", "50%"]);
            assert_eq!(outcome.code, u8::from(broken), "{kind}, quick {quick}: {}", outcome.err);
            let word = if broken {
                "error: --fail-above 50%"
            } else {
                "warning: --fail-above: not judged"
            };
            let told = format!("no number any more ({kind})");
            let line = outcome.err.lines().find(|line| line.ends_with(&told));
            assert!(line.is_some_and(|line| line.starts_with(word)), "{}", outcome.err);
            assert_eq!(outcome.err.contains("is broken in"), broken, "{}", outcome.err);
        }
    }
}

#[test]
fn what_lost_its_number_comes_first_and_fails_the_gate() {
    let files = base_and_new();
    let lose = |to: &str, kind: &'static str| {
        files.change("base", to, |run| {
            let record = &mut run["records"][2];
            record["status"] = "n/a".into();
            record["reason_kind"] = kind.into();
            record["reason"] = "a sentence".into();
            record["ns_per_unit"] = Value::Null;
        });
    };
    lose("crashed", "crashed");
    lose("noisy", "too noisy");
    files.change("base", "fewer", |run| {
        run["records"].as_array_mut().expect("rows").pop();
    });
    let outcome = files.compare(&["base", "crashed"], &["--fail-above", "50%"]);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    assert!(outcome.out.lines().nth(1).is_some_and(|row| row.contains("n/a (crashed)")));
    assert!(outcome.err.contains("SHA256 in crashed: no number any more (crashed)"));
    // Without a gate it is there all the same.
    let open = files.compare(&["base", "crashed"], &["--quiet"]);
    assert!(open.out.contains("n/a (crashed)"), "{}", open.out);
    assert!(open.out.ends_with("of 2 compared; 1 had a number and are broken now\n"));
    assert_eq!(open.err, "error: SHA256 is broken in crashed: a sentence\n");
    for (other, told) in [("noisy", "no number any more (too noisy)"), ("fewer", "no such row")] {
        let outcome = files.compare(&["base", other], &["--fail-above", "50%"]);
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        assert!(outcome.err.contains(told), "{}", outcome.err);
        let last = outcome.out.lines().nth(3).expect("a row");
        assert!(last.starts_with("SHA256 "), "{}", outcome.out);
        assert_eq!(files.compare(&[other, "base"], &["--fail-above", "50%"]).code, 0);
    }
    let none = files.compare(&["base", "fewer"], &["--filter", "SHA256"]);
    assert_eq!(none.code, 2);
    assert!(none.err.contains("nothing to compare"), "{}", none.err);
}

#[test]
fn layout_and_neighbours_are_no_difference() {
    let files = base_and_new();
    files.change("base", "two-layouts", |run| {
        let ns = run["records"][1]["ns_per_unit"].as_f64().expect("a number");
        run["records"][1]["layouts"] = serde_json::json!({
            "best_ns_per_unit": ns, "other_ns_per_unit": 1.05 * ns, "other_share": 0.5
        });
    });
    files.change("new", "busy", |run| run["records"][1]["quiet"] = false.into());
    files.change("new", "few", |run| run["records"][1]["relative_error"] = Value::Null);
    for (pair, word) in [
        (["two-layouts", "new"], "layout"),
        (["base", "busy"], "busy core"),
        (["base", "few"], "no error stated"),
    ] {
        let outcome = files.compare(&pair, &["--fail-above", "1%"]);
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        let row = outcome.out.lines().find(|line| line.starts_with("SHA1 ")).expect("a row");
        assert!(row.ends_with(word), "{row}");
        let told = format!("not judged: SHA1 in {}: +3.00 %, {word}", pair[1]);
        assert!(outcome.err.contains(&told), "{}", outcome.err);
    }
}

#[test]
fn errors_name_the_file_or_the_option() {
    let files = base_and_new();
    files.change("base", "later", |run| run["schema_version"] = 99.into());
    files.change("base", "zero", |run| run["records"][0]["ns_per_unit"] = 0.into());
    files.change("base", "twice", |run| {
        let row = run["records"][0].clone();
        run["records"].as_array_mut().expect("rows").push(row);
    });
    files.change("base", "sure", |run| run["records"][0]["relative_error"] = (-1).into());
    fs::write(files.path("text"), "MD5 | 1.0").expect("it can be written");
    for (other, told) in [
        ("missing", "cannot be read"),
        ("text", "no saved run"),
        ("later", "schema version 99"),
        ("zero", "rustcrypto/MD5/digest: ns_per_unit is 0"),
        ("twice", "two rows rustcrypto/MD5/digest"),
        ("sure", "relative_error is -1"),
    ] {
        let outcome = files.compare(&["base", other], &[]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{other}: {}", outcome.err);
        assert!(outcome.err.contains(&format!("{}: ", files.path(other))), "{}", outcome.err);
        assert!(outcome.err.contains(told), "{}", outcome.err);
    }
    for (words, told) in [
        (["--fail-above", "3"].as_slice(), "--fail-above"),
        (&["--fail-above", "-1%"], "--fail-above"),
        (&["--fail-above", "nan%"], "--fail-above"),
        (&["--fail-above", "inf%"], "--fail-above"),
        (&["--filter", "nothing at all"], "--filter"),
        (&["--unaligned"], "--unaligned"),
        (&["--output", "x.json"], "--output"),
        (&["--run"], "--run takes one file"),
        (&["--bogus"], "--bogus"),
    ] {
        let outcome = files.compare(&["base", "new"], words);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{words:?}: {}", outcome.err);
        assert!(outcome.err.contains(told), "{}", outcome.err);
    }
    assert_eq!(files.compare(&["base"], &[]).code, 2);
    assert_eq!(files.compare(&[], &[]).code, 2);
}

#[test]
fn a_reader_who_leaves_does_not_open_the_gate() {
    let files = base_and_new();
    for (limit, code) in [("1%", 1), ("5%", 0)] {
        let (base, new) = (files.path("base"), files.path("new"));
        let words = ["bench-slope", "compare", &base, &new, "--fail-above", limit];
        let mut err = Vec::new();
        let words = words.map(Into::into);
        assert_eq!(bench_slope::run::run(words, &three(cost), &mut Closed, &mut err), code);
    }
}

#[test]
fn a_partial_run_is_said() {
    let files = base_and_new();
    files.change("new", "part", |run| run["partial"] = true.into());
    let outcome = files.compare(&["base", "part"], &[]);
    assert!(outcome.err.contains("part: partial: rows are missing"), "{}", outcome.err);
}

#[test]
fn a_point_is_not_compared_with_the_slope_of_its_row() {
    let files = base_and_new();
    files.change("base", "points", |run| {
        let records = run["records"].as_array_mut().expect("rows");
        records.iter_mut().for_each(|record| record["section"] = "points".into());
    });
    let outcome = files.compare(&["base", "points"], &[]);
    assert!(outcome.err.contains("there is nothing to compare"), "{}", outcome.err);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
}

#[test]
fn the_rows_of_a_run_are_measured_now() {
    let files = Files::of(&[]);
    files.measure("base", &three(cost), &["sha1", "sha256"]);
    let saved = files.path("now");
    // The machine on which it is measured now has the slower SHA1.
    let words = ["--run", "--fail-above", "1%", "--output", &saved];
    let outcome = files.compare(&["base"], &words);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    assert!(verdicts(&outcome.out)[0].starts_with("SHA1 "), "{}", outcome.out);
    assert!(!outcome.out.contains("MD5"), "only the rows of the base: {}", outcome.out);
    let again = files.compare(&["base", "now"], &[]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(verdicts(&again.out).len(), 1, "{}", again.out);
}

#[test]
fn what_gives_wrong_answers_now_fails() {
    let files = Files::of(&[("base", cost)]);
    let mut machine = three(cost);
    let wrong = invented::ANSWERS.replace("output=a9993e36", "output=00000000");
    let entries = machine.catalogue.entries().to_vec();
    machine.catalogue = bench_slope_algorithms::Catalogue::new(entries, &[("hash", &wrong)])
        .expect("the answers parse");
    let outcome = bench_slope(&machine, &["compare", "--run", &files.path("base"), "--quiet"]);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    let first = outcome.out.lines().nth(1).expect("a row");
    assert!(first.starts_with("SHA1 ") && first.ends_with("n/a (wrong answer)"), "{first}");
    assert_eq!(outcome.err.matches("error: SHA1: ").count(), 1, "{}", outcome.err);
}

#[test]
fn what_is_measured_now_keeps_to_the_conditions_of_the_base() {
    let files = Files::of(&[]);
    files.measure("base", &three(cost), &["--unaligned", "--repetitions", "9"]);
    let saved = files.path("now");
    let outcome = files.compare(&["base"], &["--run", "--output", &saved]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let text = fs::read_to_string(&saved).expect("a run");
    let run: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(run["conditions"]["unaligned"], true);
    assert_eq!(run["conditions"]["repetitions"], 9);
    files.change("base", "quick", |run| run["conditions"]["quick"] = true.into());
    let quick = files.compare(&["quick"], &["--run"]);
    assert_eq!(quick.code, 2);
    assert!(quick.err.contains("quick was measured with --quick"), "{}", quick.err);
    files.change("base", "strange", |run| {
        for record in run["records"].as_array_mut().expect("rows") {
            let id = format!("{}/strange", record["id"]);
            record["id"] = id.into();
        }
    });
    assert_eq!(files.compare(&["strange"], &["--run"]).code, 2);
}

#[test]
fn an_interruption_compares_what_there_is() {
    let files = Files::of(&[("base", cost)]);
    let mut machine = three(slower);
    let interrupted = machine.interrupted.clone();
    // At the end of the very first pass over the rows, before there is enough for an error.
    let mut entries = machine.catalogue.entries().to_vec();
    let last = entries.last_mut().expect("an entry");
    let open = last.open.clone();
    last.open = std::sync::Arc::new(move |setup: &Setup, operation: Operation| {
        interrupted.store(true, Ordering::Relaxed);
        open(setup, operation)
    });
    let answers = [("hash", invented::ANSWERS)];
    machine.catalogue =
        bench_slope_algorithms::Catalogue::new(entries, &answers).expect("the answers parse");
    let outcome = bench_slope(&machine, &["compare", "--run", &files.path("base")]);
    assert_eq!(outcome.code, 130, "{}", outcome.err);
    assert!(outcome.out.contains("n/a (interrupted)"), "{}", outcome.out);
    assert!(outcome.err.ends_with("interrupted: what was measured before is compared above\n"));
}

#[test]
fn only_what_differs_has_a_colour_and_only_where_it_is_wanted() {
    let files = base_and_new();
    let (base, new) = (files.path("base"), files.path("new"));
    let run = |colour: bool, format: &str| {
        let words = ["bench-slope", "compare", &base, &new, "--format", format];
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let machine = three(cost);
        bench_slope::run::run_on(words.map(Into::into), &machine, colour, &mut out, &mut err);
        String::from_utf8(out).expect("text")
    };
    let coloured = run(true, "table");
    for line in coloured.lines() {
        assert_eq!(line.contains("\u{1b}["), line.starts_with("SHA1"), "{line:?}");
    }
    assert!(!run(false, "table").contains('\u{1b}'));
    for format in ["csv", "json", "markdown"] {
        assert_eq!(run(true, format), run(false, format));
        assert!(!run(true, format).contains('\u{1b}'));
    }
}
