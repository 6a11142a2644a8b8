//! The round function of GOST 28147-89's MAC.

use magma::{Gost89, Gost89CryptoProA, Sbox};

/// The first 16 rounds of GOST 28147-89, of which RFC 5830, section 8, makes a MAC, with the S-box
/// CryptoPro-A (RFC 4357, 11.2), libgcrypt's default for it.
///
/// The crate `magma` has all 32 rounds only; its S-box is used.
pub struct Gost28147HalfRounds([u32; 8]);

impl Gost28147HalfRounds {
    /// What the round function adds for each byte: two S-boxes, put in place and rotated.
    const TABLES: [[u32; 256]; 4] = tables(&<Gost89CryptoProA as HasSbox>::S::SBOX);

    /// Takes the key as eight little-endian words.
    pub fn new(key: &[u8; 32]) -> Self {
        let (words, _) = key.as_chunks::<4>();
        let mut rounds = [0; 8];
        for (round, &word) in rounds.iter_mut().zip(words) {
            *round = u32::from_le_bytes(word);
        }
        Gost28147HalfRounds(rounds)
    }

    /// Sixteen rounds, the halves swapped after each.
    #[inline]
    pub fn apply(&self, block: u64) -> u64 {
        let (mut low, mut high) = (block as u32, (block >> 32) as u32);
        for _ in 0..2 {
            for pair in self.0.as_chunks::<2>().0 {
                high ^= Self::round(low.wrapping_add(pair[0]));
                low ^= Self::round(high.wrapping_add(pair[1]));
            }
        }
        u64::from(high) << 32 | u64::from(low)
    }

    #[inline]
    fn round(word: u32) -> u32 {
        let bytes = word.to_le_bytes();
        let [a, b, c, d] = &Self::TABLES;
        a[usize::from(bytes[0])]
            ^ b[usize::from(bytes[1])]
            ^ c[usize::from(bytes[2])]
            ^ d[usize::from(bytes[3])]
    }
}

/// Gives a name to the S-box of a cipher of the crate, which has none of its own.
trait HasSbox {
    type S: Sbox;
}

impl<S: Sbox> HasSbox for Gost89<S> {
    type S = S;
}

const fn tables(sbox: &[[u8; 16]; 8]) -> [[u32; 256]; 4] {
    let mut tables = [[0; 256]; 4];
    let mut position = 0;
    while position < 4 {
        let mut byte = 0;
        while byte < 256 {
            let low = sbox[2 * position][byte % 16] as u32;
            let high = sbox[2 * position + 1][byte / 16] as u32;
            tables[position][byte] = (high << 4 | low).rotate_left(8 * position as u32 + 11);
            byte += 1;
        }
        position += 1;
    }
    tables
}
