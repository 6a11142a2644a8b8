//! Block ciphers in their modes, stream ciphers and authenticated encryption.
//!
//! The table is in libgcrypt's order, a line a cipher; what each line stands for is in `line`.

mod aead;
mod authenticated;
mod block;
mod line;
mod mesh;
mod names;
mod round_trip;
mod routine;
mod stream;

use aegis::compat::rustcrypto_traits_06::{Aegis128L, Aegis256};
use cipher::consts::{U16, U24, U32};

use self::aead::Whole;
use self::block::schedule;
use self::line::{
    arcfour, blocks_of_8, blocks_of_16, codebook, codebook_and_counter, counter_of, gost_meshed,
    only, stream,
};
use self::names::Names;
use self::round_trip::RoundTrip;
use crate::entry::Entry;
use crate::routine::{OpenError, Routine, Setup, expect_bytes};
use crate::rustcrypto::adapter::{Gost28147, Keyed, Rc2Of40Bits, Seed};

/// libgcrypt's ciphers in its order, then what else people encrypt with.
pub fn entries() -> Vec<Entry> {
    [
        blocks_of_8::<idea::Idea>(name("IDEA", "idea")),
        blocks_of_8::<des::TdesEde3>(name("3DES", "des").also(&["DES3", "TDES", "TRIPLEDES"])),
        blocks_of_8::<cast5::Cast5>(name("CAST5", "cast5").also(&["CAST-128"])),
        blocks_of_8::<Keyed<blowfish::Blowfish, U16>>(name("BLOWFISH", "blowfish")),
        blocks_of_16::<aes::Aes128>(name("AES", "aes").also(&["AES128", "RIJNDAEL"])),
        blocks_of_16::<aes::Aes192>(name("AES192", "aes").also(&["RIJNDAEL192"])),
        blocks_of_16::<aes::Aes256>(name("AES256", "aes").also(&["RIJNDAEL256"])),
        blocks_of_16::<Keyed<twofish::Twofish, U32>>(
            name("TWOFISH", "twofish").also(&["TWOFISH256"]),
        ),
        arcfour(name("ARCFOUR", "rc4").also(&["RC4", "ARC4"])),
        blocks_of_8::<des::Des>(name("DES", "des")),
        blocks_of_16::<Keyed<twofish::Twofish, U16>>(name("TWOFISH128", "twofish")),
        blocks_of_16::<Keyed<serpent::Serpent, U16>>(
            name("SERPENT128", "serpent").also(&["SERPENT"]),
        ),
        blocks_of_16::<Keyed<serpent::Serpent, U24>>(name("SERPENT192", "serpent")),
        blocks_of_16::<Keyed<serpent::Serpent, U32>>(name("SERPENT256", "serpent")),
        blocks_of_8::<Rc2Of40Bits>(name("RFC2268_40", "rc2").also(&["RC2_40"])),
        blocks_of_8::<Keyed<rc2::Rc2, U16>>(name("RFC2268_128", "rc2").also(&["RC2_128", "RC2"])),
        blocks_of_16::<Seed>(name("SEED", "bench-slope-algorithms")),
        blocks_of_16::<camellia::Camellia128>(name("CAMELLIA128", "camellia").also(&["CAMELLIA"])),
        blocks_of_16::<camellia::Camellia192>(name("CAMELLIA192", "camellia")),
        blocks_of_16::<camellia::Camellia256>(name("CAMELLIA256", "camellia")),
        stream::<salsa20::Salsa20>(name("SALSA20", "salsa20")),
        stream::<salsa20::Salsa12>(name("SALSA20R12", "salsa20").also(&["SALSA20_12"])),
        blocks_of_8::<Gost28147>(name("GOST28147", "magma").also(&["GOST89"])),
        stream::<chacha20::ChaCha20>(name("CHACHA20", "chacha20")),
        only::<chacha20poly1305::ChaCha20Poly1305>(
            name("CHACHA20", "chacha20poly1305"),
            "POLY1305",
        ),
        gost_meshed(name("GOST28147_MESH", "magma").also(&["GOST89_MESH"])),
        blocks_of_16::<sm4::Sm4>(name("SM4", "sm4").also(&["SMS4"])),
        blocks_of_16::<aria::Aria128>(name("ARIA128", "aria").also(&["ARIA"])),
        blocks_of_16::<aria::Aria192>(name("ARIA192", "aria")),
        blocks_of_16::<aria::Aria256>(name("ARIA256", "aria")),
        // Beyond libgcrypt.
        stream::<chacha20::ChaCha8>(name("CHACHA8", "chacha20")),
        stream::<chacha20::ChaCha12>(name("CHACHA12", "chacha20")),
        stream::<chacha20::XChaCha20>(name("XCHACHA20", "chacha20")),
        only::<chacha20poly1305::XChaCha20Poly1305>(
            name("XCHACHA20", "chacha20poly1305"),
            "POLY1305",
        ),
        stream::<rabbit::Rabbit>(name("RABBIT", "rabbit")),
        stream::<hc_256::Hc256>(name("HC-256", "hc-256")),
        codebook_and_counter::<kuznyechik::Kuznyechik>(
            name("KUZNYECHIK", "kuznyechik").also(&["GRASSHOPPER"]),
        ),
        codebook_and_counter::<magma::Magma>(name("MAGMA", "magma")),
        codebook::<belt_block::BeltBlock>(name("BELT", "belt-block")),
        counter_of::<belt_ctr::BeltCtr>(name("BELT", "belt-ctr")),
        codebook::<Keyed<cast6::Cast6, U32>>(name("CAST6", "cast6").also(&["CAST-256"])),
        codebook::<threefish::Threefish256>(name("THREEFISH256", "threefish")),
        codebook::<threefish::Threefish512>(name("THREEFISH512", "threefish")),
        only::<Aegis128L<16>>(name("AEGIS128L", "aegis"), "AEAD"),
        only::<Aegis256<16>>(name("AEGIS256", "aegis"), "AEAD"),
        only::<deoxys::DeoxysI128>(name("DEOXYS-I-128", "deoxys"), "AEAD"),
        only::<deoxys::DeoxysII128>(name("DEOXYS-II-128", "deoxys"), "AEAD"),
        only::<deoxys::DeoxysII256>(name("DEOXYS-II-256", "deoxys"), "AEAD"),
        only::<ascon_aead::AsconAead128>(
            name("ASCON-AEAD128", "ascon-aead").also(&["ASCON", "ASCON128"]),
            "AEAD",
        ),
    ]
    .concat()
}

/// ChaCha20-Poly1305 (RFC 8439), encryption with decryption in one call.
pub fn round_trip_chacha20_poly1305(setup: &Setup) -> Result<Box<dyn Routine>, OpenError> {
    expect_bytes("key", 32, setup.key.len())?;
    expect_bytes("nonce", 12, setup.nonce.len())?;
    let mode = Whole(schedule::<chacha20poly1305::ChaCha20Poly1305>(&setup.key)?);
    Ok(Box::new(RoundTrip::new(Box::new(mode), 16, setup)))
}

fn name(algorithm: &'static str, package: &'static str) -> Names {
    Names { algorithm, package, aliases: &[] }
}
