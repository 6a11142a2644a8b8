//! A run as JSON at full precision, a record a line; `docs/bench-slope.schema.json` describes it.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use crate::record::Run;

/// A run as one JSON object.
#[must_use]
pub fn render(run: &Run) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Lines::default());
    let written = run.serialize(&mut serializer);
    written.expect("all keys are text, and memory takes every byte");
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("JSON is text")
}

/// A line for each member of the outermost object and for each element of its lists; what is deeper
/// stays on one line, so that `grep` finds rows and `diff` tells them apart.
#[derive(Default)]
struct Lines {
    depth: usize,
}

impl Lines {
    const DEEPEST: usize = 2;

    fn begin(&mut self, bracket: &[u8], out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        self.depth += 1;
        out.write_all(bracket)
    }

    fn item(&self, first: bool, lines: bool, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        match (first, lines) {
            (true, true) => out.write_all(b"\n"),
            (true, false) => Ok(()),
            (false, true) => out.write_all(b",\n"),
            (false, false) => out.write_all(b","),
        }
    }

    fn end(
        &mut self,
        bracket: &[u8],
        lines: bool,
        out: &mut (impl Write + ?Sized),
    ) -> io::Result<()> {
        self.depth -= 1;
        if lines {
            out.write_all(b"\n")?;
        }
        out.write_all(bracket)
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(b"[", out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(first, self.depth <= Self::DEEPEST, out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let lines = self.depth <= Self::DEEPEST;
        self.end(b"]", lines, out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(b"{", out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(first, self.depth == 1, out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let lines = self.depth == 1;
        self.end(b"}", lines, out)
    }
}
