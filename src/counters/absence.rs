//! Why there is no counter: each reason with its cause and its remedy in plain words.

use std::fmt;
use std::io;

/// Why something is not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// The user asked for no counters.
    SwitchedOff,
    /// A smoke test has no use for them.
    Quick,
    /// Counters are read on other systems only.
    NotThisSystem,
    /// `EACCES`: only administrators may count.
    Paranoid {
        /// What `/proc/sys/kernel/perf_event_paranoid` holds.
        level: i64,
    },
    /// `EACCES` although the kernel's own setting allows it, or is not known.
    Denied,
    /// `EPERM` beneath a filter of system calls, as in a container.
    Filtered,
    /// `EPERM` without such a filter.
    NotPermitted,
    /// `ENOSYS`: no such system call.
    NoSystemCall,
    /// `ENOENT`, `ENODEV` or `ENXIO`: the hardware has no such counter, as far as the kernel knows.
    NoSuchCounter,
    /// `EOPNOTSUPP`: not in this way.
    NotInUserSpace,
    /// `EINVAL` or `E2BIG`: the kernel does not understand the request.
    NotUnderstood,
    /// `EMFILE` or `ENFILE`: too many open files.
    TooManyFiles,
    /// `EBUSY`: someone has the counters for himself.
    Taken,
    /// It can be opened, but reads 0 after real work.
    Silent,
    /// It can be opened, but never had a place in the hardware.
    NeverRan,
    /// Anything else, in the system's words.
    Other(String),
}

/// What decides between two causes of the same error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// What `/proc/sys/kernel/perf_event_paranoid` holds, where it can be read.
    pub paranoid: Option<i64>,
    /// Whether a filter of system calls is in force, where that can be read.
    pub filtered: Option<bool>,
}

impl Surroundings {
    /// From the text of `/proc/sys/kernel/perf_event_paranoid` and `/proc/self/status`.
    #[must_use]
    pub fn parse(paranoid: Option<&str>, status: Option<&str>) -> Self {
        let mode = status.and_then(|status| {
            let line = status.lines().find_map(|line| line.strip_prefix("Seccomp:"))?;
            line.trim().parse::<u32>().ok()
        });
        Surroundings {
            paranoid: paranoid.and_then(|text| text.trim().parse().ok()),
            // 1 is the strict mode, in which this program would not run.
            filtered: mode.map(|mode| mode == 2),
        }
    }
}

/// Above this setting the kernel lets nobody count in user space but administrators.
const HIGHEST_FOR_ALL: i64 = 2;

/// Error numbers that all of Linux's architectures with counters here have in common.
mod errno {
    pub const EPERM: i32 = 1;
    pub const ENOENT: i32 = 2;
    pub const ENXIO: i32 = 6;
    pub const E2BIG: i32 = 7;
    pub const EACCES: i32 = 13;
    pub const EBUSY: i32 = 16;
    pub const ENODEV: i32 = 19;
    pub const EINVAL: i32 = 22;
    pub const ENFILE: i32 = 23;
    pub const EMFILE: i32 = 24;
    pub const ENOSYS: i32 = 38;
    pub const EOPNOTSUPP: i32 = 95;
}

impl Absence {
    /// The reason behind an error of the system, read in its surroundings.
    #[must_use]
    pub fn in_surroundings(error: &io::Error, surroundings: Surroundings) -> Self {
        let Some(number) = error.raw_os_error() else {
            // The crate's own words for E2BIG.
            return match error.kind() {
                io::ErrorKind::Unsupported => Absence::NotUnderstood,
                // A counter that lost its place for good reads as the end of its file.
                io::ErrorKind::UnexpectedEof => Absence::NeverRan,
                _ => Absence::Other(error.to_string()),
            };
        };
        match number {
            errno::EACCES => match surroundings.paranoid {
                Some(level) if level > HIGHEST_FOR_ALL => Absence::Paranoid { level },
                _ => Absence::Denied,
            },
            errno::EPERM if surroundings.filtered == Some(true) => Absence::Filtered,
            errno::EPERM => match surroundings.paranoid {
                Some(level) if level > HIGHEST_FOR_ALL => Absence::Paranoid { level },
                _ => Absence::NotPermitted,
            },
            errno::ENOSYS => Absence::NoSystemCall,
            errno::ENOENT | errno::ENODEV | errno::ENXIO => Absence::NoSuchCounter,
            errno::EOPNOTSUPP => Absence::NotInUserSpace,
            errno::EINVAL | errno::E2BIG => Absence::NotUnderstood,
            errno::EMFILE | errno::ENFILE => Absence::TooManyFiles,
            errno::EBUSY => Absence::Taken,
            _ => Absence::Other(error.to_string()),
        }
    }

    /// The reason behind an error of a counter that could be opened.
    #[must_use]
    pub fn of(error: &io::Error) -> Self {
        Absence::in_surroundings(error, Surroundings::default())
    }

    /// Whether the user wanted it so.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        matches!(self, Absence::SwitchedOff | Absence::Quick)
    }
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Absence::SwitchedOff => write!(f, "--no-counters was given"),
            Absence::Quick => write!(f, "a quick run does not count"),
            Absence::NotThisSystem => {
                write!(f, "they are read on Linux on x86-64, 64-bit Arm and 64-bit RISC-V only")
            }
            Absence::Paranoid { level } => write!(
                f,
                "the kernel lets only administrators count (perf_event_paranoid is {level}): \
                 `sudo sysctl kernel.perf_event_paranoid={HIGHEST_FOR_ALL}`, and back with \
                 `sudo sysctl kernel.perf_event_paranoid={level}`"
            ),
            Absence::Denied => write!(
                f,
                "access was denied though perf_event_paranoid does not forbid it, so a security \
                 module such as SELinux does: run as root, or allow perf_event in its policy"
            ),
            Absence::Filtered => write!(
                f,
                "a filter of system calls (seccomp) forbids perf_event_open, as containers do by \
                 default: start the container with `--security-opt seccomp=unconfined`, or with a \
                 profile that allows it"
            ),
            Absence::NotPermitted => write!(
                f,
                "the kernel does not permit it to this process, as when it is locked down: run as \
                 root, or with the capability CAP_PERFMON"
            ),
            Absence::NoSystemCall => write!(
                f,
                "there is no perf_event_open here: the kernel was built without CONFIG_PERF_EVENTS, \
                 or a sandbox hides it; run outside the sandbox"
            ),
            Absence::NoSuchCounter => write!(
                f,
                "the kernel finds no such counter in this processor, as in a virtual machine without \
                 a virtual PMU: give the guest one (QEMU: `-cpu host,pmu=on`), take a type of \
                 instance that has it, or run on the host"
            ),
            Absence::NotInUserSpace => write!(
                f,
                "the processor or its driver cannot count user space alone: a newer kernel may, and \
                 another machine"
            ),
            Absence::NotUnderstood => write!(
                f,
                "the kernel does not accept the request: it is too old, or its driver for this \
                 processor lacks the event; update the kernel"
            ),
            Absence::TooManyFiles => write!(
                f,
                "too many files are open: raise the limit with `ulimit -n 1024`, or close other \
                 programs"
            ),
            Absence::Taken => write!(
                f,
                "another program has the counters for itself: end it (`perf`, a profiler, the \
                 kernel's watchdog with `sudo sysctl kernel.nmi_watchdog=0`, and back with \
                 `sudo sysctl kernel.nmi_watchdog=1`)"
            ),
            Absence::Silent => write!(
                f,
                "the counter can be opened but reads 0 after real work, as in a virtual machine whose \
                 virtual PMU counts nothing: run on the host, or on another type of instance"
            ),
            Absence::NeverRan => write!(
                f,
                "the counter can be opened but never got a place in the processor, which has only a \
                 few or is of another kind than the kernel counts on: end other programs that count, \
                 or `--pin` another kind of core"
            ),
            Absence::Other(words) => {
                write!(f, "the system says: {words}; `--no-counters` leaves them out")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn absence(number: i32, paranoid: Option<i64>, filtered: Option<bool>) -> Absence {
        let error = io::Error::from_raw_os_error(number);
        Absence::in_surroundings(&error, Surroundings { paranoid, filtered })
    }

    #[test]
    fn every_error_has_its_cause() {
        assert_eq!(absence(13, Some(4), None), Absence::Paranoid { level: 4 });
        assert_eq!(absence(13, Some(3), Some(true)), Absence::Paranoid { level: 3 });
        assert_eq!(absence(13, Some(2), None), Absence::Denied);
        assert_eq!(absence(13, None, None), Absence::Denied);
        assert_eq!(absence(1, Some(2), Some(true)), Absence::Filtered);
        // The filter comes before the kernel looks at its setting.
        assert_eq!(absence(1, Some(4), Some(true)), Absence::Filtered);
        assert_eq!(absence(1, Some(4), Some(false)), Absence::Paranoid { level: 4 });
        assert_eq!(absence(1, Some(2), Some(false)), Absence::NotPermitted);
        assert_eq!(absence(1, None, None), Absence::NotPermitted);
        assert_eq!(absence(38, None, None), Absence::NoSystemCall);
        for number in [2, 19, 6] {
            assert_eq!(absence(number, Some(2), Some(true)), Absence::NoSuchCounter);
        }
        assert_eq!(absence(95, None, None), Absence::NotInUserSpace);
        assert_eq!(absence(22, None, None), Absence::NotUnderstood);
        assert_eq!(absence(7, None, None), Absence::NotUnderstood);
        assert_eq!(absence(24, None, None), Absence::TooManyFiles);
        assert_eq!(absence(23, None, None), Absence::TooManyFiles);
        assert_eq!(absence(16, None, None), Absence::Taken);
        let Absence::Other(words) = absence(12, None, None) else { panic!("another cause") };
        assert!(!words.is_empty());
        let own = |kind| Absence::of(&io::Error::new(kind, "x"));
        assert_eq!(own(io::ErrorKind::Unsupported), Absence::NotUnderstood);
        assert_eq!(own(io::ErrorKind::UnexpectedEof), Absence::NeverRan);
        assert_eq!(own(io::ErrorKind::InvalidData), Absence::Other("x".to_owned()));
    }

    #[test]
    fn the_surroundings_are_read_from_text() {
        let parse = |paranoid, status| {
            let Surroundings { paranoid, filtered } = Surroundings::parse(paranoid, status);
            (paranoid, filtered)
        };
        let status = "Name:\tx\nNoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1\n";
        assert_eq!(parse(Some("4\n"), Some(status)), (Some(4), Some(true)));
        assert_eq!(parse(Some("-1\n"), Some("Seccomp:\t0\n")), (Some(-1), Some(false)));
        assert_eq!(parse(Some(""), Some("Seccomp_filters:\t1\n")), (None, None));
        assert_eq!(parse(Some("much"), Some("Seccomp:\n")), (None, None));
        assert_eq!(parse(None, None), (None, None));
    }
}
