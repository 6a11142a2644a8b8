//! What the catalogue's wiring costs: routines against the crates called in a loop by hand, on
//! messages of 4 KiB. Run on a quiet machine: `cargo bench --bench wiring`.
//!
//! Both sides take turns in every round and each keeps its best round, so that what disturbs the
//! machine disturbs neither.

use std::hint::black_box;
use std::time::Instant;

use aead::AeadInOut;
use aes::Aes128;
use bench_slope_algorithms::{Buffer, Case, Catalogue, Operation, Placement, Section};
use cipher::array::Array;
use cipher::common::InnerInit;
use cipher::consts::{U12, U16};
use cipher::{
    BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, KeyInit, KeyIvInit, StreamCipher,
    StreamCipherCoreWrapper,
};

const BYTES: usize = 4096;
const ROUNDS: usize = 400;
/// Calls of a round; with AES-NI some 50 microseconds at least.
const CALLS: u32 = 100;

type Blocks<'a> = &'a mut [Array<u8, U16>];

/// A crate called by hand, on a message that it changes in place.
type Direct = Box<dyn FnMut(&mut [u8], u32)>;

/// A loop written out, so that nothing stands between it and the crate.
fn looped(mut call: impl FnMut(&mut [u8]) + 'static) -> Direct {
    Box::new(move |message, calls| {
        for _ in 0..calls {
            call(black_box(message));
        }
    })
}

fn blocks(message: &mut [u8]) -> Blocks<'_> {
    Array::slice_as_chunks_mut(message).0
}

/// No authenticated data, of which the compiler must not know: it would leave the code for them out,
/// as it cannot for an application that has some.
fn nothing() -> &'static [u8] {
    black_box(&[])
}

/// Encryption by a crate's whole mode; decryption is of a valid ciphertext that stays.
fn whole<A: AeadInOut + KeyInit + 'static>(operation: Operation, place: &Buffer) -> Direct {
    let mode = A::new(&Array::default());
    let nonce = aead::Nonce::<A>::default();
    if operation == Operation::Encrypt {
        return looped(move |message| {
            let _ = black_box(mode.encrypt_inout_detached(&nonce, nothing(), message.into()));
        });
    }
    let mut sealed = Buffer::congruent(BYTES, place);
    let tag = mode.encrypt_inout_detached(&nonce, &[], sealed.first_mut(BYTES).into());
    let tag = tag.expect("the message is short enough");
    looped(move |message| {
        let data = aead::inout::InOutBuf::new(black_box(sealed.first(BYTES)), message);
        let data = data.expect("both are as long");
        mode.decrypt_inout_detached(&nonce, nothing(), data, &tag).expect("the tag is right");
    })
}

fn direct(algorithm: &str, mode: &str, operation: Operation, place: &Buffer) -> Direct {
    let aes = Aes128::new(&Array::default());
    let iv = Array::default();
    match (algorithm, mode, operation) {
        ("AES", "ECB", Operation::Encrypt) => {
            let mut mode = ecb::Encryptor::inner_init(aes);
            looped(move |message| mode.encrypt_blocks(blocks(message)))
        }
        ("AES", "ECB", _) => {
            let mut mode = ecb::Decryptor::inner_init(aes);
            looped(move |message| mode.decrypt_blocks(blocks(message)))
        }
        ("AES", "CBC", Operation::Encrypt) => looped(move |message| {
            cbc::Encryptor::inner_iv_init(&aes, black_box(&iv)).encrypt_blocks(blocks(message));
        }),
        ("AES", "CBC", _) => looped(move |message| {
            cbc::Decryptor::inner_iv_init(&aes, black_box(&iv)).decrypt_blocks(blocks(message));
        }),
        ("AES", "CFB", Operation::Encrypt) => looped(move |message| {
            cfb_mode::Encryptor::inner_iv_init(&aes, black_box(&iv)).encrypt(message);
        }),
        ("AES", "CFB", _) => looped(move |message| {
            cfb_mode::Decryptor::inner_iv_init(&aes, black_box(&iv)).decrypt(message);
        }),
        ("AES", "OFB", _) => looped(move |message| {
            let core = ofb::OfbCore::inner_iv_init(&aes, black_box(&iv));
            StreamCipherCoreWrapper::from_core(core).apply_keystream(message);
        }),
        ("AES", "CTR", _) => looped(move |message| {
            let core =
                ctr::CtrCore::<_, ctr::flavors::Ctr128BE>::inner_iv_init(&aes, black_box(&iv));
            StreamCipherCoreWrapper::from_core(core).apply_keystream(message);
        }),
        ("AES", "XTS", Operation::Encrypt) => {
            let mode = xts_mode::Xts128::new(aes.clone(), aes);
            looped(move |message| mode.encrypt_sector(message, black_box(iv)))
        }
        ("AES", "XTS", _) => {
            let mode = xts_mode::Xts128::new(aes.clone(), aes);
            looped(move |message| mode.decrypt_sector(message, black_box(iv)))
        }
        ("AES", "CCM", _) => whole::<ccm::Ccm<Aes128, U16, U12>>(operation, place),
        ("AES", "GCM", _) => whole::<aes_gcm::AesGcm<Aes128, U12>>(operation, place),
        ("AES", "OCB", _) => whole::<ocb3::Ocb3<Aes128>>(operation, place),
        ("AES", "GCM-SIV", _) => whole::<aes_gcm_siv::AesGcmSiv<Aes128>>(operation, place),
        ("CHACHA20", "POLY1305", _) => {
            whole::<chacha20poly1305::ChaCha20Poly1305>(operation, place)
        }
        ("CHACHA20", "STREAM", _) => looped(move |message| {
            let (key, nonce) = (Array::default(), Array::default());
            chacha20::ChaCha20::new(black_box(&key), black_box(&nonce)).apply_keystream(message);
        }),
        _ => panic!("{algorithm} {mode}: nothing to compare with"),
    }
}

/// The best nanoseconds per byte of the routine and of the crate by hand.
fn compare(case: &Case) -> (f64, f64) {
    let setup = case.timing_setup(Placement::default());
    let mut routine = case.open(&setup).expect("opens");
    // At the same place in memory as the routine's.
    let mut message = Buffer::new(&setup.input, setup.placement);
    let mut by_hand = direct(case.entry.algorithm, case.entry.mode, case.operation, &message);
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        routine.prepare(BYTES).expect("a whole number of blocks");
        let start = Instant::now();
        for _ in 0..CALLS {
            black_box(&mut routine).run();
        }
        best.0 = best.0.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        by_hand(message.first_mut(BYTES), CALLS);
        best.1 = best.1.min(start.elapsed().as_secs_f64());
    }
    let ns_per_byte = |seconds: f64| 1e9 * seconds / f64::from(CALLS) / BYTES as f64;
    (ns_per_byte(best.0), ns_per_byte(best.1))
}

fn main() {
    let catalogue = Catalogue::standard();
    println!("{:32} {:>12} {:>12} {:>7}", "", "routine ns/B", "by hand ns/B", "ratio");
    for word in ["aes", "chacha20"] {
        for entry in catalogue.find_all(Section::Cipher, word).expect("is there") {
            // EAX and SIV are put together here; no crate has them with the key schedule outside.
            if matches!(entry.mode, "EAX" | "SIV") {
                continue;
            }
            for operation in [Operation::Encrypt, Operation::Decrypt] {
                let case = entry.case(operation);
                let (routine, by_hand) = compare(&case);
                let ratio = routine / by_hand;
                println!("{:32} {routine:12.4} {by_hand:12.4} {ratio:7.3}", case.id());
            }
        }
    }
}
