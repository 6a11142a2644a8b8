//! Hash functions, extendable-output functions and checksums.

use std::sync::Arc;

use digest::consts::{U16, U20, U28, U32, U48};
use digest::{Digest, ExtendableOutput, Update, XofReader};

use super::NAME;
use crate::entry::{Axis, Entry, Operation, Section};
use crate::lengths::Lengths;
use crate::routine::{Buffer, OpenError, Routine, Setup, expect_bytes};

/// All of `message` in, the digest out; the key is empty for all but keyed hashes.
type HashFunction = fn(key: &[u8], message: &[u8], output: &mut [u8]);

/// libgcrypt's hashes in its order, then what else people hash with.
pub fn entries() -> Vec<Entry> {
    vec![
        hash::<md5::Md5>("MD5", "md-5"),
        hash::<sha1::Sha1>("SHA1", "sha1").also(&["SHA"]),
        hash::<ripemd::Ripemd160>("RIPEMD160", "ripemd").also(&["RMD160"]),
        function("TIGER192", "tiger", 24, tiger192),
        hash::<sha2::Sha256>("SHA256", "sha2").also(&["SHA2-256"]),
        hash::<sha2::Sha384>("SHA384", "sha2").also(&["SHA2-384"]),
        hash::<sha2::Sha512>("SHA512", "sha2").also(&["SHA2-512"]),
        hash::<sha2::Sha224>("SHA224", "sha2").also(&["SHA2-224"]),
        hash::<md4::Md4>("MD4", "md4"),
        function("CRC32", "crc32fast", 4, crc32),
        function("CRC32RFC1510", "crc32fast", 4, crc32_rfc1510),
        function("CRC24RFC2440", "crc", 3, crc24_rfc2440).also(&["CRC24"]),
        hash::<whirlpool::Whirlpool>("WHIRLPOOL", "whirlpool"),
        hash::<tiger::Tiger>("TIGER", "tiger"),
        hash::<tiger::Tiger2>("TIGER2", "tiger"),
        hash::<gost94::Gost94Test>("GOSTR3411_94", "gost94").also(&["GOST94"]),
        hash::<streebog::Streebog256>("STRIBOG256", "streebog").also(&["STREEBOG256"]),
        hash::<streebog::Streebog512>("STRIBOG512", "streebog").also(&["STREEBOG512"]),
        hash::<gost94::Gost94CryptoPro>("GOSTR3411_CP", "gost94"),
        hash::<sha3::Sha3_224>("SHA3-224", "sha3"),
        hash::<sha3::Sha3_256>("SHA3-256", "sha3"),
        hash::<sha3::Sha3_384>("SHA3-384", "sha3"),
        hash::<sha3::Sha3_512>("SHA3-512", "sha3"),
        xof::<shake::Shake128>("SHAKE128", "shake", 32),
        xof::<shake::Shake256>("SHAKE256", "shake", 64),
        hash::<blake2::Blake2b512>("BLAKE2B_512", "blake2").also(&["BLAKE2B"]),
        hash::<blake2::Blake2b<U48>>("BLAKE2B_384", "blake2"),
        hash::<blake2::Blake2b<U32>>("BLAKE2B_256", "blake2"),
        hash::<blake2::Blake2b<U20>>("BLAKE2B_160", "blake2"),
        hash::<blake2::Blake2s256>("BLAKE2S_256", "blake2").also(&["BLAKE2S"]),
        hash::<blake2::Blake2s<U28>>("BLAKE2S_224", "blake2"),
        hash::<blake2::Blake2s<U20>>("BLAKE2S_160", "blake2"),
        hash::<blake2::Blake2s<U16>>("BLAKE2S_128", "blake2"),
        hash::<sm3::Sm3>("SM3", "sm3"),
        hash::<sha2::Sha512_256>("SHA512_256", "sha2"),
        hash::<sha2::Sha512_224>("SHA512_224", "sha2"),
        // Beyond libgcrypt.
        function("BLAKE3", "blake3", 32, blake3_hash),
        function("SHA256D", "sha2", 32, sha256d).also(&["HASH256"]),
        keyed("SIPHASH-2-4", "siphasher", 16, 8, siphash24).also(&["SIPHASH"]),
        xof::<k12::Kt128>("KT128", "k12", 32).also(&["KANGAROOTWELVE", "K12"]),
        xof::<k12::Kt256>("KT256", "k12", 64),
        xof::<turboshake::TurboShake128>("TURBOSHAKE128", "turboshake", 32),
        xof::<turboshake::TurboShake256>("TURBOSHAKE256", "turboshake", 64),
        hash::<sha3::Keccak256>("KECCAK256", "sha3"),
        hash::<sha3::Keccak512>("KECCAK512", "sha3"),
        hash::<ascon_hash256::AsconHash256>("ASCON-HASH256", "ascon-hash256"),
        xof::<ascon_xof128::AsconXof128>("ASCON-XOF128", "ascon-xof128", 32),
        hash::<skein::Skein256_256>("SKEIN256_256", "skein"),
        hash::<skein::Skein512_256>("SKEIN512_256", "skein"),
        hash::<skein::Skein512_512>("SKEIN512_512", "skein").also(&["SKEIN"]),
        hash::<skein::Skein1024_1024>("SKEIN1024_1024", "skein"),
        hash::<groestl::Groestl256>("GROESTL256", "groestl").also(&["GRØSTL256"]),
        hash::<groestl::Groestl512>("GROESTL512", "groestl").also(&["GRØSTL512"]),
        hash::<jh::Jh256>("JH256", "jh"),
        hash::<jh::Jh512>("JH512", "jh"),
        hash::<belt_hash::BeltHash>("BELT-HASH", "belt-hash").also(&["BELT"]),
        hash::<bash_hash::BashHash256>("BASH256", "bash-hash"),
        hash::<bash_hash::BashHash384>("BASH384", "bash-hash"),
        hash::<bash_hash::BashHash512>("BASH512", "bash-hash"),
        hash::<kupyna::Kupyna256>("KUPYNA256", "kupyna"),
        hash::<kupyna::Kupyna512>("KUPYNA512", "kupyna"),
        hash::<shabal::Shabal256>("SHABAL256", "shabal"),
        hash::<shabal::Shabal512>("SHABAL512", "shabal"),
        hash::<fsb::Fsb256>("FSB256", "fsb").slow(),
        hash::<fsb::Fsb512>("FSB512", "fsb").slow(),
        hash::<ripemd::Ripemd128>("RIPEMD128", "ripemd").also(&["RMD128"]),
        hash::<ripemd::Ripemd256>("RIPEMD256", "ripemd").also(&["RMD256"]),
        hash::<ripemd::Ripemd320>("RIPEMD320", "ripemd").also(&["RMD320"]),
        hash::<md2::Md2>("MD2", "md2").slow(),
    ]
}

/// A line of the table.
struct Line {
    algorithm: &'static str,
    package: &'static str,
    key_bytes: usize,
    output_bytes: usize,
    extendable: bool,
    function: HashFunction,
}

impl Line {
    fn entry(self) -> Entry {
        let Line { algorithm, package, key_bytes, output_bytes, extendable, function } = self;
        let open = move |setup: &Setup, _: Operation| {
            expect_bytes("key", key_bytes, setup.key.len())?;
            if !extendable {
                expect_bytes("output", output_bytes, setup.output_bytes)?;
            }
            let routine: Box<dyn Routine> = Box::new(HashRoutine {
                function,
                key: setup.key.clone(),
                message: Buffer::new(&setup.input, setup.placement),
                size: 0,
                output: vec![0; setup.output_bytes],
            });
            Ok(routine)
        };
        Entry {
            section: Section::Hash,
            provider: NAME,
            package,
            algorithm,
            mode: "",
            aliases: &[],
            operations: &[Operation::Digest],
            output_bytes,
            extendable,
            slow: false,
            key_bytes,
            nonce_bytes: 0,
            axis: Axis::Bytes,
            lengths: Lengths::All,
            known_as: None,
            open: Arc::new(open),
        }
    }
}

fn keyed(
    algorithm: &'static str,
    package: &'static str,
    key_bytes: usize,
    output_bytes: usize,
    function: HashFunction,
) -> Entry {
    Line { algorithm, package, key_bytes, output_bytes, extendable: false, function }.entry()
}

fn function(
    algorithm: &'static str,
    package: &'static str,
    output_bytes: usize,
    function: HashFunction,
) -> Entry {
    keyed(algorithm, package, 0, output_bytes, function)
}

fn hash<D: Digest>(algorithm: &'static str, package: &'static str) -> Entry {
    function(algorithm, package, <D as Digest>::output_size(), |_, message, output| {
        output.copy_from_slice(&D::digest(message));
    })
}

fn xof<X: ExtendableOutput + Update + Default>(
    algorithm: &'static str,
    package: &'static str,
    output_bytes: usize,
) -> Entry {
    let function: HashFunction = |_, message, output| {
        let mut state = X::default();
        state.update(message);
        state.finalize_xof().read(output);
    };
    Line { algorithm, package, key_bytes: 0, output_bytes, extendable: true, function }.entry()
}

/// TIGER with the bytes of each output word reversed: libgcrypt's first, big-endian reading of
/// the specification, which GnuPG 1.0 used.
fn tiger192(_: &[u8], message: &[u8], output: &mut [u8]) {
    output.copy_from_slice(&tiger::Tiger::digest(message));
    for word in output.chunks_exact_mut(8) {
        word.reverse();
    }
}

/// CRC-32 of ISO 3309 and ITU-T V.42.
fn crc32(_: &[u8], message: &[u8], output: &mut [u8]) {
    output.copy_from_slice(&crc32fast::hash(message).to_be_bytes());
}

/// The same polynomial with initial value and final exclusive-or zero (RFC 1510, 6.4.1). The crate
/// inverts its state before and after, so inverting twice more takes both away.
fn crc32_rfc1510(_: &[u8], message: &[u8], output: &mut [u8]) {
    let mut state = crc32fast::Hasher::new_with_initial(!0);
    state.update(message);
    output.copy_from_slice(&(!state.finalize()).to_be_bytes());
}

/// CRC-24 of OpenPGP (RFC 2440, 6.1), by tables of 16 bytes at a time.
fn crc24_rfc2440(_: &[u8], message: &[u8], output: &mut [u8]) {
    const CRC24: crc::Crc<u32, crc::Table<16>> =
        crc::Crc::<u32, crc::Table<16>>::new(&crc::CRC_24_OPENPGP);
    static TABLES: crc::Crc<u32, crc::Table<16>> = CRC24;
    output.copy_from_slice(&TABLES.checksum(message).to_be_bytes()[1..]);
}

fn blake3_hash(_: &[u8], message: &[u8], output: &mut [u8]) {
    output.copy_from_slice(blake3::hash(message).as_bytes());
}

/// SHA-256 of the SHA-256: what Bitcoin calls a hash.
pub fn sha256d(_: &[u8], message: &[u8], output: &mut [u8]) {
    output.copy_from_slice(&sha2::Sha256::digest(sha2::Sha256::digest(message)));
}

fn siphash24(key: &[u8], message: &[u8], output: &mut [u8]) {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(key);
    let hash = siphasher::sip::SipHasher24::new_with_key(&bytes).hash(message);
    output.copy_from_slice(&hash.to_le_bytes());
}

/// The one routine of this section: message in, digest out, a fresh state each call.
struct HashRoutine {
    function: HashFunction,
    key: Vec<u8>,
    message: Buffer,
    size: usize,
    output: Vec<u8>,
}

impl Routine for HashRoutine {
    fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
        self.message.check(size)?;
        self.size = size;
        Ok(())
    }

    #[inline]
    fn run(&mut self) {
        (self.function)(&self.key, self.message.first(self.size), &mut self.output);
    }

    fn output(&self) -> &[u8] {
        &self.output
    }
}
