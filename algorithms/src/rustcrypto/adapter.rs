//! Block ciphers that need something between them and the modes.

use std::marker::PhantomData;

use cipher::array::ArraySize;
use cipher::consts::{U1, U5, U8, U16, U32};
use cipher::{
    Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InOut, Key, KeyInit, KeySizeUser,
    ParBlocksSizeUser,
};

use super::seed;

/// A cipher of several key sizes, with one of them.
pub struct Keyed<C, N> {
    cipher: C,
    key_size: PhantomData<N>,
}

impl<C: KeyInit, N: ArraySize> KeySizeUser for Keyed<C, N> {
    type KeySize = N;
}

impl<C: KeyInit, N: ArraySize> KeyInit for Keyed<C, N> {
    fn new(key: &Key<Self>) -> Self {
        match C::new_from_slice(key) {
            Ok(cipher) => Keyed { cipher, key_size: PhantomData },
            Err(_) => panic!("the table gives the cipher a key size it does not have"),
        }
    }
}

impl<C: BlockSizeUser, N> BlockSizeUser for Keyed<C, N> {
    type BlockSize = C::BlockSize;
}

impl<C: BlockCipherEncrypt, N> BlockCipherEncrypt for Keyed<C, N> {
    #[inline]
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = Self::BlockSize>) {
        self.cipher.encrypt_with_backend(f);
    }
}

impl<C: BlockCipherDecrypt, N> BlockCipherDecrypt for Keyed<C, N> {
    #[inline]
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = Self::BlockSize>) {
        self.cipher.decrypt_with_backend(f);
    }
}

/// Gives a newtype the traits of a block cipher that has no parallel blocks, from its way to
/// encrypt and to decrypt one.
macro_rules! one_block_at_a_time {
    ($cipher:ty, $key:ty, $block:ty, $new:expr, $encrypt:expr, $decrypt:expr) => {
        impl KeySizeUser for $cipher {
            type KeySize = $key;
        }
        impl KeyInit for $cipher {
            fn new(key: &Key<Self>) -> Self {
                let new: fn(&Key<Self>) -> Self = $new;
                new(key)
            }
        }
        impl BlockSizeUser for $cipher {
            type BlockSize = $block;
        }
        impl ParBlocksSizeUser for $cipher {
            type ParBlocksSize = U1;
        }
        impl BlockCipherEncBackend for $cipher {
            #[inline]
            fn encrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
                let out = $encrypt(&self.0, block.get_in());
                *block.get_out() = out;
            }
        }
        impl BlockCipherDecBackend for $cipher {
            #[inline]
            fn decrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
                let out = $decrypt(&self.0, block.get_in());
                *block.get_out() = out;
            }
        }
        impl BlockCipherEncrypt for $cipher {
            #[inline]
            fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = $block>) {
                f.call(self);
            }
        }
        impl BlockCipherDecrypt for $cipher {
            #[inline]
            fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = $block>) {
                f.call(self);
            }
        }
    };
}

/// RC2 with an effective key of 40 bits (RFC 2268).
pub struct Rc2Of40Bits(rc2::Rc2);

one_block_at_a_time!(
    Rc2Of40Bits,
    U5,
    U8,
    |key| Rc2Of40Bits(rc2::Rc2::new_with_eff_key_len(key, 40)),
    |rc2: &rc2::Rc2, block: &Block<Rc2Of40Bits>| {
        let mut block = *block;
        BlockCipherEncrypt::encrypt_block(rc2, &mut block);
        block
    },
    |rc2: &rc2::Rc2, block: &Block<Rc2Of40Bits>| {
        let mut block = *block;
        BlockCipherDecrypt::decrypt_block(rc2, &mut block);
        block
    }
);

/// The Korean SEED (RFC 4269).
pub struct Seed(seed::Seed);

one_block_at_a_time!(
    Seed,
    U16,
    U16,
    |key| Seed(seed::Seed::new(&key.0)),
    |seed: &seed::Seed, block: &Block<Seed>| Block::<Seed>::from(seed.encrypt(&block.0)),
    |seed: &seed::Seed, block: &Block<Seed>| Block::<Seed>::from(seed.decrypt(&block.0))
);

/// The S-box that libgcrypt takes when none is chosen: the test parameters of RFC 4357, 11.2.
type Parameters = magma::Gost89Test;

/// GOST 28147-89 (RFC 5830). The crate has the byte order of the later GOST R 34.12-2015, whose
/// words are big-endian and whose blocks have their halves swapped: a block of one read from its
/// end is a block of the other.
#[derive(Clone)]
pub struct Gost28147(Parameters);

fn reversed(block: &Block<Gost28147>) -> Block<Gost28147> {
    u64::from_le_bytes(block.0).to_be_bytes().into()
}

one_block_at_a_time!(
    Gost28147,
    U32,
    U8,
    |key| {
        let mut key = *key;
        for word in key.chunks_exact_mut(4) {
            word.reverse();
        }
        Gost28147(Parameters::new(&key))
    },
    |gost: &Parameters, block: &Block<Gost28147>| {
        let mut block = reversed(block);
        BlockCipherEncrypt::encrypt_block(gost, &mut block);
        reversed(&block)
    },
    |gost: &Parameters, block: &Block<Gost28147>| {
        let mut block = reversed(block);
        BlockCipherDecrypt::decrypt_block(gost, &mut block);
        reversed(&block)
    }
);
