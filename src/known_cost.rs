//! Routines whose cost is known: what the program measures of them shows whether its numbers are
//! right.
//!
//! A chain of dependent operations, its length proportional to the size: nothing but the clock
//! frequency decides what it takes. It can be measured by itself as well, at lengths up to 64 times
//! that of the largest message, where neither the reading of a clock nor the cost of a call counts.
//!
//! No catalogue that users see has them. Workers serve them to whoever asks by identifier.

use std::io;
use std::sync::Arc;

use bench_slope_algorithms::{
    Axis, Case, Catalogue, Entry, OpenError, Operation, Placement, Routine, Section, Setup,
};

use crate::clock::Clock;
use crate::frequency::{CHAIN_TELLS_CYCLES, chain};
use crate::sample::time_calls;

/// The provider of these cases, in their identifiers.
pub const PROVIDER: &str = "known-cost";
/// Turns of 64 operations a byte: 64 sizes from 0 to 4096 bytes give chains of 0 to 256 turns.
const BYTES_PER_TURN: usize = 16;
/// Turns of the delay: as long as the chain of the largest message.
const DELAY_TURNS: u32 = 256;
/// What a byte costs in cycles, where the chain takes a cycle an operation.
pub const CYCLES_PER_BYTE: Option<f64> =
    if CHAIN_TELLS_CYCLES { Some(64.0 / BYTES_PER_TURN as f64) } else { None };
/// The size whose chain is as long as the delay.
pub const DELAY_BYTES: usize = DELAY_TURNS as usize * BYTES_PER_TURN;

/// By itself the short chain is that of the largest message ...
const SHORT_BYTES: usize = 4096;
/// ... and the long one so many times as long, on a fine clock.
const TIMES_LONGER: usize = 64;
/// How often each is run on a fine clock: the lowest counts.
const RUNS: usize = 200;
/// On a coarse one, with a chain that is longer, at least so often.
const FEWEST_RUNS: usize = 5;
/// The long chain takes at least so many steps of the clock, ...
const STEPS: f64 = 1000.0;
/// ... on a core so fast that it takes this without being made longer.
const LONG_CHAIN_NS: f64 = 200_000.0;

struct Chain {
    turns: u32,
    delay: u32,
    output: [u8; 8],
}

impl Routine for Chain {
    fn prepare(&mut self, size: usize) -> Result<(), OpenError> {
        let turns = u32::try_from(size / BYTES_PER_TURN);
        self.turns = turns.map_err(|_| OpenError("a chain of this length has no end".into()))?;
        Ok(())
    }
    fn run(&mut self) {
        std::hint::black_box(chain(self.delay));
        self.output = chain(self.turns).to_le_bytes();
    }
    fn output(&self) -> &[u8] {
        &self.output
    }
}

/// A routine that does nothing: what a call costs before any work is done.
pub struct Empty;

impl Routine for Empty {
    fn prepare(&mut self, _: usize) -> Result<(), OpenError> {
        Ok(())
    }
    fn run(&mut self) {}
    fn output(&self) -> &[u8] {
        &[]
    }
}

fn entry(algorithm: &'static str, delay: u32) -> Entry {
    Entry {
        section: Section::Hash,
        provider: PROVIDER,
        package: "bench-slope",
        algorithm,
        mode: "",
        aliases: &[],
        operations: &[Operation::Digest],
        output_bytes: 8,
        extendable: false,
        slow: false,
        key_bytes: 0,
        nonce_bytes: 0,
        axis: Axis::Bytes,
        open: Arc::new(move |_: &Setup, _: Operation| {
            let routine: Box<dyn Routine> = Box::new(Chain { turns: 0, delay, output: [0; 8] });
            Ok(routine)
        }),
    }
}

/// The chain.
#[must_use]
pub fn plain() -> Entry {
    entry("CHAIN", 0)
}

/// The chain with a constant delay in each call: the slope must be that of the plain one, and the
/// delay come out as the intercept.
#[must_use]
pub fn delayed() -> Entry {
    entry("DELAYED", DELAY_TURNS)
}

/// Known answers of both.
#[must_use]
pub fn answers() -> String {
    let empty: String = chain(0).to_le_bytes().iter().map(|b| format!("{b:02x}")).collect();
    ["CHAIN", "DELAYED"]
        .map(|name| format!("{name} output={empty} ; a chain of no operations\n"))
        .concat()
}

/// Both.
///
/// # Errors
/// When their known answers do not parse.
pub fn catalogue() -> io::Result<Catalogue> {
    let answers = answers();
    Catalogue::new(vec![plain(), delayed()], &[("hash", &answers)]).map_err(io::Error::other)
}

/// Whether a case's identifier is of this provider.
#[must_use]
pub fn is_own(id: &str) -> bool {
    id.split('/').next() == Some(PROVIDER)
}

/// Nanoseconds a byte of a chain without this program's machinery: the difference of a long and a
/// short chain, each the lowest of many. `step_ns` is the step of the clock. `None` when the clock saw
/// no time pass.
///
/// # Errors
/// When the case cannot be opened.
pub fn by_itself(clock: &dyn Clock, case: &Case, step_ns: f64) -> Result<Option<f64>, OpenError> {
    let mut routine = case.open(&case.timing_setup(Placement::default()))?;
    let longer = (STEPS * step_ns / LONG_CHAIN_NS).ceil().clamp(1.0, 1e3) as usize;
    let runs = (RUNS / longer).max(FEWEST_RUNS);
    let mut lowest_ns = |bytes: usize| -> Result<u64, OpenError> {
        routine.prepare(bytes)?;
        let mut one = || {
            let start = clock.monotonic_ns();
            time_calls(clock, &mut *routine, 1);
            clock.monotonic_ns().saturating_sub(start)
        };
        Ok((0..runs).map(|_| one()).min().unwrap_or(0))
    };
    let long_bytes = SHORT_BYTES * TIMES_LONGER * longer;
    let (short_ns, long_ns) = (lowest_ns(SHORT_BYTES)?, lowest_ns(long_bytes)?);
    let bytes = (long_bytes - SHORT_BYTES) as f64;
    Ok(long_ns.checked_sub(short_ns).filter(|&ns| ns > 0).map(|ns| ns as f64 / bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_cases_are_right_and_known_by_their_identifiers() {
        let catalogue = catalogue().expect("the answers parse");
        let cases: Vec<Case> = catalogue.cases(Section::Hash).collect();
        assert_eq!(cases.len(), 2);
        for case in cases {
            assert!(is_own(&case.id()), "{}", case.id());
            assert!(catalogue.verify(&case, 64).is_ok(), "{}", case.id());
        }
        for other in ["rustcrypto/SHA256/digest", "known-costs/CHAIN/digest", ""] {
            assert!(!is_own(other), "{other}");
        }
    }

    #[test]
    fn no_time_is_no_cost() {
        let case = plain().case(Operation::Digest);
        let clock = crate::clock::InventedClock::new(1);
        assert_eq!(by_itself(&clock, &case, 1.0), Ok(None));
    }
}
