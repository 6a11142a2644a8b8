//! Algorithms that crash, panic or hang in a worker process: each costs its own row, never the run.
//!
//! This program is its own worker: started with the worker's word it serves a catalogue of faults.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bench_slope::clock::machine_clock;
use bench_slope::counters::{Absence, NoPmu};
use bench_slope::group::Machine;
use bench_slope::run::{run, run_here};
use bench_slope::worker::{WORD, Workers};
use bench_slope_algorithms::{Catalogue, Entry, OpenError, Operation, Routine, Section, Setup};
use libtest_mimic::{Arguments, Failed, Trial};

const ANSWERS: &str = "\
MD5 input=\"abc\" output=900150983cd24fb0d6963f7d28e17f72 ; RFC 1321, A.5
SHA1 input=\"abc\" output=a9993e364706816aba3e25717850c26c9cd0d89d ; FIPS 180-2, A.1
SHA224 input=\"abc\" output=23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7 ; RFC 3874, 3.1
SHA256 input=\"abc\" output=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad ; FIPS 180-2, B.1
";

/// Behaves until a message of the measurement comes, then has its fault.
struct Faulty {
    inner: Box<dyn Routine>,
    size: usize,
    runs: u64,
    fault: fn(u64),
}

impl Routine for Faulty {
    fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
        self.size = size;
        self.inner.prepare(size)
    }
    fn run(&mut self) {
        self.inner.run();
        if self.size > 3 {
            self.runs += 1;
            (self.fault)(self.runs);
        }
    }
    fn output(&self) -> &[u8] {
        self.inner.output()
    }
}

fn faulty(mut entry: Entry, fault: fn(u64)) -> Entry {
    let open = entry.open.clone();
    entry.open = Arc::new(move |setup: &Setup, operation: Operation| {
        let inner = open(setup, operation)?;
        let routine: Box<dyn Routine> = Box::new(Faulty { inner, size: 0, runs: 0, fault });
        Ok(routine)
    });
    entry
}

fn catalogue() -> Catalogue {
    let standard = Catalogue::standard();
    let find = |name: &str| {
        let found = standard.entries().iter().find(|entry| entry.algorithm == name);
        found.unwrap_or_else(|| panic!("there is no {name}")).clone()
    };
    let entries = vec![
        find("MD5"),
        // Dies in the middle of the measurement.
        faulty(find("SHA1"), |runs| {
            if runs > 100 {
                std::process::abort()
            }
        }),
        // Panics at once.
        faulty(find("SHA224"), |_| panic!("a fault that is meant to be")),
        find("SHA256"),
    ];
    Catalogue::new(entries, &[("hash", ANSWERS)]).expect("the answers parse")
}

/// Sound algorithms, and one at one size.
fn sound_catalogue() -> Catalogue {
    let wanted =
        [(Section::Hash, "MD5"), (Section::Hash, "SHA256"), (Section::Points, "SHA256_32b")];
    let is_wanted = |entry: &Entry| wanted.contains(&(entry.section, entry.algorithm));
    let entries =
        Catalogue::standard().entries().iter().filter(|&entry| is_wanted(entry)).cloned().collect();
    Catalogue::new(entries, &[("hash", ANSWERS)]).expect("the answers parse")
}

fn hanging_catalogue() -> Catalogue {
    let standard = catalogue();
    let entries = standard
        .entries()
        .iter()
        .filter(|entry| matches!(entry.algorithm, "MD5" | "SHA256"))
        .map(|entry| match entry.algorithm {
            "MD5" => faulty(entry.clone(), |_| std::thread::sleep(Duration::from_secs(3600))),
            _ => entry.clone(),
        })
        .collect();
    Catalogue::new(entries, &[("hash", ANSWERS)]).expect("the answers parse")
}

struct Outcome {
    code: u8,
    rows: Vec<String>,
    err: String,
}

fn measured(catalogue: Catalogue, patience: Duration, words: &[&str]) -> Outcome {
    let program = std::env::current_exe().expect("this program has a path");
    let workers = Workers::Processes(program);
    // What this machine is like must not decide what is told.
    let root = "/nonexistent".into();
    let (clock, interrupted) = (machine_clock(), Arc::default());
    let pmu = Arc::new(NoPmu(Absence::SwitchedOff));
    let machine = Machine { catalogue, clock, pmu, workers, patience, interrupted, root };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words = std::iter::once("bench-slope").chain(words.iter().copied());
    let code = run(words.map(Into::into), &machine, &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Outcome { code, rows: text(out).lines().map(str::to_owned).collect(), err: text(err) }
}

fn check(condition: bool, outcome: &Outcome) -> Result<(), Failed> {
    if condition {
        return Ok(());
    }
    Err(format!("code {}, rows {:#?}, err {}", outcome.code, outcome.rows, outcome.err).into())
}

fn a_crash_costs_its_row() -> Result<(), Failed> {
    let words = ["--csv", "--repetitions", "6", "hash"];
    let outcome = measured(catalogue(), Machine::PATIENCE, &words);
    check(outcome.code == 1 && outcome.rows.len() == 4, &outcome)?;
    for (row, crashed) in outcome.rows.iter().zip([false, true, true, false]) {
        check(row.ends_with("n/a: crashed") == crashed, &outcome)?;
    }
    let signal = cfg!(not(unix)) || outcome.err.contains("SHA1: its process was ended by signal 6");
    check(signal && outcome.err.contains("SHA224: its process ended"), &outcome)
}

fn a_hanging_worker_is_ended() -> Result<(), Failed> {
    // The worker knows which catalogue to serve by this variable.
    // SAFETY: no other thread of this program reads or writes the environment at this time; the
    // tests run one after the other.
    unsafe { std::env::set_var(HANGS, "1") };
    let words = ["--csv", "--repetitions", "4", "hash"];
    // A worker that does not hang needs its time, too, and how much is this machine's affair.
    let mut patience = Duration::from_secs(2);
    let outcome = loop {
        let outcome = measured(hanging_catalogue(), patience, &words);
        let hurried = outcome.rows.get(1).is_some_and(|row| row.ends_with("n/a: crashed"));
        if !hurried || patience > Duration::from_secs(100) {
            break outcome;
        }
        patience *= 4;
    };
    // SAFETY: as above.
    unsafe { std::env::remove_var(HANGS) };
    check(outcome.code == 1 && outcome.rows.len() == 2, &outcome)?;
    check(outcome.rows[0].ends_with("n/a: crashed"), &outcome)?;
    check(!outcome.rows[1].ends_with("n/a: crashed"), &outcome)?;
    check(outcome.err.contains("MD5: it took longer than"), &outcome)
}

fn a_crash_in_a_thread_costs_its_row() -> Result<(), Failed> {
    let words = ["--threads", "1", "--quiet", "hash", "sha1", "sha224", "sha256"];
    let outcome = measured(catalogue(), Machine::PATIENCE, &words);
    check(outcome.code == 1 && outcome.rows.len() == 6, &outcome)?;
    for (row, crashed) in outcome.rows[2..].iter().zip([true, true, false]) {
        check(row.ends_with("(crashed)") == crashed, &outcome)?;
    }
    let signal =
        cfg!(not(unix)) || outcome.err.contains("SHA224: its process was ended by signal 6");
    check(signal, &outcome)
}

fn a_program_that_is_no_worker_is_an_error() -> Result<(), Failed> {
    let missing = Workers::Processes("/nonexistent/bench-slope".into());
    let machine = Machine {
        catalogue: catalogue(),
        clock: machine_clock(),
        pmu: Arc::new(NoPmu(Absence::SwitchedOff)),
        workers: missing,
        patience: Machine::PATIENCE,
        interrupted: Arc::default(),
        root: "/nonexistent".into(),
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = run(["bench-slope", "hash"].map(Into::into), &machine, &mut out, &mut err);
    let err = String::from_utf8(err).expect("text");
    let outcome = Outcome { code, rows: Vec::new(), err };
    check(code == 1 && outcome.err.starts_with("error: ") && out.is_empty(), &outcome)
}

/// How workers end that die before they tell of any case.
#[derive(Clone, Copy)]
enum End {
    Exit,
    Kill,
}

/// Runs the program while this many workers die at once.
fn measured_beside_dead(deaths: usize, end: End, words: &[&str]) -> Result<Outcome, Failed> {
    let left = tempfile::NamedTempFile::new()?;
    std::fs::write(left.path(), deaths.to_string())?;
    let ends = [(DIES, Some(left.path().as_os_str())), (KILLS, None)];
    for (name, value) in ends {
        let kills = matches!(end, End::Kill).then_some("1".as_ref());
        if let Some(value) = value.or(kills) {
            // SAFETY: no other thread of this program reads or writes the environment at this time;
            // the tests run one after the other.
            unsafe { std::env::set_var(name, value) };
        }
    }
    let outcome = measured(sound_catalogue(), Machine::PATIENCE, words);
    for (name, _) in ends {
        // SAFETY: as above.
        unsafe { std::env::remove_var(name) };
    }
    Ok(outcome)
}

/// Ends this worker when one more is to die.
fn die_if_wanted() {
    let Some(file) = std::env::var_os(DIES) else { return };
    let left = std::fs::read_to_string(&file).ok().and_then(|left| left.parse::<usize>().ok());
    let Some(left) = left.and_then(|left| left.checked_sub(1)) else { return };
    std::fs::write(&file, left.to_string()).expect("the file can be written");
    if std::env::var_os(KILLS).is_none() {
        std::process::exit(3);
    }
    let me = std::process::id().to_string();
    let killed = std::process::Command::new("kill").args(["-KILL", &me]).status();
    panic!("it lives on: {killed:?}");
}

fn workers_that_all_die_at_once_are_told() -> Result<(), Failed> {
    let how = |end| match end {
        End::Exit => "a worker could not begin: its process ended with exit code 3",
        End::Kill => "a worker could not begin: its process was ended by signal 9 (killed)",
    };
    let ends: &[End] = if cfg!(unix) { &[End::Exit, End::Kill] } else { &[End::Exit] };
    for &end in ends {
        for words in [&["--csv", "--quick", "hash"][..], &["--csv", "hash"]] {
            let outcome = measured_beside_dead(usize::MAX, end, words)?;
            check(outcome.code == 1 && outcome.rows.len() == 2, &outcome)?;
            let crashed = |row: &String| row.ends_with("n/a: crashed");
            check(outcome.rows.iter().all(crashed), &outcome)?;
            for name in ["MD5", "SHA256"] {
                check(outcome.err.contains(&format!("error: {name}: {}", how(end))), &outcome)?;
            }
        }
    }
    // Rows at one size.
    let words = ["--csv", "--quick", "points"];
    let outcome = measured_beside_dead(usize::MAX, End::Exit, &words)?;
    check(outcome.code == 1 && outcome.rows.len() == 1, &outcome)?;
    check(outcome.rows[0].ends_with("n/a: crashed"), &outcome)?;
    check(outcome.err.contains(how(End::Exit)), &outcome)
}

fn other_workers_make_up_for_a_few_that_die_at_once() -> Result<(), Failed> {
    // Whichever samples count: those of every process and round.
    let rounds_of = |json: &str| -> Result<Vec<BTreeSet<(u64, u64)>>, Failed> {
        let run: serde_json::Value = serde_json::from_str(json)?;
        let number = |sample: &serde_json::Value, field| sample[field].as_u64().unwrap_or(u64::MAX);
        let samples = |record: &serde_json::Value| {
            let samples = record["samples"].as_array().into_iter().flatten();
            samples.map(|s| (number(s, "worker"), number(s, "round"))).collect()
        };
        Ok(run["records"].as_array().into_iter().flatten().map(samples).collect())
    };
    let one_of_each: BTreeSet<(u64, u64)> = (0..6).map(|worker| (worker, 0)).collect();
    for deaths in 1..=3 {
        let words = ["--format", "json", "--quick", "--quiet", "hash"];
        let outcome = measured_beside_dead(deaths, End::Exit, &words)?;
        // A machine that does nothing else for us may well be too noisy, and then has no number.
        check(outcome.code == 0, &outcome)?;
        check(!outcome.rows.join("").contains("no time passed"), &outcome)?;
        // All rounds that were asked for are there.
        let words = ["--format", "json", "--repetitions", "6", "--samples", "--quiet", "hash"];
        let outcome = measured_beside_dead(deaths, End::Exit, &words)?;
        let rounds = rounds_of(&outcome.rows.join("\n"))?;
        check(rounds == [one_of_each.clone(), one_of_each.clone()], &outcome)?;
    }
    Ok(())
}

fn crashes_leave_the_other_rows_of_a_quick_run_alone() -> Result<(), Failed> {
    // As many workers die of a row as a quick run has.
    let outcome = measured(catalogue(), Machine::PATIENCE, &["--csv", "--quick", "hash"]);
    check(outcome.code == 1 && outcome.rows.len() == 4, &outcome)?;
    for (row, crashed) in outcome.rows.iter().zip([false, true, true, false]) {
        check(row.ends_with("n/a: crashed") == crashed, &outcome)?;
        check(!row.ends_with("n/a: no time passed"), &outcome)?;
    }
    Ok(())
}

/// Set for workers some of which die at once: the file with how many are left to die.
const DIES: &str = "BENCH_SLOPE_TEST_DIES";

/// Set when these are killed, rather than end by themselves.
const KILLS: &str = "BENCH_SLOPE_TEST_KILLS";

/// Set for workers that serve the hanging catalogue.
const HANGS: &str = "BENCH_SLOPE_TEST_HANGS";

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(WORD) {
        die_if_wanted();
        let hangs = std::env::var_os(HANGS).is_some();
        let catalogue = if hangs { hanging_catalogue() } else { catalogue() };
        return ExitCode::from(run_here(std::env::args_os(), catalogue));
    }
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let tests = vec![
        Trial::test("a_crash_costs_its_row", a_crash_costs_its_row),
        Trial::test("a_crash_in_a_thread_costs_its_row", a_crash_in_a_thread_costs_its_row),
        Trial::test("a_hanging_worker_is_ended", a_hanging_worker_is_ended),
        Trial::test(
            "crashes_leave_the_other_rows_of_a_quick_run_alone",
            crashes_leave_the_other_rows_of_a_quick_run_alone,
        ),
        Trial::test(
            "other_workers_make_up_for_a_few_that_die_at_once",
            other_workers_make_up_for_a_few_that_die_at_once,
        ),
        Trial::test("workers_that_all_die_at_once_are_told", workers_that_all_die_at_once_are_told),
        Trial::test(
            "a_program_that_is_no_worker_is_an_error",
            a_program_that_is_no_worker_is_an_error,
        ),
    ];
    libtest_mimic::run(&arguments, tests).exit_code()
}
