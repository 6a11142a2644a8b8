//! What of this machine decides whether its numbers can be had again: facts as they were read, and
//! advice where one of them can be changed. `docs/environment.md` tells both.
//!
//! A file that is absent, unreadable or makes no sense leaves its fact unknown, and what is unknown
//! is never warned of.

mod cgroup;
mod cores;
mod facts;
mod parse;
mod read;

use std::borrow::Cow;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use cgroup::Quota;
pub use cores::CoreKind;

use crate::cpus::show_list;
use crate::warning::Warning;

/// The facts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// The processor's model.
    pub cpu_model: Option<String>,
    /// The architecture the program is built for.
    pub architecture: Cow<'static, str>,
    /// Logical processors that are online, ascending.
    pub online_cpus: Option<Vec<usize>>,
    /// Scaling governors, each with its processors.
    pub governors: Option<Vec<Governor>>,
    /// The frequency scaling driver.
    pub scaling_driver: Option<String>,
    /// Turbo or boost.
    pub boost: Option<Boost>,
    /// Whether this is a guest.
    pub virtualised: Option<bool>,
    /// What it is a guest of, when that is told.
    pub hypervisor: Option<String>,
    /// Processes that ran or waited to run, average of the last minute.
    pub load_average: Option<f64>,
    /// Processes that ran or waited to run at the moment of reading, this one included.
    pub running: Option<u64>,
    /// The smallest CPU quota of this process's control groups.
    pub quota: Option<Quota>,
    /// Whether cores have more than one hardware thread in use.
    pub smt: Option<bool>,
    /// Kinds of cores, the fastest first.
    pub core_kinds: Option<Vec<CoreKind>>,
    /// The kernel's time source.
    pub clocksource: Option<String>,
    /// Time sources the kernel offers.
    pub available_clocksources: Option<Vec<String>>,
    /// The kernel's release.
    pub kernel: Option<String>,
    /// The processor that `--pin` names: not read, but the user's.
    pub pinned_cpu: Option<usize>,
}

/// A scaling governor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Governor {
    /// Its name.
    pub name: String,
    /// The processors it governs, ascending.
    pub cpus: Vec<usize>,
}

/// The state of turbo or boost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boost {
    /// Whether it is on.
    pub on: bool,
    /// The file that switches it.
    pub file: Cow<'static, str>,
    /// What this file holds when it is on; 1 or 0.
    pub on_is: u8,
}

/// These governors keep the frequency where it is.
const STEADY_GOVERNORS: &[&str] = &["performance", "userspace"];
/// Time sources that take a microsecond to read, or are coarse.
const POOR_CLOCKSOURCES: &[&str] = &["hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"];
/// Others' work of this much disturbs, ...
const LOAD: f64 = 0.5;
/// ... or of this much for each processor, where there are many to move to.
const LOAD_PER_CPU: f64 = 0.125;
/// A worker takes one processor, and the parent a little of another.
const CPUS_NEEDED: f64 = 1.1;

impl Environment {
    /// Reads the facts below `root`: `/`, or a folder in which a test has put a machine.
    #[must_use]
    pub fn read(root: &Path) -> Environment {
        read::environment(root)
    }

    /// What should be changed before measuring, and how.
    ///
    /// That it is a guest and that cores have two threads is no warning: it would come every time,
    /// mostly to people who cannot change it, and what it does to numbers is seen while measuring
    /// and warned of then.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        [self.governor(), self.turbo(), self.load(), self.quota(), self.kinds(), self.time_source()]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The facts that are known, each with its name.
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        facts::facts(self)
    }

    /// The processors to measure on, of those this process may run on: all of one kind.
    ///
    /// Empty when there is nothing to choose: any will do.
    #[must_use]
    pub fn fastest(&self, allowed: &[usize]) -> Vec<usize> {
        let kinds = self.core_kinds.as_deref().unwrap_or_default();
        if kinds.len() < 2 {
            return Vec::new();
        }
        let permitted = |kind: &CoreKind| -> Vec<usize> {
            kind.cpus.iter().copied().filter(|cpu| allowed.contains(cpu)).collect()
        };
        kinds.iter().map(permitted).find(|cpus| !cpus.is_empty()).unwrap_or_default()
    }

    fn governor(&self) -> Option<Warning> {
        let all = self.governors.as_deref()?;
        let unsteady = all.iter().filter(|g| !STEADY_GOVERNORS.contains(&g.name.as_str()));
        let governors: Vec<(String, Option<String>)> = unsteady
            .map(|g| (g.name.clone(), (all.len() > 1).then(|| show_list(&g.cpus))))
            .collect();
        (!governors.is_empty()).then_some(Warning::Governor { governors })
    }

    fn turbo(&self) -> Option<Warning> {
        let boost = self.boost.as_ref().filter(|boost| boost.on)?;
        Some(Warning::Turbo { file: boost.file.clone(), on_is: boost.on_is })
    }

    fn load(&self) -> Option<Warning> {
        let load = self.load_average?;
        let cpus = self.online_cpus.as_ref()?.len();
        let high = load > LOAD.max(LOAD_PER_CPU * cpus as f64);
        // The average remembers the user's last measurement too, which is over when nobody else
        // runs now.
        let others_run = self.running.is_none_or(|running| running > 1);
        (high && others_run).then_some(Warning::Load { load, cpus })
    }

    fn quota(&self) -> Option<Warning> {
        let quota = self.quota.as_ref().filter(|quota| quota.cpus < CPUS_NEEDED)?;
        Some(Warning::Quota {
            cpus: quota.cpus,
            file: quota.file.clone(),
            unlimited: quota.unlimited.clone(),
            value: quota.value.clone(),
        })
    }

    fn kinds(&self) -> Option<Warning> {
        let kinds = self.core_kinds.as_ref().filter(|kinds| kinds.len() > 1)?;
        if self.pinned_cpu.is_some() {
            return None;
        }
        let other = *kinds[1].cpus.first()?;
        let kinds = kinds.iter().map(|k| (k.name.clone(), show_list(&k.cpus))).collect();
        Some(Warning::KindsOfCores { kinds, other })
    }

    fn time_source(&self) -> Option<Warning> {
        let is_poor = |name: &String| POOR_CLOCKSOURCES.contains(&name.as_str());
        let current = self.clocksource.clone().filter(is_poor)?;
        let available = self.available_clocksources.as_deref().unwrap_or_default();
        let better = available.iter().find(|name| !is_poor(name)).cloned();
        Some(Warning::TimeSource { current, better })
    }
}
