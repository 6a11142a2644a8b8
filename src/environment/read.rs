//! Which fact is read where. No file is needed, and none is trusted.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Boost, Environment, Governor, cgroup, cores, parse};

/// The files of a machine.
pub struct Files {
    root: PathBuf,
}

impl Files {
    /// The text of a file; `None` when it cannot be read, for whatever reason.
    pub fn text(&self, name: &str) -> Option<String> {
        /// `/proc/cpuinfo` of the largest machines is longer; its beginning tells enough.
        const LONGEST: u64 = 1 << 20;
        let mut bytes = Vec::new();
        File::open(self.root.join(name)).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A file of one processor.
    pub fn cpu(&self, cpu: usize, name: &str) -> Option<String> {
        self.text(&format!("sys/devices/system/cpu/cpu{cpu}/{name}"))
    }

    fn word(&self, name: &str) -> Option<String> {
        parse::word(&self.text(name)?)
    }
}

/// Everything below a root.
pub fn environment(root: &Path) -> Environment {
    let files = Files { root: root.to_owned() };
    let cpuinfo = files.text("proc/cpuinfo").unwrap_or_default();
    let online = files.text("sys/devices/system/cpu/online").and_then(|text| parse::list(&text));
    let cpus = online.as_deref().unwrap_or_default();
    let (load_average, running) =
        files.text("proc/loadavg").map_or((None, None), |text| parse::load(&text));
    let (virtualised, hypervisor) = virtualisation(&files, &cpuinfo);
    let clocksource = "sys/devices/system/clocksource/clocksource0";
    Environment {
        cpu_model: parse::cpu_model(&cpuinfo),
        architecture: std::env::consts::ARCH.into(),
        governors: governors(&files, cpus),
        scaling_driver: cpus
            .first()
            .and_then(|&cpu| parse::word(&files.cpu(cpu, "cpufreq/scaling_driver")?)),
        boost: boost(&files),
        virtualised,
        hypervisor,
        load_average,
        running,
        quota: cgroup::quota(&files),
        smt: smt(&files, cpus),
        core_kinds: cores::kinds(&files, cpus),
        clocksource: files.word(&format!("{clocksource}/current_clocksource")),
        available_clocksources: files
            .text(&format!("{clocksource}/available_clocksource"))
            .and_then(|text| parse::words(&text)),
        kernel: files.word("proc/sys/kernel/osrelease"),
        pinned_cpu: None,
        online_cpus: online,
    }
}

fn governors(files: &Files, cpus: &[usize]) -> Option<Vec<Governor>> {
    let mut governors: Vec<Governor> = Vec::new();
    for &cpu in cpus {
        let name = files.cpu(cpu, "cpufreq/scaling_governor").and_then(|text| parse::word(&text));
        let Some(name) = name else { continue };
        match governors.iter_mut().find(|governor| governor.name == name) {
            Some(governor) => governor.cpus.push(cpu),
            None => governors.push(Governor { name, cpus: vec![cpu] }),
        }
    }
    (!governors.is_empty()).then_some(governors)
}

/// Intel's own driver has a switch of the opposite sense.
fn boost(files: &Files) -> Option<Boost> {
    let switches = [
        ("/sys/devices/system/cpu/intel_pstate/no_turbo", 0),
        ("/sys/devices/system/cpu/cpufreq/boost", 1),
    ];
    switches.into_iter().find_map(|(file, on_is)| {
        let set = parse::switch(&files.text(file.trim_start_matches('/'))?)?;
        Some(Boost { on: u8::from(set) == on_is, file: file.into(), on_is })
    })
}

/// Whether it is a guest, and whose. The processor's flag decides where there is one: a host that
/// emulates nothing may still have a cloud's name in its firmware.
fn virtualisation(files: &Files, cpuinfo: &str) -> (Option<bool>, Option<String>) {
    let dmi = |name: &str| files.word(&format!("sys/class/dmi/id/{name}"));
    let (vendor, product) = (dmi("sys_vendor"), dmi("product_name"));
    let hypervisor = files.word("sys/hypervisor/type");
    let known = vendor.is_some() || product.is_some();
    let (vendor, product) = (vendor.unwrap_or_default(), product.unwrap_or_default());
    let named = parse::is_virtual(&vendor, &product);
    let flag = parse::hypervisor_flag(cpuinfo).or(known.then_some(named));
    let guest = if hypervisor.is_some() { Some(true) } else { flag };
    let name = hypervisor.or_else(|| parse::word(&format!("{vendor} {product}")));
    (guest, name.filter(|_| guest == Some(true)))
}

fn smt(files: &Files, cpus: &[usize]) -> Option<bool> {
    let active = files.text("sys/devices/system/cpu/smt/active");
    active.and_then(|text| parse::switch(&text)).or_else(|| {
        let siblings = cpus
            .iter()
            .filter_map(|&cpu| parse::list(&files.cpu(cpu, "topology/thread_siblings_list")?));
        siblings.map(|siblings| siblings.len() > 1).reduce(|a, b| a || b)
    })
}
