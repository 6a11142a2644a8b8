//! Key derivation functions.

mod derive;

use std::sync::Arc;

use blake2::{Blake2b, Blake2b512, Blake2s, Blake2s256};
use derive::{Argon2idMemory, Argon2idPasses, Derive, HkdfLength, Pbkdf2, ScryptN};
use digest::block_api::BlockSizeUser;
use digest::consts::{U16, U20, U28, U32, U48};
use digest::{Digest, FixedOutput, KeyInit, Update};
use hmac::{EagerHash, Hmac};

use super::NAME;
use super::hmac::{ReadyHmac, Shake128Cut, Shake256Cut, Tiger192};
use crate::entry::{Axis, Entry, Operation, Section};
use crate::lengths::Lengths;
use crate::routine::{OpenError, Routine, Setup};

/// libgcrypt's key derivations in its order, then what else people derive keys with.
pub fn entries() -> Vec<Entry> {
    vec![
        pbkdf2::<md5::Md5>("PBKDF2-HMAC-MD5", "md-5"),
        pbkdf2::<sha1::Sha1>("PBKDF2-HMAC-SHA1", "sha1"),
        pbkdf2::<ripemd::Ripemd160>("PBKDF2-HMAC-RIPEMD160", "ripemd"),
        ready_pbkdf2::<Tiger192>("PBKDF2-HMAC-TIGER192", "tiger"),
        pbkdf2::<sha2::Sha256>("PBKDF2-HMAC-SHA256", "sha2"),
        pbkdf2::<sha2::Sha384>("PBKDF2-HMAC-SHA384", "sha2"),
        pbkdf2::<sha2::Sha512>("PBKDF2-HMAC-SHA512", "sha2"),
        pbkdf2::<sha2::Sha224>("PBKDF2-HMAC-SHA224", "sha2"),
        pbkdf2::<whirlpool::Whirlpool>("PBKDF2-HMAC-WHIRLPOOL", "whirlpool"),
        pbkdf2::<tiger::Tiger>("PBKDF2-HMAC-TIGER", "tiger"),
        pbkdf2::<tiger::Tiger2>("PBKDF2-HMAC-TIGER2", "tiger"),
        pbkdf2::<gost94::Gost94Test>("PBKDF2-HMAC-GOSTR3411_94", "gost94"),
        pbkdf2::<streebog::Streebog256>("PBKDF2-HMAC-STRIBOG256", "streebog"),
        pbkdf2::<streebog::Streebog512>("PBKDF2-HMAC-STRIBOG512", "streebog"),
        pbkdf2::<gost94::Gost94CryptoPro>("PBKDF2-HMAC-GOSTR3411_CP", "gost94"),
        ready_pbkdf2::<sha3::Sha3_224>("PBKDF2-HMAC-SHA3-224", "sha3"),
        ready_pbkdf2::<sha3::Sha3_256>("PBKDF2-HMAC-SHA3-256", "sha3"),
        ready_pbkdf2::<sha3::Sha3_384>("PBKDF2-HMAC-SHA3-384", "sha3"),
        ready_pbkdf2::<sha3::Sha3_512>("PBKDF2-HMAC-SHA3-512", "sha3"),
        ready_pbkdf2::<Shake128Cut>("PBKDF2-HMAC-SHAKE128", "shake"),
        ready_pbkdf2::<Shake256Cut>("PBKDF2-HMAC-SHAKE256", "shake"),
        ready_pbkdf2::<Blake2b512>("PBKDF2-HMAC-BLAKE2B_512", "blake2"),
        ready_pbkdf2::<Blake2b<U48>>("PBKDF2-HMAC-BLAKE2B_384", "blake2"),
        ready_pbkdf2::<Blake2b<U32>>("PBKDF2-HMAC-BLAKE2B_256", "blake2"),
        ready_pbkdf2::<Blake2b<U20>>("PBKDF2-HMAC-BLAKE2B_160", "blake2"),
        ready_pbkdf2::<Blake2s256>("PBKDF2-HMAC-BLAKE2S_256", "blake2"),
        ready_pbkdf2::<Blake2s<U28>>("PBKDF2-HMAC-BLAKE2S_224", "blake2"),
        ready_pbkdf2::<Blake2s<U20>>("PBKDF2-HMAC-BLAKE2S_160", "blake2"),
        ready_pbkdf2::<Blake2s<U16>>("PBKDF2-HMAC-BLAKE2S_128", "blake2"),
        pbkdf2::<sm3::Sm3>("PBKDF2-HMAC-SM3", "sm3"),
        pbkdf2::<sha2::Sha512_256>("PBKDF2-HMAC-SHA512_256", "sha2"),
        pbkdf2::<sha2::Sha512_224>("PBKDF2-HMAC-SHA512_224", "sha2"),
        // Beyond libgcrypt.
        kdf::<ScryptN>("SCRYPT", "scrypt", 64),
        kdf::<Argon2idPasses>("ARGON2ID_256KIB", "argon2", 32).also(&["ARGON2ID"]),
        kdf::<Argon2idMemory>("ARGON2ID_2PASS", "argon2", 32),
        kdf::<HkdfLength<sha2::Sha256>>("HKDF-SHA256", "hkdf", 1024),
        kdf::<HkdfLength<sha2::Sha512>>("HKDF-SHA512", "hkdf", 1024),
    ]
}

/// A line of the table; timing asks for `output_bytes`.
fn kdf<D: Derive>(algorithm: &'static str, package: &'static str, output_bytes: usize) -> Entry {
    let open = |setup: &Setup, _: Operation| {
        let routine: Box<dyn Routine> = Box::new(KdfRoutine::<D> {
            function: None,
            setup: setup.clone(),
            derived: 0,
            output: vec![0; setup.output_bytes],
        });
        Ok(routine)
    };
    Entry {
        section: Section::Kdf,
        provider: NAME,
        package,
        algorithm,
        mode: "",
        aliases: &[],
        operations: &[Operation::Derive],
        output_bytes,
        extendable: true,
        slow: false,
        key_bytes: 16,
        nonce_bytes: 16,
        axis: Axis::Count { unit: D::UNIT, values: D::VALUES },
        lengths: Lengths::All,
        known_as: None,
        open: Arc::new(open),
    }
}

/// PBKDF2 (RFC 8018, 5.2). Timing asks for one block of the hash, so that an iteration is one HMAC
/// and the slope is what libgcrypt calls nanoseconds an iteration; more blocks are as many times
/// the work.
fn pbkdf2<H: EagerHash + 'static>(algorithm: &'static str, package: &'static str) -> Entry {
    prf_pbkdf2::<Hmac<H>>(algorithm, package)
}

/// The same of a hash that does not show its blocks.
fn ready_pbkdf2<H>(algorithm: &'static str, package: &'static str) -> Entry
where
    H: Digest + BlockSizeUser + Clone + 'static,
{
    prf_pbkdf2::<ReadyHmac<H>>(algorithm, package)
}

fn prf_pbkdf2<P>(algorithm: &'static str, package: &'static str) -> Entry
where
    P: KeyInit + Update + FixedOutput + Clone + 'static,
{
    kdf::<Pbkdf2<P>>(algorithm, package, P::output_size())
}

/// The one routine of this section: `prepare` sets what is counted, a run takes password, salt and
/// context and makes the key.
struct KdfRoutine<D> {
    function: Option<D>,
    setup: Setup,
    derived: usize,
    output: Vec<u8>,
}

impl<D: Derive> Routine for KdfRoutine<D> {
    fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
        let mut function = D::new(size, self.setup.output_bytes)?;
        // What is refused is refused here: runs repeat the same work.
        function.derive(&self.setup, &mut self.output)?;
        self.function = Some(function);
        self.derived = 0;
        Ok(())
    }

    #[inline]
    fn run(&mut self) {
        let Some(function) = &mut self.function else { return };
        // Nothing is put out where it failed, so that a check of the answer would notice.
        self.derived = function.derive(&self.setup, &mut self.output).unwrap_or(0);
    }

    fn output(&self) -> &[u8] {
        &self.output[..self.derived]
    }
}
