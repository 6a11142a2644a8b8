//! An opened algorithm: the three calls that both known answers and timing use.

use std::fmt;

/// Where in memory the message lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Bytes past the boundary of a page of 4 KiB at which the message starts; more than a page for
    /// another page.
    pub offset: usize,
}

/// Everything a routine is opened with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// The secret key (for a KDF: the password), empty where the algorithm has none.
    pub key: Vec<u8>,
    /// The nonce or initialisation vector (for a KDF: the salt), empty where there is none.
    pub nonce: Vec<u8>,
    /// Authenticated data, empty where there are none.
    pub aad: Vec<u8>,
    /// The longest message; decryption is given the plaintext here too, and makes a valid
    /// ciphertext of it.
    pub input: Vec<u8>,
    /// Bytes of output wanted where the algorithm leaves them open.
    pub output_bytes: usize,
    /// Where the message lies.
    pub placement: Placement,
}

/// Why a routine could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenError(pub String);

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OpenError {}

/// Refuses a part of a set-up that has the wrong length.
pub(crate) fn expect_bytes(what: &str, expected: usize, got: usize) -> Result<(), OpenError> {
    if got == expected {
        return Ok(());
    }
    Err(OpenError(format!("the {what} is {expected} bytes, {got} were given or asked for")))
}

/// An opened case. Timing calls `prepare` outside and `run` inside the timed loop.
pub trait Routine {
    /// Makes a valid message of the first `size` bytes of the set-up's input ready; of its
    /// authenticated data where a cipher mode's [`Operation::Authenticate`] is opened; for a KDF,
    /// `size` iterations (or what its axis counts). Untimed. Undoes what earlier runs left behind.
    ///
    /// [`Operation::Authenticate`]: crate::Operation::Authenticate
    ///
    /// # Errors
    /// When the algorithm cannot work on a message of this size.
    fn prepare(&mut self, size: usize) -> Result<(), OpenError>;

    /// Does the full work once, allocating nothing.
    fn run(&mut self);

    /// What the last `run` computed: the digest; the ciphertext followed by the tag; the plaintext,
    /// empty when its tag was wrong; the tag; the derived key.
    fn output(&self) -> &[u8];

    /// Whether the last `run` accepted its message. A rejected one has no output, but neither has an
    /// empty message that was decrypted well. A routine around another one passes this on.
    fn accepted(&self) -> bool {
        true
    }
}

/// Whether a prepared decryption gives `message` back.
pub fn gives_back(routine: &mut dyn Routine, message: &[u8]) -> bool {
    routine.run();
    routine.accepted() && routine.output() == message
}

/// Processors compare the last twelve bits of addresses first.
const PAGE: usize = 4096;

/// Bytes at a chosen place: the boundary of a page plus an offset.
#[derive(Debug)]
pub struct Buffer {
    storage: Vec<u8>,
    start: usize,
    len: usize,
}

impl Buffer {
    /// A buffer that holds `bytes` at `placement`.
    #[must_use]
    pub fn new(bytes: &[u8], placement: Placement) -> Self {
        let mut storage = vec![0; bytes.len() + PAGE + placement.offset];
        let start = storage.as_ptr().align_offset(PAGE) + placement.offset;
        storage[start..start + bytes.len()].copy_from_slice(bytes);
        Buffer { storage, start, len: bytes.len() }
    }

    /// A buffer of `len` zeros at the same place within a page as another: a copy from one to the other
    /// then never looks as if it read what it has just written.
    #[must_use]
    pub fn congruent(len: usize, other: &Buffer) -> Self {
        let storage = vec![0; len + PAGE];
        let place = other.storage.as_ptr() as usize + other.start;
        let start = place.wrapping_sub(storage.as_ptr() as usize) % PAGE;
        Buffer { storage, start, len }
    }

    /// Whether `size` bytes are there.
    ///
    /// # Errors
    /// When the buffer is shorter.
    pub fn check(&self, size: usize) -> Result<(), OpenError> {
        if size > self.len {
            return Err(OpenError(format!(
                "a message of {size} bytes was asked for, {} are there",
                self.len
            )));
        }
        Ok(())
    }

    /// The first `size` bytes; `size` must have passed [`Buffer::check`].
    #[inline]
    #[must_use]
    pub fn first(&self, size: usize) -> &[u8] {
        &self.storage[self.start..self.start + size]
    }

    /// The first `size` bytes, to be changed; `size` must have passed [`Buffer::check`].
    #[inline]
    #[must_use]
    pub fn first_mut(&mut self, size: usize) -> &mut [u8] {
        &mut self.storage[self.start..self.start + size]
    }
}

/// `count` pseudo-random bytes, the same on every machine and in every run (splitmix64).
#[must_use]
pub fn message_bytes(count: usize, stream: u64) -> Vec<u8> {
    let mut state = stream.wrapping_mul(0xd134_2543_de82_ef95);
    let mut bytes = Vec::with_capacity(count + 8);
    while bytes.len() < count {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bytes.extend_from_slice(&(z ^ (z >> 31)).to_le_bytes());
    }
    bytes.truncate(count);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_lies_where_it_was_told() {
        for offset in [0, 1, 7, 64, 65, 3 * PAGE + 129] {
            let bytes = message_bytes(200, 9);
            let buffer = Buffer::new(&bytes, Placement { offset });
            assert_eq!(buffer.first(200), bytes);
            assert_eq!(buffer.first(200).as_ptr() as usize % PAGE, offset % PAGE);
            assert!(buffer.check(200).is_ok());
            assert!(buffer.check(201).is_err());
            let other = Buffer::congruent(300, &buffer);
            assert_eq!(other.first(300), [0; 300]);
            let places = [&buffer, &other].map(|b| b.first(0).as_ptr() as usize % 4096);
            assert_eq!(places[0], places[1]);
        }
    }

    #[test]
    fn message_bytes_are_the_same_everywhere() {
        // splitmix64 from state 0: first output 0xe220a8397b1dcdaf (Steele, Lea, Flood 2014).
        assert_eq!(message_bytes(8, 0), 0xe220_a839_7b1d_cdaf_u64.to_le_bytes());
        assert_eq!(message_bytes(3, 0), message_bytes(9, 0)[..3]);
        assert_ne!(message_bytes(8, 1), message_bytes(8, 2));
    }
}
