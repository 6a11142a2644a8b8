//! What the scripts draw from.

use serde::Serialize;

use crate::record::Run;

/// Lists of sizes are alike in most rows, so that each is written once.
#[derive(Serialize)]
struct Data<'a> {
    sizes: Vec<Vec<usize>>,
    rows: Vec<Row<'a>>,
}

/// A measured row; short names, for there are hundreds.
#[derive(Serialize)]
struct Row<'a> {
    /// Its place in the run.
    row: usize,
    name: String,
    unit: &'a str,
    slope: f64,
    intercept: f64,
    error: Option<f64>,
    /// Which list of sizes.
    sizes: usize,
    ns: Vec<f64>,
}

/// The points and lines of all measured rows, as JSON that may stand in a script element.
pub fn json(run: &Run) -> String {
    let mut data = Data { sizes: Vec::new(), rows: Vec::new() };
    for (row, record) in run.records.iter().enumerate() {
        let Ok(measured) = &record.result else { continue };
        if record.size.is_some() {
            // One point makes no line.
            continue;
        }
        let sizes: Vec<usize> = measured.points.iter().map(|point| point.size).collect();
        let at = data.sizes.iter().position(|other| *other == sizes).unwrap_or_else(|| {
            data.sizes.push(sizes);
            data.sizes.len() - 1
        });
        data.rows.push(Row {
            row,
            name: record.name(),
            unit: &record.unit,
            slope: measured.ns_per_unit,
            intercept: measured.ns_per_call,
            error: measured.relative_error,
            sizes: at,
            ns: measured.points.iter().map(|point| seven_digits(point.ns)).collect(),
        });
    }
    // Numbers and strings are all there is, which cannot fail. Without a "<" nothing in it ends the
    // script or begins a comment.
    serde_json::to_string(&data).unwrap_or_default().replace('<', "\\u003c")
}

/// A picture shows no more, and the file is half as large.
fn seven_digits(ns: f64) -> f64 {
    format!("{ns:.6e}").parse().unwrap_or(ns)
}
