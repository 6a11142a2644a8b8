//! HMAC where the crate `hmac` cannot keep both halves of the key ready, and the hashes for it
//! that exist only as a variant of another one.

use std::marker::PhantomData;

use digest::array::ArraySize;
use digest::block_api::BlockSizeUser;
use digest::common::{InvalidLength, Key, KeySizeUser};
use digest::consts::{U24, U32, U64};
use digest::{
    Digest, ExtendableOutput, FixedOutput, HashMarker, KeyInit, MacMarker, Output, OutputSizeUser,
    Update, XofReader,
};

/// HMAC (RFC 2104) with the states after the inner and the outer key block ready.
///
/// `hmac::Hmac` keeps them for hashes that show their blocks. The rest is left to `SimpleHmac`,
/// which hashes the outer key block anew for every message: half as much again for one iteration
/// of PBKDF2. (BLAKE2 holds its last block back for the final flag, and so hashes the key blocks
/// with the message here too.)
#[derive(Clone)]
pub struct ReadyHmac<D> {
    inner: D,
    outer: D,
}

impl<D: Digest + BlockSizeUser> KeySizeUser for ReadyHmac<D> {
    type KeySize = D::BlockSize;
}

impl<D: Digest + BlockSizeUser> KeyInit for ReadyHmac<D> {
    fn new(key: &Key<Self>) -> Self {
        let state = |pad: u8| {
            let mut block = key.clone();
            block.iter_mut().for_each(|byte| *byte ^= pad);
            D::new_with_prefix(block)
        };
        ReadyHmac { inner: state(0x36), outer: state(0x5c) }
    }

    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        let mut block = Key::<Self>::default();
        if key.len() <= block.len() {
            block[..key.len()].copy_from_slice(key);
        } else {
            let hash = D::digest(key);
            block[..hash.len()].copy_from_slice(&hash);
        }
        Ok(<Self as KeyInit>::new(&block))
    }
}

impl<D: Digest> OutputSizeUser for ReadyHmac<D> {
    type OutputSize = D::OutputSize;
}

impl<D: Digest> Update for ReadyHmac<D> {
    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.inner.update(data);
    }
}

impl<D: Digest> FixedOutput for ReadyHmac<D> {
    #[inline]
    fn finalize_into(mut self, out: &mut Output<Self>) {
        self.outer.update(self.inner.finalize());
        self.outer.finalize_into(out);
    }
}

impl<D> MacMarker for ReadyHmac<D> {}

/// TIGER with the bytes of each output word reversed, see the hash TIGER192.
#[derive(Clone, Default)]
pub struct Tiger192(tiger::Tiger);

impl HashMarker for Tiger192 {}

impl BlockSizeUser for Tiger192 {
    type BlockSize = U64;
}

impl OutputSizeUser for Tiger192 {
    type OutputSize = U24;
}

impl Update for Tiger192 {
    #[inline]
    fn update(&mut self, data: &[u8]) {
        Update::update(&mut self.0, data);
    }
}

impl FixedOutput for Tiger192 {
    #[inline]
    fn finalize_into(self, out: &mut Output<Self>) {
        FixedOutput::finalize_into(self.0, out);
        out.chunks_exact_mut(8).for_each(<[u8]>::reverse);
    }
}

/// An extendable-output function cut to `N` bytes, and with keys padded to 64 bytes: so libgcrypt
/// has it in HMAC, although the rate is what HMAC calls a block. (No standard has HMAC of SHAKE.)
#[derive(Clone)]
pub struct Cut<X, N>(X, PhantomData<N>);

/// SHAKE128 with 32 bytes of output.
pub type Shake128Cut = Cut<shake::Shake128, U32>;
/// SHAKE256 with 64 bytes of output.
pub type Shake256Cut = Cut<shake::Shake256, U64>;

impl<X: Default, N> Default for Cut<X, N> {
    fn default() -> Self {
        Cut(X::default(), PhantomData)
    }
}

impl<X, N> HashMarker for Cut<X, N> {}

impl<X, N> BlockSizeUser for Cut<X, N> {
    type BlockSize = U64;
}

impl<X, N: ArraySize> OutputSizeUser for Cut<X, N> {
    type OutputSize = N;
}

impl<X: Update, N> Update for Cut<X, N> {
    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl<X: ExtendableOutput, N: ArraySize> FixedOutput for Cut<X, N> {
    #[inline]
    fn finalize_into(self, out: &mut Output<Self>) {
        self.0.finalize_xof().read(out);
    }
}
