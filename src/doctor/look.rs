//! A look at the processors in turn: is it quiet there, and how fast do they run.

use crate::clock::Grain;
use crate::cpus::{allowed, stay_on, staying_on};
use crate::frequency::{Probe, agreement, probe};
use crate::group::Machine;

/// More processors are not looked at: each must be seen often enough to tell something.
const MOST_CPUS: usize = 16;
/// How long a processor is looked at before the next has its turn.
const TURN_NS: u64 = 20_000_000;
/// The beginning of a turn that is not recorded: a processor that was idle runs slowly for a moment.
const WARM_UP_NS: u64 = 5_000_000;
/// Time between two looks: that of a window in a measurement.
const WINDOW_NS: u64 = 300_000;
/// How often two kinds of chains are compared.
const AGREEMENTS: usize = 5;
/// A clock that tells nothing is tried so often.
const TRIES: usize = 3;

/// Looks at processors and keeps what it saw.
pub struct Looker<'a> {
    machine: &'a Machine,
    /// The clock's grain.
    pub grain: Grain,
    /// Nanoseconds in a tick.
    pub tick_ns: f64,
    cpus: Vec<usize>,
    /// Processors that might be looked at.
    pub processors: usize,
    /// What was seen.
    pub turns: Vec<Turn>,
    /// How two kinds of chains compared.
    pub agreements: Vec<f64>,
    cpu_ns: Option<u64>,
    wall_ns: u64,
}

/// What was seen of a processor without interruption.
pub struct Turn {
    /// Which one; `None` where it is not known.
    pub cpu: Option<usize>,
    /// Looks, a window between each two.
    pub looks: Vec<Probe>,
}

impl<'a> Looker<'a> {
    /// Looks at `cpus`, or at all that are allowed when there are none.
    pub fn new(machine: &'a Machine, grain: Grain, tick_ns: f64, cpus: &[usize]) -> Self {
        let all = if cpus.is_empty() { allowed().unwrap_or_default() } else { cpus.to_vec() };
        let processors = all.len();
        // Evenly over all: neighbours in number are neighbours in place.
        let every = processors.div_ceil(MOST_CPUS).max(1);
        Looker {
            machine,
            grain,
            tick_ns,
            cpus: all.into_iter().step_by(every).collect(),
            processors,
            turns: Vec::new(),
            agreements: Vec::new(),
            cpu_ns: None,
            wall_ns: 0,
        }
    }

    /// Looks for so long; false when the clock cannot tell anything.
    ///
    /// Afterwards it may run wherever it could before.
    pub fn look(&mut self, duration_ns: u64) -> bool {
        staying_on(&allowed().unwrap_or_default(), || self.look_here(duration_ns))
    }

    fn look_here(&mut self, duration_ns: u64) -> bool {
        let clock = &*self.machine.clock;
        if (0..TRIES).all(|_| probe(clock, self.grain).is_none()) {
            return false;
        }
        let begin = (clock.monotonic_ns(), clock.cpu_ns());
        let ends_ns = begin.0.saturating_add(duration_ns);
        // Where the last look left off, so that a short one has its turn as well.
        let first = self.turns.len();
        for at in first.. {
            let cpu = self.cpus.get(at % self.cpus.len().max(1)).copied();
            // Where that is not permitted, nobody knows which one it is.
            let cpu = cpu.filter(|&cpu| stay_on(&[cpu]).is_ok());
            let looks = self.turn();
            self.turns.push(Turn { cpu, looks });
            if clock.monotonic_ns() >= ends_ns || self.machine.is_interrupted() {
                break;
            }
        }
        let agreements = (0..AGREEMENTS).filter_map(|_| agreement(clock, self.grain));
        self.agreements.extend(agreements);
        self.wall_ns += clock.monotonic_ns().saturating_sub(begin.0);
        let used = begin.1.zip(clock.cpu_ns()).map(|(begin, end)| end.saturating_sub(begin));
        self.cpu_ns = used.map(|used| used + self.cpu_ns.unwrap_or(0));
        true
    }

    fn turn(&self) -> Vec<Probe> {
        let clock = &*self.machine.clock;
        let begin = clock.monotonic_ns();
        let until = |ns: u64| while clock.monotonic_ns() < ns && clock.ticks() > 0 {};
        until(begin.saturating_add(WARM_UP_NS));
        let mut looks = Vec::new();
        loop {
            looks.extend(probe(clock, self.grain));
            let now = clock.monotonic_ns();
            if now >= begin.saturating_add(TURN_NS) {
                return looks;
            }
            until(now.saturating_add(WINDOW_NS));
        }
    }

    /// Processor time over wall time, where that can be told.
    pub fn cpu_share(&self) -> Option<f64> {
        let share = self.cpu_ns? as f64 / self.wall_ns.max(1) as f64;
        (self.wall_ns > 0).then_some(share)
    }
}
