//! Modes of a block cipher that do not authenticate, over the crates that implement them. The key
//! schedule is made once; each message borrows it and starts from its own nonce.

use aead::inout::InOutBuf;
use cipher::array::{Array, ArraySize};
use cipher::common::InnerInit;
use cipher::consts::{U8, U16};
use cipher::{
    Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt,
    BlockSizeUser, InnerIvInit, KeyInit, StreamCipher, StreamCipherCore, StreamCipherCoreWrapper,
};
use cmac::digest::block_buffer::BlockSizes;
use ctr::CtrCore;
use ctr::flavors::{Ctr64BE, Ctr128BE, CtrFlavor};
use xts_mode::Xts128;

use super::routine::Plain;
use crate::routine::OpenError;

/// What ECB needs of a block cipher.
pub trait CodebookCipher: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + 'static {}

impl<C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + 'static> CodebookCipher for C {}

/// What the other modes need.
pub trait BlockCipher: CodebookCipher + BlockSizeUser<BlockSize: Counter> {}

impl<C: CodebookCipher + BlockSizeUser<BlockSize: Counter>> BlockCipher for C {}

/// A block size with a counter that fills the whole block.
pub trait Counter: BlockSizes {
    /// The counter.
    type Flavor: CtrFlavor<Self>;
}

impl Counter for U8 {
    type Flavor = Ctr64BE;
}

impl Counter for U16 {
    type Flavor = Ctr128BE;
}

/// The crates' block counter under a borrowed key schedule.
pub type Ctr128<'a, C> = CtrCore<&'a C, <<C as BlockSizeUser>::BlockSize as Counter>::Flavor>;

/// The key schedule.
pub fn schedule<C: KeyInit>(key: &[u8]) -> Result<C, OpenError> {
    C::new_from_slice(key)
        .map_err(|_| OpenError(format!("the cipher takes no key of {} bytes", key.len())))
}

/// `bytes` as a nonce or key of the length the type says.
///
/// # Panics
/// When they are of another length, which the caller has excluded.
#[inline]
pub fn array<N: ArraySize>(bytes: &[u8]) -> &Array<u8, N> {
    match bytes.try_into() {
        Ok(array) => array,
        Err(_) => panic!("{} bytes where {} belong", bytes.len(), N::USIZE),
    }
}

/// `data`, which is whole blocks, as blocks.
#[inline]
pub fn blocks<N: ArraySize>(data: &mut [u8]) -> &mut [Array<u8, N>] {
    Array::slice_as_chunks_mut(data).0
}

/// Electronic codebook (SP 800-38A).
pub struct Ecb<C>(pub C);

impl<C: CodebookCipher> Plain for Ecb<C> {
    fn encrypt(&mut self, _: &[u8], data: &mut [u8]) {
        ecb::Encryptor::inner_init(&self.0).encrypt_blocks(blocks(data));
    }

    fn decrypt(&mut self, _: &[u8], data: &mut [u8]) {
        ecb::Decryptor::inner_init(&self.0).decrypt_blocks(blocks(data));
    }
}

/// Cipher block chaining (SP 800-38A).
pub struct Cbc<C>(pub C);

impl<C: BlockCipher> Plain for Cbc<C> {
    fn encrypt(&mut self, nonce: &[u8], data: &mut [u8]) {
        cbc::Encryptor::inner_iv_init(&self.0, array(nonce)).encrypt_blocks(blocks(data));
    }

    fn decrypt(&mut self, nonce: &[u8], data: &mut [u8]) {
        cbc::Decryptor::inner_iv_init(&self.0, array(nonce)).decrypt_blocks(blocks(data));
    }
}

/// Cipher feedback of whole blocks, the last may be partial (SP 800-38A).
pub struct Cfb<C>(pub C);

impl<C: BlockCipher> Plain for Cfb<C> {
    fn encrypt(&mut self, nonce: &[u8], data: &mut [u8]) {
        cfb_mode::Encryptor::inner_iv_init(&self.0, array(nonce)).encrypt(data);
    }

    fn decrypt(&mut self, nonce: &[u8], data: &mut [u8]) {
        cfb_mode::Decryptor::inner_iv_init(&self.0, array(nonce)).decrypt(data);
    }
}

/// Output feedback (SP 800-38A).
pub struct Ofb<C>(pub C);

impl<C: BlockCipher> Plain for Ofb<C> {
    fn encrypt(&mut self, nonce: &[u8], data: &mut [u8]) {
        ofb::OfbCore::inner_iv_init(&self.0, array(nonce)).apply_keystream_partial(data.into());
    }

    fn is_key_stream(&self) -> bool {
        true
    }
}

/// Counter mode; the whole block counts, big-endian (SP 800-38A).
pub struct Ctr<C>(pub C);

impl<C: BlockCipher> Plain for Ctr<C> {
    fn encrypt(&mut self, nonce: &[u8], data: &mut [u8]) {
        count(&self.0, array(nonce), data.into());
    }

    fn is_key_stream(&self) -> bool {
        true
    }
}

/// Counter mode from a first counter block.
pub fn count<C: BlockCipher>(cipher: &C, first: &Block<C>, data: InOutBuf<'_, '_, u8>) {
    let core = Ctr128::<C>::inner_iv_init(cipher, first);
    StreamCipherCoreWrapper::from_core(core).apply_keystream_inout(data);
}

/// XTS with ciphertext stealing (IEEE 1619).
pub struct Xts<C> {
    mode: Xts128<C>,
    /// The cipher of the tweak once more: the empty message costs what its tweak costs.
    tweak: C,
}

impl<C: BlockCipher + BlockSizeUser<BlockSize = U16>> Xts<C> {
    /// The mode under the cipher of the data and that of the tweak, and the latter once more.
    pub fn new(data: C, tweak: C, again: C) -> Self {
        Xts { mode: Xts128::new(data, tweak), tweak: again }
    }

    fn nothing(&self, nonce: &[u8]) {
        let mut tweak = *array(nonce);
        self.tweak.encrypt_block(&mut tweak);
        std::hint::black_box(tweak);
    }
}

impl<C: BlockCipher + BlockSizeUser<BlockSize = U16>> Plain for Xts<C> {
    fn encrypt(&mut self, nonce: &[u8], data: &mut [u8]) {
        match data.is_empty() {
            true => self.nothing(nonce),
            false => self.mode.encrypt_sector(data, *array(nonce)),
        }
    }

    fn decrypt(&mut self, nonce: &[u8], data: &mut [u8]) {
        match data.is_empty() {
            true => self.nothing(nonce),
            false => self.mode.decrypt_sector(data, *array(nonce)),
        }
    }
}
