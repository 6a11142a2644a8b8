//! Stream ciphers: a key, a nonce where there is one, and a key stream.

use std::marker::PhantomData;

use cipher::{KeyInit, KeyIvInit, StreamCipher};
use rc4::Rc4;

use super::block::{array, schedule};
use super::routine::Plain;
use crate::routine::OpenError;

/// A stream cipher that starts from a nonce, which for all these ciphers takes the key along.
pub struct Stream<S> {
    key: Vec<u8>,
    cipher: PhantomData<S>,
}

impl<S> Stream<S> {
    pub fn new(key: &[u8]) -> Self {
        Stream { key: key.to_vec(), cipher: PhantomData }
    }
}

impl<S: KeyIvInit + StreamCipher> Plain for Stream<S> {
    fn encrypt(&mut self, nonce: &[u8], data: &mut [u8]) {
        S::new(array(&self.key), array(nonce)).apply_keystream(data);
    }

    fn is_key_stream(&self) -> bool {
        true
    }
}

/// RC4, which has no nonce: a message goes on in the key stream where the last one stopped, and
/// the key schedule is made again, outside of what is timed, to start over.
pub struct Arcfour {
    key: Vec<u8>,
    state: Rc4,
}

impl Arcfour {
    pub fn new(key: &[u8]) -> Result<Self, OpenError> {
        Ok(Arcfour { key: key.to_vec(), state: schedule(key)? })
    }
}

impl Plain for Arcfour {
    fn restart(&mut self) {
        if let Ok(state) = Rc4::new_from_slice(&self.key) {
            self.state = state;
        }
    }

    fn encrypt(&mut self, _: &[u8], data: &mut [u8]) {
        self.state.apply_keystream(data);
    }

    fn is_key_stream(&self) -> bool {
        true
    }
}
