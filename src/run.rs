//! The story of one run.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use bench_slope_algorithms::{Case, Catalogue, Section, UnknownName};

use crate::cli::{self, Options, Wish};
use crate::clock::machine_clock;
use crate::group::{Machine, Plan, Progress, measure};
use crate::record::{Frequency, Record, Run};
use crate::report;
use crate::worker::{Workers, serve};

/// Exit codes; `docs/architecture.md` lists them.
pub mod code {
    /// All rows measured.
    pub const FINE: u8 = 0;
    /// Some row failed: a wrong answer, a crash, an input or output error.
    pub const FAILED: u8 = 1;
    /// The command line was wrong; nothing was timed.
    pub const USAGE: u8 = 2;
}

/// Runs the program on this machine with this process's standard streams.
pub fn run_here(words: impl IntoIterator<Item = OsString>, catalogue: Catalogue) -> u8 {
    let workers = match std::env::current_exe() {
        Ok(program) => Workers::Processes(program),
        Err(_) => Workers::InProcess,
    };
    let machine =
        Machine { catalogue, clock: machine_clock(), workers, patience: Machine::PATIENCE };
    run(words, &machine, &mut io::stdout().lock(), &mut io::stderr())
}

/// Runs the program on a machine, real or invented; returns the exit code.
pub fn run(
    words: impl IntoIterator<Item = OsString>,
    machine: &Machine,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let outcome = match cli::parse(words) {
        Ok(Wish::Measure { section, names, options }) => {
            measure_all(section, &names, &options, machine, out, err)
        }
        Ok(Wish::SelfTest) => self_test(&machine.catalogue, out, err),
        Ok(Wish::Work) => {
            serve(&machine.catalogue, &*machine.clock, &mut io::stdin(), out).map(|()| code::FINE)
        }
        Err(early) if early.asked_for => write!(out, "{}", early.text).map(|()| code::FINE),
        Err(early) => write!(err, "{}", early.text).map(|()| code::USAGE),
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
    let sections: Vec<Section> =
        section.map_or_else(|| Section::ALL.to_vec(), |section| vec![section]);
    let mut groups = Vec::new();
    for section in sections {
        match select(&machine.catalogue, section, names, options.include_slow) {
            Ok(cases) => groups.push(cases),
            Err(unknown) => {
                for unknown in unknown {
                    writeln!(err, "error: {unknown}")?;
                }
                return Ok(code::USAGE);
            }
        }
    }
    let plan = Plan { repetitions: options.repetitions, unaligned: options.unaligned };
    let frequency = options.cpu_mhz.map(|mhz| Frequency { mhz });
    let mut failed = false;
    for cases in groups.into_iter().filter(|cases| !cases.is_empty()) {
        let bar = progress_bar(&cases);
        let (records, warnings) =
            measure(machine, &cases, plan, &mut |progress| show(&bar, progress))?;
        bar.finish_and_clear();
        let mut run = Run { frequency, records, warnings };
        run.records.iter_mut().for_each(|record| record.derive(frequency));
        let text =
            if options.csv { report::csv::render(&run) } else { report::table::render(&run) };
        out.write_all(text.as_bytes())?;
        out.flush()?;
        failed |= tell(&run, options, err)?;
    }
    if !options.quiet {
        tell_left_out(&machine.catalogue, section, names, options, err)?;
    }
    Ok(if failed { code::FAILED } else { code::FINE })
}

/// The cases that were asked for, in the order of the words; each once.
fn select(
    catalogue: &Catalogue,
    section: Section,
    names: &[String],
    include_slow: bool,
) -> Result<Vec<Case>, Vec<UnknownName>> {
    if names.is_empty() {
        let all = catalogue.cases(section);
        return Ok(all.filter(|case| include_slow || !case.entry.slow).collect());
    }
    let mut cases: Vec<Case> = Vec::new();
    let mut unknown = Vec::new();
    for name in names {
        match catalogue.find(section, name) {
            Ok(found) => {
                let wanted = found.algorithm;
                if cases.iter().all(|case| case.entry.algorithm != wanted) {
                    let all = catalogue.cases(section);
                    cases.extend(all.filter(|case| case.entry.algorithm == wanted));
                }
            }
            Err(error) => unknown.push(error),
        }
    }
    if unknown.is_empty() { Ok(cases) } else { Err(unknown) }
}

/// Says on standard error why rows failed, what to beware of, and what was asked for besides;
/// returns whether a row failed.
fn tell(run: &Run, options: &Options, err: &mut dyn Write) -> io::Result<bool> {
    let mut failed = false;
    for record in &run.records {
        if let Err(failure) = &record.result {
            failed |= failure.is_error();
            let reason = failure.reason();
            // A wrong answer's sentence begins with the case's identifier.
            let reason = reason.strip_prefix(&format!("{}: ", record.id)).unwrap_or(reason);
            writeln!(err, "error: {}: {reason}", record.name())?;
        }
    }
    if !options.quiet {
        for warning in &run.warnings {
            writeln!(err, "warning: {warning}")?;
        }
        let squeezed: Vec<String> = run
            .records
            .iter()
            .filter(|r| r.section != Section::Kdf)
            .filter_map(|r| r.squeezed_bytes.map(|bytes| format!("{} {bytes}", r.algorithm)))
            .collect();
        if !squeezed.is_empty() {
            writeln!(err, "note: bytes squeezed: {}", squeezed.join(", "))?;
        }
    }
    if options.verbose {
        run.records.iter().try_for_each(|record| tell_more(record, err))?;
    }
    Ok(failed)
}

fn tell_more(record: &Record, err: &mut dyn Write) -> io::Result<()> {
    let Ok(measured) = &record.result else { return Ok(()) };
    let error = match measured.relative_error {
        Some(error) => format!("±{:.2} %", 100.0 * error),
        None => "error unknown".to_owned(),
    };
    writeln!(
        err,
        "{}: {} ns/{} {error}, {} ns/call, {} rounds in {} processes{}, crate {}",
        record.name(),
        report::significant(measured.ns_per_unit, 6),
        record.unit,
        report::significant(measured.ns_per_call, 4),
        measured.rounds,
        measured.processes,
        if measured.quiet { "" } else { " beside a busy neighbour" },
        record.package,
    )
}

fn tell_left_out(
    catalogue: &Catalogue,
    section: Option<Section>,
    names: &[String],
    options: &Options,
    err: &mut dyn Write,
) -> io::Result<()> {
    let slow: Vec<&str> = catalogue
        .entries()
        .iter()
        .filter(|entry| entry.slow && section.is_none_or(|section| entry.section == section))
        .map(|entry| entry.algorithm)
        .collect();
    if names.is_empty() && !options.include_slow && !slow.is_empty() {
        let slow = slow.join(", ");
        writeln!(
            err,
            "note: left out because they are slow: {slow} (--include-slow, or name them)"
        )?;
    }
    writeln!(
        err,
        "note: each number is the best this machine does with the message in its caches; turn off \
         turbo boost and frequency scaling for numbers to compare with other machines"
    )
}

/// Lets every case compute all its known answers.
fn self_test(catalogue: &Catalogue, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<u8> {
    let (mut cases, mut right, mut wrong) = (0, 0, 0);
    for &section in Section::ALL {
        for case in catalogue.cases(section) {
            cases += 1;
            match catalogue.verify(&case, usize::MAX) {
                Ok(answers) => right += answers,
                Err(unverified) => {
                    wrong += 1;
                    writeln!(err, "error: {unverified}")?;
                }
            }
        }
    }
    writeln!(out, "self-test: {cases} cases, {right} known answers right, {wrong} cases wrong")?;
    Ok(if wrong == 0 { code::FINE } else { code::FAILED })
}

/// A line on standard error while a group runs, if that is a terminal.
fn progress_bar(cases: &[Case]) -> indicatif::ProgressBar {
    let section = cases.first().map_or("", |case| case.entry.section.word());
    let bar = indicatif::ProgressBar::new(1000).with_message(section);
    if !io::stderr().is_terminal() {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    if let Ok(style) = indicatif::ProgressStyle::with_template("{msg} {bar:30} {prefix}") {
        bar.set_style(style);
    }
    bar
}

fn show(bar: &indicatif::ProgressBar, progress: Progress) {
    bar.set_position((1000.0 * progress.time.min(1.0)) as u64);
    bar.set_prefix(format!("{} of {} rows done", progress.done, progress.rows));
}
