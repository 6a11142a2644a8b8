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

    /// Ciphertext to plaintext; a key stream goes over it once more.
    fn decrypt(&mut self, nonce: &[u8], data: &mut [u8]) {
        self.encrypt(nonce, data);
    }

    /// Whether both directions are one operation. They then run the same machine code: two copies of
    /// a loop lie at two places, and RC4's takes 6 % longer where it begins 48 bytes past a multiple
    /// of 64 than where it begins 0, 16 or 32 past one.
    fn is_key_stream(&self) -> bool {
        false
    }
}

/// One direction of a mode that does not authenticate, in place as an application works: a run
/// goes on from what the run before left, and `prepare` puts the message back.
pub struct PlainRoutine {
    mode: Box<dyn Plain>,
    lengths: Lengths,
    /// Whether a run starts from a ciphertext.
    from_ciphertext: bool,
    /// Whether it goes the mode's other way.
    decrypts: bool,
    nonce: Vec<u8>,
    input: Vec<u8>,
    message: Buffer,
    size: usize,
}

impl PlainRoutine {
    pub fn new(mode: Box<dyn Plain>, lengths: Lengths, setup: &Setup, what: Operation) -> Self {
        let from_ciphertext = what == Operation::Decrypt;
        PlainRoutine {
            decrypts: from_ciphertext && !mode.is_key_stream(),
            mode,
            lengths,
            from_ciphertext,
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
        if self.from_ciphertext {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A key stream of ones.
    struct Ones;

    impl Plain for Ones {
        fn encrypt(&mut self, _: &[u8], data: &mut [u8]) {
            data.iter_mut().for_each(|byte| *byte ^= 1);
        }

        fn decrypt(&mut self, _: &[u8], _: &mut [u8]) {
            panic!("a second copy of the same machine code");
        }

        fn is_key_stream(&self) -> bool {
            true
        }
    }

    #[test]
    fn both_directions_of_a_key_stream_run_the_same_code() {
        let setup = Setup { input: vec![6; 9], ..Setup::default() };
        for (what, right) in [(Operation::Encrypt, 7), (Operation::Decrypt, 6)] {
            let mut routine = PlainRoutine::new(Box::new(Ones), Lengths::All, &setup, what);
            routine.prepare(9).expect("any length is fine");
            routine.run();
            assert_eq!(routine.output(), [right; 9]);
        }
    }
}
