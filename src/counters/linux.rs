//! Linux's performance events of the calling thread, in user space only.

use std::fs;
use std::io;

use perf_event::Builder;
use perf_event::events::{self, Hardware};

use super::{Absence, Counter, Event, Pmu, Reading, Surroundings};

/// The processor's counters, as the kernel lends them.
pub struct PerfEvents;

impl Pmu for PerfEvents {
    fn open(&self, event: Event) -> Result<Box<dyn Counter>, Absence> {
        let event = match event {
            Event::Instructions => Hardware::INSTRUCTIONS,
            Event::Cycles => Hardware::CPU_CYCLES,
            Event::Branches => Hardware::BRANCH_INSTRUCTIONS,
            Event::BranchMisses => Hardware::BRANCH_MISSES,
            Event::CacheMisses => Hardware::CACHE_MISSES,
        };
        Ok(Box::new(open(event)?))
    }
}

/// A counter that is off, of this thread on whatever processor, without kernel and hypervisor. Each
/// is on its own rather than in a group: a group larger than the hardware would never run.
fn open(event: impl events::Event) -> Result<PerfCounter, Absence> {
    let mut builder = Builder::new(event);
    builder.exclude_kernel(true).exclude_hv(true);
    builder
        .build()
        .map(PerfCounter)
        .map_err(|error| Absence::in_surroundings(&error, surroundings()))
}

fn surroundings() -> Surroundings {
    let text = |file: &str| fs::read_to_string(file).ok();
    let paranoid = text("/proc/sys/kernel/perf_event_paranoid");
    Surroundings::parse(paranoid.as_deref(), text("/proc/self/status").as_deref())
}

struct PerfCounter(perf_event::Counter);

impl Counter for PerfCounter {
    fn start(&mut self) -> io::Result<()> {
        self.0.enable()
    }

    fn stop(&mut self) -> io::Result<()> {
        self.0.disable()
    }

    fn read(&mut self) -> io::Result<Reading> {
        let data = self.0.read_count_and_time()?;
        Ok(Reading {
            count: data.count,
            enabled_ns: data.time_enabled,
            running_ns: data.time_running,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perf_event::events::Software;

    /// What a software event counts of some work, and what it counts after it was stopped. These are
    /// the kernel's own counters, which guests have too.
    fn counted(event: Software, work: impl Fn()) -> Option<(Reading, Reading)> {
        let mut counter = match open(event) {
            Ok(counter) => counter,
            Err(absence) => {
                // A sandbox may refuse even these: then for one of its reasons.
                let refused = matches!(
                    absence,
                    Absence::Paranoid { .. }
                        | Absence::Denied
                        | Absence::Filtered
                        | Absence::NotPermitted
                        | Absence::NoSystemCall
                );
                assert!(refused, "{absence}");
                return None;
            }
        };
        assert_eq!(counter.read().expect("a reading"), Reading::default(), "it is off at first");
        counter.start().expect("it starts");
        work();
        counter.stop().expect("it stops");
        let first = counter.read().expect("a reading");
        work();
        let second = counter.read().expect("a reading");
        Some((first, second))
    }

    #[test]
    fn the_kernels_own_clock_counts_work_and_rests_when_stopped() {
        let work = || {
            std::hint::black_box(
                (0..2_000_000_u64).fold(0, |sum, turn| std::hint::black_box(sum ^ turn)),
            );
        };
        let Some((first, second)) = counted(Software::TASK_CLOCK, work) else { return };
        assert!(first.count > 0 && first.running_ns > 0, "{first:?}");
        assert!(first.scaled().expect("it ran") >= first.count as f64);
        assert_eq!(first, second);
    }

    #[test]
    fn page_faults_are_counted() {
        let work = || {
            let mut bytes = vec![0_u8; 64 << 20];
            bytes.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
            std::hint::black_box(&bytes);
        };
        let Some((first, second)) = counted(Software::PAGE_FAULTS, work) else { return };
        // With the largest of pages there are still a few.
        assert!(first.count >= 8, "{first:?}");
        assert_eq!(first, second);
    }

    #[test]
    fn an_event_that_does_not_exist_has_a_plain_reason() {
        let Err(absence) = open(Software(9_999)) else { panic!("there is none of that number") };
        assert!(!matches!(absence, Absence::Other(_)), "{absence}");
        assert!(!absence.is_wanted(), "{absence}");
    }
}
