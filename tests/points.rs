//! The named benchmarks of `bench-slope points`, on invented time.

use crate::invented::{self, bench_slope, entry, machine};
use bench_slope::group::Machine;
use bench_slope::saved::parse;
use bench_slope_algorithms::{Axis, Catalogue, Operation, Section};

/// What Bitcoin Core's benchmarks are called, with the bytes of a message and what its cost is told by.
const NAMES: &[(&str, usize, &str)] = &[
    ("RIPEMD160", 1_000_000, "byte"),
    ("SHA1", 1_000_000, "byte"),
    ("SHA256", 1_000_000, "byte"),
    ("SHA512", 1_000_000, "byte"),
    ("SHA256_32b", 32, "byte"),
    ("SHA256D64_1024", 65_536, "byte"),
    ("SipHash_32b", 32, "op"),
    ("HASH_64BYTES", 64, "byte"),
    ("HASH_256BYTES", 256, "byte"),
    ("HASH_1MB", 1_048_576, "byte"),
    ("CHACHA20_POLY1305_AEAD_64BYTES_ONLY_ENCRYPT", 64, "byte"),
    ("CHACHA20_POLY1305_AEAD_256BYTES_ONLY_ENCRYPT", 256, "byte"),
    ("CHACHA20_POLY1305_AEAD_1MB_ONLY_ENCRYPT", 1_048_576, "byte"),
    ("CHACHA20_POLY1305_AEAD_64BYTES_ENCRYPT_DECRYPT", 64, "byte"),
    ("CHACHA20_POLY1305_AEAD_256BYTES_ENCRYPT_DECRYPT", 256, "byte"),
    ("CHACHA20_POLY1305_AEAD_1MB_ENCRYPT_DECRYPT", 1_048_576, "byte"),
];

#[test]
fn there_are_bitcoin_cores_benchmarks() {
    let catalogue = Catalogue::standard();
    let told: Vec<(&str, usize, &str)> = catalogue
        .cases(Section::Points)
        .map(|case| match case.entry.axis {
            axis @ Axis::One { bytes, .. } => (case.entry.algorithm, bytes, axis.unit()),
            other => panic!("{}: {other:?}", case.id()),
        })
        .collect();
    assert_eq!(told, NAMES);
    for case in catalogue.cases(Section::Points) {
        let answers = catalogue.verify(&case, usize::MAX);
        assert!(answers.is_ok(), "{}: {answers:?}", case.id());
    }
}

#[test]
fn a_point_does_the_whole_work_of_its_name() {
    let catalogue = Catalogue::standard();
    let output = |section, name: &str, operation, bytes| {
        // Encryption in place goes on from what the call before left; all else begins again.
        let calls = if operation == Operation::Encrypt { 1 } else { 2 };
        let entry = catalogue.find(section, name).expect(name);
        let case = entry.case(operation);
        let setup = case.timing_setup_up_to(Default::default(), bytes);
        let mut routine = case.open(&setup).expect("it opens");
        routine.prepare(bytes).expect("it fits");
        for _ in 0..calls {
            routine.run();
        }
        (setup.input, routine.output().to_vec())
    };
    let digest = |name, bytes| output(Section::Points, name, Operation::Digest, bytes);
    let hash = |name, bytes| output(Section::Hash, name, Operation::Digest, bytes).1;
    for (point, of, bytes) in [
        ("RIPEMD160", "ripemd160", 1_000_000),
        ("SHA512", "sha512", 1_000_000),
        ("SHA256_32b", "sha256", 32),
        ("SipHash_32b", "siphash-2-4", 32),
        ("HASH_1MB", "sha256d", 1_048_576),
    ] {
        assert_eq!(digest(point, bytes).1, hash(of, bytes), "{point}");
    }
    let (input, digests) = digest("SHA256D64_1024", 65_536);
    assert_eq!((input.len(), digests.len()), (65_536, 1024 * 32));
    let sha256d = catalogue.find(Section::Hash, "sha256d").expect("there").case(Operation::Digest);
    for at in [0, 511, 1023] {
        let setup = bench_slope_algorithms::Setup {
            input: input[64 * at..][..64].to_vec(),
            ..sha256d.timing_setup_up_to(Default::default(), 64)
        };
        let mut routine = sha256d.open(&setup).expect("it opens");
        routine.prepare(64).expect("it fits");
        routine.run();
        assert_eq!(routine.output(), &digests[32 * at..][..32], "message {at}");
    }
    for bytes in ["64BYTES", "256BYTES", "1MB"] {
        let name = format!("CHACHA20_POLY1305_AEAD_{bytes}");
        let size = catalogue
            .cases(Section::Points)
            .find(|case| case.entry.algorithm.starts_with(&name))
            .expect("there")
            .entry
            .axis
            .message_bytes();
        let only = format!("{name}_ONLY_ENCRYPT");
        let both = format!("{name}_ENCRYPT_DECRYPT");
        let (_, sealed) = output(Section::Points, &only, Operation::Encrypt, size);
        let (_, again) = output(Section::Points, &both, Operation::RoundTrip, size);
        assert_eq!(sealed, again, "{bytes}");
        assert_eq!(sealed.len(), size + 16);
    }
}

/// A call costs 10 ns and half a nanosecond a byte.
fn cost(_: &str, size: usize) -> u64 {
    10_000 + 500 * size as u64
}

fn point(name: &str) -> bench_slope_algorithms::Entry {
    let catalogue = Catalogue::standard();
    catalogue.find(Section::Points, name).expect(name).clone()
}

/// A machine of a few of them, and of a hash.
fn few() -> Machine {
    let names = ["SHA1", "SHA256", "SHA256_32b"];
    let entries = names.iter().map(|name| point(name)).chain([entry("MD5")]).collect();
    machine(entries, 1, cost)
}

#[test]
fn they_are_told_as_nanobench_tells_them() {
    let outcome = bench_slope(&few(), &["points"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let lines: Vec<&str> = outcome.out.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "|             ns/byte |              byte/s |    err% |     total | benchmark",
            "|--------------------:|--------------------:|--------:|----------:|:----------",
        ]
    );
    let row = "|              0.8125 |    1,230,769,230.77 |";
    assert!(lines[4].starts_with(row) && lines[4].ends_with("| `SHA256_32b`"), "{}", lines[4]);
    assert_eq!(lines.len(), 5, "no other section: {}", outcome.out);
    let table = bench_slope(&few(), &["--format", "table", "points", "sha256-32b"]).out;
    assert!(table.starts_with("Points:\n"), "{table}");
    assert!(table.contains("0.8125 ns/B      1174 MiB/s"), "{table}");
    let csv = bench_slope(&few(), &["--csv", "--quiet", "points", "sha256-32b"]).out;
    assert_eq!(csv, "points,SHA256_32b,,,,0.812500,ns/B,1173.75,MiB/s,,c/B\n");
}

#[test]
fn a_size_of_a_million_bytes_is_timed_at_that_size() {
    let words = ["--format=json", "--samples", "points"];
    let outcome = bench_slope(&few(), &words);
    let run = parse(&outcome.out).expect("a run");
    for (record, size) in run.records.iter().zip([1_000_000, 1_000_000, 32]) {
        let measured = record.result.as_ref().expect("measured");
        let samples = record.samples.as_ref().expect("asked for");
        assert!(samples.iter().all(|sample| sample.size == size), "{}", record.name());
        assert_eq!((record.size, measured.points.len()), (Some(size), 1));
        let wanted = (10.0 + 0.5 * size as f64) / size as f64;
        assert!((measured.ns_per_unit / wanted - 1.0).abs() < 1e-9, "{}", measured.ns_per_unit);
        assert_eq!(measured.predicted, None, "there is no slope beside it");
    }
}

#[test]
fn they_are_measured_when_they_are_named_only() {
    let outcome = bench_slope(&few(), &["--list"]);
    assert!(!outcome.out.contains("sha256"), "{}", outcome.out);
    let outcome = bench_slope(&few(), &["--list", "points"]);
    assert!(outcome.out.contains("sha256_32b"), "{}", outcome.out);
    for (words, told) in [
        (vec!["points", "sha265-32b"], "did you mean 'sha256_32b'?"),
        (vec!["--bytes=64", "points"], "--bytes: there is no size to choose"),
        (vec!["--raw", "points"], "--raw: there is no size to choose"),
        (vec!["--bars", "points"], "--bars belongs to --format table"),
    ] {
        let outcome = bench_slope(&few(), &words);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{words:?}");
        assert!(outcome.err.contains(told), "{words:?}: {}", outcome.err);
    }
}

#[test]
fn a_point_with_a_wrong_answer_has_no_number() {
    let mut machine = few();
    let wrong = invented::ANSWERS.replace("ba7816", "ba7817");
    let entries = machine.catalogue.entries().to_vec();
    machine.catalogue = Catalogue::new(entries, &[("hash", &wrong)]).expect("the answers parse");
    let outcome = bench_slope(&machine, &["points"]);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    for row in ["`SHA256` (wrong answer)", "`SHA256_32b` (wrong answer)"] {
        assert!(outcome.out.contains(row), "{}", outcome.out);
    }
    assert!(outcome.out.contains("0.5000 |"), "the rest is measured: {}", outcome.out);
}

#[test]
fn a_call_that_takes_no_time_has_no_number() {
    let machine = machine(vec![point("SHA256_32b")], 1, |_, _| 0);
    let outcome = bench_slope(&machine, &["--repetitions", "8", "points"]);
    assert_eq!(outcome.code, 1, "{}", outcome.out);
    assert!(outcome.out.contains("n/a"), "{}", outcome.out);
    assert!(!outcome.out.contains("inf") && !outcome.out.contains("nan"), "{}", outcome.out);
}
