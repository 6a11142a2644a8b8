//! A machine that tests make up: real algorithms that give right answers, and a clock on which
//! each call takes exactly what a test says.

// Each test program uses a part of this.
#![allow(dead_code)]

use std::ffi::OsString;
use std::sync::Arc;

use bench_slope::clock::InventedClock;
use bench_slope::counters::{Absence, NoPmu};
use bench_slope::group::Machine;
use bench_slope::run::run;
use bench_slope::worker::Workers;
use bench_slope_algorithms::{Catalogue, Entry, OpenError, Operation, Routine, Setup};

/// Picoseconds of a call on `size` bytes.
pub type Cost = fn(algorithm: &str, size: usize) -> u64;

/// What the program did.
pub struct Outcome {
    pub code: u8,
    pub out: String,
    pub err: String,
}

struct Charged {
    inner: Box<dyn Routine>,
    clock: InventedClock,
    algorithm: &'static str,
    cost: Cost,
    size: usize,
    /// The answer is computed once for each message: only invented time passes in further calls.
    computed: bool,
}

impl Routine for Charged {
    fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
        self.size = size;
        self.computed = false;
        self.inner.prepare(size)
    }

    fn run(&mut self) {
        if !std::mem::replace(&mut self.computed, true) {
            self.inner.run();
        }
        self.clock.advance_ps((self.cost)(self.algorithm, self.size));
    }

    fn output(&self) -> &[u8] {
        self.inner.output()
    }

    fn accepted(&self) -> bool {
        self.inner.accepted()
    }
}

/// Lets an entry's calls take time on the clock.
pub fn charge(mut entry: Entry, clock: &InventedClock, cost: Cost) -> Entry {
    let (open, clock, algorithm) = (entry.open.clone(), clock.clone(), entry.algorithm);
    entry.open = Arc::new(move |setup: &Setup, operation: Operation| {
        let inner = open(setup, operation)?;
        let routine: Box<dyn Routine> = Box::new(Charged {
            inner,
            clock: clock.clone(),
            algorithm,
            cost,
            size: 0,
            computed: false,
        });
        Ok(routine)
    });
    entry
}

/// The first entry of this name that is in the catalogue.
pub fn entry(name: &str) -> Entry {
    entry_of(name, "")
}

/// The entry of a cipher's mode.
pub fn entry_of(name: &str, mode: &str) -> Entry {
    let catalogue = Catalogue::standard();
    let mut entries = catalogue.entries().iter();
    let found = entries.find(|entry| entry.algorithm == name && entry.mode == mode);
    found.unwrap_or_else(|| panic!("there is no {name} {mode}")).clone()
}

/// A right answer for each of the four hashes the tests use most.
pub const ANSWERS: &str = "\
MD5 input=\"abc\" output=900150983cd24fb0d6963f7d28e17f72 ; RFC 1321, A.5
SHA1 input=\"abc\" output=a9993e364706816aba3e25717850c26c9cd0d89d ; FIPS 180-2, A.1
SHA256 input=\"abc\" output=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad ; FIPS 180-2, B.1
SHAKE128 input= output=7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26 ; FIPS 202
";

/// Right answers for AES in the modes the tests use.
pub const CIPHER_ANSWERS: &str = "\
AES/ECB key=000102030405060708090a0b0c0d0e0f input=00112233445566778899aabbccddeeff output=69c4e0d86a7b0430d8cdb78070b4c55a ; FIPS 197, C.1
AES/GCM key=00*16 nonce=00*12 input=00*16 output=0388dace60b6a392f328c2b971b2fe78 tag=ab6e47d42cec13bdf53a67b21257bddf ; GCM specification, test case 2
AES/GCM key=00*16 nonce=00*12 tag=58e2fccefa7e3061367f1d57a4e7455a ; GCM specification, test case 1
";

/// A machine with these entries whose calls cost `cost` on a clock of `step_ns`.
pub fn machine(entries: Vec<Entry>, step_ns: u64, cost: Cost) -> Machine {
    machine_on(InventedClock::new(step_ns), entries, cost)
}

/// A machine with these entries on a clock that the test keeps.
pub fn machine_on(clock: InventedClock, entries: Vec<Entry>, cost: Cost) -> Machine {
    let entries = entries.into_iter().map(|entry| charge(entry, &clock, cost)).collect();
    let catalogue = Catalogue::new(entries, &[("hash", ANSWERS), ("cipher", CIPHER_ANSWERS)])
        .expect("the answers parse");
    let (clock, workers) = (Arc::new(clock), Workers::InProcess);
    let pmu = Arc::new(NoPmu(Absence::SwitchedOff));
    // No file describes it.
    let root = "/nonexistent".into();
    let (patience, interrupted) = (Machine::PATIENCE, Arc::default());
    Machine { catalogue, clock, pmu, workers, patience, interrupted, root }
}

/// Runs the program with these words.
pub fn bench_slope(machine: &Machine, words: &[&str]) -> Outcome {
    let words = std::iter::once("bench-slope").chain(words.iter().copied()).map(OsString::from);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = run(words, machine, &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Outcome { code, out: text(out), err: text(err) }
}

/// A reader of standard output who has left.
pub struct Closed;

impl std::io::Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
