//! Modes that authenticate: the crates that implement one whole, and the two of which the crates
//! make the key schedule anew with each message or know one block size only. Those are put
//! together here from the parts those crates use.

use aead::AeadInOut;
use aead::inout::InOutBuf;
use cipher::array::{Array, ArraySize};
use cipher::common::InnerInit;
use cipher::consts::U16;
use cipher::{Block, BlockSizeUser};
use cmac::{Cmac, Mac};
use dbl::Dbl;

use super::authenticated::Authenticated;
use super::block::{BlockCipher, array, count};

/// A crate's own mode under its key.
pub struct Whole<A>(pub A);

impl<A: AeadInOut> Authenticated for Whole<A> {
    fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &mut [u8]) -> bool {
        match self.0.encrypt_inout_detached(array(nonce), aad, data.into()) {
            Ok(right) => {
                tag.copy_from_slice(&right);
                true
            }
            Err(_) => false,
        }
    }

    fn open(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], opened: &mut [u8], tag: &[u8]) -> bool {
        InOutBuf::new(sealed, opened).is_ok_and(|data| {
            self.0.decrypt_inout_detached(array(nonce), aad, data, array(tag)).is_ok()
        })
    }
}

/// What EAX is made of.
pub trait EaxParts {
    /// Bytes of block, nonce and tag.
    type Size: ArraySize;

    /// The OMAC of `data` behind a block that ends in `kind`.
    fn omac(&self, kind: u8, data: &[u8]) -> Array<u8, Self::Size>;

    /// Counter mode from a first counter block.
    fn count(&self, first: &Array<u8, Self::Size>, data: InOutBuf<'_, '_, u8>);
}

impl<C: BlockCipher> EaxParts for C
where
    Block<C>: Dbl,
{
    type Size = C::BlockSize;

    fn omac(&self, kind: u8, data: &[u8]) -> Block<C> {
        let mut first = Block::<C>::default();
        if let Some(last) = first.last_mut() {
            *last = kind;
        }
        let omac = Cmac::<&C>::inner_init(self).chain_update(&first).chain_update(data);
        omac.finalize().into_bytes()
    }

    fn count(&self, first: &Block<C>, data: InOutBuf<'_, '_, u8>) {
        count(self, first, data);
    }
}

/// EAX (Bellare, Rogaway, Wagner 2004) with a nonce and a tag of one block. The crate `eax` makes
/// four key schedules a message, and knows blocks of 16 bytes only.
pub struct Eax<P>(pub P);

impl<P: EaxParts> Eax<P> {
    fn tag(&self, nonce: &Array<u8, P::Size>, aad: &[u8], ciphertext: &[u8]) -> Array<u8, P::Size> {
        let (header, data) = (self.0.omac(1, aad), self.0.omac(2, ciphertext));
        Array::from_fn(|i| nonce[i] ^ header[i] ^ data[i])
    }
}

impl<P: EaxParts> Authenticated for Eax<P> {
    fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &mut [u8]) -> bool {
        let first = self.0.omac(0, nonce);
        self.0.count(&first, data.into());
        tag.copy_from_slice(&self.tag(&first, aad, data));
        true
    }

    fn open(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], opened: &mut [u8], tag: &[u8]) -> bool {
        let first = self.0.omac(0, nonce);
        let Ok(data) = InOutBuf::new(sealed, opened) else { return false };
        if !equal(&self.tag(&first, aad, sealed), tag) {
            return false;
        }
        self.0.count(&first, data);
        true
    }
}

/// SIV (RFC 5297): a cipher for S2V and one for the data. The nonce is the last component behind
/// the authenticated data, and either is no component when it is empty. The crate `aes-siv` makes
/// a key schedule a message.
pub struct Siv<C> {
    /// The cipher of S2V.
    pub mac: C,
    /// The cipher of the counter mode.
    pub data: C,
}

impl<C: BlockCipher + BlockSizeUser<BlockSize = U16>> Siv<C> {
    fn cmac(&self) -> Cmac<&C> {
        Cmac::inner_init(&self.mac)
    }

    fn s2v(&self, components: [&[u8]; 2], message: &[u8]) -> Block<C> {
        let mut sum = self.cmac().chain_update(Block::<C>::default()).finalize().into_bytes();
        for component in components.into_iter().filter(|component| !component.is_empty()) {
            sum = sum.dbl();
            xor(&mut sum, &self.cmac().chain_update(component).finalize().into_bytes());
        }
        let mut cmac = self.cmac();
        match message.split_last_chunk::<16>() {
            Some((head, tail)) => {
                cmac.update(head);
                xor(&mut sum, tail);
            }
            None => {
                sum = sum.dbl();
                xor(&mut sum, message);
                sum[message.len()] ^= 0x80;
            }
        }
        cmac.update(&sum);
        cmac.finalize().into_bytes()
    }

    /// The data's counter mode, which starts from the synthetic nonce with two bits cleared.
    fn count(&self, tag: &Block<C>, data: InOutBuf<'_, '_, u8>) {
        let mut first = *tag;
        first[8] &= 0x7f;
        first[12] &= 0x7f;
        count(&self.data, &first, data);
    }
}

impl<C: BlockCipher + BlockSizeUser<BlockSize = U16>> Authenticated for Siv<C> {
    fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &mut [u8]) -> bool {
        let synthetic = self.s2v([aad, nonce], data);
        self.count(&synthetic, data.into());
        tag.copy_from_slice(&synthetic);
        true
    }

    fn open(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], opened: &mut [u8], tag: &[u8]) -> bool {
        let Ok(data) = InOutBuf::new(sealed, &mut *opened) else { return false };
        self.count(array(tag), data);
        equal(&self.s2v([aad, nonce], opened), tag)
    }
}

fn xor(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to ^= from;
    }
}

/// Whether two tags are the same, in a time that does not tell where they differ.
fn equal(a: &[u8], b: &[u8]) -> bool {
    let difference = a.iter().zip(b).fold(0, |sum, (a, b)| sum | (a ^ b));
    a.len() == b.len() && std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use aead::consts::U12;
    use cipher::KeyInit;

    use super::*;
    use crate::rustcrypto::adapter::Gost28147;
    use crate::rustcrypto::cipher::mesh::MeshedParts;

    /// Nothing but the message as it was sealed is opened.
    fn rejects(name: &str, mode: &dyn Authenticated, nonce_bytes: usize, tag_bytes: usize) {
        let (nonce, aad, plaintext) = (vec![7; nonce_bytes], [5; 19], [3; 45]);
        let (mut sealed, mut tag) = (plaintext, vec![0; tag_bytes]);
        assert!(mode.seal(&nonce, &aad, &mut sealed, &mut tag), "{name}");
        let opens = |nonce: &[u8], aad: &[u8], sealed: &[u8], tag: &[u8]| {
            let mut opened = vec![0; sealed.len()];
            mode.open(nonce, aad, sealed, &mut opened, tag).then_some(opened)
        };
        assert_eq!(opens(&nonce, &aad, &sealed, &tag).as_deref(), Some(&plaintext[..]), "{name}");
        let flipped = |bytes: &[u8], at: usize| {
            let mut bytes = bytes.to_vec();
            bytes[at] ^= 0x10;
            bytes
        };
        for at in 0..tag_bytes {
            assert_eq!(opens(&nonce, &aad, &sealed, &flipped(&tag, at)), None, "{name}, tag {at}");
        }
        for at in [0, 15, 16, 44] {
            assert_eq!(opens(&nonce, &aad, &flipped(&sealed, at), &tag), None, "{name}, data {at}");
        }
        assert_eq!(opens(&flipped(&nonce, 3), &aad, &sealed, &tag), None, "{name}, nonce");
        assert_eq!(opens(&nonce, &flipped(&aad, 18), &sealed, &tag), None, "{name}, aad");
        assert_eq!(opens(&nonce, &aad[..18], &sealed, &tag), None, "{name}, shorter aad");
    }

    #[test]
    fn what_was_tampered_with_is_rejected() {
        fn keyed<C: KeyInit>() -> C {
            C::new_from_slice(&message_bytes(C::key_size(), 1)).expect("its own key size")
        }
        use crate::routine::message_bytes;
        use aes::{Aes128, Aes192};
        rejects("CCM", &Whole(keyed::<ccm::Ccm<Aes128, U16, U12>>()), 12, 16);
        rejects("GCM", &Whole(keyed::<aes_gcm::AesGcm<Aes128, U12>>()), 12, 16);
        rejects("OCB", &Whole(keyed::<ocb3::Ocb3<Aes128>>()), 12, 16);
        rejects("GCM-SIV", &Whole(keyed::<aes_gcm_siv::AesGcmSiv<Aes128>>()), 12, 16);
        rejects("POLY1305", &Whole(keyed::<chacha20poly1305::ChaCha20Poly1305>()), 12, 16);
        rejects("EAX of 16", &Eax(keyed::<Aes192>()), 16, 16);
        rejects("EAX of 8", &Eax(keyed::<idea::Idea>()), 8, 8);
        rejects("EAX, meshed", &Eax(MeshedParts(keyed::<Gost28147>())), 8, 8);
        rejects("SIV", &Siv { mac: keyed::<Aes128>(), data: keyed::<Aes128>() }, 16, 16);
    }
}
