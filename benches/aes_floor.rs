//! Is the frequency right? AES-128 in CBC mode by an implementation at the floor, measured by the
//! program's own workers: an outside check of `--cpu-mhz auto`.
//!
//! Each block waits for the one before. The next message block and the first round key are folded into
//! the last round's key, so that nothing but ten rounds lies on the way from block to block: a byte
//! takes ten times the latency of a round over 16 cycles, 2.500 where a round takes four cycles (Zen 3
//! to 5) and 1.875 where it takes three (Intel since Ice Lake).

use std::process::ExitCode;

#[cfg(target_arch = "x86_64")]
mod floor {
    use std::process::ExitCode;
    use std::sync::Arc;

    use bench_slope::clock::machine_clock;
    use bench_slope::counters::{Absence, NoPmu};
    use bench_slope::group::{Machine, Plan, measure};
    use bench_slope::record::Measured;
    use bench_slope::run::run_here;
    use bench_slope::worker::{WORD, Workers};
    use bench_slope_algorithms::{
        Axis, Catalogue, Entry, Lengths, OpenError, Operation, Routine, Section, Setup,
    };

    use core::arch::x86_64::{
        __m128i, _mm_aesenc_si128, _mm_aesenclast_si128, _mm_aeskeygenassist_si128,
        _mm_loadu_si128, _mm_shuffle_epi32, _mm_slli_si128, _mm_storeu_si128, _mm_xor_si128,
    };

    /// Key and initialisation vector of the known answer: SP 800-38A, F.2.1.
    const KEY: [u8; 16] = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128.to_be_bytes();
    const IV: [u8; 16] = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f_u128.to_be_bytes();
    const ANSWER: &str = "AES-CBC-FLOOR input=6bc1bee22e409f96e93d7e117393172a \
                          output=7649abac8119b246cee98e9b12e9197d ; SP 800-38A, F.2.1\n";

    const BLOCK: usize = 16;

    struct Floor {
        keys: [__m128i; 11],
        message: Vec<u8>,
        ciphertext: Vec<u8>,
        size: usize,
    }

    fn load(bytes: &[u8; BLOCK]) -> __m128i {
        // SAFETY: 16 readable bytes, at any alignment.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    }

    /// The round keys (FIPS 197, 5.2).
    #[target_feature(enable = "aes,sse2")]
    fn expand(key: __m128i) -> [__m128i; 11] {
        #[target_feature(enable = "aes,sse2")]
        fn next<const RCON: i32>(key: __m128i) -> __m128i {
            let word = _mm_shuffle_epi32::<0xff>(_mm_aeskeygenassist_si128::<RCON>(key));
            let twice = _mm_xor_si128(key, _mm_slli_si128::<4>(key));
            let all = _mm_xor_si128(twice, _mm_slli_si128::<8>(twice));
            _mm_xor_si128(all, word)
        }
        let k1 = next::<0x01>(key);
        let k2 = next::<0x02>(k1);
        let k3 = next::<0x04>(k2);
        let k4 = next::<0x08>(k3);
        let k5 = next::<0x10>(k4);
        let k6 = next::<0x20>(k5);
        let k7 = next::<0x40>(k6);
        let k8 = next::<0x80>(k7);
        let k9 = next::<0x1b>(k8);
        [key, k1, k2, k3, k4, k5, k6, k7, k8, k9, next::<0x36>(k9)]
    }

    /// Encrypts whole blocks.
    #[target_feature(enable = "aes,sse2")]
    fn encrypt(keys: &[__m128i; 11], message: &[u8], ciphertext: &mut [u8]) {
        let (blocks, _) = message.as_chunks::<BLOCK>();
        let (encrypted, _) = ciphertext.as_chunks_mut::<BLOCK>();
        let folded = |at: usize| match blocks.get(at) {
            Some(block) => _mm_xor_si128(load(block), keys[0]),
            None => keys[0],
        };
        // What enters the rounds: the block before, this one and the first key.
        let mut state = _mm_xor_si128(load(&IV), folded(0));
        for (at, encrypted) in encrypted.iter_mut().enumerate() {
            for key in &keys[1..10] {
                state = _mm_aesenc_si128(state, *key);
            }
            let next = folded(at + 1);
            state = _mm_aesenclast_si128(state, _mm_xor_si128(keys[10], next));
            // Off the way from block to block: what was folded in is taken out again.
            let block = _mm_xor_si128(state, next);
            // SAFETY: 16 writable bytes, at any alignment.
            unsafe { _mm_storeu_si128(encrypted.as_mut_ptr().cast(), block) };
        }
    }

    impl Routine for Floor {
        fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
            self.size = size;
            Ok(())
        }
        fn run(&mut self) {
            let (message, ciphertext) = (&self.message[..self.size], &mut self.ciphertext);
            // SAFETY: `main` goes on only where the processor has these instructions.
            unsafe { encrypt(&self.keys, message, &mut ciphertext[..self.size]) };
        }
        fn output(&self) -> &[u8] {
            &self.ciphertext[..self.size]
        }
    }

    fn catalogue() -> Catalogue {
        let open = |setup: &Setup, _: Operation| {
            let routine: Box<dyn Routine> = Box::new(Floor {
                // SAFETY: as above.
                keys: unsafe { expand(load(&KEY)) },
                message: setup.input.clone(),
                ciphertext: vec![0; setup.input.len()],
                size: 0,
            });
            Ok(routine)
        };
        let entry = Entry {
            section: Section::Hash,
            provider: "bench",
            package: "aes_floor",
            algorithm: "AES-CBC-FLOOR",
            mode: "",
            aliases: &[],
            known_as: None,
            operations: &[Operation::Digest],
            output_bytes: BLOCK,
            extendable: false,
            slow: false,
            key_bytes: 0,
            nonce_bytes: 0,
            axis: Axis::Bytes,
            lengths: Lengths::Blocks(BLOCK),
            open: Arc::new(open),
        };
        Catalogue::new(vec![entry], &[("hash", ANSWER)]).expect("the answer parses")
    }

    pub fn main() -> ExitCode {
        if !std::arch::is_x86_feature_detected!("aes") {
            println!("this processor has no AES instructions");
            return ExitCode::SUCCESS;
        }
        if std::env::args().nth(1).as_deref() == Some(WORD) {
            return ExitCode::from(run_here(std::env::args_os(), catalogue()));
        }
        let machine = Machine {
            catalogue: catalogue(),
            clock: machine_clock(),
            pmu: Arc::new(NoPmu(Absence::SwitchedOff)),
            workers: Workers::Processes(std::env::current_exe().expect("this program has a path")),
            patience: Machine::PATIENCE,
            interrupted: Arc::default(),
            root: "/".into(),
        };
        let cases: Vec<_> = machine.catalogue.cases(Section::Hash).collect();
        for _ in 0..10 {
            let gathered =
                measure(&machine, &cases, Plan::default(), &mut |_| ()).expect("workers start");
            let records = gathered.records;
            let measured = records.first().and_then(|record| record.result.as_ref().ok());
            let told = |m: &Measured| Some((m.ns_per_unit, m.mhz_of_cycles()?));
            let Some((ns, mhz)) = measured.and_then(told) else {
                println!("no number: {records:?}");
                continue;
            };
            let cycles = ns * mhz / 1e3;
            let latency = cycles * BLOCK as f64 / 10.0;
            let floor = latency.round() * 10.0 / BLOCK as f64;
            println!(
                "{ns:.4} ns/B, {mhz:.0} MHz, {cycles:.4} c/B: {latency:.3} cycles a round, {:+.2} % of {floor:.3}",
                100.0 * (cycles / floor - 1.0)
            );
        }
        ExitCode::SUCCESS
    }
}

#[cfg(target_arch = "x86_64")]
fn main() -> ExitCode {
    floor::main()
}

#[cfg(not(target_arch = "x86_64"))]
fn main() -> ExitCode {
    println!("it is written with the AES instructions of x86-64");
    ExitCode::SUCCESS
}
