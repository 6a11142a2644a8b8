//! What a line of the table stands for: the modes of a cipher, each an entry of the catalogue.

use ::aead::consts::U12;
use ::aead::{AeadCore, AeadInOut};
use aes_gcm::AesGcm;
use aes_gcm_siv::AesGcmSiv;
use ccm::Ccm;
use cipher::consts::{U8, U16};
use cipher::typenum::Unsigned;
use cipher::{BlockSizeUser, KeyInit, KeyIvInit, KeySizeUser, StreamCipher};
use ocb3::Ocb3;

use super::aead::{Eax, EaxParts, Siv, Whole};
use super::authenticated::Authenticated;
use super::block::{BlockCipher, Cbc, Cfb, CodebookCipher, Ctr, Ecb, Ofb, Xts, schedule};
use super::mesh::{self, Meshed, MeshedParts, Steps};
use super::names::{MakeAuthenticated, Names, Sizes};
use super::routine::Plain;
use super::stream::{Arcfour, Stream};
use crate::entry::Entry;
use crate::lengths::Lengths;
use crate::routine::OpenError;
use crate::rustcrypto::adapter::Gost28147;

/// The five modes of SP 800-38A.
fn confidentiality<C: BlockCipher>(names: Names) -> Vec<Entry> {
    let block = C::BlockSize::USIZE;
    let sizes = Sizes::new(C::KeySize::USIZE, block);
    let whole = Lengths::Blocks(block);
    vec![
        ecb::<C>(names),
        names.plain("CBC", sizes, whole, |key| Ok(Box::new(Cbc(schedule::<C>(key)?)))),
        names.plain("CFB", sizes, Lengths::All, |key| Ok(Box::new(Cfb(schedule::<C>(key)?)))),
        names.plain("OFB", sizes, Lengths::All, |key| Ok(Box::new(Ofb(schedule::<C>(key)?)))),
        ctr::<C>(names),
    ]
}

fn ctr<C: BlockCipher>(names: Names) -> Entry {
    let sizes = Sizes::new(C::KeySize::USIZE, C::BlockSize::USIZE);
    names.plain("CTR", sizes, Lengths::All, |key| Ok(Box::new(Ctr(schedule::<C>(key)?))))
}

fn ecb<C: CodebookCipher>(names: Names) -> Entry {
    let sizes = Sizes::new(C::KeySize::USIZE, 0);
    let whole = Lengths::Blocks(C::BlockSize::USIZE);
    names.plain("ECB", sizes, whole, |key| Ok(Box::new(Ecb(schedule::<C>(key)?))))
}

fn eax<P: EaxParts + 'static>(names: Names, key_bytes: usize, make: MakeAuthenticated) -> Entry {
    let block = P::Size::USIZE;
    names.authenticated("EAX", Sizes::new(key_bytes, block), block, make)
}

/// A mode that a crate has whole.
fn whole<A: AeadInOut + KeyInit + 'static>(names: Names, mode: &'static str) -> Entry {
    let sizes = Sizes::new(A::KeySize::USIZE, A::NonceSize::USIZE);
    let make: MakeAuthenticated = |key| Ok(Box::new(Whole(schedule::<A>(key)?)));
    names.authenticated(mode, sizes, <A as AeadCore>::TagSize::USIZE, make)
}

/// A cipher with blocks of 8 bytes, in all their modes.
pub fn blocks_of_8<C: BlockCipher + BlockSizeUser<BlockSize = U8>>(names: Names) -> Vec<Entry> {
    let mut entries = confidentiality::<C>(names);
    entries.push(eax::<C>(names, C::KeySize::USIZE, |key| Ok(Box::new(Eax(schedule::<C>(key)?)))));
    entries
}

/// A cipher with blocks of 16 bytes, in all their modes.
pub fn blocks_of_16<C: BlockCipher + BlockSizeUser<BlockSize = U16>>(names: Names) -> Vec<Entry> {
    let key_bytes = C::KeySize::USIZE;
    let xts = |key: &[u8]| {
        let (data, tweak) = two_schedules::<C>(key)?;
        let (_, again) = two_schedules::<C>(key)?;
        Ok(Box::new(Xts::new(data, tweak, again)) as Box<dyn Plain>)
    };
    let siv = |key: &[u8]| {
        let (mac, data) = two_schedules::<C>(key)?;
        Ok(Box::new(Siv { mac, data }) as Box<dyn Authenticated>)
    };
    let doubled = Sizes::new(2 * key_bytes, 16);
    let mut entries = confidentiality::<C>(names);
    entries.extend([
        names.plain("XTS", doubled, Lengths::ZeroOrFrom(16), xts),
        // With a nonce of 12 bytes the length has 3 (SP 800-38C, A.1).
        Entry { lengths: Lengths::UpTo((1 << 24) - 1), ..whole::<Ccm<C, U16, U12>>(names, "CCM") },
        eax::<C>(names, key_bytes, |key| Ok(Box::new(Eax(schedule::<C>(key)?)))),
        whole::<AesGcm<C, U12>>(names, "GCM"),
        whole::<Ocb3<C>>(names, "OCB"),
        names.authenticated("SIV", Sizes { any_nonce: true, ..doubled }, 16, siv),
    ]);
    // RFC 8452 derives keys of 16 or of 32 bytes.
    if const { matches!(<C as KeySizeUser>::KeySize::USIZE, 16 | 32) } {
        entries.push(whole::<AesGcmSiv<C>>(names, "GCM-SIV"));
    }
    entries
}

/// The key schedules of a key and of the one behind it.
fn two_schedules<C: KeyInit>(key: &[u8]) -> Result<(C, C), OpenError> {
    let (first, second) = key.split_at(key.len() / 2);
    Ok((schedule(first)?, schedule(second)?))
}

/// A block cipher by itself.
pub fn codebook<C: CodebookCipher>(names: Names) -> Vec<Entry> {
    vec![ecb::<C>(names)]
}

/// A block cipher in the two modes that its standard and the crates have alike.
pub fn codebook_and_counter<C: BlockCipher>(names: Names) -> Vec<Entry> {
    vec![ecb::<C>(names), ctr::<C>(names)]
}

/// A stream cipher with a nonce.
pub fn stream<S: KeyIvInit + StreamCipher + 'static>(names: Names) -> Vec<Entry> {
    vec![keystream::<S>(names, "STREAM")]
}

/// A counter mode that is a cipher of its own.
pub fn counter_of<S: KeyIvInit + StreamCipher + 'static>(names: Names) -> Vec<Entry> {
    vec![keystream::<S>(names, "CTR")]
}

fn keystream<S: KeyIvInit + StreamCipher + 'static>(names: Names, mode: &'static str) -> Entry {
    let sizes = Sizes::new(S::KeySize::USIZE, S::IvSize::USIZE);
    names.plain(mode, sizes, Lengths::All, |key| Ok(Box::new(Stream::<S>::new(key))))
}

/// RC4.
pub fn arcfour(names: Names) -> Vec<Entry> {
    let sizes = Sizes::new(16, 0);
    vec![names.plain("STREAM", sizes, Lengths::All, |key| Ok(Box::new(Arcfour::new(key)?)))]
}

/// One mode that authenticates.
pub fn only<A: AeadInOut + KeyInit + 'static>(names: Names, mode: &'static str) -> Vec<Entry> {
    vec![whole::<A>(names, mode)]
}

/// GOST 28147-89 with its keys meshed.
pub fn gost_meshed(names: Names) -> Vec<Entry> {
    fn meshed(key: &[u8], steps: Steps) -> Result<Box<dyn Plain>, OpenError> {
        Ok(Box::new(Meshed { cipher: schedule::<Gost28147>(key)?, steps }))
    }
    let (without, with) = (Sizes::new(32, 0), Sizes::new(32, 8));
    let whole = Lengths::Blocks(8);
    vec![
        names.plain("ECB", without, whole, |key| meshed(key, mesh::ECB)),
        names.plain("CBC", with, whole, |key| meshed(key, mesh::CBC)),
        names.plain("CFB", with, Lengths::All, |key| meshed(key, mesh::CFB)),
        names.plain("OFB", with, Lengths::All, |key| meshed(key, mesh::OFB)),
        names.plain("CTR", with, Lengths::All, |key| meshed(key, mesh::CTR)),
        eax::<MeshedParts>(names, 32, |key| Ok(Box::new(Eax(MeshedParts(schedule(key)?))))),
    ]
}
