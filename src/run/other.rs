//! Other measurements than the slope: growth, several threads, a row without end; and what they refuse
//! before anything is timed.

use std::io::{self, Write};

use bench_slope_algorithms::{Axis, Case};

use super::code;
use crate::choose::Group;
use crate::cli::{Ascending, Options};
use crate::cpus;
use crate::endless;
use crate::fits;
use crate::group::Machine;
use crate::report::Format;
use crate::single;
use crate::tell;

/// Runs one row until it is interrupted, which is its way to end.
pub(super) fn run_endless(
    name: &str,
    options: &Options,
    machine: &Machine,
    err: &mut dyn Write,
) -> io::Result<u8> {
    let case = match single::find(&machine.catalogue, name) {
        Ok(case) => case,
        Err(not_one) => {
            tell::not_one(name, &not_one, err)?;
            return Ok(code::USAGE);
        }
    };
    let size = endless::size(&case, options.message);
    if let Some(refusal) = refused(options, std::slice::from_ref(&case), &[size]) {
        writeln!(err, "error: {refusal}")?;
        return Ok(code::USAGE);
    }
    if let Some(cpu) = options.pin {
        let pinned = cpus::check_pin(cpu)
            .and_then(|()| cpus::stay_on(&[cpu]).map_err(|error| error.to_string()));
        if let Err(reason) = pinned {
            writeln!(err, "error: --pin {cpu}: {reason}")?;
            return Ok(code::USAGE);
        }
    }
    let fine = endless::run(machine, &case, size, options.quiet, err)?;
    Ok(if fine { code::INTERRUPTED } else { code::FAILED })
}

/// The option for which only rows with a message of any size are measured, where one is given.
pub(super) fn needs_message(options: &Options) -> Option<&'static str> {
    options.chooses_sizes().or(options.threads.map(|_| "--threads"))
}

/// The size of every message where threads are asked for, in bytes.
pub(super) fn message_bytes(options: &Options) -> usize {
    options.message.unwrap_or(endless::MESSAGE_BYTES)
}

/// Why what was asked for cannot be done, with the option at fault.
pub(super) fn refusal(options: &Options, groups: &[Group]) -> Option<String> {
    if options.threads.is_some() && options.message == Some(0) {
        return Some(
            "--message 0: a rate of --threads needs a message of 1 byte at least".to_owned(),
        );
    }
    let cases: Vec<Case> = groups.iter().flat_map(|(_, cases)| cases).cloned().collect();
    let sizes = match &options.asymptote {
        Some(Ascending(sizes)) => sizes.clone(),
        None => options.message.into_iter().collect(),
    };
    refused_format(options).or_else(|| refused(options, &cases, &sizes))
}

/// Pages and pictures draw lines over sizes, which growth and threads have not.
fn refused_format(options: &Options) -> Option<String> {
    let what = match (&options.asymptote, options.threads) {
        (Some(_), _) => "--asymptote",
        (None, Some(_)) => "--threads",
        (None, None) => return None,
    };
    let told = format!("the results of {what} are told as table, csv, json or markdown");
    let is_drawn = |format: Format| matches!(format, Format::Html | Format::Svg);
    let drawn_file = |path: &&std::path::PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.and_then(Format::of_extension).is_some_and(is_drawn)
    };
    if is_drawn(options.format()) {
        return Some(format!("--format: {told}"));
    }
    if let Some(file) = options.output.iter().find(drawn_file) {
        return Some(format!("--output {}: {told}", file.display()));
    }
    let file = options.plot.as_ref()?;
    Some(format!("--plot {}: {told}", file.display()))
}

/// Why a row cannot work on these sizes.
fn refused(options: &Options, cases: &[Case], sizes: &[usize]) -> Option<String> {
    let of_one_size = |case: &&Case| case.entry.axis.units_of_one().is_some();
    if let Some(case) = cases.iter().find(of_one_size).filter(|_| !sizes.is_empty()) {
        let option = if options.message.is_some() { "--message" } else { "--asymptote" };
        return Some(format!("{option}: {} has one size, its own", case.entry.algorithm));
    }
    if sizes.is_empty() {
        // Every row has been timed at the usual ones.
        return None;
    }
    let Some(bytes) = options.message else {
        return fits::check(cases, sizes).err().map(|refusal| format!("--asymptote {refusal}"));
    };
    if let Some(case) = cases.iter().find(|case| case.entry.axis != Axis::Bytes) {
        let name = case.entry.algorithm;
        return Some(format!("--message: {name} has no message whose size could be chosen"));
    }
    fits::check(cases, &[bytes]).err().map(|refusal| format!("--message {refusal}"))
}
