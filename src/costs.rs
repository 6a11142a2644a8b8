//! Pure arithmetic: whether the samples of a row are of two costs within the processes that took them.
//!
//! Each sample has the stack at another place, and each visit the message. Code that is slower where its
//! locals lie across a line of the cache, or whose loads meet its stores, has two costs by that; a core
//! that goes from one state to another every few milliseconds looks the same. Either way one process meets
//! both, and their shares are the same in every run. Where each process has one cost, `layouts` finds it.

use crate::fit::Rounds;
use crate::layouts::TwoCosts;

/// Samples that are needed.
const FEWEST_SAMPLES: usize = 100;
/// Samples of each kind that are needed, as a share of all.
const FEWEST_SHARE: f64 = 0.15;
/// The highest samples do not count, as a share of all: they were interrupted.
const INTERRUPTED: f64 = 0.05;
/// The gap between the two kinds, as a share of the cost: less is no surprise to anybody.
const GAP: f64 = 0.015;
/// As near as this share of the gap to the median of their kind ...
const NEAR: f64 = 0.2;
/// ... lie most of the low samples, as a share ...
const NEAR_LOW: f64 = 0.8;
/// ... and most of the high ones: noise spreads, places and states do not.
const NEAR_HIGH: f64 = 0.6;
/// A process has met a kind when this share of its samples is of it.
const MET: f64 = 0.1;
/// The share of processes that must have met both.
const BOTH_MET: f64 = 0.5;
/// Sizes below this share of the largest are left out: there a call costs more than its bytes.
const SMALL: f64 = 0.25;

/// The two costs of a row, when its samples have two; with the floors at each size.
#[must_use]
pub fn two_costs_of_samples(processes: &[Rounds], floors: &[f64]) -> Option<TwoCosts> {
    let small = (floors.len() as f64 * SMALL) as usize;
    let above: Vec<Vec<f64>> =
        processes.iter().map(|rounds| above(rounds, floors, small)).collect();
    let mut all: Vec<f64> = above.iter().flatten().copied().collect();
    all.sort_unstable_by(f64::total_cmp);
    let sorted = &all[..(all.len() as f64 * (1.0 - INTERRUPTED)) as usize];
    if sorted.len() < FEWEST_SAMPLES {
        return None;
    }
    let split = closest_split(sorted)?;
    let (below, beyond) = sorted.split_at(split);
    let (low, high) = (*below.get(below.len() / 2)?, *beyond.get(beyond.len() / 2)?);
    let gap = high - low;
    let near = |kind: &[f64], centre: f64, share: f64| {
        let near = kind.iter().filter(|&&ratio| (ratio - centre).abs() <= NEAR * gap).count();
        near as f64 >= share * kind.len() as f64
    };
    let two = gap >= GAP
        && near(below, low, NEAR_LOW)
        && near(beyond, high, NEAR_HIGH)
        && are_mixed(&above, f64::midpoint(low, high));
    // Those far above the high ones were interrupted, whichever kind they are of.
    let up_to = |ratio: f64| all.partition_point(|&other| other <= ratio) as f64;
    let both = up_to(high + gap);
    let share_high = (both - up_to(f64::midpoint(low, high))) / both;
    two.then_some(TwoCosts { low, high, share_high })
}

/// How far the samples of a process lie above the floors, as shares, from a place among the sizes on.
fn above(rounds: &Rounds, floors: &[f64], small: usize) -> Vec<f64> {
    let ratios = rounds.iter().flat_map(|round| round.iter().zip(floors).skip(small));
    ratios.map(|(ns, floor)| ns / floor - 1.0).filter(|ratio| ratio.is_finite()).collect()
}

/// Each split has its two kinds; the one whose kinds lie closest together, by the sum of the distances
/// from their medians, is the one to judge.
fn closest_split(sorted: &[f64]) -> Option<usize> {
    let mut sum = 0.0;
    let sums: Vec<f64> = std::iter::once(0.0)
        .chain(sorted.iter().map(|ratio| {
            sum += ratio;
            sum
        }))
        .collect();
    let scatter = |from: usize, to: usize| {
        // Those below the one in the middle are as many as those above it, or one less.
        let (middle, odd) = (from + (to - from) / 2, (to - from) % 2);
        let unpaired = if odd == 1 { sorted[middle] } else { 0.0 };
        (sums[to] - sums[middle]) - (sums[middle] - sums[from]) - unpaired
    };
    let fewest = (FEWEST_SHARE * sorted.len() as f64).ceil() as usize;
    (fewest.max(1)..=sorted.len().checked_sub(fewest)?).min_by(|&a, &b| {
        let scatter = |split: usize| scatter(0, split) + scatter(split, sorted.len());
        scatter(a).total_cmp(&scatter(b))
    })
}

/// Whether most processes have met both kinds: a neighbour would have some of them whole.
fn are_mixed(above: &[Vec<f64>], between: f64) -> bool {
    let some: Vec<f64> = above
        .iter()
        .filter(|ratios| !ratios.is_empty())
        .map(|ratios| {
            let high = ratios.iter().filter(|&&ratio| ratio > between).count();
            high as f64 / ratios.len() as f64
        })
        .collect();
    let both = some.iter().filter(|&&share| share >= MET && share <= 1.0 - MET).count();
    both as f64 >= BOTH_MET * some.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixteen processes of two rounds at 65 sizes of 2 ns/B, each sample as far above it as `above`
    /// says of process, round and size.
    fn found(above: impl Fn(usize, usize, usize) -> f64) -> Option<TwoCosts> {
        let floors: Vec<f64> = (0..65).map(|at| 50.0 + 128.0 * f64::from(at)).collect();
        let round = |process, round| -> Vec<f64> {
            (0..65).map(|at| floors[at] * (1.0 + above(process, round, at))).collect()
        };
        let processes: Vec<Rounds> =
            (0..16).map(|process| vec![round(process, 0), round(process, 1)]).collect();
        two_costs_of_samples(&processes, &floors)
    }

    /// Noise of up to three per mille, and now and then an interruption.
    fn noise(process: usize, round: usize, at: usize) -> f64 {
        let number = process * 131 + round * 67 + at;
        0.001 * (number * 7 % 4) as f64 + if number % 33 == 5 { 0.5 } else { 0.0 }
    }

    #[test]
    fn a_quarter_of_the_places_is_told() {
        let found = found(|process, round, at| {
            let slow = (99 * process + 45 * round + 159 * at) % 4 == 1;
            noise(process, round, at) + if slow { 0.028 } else { 0.0 }
        })
        .expect("two costs");
        assert!(found.low < 0.003, "{found:?}");
        assert!((found.high - found.low - 0.028).abs() < 0.002, "{found:?}");
        assert!((found.share_high - 0.25).abs() < 0.05, "{found:?}");
    }

    #[test]
    fn a_state_that_comes_and_goes_within_processes_is_told() {
        let found = found(|process, round, at| {
            let slow = (process * 5 + round * 30 + at) / 25 % 2 == 0;
            noise(process, round, at) + if slow { 0.044 } else { 0.0 }
        })
        .expect("two costs");
        assert!((found.high - found.low - 0.044).abs() < 0.002, "{found:?}");
        assert!((found.share_high - 0.5).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn noise_and_neighbours_are_no_two_costs() {
        assert_eq!(found(noise), None);
        // A spread without a gap.
        assert_eq!(
            found(|process, round, at| 0.05 * ((process + round + at * 7) % 16) as f64),
            None
        );
        // One place of 16.
        let rare =
            |process, round, at| if (process + at * 3 + round) % 16 == 3 { 0.1 } else { 0.0 };
        assert_eq!(found(rare), None);
        // A neighbour throughout some processes.
        let busy = |process, _, _| if (5..10).contains(&process) { 0.1 } else { 0.0 };
        assert_eq!(found(busy), None);
        // Too little to matter.
        assert_eq!(found(|process, _, at| if (process + at) % 2 == 0 { 0.01 } else { 0.0 }), None);
        // Too few samples.
        assert_eq!(two_costs_of_samples(&[], &[]), None);
        assert_eq!(two_costs_of_samples(&[vec![vec![1.0]; 50]], &[1.0]), None);
    }
}
