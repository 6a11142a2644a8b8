//! The known answers of a catalogue, by section and entry; read when they are first asked for.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::entry::Entry;
use crate::vectors::{Vector, VectorError, parse};

/// The texts of a catalogue's known answers and what was read of them.
#[derive(Clone, Debug)]
pub struct Answers(Vec<File>);

#[derive(Clone, Debug)]
struct File {
    section: String,
    text: String,
    parsed: OnceLock<Parsed>,
}

#[derive(Clone, Debug)]
struct Parsed {
    vectors: Vec<Vector>,
    /// Places in `vectors` by algorithm and mode.
    of_entry: HashMap<(String, String), Vec<usize>>,
}

impl Parsed {
    fn read(section: &str, text: &str) -> Result<Self, VectorError> {
        let vectors = parse(section, text)?;
        let mut of_entry: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, vector) in vectors.iter().enumerate() {
            let entry = (vector.algorithm.clone(), vector.mode.clone());
            of_entry.entry(entry).or_default().push(at);
        }
        Ok(Parsed { vectors, of_entry })
    }
}

impl Answers {
    /// Known answers that are read later: texts that a test has read before.
    pub fn later(files: &[(&str, &str)]) -> Self {
        let file = |&(section, text): &(&str, &str)| File {
            section: section.to_owned(),
            text: text.to_owned(),
            parsed: OnceLock::new(),
        };
        Answers(files.iter().map(file).collect())
    }

    /// Known answers that are read now.
    pub fn now(files: &[(&str, &str)]) -> Result<Self, VectorError> {
        let answers = Self::later(files);
        for file in &answers.0 {
            let parsed = Parsed::read(&file.section, &file.text)?;
            file.parsed.get_or_init(|| parsed);
        }
        Ok(answers)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Vector> {
        self.0.iter().flat_map(|file| &file.parsed().vectors)
    }

    /// Those of an entry.
    pub fn of<'a>(&'a self, entry: &Entry) -> impl Iterator<Item = &'a Vector> + use<'a> {
        let own = (entry.section, entry.algorithm, entry.mode);
        let (section, algorithm, mode) = entry.known_as.unwrap_or(own);
        let section = section.word();
        let key = (algorithm.to_owned(), mode.to_owned());
        self.0.iter().filter(move |file| file.section == section).flat_map(move |file| {
            let parsed = file.parsed();
            let places = parsed.of_entry.get(&key).map_or(&[][..], Vec::as_slice);
            places.iter().map(|&at| &parsed.vectors[at])
        })
    }
}

impl File {
    fn parsed(&self) -> &Parsed {
        self.parsed.get_or_init(|| match Parsed::read(&self.section, &self.text) {
            Ok(parsed) => parsed,
            Err(error) => panic!("{error}"),
        })
    }
}
