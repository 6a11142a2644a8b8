//! Pure arithmetic: the rate of several threads in the time that all of them ran in, and how it scales.

use serde::{Deserialize, Serialize};

/// What is asked of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parallel {
    /// The processor of each thread; empty when they cannot be chosen.
    pub cpus: Vec<usize>,
    /// How many threads.
    pub threads: usize,
}

/// What one pair of windows gave, in calls per nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// One thread alone.
    pub alone: f64,
    /// All together.
    pub together: f64,
}

/// When a thread had done how many calls: `(ns, calls)`, ascending.
pub type Progress = Vec<(u64, u64)>;

/// Calls per nanosecond of all threads together in the time that all of them ran in, without the first
/// `settling_ns` of it; `None` when there is no such time.
#[must_use]
pub fn rate(threads: &[Progress], settling_ns: u64) -> Option<f64> {
    let first = threads.iter().map(|progress| Some(progress.first()?.0)).max()??;
    let begin = first.saturating_add(settling_ns);
    let end = threads.iter().map(|progress| Some(progress.last()?.0)).min()??;
    let window = end.checked_sub(begin).filter(|&ns| ns > 0)?;
    let done: Option<Vec<f64>> = threads
        .iter()
        .map(|progress| Some(calls_until(progress, end)? - calls_until(progress, begin)?))
        .collect();
    Some(done?.iter().sum::<f64>() / window as f64)
}

/// How many calls a thread had done at a time, evenly within each batch.
fn calls_until(progress: &[(u64, u64)], at: u64) -> Option<f64> {
    let after = progress.partition_point(|&(ns, _)| ns < at);
    let &(ns, calls) = progress.get(after)?;
    let Some(&(ns_before, calls_before)) = after.checked_sub(1).and_then(|i| progress.get(i)) else {
        return (ns == at).then_some(calls as f64);
    };
    let share = (at - ns_before) as f64 / (ns - ns_before) as f64;
    Some(calls_before as f64 + share * (calls - calls_before) as f64)
}

/// What several threads come to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// How many threads.
    pub threads: usize,
    /// The processor of each; empty when they could not be chosen.
    pub cpus: Vec<usize>,
    /// The size of every message in bytes.
    pub message_bytes: usize,
    /// 2^20 bytes per second of all threads together, calls included.
    pub mib_per_s: f64,
    /// The same of one thread while the others wait.
    pub one_mib_per_s: f64,
    /// The sum over the one, pair by pair.
    pub scaling: f64,
    /// How far the scaling may be off, relative to it: the farthest process from the median.
    pub scaling_relative_error: f64,
    /// The same for the sum.
    pub relative_error: f64,
}

impl Scaling {
    /// Medians over the processes; `None` when a rate is not above zero.
    #[must_use]
    pub fn of(processes: &[Vec<Pair>], message_bytes: usize, parallel: &Parallel) -> Option<Scaling> {
        let middle = |value: fn(&Pair) -> f64| {
            let of_process = |pairs: &Vec<Pair>| median(pairs.iter().map(value).collect());
            let values = processes.iter().map(of_process).collect::<Option<Vec<f64>>>()?;
            let middle = median(values.clone()).filter(|&m| m.is_finite() && m > 0.0)?;
            let farthest = values.iter().map(|value| (value - middle).abs()).fold(0.0, f64::max);
            Some((middle, farthest / middle))
        };
        let (together, relative_error) = middle(|pair| pair.together)?;
        let (alone, _) = middle(|pair| pair.alone)?;
        let (scaling, scaling_relative_error) = middle(|pair| pair.together / pair.alone)?;
        let mib_per_s = |calls_per_ns: f64| {
            calls_per_ns * 1e9 * message_bytes as f64 / f64::from(1 << 20)
        };
        Some(Scaling {
            threads: parallel.threads,
            cpus: parallel.cpus.clone(),
            message_bytes,
            mib_per_s: mib_per_s(together),
            one_mib_per_s: mib_per_s(alone),
            scaling,
            scaling_relative_error,
            relative_error,
        })
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let (low, high) = (values.get(values.len().saturating_sub(1) / 2)?, values.get(values.len() / 2)?);
    Some((low + high) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `batches` of `calls` calls, each batch taking `ns`, from `begin` on.
    fn progress(begin: u64, batches: u64, ns: u64, calls: u64) -> Progress {
        (0..=batches).map(|at| (begin + at * ns, at * calls)).collect()
    }

    #[test]
    fn only_the_common_time_counts() {
        // The second begins 500 ns later and is half as fast; the first ends 1000 ns earlier.
        let threads = [progress(0, 10, 1000, 100), progress(500, 5, 2100, 105)];
        let rate = rate(&threads, 0).expect("a common time");
        assert!((rate - 0.15).abs() < 1e-12, "{rate}");
    }

    #[test]
    fn the_settling_does_not_count() {
        let mut slow_start = vec![(0, 0), (1000, 1)];
        slow_start.extend((1..=9).map(|at| (1000 + at * 1000, 1 + at * 100)));
        let rate = rate(&[slow_start], 1000).expect("a time");
        assert!((rate - 0.1).abs() < 1e-12, "{rate}");
    }

    #[test]
    fn threads_that_did_not_meet_have_no_rate() {
        assert_eq!(rate(&[progress(0, 2, 1000, 1), progress(5000, 2, 1000, 1)], 0), None);
        assert_eq!(rate(&[progress(0, 2, 1000, 1), Vec::new()], 0), None);
        assert_eq!(rate(&[], 0), None);
        assert_eq!(rate(&[progress(0, 2, 1000, 1)], 5000), None);
    }
}
