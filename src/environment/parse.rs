//! What the files say, as pure functions: whatever they hold, the answer is a value or `None`.

/// Larger processor numbers are taken for garbage, before a range of them fills the memory.
const LARGEST_CPU: usize = 65_535;

/// A text of one line, without what a terminal would obey; `None` when nothing is left.
pub fn word(text: &str) -> Option<String> {
    /// Nothing that is worth a line is longer.
    const LONGEST: usize = 256;
    let line = text.trim().lines().next()?.trim();
    let line: String = line.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    (!line.is_empty()).then_some(line)
}

/// Words between blanks; `None` when there are none.
pub fn words(text: &str) -> Option<Vec<String>> {
    let words: Vec<String> = text.split_whitespace().filter_map(word).collect();
    (!words.is_empty()).then_some(words)
}

/// A whole number.
pub fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// `0` or `1`.
pub fn switch(text: &str) -> Option<bool> {
    match text.trim() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// A list of processors such as `0-3,8`, ascending; `None` when any part of it makes no sense.
pub fn list(text: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last > LARGEST_CPU {
            return None;
        }
        cpus.extend(first..=last);
    }
    cpus.sort_unstable();
    cpus.dedup();
    Some(cpus)
}

/// The first field of `/proc/loadavg`, and the number of those that run from its fourth.
pub fn load(text: &str) -> (Option<f64>, Option<u64>) {
    let mut fields = text.split_whitespace();
    let average = fields.next().and_then(|field| field.parse().ok());
    let average = average.filter(|load: &f64| load.is_finite() && *load >= 0.0);
    let running = fields.nth(2).and_then(|field| field.split_once('/')?.0.parse().ok());
    (average, running)
}

/// All values of a key in `/proc/cpuinfo`, each once.
fn values<'a>(cpuinfo: &'a str, key: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    for line in cpuinfo.lines() {
        if let Some((name, value)) = line.split_once(':') {
            let value = value.trim();
            if name.trim() == key && !value.is_empty() && !found.contains(&value) {
                found.push(value);
            }
        }
    }
    found
}

/// The processor's model; where it has no name, the codes of its maker and of its parts.
pub fn cpu_model(cpuinfo: &str) -> Option<String> {
    // Other names of it: MIPS, POWER, RISC-V.
    for key in ["model name", "cpu model", "cpu", "uarch"] {
        if let Some(name) = values(cpuinfo, key).first() {
            return word(name);
        }
    }
    let (makers, parts) = (values(cpuinfo, "CPU implementer"), values(cpuinfo, "CPU part"));
    let board = values(cpuinfo, "Model").first().copied();
    let codes = (!parts.is_empty())
        .then(|| format!("implementer {} part {}", makers.join(" and "), parts.join(" and ")));
    match (board, codes) {
        (Some(board), Some(codes)) => word(&format!("{board} ({codes})")),
        (Some(only), None) => word(only),
        (None, codes) => word(&codes?),
    }
}

/// Whether the processor says that it is a guest's; only x86 does.
pub fn hypervisor_flag(cpuinfo: &str) -> Option<bool> {
    let flags = values(cpuinfo, "flags");
    let flags = flags.first()?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// Whether the names that firmware gives are those of a virtual machine.
pub fn is_virtual(vendor: &str, product: &str) -> bool {
    const NAMES: &[&str] = &[
        "qemu",
        "kvm",
        "vmware",
        "virtualbox",
        "xen",
        "bochs",
        "bhyve",
        "parallels",
        "openstack",
        "virtual machine",
        "amazon ec2",
        "google compute engine",
        "apple virtualization",
    ];
    // The clouds' bare metal has their name too.
    let both = format!("{vendor} {product}").to_lowercase();
    !both.trim_end().ends_with("metal") && NAMES.iter().any(|name| both.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpus::show_list;

    /// What no parser may stumble over.
    const GARBAGE: &[&str] = &[
        "",
        "\n",
        " ",
        "\0\0",
        "-",
        "-1",
        ",",
        "1,",
        "0-",
        "-3",
        "3-1",
        "x",
        "1e400",
        "nan",
        "inf",
        "99999999999999999999999",
        "0-99999999999999999999999",
        "0-4000000000",
        ":",
        "/",
        "max",
        "\u{1b}[2J",
        "…",
    ];

    #[test]
    fn lists_of_processors() {
        for (text, cpus) in [
            ("0", vec![0]),
            ("0-3\n", vec![0, 1, 2, 3]),
            ("8,0-1", vec![0, 1, 8]),
            (" 0-2,1 \n", vec![0, 1, 2]),
        ] {
            assert_eq!(list(text), Some(cpus), "{text:?}");
        }
        for text in GARBAGE {
            assert_eq!(list(text), None, "{text:?}");
        }
        for text in ["0", "0-3", "0-1,8", "1,3,5", "0-1,4-5,9"] {
            assert_eq!(show_list(&list(text).expect("a list")), text);
        }
        assert_eq!(show_list(&[]), "");
    }

    #[test]
    fn load_averages() {
        assert_eq!(load("2.06 1.47 1.53 6/129 9895\n"), (Some(2.06), Some(6)));
        assert_eq!(load("0.00"), (Some(0.0), None));
        assert_eq!(load("0.1 0.1 0.1 129"), (Some(0.1), None));
        for text in GARBAGE.iter().filter(|text| number(text).is_none()) {
            let (average, running) = load(text);
            assert!(average.is_none_or(f64::is_finite) && running.is_none(), "{text:?}");
        }
        assert_eq!((load("nan").0, load("-1").0, load("1e400").0), (None, None, None));
    }

    #[test]
    fn words_cannot_steer_a_terminal() {
        assert_eq!(word(" performance\n"), Some("performance".to_owned()));
        assert_eq!(word("a\u{1b}[2Jb\0"), Some("a[2Jb".to_owned()));
        assert_eq!((word(""), word("\n \n"), word("\0")), (None, None, None));
        assert_eq!(word(&"x".repeat(1000)).map(|w| w.len()), Some(256));
        assert_eq!(words("tsc hpet \n"), Some(vec!["tsc".to_owned(), "hpet".to_owned()]));
        assert_eq!(words("\n"), None);
    }

    #[test]
    fn models_of_processors() {
        for (text, model) in [
            ("processor\t: 0\nmodel\t\t: 207\nmodel name\t: Fast 9000\n", Some("Fast 9000")),
            (
                "CPU implementer : 0x41\nCPU part : 0xd03\n\nCPU implementer : 0x41\nCPU part : 0xd09",
                Some("implementer 0x41 part 0xd03 and 0xd09"),
            ),
            (
                "CPU implementer\t: 0x41\nCPU part\t: 0xd08\nModel\t\t: A Board 4\n",
                Some("A Board 4 (implementer 0x41 part 0xd08)"),
            ),
            ("model name\t:\nuarch : sifive,u74", Some("sifive,u74")),
            ("model name", None),
        ] {
            assert_eq!(cpu_model(text).as_deref(), model, "{text:?}");
        }
        for text in GARBAGE {
            assert_eq!((cpu_model(text), hypervisor_flag(text)), (None, None), "{text:?}");
        }
    }

    #[test]
    fn guests_and_hosts() {
        assert_eq!(hypervisor_flag("flags : fpu hypervisor lm\n"), Some(true));
        assert_eq!(hypervisor_flag("flags : fpu hypervisors lm"), Some(false));
        assert!(is_virtual("QEMU", "Standard PC (Q35 + ICH9, 2009)"));
        assert!(is_virtual("Microsoft Corporation", "Virtual Machine"));
        assert!(!is_virtual("Microsoft Corporation", "Surface Pro"));
        assert!(is_virtual("Amazon EC2", "m7g.large") && !is_virtual("Amazon EC2", "m7g.metal"));
        assert!(!is_virtual("", ""));
    }
}
