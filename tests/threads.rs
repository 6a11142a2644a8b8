//! Rows on several processors at once: `--threads`. The invented clock is one for all threads, so that
//! two of them share its time: each call takes the other's time as well.

use std::sync::atomic::Ordering;

use crate::invented::{self, Outcome, bench_slope, entry, machine};
use bench_slope::cpus::allowed;
use bench_slope::record::Run;
use bench_slope::saved::parse;
use bench_slope::scaling::Parallel;
use bench_slope::threads;
use bench_slope_algorithms::Section;

/// 104 ns and 1 ns a byte: 4,200 ns for the usual message.
fn cost(_: &str, size: usize) -> u64 {
    104_000 + 1_000 * size as u64
}

const MIB_PER_S: f64 = 4096.0 / 4200.0 * 1e9 / 1_048_576.0;

fn program(words: &[&str]) -> Outcome {
    bench_slope(&machine(vec![entry("MD5"), entry("SHA1")], 1, cost), words)
}

fn run(words: &[&str]) -> Run {
    let outcome = program(&[&["--quiet", "--format", "json"], words].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    parse(&outcome.out).expect("a run")
}

fn processors() -> usize {
    let count = allowed().map_or(0, |cpus| cpus.len());
    if count > 0 { count } else { std::thread::available_parallelism().map_or(1, usize::from) }
}

fn near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 0.01
}

#[test]
fn one_thread_scales_to_itself() {
    let run = run(&["--threads", "1", "hash"]);
    assert_eq!(run.conditions.threads, Some(1));
    assert_eq!(run.records.len(), 2);
    for record in &run.records {
        let scaling = record.scaling.as_ref().expect("a scaling");
        assert!(near(scaling.mib_per_s, MIB_PER_S), "{scaling:?}");
        assert!(near(scaling.one_mib_per_s, MIB_PER_S), "{scaling:?}");
        assert!((scaling.scaling - 1.0).abs() < 1e-3, "{scaling:?}");
        assert!(scaling.scaling_relative_error.expect("an error") < 1e-3, "{scaling:?}");
        assert_eq!((scaling.threads, scaling.message_bytes), (1, 4096));
        assert_eq!((scaling.processes, scaling.pairs, scaling.all_free), (6, 24, true));
        let measured = record.result.as_ref().expect("measured");
        assert_eq!(measured.mib_per_s, Some(scaling.mib_per_s));
        assert_eq!(measured.relative_error, scaling.relative_error);
    }
}

#[test]
fn threads_that_share_their_time_do_not_scale() {
    // On no processor in particular, so that one is enough: in which order they run decides nothing.
    let machine = machine(vec![entry("MD5")], 1, cost);
    let case = machine.catalogue.cases(Section::Hash).next().expect("a case");
    let parallel = Parallel { cpus: Vec::new(), threads: 2, cores: None };
    let gathered =
        threads::measure(&machine, &[case], 4096, &parallel, &mut |_| {}).expect("measured");
    let records = gathered.records;
    let scaling = records[0].scaling.as_ref().expect("a scaling");
    assert_eq!((scaling.threads, scaling.cpus.as_slice()), (2, [].as_slice()));
    // Two threads on one time line do as much as one.
    assert!((scaling.scaling - 1.0).abs() < 0.05, "{scaling:?}");
    assert!((scaling.mib_per_s / MIB_PER_S - 1.0).abs() < 0.05, "{scaling:?}");
}

#[test]
fn more_threads_than_processors_are_refused() {
    let processors = processors();
    let asked = (processors + 1).to_string();
    let outcome = program(&["--threads", &asked, "hash"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    let plural = if processors == 1 { "" } else { "s" };
    let expected = format!(
        "error: --threads {asked}: this process may run on {processors} processor{plural}\n"
    );
    assert_eq!(outcome.err, expected);
}

#[test]
fn what_is_no_number_of_threads_is_refused() {
    for bad in ["0", "-1", "x", "1.5", "", "99999999999999999999999"] {
        let outcome = program(&["--threads", bad, "hash"]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{bad}");
        assert!(outcome.err.contains("--threads"), "{}", outcome.err);
    }
    let outcome = program(&["--threads", "1", "--message", "0", "hash"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert_eq!(
        outcome.err,
        "error: --message 0: a rate of --threads needs a message of 1 byte at least\n"
    );
    let others: [&[&str]; 9] = [
        &["--csv"],
        &["--raw"],
        &["--quick"],
        &["--bars"],
        &["--samples"],
        &["--repetitions", "4"],
        &["--precision", "1%"],
        &["--asymptote", "1,2,3,4"],
        &["--pin", "0"],
    ];
    for other in others {
        let outcome = program(&[&["--threads", "1", "hash"], other].concat());
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{other:?}");
        assert!(
            outcome.err.contains("--threads") && outcome.err.contains(other[0]),
            "{}",
            outcome.err
        );
    }
    for words in [["--format", "html"], ["--output", "x.svg"], ["--plot", "x.svg"]] {
        let outcome = program(&[&["--threads", "1", "hash"], words.as_slice()].concat());
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{words:?}");
        let told = "the results of --threads are told as table, csv, json or markdown\n";
        assert!(
            outcome.err.starts_with("error: --") && outcome.err.ends_with(told),
            "{}",
            outcome.err
        );
    }
}

#[test]
fn the_table_has_each_number_with_its_error() {
    let words = ["--threads", "1", "--message", "1024", "hash", "md5"];
    let outcome = program(&words);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let lines: Vec<&str> = outcome.out.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "Hash:",
            "                |         1 thread    err%        one alone    err%   scaling    err%"
        ]
    );
    let row = lines[2].split_whitespace().collect::<Vec<_>>();
    assert_eq!((row[0], row[3], row[6], row[8]), ("MD5", "MiB/s", "MiB/s", "1.000"), "{row:?}");
    let errors = [row[4], row[7], row[9]];
    assert!(errors.iter().all(|error| error.ends_with('%')), "{row:?}");
    assert_eq!(lines[3], "                =");
    assert!(outcome.err.contains("note: 1 thread"), "{}", outcome.err);
    assert!(outcome.err.contains("medians of calls on messages of 1024 bytes"), "{}", outcome.err);
    // These are medians.
    assert!(!outcome.err.contains("the best this machine does"), "{}", outcome.err);

    let markdown = program(&[&["--format", "markdown"], words.as_slice()].concat()).out;
    let first = "|         1 thread |             err% |        one alone |             err% |          scaling \
                 |             err% | benchmark";
    assert_eq!(markdown.lines().nth(2), Some(first), "{markdown}");
    assert!(markdown.contains("| `MD5`\n"), "{markdown}");
}

#[test]
fn csv_has_the_sum_the_one_and_the_scaling() {
    let csv = program(&["--quiet", "--format", "csv", "--threads", "1", "hash", "md5"]).out;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<std::collections::HashMap<String, String>> =
        reader.deserialize().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), 1);
    let number = |field: &str| rows[0][field].parse::<f64>().expect(field);
    assert!(
        near(number("mib_per_s"), MIB_PER_S) && near(number("threads_one_mib_per_s"), MIB_PER_S)
    );
    assert!((number("threads_scaling") - 1.0).abs() < 1e-3);
    for field in ["err_percent", "threads_one_err_percent", "threads_scaling_err_percent"] {
        assert!((0.0..1.0).contains(&number(field)), "{field}");
    }
    assert_eq!((rows[0]["threads"].as_str(), rows[0]["quiet"].as_str()), ("1", "true"));
    assert_eq!(rows[0]["threads_message_bytes"], "4096");
    assert_eq!(rows[0]["growth_class"], "");
}

#[test]
fn key_derivation_is_left_out_with_a_word_or_refused() {
    let outcome = program(&["--threads", "1"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.err.contains("note: key derivation is left out"), "{}", outcome.err);
    let mut machine = machine(vec![entry("MD5")], 1, cost);
    machine.catalogue = bench_slope_algorithms::Catalogue::standard();
    let outcome = bench_slope(&machine, &["--threads", "1", "kdf", "scrypt"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.starts_with("error: --threads: "), "{}", outcome.err);
}

#[test]
fn an_interruption_ends_with_130_and_rows_that_say_so() {
    let machine = machine(vec![entry("MD5")], 1, cost);
    machine.interrupted.store(true, Ordering::Relaxed);
    let outcome = bench_slope(&machine, &["--quiet", "--threads", "1", "hash"]);
    assert_eq!(outcome.code, 130);
    assert!(
        outcome.out.contains("n/a") && outcome.out.contains("(interrupted)"),
        "{}",
        outcome.out
    );
}

#[test]
fn a_wrong_answer_has_no_rate() {
    let mut machine = machine(vec![entry("MD5"), entry("SHA1")], 1, cost);
    let answers = invented::ANSWERS.replace("a9993e", "a9993f");
    let entries = machine.catalogue.entries().to_vec();
    machine.catalogue = bench_slope_algorithms::Catalogue::new(entries, &[("hash", &answers)])
        .expect("the answers parse");
    let outcome = bench_slope(&machine, &["--quiet", "--threads", "1", "hash"]);
    assert_eq!(outcome.code, 1);
    let row = outcome.out.lines().find(|line| line.starts_with(" SHA1 ")).expect("a row");
    assert!(row.ends_with("(wrong answer)") && row.contains("n/a"), "{row}");
    assert!(outcome.out.lines().any(|line| line.starts_with(" MD5 ") && line.contains("MiB/s")));
}

#[test]
fn a_clock_too_coarse_gives_a_reason() {
    let machine = machine(vec![entry("MD5")], 15_600_000, cost);
    let outcome = bench_slope(&machine, &["--quiet", "--threads", "1", "hash"]);
    assert_eq!(outcome.code, 1, "{}{}", outcome.out, outcome.err);
    assert!(outcome.out.contains("(clock too coarse)"), "{}", outcome.out);
}
