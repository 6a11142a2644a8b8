//! The command line. The only file that knows clap.

use std::ffi::OsString;

use bench_slope_algorithms::Section;
use clap::{Args, Parser, Subcommand, error::ErrorKind};

use crate::record::{Conditions, Frequency};

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
    /// Check every algorithm against its known answers; time nothing.
    SelfTest {
        /// `text`: a line for each failure and one at the end; `json`: every known answer with key,
        /// nonce, input and output.
        #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"])]
        format: String,
    },
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
    #[arg(long, global = true)]
    pub csv: bool,

    /// A smoke test in seconds: all known answers, then a rough measurement of every row, slow ones
    /// too, that fails for wrong answers and crashes only.
    #[arg(long, global = true, conflicts_with = "repetitions")]
    pub quick: bool,

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
        let Options { quick, unaligned, repetitions, .. } = *self;
        Conditions { quick, unaligned, repetitions, sizes: None }
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
        options: Options,
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
    let line = CommandLine::try_parse_from(words).map_err(|error| Early {
        text: error.render().to_string(),
        asked_for: matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion),
    })?;
    let options = line.options;
    let measure = |section, names| Wish::Measure { section, names, options };
    Ok(match line.command {
        None => measure(None, Vec::new()),
        Some(Command::Hash(names)) => measure(Some(Section::Hash), names.names),
        Some(Command::Mac(names)) => measure(Some(Section::Mac), names.names),
        Some(Command::Cipher(names)) => measure(Some(Section::Cipher), names.names),
        Some(Command::Kdf(names)) => measure(Some(Section::Kdf), names.names),
        Some(Command::SelfTest { format }) => Wish::SelfTest { json: format == "json" },
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

fn no_features(_: &str) -> Result<String, String> {
    Err("nothing can be switched off at run time: these implementations choose by themselves what \
         the processor offers"
        .to_owned())
}
