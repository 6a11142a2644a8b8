//! One picture of a run, for `--plot`: of a few rows their points and lines, of many their costs.

use std::error::Error;

use plotters::coord::Shift;
use plotters::coord::combinators::BindKeyPoints;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::significant;
use super::tables::{Table, tables};
use crate::record::{Measured, Record, Run};

/// So many rows can be told apart by colour.
const MOST_LINES: usize = 8;
/// Colours that people with any colour vision tell apart, by Okabe and Ito, without the yellow.
const COLOURS: [RGBColor; MOST_LINES] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(120, 94, 50),
];
const GREY: RGBColor = RGBColor(110, 116, 124);
const GRID: RGBColor = RGBColor(222, 226, 230);
const WIDTH: u32 = 860;
const LINES_HEIGHT: u32 = 460;
const ROW_HEIGHT: u32 = 18;
/// Title and axis of a panel of costs.
const MARGINS: u32 = 96;
/// What an unfinished run says of itself.
const PARTIAL_HEIGHT: u32 = 32;
/// Room for names on the left, more where they are longer, and for numbers on the right.
const NAMES: u32 = 230;
const LETTER: u32 = 7;
const VALUES: u32 = 200;
/// Steps from one end of an axis of costs to the other.
const ACROSS: i32 = 100_000;
const FONT: &str = "sans-serif";

type Drawing<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

/// A run as an SVG picture.
#[must_use]
pub fn render(run: &Run) -> String {
    let tables = tables(run);
    // One size makes no line.
    let lines = run.records.len() <= MOST_LINES && run.records.iter().all(|r| r.size.is_none());
    let heights = tables.iter().map(|table| {
        if lines { LINES_HEIGHT } else { MARGINS + ROW_HEIGHT * table.rows.len() as u32 }
    });
    let heights: Vec<u32> = heights.collect();
    let below = if run.partial { PARTIAL_HEIGHT } else { 0 };
    let size = (WIDTH, heights.iter().sum::<u32>() + below.max(1));
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
    match draw(area, run, &tables, &heights, lines) {
        Ok(()) => text,
        // Writing to memory does not fail; if anything else did, the picture says so.
        Err(error) => {
            let error = error.to_string().replace('&', "&amp;").replace('<', "&lt;");
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"40\">\
                 <text x=\"10\" y=\"25\">no picture: {error}</text></svg>\n"
            )
        }
    }
}

fn draw(mut rest: Drawing, run: &Run, tables: &[Table], heights: &[u32], lines: bool) -> Drawn {
    rest.fill(&WHITE)?;
    for (table, height) in tables.iter().zip(heights) {
        let (panel, below) = rest.split_vertically(*height);
        if lines {
            draw_lines(&panel, table)?
        } else {
            draw_costs(&panel, table)?
        }
        rest = below;
    }
    if run.partial {
        rest.draw(&Text::new(super::PARTIAL, (14, 8), (FONT, 14)))?;
    }
    rest.present()?;
    Ok(())
}

/// What a legend says of a row.
fn words(record: &Record, unit: &str) -> String {
    match &record.result {
        Ok(measured) => format!("{}: {}", record.name(), cost(measured, unit)),
        Err(failure) => format!("{}: n/a ({})", record.name(), failure.kind()),
    }
}

fn cost(measured: &Measured, unit: &str) -> String {
    let error = match measured.relative_error {
        Some(error) => format!(" ±{:.2} %", 100.0 * error),
        None => String::new(),
    };
    format!("{} ns/{unit}{error}", significant(measured.ns_per_unit, 4))
}

/// Points and lines, time over size.
fn draw_lines(panel: &Drawing, table: &Table) -> Drawn {
    let measured = || table.rows.iter().filter_map(|(_, record)| record.result.as_ref().ok());
    let all = || measured().flat_map(|m| m.points.iter());
    let largest = all().map(|point| point.size).max().unwrap_or(1).max(1);
    let line = |m: &Measured, size: usize| m.ns_per_call + m.ns_per_unit * size as f64;
    let times = all().map(|point| point.ns).chain(measured().map(|m| line(m, largest)));
    let highest = times.filter(|ns| ns.is_finite()).fold(0.0, f64::max);
    let (time_unit, ns) = match highest {
        1e6.. => ("ms", 1e6),
        1e3.. => ("µs", 1e3),
        _ => ("ns", 1.0),
    };
    // A legend of all rows finds room above the lines.
    let top = (highest / ns).max(f64::MIN_POSITIVE) * (1.15 + 0.05 * table.rows.len() as f64);
    let mut chart = ChartBuilder::on(panel)
        .margin(14)
        .caption(format!("{}: time of a call", table.title()), (FONT, 19))
        .x_label_area_size(48)
        .y_label_area_size(64)
        .build_cartesian_2d(
            (0..largest + largest / 50).with_key_points(sizes(largest, table.unit)),
            0.0..top,
        )?;
    let decimals = if top > 20.0 {
        0
    } else if top > 2.0 {
        1
    } else {
        2
    };
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GREY)
        .y_label_formatter(&|time| format!("{time:.decimals$}"))
        .x_desc(if table.unit == "byte" {
            "message size, bytes".to_owned()
        } else {
            format!("count, {}", table.unit)
        })
        .y_desc(format!("time of a call, {time_unit}"))
        .label_style((FONT, 13))
        .axis_desc_style((FONT, 14))
        .draw()?;
    for ((_, record), colour) in table.rows.iter().zip(COLOURS) {
        let label = words(record, table.short_unit());
        let Ok(m) = &record.result else {
            chart.draw_series(std::iter::empty::<Circle<(usize, f64), i32>>())?.label(label);
            continue;
        };
        let ends = [0, largest].map(|size| (size, line(m, size) / ns));
        chart.draw_series(LineSeries::new(ends, colour.stroke_width(1)))?.label(label).legend(
            move |(x, y)| {
                EmptyElement::at((x, y))
                    + PathElement::new([(0, 0), (20, 0)], colour.stroke_width(1))
                    + Circle::new((10, 0), 3, colour.filled())
            },
        );
        let points = m.points.iter().filter(|point| point.ns.is_finite());
        chart.draw_series(points.map(|p| Circle::new((p.size, p.ns / ns), 2, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(GRID)
        .label_font((FONT, 13))
        .margin(10)
        .draw()?;
    Ok(())
}

/// Round sizes up to the largest: powers of two apart where bytes are counted.
fn sizes(largest: usize, unit: &str) -> Vec<usize> {
    let rough = largest as f64 / 8.0;
    let step = if unit == "byte" {
        rough.log2().ceil().exp2()
    } else {
        let power = 10_f64.powf(rough.log10().floor());
        let round = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= rough);
        round.unwrap_or(10.0) * power
    };
    // Sizes are whole, and so are steps.
    (0..=8).map(|at| at * (step as usize).max(1)).filter(|size| *size <= largest).collect()
}

/// A row a line: a mark at its cost on a logarithmic axis, and the cost in words.
fn draw_costs(panel: &Drawing, table: &Table) -> Drawn {
    let (rows, decades) = (table.rows.len() as f64, table.decades());
    let ticks = decades.ticks();
    let place = |share: f64| (share * f64::from(ACROSS)).round() as i32;
    let key_points: Vec<i32> = ticks.iter().map(|(share, _)| place(*share)).collect();
    let word = |at: &i32| {
        let tick = ticks.iter().find(|(share, _)| place(*share) == *at);
        tick.map_or_else(String::new, |(_, text)| text.clone())
    };
    let unit = table.short_unit();
    let letters = table.rows.iter().map(|(_, record)| record.name().len() as u32);
    let names = (LETTER * letters.max().unwrap_or(0)).max(NAMES);
    let mut chart = ChartBuilder::on(panel)
        .margin(14)
        .margin_right(VALUES)
        .caption(format!("{}: ns/{unit}, logarithmic", table.title()), (FONT, 19))
        .x_label_area_size(30)
        .y_label_area_size(names)
        .build_cartesian_2d((0..ACROSS).with_key_points(key_points), 0.0..rows)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(0)
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GREY)
        .x_label_formatter(&word)
        .label_style((FONT, 13))
        .draw()?;
    let text = |horizontal, colour: &RGBColor| {
        (FONT, 13).into_font().color(colour).pos(Pos::new(horizontal, VPos::Center))
    };
    let (left, right) = (chart.backend_coord(&(0, 0.0)).0, chart.backend_coord(&(ACROSS, 0.0)).0);
    // Where it lies on the whole drawing, of which the panel is a part.
    let (base_x, base_y) = panel.get_base_pixel();
    for (row, (_, record)) in table.rows.iter().enumerate() {
        let y = rows - row as f64 - 0.5;
        let pixel = chart.backend_coord(&(0, y)).1 - base_y;
        let name = Text::new(record.name(), (left - base_x - 8, pixel), text(HPos::Right, &BLACK));
        panel.draw(&name)?;
        let (words, colour) = match &record.result {
            Ok(measured) => {
                let at = place(decades.share(measured.ns_per_unit));
                let stem = PathElement::new([(0, y), (at, y)], COLOURS[0].stroke_width(2));
                chart.draw_series([stem])?;
                chart.draw_series([Circle::new((at, y), 4, COLOURS[0].filled())])?;
                (cost(measured, unit), BLACK)
            }
            Err(failure) => (format!("n/a ({})", failure.kind()), GREY),
        };
        panel.draw(&Text::new(words, (right - base_x + 10, pixel), text(HPos::Left, &colour)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bench_slope_algorithms::Section;

    use super::render;
    use crate::record::Record;
    use crate::report::examples::{measured, record, run};
    use crate::wire::Failure;

    fn rows(number: usize) -> Vec<Record> {
        let row = |at| record(Section::Cipher, &format!("M{at} enc"), Ok(measured(1.0)));
        (0..number).map(row).collect()
    }

    fn failed() -> Record {
        record(Section::Cipher, "BAD", Err(Failure::Crashed("of <it>".to_owned())))
    }

    #[test]
    fn a_few_rows_are_points_and_lines() {
        let picture = render(&run([rows(3), vec![failed()]].concat()));
        // Points, and one for each row in the legend.
        assert_eq!(picture.matches("<circle").count(), 3 * 65 + 3);
        for words in [
            "AES M2 enc: 1.000 ns/B ±1.25 %",
            "AES BAD: n/a (crashed)",
            "message size, bytes",
            "time of a call, µs",
            "\n1024\n",
            "\n4096\n",
        ] {
            assert!(picture.contains(words), "{words} is not in {picture}");
        }
    }

    #[test]
    fn many_rows_are_costs() {
        let picture = render(&run([rows(9), vec![failed()]].concat()));
        assert_eq!(picture.matches("<circle").count(), 9);
        assert_eq!(picture.matches("\n1.000 ns/B ±1.25 %\n").count(), 9);
        for words in ["\nAES M8 enc\n", "\nAES BAD\n", "\nn/a (crashed)\n", "logarithmic"] {
            assert!(picture.contains(words), "{words:?} is not in {picture}");
        }
    }

    #[test]
    fn each_unit_has_axes_of_its_own() {
        let counted = Record { unit: "iter".to_owned(), ..rows(1).remove(0) };
        let picture = render(&run([rows(1), vec![counted]].concat()));
        assert!(picture.contains("message size, bytes") && picture.contains("count, iter"));
    }

    #[test]
    fn names_do_not_become_markup() {
        for number in [1, 9] {
            let mut rows = rows(number);
            rows[0].label = "<b>\"&".to_owned();
            let picture = render(&run(rows));
            assert!(!picture.contains("<b>") && picture.contains("&lt;b&gt;"), "{picture}");
        }
    }

    #[test]
    fn whatever_the_numbers_there_is_a_picture() {
        for ns in [1e-300, 1e-9, 1e9, 1e300] {
            for number in [1, 9] {
                let mut rows = rows(number);
                rows[0].result = Ok(measured(ns));
                let picture = render(&run(rows));
                assert!(!picture.contains("NaN") && !picture.contains("inf"), "{ns} {picture}");
            }
        }
        let nothing = [run(Vec::new()), run(vec![failed()]), run(vec![failed(); 9])];
        for run in nothing {
            assert!(render(&run).starts_with("<svg"));
        }
        let mut bare = measured(1.0);
        bare.points.clear();
        let run = run(vec![record(Section::Hash, "", Ok(bare))]);
        assert!(render(&run).starts_with("<svg"));
    }
}
