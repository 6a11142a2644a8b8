//! `--bytes`: rows at exact sizes beside their slope, on invented time.

use std::collections::HashMap;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use bench_slope::linearity::Unpredictable;
use bench_slope::record::{Record, Run};
use bench_slope::saved::parse;

use crate::invented::{self, Outcome, bench_slope, entry, entry_of, machine};

/// 50 ns a call and 2 ns a byte; a message of 100 bytes takes 40 ns more, as no line tells.
fn cost(_: &str, size: usize) -> u64 {
    let more = if size == 100 { 40_000 } else { 0 };
    50_000 + 2_000 * size as u64 + more
}

fn hashes(cost: invented::Cost, words: &[&str]) -> Outcome {
    bench_slope(&machine(vec![entry("MD5"), entry("SHA1")], 1, cost), words)
}

fn run(words: &[&str]) -> Run {
    let outcome = hashes(cost, &[&["--format", "json", "hash"], words].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    parse(&outcome.out).expect("a run")
}

fn close(value: f64, wanted: f64) -> bool {
    (value / wanted - 1.0).abs() < 1e-9
}

#[test]
fn each_row_has_its_sizes_below_its_slope() {
    let words = ["--bytes", "4KiB,0,100", "--cpu-mhz", "1000", "hash", "md5"];
    let outcome = hashes(cost, &words);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let lines: Vec<&str> = outcome.out.lines().collect();
    let cells = |line: &str| -> Vec<String> {
        let words = line.replace('|', " ");
        // How far the slope's word may be off is told elsewhere.
        let words = words.split_whitespace().filter(|word| !word.starts_with('±'));
        words.map(str::to_owned).collect()
    };
    // Without the last two, which tell how often it was called.
    let known = |line: &str| cells(line)[..7].to_vec();
    assert_eq!(lines.len(), 7, "{}", outcome.out);
    assert_eq!(lines[0], "Hash:");
    assert!(lines[1].starts_with(" MD5            |  nanosecs/call     by the slope   calls/sec"));
    assert_eq!(known(lines[2]), ["slope", "-", "-", "-", "2.000", "476.8", "2.000"]);
    assert_eq!(known(lines[3]), ["0", "50.00", "50.00", "20000000", "-", "-", "-"]);
    assert_eq!(known(lines[4]), ["100", "290.0", "250.0", "3448276", "2.900", "328.9", "2.900"]);
    assert_eq!(known(lines[5]), ["4096", "8242", "8242", "121330", "2.012", "473.9", "2.012"]);
    assert_eq!(lines[6], "                =");
    // The frequency that is measured has a column.
    let outcome = hashes(cost, &["--bytes", "64", "--cpu-mhz", "auto", "hash", "md5"]);
    let heading = outcome.out.lines().nth(1).expect("a heading");
    assert!(heading.ends_with("  auto Mhz"), "{heading}");
}

#[test]
fn a_row_at_a_size_is_measured_and_not_taken_from_the_slope() {
    let run = run(&["--bytes", "64,100", "md5"]);
    assert_eq!(run.conditions.bytes, Some(vec![64, 100]));
    assert_eq!(run.records.len(), 3);
    let [slope, at_64, at_100] = &run.records[..] else { panic!("three rows") };
    let ids: Vec<&str> = run.records.iter().map(|record| record.id.as_str()).collect();
    let id = "rustcrypto/MD5/digest";
    assert_eq!(ids, [id, &format!("{id}/64"), &format!("{id}/100")]);
    assert_eq!((slope.unit.as_str(), at_64.unit.as_str()), ("byte", "op"));
    assert_eq!((slope.size, at_64.size, at_100.size), (None, Some(64), Some(100)));
    assert_eq!((at_64.name().as_str(), at_100.name().as_str()), ("MD5 64", "MD5 100"));
    let told = |record: &Record| {
        let measured = record.result.as_ref().expect("measured");
        (measured.ns_per_unit, measured.predicted.map(|it| it.expect("a prediction").ns_per_call))
    };
    let (ns, predicted) = told(at_64);
    assert!(close(ns, 178.0) && close(predicted.expect("one"), 178.0), "{ns} {predicted:?}");
    let (ns, predicted) = told(at_100);
    assert!(close(ns, 290.0) && close(predicted.expect("one"), 250.0), "{ns} {predicted:?}");
    assert_eq!(told(slope).1, None);
    // On the line the prediction is as sure as the slope; between its sizes a block may be begun.
    let may_be_off = |record: &Record| record.result.as_ref().ok()?.predicted?.ok()?.error_ns;
    // A reading of the invented clock takes 20 ns, and three calls of 8242 ns make a sample long enough.
    let first = slope.result.as_ref().expect("measured").first_call_ns.expect("one");
    assert!(close(first, 3.0 * 20.0 / 3.0), "{first}");
    let beside = |record| may_be_off(record).expect("one") - first;
    assert!((0.1..0.2).contains(&beside(at_64)), "{}", beside(at_64));
    assert_eq!(may_be_off(at_100), None);
    for record in &run.records {
        let measured = record.result.as_ref().expect("measured");
        assert!(measured.total_s.is_some_and(|total| total > 0.0));
        // The same engine: as many processes as any other row, and an error.
        assert!(measured.processes >= 8 && measured.relative_error.is_some());
    }
}

#[test]
fn where_time_goes_in_batches_a_size_is_told_by_its_place_in_one() {
    /// 145 ns for 256 bytes, 100 ns for each block of what is left.
    fn batches(_: &str, size: usize) -> u64 {
        let (whole, rest) = (size as u64 / 256, size as u64 % 256);
        14_000 + 145_000 * whole + 100_000 * rest.div_ceil(64)
    }
    let words = ["--format=json", "--bytes=1KiB,1088,1100,4KiB,8KiB", "hash", "md5"];
    let outcome = hashes(batches, &words);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let told = parse(&outcome.out).expect("a run");
    for record in &told.records[1..] {
        let (size, measured) = (record.size.expect("one"), record.result.as_ref().expect("one"));
        let predicted = measured.predicted.expect("one").expect("a prediction");
        let told = predicted.ns_per_call;
        let off = (told - measured.ns_per_unit).abs();
        let error = predicted.error_ns;
        assert!(error.is_none_or(|error| off <= error), "{size}: off by {off} of {error:?}");
        if size == 1100 {
            // No place of a batch was measured there: it has the line, and nobody knows how far that is off.
            assert_eq!((predicted.batch_bytes, error), (None, None));
            assert!(off > 60.0, "{off}");
        } else {
            assert_eq!(predicted.batch_bytes, Some(256), "{size}");
            assert!(off < 0.02 * measured.ns_per_unit, "{size}: {off}");
            assert_eq!(error.is_some(), size <= 4096);
        }
    }
    assert_eq!(outcome.err.matches("has no stated error").count(), 1, "{}", outcome.err);
    // Without batches the line is told.
    let straight = run(&["--bytes", "64,4KiB", "md5"]);
    let batch = |record: &Record| record.result.as_ref().ok()?.predicted?.ok()?.batch_bytes;
    assert!(straight.records.iter().all(|record| batch(record).is_none()));
}

/// As BLAKE3 goes: half the cost from 4096 bytes on.
fn bent(_: &str, size: usize) -> u64 {
    50_000 + size as u64 * if size < 4096 { 1_000 } else { 500 }
}

#[test]
fn a_bent_row_says_nothing_of_sizes_that_are_none_of_its_own() {
    let told = |format: &str| {
        let words = ["--format", format, "--bytes=64,100,4KiB,64KiB", "hash", "md5"];
        let outcome = hashes(bent, &words);
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        outcome
    };
    let reason = Unpredictable::Bent.reason();
    let parsed = parse(&told("json").out).expect("a run");
    let predicted: Vec<_> = parsed.records[1..]
        .iter()
        .map(|record| record.result.as_ref().expect("measured").predicted.expect("a slope"))
        .collect();
    assert!(parsed.records[0].result.as_ref().is_ok_and(|slope| slope.bend.is_some()));
    assert_eq!((predicted[1], predicted[3]), (Err(Unpredictable::Bent), Err(Unpredictable::Bent)));
    // At its own sizes it is off by no more than it says.
    for (at, actual) in [(0, 114.0), (2, 2098.0)] {
        let told = predicted[at].expect("a prediction");
        let off = (told.ns_per_call - actual).abs();
        assert!(told.error_ns.is_some_and(|error| off <= error), "{told:?}");
    }
    let json: serde_json::Value = serde_json::from_str(&told("json").out).expect("JSON");
    let csv = told("csv").out;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<HashMap<String, String>> =
        reader.deserialize().map(|row| row.expect("a row")).collect();
    for (at, is_silent) in [(1, false), (2, true), (3, false), (4, true)] {
        let record = &json["records"][at];
        assert_eq!(record["predicted_ns_per_call"].is_null(), is_silent, "{record}");
        assert_eq!(rows[at]["predicted_ns_per_call"].is_empty(), is_silent);
        let told = is_silent.then_some(reason);
        assert_eq!(record["predicted_reason"].as_str(), told);
        assert_eq!(rows[at]["predicted_reason"], told.unwrap_or_default());
    }
    let table = told("table");
    let cell = |line: &str| line.split_whitespace().nth(3).map(str::to_owned);
    for size in ["100 |", "65536 |"] {
        let line = table.out.lines().find(|line| line.trim_start().starts_with(size));
        assert_eq!(cell(line.expect("a row")).as_deref(), Some("-"), "{}", table.out);
    }
    let note = format!("note: of MD5 100, MD5 65536 the slope says nothing: {reason}\n");
    assert_eq!(table.err.matches(&note).count(), 1, "{}", table.err);
    let markdown = told("markdown").out;
    let row = markdown.lines().find(|line| line.ends_with("`MD5 65536`")).expect("a row");
    assert_eq!(row.split('|').nth(5).map(str::trim), Some("-"), "{markdown}");
    assert!(told("html").out.contains(&format!("nothing: {reason}")));
    // A straight row goes on beyond its sizes, and where too few rounds tell whether it is one, it does not.
    let beyond = |words: &[&str]| {
        let words = [&["--bytes=64KiB", "md5"], words].concat();
        run(&words).records[1].result.as_ref().expect("measured").predicted
    };
    let told = beyond(&[]).expect("a slope").expect("a prediction");
    assert!(close(told.ns_per_call, 50.0 + 2.0 * 65536.0) && told.error_ns.is_none(), "{told:?}");
    assert_eq!(beyond(&["--repetitions=2"]), Some(Err(Unpredictable::PerhapsBent)));
}

#[test]
fn a_line_below_zero_says_so() {
    // Calls that overlap: the first sizes cost less than a line would have them.
    fn below(_: &str, size: usize) -> u64 {
        1_000_000 * (size as u64).saturating_sub(64) + 10_000
    }
    let words = ["--format=json", "--bytes=0", "hash", "md5"];
    let run = parse(&hashes(below, &words).out).expect("a run");
    let predicted = run.records[1].result.as_ref().expect("measured").predicted;
    assert_eq!(predicted, Some(Err(Unpredictable::BelowZero)));
}

#[test]
fn a_call_of_20_ns_is_20_ns() {
    /// The reading of the clock takes as long as the call.
    fn short(_: &str, size: usize) -> u64 {
        if size == 32 { 20_000 } else { 20_000 + 10 * size as u64 }
    }
    for (step_ns, within) in [(1, 1e-9), (25, 1.5e-3), (1000, 1e-2)] {
        let machine = machine(vec![entry("MD5")], step_ns, short);
        let words = ["--bytes=32", "--format=json", "--time-limit=600ms", "hash", "md5"];
        let outcome = bench_slope(&machine, &words);
        assert_eq!(outcome.code, 0, "{step_ns}: {}", outcome.err);
        let run = parse(&outcome.out).expect("a run");
        let measured = run.records[1].result.as_ref().expect("measured");
        let (ns, error) = (measured.ns_per_unit, measured.relative_error.expect("one"));
        // It keeps its own error, and on a coarse clock that is not nothing.
        assert!((ns / 20.0 - 1.0).abs() <= error.min(within), "{step_ns}: {ns} ns ±{error}");
        assert!(error <= 1e-2, "{step_ns}: {error}");
    }
}

#[test]
fn the_error_of_a_size_is_its_own() {
    /// Up to a tenth more at 100 bytes, another time each call.
    fn noisy(_: &str, size: usize) -> u64 {
        static CALLS: AtomicU64 = AtomicU64::new(1);
        // Linear congruential, Knuth's MMIX constants.
        let next = |state: u64| {
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
        };
        let exact = 50_000 + 2_000 * size as u64;
        if size != 100 {
            return exact;
        }
        let before = CALLS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |s| Some(next(s)));
        // Slow for hundreds of calls, then fast: within a sample noise would average out.
        let share = (before.unwrap_or(0) >> 56) * u64::from(before.unwrap_or(0) >> 63 == 1);
        exact + exact * share / 2560
    }
    let words = ["--bytes", "64,100", "--repetitions", "24", "--format", "json", "hash", "md5"];
    let outcome = hashes(noisy, &words);
    let run = parse(&outcome.out).expect("a run");
    let error = |at: usize| {
        let measured = run.records[at].result.as_ref().expect("measured");
        measured.relative_error.expect("one")
    };
    // What all processes share, and the clock's steps.
    assert!(error(1) < f64::hypot(2.5e-3, 1.1e-3), "{}", error(1));
    assert!(error(0) < 1e-3 + 1e-9, "{}", error(0));
    assert!(error(2) > error(1) + 1e-4, "{} {}", error(1), error(2));
}

#[test]
fn every_format_has_them() {
    let words = |format| ["--bytes", "0,100", "--quiet", "--format", format, "hash", "md5"];
    let told = |format| {
        let outcome = hashes(cost, &words(format));
        assert_eq!((outcome.code, outcome.err.as_str()), (0, ""), "{format}");
        outcome.out
    };
    let csv = told("csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<HashMap<String, String>> =
        reader.deserialize().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), 3);
    let number = |row: usize, name: &str| rows[row][name].parse::<f64>().expect(name);
    assert_eq!((&*rows[0]["size"], &*rows[0]["ns_per_call_at_size"]), ("", ""));
    assert_eq!((&*rows[1]["size"], &*rows[1]["ns_per_byte_at_size"]), ("0", ""));
    assert_eq!((&*rows[1]["mib_per_s"], &*rows[1]["bytes_per_s_at_size"]), ("", ""));
    assert_eq!((&*rows[2]["size"], &*rows[2]["unit"]), ("100", "op"));
    for (name, wanted) in [
        ("ns_per_unit", 290.0),
        ("ns_per_call_at_size", 290.0),
        ("ns_per_byte_at_size", 2.9),
        ("calls_per_s_at_size", 1e9 / 290.0),
        ("bytes_per_s_at_size", 1e11 / 290.0),
        ("predicted_ns_per_call", 250.0),
        ("mib_per_s", 1e11 / 290.0 / 1_048_576.0),
    ] {
        assert!(close(number(2, name), wanted), "{name}: {}", rows[2][name]);
    }
    assert!(number(2, "total_s") > 0.0 && number(2, "err_percent") > 0.0);

    let json: serde_json::Value = serde_json::from_str(&told("json")).expect("JSON");
    let record = &json["records"][2];
    for name in [
        "ns_per_call_at_size",
        "ns_per_byte_at_size",
        "calls_per_s_at_size",
        "bytes_per_s_at_size",
        "predicted_ns_per_call",
    ] {
        let value = record[name].as_f64().expect(name);
        assert!(close(value, number(2, name)), "{name}: {value}");
        assert!(json["records"][0][name].is_null(), "{name} of a slope");
    }

    // Stated at sizes of the slope only.
    let name = "predicted_error_ns";
    assert!(rows[2][name].is_empty() && record[name].is_null());
    let error = json["records"][1][name].as_f64().expect(name);
    assert!(close(error, 20.0) && close(error, number(1, name)), "{error}");

    let markdown = told("markdown");
    let parts: Vec<&str> = markdown.split("\n\n").collect();
    assert_eq!(parts.len(), 2, "a table of slopes and one of calls: {markdown}");
    assert!(parts[0].contains("ns/byte |") && parts[0].contains("`MD5`"), "{markdown}");
    let heading: Vec<&str> = parts[1].lines().next().expect("a heading").split('|').collect();
    let heading: Vec<&str> = heading.iter().map(|cell| cell.trim()).collect();
    let columns = ["", "ns/op", "op/s", "ns/byte", "byte/s", "ns/op by slope", "err%", "total"];
    assert_eq!(heading, [&columns[..], &["benchmark"]].concat());
    let row = parts[1].lines().find(|line| line.ends_with("`MD5 100`")).expect("a row");
    for cell in ["| 290.0 ", " 3,448,275.86 ", " 2.900 ", " 344,827,586.21 ", " 250.0 "] {
        let row = row.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(format!("{row} ").contains(cell), "{cell}: {row}");
    }
    let html = told("html");
    assert!(html.contains("Hashes at exact sizes") && html.contains("Measured at 100 bytes"));
    assert!(told("svg").contains("Hashes at exact sizes"));
}

#[test]
fn a_size_that_a_mode_does_not_take_is_refused_before_anything_is_timed() {
    let aes = || machine(vec![entry_of("AES", "ECB"), entry_of("AES", "GCM")], 1, cost);
    for (words, told) in [
        (["--bytes=64,100", "cipher"], "AES ECB enc takes no message of 100 bytes"),
        (["--bytes=7", "cipher"], "the nearest that it takes: 0 and 16"),
    ] {
        let machine = aes();
        let outcome = bench_slope(&machine, &words);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{words:?}");
        assert!(outcome.err.starts_with("error: --bytes: "), "{}", outcome.err);
        assert!(outcome.err.contains(told), "{}", outcome.err);
        assert_eq!(machine.clock.monotonic_ns(), 0, "time passed");
    }
    let ccm = machine(vec![entry_of("AES", "CCM")], 1, cost);
    let outcome = bench_slope(&ccm, &["--bytes=64,16MiB", "cipher"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.ends_with("the nearest that it takes: 16777215\n"), "{}", outcome.err);
    let outcome = bench_slope(&aes(), &["--bytes=100", "--quiet", "cipher", "aes/gcm"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""), "one that takes every length");
    assert!(outcome.out.contains(" AES GCM auth "), "{}", outcome.out);
}

#[test]
fn what_is_no_list_of_sizes_and_what_does_not_go_with_it_is_an_error() {
    for bad in ["", "x", "64,", "-1", "1.5KiB", "65MiB", "1e3", "64 64", "0x40", "inf"] {
        let outcome = hashes(cost, &["--bytes", bad, "hash"]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{bad}");
        assert!(outcome.err.contains("--bytes"), "{bad}: {}", outcome.err);
    }
    for other in ["--raw", "--csv", "--bars"] {
        let outcome = hashes(cost, &["--bytes", "64", other, "hash"]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{other}");
        assert!(outcome.err.contains("--bytes") && outcome.err.contains(other), "{}", outcome.err);
    }
    let kdf = bench_slope(&machine(vec![entry("HKDF-SHA256")], 1, cost), &["--bytes=1", "kdf"]);
    assert_eq!((kdf.code, kdf.out.as_str()), (2, ""));
    assert!(kdf.err.starts_with("error: --bytes: there is no size to choose"), "{}", kdf.err);
}

#[test]
fn what_fails_at_a_size_has_no_number_there() {
    let mut machine = machine(vec![entry("MD5"), entry("SHA1")], 1, cost);
    let wrong = invented::ANSWERS.replace("a9993e", "a9993f");
    let entries = machine.catalogue.entries().to_vec();
    machine.catalogue = bench_slope_algorithms::Catalogue::new(entries, &[("hash", &wrong)])
        .expect("the answers parse");
    let outcome = bench_slope(&machine, &["--bytes", "64", "--repetitions", "8", "hash"]);
    assert_eq!(outcome.code, 1);
    let row = outcome.out.lines().filter(|line| line.ends_with("(wrong answer)"));
    assert_eq!(row.count(), 2, "the slope and the size: {}", outcome.out);
    assert!(outcome.err.contains("error: SHA1 64: "), "{}", outcome.err);
    assert!(outcome.out.lines().any(|line| line.trim_start().starts_with("64 | ")));
    // No line through calls of the same cost; at each size there is a number all the same.
    let flat = hashes(|_, _| 70_000, &["--bytes", "64", "--repetitions", "8", "hash", "md5"]);
    let at_64 = flat.out.lines().find(|line| line.trim_start().starts_with("64 |"));
    let cells: Vec<&str> = at_64.expect("a row").split_whitespace().collect();
    assert_eq!(cells[..4], ["64", "|", "70.00", "-"], "{}", flat.out);
}

#[test]
fn runs_are_compared_size_by_size_and_measured_again_at_the_same_sizes() {
    /// SHA1 of 100 bytes costs a tenth more.
    fn slower(algorithm: &str, size: usize) -> u64 {
        let ps = cost(algorithm, size);
        if algorithm == "SHA1" && size == 100 { ps + ps / 10 } else { ps }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (base, now) = (path("base.json"), path("now.json"));
    let words = ["--bytes=100", "--min-epoch=10us", "--output", &base, "hash"];
    assert_eq!(hashes(cost, &words).code, 0);
    let words = ["compare", "--run", &base, "--fail-above=3%", "--output", &now];
    let outcome = hashes(slower, &words);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    assert!(outcome.err.contains("SHA1 100 in measured now: +10.00 % slower"), "{}", outcome.err);
    assert_eq!(outcome.out.matches(" slower").count(), 2, "a row and the sum: {}", outcome.out);
    let run = parse(&fs::read_to_string(&now).expect("saved")).expect("a run");
    assert_eq!((run.conditions.bytes, run.records.len()), (Some(vec![100]), 4));
    assert_eq!(run.conditions.min_epoch_ns, Some(10_000));
    // What a file asks for may be anything.
    let text = fs::read_to_string(&base).expect("saved");
    for (what, other) in [
        ("\"bytes\":[100]", "\"bytes\":[99999999999]"),
        ("\"min_epoch_ns\":10000", "\"min_epoch_ns\":9000000000000000000"),
    ] {
        let strange = path("strange.json");
        let (from, to) = (what.replace(':', ": "), other.replace(':', ": "));
        let changed = text.replace(what, other).replace(&from, &to);
        assert_ne!(changed, text, "{what}");
        fs::write(&strange, changed).expect("writable");
        let outcome = hashes(cost, &["compare", "--run", &strange]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{other}");
        assert!(outcome.err.contains("--run: strange: "), "{}", outcome.err);
    }
    for option in ["--bytes=64", "--min-epoch=1ms"] {
        let outcome = hashes(cost, &["compare", "--run", &base, option]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{option}");
        let name = option.split('=').next().expect("a name");
        assert!(outcome.err.contains(&format!("compare takes no {name}")), "{}", outcome.err);
    }
}

#[test]
fn samples_last_as_long_as_is_asked_for() {
    let words = ["--bytes=64", "--min-epoch=10ms", "--repetitions=3", "md5"];
    let records = run(&words).records;
    let total = |at: usize| {
        let record: &Record = &records[at];
        record.result.as_ref().expect("measured").total_s.expect("a time")
    };
    // Three rounds of 65 sizes, and of one.
    assert!((3.0 * 0.65..3.0 * 0.8).contains(&total(0)), "{}", total(0));
    assert!((0.03..0.036).contains(&total(1)), "{}", total(1));
    // Without a number of rounds too, and then it ends.
    let machine = machine(vec![entry("MD5")], 1, cost);
    let outcome = bench_slope(&machine, &["--min-epoch", "10ms", "hash"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.contains("2.000 ns/B"), "{}", outcome.out);
    let elapsed_ns = machine.clock.monotonic_ns();
    assert!(elapsed_ns < 8_000_000_000, "{elapsed_ns}");
}

#[test]
fn only_times_with_a_unit_are_taken_for_samples() {
    let bad = ["10", "", "x", "-1ms", "0s", "999ns", "101ms", "1h", "nan", "1 lightyear"];
    for bad in bad {
        let outcome = hashes(cost, &["--min-epoch", bad, "hash"]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{bad}");
        assert!(outcome.err.contains("--min-epoch"), "{bad}: {}", outcome.err);
    }
    let outcome = hashes(cost, &["--min-epoch", "1ms", "--quick", "hash"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.contains("--min-epoch"), "{}", outcome.err);
}
