//! One row by its name, for what works on exactly one.

use bench_slope_algorithms::{Case, Catalogue, Operation, Section, UnknownName};

/// Why a name is not one row.
#[derive(Debug)]
pub enum NotOne {
    /// No row has it; what each section says.
    Unknown(Vec<UnknownName>),
    /// Several rows have it: their identifiers.
    Several(Vec<String>),
}

/// The row of this name: an identifier (`rustcrypto/AES/CBC/encrypt`), a row as a table names it
/// (`AES CBC enc`), or a name of an algorithm or mode that has one operation only (`sha256`). A section
/// may stand before it (`mac siphash`).
///
/// # Errors
/// When no row or more than one has it.
pub fn find(catalogue: &Catalogue, name: &str) -> Result<Case, NotOne> {
    let all = || Section::ALL.iter().flat_map(|&section| catalogue.cases(section));
    if let Some(case) = all().find(|case| case.id().eq_ignore_ascii_case(name)) {
        return Ok(case);
    }
    let (sections, name) = sections(name);
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    for section in sections {
        match cases(catalogue, section, name) {
            Ok(cases) => found.extend(cases),
            Err(error) => unknown.push(error),
        }
    }
    // A point is a row of another section at one size: it is meant where nothing else is.
    let is_point = |case: &Case| case.entry.section == Section::Points;
    if !found.iter().all(is_point) {
        found.retain(|case| !is_point(case));
    }
    match found.len() {
        0 => Err(NotOne::Unknown(unknown)),
        1 => Ok(found.remove(0)),
        _ => Err(NotOne::Several(found.iter().map(Case::id).collect())),
    }
}

/// The section that a name begins with, and the rest; all sections when it begins with none.
fn sections(name: &str) -> (Vec<Section>, &str) {
    let named = |section: &&Section| {
        let (word, _) = name.split_once([' ', '/'])?;
        word.eq_ignore_ascii_case(section.word()).then_some(())
    };
    match (
        Section::ALL.iter().find(|section| named(section).is_some()),
        name.split_once([' ', '/']),
    ) {
        (Some(&section), Some((_, rest))) => (vec![section], rest),
        _ => (Section::ALL.to_vec(), name),
    }
}

/// The rows of a section with this name: all operations, or the one that the name ends with.
fn cases(catalogue: &Catalogue, section: Section, name: &str) -> Result<Vec<Case>, UnknownName> {
    let of = |word: &str, wanted: Option<Operation>| {
        let entries = catalogue.find_all(section, word)?;
        let cases = entries.into_iter().flat_map(|entry| {
            entry.operations.iter().map(|&operation| entry.case(operation)).collect::<Vec<_>>()
        });
        Ok(cases.filter(|case| wanted.is_none_or(|wanted| case.operation == wanted)).collect())
    };
    of(name, None).or_else(|unknown| match name.rsplit_once([' ', '/']) {
        Some((rest, last)) if operation(last).is_some() => of(rest, operation(last)),
        _ => Err(unknown),
    })
}

fn operation(word: &str) -> Option<Operation> {
    match word.to_ascii_lowercase().as_str() {
        "enc" | "encrypt" => Some(Operation::Encrypt),
        "dec" | "decrypt" => Some(Operation::Decrypt),
        "auth" | "authenticate" => Some(Operation::Authenticate),
        "digest" => Some(Operation::Digest),
        "derive" => Some(Operation::Derive),
        "encrypt-decrypt" => Some(Operation::RoundTrip),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> Result<String, NotOne> {
        find(&Catalogue::standard(), name).map(|case| case.id())
    }

    #[test]
    fn every_spelling_of_one_row_finds_it() {
        let spellings = [
            "rustcrypto/AES/CBC/encrypt",
            "RUSTCRYPTO/aes/cbc/encrypt",
            "AES CBC enc",
            "aes/cbc/enc",
            "aes/cbc encrypt",
            "cipher aes cbc enc",
        ];
        for name in spellings {
            assert_eq!(id(name).expect(name), "rustcrypto/AES/CBC/encrypt", "{name}");
        }
        assert_eq!(id("sha-256").expect("one"), "rustcrypto/SHA256/digest");
        assert_eq!(id("mac siphash").expect("one"), "rustcrypto/SIPHASH-2-4/authenticate");
        assert_eq!(id("points sha256_32b").expect("one"), id("sha256_32b").expect("one"));
        assert_eq!(id("aes gcm auth").expect("one"), "rustcrypto/AES/GCM/authenticate");
    }

    #[test]
    fn every_identifier_finds_its_row() {
        let catalogue = Catalogue::standard();
        for case in Section::ALL.iter().flat_map(|&section| catalogue.cases(section)) {
            assert_eq!(find(&catalogue, &case.id()).expect("one").id(), case.id());
        }
    }

    #[test]
    fn a_name_of_several_rows_tells_them() {
        for (name, first) in [
            ("aes/cbc", "rustcrypto/AES/CBC/encrypt"),
            ("siphash", "rustcrypto/SIPHASH-2-4/digest"),
            ("aes", "rustcrypto/AES/ECB/encrypt"),
        ] {
            let Err(NotOne::Several(ids)) = id(name) else { panic!("{name}") };
            assert_eq!(ids[0], first, "{name}");
        }
        assert!(matches!(id("md6"), Err(NotOne::Unknown(_))));
        assert!(matches!(id("sha256 enc"), Err(NotOne::Unknown(_)) | Err(NotOne::Several(_))));
    }
}
