//! Clocks: the machine's, and an invented one for tests.
//!
//! A clock is read in *ticks* of its own. Ticks become nanoseconds only when a worker is done: it
//! has then seen the same stretch of time on this clock and on the operating system's monotonic
//! one, and their ratio is the tick's length.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A source of time that never runs backwards.
pub trait Clock {
    /// What it is, for people.
    fn name(&self) -> &'static str;

    /// The time in ticks, read so that no work before it is still under way and no work after it
    /// has begun.
    fn ticks(&self) -> u64;

    /// The operating system's monotonic time in nanoseconds, from any start.
    fn monotonic_ns(&self) -> u64;

    /// Processor time this process has had, in nanoseconds; `None` where it cannot be told.
    fn cpu_ns(&self) -> Option<u64> {
        None
    }

    /// The same of this thread alone.
    fn thread_cpu_ns(&self) -> Option<u64> {
        None
    }
}

/// What a clock's own readings look like, measured before anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grain {
    /// The smallest step between two readings that differ.
    pub resolution_ticks: u64,
    /// The smallest difference of two readings with nothing between them.
    pub cost_ticks: u64,
}

/// Readings after which the search for steps ends: a clock of 15.6 ms still shows a few.
const MOST_READINGS: u32 = 4_000_000;
/// Steps that are enough to know the smallest.
const STEPS: u32 = 200;

/// Measures the grain of a clock; bounded in the number of readings, so that it ends on any clock.
///
/// Returns `None` when the clock never moved.
pub fn grain(clock: &dyn Clock) -> Option<Grain> {
    let (mut resolution, mut cost) = (u64::MAX, u64::MAX);
    let mut steps = 0;
    let mut last = clock.ticks();
    for _ in 0..MOST_READINGS {
        let now = clock.ticks();
        let step = now.saturating_sub(last);
        cost = cost.min(step);
        if step > 0 {
            resolution = resolution.min(step);
            steps += 1;
            if steps == STEPS {
                break;
            }
        }
        last = now;
    }
    // A clock finer than its own reading shows only the cost of reading; the step between
    // *costs* is then the finest thing it tells apart.
    (steps > 0).then_some(())?;
    let mut finest = resolution;
    for _ in 0..STEPS {
        let (a, b, c) = (clock.ticks(), clock.ticks(), clock.ticks());
        let difference = b.saturating_sub(a).abs_diff(c.saturating_sub(b));
        if difference > 0 {
            finest = finest.min(difference);
        }
    }
    Some(Grain { resolution_ticks: finest, cost_ticks: cost })
}

/// Pairs of readings of which the tightest counts.
const PAIRS: u32 = 8;

/// One moment on both clocks, in ticks and in monotonic nanoseconds.
///
/// The system may stop a process between the two readings. Then they are of two moments, and a worker
/// that began so would have long ticks or short ones in all of its samples. So the monotonic clock is
/// read between two readings of ticks, several times, and the pair counts whose ticks are the closest.
pub fn moment(clock: &dyn Clock) -> (u64, u64) {
    let pair = |_| {
        let before = clock.ticks();
        let monotonic_ns = clock.monotonic_ns();
        let width = clock.ticks().saturating_sub(before);
        (width, (before + width / 2, monotonic_ns))
    };
    let first = pair(0);
    (1..PAIRS).map(pair).fold(first, |best, new| if new.0 < best.0 { new } else { best }).1
}

/// The best clock of this machine: the time-stamp counter where it runs at a constant rate and the
/// kernel has not rejected it, else the operating system's monotonic clock.
#[must_use]
pub fn machine_clock() -> Arc<dyn Clock + Send + Sync> {
    clock_of(Path::new("/"))
}

/// The best clock of a machine whose kernel tells of its time sources below `root`.
#[must_use]
pub fn clock_of(root: &Path) -> Arc<dyn Clock + Send + Sync> {
    #[cfg(target_arch = "x86_64")]
    if time_stamp_counter::is_invariant() && !is_rejected("tsc", root) {
        return Arc::new(time_stamp_counter::TimeStampCounter { start: Instant::now() });
    }
    Arc::new(MonotonicClock { start: Instant::now() })
}

/// Whether the kernel tells of time sources and this is none of them. What processors of one machine
/// say of their counters is no promise that these agree with each other; the kernel has compared them.
#[cfg(any(test, target_arch = "x86_64"))]
fn is_rejected(source: &str, root: &Path) -> bool {
    let file = "sys/devices/system/clocksource/clocksource0/available_clocksource";
    let Ok(offered) = std::fs::read_to_string(root.join(file)) else { return false };
    !offered.trim().is_empty() && !offered.split_whitespace().any(|offered| offered == source)
}

/// `std::time::Instant`, in nanoseconds.
struct MonotonicClock {
    start: Instant,
}

impl Clock for MonotonicClock {
    fn name(&self) -> &'static str {
        "monotonic clock"
    }

    fn ticks(&self) -> u64 {
        self.monotonic_ns()
    }

    fn monotonic_ns(&self) -> u64 {
        nanoseconds_since(self.start)
    }

    fn cpu_ns(&self) -> Option<u64> {
        process_cpu_ns()
    }

    fn thread_cpu_ns(&self) -> Option<u64> {
        thread_cpu_ns()
    }
}

/// Processor time of this process, from the operating system.
fn process_cpu_ns() -> Option<u64> {
    #[cfg(unix)]
    return clock_ns(rustix::time::ClockId::ProcessCPUTime);
    #[cfg(not(unix))]
    None
}

/// Processor time of this thread, from the operating system.
fn thread_cpu_ns() -> Option<u64> {
    #[cfg(unix)]
    return clock_ns(rustix::time::ClockId::ThreadCPUTime);
    #[cfg(not(unix))]
    None
}

#[cfg(unix)]
fn clock_ns(clock: rustix::time::ClockId) -> Option<u64> {
    let time = rustix::time::clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanoseconds = u64::try_from(time.tv_nsec).ok()?;
    Some(seconds * 1_000_000_000 + nanoseconds)
}

fn nanoseconds_since(start: Instant) -> u64 {
    // 584 years fit.
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(target_arch = "x86_64")]
mod time_stamp_counter {
    use super::{Clock, Instant, nanoseconds_since, process_cpu_ns, thread_cpu_ns};
    use core::arch::x86_64::{__rdtscp, _mm_lfence};

    /// Whether the counter is there, runs at a constant rate in all power states, and may be read
    /// with `rdtscp` (CPUID leaves 0x80000001 and 0x80000007; AMD and Intel manuals).
    pub fn is_invariant() -> bool {
        let cpuid = raw_cpuid::CpuId::new();
        let features = cpuid.get_extended_processor_and_feature_identifiers();
        let power = cpuid.get_advanced_power_mgmt_info();
        features.is_some_and(|features| features.has_rdtscp())
            && power.is_some_and(|power| power.has_invariant_tsc())
    }

    pub struct TimeStampCounter {
        pub start: Instant,
    }

    impl Clock for TimeStampCounter {
        fn name(&self) -> &'static str {
            "time-stamp counter"
        }

        #[inline]
        fn ticks(&self) -> u64 {
            let mut processor = 0;
            // SAFETY: `is_invariant` was true, so the processor has `rdtscp`; `lfence` is part of
            // SSE2, which every x86-64 has. Neither touches memory but the local it is given.
            unsafe {
                // rdtscp waits for all that came before it; the fence keeps what follows behind.
                let ticks = __rdtscp(&raw mut processor);
                _mm_lfence();
                ticks
            }
        }

        fn monotonic_ns(&self) -> u64 {
            nanoseconds_since(self.start)
        }

        fn cpu_ns(&self) -> Option<u64> {
            process_cpu_ns()
        }

        fn thread_cpu_ns(&self) -> Option<u64> {
            thread_cpu_ns()
        }
    }
}

/// Time that tests make up. Clones share one time line, so that an invented routine can advance
/// what an invented clock reads.
#[derive(Clone, Debug, Default)]
pub struct InventedClock {
    picoseconds: Arc<AtomicU64>,
    step_ns: u64,
}

impl InventedClock {
    /// A clock that starts at zero and moves in steps of `step_ns` nanoseconds.
    #[must_use]
    pub fn new(step_ns: u64) -> Self {
        InventedClock { picoseconds: Arc::default(), step_ns: step_ns.max(1) }
    }

    /// Lets time pass.
    pub fn advance_ps(&self, picoseconds: u64) {
        self.picoseconds.fetch_add(picoseconds, Ordering::Relaxed);
    }

    fn now_ns(&self) -> u64 {
        self.picoseconds.load(Ordering::Relaxed) / 1000
    }
}

impl Clock for InventedClock {
    fn name(&self) -> &'static str {
        "invented clock"
    }

    fn ticks(&self) -> u64 {
        // A reading takes 20 ns, as it does on real machines.
        self.advance_ps(20_000);
        self.now_ns() / self.step_ns * self.step_ns
    }

    fn monotonic_ns(&self) -> u64 {
        self.now_ns()
    }
}

/// An invented clock whose reader is stopped for 5 ms at one of the readings.
#[cfg(test)]
pub struct Stalling {
    clock: InventedClock,
    stops_at: u64,
    readings: AtomicU64,
}

#[cfg(test)]
impl Stalling {
    /// Stops before this reading of either kind, counted from 0.
    pub fn new(stops_at: u64) -> Self {
        Stalling { clock: InventedClock::new(1), stops_at, readings: AtomicU64::new(0) }
    }

    /// How many readings there were.
    pub fn readings(&self) -> u64 {
        self.readings.load(Ordering::Relaxed)
    }

    fn read(&self) {
        if self.readings.fetch_add(1, Ordering::Relaxed) == self.stops_at {
            self.clock.advance_ps(5_000_000_000);
        }
    }
}

#[cfg(test)]
impl Clock for Stalling {
    fn name(&self) -> &'static str {
        "stalling clock"
    }

    fn ticks(&self) -> u64 {
        self.read();
        self.clock.ticks()
    }

    fn monotonic_ns(&self) -> u64 {
        self.read();
        self.clock.monotonic_ns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grain_of_a_clock_is_found() {
        // A reading takes 20 ns. Where the steps are no multiple of that, two neighbouring differences
        // tell the step itself; a clock finer than its reading shows the reading.
        for (step, resolution, cost) in
            [(1, 20, 20), (25, 25, 0), (1000, 1000, 0), (15_600_000, 15_600_000, 0)]
        {
            let found = grain(&InventedClock::new(step)).expect("it moves");
            let right = Grain { resolution_ticks: resolution, cost_ticks: cost };
            assert_eq!(found, right, "{step}");
        }
    }

    #[test]
    fn a_counter_that_the_kernel_rejected_is_not_trusted() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("sys/devices/system/clocksource/clocksource0");
        assert!(!is_rejected("tsc", root.path()), "a kernel that tells nothing");
        std::fs::create_dir_all(&folder).expect("a folder");
        for (offered, rejected) in [
            ("tsc hpet acpi_pm \n", false),
            ("kvm-clock tsc acpi_pm \n", false),
            ("hpet acpi_pm \n", true),
            ("kvm-clock acpi_pm\n", true),
            // Before the kernel has compared it with others.
            ("tsc-early jiffies\n", true),
            ("\n", false),
        ] {
            std::fs::write(folder.join("available_clocksource"), offered).expect("a file");
            assert_eq!(is_rejected("tsc", root.path()), rejected, "{offered}");
            if rejected {
                assert_eq!(clock_of(root.path()).name(), "monotonic clock", "{offered}");
            }
        }
    }

    #[test]
    fn a_moment_is_that_of_its_tightest_readings() {
        let clock = Stalling::new(u64::MAX);
        moment(&clock);
        let readings = clock.readings();
        for at in 0..readings {
            let clock = Stalling::new(at);
            let (ticks, ns) = moment(&clock);
            // The one clock is the other, and a reading takes 20 ns.
            assert!(ticks.abs_diff(ns) <= 20, "stopped at reading {at}: {ticks} and {ns}");
        }
    }

    #[test]
    fn a_clock_that_stands_still_has_no_grain() {
        struct Stopped;
        impl Clock for Stopped {
            fn name(&self) -> &'static str {
                "stopped"
            }
            fn ticks(&self) -> u64 {
                7
            }
            fn monotonic_ns(&self) -> u64 {
                7
            }
        }
        assert_eq!(grain(&Stopped), None);
    }

    #[test]
    fn the_machines_clock_runs_forward() {
        let clock = machine_clock();
        let grain = grain(&*clock).expect("it moves");
        assert!(grain.resolution_ticks > 0);
        let first = clock.ticks();
        assert!(clock.ticks() >= first);
        let first = clock.monotonic_ns();
        assert!(clock.monotonic_ns() >= first);
    }
}
