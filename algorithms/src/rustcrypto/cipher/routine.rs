//! The routine of modes that do not authenticate, and what it asks of a mode. Nothing here is
//! generic: hundreds of modes share this code.

use crate::entry::Operation;
use crate::lengths::Lengths;
use crate::routine::{Buffer, OpenError, Routine, Setup};

/// A mode under a key that does not authenticate. Both directions work in place, start a message
/// with each call, and are given a length that [`Lengths`] takes.
pub trait Plain {
    /// Goes back to where the key leaves it; only a cipher without a nonce has anything to do.
    fn restart(&mut self) {}

    /// Plaintext to ciphertext.
    fn encrypt(&mut self, nonce: &[u8], data: &mut [u8]);

    /// Ciphertext to plaintext.
    fn decrypt(&mut self, nonce: &[u8], data: &mut [u8]);
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
