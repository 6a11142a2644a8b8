//! Pure arithmetic: what was counted of samples, to counts per unit.

use std::collections::BTreeMap;

use crate::counters::Event;
use crate::fit::{least_squares, lowest_mean, median};
use crate::record::Counts;
use crate::wire::Counted;

/// Samples of every size that are enough: counts hardly differ from each other.
const ENOUGH: u32 = 3;
/// So many samples are enough on a core that is never quiet.
const ENOUGH_ANYWAY: u32 = 12;
/// The sizes must be counted in each of so many parts ...
const PARTS: usize = 4;
/// ... at least this share of them.
const SHARE_OF_SIZES: f64 = 0.5;
/// The share of the samples, from the lowest, whose mean is a size's cycles.
const SHARE_OF_CYCLES: f64 = 0.25;
/// Counters whose cycles differ by more than this from those of the chain leave the frequency
/// unknown.
const AGREE_WITHIN: f64 = 0.02;

/// All that was counted of a case.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Counts of a call, by event and place of the size.
    per_call: BTreeMap<(Event, usize), Vec<f64>>,
    /// Samples of each size, whatever the counters did.
    samples: BTreeMap<usize, Samples>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Samples {
    all: u32,
    quiet: u32,
}

impl Tally {
    /// Files a sample, counted with these counters.
    pub fn add(&mut self, events: &[Event], counted: &Counted) {
        let samples = self.samples.entry(counted.at).or_default();
        samples.all += 1;
        samples.quiet += u32::from(counted.quiet);
        for (&event, count) in events.iter().zip(&counted.counts) {
            // A neighbour takes cycles and cache away, and leaves the rest as it is.
            let disturbed = matches!(event, Event::Cycles | Event::CacheMisses) && !counted.quiet;
            if let Some(count) = count.filter(|count| count.is_finite() && !disturbed) {
                let per_call = count / f64::from(counted.calls.max(1));
                self.per_call.entry((event, counted.at)).or_default().push(per_call);
            }
        }
    }

    /// How many samples there are, when more are wanted of a case with so many sizes.
    #[must_use]
    pub fn wants_more(&self, sizes: usize) -> Option<u32> {
        let enough = |at| {
            let samples = self.samples.get(&at).copied().unwrap_or_default();
            samples.quiet >= ENOUGH || samples.all >= ENOUGH_ANYWAY
        };
        let all = self.samples.values().map(|samples| samples.all).sum();
        (!(0..sizes).all(enough)).then_some(all)
    }

    /// Counts per unit; `None` where too little was counted of everything.
    #[must_use]
    pub fn counts(&self, sizes: &[usize]) -> Option<Counts> {
        self.per_unit(&|event| self.slope(event, sizes))
    }

    /// The same of a row at one size: the counts of a call over the `units` in it.
    #[must_use]
    pub fn counts_at_one_size(&self, units: usize) -> Option<Counts> {
        self.per_unit(&|event| {
            let per_unit = self.of_call(event, 0)? / units as f64;
            Some(per_unit).filter(|count| count.is_finite())
        })
    }

    fn per_unit(&self, slope: &dyn Fn(Event) -> Option<f64>) -> Option<Counts> {
        // What work cannot be without is above zero or unknown; misses may be none, and then noise
        // makes the line fall as often as rise.
        let work = |event| slope(event).filter(|&slope| slope > 0.0);
        let misses = |event| slope(event).map(|slope| slope.max(0.0));
        let (instructions, cycles) = (work(Event::Instructions), work(Event::Cycles));
        let counts = Counts {
            instructions_per_unit: instructions,
            cycles_per_unit: cycles,
            branches_per_unit: slope(Event::Branches).map(|slope| slope.max(0.0)),
            branch_misses_per_unit: misses(Event::BranchMisses),
            cache_misses_per_unit: misses(Event::CacheMisses),
            instructions_per_cycle: instructions.zip(cycles).map(|(i, c)| i / c),
        };
        (counts != Counts::default()).then_some(counts)
    }

    /// The count of a call on a message of the size at this place.
    fn of_call(&self, event: Event, at: usize) -> Option<f64> {
        self.per_call.get(&(event, at)).and_then(|counts| typical(event, counts))
    }

    /// The slope of the count of a call over the sizes.
    fn slope(&self, event: Event, sizes: &[usize]) -> Option<f64> {
        let counted = |at: usize| self.of_call(event, at);
        let (x, y): (Vec<f64>, Vec<f64>) = sizes
            .iter()
            .enumerate()
            .filter_map(|(at, &size)| Some((size as f64, counted(at)?)))
            .unzip();
        let covered = (0..PARTS).all(|part| {
            let part = part * sizes.len() / PARTS..(part + 1) * sizes.len() / PARTS;
            let wanted = (part.len() as f64 * SHARE_OF_SIZES).ceil() as usize;
            part.filter(|&at| counted(at).is_some()).count() >= wanted
        });
        if !covered {
            return None;
        }
        least_squares(&x, &y).map(|line| line.slope)
    }
}

/// The count of a size from that of its samples. Noise only adds to cycles, as it does to time, so
/// that the low end is the work itself; the other counts hardly differ, and the middle is the work.
fn typical(event: Event, counts: &[f64]) -> Option<f64> {
    match event {
        Event::Cycles => lowest_mean(&mut counts.to_vec(), SHARE_OF_CYCLES),
        _ => median(counts),
    }
}

/// Whether cycles that counters saw in a cycle of the chain leave its frequency believable: as many,
/// or no opinion. The ratio is that of the two frequencies, for the chain's time is in both.
#[must_use]
pub fn counters_agree(counted_cycles: &[f64]) -> bool {
    median(counted_cycles).is_none_or(|ratio| (ratio - 1.0).abs() <= AGREE_WITHIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: [Event; 3] = [Event::Instructions, Event::Cycles, Event::BranchMisses];

    fn sizes() -> Vec<usize> {
        (0..=4096).step_by(64).collect()
    }

    /// A tally of `times` samples of each size at which `has` holds.
    fn tally(
        times: u32,
        has: impl Fn(usize) -> bool,
        quiet: bool,
        counts: impl Fn(f64, u32) -> [Option<f64>; 3],
    ) -> Tally {
        let mut tally = Tally::default();
        for (at, size) in sizes().into_iter().enumerate().filter(|&(at, _)| has(at)) {
            for time in 0..times {
                let counts = counts(size as f64, time).map(|count| count.map(|count| 4.0 * count));
                let counted = Counted { case: 0, at, calls: 4, counts: counts.to_vec(), quiet };
                tally.add(&EVENTS, &counted);
            }
        }
        tally
    }

    fn plain(size: f64, _: u32) -> [Option<f64>; 3] {
        [Some(300.0 + 12.0 * size), Some(100.0 + 3.0 * size), Some(2.0)]
    }

    fn close(value: Option<f64>, wanted: f64) -> bool {
        value.is_some_and(|value| (value - wanted).abs() <= 1e-9 * wanted.max(1.0))
    }

    #[test]
    fn counts_come_out_exactly() {
        let counts = tally(3, |_| true, true, plain).counts(&sizes()).expect("counts");
        assert!(close(counts.instructions_per_unit, 12.0), "{counts:?}");
        assert!(close(counts.cycles_per_unit, 3.0), "{counts:?}");
        assert!(close(counts.instructions_per_cycle, 4.0), "{counts:?}");
        assert!(close(counts.branch_misses_per_unit, 0.0), "{counts:?}");
        assert_eq!((counts.branches_per_unit, counts.cache_misses_per_unit), (None, None));
    }

    #[test]
    fn at_one_size_the_counts_of_a_call_are_told() {
        let tally = tally(3, |at| at == 0, true, |_, _| plain(64.0, 0));
        let counts = tally.counts_at_one_size(64).expect("counts");
        assert!(close(counts.instructions_per_unit, 300.0 / 64.0 + 12.0), "{counts:?}");
        assert!(close(counts.branch_misses_per_unit, 2.0 / 64.0), "{counts:?}");
        let counts = tally.counts_at_one_size(1).expect("counts");
        assert!(close(counts.cycles_per_unit, 100.0 + 3.0 * 64.0), "{counts:?}");
        assert_eq!(counts.cache_misses_per_unit, None);
        assert_eq!(tally.counts_at_one_size(0), None);
        assert_eq!(Tally::default().counts_at_one_size(1), None);
    }

    #[test]
    fn one_wild_sample_in_three_changes_nothing() {
        let wild = |size, time| {
            let factor = if time == 1 { 50.0 } else { 1.0 };
            plain(size, time).map(|count| count.map(|count| factor * count))
        };
        let counts = tally(3, |_| true, true, wild).counts(&sizes()).expect("counts");
        assert!(close(counts.instructions_per_unit, 12.0), "{counts:?}");
    }

    #[test]
    fn noise_only_adds_to_cycles() {
        let noisy = |size: f64, time| {
            let stall = if time == 1 { 0.0 } else { 0.1 * size };
            [Some(300.0 + 12.0 * size), Some(100.0 + 3.0 * size + stall), Some(2.0)]
        };
        let counts = tally(3, |_| true, true, noisy).counts(&sizes()).expect("counts");
        assert!(close(counts.cycles_per_unit, 3.0), "{counts:?}");
    }

    #[test]
    fn cycles_beside_a_neighbour_do_not_count() {
        let counts = tally(3, |_| true, false, plain).counts(&sizes()).expect("counts");
        assert!(close(counts.instructions_per_unit, 12.0), "{counts:?}");
        assert_eq!((counts.cycles_per_unit, counts.instructions_per_cycle), (None, None));
    }

    #[test]
    fn too_few_sizes_give_no_count() {
        assert!(tally(3, |at| at % 2 == 0, true, plain).counts(&sizes()).is_some());
        assert_eq!(tally(3, |at| at % 3 == 0, true, plain).counts(&sizes()), None);
        // None of the large ones.
        assert_eq!(tally(3, |at| at < 48, true, plain).counts(&sizes()), None);
        assert_eq!(Tally::default().counts(&sizes()), None);
        let never = |_: f64, _: u32| [None, None, Some(f64::NAN)];
        assert_eq!(tally(3, |_| true, true, never).counts(&sizes()), None);
    }

    #[test]
    fn nothing_is_below_zero() {
        let falling = |size: f64, _: u32| [Some(9e6 - size), Some(9e6), Some(1e4 - size)];
        let counts = tally(3, |_| true, true, falling).counts(&sizes()).expect("misses");
        let Counts { instructions_per_unit, cycles_per_unit, .. } = counts;
        assert_eq!((instructions_per_unit, cycles_per_unit), (None, None));
        assert_eq!(counts.branch_misses_per_unit, Some(0.0));
    }

    #[test]
    fn counting_ends() {
        let wants = |times, has: fn(usize) -> bool, quiet| {
            tally(times, has, quiet, plain).wants_more(sizes().len())
        };
        assert_eq!(Tally::default().wants_more(65), Some(0));
        assert_eq!(wants(2, |_| true, true), Some(130));
        assert_eq!(wants(3, |at| at != 7, true), Some(192));
        assert_eq!(wants(3, |_| true, true), None);
        // The core is never quiet.
        assert_eq!(wants(3, |_| true, false), Some(195));
        assert_eq!(wants(12, |_| true, false), None);
    }

    #[test]
    fn counters_that_disagree_with_the_chain_make_the_frequency_unknown() {
        assert!(counters_agree(&[]));
        assert!(counters_agree(&[1.001, 0.999, 1.4]));
        assert!(counters_agree(&[1.019]));
        assert!(!counters_agree(&[1.021]));
        assert!(!counters_agree(&[0.97, 0.97, 1.0]));
        // Ticks at a constant rate instead of cycles.
        assert!(!counters_agree(&[0.66, 0.65, 0.66]));
        assert!(!counters_agree(&[f64::NAN]));
    }
}
