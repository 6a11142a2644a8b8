//! Every format of a run on invented time, on standard output and in files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::example::full;
use crate::invented::{self, Closed, bench_slope, entry, entry_of, machine};
use bench_slope::group::Machine;
use bench_slope::output::Files;
use bench_slope::record::Run;
use bench_slope::report::{Format, PARTIAL, significant};
use bench_slope::saved::{load, parse};
use bench_slope_algorithms::{Operation, Setup};
use serde_json::Value;

/// 100 ns a call, and MD5 1.6875, all others 0.625 ns/B.
fn cost(algorithm: &str, size: usize) -> u64 {
    let ns_per_64_bytes = if algorithm == "MD5" { 108 } else { 40 };
    (100 + ns_per_64_bytes * size as u64 / 64) * 1_000
}

fn two() -> Machine {
    machine(vec![entry("MD5"), entry("SHA1"), entry_of("AES", "ECB")], 1, cost)
}

/// A run in which everything is there and rows are told by the slope.
fn slopes() -> Run {
    let mut run = full();
    run.conditions.sizes = None;
    run
}

/// Fields of CSV by name, row by row.
fn csv_rows(text: &str) -> Vec<std::collections::HashMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.expect("as many fields as the header")).collect()
}

fn names(files: &[(&str, Format)], folder: &Path) -> Vec<PathBuf> {
    files.iter().map(|(name, _)| folder.join(name)).collect()
}

const ALL: &[(&str, Format)] = &[
    ("run.txt", Format::Table),
    ("run.csv", Format::Csv),
    ("run.json", Format::Json),
    ("run.md", Format::Markdown),
    ("run.html", Format::Html),
    ("run.svg", Format::Svg),
];

#[test]
fn markdown_is_nanobenchs_table() {
    let outcome = bench_slope(&two(), &["--format", "markdown", "hash"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(
        outcome.out,
        "\
|             ns/byte |              byte/s |    err% |     total | benchmark
|--------------------:|--------------------:|--------:|----------:|:----------
|               1.688 |      592,592,592.59 |   0.10% |      0.18 | `MD5`
|              0.6250 |    1,600,000,000.00 |   0.10% |      0.16 | `SHA1`
"
    );
}

#[test]
fn markdown_has_columns_for_what_is_counted_and_a_table_for_each_section() {
    let mut run = slopes();
    run.records.truncate(2);
    run.records[1].algorithm = "a|b`c".to_owned();
    assert_eq!(
        Format::Markdown.render(&run),
        "\
Machine: `the one, \"left\"`

## Hash

|             ns/byte |              byte/s |    err% |        ins/byte |        cyc/byte |    IPC |     total | benchmark
|--------------------:|--------------------:|--------:|----------------:|----------------:|-------:|----------:|:----------
|              0.3000 |    3,333,333,333.33 |   0.03% |           2.333 |           3.333 |  2.900 |      0.05 | `SHA256`

## MAC

|             ns/byte |              byte/s |    err% |     total | benchmark
|--------------------:|--------------------:|--------:|----------:|:----------
|                 n/a |                 n/a |     n/a |       n/a | `` a\\|b`c `` (wrong answer)

partial: rows are missing, for the run was interrupted or is still going on
"
    );
}

#[test]
fn csv_has_a_header_and_the_same_fields_on_every_row() {
    let outcome = bench_slope(&two(), &["--format", "csv", "--machine", "a, b"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let rows = csv_rows(&outcome.out);
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0]["ns_per_unit"], "1.6875");
    assert_eq!(rows[0]["status"], "measured");
    // What all processes share.
    assert_eq!(rows[0]["err_percent"], "0.1");
    assert_eq!((&*rows[3]["section"], &*rows[3]["label"]), ("cipher", "ECB dec"));
    assert!(rows.iter().all(|row| row["machine"] == "a, b"));
    // Quotes, commas and a failure.
    let rows = csv_rows(&Format::Csv.render(&slopes()));
    assert_eq!(rows[1]["reason"], "a \"sentence\", with | and `");
    assert_eq!((&*rows[1]["status"], &*rows[1]["ns_per_unit"]), ("n/a", ""));
    assert_eq!((&*rows[9]["size"], &*rows[9]["unit"]), ("64", "op"));
    assert_eq!((&*rows[10]["size"], &*rows[10]["predicted_ns_per_call"]), ("100", ""));
    assert!(!rows[10]["predicted_reason"].is_empty(), "no word of the slope, and the reason");
    assert_eq!((&*rows[11]["status"], &*rows[11]["reason"]), ("partial", PARTIAL));
}

#[test]
fn json_on_standard_output_is_the_run() {
    let words = ["--format", "json", "--machine", "m", "--cpu-mhz", "1000", "hash", "md5"];
    let outcome = bench_slope(&two(), &words);
    let run = parse(&outcome.out).expect("a run");
    assert!(!run.partial);
    assert_eq!(run.machine.as_deref(), Some("m"));
    let measured = run.records[0].result.as_ref().expect("measured");
    assert_eq!((measured.ns_per_unit, measured.cycles_per_unit), (1.6875, Some(1.6875)));
    assert_eq!(measured.points.len(), 65);
    assert_eq!(run.records[0].package_version, run.versions.packages.get("md-5").cloned());
    assert_eq!(run.records[0].samples, None);
}

#[test]
fn json_keeps_to_its_schema_whatever_the_options() {
    let schema = include_str!("../docs/bench-slope.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    for words in [
        ["--quick", "--machine=m"].as_slice(),
        &["--samples", "--repetitions=2", "--unaligned"],
        &["--cpu-mhz=auto", "--include-slow"],
        &["--cpu-mhz=3201.5", "--raw", "--repetitions=1"],
        &["--filter=md5"],
    ] {
        let words = [words, &["--quiet", "--format=json"]].concat();
        let outcome = bench_slope(&two(), &words);
        let value: Value = serde_json::from_str(&outcome.out).expect("strict JSON");
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{words:?}: {errors:#?}");
    }
}

#[test]
fn samples_are_kept_on_request() {
    let words = ["--format", "json", "--samples", "--repetitions", "5", "hash", "md5"];
    let run = parse(&bench_slope(&two(), &words).out).expect("a run");
    let samples = run.records[0].samples.as_ref().expect("asked for");
    assert_eq!(samples.len(), 5 * 65);
    for sample in samples {
        assert_eq!(sample.ns, cost("MD5", sample.size) as f64 / 1e3);
        assert_eq!(sample.round, 0);
    }
    assert_eq!(samples.iter().map(|sample| sample.worker).max(), Some(4));
}

#[test]
fn formats_agree_to_the_last_digit() {
    let run = slopes();
    let json: Value = serde_json::from_str(&Format::Json.render(&run)).expect("JSON");
    let rows = csv_rows(&Format::Csv.render(&run));
    let mut compared = 0;
    for (row, record) in rows.iter().zip(json["records"].as_array().expect("rows")) {
        for (name, field) in row {
            // Nested in JSON, flat in CSV.
            let place = match name.split_once('_') {
                Some(("bend", below)) => &record["bend"][below],
                Some(("layouts", below)) => &record["layouts"][below],
                Some(("counted", below)) => &record["counts"][below],
                Some(("growth", field @ ("class" | "unclear"))) => &record["growth"][field],
                Some(("growth", "coefficient_ns" | "constant_ns")) => {
                    // Of the class that is told only.
                    assert!(!record["growth"]["class"].is_null(), "the example has one");
                    &record["growth"]["classes"][0][name.trim_start_matches("growth_")]
                }
                Some(("threads", "message_bytes" | "one_mib_per_s" | "scaling")) => {
                    &record["scaling"][name.trim_start_matches("threads_")]
                }
                // In CSV only, in per cent or in words; tests/growth.rs and tests/threads.rs have them.
                Some(("growth" | "threads", "err_percent" | "alike")) => continue,
                Some(("threads", "one_err_percent" | "scaling_err_percent")) => continue,
                _ if name == "err_percent_at_size" => continue,
                _ if name == "threads" => &record["scaling"]["threads"],
                _ if name == "machine" => &json["machine"],
                _ => &record[name],
            };
            match place {
                Value::Null => assert_eq!(field, "", "{name}"),
                Value::String(text) => assert_eq!(field, text, "{name}"),
                Value::Number(number) => {
                    assert_eq!(field.parse::<f64>().ok(), number.as_f64(), "{name}");
                }
                other => assert_eq!(field, &other.to_string(), "{name}"),
            }
            compared += 1;
        }
    }
    assert!(compared > 200, "only {compared}");
    let ns = run.records[0].result.as_ref().expect("measured").ns_per_unit;
    let shown = |format: Format, digits: i32| {
        let text = format.render(&run);
        assert!(text.contains(&significant(ns, digits)), "{text}");
    };
    shown(Format::Table, 4);
    shown(Format::Markdown, 4);
    shown(Format::LibgcryptCsv, 6);
}

#[test]
fn what_is_shown_section_by_section_is_what_a_file_has() {
    let folder = tempfile::tempdir().expect("a folder");
    for &(name, format) in ALL {
        let file = folder.path().join(name);
        let path = file.to_str().expect("text");
        let word = Format::NAMED.iter().find(|named| named.0 == format).expect("a name").1;
        let words = ["--format", word, "--output", path, "--machine", "m"];
        let outcome = bench_slope(&two(), &words);
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        assert_eq!(outcome.out, fs::read_to_string(&file).expect("written"), "{name}");
    }
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), ALL.len(), "nothing else is left");
}

#[test]
fn several_files_at_once_and_the_table_as_ever() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = names(ALL, folder.path());
    let mut words = vec!["hash", "md5"];
    for path in &paths {
        words.extend(["--output", path.to_str().expect("text")]);
    }
    let outcome = bench_slope(&two(), &words);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.starts_with("Hash:\n"));
    let run = load(&folder.path().join("run.json")).expect("a run");
    for (path, (_, format)) in paths.iter().zip(ALL) {
        assert_eq!(fs::read_to_string(path).expect("written"), format.render(&run));
    }
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_anything_is_timed() {
    let folder = tempfile::tempdir().expect("a folder");
    let xml = folder.path().join("run.xml");
    for bad in [
        "/nonexistent/run.json",
        folder.path().to_str().expect("text"),
        xml.to_str().expect("text"),
        "",
    ] {
        let machine = two();
        let outcome = bench_slope(&machine, &["--output", bad, "hash", "md5"]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{bad}");
        let told = format!("--output {bad}");
        assert!(outcome.err.contains(told.trim()), "{bad}: {}", outcome.err);
        assert_eq!(machine.clock.monotonic_ns(), 0, "time passed");
    }
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0, "nothing is left");
}

#[test]
fn a_file_is_replaced_as_a_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, link) = (folder.path().join("run.csv"), folder.path().join("link.csv"));
    fs::write(&path, "earlier").expect("writable");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    #[cfg(not(unix))]
    fs::copy(&path, &link).expect("a copy");
    let mut files = Files::check(std::slice::from_ref(&link), Format::Table).expect("writable");
    assert_eq!(fs::read_to_string(&path).expect("text"), "earlier", "looking changes nothing");
    assert_eq!(files.write(&full(), false), []);
    assert_eq!(fs::read_to_string(&link).expect("text"), Format::Csv.render(&full()));
    #[cfg(unix)]
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink(), "the link stays one");

    // Something that cannot be replaced has come in its place.
    fs::remove_file(&path).expect("removable");
    fs::create_dir(&path).expect("a folder");
    fs::write(path.join("inside"), "earlier").expect("writable");
    let news = files.write(&full(), true);
    assert_eq!(news.len(), 1);
    assert!(news[0].to_string().starts_with(&format!("--output {}: ", link.display())));
    assert!(files.failed());
    assert_eq!(fs::read_to_string(path.join("inside")).expect("text"), "earlier");
    assert!(files.write(&full(), true).is_empty(), "told once");
    assert!(files.failed());
}

/// A machine that is interrupted while its second section is measured.
fn interrupted_in_the_second_section() -> Machine {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    CALLS.store(0, Ordering::Relaxed);
    let mut machine = two();
    let interrupted = machine.interrupted.clone();
    let entries = machine.catalogue.entries().to_vec().into_iter().map(|mut entry| {
        if entry.algorithm == "AES" {
            let (open, interrupted) = (entry.open.clone(), interrupted.clone());
            entry.open = Arc::new(move |setup: &Setup, operation: Operation| {
                interrupted.store(true, Ordering::Relaxed);
                open(setup, operation)
            });
        }
        entry
    });
    let answers = [("hash", invented::ANSWERS), ("cipher", invented::CIPHER_ANSWERS)];
    machine.catalogue = bench_slope_algorithms::Catalogue::new(entries.collect(), &answers)
        .expect("the answers parse");
    machine
}

#[test]
fn an_interruption_leaves_whole_files_that_say_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = names(ALL, folder.path());
    let mut words = vec!["--quiet"];
    for path in &paths {
        words.extend(["--output", path.to_str().expect("text")]);
    }
    let outcome = bench_slope(&interrupted_in_the_second_section(), &words);
    assert_eq!(outcome.code, 130, "{}", outcome.err);
    let run: Run = load(&folder.path().join("run.json")).expect("a run");
    assert!(run.partial);
    assert_eq!(run.records.len(), 4);
    assert!(run.records[..2].iter().all(|record| record.result.is_ok()));
    for record in &run.records[2..] {
        let failure = record.result.as_ref().expect_err("it was interrupted");
        assert_eq!(failure.kind(), "interrupted");
    }
    for (path, (name, format)) in paths.iter().zip(ALL) {
        let text = fs::read_to_string(path).expect("written");
        assert_eq!(text, format.render(&run), "{name}");
        assert!(*format == Format::Json || text.contains(PARTIAL), "{name}: {text}");
    }
    assert!(outcome.out.ends_with(&format!("{PARTIAL}\n")), "{}", outcome.out);
    // JSON on standard output is one value even so.
    let machine = interrupted_in_the_second_section();
    let outcome = bench_slope(&machine, &["--quiet", "--format", "json"]);
    assert!(parse(&outcome.out).expect("a run").partial);
    let machine = interrupted_in_the_second_section();
    let outcome = bench_slope(&machine, &["--quiet", "--csv"]);
    assert!(!outcome.out.contains("partial"), "libgcrypt's rows only: {}", outcome.out);
}

#[test]
fn files_are_written_to_the_end_when_the_reader_of_standard_output_leaves() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let run = |words: &[&str]| {
        let words = std::iter::once("bench-slope").chain(words.iter().copied());
        let mut err = Vec::new();
        let code = bench_slope::run::run(words.map(Into::into), &two(), &mut Closed, &mut err);
        (code, String::from_utf8(err).expect("text"))
    };
    assert_eq!(run(&["--quiet"]), (0, String::new()));
    let words = ["--quiet", "--output", path.to_str().expect("text")];
    assert_eq!(run(&words), (0, String::new()));
    let saved = load(&path).expect("a run");
    assert_eq!((saved.partial, saved.records.len()), (false, 4));
}

#[test]
fn a_reader_who_leaves_does_not_make_good_what_failed() {
    let constant = machine(vec![entry("MD5")], 1, |_, _| 80_000);
    let mut err = Vec::new();
    let words = ["bench-slope", "hash"].map(Into::into);
    assert_eq!(bench_slope::run::run(words, &constant, &mut Closed, &mut err), 1);
    let err = String::from_utf8(err).expect("text");
    assert!(err.contains("error: MD5: its time does not grow with the size"), "{err}");
}

#[test]
fn a_standard_error_that_nobody_reads_changes_nothing() {
    /// A disk that is full.
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
    }
    for words in [
        &["--verbose", "--csv", "hash", "md5"][..],
        &["--quick", "--csv", "hash"],
        &["--quiet", "--csv", "hash", "md5"],
        &["self-test"],
        &["hash", "md6"],
        &["--bogus"],
        &["--endless", "md"],
        &["compare", "/nonexistent.json", "/nonexistent.json"],
    ] {
        let heard = bench_slope(&two(), words);
        let errs: [&mut dyn std::io::Write; 2] = [&mut Closed, &mut Full];
        for err in errs {
            let mut out = Vec::new();
            let all = std::iter::once("bench-slope").chain(words.iter().copied());
            let code = bench_slope::run::run(all.map(Into::into), &two(), &mut out, err);
            let out = String::from_utf8(out).expect("text");
            assert_eq!((code, out), (heard.code, heard.out.clone()), "{words:?}");
        }
    }
}

#[test]
fn csv_is_libgcrypts_and_format_csv_is_ours() {
    let outcome = bench_slope(&two(), &["--csv", "--format", "csv", "hash"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.contains("--csv") && outcome.err.contains("--format"), "{}", outcome.err);
    let outcome = bench_slope(&two(), &["--format", "xml", "hash"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.contains("--format"), "{}", outcome.err);
    let outcome = bench_slope(&two(), &["self-test", "--format", "csv"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.contains("--format"), "{}", outcome.err);
}

#[test]
fn bars_tell_the_speed_beside_the_fastest() {
    let outcome = bench_slope(&two(), &["--bars", "hash"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(
        outcome.out,
        "\
Hash:
                |  nanosecs/byte   mebibytes/sec   cycles/byte
 MD5            |     1.688 ns/B     565.1 MiB/s         - c/B  #########
 SHA1           |    0.6250 ns/B      1526 MiB/s         - c/B  ########################
                =
"
    );
    for words in [["--bars", "--csv"], ["--bars", "--raw"], ["--bars", "--format=json"]] {
        let outcome = bench_slope(&two(), &words);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{words:?}");
        assert!(outcome.err.contains("--bars"), "{words:?}: {}", outcome.err);
    }
}

#[test]
fn a_terminal_has_the_same_words_in_style_and_files_have_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.txt");
    let words = ["bench-slope", "--quiet", "--output", file.to_str().expect("text")];
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words = words.map(Into::into);
    assert_eq!(bench_slope::run::run_on(words, &two(), true, &mut out, &mut err), 0);
    let out = String::from_utf8(out).expect("text");
    assert!(out.starts_with("\u{1b}[1mHash:\u{1b}[0m\n"), "{out:?}");
    let plain = out.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
    assert_eq!(fs::read_to_string(&file).expect("written"), plain);
    // A row without a number stands out.
    let look = bench_slope::report::table::Look { styled: true, bars: true };
    let text = bench_slope::report::table::render_as(&slopes(), look);
    assert!(text.contains("\u{1b}[31m SHA512 "), "{text:?}");
}
