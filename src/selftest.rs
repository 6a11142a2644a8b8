//! The self-test: every case computes all its known answers; nothing is timed.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};

use bench_slope_algorithms::{Bytes, Case, Catalogue, Section, Unverified, Vector, hex};
use serde::Serialize;

/// How much came out right and wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cases, that is algorithms with a mode and an operation.
    pub cases: usize,
    /// Known answers that came out.
    pub right: usize,
    /// Known answers that did not, and cases without any.
    pub wrong: usize,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { cases, right, wrong } = self;
        write!(f, "{cases} cases, {right} known answers right, {wrong} wrong")
    }
}

/// Is shown a case, one of its known answers (none when it has none), and what became of it.
pub type See<'a> =
    dyn FnMut(&Case, Option<&Vector>, &Result<(), Unverified>) -> io::Result<()> + 'a;

/// Checks everything; `see` is shown each known answer and what became of it.
///
/// # Errors
/// Whatever `see` returns.
pub fn check_all(catalogue: &Catalogue, see: &mut See) -> io::Result<Tally> {
    let mut tally = Tally::default();
    for case in Section::ALL.iter().flat_map(|&section| catalogue.cases(section)) {
        tally.cases += 1;
        let mut answers = 0;
        for vector in catalogue.answers(&case.entry) {
            answers += 1;
            let result = catalogue.check(&case, vector);
            if result.is_ok() {
                tally.right += 1;
            } else {
                tally.wrong += 1;
            }
            see(&case, Some(vector), &result)?;
        }
        if answers == 0 {
            tally.wrong += 1;
            see(&case, None, &Err(Unverified::NoVector { case: case.id() }))?;
        }
    }
    Ok(tally)
}

/// Checks everything, a line on `err` for each failure and one on `out` at the end.
///
/// # Errors
/// When one of them cannot be written.
fn as_text(catalogue: &Catalogue, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Tally> {
    let tally = check_all(catalogue, &mut |_, _, result| match result {
        Ok(()) => Ok(()),
        Err(unverified) => writeln!(err, "error: {unverified}"),
    })?;
    writeln!(out, "self-test: {tally}")?;
    Ok(tally)
}

/// All known answers, the long ones too that are not checked before timing: the cases that give a
/// wrong one, with the sentence about it.
///
/// # Errors
/// When standard error cannot be written.
pub fn wrong_answers(
    catalogue: &Catalogue,
    quiet: bool,
    err: &mut dyn Write,
) -> io::Result<HashMap<String, String>> {
    let mut wrong = HashMap::new();
    let tally = check_all(catalogue, &mut |case, _, result| {
        if let Err(unverified) = result {
            wrong.entry(case.id()).or_insert_with(|| unverified.to_string());
        }
        Ok(())
    })?;
    if !quiet {
        writeln!(err, "note: {tally}")?;
    }
    Ok(wrong)
}

/// Lets every case compute all its known answers; a line for each that is wrong on `err`, and on `out`
/// a line about all, or as JSON every answer.
///
/// # Errors
/// When one of them cannot be written.
pub fn run(
    catalogue: &Catalogue,
    json: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Tally> {
    if !json {
        return as_text(catalogue, out, err);
    }
    // Thousands of lines in small pieces.
    let mut out = io::BufWriter::new(out);
    let tally = as_json(catalogue, &mut out, err)?;
    out.flush()?;
    Ok(tally)
}

/// A known answer as others can check it. Bytes are hex.
#[derive(Serialize)]
struct Listed<'a> {
    case: String,
    section: &'static str,
    algorithm: &'static str,
    mode: &'static str,
    operation: &'static str,
    key: Option<String>,
    nonce: Option<String>,
    aad: Option<String>,
    input: Option<String>,
    /// For a message too long to write out: what it is the repetition of.
    input_terms: Option<Vec<(String, usize)>>,
    count: Option<usize>,
    output: Option<String>,
    tag: Option<String>,
    source: Option<&'a str>,
    right: bool,
    error: Option<String>,
}

/// Messages above this are listed as terms.
const LONGEST_WRITTEN_OUT: usize = 65_536;

/// Checks everything and lists it as one JSON array, a known answer a line; failures on `err` too.
///
/// # Errors
/// When one of them cannot be written.
fn as_json(catalogue: &Catalogue, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Tally> {
    let mut separator = "[\n";
    let tally = check_all(catalogue, &mut |case, vector, result| {
        if let Err(unverified) = result {
            writeln!(err, "error: {unverified}")?;
        }
        let listed = listed(case, vector, result);
        out.write_all(separator.as_bytes())?;
        separator = ",\n";
        serde_json::to_writer(&mut *out, &listed).map_err(io::Error::from)
    })?;
    let end = if tally.cases == 0 { "[]\n" } else { "\n]\n" };
    out.write_all(end.as_bytes())?;
    Ok(tally)
}

fn listed<'a>(
    case: &Case,
    vector: Option<&'a Vector>,
    result: &Result<(), Unverified>,
) -> Listed<'a> {
    let written =
        |bytes: &Bytes| (bytes.len() <= LONGEST_WRITTEN_OUT).then(|| hex(&bytes.to_vec()));
    let terms = |bytes: &Bytes| -> Option<Vec<(String, usize)>> {
        let terms = || bytes.terms().iter().map(|(term, count)| (hex(term), *count)).collect();
        (bytes.len() > LONGEST_WRITTEN_OUT).then(terms)
    };
    Listed {
        case: case.id(),
        section: case.entry.section.word(),
        algorithm: case.entry.algorithm,
        mode: case.entry.mode,
        operation: case.operation.word(),
        key: vector.and_then(|v| written(&v.key)),
        nonce: vector.and_then(|v| written(&v.nonce)),
        aad: vector.and_then(|v| written(&v.aad)),
        input: vector.and_then(|v| written(&v.input)),
        input_terms: vector.and_then(|v| terms(&v.input)),
        count: vector.and_then(|v| v.count),
        output: vector.and_then(|v| written(&v.output)),
        tag: vector.and_then(|v| written(&v.tag)),
        source: vector.map(|v| v.source.as_str()),
        right: result.is_ok(),
        error: result.as_ref().err().map(ToString::to_string),
    }
}
