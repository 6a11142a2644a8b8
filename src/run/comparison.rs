//! The story of a comparison: read what was saved, measure now where that is asked for, tell what
//! differs by more than chance.

mod now;

use std::io::{self, Write};
use std::path::Path;

use super::code;
use crate::cli::{ComparisonOptions, Options};
use crate::compare::{
    Cell, Comparison, Gate, Quantity, Row, Source, Unlike, check, compare, is_one_machine, unlike,
};
use crate::group::Machine;
use crate::saved;
use now::Now;

/// Compares saved runs, or a saved one with one that is measured now.
pub(super) fn compare_all(
    wish: &ComparisonOptions,
    options: &Options,
    colour: bool,
    machine: &Machine,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<u8> {
    let mut refuse = |reason: String| writeln!(err, "error: {reason}").map(|()| code::USAGE);
    let mut sources = match wish.files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()
    {
        Ok(sources) => sources,
        Err(reason) => return refuse(reason),
    };
    tell_apart(&mut sources);
    if let Some(filter) = &options.filter {
        for source in &mut sources {
            let fits = |id: &str, name: &str| filter.is_match(id) || filter.is_match(name);
            source.run.records.retain(|record| fits(&record.id, &record.name()));
        }
        if sources.iter().all(|source| source.run.records.is_empty()) {
            return refuse(format!("--filter '{filter}': no row of these files matches"));
        }
    }
    let (mut interrupted, mut failed) = (false, false);
    if wish.run {
        let Some(base) = sources.first() else { return refuse("--run: no file".to_owned()) };
        let now = match Now::prepare(base, wish, options, machine) {
            Ok(now) => now,
            Err(reason) => return refuse(reason),
        };
        let (run, written) = now.measure(machine, options, err)?;
        (interrupted, failed) = (run.partial, !written || run.has_error(false));
        sources.push(Source { name: now::NAME.to_owned(), run });
    }
    let different = unlike(&sources);
    if let Err(reason) = agree(&sources, &different, wish) {
        writeln!(err, "error: {reason}")?;
        return Ok(code::USAGE);
    }
    let comparison = compare(&sources, different);
    let lost = comparison.rows.iter().any(Row::is_lost);
    if comparison.comparisons == 0 && !lost && !wish.run {
        writeln!(err, "error: there is nothing to compare: no row has a number in both")?;
        return Ok(code::USAGE);
    }
    if !options.quiet {
        advice(&sources, &comparison, err)?;
    }
    let text = comparison.render(options.format(), colour);
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // A reader who has seen enough does not open the gate.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error),
        _ => {}
    }
    // What is measured now has told that itself.
    if !wish.run {
        tell_lost(&comparison, err)?;
    }
    let gate = wish.fail_above.map(|limit| comparison.gate(limit)).unwrap_or_default();
    tell_gate(&gate, wish.fail_above, err)?;
    if interrupted {
        writeln!(err, "interrupted: what was measured before is compared above")?;
        return Ok(code::INTERRUPTED);
    }
    Ok(if gate.failed.is_empty() && !failed { code::FINE } else { code::FAILED })
}

fn read(file: &Path) -> Result<Source, String> {
    let at_fault = |reason: String| format!("{}: {reason}", file.display());
    let run = saved::load(file).map_err(|unreadable| at_fault(unreadable.to_string()))?;
    check(&run).map_err(at_fault)?;
    Ok(Source { name: file.display().to_string(), run })
}

/// Calls runs by what the user calls the machines, or by the files' names, where these tell them
/// apart; else by the files as they were given.
fn tell_apart(sources: &mut [Source]) {
    let machines: Option<Vec<String>> = sources.iter().map(|s| s.run.machine.clone()).collect();
    let files = sources
        .iter()
        .map(|s| Some(Path::new(&s.name).file_stem()?.to_string_lossy().into_owned()))
        .collect::<Option<Vec<String>>>();
    let apart = |names: &Vec<String>| (1..names.len()).all(|at| !names[..at].contains(&names[at]));
    let Some(names) = [machines, files].into_iter().flatten().find(apart) else { return };
    for (source, name) in sources.iter_mut().zip(names) {
        source.name = name;
    }
}

/// Whether the runs may be compared: alike, or machines side by side that have names, or by force.
fn agree(sources: &[Source], unlike: &[Unlike], wish: &ComparisonOptions) -> Result<(), String> {
    let refused: Vec<&Unlike> = unlike.iter().filter(|unlike| unlike.refused).collect();
    let all_named = sources.iter().all(|source| source.run.machine.is_some());
    let machines_only = refused.iter().all(|unlike| unlike.is_of_the_machine());
    let side_by_side = all_named && machines_only && wish.fail_above.is_none();
    if refused.is_empty() || wish.force || side_by_side {
        return Ok(());
    }
    let told: Vec<String> = refused.iter().map(|unlike| show(sources, unlike)).collect();
    Err(format!(
        "these runs say nothing about each other (--force compares them all the same): {}",
        told.join("; ")
    ))
}

/// What differs, with what each run has.
fn show(sources: &[Source], unlike: &Unlike) -> String {
    let values = sources.iter().zip(&unlike.values);
    let values: Vec<String> =
        values.map(|(source, value)| format!("{value} in {}", source.name)).collect();
    format!("{}: {}", unlike.what, values.join(", "))
}

/// What the reader should know before believing a difference.
fn advice(sources: &[Source], comparison: &Comparison, err: &mut dyn Write) -> io::Result<()> {
    for source in sources.iter().filter(|source| source.run.partial) {
        writeln!(err, "warning: {}: partial: rows are missing that were asked for", source.name)?;
    }
    for unlike in &comparison.unlike {
        let word = if unlike.refused { "warning" } else { "note" };
        writeln!(err, "{word}: they differ in {}", show(sources, unlike))?;
    }
    if comparison.rows.iter().all(|row| row.quantity == Quantity::Cycles) {
        let mhz = |s: &Source| Some(format!("{:.0} MHz in {}", s.run.usual_mhz()?, s.name));
        let told: Vec<String> = sources.iter().filter_map(mhz).collect();
        let told = told.join(", ");
        writeln!(err, "note: cycles are compared, at the frequency of each row: {told}")
    } else if is_one_machine(&comparison.unlike) {
        writeln!(
            err,
            "warning: not all runs know the frequency of every row, so that nanoseconds are compared \
             (ns/B): a core at another frequency makes these rows differ, all alike"
        )
    } else {
        writeln!(err, "note: nanoseconds are compared, for the machines differ")
    }
}

/// Says why rows have no number any more, even to who wants quiet.
fn tell_lost(comparison: &Comparison, err: &mut dyn Write) -> io::Result<()> {
    for row in comparison.rows.iter().filter(|row| row.is_lost()) {
        for (name, cell, _) in row.with_names(&comparison.names) {
            if let Cell::Nothing { reason, broken: true, .. } = cell {
                writeln!(err, "error: {} is broken in {name}: {reason}", row.name())?;
            }
        }
    }
    Ok(())
}

/// What a gate found. That it fails is told even to who wants quiet.
fn tell_gate(gate: &Gate, limit: Option<f64>, err: &mut dyn Write) -> io::Result<()> {
    let Some(limit) = limit else { return Ok(()) };
    for row in &gate.unjudged {
        writeln!(err, "warning: --fail-above: not judged: {row}")?;
    }
    for row in &gate.failed {
        writeln!(err, "error: --fail-above {}%: {row}", 100.0 * limit)?;
    }
    Ok(())
}
