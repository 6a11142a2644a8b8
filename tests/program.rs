//! The program as it is built, started as a user starts it. Times are real here, so that nothing
//! is claimed of them.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

fn bench_slope(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench-slope"));
    command.args(words);
    command
}

#[test]
fn three_hashes_are_measured() {
    let output = bench_slope(&["--csv", "--repetitions", "8", "hash", "md5", "sha-256", "crc32"])
        .output()
        .expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let names: Vec<&str> = text.lines().filter_map(|line| line.split(',').nth(1)).collect();
    assert_eq!(names, ["MD5", "SHA256", "CRC32"]);
    for line in text.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!((fields[0], fields[6], fields[8], fields[10]), ("hash", "ns/B", "MiB/s", "c/B"));
        // Whatever the machine: ns/B times MiB/s is 10^9 / 2^20.
        if let (Ok(ns), Ok(mib)) = (fields[5].parse::<f64>(), fields[7].parse::<f64>()) {
            assert!((ns * mib / 953.674 - 1.0).abs() < 1e-4, "{line}");
        }
    }
}

#[test]
fn all_known_answers_come_out() {
    let output = bench_slope(&["self-test"]).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{text}");
    assert!(text.starts_with("self-test: ") && text.ends_with(" 0 wrong\n"), "{text}");
}

#[test]
fn the_doctor_measures_what_no_table_has() {
    let output = bench_slope(&["doctor", "--quiet"]).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let err = String::from_utf8(output.stderr).expect("text");
    let is_fit = text.contains("\nfit         numbers hold");
    assert_eq!(output.status.code(), Some(if is_fit { 0 } else { 1 }), "{text}{err}");
    assert_eq!(err, "");
    // Its workers know the routine of known cost, whatever this machine makes of it.
    assert!(!text.contains("this build does not have it"), "{text}");
    for name in ["machine", "clock", "empty call", "frequency", "quiet", "contention", "known cost"]
    {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name}: {text}");
    }
    let output = bench_slope(&["hash", "chain"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "no row of its own");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = bench_slope(&["--repetitions", "1", "hash", "md5"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // Nobody reads.
    drop(child.stdout.take());
    let mut err = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut err).expect("text");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(0));
    assert!(!err.contains("panic") && !err.contains("error"), "{err}");
}

#[test]
fn a_closed_standard_error_does_not_end_the_run() {
    let words = ["--csv", "--verbose", "--repetitions", "1", "hash", "md5", "sha1"];
    let mut child = bench_slope(&words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // Nobody reads it.
    drop(child.stderr.take());
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    let names: Vec<&str> = text.lines().filter_map(|line| line.split(',').nth(1)).collect();
    assert_eq!(names, ["MD5", "SHA1"], "{:?}", output.status);
}

#[test]
fn a_misspelt_name_ends_with_2() {
    let output = bench_slope(&["hash", "sha265"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8(output.stderr).expect("text").contains("'sha256'"));
}

#[test]
fn a_worker_without_a_request_says_so() {
    let output = bench_slope(&["worker"]).stdin(Stdio::null()).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).expect("text").starts_with("error: "));
}

#[test]
fn packagers_can_switch_it_off() {
    let variable = bench_slope::run::NO_BENCHMARKS;
    let output = bench_slope(&[]).env(variable, "1").output().expect("it runs");
    assert_eq!(output.status.code(), Some(77));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8(output.stderr).expect("text").contains(variable));
    // With arguments it does what they say.
    let output = bench_slope(&["--version"]).env(variable, "1").output().expect("it runs");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_quick_run_of_everything_succeeds() {
    let output = bench_slope(&["--quick", "--csv"]).output().expect("it runs");
    let err = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(0), "{err}");
    let text = String::from_utf8(output.stdout).expect("text");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    // Every row that libgcrypt has, by section, algorithm and label.
    let theirs = include_str!("../algorithms/tests/agreement/libgcrypt-rows.csv");
    for row in theirs.lines() {
        let wanted: Vec<&str> = row.split(',').collect();
        assert!(rows.iter().any(|row| row[..3] == wanted[..]), "{row} is missing");
    }
    assert!(err.contains("known answers right, 0 wrong"), "{err}");
}

#[cfg(unix)]
#[test]
fn an_interruption_ends_with_130_and_whole_rows() {
    [Signal::INT, Signal::TERM].into_iter().for_each(interrupted_by);
}

/// Starts the program and waits until it has told the first thing it knows of the machine: whoever
/// interrupts it from now on is heard. What else it tells is read and forgotten.
#[cfg(unix)]
fn begun(command: &mut Command) -> Child {
    let command = command.arg("--verbose").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    lines.next().expect("a line").expect("text");
    std::thread::spawn(move || lines.for_each(drop));
    child
}

/// Waits until a worker of this process has had some processor time; where the system does not tell,
/// the first line has to do.
#[cfg(unix)]
fn wait_for_a_worker(child: &mut Child) {
    let parent = child.id();
    // The fields behind the name, which may hold anything: state, parent, ..., user and system time.
    let works = |stat: String| {
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u32>().ok();
        Some(number(1)? == parent && number(11)? + number(12)? > 0)
    };
    let mut is_over = false;
    while std::path::Path::new("/proc/self/stat").exists() {
        let processes = std::fs::read_dir("/proc").expect("processes").flatten();
        let mut stats =
            processes.filter_map(|p| std::fs::read_to_string(p.path().join("stat")).ok());
        if stats.any(|stat| works(stat).unwrap_or(false)) {
            return;
        }
        assert!(!is_over, "it ended without a worker that worked");
        is_over = child.try_wait().expect("its state").is_some();
        std::thread::yield_now();
    }
}

#[cfg(unix)]
fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

#[cfg(unix)]
fn interrupted_by(signal: Signal) {
    let words = ["--csv", "--repetitions", "100000", "hash", "md5", "sha1"];
    let mut child = begun(&mut bench_slope(&words));
    wait_for_a_worker(&mut child);
    kill_process(pid(&child), signal).expect("it is there");
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
    for (line, name) in text.lines().zip(["hash,MD5,", "hash,SHA1,"]) {
        assert!(line.starts_with(name), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn being_stopped_for_two_seconds_makes_no_number_absurd() {
    use std::os::unix::process::CommandExt;
    let mut command = bench_slope(&["--csv", "hash", "md5", "sha256", "sha512"]);
    let mut child = begun(command.process_group(0));
    wait_for_a_worker(&mut child);
    let signal = |signal| kill_process_group(pid(&child), signal).expect("it is there");
    signal(Signal::STOP);
    std::thread::sleep(std::time::Duration::from_secs(2));
    signal(Signal::CONT);
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{text}");
    assert_eq!(text.lines().count(), 3, "{text}");
    for line in text.lines() {
        // Two seconds would be 10,000 ns/B even if thousands of samples shared them; no machine
        // takes a microsecond for a byte.
        let ns = line.split(',').nth(5).and_then(|field| field.parse::<f64>().ok());
        let reason = line.rsplit(',').next().filter(|field| field.starts_with("n/a: "));
        assert!(ns.map_or(reason.is_some(), |ns| ns > 0.0 && ns < 1000.0), "{line}");
    }
}

#[test]
fn a_file_that_standard_output_goes_to_is_not_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.txt");
    let file = std::fs::File::create(&path).expect("a file");
    let name = path.to_str().expect("text");
    let output = bench_slope(&["--quick", "--output", name, "hash", "md5"])
        .stdout(file)
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8(output.stderr).expect("text");
    assert!(err.starts_with(&format!("error: --output {name}: ")), "{err}");
}

#[cfg(unix)]
#[test]
fn an_interruption_leaves_valid_json_in_the_file_and_on_standard_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.json");
    let path = file.to_str().expect("text");
    let words = ["--format", "json", "--output", path, "--repetitions", "100000", "hash", "md5"];
    let mut child = begun(&mut bench_slope(&words));
    wait_for_a_worker(&mut child);
    kill_process(pid(&child), Signal::INT).expect("it is there");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8(output.stdout).expect("text");
    let run = bench_slope::saved::parse(&text).expect("a run");
    assert!(run.partial);
    assert_eq!(run.records.len(), 1);
    assert_eq!(std::fs::read_to_string(&file).expect("written"), text);
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1, "nothing else is left");
}

/// Starts a row without end, waits for its second line, interrupts it, and tells exit code and text.
#[cfg(unix)]
fn endless(command: &mut Command) -> (Option<i32>, u32, Vec<String>) {
    let mut child =
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let mut told: Vec<String> = lines.by_ref().take(2).map(|line| line.expect("text")).collect();
    kill_process(pid(&child), Signal::INT).expect("it is there");
    told.extend(lines.map(|line| line.expect("text")));
    (child.wait().expect("it ends").code(), child.id(), told)
}

#[cfg(unix)]
#[test]
fn an_endless_row_is_ended_by_an_interruption() {
    let variable = bench_slope::run::ENDLESS;
    let mut by_variable = bench_slope(&[]);
    by_variable.env(variable, "sha256");
    // What the command line says counts.
    let mut by_both = bench_slope(&["--endless", "sha256"]);
    by_both.env(variable, "md5");
    for mut command in [bench_slope(&["--endless", "sha256"]), by_variable, by_both] {
        let (code, process, told) = endless(&mut command);
        assert_eq!(code, Some(130), "{told:?}");
        let first = format!(
            "endless: rustcrypto/SHA256/digest, messages of 4096 bytes, process {process}; Ctrl-C ends it"
        );
        assert_eq!(told[0], first);
        assert!(told[1].contains(" s: ") && told[1].ends_with(" MiB/s"), "{told:?}");
    }
    let output = bench_slope(&[]).env(variable, "sha265").output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8(output.stderr).expect("text");
    assert!(err.contains("did you mean 'sha256'"), "{err}");
    // Packagers come first.
    let mut both = bench_slope(&[]);
    let output = both.env(variable, "sha256").env(bench_slope::run::NO_BENCHMARKS, "1").output();
    assert_eq!(output.expect("it runs").status.code(), Some(77));
}

#[test]
fn a_thread_is_measured_in_processes() {
    let words = ["--threads", "1", "--quiet", "--format", "json", "hash", "md5"];
    let output = bench_slope(&words).output().expect("it runs");
    let err = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(0), "{err}");
    let run = bench_slope::saved::parse(&String::from_utf8(output.stdout).expect("text"));
    let run = run.expect("a run");
    let scaling = run.records[0].scaling.as_ref().expect("a scaling");
    assert_eq!(scaling.threads, 1);
    assert!(scaling.processes >= 6 && scaling.scaling > 0.0, "{scaling:?}");
}
