//! Pure arithmetic: whether processes disagree about a row because of where code and data lie.
//!
//! The loader gives each process other addresses. Some code then has two costs, either of them fixed
//! for the life of a process: the floor over many processes is the better one, and a program that
//! links the same code may get the other. At one size, where visits are short, a state of the core that
//! lasts for some milliseconds looks the same: docs/points.md has an example.

use serde::{Deserialize, Serialize};

use crate::fit::{Rounds, floor_of_process};

/// A row whose cost depends on where code and data lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layouts {
    /// Nanoseconds per unit where they lie well: this is the row's number.
    pub best_ns_per_unit: f64,
    /// Nanoseconds per unit in the other processes or samples, in the median.
    pub other_ns_per_unit: f64,
    /// The share of the others among all.
    pub other_share: f64,
}

/// Two costs of a row, as shares above its floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoCosts {
    /// The median of the processes near the floor.
    pub low: f64,
    /// The median of the others.
    pub high: f64,
    /// The share of the others among all processes.
    pub share_high: f64,
}

/// Processes of each kind that are needed: one or two may have had bad luck.
const FEWEST: usize = 3;
/// The share of processes of each kind that is needed.
const FEWEST_SHARE: f64 = 0.15;
/// The gap between the two kinds, as a share of the cost: less is no surprise to anybody.
const GAP: f64 = 0.015;
/// As near as this share of the gap to the median of their kind ...
const NEAR: f64 = 0.2;
/// ... lie most processes near the floor, as a share ...
const NEAR_LOW: f64 = 0.8;
/// ... and most of the others: noise spreads, layouts do not.
const NEAR_HIGH: f64 = 0.6;
/// Sizes below this share of the largest are left out: there a call costs more than its bytes.
const SMALL: f64 = 0.25;

/// The two costs of a row, when its processes have two; in the order of time, with the floors over all
/// of them at each size.
#[must_use]
pub fn two_costs(processes: &[Rounds], floors: &[f64]) -> Option<TwoCosts> {
    let above: Vec<f64> =
        processes.iter().filter_map(|rounds| above_floor(rounds, floors)).collect();
    let mut sorted = above.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let fewest = FEWEST.max((FEWEST_SHARE * sorted.len() as f64).ceil() as usize);
    // Each split has its two kinds; the one whose kinds lie closest together, by the sum of the
    // distances from their medians, is the one to judge. A few stray processes do not move it.
    let split = (fewest..=sorted.len().checked_sub(fewest)?).min_by(|&a, &b| {
        let scatter = |split: usize| scatter(&sorted[..split]) + scatter(&sorted[split..]);
        scatter(a).total_cmp(&scatter(b))
    })?;
    let (below, above_them) = sorted.split_at(split);
    let (low, high) = (median(below)?, median(above_them)?);
    let gap = high - low;
    let near = |kind: &[f64], centre: f64, share: f64| {
        let near = kind.iter().filter(|&&ratio| (ratio - centre).abs() <= NEAR * gap).count();
        near >= fewest && near as f64 >= share * kind.len() as f64
    };
    let two = gap >= GAP
        && near(below, low, NEAR_LOW)
        && near(above_them, high, NEAR_HIGH)
        && alternate(&above, f64::midpoint(low, high));
    two.then(|| TwoCosts { low, high, share_high: above_them.len() as f64 / sorted.len() as f64 })
}

/// The sum of the distances from the median, of values in their order.
fn scatter(sorted: &[f64]) -> f64 {
    let centre = median(sorted).unwrap_or(0.0);
    sorted.iter().map(|value| (value - centre).abs()).sum()
}

/// The one in the middle, of values in their order.
fn median(sorted: &[f64]) -> Option<f64> {
    sorted.get(sorted.len() / 2).copied()
}

/// How far a process lies above the floor: the median over the larger sizes that it has.
fn above_floor(rounds: &Rounds, floors: &[f64]) -> Option<f64> {
    let small = (floors.len() as f64 * SMALL) as usize;
    let own = floor_of_process(rounds);
    let ratios = own.iter().zip(floors).skip(small).map(|(own, floor)| own / floor - 1.0);
    let mut ratios: Vec<f64> = ratios.filter(|ratio| ratio.is_finite()).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    median(&ratios)
}

/// Whether the higher ones are not all in one stretch of time, as those of a busy neighbour would be.
fn alternate(above: &[f64], between: f64) -> bool {
    let runs = above.chunk_by(|&a, &b| (a > between) == (b > between));
    runs.filter(|run| run.iter().any(|&ratio| ratio > between)).count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixteen processes of two rounds at 65 sizes, each as far above 2 ns/B as `above` says.
    fn found(above: impl Fn(usize) -> f64) -> Option<TwoCosts> {
        let floors: Vec<f64> = (0..65).map(|at| 50.0 + 128.0 * f64::from(at)).collect();
        let processes: Vec<Rounds> = (0..16)
            .map(|process| {
                let round: Vec<f64> = floors.iter().map(|ns| ns * (1.0 + above(process))).collect();
                vec![round.clone(), round]
            })
            .collect();
        two_costs(&processes, &floors)
    }

    #[test]
    fn two_costs_are_told_with_their_share() {
        let found = found(|process| {
            let noise = 0.0003 * (process % 5) as f64;
            if process % 4 == 1 { 0.09 + noise } else { noise }
        })
        .expect("two costs");
        assert!((found.low - 0.0006).abs() < 4e-4, "{found:?}");
        assert!((found.high - 0.0906).abs() < 1e-3, "{found:?}");
        assert!((found.share_high - 0.25).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn stray_processes_do_not_hide_two_costs() {
        // Fourteen near the floor, with two a little above; eight others, with one far off.
        let above = [
            0.0, 0.001, 0.038, 0.002, 0.012, 0.001, 0.037, 0.0, 0.001, 0.039, 0.002, 0.0, 0.021,
            0.038, 0.001, 0.040, 0.0, 0.038, 0.002, 0.3, 0.001, 0.039,
        ];
        let floors: Vec<f64> = (0..65).map(|at| 50.0 + 128.0 * f64::from(at)).collect();
        let process =
            |above: &f64| vec![floors.iter().map(|ns| ns * (1.0 + above)).collect::<Vec<f64>>()];
        let processes: Vec<Rounds> = above.iter().map(process).collect();
        let found = two_costs(&processes, &floors).expect("two costs");
        assert!(found.low <= 0.0021 && (found.high - 0.0385).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn noise_and_neighbours_are_no_layouts() {
        // A continuous spread.
        assert_eq!(found(|process| 0.004 * process as f64), None);
        // One process.
        assert_eq!(found(|process| if process == 7 { 0.1 } else { 0.0 }), None);
        assert_eq!(found(|process| if process % 8 == 7 { 0.1 } else { 0.0 }), None);
        // A neighbour for a while.
        assert_eq!(found(|process| if (5..9).contains(&process) { 0.1 } else { 0.0 }), None);
        // Others that do not agree with each other.
        assert_eq!(
            found(|process| if process % 3 == 0 { 0.02 + 0.03 * process as f64 } else { 0.0 }),
            None
        );
        // Too little to tell.
        assert_eq!(found(|process| if process % 2 == 0 { 0.005 } else { 0.0 }), None);
        assert_eq!(two_costs(&[], &[]), None);
    }

    #[test]
    fn processes_with_some_of_the_sizes_count_too() {
        let floors: Vec<f64> = (0..65).map(|at| 50.0 + 128.0 * f64::from(at)).collect();
        let processes: Vec<Rounds> = (0..12)
            .map(|process| {
                let factor = if process % 2 == 0 { 1.03 } else { 1.0 };
                let ns =
                    |at: usize| if at % 12 == process { floors[at] * factor } else { f64::NAN };
                vec![(0..65).map(ns).collect()]
            })
            .collect();
        let found = two_costs(&processes, &floors).expect("two costs");
        assert!((found.high - 0.03).abs() < 1e-6 && found.low.abs() < 1e-6, "{found:?}");
    }
}
