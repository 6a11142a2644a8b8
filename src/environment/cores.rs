//! Kinds of cores: a number of a fast one says nothing of a slow one.

use serde::{Deserialize, Serialize};

use super::parse::{list, number};
use super::read::Files;

/// Cores that are alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreKind {
    /// What tells them from others: `performance`, `capacity 1024`, `5100 MHz`.
    pub name: String,
    /// Their processors, ascending.
    pub cpus: Vec<usize>,
}

/// Processors whose capacity or highest frequency is within this share of the best one's are of its
/// kind: makers let single good cores of a kind run a little faster.
const ALIKE: f64 = 0.9;

/// The kinds of cores among those online, the fastest first; one when they are all alike, `None`
/// when nothing tells.
pub fn kinds(files: &Files, online: &[usize]) -> Option<Vec<CoreKind>> {
    intel(files, online)
        .or_else(|| by(files, online, "cpu_capacity", |capacity| format!("capacity {capacity}")))
        .or_else(|| {
            by(files, online, "cpufreq/cpuinfo_max_freq", |khz| format!("{} MHz", khz / 1000))
        })
}

/// Intel's hybrid processors have a counter unit for each kind.
fn intel(files: &Files, online: &[usize]) -> Option<Vec<CoreKind>> {
    let units =
        [("cpu_core", "performance"), ("cpu_atom", "efficiency"), ("cpu_lowpower", "low power")];
    let kinds: Vec<CoreKind> = units
        .into_iter()
        .filter_map(|(unit, name)| {
            let mut cpus = list(&files.text(&format!("sys/devices/{unit}/cpus"))?)?;
            cpus.retain(|cpu| online.contains(cpu));
            (!cpus.is_empty()).then(|| CoreKind { name: name.to_owned(), cpus })
        })
        .collect();
    (!kinds.is_empty()).then_some(kinds)
}

/// Kinds by a number that each processor has; larger is faster.
fn by(
    files: &Files,
    online: &[usize],
    file: &str,
    name: impl Fn(u64) -> String,
) -> Option<Vec<CoreKind>> {
    let value =
        |&cpu: &usize| Some((number(&files.cpu(cpu, file)?).filter(|&value| value > 0)?, cpu));
    // One that does not tell could be of any kind.
    let values: Option<Vec<(u64, usize)>> = online.iter().map(value).collect();
    let mut values = values.filter(|values| !values.is_empty())?;
    values.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut kinds: Vec<(u64, CoreKind)> = Vec::new();
    for (value, cpu) in values {
        match kinds.last_mut() {
            Some((best, kind)) if value as f64 >= ALIKE * *best as f64 => kind.cpus.push(cpu),
            _ => kinds.push((value, CoreKind { name: name(value), cpus: vec![cpu] })),
        }
    }
    let mut kinds: Vec<CoreKind> = kinds.into_iter().map(|(_, kind)| kind).collect();
    kinds.iter_mut().for_each(|kind| kind.cpus.sort_unstable());
    Some(kinds)
}
