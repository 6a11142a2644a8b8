//! SEED (RFC 4269). The one crate that has it, `kisaseed`, writes words through a pointer to bytes
//! that may lie at any address, which is undefined behaviour, and to a local of its own, which no
//! caller can align.

const ROUNDS: usize = 16;

/// 2^32 over the golden ratio; round `i` takes it rotated by `i` bits.
const FIRST_CONSTANT: u32 = 0x9e37_79b9;

/// What an S-box makes of x: x to a power in GF(2^8), times a matrix, plus a constant.
struct SBox {
    power: u32,
    /// The matrix, a byte a column: what it makes of 1, 2, 4 and so on.
    columns: [u8; 8],
    constant: u8,
}

const S_BOXES: [SBox; 2] = [
    SBox { power: 247, columns: [0x2c, 0xd0, 0x69, 0xc2, 0x41, 0x44, 0x58, 0xe2], constant: 169 },
    SBox { power: 251, columns: [0xd0, 0x2a, 0xe1, 0x2c, 0x21, 0x30, 0xa2, 0x6c], constant: 56 },
];

/// G of each byte of a word: its S-box's value under the masks m0 to m3, which begin one further for
/// each byte.
static TABLES: [[u32; 256]; 4] = tables();

const fn tables() -> [[u32; 256]; 4] {
    const MASKS: [u8; 4] = [0xfc, 0xf3, 0xcf, 0x3f];
    let mut tables = [[0; 256]; 4];
    let mut place = 0;
    while place < 4 {
        let mut x = 0;
        while x < 256 {
            let s = substitute(&S_BOXES[place % 2], x as u8);
            let masked = [
                s & MASKS[place],
                s & MASKS[(place + 1) % 4],
                s & MASKS[(place + 2) % 4],
                s & MASKS[(place + 3) % 4],
            ];
            tables[place][x] = u32::from_le_bytes(masked);
            x += 1;
        }
        place += 1;
    }
    tables
}

const fn substitute(s_box: &SBox, x: u8) -> u8 {
    let mut power = 1;
    let mut bit = 8;
    while bit > 0 {
        bit -= 1;
        power = times(power, power);
        if s_box.power >> bit & 1 == 1 {
            power = times(power, x);
        }
    }
    let mut value = s_box.constant;
    let mut column = 0;
    while column < 8 {
        if power >> column & 1 == 1 {
            value ^= s_box.columns[column];
        }
        column += 1;
    }
    value
}

/// The product in GF(2^8) modulo x^8 + x^6 + x^5 + x + 1.
const fn times(a: u8, b: u8) -> u8 {
    let (mut product, mut shifted, mut bit) = (0, a, 0);
    while bit < 8 {
        if b >> bit & 1 == 1 {
            product ^= shifted;
        }
        shifted = (shifted << 1) ^ if shifted & 0x80 == 0 { 0 } else { 0x63 };
        bit += 1;
    }
    product
}

#[inline]
fn g(word: u32) -> u32 {
    let [a, b, c, d] = word.to_le_bytes().map(usize::from);
    TABLES[0][a] ^ TABLES[1][b] ^ TABLES[2][c] ^ TABLES[3][d]
}

/// The round function F on the two words of a half.
#[inline]
fn f([r0, r1]: [u32; 2], [k0, k1]: [u32; 2]) -> [u32; 2] {
    let (c, d) = (r0 ^ k0, r1 ^ k1);
    let d = g(c ^ d);
    let c = g(c.wrapping_add(d));
    let d = g(d.wrapping_add(c));
    [c.wrapping_add(d), d]
}

/// The keys of all rounds.
pub struct Seed([[u32; 2]; ROUNDS]);

impl Seed {
    pub fn new(key: &[u8; 16]) -> Self {
        let whole = u128::from_be_bytes(*key);
        let (mut left, mut right) = ((whole >> 64) as u64, whole as u64);
        let mut constant = FIRST_CONSTANT;
        Seed(std::array::from_fn(|round| {
            let [k0, k1] = halves(left);
            let [k2, k3] = halves(right);
            let key = [
                g(k0.wrapping_add(k2).wrapping_sub(constant)),
                g(k1.wrapping_sub(k3).wrapping_add(constant)),
            ];
            constant = constant.rotate_left(1);
            match round % 2 {
                0 => left = left.rotate_right(8),
                _ => right = right.rotate_left(8),
            }
            key
        }))
    }

    #[inline]
    pub fn encrypt(&self, block: &[u8; 16]) -> [u8; 16] {
        run(block, self.0.iter())
    }

    #[inline]
    pub fn decrypt(&self, block: &[u8; 16]) -> [u8; 16] {
        run(block, self.0.iter().rev())
    }
}

fn halves(word: u64) -> [u32; 2] {
    [(word >> 32) as u32, word as u32]
}

/// All rounds under these keys; the halves do not change places after the last.
#[inline]
fn run<'a>(block: &[u8; 16], keys: impl Iterator<Item = &'a [u32; 2]>) -> [u8; 16] {
    let whole = u128::from_be_bytes(*block);
    let mut left = halves((whole >> 64) as u64);
    let mut right = halves(whole as u64);
    for key in keys {
        let [f0, f1] = f(right, *key);
        (left, right) = (right, [left[0] ^ f0, left[1] ^ f1]);
    }
    let [[a, b], [c, d]] = [right, left];
    let joined = [a, b, c, d].map(u32::to_be_bytes);
    let mut out = [0; 16];
    for (to, word) in out.chunks_exact_mut(4).zip(joined) {
        to.copy_from_slice(&word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The S-boxes as RFC 4269 prints them in its appendix A: their first bytes and their last.
    #[test]
    fn the_s_boxes_are_those_of_the_standard() {
        let of = |at: usize, x: u8| substitute(&S_BOXES[at], x);
        assert_eq!([0, 1, 2, 3].map(|x| of(0, x)), [0xa9, 0x85, 0xd6, 0xd3]);
        assert_eq!([0, 1, 2, 3].map(|x| of(1, x)), [0x38, 0xe8, 0x2d, 0xa6]);
        for at in 0..2 {
            let mut seen = [false; 256];
            (0..=255).for_each(|x| seen[usize::from(of(at, x))] = true);
            assert_eq!(seen, [true; 256], "S{at} is no permutation");
        }
    }
}
