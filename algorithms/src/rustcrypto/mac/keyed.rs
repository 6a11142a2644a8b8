//! Keys set up for MACs that come as such: HMAC, CMAC and its kin, keyed hashes.

use cshake::CShake;
use digest::typenum::Unsigned;
use digest::{ExtendableOutput, FixedOutput, FixedOutputReset, KeyInit, Update, XofReader};

use crate::routine::{OpenError, expect_bytes};

/// A key that is set up and makes any number of tags.
pub trait Keyed: Sized + 'static {
    /// Bytes of nonce, 0 where there is none.
    const NONCE_BYTES: usize = 0;
    /// Bytes of tag; where they are free, those that timing asks for.
    const TAG_BYTES: usize;
    /// Whether the tag may have any length.
    const EXTENDABLE: bool = false;

    /// Sets a key up. The customization is empty for all that know none.
    fn new(key: &[u8], customization: &[u8]) -> Result<Self, OpenError>;

    /// Makes the tag of a message. The nonce and the tag are as long as they have to be.
    fn tag(&mut self, nonce: &[u8], message: &[u8], tag: &mut [u8]);
}

/// The refusal of a key.
pub fn no_key<E>(length: usize) -> impl FnOnce(E) -> OpenError {
    move |_| OpenError(format!("a key of {length} bytes is not possible"))
}

/// A MAC whose keyed state is cloned for each message.
pub struct Cloned<M>(M);

impl<M: KeyInit + Update + FixedOutput + Clone + 'static> Keyed for Cloned<M> {
    const TAG_BYTES: usize = M::OutputSize::USIZE;

    fn new(key: &[u8], _: &[u8]) -> Result<Self, OpenError> {
        M::new_from_slice(key).map(Cloned).map_err(no_key(key.len()))
    }

    #[inline]
    fn tag(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) {
        let mut state = self.0.clone();
        state.update(message);
        tag.copy_from_slice(&state.finalize_fixed());
    }
}

/// A MAC that goes back to its keyed state after each message, which spares the copy of a block
/// cipher's key schedule.
pub struct Reset<M>(M);

impl<M: KeyInit + Update + FixedOutputReset + 'static> Keyed for Reset<M> {
    const TAG_BYTES: usize = M::OutputSize::USIZE;

    fn new(key: &[u8], _: &[u8]) -> Result<Self, OpenError> {
        M::new_from_slice(key).map(Reset).map_err(no_key(key.len()))
    }

    #[inline]
    fn tag(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) {
        self.0.update(message);
        tag.copy_from_slice(&self.0.finalize_fixed_reset());
    }
}

/// The first `BYTES` of a longer tag.
pub struct Leading<const BYTES: usize, K>(K);

impl<const BYTES: usize, K: Keyed> Keyed for Leading<BYTES, K> {
    const NONCE_BYTES: usize = K::NONCE_BYTES;
    const TAG_BYTES: usize = BYTES;

    fn new(key: &[u8], customization: &[u8]) -> Result<Self, OpenError> {
        K::new(key, customization).map(Leading)
    }

    #[inline]
    fn tag(&mut self, nonce: &[u8], message: &[u8], tag: &mut [u8]) {
        let mut whole = [0; 64];
        let whole = &mut whole[..K::TAG_BYTES];
        self.0.tag(nonce, message, whole);
        tag.copy_from_slice(&whole[..BYTES]);
    }
}

/// KMAC (SP 800-185, 4) of the cSHAKE with `RATE` bytes a block.
pub struct Kmac<const RATE: usize>(CShake<RATE>);

impl<const RATE: usize> Keyed for Kmac<RATE>
where
    CShake<RATE>: ExtendableOutput + Update + Clone,
{
    /// Twice the security strength, which is half the capacity of 200 - `RATE` bytes.
    const TAG_BYTES: usize = 200 - RATE;
    const EXTENDABLE: bool = true;

    /// Absorbs bytepad(encode_string(K), RATE).
    fn new(key: &[u8], customization: &[u8]) -> Result<Self, OpenError> {
        let mut state = CShake::new_with_function_name(b"KMAC", customization);
        let mut block = left_encode(RATE);
        block.extend(left_encode(8 * key.len()));
        block.extend(key);
        block.resize(block.len().next_multiple_of(RATE), 0);
        state.update(&block);
        Ok(Kmac(state))
    }

    #[inline]
    fn tag(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) {
        let mut state = self.0.clone();
        state.update(message);
        // right_encode: the length of the tag in bits, big-endian, then how many bytes that took.
        let bits = (8 * tag.len() as u64).to_be_bytes();
        let start = bits.iter().position(|&byte| byte != 0).unwrap_or(bits.len() - 1);
        state.update(&bits[start..]);
        state.update(&[(bits.len() - start) as u8]);
        state.finalize_xof().read(tag);
    }
}

/// A number in the fewest big-endian bytes that hold it, with their count before them.
fn left_encode(number: usize) -> Vec<u8> {
    let bytes = (number as u64).to_be_bytes();
    let start = bytes.iter().position(|&byte| byte != 0).unwrap_or(bytes.len() - 1);
    let mut encoded = vec![(bytes.len() - start) as u8];
    encoded.extend(&bytes[start..]);
    encoded
}

/// BLAKE3 in its keyed mode.
pub struct Blake3([u8; 32]);

impl Keyed for Blake3 {
    const TAG_BYTES: usize = 32;

    fn new(key: &[u8], _: &[u8]) -> Result<Self, OpenError> {
        key.try_into().map(Blake3).map_err(no_key(key.len()))
    }

    #[inline]
    fn tag(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) {
        tag.copy_from_slice(blake3::keyed_hash(&self.0, message).as_bytes());
    }
}

/// A SipHash with its key set.
pub struct SipHash<S>(S);

/// What the SipHashes of the crate have in common.
pub trait Sip: 'static {
    /// Bytes of tag.
    const BYTES: usize;
    /// Sets the key.
    fn new(key: &[u8; 16]) -> Self;
    /// The tag of a message, little-endian.
    fn hash(&self, message: &[u8], tag: &mut [u8]);
}

macro_rules! sip {
    ($($hasher:ty, $bytes:literal, $to_bytes:expr;)*) => {$(
        impl Sip for $hasher {
            const BYTES: usize = $bytes;

            fn new(key: &[u8; 16]) -> Self {
                <$hasher>::new_with_key(key)
            }

            #[inline]
            fn hash(&self, message: &[u8], tag: &mut [u8]) {
                tag.copy_from_slice(&$to_bytes(self.hash(message)));
            }
        }
    )*};
}

sip! {
    siphasher::sip::SipHasher13, 8, u64::to_le_bytes;
    siphasher::sip::SipHasher24, 8, u64::to_le_bytes;
    siphasher::sip128::SipHasher24, 16, |hash: siphasher::sip128::Hash128| hash.as_bytes();
}

impl<S: Sip> Keyed for SipHash<S> {
    const TAG_BYTES: usize = S::BYTES;

    fn new(key: &[u8], _: &[u8]) -> Result<Self, OpenError> {
        expect_bytes("key", 16, key.len())?;
        key.try_into().map(|key| SipHash(S::new(key))).map_err(no_key(key.len()))
    }

    #[inline]
    fn tag(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) {
        self.0.hash(message, tag);
    }
}
