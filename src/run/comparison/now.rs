//! The rows of a saved run, measured now.

use std::collections::HashMap;
use std::io::{self, Write};
use std::time::Duration;

use bench_slope_algorithms::{Case, Catalogue, Section};

use super::agree;
use crate::bytes::Sizes;
use crate::choose::Group;
use crate::cli::{ComparisonOptions, Options, epoch};
use crate::compare::{Source, unlike};
use crate::counters::Counting;
use crate::exact::{WrongSize, check, expand};
use crate::gather;
use crate::group::{Machine, Plan, measure};
use crate::output::Files;
use crate::record::{self, Frequency, Run};
use crate::report::Format;
use crate::tell::{self, ProgressLine};

/// What a run is called that is measured now.
pub(super) const NAME: &str = "measured now";

/// A measurement of the rows of a saved run, ready to begin.
pub(super) struct Now {
    groups: Vec<Group>,
    options: Options,
    cpus: Vec<usize>,
    counting: Counting,
    files: Files,
    /// Rows that this program has not.
    unknown: Vec<String>,
    beginning: Run,
}

impl Now {
    /// Looks everything up before anything is timed.
    pub(super) fn prepare(
        base: &Source,
        wish: &ComparisonOptions,
        options: &Options,
        machine: &Machine,
    ) -> Result<Self, String> {
        let conditions = &base.run.conditions;
        let other = [
            ("--quick", conditions.quick),
            ("--threads", conditions.threads.is_some()),
            ("--asymptote", conditions.growth),
            ("--raw", conditions.sizes.is_some()),
        ];
        if let Some((option, _)) = other.iter().find(|(_, given)| *given) {
            return Err(format!("--run: {} was measured with {option}", base.name));
        }
        let (environment, cpus) = gather::place(options, machine)?;
        let at_fault = |wrong: String| format!("--run: {}: {wrong}", base.name);
        let sizes = conditions.bytes.clone().map(Sizes::new).transpose().map_err(at_fault)?;
        let epoch = conditions.min_epoch_ns.map(Duration::from_nanos).map(epoch);
        let epoch = epoch.transpose().map_err(at_fault)?;
        let (groups, unknown) =
            cases(&machine.catalogue, &base.run, sizes.as_deref().unwrap_or_default())
                .map_err(|wrong| at_fault(wrong.to_string()))?;
        if groups.is_empty() {
            return Err(format!("--run: this program has no row of {}", base.name));
        }
        // As the base was measured; the frequency makes runs comparable.
        let mut options = options.clone();
        options.unaligned = conditions.unaligned;
        options.repetitions = conditions.repetitions;
        options.cpu_mhz = Some(Frequency::Measured);
        options.bytes = sizes;
        options.min_epoch = epoch;
        options.precision = conditions.precision;
        options.time_limit =
            conditions.time_limit_s.and_then(|s| Duration::try_from_secs_f64(s).ok());
        let counting = gather::counting(machine, &options, &cpus);
        let beginning = gather::begin(&options, environment, &counting);
        // What cannot be compared need not be measured.
        let empty = Source { name: NAME.to_owned(), run: beginning.clone() };
        let both = [base.clone(), empty];
        agree(&both, &unlike(&both), wish)?;
        let files = Files::check(&options.output, Format::Json).map_err(|e| e.to_string())?;
        Ok(Now { groups, options, cpus, counting, files, unknown, beginning })
    }

    /// The run, and whether all files that were to hold it do.
    pub(super) fn measure(
        mut self,
        machine: &Machine,
        own: &Options,
        err: &mut dyn Write,
    ) -> io::Result<(Run, bool)> {
        let mut whole = self.beginning.clone();
        if own.verbose {
            tell::facts(&whole.environment, err)?;
        }
        if !own.quiet {
            tell::advice(&whole, err)?;
            tell::not_counted(&whole.counters, err)?;
            if !self.unknown.is_empty() {
                let unknown = self.unknown.join(", ");
                writeln!(err, "warning: not measured, for this program has them not: {unknown}")?;
            }
        }
        let plan = Plan {
            repetitions: self.options.repetitions,
            precision: self.options.precision,
            time_limit: self.options.time_limit,
            unaligned: self.options.unaligned,
            samples: self.options.samples,
            min_epoch_ns: self.beginning.conditions.min_epoch_ns,
            cpus: &self.cpus,
            counters: &self.counting.events,
            ..Plan::default()
        };
        let no_answers = HashMap::new();
        for (section, cases) in &self.groups {
            let line = ProgressLine::new(*section, 0.0);
            let at_mhz = whole.reference.map(|reference| reference.mhz);
            let plan = Plan { at_mhz, ..plan };
            let measured = measure(machine, cases, plan, &mut |progress| line.show(progress));
            line.clear();
            let part = gather::part(&self.beginning, measured?, &no_answers);
            whole.add(&part);
            tell::failures(&part, false, err)?;
            if !own.quiet {
                tell::advice(&part, err)?;
            }
            if own.verbose {
                tell::details(&part, err)?;
            }
            if machine.is_interrupted() {
                whole.partial = true;
                break;
            }
        }
        for unwritable in self.files.write(&whole, true) {
            writeln!(err, "error: {unwritable}")?;
        }
        Ok((whole, !self.files.failed()))
    }
}

/// The cases of a run's rows by section, and rows that the catalogue has not.
///
/// # Errors
/// A size that one of the cases does not take.
fn cases(
    catalogue: &Catalogue,
    run: &Run,
    sizes: &[usize],
) -> Result<(Vec<Group>, Vec<String>), WrongSize> {
    let mut groups: Vec<Group> = Vec::new();
    let wanted = |case: &Case| run.records.iter().any(|record| record.id == case.id());
    for &section in Section::ALL {
        let cases: Vec<Case> = catalogue.cases(section).filter(wanted).collect();
        if !cases.is_empty() {
            check(&cases, sizes)?;
            groups.push((section, expand(&cases, sizes)));
        }
    }
    let has = |id: &str| {
        let mut cases = groups.iter().flat_map(|(_, cases)| cases);
        cases.any(|case| record::id(case) == id)
    };
    let missing = run.records.iter().filter(|record| !has(&record.id));
    let unknown = missing.map(|record| record.name()).collect();
    Ok((groups, unknown))
}
