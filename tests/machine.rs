//! What not every machine has or grants: counters of the kernel, a file that is always full, a choice of
//! processors. Where it is missing these tests are shown as ignored, and a note says why.

mod invented;

use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use bench_slope::clock::InventedClock;
use bench_slope::cpus::{allowed, check_pin, show_list};
use bench_slope::known_cost;
use bench_slope_algorithms::Catalogue;
use invented::{bench_slope, charge, entry, machine};
use libtest_mimic::{Arguments, Failed, Trial};

/// 100 ns a call and 1 ns a byte.
fn cost(_: &str, size: usize) -> u64 {
    100_000 + 1_000 * size as u64
}

fn check(condition: bool, told: impl std::fmt::Debug) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("{told:?}").into()) }
}

fn a_full_disk_is_an_error_that_names_the_file() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let whole = folder.path().join("run.json");
    let words = ["--output", "/dev/full", "--output", whole.to_str().expect("text"), "hash"];
    let outcome = bench_slope(&machine(vec![entry("MD5")], 1, cost), &words);
    check(outcome.code == 1, &outcome.err)?;
    check(outcome.err.contains("error: --output /dev/full: "), &outcome.err)?;
    check(outcome.out.contains("MD5"), &outcome.out)?;
    let written = bench_slope::saved::load(&whole).map_err(|error| error.to_string())?;
    check(!written.partial, "the others are not written whole")
}

fn standard_output_that_is_full_is_an_error() -> Result<(), Failed> {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full")?;
    let output = Command::new(env!("CARGO_BIN_EXE_bench-slope"))
        .args(["--quiet", "--repetitions", "1", "hash", "md5"])
        .stdout(full)
        .output()?;
    let err = String::from_utf8(output.stderr)?;
    check(output.status.code() == Some(1) && err.starts_with("error: "), err)
}

/// The last processor that this may run on.
fn last() -> Option<usize> {
    allowed()?.last().copied()
}

fn a_wrong_processor_is_told_which_there_are() -> Result<(), Failed> {
    let machine = machine(vec![entry("MD5")], 1, cost);
    let outcome = bench_slope(&machine, &["--pin", "65000", "hash", "md5"]);
    let only = format!("may run on are {}\n", show_list(&allowed().unwrap_or_default()));
    check(outcome.code == 2 && outcome.err.contains(&only), outcome.err)
}

fn workers_stay_on_the_processor_that_is_named() -> Result<(), Failed> {
    let last = last().ok_or("no processor")?;
    let words = ["--pin", &last.to_string(), "--verbose", "hash", "md5"];
    let outcome = bench_slope(&machine(vec![entry("MD5")], 1, cost), &words);
    check(outcome.code == 0, &outcome.err)?;
    let fact = format!("environment: pinned to processor: {last}\n");
    check(outcome.err.contains(&fact), &outcome.err)?;
    // The workers of invented machines run in this thread.
    check(allowed() == Some(vec![last]), allowed())
}

fn the_doctor_stays_where_it_is_put() -> Result<(), Failed> {
    let cpu = last().ok_or("no processor")?;
    let mut machine = machine(vec![entry("MD5")], 1, cost);
    // What the doctor measures to see whether numbers are right; nothing else lets time pass for it.
    let clock = InventedClock::new(1);
    let answers = format!("{}{}", invented::ANSWERS, known_cost::answers());
    machine.catalogue =
        Catalogue::new(vec![charge(known_cost::plain(), &clock, cost)], &[("hash", &answers)])
            .expect("the answers parse");
    machine.clock = Arc::new(clock);
    let outcome = bench_slope(&machine, &["doctor", "--pin", &cpu.to_string()]);
    check(outcome.out.contains(&format!("pinned to {cpu}\n")), outcome.out)
}

#[cfg(all(
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
mod kernel {
    //! The kernel's own counters, which guests have too.

    use std::hint::black_box;

    use bench_slope::counters::{Absence, Counter, Reading, linux::open};
    use libtest_mimic::Failed;
    use perf_event::events::Software;

    use super::check;

    /// Why a sandbox refuses even these, if it does.
    pub fn refusal() -> Option<String> {
        let absence = open(Software::TASK_CLOCK).err()?;
        // A defect of ours would have another reason, and the tests then fail.
        let refused = matches!(
            absence,
            Absence::Paranoid { .. }
                | Absence::Denied
                | Absence::Filtered
                | Absence::NotPermitted
                | Absence::NoSystemCall
        );
        refused.then(|| absence.to_string())
    }

    /// What an event counts of some work, and what it counts after it was stopped.
    fn counted(event: Software, work: impl Fn()) -> Result<(Reading, Reading), Failed> {
        let mut counter = open(event).map_err(|absence| absence.to_string())?;
        check(counter.read()? == Reading::default(), "it is on at first")?;
        counter.start()?;
        work();
        counter.stop()?;
        let first = counter.read()?;
        work();
        Ok((first, counter.read()?))
    }

    pub fn its_clock_counts_work_and_rests_when_stopped() -> Result<(), Failed> {
        let work = || {
            black_box((0..2_000_000_u64).fold(0, |sum, turn| black_box(sum ^ turn)));
        };
        let (first, second) = counted(Software::TASK_CLOCK, work)?;
        check(first.count > 0 && first.running_ns > 0, first)?;
        check(first.scaled().is_some_and(|scaled| scaled >= first.count as f64), first)?;
        check(first == second, (first, second))
    }

    pub fn page_faults_are_counted() -> Result<(), Failed> {
        let work = || {
            let mut bytes = vec![0_u8; 64 << 20];
            bytes.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
            black_box(&bytes);
        };
        let (first, second) = counted(Software::PAGE_FAULTS, work)?;
        // With the largest of pages there are still a few.
        check(first.count >= 8, first)?;
        check(first == second, (first, second))
    }
}

type Test = fn() -> Result<(), Failed>;

fn main() -> ExitCode {
    let full = (!Path::new("/dev/full").exists()).then(|| "there is no /dev/full".to_owned());
    let unreadable = last().is_none().then(|| "the processors cannot be told".to_owned());
    let pinned = unreadable.clone().or_else(|| check_pin(last()?).err());
    let mut tests: Vec<(&str, Test, Option<String>)> = vec![
        (
            "a_full_disk_is_an_error_that_names_the_file",
            a_full_disk_is_an_error_that_names_the_file,
            full.clone(),
        ),
        (
            "standard_output_that_is_full_is_an_error",
            standard_output_that_is_full_is_an_error,
            full,
        ),
        (
            "a_wrong_processor_is_told_which_there_are",
            a_wrong_processor_is_told_which_there_are,
            unreadable,
        ),
        (
            "workers_stay_on_the_processor_that_is_named",
            workers_stay_on_the_processor_that_is_named,
            pinned.clone(),
        ),
        ("the_doctor_stays_where_it_is_put", the_doctor_stays_where_it_is_put, pinned),
    ];
    #[cfg(all(
        target_os = "linux",
        target_pointer_width = "64",
        any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
    ))]
    {
        let refusal = kernel::refusal();
        tests.extend([
            (
                "the_kernels_own_clock_counts_work_and_rests_when_stopped",
                kernel::its_clock_counts_work_and_rests_when_stopped as Test,
                refusal.clone(),
            ),
            ("page_faults_are_counted", kernel::page_faults_are_counted, refusal),
        ]);
    }
    let tests = tests.into_iter().map(|(name, test, missing)| {
        if let Some(why) = &missing {
            eprintln!("note: {name} is left out: {why}");
        }
        Trial::test(name, test).with_ignored_flag(missing.is_some())
    });
    libtest_mimic::run(&Arguments::from_args(), tests.collect()).exit_code()
}
