//! Hardware counters, or the reason why there are none.
//!
//! A counter that can be opened is not yet one that counts: guests have some that read 0 for ever,
//! and a processor has only a few, which the kernel shares among all who count. So each is tried on
//! real work once, by the parent; workers open only those that passed.

mod absence;
#[cfg(all(
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
pub mod linux;

use std::hint::black_box;
use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use absence::{Absence, Surroundings};

/// What is counted, in user space only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Event {
    /// Instructions retired.
    Instructions,
    /// Core cycles.
    Cycles,
    /// Branches retired.
    Branches,
    /// Branches that were predicted wrongly.
    BranchMisses,
    /// Misses of the cache that the kernel means by that, mostly the last level's.
    CacheMisses,
}

impl Event {
    /// All of them.
    pub const ALL: [Event; 5] = [
        Event::Instructions,
        Event::Cycles,
        Event::Branches,
        Event::BranchMisses,
        Event::CacheMisses,
    ];

    /// Its name in a sentence.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Event::Instructions => "instructions",
            Event::Cycles => "cycles",
            Event::Branches => "branches",
            Event::BranchMisses => "branch misses",
            Event::CacheMisses => "cache misses",
        }
    }

    /// Whether no work is without it. Misses may truly be none.
    fn always_happens(self) -> bool {
        matches!(self, Event::Instructions | Event::Cycles | Event::Branches)
    }
}

/// What a counter shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What it counted while it ran.
    pub count: u64,
    /// How long it was switched on, in nanoseconds.
    pub enabled_ns: u64,
    /// How long it had a place in the hardware meanwhile, in nanoseconds.
    pub running_ns: u64,
}

impl Reading {
    /// What was added after an earlier reading of the same counter.
    #[must_use]
    pub fn since(self, earlier: Reading) -> Reading {
        Reading {
            count: self.count.saturating_sub(earlier.count),
            enabled_ns: self.enabled_ns.saturating_sub(earlier.enabled_ns),
            running_ns: self.running_ns.saturating_sub(earlier.running_ns),
        }
    }

    /// The count of the whole time it was switched on, at the rate of the part it ran for; `None`
    /// when it never ran.
    #[must_use]
    pub fn scaled(self) -> Option<f64> {
        let share = self.enabled_ns as f64 / self.running_ns as f64;
        // Kernels round the two times apart: less than the whole is meant only where it is more.
        (self.running_ns > 0).then_some(self.count as f64 * share.max(1.0))
    }
}

/// One counter of this process, off until it is started.
pub trait Counter {
    /// Lets it count.
    ///
    /// # Errors
    /// When the system does not let it.
    fn start(&mut self) -> io::Result<()>;

    /// Lets it rest. Its reading stays.
    ///
    /// # Errors
    /// When the system does not let it.
    fn stop(&mut self) -> io::Result<()>;

    /// All it has counted since it was opened.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&mut self) -> io::Result<Reading>;
}

/// A performance monitoring unit: where counters come from.
pub trait Pmu {
    /// A counter of the calling thread.
    ///
    /// # Errors
    /// Why there is none.
    fn open(&self, event: Event) -> Result<Box<dyn Counter>, Absence>;
}

/// A unit without counters.
#[derive(Clone, Debug)]
pub struct NoPmu(pub Absence);

impl Pmu for NoPmu {
    fn open(&self, _: Event) -> Result<Box<dyn Counter>, Absence> {
        Err(self.0.clone())
    }
}

/// This machine's.
#[must_use]
pub fn machine_pmu() -> Arc<dyn Pmu + Send + Sync> {
    #[cfg(all(
        target_os = "linux",
        target_pointer_width = "64",
        any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
    ))]
    return Arc::new(linux::PerfEvents);
    #[cfg(not(all(
        target_os = "linux",
        target_pointer_width = "64",
        any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
    )))]
    return Arc::new(NoPmu(Absence::NotThisSystem));
}

/// Counters that start and stop together.
pub struct Counters {
    members: Vec<Member>,
}

struct Member {
    event: Event,
    counter: Result<Box<dyn Counter>, Absence>,
    before: Result<Reading, Absence>,
}

impl Counters {
    /// Opens a counter for each event; one that cannot be opened keeps its place and its reason.
    #[must_use]
    pub fn open(pmu: &dyn Pmu, events: &[Event]) -> Self {
        let member = |&event: &Event| Member {
            event,
            counter: pmu.open(event),
            before: Ok(Reading::default()),
        };
        Counters { members: events.iter().map(member).collect() }
    }

    /// Their events.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.members.iter().map(|member| member.event)
    }

    /// Lets all count.
    pub fn start(&mut self) {
        for Member { counter, before, .. } in &mut self.members {
            *before = with(counter, |counter| counter.read());
        }
        for Member { counter, before, .. } in &mut self.members {
            // What starting the later ones takes is counted by the earlier ones: the same for every
            // sample, so that it does not reach a slope.
            if let (Ok(_), Err(absence)) = (&*before, with(counter, |counter| counter.start())) {
                *before = Err(absence);
            }
        }
    }

    /// Lets all rest, and tells what each has counted since they were started, in the order of the
    /// events.
    pub fn stop(&mut self) -> Vec<Result<Reading, Absence>> {
        for Member { counter, before, .. } in self.members.iter_mut().rev() {
            if let (Ok(_), Err(absence)) = (&*before, with(counter, |counter| counter.stop())) {
                *before = Err(absence);
            }
        }
        let read = |member: &mut Member| {
            let before = member.before.clone()?;
            let after = with(&mut member.counter, |counter| counter.read())?;
            Ok(after.since(before))
        };
        self.members.iter_mut().map(read).collect()
    }
}

fn with<T>(
    counter: &mut Result<Box<dyn Counter>, Absence>,
    action: impl FnOnce(&mut dyn Counter) -> io::Result<T>,
) -> Result<T, Absence> {
    match counter {
        Ok(counter) => action(&mut **counter).map_err(|error| Absence::of(&error)),
        Err(absence) => Err(absence.clone()),
    }
}

/// What a run counts, and why it does not count the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counting {
    /// What is counted.
    pub events: Vec<Event>,
    /// What is not, and why.
    pub absent: Vec<(Event, Absence)>,
}

impl Counting {
    /// Nothing is counted, for one reason.
    #[must_use]
    pub fn none(absence: &Absence) -> Self {
        let absent = Event::ALL.iter().map(|&event| (event, absence.clone())).collect();
        Counting { events: Vec::new(), absent }
    }

    /// What is counted and what is not, in a line.
    #[must_use]
    pub fn summary(&self) -> String {
        let names: Vec<&str> = self.events.iter().map(|event| event.name()).collect();
        let counted = (!names.is_empty()).then(|| names.join(", "));
        counted.into_iter().chain(self.notes()).collect::<Vec<_>>().join("; ")
    }

    /// What people should be told of what is missing, a sentence a cause; nothing of what they
    /// switched off themselves.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut by_cause: Vec<(&Absence, Vec<&str>)> = Vec::new();
        for (event, absence) in self.absent.iter().filter(|(_, absence)| !absence.is_wanted()) {
            match by_cause.iter_mut().find(|(cause, _)| *cause == absence) {
                Some((_, names)) => names.push(event.name()),
                None => by_cause.push((absence, vec![event.name()])),
            }
        }
        let all = |names: &[&str]| names.len() == Event::ALL.len();
        let note = |(cause, names): (&Absence, Vec<&str>)| {
            let names = if all(&names) {
                "no hardware counters".into()
            } else {
                format!("no {}", names.join(", "))
            };
            format!("{names}: {cause}")
        };
        by_cause.into_iter().map(note).collect()
    }
}

/// Pieces of work that counters are tried on: a few milliseconds each, so that counters that take
/// turns all have one.
const PIECES: u32 = 10;
/// Turns of a piece.
const TURNS: u64 = 2_000_000;

/// Tries every counter on real work.
#[must_use]
pub fn examine(pmu: &dyn Pmu) -> Counting {
    let mut counters = Counters::open(pmu, &Event::ALL);
    if counters.members.iter().all(|member| member.counter.is_err()) {
        // No time is lost where nothing can be counted.
        return judge(Event::ALL.into_iter().zip(counters.stop()));
    }
    let mut seen = Vec::new();
    for _ in 0..PIECES {
        counters.start();
        let mut sum = 0_u64;
        for turn in 0..TURNS {
            sum = black_box(sum.wrapping_add(turn));
        }
        seen = counters.stop();
        let waits = |reading: &Result<Reading, Absence>| {
            reading.as_ref().is_ok_and(|reading| reading.running_ns == 0)
        };
        if !seen.iter().any(waits) {
            break;
        }
    }
    judge(Event::ALL.into_iter().zip(seen))
}

/// Which counters are to be believed, from what they read after real work.
fn judge(seen: impl IntoIterator<Item = (Event, Result<Reading, Absence>)>) -> Counting {
    let seen: Vec<(Event, Result<Reading, Absence>)> = seen.into_iter().collect();
    let counted = |reading: &Result<Reading, Absence>| {
        reading.as_ref().is_ok_and(|reading| reading.count > 0 && reading.running_ns > 0)
    };
    // Where everything reads 0, no misses is no finding.
    let any = seen.iter().any(|(event, reading)| event.always_happens() && counted(reading));
    let mut counting = Counting::default();
    for (event, reading) in seen {
        let absence = match reading {
            Err(absence) => Some(absence),
            Ok(Reading { running_ns: 0, .. }) => Some(Absence::NeverRan),
            Ok(Reading { count: 0, .. }) if event.always_happens() || !any => Some(Absence::Silent),
            Ok(_) => None,
        };
        match absence {
            Some(absence) => counting.absent.push((event, absence)),
            None => counting.events.push(event),
        }
    }
    counting
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(count: u64, enabled_ns: u64, running_ns: u64) -> Reading {
        Reading { count, enabled_ns, running_ns }
    }

    #[test]
    fn a_count_is_scaled_by_the_share_of_time_it_ran() {
        assert_eq!(reading(500, 100, 100).scaled(), Some(500.0));
        assert_eq!(reading(500, 400, 100).scaled(), Some(2000.0));
        assert_eq!(reading(0, 400, 100).scaled(), Some(0.0));
        assert_eq!(reading(500, 400, 0).scaled(), None);
        assert_eq!(reading(0, 0, 0).scaled(), None);
        // Some kernels tell a little more running than switched on.
        assert_eq!(reading(500, 99, 100).scaled(), Some(500.0));
        assert!(reading(u64::MAX, u64::MAX, 1).scaled().expect("it ran").is_finite());
    }

    #[test]
    fn a_reading_counts_from_the_one_before() {
        assert_eq!(reading(7, 50, 40).since(reading(5, 20, 15)), reading(2, 30, 25));
        assert_eq!(reading(5, 20, 15).since(reading(7, 50, 40)), reading(0, 0, 0));
    }

    /// What is judged when the five counters read so.
    fn judged(counts: [u64; 5], running_ns: u64) -> Counting {
        let readings = counts.map(|count| Ok(reading(count, 100, running_ns)));
        judge(Event::ALL.into_iter().zip(readings))
    }

    #[test]
    fn a_counter_that_reads_nothing_after_work_is_none() {
        assert_eq!(judged([9, 9, 9, 9, 9], 100).events, Event::ALL);
        // No misses at all may be true ...
        assert_eq!(judged([9, 9, 9, 0, 0], 100).events, Event::ALL);
        // ... but not where nothing is counted: the typical guest.
        assert_eq!(judged([0; 5], 100), Counting::none(&Absence::Silent));
        let without_cycles = judged([9, 0, 9, 0, 9], 100);
        assert_eq!(without_cycles.absent, [(Event::Cycles, Absence::Silent)]);
        assert_eq!(judged([0; 5], 0), Counting::none(&Absence::NeverRan));
    }

    #[test]
    fn each_cause_is_told_once() {
        let mut counting = judged([9, 0, 0, 9, 9], 100);
        counting.absent.push((Event::CacheMisses, Absence::NeverRan));
        let notes = counting.notes();
        assert_eq!(notes.len(), 2);
        assert!(notes[0].starts_with("no cycles, branches: "), "{}", notes[0]);
        assert!(notes[1].starts_with("no cache misses: "), "{}", notes[1]);
        let notes = judged([0; 5], 100).notes();
        assert!(notes.len() == 1 && notes[0].starts_with("no hardware counters: "), "{notes:?}");
        assert!(Counting::none(&Absence::SwitchedOff).notes().is_empty());
        assert!(judged([9; 5], 100).notes().is_empty());
    }

    #[test]
    fn this_machines_counters_count_or_have_a_plain_reason() {
        let counting = examine(&*machine_pmu());
        assert_eq!(counting.events.len() + counting.absent.len(), Event::ALL.len());
        for (event, absence) in &counting.absent {
            assert!(!matches!(absence, Absence::Other(_)), "{event:?}: {absence}");
            assert!(!absence.is_wanted(), "{event:?}: {absence}");
        }
    }
}
