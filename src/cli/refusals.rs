//! What does not go together on a command line, beside what clap sees by itself.

use clap::ArgMatches;
use clap::error::ErrorKind;
use clap::parser::ValueSource;

use super::{ComparisonOptions, Options};
use crate::report::Format;

/// Options of the measurement that `doctor` takes.
const DOCTOR_OPTIONS: &[&str] = &["pin", "quiet", "verbose"];
/// And those that `self-test` does: it has no notes that could be left out, so that `--quiet` is granted.
const SELF_TEST_OPTIONS: &[&str] = &["format", "quiet"];

/// Options of a measurement stand for every subcommand; those that time no algorithm refuse what
/// would mean nothing to them.
pub(super) fn refuse_what_would_be_ignored(
    command: &mut clap::Command,
    matches: &ArgMatches,
) -> Result<(), clap::Error> {
    let (name, taken) = match matches.subcommand_name() {
        Some(name @ "doctor") => (name, DOCTOR_OPTIONS),
        Some(name @ "self-test") => (name, SELF_TEST_OPTIONS),
        _ => return Ok(()),
    };
    let refused = command
        .get_arguments()
        .filter(|option| !taken.contains(&option.get_id().as_str()))
        .filter(|option| is_given(option, matches))
        .find_map(|option| option.get_long().map(str::to_owned));
    let Some(long) = refused else { return Ok(()) };
    let sentence = format!("the argument '--{long}' cannot be used with '{name}'");
    Err(command.error(ErrorKind::ArgumentConflict, sentence))
}

/// Whether an option stands on the command line, before or after the section.
fn is_given(option: &clap::Arg, matches: &ArgMatches) -> bool {
    let id = option.get_id().as_str();
    matches!(matches.try_contains_id(id), Ok(true))
        && matches.value_source(id) == Some(ValueSource::CommandLine)
}

/// clap sees a conflict only between options on the same side of the section.
pub(super) fn refuse_conflicts(
    command: &mut clap::Command,
    matches: &ArgMatches,
) -> Result<(), clap::Error> {
    let given: Vec<&clap::Arg> =
        command.get_arguments().filter(|option| is_given(option, matches)).collect();
    let pair = given.iter().find_map(|one| {
        let conflicts = command.get_arg_conflicts_with(one);
        let other = conflicts.into_iter().find(|other| given.contains(other))?;
        Some((one.get_long()?, other.get_long()?))
    });
    let Some((one, other)) = pair else { return Ok(()) };
    let sentence = format!("the argument '--{one}' cannot be used with '--{other}'");
    Err(command.error(ErrorKind::ArgumentConflict, sentence))
}

/// Whether a comparison's words fit together: an option without effect would be misunderstood.
pub(super) fn check(comparison: &ComparisonOptions, options: &Options) -> Result<(), String> {
    match (comparison.files.len(), comparison.run) {
        (1, false) => {
            return Err("compare takes two files at least, or one with --run".to_owned());
        }
        (2.., true) => return Err("compare --run takes one file: the base".to_owned()),
        _ => {}
    }
    let conditions =
        if comparison.run { "the base tells how to measure" } else { "nothing is measured" };
    let needs_run = "it is of use only with --run";
    let unused = [
        ("--quick", options.quick, conditions),
        ("--unaligned", options.unaligned, conditions),
        ("--repetitions", options.repetitions.is_some(), conditions),
        ("--precision", options.precision.is_some(), conditions),
        ("--time-limit", options.time_limit.is_some(), conditions),
        ("--raw", options.raw, conditions),
        ("--bytes", options.bytes.is_some(), conditions),
        ("--min-epoch", options.min_epoch.is_some(), conditions),
        ("--asymptote", options.asymptote.is_some(), conditions),
        ("--threads", options.threads.is_some(), conditions),
        ("--include-slow", options.include_slow, conditions),
        ("--list", options.list, "no name is chosen by it"),
        ("--cpu-mhz", options.cpu_mhz.is_some(), "the frequency measured beside each row is used"),
        ("--at-mhz", options.at_mhz.is_some(), "runs are compared by cycles where both know them"),
        ("--pin", options.pin.is_some() && !comparison.run, needs_run),
        ("--machine", options.machine.is_some() && !comparison.run, needs_run),
        ("--samples", options.samples && !comparison.run, needs_run),
        ("--no-counters", options.no_counters && !comparison.run, needs_run),
        ("--plot", options.plot.is_some(), "there is no picture of a comparison"),
        ("--output", !options.output.is_empty() && !comparison.run, needs_run),
    ];
    match unused.iter().find(|(_, given, _)| *given) {
        Some((option, _, reason)) => Err(format!("compare takes no {option}: {reason}")),
        None if matches!(options.format(), Format::Html | Format::Svg) => {
            Err("compare has --format table, csv, json or markdown".to_owned())
        }
        None => Ok(()),
    }
}
