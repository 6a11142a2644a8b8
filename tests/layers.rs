//! The modules of `src` use only what comes before them in one order, and the algorithms neither
//! print nor look at a clock.

use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up, as `docs/architecture.md` tells it.
const ORDER: &[&str] = &[
    "fit",
    "growth",
    "linearity",
    "staircase",
    "layouts",
    "costs",
    "placements",
    "clock",
    "counters",
    "sample",
    "frequency",
    "known_cost",
    "quiet",
    "cpus",
    "scaling",
    "wire",
    "visit",
    "count",
    "schedule",
    "ready",
    "parallel",
    "worker",
    "warning",
    "environment",
    "versions",
    "record",
    "exact",
    "timed",
    "tally",
    "rows",
    "batches",
    "group",
    "threads",
    "report",
    "doctor",
    "saved",
    "compare",
    "output",
    "choose",
    "fits",
    "single",
    "endless",
    "selftest",
    "tell",
    "bytes",
    "cli",
    "gather",
    "run",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files below a folder, with their text.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("text");
            found.push((path, text));
        }
    }
    found
}

/// The module of a file: its name below `src`, or the folder's.
fn module(path: &Path) -> String {
    let below = path.strip_prefix(root().join("src")).expect("below src");
    let first = below.components().next().expect("a name").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// Modules named as `crate::MODULE` in a text.
fn used(text: &str) -> Vec<String> {
    text.split("crate::")
        .skip(1)
        .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .collect()
}

#[test]
fn nothing_uses_what_comes_after_it() {
    let place = |module: &str| ORDER.iter().position(|&m| m == module);
    let mut checked = 0;
    for (path, text) in sources(&root().join("src")) {
        let module = module(&path);
        if matches!(module.as_str(), "main" | "lib") {
            continue;
        }
        let own = place(&module).unwrap_or_else(|| panic!("{module} is missing in the order"));
        for other in used(&text) {
            let theirs = place(&other).unwrap_or_else(|| panic!("{module} uses unknown {other}"));
            assert!(theirs <= own, "{module} uses {other}, which comes after it");
            checked += 1;
        }
    }
    assert!(checked > 10, "only {checked} uses were found");
}

#[test]
fn the_order_names_every_module_and_the_documents_tell_it() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).expect("text");
    let architecture = fs::read_to_string(root().join("docs/architecture.md")).expect("text");
    for module in ORDER {
        assert!(lib.contains(&format!("pub mod {module};")), "{module} is no module");
    }
    assert_eq!(lib.matches("pub mod ").count(), ORDER.len());
    assert!(architecture.contains(&ORDER.join(" <- ")), "docs/architecture.md tells another order");
}

#[test]
fn algorithms_neither_print_nor_look_at_a_clock() {
    for (path, text) in sources(&root().join("algorithms/src")) {
        for word in ["println!", "print!", "eprint", "std::time", "Instant", "std::io"] {
            assert!(!text.contains(word), "{} has {word}", path.display());
        }
    }
}

#[test]
fn there_is_one_timed_loop() {
    // Only `sample` calls `run` on a routine between two readings of a clock.
    for (path, text) in sources(&root().join("src")) {
        let calls = text.matches("routine.run()").count();
        let expected = usize::from(path.ends_with("sample.rs"));
        assert_eq!(calls, expected, "{}", path.display());
    }
}

#[test]
fn only_cli_knows_clap() {
    for (path, text) in sources(&root().join("src")) {
        assert!(
            path.ends_with("cli.rs")
                || path.parent().is_some_and(|folder| folder.ends_with("cli"))
                || !text.contains("clap::"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn every_file_of_tests_is_run() {
    // Cargo finds no test by itself here: a file that nobody names would never be compiled.
    for (package, least) in [("", 25), ("algorithms", 5)] {
        let read = |name: &str| fs::read_to_string(root().join(package).join(name)).expect("text");
        let (suite, manifest) = (read("tests/suite.rs"), read("Cargo.toml"));
        let entries = fs::read_dir(root().join(package).join("tests")).expect("the folder");
        let mut found = 0;
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            let is_folder = path.join("mod.rs").exists() || path.join("main.rs").exists();
            if !is_folder && path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let is_named = suite.contains(&format!("\nmod {name};\n"))
                || manifest.contains(&format!("[[test]]\nname = \"{name}\"\n"));
            assert!(is_named, "{} is in neither suite.rs nor Cargo.toml", path.display());
            found += 1;
        }
        assert!(found >= least, "only {found} files in {package}/tests");
    }
}
