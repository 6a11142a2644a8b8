//! Kernels of known cost: a dependent chain that follows the clock frequency, and a wide one that
//! slows down when a stranger shares the core.
//!
//! A chain in which every operation waits for the one before takes one cycle an operation, whoever
//! else uses the core. Independent operations fill every execution port, and need up to twice the
//! time when the sibling hardware thread fills them too. Their ratio tells contention whatever the
//! frequency.

use crate::clock::{Clock, Grain};

/// Operations in one turn of either kernel's loop.
const OPERATIONS_PER_TURN: u32 = 64;
/// Turns of the chain in a probe: about 12,000 cycles, some 4 µs.
const CHAIN_TURNS: u32 = 192;
/// Turns of the wide kernel in a probe: as long where four operations go at once.
const WIDE_TURNS: u32 = 4 * CHAIN_TURNS;
/// A clock must tell at least this many steps in a chain to judge by a few per cent.
const STEPS_PER_CHAIN: u64 = 100;

/// How much time the wide kernel needs beside the chain, per operation: the lower, the more of the
/// core is ours. `None` when the clock is too coarse to tell.
pub fn contention(clock: &dyn Clock, grain: Grain) -> Option<f64> {
    let before = timed(clock, grain, chain, CHAIN_TURNS);
    let wide = timed(clock, grain, wide, WIDE_TURNS)?;
    let after = timed(clock, grain, chain, CHAIN_TURNS);
    // The lower of two: an interruption of the chain would make the core look quiet.
    let chain = before.into_iter().chain(after).min()?;
    if chain < STEPS_PER_CHAIN * grain.resolution_ticks {
        return None;
    }
    let per_operation = |ticks: u64, turns| ticks as f64 / f64::from(turns * OPERATIONS_PER_TURN);
    Some(per_operation(wide, WIDE_TURNS) / per_operation(chain, CHAIN_TURNS))
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
    use super::*;

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
