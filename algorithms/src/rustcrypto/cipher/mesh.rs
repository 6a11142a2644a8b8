//! GOST 28147-89 with CryptoPro's key meshing (RFC 4357, 2.3.2): after each 1024 bytes of a
//! message the cipher decrypts a constant to its next key, and the next key encrypts the
//! initialisation vector as the mode has left it.
//!
//! ECB and the OMACs of EAX have no vector and mesh the key only.

use aead::inout::InOutBuf;
use cipher::array::Array;
use cipher::consts::U8;
use cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, InnerIvInit,
    IvState, KeyInit,
};
use dbl::Dbl;

use super::aead::EaxParts;
use super::block::{Cfb, Ctr, Ecb, Ofb, blocks};
use super::routine::Plain;
use crate::rustcrypto::adapter::Gost28147;

/// Bytes of message under one key.
const SEGMENT: usize = 1024;

/// The constant that decrypts to the next key.
const CONSTANT: [u8; 32] = [
    0x69, 0x00, 0x72, 0x22, 0x64, 0xc9, 0x04, 0x23, 0x8d, 0x3a, 0xdb, 0x96, 0x46, 0xe9, 0x2a, 0xc4,
    0x18, 0xfe, 0xac, 0x94, 0x00, 0xed, 0x07, 0x12, 0xc0, 0x86, 0xdc, 0xc2, 0xef, 0x4c, 0xa9, 0x2b,
];

type GostBlock = Array<u8, U8>;

/// The cipher under the key that follows.
fn next(cipher: &Gost28147) -> Gost28147 {
    let mut key = CONSTANT;
    cipher.decrypt_blocks(blocks(&mut key));
    Gost28147::new(&key.into())
}

/// A mode's work on one segment: takes the vector it starts from and leaves the one it ends with.
type Step = fn(&Gost28147, &mut GostBlock, &mut [u8]);

/// A mode in both directions.
pub struct Steps {
    encrypt: Step,
    decrypt: Step,
}

pub const ECB: Steps = Steps {
    encrypt: |cipher, _, data| Ecb(cipher.clone()).encrypt(&[], data),
    decrypt: |cipher, _, data| Ecb(cipher.clone()).decrypt(&[], data),
};

pub const CBC: Steps = Steps {
    encrypt: |cipher, vector, data| {
        let mut mode = cbc::Encryptor::inner_iv_init(cipher, vector);
        mode.encrypt_blocks(blocks(data));
        *vector = mode.iv_state();
    },
    decrypt: |cipher, vector, data| {
        let mut mode = cbc::Decryptor::inner_iv_init(cipher, vector);
        mode.decrypt_blocks(blocks(data));
        *vector = mode.iv_state();
    },
};

pub const CFB: Steps = Steps {
    encrypt: |cipher, vector, data| {
        Cfb(cipher.clone()).encrypt(&vector.clone(), data);
        *vector = last_block(data);
    },
    decrypt: |cipher, vector, data| {
        let last = last_block(data);
        Cfb(cipher.clone()).decrypt(vector, data);
        *vector = last;
    },
};

pub const OFB: Steps = Steps { encrypt: ofb, decrypt: ofb };

fn ofb(cipher: &Gost28147, vector: &mut GostBlock, data: &mut [u8]) {
    let before = last_block(data);
    Ofb(cipher.clone()).encrypt(vector, data);
    let after = last_block(data);
    *vector = Array::from_fn(|i| before[i] ^ after[i]);
}

pub const CTR: Steps = Steps { encrypt: ctr, decrypt: ctr };

fn ctr(cipher: &Gost28147, vector: &mut GostBlock, data: &mut [u8]) {
    Ctr(cipher.clone()).encrypt(vector, data);
    let counted = u64::from_be_bytes(vector.0).wrapping_add((data.len() / 8) as u64);
    *vector = counted.to_be_bytes().into();
}

/// The last block of a whole segment; of a shorter one, which is the message's last, anything.
fn last_block(data: &[u8]) -> GostBlock {
    data.last_chunk().copied().unwrap_or_default().into()
}

/// A mode over the cipher with its keys meshed.
pub struct Meshed {
    pub cipher: Gost28147,
    pub steps: Steps,
}

fn in_segments(cipher: &Gost28147, vector: GostBlock, data: &mut [u8], step: Step) {
    let mut vector = vector;
    let mut segments = data.chunks_mut(SEGMENT);
    if let Some(first) = segments.next() {
        step(cipher, &mut vector, first);
    }
    let mut cipher = cipher.clone();
    for segment in segments {
        cipher = next(&cipher);
        cipher.encrypt_block(&mut vector);
        step(&cipher, &mut vector, segment);
    }
}

impl Meshed {
    fn run(&self, nonce: &[u8], data: &mut [u8], step: Step) {
        let vector = nonce.try_into().unwrap_or_default();
        in_segments(&self.cipher, vector, data, step);
    }
}

impl Plain for Meshed {
    fn encrypt(&mut self, nonce: &[u8], data: &mut [u8]) {
        self.run(nonce, data, self.steps.encrypt);
    }

    fn decrypt(&mut self, nonce: &[u8], data: &mut [u8]) {
        self.run(nonce, data, self.steps.decrypt);
    }
}

/// What EAX is made of, with keys meshed in each of the OMACs and in the counter mode.
pub struct MeshedParts(pub Gost28147);

impl EaxParts for MeshedParts {
    type Size = U8;

    fn omac(&self, kind: u8, data: &[u8]) -> GostBlock {
        let mut subkey = GostBlock::default();
        self.0.encrypt_block(&mut subkey);
        subkey = subkey.dbl();
        let mut sum = GostBlock::from([0, 0, 0, 0, 0, 0, 0, kind]);
        let mut cipher = self.0.clone();
        let mut done = 0;
        for block in data.chunks(8) {
            cipher.encrypt_block(&mut sum);
            done += 8;
            if done == SEGMENT {
                cipher = next(&cipher);
                done = 0;
            }
            sum.iter_mut().zip(block).for_each(|(sum, byte)| *sum ^= byte);
            if block.len() < 8 {
                sum[block.len()] ^= 0x80;
                subkey = subkey.dbl();
            }
        }
        sum.iter_mut().zip(subkey).for_each(|(sum, byte)| *sum ^= byte);
        cipher.encrypt_block(&mut sum);
        sum
    }

    fn count(&self, first: &GostBlock, data: InOutBuf<'_, '_, u8>) {
        in_segments(&self.0, *first, data.into_out_with_copied_in(), ctr);
    }
}
