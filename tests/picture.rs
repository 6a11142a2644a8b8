//! `--plot`: a picture beside the table, whose file is looked at before anything is timed.

use std::fs;
use std::path::Path;

use crate::invented::{Outcome, bench_slope, entry, entry_of, machine};

/// SHAKE128 costs nothing and has no number.
fn cost(algorithm: &str, size: usize) -> u64 {
    80_000 + if algorithm == "SHAKE128" { 0 } else { 2_000 * size as u64 }
}

fn program(path: &Path, words: &[&str]) -> Outcome {
    let entries = ["MD5", "SHA1", "SHAKE128"].map(entry).into_iter();
    let machine = machine(entries.chain([entry_of("AES", "ECB")]).collect(), 1, cost);
    let path = path.to_str().expect("text");
    bench_slope(&machine, &[&["--plot", path], words].concat())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|one| one.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn all_sections_come_into_one_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.SVG");
    fs::write(&path, "an old one").expect("written");
    let outcome = program(&path, &[]);
    let picture = fs::read_to_string(&path).expect("a picture");
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{picture}");
    for words in [
        "Hashes: time of a call",
        "MD5: 2.000 ns/B",
        "SHA1: 2.000 ns/B",
        "SHAKE128: n/a (no slope)",
        "Ciphers: time of a call",
        "AES ECB dec: 2.000 ns/B",
    ] {
        assert!(picture.contains(words), "{words} is not in {picture}");
    }
    // The table is there too, and nothing else in the folder.
    assert!(outcome.out.contains("MD5") && outcome.out.contains("ECB dec"), "{}", outcome.out);
    assert_eq!(outcome.code, 1, "a row without a slope is a failure");
    assert_eq!(names(folder.path()), ["run.SVG"]);
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_anything_is_timed() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("folder.svg")).expect("made");
    for (name, reason) in [
        ("missing/run.svg", "beside it cannot be made"),
        ("run.png", "ends in .svg"),
        ("run", "ends in .svg"),
        ("folder.svg", "folder"),
    ] {
        let path = folder.path().join(name);
        let outcome = program(&path, &["hash", "md5"]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{name}");
        let told = format!("error: --plot {}: ", path.display());
        assert!(outcome.err.starts_with(&told), "{}", outcome.err);
        if cfg!(unix) {
            assert!(outcome.err.contains(reason), "{}", outcome.err);
        }
    }
    assert_eq!(names(folder.path()), ["folder.svg"]);
}

#[test]
fn a_wrong_name_leaves_no_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let outcome = program(&folder.path().join("run.svg"), &["hash", "md6"]);
    assert_eq!(outcome.code, 2);
    assert!(names(folder.path()).is_empty());
}

#[cfg(unix)]
#[test]
fn others_may_read_it_as_they_may_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.svg");
    program(&path, &["hash", "md5"]);
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode();
    let other = folder.path().join("other");
    fs::write(&other, "").expect("written");
    assert_eq!(mode(&path), mode(&other));
}
