//! What the reader should know before believing a number: each warning states the fact and the
//! remedy. This is the one list of them.

use std::fmt;

use crate::linearity::Bend;

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
    /// Rows whose time is no straight line.
    NoLine {
        /// Names, what the cost is counted by, and bends.
        rows: Vec<(String, &'static str, Bend)>,
    },
    /// Rows measured by too few processes to state an error.
    NoErrorStated {
        /// How many rows.
        rows: usize,
    },
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
            Warning::NoErrorStated { rows } => write!(
                f,
                "too few repetitions to say how exact {rows} {} are: raise --repetitions",
                if *rows == 1 { "row" } else { "rows" }
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

/// Both sides of a bend: `1.93 ns/byte up to 1024, 0.45 above`.
#[must_use]
pub fn bent(unit: &str, bend: Bend) -> String {
    format!(
        "{:.3} ns/{unit} up to {}, {:.3} above",
        bend.ns_per_unit_below, bend.size, bend.ns_per_unit_above
    )
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
