//! Keys set up for universal hashes: Poly1305 and, by themselves, GHASH and POLYVAL.

use cipher::consts::U16;
use cipher::{Block, BlockCipherEncrypt, KeyInit};
use ghash::universal_hash::{self, UniversalHash};

use super::keyed::{Keyed, no_key};
use crate::routine::{OpenError, expect_bytes};

/// A universal hash by itself, the last block filled up with zeros: what it costs within GCM or
/// GCM-SIV. It is no MAC for lack of a nonce.
pub struct Alone<U>(U);

impl<U> Keyed for Alone<U>
where
    U: UniversalHash<BlockSize = U16> + universal_hash::KeyInit + Clone + 'static,
{
    const TAG_BYTES: usize = 16;

    fn new(key: &[u8], _: &[u8]) -> Result<Self, OpenError> {
        U::new_from_slice(key).map(Alone).map_err(no_key(key.len()))
    }

    #[inline]
    fn tag(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) {
        let mut state = self.0.clone();
        state.update_padded(message);
        tag.copy_from_slice(&state.finalize());
    }
}

/// Poly1305 with a key for one message (RFC 8439, 2.5).
pub struct Poly1305(poly1305::Poly1305);

impl Poly1305 {
    #[inline]
    fn hash(&self, message: &[u8]) -> poly1305::Tag {
        let mut state = self.0.clone();
        // Whole blocks go through `update`, which takes several at once; `compute_unpadded` goes
        // one by one and ends with a shorter one as Poly1305 wants it.
        let (blocks, rest) = poly1305::Block::slice_as_chunks(message);
        state.update(blocks);
        state.compute_unpadded(rest)
    }
}

impl Keyed for Poly1305 {
    const TAG_BYTES: usize = 16;

    fn new(key: &[u8], _: &[u8]) -> Result<Self, OpenError> {
        poly1305::Poly1305::new_from_slice(key).map(Poly1305).map_err(no_key(key.len()))
    }

    #[inline]
    fn tag(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) {
        tag.copy_from_slice(&self.hash(message));
    }
}

/// Poly1305 as it was first published, Poly1305-AES, and with other ciphers: the key is a cipher's
/// key and `r`; the cipher of a nonce is `s`.
///
/// `s` is added last, so that a hash with `s` = 0 can be set up beforehand.
pub struct Poly1305With<C> {
    cipher: C,
    hash: Poly1305,
}

impl<C> Keyed for Poly1305With<C>
where
    C: BlockCipherEncrypt<BlockSize = U16> + KeyInit + 'static,
{
    const NONCE_BYTES: usize = 16;
    const TAG_BYTES: usize = 16;

    fn new(key: &[u8], _: &[u8]) -> Result<Self, OpenError> {
        expect_bytes("key", 32, key.len())?;
        let (cipher_key, r) = key.split_at(16);
        Ok(Poly1305With {
            cipher: C::new_from_slice(cipher_key).map_err(no_key(cipher_key.len()))?,
            hash: Poly1305::new(&[r, &[0; 16]].concat(), &[])?,
        })
    }

    #[inline]
    fn tag(&mut self, nonce: &[u8], message: &[u8], tag: &mut [u8]) {
        let mut mask = Block::<C>::default();
        mask.copy_from_slice(nonce);
        self.cipher.encrypt_block(&mut mask);
        let hash = u128::from_le_bytes(self.hash.hash(message).into());
        let sum = hash.wrapping_add(u128::from_le_bytes(mask.into()));
        tag.copy_from_slice(&sum.to_le_bytes());
    }
}
