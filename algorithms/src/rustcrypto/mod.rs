//! The default provider: RustCrypto's crates and a few other pure-Rust ones. The tables are data;
//! one generic routine a kind does the work.

mod cipher;
mod hash;

use crate::entry::Entry;

/// Every entry, in printing order.
pub fn entries() -> Vec<Entry> {
    [hash::entries(), cipher::entries()].concat()
}

/// The provider's name in identifiers.
const NAME: &str = "rustcrypto";
