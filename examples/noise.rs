//! Draws the two pictures of noise in `docs/method.md` on this machine, from real measurements:
//!
//! ```text
//! cargo run --release --example noise -- docs
//! ```
//!
//! `contention.svg`: what the wide kernel reads beside the chain over half a minute, and what SHA-512
//! costs in the same windows. `layouts.svg`: what two rows cost in one process after another.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bench_slope::clock::{Clock, grain, machine_clock};
use bench_slope::counters::{Absence, NoPmu};
use bench_slope::cpus::{allowed, lowest_agreed, stay_on};
use bench_slope::fit::{floor_of_process, lowest_mean};
use bench_slope::frequency::probe;
use bench_slope::group::{Machine, Plan, measure};
use bench_slope::record::Sample;
use bench_slope::run::run_here;
use bench_slope::worker::{WORD, Workers};
use bench_slope_algorithms::{Case, Catalogue, Placement, Section};

use plotters::prelude::*;

type Drawn<T> = Result<T, Box<dyn Error>>;

const BLUE: RGBColor = RGBColor(0, 114, 178);
const ORANGE: RGBColor = RGBColor(213, 94, 0);
const COLOURS: [RGBColor; 2] = [BLUE, ORANGE];
const FONT: &str = "sans-serif";

/// The longest message, in bytes.
const LONGEST: usize = 4096;
/// How long the core is looked at.
const LOOK_NS: u64 = 30_000_000_000;
/// How long one processor is looked at before the next has its turn.
const TURN_NS: u64 = 40_000_000;
/// The beginning of a turn that is not recorded: a processor that was idle runs slowly for a moment.
const WARM_UP_NS: u64 = 15_000_000;
/// Calls between two looks: about as long as a window of a measurement.
const CALLS: u32 = 50;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(WORD) {
        return ExitCode::from(run_here(std::env::args_os(), Catalogue::standard()));
    }
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: noise FOLDER");
        return ExitCode::from(2);
    };
    match draw(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn draw(folder: &Path) -> Drawn<()> {
    let catalogue = Catalogue::standard();
    draw_layouts(&folder.join("layouts.svg"), &catalogue)?;
    draw_contention(&folder.join("contention.svg"), &windows(&catalogue)?)
}

fn case(catalogue: &Catalogue, algorithm: &str) -> Drawn<Case> {
    let found = catalogue.cases(Section::Hash).find(|case| case.entry.algorithm == algorithm);
    found.ok_or_else(|| format!("no hash {algorithm}").into())
}

/// A window: SHA-512 between two looks at the core.
struct Window {
    seconds: f64,
    cpu: usize,
    contention: f64,
    ns_per_byte: f64,
}

fn windows(catalogue: &Catalogue) -> Drawn<Vec<Window>> {
    let case = case(catalogue, "SHA512")?;
    let mut routine = case.open(&case.timing_setup(Placement::default()))?;
    routine.prepare(LONGEST)?;
    let clock: &dyn Clock = &*machine_clock();
    let grain = grain(clock).ok_or("the clock stands still")?;
    let cpus = allowed().ok_or("the processors of this process are not known")?;
    let (mut windows, begin) = (Vec::new(), clock.monotonic_ns());
    for &cpu in cpus.iter().take(COLOURS.len()).cycle() {
        let turn = clock.monotonic_ns();
        if turn - begin > LOOK_NS {
            break;
        }
        stay_on(&[cpu])?;
        let mut last = None;
        while clock.monotonic_ns() - turn < TURN_NS {
            let before = probe(clock, grain).ok_or("the clock is too coarse")?.contention();
            let from = clock.monotonic_ns();
            (0..CALLS).for_each(|_| routine.run());
            let ns = (clock.monotonic_ns() - from) as f64;
            let after = probe(clock, grain).ok_or("the clock is too coarse")?.contention();
            last = (from - turn > WARM_UP_NS).then(|| Window {
                seconds: (from - begin) as f64 / 1e9,
                cpu,
                contention: before.max(after),
                ns_per_byte: ns / f64::from(CALLS) / LONGEST as f64,
            });
        }
        // One of a turn is enough to draw.
        windows.extend(last);
    }
    Ok(windows)
}

fn draw_contention(path: &Path, windows: &[Window]) -> Drawn<()> {
    let lowest = lowest_agreed(windows.iter().map(|window| window.contention));
    let lowest = lowest.ok_or("no dozen of windows agrees on what is quiet")?;
    let quiet = lowest * 1.04;
    let highest = windows.iter().map(|window| window.contention).fold(0.0, f64::max);
    let range = lowest * 0.95..highest.min(2.0 * lowest) * 1.02;
    let dearest = windows.iter().map(|window| window.ns_per_byte).fold(0.0, f64::max);
    let cheapest = windows.iter().map(|window| window.ns_per_byte).fold(f64::MAX, f64::min);
    let costs = 0.9 * cheapest..dearest.min(3.0 * cheapest) * 1.02;
    let area = SVGBackend::new(path, (860, 720)).into_drawing_area();
    area.fill(&WHITE)?;
    let (upper, lower) = area.split_vertically(360);
    let seconds = LOOK_NS as f64 / 1e9;
    let mut chart = ChartBuilder::on(&upper)
        .margin(14)
        .caption("Contention of two processors of a guest, over time", (FONT, 19))
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..seconds, range.clone())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("seconds")
        .y_desc("contention")
        .label_style((FONT, 13))
        .draw()?;
    chart.draw_series(LineSeries::new([(0.0, quiet), (seconds, quiet)], BLACK))?;
    for (colour, windows) in by_cpu(windows) {
        let points = windows.iter().map(|w| (w.seconds, w.contention.min(range.end)));
        chart.draw_series(points.map(|at| Circle::new(at, 1, colour.filled())))?;
    }
    let mut chart = ChartBuilder::on(&lower)
        .margin(14)
        .caption(
            "What SHA-512 costs in the same windows; quiet ones are left of the line",
            (FONT, 19),
        )
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(range.clone(), costs.clone())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("contention, the higher of before and after")
        .y_desc("ns/B")
        .label_style((FONT, 13))
        .draw()?;
    chart.draw_series(LineSeries::new([(quiet, costs.start), (quiet, costs.end)], BLACK))?;
    for (colour, windows) in by_cpu(windows) {
        let points =
            windows.iter().map(|w| (w.contention.min(range.end), w.ns_per_byte.min(costs.end)));
        chart.draw_series(points.map(|at| Circle::new(at, 1, colour.filled())))?;
    }
    area.present()?;
    let share = |of: &dyn Fn(&Window) -> bool| {
        let costs: Vec<f64> =
            windows.iter().filter(|window| of(window)).map(|window| window.ns_per_byte).collect();
        let mut sorted = costs.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| sorted.get((share * sorted.len() as f64) as usize).copied();
        format!("{} windows, ns/B at 5, 50, 95 %: {:?}", costs.len(), [at(0.05), at(0.5), at(0.95)])
    };
    println!("quiet below {quiet:.4}: {}", share(&|window| window.contention <= quiet));
    println!("contended: {}", share(&|window| window.contention > quiet));
    Ok(())
}

/// The windows of each processor, with its colour.
fn by_cpu(windows: &[Window]) -> Vec<(RGBColor, Vec<&Window>)> {
    let mut groups: BTreeMap<usize, Vec<&Window>> = BTreeMap::new();
    for window in windows {
        groups.entry(window.cpu).or_default().push(window);
    }
    COLOURS.into_iter().zip(groups.into_values()).collect()
}

/// What a process costs: the median over the larger sizes of its floor, in bytes.
fn costs(samples: &[Sample]) -> Vec<f64> {
    let mut processes: BTreeMap<u32, BTreeMap<u32, BTreeMap<usize, f64>>> = BTreeMap::new();
    for sample in samples.iter().filter(|sample| sample.size >= LONGEST / 2) {
        let rounds = processes.entry(sample.worker).or_default();
        rounds.entry(sample.round).or_default().insert(sample.size, sample.ns);
    }
    let costs = processes.into_values().filter_map(|rounds| {
        let sizes: Vec<usize> = (LONGEST / 2..=LONGEST).step_by(64).collect();
        let rounds: Vec<Vec<f64>> = rounds
            .into_values()
            .map(|round| {
                sizes.iter().map(|size| round.get(size).copied().unwrap_or(f64::NAN)).collect()
            })
            .collect();
        let floors = floor_of_process(&rounds);
        let mut each: Vec<f64> = floors.iter().zip(&sizes).map(|(ns, &n)| ns / n as f64).collect();
        each.retain(|ns| ns.is_finite());
        each.sort_unstable_by(f64::total_cmp);
        each.get(each.len() / 2).copied()
    });
    costs.collect()
}

fn draw_layouts(path: &Path, catalogue: &Catalogue) -> Drawn<()> {
    const ALGORITHMS: [&str; 2] = ["GOSTR3411_94", "WHIRLPOOL"];
    let machine = Machine {
        catalogue: catalogue.clone(),
        clock: machine_clock(),
        pmu: Arc::new(NoPmu(Absence::SwitchedOff)),
        workers: Workers::Processes(std::env::current_exe()?),
        patience: Machine::PATIENCE,
        interrupted: Arc::default(),
        root: "/".into(),
    };
    let plan = Plan {
        precision: Some(1e-5),
        time_limit: Some(Duration::from_secs(10)),
        samples: true,
        ..Plan::default()
    };
    let cases = ALGORITHMS.map(|algorithm| case(catalogue, algorithm));
    let cases = cases.into_iter().collect::<Drawn<Vec<Case>>>()?;
    let records = measure(&machine, &cases, plan, &mut |_| ())?.records;
    let area = SVGBackend::new(path, (860, 620)).into_drawing_area();
    area.fill(&WHITE)?;
    for (record, panel) in records.iter().zip(area.split_evenly((ALGORITHMS.len(), 1))) {
        let costs = costs(record.samples.as_deref().unwrap_or_default());
        let lowest = lowest_mean(&mut costs.clone(), 0.125).ok_or("no process has a number")?;
        let range = 0.99 * lowest..1.08 * lowest;
        let mut chart = ChartBuilder::on(&panel)
            .margin(14)
            .caption(format!("{}: what each process costs", record.name()), (FONT, 19))
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(0..costs.len(), range.clone())?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc("process, in the order of time")
            .y_desc("ns/B")
            .label_style((FONT, 13))
            .draw()?;
        let points = costs.iter().enumerate();
        let points = points.map(|(at, ns)| Circle::new((at, ns.min(range.end)), 2, BLUE.filled()));
        chart.draw_series(points)?;
        let above = costs.iter().filter(|&&ns| ns > 1.015 * lowest).count();
        println!(
            "{}: {} processes, {above} of them 1.5 % above the floor",
            record.name(),
            costs.len()
        );
    }
    area.present()?;
    Ok(())
}
