//! What runs differ in beside their numbers: machine, conditions, versions.

use std::collections::BTreeSet;

use super::Source;
use crate::environment::CoreKind;
use crate::record::Run;

/// Something that is not the same in all runs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Unlike {
    /// What differs, in words.
    pub what: String,
    /// What each run has, `unknown` where it is not known; in the order of the runs.
    pub values: Vec<String>,
    /// Whether their numbers then say nothing about the program that was measured.
    pub refused: bool,
}

const UNKNOWN: &str = "unknown";
/// Facts of the environment that make another machine.
const MACHINE: &[&str] = &["processor", "architecture"];
/// Facts that change from minute to minute, or that say nothing about speed.
const PASSING: &[&str] = &["load average", "running now", "time sources", "pinned to processor"];

impl Unlike {
    /// Whether it makes another machine, rather than other conditions.
    #[must_use]
    pub fn is_of_the_machine(&self) -> bool {
        MACHINE.contains(&self.what.as_str())
    }
}

/// All that differs, what is refused first.
#[must_use]
pub fn unlike(sources: &[Source]) -> Vec<Unlike> {
    let mut found = Vec::new();
    let facts: Vec<Vec<(&str, String)>> =
        sources.iter().map(|source| source.run.environment.facts()).collect();
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in facts.iter().flatten() {
        if !names.contains(name) && !PASSING.contains(name) {
            names.push(name);
        }
    }
    for name in names {
        let value = |facts: &Vec<(&str, String)>| {
            facts.iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone())
        };
        add(&mut found, name, facts.iter().map(value).collect(), MACHINE.contains(&name));
    }
    let mut compare = |what: &str, refused: bool, value: &dyn Fn(&Run) -> Option<String>| {
        let values = sources.iter().map(|source| value(&source.run)).collect();
        add(&mut found, what, values, refused);
    };
    compare("kind of core", true, &|run| {
        let environment = &run.environment;
        let kinds = environment.core_kinds.as_ref().filter(|kinds| kinds.len() > 1)?;
        // Without --pin it is the fastest, which comes first.
        let pinned =
            |kind: &&CoreKind| environment.pinned_cpu.is_none_or(|c| kind.cpus.contains(&c));
        kinds.iter().find(pinned).map(|kind| kind.name.clone())
    });
    let yes = |on: bool| Some(if on { "yes" } else { "no" }.to_owned());
    compare("--unaligned", true, &|run| yes(run.conditions.unaligned));
    compare("--quick", true, &|run| yes(run.conditions.quick));
    compare("sizes", true, &|run| {
        let sizes = run.conditions.sizes.as_ref();
        Some(sizes.map_or_else(|| "the usual ones".to_owned(), |sizes| format!("{sizes:?}")))
    });
    compare("--asymptote", true, &|run| yes(run.conditions.growth));
    let number = |of: Option<usize>| Some(of.map_or_else(|| "none".to_owned(), |n| n.to_string()));
    compare("--message", true, &|run| number(run.conditions.message_bytes));
    compare("--threads", true, &|run| number(run.conditions.threads));
    compare("--repetitions", false, &|run| {
        let repetitions = run.conditions.repetitions;
        Some(repetitions.map_or_else(|| "as many as it takes".to_owned(), |n| n.to_string()))
    });
    compare("--min-epoch", false, &|run| {
        let ns = run.conditions.min_epoch_ns;
        Some(ns.map_or_else(|| "as the clock has it".to_owned(), |ns| format!("{ns} ns")))
    });
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    compare("version of bench-slope", false, &|run| known(&run.versions.bench_slope));
    compare("target", false, &|run| known(&run.versions.target));
    compare("profile", false, &|run| known(&run.versions.profile));
    compare("level of optimisation", false, &|run| known(&run.versions.opt_level));
    compare("flags of the build", false, &|run| Some(run.versions.flags.clone()));
    compare("compiler", false, &|run| known(&run.versions.compiler));
    // Features are many: only those are told that not all have.
    let all = |features: fn(&Run) -> Option<&Vec<String>>| -> Vec<String> {
        let mut lists = sources.iter().filter_map(|source| features(&source.run));
        let first = lists.next().cloned().unwrap_or_default();
        lists.fold(first, |all, list| all.into_iter().filter(|f| list.contains(f)).collect())
    };
    let besides = |list: Option<&Vec<String>>, all: &[String]| {
        let own: Vec<&str> =
            list?.iter().filter(|f| !all.contains(f)).map(String::as_str).collect();
        Some(if own.is_empty() { "none besides".to_owned() } else { own.join(" ") })
    };
    let granted: fn(&Run) -> Option<&Vec<String>> = |run| Some(&run.versions.target_features);
    let common = all(granted);
    compare("features taken for granted", false, &|run| besides(granted(run), &common));
    let detected: fn(&Run) -> Option<&Vec<String>> = |run| run.versions.cpu_features.as_ref();
    let common = all(detected);
    compare("features of the processor", false, &|run| besides(detected(run), &common));
    let packages: BTreeSet<&String> =
        sources.iter().flat_map(|source| source.run.versions.packages.keys()).collect();
    for package in packages {
        compare(&format!("crate {package}"), false, &|run| {
            let packages = &run.versions.packages;
            let none = || (!packages.is_empty()).then(|| "none".to_owned());
            packages.get(package).cloned().or_else(none)
        });
    }
    found.sort_by_key(|unlike| !unlike.refused);
    found
}

/// Notes what is not the same. What one run does not know is never a reason to refuse.
fn add(found: &mut Vec<Unlike>, what: &str, values: Vec<Option<String>>, refused: bool) {
    let known: BTreeSet<&String> = values.iter().flatten().collect();
    let unknown = values.iter().any(Option::is_none);
    if known.len() + usize::from(unknown) < 2 {
        return;
    }
    let refused = refused && known.len() > 1;
    let show = |value: Option<String>| value.unwrap_or_else(|| UNKNOWN.to_owned());
    let values = values.into_iter().map(show).collect();
    found.push(Unlike { what: what.to_owned(), values, refused });
}

/// Whether the runs are of one machine, as far as is known.
#[must_use]
pub fn is_one_machine(unlike: &[Unlike]) -> bool {
    !unlike.iter().any(|unlike| unlike.refused && unlike.is_of_the_machine())
}
