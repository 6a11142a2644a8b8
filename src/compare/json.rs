//! A comparison as JSON at full precision.

use serde::Serialize;

use super::{Comparison, Line, Unlike};

/// The version of what is written. A field more does not change it; anything else does.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Whole<'a> {
    comparison_schema_version: u32,
    runs: &'a [String],
    unlike: &'a [Unlike],
    comparisons: usize,
    faster: usize,
    slower: usize,
    rows: Vec<Line>,
}

pub(super) fn render(comparison: &Comparison) -> String {
    let (faster, slower) = comparison.significant();
    let whole = Whole {
        comparison_schema_version: SCHEMA_VERSION,
        runs: &comparison.names,
        unlike: &comparison.unlike,
        comparisons: comparison.comparisons,
        faster,
        slower,
        rows: comparison.lines(),
    };
    let text = serde_json::to_string_pretty(&whole);
    text.expect("all keys are text, and memory takes every byte") + "\n"
}
