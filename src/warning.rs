//! What the reader should know before believing a number: each warning states the fact and the
//! remedy. This is the one list of them.

use std::fmt;

/// A warning.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// Rows that never saw a quiet core.
    NeverQuiet {
        /// The rows' names.
        rows: Vec<String>,
    },
    /// Rows whose error is larger than a reader would expect.
    Imprecise {
        /// Names and relative errors.
        rows: Vec<(String, f64)>,
    },
    /// Rows measured by too few processes to state an error.
    NoErrorStated {
        /// How many rows.
        rows: usize,
    },
    /// The frequency was to be measured and could not be told for sure.
    FrequencyUnknown,
    /// Something else had the processor for much of the time.
    Starved {
        /// Processor time over wall time.
        share: f64,
    },
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
            Warning::Imprecise { rows } => {
                let rows: Vec<String> = rows
                    .iter()
                    .map(|(name, error)| format!("{name} (±{:.1} %)", 100.0 * error))
                    .collect();
                write!(
                    f,
                    "less exact than the rest: {}; the machine is noisy: try again, name only the \
                     rows you need, or raise --repetitions",
                    list(&rows)
                )
            }
            Warning::NoErrorStated { rows } => write!(
                f,
                "too few repetitions to say how exact {rows} {} are: raise --repetitions",
                if *rows == 1 { "row" } else { "rows" }
            ),
            Warning::FrequencyUnknown => write!(
                f,
                "the core's frequency could not be told for sure, so that cycles are unknown: give it \
                 in megahertz with --cpu-mhz"
            ),
            Warning::Starved { share } => write!(
                f,
                "the measurement had the processor for only {:.0} % of the time (wall time is what \
                 is measured): stop other programs, or lift the CPU quota",
                100.0 * share
            ),
        }
    }
}

/// Names in a sentence, the first few of them.
fn list(names: &[String]) -> String {
    const MOST: usize = 8;
    let mut text = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text.push_str(&format!(" and {} more", names.len() - MOST));
    }
    text
}
