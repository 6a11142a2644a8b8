//! What looks at the processors say, as pure functions.

use super::findings::{Look, Mhz, QuietShare};
use super::look::{Looker, Turn};
use crate::cpus::{QUIET_WITHIN, lowest_agreed};
use crate::frequency::{CYCLES_BETWEEN_CHAINS, Probe, megahertz};
use crate::quiet::KnownQuiet;
use crate::rows::frequency_is_sure;

/// Single readings within this share of each other were of the same frequency.
const SAME_FREQUENCY: f64 = 0.01;

/// The frequency is told from the fastest chains of so many looks, some 3 ms.
const LOOKS_PER_FREQUENCY: usize = 10;

/// What it all says; `None` when nothing was seen.
pub fn summary(looker: &Looker<'_>, known: Option<KnownQuiet>) -> Option<Look> {
    let Looker { turns, processors, agreements, tick_ns, grain, .. } = looker;
    let looks = || turns.iter().flat_map(|turn| &turn.looks);
    looks().next()?;
    let lowest = lowest_agreed(looks().map(|look| look.contention()));
    let mut cpus: Vec<Option<usize>> = turns.iter().map(|turn| turn.cpu).collect();
    cpus.sort_unstable();
    cpus.dedup();
    let of = |cpu: Option<usize>| turns.iter().filter(move |turn| turn.cpu == cpu);
    let shares = cpus.iter().map(|&cpu| share(cpu, of(cpu), quiet_below(lowest, known)));
    let readings = turns.iter().flat_map(|turn| megahertzes(turn, *tick_ns)).collect();
    let step_ns = grain.resolution_ticks as f64 * tick_ns;
    Some(Look {
        shares: shares.collect(),
        processors: *processors,
        lowest_contention: lowest,
        known_quiet: known,
        mhz: frequency_is_sure(agreements, &[]).then(|| mhz(readings, step_ns)).flatten(),
    })
}

/// Contention up to this is quiet; `None` when no reading is.
fn quiet_below(lowest: Option<f64>, known: Option<KnownQuiet>) -> Option<f64> {
    let lowest = lowest?;
    // Where the kind of core is known, its own value decides whether any was.
    let is_quiet = known.is_none_or(|known| lowest <= QUIET_WITHIN * known.highest);
    is_quiet.then_some(QUIET_WITHIN * lowest)
}

/// A window is quiet when both its ends are.
fn share<'a>(
    cpu: Option<usize>,
    turns: impl Iterator<Item = &'a Turn>,
    below: Option<f64>,
) -> QuietShare {
    let mut share = QuietShare { cpu, windows: 0, quiet: 0 };
    for turn in turns {
        for window in turn.looks.windows(2) {
            let is_quiet = |look: &Probe| below.is_some_and(|below| look.contention() <= below);
            share.windows += 1;
            share.quiet += usize::from(window.iter().all(is_quiet));
        }
    }
    share
}

/// The frequency every few milliseconds.
fn megahertzes(turn: &Turn, tick_ns: f64) -> impl Iterator<Item = f64> {
    turn.looks.chunks_exact(LOOKS_PER_FREQUENCY).filter_map(move |looks| {
        let long = looks.iter().map(|look| look.long_ticks).min()?;
        let short = looks.iter().map(|look| look.short_ticks).min()?;
        megahertz(long as f64 * tick_ns, short as f64 * tick_ns)
    })
}

/// What the engine will make of these readings: rounds count that are at a high frequency that is met
/// often. `None` when there is no reading.
fn mhz(mut readings: Vec<f64>, step_ns: f64) -> Option<Mhz> {
    readings.sort_by(f64::total_cmp);
    let usual = *readings.get(readings.len() * 3 / 4)?;
    // The difference of two chains may be a step too long or too short.
    let chain_ns = f64::from(CYCLES_BETWEEN_CHAINS) * 1e3 / usual;
    let within = SAME_FREQUENCY.max(step_ns / chain_ns);
    let held = readings.iter().filter(|&&mhz| (mhz / usual - 1.0).abs() <= within).count();
    Some(Mhz {
        usual,
        held: held as f64 / readings.len() as f64,
        range: (*readings.first()?, *readings.last()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A look at 3500 MHz, a tick a nanosecond, with this contention.
    fn at(contention: f64) -> Probe {
        let (long_ticks, short_ticks) = (3_511_000, 1_170_333);
        Probe { long_ticks, short_ticks, wide_ticks: (contention * 4.0 * 3_511_000.0) as u64 }
    }

    #[test]
    fn a_window_is_quiet_when_both_its_ends_are() {
        let looks = [0.21, 0.21, 0.30, 0.21, 0.21, 0.215].map(at).to_vec();
        let turns = [Turn { cpu: Some(3), looks }];
        let share = share(Some(3), turns.iter(), Some(0.216));
        assert_eq!(share, QuietShare { cpu: Some(3), windows: 5, quiet: 3 });
        let none = super::share(None, turns.iter(), None);
        assert_eq!((none.windows, none.quiet), (5, 0));
    }

    #[test]
    fn where_a_kind_is_known_a_busy_run_is_not_taken_for_quiet() {
        let known = Some(KnownQuiet { cores: "a kind", highest: 0.213 });
        assert_eq!(quiet_below(Some(0.211), known), Some(QUIET_WITHIN * 0.211));
        assert_eq!(quiet_below(Some(0.30), known), None);
        assert_eq!(quiet_below(Some(0.30), None), Some(QUIET_WITHIN * 0.30));
        assert_eq!(quiet_below(None, known), None);
    }

    #[test]
    fn the_frequency_is_a_high_one_that_is_met_often() {
        let two_speeds = (0..100).map(|at| if at % 3 == 0 { 3200.0 } else { 3500.0 });
        let found = mhz(two_speeds.collect(), 1.0).expect("readings");
        assert_eq!(found, Mhz { usual: 3500.0, held: 0.66, range: (3200.0, 3500.0) });
        // A drift never holds one.
        let drift = mhz((0..100).map(|at| 3000.0 + 20.0 * f64::from(at)).collect(), 1.0);
        assert!(drift.expect("readings").held < 0.1);
        // Steps of a coarse clock are no drift: 42 ns of 8192 cycles at 3500 MHz are 1.8 %.
        let steps = (0..100).map(|at| if at % 2 == 0 { 3450.0 } else { 3500.0 });
        assert_eq!(mhz(steps.collect(), 42.0).expect("readings").held, 1.0);
        assert_eq!(mhz(Vec::new(), 1.0), None);
    }
}
