//! What the reader should know before believing a number: each warning states the fact and the
//! remedy. This is the one list of them.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::layouts::Layouts;
use crate::linearity::Bend;

/// A warning as a report shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// What kind of warning it is, in a word or two with hyphens.
    pub kind: String,
    /// Names of the rows it is about; empty when it is about all.
    pub rows: Vec<String>,
    /// Fact and remedy in a sentence.
    pub text: String,
}

/// A warning.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// Rows that never saw a quiet core.
    NeverQuiet {
        /// The rows' names.
        rows: Vec<String>,
    },
    /// Rows on several processors that were never all free.
    NeverFree {
        /// The rows' names.
        rows: Vec<String>,
        /// How many processors.
        threads: usize,
    },
    /// Processors that were seen to share a core, although the system tells otherwise or nothing.
    SharedCore {
        /// Names of the rows, and the share of their windows.
        rows: Vec<(String, f64)>,
    },
    /// Rows whose error is larger than a reader would expect.
    Imprecise {
        /// Names and relative errors.
        rows: Vec<(String, f64)>,
        /// Whether the user said how exact they should be.
        asked: bool,
    },
    /// Rows whose time is no straight line.
    NoLine {
        /// Names, what the cost is counted by, and bends.
        rows: Vec<(String, String, Bend)>,
    },
    /// Rows that have two costs, depending on where the loader puts code and data or on what state the core is in.
    TwoLayouts {
        /// Names, what the cost is counted by, and both costs.
        rows: Vec<(String, String, Layouts)>,
    },
    /// Rows measured by too few processes to state an error.
    NoErrorStated {
        /// How many rows.
        rows: usize,
    },
    /// The frequency was to be measured and could not be told for sure.
    FrequencyUnknown,
    /// The frequency that was given is not the one that the core ran at.
    OtherFrequency {
        /// The given one in megahertz.
        given: f64,
        /// That of the median row.
        measured: f64,
    },
    /// Nanoseconds were to be told at a frequency, and the core's own could not be measured.
    NotToldAt {
        /// The wanted one in megahertz.
        mhz: f64,
    },
    /// Samples were to last so long that interruptions are in all of them.
    LongSamples {
        /// How long, in milliseconds.
        ms: f64,
    },
    /// Something else had the processor for much of the time.
    Starved {
        /// Processor time over wall time.
        share: f64,
    },
    /// The frequency follows the load.
    Governor {
        /// Names of such scaling governors, each with its processors unless it has them all.
        governors: Vec<(String, Option<String>)>,
    },
    /// The frequency follows temperature and the other cores.
    Turbo {
        /// The file that switches it.
        file: Cow<'static, str>,
        /// What it holds now: 0 or 1.
        on_is: u8,
    },
    /// Others use the processors now.
    Load {
        /// Processes that ran or waited to run, average of the last minute.
        load: f64,
        /// Processors online.
        cpus: usize,
    },
    /// The process is stopped again and again when it has used its time.
    Quota {
        /// Processors' worth of time.
        cpus: f64,
        /// The file that sets it.
        file: String,
        /// What this file holds without a quota.
        unlimited: Cow<'static, str>,
        /// What it holds now.
        value: String,
    },
    /// A number holds for one kind of core.
    KindsOfCores {
        /// Names and processors, the fastest first.
        kinds: Vec<(String, String)>,
        /// A processor of another kind than the fastest.
        other: usize,
    },
    /// The kernel's time source is slow to read, or coarse.
    TimeSource {
        /// Its name.
        current: String,
        /// A better one that the kernel offers.
        better: Option<String>,
    },
}

impl Warning {
    /// What a report shows of it.
    #[must_use]
    pub fn advice(&self) -> Advice {
        let names = |rows: &[(String, f64)]| rows.iter().map(|(name, _)| name.clone()).collect();
        let (kind, rows) = match self {
            Warning::NeverQuiet { rows } => ("never-quiet", rows.clone()),
            Warning::Imprecise { rows, .. } => ("imprecise", names(rows)),
            Warning::NoLine { rows } => {
                ("no-line", rows.iter().map(|(name, ..)| name.clone()).collect())
            }
            Warning::TwoLayouts { rows } => {
                ("two-layouts", rows.iter().map(|(name, ..)| name.clone()).collect())
            }
            Warning::SharedCore { rows } => ("shared-core", names(rows)),
            Warning::NeverFree { rows, .. } => ("never-free", rows.clone()),
            Warning::NoErrorStated { .. } => ("no-error-stated", Vec::new()),
            Warning::FrequencyUnknown => ("frequency-unknown", Vec::new()),
            Warning::OtherFrequency { .. } => ("other-frequency", Vec::new()),
            Warning::NotToldAt { .. } => ("not-told-at", Vec::new()),
            Warning::LongSamples { .. } => ("long-samples", Vec::new()),
            Warning::Starved { .. } => ("starved", Vec::new()),
            Warning::Governor { .. } => ("governor", Vec::new()),
            Warning::Turbo { .. } => ("turbo", Vec::new()),
            Warning::Load { .. } => ("load", Vec::new()),
            Warning::Quota { .. } => ("quota", Vec::new()),
            Warning::KindsOfCores { .. } => ("kinds-of-cores", Vec::new()),
            Warning::TimeSource { .. } => ("time-source", Vec::new()),
        };
        Advice { kind: kind.to_owned(), rows, text: self.to_string() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::NeverQuiet { rows } => write!(
                f,
                "another program or another guest shared the core all the time while {} was \
                 measured, and the number may be too high: try again later, or on a machine with \
                 fewer neighbours",
                list(rows)
            ),
            Warning::SharedCore { rows } => {
                let rows: Vec<String> = rows
                    .iter()
                    .map(|(name, share)| {
                        format!("{name} (in {:.0} % of its free windows)", 100.0 * share)
                    })
                    .collect();
                write!(
                    f,
                    "two of the processors were hardware threads of one core: {}; two of these do less \
                     than two cores; in a guest the host decides that, and may decide otherwise the \
                     next time: try again, and compare",
                    list(&rows)
                )
            }
            Warning::NeverFree { rows, threads: 1 } => write!(
                f,
                "the processor was hardly ever free of others while {} was measured, and the rate may be \
                 too low: stop other programs, or try again later",
                list(rows)
            ),
            Warning::NeverFree { rows, threads } => write!(
                f,
                "the {threads} processors were hardly ever all free of others while {} was measured, so \
                 that the sum may be too low and the scaling off: stop other programs, or try again later",
                list(rows)
            ),
            Warning::Imprecise { rows, asked } => {
                let than = if *asked { "asked" } else { "the rest" };
                let rows: Vec<String> = rows
                    .iter()
                    .map(|(name, error)| format!("{name} (±{:.2} %)", 100.0 * error))
                    .collect();
                write!(
                    f,
                    "less exact than {than}: {}; the machine is noisy: try again, name only the \
                     rows you need, or raise --time-limit (or --repetitions)",
                    list(&rows)
                )
            }
            Warning::NoLine { rows } => {
                let rows: Vec<String> = rows
                    .iter()
                    .map(|(name, unit, bend)| format!("{name} {}", bent(unit, *bend)))
                    .collect();
                write!(
                    f,
                    "time is no straight line, and the slope is not the cost of every size: {}: \
                     compare at the sizes you need",
                    rows.join("; ")
                )
            }
            Warning::TwoLayouts { rows } => {
                let rows: Vec<String> = rows
                    .iter()
                    .map(|(name, unit, layouts)| format!("{name} {}", both(unit, *layouts)))
                    .collect();
                write!(
                    f,
                    "two costs, by where code, data and stack lie or by a state of the core that lasts \
                     for milliseconds: {}: expect either in a program of your own",
                    rows.join("; ")
                )
            }
            Warning::NoErrorStated { rows } => write!(
                f,
                "too few repetitions to say how exact {} {}: raise --repetitions",
                counted(*rows, "row"),
                if *rows == 1 { "is" } else { "are" }
            ),
            Warning::FrequencyUnknown => write!(
                f,
                "the core's frequency could not be told for sure, so that cycles are unknown: give it \
                 in megahertz with --cpu-mhz"
            ),
            Warning::OtherFrequency { given, measured } => write!(
                f,
                "cycles are reckoned with the given {given} MHz, but the core ran at {measured:.0} MHz: \
                 --cpu-mhz auto counts the cycles it took"
            ),
            Warning::NotToldAt { mhz } => write!(
                f,
                "the core's frequency could not be measured: rows without one are told as the time that \
                 passed, not at {mhz} MHz"
            ),
            Warning::LongSamples { ms } => write!(
                f,
                "samples of {ms} ms have every interruption of the machine in them, and read higher than \
                 its work alone, beyond the stated error: leave out --min-epoch where the clock is fine"
            ),
            Warning::Starved { share } => write!(
                f,
                "the measurement had the processor for only {:.0} % of the time (wall time is what \
                 is measured): stop other programs, or lift the CPU quota",
                100.0 * share
            ),
            Warning::Governor { governors } => {
                let named = governors.iter().map(|(name, cpus)| match cpus {
                    Some(cpus) => format!("{name} on {cpus}"),
                    None => name.clone(),
                });
                let undo = governors.iter().map(|(name, cpus)| match cpus {
                    Some(cpus) => format!("`sudo cpupower -c {cpus} frequency-set -g {name}`"),
                    None => format!("`sudo cpupower frequency-set -g {name}`"),
                });
                write!(
                    f,
                    "the scaling governor ({}) lets the frequency follow the load: \
                     `sudo cpupower frequency-set -g performance`, and back with {}",
                    list(&named.collect::<Vec<_>>()),
                    undo.collect::<Vec<_>>().join(" and "),
                )
            }
            Warning::Turbo { file, on_is } => write!(
                f,
                "turbo boost is on, and the frequency follows temperature and the other cores: \
                 `echo {} | sudo tee {file}`, and back with `echo {on_is} | sudo tee {file}`",
                1 - on_is.min(&1),
            ),
            Warning::Load { load, cpus } => write!(
                f,
                "other programs run, the load average is {load:.2} on {}: `top` names them; \
                 `kill -STOP PID`, and back with `kill -CONT PID`",
                counted(*cpus, "processor"),
            ),
            Warning::Quota { cpus, file, unlimited, value } => {
                let file = quoted(file);
                write!(
                    f,
                    "a CPU quota stops the measurement again and again, it allows {cpus:.2} of a \
                     processor: start the container without `--cpus`, or `echo {unlimited} | sudo \
                     tee {file}`, and back with `echo {} | sudo tee {file}`",
                    quoted(value),
                )
            }
            Warning::KindsOfCores { kinds, other } => {
                let kinds: Vec<String> =
                    kinds.iter().map(|(name, cpus)| format!("{name} on {cpus}")).collect();
                write!(
                    f,
                    "there are several kinds of cores ({}) and the numbers are of the fastest that \
                     this process may use: `--pin {other}` measures another, and without `--pin` it \
                     is the fastest again",
                    list(&kinds),
                )
            }
            Warning::TimeSource { current, better: Some(better) } => {
                let file = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
                write!(
                    f,
                    "the kernel's time source {current} is slow to read or coarse: `echo {better} | \
                     sudo tee {file}`, and back with `echo {current} | sudo tee {file}`"
                )
            }
            Warning::TimeSource { current, better: None } => write!(
                f,
                "the kernel's time source {current} is slow to read or coarse, and no better one \
                 was found: `sudo dmesg | grep -i clocksource` tells why; on a processor whose \
                 counter is sound boot with `tsc=reliable`, and back without it"
            ),
        }
    }
}

/// A number of things: `1 row`, `2 rows`.
#[must_use]
pub fn counted(number: usize, what: &str) -> String {
    let plural = if what.ends_with('s') { "es" } else { "s" };
    format!("{number} {what}{}", if number == 1 { "" } else { plural })
}

/// A word as a shell takes it: names of control groups may have any character.
fn quoted(word: &str) -> String {
    if word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-@:+,=".contains(c)) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Both sides of a bend: `1.93 ns/byte up to 1024, 0.45 above`; or of a step.
#[must_use]
pub fn bent(unit: &str, bend: Bend) -> String {
    if let Some(batch) = bend.batch {
        let (within, whole) = (bend.ns_per_unit_below, bend.ns_per_unit_above);
        return format!(
            "{within:.3} ns/{unit} within steps of {batch}, {whole:.3} over whole ones"
        );
    }
    format!(
        "{:.3} ns/{unit} up to {}, {:.3} above",
        bend.ns_per_unit_below, bend.size, bend.ns_per_unit_above
    )
}

/// Both costs of a row: `43.66 ns/byte, 47.70 in 40 % of the samples`.
#[must_use]
pub fn both(unit: &str, layouts: Layouts) -> String {
    format!(
        "{:.3} ns/{unit}, {:.3} in {:.0} % of the samples",
        layouts.best_ns_per_unit,
        layouts.other_ns_per_unit,
        100.0 * layouts.other_share
    )
}

/// Names in a sentence, the first few of them.
pub fn list(names: &[String]) -> String {
    const MOST: usize = 8;
    let mut text = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text.push_str(&format!(" and {} more", names.len() - MOST));
    }
    text
}
