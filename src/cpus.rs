//! Which processor is quiet now: workers move to one that is, and mark samples taken beside a busy
//! neighbour.
//!
//! The processors of a guest share their cores with different strangers, so that one of them is
//! often quiet while another is not.

use std::path::Path;

use crate::clock::{Clock, Grain};
use crate::frequency::{Probe, probe};
use crate::quiet::Processor;

/// A core counts as quiet when its contention is within this factor of the lowest seen; docs/method.md
/// derives this and the others.
pub const QUIET_WITHIN: f64 = 1.04;
/// Readings of a quiet core agree within this factor.
const AGREE_WITHIN: f64 = 1.01;

/// The processors this process may run on, and what was seen of them.
pub struct Cpus<'a> {
    clock: &'a dyn Clock,
    grain: Grain,
    allowed: Vec<usize>,
    at: usize,
    /// What quiet reads as far as earlier workers know, and no more than is known of its kind.
    level: Option<f64>,
    known: Option<f64>,
    /// What this worker's own readings say.
    own: Lowest,
    judges: bool,
}

impl<'a> Cpus<'a> {
    /// Looks at the machine; `only` are the processors to stay on, empty for all that are allowed;
    /// `level` is what quiet reads, as far as earlier workers know.
    pub fn new(clock: &'a dyn Clock, grain: Grain, only: &[usize], level: Option<f64>) -> Self {
        // Neighbours that were there from the first moment on must not be taken for quiet.
        let known = known_quiet();
        if !only.is_empty() {
            // The parent has tried it: what fails here would fail there.
            let _ = affinity::stay_on(only);
        }
        let mut cpus = Cpus {
            clock,
            grain,
            allowed: affinity::allowed().unwrap_or_default(),
            at: 0,
            level: lower(level, known),
            known,
            own: Lowest::default(),
            judges: true,
        };
        cpus.judges = cpus.probe().is_some();
        cpus
    }

    /// What quiet reads by this worker's own readings, and no more than is known of this kind of core;
    /// `None` when neither tells.
    pub fn lowest(&self) -> Option<f64> {
        lower(self.own.confirmed, self.known).filter(|_| self.judges)
    }

    /// A look at the current processor; `None` when this clock cannot tell.
    pub fn probe(&mut self) -> Option<Probe> {
        if !self.judges {
            return None;
        }
        let found = probe(self.clock, self.grain)?;
        self.own.take(found.contention());
        Some(found)
    }

    /// Whether a contention counts as quiet. What could not be judged does.
    pub fn is_quiet(&self, contention: Option<f64>) -> bool {
        let Some(contention) = contention else {
            return true;
        };
        let level = lower(self.own.confirmed, self.level);
        level.is_some_and(|level| contention <= QUIET_WITHIN * level)
    }

    /// Moves to a quiet processor, trying each in turn until `deadline_ns`; returns what it looks
    /// like where it settled.
    pub fn settle(&mut self, deadline_ns: u64) -> Option<Probe> {
        loop {
            let found = self.probe();
            if self.is_quiet(found.map(Probe::contention))
                || self.clock.monotonic_ns() >= deadline_ns
            {
                return found;
            }
            self.at = (self.at + 1) % self.allowed.len().max(1);
            if let Some(&cpu) = self.allowed.get(self.at) {
                // Where that is not permitted it stays where it is, which costs quiet windows but
                // makes nothing wrong.
                let _ = affinity::stay_on(&[cpu]);
            }
        }
    }
}

/// The lower of those that are there.
fn lower(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::min)
}

/// What quiet reads, as worker after worker tells it.
///
/// A worker whose readings agree on less than those before is believed at once: these had neighbours. But
/// it may have been misled, by chains of which a dozen were slowed down alike, and then nothing would
/// ever be quiet again. So what no worker comes near any more is given up, for a higher level that workers
/// agree on.
#[derive(Clone, Debug, Default)]
pub struct QuietLevel {
    level: Option<f64>,
    /// What the last workers told since one came near, the latest last.
    away: Vec<f64>,
}

impl QuietLevel {
    /// So many workers in a row that come nowhere near the level are enough to doubt it: a second or two.
    const DOUBTING: usize = 8;
    /// So many of them must agree on another. What is read beside a busy neighbour scatters.
    const AGREEING: usize = 4;

    /// Takes what a worker tells, and gives the level from now on.
    pub fn take(&mut self, lowest: Option<f64>) -> Option<f64> {
        let Some(lowest) = lowest else { return self.level };
        if self.level.is_none_or(|level| lowest <= QUIET_WITHIN * level) {
            self.level = lower(self.level, Some(lowest));
            self.away.clear();
            return self.level;
        }
        self.away.push(lowest);
        if self.away.len() > Self::DOUBTING {
            self.away.remove(0);
        }
        if self.away.len() == Self::DOUBTING
            && let Some(agreed) = agreed(&mut self.away.clone(), Self::AGREEING)
        {
            self.level = Some(agreed);
            self.away.clear();
        }
        self.level
    }
}

/// The lowest of these that so many of them agree with.
fn agreed(readings: &mut [f64], many: usize) -> Option<f64> {
    readings.sort_unstable_by(f64::total_cmp);
    let agree = |window: &&[f64]| window[many - 1] <= AGREE_WITHIN * window[0];
    readings.windows(many).find(agree).map(|window| window[0])
}

/// What a quiet core of this kind reads, where that is known.
fn known_quiet() -> Option<f64> {
    Some(Processor::here()?.known_quiet()?.highest)
}

/// The processors this process may run on, ascending; `None` where that cannot be told.
#[must_use]
pub fn allowed() -> Option<Vec<usize>> {
    affinity::allowed()
}

/// The processor that this runs on; `None` where that cannot be told.
#[must_use]
pub fn current() -> Option<usize> {
    affinity::current()
}

/// The frequency in megahertz that the system tells of a processor, from the files below `root`:
/// what it counted where it counts, else what it asked for.
#[must_use]
pub fn told_megahertz(root: &Path, cpu: usize) -> Option<f64> {
    let folder = root.join(format!("sys/devices/system/cpu/cpu{cpu}/cpufreq"));
    let khz = |name: &str| -> Option<f64> {
        std::fs::read_to_string(folder.join(name)).ok()?.trim().parse().ok()
    };
    let khz = khz("cpuinfo_avg_freq").or_else(|| khz("scaling_cur_freq"))?;
    (khz.is_finite() && khz > 0.0).then_some(khz / 1e3)
}

/// Ascending processors in few words: `0-3,8`.
#[must_use]
pub fn show_list(cpus: &[usize]) -> String {
    let runs = cpus.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    });
    runs.collect::<Vec<_>>().join(",")
}

/// Lets this thread run on these processors only.
///
/// # Errors
/// When that is not permitted, or not possible on this platform.
pub fn stay_on(cpus: &[usize]) -> std::io::Result<()> {
    affinity::stay_on(cpus)
}

/// What quiet reads, judged by these readings of contention; `None` when no dozen of them agree.
#[must_use]
pub fn lowest_agreed(readings: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut lowest = Lowest::default();
    readings.into_iter().for_each(|reading| lowest.take(reading));
    lowest.confirmed
}

/// Whether workers can be made to stay on a processor.
///
/// # Errors
/// Why not, as a sentence.
pub fn check_pin(cpu: usize) -> Result<(), String> {
    let Some(allowed) = allowed().filter(|allowed| !allowed.is_empty()) else {
        return Err("this platform does not let a program choose its processor".to_owned());
    };
    if !allowed.contains(&cpu) {
        return Err(format!("the processors this process may run on are {}", show_list(&allowed)));
    }
    // A sandbox may let the mask be read but not written.
    let tried = affinity::stay_on(&[cpu]).and_then(|()| affinity::stay_on(&allowed));
    tried.map_err(|error| format!("this process may not choose its processor: {error}"))
}

/// The core that a processor belongs to, as the system lists its hardware threads below `root`;
/// processors of one core have the same.
#[must_use]
pub fn core(root: &Path, cpu: usize) -> Option<String> {
    let file = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    let list = std::fs::read_to_string(root.join(file)).ok()?;
    let list = list.trim();
    (!list.is_empty()).then(|| list.to_owned())
}

/// Does something on these processors only, as workers do: kinds of cores have counters of their own.
/// Anywhere when none is named, or when that is not permitted.
pub fn staying_on<T>(cpus: &[usize], work: impl FnOnce() -> T) -> T {
    let before = affinity::allowed().filter(|_| !cpus.is_empty());
    if before.is_some() {
        let _ = affinity::stay_on(cpus);
    }
    let done = work();
    if let Some(before) = before {
        // Workers, which inherit the mask, would choose the same processors.
        let _ = affinity::stay_on(&before);
    }
    done
}

/// The lowest contention that was seen again and again: a few low readings are chains that were
/// interrupted, not a quiet core. Quiet readings lie within 1 % of each other; interrupted ones
/// anywhere.
#[derive(Default)]
struct Lowest {
    confirmed: Option<f64>,
    /// The lowest readings, ascending.
    readings: Vec<f64>,
}

impl Lowest {
    /// Readings that must agree.
    const AGREEING: usize = 12;
    /// More are not kept.
    const KEPT: usize = 64;

    fn take(&mut self, reading: f64) {
        if self.confirmed.is_some_and(|confirmed| reading >= confirmed) {
            return;
        }
        let at = self.readings.partition_point(|&kept| kept < reading);
        self.readings.insert(at, reading);
        self.readings.truncate(Self::KEPT);
        if let Some(agreed) = agreed(&mut self.readings, Self::AGREEING) {
            self.confirmed = lower(self.confirmed, Some(agreed));
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod affinity {
    use std::io;

    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// The processors the caller's affinity mask allows; `None` when it cannot be read.
    pub fn allowed() -> Option<Vec<usize>> {
        let set = sched_getaffinity(None).ok()?;
        Some((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
    }

    /// The processor that this runs on.
    pub fn current() -> Option<usize> {
        Some(rustix::thread::sched_getcpu())
    }

    /// Lets this thread run on these processors only.
    pub fn stay_on(cpus: &[usize]) -> io::Result<()> {
        let mut set = CpuSet::new();
        // The mask has no place for others.
        cpus.iter().filter(|&&cpu| cpu < CpuSet::MAX_CPU).for_each(|&cpu| set.set(cpu));
        Ok(sched_setaffinity(None, &set)?)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod affinity {
    use std::io;

    pub fn allowed() -> Option<Vec<usize>> {
        None
    }

    pub fn current() -> Option<usize> {
        None
    }

    pub fn stay_on(_: &[usize]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::InventedClock;

    /// A worker on a kind of core that is known or not, told a level by earlier ones.
    fn worker<'a>(
        clock: &'a dyn Clock,
        known: Option<f64>,
        level: Option<f64>,
        readings: &[f64],
    ) -> Cpus<'a> {
        let grain = Grain { resolution_ticks: 1, cost_ticks: 1 };
        let mut cpus = Cpus::new(clock, grain, &[], None);
        (cpus.known, cpus.level, cpus.judges) = (known, lower(level, known), true);
        readings.iter().for_each(|&reading| cpus.own.take(reading));
        cpus
    }

    #[test]
    fn a_busy_core_is_not_taken_for_quiet_where_quiet_is_known() {
        let clock = InventedClock::new(1);
        let of = |level, reading| worker(&clock, Some(0.213), level, &[reading; 50]);
        for level in [None, Some(0.27)] {
            let busy = of(level, 0.27);
            assert_eq!(busy.lowest(), Some(0.213));
            assert!(!busy.is_quiet(Some(0.27)) && busy.is_quiet(Some(0.215)));
            // A core that is quieter than what is known teaches it.
            assert_eq!(of(level, 0.200).lowest(), Some(0.200));
            assert!(!of(level, 0.200).is_quiet(Some(0.213)));
        }
    }

    #[test]
    fn a_worker_tells_what_it_saw_itself() {
        let clock = InventedClock::new(1);
        let busy = worker(&clock, None, Some(0.18), &[0.213; 50]);
        assert_eq!(busy.lowest(), Some(0.213));
        assert!(!busy.is_quiet(Some(0.213)), "earlier ones know better");
        assert_eq!(worker(&clock, None, Some(0.18), &[0.213; 11]).lowest(), None);
    }

    #[test]
    fn a_dozen_bad_readings_do_not_make_everything_busy_for_ever() {
        let mut level = QuietLevel::default();
        assert_eq!(level.take(None), None);
        assert_eq!(level.take(Some(0.2135)), Some(0.2135));
        assert_eq!(level.take(Some(0.2130)), Some(0.2130));
        // A worker whose chains were slowed down alike.
        assert_eq!(level.take(Some(0.18)), Some(0.18));
        for _ in 1..QuietLevel::DOUBTING {
            assert_eq!(level.take(Some(0.2132)), Some(0.18));
            assert_eq!(level.take(None), Some(0.18), "who tells nothing does not count");
        }
        assert_eq!(level.take(Some(0.2131)), Some(0.2131));
        assert_eq!(level.take(Some(0.2130)), Some(0.2130));
    }

    #[test]
    fn busy_neighbours_do_not_move_what_quiet_is() {
        // Half a minute of neighbours, each worker beside another load: no four of eight agree.
        let mut level = QuietLevel::default();
        level.take(Some(0.213));
        for at in 0..200 {
            let busy = 0.25 + 0.02 * f64::from(at * 7 % 10);
            assert_eq!(level.take(Some(busy)), Some(0.213), "{at}");
        }
        // One that comes near sets the doubts back.
        let mut level = QuietLevel::default();
        level.take(Some(0.213));
        for at in 0..100 {
            let told = if at % 7 == 6 { 0.2135 } else { 0.27 };
            assert_eq!(level.take(Some(told)), Some(0.213), "{at}");
        }
        // What was busy from the start is corrected at once.
        let mut level = QuietLevel::default();
        assert_eq!(level.take(Some(0.30)), Some(0.30));
        assert_eq!(level.take(Some(0.213)), Some(0.213));
    }

    #[test]
    fn the_system_tells_kilohertz() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("sys/devices/system/cpu/cpu3/cpufreq");
        std::fs::create_dir_all(&folder).expect("a folder");
        assert_eq!(told_megahertz(root.path(), 3), None);
        let write = |name, text| std::fs::write(folder.join(name), text).expect("a file");
        for (text, mhz) in [("3201500\n", Some(3201.5)), ("0\n", None), ("<unknown>\n", None)] {
            write("scaling_cur_freq", text);
            assert_eq!(told_megahertz(root.path(), 3), mhz, "{text}");
        }
        write("scaling_cur_freq", "800000\n");
        write("cpuinfo_avg_freq", "4100000\n");
        assert_eq!(told_megahertz(root.path(), 3), Some(4100.0));
        assert_eq!(told_megahertz(root.path(), 2), None);
    }

    #[test]
    fn a_few_low_readings_confirm_nothing() {
        let mut lowest = Lowest::default();
        // A busy core, and chains that were interrupted: scattered readings.
        for step in 0..200 {
            lowest.take(0.25 + 0.004 * f64::from(step));
        }
        for reading in [0.02, 0.05, 0.19, 0.2044, 0.2050, 0.2062, 0.2090, 0.2101, 0.2103] {
            lowest.take(reading);
        }
        assert_eq!(lowest.confirmed, None);
        // A quiet core: again and again the same.
        for step in 0..12 {
            assert_eq!(lowest.confirmed, None);
            lowest.take(0.2130 + 0.0001 * f64::from(step));
        }
        let confirmed = lowest.confirmed.expect("twelve agree");
        assert!((0.2100..=0.2130).contains(&confirmed), "{confirmed}");
    }
}
