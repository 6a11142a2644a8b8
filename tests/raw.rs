//! Size by size: the time of a call from 16 bytes to 2 MiB.

use crate::invented::{self, bench_slope, entry, machine};
use bench_slope::saved::parse;
use bench_slope_algorithms::Section;

/// 100 ns a call and 0.625 ns/B; the clock's steps are 1 ns.
fn cost(_: &str, size: usize) -> u64 {
    100_000 + 625 * size as u64
}

#[test]
fn points_are_told_size_by_size() {
    let machine = machine(vec![entry("MD5"), entry("SHA1")], 1, cost);
    let outcome = bench_slope(&machine, &["--raw", "--cpu-mhz", "2000", "hash", "md5"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let lines: Vec<&str> = outcome.out.lines().collect();
    assert_eq!(lines.len(), 21, "{}", outcome.out);
    assert_eq!(
        lines[..5],
        [
            "Hash:",
            " MD5            |  nanosecs/call   mebibytes/sec   cycles/byte",
            "             16 |       110.0 ns     138.7 MiB/s     13.75 c/B",
            "             32 |       120.0 ns     254.3 MiB/s     7.500 c/B",
            "             64 |       140.0 ns     436.0 MiB/s     4.375 c/B",
        ]
    );
    assert_eq!(lines[19], "        2097152 |     1310820 ns      1526 MiB/s     1.250 c/B");
    assert_eq!(lines[20], "                =");
    assert!(machine.clock.monotonic_ns() < 3_000_000_000, "{}", machine.clock.monotonic_ns());
}

#[test]
fn the_other_formats_have_the_same_points() {
    let words =
        |format| ["--raw", "--repetitions", "4", "--quiet", "--format", format, "hash", "md5"];
    let told = |format| bench_slope(&machine(vec![entry("MD5")], 1, cost), &words(format)).out;
    let run = parse(&told("json")).expect("a run");
    let sizes: Vec<usize> = (4..22).map(|power| 1 << power).collect();
    assert_eq!(run.conditions.sizes.as_ref(), Some(&sizes));
    let points = &run.records[0].result.as_ref().expect("measured").points;
    assert_eq!(points.iter().map(|point| point.size).collect::<Vec<_>>(), sizes);
    for point in points {
        let expected = cost("MD5", point.size) as f64 / 1e3;
        assert!((point.ns / expected - 1.0).abs() < 1e-9, "{point:?}");
    }

    let csv = told("csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<std::collections::HashMap<String, String>> =
        reader.deserialize().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), points.len());
    for (row, point) in rows.iter().zip(points) {
        assert_eq!(row["size"], point.size.to_string());
        assert_eq!(row["ns_per_call_at_size"].parse::<f64>(), Ok(point.ns));
        let mib_per_s: f64 = row["mib_per_s_at_size"].parse().expect("a rate");
        let expected = 1e9 / 1_048_576.0 * point.size as f64 / point.ns;
        assert!((mib_per_s / expected - 1.0).abs() < 1e-12, "{mib_per_s}");
    }
    let markdown = told("markdown");
    let first = "|               110.0 |      145,454,545.45 | `MD5 16`";
    assert!(markdown.lines().any(|line| line == first), "{markdown}");
}

#[test]
fn many_rows_take_turns() {
    // More than are measured at once.
    let names =
        ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q"];
    let named = |name: &&'static str| {
        let mut entry = entry("MD5");
        (entry.algorithm, entry.aliases) = (name, &[]);
        entry
    };
    let entries = names.iter().map(named).collect();
    let mut machine = machine(entries, 1, cost);
    let md5 = invented::ANSWERS.lines().next().expect("a line");
    let answers: Vec<String> = names.iter().map(|name| md5.replacen("MD5", name, 1)).collect();
    let answers = [("hash", &*answers.join("\n"))];
    let entries = machine.catalogue.entries().to_vec();
    machine.catalogue =
        bench_slope_algorithms::Catalogue::new(entries, &answers).expect("the answers parse");
    let words = ["--raw", "--repetitions", "2", "--quiet", "--format", "json", "hash"];
    let outcome = bench_slope(&machine, &words);
    let run = parse(&outcome.out).expect("a run");
    assert_eq!(run.records.len(), names.len());
    for record in &run.records {
        assert_eq!(record.section, Section::Hash);
        let measured = record.result.as_ref().unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(measured.points.len(), 18, "{}", record.name());
        assert_eq!(measured.rounds, 2, "{}", record.name());
    }
}

#[test]
fn what_has_no_message_is_refused_or_left_out_with_a_word() {
    use bench_slope::choose::{Refusal, Wanted, choose};
    let catalogue = bench_slope_algorithms::Catalogue::standard();
    let wanted = |section| Wanted {
        section,
        names: &[],
        filter: None,
        include_slow: false,
        with_message: Some("--raw"),
    };
    let refused = choose(&catalogue, &wanted(Some(Section::Kdf)));
    assert!(matches!(refused, Err(Refusal::NoMessage("--raw"))));
    let all = choose(&catalogue, &wanted(None)).expect("the others");
    let sections: Vec<Section> = all.iter().map(|(section, _)| *section).collect();
    assert_eq!(sections, [Section::Hash, Section::Mac, Section::Cipher]);
    let outcome = bench_slope(&machine(vec![entry("MD5")], 1, cost), &["--raw"]);
    assert!(outcome.err.contains("note: key derivation is left out"), "{}", outcome.err);
    for words in [["--raw", "--csv"], ["--raw", "--quick"]] {
        let outcome = bench_slope(&machine(vec![entry("MD5")], 1, cost), &words);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{words:?}");
        assert!(outcome.err.contains("--raw"), "{words:?}: {}", outcome.err);
    }
}

#[test]
fn a_wrong_answer_has_no_points() {
    let mut machine = machine(vec![entry("MD5"), entry("SHA1")], 1, cost);
    let answers = invented::ANSWERS.replace("a9993e", "a9993f");
    let entries = machine.catalogue.entries().to_vec();
    machine.catalogue = bench_slope_algorithms::Catalogue::new(entries, &[("hash", &answers)])
        .expect("the answers parse");
    let outcome = bench_slope(&machine, &["--raw", "--repetitions", "2", "--quiet", "hash"]);
    assert_eq!(outcome.code, 1);
    let row = " SHA1           |       n/a ns/B       n/a MiB/s       n/a c/B  (wrong answer)";
    assert!(outcome.out.lines().any(|line| line == row), "{}", outcome.out);
}
