//! Message authentication codes.

mod block;
mod demonstration;
mod imit;
mod keyed;
mod universal;

use std::sync::Arc;

use blake2::{Blake2bMac512, Blake2sMac256};
use block::{Gmac, Imit};
use cipher::{BlockCipherEncrypt, KeyInit};
use cmac::Cmac;
use cmac::block_api::CmacCipher;
use demonstration::QuadraticPolynomial;
use digest::Digest;
use digest::block_api::BlockSizeUser;
use digest::consts::{U16, U20, U28, U32, U48};
use hmac::{EagerHash, Hmac};
use keyed::{Blake3, Cloned, Keyed, Kmac, Leading, Reset, SipHash};
use universal::{Alone, Poly1305, Poly1305With};

use super::NAME;
use super::adapter::{Gost28147, Seed};
use super::hmac::ReadyHmac;
use crate::entry::{Axis, Entry, Operation, Section};
use crate::lengths::Lengths;
use crate::routine::{Buffer, OpenError, Routine, Setup, expect_bytes};

/// libgcrypt's MACs in its order, then what else people authenticate with.
pub fn entries() -> Vec<Entry> {
    vec![
        mac::<Imit>("GOST28147_IMIT", "magma", 32).also(&["GOST_IMIT"]),
        hmac::<sha2::Sha256>("HMAC_SHA256", "sha2"),
        hmac::<sha2::Sha224>("HMAC_SHA224", "sha2"),
        hmac::<sha2::Sha512>("HMAC_SHA512", "sha2"),
        hmac::<sha2::Sha384>("HMAC_SHA384", "sha2"),
        hmac::<sha1::Sha1>("HMAC_SHA1", "sha1"),
        hmac::<md5::Md5>("HMAC_MD5", "md-5"),
        hmac::<md4::Md4>("HMAC_MD4", "md4"),
        hmac::<ripemd::Ripemd160>("HMAC_RIPEMD160", "ripemd").also(&["HMAC_RMD160"]),
        hmac::<tiger::Tiger>("HMAC_TIGER", "tiger"),
        hmac::<whirlpool::Whirlpool>("HMAC_WHIRLPOOL", "whirlpool"),
        hmac::<gost94::Gost94Test>("HMAC_GOSTR3411_94", "gost94"),
        hmac::<streebog::Streebog256>("HMAC_STRIBOG256", "streebog").also(&["HMAC_STREEBOG256"]),
        hmac::<streebog::Streebog512>("HMAC_STRIBOG512", "streebog").also(&["HMAC_STREEBOG512"]),
        ready_hmac::<sha3::Sha3_224>("HMAC_SHA3_224", "sha3"),
        ready_hmac::<sha3::Sha3_256>("HMAC_SHA3_256", "sha3"),
        ready_hmac::<sha3::Sha3_384>("HMAC_SHA3_384", "sha3"),
        ready_hmac::<sha3::Sha3_512>("HMAC_SHA3_512", "sha3"),
        hmac::<gost94::Gost94CryptoPro>("HMAC_GOSTR3411_CP", "gost94"),
        ready_hmac::<blake2::Blake2b512>("HMAC_BLAKE2B_512", "blake2"),
        ready_hmac::<blake2::Blake2b<U48>>("HMAC_BLAKE2B_384", "blake2"),
        ready_hmac::<blake2::Blake2b<U32>>("HMAC_BLAKE2B_256", "blake2"),
        ready_hmac::<blake2::Blake2b<U20>>("HMAC_BLAKE2B_160", "blake2"),
        ready_hmac::<blake2::Blake2s256>("HMAC_BLAKE2S_256", "blake2"),
        ready_hmac::<blake2::Blake2s<U28>>("HMAC_BLAKE2S_224", "blake2"),
        ready_hmac::<blake2::Blake2s<U20>>("HMAC_BLAKE2S_160", "blake2"),
        ready_hmac::<blake2::Blake2s<U16>>("HMAC_BLAKE2S_128", "blake2"),
        hmac::<sm3::Sm3>("HMAC_SM3", "sm3"),
        hmac::<sha2::Sha512_256>("HMAC_SHA512_256", "sha2"),
        hmac::<sha2::Sha512_224>("HMAC_SHA512_224", "sha2"),
        cmac::<aes::Aes128>("CMAC_AES", "aes", 16).also(&["CMAC_AES128"]),
        cmac::<des::TdesEde3>("CMAC_3DES", "des", 24).also(&["CMAC_TDES"]),
        cmac::<camellia::Camellia128>("CMAC_CAMELLIA", "camellia", 16),
        cmac::<cast5::Cast5>("CMAC_CAST5", "cast5", 16),
        cmac::<blowfish::Blowfish>("CMAC_BLOWFISH", "blowfish", 16),
        cmac::<twofish::Twofish>("CMAC_TWOFISH", "twofish", 32),
        cmac::<serpent::Serpent>("CMAC_SERPENT", "serpent", 16),
        cmac::<Seed>("CMAC_SEED", "bench-slope-algorithms", 16),
        cmac::<rc2::Rc2>("CMAC_RFC2268", "rc2", 16).also(&["CMAC_RC2"]),
        cmac::<idea::Idea>("CMAC_IDEA", "idea", 16),
        cmac::<Gost28147>("CMAC_GOST28147", "magma", 32),
        cmac::<sm4::Sm4>("CMAC_SM4", "sm4", 16),
        cmac::<aria::Aria128>("CMAC_ARIA", "aria", 16),
        gmac::<aes::Aes128>("GMAC_AES", "aes", 16).also(&["GMAC_AES128"]),
        gmac::<camellia::Camellia128>("GMAC_CAMELLIA", "camellia", 16),
        gmac::<twofish::Twofish>("GMAC_TWOFISH", "twofish", 32),
        gmac::<serpent::Serpent>("GMAC_SERPENT", "serpent", 16),
        gmac::<Seed>("GMAC_SEED", "bench-slope-algorithms", 16),
        gmac::<sm4::Sm4>("GMAC_SM4", "sm4", 16),
        gmac::<aria::Aria128>("GMAC_ARIA", "aria", 16),
        mac::<Poly1305>("POLY1305", "poly1305", 32),
        poly1305::<aes::Aes128>("POLY1305_AES"),
        poly1305::<camellia::Camellia128>("POLY1305_CAMELLIA"),
        poly1305::<twofish::Twofish>("POLY1305_TWOFISH"),
        poly1305::<serpent::Serpent>("POLY1305_SERPENT"),
        poly1305::<Seed>("POLY1305_SEED"),
        poly1305::<sm4::Sm4>("POLY1305_SM4"),
        poly1305::<aria::Aria128>("POLY1305_ARIA"),
        // Beyond libgcrypt.
        mac::<SipHash<siphasher::sip::SipHasher24>>("SIPHASH-2-4", "siphasher", 16)
            .also(&["SIPHASH"]),
        mac::<SipHash<siphasher::sip::SipHasher13>>("SIPHASH-1-3", "siphasher", 16),
        mac::<SipHash<siphasher::sip128::SipHasher24>>("SIPHASH128-2-4", "siphasher", 16),
        mac::<Kmac<168>>("KMAC128", "cshake", 32),
        mac::<Kmac<136>>("KMAC256", "cshake", 32),
        mac::<Cloned<Blake2bMac512>>("BLAKE2B_KEYED_512", "blake2", 64),
        mac::<Cloned<Blake2sMac256>>("BLAKE2S_KEYED_256", "blake2", 32),
        mac::<Blake3>("BLAKE3_KEYED", "blake3", 32),
        mac::<Alone<ghash::GHash>>("GHASH", "ghash", 16),
        mac::<Alone<polyval::Polyval>>("POLYVAL", "polyval", 16),
        cmac::<aes::Aes192>("CMAC_AES192", "aes", 24),
        cmac::<aes::Aes256>("CMAC_AES256", "aes", 32),
        cmac::<magma::Magma>("CMAC_MAGMA", "magma", 32),
        cmac::<kuznyechik::Kuznyechik>("CMAC_KUZNYECHIK", "kuznyechik", 32),
        gmac::<aes::Aes192>("GMAC_AES192", "aes", 24),
        gmac::<aes::Aes256>("GMAC_AES256", "aes", 32),
        mac::<Reset<cbc_mac::CbcMac<aes::Aes128>>>("CBC-MAC_AES", "cbc-mac", 16),
        mac::<Reset<pmac::Pmac<aes::Aes128>>>("PMAC_AES", "pmac", 16),
        mac::<Leading<8, Reset<belt_mac::BeltMac>>>("BELT-MAC", "belt-mac", 32),
        // No standard and no use: what --asymptote has to call quadratic.
        mac::<QuadraticPolynomial>("DEMO-QUADRATIC", "bench-slope-algorithms", 4).slow(),
    ]
}

/// A line of the table. `key_bytes` are what timing uses; what other lengths there are is up to
/// the algorithm.
fn mac<K: Keyed>(algorithm: &'static str, package: &'static str, key_bytes: usize) -> Entry {
    let open = |setup: &Setup, _: Operation| {
        expect_bytes("nonce", K::NONCE_BYTES, setup.nonce.len())?;
        if !K::EXTENDABLE {
            expect_bytes("tag", K::TAG_BYTES, setup.output_bytes)?;
        }
        let routine: Box<dyn Routine> = Box::new(MacRoutine {
            keyed: K::new(&setup.key, &setup.aad)?,
            nonce: setup.nonce.clone(),
            message: Buffer::new(&setup.input, setup.placement),
            size: 0,
            tag: vec![0; setup.output_bytes],
        });
        Ok(routine)
    };
    Entry {
        section: Section::Mac,
        provider: NAME,
        package,
        algorithm,
        mode: "",
        aliases: &[],
        operations: &[Operation::Authenticate],
        output_bytes: K::TAG_BYTES,
        extendable: K::EXTENDABLE,
        slow: false,
        key_bytes,
        nonce_bytes: K::NONCE_BYTES,
        axis: Axis::Bytes,
        lengths: Lengths::All,
        known_as: None,
        open: Arc::new(open),
    }
}

/// HMAC (RFC 2104) of a hash that shows its blocks; timed with a key as long as its output.
fn hmac<D: EagerHash + 'static>(algorithm: &'static str, package: &'static str) -> Entry {
    mac::<Cloned<Hmac<D>>>(algorithm, package, <D as Digest>::output_size())
}

/// HMAC of any other hash.
fn ready_hmac<D>(algorithm: &'static str, package: &'static str) -> Entry
where
    D: Digest + BlockSizeUser + Clone + 'static,
{
    mac::<Cloned<ReadyHmac<D>>>(algorithm, package, <D as Digest>::output_size())
}

/// CMAC (SP 800-38B).
fn cmac<C>(algorithm: &'static str, package: &'static str, key_bytes: usize) -> Entry
where
    C: CmacCipher + KeyInit + 'static,
{
    mac::<Reset<Cmac<C>>>(algorithm, package, key_bytes)
}

/// GMAC (SP 800-38D) with a nonce of 12 bytes.
fn gmac<C>(algorithm: &'static str, package: &'static str, key_bytes: usize) -> Entry
where
    C: BlockCipherEncrypt<BlockSize = U16> + KeyInit + 'static,
{
    mac::<Gmac<C>>(algorithm, package, key_bytes)
}

/// Poly1305 with its second half of key from a cipher of a nonce, the first being fixed.
fn poly1305<C>(algorithm: &'static str) -> Entry
where
    C: BlockCipherEncrypt<BlockSize = U16> + KeyInit + 'static,
{
    mac::<Poly1305With<C>>(algorithm, "poly1305", 32)
}

/// The one routine of this section: the key is set up when it is opened, a run takes the nonce and
/// the message and makes the tag.
struct MacRoutine<K> {
    keyed: K,
    nonce: Vec<u8>,
    message: Buffer,
    size: usize,
    tag: Vec<u8>,
}

impl<K: Keyed> Routine for MacRoutine<K> {
    fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
        self.message.check(size)?;
        self.size = size;
        Ok(())
    }

    #[inline]
    fn run(&mut self) {
        self.keyed.tag(&self.nonce, self.message.first(self.size), &mut self.tag);
    }

    fn output(&self) -> &[u8] {
        &self.tag
    }
}
