//! Rows that share columns and axes: a section's, by what their cost is counted by.

use bench_slope_algorithms::Section;

use crate::record::{Record, Run};

/// Rows of a section whose cost is counted by the same unit.
pub struct Table<'a> {
    /// The section.
    pub section: Section,
    /// What the cost is counted by.
    pub unit: &'a str,
    /// Whether its section has another.
    pub of_several: bool,
    /// Places in the run, and records.
    pub rows: Vec<(usize, &'a Record)>,
}

/// Sections in printing order, each by its units.
pub fn tables(run: &Run) -> Vec<Table<'_>> {
    let mut tables: Vec<Table<'_>> = Vec::new();
    for &section in Section::ALL {
        let first = tables.len();
        for (row, record) in run.records.iter().enumerate().filter(|(_, r)| r.section == section) {
            match tables[first..].iter_mut().find(|table| table.unit == record.unit) {
                Some(table) => table.rows.push((row, record)),
                None => {
                    let (unit, rows) = (record.unit.as_str(), vec![(row, record)]);
                    tables.push(Table { section, unit, of_several: false, rows });
                }
            }
        }
        let several = tables.len() > first + 1;
        tables[first..].iter_mut().for_each(|table| table.of_several = several);
    }
    tables
}

impl Table<'_> {
    /// The heading.
    pub fn title(&self) -> String {
        let title = match self.section {
            Section::Hash => "Hashes",
            Section::Mac => "MACs",
            Section::Cipher => "Ciphers",
            Section::Kdf => "KDFs",
            Section::Points => "Points",
        };
        if self.of_several && self.is_exact() {
            format!("{title} at exact sizes")
        } else if self.of_several {
            format!("{title} by {}", self.unit)
        } else {
            title.to_owned()
        }
    }

    /// Whether its rows are those of another table at exact sizes.
    pub fn is_exact(&self) -> bool {
        self.section != Section::Points && self.rows.iter().any(|(_, record)| record.size.is_some())
    }

    /// The unit as columns have it: `B` for bytes.
    pub fn short_unit(&self) -> &str {
        if self.unit == "byte" { "B" } else { self.unit }
    }

    /// Whole decades around the costs.
    pub fn decades(&self) -> Decades {
        let measured = self.rows.iter().filter_map(|(_, record)| record.result.as_ref().ok());
        let logs: Vec<f64> =
            measured.map(|m| m.ns_per_unit.log10()).filter(|log| log.is_finite()).collect();
        let lowest = logs.iter().copied().reduce(f64::min).unwrap_or(0.0).floor() as i32;
        let highest = logs.iter().copied().reduce(f64::max).unwrap_or(0.0).ceil() as i32;
        Decades { lowest, highest: highest.max(lowest + 1) }
    }
}

/// A logarithmic axis between two powers of ten.
pub struct Decades {
    /// The lower power.
    pub lowest: i32,
    /// The higher power.
    pub highest: i32,
}

impl Decades {
    /// How many.
    pub fn count(&self) -> i32 {
        self.highest - self.lowest
    }

    /// Where a cost lies, from 0 to 1.
    pub fn share(&self, ns: f64) -> f64 {
        let share = (ns.log10() - f64::from(self.lowest)) / f64::from(self.count());
        share.clamp(0.0, 1.0)
    }

    /// Where a decade begins, and what it is; not more than five.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let step = (self.count() + 3) / 4;
        let ticks = (self.lowest..=self.highest).step_by(step.max(1) as usize);
        ticks.map(|decade| (self.share(10_f64.powi(decade)), power_of_ten(decade))).collect()
    }
}

/// Short words for a power of ten: `0.01`, `1000`, `1e6`.
fn power_of_ten(decade: i32) -> String {
    match decade {
        -3..=-1 => format!("{:.*}", decade.unsigned_abs() as usize, 10_f64.powi(decade)),
        0..=4 => format!("{:.0}", 10_f64.powi(decade)),
        _ => format!("1e{decade}"),
    }
}
