//! Known answers: plain text, one a line, with the standard they come from.
//!
//! The format is described in `vectors/README.md`.

use std::fmt;

use crate::catalogue::Unverified;
use crate::entry::{Case, Operation, Section};
use crate::routine::{OpenError, Placement, Setup};

/// The vector files compiled in: section word and text.
pub const FILES: &[(&str, &str)] = &[
    ("hash", include_str!("../vectors/hash.txt")),
    ("mac", include_str!("../vectors/mac.txt")),
    ("cipher", include_str!("../vectors/cipher.txt")),
    ("kdf", include_str!("../vectors/kdf.txt")),
    ("points", include_str!("../vectors/points.txt")),
];

/// A byte string written as a sum of terms; kept unexpanded, since some are a million bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(Vec<(Vec<u8>, usize)>);

impl Bytes {
    /// Its length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|(term, count)| term.len() * count).sum()
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The terms of the sum: bytes, and how often they are repeated.
    #[must_use]
    pub fn terms(&self) -> &[(Vec<u8>, usize)] {
        &self.0
    }

    /// The bytes themselves.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        self.0.iter().flat_map(|(term, count)| term.repeat(*count)).collect()
    }
}

/// One known answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vector {
    /// The section's word.
    pub section: String,
    /// The algorithm's name as the catalogue has it.
    pub algorithm: String,
    /// The mode, empty where there is none.
    pub mode: String,
    /// The key, or a KDF's password.
    pub key: Bytes,
    /// The nonce or initialisation vector, or a KDF's salt.
    pub nonce: Bytes,
    /// Authenticated data.
    pub aad: Bytes,
    /// The message; for ciphers the plaintext.
    pub input: Bytes,
    /// A KDF's iterations, or what else its axis counts.
    pub count: Option<usize>,
    /// The right answer; for ciphers the ciphertext without its tag.
    pub output: Bytes,
    /// The right tag, where there is one apart from the output.
    pub tag: Bytes,
    /// The standard or paper, with the place in it.
    pub source: String,
}

/// A line of a vector file that does not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for VectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}: {}", self.file, self.line, self.reason)
    }
}

impl std::error::Error for VectorError {}

/// Reads the known answers of one section.
///
/// # Errors
/// The first line that is not of the format.
pub fn parse(section: &str, text: &str) -> Result<Vec<Vector>, VectorError> {
    let mut vectors = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let vector = parse_line(section, line).map_err(|reason| VectorError {
            file: section.to_owned(),
            line: index + 1,
            reason,
        })?;
        vectors.push(vector);
    }
    Ok(vectors)
}

fn parse_line(section: &str, line: &str) -> Result<Vector, String> {
    let (fields, source) =
        line.split_once(" ; ").ok_or("no source: end the line with ' ; SOURCE'")?;
    let mut words = split_words(fields)?.into_iter();
    let name = words.next().ok_or("no algorithm")?;
    let (algorithm, mode) = name.split_once('/').unwrap_or((&name, ""));
    let mut vector = Vector {
        section: section.to_owned(),
        algorithm: algorithm.to_owned(),
        mode: mode.to_owned(),
        source: source.trim().to_owned(),
        ..Vector::default()
    };
    let mut seen: Vec<String> = Vec::new();
    for word in words {
        let (field, value) =
            word.split_once('=').ok_or_else(|| format!("'{word}' is no FIELD=BYTES"))?;
        if seen.iter().any(|earlier| earlier == field) {
            return Err(format!("'{field}' is given twice"));
        }
        seen.push(field.to_owned());
        if field == "count" {
            let count = value.parse().map_err(|_| format!("'{value}' is no count"))?;
            vector.count = Some(count);
            continue;
        }
        let bytes = parse_bytes(value)?;
        match field {
            "key" | "password" => vector.key = bytes,
            "nonce" | "salt" => vector.nonce = bytes,
            "aad" => vector.aad = bytes,
            "input" => vector.input = bytes,
            "output" => vector.output = bytes,
            "tag" => vector.tag = bytes,
            _ => return Err(format!("unknown field '{field}'")),
        }
    }
    if vector.source.is_empty() {
        return Err("the source is empty".to_owned());
    }
    if vector.output.is_empty() && vector.tag.is_empty() {
        return Err("there is no output to compare with".to_owned());
    }
    Ok(vector)
}

/// Splits at blanks that are not inside double quotes.
fn split_words(text: &str) -> Result<Vec<String>, String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        quoted ^= c == '"';
        match words.last_mut() {
            Some(word) if quoted || !c.is_whitespace() => word.push(c),
            _ => words.push(String::new()),
        }
    }
    if quoted {
        return Err("a quotation mark is not closed".to_owned());
    }
    words.retain(|word| !word.is_empty());
    Ok(words)
}

fn parse_bytes(value: &str) -> Result<Bytes, String> {
    let mut terms = Vec::new();
    let mut rest = value;
    while !rest.is_empty() {
        let end = match rest.strip_prefix('"') {
            Some(quoted) => quoted.find('"').ok_or("a quotation mark is not closed")? + 2,
            None => rest.find(['*', '+']).unwrap_or(rest.len()),
        };
        let (term, tail) = rest.split_at(end);
        let (count, tail) = match tail.strip_prefix('*') {
            Some(tail) => {
                let end = tail.find('+').unwrap_or(tail.len());
                let count =
                    tail[..end].parse().map_err(|_| format!("'{}' is no count", &tail[..end]))?;
                (count, &tail[end..])
            }
            None => (1, tail),
        };
        terms.push((parse_term(term)?, count));
        rest = match tail.strip_prefix('+') {
            Some("") => return Err("nothing follows the last '+'".to_owned()),
            Some(tail) => tail,
            None if tail.is_empty() => tail,
            None => return Err(format!("'{tail}' follows a term without '+'")),
        };
    }
    Ok(Bytes(terms))
}

fn parse_term(term: &str) -> Result<Vec<u8>, String> {
    if let Some(text) = term.strip_prefix('"') {
        return Ok(text.trim_end_matches('"').as_bytes().to_vec());
    }
    if let Some(count) = term.strip_prefix("seq(").and_then(|t| t.strip_suffix(')')) {
        let count: usize = count.parse().map_err(|_| format!("'{count}' is no length"))?;
        // Bytes 0, 1, ... 250, 0, 1, ...: the pattern of the BLAKE3 and KangarooTwelve vectors.
        return Ok((0..count).map(|i| (i % 251) as u8).collect());
    }
    if !term.is_ascii() || term.len() % 2 == 1 {
        return Err(format!("'{term}' is not a whole number of hex bytes"));
    }
    (0..term.len() / 2)
        .map(|i| u8::from_str_radix(&term[2 * i..2 * i + 2], 16))
        .collect::<Result<_, _>>()
        .map_err(|_| format!("'{term}' is not hex"))
}

impl Vector {
    /// What an operation must give back.
    #[must_use]
    pub fn expected(&self, operation: Operation) -> Vec<u8> {
        match operation {
            Operation::Encrypt | Operation::RoundTrip => {
                [self.output.to_vec(), self.tag.to_vec()].concat()
            }
            Operation::Decrypt => self.input.to_vec(),
            // A MAC's answer is its output; a cipher mode's tag stands beside the ciphertext.
            Operation::Authenticate if !self.tag.is_empty() => self.tag.to_vec(),
            Operation::Authenticate | Operation::Digest | Operation::Derive => self.output.to_vec(),
        }
    }

    /// What a routine is opened with to compute it.
    #[must_use]
    pub fn setup(&self, placement: Placement) -> Setup {
        Setup {
            key: self.key.to_vec(),
            nonce: self.nonce.to_vec(),
            aad: self.aad.to_vec(),
            input: self.input.to_vec(),
            output_bytes: self.output.len(),
            placement,
        }
    }

    /// What [`Routine::prepare`](crate::Routine::prepare) is told for an operation of a section.
    #[must_use]
    pub fn size(&self, section: Section, operation: Operation) -> usize {
        match (self.count, section, operation) {
            (Some(count), ..) => count,
            (None, Section::Cipher, Operation::Authenticate) => self.aad.len(),
            _ => self.input.len(),
        }
    }
}

/// Lets a case compute one known answer.
pub(crate) fn check(case: &Case, vector: &Vector) -> Result<(), Unverified> {
    let expected = vector.expected(case.operation);
    let refused = |error: OpenError| Unverified::Refused {
        case: case.id(),
        source: vector.source.clone(),
        reason: error.to_string(),
    };
    let mut routine = case.open(&vector.setup(Placement::default())).map_err(refused)?;
    routine.prepare(vector.size(case.entry.section, case.operation)).map_err(refused)?;
    routine.run();
    if routine.accepted() && routine.output() == expected {
        return Ok(());
    }
    let got = match routine.accepted() {
        true => hex(routine.output()),
        false => "nothing, for the message was rejected".to_owned(),
    };
    Err(Unverified::WrongAnswer {
        case: case.id(),
        source: vector.source.clone(),
        expected: hex(&expected),
        got,
    })
}

/// Two hex digits a byte.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(value: &str) -> Vec<u8> {
        parse_bytes(value).expect("parses").to_vec()
    }

    #[test]
    fn byte_strings_are_sums_of_terms() {
        assert_eq!(bytes(""), b"");
        assert_eq!(bytes("00ff"), [0, 255]);
        assert_eq!(bytes("\"a b\""), b"a b");
        assert_eq!(bytes("\"a\"*3+0102*2"), b"aaa\x01\x02\x01\x02");
        assert_eq!(bytes("seq(3)*2"), [0, 1, 2, 0, 1, 2]);
        assert_eq!(bytes("seq(252)")[249..], [249, 250, 0]);
        assert_eq!(bytes("\"a+b*2\""), b"a+b*2");
        for bad in ["0", "0g", "00+", "00*x", "seq(x)", "\"a\"b", "+1"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_line_is_read_whole_or_refused_with_its_number() {
        let good = "# comment\n\nX input=\"a b\" output=01 ; A standard, p. 1\n";
        let vectors = parse("hash", good).expect("parses");
        assert_eq!(vectors.len(), 1);
        assert_eq!(vectors[0].source, "A standard, p. 1");
        assert_eq!(vectors[0].input.to_vec(), b"a b");
        for bad in [
            "X input=00 output=00",
            "X input=00 ; s",
            "X inptu=00 output=00 ; s",
            "X input=00 input=00 output=00 ; s",
            "X input=\"a output=00 ; s",
            "X 00 output=00 ; s",
        ] {
            let error = parse("hash", &format!("#\n{bad}")).expect_err(bad);
            assert_eq!(error.line, 2, "{bad}");
        }
    }
}
