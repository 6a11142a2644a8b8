//! Machines that are invented as files below a folder: what is read of them, and what is advised.

use std::fs;
use std::path::Path;

use crate::invented::{self, bench_slope, entry, machine};
use bench_slope::environment::Environment;
use bench_slope::warning::Warning;
use tempfile::TempDir;

/// A folder with these files, each a name and its bytes.
fn files(files: &[(&str, &str)]) -> TempDir {
    let root = TempDir::new().expect("a folder");
    files.iter().for_each(|(name, text)| write(root.path(), name, text.as_bytes()));
    root
}

fn write(root: &Path, name: &str, bytes: &[u8]) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    fs::write(path, bytes).expect("a file");
}

fn read(invented: &[(&str, &str)]) -> Environment {
    Environment::read(files(invented).path())
}

/// The only warning, as text.
fn only_warning(environment: &Environment) -> String {
    let warnings = environment.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    warnings[0].to_string()
}

const ONLINE: &str = "sys/devices/system/cpu/online";
const GOVERNOR_0: &str = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
const GOVERNOR_1: &str = "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor";
const BOOST: &str = "sys/devices/system/cpu/cpufreq/boost";
const NO_TURBO: &str = "sys/devices/system/cpu/intel_pstate/no_turbo";
const SOURCE: &str = "sys/devices/system/clocksource/clocksource0/current_clocksource";
const SOURCES: &str = "sys/devices/system/clocksource/clocksource0/available_clocksource";
const X86: &str = "processor\t: 0\nmodel name\t: Fast 9000\nflags\t\t: fpu lm\n";

#[test]
fn a_quiet_desktop_gets_no_warning() {
    let quiet = read(&[
        ("proc/cpuinfo", X86),
        ("proc/loadavg", "0.10 0.50 0.90 1/500 4242\n"),
        ("proc/self/cgroup", "0::/user.slice/session-1.scope\n"),
        ("proc/sys/kernel/osrelease", "6.12.1\n"),
        (ONLINE, "0-1\n"),
        (GOVERNOR_0, "performance\n"),
        (GOVERNOR_1, "performance\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "amd-pstate-epp\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "5200000\n"),
        // A core that its maker found a little better is no other kind.
        ("sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", "5400000\n"),
        (BOOST, "0\n"),
        ("sys/devices/system/cpu/smt/active", "1\n"),
        ("sys/class/dmi/id/sys_vendor", "A Maker\n"),
        ("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n"),
        (SOURCE, "tsc\n"),
        (SOURCES, "tsc hpet acpi_pm \n"),
    ]);
    assert_eq!(quiet.warnings(), []);
    assert_eq!(quiet.cpu_model.as_deref(), Some("Fast 9000"));
    assert_eq!(quiet.online_cpus, Some(vec![0, 1]));
    assert_eq!(quiet.scaling_driver.as_deref(), Some("amd-pstate-epp"));
    assert_eq!((quiet.virtualised, quiet.smt, quiet.running), (Some(false), Some(true), Some(1)));
    assert_eq!(quiet.core_kinds.as_ref().map(Vec::len), Some(1));
    assert_eq!((quiet.quota.clone(), quiet.load_average), (None, Some(0.1)));
    assert_eq!(quiet.kernel.as_deref(), Some("6.12.1"));
    assert!(quiet.fastest(&[0, 1]).is_empty(), "nothing to choose");
}

#[test]
fn a_laptop_that_saves_power_with_turbo() {
    let laptop = read(&[
        (ONLINE, "0-1"),
        (GOVERNOR_0, "powersave"),
        (GOVERNOR_1, "powersave"),
        (NO_TURBO, "0"),
    ]);
    let warnings: Vec<String> = laptop.warnings().iter().map(Warning::to_string).collect();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains(
        "frequency-set -g performance`, and back with `sudo cpupower frequency-set -g powersave`"
    ));
    assert!(
        warnings[1].contains(&format!("`echo 1 | sudo tee /{NO_TURBO}`, and back with `echo 0"))
    );
    // Governors that differ are set back one by one.
    let mixed = read(&[(ONLINE, "0-1"), (GOVERNOR_0, "performance"), (GOVERNOR_1, "schedutil")]);
    assert!(only_warning(&mixed).contains("cpupower -c 1 frequency-set -g schedutil`"));
    let boosted = read(&[(BOOST, "1\n")]);
    assert!(only_warning(&boosted).contains(&format!("`echo 0 | sudo tee /{BOOST}`")));
}

#[test]
fn quotas_of_both_versions_are_found_at_every_level() {
    let two = |group, max| [("proc/self/cgroup", "0::/pod/box\n"), (group, max)];
    for group in
        ["sys/fs/cgroup/pod/box/cpu.max", "sys/fs/cgroup/pod/cpu.max", "sys/fs/cgroup/cpu.max"]
    {
        let warning = only_warning(&read(&two(group, "50000 100000\n")));
        assert!(warning.contains("0.50 of a processor"), "{warning}");
        let undo = format!(
            "`echo max | sudo tee /{group}`, and back with `echo '50000 100000' | sudo tee"
        );
        assert!(warning.contains(&undo), "{warning}");
        assert_eq!(read(&two(group, "400000 100000")).warnings(), [], "plenty");
    }
    let groups = ("proc/self/cgroup", "3:cpu,cpuacct:/docker/0123\n2:cpuset:/\n0::/\n");
    let quota = "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us";
    let period = ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    let warning = only_warning(&read(&[groups, (quota, "25000\n"), period]));
    assert!(warning.contains("0.25 of a processor"), "{warning}");
    assert!(warning.contains(&format!("echo -1 | sudo tee /{quota}")), "{warning}");
    assert_eq!(read(&[groups, (quota, "-1\n"), period]).quota, None);
}

#[test]
fn a_guest_is_a_fact_and_no_warning() {
    let flagged = read(&[("proc/cpuinfo", "flags : fpu hypervisor\n")]);
    let named = read(&[
        ("sys/class/dmi/id/sys_vendor", "QEMU\n"),
        ("sys/class/dmi/id/product_name", "Standard PC\n"),
    ]);
    let xen = read(&[("sys/hypervisor/type", "xen\n")]);
    for (guest, name) in [(flagged, None), (named, Some("QEMU Standard PC")), (xen, Some("xen"))] {
        assert_eq!((guest.virtualised, guest.hypervisor.as_deref()), (Some(true), name));
        assert_eq!(guest.warnings(), []);
        assert!(guest.facts().iter().any(|(fact, _)| *fact == "virtual machine"));
    }
}

#[test]
fn of_several_kinds_of_cores_the_fastest_is_measured() {
    let mut hybrid = read(&[
        (ONLINE, "0-11"),
        ("sys/devices/cpu_core/cpus", "0-7\n"),
        ("sys/devices/cpu_atom/cpus", "8-11\n"),
    ]);
    let warning = only_warning(&hybrid);
    assert!(warning.contains("performance on 0-7, efficiency on 8-11"), "{warning}");
    assert!(warning.contains("`--pin 8`"), "{warning}");
    assert_eq!(hybrid.fastest(&[6, 7, 8, 9]), [6, 7]);
    assert_eq!(hybrid.fastest(&[8, 9]), [8, 9], "the fastest it may use");
    hybrid.pinned_cpu = Some(9);
    assert_eq!(hybrid.warnings(), []);
    assert!(hybrid.facts().contains(&("pinned to processor", "9, efficiency".to_owned())));

    let capacity = |cpu: usize| format!("sys/devices/system/cpu/cpu{cpu}/cpu_capacity");
    let (zero, one, two) = (capacity(0), capacity(1), capacity(2));
    let big_little: &[(&str, &str)] =
        &[(ONLINE, "0-2"), (&zero, "446"), (&one, "446"), (&two, "1024")];
    let phone = read(big_little);
    assert!(only_warning(&phone).contains("capacity 1024 on 2, capacity 446 on 0-1"));
    assert_eq!(phone.fastest(&[0, 1, 2]), [2]);
    let unknown = read(&big_little[..3]);
    assert_eq!(
        (unknown.core_kinds.clone(), unknown.warnings()),
        (None, vec![]),
        "one does not tell"
    );
}

#[test]
fn poor_time_sources_and_load() {
    let hpet = read(&[(SOURCE, "hpet\n"), (SOURCES, "hpet acpi_pm tsc\n")]);
    assert!(
        only_warning(&hpet)
            .contains(&format!("`echo tsc | sudo tee /{SOURCE}`, and back with `echo hpet"))
    );
    let no_better = read(&[(SOURCE, "acpi_pm\n")]);
    assert!(only_warning(&no_better).contains("dmesg"));
    let load = |load, online| read(&[("proc/loadavg", load), (ONLINE, online)]).warnings();
    assert_eq!(load("1.50 1 1 3/99 1", "0-3").len(), 1);
    assert_eq!(load("1.50 1 1 3/99 1", "0-63"), [], "little on many");
    assert_eq!(load("1.50 1 1 1/99 1", "0-3"), [], "that was the last measurement");
    assert_eq!(load("0.40 1 1 3/99 1", "0"), []);
}

#[test]
fn what_cannot_be_read_is_unknown_and_never_warned_of() {
    let unknown =
        Environment { architecture: std::env::consts::ARCH.into(), ..Environment::default() };
    assert_eq!(read(&[]), unknown);
    assert_eq!(Environment::read(Path::new("/nonexistent")), unknown);
    let names = [
        "proc/cpuinfo",
        "proc/loadavg",
        "proc/self/cgroup",
        "proc/sys/kernel/osrelease",
        ONLINE,
        GOVERNOR_0,
        BOOST,
        NO_TURBO,
        SOURCE,
        SOURCES,
        "sys/hypervisor/type",
        "sys/devices/cpu_core/cpus",
        "sys/devices/cpu_atom/cpus",
        "sys/fs/cgroup/cpu.max",
        "sys/devices/system/cpu/cpu0/cpu_capacity",
        "sys/devices/system/cpu/smt/active",
        "sys/class/dmi/id/sys_vendor",
    ];
    let empty: Vec<(&str, &str)> = names.iter().map(|&name| (name, "")).collect();
    assert_eq!(read(&empty), unknown);
    // Folders where files should be cannot be read, whoever asks.
    let folders = TempDir::new().expect("a folder");
    names.iter().for_each(|name| fs::create_dir_all(folders.path().join(name)).expect("folders"));
    assert_eq!(Environment::read(folders.path()), unknown);
    // What is no text, and numbers without bound: nothing to rely on, and no panic.
    let long = "9".repeat(5000);
    let ranges = "0-99999999999999";
    for bytes in
        [b"\xff\xfe\0\x01".as_slice(), b":::::\n::\n0::", long.as_bytes(), ranges.as_bytes()]
    {
        let garbage = TempDir::new().expect("a folder");
        names.iter().for_each(|name| write(garbage.path(), name, bytes));
        let environment = Environment::read(garbage.path());
        assert!(environment.warnings().is_empty(), "{:?}", environment.warnings());
        assert!(environment.facts().iter().all(|(_, value)| !value.contains(char::is_control)));
        assert_eq!((environment.online_cpus, environment.boost), (None, None));
    }
}

#[test]
fn the_program_advises_once_and_not_when_told_to_be_quiet() {
    let laptop =
        files(&[("proc/cpuinfo", X86), (ONLINE, "0"), (GOVERNOR_0, "powersave"), (BOOST, "0")]);
    let told = |words: &[&str]| {
        let entries = vec![entry("MD5"), invented::entry_of("AES", "ECB")];
        let mut machine = machine(entries, 1, |_, size| 80_000 + 1_000 * size as u64);
        machine.root = laptop.path().to_owned();
        let outcome = bench_slope(&machine, words);
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        assert!(!outcome.out.contains("governor"), "{}", outcome.out);
        outcome.err
    };
    let both_sections = told(&[]);
    assert_eq!(both_sections.matches("warning: the scaling governor (powersave)").count(), 1);
    assert!(!both_sections.contains("environment: "), "{both_sections}");
    assert!(!both_sections.contains("turn off turbo"), "it is off: {both_sections}");
    assert_eq!(told(&["--quiet"]), "");
    assert!(!told(&["--quick"]).contains("governor"));
    let verbose = told(&["--verbose", "hash"]);
    for line in ["environment: processor: Fast 9000\n", "environment: governor: powersave on 0\n"] {
        assert!(verbose.contains(line), "{verbose}");
    }
}
