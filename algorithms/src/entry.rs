//! What can be timed: sections, operations, and the catalogue's lines.

use std::fmt;
use std::sync::Arc;

use crate::routine::{OpenError, Placement, Routine, Setup, message_bytes};

/// A part of the catalogue, printed as a table of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Hash functions, extendable-output functions and checksums.
    Hash,
}

impl Section {
    /// Every section, in the order they are printed in.
    pub const ALL: &'static [Section] = &[Section::Hash];

    /// The word on the command line and in machine-readable output.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Section::Hash => "hash",
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What is done to the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Message in, digest out.
    Digest,
}

impl Operation {
    /// The word in a case's identifier.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Operation::Digest => "digest",
        }
    }

    /// The word in a table's row, empty where a section has one operation only.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Operation::Digest => "",
        }
    }
}

/// Opens a routine for one operation.
pub type Open =
    dyn Fn(&Setup, Operation) -> Result<Box<dyn Routine>, OpenError> + Send + Sync + 'static;

/// One line of the catalogue: an algorithm (in one mode), its operations, and how to open it.
#[derive(Clone)]
pub struct Entry {
    /// The section it belongs to.
    pub section: Section,
    /// The library that computes it.
    pub provider: &'static str,
    /// The crate (or the like) within the provider.
    pub package: &'static str,
    /// The name printed, as libgcrypt prints it where libgcrypt has it.
    pub algorithm: &'static str,
    /// The mode of operation, empty where there is none.
    pub mode: &'static str,
    /// Further names it is found by.
    pub aliases: &'static [&'static str],
    /// What can be timed of it, in the order of the rows.
    pub operations: &'static [Operation],
    /// Bytes of output of one call; for an extendable-output function the length squeezed.
    pub output_bytes: usize,
    /// Whether `output_bytes` was chosen by us rather than by the standard.
    pub extendable: bool,
    /// Whether it is so slow that it is left out unless it is named or slow rows are asked for.
    pub slow: bool,
    /// Bytes of key that timing uses, 0 where there is none.
    pub key_bytes: usize,
    /// How to open it.
    pub open: Arc<Open>,
}

impl Entry {
    /// Adds names it is found by.
    #[must_use]
    pub fn also(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Marks it as slow.
    #[must_use]
    pub fn slow(mut self) -> Self {
        self.slow = true;
        self
    }

    /// What timing opens it with: a message of `max_bytes` pseudo-random bytes and a
    /// pseudo-random key.
    #[must_use]
    pub fn timing_setup(&self, max_bytes: usize, placement: Placement) -> Setup {
        Setup {
            key: message_bytes(self.key_bytes, 1),
            input: message_bytes(max_bytes, 2),
            output_bytes: self.output_bytes,
            placement,
        }
    }

    /// The entry with one of its operations.
    #[must_use]
    pub fn case(&self, operation: Operation) -> Case {
        Case { entry: self.clone(), operation }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entry({}/{}/{})", self.provider, self.algorithm, self.mode)
    }
}

/// A row: one operation of one entry.
#[derive(Clone, Debug)]
pub struct Case {
    /// The algorithm.
    pub entry: Entry,
    /// What is done.
    pub operation: Operation,
}

impl Case {
    /// The identifier, such as `rustcrypto/SHA256/digest`: unique in the catalogue.
    #[must_use]
    pub fn id(&self) -> String {
        let mut parts = vec![self.entry.provider, self.entry.algorithm];
        if !self.entry.mode.is_empty() {
            parts.push(self.entry.mode);
        }
        parts.push(self.operation.word());
        parts.join("/")
    }

    /// Opens the routine of this case.
    ///
    /// # Errors
    /// When the algorithm refuses the set-up or is not available on this machine.
    pub fn open(&self, setup: &Setup) -> Result<Box<dyn Routine>, OpenError> {
        (self.entry.open)(setup, self.operation)
    }
}
