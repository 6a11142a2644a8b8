//! Kernels of known cost: a dependent chain that follows the clock frequency, and a wide one that
//! slows down when a stranger shares the core.
//!
//! A chain in which every operation waits for the one before takes one cycle an operation, whoever
//! else uses the core. Independent operations fill every execution port, and need up to twice the
//! time when the sibling hardware thread fills them too. Their ratio tells contention whatever the
//! frequency.

use serde::{Deserialize, Serialize};

use crate::clock::{Clock, Grain};
use crate::counters::{self, Counters};

/// Operations in one turn of a kernel's loop.
const OPERATIONS_PER_TURN: u32 = 64;
/// Turns of the long chain: about 12,000 cycles, some 4 µs.
const LONG_TURNS: u32 = 192;
/// Turns of the short chain. Frequency comes from the difference of the two: what a reading of the
/// clock costs and what filling the pipeline takes is in both.
const SHORT_TURNS: u32 = 64;
/// Turns of the wide kernel in a probe: as long as the long chain where four operations go at once.
const WIDE_TURNS: u32 = 4 * LONG_TURNS;
/// A clock must tell at least this many steps in a chain to judge by a few per cent: one of 24 MHz
/// does.
const STEPS_PER_CHAIN: u64 = 50;

/// A look at the core: what the kernels took, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// The long chain, the lower of two.
    pub long_ticks: u64,
    /// The short chain.
    pub short_ticks: u64,
    /// The wide kernel.
    pub wide_ticks: u64,
}

impl Probe {
    /// How much time the wide kernel needs beside the chain, per operation: the lower, the more of
    /// the core is ours.
    #[must_use]
    pub fn contention(self) -> f64 {
        let per_turn = |ticks: u64, turns: u32| ticks as f64 / f64::from(turns);
        per_turn(self.wide_ticks, WIDE_TURNS) / per_turn(self.long_ticks, LONG_TURNS)
    }
}

/// Looks at the core; `None` when the clock is too coarse to tell anything.
pub fn probe(clock: &dyn Clock, grain: Grain) -> Option<Probe> {
    let before = timed(clock, grain, chain, LONG_TURNS);
    let wide_ticks = timed(clock, grain, wide, WIDE_TURNS)?;
    let after = timed(clock, grain, chain, LONG_TURNS);
    let short_ticks = timed(clock, grain, chain, SHORT_TURNS)?;
    // The lower of two: an interruption of the chain would make the core look quiet.
    let long_ticks = before.into_iter().chain(after).min()?;
    let fine = long_ticks >= STEPS_PER_CHAIN * grain.resolution_ticks;
    fine.then_some(Probe { long_ticks, short_ticks, wide_ticks })
}

/// Whether the chain takes a cycle an operation here: in assembly it does.
pub const CHAIN_TELLS_CYCLES: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Cycles that the long chain takes more than the short one, when each operation takes one.
pub const CYCLES_BETWEEN_CHAINS: u32 = (LONG_TURNS - SHORT_TURNS) * OPERATIONS_PER_TURN;

/// The frequency in megahertz from the nanoseconds of a long and a short chain, when each
/// operation takes a cycle; `None` when they make no sense.
#[must_use]
pub fn megahertz(long_ns: f64, short_ns: f64) -> Option<f64> {
    let mhz = 1e3 * f64::from(CYCLES_BETWEEN_CHAINS) / (long_ns - short_ns);
    // No processor that this runs on is outside.
    (10.0..20_000.0).contains(&mhz).then_some(mhz)
}

/// How the chain of additions compares with one of multiplications, which take three cycles each
/// on every x86-64 of the last fifteen years: 1 when both tell the same frequency. A core that
/// fuses additions, or does them while renaming registers, is found out by it. `None` where there
/// is no second chain, or where the clock is too coarse.
pub fn agreement(clock: &dyn Clock, grain: Grain) -> Option<f64> {
    const TIMES: usize = 30;
    let lowest = |kernel: fn(u32) -> u64, turns: u32| {
        (0..TIMES).filter_map(|_| timed(clock, grain, kernel, turns)).min()
    };
    let difference = |kernel: fn(u32) -> u64, divisor: u32| -> Option<f64> {
        let long = lowest(kernel, LONG_TURNS / divisor)?;
        let short = lowest(kernel, SHORT_TURNS / divisor)?;
        Some(long.checked_sub(short)? as f64)
    };
    const MULTIPLICATION_CYCLES: u32 = 3;
    let multiply: fn(u32) -> u64 = kernels::MULTIPLY?;
    let additions = difference(chain, 1)?;
    // A third of the turns at three cycles each, as far as whole turns allow.
    let turns = |turns: u32| turns / MULTIPLICATION_CYCLES * MULTIPLICATION_CYCLES;
    let cycles = f64::from(turns(LONG_TURNS) - turns(SHORT_TURNS));
    let multiplications = difference(multiply, MULTIPLICATION_CYCLES)?;
    let per_cycle = |ticks: f64, cycles: f64| ticks / cycles;
    Some(
        per_cycle(additions, f64::from(LONG_TURNS - SHORT_TURNS))
            / per_cycle(multiplications, cycles),
    )
}

/// How many cycles a counter sees in a cycle of the chain: 1 when both mean the same. What starting
/// and stopping the counters costs is in the long chain and in the short one, and a neighbour on the
/// core does not slow either. `None` where cycles are not counted.
pub fn counted_cycles(counters: &mut Counters) -> Option<f64> {
    const TIMES: usize = 9;
    let at = counters.events().position(|event| event == counters::Event::Cycles)?;
    let mut median = |turns: u32| {
        let mut counted: Vec<f64> = (0..TIMES)
            .filter_map(|_| {
                counters.start();
                std::hint::black_box(chain(turns));
                counters.stop().get(at)?.as_ref().ok()?.scaled()
            })
            .collect();
        counted.sort_unstable_by(f64::total_cmp);
        counted.get(counted.len() / 2).copied()
    };
    let difference = median(LONG_TURNS)? - median(SHORT_TURNS)?;
    let ratio = difference / f64::from((LONG_TURNS - SHORT_TURNS) * OPERATIONS_PER_TURN);
    CHAIN_TELLS_CYCLES.then_some(ratio)
}

fn timed(clock: &dyn Clock, grain: Grain, kernel: fn(u32) -> u64, turns: u32) -> Option<u64> {
    let start = clock.ticks();
    std::hint::black_box(kernel(turns));
    let ticks = clock.ticks().checked_sub(start)?;
    ticks.checked_sub(grain.cost_ticks).filter(|&ticks| ticks > 0)
}

/// `turns` times 64 operations, each of which waits for the one before.
///
/// Additions of registers and exclusive-ors: some cores carry out additions of constants while
/// renaming registers, and these then take no cycle at all.
#[inline(never)]
pub fn chain(turns: u32) -> u64 {
    kernels::chain(turns)
}

/// `turns` times 64 operations in eight chains that do not wait for each other.
#[inline(never)]
pub fn wide(turns: u32) -> u64 {
    kernels::wide(turns)
}

#[cfg(target_arch = "x86_64")]
mod kernels {
    use core::arch::asm;

    /// `turns` times 64 multiplications, each of which waits for the one before.
    pub const MULTIPLY: Option<fn(u32) -> u64> = Some(multiply);

    #[inline(never)]
    pub fn multiply(turns: u32) -> u64 {
        let mut x = 3_u32;
        if turns == 0 {
            return u64::from(x);
        }
        // SAFETY: works on registers only, all of them declared; no memory, no stack.
        unsafe {
            asm!(
                "2:",
                ".rept 64",
                "imul {x:e}, {a:e}",
                ".endr",
                "dec {turns:e}",
                "jnz 2b",
                x = inout(reg) x,
                a = in(reg) 0x9e37_79b9_u32,
                turns = inout(reg) turns => _,
                options(nomem, nostack),
            );
        }
        u64::from(x)
    }

    pub fn chain(turns: u32) -> u64 {
        let mut x = 1_u64;
        if turns == 0 {
            return x;
        }
        // SAFETY: works on registers only, all of them declared; no memory, no stack.
        unsafe {
            asm!(
                "2:",
                ".rept 32",
                "add {x}, {a}",
                "xor {x}, {b}",
                ".endr",
                "dec {turns:e}",
                "jnz 2b",
                x = inout(reg) x,
                a = in(reg) 0x9e37_79b9_7f4a_7c15_u64,
                b = in(reg) 0xd1b5_4a32_d192_ed03_u64,
                turns = inout(reg) turns => _,
                options(nomem, nostack),
            );
        }
        x
    }

    pub fn wide(turns: u32) -> u64 {
        let mut x = [1_u64, 2, 3, 4, 5, 6, 7, 8];
        if turns == 0 {
            return x[0];
        }
        let [x0, x1, x2, x3, x4, x5, x6, x7] = &mut x;
        // SAFETY: works on registers only, all of them declared; no memory, no stack.
        unsafe {
            asm!(
                "2:",
                ".rept 4",
                "add {x0}, {a}", "add {x1}, {a}", "add {x2}, {a}", "add {x3}, {a}",
                "add {x4}, {a}", "add {x5}, {a}", "add {x6}, {a}", "add {x7}, {a}",
                "xor {x0}, {a}", "xor {x1}, {a}", "xor {x2}, {a}", "xor {x3}, {a}",
                "xor {x4}, {a}", "xor {x5}, {a}", "xor {x6}, {a}", "xor {x7}, {a}",
                ".endr",
                "dec {turns:e}",
                "jnz 2b",
                x0 = inout(reg) *x0, x1 = inout(reg) *x1, x2 = inout(reg) *x2, x3 = inout(reg) *x3,
                x4 = inout(reg) *x4, x5 = inout(reg) *x5, x6 = inout(reg) *x6, x7 = inout(reg) *x7,
                a = in(reg) 0x9e37_79b9_7f4a_7c15_u64,
                turns = inout(reg) turns => _,
                options(nomem, nostack),
            );
        }
        x.iter().fold(0, |sum, x| sum ^ x)
    }
}

#[cfg(target_arch = "aarch64")]
mod kernels {
    use core::arch::asm;

    /// Multiplications take three to five cycles here, core by core: no second opinion.
    pub const MULTIPLY: Option<fn(u32) -> u64> = None;

    pub fn chain(turns: u32) -> u64 {
        let mut x = 1_u64;
        if turns == 0 {
            return x;
        }
        // SAFETY: works on registers only, all of them declared; no memory, no stack.
        unsafe {
            asm!(
                "2:",
                ".rept 32",
                "add {x}, {x}, {a}",
                "eor {x}, {x}, {b}",
                ".endr",
                "subs {turns:w}, {turns:w}, #1",
                "b.ne 2b",
                x = inout(reg) x,
                a = in(reg) 0x9e37_79b9_7f4a_7c15_u64,
                b = in(reg) 0xd1b5_4a32_d192_ed03_u64,
                turns = inout(reg) turns => _,
                options(nomem, nostack),
            );
        }
        x
    }

    pub fn wide(turns: u32) -> u64 {
        let mut x = [1_u64, 2, 3, 4, 5, 6, 7, 8];
        if turns == 0 {
            return x[0];
        }
        let [x0, x1, x2, x3, x4, x5, x6, x7] = &mut x;
        // SAFETY: works on registers only, all of them declared; no memory, no stack.
        unsafe {
            asm!(
                "2:",
                ".rept 4",
                "add {x0}, {x0}, {a}", "add {x1}, {x1}, {a}", "add {x2}, {x2}, {a}",
                "add {x3}, {x3}, {a}", "add {x4}, {x4}, {a}", "add {x5}, {x5}, {a}",
                "add {x6}, {x6}, {a}", "add {x7}, {x7}, {a}",
                "eor {x0}, {x0}, {a}", "eor {x1}, {x1}, {a}", "eor {x2}, {x2}, {a}",
                "eor {x3}, {x3}, {a}", "eor {x4}, {x4}, {a}", "eor {x5}, {x5}, {a}",
                "eor {x6}, {x6}, {a}", "eor {x7}, {x7}, {a}",
                ".endr",
                "subs {turns:w}, {turns:w}, #1",
                "b.ne 2b",
                x0 = inout(reg) *x0, x1 = inout(reg) *x1, x2 = inout(reg) *x2, x3 = inout(reg) *x3,
                x4 = inout(reg) *x4, x5 = inout(reg) *x5, x6 = inout(reg) *x6, x7 = inout(reg) *x7,
                a = in(reg) 0x9e37_79b9_7f4a_7c15_u64,
                turns = inout(reg) turns => _,
                options(nomem, nostack),
            );
        }
        x.iter().fold(0, |sum, x| sum ^ x)
    }
}

/// Without assembly `black_box` keeps the compiler from merging operations, at the price of a trip
/// through memory each: slower, but the ratio still tells contention.
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[cfg_attr(any(target_arch = "x86_64", target_arch = "aarch64"), allow(dead_code))]
mod portable {
    use std::hint::black_box;

    /// Trips through memory cost what they cost: no second opinion, and no frequency either.
    #[allow(dead_code)]
    pub const MULTIPLY: Option<fn(u32) -> u64> = None;

    const A: u64 = 0x9e37_79b9_7f4a_7c15;
    const B: u64 = 0xd1b5_4a32_d192_ed03;

    pub fn chain(turns: u32) -> u64 {
        let mut x = 1_u64;
        for _ in 0..turns {
            for _ in 0..32 {
                x = black_box(x.wrapping_add(A)) ^ B;
            }
        }
        x
    }

    pub fn wide(turns: u32) -> u64 {
        let mut x = [1_u64, 2, 3, 4, 5, 6, 7, 8];
        for _ in 0..turns {
            for _ in 0..4 {
                for x in &mut x {
                    *x = black_box(x.wrapping_add(A)) ^ A;
                }
            }
        }
        x.iter().fold(0, |sum, x| sum ^ x)
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use portable as kernels;

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::io;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::counters::{Absence, Counter, Event, Pmu, Reading};

    /// A counter that counts what is on its list, one after the other.
    #[derive(Clone)]
    struct Listed {
        counts: Arc<Mutex<VecDeque<u64>>>,
        sum: u64,
    }

    impl Pmu for Listed {
        fn open(&self, _: Event) -> Result<Box<dyn Counter>, Absence> {
            Ok(Box::new(self.clone()))
        }
    }

    impl Counter for Listed {
        fn start(&mut self) -> io::Result<()> {
            self.sum += self.counts.lock().expect("no panic").pop_front().unwrap_or(0);
            Ok(())
        }

        fn stop(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn read(&mut self) -> io::Result<Reading> {
            Ok(Reading { count: self.sum, enabled_ns: self.sum, running_ns: self.sum })
        }
    }

    #[test]
    fn counted_cycles_are_compared_with_those_of_the_chain() {
        let ratio = |cycle: f64, event| {
            let cycles = |turns: u32| (f64::from(turns * OPERATIONS_PER_TURN) * cycle) as u64 + 700;
            // One in nine is interrupted.
            let nine =
                |turns| (0..9).map(move |at| cycles(turns) + if at == 4 { 99_999 } else { 0 });
            let counts = nine(LONG_TURNS).chain(nine(SHORT_TURNS)).collect();
            let pmu = Listed { counts: Arc::new(Mutex::new(counts)), sum: 0 };
            counted_cycles(&mut Counters::open(&pmu, &[event]))
        };
        for cycle in [1.0, 0.5, 1.25] {
            assert_eq!(ratio(cycle, Event::Cycles), CHAIN_TELLS_CYCLES.then_some(cycle));
        }
        assert_eq!(ratio(1.0, Event::Instructions), None);
    }

    #[test]
    fn the_frequency_is_a_difference() {
        // 8192 operations more take 2,560 ns at 3200 MHz, whatever both chains cost besides.
        let mhz = megahertz(3_840.0 + 17.0, 1_280.0 + 17.0).expect("sensible");
        assert!((mhz - 3_200.0).abs() < 1e-6, "{mhz}");
        for (long, short) in [(100.0, 100.0), (100.0, 200.0), (f64::NAN, 1.0), (1e9, 1.0)] {
            assert_eq!(megahertz(long, short), None, "{long} {short}");
        }
    }

    #[test]
    fn contention_is_time_beside_the_chain() {
        // Four operations at once: a quarter of a cycle each.
        let probe = Probe { long_ticks: 12_288, short_ticks: 4_096, wide_ticks: 12_288 };
        assert!((probe.contention() - 0.25).abs() < 1e-12);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn multiplications_are_all_done() {
        for turns in [0, 1, 5] {
            let expected = (0..64 * turns).fold(3_u32, |x, _| x.wrapping_mul(0x9e37_79b9));
            assert_eq!(kernels::multiply(turns), u64::from(expected), "{turns}");
        }
    }

    #[test]
    fn assembly_computes_what_the_portable_form_does() {
        // Operations that were left out, merged or doubled would show here.
        for turns in [0, 1, 2, 7, 100] {
            assert_eq!(chain(turns), portable::chain(turns), "{turns}");
            if turns > 0 {
                assert_eq!(wide(turns), portable::wide(turns), "{turns}");
            }
        }
    }
}
