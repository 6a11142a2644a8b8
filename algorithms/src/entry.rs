//! What can be timed: sections, operations, and the catalogue's lines.

use std::fmt;
use std::sync::Arc;

use crate::lengths::Lengths;
use crate::routine::{OpenError, Placement, Routine, Setup, message_bytes};

/// A part of the catalogue, printed as a table of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Hash functions, extendable-output functions and checksums.
    Hash,
    /// Message authentication codes.
    Mac,
    /// Block ciphers in their modes, stream ciphers, authenticated encryption.
    Cipher,
    /// Key derivation functions.
    Kdf,
    /// Named benchmarks: one call on a message of one size.
    Points,
}

impl Section {
    /// Every section, in the order they are printed in.
    pub const ALL: &'static [Section] =
        &[Section::Hash, Section::Mac, Section::Cipher, Section::Kdf, Section::Points];

    /// Those whose rows are costs per byte, or per unit of what is counted: what is timed when no
    /// section is named.
    pub const BY_SLOPE: &'static [Section] =
        &[Section::Hash, Section::Mac, Section::Cipher, Section::Kdf];

    /// The word on the command line and in machine-readable output.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Section::Hash => "hash",
            Section::Mac => "mac",
            Section::Cipher => "cipher",
            Section::Kdf => "kdf",
            Section::Points => "points",
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
    /// Plaintext in, ciphertext out, with the tag where there is one.
    Encrypt,
    /// Valid ciphertext in, its tag checked where there is one, plaintext out.
    Decrypt,
    /// A MAC of a message, or a cipher mode's work on authenticated data.
    Authenticate,
    /// Password or key in, key out.
    Derive,
    /// Plaintext in, ciphertext with its tag made and decrypted again.
    RoundTrip,
}

impl Operation {
    /// The word in a case's identifier.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Operation::Digest => "digest",
            Operation::Encrypt => "encrypt",
            Operation::Decrypt => "decrypt",
            Operation::Authenticate => "authenticate",
            Operation::Derive => "derive",
            Operation::RoundTrip => "encrypt-decrypt",
        }
    }
}

/// What the cost of a row grows with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Bytes of message (or of authenticated data): 0, 64, ... 4096.
    Bytes,
    /// Something else a routine counts, such as iterations of a KDF.
    Count {
        /// The unit in headers and rows, such as `iter`.
        unit: &'static str,
        /// The values timed, ascending.
        values: &'static [usize],
    },
    /// Nothing: it is one call on a message of one size.
    One {
        /// Bytes of the message.
        bytes: usize,
        /// Whether its cost is told by the byte of the message, rather than by the call.
        per_byte: bool,
    },
}

impl Axis {
    /// The largest message and the step between messages, as the ancestor has them.
    const BYTES: (usize, usize) = (4096, 64);

    /// The sizes timed, ascending.
    #[must_use]
    pub fn sizes(self) -> Vec<usize> {
        match self {
            Axis::Bytes => (0..=Self::BYTES.0).step_by(Self::BYTES.1).collect(),
            Axis::Count { values, .. } => values.to_vec(),
            Axis::One { bytes, .. } => vec![bytes],
        }
    }

    /// What the cost is counted by, as headings have it: `byte`, `op` for a call, or what a KDF counts.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Axis::Bytes | Axis::One { per_byte: true, .. } => "byte",
            Axis::Count { unit, .. } => unit,
            Axis::One { per_byte: false, .. } => "op",
        }
    }

    /// Where it is timed at one size: units in a call.
    #[must_use]
    pub fn units_of_one(self) -> Option<usize> {
        match self {
            Axis::One { bytes, per_byte } => Some(if per_byte { bytes } else { 1 }),
            Axis::Bytes | Axis::Count { .. } => None,
        }
    }

    /// The longest message a routine of this axis is opened with, in bytes.
    #[must_use]
    pub fn message_bytes(self) -> usize {
        match self {
            Axis::Bytes => Self::BYTES.0,
            Axis::Count { .. } => 0,
            Axis::One { bytes, .. } => bytes,
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
    /// Bytes of output of one call; for an extendable-output function the length squeezed, for a
    /// cipher those beyond the length of the message: its tag.
    pub output_bytes: usize,
    /// Whether `output_bytes` was chosen by us rather than by the standard.
    pub extendable: bool,
    /// Whether it is so slow that it is left out unless it is named or slow rows are asked for.
    pub slow: bool,
    /// Bytes of key (for a KDF: of the password) that timing uses, 0 where there is none.
    pub key_bytes: usize,
    /// Bytes of nonce or initialisation vector (for a KDF: of the salt) that timing uses.
    pub nonce_bytes: usize,
    /// What its cost grows with.
    pub axis: Axis,
    /// The lengths of message it takes.
    pub lengths: Lengths,
    /// The entry whose known answers are its own too, where they are filed under another name.
    pub known_as: Option<KnownAs>,
    /// How to open it.
    pub open: Arc<Open>,
}

/// Where known answers are filed: section, algorithm and mode.
pub type KnownAs = (Section, &'static str, &'static str);

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

    /// The operation as a table's row names it: `CBC enc`, `GCM auth`, and nothing in a section
    /// whose entries have one operation only.
    #[must_use]
    pub fn label(&self) -> String {
        let mode = self.entry.mode;
        match (self.entry.section, self.operation) {
            (Section::Cipher, Operation::Encrypt) => format!("{mode} enc"),
            (Section::Cipher, Operation::Decrypt) => format!("{mode} dec"),
            (Section::Cipher, Operation::Authenticate) => format!("{mode} auth"),
            _ => mode.to_owned(),
        }
    }

    /// What timing opens it with: pseudo-random key, nonce and message. Where authenticated data
    /// are what is timed, the message is empty and they are long; else there are none.
    #[must_use]
    pub fn timing_setup(&self, placement: Placement) -> Setup {
        self.timing_setup_up_to(placement, self.entry.axis.message_bytes())
    }

    /// The same for messages of up to `longest` bytes, where a message is what the cost grows with.
    #[must_use]
    pub fn timing_setup_up_to(&self, placement: Placement, longest: usize) -> Setup {
        let longest = if matches!(self.entry.axis, Axis::Count { .. }) { 0 } else { longest };
        let message = message_bytes(longest, 2);
        let is_aad =
            self.entry.section == Section::Cipher && self.operation == Operation::Authenticate;
        let (aad, input) = if is_aad { (message, Vec::new()) } else { (Vec::new(), message) };
        Setup {
            key: message_bytes(self.entry.key_bytes, 1),
            nonce: message_bytes(self.entry.nonce_bytes, 3),
            aad,
            input,
            output_bytes: self.entry.output_bytes,
            placement,
        }
    }

    /// The same row at one size of its message, told by the call.
    #[must_use]
    pub fn at(&self, bytes: usize) -> Case {
        let mut case = self.clone();
        case.entry.axis = Axis::One { bytes, per_byte: false };
        case
    }

    /// Opens the routine of this case.
    ///
    /// # Errors
    /// When the algorithm refuses the set-up or is not available on this machine.
    pub fn open(&self, setup: &Setup) -> Result<Box<dyn Routine>, OpenError> {
        (self.entry.open)(setup, self.operation)
    }
}
