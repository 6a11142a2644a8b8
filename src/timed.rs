//! Rounds in nanoseconds, what is known of the core, and which samples count.
//!
//! A sample counts when its window was quiet. It is brought to the run's frequency by the chains of
//! known cost about it: work within the caches scales with the clock.

use crate::cpus::QUIET_WITHIN;
use crate::fit::{FEWEST_PROCESSES, Rounds, coverage, lowest_mean, median};
use crate::wire::{Calls, Done, Round, Window};

/// Windows whose chains are within this share of the run's were at its frequency.
const SAME_FREQUENCY: f64 = 0.005;
/// Single chains within this share of the usual may have run at the same frequency: it trembles.
const TREMBLE: f64 = 0.01;
/// What the chains about a window take is told from so many windows on either side of it.
const NEIGHBOURS: usize = 5;
/// The share of a worker's chains, from the fastest, that tell how the long one compares with the
/// short one.
const SHARE_OF_CHAINS: f64 = 0.125;
/// The slowest and the fastest that the core ran are told without this share of the windows at
/// either end.
const TAIL_OF_FREQUENCIES: f64 = 0.01;
/// Where too few windows were quiet, those that were nearly so count, up to these factors of the
/// lowest contention: each admits twice as much of a neighbour as the one before.
const NEARLY_QUIET: [f64; 3] = [1.08, 1.16, 1.32];
/// The run's frequency is the one that this share of all windows reach: a high one that is met often.
const SHARE_AT_FREQUENCY: f64 = 0.25;

/// A round of one case.
pub struct Timed {
    /// The number of sizes.
    sizes: usize,
    /// Whether it has all sizes that are its process's own.
    whole: bool,
    windows: Vec<TimedWindow>,
}

struct TimedWindow {
    /// The place of each sample's size, and the nanoseconds of a call.
    ns: Vec<(usize, f64)>,
    /// The core's contention meanwhile; `None` when the clock cannot tell.
    contention: Option<f64>,
    chains: Option<Chains>,
}

/// What chains of known cost took before and after a window.
#[derive(Clone, Copy)]
struct Chains {
    before_ns: f64,
    after_ns: f64,
    /// The lower of two short ones.
    short_ns: f64,
    /// What a long one takes at the frequency of this time, from the windows about this one.
    local_ns: f64,
    /// Whether at least half of the chains about this window say so. If not, something else than the
    /// frequency slowed some of them down, and more than it did the samples.
    is_held: bool,
}

impl Chains {
    /// Whether the frequency was the same before, about and after.
    fn are_steady(self) -> bool {
        let is_near = |ns: f64| (ns / self.local_ns - 1.0).abs() <= TREMBLE;
        is_near(self.before_ns) && is_near(self.after_ns)
    }

    /// What brings samples of this time to a frequency at which a chain takes `usual_ns`; `None` when
    /// these chains do not tell.
    fn scale(self, usual_ns: f64) -> Option<f64> {
        if !self.are_steady() {
            return None;
        }
        if self.is_held {
            return Some(usual_ns / self.local_ns);
        }
        // Few chains agree: what they say is no reason to move a sample.
        is_same(self.local_ns, usual_ns).then_some(1.0)
    }

    /// The same where [`Self::scale`] says nothing: a sample that may have been taken at a faster
    /// clock is brought up as far as that may have been. It may be too high then, which the floor can
    /// bear; never too low.
    fn scale_upwards(self, usual_ns: f64) -> f64 {
        let fastest_ns = self.local_ns.min(self.before_ns).min(self.after_ns);
        (usual_ns / fastest_ns).max(1.0)
    }
}

impl Timed {
    /// All its samples: the place of each one's size, and the nanoseconds of a call.
    pub fn samples(&self) -> impl Iterator<Item = (usize, f64)> {
        self.windows.iter().flat_map(|window| window.ns.iter().copied())
    }

    /// What a long chain took about each of its windows in which the frequency was steady.
    fn steady_chains_ns(&self) -> impl Iterator<Item = f64> {
        let chains = self.windows.iter().filter_map(|window| window.chains);
        chains.filter(|chains| chains.are_steady() && chains.is_held).map(|chains| chains.local_ns)
    }
}

/// The rounds of a worker in the order it took them, each with its case's place in the request;
/// `sizes` tells how many sizes a case has.
#[must_use]
pub fn rounds_of_worker(
    rounds: Vec<Round>,
    sizes: impl Fn(usize) -> usize,
    done: &Done,
) -> Vec<(usize, Timed)> {
    let timed = |round: Round| {
        let calls = &round.calls;
        let windows = round.windows.into_iter().map(|window| TimedWindow::of(window, calls, done));
        let (sizes, whole, windows) = (sizes(round.case), round.whole, windows.collect());
        (round.case, Timed { sizes, whole, windows })
    };
    let mut timed: Vec<(usize, Timed)> = rounds.into_iter().map(timed).collect();
    settle_local(timed.iter_mut().flat_map(|(_, round)| &mut round.windows));
    timed
}

/// Tells each window what a chain takes about its time.
///
/// A single chain of 4 µs is no measure of the frequency of 0.3 ms, for that trembles. Bringing samples
/// to another frequency by single chains, and then taking the lowest, would take those whose chain
/// was slow by chance.
fn settle_local<'a>(windows: impl Iterator<Item = &'a mut TimedWindow>) {
    let mut chains: Vec<&mut Chains> =
        windows.filter_map(|window| window.chains.as_mut()).collect();
    let ends: Vec<[f64; 2]> = chains.iter().map(|c| [c.before_ns, c.after_ns]).collect();
    for (at, chains) in chains.iter_mut().enumerate() {
        let about = at.saturating_sub(NEIGHBOURS)..(at + NEIGHBOURS + 1).min(ends.len());
        // Of the frequency that it began with: another may have come or gone meanwhile.
        let own = |ns: &f64| (ns / chains.before_ns - 1.0).abs() <= 2.0 * TREMBLE;
        let all = 2 * about.len();
        let mut alike: Vec<f64> = ends[about].iter().flatten().copied().filter(own).collect();
        chains.is_held = 2 * alike.len() >= all;
        if let Some(usual) = met_often(&mut alike) {
            chains.local_ns = usual;
        }
    }
}

/// A low one of these that is met often: the same statistic for the run and about a window, so that
/// both can be compared.
fn met_often(chains_ns: &mut [f64]) -> Option<f64> {
    let at = (chains_ns.len() as f64 * SHARE_AT_FREQUENCY) as usize;
    (at < chains_ns.len()).then(|| *chains_ns.select_nth_unstable_by(at, f64::total_cmp).1)
}

impl TimedWindow {
    fn of(window: Window, calls: &Calls, done: &Done) -> Self {
        let contention = window.contention();
        let chains = window.looks.map(|(before, after)| {
            let ns = |ticks: u64| ticks as f64 * done.ns_per_tick;
            let before_ns = ns(before.long_ticks);
            Chains {
                local_ns: before_ns,
                is_held: true,
                before_ns,
                after_ns: ns(after.long_ticks),
                short_ns: ns(before.short_ticks.min(after.short_ticks)),
            }
        });
        let ns = |at: usize, ticks: u64| {
            let calls = f64::from(calls.at(at));
            (ticks as f64 - done.cost_ticks as f64) * done.ns_per_tick / calls
        };
        let there = window.samples.into_iter().filter(|&(_, ticks)| ticks > 0);
        TimedWindow {
            ns: there.map(|(at, ticks)| (at, ns(at, ticks))).collect(),
            contention,
            chains,
        }
    }
}

/// What is known of the core from all workers so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Core {
    /// The lowest contention seen: what a quiet core reads.
    pub lowest_contention: Option<f64>,
    /// What the long chain of known cost takes at the run's frequency.
    pub usual_chain_ns: Option<f64>,
}

impl Core {
    /// Settles the frequency that the rows of a run are told at; `true` when it is another one than
    /// before.
    pub fn settle_frequency<'a>(&mut self, rounds: impl Iterator<Item = &'a Timed>) -> bool {
        let chains = rounds.flat_map(|round| &round.windows).filter_map(|window| window.chains);
        let mut steady: Vec<f64> = chains
            .filter(|chains| chains.are_steady())
            .flat_map(|chains| [chains.before_ns, chains.after_ns])
            .collect();
        let Some(usual) = met_often(&mut steady) else { return false };
        let moved = self.usual_chain_ns.is_none_or(|before| !is_same(usual, before));
        if moved {
            self.usual_chain_ns = Some(usual);
        }
        moved
    }

    /// Whether a window was taken on a quiet core, as far as can be told: within this factor of what
    /// a quiet one reads.
    fn is_quiet(&self, window: &TimedWindow, within: f64) -> bool {
        match (window.contention, self.lowest_contention) {
            (Some(contention), Some(lowest)) => contention <= within * lowest,
            // Never agreed on what quiet is.
            (Some(_), None) => false,
            (None, _) => true,
        }
    }

    /// Whether the core ran at the run's frequency during a window, as far as can be told.
    fn is_at_frequency(&self, window: &TimedWindow) -> bool {
        match (window.chains, self.usual_chain_ns) {
            (Some(chains), Some(usual)) => chains.are_steady() && is_same(chains.local_ns, usual),
            _ => true,
        }
    }

    /// What brings a window's samples to the run's frequency; `None` when that is not known.
    fn scale(&self, window: &TimedWindow) -> Option<f64> {
        match (window.chains, self.usual_chain_ns) {
            (Some(chains), Some(usual)) => chains.scale(usual),
            _ => Some(1.0),
        }
    }

    /// The same, and where it is not known what makes them too low in no case.
    fn scale_or_upwards(&self, window: &TimedWindow) -> f64 {
        let upwards = || match (window.chains, self.usual_chain_ns) {
            (Some(chains), Some(usual)) => chains.scale_upwards(usual),
            _ => 1.0,
        };
        self.scale(window).unwrap_or_else(upwards)
    }

    /// How the clock was beside a row over how it is at the run's frequency: above 1 it ran slower.
    /// 1 where that cannot be told.
    #[must_use]
    pub fn slower_beside(&self, processes: &[Vec<Timed>]) -> f64 {
        let chains = processes.iter().flatten().flat_map(Timed::steady_chains_ns);
        let own = median(&chains.collect::<Vec<f64>>());
        own.zip(self.usual_chain_ns).map_or(1.0, |(own, usual)| own / usual)
    }

    /// How far the core moved: what the run's frequency is to be multiplied by for the slowest and the
    /// fastest that was met; `None` where that cannot be told.
    pub fn moved<'a>(&self, rounds: impl Iterator<Item = &'a Timed>) -> Option<(f64, f64)> {
        let mut chains: Vec<f64> = rounds.flat_map(Timed::steady_chains_ns).collect();
        chains.sort_unstable_by(f64::total_cmp);
        let tail = (TAIL_OF_FREQUENCIES * chains.len() as f64) as usize;
        let (fastest, slowest) = (chains.get(tail)?, chains.get(chains.len() - 1 - tail)?);
        let usual = self.usual_chain_ns?;
        Some((usual / slowest, usual / fastest))
    }
}

/// How much longer the long chain takes than the short one, over what a long one takes at the same
/// time: whatever the frequency did meanwhile, the cycles between the two take so much of it.
/// `None` where the clock cannot tell.
#[must_use]
pub fn share_between_chains<'a>(rounds: impl Iterator<Item = &'a Timed>) -> Option<f64> {
    let chains = rounds.flat_map(|round| &round.windows).filter_map(|window| window.chains);
    let steady = chains.filter(|chains| chains.are_steady());
    let (mut long, mut short): (Vec<f64>, Vec<f64>) =
        steady.map(|c| (c.before_ns.min(c.after_ns) / c.local_ns, c.short_ns / c.local_ns)).unzip();
    let floor = |values: &mut [f64]| lowest_mean(values, SHARE_OF_CHAINS);
    Some(floor(&mut long)? - floor(&mut short)?)
}

fn is_same(a_ns: f64, b_ns: f64) -> bool {
    (a_ns / b_ns - 1.0).abs() <= SAME_FREQUENCY
}

/// Which samples of a row count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    /// Those on a quiet core at the run's frequency.
    AtFrequency,
    /// Those on a quiet core whose frequency was steady meanwhile.
    Scaled,
    /// Those on a core that was nearly quiet: within this factor of the lowest contention.
    NearlyQuiet(f64),
    /// All rounds that are whole: pieces of busy rounds and quiet ones make no line.
    Whole,
}

impl Choice {
    /// All, the best first.
    fn all() -> impl Iterator<Item = Choice> {
        [Choice::AtFrequency, Choice::Scaled]
            .into_iter()
            .chain(NEARLY_QUIET.map(Choice::NearlyQuiet))
    }

    /// Whether these samples were taken on a quiet core.
    #[must_use]
    pub fn is_quiet(self) -> bool {
        matches!(self, Choice::AtFrequency | Choice::Scaled)
    }

    fn takes(self, round: &Timed, window: &TimedWindow, core: &Core) -> bool {
        let is_scaled = || core.scale(window).is_some();
        match self {
            Choice::AtFrequency => {
                core.is_quiet(window, QUIET_WITHIN) && core.is_at_frequency(window)
            }
            Choice::Scaled => core.is_quiet(window, QUIET_WITHIN) && is_scaled(),
            Choice::NearlyQuiet(within) => core.is_quiet(window, within) && is_scaled(),
            Choice::Whole => round.whole,
        }
    }

    /// The samples of a round that count, by size; not a number where none does.
    fn samples(self, round: &Timed, core: &Core) -> Option<Vec<f64>> {
        let mut by_size = vec![f64::NAN; round.sizes];
        let mut any = false;
        for window in round.windows.iter().filter(|window| self.takes(round, window, core)) {
            let scale = core.scale_or_upwards(window);
            for &(at, ns) in &window.ns {
                by_size[at] = ns * scale;
                any = true;
            }
        }
        any.then_some(by_size)
    }
}

/// The samples to judge by, process by process, at the run's frequency: of the first choice that
/// holds the line at both ends.
#[must_use]
pub fn usable(processes: &[Vec<Timed>], core: &Core) -> (Vec<Rounds>, Choice) {
    let select = |choice: Choice| -> Vec<Rounds> {
        let rounds = |process: &Vec<Timed>| -> Rounds {
            process.iter().filter_map(|round| choice.samples(round, core)).collect()
        };
        processes.iter().map(rounds).filter(|rounds| !rounds.is_empty()).collect()
    };
    for choice in Choice::all() {
        let rounds = select(choice);
        if coverage(&rounds) >= FEWEST_PROCESSES.min(processes.len()) {
            return (rounds, choice);
        }
    }
    (select(Choice::Whole), Choice::Whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::estimate;
    use crate::frequency::{Probe, megahertz};

    const SIZES: [usize; 5] = [0, 1024, 2048, 3072, 4096];

    fn done() -> Done {
        Done {
            clock: "invented".to_owned(),
            ns_per_tick: 0.1,
            cost_ticks: 40,
            resolution_ticks: 1,
            wall_ns: 0,
            cpu_ns: None,
            frequency_agreement: None,
            system_agreement: None,
            counted_cycles: None,
            lowest_contention: None,
        }
    }

    /// The chains of known cost at a frequency, on a core of this contention.
    fn look(mhz: f64, contention: f64) -> Probe {
        let ticks = |cycles: f64| (cycles * 1e4 / mhz).round() as u64;
        let long = ticks(12_288.0);
        let wide = (4.0 * long as f64 * contention).round() as u64;
        Probe { long_ticks: long, short_ticks: ticks(4_096.0), wide_ticks: wide }
    }

    /// A window over all sizes at 7 cycles a byte, between two frequencies.
    fn window(before_mhz: f64, after_mhz: f64, contention: f64) -> Window {
        let mhz = f64::midpoint(before_mhz, after_mhz);
        let ticks = |&size: &usize| ((350.0 + 7.0 * size as f64) * 1e4 / mhz) as u64 + 40;
        Window {
            samples: SIZES.iter().map(ticks).enumerate().collect(),
            looks: Some((look(before_mhz, contention), look(after_mhz, contention))),
        }
    }

    fn timed(window: Window) -> Timed {
        let round =
            Round { case: 0, calls: Calls::Alike(1), step: 1, windows: vec![window], whole: true };
        let mut rounds = rounds_of_worker(vec![round], |_| SIZES.len(), &done());
        rounds.remove(0).1
    }

    fn core_of(processes: &[Vec<Timed>]) -> Core {
        let mut core = Core { lowest_contention: Some(0.2), usual_chain_ns: None };
        assert!(core.settle_frequency(processes.iter().flatten()));
        assert!(!core.settle_frequency(processes.iter().flatten()));
        core
    }

    /// Cycles per byte and megahertz of rows measured so.
    fn told(processes: &[Vec<Timed>]) -> (f64, f64, Choice) {
        let core = core_of(processes);
        let (rounds, choice) = usable(processes, &core);
        let estimate = estimate(&SIZES, &rounds).expect("an estimate");
        let share = share_between_chains(processes.iter().flatten()).expect("chains");
        let usual_ns = core.usual_chain_ns.expect("a frequency");
        let mhz = megahertz(share * usual_ns, 0.0).expect("a frequency");
        (estimate.line.slope * mhz / 1e3, mhz, choice)
    }

    #[test]
    fn rounds_at_the_frequency_met_often_suffice() {
        // A round in five at 3500 MHz, the others at 3200: all are told at the latter.
        let process = || (0..5).map(|at| if at == 0 { 3500.0 } else { 3200.0 });
        let processes: Vec<Vec<Timed>> =
            (0..8).map(|_| process().map(|mhz| timed(window(mhz, mhz, 0.2))).collect()).collect();
        let (cycles, mhz, choice) = told(&processes);
        assert!((mhz - 3200.0).abs() < 1.0, "{mhz}");
        assert!((cycles - 7.0).abs() < 7e-3, "{cycles}");
        assert_eq!(choice, Choice::AtFrequency);
    }

    #[test]
    fn a_drifting_frequency_leaves_cycles_alone() {
        // Each process at a frequency of its own: no two can be compared as they are.
        let mhz = |process: usize| 2800.0 + 60.0 * process as f64;
        let processes: Vec<Vec<Timed>> =
            (0..12).map(|p| vec![timed(window(mhz(p), mhz(p), 0.2))]).collect();
        let (cycles, _, choice) = told(&processes);
        assert_eq!(choice, Choice::Scaled);
        assert!((cycles - 7.0).abs() < 0.02, "{cycles}");
    }

    /// Twelve processes of a run, whose host moves the core between 3120 and 3245 MHz, slowly or at once.
    fn moved_run(run: usize) -> Vec<Vec<Timed>> {
        let mhz = |process: usize, round: usize| {
            let minute = run as f64 / 3.0 + process as f64 / 12.0 + round as f64 / 500.0;
            let slowly = 3182.0 + 62.0 * (std::f64::consts::TAU * minute).sin();
            if run.is_multiple_of(2) && process.is_multiple_of(3) {
                3245.0
            } else {
                slowly - 30.0 * (run % 2) as f64
            }
        };
        let process = |process: usize| {
            let rounds = (0..24).map(|round| Round {
                case: 0,
                calls: Calls::Alike(1),
                step: 1,
                windows: vec![window(mhz(process, round), mhz(process, round + 1), 0.2)],
                whole: true,
            });
            let rounds = rounds_of_worker(rounds.collect(), |_| SIZES.len(), &done());
            rounds.into_iter().map(|(_, timed)| timed).collect()
        };
        (0..12).map(process).collect()
    }

    #[test]
    fn runs_on_a_host_that_moves_the_frequency_agree_at_one_frequency() {
        let at_3200 = |run: usize| {
            let (cycles, mhz, _) = told(&moved_run(run));
            (cycles / 3.2, mhz)
        };
        let runs: Vec<(f64, f64)> = (0..8).map(at_3200).collect();
        // As time passed they differ by most of a per cent ...
        let mhz: Vec<f64> = runs.iter().map(|&(_, mhz)| mhz).collect();
        let spread = |values: &[f64]| {
            let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
            values.iter().copied().fold(0.0, f64::max) / lowest - 1.0
        };
        assert!(spread(&mhz) > 0.005, "{mhz:?}");
        // ... and not at one frequency.
        let ns: Vec<f64> = runs.iter().map(|&(ns, _)| ns).collect();
        assert!(spread(&ns) < 1e-3, "{ns:?}");
        assert!((ns[0] / (7.0 / 3.2) - 1.0).abs() < 1e-3, "{ns:?}");
    }

    #[test]
    fn how_far_the_core_moved_is_told() {
        let processes = moved_run(0);
        let core = core_of(&processes);
        let (slowest, fastest) = core.moved(processes.iter().flatten()).expect("chains");
        assert!((fastest / slowest - 3245.0 / 3120.0).abs() < 3e-3, "{slowest} {fastest}");
        assert!(slowest < 1.0 && fastest >= 1.0, "{slowest} {fastest}");
    }

    #[test]
    fn an_unsteady_window_at_a_faster_clock_is_not_too_low() {
        // Nothing but windows in which the frequency changed: whole rounds have to do.
        let processes: Vec<Vec<Timed>> =
            (0..6).map(|_| vec![timed(window(3200.0, 3600.0, 0.2))]).collect();
        let steady = vec![vec![timed(window(3200.0, 3200.0, 0.2))]];
        let core = core_of(&steady);
        let (rounds, choice) = usable(&processes, &core);
        assert_eq!(choice, Choice::Whole);
        let exact = (350.0 + 7.0 * 4096.0) / 3.2;
        assert!(rounds[0][0][4] >= 0.999 * exact, "{} instead of {exact}", rounds[0][0][4]);
    }

    #[test]
    fn nearly_quiet_windows_count_before_busy_ones() {
        // Beside a neighbour throughout; in a third of the windows it does little.
        let processes: Vec<Vec<Timed>> = (0..6)
            .map(|_| {
                let contention = [0.21, 0.3, 0.29];
                contention.map(|contention| timed(window(3200.0, 3200.0, contention))).into()
            })
            .collect();
        let (rounds, choice) = usable(&processes, &core_of(&processes));
        assert_eq!(choice, Choice::NearlyQuiet(1.08));
        assert!(!choice.is_quiet());
        assert!(rounds.iter().all(|rounds| rounds.len() == 1));
    }

    #[test]
    fn a_window_in_which_the_frequency_changed_is_left_out() {
        let processes: Vec<Vec<Timed>> = (0..12)
            .map(|_| vec![timed(window(3200.0, 3200.0, 0.2)), timed(window(3200.0, 3600.0, 0.2))])
            .collect();
        let core = core_of(&processes);
        for choice in [Choice::AtFrequency, Choice::Scaled] {
            assert!(choice.samples(&processes[0][0], &core).is_some(), "{choice:?}");
            assert_eq!(choice.samples(&processes[0][1], &core), None, "{choice:?}");
        }
    }

    #[test]
    fn chains_that_something_else_slowed_down_move_no_sample() {
        // Samples are of 3200 MHz throughout; of the chains some are slower, each by another share.
        let mut slowed = |at: usize| {
            let mhz = if at.is_multiple_of(3) { 3200.0 } else { 2000.0 + 130.0 * (at % 8) as f64 };
            let looks = Some((look(mhz, 0.2), look(mhz, 0.2)));
            Window { looks, ..window(3200.0, 3200.0, 0.2) }
        };
        let processes: Vec<Vec<Timed>> = (0..12)
            .map(|_| {
                let windows = (0..24).map(&mut slowed);
                let rounds = windows.map(|window| Round {
                    case: 0,
                    calls: Calls::Alike(1),
                    step: 1,
                    windows: vec![window],
                    whole: true,
                });
                let rounds = rounds_of_worker(rounds.collect(), |_| SIZES.len(), &done());
                rounds.into_iter().map(|(_, timed)| timed).collect()
            })
            .collect();
        let core = core_of(&processes);
        for choice in [Choice::Scaled, Choice::Whole] {
            let floor = |round: &Timed| choice.samples(round, &core).map(|by_size| by_size[4]);
            let lowest = processes[0].iter().filter_map(floor).reduce(f64::min).expect("a sample");
            let exact = window(3200.0, 3200.0, 0.2).samples[4].1 as f64 * 0.1 - 4.0;
            assert!((lowest / exact - 1.0).abs() < 1e-3, "{choice:?}: {lowest} instead of {exact}");
        }
    }

    #[test]
    fn busy_windows_count_only_when_there_is_nothing_else() {
        let processes: Vec<Vec<Timed>> =
            (0..12).map(|_| vec![timed(window(3200.0, 3200.0, 0.3))]).collect();
        assert_eq!(told(&processes).2, Choice::Whole);
    }

    #[test]
    fn a_clock_too_coarse_for_chains_is_believed() {
        let blind = || Window { looks: None, ..window(3200.0, 3200.0, 0.2) };
        let processes: Vec<Vec<Timed>> = (0..8).map(|_| vec![timed(blind())]).collect();
        let mut core = Core::default();
        assert!(!core.settle_frequency(processes.iter().flatten()));
        assert_eq!(usable(&processes, &core).1, Choice::AtFrequency);
        assert_eq!(share_between_chains(processes.iter().flatten()), None);
        assert_eq!(core.moved(processes.iter().flatten()), None);
    }
}
