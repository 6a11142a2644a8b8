//! The routine of modes that authenticate, and what it asks of a mode. Not generic either.

use crate::entry::Operation;
use crate::routine::{Buffer, OpenError, Routine, Setup};

/// A mode under a key that authenticates.
pub trait Authenticated {
    /// Plaintext to ciphertext in place; writes the whole of `tag`. False when the message is
    /// longer than the mode allows.
    fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &mut [u8]) -> bool;

    /// A ciphertext to a plaintext, as long, elsewhere; false when the tag is wrong. (Two slices,
    /// so that the compiler knows that they do not overlap.)
    fn open(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], opened: &mut [u8], tag: &[u8]) -> bool;
}

/// One operation of a mode that authenticates. Encryption works in place. Decryption must find a
/// valid message at every call, so it reads a ciphertext that stays and writes the plaintext
/// elsewhere, as all these modes' crates can. The work on authenticated data is encryption of a
/// message that is empty, or in a known answer of one that is put back each time.
pub struct AuthenticatedRoutine {
    mode: Box<dyn Authenticated>,
    operation: Operation,
    nonce: Vec<u8>,
    aad: Buffer,
    input: Buffer,
    /// What encryption works on and what decryption reads, the tag behind it.
    message: Buffer,
    /// Where decryption writes.
    opened: Buffer,
    input_bytes: usize,
    all_aad_bytes: usize,
    tag_bytes: usize,
    message_bytes: usize,
    aad_bytes: usize,
    right: bool,
}

impl AuthenticatedRoutine {
    pub fn new(
        mode: Box<dyn Authenticated>,
        tag_bytes: usize,
        setup: &Setup,
        operation: Operation,
    ) -> Self {
        let placed = |bytes: &[u8]| Buffer::new(bytes, setup.placement);
        let input = placed(&setup.input);
        let message = Buffer::congruent(setup.input.len() + tag_bytes, &input);
        let opened = Buffer::congruent(setup.input.len(), &input);
        AuthenticatedRoutine {
            mode,
            operation,
            nonce: setup.nonce.clone(),
            aad: placed(&setup.aad),
            input,
            message,
            opened,
            input_bytes: setup.input.len(),
            all_aad_bytes: setup.aad.len(),
            tag_bytes,
            message_bytes: 0,
            aad_bytes: 0,
            right: false,
        }
    }

    /// Encrypts `message` where it is, tag behind it.
    fn seal_message(&mut self) -> bool {
        let aad = self.aad.first(self.aad_bytes);
        let whole = self.message.first_mut(self.message_bytes + self.tag_bytes);
        let (data, tag) = whole.split_at_mut(self.message_bytes);
        self.mode.seal(&self.nonce, aad, data, tag)
    }

    /// Puts the plaintext where it is encrypted.
    fn copy_input(&mut self) {
        let input = self.input.first(self.message_bytes);
        self.message.first_mut(self.message_bytes).copy_from_slice(input);
    }

    /// Decrypts `message` into `opened`.
    fn open_message(&mut self) -> bool {
        let aad = self.aad.first(self.aad_bytes);
        let whole = self.message.first(self.message_bytes + self.tag_bytes);
        let (data, tag) = whole.split_at(self.message_bytes);
        self.mode.open(&self.nonce, aad, data, self.opened.first_mut(self.message_bytes), tag)
    }
}

impl Routine for AuthenticatedRoutine {
    fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
        (self.message_bytes, self.aad_bytes) = match self.operation {
            Operation::Authenticate => (self.input_bytes, size),
            _ => (size, self.all_aad_bytes),
        };
        self.input.check(self.message_bytes)?;
        self.aad.check(self.aad_bytes)?;
        self.right = false;
        self.copy_input();
        if self.operation == Operation::Decrypt && !self.seal_message() {
            return Err(OpenError(format!("no message of {size} bytes can be made")));
        }
        Ok(())
    }

    #[inline]
    fn run(&mut self) {
        self.right = match self.operation {
            Operation::Decrypt => self.open_message(),
            // Only a known answer has a message besides.
            Operation::Authenticate if self.message_bytes > 0 => {
                self.copy_input();
                self.seal_message()
            }
            _ => self.seal_message(),
        };
    }

    fn output(&self) -> &[u8] {
        let sealed = self.message.first(self.message_bytes + self.tag_bytes);
        match self.operation {
            _ if !self.right => &[],
            Operation::Decrypt => self.opened.first(self.message_bytes),
            Operation::Authenticate => &sealed[self.message_bytes..],
            _ => sealed,
        }
    }

    fn accepted(&self) -> bool {
        self.right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rustcrypto::cipher::aead::Whole;
    use crate::rustcrypto::cipher::block::schedule;

    #[test]
    fn a_wrong_tag_leaves_no_output() {
        let mode = Whole(
            schedule::<aes_gcm::AesGcm<aes::Aes128, aead::consts::U12>>(&[1; 16])
                .expect("its key size"),
        );
        let setup = Setup { nonce: vec![2; 12], input: vec![3; 40], ..Setup::default() };
        let mut routine = AuthenticatedRoutine::new(Box::new(mode), 16, &setup, Operation::Decrypt);
        routine.prepare(40).expect("any length is fine");
        for _ in 0..2 {
            routine.run();
            assert_eq!(routine.output(), setup.input);
        }
        for at in [0, 39, 40, 55] {
            routine.prepare(40).expect("again");
            routine.message.first_mut(56)[at] ^= 1;
            routine.run();
            assert!(routine.output().is_empty() && !routine.accepted(), "byte {at}");
        }
        // The empty message has no output either way.
        routine.prepare(0).expect("any length is fine");
        routine.run();
        assert!(routine.output().is_empty() && routine.accepted());
        routine.message.first_mut(16)[0] ^= 1;
        routine.run();
        assert!(routine.output().is_empty() && !routine.accepted());
    }
}
