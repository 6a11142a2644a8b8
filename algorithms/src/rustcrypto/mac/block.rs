//! Keys set up for MACs made of a block cipher here: GMAC and the MAC of GOST 28147-89.

use cipher::consts::U16;
use cipher::{Block, BlockCipherEncrypt, KeyInit};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;

use super::imit::Gost28147HalfRounds;
use super::keyed::{Keyed, no_key};
use crate::routine::OpenError;

/// GMAC (SP 800-38D, 6.4 and 7.1): GCM's tag of authenticated data alone.
pub struct Gmac<C> {
    cipher: C,
    ghash: GHash,
}

impl<C> Keyed for Gmac<C>
where
    C: BlockCipherEncrypt<BlockSize = U16> + KeyInit + 'static,
{
    const NONCE_BYTES: usize = 12;
    const TAG_BYTES: usize = 16;

    fn new(key: &[u8], _: &[u8]) -> Result<Self, OpenError> {
        let cipher = C::new_from_slice(key).map_err(no_key(key.len()))?;
        let mut subkey = Block::<C>::default();
        cipher.encrypt_block(&mut subkey);
        Ok(Gmac { ghash: GHash::new(&subkey), cipher })
    }

    #[inline]
    fn tag(&mut self, nonce: &[u8], message: &[u8], tag: &mut [u8]) {
        let mut ghash = self.ghash.clone();
        ghash.update_padded(message);
        // The lengths of the authenticated data and of the ciphertext in bits.
        let mut lengths = Block::<C>::default();
        lengths[..8].copy_from_slice(&(8 * message.len() as u64).to_be_bytes());
        ghash.update(&[lengths]);

        let mut counter = Block::<C>::default();
        counter[..12].copy_from_slice(nonce);
        counter[15] = 1;
        self.cipher.encrypt_block(&mut counter);
        let hash = ghash.finalize();
        for ((tag, hash), mask) in tag.iter_mut().zip(hash).zip(counter) {
            *tag = hash ^ mask;
        }
    }
}

/// The MAC of GOST 28147-89 (RFC 5830, 8), the last block filled up with zeros: CBC-MAC of half
/// the rounds, of which the first four bytes are taken.
///
/// The standard asks for at least two blocks, so a block of zeros follows a message of one; that
/// and a zero tag of the empty message are what libgcrypt does.
pub struct Imit(Gost28147HalfRounds);

impl Keyed for Imit {
    const TAG_BYTES: usize = 4;

    fn new(key: &[u8], _: &[u8]) -> Result<Self, OpenError> {
        key.try_into().map(|key| Imit(Gost28147HalfRounds::new(key))).map_err(no_key(key.len()))
    }

    #[inline]
    fn tag(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) {
        let (blocks, rest) = message.as_chunks::<8>();
        let mut state = 0;
        for &block in blocks {
            state = self.0.apply(state ^ u64::from_le_bytes(block));
        }
        if !rest.is_empty() {
            let mut block = [0; 8];
            block[..rest.len()].copy_from_slice(rest);
            state = self.0.apply(state ^ u64::from_le_bytes(block));
        }
        if (1..=8).contains(&message.len()) {
            state = self.0.apply(state);
        }
        tag.copy_from_slice(&state.to_le_bytes()[..4]);
    }
}
