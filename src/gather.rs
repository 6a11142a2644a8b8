//! A run as it is put together: what is known before it, and the rows of one group after another.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::cli::Options;
use crate::counters::{self, Absence, Counting};
use crate::cpus;
use crate::environment::Environment;
use crate::exact;
use crate::group::{Gathered, Machine};
use crate::record::{Counters, Frequency, Reference, Run};
use crate::versions::Versions;
use crate::warning::Warning;
use crate::wire::Failure;

/// The machine as it is, and the processors to stay on.
///
/// # Errors
/// Why the processor of `--pin` is not to be had.
pub fn place(options: &Options, machine: &Machine) -> Result<(Environment, Vec<usize>), String> {
    if let Some(cpu) = options.pin {
        cpus::check_pin(cpu).map_err(|reason| format!("--pin {cpu}: {reason}"))?;
    }
    let environment = Environment { pinned_cpu: options.pin, ..Environment::read(&machine.root) };
    let cpus = match options.pin {
        Some(cpu) => vec![cpu],
        None => environment.fastest(&cpus::allowed().unwrap_or_default()),
    };
    Ok((environment, cpus))
}

/// What can be counted on this machine, unless nothing is wanted.
#[must_use]
pub fn counting(machine: &Machine, options: &Options, cpus: &[usize]) -> Counting {
    // Where there is no slope there are no counts either.
    if options.no_counters || options.asymptote.is_some() || options.threads.is_some() {
        Counting::none(&Absence::SwitchedOff)
    } else if options.quick {
        Counting::none(&Absence::Quick)
    } else {
        cpus::staying_on(cpus, || counters::examine(&*machine.pmu))
    }
}

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

/// A given frequency that differs by more than this share from the measured one is another.
const SAME_FREQUENCY: f64 = 0.01;

/// The rows of a group as a run of their own; `wrong` has what the self-test found, by identifier.
#[must_use]
pub fn part(beginning: &Run, gathered: Gathered, wrong: &HashMap<String, String>) -> Run {
    let Gathered { mut records, warnings, reference } = gathered;
    let at_mhz = beginning.conditions.at_mhz;
    let reference = reference.map(|own| Reference { given: at_mhz.is_some(), ..own });
    for record in &mut records {
        if let Some(sentence) = wrong.get(&record.id) {
            record.result = Err(Failure::Wrong(sentence.clone()));
        }
        record.package_version = beginning.versions.packages.get(&record.package).cloned();
        record.derive(beginning.frequency);
    }
    exact::predict(&mut records);
    let warnings = warnings.iter().map(Warning::advice).collect();
    let mut part = Run { records, warnings, reference, ..beginning.clone() };
    if let Some(mhz) = at_mhz
        && part.has_unknown_frequency()
    {
        part.warnings.push(Warning::NotToldAt { mhz }.advice());
    }
    if part.frequency == Some(Frequency::Measured) && part.has_unknown_frequency() {
        part.warnings.push(Warning::FrequencyUnknown.advice());
    }
    if let (Some(Frequency::Given(given)), Some(measured)) = (part.frequency, part.usual_mhz())
        && (given / measured - 1.0).abs() > SAME_FREQUENCY
    {
        part.warnings.push(Warning::OtherFrequency { given, measured }.advice());
    }
    part
}

#[cfg(test)]
mod tests {
    use bench_slope_algorithms::Section;

    use super::*;
    use crate::record::Measured;
    use crate::report::examples::{measured, record};

    #[test]
    fn a_given_frequency_that_is_not_the_cores_has_a_warning() {
        let kinds = |given: f64| {
            let at_3000 = Measured { measured_mhz: Some(3000.0), ..measured(1.0) };
            let rows = vec![record(Section::Hash, "x", Ok(at_3000))];
            let beginning = Run { frequency: Some(Frequency::Given(given)), ..Run::default() };
            let gathered = Gathered { records: rows, ..Gathered::default() };
            let part = part(&beginning, gathered, &HashMap::new());
            part.warnings.into_iter().map(|advice| advice.kind).collect::<Vec<_>>()
        };
        assert_eq!(kinds(3500.0), ["other-frequency"]);
        assert_eq!(kinds(2900.0), ["other-frequency"]);
        assert!(kinds(3010.0).is_empty());
    }
}
