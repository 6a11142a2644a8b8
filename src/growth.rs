//! Pure arithmetic: what a time grows with. Each class of growth is fitted to the times of several
//! sizes, and the classes are put in order of their error.
//!
//! The time of a class is `constant + coefficient f(n)`, neither below zero: a call costs something
//! whatever its size, and without the constant that cost would decide at small sizes. A class is
//! judged by how well each size is predicted from the others, so that a class that bends to noise,
//! or that is right in the middle of the sizes only, gains nothing by it.

use serde::{Deserialize, Serialize};

/// Fewer sizes leave nothing to judge a fit of two parameters by.
pub const FEWEST_SIZES: usize = 4;
/// The largest size over the smallest: in a narrower range all classes look alike.
pub const LEAST_RANGE: usize = 4;

/// A class whose error is within this factor of the best one's is not told from it. A hash's steps of 64 bytes
/// at 25 to 800 bytes leave O(n log n) twice the error of O(n), whatever a call costs besides.
const ALIKE: f64 = 1.5;
/// A class fits when it misses the times by no more than this share of their mean for each size beyond the
/// three that any two parameters nearly meet ...
const FITS_A_SIZE: f64 = 0.015;
/// ... and by no more than this: the steps of a hash's blocks at 25 to 800 bytes are 2.5 to 5 %.
const FITS: f64 = 0.06;
/// What the errors of the times explain is no misfit: so many times them.
const ERRORS_OF_FIT: f64 = 2.0;
/// Time that grows by less than this share of its mean does not grow, as far as can be told ...
const LEAST_GROWTH: f64 = 0.01;
/// ... and neither does time that grows by less than so many times the error of the points.
const ERRORS_OF_GROWTH: f64 = 3.0;

/// A class of growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Class {
    /// The same at every size.
    #[serde(rename = "O(1)")]
    Constant,
    /// With the logarithm (to base 2).
    #[serde(rename = "O(log n)")]
    Logarithm,
    /// With the size.
    #[serde(rename = "O(n)")]
    Linear,
    /// With the size times its logarithm (to base 2).
    #[serde(rename = "O(n log n)")]
    Linearithmic,
    /// With the square.
    #[serde(rename = "O(n^2)")]
    Square,
    /// With the cube.
    #[serde(rename = "O(n^3)")]
    Cube,
}

impl Class {
    /// All, the slowest growth first.
    pub const ALL: &'static [Class] = &[
        Class::Constant,
        Class::Logarithm,
        Class::Linear,
        Class::Linearithmic,
        Class::Square,
        Class::Cube,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Class::Constant => "O(1)",
            Class::Logarithm => "O(log n)",
            Class::Linear => "O(n)",
            Class::Linearithmic => "O(n log n)",
            Class::Square => "O(n^2)",
            Class::Cube => "O(n^3)",
        }
    }

    /// What the coefficient is multiplied by at a size; 1 for the constant class.
    fn at(self, size: f64) -> f64 {
        match self {
            Class::Constant => 1.0,
            Class::Logarithm => size.log2(),
            Class::Linear => size,
            Class::Linearithmic => size * size.log2(),
            Class::Square => size.powi(2),
            Class::Cube => size.powi(3),
        }
    }
}

/// A class fitted to times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// The class.
    pub class: Class,
    /// Nanoseconds for each unit of what the class grows with; the whole time for O(1).
    pub coefficient_ns: f64,
    /// Nanoseconds of a call whatever its size; 0 for O(1), whose coefficient this is.
    pub constant_ns: f64,
    /// How far each size's time is from what the other sizes predict for it, in root mean square,
    /// relative to the mean time.
    pub relative_error: f64,
}

/// A time at a size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeTime {
    /// The size, or the count: nanobench's complexityN.
    pub size: usize,
    /// Nanoseconds of a call.
    pub ns: f64,
    /// Half the width of its 95 % interval, relative to it; `None` when it cannot be told.
    pub relative_error: Option<f64>,
}

/// What a row's time grows with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// The times it was judged by, by ascending size.
    pub times: Vec<SizeTime>,
    /// All classes, the best first.
    pub classes: Vec<Fitted>,
    /// How many of the first of them cannot be told apart: 1 when the best is clear, all when none fits.
    pub alike: usize,
    /// What the time grows with; `None` when that cannot be told from these times.
    #[serde(default)]
    pub class: Option<Class>,
    /// Why it cannot be told, in words.
    #[serde(default)]
    pub unclear: Option<String>,
}

impl Growth {
    /// Tells all times as so many times what they are: those at another frequency.
    pub fn scale(&mut self, factor: f64) {
        self.times.iter_mut().for_each(|time| time.ns *= factor);
        for fitted in &mut self.classes {
            fitted.coefficient_ns *= factor;
            fitted.constant_ns *= factor;
        }
    }

    /// The first class is the answer, unless it is unclear for a reason.
    fn of(times: &[SizeTime], classes: Vec<Fitted>, alike: usize, unclear: Option<String>) -> Self {
        let class = classes.first().filter(|_| unclear.is_none()).map(|fitted| fitted.class);
        Growth { times: times.to_vec(), classes, alike, class, unclear }
    }

    /// The best class and those that cannot be told from it, the best first.
    #[must_use]
    pub fn alike_names(&self) -> Vec<&'static str> {
        self.classes.iter().take(self.alike).map(|fitted| fitted.class.name()).collect()
    }

    /// The class it grows with, fitted; `None` when that cannot be told.
    #[must_use]
    pub fn told(&self) -> Option<&Fitted> {
        self.classes.iter().find(|fitted| Some(fitted.class) == self.class)
    }
}

/// By how much a class may miss the times, relative to their mean, and still describe them.
fn fits(times: &[SizeTime]) -> f64 {
    let mean = times.iter().map(|time| time.ns).sum::<f64>() / times.len() as f64;
    let by_sizes = FITS_A_SIZE * times.len().saturating_sub(3) as f64;
    by_sizes.min(FITS).max(ERRORS_OF_FIT * noise(times, mean))
}

/// Fits every class; `None` for fewer than [`FEWEST_SIZES`] times, for sizes that are not ascending
/// and above 0, and for times that are not.
#[must_use]
pub fn growth(times: &[SizeTime]) -> Option<Growth> {
    let ascending = times.windows(2).all(|pair| pair[0].size < pair[1].size);
    let usable = times.iter().all(|time| time.size > 0 && time.ns.is_finite() && time.ns > 0.0);
    if times.len() < FEWEST_SIZES || !ascending || !usable {
        return None;
    }
    let mean = times.iter().map(|time| time.ns).sum::<f64>() / times.len() as f64;
    let noise = noise(times, mean);
    let mut classes: Vec<Fitted> =
        Class::ALL.iter().map(|&class| judged(class, times, mean)).collect();
    // The sort is stable: of two that are equal the slower growth comes first.
    classes.sort_by(|a, b| a.relative_error.total_cmp(&b.relative_error));
    let best = classes[0];
    let rise =
        best.class.at(times[times.len() - 1].size as f64) - best.class.at(times[0].size as f64);
    let least = LEAST_GROWTH.max(ERRORS_OF_GROWTH * noise) * mean;
    if best.coefficient_ns * rise < least {
        // Whatever class fits the noise best: none of them says more than that nothing grows.
        let constant = classes.iter().position(|fitted| fitted.class == Class::Constant);
        classes[..=constant.unwrap_or(0)].rotate_right(1);
        return Some(Growth::of(times, classes, 1, None));
    }
    let limit = (ALIKE * best.relative_error).max(best.relative_error + noise);
    let alike = classes.iter().take_while(|fitted| fitted.relative_error <= limit).count();
    let alike = alike.max(1);
    if best.relative_error > fits(times) {
        // Steps of blocks and batches, or a cost of the call beside which these sizes are small.
        let missed = 100.0 * best.relative_error;
        let unclear = format!(
            "no class fits, and the nearest misses by {missed:.0} % in the mean: more and larger sizes may tell"
        );
        let all = classes.len();
        return Some(Growth::of(times, classes, all, Some(unclear)));
    }
    let names: Vec<&str> = classes[..alike].iter().map(|fitted| fitted.class.name()).collect();
    let unclear = (alike > 1)
        .then(|| format!("{} fit alike: more sizes further apart may tell", names.join(" and ")));
    Some(Growth::of(times, classes, alike, unclear))
}

/// The errors of the times in root mean square, relative to their mean.
fn noise(times: &[SizeTime], mean: f64) -> f64 {
    let square = |time: &SizeTime| (time.relative_error.unwrap_or(0.0) * time.ns / mean).powi(2);
    (times.iter().map(square).sum::<f64>() / times.len() as f64).sqrt()
}

/// A class with its error: each time against what the class says when it is fitted to the others.
fn judged(class: Class, times: &[SizeTime], mean: f64) -> Fitted {
    let squares = (0..times.len()).map(|left_out| {
        let mut others = times.to_vec();
        let time = others.remove(left_out);
        let (constant, coefficient) = fit(class, &others);
        (constant + coefficient * class.at(time.size as f64) - time.ns).powi(2)
    });
    let error = (squares.sum::<f64>() / times.len() as f64).sqrt() / mean;
    let (constant_ns, coefficient_ns) = fit(class, times);
    Fitted { class, coefficient_ns, constant_ns, relative_error: error }
}

/// Least squares with neither parameter below zero: constant and coefficient.
fn fit(class: Class, times: &[SizeTime]) -> (f64, f64) {
    let count = times.len() as f64;
    let mean_y = times.iter().map(|time| time.ns).sum::<f64>() / count;
    if class == Class::Constant {
        return (0.0, mean_y);
    }
    let x = |time: &SizeTime| class.at(time.size as f64);
    let mean_x = times.iter().map(x).sum::<f64>() / count;
    let spread: f64 = times.iter().map(|time| (x(time) - mean_x).powi(2)).sum();
    let shared: f64 = times.iter().map(|time| (x(time) - mean_x) * (time.ns - mean_y)).sum();
    let coefficient = shared / spread;
    if coefficient <= 0.0 {
        return (mean_y, 0.0);
    }
    let constant = mean_y - coefficient * mean_x;
    if constant < 0.0 {
        // nanobench's fit: through the origin.
        let squares: f64 = times.iter().map(|time| x(time).powi(2)).sum();
        return (0.0, times.iter().map(|time| x(time) * time.ns).sum::<f64>() / squares);
    }
    (constant, coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [usize; 7] = [25, 50, 100, 200, 400, 600, 800];

    fn times(ns: impl Fn(f64) -> f64) -> Vec<SizeTime> {
        let time =
            |&size: &usize| SizeTime { size, ns: ns(size as f64), relative_error: Some(0.0) };
        SIZES.iter().map(time).collect()
    }

    fn found(ns: impl Fn(f64) -> f64) -> Growth {
        growth(&times(ns)).expect("a growth")
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * b.abs().max(1.0)
    }

    #[test]
    fn each_class_gets_its_coefficient_back() {
        for &class in Class::ALL {
            for (constant, coefficient) in [(0.0, 2.5), (75.0, 0.5)] {
                let constant = if class == Class::Constant { 0.0 } else { constant };
                let growth = found(|n| constant + coefficient * class.at(n));
                let best = growth.classes[0];
                assert_eq!((growth.class, growth.alike), (Some(class), 1), "{growth:?}");
                assert_eq!(growth.told(), Some(&best));
                assert_eq!(growth.unclear.as_deref(), None);
                assert!(close(best.coefficient_ns, coefficient), "{best:?}");
                assert!((best.constant_ns - constant).abs() < 1e-6, "{best:?}");
                assert!(best.relative_error < 1e-9, "{best:?}");
                assert_eq!(growth.classes.len(), Class::ALL.len());
            }
        }
    }

    #[test]
    fn the_wrong_class_has_the_error_that_follows() {
        // y = x at 1, 2, 3, 4 against a constant: the means of the others are 3, 8/3, 7/3, 2, which
        // is 2, 2/3, 2/3 and 2 off; the mean is 2.5.
        let times: Vec<SizeTime> =
            (1..5).map(|size| SizeTime { size, ns: size as f64, relative_error: None }).collect();
        let growth = growth(&times).expect("a growth");
        assert_eq!(growth.classes[0].class, Class::Linear);
        let constant = growth.classes.iter().find(|fitted| fitted.class == Class::Constant);
        let expected = ((4.0_f64 + 4.0 / 9.0 + 4.0 / 9.0 + 4.0) / 4.0).sqrt() / 2.5;
        let constant = constant.expect("it is there");
        assert!(close(constant.relative_error, expected), "{constant:?}");
        assert!(close(constant.coefficient_ns, 2.5), "{constant:?}");
    }

    #[test]
    fn the_steps_of_a_hash_are_linear() {
        // Blocks of 64 bytes with nine bytes of padding, on top of calls of many costs.
        for call in [0.0, 20.0, 60.0, 100.0, 200.0] {
            let growth = found(|n| call + 37.0 * ((n + 9.0) / 64.0).ceil());
            assert_eq!((growth.class, growth.alike), (Some(Class::Linear), 1), "{growth:?}");
        }
    }

    #[test]
    fn steps_at_few_sizes_tell_no_class() {
        // The nearest is the square, and the truth a line: SHA-256 as it was measured has errors of 14 %.
        let sizes = [25, 50, 100, 200];
        for call in [0.0, 20.0, 60.0, 100.0, 200.0] {
            let ns = |n: usize| call + 37.0 * ((n as f64 + 9.0) / 64.0).ceil();
            let time = |size| SizeTime { size, ns: ns(size), relative_error: Some(0.003) };
            let growth = growth(&sizes.map(time)).expect("a growth");
            assert_eq!((growth.class, growth.told()), (None, None), "{growth:?}");
            let reason = growth.unclear.clone().expect("a reason");
            assert!(reason.starts_with("no class fits, and the nearest misses by "), "{reason}");
        }
        // What is a line at four sizes is told.
        let line = sizes.map(|size| SizeTime {
            size,
            ns: 60.0 + 0.6 * size as f64,
            relative_error: Some(0.003),
        });
        assert_eq!(growth(&line).expect("a growth").class, Some(Class::Linear));
    }

    #[test]
    fn steps_at_any_sizes_are_seldom_taken_for_another_class() {
        // Blocks of four hashes, calls of four costs, seven to twelve sizes of equal ratios over 16 to 128 times.
        let (mut told, mut wrong, mut all) = (0, 0, 0);
        for (block, padding) in [(64.0, 9.0), (128.0, 17.0), (136.0, 1.0), (16.0, 0.0)] {
            for call in [20.0, 60.0, 100.0, 300.0] {
                for (count, first) in [(7, 8.0), (7, 25.0), (9, 32.0), (12, 16.0), (12, 100.0)] {
                    for range in [16.0_f64, 32.0, 64.0, 128.0] {
                        let ratio = range.powf(1.0 / f64::from(count - 1));
                        let size = |at| (first * ratio.powi(at)).round() as usize;
                        let ns = |n: usize| call + block * ((n as f64 + padding) / block).ceil();
                        let time = |at| SizeTime {
                            size: size(at),
                            ns: ns(size(at)),
                            relative_error: Some(0.003),
                        };
                        let times: Vec<SizeTime> = (0..count).map(time).collect();
                        let class = growth(&times).expect("a growth").class;
                        all += 1;
                        told += u32::from(class.is_some());
                        wrong += u32::from(class.is_some_and(|class| class != Class::Linear));
                    }
                }
            }
        }
        // O(n log n) where steps are as long as the smaller sizes, O(1) where most lie in the first block.
        assert!(wrong * 25 <= all, "{wrong} of {all}");
        assert!(told * 2 > all, "{told} of {all}");
    }

    /// Noise of up to `share` in both directions, from a generator (Knuth's MMIX).
    fn noisy(state: &mut u64, share: f64) -> f64 {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1.0 + share * ((*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
    }

    #[test]
    fn noise_does_not_change_the_class() {
        let mut state = 1;
        for &class in Class::ALL {
            for _ in 0..200 {
                let scale = 100.0 / class.at(25.0);
                let noisy: Vec<SizeTime> = times(|n| 30.0 + scale * class.at(n))
                    .into_iter()
                    .map(|time| SizeTime {
                        ns: time.ns * noisy(&mut state, 0.003),
                        relative_error: Some(0.003),
                        ..time
                    })
                    .collect();
                let growth = growth(&noisy).expect("a growth");
                assert_eq!(growth.class, Some(class), "{growth:?}");
            }
        }
    }

    #[test]
    fn noise_that_hides_the_growth_leaves_no_class_above_another() {
        // O(log n) on top of a hundred times as much, 0.7 % in all: nothing to be told from O(1).
        let growth = found(|n| 500.0 + 0.7 * n.log2());
        assert_eq!(growth.classes[0].class, Class::Constant, "{growth:?}");
        // Grown by 4 %, but known to 2 % only.
        let unsure: Vec<SizeTime> = times(|n| 500.0 + 0.025 * n)
            .into_iter()
            .map(|time| SizeTime { relative_error: Some(0.02), ..time })
            .collect();
        assert_eq!(super::growth(&unsure).expect("a growth").classes[0].class, Class::Constant);
        // Known exactly, it is linear.
        assert_eq!(found(|n| 500.0 + 0.025 * n).classes[0].class, Class::Linear);
    }

    #[test]
    fn classes_that_fit_alike_are_called_so() {
        // Between n and n log n.
        let growth = found(|n| 50.0 + 0.5 * n + 0.5 * n * n.log2() / 9.0);
        let names: Vec<Class> = growth.classes[..2].iter().map(|fitted| fitted.class).collect();
        assert!(names.contains(&Class::Linear) && names.contains(&Class::Linearithmic));
        let unsure: Vec<SizeTime> = growth
            .times
            .iter()
            .map(|&time| SizeTime { relative_error: Some(0.05), ..time })
            .collect();
        let unsure = super::growth(&unsure).expect("a growth");
        assert_eq!((unsure.alike, unsure.class), (2, None));
        let reason = unsure.unclear.clone().expect("a reason");
        assert!(reason.contains(" fit alike: "), "{reason}");
    }

    #[test]
    fn time_that_falls_does_not_grow() {
        let growth = found(|n| 100.0 - 0.05 * n);
        assert_eq!(growth.classes[0].class, Class::Constant);
        assert!(growth.classes.iter().all(|fitted| fitted.coefficient_ns >= 0.0));
    }

    #[test]
    fn too_little_gives_no_class() {
        let all = times(|n| n);
        assert_eq!(growth(&all[..3]), None);
        let zero = SizeTime { size: 0, ns: 1.0, relative_error: None };
        assert_eq!(growth(&[&[zero], &all[..]].concat()), None);
        assert_eq!(growth(&times(|_| f64::NAN)), None);
        assert_eq!(growth(&times(|_| 0.0)), None);
        assert_eq!(growth(&[&all[..], &all[..1]].concat()), None);
    }
}
