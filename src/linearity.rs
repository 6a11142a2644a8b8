//! Pure arithmetic: whether a straight line is the right model of the times at all.
//!
//! Work in blocks makes a staircase of the times, and noise scatters them: neither is a bend. So a
//! bend must explain the scatter and matter: `docs/method.md` has the reasons and the figures.

use serde::{Deserialize, Serialize};

use crate::fit::{Line, least_squares};

/// Where a line stops being the right model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bend {
    /// The largest size below it.
    pub size: usize,
    /// Nanoseconds per byte (or per unit of what is counted) up to that size.
    pub ns_per_unit_below: f64,
    /// Nanoseconds per unit beyond it; where the time falls, those of the largest size; of a staircase, those
    /// over whole steps.
    pub ns_per_unit_above: f64,
    /// The length of a step where the time is a staircase: then what is below is the cost within one.
    #[serde(default)]
    pub batch: Option<usize>,
}

/// Why the line of a row says nothing of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unpredictable {
    /// Its time bends, and the size is none of the line's own.
    Bent,
    /// The size is beyond the line's, and whether time is straight is not known.
    PerhapsBent,
    /// The line is below zero there.
    BelowZero,
}

impl Unpredictable {
    /// All there are.
    pub const ALL: &'static [Unpredictable] =
        &[Unpredictable::Bent, Unpredictable::PerhapsBent, Unpredictable::BelowZero];

    /// In words.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Unpredictable::Bent => {
                "the row's time is no straight line, and the size is none of those that the line goes through"
            }
            Unpredictable::PerhapsBent => {
                "the size is beyond those that the line goes through, and the row was measured at too few sizes \
                 or too roughly to know whether its time is straight"
            }
            Unpredictable::BelowZero => "the line is below zero at this size",
        }
    }
}

/// Points whose number is below this are too few to tell a bend from a staircase.
const FEWEST_POINTS: usize = 20;
/// A slope on either side comes from so many points at least.
const FEWEST_ON_A_SIDE: usize = 8;
/// The first points may be special: an empty message, the first block, calls that overlap.
pub const START: usize = 4;
/// Two lines must leave less than this share of the squared distances that one line leaves.
/// Staircases leave 0.87 and more, noise 0.7; a parabola leaves 0.06.
const SCATTER_LEFT: f64 = 0.25;
/// The slope of a side must differ by this share from the line's.
const MATTERS: f64 = 0.04;
/// The start must move the line's slope by this share.
const START_MATTERS: f64 = 0.05;
/// A larger message whose time is smaller by this share works in another way ...
const FALL: f64 = 0.2;
/// ... and the line is wrong for it when what falls is the cost of this share of the largest size.
/// ChaCha20 in batches of 256 bytes falls by 0.07, AES in batches of 1024 by 0.19 and more.
const FALL_MATTERS: f64 = 0.125;
/// What matters must be so many times the slope's relative error.
const ERRORS: f64 = 3.0;
/// A staircase shows in so many steps at least: in a quarter of the sizes' range, or in little more.
const FEWEST_STEPS: usize = 3;

/// Whether a bend that matters would have been found in so many points, with this relative error of the slope.
#[must_use]
pub fn is_examined(points: usize, relative_error: Option<f64>) -> bool {
    points >= FEWEST_POINTS && relative_error.is_some_and(|error| ERRORS * error <= MATTERS)
}

/// The bend in the times at these sizes, if there is one; `error` is half the slope's 95 % interval.
#[must_use]
pub fn bend(sizes: &[usize], floors: &[f64], error: f64) -> Option<Bend> {
    let there = |(&size, &ns): (&usize, &f64)| ns.is_finite().then_some((size as f64, ns));
    let (x, y): (Vec<f64>, Vec<f64>) = sizes.iter().zip(floors).filter_map(there).unzip();
    if x.len() < FEWEST_POINTS {
        return None;
    }
    let line = least_squares(&x, &y)?;
    let matters = |slope: f64, share: f64| {
        (slope - line.slope).abs() > (share * line.slope.abs()).max(ERRORS * error)
    };
    two_lines(&x[START..], &y[START..], |slope| matters(slope, MATTERS))
        .or_else(|| fall(&x, &y, line.slope))
        .or_else(|| stairs(&x, &y, error))
        .or_else(|| start(&x, &y, |slope| matters(slope, START_MATTERS)))
}

/// The sum of squared vertical distances from the line through the points, and the line.
fn scatter(x: &[f64], y: &[f64]) -> Option<(f64, Line)> {
    let line = least_squares(x, y)?;
    let distance = |(x, y): (&f64, &f64)| y - line.intercept - line.slope * x;
    Some((x.iter().zip(y).map(|point| distance(point).powi(2)).sum(), line))
}

/// Two lines with a kink or a jump between them, when they fit far better than one.
fn two_lines(x: &[f64], y: &[f64], matters: impl Fn(f64) -> bool) -> Option<Bend> {
    let (one, line) = scatter(x, y)?;
    let last = x.len().checked_sub(FEWEST_ON_A_SIDE)?;
    let splits = (FEWEST_ON_A_SIDE..=last).filter_map(|at| {
        let (below, lower) = scatter(&x[..at], &y[..at])?;
        let (above, upper) = scatter(&x[at..], &y[at..])?;
        Some((below + above, at, lower.slope, upper.slope))
    });
    let (two, at, below, above) = splits.min_by(|a, b| a.0.total_cmp(&b.0))?;
    // A special start moves the line, not these points: then only the start is to be told.
    let differs = |slope: f64| matters(slope) && (slope / line.slope - 1.0).abs() > MATTERS;
    let found = two < SCATTER_LEFT * one && (differs(below) || differs(above));
    found.then(|| of(x[at - 1], below, above))
}

/// A time that falls although the message grows: a wide implementation that needs so many blocks.
///
/// It may work on whole batches only, so that times rise and fall again and two lines do not fit;
/// for BLAKE3 the batch is 4096 bytes and only the largest size shows it. Noise only adds time, so
/// that a single low point counts there, where a single high one does not.
fn fall(x: &[f64], y: &[f64], slope: f64) -> Option<Bend> {
    let (largest, ns) = (*x.last()?, *y.last()?);
    let falls = |&at: &usize| {
        // From both its predecessors and with its successor: else one point was an outlier.
        let before = y[at - 1].min(y[at - 2]);
        let after = y.get(at + 1).map_or(y[at], |next| next.max(y[at]));
        after < before
            && y[at] < (1.0 - FALL) * before
            && before - y[at] > FALL_MATTERS * slope * largest
    };
    let at = (FEWEST_ON_A_SIDE..x.len()).find(falls)?;
    let below = least_squares(&x[..at], &y[..at])?;
    Some(of(x[at - 1], below.slope, (ns - below.intercept) / largest))
}

/// Steps so long that what a message costs depends on where in one it ends: each place in a step with an
/// intercept of its own, and one slope for all, fit far better than a line.
///
/// Steps of blocks and small batches do so too; the line averages over them, for they differ by less than what
/// matters.
fn stairs(x: &[f64], y: &[f64], error: f64) -> Option<Bend> {
    let step = x.windows(2).map(|pair| pair[1] - pair[0]).reduce(f64::min)?;
    let places: Vec<f64> = x.iter().map(|size| (size - x[0]) / step).collect();
    if !(step > 0.0 && places.iter().all(|place| place.fract() == 0.0)) {
        return None;
    }
    let rest = |values: &[f64]| values.get(START..).map(<[f64]>::to_vec);
    let (x, y, largest) = (rest(x)?, rest(y)?, *x.last()?);
    let place = |at: usize, steps: usize| places[START + at] as usize % steps;
    let (mut left, _) = scatter(&x, &y)?;
    let mut best: Option<(usize, Line, Vec<f64>)> = None;
    for steps in 2..=x.len() / FEWEST_STEPS {
        // Around the means of each place, the one slope; then what is above it at each.
        let groups: Vec<Vec<usize>> = (0..steps)
            .map(|own| (0..x.len()).filter(|&at| place(at, steps) == own).collect())
            .collect();
        let mean = |of: &[f64], group: &[usize]| {
            group.iter().map(|&at| of[at]).sum::<f64>() / group.len() as f64
        };
        let centred = |of: &[f64]| -> Vec<f64> {
            (0..of.len()).map(|at| of[at] - mean(of, &groups[place(at, steps)])).collect()
        };
        let line = least_squares(&centred(&x), &centred(&y))?;
        let above: Vec<f64> =
            groups.iter().map(|group| mean(&y, group) - line.slope * mean(&x, group)).collect();
        let squares = (0..x.len())
            .map(|at| (y[at] - line.slope * x[at] - above[place(at, steps)]).powi(2))
            .sum::<f64>();
        if squares < SCATTER_LEFT * left {
            (left, best) = (squares, Some((steps, line, above)));
        }
    }
    let (steps, line, above) = best?;
    let lowest = above.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = above.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if highest - lowest <= largest * (FALL_MATTERS * line.slope).max(ERRORS * error) {
        return None;
    }
    // From each place to the next, the last one's being the first of the step that follows.
    let mut rises: Vec<f64> =
        (0..steps).map(|at| above[(at + 1) % steps] - above[at] + line.slope * step).collect();
    let jump = (0..steps).max_by(|&a, &b| rises[a].total_cmp(&rises[b]))?;
    let before = (0..x.len()).find(|&at| place(at, steps) == jump)?;
    rises.sort_unstable_by(f64::total_cmp);
    let within = rises[steps / 2] / step;
    let batch = Some(steps * step as usize);
    Some(Bend { batch, ..of(x[before], within, line.slope) })
}

/// First points so far from the others that they turn the line.
fn start(x: &[f64], y: &[f64], matters: impl Fn(f64) -> bool) -> Option<Bend> {
    let rest = least_squares(&x[START..], &y[START..])?;
    let below = (y[START] - y[0]) / (x[START] - x[0]);
    matters(rest.slope).then(|| of(x[START], below, rest.slope))
}

fn of(size: f64, ns_per_unit_below: f64, ns_per_unit_above: f64) -> Bend {
    Bend { size: size as usize, ns_per_unit_below, ns_per_unit_above, batch: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes() -> Vec<usize> {
        (0..=4096).step_by(64).collect()
    }

    fn of_cost(cost: impl Fn(f64) -> f64) -> Option<Bend> {
        let floors: Vec<f64> = sizes().iter().map(|&size| cost(size as f64)).collect();
        bend(&sizes(), &floors, 0.0)
    }

    fn close(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 1e-6
    }

    /// A kink at 2048 bytes from 1 ns/B to this.
    fn kink(above: f64) -> impl Fn(f64) -> f64 {
        move |x| 50.0 + x.min(2048.0) + above * (x - 2048.0).max(0.0)
    }

    /// The cost with normal noise of this share of it, another one for each seed.
    fn noisy(cost: impl Fn(f64) -> f64, share: f64, seed: u64) -> Option<Bend> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed;
        let mut uniform = || {
            // Linear congruential, Knuth's MMIX constants; the high bits are good enough.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let floors: Vec<f64> = sizes()
            .iter()
            .map(|&size| {
                // Twelve uniform numbers: variance 1.
                let normal = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
                cost(size as f64) * (1.0 + share * normal)
            })
            .collect();
        bend(&sizes(), &floors, 0.0)
    }

    #[test]
    fn exact_lines_have_no_bend() {
        for (slope, intercept) in [(1.0, 0.0), (0.05, 3.0), (38.0, 900.0), (1.0, 70_000.0)] {
            assert_eq!(of_cost(|x| slope * x + intercept), None);
        }
    }

    #[test]
    fn a_staircase_is_no_bend() {
        for block in [8.0, 16.0, 64.0, 72.0, 104.0, 128.0, 136.0, 144.0, 168.0, 256.0] {
            for padding in [0.0, 1.0, 9.0, 17.0] {
                for (slope, call) in [(1.0, 0.0), (2.4, 300.0), (0.05, 10.0)] {
                    let cost = |x: f64| slope * block * ((x + padding) / block).ceil() + call;
                    assert_eq!(of_cost(cost), None, "{block} {padding} {slope} {call}");
                    for seed in 0..20 {
                        assert_eq!(noisy(cost, 0.003, seed), None, "{block} {padding} {seed}");
                    }
                }
            }
        }
    }

    #[test]
    fn batches_of_a_few_blocks_are_no_bend() {
        // ChaCha20: four blocks of 64 bytes at a time, what is left block by block.
        let cost = |x: f64| 20.0 + 0.5 * 256.0 * (x / 256.0).floor() + 1.35 * (x % 256.0);
        assert_eq!(of_cost(cost), None);
    }

    #[test]
    fn long_steps_are_told_as_such() {
        // PMAC-AES as it was measured: 0.29 ns/B, and 535 ns more after each 1024 bytes.
        let pmac = |x: f64| 15.0 + 0.29 * x + 535.0 * ((x / 1024.0).ceil() - 1.0).max(0.0);
        let found = of_cost(pmac).expect("a bend");
        assert_eq!((found.size, found.batch), (1024, Some(1024)));
        assert!((found.ns_per_unit_below / 0.29 - 1.0).abs() < 1e-6, "{found:?}");
        let whole = 0.29 + 535.0 / 1024.0;
        assert!((found.ns_per_unit_above / whole - 1.0).abs() < 1e-6, "{found:?}");
        for seed in 0..100 {
            let found = noisy(pmac, 0.01, seed).expect("a bend");
            assert_eq!((found.size, found.batch), (1024, Some(1024)), "{seed}");
        }
        // All of the cost in the jump, and steps of other lengths.
        for batch in [768.0, 1024.0, 1152.0, 1280.0] {
            let found = of_cost(|x| 50.0 + batch * (x / batch).ceil()).expect("a bend");
            assert_eq!(found.batch, Some(batch as usize));
            assert!(found.ns_per_unit_below.abs() < 1e-9, "{found:?}");
            assert!(close(found.ns_per_unit_above, 1.0), "{found:?}");
        }
        // Half a kilobyte at most differs by less than what matters.
        assert_eq!(of_cost(|x| 50.0 + 512.0 * (x / 512.0).ceil()), None);
        // An error that hides it.
        let floors: Vec<f64> = sizes().iter().map(|&size| pmac(size as f64)).collect();
        assert_eq!(bend(&sizes(), &floors, 0.1), None);
    }

    #[test]
    fn a_bend_is_examined_only_where_it_would_be_found() {
        assert!(is_examined(65, Some(0.001)) && is_examined(20, Some(0.013)));
        assert!(!is_examined(19, Some(0.001)) && !is_examined(65, Some(0.014)));
        assert!(!is_examined(65, None));
    }

    #[test]
    fn a_kink_is_found_where_it_is() {
        for above in [2.0, 1.1, 0.9, 0.5] {
            let found = of_cost(kink(above)).expect("a bend");
            assert!((1984..=2048).contains(&found.size), "{found:?}");
            assert!(close(found.ns_per_unit_below, 1.0), "{found:?}");
            assert!(close(found.ns_per_unit_above, above), "{found:?}");
        }
        // The answer that must come out otherwise: too little to matter.
        assert_eq!(of_cost(kink(1.05)), None);
    }

    #[test]
    fn a_jump_is_found_where_it_is() {
        let found = of_cost(|x| x + if x >= 1024.0 { 500.0 } else { 0.0 }).expect("a bend");
        assert_eq!(found.size, 960);
        assert!(close(found.ns_per_unit_below, 1.0) && close(found.ns_per_unit_above, 1.0));
    }

    #[test]
    fn a_parabola_is_no_line() {
        for cost in [|x: f64| x * x / 1000.0, |x: f64| x + x * x / 20_000.0] {
            let found = of_cost(cost).expect("a bend");
            assert!(found.ns_per_unit_above > 1.1 * found.ns_per_unit_below, "{found:?}");
            assert!((1500..2600).contains(&found.size), "{found:?}");
        }
    }

    #[test]
    fn chunks_in_parallel_are_no_line() {
        // BLAKE3 with four chunks at once and no fewer: only the largest size shows it.
        let four = |x: f64| if x < 4096.0 { 5.0 + 1.04 * x } else { 5.0 + 0.52 * x };
        let found = of_cost(four).expect("a bend");
        assert_eq!(found.size, 4032);
        assert!(close(found.ns_per_unit_below, 1.04) && close(found.ns_per_unit_above, 0.52));
        // With two at once as well.
        let two = |x: f64| {
            let (fours, rest) = ((x / 4096.0).floor(), x % 4096.0);
            let (twos, rest) = ((rest / 2048.0).floor(), rest % 2048.0);
            5.0 + 0.5 * 4096.0 * fours + 0.6 * 2048.0 * twos + 1.04 * rest
        };
        assert_eq!(of_cost(two).expect("a bend").size, 1984);
        // AES in batches of 64 blocks, the rest at half the speed.
        let batches = |x: f64| 4.0 + 0.045 * (1024.0 * (x / 1024.0).floor()) + 0.09 * (x % 1024.0);
        let found = of_cost(batches).expect("a bend");
        assert_eq!(found.size, 960);
        assert!(close(found.ns_per_unit_below, 0.09) && close(found.ns_per_unit_above, 0.045));
    }

    #[test]
    fn a_special_start_is_told_only_when_it_turns_the_line() {
        for cheaper in [50.0, 100.0, 300.0] {
            assert_eq!(of_cost(|x| if x == 0.0 { 400.0 - cheaper } else { 400.0 + x }), None);
        }
        for first in 1..=4 {
            let below = |x: f64| x < 64.0 * f64::from(first);
            assert_eq!(of_cost(|x| if below(x) { 340.0 + x } else { 400.0 + x }), None);
        }
        // Poly1305 as it was measured: 25 ns for nothing, 850 ns and 0.19 ns/B for something.
        let found = of_cost(|x| if x == 0.0 { 25.0 } else { 844.0 + 0.19 * x }).expect("a bend");
        assert_eq!(found.size, 256);
        assert!(close(found.ns_per_unit_above, 0.19), "{found:?}");
    }

    #[test]
    fn noise_is_no_bend() {
        for share in [0.003, 0.01, 0.03] {
            let alarms = (0..1000).filter(|&s| noisy(|x| 50.0 + x, share, s).is_some()).count();
            assert_eq!(alarms, 0, "{share}");
        }
    }

    #[test]
    fn a_single_outlier_is_no_bend() {
        for at in 0..65 {
            for factor in [1.03, 1.1, 1.5, 2.0, 4.0] {
                let cost =
                    |x: f64| (50.0 + x) * if x == 64.0 * f64::from(at) { factor } else { 1.0 };
                assert_eq!(of_cost(cost), None, "{at} {factor}");
            }
            // A low one is noise nowhere; at the largest size it is BLAKE3's shape.
            let low = |x: f64| (50.0 + x) * if x == 64.0 * f64::from(at) { 0.5 } else { 1.0 };
            assert_eq!(of_cost(low).is_some(), at == 64, "{at}");
        }
    }

    #[test]
    fn what_is_still_found_in_noise() {
        // Slope above the kink, noise, and of a hundred seeds at least so many, at most so many.
        for (above, share, least, most) in [
            (2.0, 0.01, 100, 100),
            (2.0, 0.03, 100, 100),
            (1.2, 0.003, 100, 100),
            (1.2, 0.01, 90, 100),
            (1.1, 0.003, 95, 100),
            (1.1, 0.01, 0, 20),
            (1.05, 0.003, 0, 5),
        ] {
            let found = (0..100).filter(|&s| noisy(kink(above), share, s).is_some()).count();
            assert!((least..=most).contains(&found), "{above} {share}: {found}");
        }
    }

    #[test]
    fn an_imprecise_slope_has_no_bend() {
        let floors: Vec<f64> = sizes().iter().map(|&size| kink(1.2)(size as f64)).collect();
        assert!(bend(&sizes(), &floors, 0.02).is_some());
        assert_eq!(bend(&sizes(), &floors, 0.05), None);
    }

    #[test]
    fn few_points_have_no_bend_and_missing_ones_do_not_count() {
        let few: Vec<usize> = (1..=16).collect();
        let floors: Vec<f64> = few.iter().map(|&n| (n * n) as f64).collect();
        assert_eq!(bend(&few, &floors, 0.0), None);
        assert_eq!(bend(&[], &[], 0.0), None);
        let mut floors: Vec<f64> = sizes().iter().map(|&size| kink(2.0)(size as f64)).collect();
        floors[7] = f64::NAN;
        floors[40] = f64::NAN;
        assert!(close(bend(&sizes(), &floors, 0.0).expect("a bend").ns_per_unit_above, 2.0));
    }
}
