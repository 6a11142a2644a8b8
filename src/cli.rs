//! The command line. The only file that knows clap.

mod refusals;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use bench_slope_algorithms::Section;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, error::ErrorKind};
use regex::Regex;

use crate::bytes::{Sizes, sizes};
use crate::record::{Conditions, Frequency};
use crate::report::Format;
use crate::versions::Versions;

use refusals::{check, refuse_conflicts, refuse_what_would_be_ignored};
pub use values::epoch;
use values::{
    asymptote, filter, formats, frequency, megahertz, message, min_epoch, no_features, percentage,
    share, threads, time_limit,
};

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
    /// Tell in three seconds whether this machine is fit to measure; time no algorithm. Takes --pin,
    /// --quiet and --verbose.
    Doctor,
    /// Compare saved runs (`--output FILE.json`) row by row, each with the first.
    ///
    /// It tells which rows differ by more than chance. Rows are in the order of their difference.
    Compare(ComparisonOptions),
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

/// Sizes or counts, ascending and each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ascending(pub Vec<usize>);

/// The options of a measurement; they may stand before or after the section.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The processor's frequency in megahertz, for the column of cycles per byte; `auto` measures it
    /// beside each row.
    #[arg(long, global = true, value_name = "MHZ|auto", value_parser = frequency, allow_hyphen_values = true)]
    pub cpu_mhz: Option<Frequency>,

    /// Tell nanoseconds and MiB/s as they are at this frequency in megahertz, so that runs of other
    /// days and other moods of the host can be laid side by side, instead of at the one that was measured.
    #[arg(long, global = true, value_name = "MHZ", value_parser = megahertz, allow_hyphen_values = true, conflicts_with_all = ["threads", "endless"])]
    pub at_mhz: Option<f64>,

    /// Measure every size exactly so many times, instead of as often as a precise answer takes.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), allow_hyphen_values = true)]
    pub repetitions: Option<u32>,

    /// Sample a row until its 95 % error is within this share of it, instead of 0.14 %.
    #[arg(long, global = true, value_name = "PERCENT", value_parser = percentage, allow_hyphen_values = true, conflicts_with_all = ["repetitions", "quick"])]
    pub precision: Option<f64>,

    /// Spend at most so much time on a row, in the mean, such as 2s or 500ms.
    #[arg(long, global = true, value_name = "TIME", value_parser = time_limit, allow_hyphen_values = true, conflicts_with_all = ["repetitions", "quick"])]
    pub time_limit: Option<Duration>,

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
    #[arg(long, global = true, value_name = "SIZES", value_parser = sizes, allow_hyphen_values = true, conflicts_with_all = ["raw", "bars", "csv"])]
    pub bytes: Option<Sizes>,

    /// Let each sample last at least so long, such as `200us`, instead of as long as the clock's steps
    /// make it.
    #[arg(long, global = true, value_name = "TIME", value_parser = min_epoch, allow_hyphen_values = true, conflicts_with = "quick")]
    pub min_epoch: Option<Duration>,

    /// Time at these sizes in bytes, or at these counts of a key derivation's parameter, and tell what
    /// the time grows with: O(1), O(log n), O(n), O(n log n), O(n^2) or O(n^3).
    #[arg(long, global = true, value_name = "N,N,...", value_parser = asymptote, conflicts_with_all = ["csv", "quick", "raw", "bars", "bytes"], allow_hyphen_values = true)]
    pub asymptote: Option<Ascending>,

    /// With `--asymptote`, `--endless` or `--threads`: the size of every message, in bytes.
    #[arg(long, global = true, value_name = "BYTES", value_parser = message, allow_hyphen_values = true)]
    pub message: Option<usize>,

    /// Run one row without end, for a profiler: `sha256`, `AES CBC enc`, `rustcrypto/AES/CBC/encrypt`.
    #[arg(long, global = true, value_name = "NAME", conflicts_with_all = ["csv", "format", "output", "plot", "raw", "quick", "bars", "samples", "filter", "list", "asymptote", "repetitions", "precision", "time_limit", "cpu_mhz", "include_slow", "unaligned", "machine", "no_counters", "bytes", "min_epoch"])]
    pub endless: Option<String>,

    /// Run each row on so many processors at once, and tell the sum and how it scales.
    #[arg(long, global = true, value_name = "N", value_parser = threads, conflicts_with_all = ["csv", "raw", "quick", "bars", "samples", "asymptote", "repetitions", "precision", "time_limit", "pin", "unaligned", "cpu_mhz", "no_counters", "endless", "bytes", "min_epoch"], allow_hyphen_values = true)]
    pub threads: Option<usize>,

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

    /// Do not ask for hardware counters.
    #[arg(long, global = true)]
    pub no_counters: bool,

    /// libgcrypt's switch for hardware features. These implementations choose by themselves what
    /// the processor offers, so that nothing can be switched off at run time.
    #[arg(long, global = true, value_name = "FEATURES", value_parser = no_features, hide = true)]
    pub disable_hwf: Option<String>,
}

impl Options {
    /// What of them changes numbers.
    #[must_use]
    pub fn conditions(&self) -> Conditions {
        let Options { quick, unaligned, repetitions, precision, time_limit, .. } = *self;
        let Options { min_epoch, threads, .. } = *self;
        let time_limit_s = time_limit.map(|time| time.as_secs_f64());
        let bytes = self.bytes.as_ref().map(|sizes| sizes.to_vec());
        // Of at most a tenth of a second.
        let min_epoch_ns = min_epoch.map(|time| time.as_nanos() as u64);
        let growth = self.asymptote.is_some();
        let (sizes, message_bytes) = (self.sizes(), self.message);
        let at_mhz = self.at_mhz;
        Conditions {
            quick,
            unaligned,
            repetitions,
            sizes,
            precision,
            time_limit_s,
            bytes,
            min_epoch_ns,
            growth,
            message_bytes,
            threads,
            at_mhz,
        }
    }

    /// The sizes of messages, where they are not the usual ones.
    #[must_use]
    pub fn sizes(&self) -> Option<Vec<usize>> {
        const SHORTEST: usize = 16;
        const DOUBLINGS: u32 = 17;
        if let Some(Ascending(sizes)) = &self.asymptote {
            return Some(sizes.clone());
        }
        self.raw.then(|| (0..=DOUBLINGS).map(|doublings| SHORTEST << doublings).collect())
    }

    /// The option that chooses sizes of messages, where one is given.
    #[must_use]
    pub fn chooses_sizes(&self) -> Option<&'static str> {
        self.bytes.as_ref().map(|_| "--bytes").or(self.raw.then_some("--raw"))
    }

    /// The format of standard output.
    #[must_use]
    pub fn format(&self) -> Format {
        if self.csv { Format::LibgcryptCsv } else { self.format.unwrap_or_default() }
    }
}

/// What of a comparison is asked for.
#[derive(Args, Clone, Debug)]
pub struct ComparisonOptions {
    /// The runs: the base, then those to compare with it.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// Measure the rows of the one file now, under its conditions, and compare with that.
    #[arg(long)]
    pub run: bool,

    /// Exit with 1 when a row is slower than in the base by more than this (`3%`), and not by chance.
    #[arg(long, value_name = "PERCENT", value_parser = share, allow_hyphen_values = true)]
    pub fail_above: Option<f64>,

    /// Compare runs of unlike machines or conditions, too.
    #[arg(long)]
    pub force: bool,
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
    /// Run one row without end.
    Endless {
        /// Its name.
        name: String,
        /// How.
        options: Box<Options>,
    },
    /// Check all known answers.
    SelfTest {
        /// List them as JSON.
        json: bool,
    },
    /// Tell whether this machine is fit.
    Doctor {
        /// How; of these only those that `doctor` takes can have been given.
        options: Box<Options>,
    },
    /// Compare saved runs.
    Compare {
        /// Which, and how.
        comparison: ComparisonOptions,
        /// How to print, and how to measure.
        options: Box<Options>,
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
    let line = read(words).map_err(|error| {
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
    if options.message.is_some()
        && options.asymptote.is_none()
        && options.endless.is_none()
        && options.threads.is_none()
    {
        let text = "error: --message belongs to --asymptote, --endless or --threads\n".to_owned();
        return Err(Early { text, asked_for: false });
    }
    if let (Some(at_mhz), Some(Frequency::Given(cpu_mhz))) = (options.at_mhz, options.cpu_mhz)
        && at_mhz.total_cmp(&cpu_mhz).is_ne()
    {
        let text = format!(
            "error: --at-mhz {at_mhz} and --cpu-mhz {cpu_mhz} are two frequencies for one row: cycles do not \
             depend on --at-mhz; --cpu-mhz auto measures them\n"
        );
        return Err(Early { text, asked_for: false });
    }
    if let (Some(name), worker) = (&options.endless, &line.command) {
        if worker.is_some() {
            let text = "error: --endless (or BENCH_SLOPE_ENDLESS) names the row by itself; leave the \
                        section out\n";
            return Err(Early { text: text.to_owned(), asked_for: false });
        }
        return Ok(Wish::Endless { name: name.clone(), options });
    }
    let measure = |section, names| Wish::Measure { section, names, options: options.clone() };
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
        Some(Command::Doctor) => Wish::Doctor { options: options.clone() },
        Some(Command::Compare(comparison)) => {
            let usage = |reason| Early { text: format!("error: {reason}\n"), asked_for: false };
            check(&comparison, &options).map_err(usage)?;
            Wish::Compare { comparison, options: options.clone() }
        }
        Some(Command::Worker) => Wish::Work,
    })
}

fn read(words: impl IntoIterator<Item = OsString>) -> Result<CommandLine, clap::Error> {
    let mut command = CommandLine::command();
    let matches = command.try_get_matches_from_mut(words)?;
    refuse_what_would_be_ignored(&mut command, &matches)?;
    refuse_conflicts(&mut command, &matches)?;
    CommandLine::from_arg_matches(&matches)
}
