//! The key derivation functions, each with what it counts.

use std::fmt::Display;
use std::marker::PhantomData;

use argon2::{Algorithm, Argon2, Block, ParamsBuilder, Version};
use digest::{FixedOutput, KeyInit, Update};
use hkdf::Hkdf;
use hmac::EagerHash;

use crate::routine::{OpenError, Setup};

/// A key derivation function with its parameters.
pub trait Derive: Sized + 'static {
    /// What it counts, as headers name it.
    const UNIT: &'static str;
    /// The counts timed, ascending: one run takes at most about two milliseconds.
    const VALUES: &'static [usize];

    /// Sets the parameters; `count` is of the unit.
    fn new(count: usize, output_bytes: usize) -> Result<Self, OpenError>;

    /// Derives a key and says how many bytes it has: `key` is password or key material, `nonce`
    /// the salt, `aad` the context.
    fn derive(&mut self, setup: &Setup, output: &mut [u8]) -> Result<usize, OpenError>;
}

fn refused(error: impl Display) -> OpenError {
    OpenError(error.to_string())
}

fn count_of(unit: &str, count: usize) -> Result<u32, OpenError> {
    match u32::try_from(count) {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(OpenError(format!("{count} is no number of {unit}"))),
    }
}

/// PBKDF2 (RFC 8018, 5.2) with a pseudo-random function.
pub struct Pbkdf2<P> {
    iterations: u32,
    function: PhantomData<P>,
}

impl<P: KeyInit + Update + FixedOutput + Clone + 'static> Derive for Pbkdf2<P> {
    const UNIT: &'static str = "iter";
    const VALUES: &'static [usize] =
        &[4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64];

    fn new(count: usize, _: usize) -> Result<Self, OpenError> {
        Ok(Pbkdf2 { iterations: count_of("iterations", count)?, function: PhantomData })
    }

    #[inline]
    fn derive(&mut self, setup: &Setup, output: &mut [u8]) -> Result<usize, OpenError> {
        pbkdf2::pbkdf2::<P>(&setup.key, &setup.nonce, self.iterations, output).map_err(refused)?;
        Ok(output.len())
    }
}

/// scrypt (RFC 7914) with r = 8 and p = 1 by its cost N. The crate allocates the 1024 N bytes of
/// its table in each run, and so does whoever uses it.
pub struct ScryptN(scrypt::Params);

impl Derive for ScryptN {
    const UNIT: &'static str = "N";
    const VALUES: &'static [usize] = &[16, 32, 64, 128, 256];

    fn new(count: usize, _: usize) -> Result<Self, OpenError> {
        if !count.is_power_of_two() {
            return Err(OpenError(format!("N has to be a power of two, {count} is none")));
        }
        scrypt::Params::new(count.ilog2() as u8, 8, 1).map(ScryptN).map_err(refused)
    }

    #[inline]
    fn derive(&mut self, setup: &Setup, output: &mut [u8]) -> Result<usize, OpenError> {
        scrypt::scrypt(&setup.key, &setup.nonce, &self.0, output).map_err(refused)?;
        Ok(output.len())
    }
}

/// Argon2id (RFC 9106) in one lane, version 1.3.
struct Argon2id {
    argon2: Argon2<'static>,
    memory: Vec<Block>,
}

impl Argon2id {
    fn new(kibibytes: u32, passes: u32, output_bytes: usize) -> Result<Self, OpenError> {
        let mut params = ParamsBuilder::new();
        params.m_cost(kibibytes).t_cost(passes).p_cost(1).output_len(output_bytes);
        let params = params.build().map_err(refused)?;
        Ok(Argon2id {
            memory: vec![Block::new(); params.block_count()],
            argon2: Argon2::new(Algorithm::Argon2id, Version::V0x13, params),
        })
    }

    #[inline]
    fn derive(&mut self, setup: &Setup, output: &mut [u8]) -> Result<usize, OpenError> {
        self.argon2
            .hash_password_into_with_memory(&setup.key, &setup.nonce, output, &mut self.memory)
            .map_err(refused)?;
        Ok(output.len())
    }
}

/// Argon2id by passes over 256 KiB.
pub struct Argon2idPasses(Argon2id);

impl Derive for Argon2idPasses {
    const UNIT: &'static str = "pass";
    const VALUES: &'static [usize] = &[1, 2, 3, 4, 5, 6, 7, 8];

    fn new(count: usize, output_bytes: usize) -> Result<Self, OpenError> {
        Argon2id::new(256, count_of("passes", count)?, output_bytes).map(Argon2idPasses)
    }

    #[inline]
    fn derive(&mut self, setup: &Setup, output: &mut [u8]) -> Result<usize, OpenError> {
        self.0.derive(setup, output)
    }
}

/// Argon2id by memory in two passes.
pub struct Argon2idMemory(Argon2id);

impl Derive for Argon2idMemory {
    const UNIT: &'static str = "KiB";
    const VALUES: &'static [usize] = &[64, 128, 192, 256, 320, 384, 448, 512];

    fn new(count: usize, output_bytes: usize) -> Result<Self, OpenError> {
        Argon2id::new(count_of("kibibytes", count)?, 2, output_bytes).map(Argon2idMemory)
    }

    #[inline]
    fn derive(&mut self, setup: &Setup, output: &mut [u8]) -> Result<usize, OpenError> {
        self.0.derive(setup, output)
    }
}

/// HKDF (RFC 5869), extraction and expansion, by bytes of output.
pub struct HkdfLength<H> {
    bytes: usize,
    hash: PhantomData<H>,
}

impl<H: EagerHash + 'static> Derive for HkdfLength<H> {
    const UNIT: &'static str = "byte";
    /// Whole blocks of SHA-256 and of SHA-512.
    const VALUES: &'static [usize] =
        &[64, 128, 192, 256, 320, 384, 448, 512, 576, 640, 704, 768, 832, 896, 960, 1024];

    fn new(count: usize, output_bytes: usize) -> Result<Self, OpenError> {
        if count > output_bytes {
            return Err(OpenError(format!(
                "{count} bytes were asked for, there is room for {output_bytes}"
            )));
        }
        Ok(HkdfLength { bytes: count, hash: PhantomData })
    }

    #[inline]
    fn derive(&mut self, setup: &Setup, output: &mut [u8]) -> Result<usize, OpenError> {
        let keys = Hkdf::<H>::new(Some(&setup.nonce), &setup.key);
        keys.expand(&setup.aad, &mut output[..self.bytes]).map_err(refused)?;
        Ok(self.bytes)
    }
}
