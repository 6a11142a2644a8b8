//! A demonstration, no standard: work that grows with the square of the message.

use super::keyed::{Keyed, no_key};
use crate::routine::OpenError;

/// The prime 2^31 - 1.
const PRIME: u64 = 0x7fff_ffff;

/// A polynomial over the integers modulo 2^31 - 1 at the key: the first byte of a message of n bytes
/// times the key to the power n, the second times the power n - 1, and so on. Each power is computed
/// anew, where Horner's rule would need one multiplication a byte. Key and tag are little-endian.
pub struct QuadraticPolynomial {
    point: u64,
}

impl Keyed for QuadraticPolynomial {
    const TAG_BYTES: usize = 4;

    fn new(key: &[u8], _: &[u8]) -> Result<Self, OpenError> {
        let key: [u8; 4] = key.try_into().map_err(no_key(key.len()))?;
        Ok(QuadraticPolynomial { point: u64::from(u32::from_le_bytes(key)) % PRIME })
    }

    #[inline]
    fn tag(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) {
        let mut sum = 0;
        for (at, &byte) in message.iter().enumerate() {
            let mut power = 1;
            for _ in at..message.len() {
                power = power * self.point % PRIME;
            }
            sum = (sum + u64::from(byte) * power) % PRIME;
        }
        // Below 2^31.
        tag.copy_from_slice(&(sum as u32).to_le_bytes());
    }
}
