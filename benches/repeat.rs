//! Is the same number there tomorrow? Runs the program several times, spread over some minutes, and
//! tells how much each row differs from run to run: at one frequency, in cycles, and in the time that
//! passed; and how often the interval that a run states holds the median of all runs.
//!
//! `cargo bench --bench repeat -- --runs 8 --minutes 20 hash`: what stands behind is given to the program,
//! once for each word `--` in between: `-- hash -- cipher aes blowfish arcfour` are run in turn.

use std::collections::BTreeMap;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use bench_slope::fit::median;
use bench_slope::record::Run;

/// What is asked for.
struct Wish {
    runs: usize,
    minutes: f64,
    commands: Vec<Vec<String>>,
}

impl Wish {
    fn of(words: impl Iterator<Item = String>) -> Option<Wish> {
        let mut wish = Wish { runs: 8, minutes: 0.0, commands: Vec::new() };
        // cargo says it is a benchmark.
        let mut words = words.filter(|word| word != "--bench").peekable();
        while let Some(option) = words.next_if(|word| word.starts_with("--") && word != "--") {
            let value = words.next()?;
            match option.as_str() {
                "--runs" => wish.runs = value.parse().ok().filter(|&runs| runs >= 2)?,
                "--minutes" => wish.minutes = value.parse().ok().filter(|m: &f64| *m >= 0.0)?,
                _ => return None,
            }
        }
        let words: Vec<String> = words.collect();
        let commands = words.split(|word| word == "--").filter(|words| !words.is_empty());
        wish.commands = commands.map(<[String]>::to_vec).collect();
        if wish.commands.is_empty() {
            wish.commands.push(vec!["hash".to_owned()]);
        }
        Some(wish)
    }
}

fn main() -> ExitCode {
    let Some(wish) = Wish::of(std::env::args().skip(1)) else {
        eprintln!("usage: repeat [--runs N] [--minutes M] [WORDS OF THE PROGRAM [-- OTHER WORDS]]");
        return ExitCode::from(2);
    };
    let begin = Instant::now();
    let mut all: Vec<Vec<(Run, f64)>> = vec![Vec::new(); wish.commands.len()];
    for round in 0..wish.runs {
        let share = round as f64 / (wish.runs - 1) as f64;
        let due = Duration::from_secs_f64(60.0 * wish.minutes * share);
        std::thread::sleep(due.saturating_sub(begin.elapsed()));
        for (runs, words) in all.iter_mut().zip(&wish.commands) {
            match run(words) {
                Ok(run) => runs.push(run),
                Err(reason) => {
                    eprintln!("{}: {reason}", words.join(" "));
                    return ExitCode::FAILURE;
                }
            }
        }
    }
    let minutes = begin.elapsed().as_secs_f64() / 60.0;
    println!("{} runs of each within {minutes:.0} minutes", wish.runs);
    for (runs, words) in all.iter().zip(&wish.commands) {
        tell(words, runs);
    }
    ExitCode::SUCCESS
}

/// One run of the program, and the seconds it took.
fn run(words: &[String]) -> Result<(Run, f64), String> {
    let begin = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_bench-slope"))
        .args(["--quiet", "--format", "json"])
        .args(words)
        .output()
        .map_err(|error| error.to_string())?;
    let seconds = begin.elapsed().as_secs_f64();
    let run = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    Ok((run, seconds))
}

/// What the runs say of one row.
#[derive(Default)]
struct Row {
    /// Nanoseconds per unit, all at the frequency of the first run.
    at_one_frequency: Vec<f64>,
    /// Nanoseconds per unit as they passed.
    passed: Vec<f64>,
    /// Stated errors, relative.
    errors: Vec<Option<f64>>,
}

fn tell(words: &[String], runs: &[(Run, f64)]) {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let mut lacking = 0;
    let first_mhz = runs.iter().find_map(|(run, _)| Some(run.reference?.mhz));
    for (run, _) in runs {
        for record in &run.records {
            let Ok(measured) = &record.result else {
                lacking += 1;
                continue;
            };
            let to_first = measured.told_at_mhz.zip(first_mhz).map_or(1.0, |(own, mhz)| own / mhz);
            let row = rows.entry(format!("{} {}", record.section, record.name())).or_default();
            row.at_one_frequency.push(measured.ns_per_unit * to_first);
            row.passed.push(measured.measured_ns_per_unit);
            row.errors.push(measured.relative_error);
        }
    }
    let mut seconds: Vec<f64> = runs.iter().map(|&(_, seconds)| seconds).collect();
    seconds.sort_by(f64::total_cmp);
    println!(
        "\n`{}`: {} rows, {:.1} s a run (median), {lacking} times no number",
        words.join(" "),
        rows.len(),
        median(&seconds).unwrap_or(0.0)
    );
    let mhz = runs.iter().filter_map(|(run, _)| run.reference);
    let (slowest, fastest) = mhz.fold((f64::INFINITY, 0.0_f64), |(slow, fast), reference| {
        (slow.min(reference.slowest_mhz), fast.max(reference.fastest_mhz))
    });
    if slowest <= fastest {
        println!("the core ran at {slowest:.0} to {fastest:.0} MHz");
    }
    let of = |value: fn(&Row) -> &[f64]| -> Vec<(f64, String)> {
        let mut cvs: Vec<(f64, String)> =
            rows.iter().map(|(name, row)| (variation(value(row)), name.clone())).collect();
        cvs.sort_by(|a, b| a.0.total_cmp(&b.0));
        cvs
    };
    for (what, cvs) in [
        ("at one frequency", of(|row| &row.at_one_frequency)),
        ("as time passed", of(|row| &row.passed)),
    ] {
        let (Some(middle), Some(worst)) = (cvs.get(cvs.len() / 2), cvs.last()) else { continue };
        let next: Vec<String> =
            cvs.iter().rev().skip(1).take(3).map(|(cv, name)| format!("{name} {cv:.2}")).collect();
        println!(
            "CV of ns {what}: median {:.3} %, worst {:.2} % ({}; then {})",
            middle.0,
            worst.0,
            worst.1,
            next.join(", ")
        );
    }
    let (mut held, mut stated) = (0, 0);
    for row in rows.values() {
        let Some(middle) = median(&row.at_one_frequency) else { continue };
        for (&ns, error) in row.at_one_frequency.iter().zip(&row.errors) {
            let Some(error) = error else { continue };
            stated += 1;
            held += usize::from((ns - middle).abs() <= error * ns);
        }
    }
    let share = 100.0 * f64::from(held as u32) / f64::from(stated.max(1) as u32);
    println!(
        "the stated interval holds the median of all runs in {share:.1} % ({held} of {stated})"
    );
}

/// The coefficient of variation, in per cent.
fn variation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    100.0 * (squares / (count - 1.0).max(1.0)).sqrt() / mean
}
