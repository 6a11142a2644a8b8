//! Runs that were saved as JSON, read back.

use std::fmt;
use std::path::Path;

use serde::Deserialize;

use crate::record::{Run, SCHEMA_VERSION};

/// Why a file is no saved run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It could not be read.
    File(String),
    /// It is no JSON, or not of a run.
    NotARun(String),
    /// A later program wrote it in a way that this one does not know.
    Later(u64),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::File(reason) => write!(f, "it cannot be read: {reason}"),
            Unreadable::NotARun(reason) => {
                write!(f, "it is no saved run (`--output FILE.json` writes one): {reason}")
            }
            Unreadable::Later(version) => write!(
                f,
                "it has schema version {version}, and this program knows {SCHEMA_VERSION} at most: \
                 read it with the program that wrote it, or a later one"
            ),
        }
    }
}

impl std::error::Error for Unreadable {}

/// Reads a run from a file. A message to the user puts the file's name before the reason.
///
/// # Errors
/// When it cannot be read or is no saved run.
pub fn load(path: &Path) -> Result<Run, Unreadable> {
    let text = std::fs::read_to_string(path).map_err(|e| Unreadable::File(e.to_string()))?;
    parse(&text)
}

/// Reads a run from JSON. Fields that a later program has added are passed over.
///
/// # Errors
/// When it is no saved run.
pub fn parse(text: &str) -> Result<Run, Unreadable> {
    #[derive(Deserialize)]
    struct Version {
        schema_version: u64,
    }
    let not_a_run = |error: serde_json::Error| Unreadable::NotARun(error.to_string());
    let Version { schema_version } = serde_json::from_str(text).map_err(not_a_run)?;
    if schema_version > u64::from(SCHEMA_VERSION) {
        return Err(Unreadable::Later(schema_version));
    }
    serde_json::from_str(text).map_err(not_a_run)
}
