//! What the place of stack, message and heap in memory does to the cost of a call, within one process and
//! from process to process:
//!
//! ```text
//! cargo run --release --example placement -- PROCESSES SIZE NAME...
//! ```
//!
//! Prints per row, in per cent above the lowest that any process saw: for each factor that is moved by
//! itself, the lowest, the middle and the highest of its places; for places drawn at random, what shares of
//! them cost less, process by process.

use std::collections::BTreeMap;
use std::error::Error;
use std::process::{Command, ExitCode};

use bench_slope::clock::{Clock, grain, machine_clock};
use bench_slope::cpus::Cpus;
use bench_slope::placements::{PAGE, STACK_STEP};
use bench_slope::sample::{on_stack_at, time_calls};
use bench_slope_algorithms::{Case, Catalogue, Placement, Routine, Section};

type Told<T> = Result<T, Box<dyn Error>>;

/// Each place is sampled so many times, in turn with all others.
const PASSES: usize = 12;
/// What a sample lasts.
const SAMPLE_NS: u64 = 12_000;
/// A sample counts when the chains before and after it took the same to within this.
const STEADY: f64 = 0.004;
/// Cycles of a long chain.
const CHAIN_CYCLES: f64 = 12_288.0;
/// A quiet core is looked for this long before each pass.
const PATIENCE_NS: u64 = 300_000_000;
/// Places drawn at random.
const RANDOM: usize = 256;
/// The shares of places that are told.
const SHARES: [f64; 6] = [0.0, 0.03, 0.125, 0.25, 0.5, 0.9];

/// Where everything lies.
#[derive(Clone, Copy, Default)]
struct Place {
    stack: usize,
    message: usize,
    heap: usize,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.split_first() {
        Some((first, rest)) if first == "one" => one_process(rest),
        Some((first, rest)) if rest.len() > 1 => many_processes(first, rest),
        _ => Err("usage: placement PROCESSES SIZE NAME...".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Factors by name, and the places each goes through.
fn factors() -> Vec<(&'static str, Vec<Place>)> {
    let moved = |count: usize, place: &dyn Fn(usize) -> Place| (0..count).map(place).collect();
    let mut state = 1_u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) as usize % below
    };
    let random = (0..RANDOM)
        .map(|_| Place {
            stack: STACK_STEP * draw(16 * PAGE / STACK_STEP),
            message: 64 * draw(16 * PAGE / 64),
            heap: draw(64),
        })
        .collect();
    vec![
        (
            "stack by 16 bytes",
            moved(256, &|at| Place { stack: STACK_STEP * at, ..Place::default() }),
        ),
        ("stack by pages", moved(32, &|at| Place { stack: PAGE * at, ..Place::default() })),
        ("message by 64 bytes", moved(64, &|at| Place { message: 64 * at, ..Place::default() })),
        ("message by pages", moved(32, &|at| Place { message: PAGE * at, ..Place::default() })),
        ("heap", moved(64, &|at| Place { heap: at, ..Place::default() })),
        ("nothing", moved(32, &|_| Place::default())),
        ("random", random),
    ]
}

/// Opens a case with its heap state behind so many odds and ends.
fn open(case: &Case, place: Place, size: usize) -> Told<Box<dyn Routine>> {
    let setup = case.timing_setup_up_to(Placement { offset: place.message }, size);
    let ballast: Vec<Vec<u8>> = (0..place.heap).map(|at| vec![0; 16 + 48 * (at % 7)]).collect();
    let mut routine = case.open(&setup)?;
    drop(ballast);
    routine.prepare(size)?;
    Ok(routine)
}

fn one_process(words: &[String]) -> Told<()> {
    let size: usize = words.first().ok_or("a size")?.parse()?;
    let catalogue = Catalogue::standard();
    let clock: &dyn Clock = &*machine_clock();
    let grain = grain(clock).ok_or("the clock stands still")?;
    let mut cpus = Cpus::new(clock, grain, &[], None);
    for name in &words[1..] {
        let all = Section::ALL.iter().flat_map(|&section| catalogue.cases(section));
        let mut all = all.filter(|case| case.id().contains(&format!("/{name}/")));
        let case = all.next().ok_or_else(|| format!("no {name}"))?;
        let mut routine = open(&case, Place::default(), size)?;
        let begin = clock.monotonic_ns();
        (0..100).for_each(|_| routine.run());
        let call_ns = (clock.monotonic_ns() - begin) / 100;
        let calls = (SAMPLE_NS / call_ns.max(1)).max(1) as u32;
        for (factor, places) in factors() {
            let mut lowest = vec![f64::INFINITY; places.len()];
            for _ in 0..PASSES {
                cpus.settle(clock.monotonic_ns() + PATIENCE_NS);
                for (place, lowest) in places.iter().zip(&mut lowest) {
                    let mut routine = open(&case, *place, size)?;
                    let mut work = || {
                        routine.run();
                        let before = cpus.probe()?;
                        let ticks = time_calls(clock, &mut *routine, calls)?;
                        let after = cpus.probe()?;
                        let chains = [before, after].map(|probe| probe.long_ticks as f64);
                        let is_steady = (chains[0] / chains[1] - 1.0).abs() < STEADY;
                        let contention = before.contention().max(after.contention());
                        (is_steady && cpus.is_quiet(Some(contention)))
                            .then(|| ticks as f64 * 2.0 / (chains[0] + chains[1]))
                    };
                    let cost =
                        on_stack_at(place.stack / PAGE, place.stack % PAGE / STACK_STEP, &mut work)
                            .unwrap_or(f64::INFINITY);
                    *lowest = cost.min(*lowest);
                }
            }
            let told = lowest.iter().filter(|cost| cost.is_finite());
            let told = told.map(|cost| format!("{:.6}", cost * CHAIN_CYCLES / f64::from(calls)));
            let told: Vec<String> = told.collect();
            if told.is_empty() {
                return Err("no sample on a quiet core".into());
            }
            println!("{name};{factor};{}", told.join(" "));
        }
    }
    Ok(())
}

fn many_processes(count: &str, words: &[String]) -> Told<()> {
    let count: usize = count.parse()?;
    // Row and factor, and what each process found.
    let mut found: BTreeMap<(String, String), Vec<Vec<f64>>> = BTreeMap::new();
    for _ in 0..count {
        let output = Command::new(std::env::current_exe()?).arg("one").args(words).output()?;
        if !output.status.success() {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr).trim_end());
        }
        for line in String::from_utf8(output.stdout)?.lines() {
            let mut parts = line.split(';');
            let (Some(name), Some(factor), Some(ticks)) =
                (parts.next(), parts.next(), parts.next())
            else {
                return Err("a process told nonsense".into());
            };
            let mut ticks: Vec<f64> = ticks.split(' ').map(str::parse).collect::<Result<_, _>>()?;
            ticks.sort_by(f64::total_cmp);
            found.entry((name.to_owned(), factor.to_owned())).or_default().push(ticks);
        }
    }
    for name in &words[1..] {
        let of_row = found.iter().filter(|((row, _), _)| row == name);
        let floor = of_row.clone().flat_map(|(_, processes)| processes.iter().flatten());
        let floor = floor.copied().fold(f64::INFINITY, f64::min);
        println!("{name}: lowest {floor:.1} cycles");
        for ((_, factor), processes) in of_row {
            for ticks in processes {
                let at = |share: f64| ticks[((ticks.len() - 1) as f64 * share) as usize];
                let shares = SHARES.map(|share| 100.0 * (at(share) / floor - 1.0));
                let shares: Vec<String> =
                    shares.iter().map(|share| format!("{share:6.2}")).collect();
                println!("  {factor:20} {}", shares.join(" "));
            }
        }
    }
    Ok(())
}
