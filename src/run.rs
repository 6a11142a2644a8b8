//! The story of one run.

mod comparison;

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use bench_slope_algorithms::{Catalogue, Section};

use crate::choose::{Group, Wanted, choose, list};
use crate::cli::{self, Options, Wish};
use crate::clock::machine_clock;
use crate::cpus;
use crate::environment::Environment;
use crate::group::{Machine, Plan, measure, time_limit_ns};
use crate::output::{Files, Screen};
use crate::record::{Frequency, Record, Run};
use crate::selftest;
use crate::tell::{self, ProgressLine};
use crate::versions::Versions;
use crate::warning::Warning;
use crate::wire::Failure;
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

/// Runs the program on this machine with this process's standard streams.
pub fn run_here(words: impl IntoIterator<Item = OsString>, catalogue: Catalogue) -> u8 {
    let words: Vec<OsString> = words.into_iter().collect();
    if words.len() <= 1 && std::env::var_os(NO_BENCHMARKS).is_some() {
        // When standard error is closed the exit code tells.
        let _ = writeln!(io::stderr(), "skipped: {NO_BENCHMARKS} is set");
        return code::SKIPPED;
    }
    // On Linux this very program, even when its file is replaced or removed while it runs.
    let this = std::path::PathBuf::from("/proc/self/exe");
    let program = if this.exists() { Ok(this) } else { std::env::current_exe() };
    let workers = program.map_or(Workers::InProcess, Workers::Processes);
    let interrupted = Arc::new(AtomicBool::new(false));
    // A worker just ends.
    if words.get(1).is_none_or(|word| word != WORD) {
        stop_on_interruption(&interrupted);
    }
    let (clock, patience) = (machine_clock(), Machine::PATIENCE);
    let root = "/".into();
    let machine = Machine { catalogue, clock, workers, patience, interrupted, root };
    // As NO_COLOR, CLICOLOR and the kind of terminal have it.
    let colour = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    run_in(words, &machine, colour, &mut io::stdout().lock(), &mut io::stderr())
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
    run_in(words, machine, false, out, err)
}

/// The same in colour, where what is told has some.
pub fn run_in(
    words: impl IntoIterator<Item = OsString>,
    machine: &Machine,
    colour: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let outcome = match cli::parse(words) {
        Ok(Wish::Measure { section, names, options }) => {
            measure_all(section, &names, &options, machine, out, err)
        }
        Ok(Wish::SelfTest { json }) => self_test(&machine.catalogue, json, out, err),
        Ok(Wish::Compare { comparison, options }) => {
            comparison::compare_all(&comparison, &options, colour, machine, out, err)
        }
        Ok(Wish::Work) => {
            serve(&machine.catalogue, &*machine.clock, &mut io::stdin(), out).map(|()| code::FINE)
        }
        Err(early) if early.asked_for => write!(out, "{}", early.text).map(|()| code::FINE),
        Err(early) => {
            // The exit code tells, even when standard error cannot.
            let _ = write!(err, "{}", early.text);
            Ok(code::USAGE)
        }
    };
    match outcome.and_then(|code| out.flush().map(|()| code)) {
        Ok(code) => code,
        // The reader has seen enough, as `head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => code::FINE,
        Err(error) => {
            // When standard error is gone too, the exit code is all that is left.
            let _ = writeln!(err, "error: {error}");
            code::FAILED
        }
    }
}

/// Look up every name, then measure and tell section by section.
fn measure_all(
    section: Option<Section>,
    names: &[String],
    options: &Options,
    machine: &Machine,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<u8> {
    let include_slow = options.include_slow || options.quick;
    let filter = options.filter.as_ref();
    let wanted = Wanted { section, names, filter, include_slow, with_message: false };
    let groups = match choose(&machine.catalogue, &wanted) {
        Ok(groups) => groups,
        Err(refusal) => {
            tell::refusal(&machine.catalogue, &refusal, err);
            return Ok(code::USAGE);
        }
    };
    if options.list {
        out.write_all(list(&groups, section.is_none()).as_bytes())?;
        return Ok(code::FINE);
    }
    if let Some(cpu) = options.pin
        && let Err(reason) = cpus::check_pin(cpu)
    {
        writeln!(err, "error: --pin {cpu}: {reason}")?;
        return Ok(code::USAGE);
    }
    let mut files = match Files::check(&options.output, options.format()) {
        Ok(files) => files,
        Err(unwritable) => {
            writeln!(err, "error: {unwritable}")?;
            return Ok(code::USAGE);
        }
    };
    let mut screen = Screen::new(options.format(), !files.is_empty());
    let beginning = begin(options, machine);
    let (mut whole, environment) = (beginning.clone(), &beginning.environment);
    if options.verbose {
        tell::facts(environment, err)?;
    }
    if !options.quiet {
        tell::advice(&beginning, err)?;
    }
    let wrong = if options.quick {
        wrong_answers(&machine.catalogue, options, err)?
    } else {
        HashMap::new()
    };
    let mut failed = !wrong.is_empty();
    let cpus = match options.pin {
        Some(cpu) => vec![cpu],
        None => environment.fastest(&cpus::allowed().unwrap_or_default()),
    };
    let plan = Plan {
        repetitions: options.repetitions,
        unaligned: options.unaligned,
        quick: options.quick,
        samples: options.samples,
        cpus: &cpus,
    };
    let mut deliver = |whole: &mut Run, end: bool, err: &mut dyn Write| -> io::Result<()> {
        let interrupted = machine.is_interrupted();
        whole.partial = interrupted || !end;
        for unwritable in files.write(whole, end) {
            writeln!(err, "error: {unwritable}")?;
        }
        whole.partial = interrupted;
        screen.show(whole, end, out)
    };
    for (at, (section, cases)) in groups.iter().enumerate() {
        let rest = &groups[at + 1..];
        let after = rest.iter().map(|(_, cases)| time_limit_ns(cases.len(), plan));
        let line = ProgressLine::new(*section, after.sum::<u64>() as f64 / 1e9);
        let measured = measure(machine, cases, plan, &mut |progress| line.show(progress));
        line.clear();
        let (records, warnings) = measured?;
        let part = part(&beginning, records, &warnings, &wrong);
        whole.add(&part);
        let interrupted = machine.is_interrupted();
        deliver(&mut whole, interrupted || rest.is_empty(), err)?;
        tell::failures(&part, options.quick, err)?;
        if !options.quiet {
            tell::advice(&part, err)?;
        }
        if options.verbose {
            tell::details(&part, err)?;
        }
        if interrupted {
            return tell_interrupted(rest, err);
        }
        failed |= part.has_error(options.quick);
    }
    if groups.is_empty() {
        deliver(&mut whole, true, err)?;
    }
    if !options.quiet {
        let all = names.is_empty() && !include_slow && filter.is_none();
        let sections = section.map_or_else(|| Section::ALL.to_vec(), |section| vec![section]);
        let left_out = if all { tell::slow(&machine.catalogue, &sections) } else { Vec::new() };
        tell::closing(&left_out, environment, err)?;
    }
    Ok(if failed || files.failed() { code::FAILED } else { code::FINE })
}

/// A run that has no rows yet.
fn begin(options: &Options, machine: &Machine) -> Run {
    let environment = Environment { pinned_cpu: options.pin, ..Environment::read(&machine.root) };
    // How fast the machine is does not matter to a quick run.
    let warnings = if options.quick { Vec::new() } else { environment.warnings() };
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    Run {
        machine: options.machine.clone(),
        started_unix_s: since_1970.map(|time| time.as_secs()),
        versions: Versions::of_this_program(),
        frequency: options.cpu_mhz,
        environment,
        conditions: options.conditions(),
        warnings: warnings.iter().map(Warning::advice).collect(),
        ..Run::default()
    }
}

/// The rows of a group as a run of their own.
fn part(
    beginning: &Run,
    mut records: Vec<Record>,
    warnings: &[Warning],
    wrong: &HashMap<String, String>,
) -> Run {
    for record in &mut records {
        if let Some(sentence) = wrong.get(&record.id) {
            record.result = Err(Failure::Wrong(sentence.clone()));
        }
        record.package_version = beginning.versions.packages.get(&record.package).cloned();
        record.derive(beginning.frequency);
    }
    let warnings = warnings.iter().map(Warning::advice).collect();
    let mut part = Run { records, warnings, ..beginning.clone() };
    if part.frequency == Some(Frequency::Measured) && part.has_unknown_frequency() {
        part.warnings.push(Warning::FrequencyUnknown.advice());
    }
    part
}

/// All known answers, the long ones too that are not checked before timing: the cases that give a
/// wrong one, with the sentence about it.
fn wrong_answers(
    catalogue: &Catalogue,
    options: &Options,
    err: &mut dyn Write,
) -> io::Result<HashMap<String, String>> {
    let mut wrong = HashMap::new();
    let tally = selftest::check_all(catalogue, &mut |case, _, result| {
        if let Err(unverified) = result {
            wrong.entry(case.id()).or_insert_with(|| unverified.to_string());
        }
        Ok(())
    })?;
    if !options.quiet {
        writeln!(err, "note: {tally}")?;
    }
    Ok(wrong)
}

fn tell_interrupted(rest: &[Group], err: &mut dyn Write) -> io::Result<u8> {
    let rest: Vec<&str> = rest.iter().map(|(section, _)| section.word()).collect();
    let rest =
        if rest.is_empty() { String::new() } else { format!("; not begun: {}", rest.join(", ")) };
    writeln!(err, "interrupted: what was measured before is above{rest}")?;
    Ok(code::INTERRUPTED)
}

/// Lets every case compute all its known answers.
fn self_test(
    catalogue: &Catalogue,
    json: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<u8> {
    let tally = if json {
        // Thousands of lines in small pieces.
        let mut out = io::BufWriter::new(out);
        let tally = selftest::as_json(catalogue, &mut out, err)?;
        out.flush()?;
        tally
    } else {
        selftest::as_text(catalogue, out, err)?
    };
    Ok(if tally.wrong == 0 { code::FINE } else { code::FAILED })
}
