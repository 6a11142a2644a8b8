//! What time grows with: `--asymptote` on invented time, so that the class is known.

use crate::invented::{self, Outcome, bench_slope, entry, machine};
use bench_slope::growth::Class;
use bench_slope::record::Run;
use bench_slope::saved::parse;
use bench_slope_algorithms::Catalogue;

/// Whole nanoseconds at the sizes below: MD5 with the square, SHA1 constant, SHA256 with the size.
fn cost(algorithm: &str, size: usize) -> u64 {
    let size = size as u64;
    match algorithm {
        "MD5" => 50_000 + 2_000 * size * size,
        "SHA1" => 300_000,
        _ => 100_000 + 1_000 * size,
    }
}

fn program(words: &[&str]) -> Outcome {
    bench_slope(&machine(vec![entry("MD5"), entry("SHA1"), entry("SHA256")], 1, cost), words)
}

fn run(words: &[&str]) -> Run {
    let words = [&["--quiet", "--format", "json"], words].concat();
    let outcome = program(&words);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    parse(&outcome.out).expect("a run")
}

const SIZES: &str = "--asymptote=25,50,100,200,400,600,800";

#[test]
fn times_and_classes_are_told_as_nanobench_tells_them() {
    let outcome = program(&["--quiet", "--asymptote", "100,10,1000,500", "hash", "sha256"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    let lines: Vec<&str> = outcome.out.lines().collect();
    assert_eq!(
        lines[..9],
        [
            "Hash:",
            "| complexityN |               ns/op |                op/s |    err% | benchmark",
            "|------------:|--------------------:|--------------------:|--------:|:----------",
            "|          10 |               110.0 |        9,090,909.09 |   0.25% | `SHA256`",
            "|         100 |               200.0 |        5,000,000.00 |   0.25% | `SHA256`",
            "|         500 |               600.0 |        1,666,666.67 |   0.25% | `SHA256`",
            "|        1000 |                1100 |          909,090.91 |   0.25% | `SHA256`",
            "",
            "| coefficient (ns) |  constant (ns) |    err% | complexity",
        ]
    );
    assert_eq!(lines[10], "|            1.000 |          100.0 |   0.00% | O(n)");
    let classes: Vec<&str> =
        lines[10..16].iter().filter_map(|line| line.rsplit("| ").next()).collect();
    let mut names: Vec<&str> = Class::ALL.iter().map(|class| class.name()).collect();
    names.sort_unstable();
    let mut told = classes.clone();
    told.sort_unstable();
    assert_eq!(told, names);
    let error = |line: &&str| {
        let cell = line.split('|').nth(3).expect("a cell").trim();
        cell.trim_end_matches('%').parse::<f64>().expect("a number")
    };
    assert!(lines[10..16].iter().map(error).is_sorted(), "best first: {}", outcome.out);
    assert_eq!(lines[16..], ["", "SHA256: O(n)"]);
}

#[test]
fn each_growth_is_found() {
    let run = run(&[SIZES, "hash"]);
    let expected = [("MD5", Class::Square, 2.0, 50.0), ("SHA1", Class::Constant, 300.0, 0.0)];
    for (name, class, coefficient, constant) in expected {
        let record = run.records.iter().find(|record| record.algorithm == name).expect(name);
        let growth = record.growth.as_ref().expect("a growth");
        let best = growth.classes[0];
        assert_eq!((growth.class, best.class, growth.alike), (Some(class), class, 1), "{growth:?}");
        assert!((best.coefficient_ns / coefficient - 1.0).abs() < 1e-6, "{best:?}");
        assert!((best.constant_ns - constant).abs() < 1e-3, "{best:?}");
        assert_eq!(growth.times.len(), 7);
        // The row's own number is that of the longest message.
        let measured = record.result.as_ref().expect("measured");
        assert!((measured.ns_per_unit - growth.times[6].ns / 800.0).abs() < 1e-9);
    }
    assert!(run.conditions.growth);
    assert_eq!(run.conditions.sizes.as_deref(), Some([25, 50, 100, 200, 400, 600, 800].as_slice()));
}

#[test]
fn a_message_of_one_size_does_not_grow() {
    let run = run(&[SIZES, "--message", "32", "hash", "sha256"]);
    let growth = run.records[0].growth.as_ref().expect("a growth");
    assert_eq!(growth.alike_names(), ["O(1)"]);
    assert!(growth.times.iter().all(|time| (time.ns - 132.0).abs() < 1e-6), "{growth:?}");
    assert_eq!(run.conditions.message_bytes, Some(32));
}

/// 1,000 ns and 4 ns more with each step of the logarithm, on a clock that shows it.
fn hardly(_: &str, size: usize) -> u64 {
    1_000_000 + 1_000 * u64::from(size.ilog2())
}

#[test]
fn growth_that_is_hidden_in_the_error_is_none() {
    let machine = machine(vec![entry("MD5")], 1, hardly);
    let outcome = bench_slope(&machine, &[SIZES, "--quiet", "hash", "md5"]);
    assert!(outcome.out.ends_with("\nMD5: O(1)\n"), "{}", outcome.out);
}

/// Halfway between n and n log n.
fn between(_: &str, size: usize) -> u64 {
    let n = size as f64;
    (1e3 * (50.0 + 0.5 * n + 0.5 * n * n.log2() / 9.0)) as u64
}

#[test]
fn near_ties_are_called_not_distinguishable() {
    let machine = machine(vec![entry("MD5")], 1, between);
    let words = [SIZES, "--quiet", "hash", "md5"];
    let told = bench_slope(&machine, &words).out;
    let last = told.lines().last().expect("a line");
    let both = ["O(n) and O(n log n)", "O(n log n) and O(n)"];
    let verdicts = both.map(|both| {
        format!(
            "MD5: cannot tell what it grows with: {both} fit alike: more sizes further apart may tell"
        )
    });
    assert!(verdicts.iter().any(|verdict| verdict == last), "{told}");
    let csv = bench_slope(&machine, &["--format", "csv", SIZES, "--quiet", "hash", "md5"]).out;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    for row in reader.deserialize() {
        let row: std::collections::HashMap<String, String> = row.expect("a row");
        assert!(both.contains(&row["growth_alike"].replace(" or ", " and ").as_str()), "{row:?}");
        for field in ["class", "coefficient_ns", "constant_ns", "err_percent"] {
            assert_eq!(row[&format!("growth_{field}")], "", "{field}");
        }
        assert!(last.ends_with(&row["growth_unclear"]) && !row["growth_unclear"].is_empty());
    }
}

#[test]
fn csv_has_a_row_for_each_size_and_the_best_class_in_each() {
    let csv = program(&["--quiet", "--format", "csv", SIZES, "hash", "md5"]).out;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<std::collections::HashMap<String, String>> =
        reader.deserialize().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), 7);
    for (row, size) in rows.iter().zip([25, 50, 100, 200, 400, 600, 800_u64]) {
        assert_eq!(row["size"], size.to_string());
        let ns: f64 = row["ns_per_call_at_size"].parse().expect("a number");
        assert!((ns - (50 + 2 * size * size) as f64).abs() < 1e-6, "{ns}");
        assert_eq!(row["err_percent_at_size"].parse::<f64>().expect("a number"), 0.25);
        assert_eq!(
            (row["growth_class"].as_str(), row["growth_alike"].as_str()),
            ("O(n^2)", "O(n^2)")
        );
        for (field, value) in [("growth_coefficient_ns", 2.0), ("growth_constant_ns", 50.0)] {
            let told: f64 = row[field].parse().expect("a number");
            assert!((told / value - 1.0).abs() < 1e-6, "{field}: {told}");
        }
        assert!(row["growth_err_percent"].parse::<f64>().expect("a number") < 1e-6);
        assert_eq!(row["threads"], "");
    }
}

#[test]
fn markdown_has_the_same_tables() {
    let words = ["--quiet", SIZES, "hash", "md5", "sha1"];
    let table = program(&words).out;
    let markdown = program(&[&["--format", "markdown"], words.as_slice()].concat()).out;
    assert_eq!(table.strip_prefix("Hash:\n"), Some(markdown.as_str()));
}

#[test]
fn pages_and_pictures_say_that_they_have_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (html, svg) = (file("run.html"), file("run.SVG"));
    for (words, option) in [
        (["--format", "html"], "--format".to_owned()),
        (["--format", "svg"], "--format".to_owned()),
        (["--output", &html], format!("--output {html}")),
        (["--output", &svg], format!("--output {svg}")),
        (["--plot", &svg], format!("--plot {svg}")),
    ] {
        let outcome = program(&[&words, [SIZES, "hash"].as_slice()].concat());
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{words:?}");
        let expected = format!(
            "error: {option}: the results of --asymptote are told as table, csv, json or markdown\n"
        );
        assert_eq!(outcome.err, expected);
    }
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0);
    let words = ["--csv", "--quick", "--raw", "--bars"];
    for word in words {
        let outcome = program(&[word, SIZES, "hash"]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{word}");
        assert!(
            outcome.err.contains(word) && outcome.err.contains("--asymptote"),
            "{}",
            outcome.err
        );
    }
}

#[test]
fn lists_that_can_tell_nothing_are_refused_with_the_reason() {
    for (list, reason) in [
        ("25,50,100", "3 different sizes: 4 are the fewest"),
        ("25,50,100,100,50", "3 different sizes: 4 are the fewest"),
        ("100", "1 different size: 4 are the fewest"),
        ("100,110,120,130", "from 100 to 130 is too narrow"),
        ("", "'' is no whole number from 1 to 67108864"),
        ("25,50,x,200", "'x' is no whole number"),
        ("25,50,100,-200", "'-200' is no whole number"),
        ("0,50,100,200", "'0' is no whole number"),
        ("25,50,100,1e9", "'1e9' is no whole number"),
        ("25,50,100,99999999999999999999", "'99999999999999999999' is no whole number"),
    ] {
        let outcome = program(&["--asymptote", list, "hash"]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{list}");
        assert!(
            outcome.err.contains("--asymptote") && outcome.err.contains(reason),
            "{}",
            outcome.err
        );
    }
    let many: Vec<String> = (1..=70).map(|size| size.to_string()).collect();
    let outcome = program(&["--asymptote", &many.join(","), "hash"]);
    assert!(
        outcome.code == 2 && outcome.err.contains("70 sizes: 65 are the most"),
        "{}",
        outcome.err
    );
}

#[test]
fn a_message_without_a_use_for_it_is_refused() {
    let outcome = program(&["--message", "32", "hash"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert_eq!(outcome.err, "error: --message belongs to --asymptote, --endless or --threads\n");
    for bad in ["-1", "x", "67108865", "1.5", ""] {
        let outcome = program(&[SIZES, "--message", bad, "hash"]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{bad}");
        assert!(outcome.err.contains("'--message"), "{}", outcome.err);
    }
}

#[test]
fn parameters_that_a_derivation_cannot_have_are_refused() {
    let mut machine = machine(vec![entry("MD5")], 1, cost);
    machine.catalogue = Catalogue::standard();
    let refused = |words: &[&str]| {
        let outcome = bench_slope(&machine, words);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{words:?}");
        outcome.err
    };
    let err = refused(&["--asymptote=16,48,64,128", "kdf", "scrypt"]);
    assert!(err.starts_with("error: --asymptote 48 for SCRYPT: "), "{err}");
    let err = refused(&["--asymptote=16,32,64,2097152", "kdf", "scrypt"]);
    assert_eq!(err, "error: --asymptote 2097152 for SCRYPT: 1048576 is the most\n");
    let err = refused(&["--asymptote=16,32,64,128", "--message=9", "kdf", "scrypt"]);
    assert_eq!(err, "error: --message: SCRYPT has no message whose size could be chosen\n");
    let err = refused(&["--asymptote=25,50,100,200", "cipher", "aes/ecb"]);
    assert!(err.starts_with("error: --asymptote 25 for AES ECB enc: "), "{err}");
}

#[test]
fn a_wrong_answer_has_no_growth() {
    let wrong = invented::ANSWERS.replace("900150", "900151");
    let mut machine = machine(vec![entry("MD5")], 1, cost);
    let entries = machine.catalogue.entries().to_vec();
    machine.catalogue = Catalogue::new(entries, &[("hash", &wrong)]).expect("the answers parse");
    let outcome = bench_slope(&machine, &["--quiet", SIZES, "hash", "md5"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (1, "Hash:\n`MD5`: n/a (wrong answer)\n"));
    assert!(outcome.err.starts_with("error: "), "{}", outcome.err);
}

#[test]
fn the_demonstration_is_found_by_its_answers_and_is_slow() {
    let standard = Catalogue::standard();
    let found = standard.entries().iter().find(|entry| entry.algorithm == "DEMO-QUADRATIC");
    let entry = found.expect("it is there");
    assert!(entry.slow, "nobody wants it among the others");
    let case = entry.case(entry.operations[0]);
    let report = standard.verify(&case, usize::MAX);
    assert!(report.is_ok(), "{report:?}");
}

#[test]
fn a_saved_growth_is_compared_with_its_like_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (usual, growth, threads) = (file("a.json"), file("b.json"), file("c.json"));
    let save = |file: &str, words: &[&str]| {
        let words = [&["--quiet", "--output", file, "hash", "sha256"], words].concat();
        assert_eq!(program(&words).code, 0, "{words:?}");
    };
    save(&usual, &[]);
    save(&growth, &[SIZES]);
    save(&threads, &["--threads", "1"]);
    for (other, option) in [(&growth, "--asymptote"), (&threads, "--threads")] {
        let outcome = program(&["compare", &usual, other]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{option}");
        assert!(outcome.err.contains(option), "{}", outcome.err);
        let outcome = program(&["compare", "--run", other]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{option}");
        assert!(outcome.err.contains(&format!("was measured with {option}")), "{}", outcome.err);
    }
    assert_eq!(program(&["compare", "--quiet", &growth, &growth]).code, 0);
    let outcome = program(&["compare", SIZES, &usual, &usual]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.starts_with("error: compare takes no --asymptote: "), "{}", outcome.err);
}

#[test]
fn where_no_class_fits_none_leads() {
    // Steps of 64 bytes: what grows over these sizes is not what grows beyond them.
    fn steps(_: &str, size: usize) -> u64 {
        1_000 + 100_000 * (size as u64 / 64)
    }
    let machine = machine(vec![entry("MD5")], 1, steps);
    let told = |format: &str| {
        let words = ["--asymptote", "25,50,100,200", "--quiet", "--format", format, "hash", "md5"];
        bench_slope(&machine, &words).out
    };
    for format in ["table", "markdown"] {
        let told = told(format);
        let last = told.lines().last().expect("a line");
        let begin =
            "MD5: cannot tell what it grows with: no class fits, and the nearest misses by ";
        assert!(last.starts_with(begin), "{told}");
        assert!(last.ends_with(" % in the mean: more and larger sizes may tell"), "{told}");
        // In the order of growth, not of their errors.
        let classes: Vec<&str> = told
            .lines()
            .filter_map(|line| line.rsplit_once("| O(").map(|(_, name)| name))
            .collect();
        assert_eq!(classes, ["1)", "log n)", "n)", "n log n)", "n^2)", "n^3)"], "{told}");
    }
    let json: serde_json::Value = serde_json::from_str(&told("json")).expect("JSON");
    let growth = &json["records"][0]["growth"];
    assert!(growth["class"].is_null() && growth["alike"] == 6, "{growth}");
    assert!(growth["unclear"].as_str().expect("a reason").starts_with("no class fits"));
    let csv = told("csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    for row in reader.deserialize() {
        let row: std::collections::HashMap<String, String> = row.expect("a row");
        assert_eq!((&*row["growth_class"], &*row["growth_alike"]), ("", ""), "{row:?}");
        assert!(row["growth_unclear"].starts_with("no class fits"), "{row:?}");
    }
    let far =
        bench_slope(&machine, &["--asymptote", "1,100,1000,1000000", "--quiet", "hash", "md5"]).out;
    assert!(far.contains(">999%"), "{far}");
}
