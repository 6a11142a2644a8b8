//! What is said on standard error: reasons, warnings, notes, progress. Never on standard output.

use std::io::{self, IsTerminal, Write};

use bench_slope_algorithms::{Catalogue, Section, UnknownName};

use crate::choose::Refusal;
use crate::cpus::show_list;
use crate::environment::Environment;
use crate::group::Progress;
use crate::linearity::Unpredictable;
use crate::record::{Counters, Measured, Record, Reference, Run};
use crate::report::significant;
use crate::scaling::Parallel;
use crate::single::NotOne;
use crate::warning::{Advice, bent, both, counted, list};
use crate::wire::Failure;

/// What is known of the machine.
///
/// # Errors
/// When standard error cannot be written.
pub fn facts(environment: &Environment, err: &mut dyn Write) -> io::Result<()> {
    let mut facts = environment.facts().into_iter();
    facts.try_for_each(|(name, value)| writeln!(err, "environment: {name}: {value}"))
}

/// Says why there is nothing to measure. When standard error cannot be written the exit code is left
/// to tell.
pub fn refusal(catalogue: &Catalogue, refusal: &Refusal, err: &mut dyn Write) {
    match refusal {
        Refusal::Unknown(names) => {
            names.iter().for_each(|unknown| unknown_name(catalogue, unknown, err));
        }
        other => {
            let _ = writeln!(err, "error: {other}");
        }
    }
}

/// Says that a name is unknown, and whether another section has it.
fn unknown_name(catalogue: &Catalogue, unknown: &UnknownName, err: &mut dyn Write) {
    let elsewhere: Vec<&str> = Section::ALL
        .iter()
        .filter(|&&section| catalogue.find(section, &unknown.word).is_ok())
        .map(|section| section.word())
        .collect();
    let _ = match elsewhere.as_slice() {
        [] => writeln!(err, "error: {unknown}"),
        [section, ..] => writeln!(
            err,
            "error: no {} is called '{}', but a {section} is: bench-slope {section} {}",
            unknown.section, unknown.word, unknown.word
        ),
    };
}

/// Says why a name is not exactly one row.
///
/// # Errors
/// When standard error cannot be written.
pub fn not_one(name: &str, not_one: &NotOne, err: &mut dyn Write) -> io::Result<()> {
    match not_one {
        NotOne::Several(ids) => {
            const SHOWN: usize = 12;
            writeln!(err, "error: --endless '{name}' is {} rows; name one of them:", ids.len())?;
            ids.iter().take(SHOWN).try_for_each(|id| writeln!(err, "  {id}"))?;
            let more = ids.len().saturating_sub(SHOWN);
            if more > 0 { writeln!(err, "  and {more} more") } else { Ok(()) }
        }
        NotOne::Unknown(unknown) => {
            let mut near: Vec<&str> = Vec::new();
            for name in unknown.iter().flat_map(|u| u.nearest.clone()) {
                if !near.iter().any(|seen| seen.eq_ignore_ascii_case(name)) {
                    near.push(name);
                }
            }
            let near = near.iter().take(3).map(|name| format!("'{}'", name.to_lowercase()));
            let near = near.collect::<Vec<_>>().join(" or ");
            let hint =
                if near.is_empty() { String::new() } else { format!("; did you mean {near}?") };
            writeln!(
                err,
                "error: --endless (or BENCH_SLOPE_ENDLESS): no row is called '{name}'{hint}"
            )
        }
    }
}

/// Says why rows have no number.
///
/// # Errors
/// When standard error cannot be written.
pub fn failures(run: &Run, quick: bool, err: &mut dyn Write) -> io::Result<()> {
    let is_interrupted = |r: &&Record| matches!(r.result, Err(Failure::Interrupted(_)));
    let interrupted = run.records.iter().filter(is_interrupted).count();
    for record in &run.records {
        let Err(failure) = &record.result else { continue };
        // Of a long section there may be hundreds, which all say the same.
        if interrupted > FEW && is_interrupted(&record) {
            continue;
        }
        let reason = failure.reason();
        // A wrong answer's sentence begins with the case's identifier.
        let reason = reason.strip_prefix(&format!("{}: ", record.id)).unwrap_or(reason);
        let word = if failure.is_error(quick) { "error" } else { "no number" };
        writeln!(err, "{word}: {}: {reason}", record.name())?;
    }
    if interrupted > FEW {
        writeln!(err, "no number: {interrupted} rows: interrupted before they were measured")?;
    }
    Ok(())
}

/// So many interrupted rows are told one by one.
const FEW: usize = 8;

/// What is not counted, and why.
///
/// # Errors
/// When standard error cannot be written.
pub fn not_counted(counters: &Counters, err: &mut dyn Write) -> io::Result<()> {
    counters.notes.iter().try_for_each(|note| writeln!(err, "note: {note}"))
}

/// Warnings, a line each.
///
/// # Errors
/// When standard error cannot be written.
pub fn warnings(warnings: impl Iterator<Item = Advice>, err: &mut dyn Write) -> io::Result<()> {
    for advice in warnings {
        writeln!(err, "warning: {}", advice.text)?;
    }
    Ok(())
}

/// Warnings, and what a reader of these rows cannot see in them.
///
/// # Errors
/// When standard error cannot be written.
pub fn advice(run: &Run, err: &mut dyn Write) -> io::Result<()> {
    warnings(run.warnings.iter().cloned(), err)?;
    frequency(run, err)?;
    // A KDF's length is its own affair: PBKDF2 derives one block of its hash.
    let squeezed: Vec<String> = run
        .records
        .iter()
        .filter(|r| r.section != Section::Kdf)
        .filter(|r| r.size.is_none())
        .filter_map(|r| r.squeezed_bytes.map(|bytes| format!("{} {bytes}", r.algorithm)))
        .collect();
    if !squeezed.is_empty() {
        writeln!(err, "note: bytes squeezed: {}", squeezed.join(", "))?;
    }
    Ok(())
}

/// Which frequency nanoseconds are told at, or that it is not known.
fn frequency(run: &Run, err: &mut dyn Write) -> io::Result<()> {
    let is_measured = run.records.iter().any(|record| record.result.is_ok());
    let Some(reference) = run.reference else {
        if is_measured && run.conditions.threads.is_none() && run.has_unknown_frequency() {
            writeln!(
                err,
                "note: the core's frequency could not be measured: numbers and their errors are of this \
                 moment only"
            )?;
        }
        return Ok(());
    };
    let Reference { mhz, slowest_mhz, fastest_mhz, given, .. } = reference;
    let whose = if given { "given" } else { "measured" };
    writeln!(
        err,
        "note: nanoseconds are at {mhz:.0} MHz ({whose}); the core ran at {slowest_mhz:.0} to \
         {fastest_mhz:.0} MHz; --at-mhz tells them at another frequency"
    )
}

/// More of each row: its error, the cost of a call, what computed it.
///
/// # Errors
/// When standard error cannot be written.
pub fn details(run: &Run, err: &mut dyn Write) -> io::Result<()> {
    let counting = !run.counters.counted.is_empty();
    run.records.iter().try_for_each(|record| {
        detail(record, err)?;
        if counting { counts(record, err) } else { Ok(()) }
    })
}

/// What was counted of a row.
fn counts(record: &Record, err: &mut dyn Write) -> io::Result<()> {
    let Ok(measured) = &record.result else { return Ok(()) };
    let Some(counts) = measured.counts else {
        return writeln!(err, "{}: too little time to count enough of it", record.name());
    };
    let per = |value: Option<f64>, name: &str| {
        value.map(|value| format!("{} {name}/{}", significant(value, 4), record.unit))
    };
    // Digits of what is nearly nothing are noise.
    let misses = |value: Option<f64>, name: &str| {
        value.map(|value| format!("{value:.4} {name}/{}", record.unit))
    };
    let told = [
        per(counts.instructions_per_unit, "instructions"),
        per(counts.cycles_per_unit, "cycles"),
        counts
            .instructions_per_cycle
            .map(|ipc| format!("{} instructions a cycle", significant(ipc, 3))),
        per(counts.branches_per_unit, "branches"),
        misses(counts.branch_misses_per_unit, "branch misses"),
        misses(counts.cache_misses_per_unit, "cache misses"),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    writeln!(err, "{}: counted {}", record.name(), told.join(", "))
}

fn detail(record: &Record, err: &mut dyn Write) -> io::Result<()> {
    let Ok(measured) = &record.result else { return Ok(()) };
    let error = match measured.relative_error {
        Some(error) => format!("±{:.2} %", 100.0 * error),
        None => "error unknown".to_owned(),
    };
    let bend = measured.bend.map_or_else(String::new, |bend| {
        format!(", no straight line ({})", bent(&record.unit, bend))
    });
    let layouts = measured.layouts.map_or_else(String::new, |layouts| {
        format!(", two layouts ({})", both(&record.unit, layouts))
    });
    writeln!(
        err,
        "{}: {} ns/{} {error}{bend}{layouts}, {} ns/call, {} in {}{}, crate {}",
        record.name(),
        significant(measured.ns_per_unit, 6),
        record.unit,
        significant(measured.ns_per_call, 4),
        counted(measured.rounds as usize, "round"),
        counted(measured.processes as usize, "process"),
        if measured.quiet { "" } else { " beside a busy neighbour" },
        record.package,
    )
}

/// What was left out as slow, and how to read the numbers. Where the frequency's settings could be
/// read, a warning has told what to do about them, or nothing has to be done; a guest has none.
///
/// # Errors
/// When standard error cannot be written.
pub fn closing(
    left_out: &[&str],
    environment: &Environment,
    best: bool,
    err: &mut dyn Write,
) -> io::Result<()> {
    if !left_out.is_empty() {
        let slow = left_out.join(", ");
        writeln!(
            err,
            "note: left out because they are slow: {slow} (--include-slow, or name them)"
        )?;
    }
    if !best {
        return Ok(());
    }
    let settings_known = environment.boost.is_some() && environment.governors.is_some();
    let frequency = if settings_known || environment.virtualised == Some(true) {
        ""
    } else {
        "; turn off turbo boost and frequency scaling for numbers to compare with other machines"
    };
    writeln!(
        err,
        "note: each number is the best this machine does with the message in its caches{frequency}"
    )
}

/// Why some of what slopes say of sizes has no stated error.
///
/// # Errors
/// When standard error cannot be written.
pub fn predictions(records: &[Record], err: &mut dyn Write) -> io::Result<()> {
    // Where the row has none either, a warning tells of too few repetitions.
    let lacks = |measured: &Measured| {
        let predicted = measured.predicted.filter(|_| measured.relative_error.is_some());
        predicted.is_some_and(|told| told.is_ok_and(|predicted| predicted.error_ns.is_none()))
    };
    if records.iter().filter_map(|record| record.result.as_ref().ok()).any(lacks) {
        writeln!(
            err,
            "note: what a slope says of a size that is none of its own (0, 64 ... 4096 bytes in most modes) has \
             no stated error: what a block that is begun costs, and how time goes on, it does not know"
        )?;
    }
    for &why in Unpredictable::ALL {
        let silent = |record: &&Record| {
            record.result.as_ref().is_ok_and(|measured| measured.predicted == Some(Err(why)))
        };
        let rows: Vec<String> = records.iter().filter(silent).map(Record::name).collect();
        if !rows.is_empty() {
            writeln!(err, "note: of {} the slope says nothing: {}", list(&rows), why.reason())?;
        }
    }
    Ok(())
}

/// How threads are placed, and what their rates are.
///
/// # Errors
/// When standard error cannot be written.
pub fn threads(parallel: &Parallel, message_bytes: usize, err: &mut dyn Write) -> io::Result<()> {
    let threads = counted(parallel.threads, "thread");
    let place = match (parallel.cpus.as_slice(), parallel.cores) {
        ([], _) => " wherever the system puts them".to_owned(),
        ([cpu], _) => format!(" on processor {cpu}"),
        (cpus, None) => format!(" on processors {}", show_list(cpus)),
        (cpus, Some(cores)) => {
            let cores = counted(cores, "core");
            format!(
                " on processors {}, which are {cores} as far as the system tells",
                show_list(cpus)
            )
        }
    };
    writeln!(
        err,
        "note: {threads}{place}; rates are medians of calls on messages of {message_bytes} bytes"
    )
}

/// The slow algorithms of these sections.
#[must_use]
pub fn slow<'a>(catalogue: &'a Catalogue, sections: &[Section]) -> Vec<&'a str> {
    let slow = catalogue.entries().iter().filter(|e| e.slow && sections.contains(&e.section));
    slow.map(|entry| entry.algorithm).collect()
}

/// A line with progress and the time left, on standard error if that is a terminal.
pub struct ProgressLine {
    bar: indicatif::ProgressBar,
    seconds_after: f64,
}

impl ProgressLine {
    /// A line for a section; `seconds_after` is what the sections after it will take.
    #[must_use]
    pub fn new(section: Section, seconds_after: f64) -> Self {
        let bar = indicatif::ProgressBar::new(1000).with_message(section.word());
        if !io::stderr().is_terminal() {
            bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
        }
        if let Ok(style) = indicatif::ProgressStyle::with_template("{msg} {bar:30} {prefix}") {
            bar.set_style(style);
        }
        ProgressLine { bar, seconds_after }
    }

    /// Draws it.
    pub fn show(&self, progress: Progress) {
        let Progress { done, noisy, rows, seconds, seconds_left } = progress;
        let left = seconds_left.map(|left| left + self.seconds_after);
        let share = left.map_or(0.0, |left| seconds / (seconds + left).max(1e-9));
        self.bar.set_position((1000.0 * share) as u64);
        let left = left.map_or_else(String::new, |left| format!(", at most {left:.0} s left"));
        let noisy = match noisy {
            0 => String::new(),
            noisy => format!(", {} on a noisy machine need more time", counted(noisy, "row")),
        };
        self.bar.set_prefix(format!("{done} of {rows} rows done{noisy}{left}"));
    }

    /// Takes it away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{record, run};

    #[test]
    fn many_interrupted_rows_are_told_in_one_line() {
        let told = |rows: usize| {
            let row = |at: usize| {
                let failure = Failure::Interrupted("interrupted before it was measured".to_owned());
                record(Section::Cipher, &at.to_string(), Err(failure))
            };
            let mut text = Vec::new();
            failures(&run((0..rows).map(row).collect()), false, &mut text).expect("memory");
            String::from_utf8(text).expect("text")
        };
        assert_eq!(told(3).lines().count(), 3);
        assert_eq!(told(645), "no number: 645 rows: interrupted before they were measured\n");
    }
}
