//! A run as it is put together: what is known before it, and the rows of one group after another.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::cli::Options;
use crate::counters::Counting;
use crate::environment::Environment;
use crate::record::{Counters, Frequency, Record, Run};
use crate::versions::Versions;
use crate::warning::Warning;
use crate::wire::Failure;

/// A run that has no rows yet.
#[must_use]
pub fn begin(options: &Options, environment: Environment, counting: &Counting) -> Run {
    // How fast the machine is does not matter to a quick run.
    let warnings = if options.quick { Vec::new() } else { environment.warnings() };
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    Run {
        machine: options.machine.clone(),
        started_unix_s: since_1970.map(|time| time.as_secs()),
        versions: Versions::of_this_program(),
        frequency: options.cpu_mhz,
        environment,
        counters: Counters::of(counting),
        conditions: options.conditions(),
        warnings: warnings.iter().map(Warning::advice).collect(),
        ..Run::default()
    }
}

/// The rows of a group as a run of their own; `wrong` has what the self-test found, by identifier.
#[must_use]
pub fn part(
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
