//! Pure arithmetic: the rate of several threads in the time that all of them ran in, how it scales, and
//! which of these windows had all processors to themselves.

use serde::{Deserialize, Serialize};

use crate::cpus::QUIET_WITHIN;
use crate::fit::median;

/// What is asked of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parallel {
    /// The processor of each thread; empty when they cannot be chosen.
    pub cpus: Vec<usize>,
    /// How many threads.
    pub threads: usize,
    /// How many cores these processors belong to, where that is known.
    pub cores: Option<usize>,
}

/// What one pair of windows gave, in calls per nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// One thread alone.
    pub alone: f64,
    /// All together.
    pub together: f64,
    /// The highest contention of any of the processors before, between and after, each looked at while
    /// the others stood still; `None` when the clock cannot tell.
    pub contention: Option<f64>,
    /// When all looked at once, that of the two processors that were busiest both before and after the
    /// window of all together: higher where these are hardware threads of one core.
    pub contention_at_once: Option<f64>,
    /// Processor time over wall time of the thread that had least of it, in either window; `None`
    /// where that cannot be told.
    pub cpu_share: Option<f64>,
}

/// A thread that had less than this share of its time was stopped for somebody else.
const UNDISTURBED: f64 = 0.98;
/// Processors whose contention rises by this factor when all are at work share a core: two hardware
/// threads that both fill a core read half as much again and more.
const SHARED: f64 = 1.2;

impl Pair {
    /// Whether no stranger had a share of any of the processors, as far as can be told; `lowest` is the
    /// lowest contention seen.
    #[must_use]
    pub fn is_free(&self, lowest: Option<f64>) -> bool {
        let quiet = match (self.contention, lowest) {
            (Some(contention), Some(lowest)) => contention <= QUIET_WITHIN * lowest,
            // Never agreed on what quiet is.
            (Some(_), None) => false,
            (None, _) => true,
        };
        quiet && self.cpu_share.is_none_or(|share| share >= UNDISTURBED)
    }

    /// Whether two of the processors shared a core; `None` when that cannot be told.
    fn shares_a_core(&self, lowest: Option<f64>) -> Option<bool> {
        Some(self.contention_at_once? > SHARED * self.contention?.max(lowest?))
    }
}

/// What one worker found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// Its pairs in the order they were taken.
    pub pairs: Vec<Pair>,
    /// The lowest contention seen.
    pub lowest_contention: Option<f64>,
}

/// When a thread had done how many calls: `(ns, calls)`, ascending.
pub type Progress = Vec<(u64, u64)>;

/// Calls per nanosecond of all threads together in the time that all of them ran in, without the first
/// `settling_ns` of it; `None` when there is no such time.
#[must_use]
pub fn rate(threads: &[&Progress], settling_ns: u64) -> Option<f64> {
    let first = threads.iter().map(|progress| Some(progress.first()?.0)).max()??;
    let begin = first.saturating_add(settling_ns);
    let ends = threads.iter().map(|progress| Some(progress.last()?.0));
    let end = ends.collect::<Option<Vec<u64>>>()?.into_iter().min()?;
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
    let Some(&(ns_before, calls_before)) = after.checked_sub(1).and_then(|i| progress.get(i))
    else {
        return (ns == at).then_some(calls as f64);
    };
    let share = (at - ns_before) as f64 / (ns - ns_before) as f64;
    Some(calls_before as f64 + share * (calls - calls_before) as f64)
}

/// Fewer processes than this do not hold a 95 % interval of a median: of six the lowest and the
/// highest lie about it in 97 % of all cases, whatever the distribution.
pub const FEWEST_PROCESSES: usize = 6;

/// What several threads come to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// How many threads.
    pub threads: usize,
    /// The processor of each; empty when they could not be chosen.
    pub cpus: Vec<usize>,
    /// How many cores these belong to, as far as the system tells; `None` where it does not.
    pub cores: Option<usize>,
    /// The size of every message in bytes.
    pub message_bytes: usize,
    /// 2^20 bytes per second of all threads together, calls included.
    pub mib_per_s: f64,
    /// Half the width of its 95 % interval, relative to it; `None` when too few processes measured it
    /// or the processors were not all free.
    pub relative_error: Option<f64>,
    /// The rate of one thread while the others wait.
    pub one_mib_per_s: f64,
    /// The error of that.
    pub one_relative_error: Option<f64>,
    /// The sum over the one, pair by pair.
    pub scaling: f64,
    /// The error of that.
    pub scaling_relative_error: Option<f64>,
    /// Whether all processors were free in every pair that counts; if not, sum and scaling may be too
    /// low.
    pub all_free: bool,
    /// The share of the pairs with all processors free in which two of them were seen to share a core;
    /// `None` when that cannot be told.
    pub shared_core: Option<f64>,
    /// Pairs of windows that these numbers rest on.
    pub pairs: usize,
    /// Processes that took them.
    pub processes: usize,
}

impl Scaling {
    /// Medians over the processes, of pairs in which all processors were free where enough processes had
    /// some; `None` when a rate is not above zero.
    #[must_use]
    pub fn of(
        processes: &[Vec<Pair>],
        lowest: Option<f64>,
        message_bytes: usize,
        parallel: &Parallel,
    ) -> Option<Scaling> {
        let free = free(processes, lowest);
        let all_free = free.len() >= FEWEST_PROCESSES.min(processes.len());
        let chosen = if all_free { &free } else { processes };
        let together = Middle::of(chosen, |pair| pair.together)?;
        let alone = Middle::of(chosen, |pair| pair.alone)?;
        let scaling = Middle::of(chosen, |pair| pair.together / pair.alone)?;
        let mib_per_s =
            |calls_per_ns: f64| calls_per_ns * 1e9 * message_bytes as f64 / f64::from(1 << 20);
        Some(Scaling {
            threads: parallel.threads,
            cpus: parallel.cpus.clone(),
            cores: parallel.cores,
            message_bytes,
            mib_per_s: mib_per_s(together.median),
            relative_error: together.relative_error.filter(|_| all_free),
            one_mib_per_s: mib_per_s(alone.median),
            one_relative_error: alone.relative_error.filter(|_| all_free),
            scaling: scaling.median,
            scaling_relative_error: scaling.relative_error.filter(|_| all_free),
            all_free,
            shared_core: shared_core(chosen, lowest),
            pairs: chosen.iter().map(Vec::len).sum(),
            processes: chosen.len(),
        })
    }
}

fn shared_core(processes: &[Vec<Pair>], lowest: Option<f64>) -> Option<f64> {
    // A stranger who comes and goes in between would be taken for one of the threads.
    let free = processes.iter().flatten().filter(|pair| pair.is_free(lowest));
    let told: Vec<bool> = free.filter_map(|pair| pair.shares_a_core(lowest)).collect();
    let shared = told.iter().filter(|&&shared| shared).count();
    (!told.is_empty()).then(|| shared as f64 / told.len() as f64)
}

/// The pairs in which all processors were free, of the processes that had some.
#[must_use]
pub fn free(processes: &[Vec<Pair>], lowest: Option<f64>) -> Vec<Vec<Pair>> {
    let of = |pairs: &Vec<Pair>| -> Vec<Pair> {
        pairs.iter().copied().filter(|pair| pair.is_free(lowest)).collect()
    };
    processes.iter().map(of).filter(|pairs| !pairs.is_empty()).collect()
}

/// A median over processes, and how far it may be off.
struct Middle {
    median: f64,
    relative_error: Option<f64>,
}

impl Middle {
    fn of(processes: &[Vec<Pair>], value: impl Fn(&Pair) -> f64) -> Option<Middle> {
        let of_process =
            |pairs: &Vec<Pair>| median(&pairs.iter().map(&value).collect::<Vec<f64>>());
        let mut values = processes.iter().map(of_process).collect::<Option<Vec<f64>>>()?;
        values.sort_unstable_by(f64::total_cmp);
        let median = median(&values).filter(|&m| m.is_finite() && m > 0.0)?;
        let relative_error = outer_rank(values.len()).map(|rank| {
            let (low, high) = (values[rank], values[values.len() - 1 - rank]);
            f64::max(median - low, high - median) / median
        });
        Some(Middle { median, relative_error })
    }
}

/// How many values on either side of `count` may be left out, so that the median of what they were
/// drawn from lies between the others with 95 % confidence, whatever the distribution: each value is
/// above it by the toss of a coin. `None` when all are too few.
fn outer_rank(count: usize) -> Option<usize> {
    const TAIL: f64 = 0.025;
    let all = 2_f64.powi(i32::try_from(count).ok()?);
    let (mut below, mut ways) = (0.0, 1.0);
    let mut rank = None;
    for at in 0..count {
        // `ways`: of tosses that have exactly `at` heads.
        below += ways / all;
        if below > TAIL {
            break;
        }
        rank = Some(at);
        ways = ways * (count - at) as f64 / (at + 1) as f64;
    }
    rank
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
        let threads = [&progress(0, 10, 1000, 100), &progress(500, 5, 2100, 105)];
        let rate = rate(&threads, 0).expect("a common time");
        assert!((rate - 0.15).abs() < 1e-12, "{rate}");
    }

    #[test]
    fn the_settling_does_not_count() {
        let mut slow_start = vec![(0, 0), (1000, 1)];
        slow_start.extend((1..=9).map(|at| (1000 + at * 1000, 1 + at * 100)));
        let rate = rate(&[&slow_start], 1000).expect("a time");
        assert!((rate - 0.1).abs() < 1e-12, "{rate}");
    }

    #[test]
    fn threads_that_did_not_meet_have_no_rate() {
        assert_eq!(rate(&[&progress(0, 2, 1000, 1), &progress(5000, 2, 1000, 1)], 0), None);
        assert_eq!(rate(&[&progress(0, 2, 1000, 1), &Vec::new()], 0), None);
        assert_eq!(rate(&[], 0), None);
        assert_eq!(rate(&[&progress(0, 2, 1000, 1)], 5000), None);
    }

    #[test]
    fn the_outer_ranks_are_those_of_the_binomial_distribution() {
        // Of ten tosses at most one is heads in 11 of 1024 cases, at most two in 56.
        for (count, rank) in [
            (0, None),
            (5, None),
            (6, Some(0)),
            (8, Some(0)),
            (9, Some(1)),
            (10, Some(1)),
            (12, Some(2)),
        ] {
            assert_eq!(outer_rank(count), rank, "{count}");
        }
    }

    fn parallel() -> Parallel {
        Parallel { cpus: vec![0, 1], threads: 2, cores: Some(2) }
    }

    fn pair(alone: f64, together: f64) -> Pair {
        let contention = Some(0.2);
        Pair { alone, together, contention, contention_at_once: contention, cpu_share: Some(1.0) }
    }

    fn of(processes: &[Vec<Pair>]) -> Scaling {
        // A mebibyte: calls per nanosecond times 1e9 are MiB/s.
        Scaling::of(processes, Some(0.2), 1 << 20, &parallel()).expect("a scaling")
    }

    #[test]
    fn the_medians_and_what_lies_about_them_are_told() {
        let scalings = [1.90, 1.92, 1.94, 1.96, 1.98, 2.00];
        let processes: Vec<Vec<Pair>> = scalings
            .iter()
            .map(|s| vec![pair(1e-6, s * 1e-6), pair(2e-6, 2.0 * s * 1e-6)])
            .collect();
        let scaling = of(&processes);
        assert!((scaling.scaling - 1.95).abs() < 1e-12, "{scaling:?}");
        let error = scaling.scaling_relative_error.expect("an error");
        assert!((error - 0.05 / 1.95).abs() < 1e-12, "{scaling:?}");
        assert!((scaling.one_mib_per_s - 1500.0).abs() < 1e-9, "{scaling:?}");
        assert_eq!(scaling.one_relative_error, Some(0.0));
        assert!((scaling.mib_per_s - 1.5 * 1950.0).abs() < 1e-9, "{scaling:?}");
        assert!((scaling.relative_error.expect("an error") - 0.05 / 1.95).abs() < 1e-12);
        assert!(scaling.all_free);
        assert_eq!((scaling.processes, scaling.pairs), (6, 12));
        // A scaling that every pair has is known exactly, though the rates differ.
        let drifting: Vec<Vec<Pair>> =
            (1..7).map(|at| vec![pair(f64::from(at), 1.5 * f64::from(at))]).collect();
        let scaling = of(&drifting);
        assert_eq!((scaling.scaling, scaling.scaling_relative_error), (1.5, Some(0.0)));
        assert!(scaling.relative_error.expect("an error") > 0.5);
    }

    #[test]
    fn pairs_beside_a_stranger_count_only_when_there_is_nothing_else() {
        let busy = Pair { contention: Some(0.3), ..pair(1.0, 1.2) };
        let stopped = Pair { cpu_share: Some(0.9), ..pair(1.0, 1.1) };
        let mixed: Vec<Vec<Pair>> = (0..6).map(|_| vec![busy, pair(1.0, 2.0), stopped]).collect();
        let scaling = of(&mixed);
        assert_eq!((scaling.scaling, scaling.all_free, scaling.pairs), (2.0, true, 6));
        // Five processes of eight saw them free: too few for an interval.
        let rare: Vec<Vec<Pair>> =
            (0..8).map(|at| vec![busy, if at < 5 { pair(1.0, 2.0) } else { busy }]).collect();
        let scaling = of(&rare);
        assert!(!scaling.all_free);
        // What strangers take is in no interval.
        assert_eq!((scaling.relative_error, scaling.scaling_relative_error), (None, None));
        assert!(scaling.scaling < 1.7, "{scaling:?}");
        assert_eq!((scaling.processes, scaling.pairs), (8, 16));
    }

    #[test]
    fn processors_of_one_core_are_found_out() {
        let shared = Pair { contention_at_once: Some(0.32), ..pair(1.0, 1.3) };
        let blind = Pair { contention_at_once: None, ..pair(1.0, 2.0) };
        let of_pairs = |pairs: Vec<Pair>| of(&vec![pairs; 6]).shared_core;
        assert_eq!(of_pairs(vec![pair(1.0, 2.0)]), Some(0.0));
        assert_eq!(of_pairs(vec![shared, pair(1.0, 2.0), shared, shared]), Some(0.75));
        assert_eq!(of_pairs(vec![shared, blind]), Some(1.0));
        assert_eq!(of_pairs(vec![blind]), None);
        // Beside a stranger all that is high anyway.
        let busy = Pair { contention: Some(0.3), ..shared };
        assert_eq!(of_pairs(vec![busy]), None);
    }

    #[test]
    fn a_pair_is_free_as_far_as_can_be_told() {
        assert!(pair(1.0, 1.0).is_free(Some(0.2)));
        assert!(!pair(1.0, 1.0).is_free(Some(0.19)));
        assert!(!pair(1.0, 1.0).is_free(None));
        let blind = Pair { contention: None, cpu_share: None, ..pair(1.0, 1.0) };
        assert!(blind.is_free(None));
        assert!(!Pair { cpu_share: Some(0.97), ..blind }.is_free(None));
    }

    #[test]
    fn too_little_states_no_error_and_nothing_no_scaling() {
        let few: Vec<Vec<Pair>> = (0..5).map(|_| vec![pair(1.0, 2.0)]).collect();
        let scaling = of(&few);
        assert_eq!((scaling.scaling, scaling.scaling_relative_error), (2.0, None));
        for nothing in [vec![], vec![vec![pair(0.0, 0.0)]], vec![vec![pair(f64::NAN, 1.0)]]] {
            assert_eq!(Scaling::of(&nothing, Some(0.2), 64, &parallel()), None);
        }
    }
}
