//! One row without end, for a profiler: `--endless`.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::invented::{self, bench_slope, entry, entry_of, machine};
use bench_slope::group::Machine;
use bench_slope::run::run;

/// 24 ns and 1 ns a byte.
fn cost(_: &str, size: usize) -> u64 {
    24_000 + 1_000 * size as u64
}

fn three() -> Machine {
    machine(vec![entry("MD5"), entry("SHA256"), entry_of("AES", "GCM")], 1, cost)
}

/// Standard error whose reader interrupts after so many lines.
struct Reader {
    text: Vec<u8>,
    lines: usize,
    interrupted: Arc<AtomicBool>,
}

impl Write for Reader {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        if self.text.iter().filter(|&&byte| byte == b'\n').count() >= self.lines {
            self.interrupted.store(true, Ordering::Relaxed);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Exit code, standard output and standard error of a run that is interrupted after some lines.
fn interrupted_after(lines: usize, machine: &Machine, words: &[&str]) -> (u8, String, String) {
    let words = std::iter::once("bench-slope").chain(words.iter().copied()).map(Into::into);
    let interrupted = machine.interrupted.clone();
    let mut err = Reader { text: Vec::new(), lines, interrupted };
    let mut out = Vec::new();
    let code = run(words, machine, &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (code, text(out), text(err.text))
}

#[test]
fn process_and_rate_are_told_each_second_until_it_is_interrupted() {
    let (code, out, err) =
        interrupted_after(4, &three(), &["--endless", "sha-256", "--message", "1000"]);
    assert_eq!((code, out.as_str()), (130, ""), "{err}");
    let lines: Vec<&str> = err.lines().collect();
    let process = std::process::id();
    assert_eq!(
        lines[0],
        format!(
            "endless: rustcrypto/SHA256/digest, messages of 1000 bytes, process {process}; Ctrl-C ends it"
        )
    );
    for (line, second) in lines[1..4].iter().zip(1..) {
        // 1,024 ns a call.
        assert!(line.starts_with(&format!("{second} s: 97")), "{line}");
        let (calls, mib) = line.split_once(" calls/s, ").expect("both rates");
        let calls: f64 = calls.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number");
        let mib: f64 = mib.strip_suffix(" MiB/s").and_then(|n| n.parse().ok()).expect("a number");
        assert!((calls / 976_562.5 - 1.0).abs() < 1e-3, "{line}");
        assert!((mib / (976_562.5 * 1000.0 / 1_048_576.0) - 1.0).abs() < 2e-3, "{line}");
    }
    assert!(lines[4].starts_with("endless: ") && lines[4].ends_with(" calls"), "{err}");
    assert_eq!(lines.len(), 5, "{err}");
}

#[test]
fn quiet_leaves_the_rates_out() {
    let machine = three();
    machine.interrupted.store(true, Ordering::Relaxed);
    let outcome = bench_slope(&machine, &["--quiet", "--endless", "md5"]);
    assert_eq!((outcome.code, outcome.out.as_str(), outcome.err.as_str()), (130, "", ""));
}

#[test]
fn a_row_is_named_in_any_spelling() {
    for name in ["AES GCM enc", "aes/gcm/enc", "rustcrypto/AES/GCM/encrypt", "cipher aes gcm enc"] {
        let (code, _, err) = interrupted_after(1, &three(), &["--endless", name]);
        assert_eq!(code, 130, "{name}: {err}");
        assert!(
            err.starts_with("endless: rustcrypto/AES/GCM/encrypt, messages of 4096 bytes, "),
            "{err}"
        );
    }
}

#[test]
fn what_is_not_one_row_is_refused_with_what_was_meant() {
    let outcome = bench_slope(&three(), &["--endless", "sha265"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert_eq!(
        outcome.err,
        "error: --endless (or BENCH_SLOPE_ENDLESS): no row is called 'sha265'; did you mean 'sha256'?\n"
    );
    let outcome = bench_slope(&three(), &["--endless", "aes/gcm"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert_eq!(
        outcome.err,
        "error: --endless 'aes/gcm' is 3 rows; name one of them:\n  rustcrypto/AES/GCM/encrypt\n  \
         rustcrypto/AES/GCM/decrypt\n  rustcrypto/AES/GCM/authenticate\n"
    );
    for name in ["", " ", "\u{1b}[2J"] {
        let outcome = bench_slope(&three(), &["--endless", name]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{name:?}");
        assert!(outcome.err.starts_with("error: --endless"), "{}", outcome.err);
    }
}

#[test]
fn what_means_nothing_to_it_is_refused() {
    let others: [&[&str]; 9] = [
        &["--csv"],
        &["--format", "json"],
        &["--output", "x.json"],
        &["--raw"],
        &["--quick"],
        &["--asymptote", "1,2,3,4"],
        &["--threads", "1"],
        &["--list"],
        &["--time-limit", "1s"],
    ];
    for other in others {
        let outcome = bench_slope(&three(), &[&["--endless", "md5"], other].concat());
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{other:?}");
        assert!(
            outcome.err.contains("--endless") && outcome.err.contains(other[0]),
            "{}",
            outcome.err
        );
    }
    for section in ["hash", "self-test", "doctor"] {
        let outcome = bench_slope(&three(), &["--endless", "md5", section]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{section}");
        assert!(outcome.err.contains("--endless"), "{section}: {}", outcome.err);
    }
    let outcome = bench_slope(&three(), &["--endless", "md5", "--pin", "100000"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.starts_with("error: --pin 100000: "), "{}", outcome.err);
}

#[test]
fn a_message_has_to_be_possible() {
    let mut machine = three();
    machine.catalogue = bench_slope_algorithms::Catalogue::standard();
    let outcome = bench_slope(&machine, &["--endless", "scrypt", "--message", "9"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert_eq!(outcome.err, "error: --message: SCRYPT has no message whose size could be chosen\n");
    let outcome = bench_slope(&machine, &["--endless", "aes ecb enc", "--message", "9"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.starts_with("error: --message 9 for AES ECB enc: "), "{}", outcome.err);
}

#[test]
fn a_wrong_answer_is_not_run() {
    let mut machine = three();
    let entries = machine.catalogue.entries().to_vec();
    let wrong = invented::ANSWERS.replace("900150", "900151");
    let answers = [("hash", wrong.as_str()), ("cipher", invented::CIPHER_ANSWERS)];
    machine.catalogue =
        bench_slope_algorithms::Catalogue::new(entries, &answers).expect("the answers parse");
    let outcome = bench_slope(&machine, &["--endless", "md5"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (1, ""));
    assert!(outcome.err.starts_with("error: "), "{}", outcome.err);
}
