//! The command line. The only file that knows clap.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use bench_slope_algorithms::Section;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, error::ErrorKind};
use regex::{Regex, RegexBuilder};

use crate::bytes::{Sizes, sizes};
use crate::record::{Conditions, Frequency};
use crate::report::Format;
use crate::versions::Versions;

/// What a hash or a cipher costs per byte on this machine, with the call overhead taken out.
///
/// Each operation is timed at sizes from 0 to 4 KiB; the slope of time over size is the cost of a
/// byte. Every implementation has to give its standard's answers before it is timed.
#[derive(Parser)]
#[command(name = "bench-slope", version, disable_help_subcommand = true)]
struct CommandLine {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Time hash functions, extendable-output functions and checksums.
    Hash(Names),
    /// Time message authentication codes.
    Mac(Names),
    /// Time ciphers in all their modes: encryption, decryption, authenticated data.
    Cipher(Names),
    /// Time key derivation functions.
    Kdf(Names),
    /// Time named benchmarks: one call on a message of one size, as Bitcoin Core has them.
    Points(Names),
    /// Check every algorithm against its known answers; time nothing.
    ///
    /// It prints a line for each failure and one at the end; with `--format json` every known answer
    /// with key, nonce, input and output.
    SelfTest,
    /// Sample what standard input asks for: how the program runs itself.
    #[command(hide = true)]
    Worker,
}

#[derive(Args)]
struct Names {
    /// Which ones, in any spelling (`sha-256`, `SHA256`); all when none is named.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// The options of a measurement; they may stand before or after the section.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The processor's frequency in megahertz, for the column of cycles per byte; `auto` measures it
    /// beside each row.
    #[arg(long, global = true, value_name = "MHZ|auto", value_parser = frequency, allow_hyphen_values = true)]
    pub cpu_mhz: Option<Frequency>,

    /// Measure every size exactly so many times, instead of as often as a precise answer takes.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), allow_hyphen_values = true)]
    pub repetitions: Option<u32>,

    /// Measure on this processor only, counted from 0.
    #[arg(long, global = true, value_name = "CPU", allow_hyphen_values = true)]
    pub pin: Option<usize>,

    /// Let messages start at odd addresses.
    #[arg(long, global = true)]
    pub unaligned: bool,

    /// Print rows of comma-separated values as libgcrypt does, instead of the table.
    #[arg(long, global = true, conflicts_with = "format")]
    pub csv: bool,

    /// What to print on standard output.
    #[arg(long, global = true, value_name = "FORMAT", value_parser = formats())]
    format: Option<Format>,

    /// Write a report to this file too, in the format that its extension tells: .txt, .csv, .json,
    /// .md, .html, .svg. May be given several times.
    #[arg(long, global = true, value_name = "FILE")]
    pub output: Vec<PathBuf>,

    /// Draw the results into this SVG file: of up to eight rows points and lines, of more their costs.
    #[arg(long, global = true, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,

    /// Tell the time of a call at 16 bytes, 32, and so on to 2 MiB, instead of the cost of a byte.
    #[arg(long, global = true, conflicts_with_all = ["csv", "quick"])]
    pub raw: bool,

    /// Measure each row at these sizes of the message too, and tell the time of a call there: up to
    /// 32 sizes with a comma between them, in bytes or with a unit, such as `32,64,4KiB,1MB`.
    #[arg(long, global = true, value_name = "SIZES", value_parser = sizes, allow_hyphen_values = true, conflicts_with_all = ["raw", "bars"])]
    pub bytes: Option<Sizes>,

    /// Let each sample last at least so long, such as `10ms`, instead of as long as the clock's steps
    /// make it.
    #[arg(long, global = true, value_name = "TIME", value_parser = min_epoch, allow_hyphen_values = true, conflicts_with = "quick")]
    pub min_epoch: Option<Duration>,

    /// Keep every sample in what is written as JSON.
    #[arg(long, global = true)]
    pub samples: bool,

    /// What to call this machine in reports.
    #[arg(long, global = true, value_name = "NAME")]
    pub machine: Option<String>,

    /// Measure only what this regular expression matches, whatever the case of letters: the name
    /// (`aes/cbc`), the row (`AES CBC enc`) or the identifier (`rustcrypto/AES/CBC/encrypt`).
    #[arg(long, global = true, value_name = "REGEX", value_parser = filter, allow_hyphen_values = true)]
    pub filter: Option<Regex>,

    /// Print the names of what would be measured, and measure nothing.
    #[arg(long, global = true)]
    pub list: bool,

    /// A smoke test in seconds: all known answers, then a rough measurement of every row, slow ones
    /// too, that fails for wrong answers and crashes only.
    #[arg(long, global = true, conflicts_with = "repetitions")]
    pub quick: bool,

    /// Show in the table how fast each row is beside the fastest of its section.
    #[arg(long, global = true, conflicts_with_all = ["csv", "raw"])]
    pub bars: bool,

    /// Time slow algorithms too when none is named.
    #[arg(long, global = true)]
    pub include_slow: bool,

    /// Say more on standard error: what is known of the machine; of each row its error, the cost of
    /// a call, what computed it.
    #[arg(long, global = true)]
    pub verbose: bool,

    /// Leave notes and warnings out; errors are still told.
    #[arg(long, global = true)]
    pub quiet: bool,

    /// libgcrypt's switch for hardware features. These implementations choose by themselves what
    /// the processor offers, so that nothing can be switched off at run time.
    #[arg(long, global = true, value_name = "FEATURES", value_parser = no_features, hide = true)]
    pub disable_hwf: Option<String>,
}

impl Options {
    /// What of them changes numbers.
    #[must_use]
    pub fn conditions(&self) -> Conditions {
        let Options { quick, unaligned, repetitions, min_epoch, .. } = *self;
        let bytes = self.bytes.as_ref().map(|sizes| sizes.to_vec());
        // Of at most a tenth of a second.
        let min_epoch_ns = min_epoch.map(|time| time.as_nanos() as u64);
        Conditions { quick, unaligned, repetitions, sizes: self.sizes(), bytes, min_epoch_ns }
    }

    /// The sizes of messages, where they are not the usual ones.
    #[must_use]
    pub fn sizes(&self) -> Option<Vec<usize>> {
        const SHORTEST: usize = 16;
        const DOUBLINGS: u32 = 17;
        self.raw.then(|| (0..=DOUBLINGS).map(|doublings| SHORTEST << doublings).collect())
    }

    /// The format of standard output.
    #[must_use]
    pub fn format(&self) -> Format {
        if self.csv { Format::LibgcryptCsv } else { self.format.unwrap_or_default() }
    }
}

/// What the user wants.
#[derive(Clone, Debug)]
pub enum Wish {
    /// Time these sections; names in one of them.
    Measure {
        /// The section, or all.
        section: Option<Section>,
        /// The names given, empty for all.
        names: Vec<String>,
        /// How.
        options: Box<Options>,
    },
    /// Check all known answers.
    SelfTest {
        /// List them as JSON.
        json: bool,
    },
    /// Be a worker.
    Work,
}

/// Text that ends the program at once.
#[derive(Clone, Debug)]
pub struct Early {
    /// What to say.
    pub text: String,
    /// Whether it was asked for, rather than a mistake.
    pub asked_for: bool,
}

/// Reads the command line.
///
/// # Errors
/// Help or version when they were asked for; else what is wrong with the words and what was meant.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Wish, Early> {
    let words: Vec<OsString> = words.into_iter().collect();
    let verbose = words.iter().any(|word| word == "--verbose");
    let line = CommandLine::try_parse_from(words).map_err(|error| {
        let asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
        let mut text = error.render().to_string();
        if error.kind() == ErrorKind::DisplayVersion && verbose {
            text.push_str(&Versions::of_this_program().lines());
        }
        Early { text, asked_for }
    })?;
    let mut options = Box::new(line.options);
    // These are nanobench's benchmarks, in its layout.
    if matches!(line.command, Some(Command::Points(_))) && !options.csv {
        options.format.get_or_insert(Format::Markdown);
    }
    let format = options.format;
    if options.bars && options.format() != Format::Table {
        let text = "error: --bars belongs to --format table\n".to_owned();
        return Err(Early { text, asked_for: false });
    }
    let measure = |section, names| Wish::Measure { section, names, options };
    Ok(match line.command {
        None => measure(None, Vec::new()),
        Some(Command::Hash(names)) => measure(Some(Section::Hash), names.names),
        Some(Command::Mac(names)) => measure(Some(Section::Mac), names.names),
        Some(Command::Cipher(names)) => measure(Some(Section::Cipher), names.names),
        Some(Command::Kdf(names)) => measure(Some(Section::Kdf), names.names),
        Some(Command::Points(names)) => measure(Some(Section::Points), names.names),
        Some(Command::SelfTest) => match format {
            None | Some(Format::Table) => Wish::SelfTest { json: false },
            Some(Format::Json) => Wish::SelfTest { json: true },
            Some(_) => {
                let text = "error: self-test takes --format text or --format json\n".to_owned();
                return Err(Early { text, asked_for: false });
            }
        },
        Some(Command::Worker) => Wish::Work,
    })
}

fn frequency(text: &str) -> Result<Frequency, String> {
    if text.eq_ignore_ascii_case("auto") {
        return Ok(Frequency::Measured);
    }
    match text.parse::<f64>() {
        Ok(mhz) if mhz.is_finite() && mhz > 0.0 => Ok(Frequency::Given(mhz)),
        _ => {
            Err("a number of megahertz above 0 is wanted, such as 3201 or 2445.5, or auto"
                .to_owned())
        }
    }
}

fn min_epoch(text: &str) -> Result<Duration, String> {
    const SHORTEST: Duration = Duration::from_micros(1);
    const LONGEST: Duration = Duration::from_millis(100);
    match humantime::parse_duration(text) {
        Ok(time) if (SHORTEST..=LONGEST).contains(&time) => Ok(time),
        _ => Err("a time with its unit from 1us to 100ms is wanted, such as 10ms".to_owned()),
    }
}

/// Formats by name; the self-test's lines are `text`, and so is the table.
fn formats() -> impl TypedValueParser<Value = Format> {
    let word = |&(format, word, _): &(Format, &'static str, &str)| {
        let word = PossibleValue::new(word);
        if format == Format::Table { word.alias("text") } else { word }
    };
    PossibleValuesParser::new(Format::NAMED.iter().map(word))
        // The parser has refused every other word.
        .map(|word| Format::named(&word).unwrap_or_default())
}

fn filter(text: &str) -> Result<Regex, String> {
    RegexBuilder::new(text).case_insensitive(true).build().map_err(|error| error.to_string())
}

fn no_features(_: &str) -> Result<String, String> {
    Err("nothing can be switched off at run time: these implementations choose by themselves what \
         the processor offers"
        .to_owned())
}
