//! The facts in words, one line each.

use super::{Environment, Governor};
use crate::cpus::show_list;

/// The facts that are known.
pub fn facts(environment: &Environment) -> Vec<(&'static str, String)> {
    let e = environment;
    let list = |cpus: &Vec<usize>| show_list(cpus);
    let yes = |on: bool| if on { "yes" } else { "no" }.to_owned();
    let governor = |g: &Governor| format!("{} on {}", g.name, show_list(&g.cpus));
    let guest = match (e.virtualised, &e.hypervisor) {
        (Some(true), Some(name)) => Some(format!("yes, {name}")),
        (guest, _) => guest.map(yes),
    };
    let kinds = e.core_kinds.as_ref().map(|kinds| {
        let kinds = kinds.iter().map(|k| format!("{} on {}", k.name, show_list(&k.cpus)));
        kinds.collect::<Vec<_>>().join(", ")
    });
    let pinned = e.pinned_cpu.map(|cpu| match e.kind_of(cpu) {
        Some(kind) => format!("{cpu}, {kind}"),
        None => cpu.to_string(),
    });
    let all = [
        ("processor", e.cpu_model.clone()),
        ("architecture", (!e.architecture.is_empty()).then(|| e.architecture.to_string())),
        ("processors online", e.online_cpus.as_ref().map(list)),
        ("pinned to processor", pinned),
        ("kinds of cores", kinds),
        ("several threads a core", e.smt.map(yes)),
        (
            "governor",
            e.governors.as_ref().map(|all| all.iter().map(governor).collect::<Vec<_>>().join(", ")),
        ),
        ("frequency driver", e.scaling_driver.clone()),
        (
            "turbo or boost",
            e.boost.as_ref().map(|boost| if boost.on { "on" } else { "off" }.to_owned()),
        ),
        ("virtual machine", guest),
        ("CPU quota", e.quota.as_ref().map(|q| format!("{:.2} processors ({})", q.cpus, q.file))),
        ("load average", e.load_average.map(|load| format!("{load:.2}"))),
        ("running now", e.running.map(|running| running.to_string())),
        ("time source", e.clocksource.clone()),
        ("time sources", e.available_clocksources.as_ref().map(|all| all.join(", "))),
        ("kernel", e.kernel.clone()),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

impl Environment {
    /// The kind of a processor's core, where there are several.
    fn kind_of(&self, cpu: usize) -> Option<&str> {
        let kinds = self.core_kinds.as_ref().filter(|kinds| kinds.len() > 1)?;
        kinds.iter().find(|kind| kind.cpus.contains(&cpu)).map(|kind| kind.name.as_str())
    }
}
