//! The default provider: RustCrypto's crates and a few other pure-Rust ones. The tables are data;
//! one generic routine a kind does the work.

mod adapter;
mod cipher;
mod hash;
mod hmac;
mod kdf;
mod mac;
mod points;
mod seed;

use crate::entry::Entry;

/// Every entry, in printing order.
pub fn entries() -> Vec<Entry> {
    [hash::entries(), mac::entries(), cipher::entries(), kdf::entries(), points::entries()].concat()
}

/// The provider's name in identifiers.
const NAME: &str = "rustcrypto";
