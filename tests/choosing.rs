//! Which cases a run is about: names, lists and filters.

use crate::invented::{bench_slope, entry, entry_of, machine};
use bench_slope::choose::{Wanted, choose, name};
use bench_slope::group::Machine;
use bench_slope_algorithms::{Catalogue, Section};

fn four() -> Machine {
    let entries =
        vec![entry("MD5"), entry("SHA1").slow(), entry_of("AES", "ECB"), entry_of("AES", "GCM")];
    machine(entries, 1, |_, size| (100 + size as u64) * 1_000)
}

fn all_of(section: Section, names: &[String]) -> Wanted<'_> {
    Wanted { section: Some(section), names, filter: None, include_slow: true, with_message: None }
}

#[test]
fn every_name_that_is_listed_means_its_entry() {
    let catalogue = Catalogue::standard();
    for &section in Section::ALL {
        let all = choose(&catalogue, &all_of(section, &[])).expect("all");
        for case in &all[0].1 {
            let listed = name(&case.entry);
            let names = [listed.clone()];
            let found = choose(&catalogue, &all_of(section, &names)).expect(&listed);
            let ids: Vec<String> =
                found[0].1.iter().map(bench_slope_algorithms::Case::id).collect();
            assert!(ids.contains(&case.id()), "{section} {listed}: {ids:?}");
            assert_eq!(ids.len(), case.entry.operations.len(), "{section} {listed}: {ids:?}");
        }
    }
}

#[test]
fn a_list_times_nothing() {
    let machine = four();
    let outcome = bench_slope(&machine, &["--list"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    assert_eq!(outcome.out, "hash md5\ncipher aes/ecb\ncipher aes/gcm\n");
    assert_eq!(bench_slope(&machine, &["cipher", "--list"]).out, "aes/ecb\naes/gcm\n");
    assert_eq!(bench_slope(&machine, &["hash", "--list", "--include-slow"]).out, "md5\nsha1\n");
    assert_eq!(bench_slope(&machine, &["cipher", "--list", "aes/gcm"]).out, "aes/gcm\n");
    assert_eq!(machine.clock.monotonic_ns(), 0, "time passed");
}

#[test]
fn a_filter_takes_names_rows_and_identifiers() {
    for (filter, rows) in [
        ("^md5$", "hash,MD5"),
        (
            "^AES/",
            "cipher,AES,ECB enc cipher,AES,ECB dec cipher,AES,GCM enc cipher,AES,GCM dec cipher,AES,GCM auth",
        ),
        ("gcm auth", "cipher,AES,GCM auth"),
        ("rustcrypto/AES/ECB/decrypt", "cipher,AES,ECB dec"),
        ("ecb/enc|md", "hash,MD5 cipher,AES,ECB enc"),
    ] {
        let outcome = bench_slope(&four(), &["--csv", "--quick", "--filter", filter]);
        assert_eq!(outcome.code, 0, "{filter}: {}", outcome.err);
        let name = |line: &str| {
            let fields: Vec<&str> = line.split(',').take(3).collect();
            fields.join(",").trim_end_matches(',').to_owned()
        };
        let found: Vec<String> = outcome.out.lines().map(name).collect();
        assert_eq!(found.join(" "), rows, "{filter}");
    }
    // With a section and names.
    let outcome = bench_slope(&four(), &["cipher", "aes/gcm", "--list", "--filter", "ecb|gcm"]);
    assert_eq!(outcome.out, "aes/gcm\n");
}

#[test]
fn a_filter_that_is_wrong_or_matches_nothing_is_told() {
    for bad in ["(", "*", "[z-a]", "nothing", "sha1"] {
        let machine = four();
        for words in [vec!["--filter", bad], vec!["--list", "--filter", bad, "hash"]] {
            let outcome = bench_slope(&machine, &words);
            assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{words:?}");
            assert!(outcome.err.contains("--filter"), "{words:?}: {}", outcome.err);
        }
        assert_eq!(machine.clock.monotonic_ns(), 0, "time passed");
    }
    // Because it is slow.
    let outcome = bench_slope(&four(), &["--filter", "sha1"]);
    assert!(outcome.err.contains("--include-slow"), "{}", outcome.err);
    assert_eq!(bench_slope(&four(), &["--list", "--filter", "sha1", "--include-slow"]).code, 0);
}

#[test]
fn a_mode_that_is_not_there_is_told_the_modes() {
    let outcome = bench_slope(&four(), &["cipher", "aes/zzz", "aes-gmc"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert_eq!(
        outcome.err,
        "\
error: no cipher is called 'aes/zzz'; AES has ecb, gcm
error: no cipher is called 'aes-gmc'; AES has ecb, gcm
"
    );
}

#[test]
fn versions_are_told_on_request() {
    let plain = bench_slope(&four(), &["--version"]);
    assert_eq!(plain.out.lines().count(), 1);
    for words in [["--version", "--verbose"], ["--verbose", "--version"]] {
        let outcome = bench_slope(&four(), &words);
        assert_eq!(outcome.code, 0);
        assert!(outcome.out.starts_with(&plain.out), "{}", outcome.out);
        for part in ["\ntarget: ", "\nprofile: ", "\nprocessor features: ", "\ncrate sha2: 0."] {
            assert!(outcome.out.contains(part), "{part}: {}", outcome.out);
        }
    }
}
