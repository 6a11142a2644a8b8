//! Whether `compare` finds what is there and nothing else, on runs made up with noise as it was
//! measured: `docs/compare.md`.

use crate::example::{measured, record};
use bench_slope::compare::{Comparison, Row, Source, Verdict, compare};
use bench_slope::record::{Measured, Run};

const ROWS: usize = 66;

/// Numbers at random, the same in every run of the test (splitmix64).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let (radius, turn) = ((1.0 - self.uniform()).ln(), self.uniform());
        (-2.0 * radius).sqrt() * (std::f64::consts::TAU * turn).cos()
    }

    /// Student's distribution with so many degrees of freedom.
    fn student(&mut self, degrees: usize) -> f64 {
        let squares: f64 = (0..degrees).map(|_| self.normal().powi(2)).sum();
        self.normal() / (squares / degrees as f64).sqrt()
    }

    /// A run: row 7 costs `factor` times as much as the others. Stated errors lie between 0.05 and
    /// 0.6 %, and 92 % of the costs within them; the tails are heavy. From run to run the frequency
    /// moves all rows, and a layout each, by a tenth of a per cent.
    fn run(&mut self, factor: f64) -> Source {
        let mhz = 3200.0 * (1.0 + 0.15 * self.uniform());
        let records = (0..ROWS).map(|at| {
            let stated = 0.0005 * 12_f64.powf(self.uniform().powi(2));
            let noise = self.student(8) * stated / 2.0 + 0.001 * self.normal();
            let true_cycles = if at == 7 { 5.0 * factor } else { 5.0 };
            let cost = Measured {
                // Told at another frequency, which does not matter.
                ns_per_unit: true_cycles * noise.exp() / 2.0,
                measured_ns_per_unit: true_cycles * noise.exp() / mhz * 1e3,
                measured_mhz: Some(mhz),
                relative_error: Some(stated),
                layouts: None,
                quiet: true,
                ..measured()
            };
            record(&format!("ROW{at}"), Ok(cost))
        });
        Source { name: "run".to_owned(), run: Run { records: records.collect(), ..Run::default() } }
    }

    fn comparison(&mut self, factor: f64) -> Comparison {
        let runs = [self.run(1.0), self.run(factor)];
        compare(&runs, Vec::new())
    }
}

fn believed(comparison: &Comparison) -> Vec<&Row> {
    let verdict = |row: &&Row| row.differences[0].is_some_and(|d| d.verdict.is_significant());
    comparison.rows.iter().filter(verdict).collect()
}

#[test]
fn runs_of_the_same_differ_in_one_comparison_of_a_hundred_at_most() {
    let mut random = Random(1);
    let (mut false_comparisons, mut beyond_the_stated) = (0, 0);
    for _ in 0..1000 {
        let comparison = random.comparison(1.0);
        false_comparisons += usize::from(!believed(&comparison).is_empty());
        // Looking at each row's own 95 % interval would find something nearly every time.
        beyond_the_stated += usize::from(comparison.rows.iter().any(|row| {
            let [Some(a), Some(b)] = [0, 1].map(|at| match &row.cells[at] {
                bench_slope::compare::Cell::Number { reading, .. } => reading.relative_error,
                _ => None,
            }) else {
                return false;
            };
            let ratio = row.differences[0].map_or(1.0, |difference| difference.ratio);
            ratio.ln().abs() > a.hypot(b)
        }));
    }
    assert!(false_comparisons <= 10, "{false_comparisons} of 1000");
    assert!(beyond_the_stated > 900, "{beyond_the_stated} of 1000: the noise is too little");
}

#[test]
fn three_per_cent_are_found_in_the_row_that_has_them() {
    let mut random = Random(2);
    let mut found = 0;
    for _ in 0..1000 {
        let comparison = random.comparison(1.03);
        let rows = believed(&comparison);
        if rows.iter().any(|row| row.id.contains("ROW7/")) {
            assert_eq!(rows[0].id, comparison.rows[0].id, "what differs comes first");
            found += 1;
        }
    }
    assert!(found >= 980, "{found} of 1000");
}

#[test]
fn the_interval_holds_the_difference_of_every_row() {
    let mut random = Random(3);
    let mut missed = 0;
    for _ in 0..1000 {
        let comparison = random.comparison(0.9);
        missed += usize::from(comparison.rows.iter().any(|row| {
            let truth = if row.id.contains("ROW7/") { 0.9 } else { 1.0 };
            let interval = row.differences[0].and_then(|difference| difference.interval);
            let (low, high) = interval.expect("errors are stated");
            !(low..=high).contains(&truth)
        }));
    }
    assert!(missed <= 10, "{missed} of 1000");
}

#[test]
fn the_order_is_by_effect() {
    let comparison = Random(4).comparison(0.9);
    assert!(comparison.rows[0].id.contains("ROW7/"));
    assert_eq!(comparison.rows[0].differences[0].map(|d| d.verdict), Some(Verdict::Faster));
    let sizes: Vec<f64> = comparison.rows[1..]
        .iter()
        .map(|row| row.differences[0].expect("numbers").ratio.ln().abs())
        .collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b));
}
