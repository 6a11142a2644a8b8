//! The two routines of this section, without authentication and with it, and what they ask of a
//! mode. Nothing here is generic: hundreds of modes share this code.

use aead::inout::InOutBuf;

use crate::entry::Operation;
use crate::routine::{Buffer, OpenError, Routine, Setup};

/// A mode under a key that does not authenticate. Both directions work in place, start a message
/// with each call, and are given a length that [`Lengths`] allows.
pub trait Plain {
    /// Goes back to where the key leaves it; only a cipher without a nonce has anything to do.
    fn restart(&mut self) {}

    /// Plaintext to ciphertext.
    fn encrypt(&mut self, nonce: &[u8], data: &mut [u8]);

    /// Ciphertext to plaintext.
    fn decrypt(&mut self, nonce: &[u8], data: &mut [u8]);
}

/// A mode under a key that authenticates.
pub trait Authenticated {
    /// Plaintext to ciphertext; writes the whole of `tag`. False when the message is longer than
    /// the mode allows.
    fn seal(&self, nonce: &[u8], aad: &[u8], data: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> bool;

    /// Ciphertext to plaintext; false when the tag is wrong.
    fn open(&self, nonce: &[u8], aad: &[u8], data: InOutBuf<'_, '_, u8>, tag: &[u8]) -> bool;
}

/// The lengths of message that a mode takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// Every length.
    All,
    /// Whole blocks of so many bytes.
    Blocks(usize),
    /// Nothing, or so many bytes and more. The empty message of XTS costs what its tweak costs, so
    /// that time is a straight line from there on.
    ZeroOrFrom(usize),
}

impl Lengths {
    fn check(self, size: usize) -> Result<(), OpenError> {
        match self {
            Lengths::Blocks(block) if !size.is_multiple_of(block) => Err(OpenError(format!(
                "the mode takes whole blocks of {block} bytes, {size} bytes were asked for"
            ))),
            Lengths::ZeroOrFrom(least) if (1..least).contains(&size) => Err(OpenError(format!(
                "the mode takes nothing or {least} bytes and more, {size} bytes were asked for"
            ))),
            _ => Ok(()),
        }
    }
}

/// One direction of a mode that does not authenticate, in place as an application works: a run
/// goes on from what the run before left, and `prepare` puts the message back.
pub struct PlainRoutine {
    mode: Box<dyn Plain>,
    lengths: Lengths,
    decrypts: bool,
    nonce: Vec<u8>,
    input: Vec<u8>,
    message: Buffer,
    size: usize,
}

impl PlainRoutine {
    pub fn new(mode: Box<dyn Plain>, lengths: Lengths, setup: &Setup, what: Operation) -> Self {
        PlainRoutine {
            mode,
            lengths,
            decrypts: what == Operation::Decrypt,
            nonce: setup.nonce.clone(),
            input: setup.input.clone(),
            message: Buffer::new(&setup.input, setup.placement),
            size: 0,
        }
    }
}

impl Routine for PlainRoutine {
    fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
        self.message.check(size)?;
        self.lengths.check(size)?;
        let message = self.message.first_mut(size);
        message.copy_from_slice(&self.input[..size]);
        self.mode.restart();
        if self.decrypts {
            self.mode.encrypt(&self.nonce, message);
            self.mode.restart();
        }
        self.size = size;
        Ok(())
    }

    #[inline]
    fn run(&mut self) {
        let message = self.message.first_mut(self.size);
        match self.decrypts {
            false => self.mode.encrypt(&self.nonce, message),
            true => self.mode.decrypt(&self.nonce, message),
        }
    }

    fn output(&self) -> &[u8] {
        self.message.first(self.size)
    }
}

/// One operation of a mode that authenticates. Encryption works in place. Decryption must find a
/// valid message at every call, so it reads a ciphertext that stays and writes the plaintext
/// elsewhere, as all these modes' crates can. The work on authenticated data is encryption of a
/// message that is empty, or in a known answer of one that stays.
pub struct AuthenticatedRoutine {
    mode: Box<dyn Authenticated>,
    operation: Operation,
    nonce: Vec<u8>,
    aad: Buffer,
    input: Buffer,
    /// What encryption works on, with room for the tag; what is decrypted; and between the two
    /// for authenticated data, a ciphertext nobody asks for.
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
        AuthenticatedRoutine {
            mode,
            operation,
            nonce: setup.nonce.clone(),
            aad: placed(&setup.aad),
            input: placed(&setup.input),
            message: placed(&vec![0; setup.input.len() + tag_bytes]),
            opened: placed(&vec![0; setup.input.len()]),
            input_bytes: setup.input.len(),
            all_aad_bytes: setup.aad.len(),
            tag_bytes,
            message_bytes: 0,
            aad_bytes: 0,
            right: false,
        }
    }

    /// Encrypts the input into `message`, tag behind it.
    fn seal_input(&mut self) -> bool {
        let aad = self.aad.first(self.aad_bytes);
        let whole = self.message.first_mut(self.message_bytes + self.tag_bytes);
        let (data, tag) = whole.split_at_mut(self.message_bytes);
        let Ok(data) = InOutBuf::new(self.input.first(self.message_bytes), data) else {
            return false;
        };
        self.mode.seal(&self.nonce, aad, data, tag)
    }

    /// Encrypts `message` where it is.
    fn seal_in_place(&mut self) -> bool {
        let aad = self.aad.first(self.aad_bytes);
        let whole = self.message.first_mut(self.message_bytes + self.tag_bytes);
        let (data, tag) = whole.split_at_mut(self.message_bytes);
        self.mode.seal(&self.nonce, aad, data.into(), tag)
    }

    /// Decrypts `message` into `opened`.
    fn open_message(&mut self) -> bool {
        let aad = self.aad.first(self.aad_bytes);
        let whole = self.message.first(self.message_bytes + self.tag_bytes);
        let (data, tag) = whole.split_at(self.message_bytes);
        let Ok(data) = InOutBuf::new(data, self.opened.first_mut(self.message_bytes)) else {
            return false;
        };
        self.mode.open(&self.nonce, aad, data, tag)
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
        let input = self.input.first(self.message_bytes);
        self.message.first_mut(self.message_bytes).copy_from_slice(input);
        if self.operation == Operation::Decrypt && !self.seal_in_place() {
            return Err(OpenError(format!("no message of {size} bytes can be made")));
        }
        Ok(())
    }

    #[inline]
    fn run(&mut self) {
        self.right = match self.operation {
            Operation::Decrypt => self.open_message(),
            Operation::Authenticate => self.seal_input(),
            _ => self.seal_in_place(),
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
            assert!(routine.output().is_empty(), "byte {at}");
        }
    }
}
