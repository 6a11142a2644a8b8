//! Which cases a run is about: sections, names and a filter.

use std::fmt;

use bench_slope_algorithms::{Axis, Case, Catalogue, Entry, Section, UnknownName};
use regex::Regex;

/// What the user asked for.
pub struct Wanted<'a> {
    /// The section; all when none is named.
    pub section: Option<Section>,
    /// Names in this section; all when none is given.
    pub names: &'a [String],
    /// Only cases that it matches.
    pub filter: Option<&'a Regex>,
    /// Slow cases too, when no name is given.
    pub include_slow: bool,
    /// Only cases that have a message, whose size can be chosen.
    pub with_message: bool,
}

/// Why there is nothing to measure.
#[derive(Debug)]
pub enum Refusal {
    /// Names that do not exist.
    Unknown(Vec<UnknownName>),
    /// The filter matches no case.
    NoMatch {
        /// The filter.
        filter: String,
        /// Whether it matches slow ones, which were not asked for.
        slow: bool,
    },
    /// What is asked for has no message.
    NoMessage,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unknown(names) => {
                let names: Vec<String> = names.iter().map(ToString::to_string).collect();
                f.write_str(&names.join("\n"))
            }
            Refusal::NoMatch { filter, slow: false } => {
                write!(
                    f,
                    "--filter '{filter}': no name and no identifier matches (--list tells them)"
                )
            }
            Refusal::NoMatch { filter, slow: true } => write!(
                f,
                "--filter '{filter}': only slow algorithms match, which are left out without \
                 --include-slow"
            ),
            Refusal::NoMessage => f.write_str(
                "--raw, --threads: what key derivation takes does not grow with a message, so that \
                 there is no size to choose",
            ),
        }
    }
}

/// Cases of one section.
pub type Group = (Section, Vec<Case>);

/// The cases that were asked for by section, in the order of the words, each once; no group is
/// empty.
///
/// # Errors
/// When a name does not exist, or nothing is left.
pub fn choose(catalogue: &Catalogue, wanted: &Wanted) -> Result<Vec<Group>, Refusal> {
    let sections = wanted.section.map_or_else(|| Section::ALL.to_vec(), |section| vec![section]);
    let mut groups = Vec::new();
    for section in sections {
        groups.push((section, select(catalogue, section, wanted.names).map_err(Refusal::Unknown)?));
    }
    let is_slow = |case: &Case| case.entry.slow && wanted.names.is_empty() && !wanted.include_slow;
    if let Some(filter) = wanted.filter {
        keep(&mut groups, |case| matches(filter, case));
        let slow = !groups.is_empty();
        keep(&mut groups, |case| !is_slow(case));
        if groups.is_empty() {
            return Err(Refusal::NoMatch { filter: filter.as_str().to_owned(), slow });
        }
    }
    keep(&mut groups, |case| !is_slow(case));
    if wanted.with_message && !groups.is_empty() {
        keep(&mut groups, |case| case.entry.axis == Axis::Bytes);
        if groups.is_empty() {
            return Err(Refusal::NoMessage);
        }
    }
    Ok(groups)
}

fn keep(groups: &mut Vec<Group>, keeps: impl Fn(&Case) -> bool) {
    for (_, cases) in groups.iter_mut() {
        cases.retain(|case| keeps(case));
    }
    groups.retain(|(_, cases)| !cases.is_empty());
}

fn select(
    catalogue: &Catalogue,
    section: Section,
    names: &[String],
) -> Result<Vec<Case>, Vec<UnknownName>> {
    if names.is_empty() {
        return Ok(catalogue.cases(section).collect());
    }
    let mut cases: Vec<Case> = Vec::new();
    let mut unknown = Vec::new();
    for name in names {
        match catalogue.find_all(section, name) {
            Ok(entries) => {
                let new = entries.into_iter().flat_map(|entry| {
                    entry.operations.iter().map(|&operation| entry.case(operation))
                });
                for case in new {
                    if cases.iter().all(|earlier| earlier.id() != case.id()) {
                        cases.push(case);
                    }
                }
            }
            Err(error) => unknown.push(error),
        }
    }
    if unknown.is_empty() { Ok(cases) } else { Err(unknown) }
}

/// Whether a filter matches the identifier, the name in a row, or the name on the command line.
fn matches(filter: &Regex, case: &Case) -> bool {
    let row = format!("{} {}", case.entry.algorithm, case.label());
    let names = [case.id(), row.trim_end().to_owned(), name(&case.entry)];
    names.iter().any(|name| filter.is_match(name))
}

/// The name that means this entry alone: `aes/cbc`.
#[must_use]
pub fn name(entry: &Entry) -> String {
    let slash = if entry.mode.is_empty() { "" } else { "/" };
    format!("{}{slash}{}", entry.algorithm, entry.mode).to_lowercase()
}

/// A line for each entry: its name, with its section before it when there may be several.
#[must_use]
pub fn list(groups: &[Group], with_section: bool) -> String {
    let mut text = String::new();
    for (section, cases) in groups {
        let mut names: Vec<String> = cases.iter().map(|case| name(&case.entry)).collect();
        // Operations of an entry follow each other.
        names.dedup();
        for name in names {
            let before = if with_section { format!("{section} ") } else { String::new() };
            text.push_str(&format!("{before}{name}\n"));
        }
    }
    text
}
