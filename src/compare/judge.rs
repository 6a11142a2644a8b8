//! Pure arithmetic: is the difference between two runs of a row more than chance?
//!
//! `docs/compare.md` tells the rule with the figures that the constants come from.

/// Of a hundred comparisons so many report a difference, in any of their rows, that is not there.
const FALSE_COMPARISONS_PERCENT: f64 = 1.0;
/// Two runs of the same program differ by this share beside the errors they state, 95 % of them: the
/// frequency is measured with an error of its own, and each run meets other layouts of code and data.
const RUN_TO_RUN: f64 = 0.002;
/// Half the width of a 95 % interval, in standard deviations of a normal distribution.
const HALF_WIDTH: f64 = 1.96;

/// What a run says of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// What a unit costs, above 0; both readings of a row are in the same quantity.
    pub cost: f64,
    /// Half the width of its 95 % interval over the cost; `None` when it is not stated.
    pub relative_error: Option<f64>,
    /// Whether it was measured on a quiet core; if not, it may be too high.
    pub quiet: bool,
    /// How many times as much it costs where code and data lie badly; 1 where that does not matter.
    pub layout_factor: f64,
}

/// What is to be believed of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Chance explains it.
    Same,
    /// The new one is faster.
    Faster,
    /// The new one is slower.
    Slower,
    /// The cost depends on the layout of code and data, and that explains it.
    Layout,
    /// The slower one was measured beside a busy neighbour, which explains it.
    Busy,
    /// One of them states no error.
    NoError,
}

impl Verdict {
    /// Whether it is a difference to be believed.
    #[must_use]
    pub fn is_significant(self) -> bool {
        matches!(self, Verdict::Faster | Verdict::Slower)
    }

    /// In a word or two.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Same => "same",
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::Layout => "layout",
            Verdict::Busy => "busy core",
            Verdict::NoError => "no error stated",
        }
    }
}

/// How a new cost compares with the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// New over base: above 1 is slower.
    pub ratio: f64,
    /// The interval around it, which holds for all rows at once; `None` when an error is not stated.
    pub interval: Option<(f64, f64)>,
    /// What is to be believed of it.
    pub verdict: Verdict,
}

/// Compares two readings, one of so many `comparisons` made at once.
#[must_use]
pub fn difference(base: Reading, new: Reading, comparisons: usize) -> Difference {
    let ratio = new.cost / base.cost;
    let errors = base.relative_error.zip(new.relative_error);
    let Some((base_error, new_error)) = errors else {
        return Difference { ratio, interval: None, verdict: Verdict::NoError };
    };
    let squares = base_error.powi(2) + new_error.powi(2) + RUN_TO_RUN.powi(2);
    let half_width = allowance(comparisons) * squares.sqrt();
    let believed = |low: f64, high: f64| match (low > 0.0, high < 0.0) {
        (true, _) => Verdict::Slower,
        (_, true) => Verdict::Faster,
        _ => Verdict::Same,
    };
    let (low, high) = (ratio.ln() - half_width, ratio.ln() + half_width);
    // Another run might have met the other layout only.
    let with_layouts = (low - base.layout_factor.ln(), high + new.layout_factor.ln());
    let mut verdict = believed(with_layouts.0, with_layouts.1);
    if verdict == Verdict::Same && believed(low, high).is_significant() {
        verdict = Verdict::Layout;
    }
    // A neighbour only ever adds time.
    let slower_is_quiet = if ratio > 1.0 { new.quiet } else { base.quiet };
    if verdict.is_significant() && !slower_is_quiet {
        verdict = Verdict::Busy;
    }
    let interval = (with_layouts.0.exp(), with_layouts.1.exp());
    Difference { ratio, interval: Some(interval), verdict }
}

/// How many times the stated errors a difference has to be, when so many are looked at at once.
///
/// The share of false differences is divided among the comparisons (Bonferroni), and the errors are
/// taken to have tails as heavy as Student's distribution with eight degrees of freedom.
#[must_use]
pub fn allowance(comparisons: usize) -> f64 {
    let tail = FALSE_COMPARISONS_PERCENT / 100.0 / comparisons.max(1) as f64 / 2.0;
    student_8(tail) / HALF_WIDTH
}

/// What Student's distribution with eight degrees of freedom exceeds with this probability, by
/// halving: for an even number of degrees its tail has a closed form.
fn student_8(tail: f64) -> f64 {
    let exceeds = |t: f64| {
        let x = t / (8.0 + t * t).sqrt();
        let s = 1.0 - x * x;
        0.5 * (1.0 - x * (1.0 + s * (1.0 / 2.0 + s * (3.0 / 8.0 + s * 5.0 / 16.0))))
    };
    let (mut low, mut high) = (0.0, 1e3);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if exceeds(middle) > tail { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (tail, quantile) in [(0.25, 0.706), (0.05, 1.860), (0.025, 2.306), (0.0005, 5.041)] {
            let t = student_8(tail);
            assert!((t - quantile).abs() < 6e-4, "{tail}: {t}");
        }
    }

    #[test]
    fn more_rows_need_a_larger_difference() {
        let allowances = [1, 2, 66, 1000, usize::MAX].map(allowance);
        assert!(allowances.is_sorted(), "{allowances:?}");
        assert!(allowances[0] > 1.7 && allowances[2] < 3.6, "{allowances:?}");
        assert!(allowances[4].is_finite());
        assert_eq!(allowance(0), allowance(1));
    }

    fn reading(cost: f64, relative_error: f64) -> Reading {
        Reading { cost, relative_error: Some(relative_error), quiet: true, layout_factor: 1.0 }
    }

    fn verdict(base: Reading, new: Reading) -> Verdict {
        difference(base, new, 66).verdict
    }

    #[test]
    fn the_interval_decides() {
        let base = reading(2.0, 0.001);
        assert_eq!(verdict(base, reading(2.06, 0.001)), Verdict::Slower);
        assert_eq!(verdict(base, reading(1.94, 0.001)), Verdict::Faster);
        assert_eq!(verdict(base, reading(2.06, 0.02)), Verdict::Same);
        assert_eq!(verdict(base, reading(2.006, 0.001)), Verdict::Same);
        assert_eq!(verdict(base, base), Verdict::Same);
        let unknown = Reading { relative_error: None, ..base };
        assert_eq!(difference(base, unknown, 66).interval, None);
        assert_eq!(verdict(unknown, reading(20.0, 0.001)), Verdict::NoError);
    }

    #[test]
    fn both_ways_are_alike() {
        let (a, b) = (reading(2.0, 0.001), reading(2.1, 0.003));
        let (there, back) = (difference(a, b, 66), difference(b, a, 66));
        let ((low, high), (back_low, back_high)) =
            there.interval.zip(back.interval).expect("errors are stated");
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(close(there.ratio * back.ratio, 1.0));
        assert!(close(low * back_high, 1.0) && close(high * back_low, 1.0));
    }

    #[test]
    fn a_row_of_two_layouts_differs_only_beyond_them() {
        let base = Reading { layout_factor: 1.1, ..reading(2.0, 0.001) };
        assert_eq!(verdict(base, reading(2.1, 0.001)), Verdict::Layout);
        assert_eq!(verdict(reading(2.1, 0.001), base), Verdict::Layout);
        assert_eq!(verdict(base, reading(2.3, 0.001)), Verdict::Slower);
        // It is the base's best: another run of it cannot have been faster.
        assert_eq!(verdict(base, reading(1.9, 0.001)), Verdict::Faster);
    }

    #[test]
    fn a_neighbour_explains_what_is_slower_only() {
        let (quiet, busy) = (reading(2.0, 0.001), Reading { quiet: false, ..reading(3.0, 0.001) });
        assert_eq!(verdict(quiet, busy), Verdict::Busy);
        assert_eq!(verdict(busy, quiet), Verdict::Busy);
        let busy = Reading { cost: 1.0, ..busy };
        assert_eq!(verdict(quiet, busy), Verdict::Faster);
        assert_eq!(verdict(busy, quiet), Verdict::Slower);
    }
}
