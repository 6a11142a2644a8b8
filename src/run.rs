//! The story of one run.

mod comparison;
mod other;

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bench_slope_algorithms::{Catalogue, Section};

use crate::choose::{Group, Wanted, choose, list};
use crate::cli::{self, Options, Wish};
use crate::clock::machine_clock;
use crate::counters::machine_pmu;
use crate::doctor::{self, Verdict};
use crate::exact::{self, expand};
use crate::gather;
use crate::group::{Machine, Plan, measure, time_limit_ns};
use crate::output::{Reports, Stage};
use crate::report::table::Look;
use crate::selftest;
use crate::tell::{self, ProgressLine};
use crate::threads;
use crate::warning::Warning;
use crate::worker::{WORD, Workers, serve};

/// Exit codes; `docs/architecture.md` lists them.
pub mod code {
    /// All rows measured.
    pub const FINE: u8 = 0;
    /// Some row failed: a wrong answer, a crash, an input or output error.
    pub const FAILED: u8 = 1;
    /// The command line was wrong; nothing was timed.
    pub const USAGE: u8 = 2;
    /// Interrupted; finished rows were kept.
    pub const INTERRUPTED: u8 = 130;
    /// Skipped on request, by the convention of test suites.
    pub const SKIPPED: u8 = 77;
}

/// When this variable is set, the program without arguments does nothing.
pub const NO_BENCHMARKS: &str = "BENCH_SLOPE_NO_BENCHMARKS";

/// When this variable is set, it names the row of `--endless`.
pub const ENDLESS: &str = "BENCH_SLOPE_ENDLESS";

/// Runs the program on this machine with this process's standard streams.
pub fn run_here(words: impl IntoIterator<Item = OsString>, catalogue: Catalogue) -> u8 {
    let mut words: Vec<OsString> = words.into_iter().collect();
    if words.len() <= 1 && std::env::var_os(NO_BENCHMARKS).is_some() {
        // When standard error is closed the exit code tells.
        let _ = writeln!(io::stderr(), "skipped: {NO_BENCHMARKS} is set");
        return code::SKIPPED;
    }
    let is_worker = words.get(1).is_some_and(|word| word == WORD);
    if let Some(name) = std::env::var_os(ENDLESS).filter(|name| !name.is_empty() && !is_worker) {
        let told = |word: &OsString| word.to_string_lossy().starts_with("--endless");
        if !words.iter().any(told) {
            words.extend(["--endless".into(), name]);
        }
    }
    // On Linux this very program, even when its file is replaced or removed while it runs.
    let this = std::path::PathBuf::from("/proc/self/exe");
    let program = if this.exists() { Ok(this) } else { std::env::current_exe() };
    let workers = program.map_or(Workers::InProcess, Workers::Processes);
    let interrupted = Arc::new(AtomicBool::new(false));
    // A worker just ends.
    if !is_worker {
        stop_on_interruption(&interrupted);
    }
    let (clock, pmu, patience) = (machine_clock(), machine_pmu(), Machine::PATIENCE);
    let root = "/".into();
    let machine = Machine { catalogue, clock, pmu, workers, patience, interrupted, root };
    // As NO_COLOR, CLICOLOR and the kind of terminal have it.
    let styled = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    run_on(words, &machine, styled, &mut io::stdout().lock(), &mut io::stderr())
}

/// Lets the first interruption set `interrupted`, and the second end the program at once.
fn stop_on_interruption(interrupted: &Arc<AtomicBool>) {
    let interrupted = interrupted.clone();
    let installed = ctrlc::set_handler(move || {
        if interrupted.swap(true, Ordering::Relaxed) {
            std::process::exit(code::INTERRUPTED.into());
        }
    });
    // Without a handler an interruption ends the program as it ends any other.
    drop(installed);
}

/// Runs the program on a machine, real or invented; returns the exit code.
pub fn run(
    words: impl IntoIterator<Item = OsString>,
    machine: &Machine,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    run_on(words, machine, false, out, err)
}

/// The same with style and colour, where what is told has some.
pub fn run_on(
    words: impl IntoIterator<Item = OsString>,
    machine: &Machine,
    styled: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let err = &mut Unheard(err);
    let outcome = match cli::parse(words) {
        Ok(Wish::Measure { section, names, options }) => {
            measure_all(section, &names, &options, machine, styled, out, err)
        }
        Ok(Wish::Endless { name, options }) => other::run_endless(&name, &options, machine, err),
        Ok(Wish::SelfTest { json }) => selftest::run(&machine.catalogue, json, out, err)
            .map(|tally| if tally.wrong == 0 { code::FINE } else { code::FAILED }),
        Ok(Wish::Doctor { options }) => examine(&options, machine, out, err),
        Ok(Wish::Compare { comparison, options }) => {
            comparison::compare_all(&comparison, &options, styled, machine, out, err)
        }
        Ok(Wish::Work) => {
            let Machine { catalogue, clock, pmu, .. } = machine;
            serve(catalogue, &**clock, &**pmu, &mut io::stdin(), out).map(|()| code::FINE)
        }
        Err(early) if early.asked_for => write!(out, "{}", early.text).map(|()| code::FINE),
        Err(early) => write!(err, "{}", early.text).map(|()| code::USAGE),
    };
    match outcome.and_then(|code| out.flush().map(|()| code)) {
        Ok(code) => code,
        // The reader of standard output has seen enough, as `head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => code::FINE,
        Err(error) => {
            // A full disk beneath standard output says only that; what else is written names itself.
            let full = error.raw_os_error().is_some() && error.kind() == io::ErrorKind::StorageFull;
            let what = if full { "standard output: " } else { "" };
            let _ = writeln!(err, "error: {what}{error}");
            code::FAILED
        }
    }
}

/// Standard error that nobody may read any more, or that is full: what is said there is lost, and the
/// run goes on. Numbers, files and the exit code tell what there is to tell.
struct Unheard<'a>(&'a mut dyn Write);

impl Write for Unheard<'_> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        match self.0.write(text) {
            // So that whoever writes all of it tries again.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Ok(written) if written > 0 => Ok(written),
            _ => Ok(text.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.0.flush();
        Ok(())
    }
}

/// Look up every name, then measure and tell section by section.
fn measure_all(
    section: Option<Section>,
    names: &[String],
    options: &Options,
    machine: &Machine,
    styled: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<u8> {
    let look = Look { styled, bars: options.bars };
    let include_slow = options.include_slow || options.quick;
    let filter = options.filter.as_ref();
    let wanted = Wanted {
        section,
        names,
        filter,
        include_slow,
        with_message: other::needs_message(options),
    };
    let groups = match choose(&machine.catalogue, &wanted) {
        Ok(groups) => groups,
        Err(refusal) => {
            tell::refusal(&machine.catalogue, &refusal, err);
            return Ok(code::USAGE);
        }
    };
    let sizes = options.bytes.as_deref().unwrap_or_default();
    if let Err(wrong) = exact::check(groups.iter().flat_map(|(_, cases)| cases), sizes) {
        writeln!(err, "error: --bytes: {wrong}")?;
        return Ok(code::USAGE);
    }
    if let Some(refusal) = other::refusal(options, &groups) {
        writeln!(err, "error: {refusal}")?;
        return Ok(code::USAGE);
    }
    if options.list {
        out.write_all(list(&groups, section.is_none()).as_bytes())?;
        return Ok(code::FINE);
    }
    let (environment, cpus) = match gather::place(options, machine) {
        Ok(place) => place,
        Err(reason) => {
            writeln!(err, "error: {reason}")?;
            return Ok(code::USAGE);
        }
    };
    let preferred = |threads| threads::choose(threads, &cpus, &machine.root);
    let parallel = match options.threads.map(preferred).transpose() {
        Ok(parallel) => parallel,
        Err(reason) => {
            let asked = options.threads.unwrap_or_default();
            writeln!(err, "error: --threads {asked}: {reason}")?;
            return Ok(code::USAGE);
        }
    };
    let mut reports =
        match Reports::new(options.format(), look, &options.output, options.plot.as_ref()) {
            Ok(reports) => reports,
            Err(unwritable) => {
                writeln!(err, "error: {unwritable}")?;
                return Ok(code::USAGE);
            }
        };
    let counting = gather::counting(machine, options, &cpus);
    let beginning = gather::begin(options, environment, &counting);
    let (mut whole, environment) = (beginning.clone(), &beginning.environment);
    if options.verbose {
        tell::facts(environment, err)?;
    }
    if !options.quiet {
        tell::advice(&beginning, err)?;
        tell::not_counted(&beginning.counters, err)?;
        if let Some(parallel) = &parallel {
            tell::threads(parallel, other::message_bytes(options), err)?;
        }
    }
    let wrong = if options.quick {
        selftest::wrong_answers(&machine.catalogue, options.quiet, err)?
    } else {
        HashMap::new()
    };
    if wanted.with_message.is_some() && section.is_none() && !options.quiet {
        writeln!(
            err,
            "note: key derivation is left out: it has no message whose size could be chosen"
        )?;
    }
    let mut failed = !wrong.is_empty();
    let plan = Plan {
        repetitions: options.repetitions,
        precision: options.precision,
        time_limit: options.time_limit,
        unaligned: options.unaligned,
        quick: options.quick,
        samples: options.samples,
        sizes: beginning.conditions.sizes.as_deref(),
        min_epoch_ns: beginning.conditions.min_epoch_ns,
        growth: beginning.conditions.growth,
        message_bytes: options.message,
        cpus: &cpus,
        counters: &counting.events,
        at_mhz: options.at_mhz,
    };
    let groups: Vec<Group> =
        groups.into_iter().map(|(section, cases)| (section, expand(&cases, sizes))).collect();
    for (at, (section, cases)) in groups.iter().enumerate() {
        let rest = &groups[at + 1..];
        let after = rest.iter().map(|(_, cases)| time_limit_ns(cases, plan));
        let line = ProgressLine::new(*section, after.sum::<u64>() as f64 / 1e9);
        let mut show = |progress| line.show(progress);
        // All sections of a run are told at the frequency of the first.
        let at_mhz = plan.at_mhz.or(whole.reference.map(|reference| reference.mhz));
        let plan = Plan { at_mhz, ..plan };
        let measured = match &parallel {
            Some(parallel) => {
                let bytes = other::message_bytes(options);
                threads::measure(machine, cases, bytes, parallel, &mut show)
            }
            None => measure(machine, cases, plan, &mut show),
        };
        line.clear();
        let gathered = match measured {
            Ok(gathered) => gathered,
            Err(error) => {
                // What was measured before is not lost.
                if !whole.records.is_empty() {
                    reports.tell(&mut whole, Stage::CutShort, out, err)?;
                }
                return Err(error);
            }
        };
        let part = gather::part(&beginning, gathered, &wrong);
        whole.add(&part);
        let interrupted = machine.is_interrupted();
        let stage = match (interrupted, rest.is_empty()) {
            (true, _) => Stage::CutShort,
            (false, true) => Stage::Complete,
            (false, false) => Stage::GoingOn,
        };
        failed |= part.has_error(options.quick);
        let told = reports.tell(&mut whole, stage, out, err);
        tell::failures(&part, options.quick, err)?;
        match told {
            // A reader who leaves does not make good what failed.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe && failed => {
                return Ok(code::FAILED);
            }
            told => told?,
        }
        if !options.quiet {
            tell::advice(&part, err)?;
        }
        if options.verbose {
            tell::details(&part, err)?;
        }
        if interrupted {
            return tell_interrupted(rest, err);
        }
    }
    if groups.is_empty() {
        reports.tell(&mut whole, Stage::Complete, out, err)?;
    }
    if !options.quiet {
        let all = names.is_empty() && !include_slow && filter.is_none();
        let sections = section.map_or_else(|| Section::BY_SLOPE.to_vec(), |section| vec![section]);
        let left_out = if all { tell::slow(&machine.catalogue, &sections) } else { Vec::new() };
        tell::predictions(&whole.records, err)?;
        tell::closing(&left_out, environment, options.threads.is_none(), err)?;
    }
    Ok(if failed || reports.failed() { code::FAILED } else { code::FINE })
}

/// Tells whether the machine is fit to measure.
fn examine(
    options: &Options,
    machine: &Machine,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<u8> {
    let (environment, cpus) = match gather::place(options, machine) {
        Ok(place) => place,
        Err(reason) => {
            writeln!(err, "error: {reason}")?;
            return Ok(code::USAGE);
        }
    };
    if options.verbose {
        tell::facts(&environment, err)?;
        // The screen has them in a few words each.
        if !options.quiet {
            tell::warnings(environment.warnings().iter().map(Warning::advice), err)?;
        }
    }
    let findings = doctor::examine(machine, environment, &cpus)?;
    if machine.is_interrupted() {
        writeln!(err, "interrupted: too little was seen to tell")?;
        return Ok(code::INTERRUPTED);
    }
    out.write_all(doctor::render(&findings).as_bytes())?;
    let is_fit = doctor::verdict(&findings) == Verdict::Fit;
    Ok(if is_fit { code::FINE } else { code::FAILED })
}

fn tell_interrupted(rest: &[Group], err: &mut dyn Write) -> io::Result<u8> {
    let rest: Vec<&str> = rest.iter().map(|(section, _)| section.word()).collect();
    let rest =
        if rest.is_empty() { String::new() } else { format!("; not begun: {}", rest.join(", ")) };
    writeln!(err, "interrupted: what was measured before is above{rest}")?;
    Ok(code::INTERRUPTED)
}
