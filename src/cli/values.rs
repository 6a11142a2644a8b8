//! The values of options: what they may be, and what is wanted instead.

use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use regex::{Regex, RegexBuilder};

use super::Ascending;
use crate::fits::{LARGEST_COUNT, LONGEST_MESSAGE};
use crate::growth::{FEWEST_SIZES, LEAST_RANGE};
use crate::record::Frequency;
use crate::report::Format;
use crate::warning::counted;

/// A share given in per cent.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim_end().parse::<f64>().ok());
    match number {
        Some(percent) if percent.is_finite() && percent >= 0.0 => Ok(percent / 100.0),
        _ => Err("a share with its sign is wanted, such as 3% or 0.5%".to_owned()),
    }
}

pub(super) fn frequency(text: &str) -> Result<Frequency, String> {
    if text.eq_ignore_ascii_case("auto") {
        return Ok(Frequency::Measured);
    }
    megahertz(text).map(Frequency::Given).map_err(|wanted| wanted + ", or auto")
}

pub(super) fn megahertz(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(mhz) if mhz.is_finite() && mhz > 0.0 => Ok(mhz),
        _ => Err("a number of megahertz above 0 is wanted, such as 3201 or 2445.5".to_owned()),
    }
}

pub(super) fn min_epoch(text: &str) -> Result<Duration, String> {
    // What is no time at all is as wrong as one that is too short.
    epoch(humantime::parse_duration(text).unwrap_or_default())
}

/// A time that samples may have to last.
///
/// # Errors
/// What is wanted, when it is too short or too long.
pub fn epoch(time: Duration) -> Result<Duration, String> {
    const SHORTEST: Duration = Duration::from_micros(1);
    const LONGEST: Duration = Duration::from_millis(100);
    if (SHORTEST..=LONGEST).contains(&time) {
        Ok(time)
    } else {
        Err("a time with its unit from 1us to 100ms is wanted, such as 200us".to_owned())
    }
}

/// A percentage as a share.
pub(super) fn percentage(text: &str) -> Result<f64, String> {
    let wanted = || "a percentage from 0.11% to 20% is wanted, such as 0.5%".to_owned();
    let number = text.trim().strip_suffix('%').ok_or_else(wanted)?;
    match number.trim_end().parse::<f64>() {
        Ok(percent) if (0.11..=20.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err(wanted()),
    }
}

pub(super) fn time_limit(text: &str) -> Result<Duration, String> {
    const SHORTEST: Duration = Duration::from_millis(10);
    const LONGEST: Duration = Duration::from_secs(3600);
    match humantime::parse_duration(text) {
        Ok(time) if (SHORTEST..=LONGEST).contains(&time) => Ok(time),
        _ => Err("a time with its unit from 10ms to 1h is wanted, such as 2s or 500ms".to_owned()),
    }
}

/// Formats by name; the self-test's lines are `text`, and so is the table.
pub(super) fn formats() -> impl TypedValueParser<Value = Format> {
    let word = |&(format, word, _): &(Format, &'static str, &str)| {
        let word = PossibleValue::new(word);
        if format == Format::Table { word.alias("text") } else { word }
    };
    PossibleValuesParser::new(Format::NAMED.iter().map(word))
        // The parser has refused every other word.
        .map(|word| Format::named(&word).unwrap_or_default())
}

/// Sizes to tell growth by, in any order.
pub(super) fn asymptote(text: &str) -> Result<Ascending, String> {
    let largest = LONGEST_MESSAGE.max(LARGEST_COUNT);
    let size = |word: &str| match word.trim().parse() {
        Ok(size) if (1..=largest).contains(&size) => Ok(size),
        _ => Err(format!("'{word}' is no whole number from 1 to {largest}")),
    };
    let mut sizes = text.split(',').map(size).collect::<Result<Vec<usize>, String>>()?;
    sizes.sort_unstable();
    sizes.dedup();
    match (sizes.len(), sizes.first(), sizes.last()) {
        (many, ..) if many > MOST_SIZES => Err(format!("{many} sizes: {MOST_SIZES} are the most")),
        (FEWEST_SIZES.., Some(first), Some(last)) if *last < LEAST_RANGE * first => Err(format!(
            "from {first} to {last} is too narrow: the largest has to be {LEAST_RANGE} times the smallest, for \
             all growth looks alike over a short way"
        )),
        (FEWEST_SIZES.., ..) => Ok(Ascending(sizes)),
        (few, ..) => Err(format!(
            "{}: {FEWEST_SIZES} are the fewest that can tell one growth from another",
            counted(few, "different size")
        )),
    }
}

/// More sizes than this tell nothing more.
const MOST_SIZES: usize = 65;

pub(super) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if threads > 0 => Ok(threads),
        _ => Err("a whole number above 0 is wanted".to_owned()),
    }
}

pub(super) fn message(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(bytes) if bytes <= LONGEST_MESSAGE => Ok(bytes),
        _ => Err(format!("a whole number of bytes from 0 to {LONGEST_MESSAGE} is wanted")),
    }
}

pub(super) fn filter(text: &str) -> Result<Regex, String> {
    RegexBuilder::new(text).case_insensitive(true).build().map_err(|error| error.to_string())
}

pub(super) fn no_features(_: &str) -> Result<String, String> {
    Err("nothing can be switched off at run time: these implementations choose by themselves what \
         the processor offers"
        .to_owned())
}
