//! The catalogue: entries in printing order, look-up by name, and known-answer checks.

use std::fmt;

use crate::answers::Answers;
use crate::entry::{Case, Entry, Section};
use crate::rustcrypto;
use crate::vectors::{self, Vector, VectorError};

/// Entries and the known answers that belong to them.
#[derive(Clone, Debug)]
pub struct Catalogue {
    entries: Vec<Entry>,
    answers: Answers,
}

/// A name that no entry has, with the nearest ones that exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// Where it was looked for.
    pub section: Section,
    /// The word as it was given.
    pub word: String,
    /// Names that exist, nearest first.
    pub nearest: Vec<&'static str>,
    /// The algorithm that the word begins with and its modes, when only the mode is wrong.
    pub modes: Option<(&'static str, Vec<&'static str>)>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} is called '{}'", self.section, self.word)?;
        if let Some((algorithm, modes)) = &self.modes {
            return write!(f, "; {algorithm} has {}", modes.join(", ").to_lowercase());
        }
        for (i, name) in self.nearest.iter().enumerate() {
            let name = name.to_lowercase();
            match i {
                0 => write!(f, "; did you mean '{name}'")?,
                _ => write!(f, " or '{name}'")?,
            }
        }
        if !self.nearest.is_empty() {
            f.write_str("?")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownName {}

/// Why a case may not be timed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unverified {
    /// No known answer is on file.
    NoVector {
        /// The case's identifier.
        case: String,
    },
    /// It could not be opened or prepared for a known answer.
    Refused {
        /// The case's identifier.
        case: String,
        /// The known answer's source.
        source: String,
        /// What it said.
        reason: String,
    },
    /// It computed something else.
    WrongAnswer {
        /// The case's identifier.
        case: String,
        /// The known answer's source.
        source: String,
        /// The right answer in hex.
        expected: String,
        /// What came out, in hex, or that nothing did.
        got: String,
    },
}

impl fmt::Display for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unverified::NoVector { case } => write!(f, "{case}: no known answer is on file"),
            Unverified::Refused { case, source, reason } => {
                write!(f, "{case}: refused the known answer of {source}: {reason}")
            }
            Unverified::WrongAnswer { case, source, expected, got } => {
                write!(f, "{case}: wrong answer: {source} gives {expected}, computed {got}")
            }
        }
    }
}

impl std::error::Error for Unverified {}

impl Catalogue {
    /// Everything this build can time.
    ///
    /// Their known answers are read when they are first asked for.
    #[must_use]
    pub fn standard() -> Self {
        Catalogue { entries: rustcrypto::entries(), answers: Answers::later(vectors::FILES) }
    }

    /// A catalogue of one's own; `vectors` are pairs of a section's word and known answers in the
    /// format of `vectors/README.md`.
    ///
    /// # Errors
    /// When the known answers do not parse.
    pub fn new(entries: Vec<Entry>, vectors: &[(&str, &str)]) -> Result<Self, VectorError> {
        Ok(Catalogue { entries, answers: Answers::now(vectors)? })
    }

    /// All entries, in printing order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// All known answers.
    #[must_use]
    pub fn vectors(&self) -> Vec<&Vector> {
        self.answers.all().collect()
    }

    /// Every case of a section, in printing order.
    pub fn cases(&self, section: Section) -> impl Iterator<Item = Case> {
        self.entries
            .iter()
            .filter(move |entry| entry.section == section)
            .flat_map(|entry| entry.operations.iter().map(|&operation| entry.case(operation)))
    }

    /// The case with this identifier.
    #[must_use]
    pub fn case(&self, id: &str) -> Option<Case> {
        self.entries
            .iter()
            .flat_map(|entry| entry.operations.iter().map(|&operation| entry.case(operation)))
            .find(|case| case.id() == id)
    }

    /// The first entry of an algorithm; see [`Catalogue::find_all`].
    ///
    /// # Errors
    /// [`UnknownName`] with the nearest names that exist.
    pub fn find(&self, section: Section, word: &str) -> Result<&Entry, UnknownName> {
        self.find_all(section, word).map(|entries| entries[0])
    }

    /// Looks an algorithm up by any spelling of its name: case, hyphens, underscores, dots,
    /// slashes and spaces do not count. Gives all its modes, at least one entry; a name with a
    /// mode behind it, such as `aes/cbc`, gives that one.
    ///
    /// # Errors
    /// [`UnknownName`] with the nearest names that exist.
    pub fn find_all(&self, section: Section, word: &str) -> Result<Vec<&Entry>, UnknownName> {
        let wanted = fold(word);
        let matching = |matches: fn(&Entry, &str, &str) -> bool| {
            let in_section = self.entries.iter().filter(|entry| entry.section == section);
            let found = in_section
                .filter(|entry| names(entry).any(|name| matches(entry, &fold(name), &wanted)));
            Some(found.collect::<Vec<_>>()).filter(|found| !found.is_empty())
        };
        matching(|_, name, wanted| name == wanted)
            .or_else(|| {
                matching(|entry, name, wanted| {
                    !entry.mode.is_empty()
                        && wanted.strip_prefix(name) == Some(fold(entry.mode).as_str())
                })
            })
            .ok_or_else(|| self.unknown(section, word))
    }

    /// The nearest names to one that does not exist.
    fn unknown(&self, section: Section, word: &str) -> UnknownName {
        let wanted = fold(word);
        let mut ranked: Vec<(usize, &'static str)> = self
            .entries
            .iter()
            .filter(|entry| entry.section == section)
            .filter_map(|entry| {
                names(entry)
                    .map(|name| strsim::damerau_levenshtein(&fold(name), &wanted))
                    .min()
                    .map(|distance| (distance, entry.algorithm))
            })
            .collect();
        ranked.sort_by_key(|&(distance, _)| distance);
        // One name of an algorithm is enough, however many modes it has.
        ranked.dedup_by_key(|&mut (_, algorithm)| algorithm);
        let best = ranked.first().map_or(0, |&(distance, _)| distance);
        // Further off than half the word is no likeness any more.
        let nearest = ranked
            .into_iter()
            .filter(|&(distance, _)| {
                distance == best && distance <= wanted.chars().count().max(2) / 2
            })
            .map(|(_, name)| name)
            .take(3)
            .collect();
        UnknownName { section, word: word.to_owned(), nearest, modes: self.modes(section, word) }
    }

    /// The modes of the algorithm that stands before the last slash, or before the last hyphen where
    /// there is no slash.
    fn modes(&self, section: Section, word: &str) -> Option<(&'static str, Vec<&'static str>)> {
        let (before, _) = word.rsplit_once('/').or_else(|| word.rsplit_once('-'))?;
        let wanted = fold(before);
        let is_meant = |entry: &&Entry| {
            entry.section == section
                && !entry.mode.is_empty()
                && names(entry).any(|name| fold(name) == wanted)
        };
        let found: Vec<&Entry> = self.entries.iter().filter(is_meant).collect();
        let modes = found.iter().map(|entry| entry.mode).collect();
        Some((found.first()?.algorithm, modes))
    }

    /// The known answers of an entry.
    pub fn answers<'a>(&'a self, entry: &Entry) -> impl Iterator<Item = &'a Vector> + use<'a> {
        self.answers.of(entry)
    }

    /// Lets a case compute one known answer.
    ///
    /// # Errors
    /// When the answer is wrong, or the case could not be opened or prepared for it.
    pub fn check(&self, case: &Case, vector: &Vector) -> Result<(), Unverified> {
        vectors::check(case, vector)
    }

    /// Lets a case compute its known answers whose message has at most `longest` bytes, or whose
    /// count (iterations of a KDF) is at most that; returns how many it got right.
    ///
    /// # Errors
    /// The first answer that is wrong, or that there is none.
    pub fn verify(&self, case: &Case, longest: usize) -> Result<usize, Unverified> {
        let mut right = 0;
        let short = |vector: &&Vector| {
            vector.input.len() <= longest && vector.count.is_none_or(|count| count <= longest)
        };
        for vector in self.answers(&case.entry).filter(short) {
            vectors::check(case, vector)?;
            right += 1;
        }
        if right == 0 {
            return Err(Unverified::NoVector { case: case.id() });
        }
        Ok(right)
    }
}

fn names(entry: &Entry) -> impl Iterator<Item = &'static str> {
    std::iter::once(entry.algorithm).chain(entry.aliases.iter().copied())
}

/// A name without what does not count in it.
fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_' | '/' | '.' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn no_name_stands_for_two_algorithms() {
        let catalogue = Catalogue::standard();
        let mut seen: HashMap<(Section, String), &str> = HashMap::new();
        for entry in catalogue.entries() {
            for name in names(entry) {
                let earlier = seen.insert((entry.section, fold(name)), entry.algorithm);
                assert!(
                    earlier.is_none_or(|other| other == entry.algorithm),
                    "{name} means {earlier:?} and {}",
                    entry.algorithm
                );
            }
        }
    }

    #[test]
    fn any_spelling_finds_it() {
        let catalogue = Catalogue::standard();
        for word in ["SHA256", "sha-256", "Sha_256", "sha2-256"] {
            assert_eq!(catalogue.find(Section::Hash, word).map(|e| e.algorithm), Ok("SHA256"));
        }
        for word in ["sha512/256", "SHA-512_256"] {
            assert_eq!(catalogue.find(Section::Hash, word).map(|e| e.algorithm), Ok("SHA512_256"));
        }
    }

    #[test]
    fn a_cipher_is_found_in_all_its_modes_or_in_one() {
        let catalogue = Catalogue::standard();
        let found = |word| -> Vec<(&str, &str)> {
            let entries = catalogue.find_all(Section::Cipher, word).expect(word);
            entries.into_iter().map(|entry| (entry.algorithm, entry.mode)).collect()
        };
        assert_eq!(found("aes-128").len(), 12);
        assert_eq!(found("AES192").len(), 11);
        assert_eq!(found("AES/CBC"), [("AES", "CBC")]);
        assert_eq!(found("aes128-gcm"), [("AES", "GCM")]);
        assert_eq!(found("aes256-gcm-siv"), [("AES256", "GCM-SIV")]);
        assert_eq!(found("rc4"), [("ARCFOUR", "STREAM")]);
        assert_eq!(found("chacha20-poly1305"), [("CHACHA20", "POLY1305")]);
        for alias in ["3des", "des3", "tdes"] {
            assert_eq!(found(alias)[0], ("3DES", "ECB"));
        }
        let error = catalogue.find_all(Section::Cipher, "blowfihs").expect_err("misspelt");
        assert_eq!(error.nearest, ["BLOWFISH"]);
    }

    #[test]
    fn a_misspelt_name_is_told_the_nearest() {
        let catalogue = Catalogue::standard();
        let error = catalogue.find(Section::Hash, "sha265").expect_err("there is no sha265");
        assert!(error.nearest.contains(&"SHA256"), "{error}");
        assert!(error.to_string().contains("'sha265'"), "{error}");
        let error = catalogue.find(Section::Hash, "zzzzzzzzzzzz").expect_err("nor that");
        assert!(error.nearest.is_empty(), "{error}");
        assert!(catalogue.find(Section::Hash, "").is_err());
    }

    #[test]
    fn identifiers_are_unique_and_lead_back() {
        let catalogue = Catalogue::standard();
        for &section in Section::ALL {
            for case in catalogue.cases(section) {
                let found = catalogue.case(&case.id()).expect("the identifier leads back");
                assert_eq!(found.entry.algorithm, case.entry.algorithm);
                assert_eq!(found.entry.mode, case.entry.mode);
                assert_eq!(found.operation, case.operation);
            }
        }
    }
}
