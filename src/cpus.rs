//! Which processor is quiet now: workers move to one that is, and mark samples taken beside a busy
//! neighbour.
//!
//! The processors of a guest share their cores with different strangers, so that one of them is
//! often quiet while another is not.

use std::path::Path;

use crate::clock::{Clock, Grain};
use crate::frequency::{Probe, probe};
use crate::quiet::Processor;

/// A core counts as quiet when its contention is within this factor of the lowest seen.
pub const QUIET_WITHIN: f64 = 1.04;

/// The processors this process may run on, and what was seen of them.
pub struct Cpus<'a> {
    clock: &'a dyn Clock,
    grain: Grain,
    allowed: Vec<usize>,
    at: usize,
    lowest: Lowest,
    judges: bool,
}

impl<'a> Cpus<'a> {
    /// Looks at the machine; `only` are the processors to stay on, empty for all that are allowed;
    /// `lowest` is the lowest contention that earlier workers saw.
    pub fn new(clock: &'a dyn Clock, grain: Grain, only: &[usize], lowest: Option<f64>) -> Self {
        if !only.is_empty() {
            // The parent has tried it: what fails here would fail there.
            let _ = affinity::stay_on(only);
        }
        let mut cpus = Cpus {
            clock,
            grain,
            allowed: affinity::allowed().unwrap_or_default(),
            at: 0,
            // Neighbours that were there from the first moment on must not be taken for quiet.
            lowest: Lowest { confirmed: lowest.or_else(known_quiet), readings: Vec::new() },
            judges: true,
        };
        cpus.judges = cpus.probe().is_some();
        cpus
    }

    /// The lowest contention seen, by earlier workers too; `None` when this clock cannot tell.
    pub fn lowest(&self) -> Option<f64> {
        self.lowest.confirmed
    }

    /// A look at the current processor; `None` when this clock cannot tell.
    pub fn probe(&mut self) -> Option<Probe> {
        if !self.judges {
            return None;
        }
        let found = probe(self.clock, self.grain)?;
        self.lowest.take(found.contention());
        Some(found)
    }

    /// Whether a contention counts as quiet. What could not be judged does.
    pub fn is_quiet(&self, contention: Option<f64>) -> bool {
        let Some(contention) = contention else {
            return true;
        };
        self.lowest.confirmed.is_some_and(|lowest| contention <= QUIET_WITHIN * lowest)
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
    let mut lowest = Lowest { confirmed: None, readings: Vec::new() };
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
struct Lowest {
    confirmed: Option<f64>,
    /// The lowest readings, ascending.
    readings: Vec<f64>,
}

impl Lowest {
    /// Readings that must agree ...
    const AGREEING: usize = 12;
    /// ... within this factor.
    const WITHIN: f64 = 1.01;
    /// More are not kept.
    const KEPT: usize = 64;

    fn take(&mut self, reading: f64) {
        if self.confirmed.is_some_and(|confirmed| reading >= confirmed) {
            return;
        }
        let at = self.readings.partition_point(|&kept| kept < reading);
        self.readings.insert(at, reading);
        self.readings.truncate(Self::KEPT);
        let agreed = self
            .readings
            .windows(Self::AGREEING)
            .find(|window| window[Self::AGREEING - 1] <= Self::WITHIN * window[0]);
        if let Some(window) = agreed {
            let lowest = window[0];
            self.confirmed = Some(self.confirmed.map_or(lowest, |confirmed| confirmed.min(lowest)));
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

    #[test]
    fn a_busy_core_is_not_taken_for_quiet_where_quiet_is_known() {
        let mut lowest = Lowest { confirmed: Some(0.213), readings: Vec::new() };
        (0..50).for_each(|_| lowest.take(0.27));
        assert_eq!(lowest.confirmed, Some(0.213));
        // A core that is quieter than what is known teaches it.
        (0..50).for_each(|_| lowest.take(0.209));
        assert_eq!(lowest.confirmed, Some(0.209));
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
        let mut lowest = Lowest { confirmed: None, readings: Vec::new() };
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
