//! The whole command line on invented time: exact output, whatever machine the tests run on.

use std::sync::Arc;

use crate::invented::{self, bench_slope, entry, entry_of, machine};
use bench_slope::group::Machine;
use bench_slope_algorithms::{OpenError, Operation, Routine, Setup};

/// 100 ns a call, and MD5 1.6875, SHA1 0.625, SHA256 0.25, the rest 12.5 ns/B: whole nanoseconds
/// at every size.
fn cost(algorithm: &str, size: usize) -> u64 {
    let ns_per_64_bytes = match algorithm {
        "MD5" => 108,
        "SHA1" => 40,
        "SHA256" => 16,
        _ => 800,
    };
    (100 + ns_per_64_bytes * size as u64 / 64) * 1_000
}

fn three() -> Machine {
    machine(vec![entry("MD5"), entry("SHA1"), entry("SHA256")], 1, cost)
}

#[test]
fn the_table_has_the_ancestors_words_and_widths() {
    let outcome = bench_slope(&three(), &["hash"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(
        outcome.out,
        "\
Hash:
                |  nanosecs/byte   mebibytes/sec   cycles/byte
 MD5            |     1.688 ns/B     565.1 MiB/s         - c/B
 SHA1           |    0.6250 ns/B      1526 MiB/s         - c/B
 SHA256         |    0.2500 ns/B      3815 MiB/s         - c/B
                =
"
    );
}

#[test]
fn a_frequency_gives_cycles() {
    let expected = "\
Hash:
                |  nanosecs/byte   mebibytes/sec   cycles/byte
 SHA256         |    0.2500 ns/B      3815 MiB/s    0.8003 c/B
                =
";
    // Options stand before or after the section, with a blank or an equals sign.
    for words in [
        ["--cpu-mhz", "3201", "hash", "sha256"].as_slice(),
        &["hash", "--cpu-mhz", "3201", "sha256"],
        &["hash", "sha256", "--cpu-mhz=3201"],
    ] {
        let outcome = bench_slope(&three(), words);
        assert_eq!((outcome.code, outcome.out.as_str()), (0, expected), "{words:?}");
    }
}

#[test]
fn csv_has_libgcrypts_fields_and_nothing_else() {
    let outcome = bench_slope(&three(), &["--csv", "--cpu-mhz", "1000", "hash", "sha1", "md5"]);
    assert_eq!(outcome.code, 0);
    assert_eq!(
        outcome.out,
        "\
hash,SHA1,,,,0.625000,ns/B,1525.88,MiB/s,0.625000,c/B
hash,MD5,,,,1.68750,ns/B,565.140,MiB/s,1.68750,c/B
"
    );
    let outcome = bench_slope(&three(), &["hash", "sha1", "--csv"]);
    assert_eq!(outcome.out, "hash,SHA1,,,,0.625000,ns/B,1525.88,MiB/s,,c/B\n");
}

#[test]
fn names_are_matched_in_any_spelling_and_given_once() {
    let outcome = bench_slope(&three(), &["--csv", "hash", "Sha_256", "sha-1", "SHA2-256", "sha"]);
    let names: Vec<&str> = outcome.out.lines().filter_map(|line| line.split(',').nth(1)).collect();
    assert_eq!(names, ["SHA256", "SHA1"]);
}

#[test]
fn wrong_names_are_all_told_before_anything_is_timed() {
    let machine = three();
    let before = machine.clock.monotonic_ns();
    let outcome = bench_slope(&machine, &["hash", "md5", "sha265", "qqqqqqqq"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert_eq!(
        outcome.err,
        "\
error: no hash is called 'sha265'; did you mean 'sha256'?
error: no hash is called 'qqqqqqqq'
"
    );
    assert_eq!(machine.clock.monotonic_ns(), before, "time passed");
}

#[test]
fn wrong_words_name_the_nearest_right_one() {
    let cases: &[(&[&str], &str)] = &[
        (&["hsah"], "'hash'"),
        (&["--verbos"], "'--verbose'"),
        (&["hash", "--repetition", "3"], "'--repetitions'"),
    ];
    for (words, nearest) in cases {
        let outcome = bench_slope(&three(), words);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{words:?}");
        assert!(outcome.err.contains(nearest), "{words:?}: {}", outcome.err);
    }
}

#[test]
fn only_a_finite_frequency_above_zero_is_taken() {
    for bad in ["abc", "-3000", "0", "-0", "nan", "inf", "-inf", "1e400", "3,2", "", "auto "] {
        for option in ["--cpu-mhz", "--at-mhz"] {
            for words in [[option, bad, "hash", "md5"], ["hash", "md5", option, bad]] {
                let outcome = bench_slope(&three(), &words);
                assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{words:?}");
                assert!(outcome.err.contains(option), "{words:?}: {}", outcome.err);
            }
        }
    }
    // Last on the line, with nothing behind it.
    let outcome = bench_slope(&three(), &["hash", "md5", "--cpu-mhz"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.contains("--cpu-mhz"), "{}", outcome.err);
}

#[test]
fn repetitions_are_a_number_from_one_to_a_hundred_thousand() {
    for bad in ["99999999999", "-1", "2.7", "0", "100001", "x", ""] {
        let outcome = bench_slope(&three(), &["--repetitions", bad, "hash", "md5"]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{bad}");
        assert!(outcome.err.contains("--repetitions"), "{bad}: {}", outcome.err);
    }
}

#[test]
fn repetitions_are_done_exactly() {
    for (repetitions, told) in [
        ("1", " 1 round in 1 process,"),
        ("5", " 5 rounds in 5 processes,"),
        ("64", " 64 rounds in 12 processes,"),
        ("100", " 100 rounds in 12 processes,"),
    ] {
        let words = ["--repetitions", repetitions, "--verbose", "hash", "md5"];
        let outcome = bench_slope(&three(), &words);
        assert_eq!(outcome.code, 0);
        assert!(outcome.err.contains(told), "{told}: {}", outcome.err);
    }
}

#[test]
fn too_few_repetitions_state_no_error_and_say_so() {
    let outcome = bench_slope(&three(), &["--repetitions", "2", "--verbose", "hash", "md5"]);
    assert!(outcome.err.contains("too few repetitions"), "{}", outcome.err);
    assert!(outcome.err.contains("error unknown"), "{}", outcome.err);
    assert!(outcome.out.contains("1.688 ns/B"), "{}", outcome.out);
}

#[test]
fn notes_go_to_standard_error_and_can_be_silenced() {
    let with_xof = || machine(vec![entry("MD5"), entry("SHAKE128")], 1, cost);
    let outcome = bench_slope(&with_xof(), &["hash"]);
    assert!(outcome.err.contains("note: bytes squeezed: SHAKE128 32\n"), "{}", outcome.err);
    assert!(outcome.err.lines().all(|line| line.starts_with("note: ")), "{}", outcome.err);
    assert!(!outcome.out.contains("note"), "{}", outcome.out);
    let outcome = bench_slope(&with_xof(), &["--quiet", "hash"]);
    assert_eq!(outcome.err, "");
    // Errors are told even so.
    let outcome = bench_slope(&with_xof(), &["--quiet", "hash", "md6"]);
    assert!(outcome.err.contains("'md6'"), "{}", outcome.err);
}

#[test]
fn slow_rows_are_left_out_with_a_word_unless_wanted() {
    let with_slow = || {
        let slow = entry("SHA1").slow();
        machine(vec![entry("MD5"), slow], 1, cost)
    };
    let outcome = bench_slope(&with_slow(), &["--csv", "hash"]);
    assert_eq!(outcome.out.lines().count(), 1);
    assert!(outcome.err.contains("left out because they are slow: SHA1"), "{}", outcome.err);
    for words in [["--csv", "hash", "sha1"], ["--csv", "--include-slow", "hash"]] {
        let outcome = bench_slope(&with_slow(), &words);
        assert!(outcome.out.contains("hash,SHA1,"), "{words:?}: {}", outcome.out);
        assert!(!outcome.err.contains("left out"), "{words:?}: {}", outcome.err);
    }
}

#[test]
fn help_and_version_are_asked_for_and_succeed() {
    for words in [["--help"].as_slice(), &["hash", "--help"], &["--version"]] {
        let outcome = bench_slope(&three(), words);
        assert_eq!((outcome.code, outcome.err.as_str()), (0, ""), "{words:?}");
        assert!(!outcome.out.is_empty());
    }
    let help = bench_slope(&three(), &["--help"]).out;
    assert!(!help.contains("worker"), "{help}");
}

#[test]
fn features_cannot_be_switched_off_and_the_option_says_so() {
    let outcome = bench_slope(&three(), &["--disable-hwf", "intel-aesni", "hash"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.contains("--disable-hwf"), "{}", outcome.err);
}

/// An entry whose outputs have one bit flipped.
fn broken(name: &str) -> bench_slope_algorithms::Entry {
    struct Flipped(Box<dyn Routine>, Vec<u8>);
    impl Routine for Flipped {
        fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
            self.0.prepare(size)
        }
        fn run(&mut self) {
            self.0.run();
            self.1 = self.0.output().to_vec();
            self.1[0] ^= 1;
        }
        fn output(&self) -> &[u8] {
            &self.1
        }
    }
    let mut entry = entry(name);
    let open = entry.open.clone();
    entry.open = Arc::new(move |setup: &Setup, operation: Operation| {
        let routine: Box<dyn Routine> = Box::new(Flipped(open(setup, operation)?, Vec::new()));
        Ok(routine)
    });
    entry
}

#[test]
fn a_wrong_answer_is_reported_and_never_timed() {
    let machine = machine(vec![entry("MD5"), broken("SHA1"), entry("SHA256")], 1, cost);
    let outcome = bench_slope(&machine, &["--quiet", "hash"]);
    assert_eq!(outcome.code, 1);
    assert_eq!(
        outcome.out,
        "\
Hash:
                |  nanosecs/byte   mebibytes/sec   cycles/byte
 MD5            |     1.688 ns/B     565.1 MiB/s         - c/B
 SHA1           |       n/a ns/B       n/a MiB/s       n/a c/B  (wrong answer)
 SHA256         |    0.2500 ns/B      3815 MiB/s         - c/B
                =
"
    );
    assert_eq!(
        outcome.err,
        "error: SHA1: wrong answer: FIPS 180-2, A.1 gives \
         a9993e364706816aba3e25717850c26c9cd0d89d, computed \
         a8993e364706816aba3e25717850c26c9cd0d89d\n"
    );
    let outcome = bench_slope(&machine, &["--quiet", "--csv", "hash", "sha1"]);
    assert_eq!(outcome.out, "hash,SHA1,,,,,ns/B,,MiB/s,,c/B,n/a: wrong answer\n");
    let outcome = bench_slope(&machine, &["self-test"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("rustcrypto/SHA1/digest: wrong answer"), "{}", outcome.err);
    assert_eq!(outcome.out, "self-test: 3 cases, 2 known answers right, 1 wrong\n");
}

#[test]
fn an_algorithm_that_is_not_available_costs_its_row_only() {
    let mut absent = entry("SHA1");
    let open = absent.open.clone();
    absent.open = Arc::new(move |setup: &Setup, operation: Operation| {
        // Available for its short known answer, but not for the measurement.
        if setup.input.len() > 3 {
            return Err(OpenError("the library is not installed".to_owned()));
        }
        open(setup, operation)
    });
    let machine = machine(vec![entry("MD5"), absent, entry("SHA256")], 1, cost);
    let outcome = bench_slope(&machine, &["--quiet", "--csv", "hash"]);
    assert_eq!(outcome.code, 0);
    let rows: Vec<&str> = outcome.out.lines().collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[1], "hash,SHA1,,,,,ns/B,,MiB/s,,c/B,n/a: not available");
    assert!(outcome.err.contains("SHA1: the library is not installed"), "{}", outcome.err);
}

#[test]
fn a_quick_run_checks_answers_and_runs_every_row() {
    let machine = machine(vec![entry("MD5"), entry("SHA1").slow(), entry("SHA256")], 1, cost);
    let outcome = bench_slope(&machine, &["--quick", "--csv", "hash"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let names: Vec<&str> = outcome.out.lines().filter_map(|line| line.split(',').nth(1)).collect();
    assert_eq!(names, ["MD5", "SHA1", "SHA256"], "slow ones too");
    assert!(machine.clock.monotonic_ns() < 100_000_000, "{}", machine.clock.monotonic_ns());
    for words in [["--quick", "--repetitions", "3"], ["--quick", "hash", "nothing"]] {
        assert_eq!(bench_slope(&three(), &words).code, 2, "{words:?}");
    }
}

#[test]
fn a_quick_run_fails_for_wrong_answers_but_not_for_want_of_a_number() {
    let flat = machine(vec![entry("MD5"), entry("SHA1")], 1, |_, _| 80_000);
    let outcome = bench_slope(&flat, &["--quick", "--csv", "hash"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(outcome.out.matches("n/a: no slope").count(), 2, "{}", outcome.out);
    let wrong = machine(vec![entry("MD5"), broken("SHA1")], 1, cost);
    let outcome = bench_slope(&wrong, &["--quick", "--csv", "hash"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.out.contains("hash,SHA1,,,,,ns/B,,MiB/s,,c/B,n/a: wrong answer"));
}

#[test]
fn the_self_test_lists_every_answer_for_others_to_check() {
    let machine = machine(vec![entry("MD5"), broken("SHA1")], 1, cost);
    let outcome = bench_slope(&machine, &["self-test", "--format", "json"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.starts_with("error: rustcrypto/SHA1/digest: wrong answer"));
    let listed: serde_json::Value = serde_json::from_str(&outcome.out).expect("strict JSON");
    let listed = listed.as_array().expect("an array");
    assert_eq!(listed.len(), 2);
    assert_eq!(listed[0]["case"], "rustcrypto/MD5/digest");
    assert_eq!(listed[0]["input"], "616263");
    assert_eq!(listed[0]["output"], "900150983cd24fb0d6963f7d28e17f72");
    assert_eq!(listed[0]["right"], true);
    assert_eq!(listed[1]["right"], false);
    assert!(listed[1]["error"].as_str().expect("a reason").contains("a8993e"));
    let outcome = bench_slope(&machine, &["self-test", "--format", "jsno"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.contains("'json'"), "{}", outcome.err);
}

#[test]
fn ciphers_have_a_table_each_and_a_row_for_each_operation() {
    let entries = vec![entry_of("AES", "ECB"), entry_of("AES", "GCM")];
    let machine = machine(entries, 1, cost);
    let outcome = bench_slope(&machine, &["--quiet", "--cpu-mhz", "1000", "cipher", "aes-128"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(
        outcome.out,
        "\
Cipher:
 AES            |  nanosecs/byte   mebibytes/sec   cycles/byte
        ECB enc |     12.50 ns/B     76.29 MiB/s     12.50 c/B
        ECB dec |     12.50 ns/B     76.29 MiB/s     12.50 c/B
        GCM enc |     12.50 ns/B     76.29 MiB/s     12.50 c/B
        GCM dec |     12.50 ns/B     76.29 MiB/s     12.50 c/B
       GCM auth |     12.50 ns/B     76.29 MiB/s     12.50 c/B
                =
"
    );
    let outcome = bench_slope(&machine, &["--quiet", "--csv", "cipher", "aes/ecb"]);
    assert_eq!(
        outcome.out,
        "\
cipher,AES,ECB enc,,,12.5000,ns/B,76.2939,MiB/s,,c/B
cipher,AES,ECB dec,,,12.5000,ns/B,76.2939,MiB/s,,c/B
"
    );
}

#[test]
fn what_cannot_be_told_at_a_frequency_says_so() {
    let outcome = bench_slope(&three(), &["--at-mhz", "2000", "hash", "sha256"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.starts_with("Hash:\n"), "{}", outcome.out);
    assert!(outcome.err.contains("not at 2000 MHz"), "{}", outcome.err);
    assert!(outcome.err.contains("of this moment only"), "{}", outcome.err);
}

#[test]
fn a_row_has_one_frequency() {
    let with = |cpu_mhz| {
        let words = ["--at-mhz", "2000", "--cpu-mhz", cpu_mhz, "--quiet", "hash", "sha256"];
        bench_slope(&three(), &words)
    };
    let outcome = with("3000");
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.contains("--at-mhz 2000 and --cpu-mhz 3000"), "{}", outcome.err);
    assert_eq!(with("2000").code, 0);
    assert_eq!(with("auto").code, 0);
}

#[test]
fn a_frequency_that_cannot_be_told_is_unknown() {
    // Invented time does not pass in the chains of known cost.
    let outcome = bench_slope(&three(), &["hash", "sha256", "--cpu-mhz", "AUTO"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(
        outcome.out,
        "\
Hash:
                |  nanosecs/byte   mebibytes/sec   cycles/byte  auto Mhz
 SHA256         |    0.2500 ns/B      3815 MiB/s         - c/B         -
                =
"
    );
    assert!(outcome.err.contains("frequency could not be told"), "{}", outcome.err);
    let outcome = bench_slope(&three(), &["--csv", "--cpu-mhz", "auto", "hash", "sha256"]);
    assert_eq!(outcome.out, "hash,SHA256,,,,0.250000,ns/B,3814.70,MiB/s,,c/B,,Mhz\n");
}

#[test]
fn an_interruption_keeps_what_is_measured() {
    use std::sync::atomic::{AtomicU64, Ordering};
    // The interruption comes in the middle of the second pass over three rows ...
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let mut machine = three();
    let interrupted = machine.interrupted.clone();
    let entries: Vec<_> = machine.catalogue.entries().to_vec();
    let entries = entries
        .into_iter()
        .map(|mut entry| {
            let (open, interrupted) = (entry.open.clone(), interrupted.clone());
            entry.open = Arc::new(move |setup: &Setup, operation: Operation| {
                // ... each of which is opened twice in a pass: for its known answer and to be timed.
                if CALLS.fetch_add(1, Ordering::Relaxed) == 9 {
                    interrupted.store(true, Ordering::Relaxed);
                }
                open(setup, operation)
            });
            entry
        })
        .collect();
    machine.catalogue =
        bench_slope_algorithms::Catalogue::new(entries, &[("hash", invented::ANSWERS)])
            .expect("the answers parse");
    let outcome = bench_slope(&machine, &["--csv", "--quiet", "hash"]);
    assert_eq!(outcome.code, 130, "{}", outcome.err);
    assert_eq!(outcome.out.matches("n/a: interrupted").count(), 3, "{}", outcome.out);
    assert!(outcome.err.ends_with("interrupted: what was measured before is above\n"));
}

#[test]
fn a_processor_that_is_not_there_is_told_before_anything_is_timed() {
    for bad in ["-1", "x", "", "1.5", "0-1", "99999999999999999999999", "65000"] {
        let machine = three();
        let outcome = bench_slope(&machine, &["--pin", bad, "hash", "md5"]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{bad}");
        assert!(outcome.err.contains("--pin"), "{bad}: {}", outcome.err);
        assert_eq!(machine.clock.monotonic_ns(), 0, "time passed");
    }
}

#[test]
fn a_wrong_long_answer_shows_in_a_quick_run() {
    // Right for what is checked before timing, wrong for a million bytes.
    let mut machine = machine(vec![entry("MD5"), entry("SHA1")], 1, cost);
    let answers = format!(
        "{}SHA1 input=\"a\"*1000000 output=00*20 ; a falsified answer\n",
        invented::ANSWERS
    );
    let entries = machine.catalogue.entries().to_vec();
    machine.catalogue =
        bench_slope_algorithms::Catalogue::new(entries, &[("hash", &answers)]).expect("it parses");
    let outcome = bench_slope(&machine, &["--quick", "--csv", "--quiet", "hash"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.out.contains("hash,SHA1,,,,,ns/B,,MiB/s,,c/B,n/a: wrong answer"),
        "{}",
        outcome.out
    );
    assert!(
        outcome.err.starts_with("error: SHA1: wrong answer: a falsified answer"),
        "{}",
        outcome.err
    );
    assert_eq!(outcome.err.lines().count(), 1, "{}", outcome.err);
}

#[test]
fn a_name_of_another_section_is_pointed_to() {
    let machine = machine(vec![entry("MD5"), entry_of("AES", "ECB")], 1, cost);
    let outcome = bench_slope(&machine, &["hash", "aes"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert_eq!(
        outcome.err,
        "error: no hash is called 'aes', but a cipher is: bench-slope cipher aes\n"
    );
}
