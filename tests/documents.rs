//! What the documents claim is compared with the program.

use crate::example;
use std::fs;
use std::path::PathBuf;

use crate::invented::{self, bench_slope, entry, machine};
use bench_slope::counters::{Absence, Event};
use bench_slope::doctor::Reason;
use bench_slope::environment::Environment;
use bench_slope::warning::Warning;
use bench_slope_algorithms::{Catalogue, Section};

fn document(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn program(words: &[&str]) -> invented::Outcome {
    bench_slope(&machine(vec![entry("MD5")], 1, |_, size| 80_000 + 1_000 * size as u64), words)
}

/// Words that begin with `--` in a text.
fn options(text: &str) -> Vec<String> {
    let mut found: Vec<String> = text
        .split(|c: char| c.is_whitespace() || "`=,|()[]".contains(c))
        .filter(|word| word.strip_prefix("--").is_some_and(|w| w.starts_with(char::is_alphabetic)))
        .map(str::to_owned)
        .collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn the_readme_names_every_option_and_no_other() {
    let readme = document("README.md");
    let start = readme.find("## How to call it").expect("the heading");
    let end = readme.find("## How far to trust it").expect("the heading");
    let mut told = options(&readme[start..end]);
    told.extend(["--help".to_owned(), "--version".to_owned()]);
    told.sort();
    told.dedup();
    let mut has = options(&program(&["--help"]).out);
    has.extend(options(&program(&["self-test", "--help"]).out));
    has.extend(options(&program(&["compare", "--help"]).out));
    has.sort();
    has.dedup();
    assert_eq!(told, has);
}

#[test]
fn the_readme_shows_the_table_as_it_is_printed() {
    let readme = document("README.md");
    let printed = program(&["hash"]).out;
    let lines: Vec<&str> = printed.lines().collect();
    for line in [lines[0], lines[1], lines[3]] {
        // On invented time the frequency is not known, which stands behind the section's name.
        let is_told = |told: &str| told == line || told.starts_with(&format!("{line} at "));
        assert!(readme.lines().any(is_told), "{line:?} is not in the README");
    }
    let row = readme.lines().find(|line| line.starts_with(" MD5 ")).expect("a row");
    assert_eq!(row.len(), lines[2].len());
    assert_eq!(row.find('|'), lines[2].find('|'));
}

#[test]
fn the_readme_names_the_slow_rows() {
    let readme = document("README.md");
    let catalogue = Catalogue::standard();
    let slow = catalogue.entries().iter().filter(|entry| entry.slow);
    for name in slow.map(|entry| entry.algorithm) {
        assert!(readme.contains(name), "{name}");
    }
    let hashes = catalogue.cases(Section::Hash).filter(|case| !case.entry.slow).count();
    assert!(readme.contains(&format!("{hashes} hashes")), "there are {hashes} hashes");
}

#[test]
fn exit_codes_are_told_alike() {
    use bench_slope::run::code;
    let architecture = document("docs/architecture.md");
    for code in [code::FINE, code::FAILED, code::USAGE, code::INTERRUPTED, code::SKIPPED] {
        assert!(architecture.contains(&format!("\n| {code} |")), "exit code {code}");
    }
}

/// One of each kind of advice on the environment.
fn advice() -> Vec<Warning> {
    vec![
        Warning::Governor { governors: vec![("powersave".to_owned(), None)] },
        Warning::Turbo { file: "/sys/devices/system/cpu/cpufreq/boost".into(), on_is: 1 },
        Warning::Turbo { file: "/sys/devices/system/cpu/intel_pstate/no_turbo".into(), on_is: 0 },
        Warning::Load { load: 1.5, cpus: 4 },
        Warning::Quota {
            cpus: 0.5,
            file: "/sys/fs/cgroup/cpu.max".to_owned(),
            unlimited: "max".into(),
            value: "50000 100000".to_owned(),
        },
        Warning::KindsOfCores {
            kinds: [("performance", "0-7"), ("efficiency", "8-11")]
                .map(|(name, cpus)| (name.to_owned(), cpus.to_owned()))
                .to_vec(),
            other: 8,
        },
        Warning::TimeSource { current: "hpet".to_owned(), better: Some("tsc".to_owned()) },
        Warning::TimeSource { current: "hpet".to_owned(), better: None },
    ]
}

#[test]
fn the_advice_on_the_environment_is_told_word_by_word() {
    let environment = document("docs/environment.md");
    for warning in advice() {
        // A new warning has to say here whether it belongs there.
        let belongs = match warning {
            Warning::Governor { .. }
            | Warning::Turbo { .. }
            | Warning::Load { .. }
            | Warning::Quota { .. }
            | Warning::KindsOfCores { .. }
            | Warning::TimeSource { .. } => true,
            Warning::NeverQuiet { .. }
            | Warning::NeverFree { .. }
            | Warning::SharedCore { .. }
            | Warning::Imprecise { .. }
            | Warning::NoErrorStated { .. }
            | Warning::NoLine { .. }
            | Warning::TwoLayouts { .. }
            | Warning::FrequencyUnknown
            | Warning::OtherFrequency { .. }
            | Warning::NotToldAt { .. }
            | Warning::LongSamples { .. }
            | Warning::Starved { .. } => false,
        };
        assert!(belongs);
        let line = format!("\nwarning: {warning}\n");
        assert!(environment.contains(&line), "docs/environment.md lacks{line}");
    }
}

#[test]
fn every_fact_of_the_environment_is_told() {
    let told = document("docs/environment.md");
    let value = serde_json::to_value(Environment::default()).expect("JSON");
    let fields = value.as_object().expect("an object");
    for field in fields.keys() {
        assert!(told.contains(&format!("\n| `{field}` |")), "docs/environment.md lacks {field}");
    }
    assert_eq!(told.matches("\n| `").count(), fields.len(), "it tells more than there is");
}

/// One of each reason for which a machine is unfit.
fn reasons() -> Vec<Reason> {
    vec![
        Reason::ClockStandsStill,
        Reason::ClockTooCoarse { step_ns: 15.6e6 },
        Reason::NoKnownCost { why: "its process was ended by signal 9 (killed)".to_owned() },
        Reason::WrongKnownCost { deviation: 0.094, cycles_are_right: true },
        Reason::WrongKnownCost { deviation: 0.031, cycles_are_right: false },
        Reason::NeverQuiet { best: 0.004 },
        Reason::NeverAsQuietAsKnown { lowest: 0.2871, known: 0.2130 },
        Reason::FrequencyWanders { held: 0.11 },
        Reason::Starved { share: 0.52 },
        Reason::Quota { cpus: 0.5, file: "/sys/fs/cgroup/cpu.max".to_owned() },
    ]
}

#[test]
fn the_reasons_of_the_doctor_are_told_word_by_word() {
    let told = document("docs/doctor.md");
    for reason in reasons() {
        // A new reason has to be added here.
        match reason {
            Reason::ClockStandsStill
            | Reason::ClockTooCoarse { .. }
            | Reason::NoKnownCost { .. }
            | Reason::WrongKnownCost { .. }
            | Reason::NeverQuiet { .. }
            | Reason::NeverAsQuietAsKnown { .. }
            | Reason::FrequencyWanders { .. }
            | Reason::Starved { .. }
            | Reason::Quota { .. } => {}
        }
        let line = format!("\n- {reason}\n");
        assert!(told.contains(&line), "docs/doctor.md lacks{line}");
    }
}

#[test]
fn every_reason_for_no_counter_is_told_word_by_word() {
    let counters = document("docs/counters.md");
    let absences = [
        ("`EACCES`", Absence::Paranoid { level: 4 }),
        ("`EACCES`", Absence::Denied),
        ("`EPERM`", Absence::Filtered),
        ("`EPERM`", Absence::NotPermitted),
        ("`ENOSYS`", Absence::NoSystemCall),
        ("`ENOENT`, `ENODEV`, `ENXIO`", Absence::NoSuchCounter),
        ("`EOPNOTSUPP`", Absence::NotInUserSpace),
        ("`EINVAL`, `E2BIG`", Absence::NotUnderstood),
        ("`EMFILE`, `ENFILE`", Absence::TooManyFiles),
        ("`EBUSY`", Absence::Taken),
        ("none", Absence::Silent),
        ("none", Absence::NeverRan),
        ("none", Absence::NotThisSystem),
        ("any other", Absence::Other("its words".to_owned())),
    ];
    for (error, absence) in &absences {
        // A new reason has to say here whether it belongs there.
        let belongs = match absence {
            Absence::SwitchedOff | Absence::Quick => false,
            Absence::Paranoid { .. }
            | Absence::Denied
            | Absence::Filtered
            | Absence::NotPermitted
            | Absence::NoSystemCall
            | Absence::NoSuchCounter
            | Absence::NotInUserSpace
            | Absence::NotUnderstood
            | Absence::TooManyFiles
            | Absence::Taken
            | Absence::Silent
            | Absence::NeverRan
            | Absence::NotThisSystem
            | Absence::Other(_) => true,
        };
        assert!(belongs);
        let line = format!("\n| {error} | {absence} |\n");
        assert!(counters.contains(&line), "docs/counters.md lacks{line}");
    }
    let (_, told) = counters.split_once("\n| error | note |\n|---|---|\n").expect("the table");
    let rows = told.lines().take_while(|line| line.starts_with('|')).count();
    assert_eq!(rows, absences.len(), "it tells more than there is");
    for event in Event::ALL {
        assert!(counters.contains(&format!("\n| {} | ", event.name())), "{event:?}");
    }
}

/// The names in the first column of the tables below a heading, table by table.
fn fields(text: &str, heading: &str) -> Vec<Vec<String>> {
    let below = text.split_once(heading).expect(heading).1;
    let below = below.split("\n## ").next().unwrap_or_default();
    let tables = below.split("\n\n").filter(|part| part.starts_with("| field"));
    let name = |row: &str| Some(row.strip_prefix("| `")?.split_once('`')?.0.to_owned());
    tables.map(|table| table.lines().filter_map(name).collect()).collect()
}

#[test]
fn the_fields_of_every_format_are_told_in_their_order() {
    use bench_slope::report::{Format, csv::COLUMNS};
    let told = document("docs/formats.md");
    let columns: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    assert_eq!(fields(&told, "\n## CSV\n").concat(), columns);
    let text = Format::Csv.render(&example::full());
    assert_eq!(text.lines().next(), Some(columns.join(",").as_str()));

    let text = Format::Json.render(&example::full());
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let record = text.lines().find(|line| line.starts_with("{\"id\"")).expect("a record");
    let tables = fields(&told, "\n## JSON\n");
    for (table, (object, text)) in
        tables.iter().zip([(&value, text.as_str()), (&value["records"][0], record)])
    {
        assert_eq!(object.as_object().map(serde_json::Map::len), Some(table.len()), "{table:?}");
        // What is nested may have the same name: each is looked for behind the one before.
        let mut rest = text;
        for field in table {
            let after = rest.split_once(&format!("\"{field}\":"));
            rest = after.unwrap_or_else(|| panic!("{field} is elsewhere: {table:?}")).1;
        }
    }
    assert_eq!(tables.len(), 2);

    for (_, word, extension) in Format::NAMED {
        assert!(told.contains(&format!("\n| `{word}` | `.{extension}` | ")), "{word}");
    }
}

#[test]
fn the_fields_of_a_comparison_are_told_in_their_order() {
    use bench_slope::compare::{Source, compare};
    let runs = ["a", "b"].map(|name| Source { name: name.to_owned(), run: example::full() });
    let text = compare(&runs, Vec::new()).render(bench_slope::report::Format::Csv, false);
    let told = fields(&document("docs/compare.md"), "\n## CSV and JSON\n").concat();
    assert_eq!(text.lines().next(), Some(told.join(",").as_str()));
}

#[test]
fn links_lead_somewhere() {
    for name in [
        "README.md",
        "docs/architecture.md",
        "docs/method.md",
        "docs/doctor.md",
        "docs/environment.md",
        "docs/counters.md",
        "docs/formats.md",
        "docs/compare.md",
        "docs/growth.md",
        "docs/points.md",
        "docs/threads.md",
        "docs/profiling.md",
        "docs/packaging.md",
        "docs/report.md",
        "docs/coverage.md",
        "docs/adding-an-algorithm.md",
    ] {
        let text = document(name);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let base = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
            let folder = base.join(name).parent().expect("a folder").to_owned();
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { base.join(name) } else { folder.join(file) };
            assert!(file.exists(), "{name} links to {link}");
            // A place in a document is its heading in lower case with hyphens.
            let is_heading = |line: &str| {
                let words = line.trim_start_matches(['#', ' ']).to_lowercase();
                line.starts_with('#') && words.replace(' ', "-").replace('\'', "") == place
            };
            let is_there = || fs::read_to_string(&file).is_ok_and(|t| t.lines().any(is_heading));
            assert!(place.is_empty() || is_there(), "{name} links to {link}");
        }
    }
}
