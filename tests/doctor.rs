//! Whether a machine is fit: whole runs on invented time, and each reason by itself.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::invented::{self, Cost, bench_slope, charge, entry};
use bench_slope::clock::{Clock, InventedClock};
use bench_slope::counters::{Absence, NoPmu};
use bench_slope::doctor::{
    ClockFindings, Comparison, Findings, GrainNs, Look, Mhz, QuietShare, Reason, Verdict, render,
    verdict,
};
use bench_slope::environment::{Environment, Quota};
use bench_slope::group::Machine;
use bench_slope::known_cost;
use bench_slope::quiet::KnownQuiet;
use bench_slope::worker::Workers;
use bench_slope_algorithms::Catalogue;

/// A machine whose clock has steps of `step_ns`, and on which the routine of known cost takes `cost`.
fn machine(step_ns: u64, cost: Cost) -> Machine {
    let clock = InventedClock::new(step_ns);
    let entries = vec![entry("MD5"), charge(known_cost::plain(), &clock, cost)];
    with_clock(Arc::new(clock), entries)
}

fn with_clock(
    clock: Arc<dyn Clock + Send + Sync>,
    entries: Vec<bench_slope_algorithms::Entry>,
) -> Machine {
    let answers = format!("{}{}", invented::ANSWERS, known_cost::answers());
    Machine {
        catalogue: Catalogue::new(entries, &[("hash", &answers)]).expect("the answers parse"),
        clock,
        pmu: Arc::new(NoPmu(Absence::NotThisSystem)),
        workers: Workers::InProcess,
        patience: Machine::PATIENCE,
        interrupted: Arc::default(),
        root: "/nonexistent".into(),
    }
}

/// 100 ns a call and 1.25 ns a byte.
fn plain(_: &str, size: usize) -> u64 {
    100_000 + 1_250 * size as u64
}

/// The screen without its first line, which tells what the tests are built for.
fn below_machine(out: &str) -> &str {
    let first = format!("machine     {}\n", std::env::consts::ARCH);
    out.strip_prefix(&first).unwrap_or_else(|| panic!("{out}"))
}

#[test]
fn a_fit_machine_ends_with_0() {
    let outcome = bench_slope(&machine(1, plain), &["doctor"]);
    assert_eq!(
        below_machine(&outcome.out),
        "\
clock       invented clock, steps of 20.0 ns, 20.0 ns a reading
empty call  not measurable with this clock
frequency   not measurable with this clock
quiet       not measurable with this clock
contention  not measurable with this clock
known cost  1.250 ns/B measured, 1.250 by itself (+0.00 %)
counters    no hardware counters: they are read on Linux on x86-64, 64-bit Arm
            and 64-bit RISC-V only
fit         numbers hold within their stated error
"
    );
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
}

#[test]
fn a_clock_that_is_too_coarse_is_unfit() {
    let outcome = bench_slope(&machine(15_600_000, plain), &["doctor"]);
    assert_eq!(
        below_machine(&outcome.out),
        "\
clock       invented clock, steps of 15.6 ms, a reading takes less
empty call  not measurable with this clock
frequency   not measurable with this clock
quiet       not measurable with this clock
contention  not measurable with this clock
known cost  not measurable with this clock
counters    no hardware counters: they are read on Linux on x86-64, 64-bit Arm
            and 64-bit RISC-V only
UNFIT       the clock's steps of 15.600 ms are too coarse to time anything by,
            0.050 ms would do: set another time source of the kernel
            (docs/environment.md)
"
    );
    assert_eq!((outcome.code, outcome.err.as_str()), (1, ""));
}

/// A clock that always tells the same time.
struct Stopped;

impl Clock for Stopped {
    fn name(&self) -> &'static str {
        "stopped clock"
    }
    fn ticks(&self) -> u64 {
        7
    }
    fn monotonic_ns(&self) -> u64 {
        7
    }
}

#[test]
fn a_clock_that_stands_still_is_unfit() {
    let stopped = with_clock(Arc::new(Stopped), vec![known_cost::plain()]);
    let outcome = bench_slope(&stopped, &["doctor"]);
    let screen = below_machine(&outcome.out);
    assert!(screen.starts_with("clock       stopped clock, stands still\n"), "{screen}");
    assert!(screen.contains("\nUNFIT       the clock stands still: "), "{screen}");
    assert_eq!((outcome.code, outcome.err.as_str()), (1, ""));
}

#[test]
fn a_coarse_clock_that_will_do_is_fit() {
    for step_ns in [25, 1_000, 40_000] {
        let outcome = bench_slope(&machine(step_ns, plain), &["doctor"]);
        assert_eq!(outcome.code, 0, "{step_ns}: {}", outcome.out);
    }
}

#[test]
fn a_cost_that_is_measured_wrongly_is_unfit() {
    // Long chains cost a twentieth more than short ones: as if the slope were too low.
    let outcome = bench_slope(
        &machine(1, |_, size| if size > 4096 { 1_050 } else { 1_000 } * size as u64),
        &["doctor"],
    );
    assert_eq!(outcome.code, 1, "{}", outcome.out);
    assert!(outcome.out.contains("UNFIT       the routine of known cost reads -4.8 %:"));
    // Time that does not grow has no slope.
    let outcome = bench_slope(&machine(1, |_, _| 80_000), &["doctor"]);
    assert_eq!(outcome.code, 1, "{}", outcome.out);
    let why = "no number: its time does not grow with the size\n";
    assert!(outcome.out.contains(why), "{}", outcome.out);
}

#[test]
fn an_interruption_has_no_verdict() {
    let machine = machine(1, plain);
    machine.interrupted.store(true, Ordering::Relaxed);
    let outcome = bench_slope(&machine, &["doctor"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (130, ""));
    assert_eq!(outcome.err, "interrupted: too little was seen to tell\n");
}

#[test]
fn what_would_be_ignored_is_refused() {
    for command in ["doctor", "self-test"] {
        for option in [
            &["--csv"] as &[&str],
            &["--unaligned"],
            &["--quick"],
            &["--include-slow"],
            &["--cpu-mhz", "3000"],
            &["--repetitions", "3"],
        ] {
            for words in [[&[command], option].concat(), [option, &[command]].concat()] {
                let machine = machine(1, plain);
                let outcome = bench_slope(&machine, &words);
                assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{words:?}");
                let sentence =
                    format!("error: the argument '{}' cannot be used with '{command}'", option[0]);
                assert!(outcome.err.starts_with(&sentence), "{words:?}: {}", outcome.err);
                assert_eq!(machine.clock.monotonic_ns(), 0, "time passed");
            }
        }
        assert_eq!(bench_slope(&machine(1, plain), &[command, "md5"]).code, 2);
    }
    for words in [["self-test", "--verbose"], ["self-test", "--pin=0"]] {
        assert_eq!(bench_slope(&machine(1, plain), &words).code, 2, "{words:?}");
    }
    let outcome = bench_slope(&machine(1, plain), &["--quiet", "self-test"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
}

#[test]
fn the_options_it_takes_do_something() {
    let outcome = bench_slope(&machine(1, plain), &["doctor", "--verbose"]);
    let fact = format!("environment: architecture: {}\n", std::env::consts::ARCH);
    assert!(outcome.err.starts_with(&fact), "{}", outcome.err);
    let outcome = bench_slope(&machine(1, plain), &["doctor", "--pin", "65000"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.starts_with("error: --pin 65000: "), "{}", outcome.err);
}

/// What is found of a machine that is fit.
fn fit() -> Findings {
    let share = |cpu, quiet| QuietShare { cpu: Some(cpu), windows: 1000, quiet };
    Findings {
        environment: Environment { architecture: "x86_64".into(), ..Environment::default() },
        clock: ClockFindings {
            name: "time-stamp counter",
            grain: Some(GrainNs { step_ns: 0.87, reading_ns: 19.1 }),
        },
        empty_call_ns: Some(1.14),
        look: Some(Look {
            shares: vec![share(0, 20), share(1, 410)],
            processors: 2,
            lowest_contention: Some(0.2121),
            known_quiet: Some(KnownQuiet { cores: "A and B", highest: 0.2130 }),
            mhz: Some(Mhz { usual: 3500.0, held: 0.77, range: (3200.0, 3510.0) }),
        }),
        known_cost: Some(Ok(Comparison {
            ns_per_byte: 1.143,
            by_itself_ns: (1.142, 1.144),
            cycles_per_byte: Some(4.0),
        })),
        cpu_share: Some(0.99),
        counters: Some("none in this guest".to_owned()),
    }
}

fn look(findings: &mut Findings) -> &mut Look {
    findings.look.as_mut().expect("a look")
}

#[test]
fn a_fit_machine_is_told_in_a_screen() {
    assert_eq!(verdict(&fit()), Verdict::Fit);
    assert_eq!(
        render(&fit()),
        "\
machine     x86_64
clock       time-stamp counter, steps of 0.870 ns, 19.1 ns a reading
empty call  1.14 ns
frequency   3500 MHz for 77 % of the time, 3200 to 3510 over all
quiet       2 % on processor 0, 41 % on processor 1 of windows of 0.3 ms
contention  0.2121 at the lowest; alone A and B read up to 0.2130
known cost  1.143 ns/B measured, 1.143 by itself (+0.00 %); 4.000 c/B, must be 4
processor   this program had it for 99 % of the time
counters    none in this guest
fit         numbers hold within their stated error
"
        .replace(
            "; 4.000 c/B, must be 4",
            if known_cost::CYCLES_PER_BYTE.is_some() { "; 4.000 c/B, must be 4" } else { "" }
        )
    );
}

/// Judges what is found of a fit machine after a change.
fn reasons(change: impl FnOnce(&mut Findings)) -> Vec<Reason> {
    let mut findings = fit();
    change(&mut findings);
    match verdict(&findings) {
        Verdict::Fit => Vec::new(),
        Verdict::Unfit(reasons) => reasons,
    }
}

#[test]
fn each_reason_stands_by_itself() {
    let clock = |findings: &mut Findings, step_ns| {
        findings.clock.grain = Some(GrainNs { step_ns, reading_ns: 0.0 });
    };
    assert_eq!(reasons(|f| f.clock.grain = None), [Reason::ClockStandsStill]);
    assert_eq!(reasons(|f| clock(f, 50_000.0)), []);
    assert_eq!(reasons(|f| clock(f, 50_001.0)), [Reason::ClockTooCoarse { step_ns: 50_001.0 }]);
    let why = || "too noisy".to_owned();
    assert_eq!(reasons(|f| f.known_cost = Some(Err(why()))), [Reason::NoKnownCost { why: why() }]);
    assert_eq!(reasons(|f| f.cpu_share = Some(0.74)), [Reason::Starved { share: 0.74 }]);
    assert_eq!(reasons(|f| f.cpu_share = Some(0.76)), []);
    let quota = |cpus| Quota {
        cpus,
        file: "/a".to_owned(),
        unlimited: "max".into(),
        value: "1 2".to_owned(),
    };
    let of_a = |cpus| Reason::Quota { cpus, file: "/a".to_owned() };
    assert_eq!(reasons(|f| f.environment.quota = Some(quota(0.5))), [of_a(0.5)]);
    assert_eq!(reasons(|f| f.environment.quota = Some(quota(1.0))), []);
    let held = |held| move |f: &mut Findings| look(f).mhz.as_mut().expect("one").held = held;
    assert_eq!(reasons(held(0.2)), []);
    assert_eq!(reasons(held(0.1)), [Reason::FrequencyWanders { held: 0.1 }]);
}

#[test]
fn one_quiet_processor_is_enough() {
    let quiet = |quiet: [usize; 2]| {
        move |f: &mut Findings| {
            for (share, quiet) in look(f).shares.iter_mut().zip(quiet) {
                share.quiet = quiet;
            }
        }
    };
    assert_eq!(reasons(quiet([0, 20])), []);
    assert_eq!(reasons(quiet([19, 0])), [Reason::NeverQuiet { best: 0.019 }]);
    // No dozen of readings agree: no window was quiet.
    let never = |f: &mut Findings| {
        quiet([0, 0])(f);
        look(f).lowest_contention = None;
    };
    assert_eq!(reasons(never), [Reason::NeverQuiet { best: 0.0 }]);
}

#[test]
fn a_core_of_a_known_kind_must_have_been_as_quiet_as_its_kind_is() {
    let lowest = |lowest| move |f: &mut Findings| look(f).lowest_contention = Some(lowest);
    assert_eq!(reasons(lowest(0.2215)), []);
    let unfit = Reason::NeverAsQuietAsKnown { lowest: 0.25, known: 0.2130 };
    assert_eq!(reasons(lowest(0.25)), [unfit]);
    let unknown = |f: &mut Findings| {
        lowest(0.25)(f);
        look(f).known_quiet = None;
    };
    assert_eq!(reasons(unknown), [], "nothing is claimed of other kinds");
    let mut findings = fit();
    unknown(&mut findings);
    let line =
        "contention  0.2500 at the lowest; what this kind of core reads alone is not known\n";
    let told = render(&findings).replace("\n            ", " ");
    assert!(told.contains(line), "{told}");
}

#[test]
fn a_wrong_cost_is_excused_only_by_a_frequency_that_was_seen() {
    let cost = |ns_per_byte: f64, mhz: f64| {
        move |f: &mut Findings| {
            let cycles_per_byte = Some(ns_per_byte * mhz / 1e3);
            let by_itself_ns = (1.142, 1.144);
            f.known_cost = Some(Ok(Comparison { ns_per_byte, by_itself_ns, cycles_per_byte }));
        }
    };
    assert_eq!(reasons(cost(1.150, 3500.0)), []);
    // 4 cycles at 3200 MHz, which the look has met.
    let cycles_tell = known_cost::CYCLES_PER_BYTE.is_some();
    assert_eq!(reasons(cost(1.250, 3200.0)).is_empty(), cycles_tell);
    let wrong = |reasons: Vec<Reason>| match reasons[..] {
        [Reason::WrongKnownCost { deviation, cycles_are_right }] => (deviation, cycles_are_right),
        _ => panic!("{reasons:?}"),
    };
    // At 3000 MHz, which it has not met, as if a tick's length were wrong.
    let (deviation, cycles_are_right) = wrong(reasons(cost(4.0 / 3.0, 3000.0)));
    assert!((deviation - 0.1655).abs() < 1e-3, "{deviation}");
    assert_eq!(cycles_are_right, cycles_tell);
    let (deviation, cycles_are_right) = wrong(reasons(cost(1.10, 3500.0)));
    assert!((deviation + 0.0368).abs() < 1e-3, "{deviation}");
    assert!(!cycles_are_right);
}

#[test]
fn the_worst_machine_fits_a_screen() {
    let mut findings = fit();
    let shares = (0..16).map(|at| QuietShare { cpu: Some(8 * at), windows: 1000, quiet: at % 9 });
    *look(&mut findings) = Look {
        shares: shares.collect(),
        processors: 128,
        lowest_contention: Some(0.3),
        mhz: Some(Mhz { usual: 3500.0, held: 0.1, range: (800.0, 5100.0) }),
        ..look(&mut findings).clone()
    };
    findings.environment = Environment::read(Path::new("/nonexistent"));
    findings.environment.cpu_model = Some("A Processor With A Long Name @ 3.50GHz".to_owned());
    findings.environment.online_cpus = Some((0..128).collect());
    findings.environment.virtualised = Some(true);
    findings.environment.quota = Some(Quota {
        cpus: 0.5,
        file: "/sys/fs/cgroup/cpu.max".to_owned(),
        unlimited: "max".into(),
        value: "50000 100000".to_owned(),
    });
    findings.known_cost = Some(Ok(Comparison {
        ns_per_byte: 1.5,
        by_itself_ns: (1.142, 1.344),
        cycles_per_byte: Some(4.5),
    }));
    findings.cpu_share = Some(0.5);
    let screen = render(&findings);
    assert!(screen.lines().count() <= 24, "{screen}");
    for line in screen.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(
        screen.contains("1 % on processor 64, 0 % in the median, 0 % on processor"),
        "{screen}"
    );
    assert!(screen.contains("(16 of\n            128)"), "{screen}");
    assert_eq!(screen.matches("\nUNFIT       - ").count(), 1, "{screen}");
    assert_eq!(screen.matches("\n            - ").count(), 4, "{screen}");
    let Verdict::Unfit(reasons) = verdict(&findings) else { panic!("{screen}") };
    assert_eq!(reasons.len(), 5, "{reasons:?}");
}
