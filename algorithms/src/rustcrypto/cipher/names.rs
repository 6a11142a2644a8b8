//! From a mode and how to open it under a key to an entry of the catalogue.

use std::sync::Arc;

use super::super::NAME;
use super::authenticated::{Authenticated, AuthenticatedRoutine};
use super::routine::{Plain, PlainRoutine};
use crate::entry::{Axis, Entry, Open, Operation, Section};
use crate::lengths::Lengths;
use crate::routine::{OpenError, Routine, Setup, expect_bytes};

/// The names on a line.
#[derive(Clone, Copy)]
pub struct Names {
    pub algorithm: &'static str,
    pub package: &'static str,
    pub aliases: &'static [&'static str],
}

/// Opens a mode that does not authenticate under a key of the length the entry says.
pub type MakePlain = fn(key: &[u8]) -> Result<Box<dyn Plain>, OpenError>;

/// Opens a mode that authenticates.
pub type MakeAuthenticated = fn(key: &[u8]) -> Result<Box<dyn Authenticated>, OpenError>;

/// Bytes of key and nonce that a mode takes; SIV alone takes a nonce of any length, and times one
/// of a block.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub key: usize,
    pub nonce: usize,
    pub any_nonce: bool,
}

impl Sizes {
    pub fn new(key: usize, nonce: usize) -> Self {
        Sizes { key, nonce, any_nonce: false }
    }

    fn check(self, setup: &Setup) -> Result<(), OpenError> {
        expect_bytes("key", self.key, setup.key.len())?;
        match self.any_nonce {
            true => Ok(()),
            false => expect_bytes("nonce", self.nonce, setup.nonce.len()),
        }
    }
}

impl Names {
    /// Adds names that all its entries are found by.
    pub fn also(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// The entry of a mode that does not authenticate.
    pub fn plain(
        self,
        mode: &'static str,
        sizes: Sizes,
        lengths: Lengths,
        make: MakePlain,
    ) -> Entry {
        let open = move |setup: &Setup, operation: Operation| {
            sizes.check(setup)?;
            let routine = PlainRoutine::new(make(&setup.key)?, lengths, setup, operation);
            Ok(Box::new(routine) as Box<dyn Routine>)
        };
        let operations = &[Operation::Encrypt, Operation::Decrypt];
        self.entry(mode, sizes, lengths, 0, operations, Arc::new(open))
    }

    /// The entry of a mode that authenticates.
    pub fn authenticated(
        self,
        mode: &'static str,
        sizes: Sizes,
        tag_bytes: usize,
        make: MakeAuthenticated,
    ) -> Entry {
        let open = move |setup: &Setup, operation: Operation| {
            sizes.check(setup)?;
            let mode = make(&setup.key)?;
            let routine = AuthenticatedRoutine::new(mode, tag_bytes, setup, operation);
            Ok(Box::new(routine) as Box<dyn Routine>)
        };
        let operations = &[Operation::Encrypt, Operation::Decrypt, Operation::Authenticate];
        self.entry(mode, sizes, Lengths::All, tag_bytes, operations, Arc::new(open))
    }

    fn entry(
        self,
        mode: &'static str,
        sizes: Sizes,
        lengths: Lengths,
        tag_bytes: usize,
        operations: &'static [Operation],
        open: Arc<Open>,
    ) -> Entry {
        Entry {
            section: Section::Cipher,
            provider: NAME,
            package: self.package,
            algorithm: self.algorithm,
            mode,
            aliases: self.aliases,
            operations,
            output_bytes: tag_bytes,
            extendable: false,
            slow: false,
            key_bytes: sizes.key,
            nonce_bytes: sizes.nonce,
            axis: Axis::Bytes,
            lengths,
            known_as: None,
            open,
        }
    }
}
