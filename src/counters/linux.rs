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
///
/// # Errors
/// Why there is none.
pub fn open(event: impl events::Event) -> Result<PerfCounter, Absence> {
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

/// A counter that the kernel has lent.
pub struct PerfCounter(perf_event::Counter);

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

    #[test]
    fn an_event_that_does_not_exist_has_a_plain_reason() {
        let Err(absence) = open(Software(9_999)) else { panic!("there is none of that number") };
        assert!(!matches!(absence, Absence::Other(_)), "{absence}");
        assert!(!absence.is_wanted(), "{absence}");
    }
}
