//! Named benchmarks: one call on a message of one size. The names are those of Bitcoin Core's
//! benchmarks, and so are the sizes; each is an entry of another section under its own name, so that
//! it has to give the same known answers.

use std::sync::Arc;

use super::cipher::round_trip_chacha20_poly1305;
use super::{NAME, cipher, hash};
use crate::entry::{Axis, Entry, Operation, Section};
use crate::lengths::Lengths;
use crate::routine::{Buffer, OpenError, Routine, Setup};

/// A million bytes, as the benchmarks of hashes have it.
const MILLION: usize = 1_000_000;
/// 2^20 bytes, as those of whole messages have it.
const MEBIBYTE: usize = 1 << 20;
/// Messages of SHA256D64, and how many a call hashes.
const D64: (usize, usize) = (64, 1024);

/// Hashes by the byte first, then hashes of what a blockchain hashes, then whole messages.
pub fn entries() -> Vec<Entry> {
    let others = [hash::entries(), cipher::entries()].concat();
    // What the other tables do not have cannot be a point of theirs.
    let named = |line: &Line| {
        let of = others.iter().find(|other| (other.algorithm, other.mode) == line.of)?;
        Some(line.entry(of))
    };
    let mut entries: Vec<Entry> = LINES.iter().filter_map(named).collect();
    let place = entries.iter().position(|entry| entry.algorithm == "SipHash_32b");
    entries.insert(place.unwrap_or(0), sha256d64());
    entries
}

/// A line of the table.
struct Line {
    name: &'static str,
    aliases: &'static [&'static str],
    /// Algorithm and mode of the entry it is a point of.
    of: (&'static str, &'static str),
    operation: Operation,
    bytes: usize,
    per_byte: bool,
}

const fn hash(name: &'static str, of: &'static str, bytes: usize) -> Line {
    let operation = Operation::Digest;
    Line { name, aliases: &[], of: (of, ""), operation, bytes, per_byte: true }
}

const fn aead(
    name: &'static str,
    aliases: &'static [&'static str],
    operation: Operation,
    bytes: usize,
) -> Line {
    Line { name, aliases, of: ("CHACHA20", "POLY1305"), operation, bytes, per_byte: true }
}

const LINES: &[Line] = &[
    hash("RIPEMD160", "RIPEMD160", MILLION),
    hash("SHA1", "SHA1", MILLION),
    hash("SHA256", "SHA256", MILLION),
    hash("SHA512", "SHA512", MILLION),
    hash("SHA256_32b", "SHA256", 32),
    Line { per_byte: false, ..hash("SipHash_32b", "SIPHASH-2-4", 32) },
    Line { aliases: &["HASH_64b"], ..hash("HASH_64BYTES", "SHA256D", 64) },
    Line { aliases: &["HASH_256b"], ..hash("HASH_256BYTES", "SHA256D", 256) },
    hash("HASH_1MB", "SHA256D", MEBIBYTE),
    aead(
        "CHACHA20_POLY1305_AEAD_64BYTES_ONLY_ENCRYPT",
        &["CHACHA20_POLY1305_64b_ENCRYPT"],
        Operation::Encrypt,
        64,
    ),
    aead(
        "CHACHA20_POLY1305_AEAD_256BYTES_ONLY_ENCRYPT",
        &["CHACHA20_POLY1305_256b_ENCRYPT"],
        Operation::Encrypt,
        256,
    ),
    aead(
        "CHACHA20_POLY1305_AEAD_1MB_ONLY_ENCRYPT",
        &["CHACHA20_POLY1305_1MB_ENCRYPT"],
        Operation::Encrypt,
        MEBIBYTE,
    ),
    aead(
        "CHACHA20_POLY1305_AEAD_64BYTES_ENCRYPT_DECRYPT",
        &["CHACHA20_POLY1305_64b_ENCRYPT_DECRYPT"],
        Operation::RoundTrip,
        64,
    ),
    aead(
        "CHACHA20_POLY1305_AEAD_256BYTES_ENCRYPT_DECRYPT",
        &["CHACHA20_POLY1305_256b_ENCRYPT_DECRYPT"],
        Operation::RoundTrip,
        256,
    ),
    aead(
        "CHACHA20_POLY1305_AEAD_1MB_ENCRYPT_DECRYPT",
        &["CHACHA20_POLY1305_1MB_ENCRYPT_DECRYPT"],
        Operation::RoundTrip,
        MEBIBYTE,
    ),
];

impl Line {
    fn entry(&self, of: &Entry) -> Entry {
        Entry {
            section: Section::Points,
            algorithm: self.name,
            mode: "",
            aliases: self.aliases,
            operations: match self.operation {
                Operation::Encrypt => &[Operation::Encrypt],
                Operation::RoundTrip => &[Operation::RoundTrip],
                _ => &[Operation::Digest],
            },
            axis: Axis::One { bytes: self.bytes, per_byte: self.per_byte },
            known_as: Some((of.section, of.algorithm, of.mode)),
            open: match self.operation {
                Operation::RoundTrip => Arc::new(|setup, _| round_trip_chacha20_poly1305(setup)),
                _ => of.open.clone(),
            },
            ..of.clone()
        }
    }
}

/// SHA-256 twice of each 64 bytes, which is how two nodes of a Merkle tree become one.
fn sha256d64() -> Entry {
    let open = |setup: &Setup, _: Operation| {
        let routine: Box<dyn Routine> = Box::new(ManyHashes {
            messages: Buffer::new(&setup.input, setup.placement),
            size: 0,
            output: vec![0; setup.input.len() / D64.0 * 32],
        });
        Ok(routine)
    };
    Entry {
        section: Section::Points,
        provider: NAME,
        package: "sha2",
        algorithm: "SHA256D64_1024",
        mode: "",
        aliases: &[],
        operations: &[Operation::Digest],
        output_bytes: 32 * D64.1,
        extendable: false,
        slow: false,
        key_bytes: 0,
        nonce_bytes: 0,
        axis: Axis::One { bytes: D64.0 * D64.1, per_byte: true },
        lengths: Lengths::Blocks(D64.0),
        known_as: None,
        open: Arc::new(open),
    }
}

/// Messages of 64 bytes side by side, and their digests.
struct ManyHashes {
    messages: Buffer,
    size: usize,
    output: Vec<u8>,
}

impl Routine for ManyHashes {
    fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
        Lengths::Blocks(D64.0).check(size)?;
        self.messages.check(size)?;
        self.size = size;
        Ok(())
    }

    #[inline]
    fn run(&mut self) {
        let messages = self.messages.first(self.size).chunks_exact(D64.0);
        for (message, digest) in messages.zip(self.output.chunks_exact_mut(32)) {
            hash::sha256d(&[], message, digest);
        }
    }

    fn output(&self) -> &[u8] {
        &self.output[..self.size / D64.0 * 32]
    }
}
