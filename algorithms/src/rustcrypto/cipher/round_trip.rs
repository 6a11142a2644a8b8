//! A message encrypted and decrypted again in one call.

use super::authenticated::Authenticated;
use crate::routine::{Buffer, OpenError, Routine, Setup};

/// Encryption with decryption of a mode that authenticates, with one buffer to encrypt in place and
/// one to decrypt into. They change places with each call: the plaintext that came out goes in again.
pub struct RoundTrip {
    mode: Box<dyn Authenticated>,
    tag_bytes: usize,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    input: Vec<u8>,
    /// The ciphertext, the tag behind it.
    sealed: Buffer,
    /// The plaintext it was made of, and room for a tag.
    opened: Buffer,
    size: usize,
    right: bool,
}

impl RoundTrip {
    pub fn new(mode: Box<dyn Authenticated>, tag_bytes: usize, setup: &Setup) -> Self {
        let placed = [setup.input.clone(), vec![0; tag_bytes]].concat();
        let opened = Buffer::new(&placed, setup.placement);
        RoundTrip {
            mode,
            tag_bytes,
            nonce: setup.nonce.clone(),
            aad: setup.aad.clone(),
            input: setup.input.clone(),
            sealed: Buffer::congruent(placed.len(), &opened),
            opened,
            size: 0,
            right: false,
        }
    }
}

impl Routine for RoundTrip {
    fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
        self.opened.check(size + self.tag_bytes)?;
        self.opened.first_mut(size).copy_from_slice(&self.input[..size]);
        self.size = size;
        self.right = false;
        Ok(())
    }

    #[inline]
    fn run(&mut self) {
        std::mem::swap(&mut self.sealed, &mut self.opened);
        let whole = self.sealed.first_mut(self.size + self.tag_bytes);
        let (data, tag) = whole.split_at_mut(self.size);
        self.right = self.mode.seal(&self.nonce, &self.aad, data, tag)
            && self.mode.open(&self.nonce, &self.aad, data, self.opened.first_mut(self.size), tag);
    }

    /// The ciphertext and its tag; nothing when decryption did not give the message back.
    fn output(&self) -> &[u8] {
        if self.accepted() { self.sealed.first(self.size + self.tag_bytes) } else { &[] }
    }

    fn accepted(&self) -> bool {
        self.right && self.opened.first(self.size) == &self.input[..self.size]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds one to each byte; decryption takes `back` away.
    struct Shift {
        back: u8,
    }

    impl Authenticated for Shift {
        fn seal(&self, _: &[u8], _: &[u8], data: &mut [u8], tag: &mut [u8]) -> bool {
            data.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
            tag.fill(9);
            true
        }

        fn open(&self, _: &[u8], _: &[u8], sealed: &[u8], opened: &mut [u8], tag: &[u8]) -> bool {
            for (to, from) in opened.iter_mut().zip(sealed) {
                *to = from.wrapping_sub(self.back);
            }
            tag == [9, 9]
        }
    }

    #[test]
    fn every_call_works_on_the_message() {
        let setup = Setup { input: vec![3; 40], ..Setup::default() };
        let mut routine = RoundTrip::new(Box::new(Shift { back: 1 }), 2, &setup);
        for size in [40, 7] {
            routine.prepare(size).expect("it fits");
            for _ in 0..3 {
                routine.run();
                assert_eq!(routine.output(), [vec![4; size], vec![9; 2]].concat());
            }
        }
        assert!(routine.prepare(41).is_err());
    }

    #[test]
    fn what_does_not_come_back_has_no_output() {
        let setup = Setup { input: vec![3; 40], ..Setup::default() };
        let mut routine = RoundTrip::new(Box::new(Shift { back: 2 }), 2, &setup);
        routine.prepare(40).expect("it fits");
        routine.run();
        assert!(routine.output().is_empty() && !routine.accepted());
    }
}
