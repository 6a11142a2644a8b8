//! One screen that tells findings and verdict.

use super::findings::{Comparison, Findings, Look, QuietShare};
use super::verdict::{Verdict, is_as_quiet_as_known, verdict};
use crate::known_cost::CYCLES_PER_BYTE;
use crate::report::significant;
use crate::warning::Warning;

/// Columns.
const WIDTH: usize = 80;
/// Where what is found begins.
const INDENT: usize = 12;
/// Processors with a share of their own on the screen; of more the best, the median and the worst.
const MOST_LISTED: usize = 4;
/// Before and after are told apart when they differ by more than this.
const DIFFERENT: f64 = 0.01;
/// What is said of what the clock cannot tell.
const NOT_MEASURABLE: &str = "not measurable with this clock";

/// The screen.
#[must_use]
pub fn render(findings: &Findings) -> String {
    let mut lines = vec![
        ("machine", machine(findings)),
        ("clock", clock(findings)),
        (
            "empty call",
            or_not(findings.empty_call_ns.map(|ns| format!("{} ns", significant(ns, 3)))),
        ),
        ("frequency", frequency(findings.look.as_ref())),
        ("quiet", or_not(findings.look.as_ref().map(quiet))),
        ("contention", or_not(findings.look.as_ref().map(contention))),
        ("known cost", known_cost(findings)),
    ];
    if let Some(share) = findings.cpu_share {
        lines
            .push(("processor", format!("this program had it for {} of the time", percent(share))));
    }
    // The one place of what hardware counters have to say.
    if let Some(counters) = &findings.counters {
        lines.push(("counters", counters.clone()));
    }
    let remarks: Vec<String> = findings.environment.warnings().iter().map(short).collect();
    if !remarks.is_empty() {
        lines.push(("remarks", remarks.join("; ")));
    }
    match verdict(findings) {
        Verdict::Fit => lines.push(("fit", "numbers hold within their stated error".to_owned())),
        Verdict::Unfit(reasons) => {
            let bullet = if reasons.len() > 1 { "- " } else { "" };
            let names = std::iter::once("UNFIT").chain(std::iter::repeat(""));
            lines.extend(names.zip(reasons.iter().map(|reason| format!("{bullet}{reason}"))));
        }
    }
    lines.iter().map(|(name, text)| wrapped(name, text)).collect()
}

fn or_not(text: Option<String>) -> String {
    text.unwrap_or_else(|| NOT_MEASURABLE.to_owned())
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn machine(findings: &Findings) -> String {
    let environment = &findings.environment;
    let mut parts = vec![environment.architecture.to_string()];
    parts.splice(0..0, environment.cpu_model.clone());
    if let Some(online) = &environment.online_cpus {
        let plural = if online.len() == 1 { "" } else { "s" };
        parts.push(format!("{} processor{plural}", online.len()));
    }
    if environment.virtualised == Some(true) {
        parts.push("a guest".to_owned());
    }
    parts.extend(environment.pinned_cpu.map(|cpu| format!("pinned to {cpu}")));
    parts.join(", ")
}

fn clock(findings: &Findings) -> String {
    let name = findings.clock.name;
    let Some(grain) = findings.clock.grain else { return format!("{name}, stands still") };
    let reading = if grain.reading_ns > 0.0 {
        format!("{} a reading", duration(grain.reading_ns))
    } else {
        "a reading takes less".to_owned()
    };
    format!("{name}, steps of {}, {reading}", duration(grain.step_ns))
}

fn duration(ns: f64) -> String {
    match ns {
        ns if ns >= 1e6 => format!("{} ms", significant(ns / 1e6, 3)),
        ns if ns >= 1e3 => format!("{} µs", significant(ns / 1e3, 3)),
        ns => format!("{} ns", significant(ns, 3)),
    }
}

fn frequency(look: Option<&Look>) -> String {
    let Some(look) = look else { return NOT_MEASURABLE.to_owned() };
    let Some(mhz) = look.mhz else {
        return "not known for sure: give it with --cpu-mhz".to_owned();
    };
    let (low, high) = mhz.range;
    let held = percent(mhz.held);
    format!("{:.0} MHz for {held} of the time, {low:.0} to {high:.0} over all", mhz.usual)
}

fn quiet(look: &Look) -> String {
    let place = |share: &QuietShare| match share.cpu {
        Some(cpu) => format!("{} on processor {cpu}", percent(share.share())),
        None => percent(share.share()),
    };
    let mut shares = look.shares.clone();
    let told = if shares.len() <= MOST_LISTED {
        shares.iter().map(place).collect::<Vec<_>>().join(", ")
    } else {
        shares.sort_by(|a, b| b.share().total_cmp(&a.share()));
        let (best, median, worst) = (shares[0], shares[shares.len() / 2], shares[shares.len() - 1]);
        format!(
            "{}, {} in the median, {} ({} of {})",
            place(&best),
            percent(median.share()),
            place(&worst),
            shares.len(),
            look.processors,
        )
    };
    format!("{told} of windows of 0.3 ms")
}

fn contention(look: &Look) -> String {
    let lowest = match look.lowest_contention {
        Some(lowest) => format!("{lowest:.4} at the lowest"),
        None => "no dozen of readings agree".to_owned(),
    };
    let Some(known) = look.known_quiet else {
        return format!("{lowest}; what this kind of core reads alone is not known");
    };
    let never = if is_as_quiet_as_known(look) == Some(false) { ", never reached" } else { "" };
    format!("{lowest}; alone {} read up to {:.4}{never}", known.cores, known.highest)
}

fn known_cost(findings: &Findings) -> String {
    match &findings.known_cost {
        None => NOT_MEASURABLE.to_owned(),
        Some(Err(why)) => format!("no number: {why}"),
        Some(Ok(comparison)) => compared(comparison),
    }
}

fn compared(comparison: &Comparison) -> String {
    let ns = |value: f64| significant(value, 4);
    let (low, high) = comparison.by_itself_ns;
    let by_itself = if high / low - 1.0 > DIFFERENT {
        format!("{} to {} by itself, between which it changed", ns(low), ns(high))
    } else {
        // Before and after are one number: the middle is what it is compared with.
        let middle = (low + high) / 2.0;
        let off = comparison.ns_per_byte / middle - 1.0;
        // Rounded first, so that there is no negative nought.
        let off = (1e4 * off).round() / 100.0 + 0.0;
        format!("{} by itself ({off:+.2} %)", ns(middle))
    };
    let cycles = comparison.cycles_per_byte.zip(CYCLES_PER_BYTE);
    let cycles = cycles.map_or_else(String::new, |(read, known)| {
        format!("; {} c/B, must be {known:.0}", ns(read))
    });
    format!("{} ns/B measured, {by_itself}{cycles}", ns(comparison.ns_per_byte))
}

/// A warning about the environment in a few words; `--verbose` has what to do about it.
fn short(warning: &Warning) -> String {
    match warning {
        Warning::Governor { governors } => {
            let names: Vec<&str> = governors.iter().map(|(name, _)| name.as_str()).collect();
            format!("governor {}", names.join(", "))
        }
        Warning::Turbo { .. } => "turbo boost is on".to_owned(),
        Warning::Load { load, .. } => format!("load average {load:.2}"),
        Warning::Quota { cpus, .. } => format!("CPU quota of {cpus:.2}"),
        Warning::KindsOfCores { kinds, .. } => format!("{} kinds of cores", kinds.len()),
        Warning::TimeSource { current, .. } => format!("time source {current}"),
        other => other.advice().kind.to_owned(),
    }
}

/// Name and text in lines of at most [`WIDTH`] columns, unless a word is longer.
fn wrapped(name: &str, text: &str) -> String {
    let mut lines = vec![format!("{name:INDENT$}")];
    let mut empty = true;
    for word in text.split_whitespace() {
        let columns = lines.last().map_or(0, |line| line.chars().count());
        if !empty && columns + 1 + word.chars().count() > WIDTH {
            lines.push(" ".repeat(INDENT));
            empty = true;
        }
        if let Some(line) = lines.last_mut() {
            if !std::mem::take(&mut empty) {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}
