//! Pure arithmetic: what a line through a staircase says of one size.
//!
//! Many algorithms work in batches: ChaCha20 on four blocks of 64 bytes, AES on sixty-four of 16, SHA-512 on
//! one of 128. Their time is the line and what depends on the place in a batch at which a message ends, and
//! that comes again batch after batch.

use crate::fit::median;
use crate::linearity::START;

/// What depends on the place in a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Staircase {
    /// Bytes after which the pattern comes again: a batch, or as many as end where a size does.
    pub batch: usize,
    /// The smallest size, and bytes from one size to the next.
    first: usize,
    step: usize,
    /// The intercept of the sizes at each place in a batch.
    intercepts: Vec<f64>,
}

/// A batch shows in so many sizes at each of its places.
const FEWEST_BATCHES: usize = 4;
/// A staircase must leave less than this share of the squared distances that the line leaves, or that a
/// shorter batch leaves. In noise the longest, of fifteen sizes, leaves three quarters.
const SCATTER_LEFT: f64 = 0.25;
/// What is left matters when it is, in root mean square, the cost of this share of the bytes between two sizes.
const MATTERS: f64 = 0.1;

/// The shortest batch whose places tell the times far better than one line of this slope does. The first
/// few points may be special, as in [`linearity`](crate::linearity), and are left out.
#[must_use]
pub fn staircase(sizes: &[usize], ns: &[f64], slope: f64) -> Option<Staircase> {
    let (&first, &second) = (sizes.first()?, sizes.get(1)?);
    let step = second.checked_sub(first).filter(|&step| step > 0)?;
    let is_even = sizes.iter().enumerate().all(|(at, &size)| size == first + at * step);
    if !is_even || sizes.len() != ns.len() {
        return None;
    }
    let above: Vec<f64> =
        sizes.iter().zip(ns).map(|(&size, ns)| ns - slope * size as f64).collect();
    let rest = above.get(START..)?;
    let mut best: Option<Staircase> = None;
    let mut left = scatter(rest, &[median(rest)?]);
    let least = rest.len() as f64 * (MATTERS * slope * step as f64).powi(2);
    for places in 2..=rest.len() / FEWEST_BATCHES {
        if left <= least {
            break;
        }
        // Medians: one interruption in four batches moves a mean.
        let at_place = |place: usize| -> Vec<f64> {
            rest.iter().skip(place).step_by(places).copied().collect()
        };
        let mut intercepts: Vec<f64> =
            (0..places).filter_map(|place| median(&at_place(place))).collect();
        let scatter = scatter(rest, &intercepts);
        if scatter < SCATTER_LEFT * left {
            left = scatter;
            // Places are counted from the smallest size, which was left out.
            intercepts.rotate_right(START % places);
            best = Some(Staircase { batch: places * step, first, step, intercepts });
        }
    }
    best
}

impl Staircase {
    /// The intercept of a size that lies at one of the places.
    #[must_use]
    pub fn intercept(&self, size: usize) -> Option<f64> {
        let beyond = size.checked_sub(self.first)?;
        let is_on = beyond.is_multiple_of(self.step);
        is_on.then(|| self.intercepts[beyond / self.step % self.intercepts.len()])
    }
}

/// The sum of squared distances when every so-manieth value has an intercept of its own.
fn scatter(values: &[f64], intercepts: &[f64]) -> f64 {
    values.iter().zip(intercepts.iter().cycle()).map(|(value, at)| (value - at).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::least_squares;

    fn sizes() -> Vec<usize> {
        (0..=4096).step_by(64).collect()
    }

    fn found(sizes: &[usize], cost: impl Fn(f64) -> f64) -> Option<Staircase> {
        let x: Vec<f64> = sizes.iter().map(|&size| size as f64).collect();
        let ns: Vec<f64> = x.iter().map(|&x| cost(x)).collect();
        staircase(sizes, &ns, least_squares(&x, &ns)?.slope)
    }

    /// As ChaCha20 goes: 145 ns for 256 bytes, 100 ns for each block of a rest.
    fn batches(x: f64) -> f64 {
        14.0 + 145.0 * (x / 256.0).floor() + 100.0 * (x % 256.0 / 64.0).ceil()
    }

    #[test]
    fn a_batch_is_found_and_each_of_its_places_told() {
        let (x, ns): (Vec<f64>, Vec<f64>) =
            sizes().iter().map(|&size| (size as f64, batches(size as f64))).unzip();
        let slope = least_squares(&x, &ns).expect("a line").slope;
        let found = staircase(&sizes(), &ns, slope).expect("a staircase");
        assert_eq!(found.batch, 256);
        for size in [64, 512, 1024, 1088, 1216, 4096, 8192] {
            let told = found.intercept(size).expect("a place") + slope * size as f64;
            // The slope of all sizes is not quite that of whole batches: 0.3 % more.
            let off = told - batches(size as f64);
            assert!(off.abs() < 0.003 * size as f64 + 4.0, "{size} {told} {off}");
        }
        assert_eq!(found.intercept(1000), None);
    }

    #[test]
    fn blocks_that_are_no_multiple_of_the_step_come_again_later() {
        // SHA3-384 has blocks of 104 bytes: thirteen steps are eight blocks.
        let blocks = |x: f64| 200.0 + 370.0 * (x / 104.0).ceil();
        assert_eq!(found(&sizes(), blocks).expect("a staircase").batch, 832);
        let blocks = |x: f64| 50.0 + 240.0 * (x / 128.0).ceil();
        assert_eq!(found(&sizes(), blocks).expect("a staircase").batch, 128);
    }

    #[test]
    fn lines_bends_and_noise_are_no_staircase() {
        assert_eq!(found(&sizes(), |x| 50.0 + 2.0 * x), None);
        assert_eq!(found(&sizes(), |x| 50.0 + x + (x - 2048.0).max(0.0)), None);
        assert_eq!(found(&sizes(), |x| if x == 0.0 { 10.0 } else { 900.0 + 0.25 * x }), None);
        for seed in 0..1000_u32 {
            // Linear congruential, Knuth's MMIX constants; the high bits are good enough.
            let noise = |x: f64| {
                let mixed = (u64::from(seed) << 32 | x as u64)
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(6_364_136_223_846_793_005);
                (mixed >> 40) as f64 / f64::from(1 << 24)
            };
            assert_eq!(found(&sizes(), |x| (50.0 + 2.0 * x) * (1.0 + 0.05 * noise(x))), None);
        }
    }

    #[test]
    fn it_takes_even_sizes_and_enough_of_them() {
        assert_eq!(found(&sizes()[..12], batches), None);
        let uneven: Vec<usize> = sizes().iter().map(|size| size * size).collect();
        assert_eq!(found(&uneven, batches), None);
        assert_eq!(staircase(&[], &[], 1.0), None);
        assert_eq!(staircase(&[0, 64], &[1.0], 1.0), None);
        // XTS has no message shorter than a block.
        let from_block: Vec<usize> = sizes().iter().map(|size| size + 16).collect();
        let found = found(&from_block, |x| batches(x - 16.0)).expect("a staircase");
        assert_eq!((found.batch, found.intercept(8)), (256, None));
        assert_eq!(found.intercept(16 + 256), found.intercept(16 + 512));
        assert_ne!(found.intercept(16 + 256), found.intercept(16 + 320));
    }
}
