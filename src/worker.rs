//! The program runs itself: a short process that samples and hands raw samples to the parent.
//!
//! Whether a routine's tables and code fall well or badly is settled when a process starts, so
//! only several processes meet the good layout. And a crash ends one of them, not the run.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use bench_slope_algorithms::Catalogue;

use crate::clock::Clock;
use crate::counters::Pmu;
use crate::known_cost;
use crate::parallel;
use crate::schedule::work;
use crate::wire::{Event, Request};

/// The word that makes the program a worker. Not for people.
pub const WORD: &str = "worker";

/// How long the parent sleeps before it looks whether the user wants to stop: seldom enough not to
/// disturb what is measured.
const LOOK_UP: Duration = Duration::from_millis(200);

/// Serves one request: reads it from `input`, writes events to `output`, one JSON value a line.
///
/// # Errors
/// When the request does not parse or the parent is gone.
pub fn serve(
    catalogue: &Catalogue,
    clock: &(dyn Clock + Send + Sync),
    pmu: &dyn Pmu,
    input: &mut dyn Read,
    output: &mut dyn Write,
) -> io::Result<()> {
    let mut text = String::new();
    input.read_to_string(&mut text)?;
    let request: Request = serde_json::from_str(&text)?;
    // Whatever the catalogue, a worker knows the routines that the program measures to judge itself.
    let known = request.cases.iter().any(|order| known_cost::is_own(&order.id));
    let known = known.then(known_cost::catalogue).transpose()?;
    let catalogue = known.as_ref().unwrap_or(catalogue);
    obey(catalogue, clock, pmu, &request, &mut |event| {
        let mut line = serde_json::to_vec(&event)?;
        line.push(b'\n');
        output.write_all(&line)
    })
}

/// Does what a request asks: visits to many cases, or one case on several processors.
fn obey<E>(
    catalogue: &Catalogue,
    clock: &(dyn Clock + Send + Sync),
    pmu: &dyn Pmu,
    request: &Request,
    tell: &mut dyn FnMut(Event) -> Result<(), E>,
) -> Result<(), E> {
    match &request.parallel {
        None => work(catalogue, clock, pmu, request, tell),
        Some(asked) => parallel::work(catalogue, clock, request, asked, tell),
    }
}

/// How workers come to be.
#[derive(Clone, Debug)]
pub enum Workers {
    /// As processes of this program.
    Processes(PathBuf),
    /// In this process: for tests, and for platforms without processes.
    InProcess,
}

/// What became of a worker.
#[derive(Debug)]
pub struct Outcome {
    /// Everything it told.
    pub events: Vec<Event>,
    /// How it died, when it did not come to its end.
    pub death: Option<String>,
}

impl Workers {
    /// Lets one worker serve a request. It is ended when it takes longer than `patience`, or when
    /// `interrupted` is set.
    ///
    /// # Errors
    /// When no process can be started.
    pub fn serve(
        &self,
        catalogue: &Catalogue,
        clock: &(dyn Clock + Send + Sync),
        pmu: &dyn Pmu,
        request: &Request,
        patience: Duration,
        interrupted: &AtomicBool,
    ) -> io::Result<Outcome> {
        match self {
            Workers::InProcess => {
                let mut events = Vec::new();
                let mut keep = |event| -> Result<(), std::convert::Infallible> {
                    events.push(event);
                    Ok(())
                };
                match obey(catalogue, clock, pmu, request, &mut keep) {
                    Ok(()) => {}
                    Err(never) => match never {},
                }
                Ok(Outcome { events, death: None })
            }
            Workers::Processes(program) => process(program, request, patience, interrupted),
        }
    }
}

fn process(
    program: &PathBuf,
    request: &Request,
    patience: Duration,
    interrupted: &AtomicBool,
) -> io::Result<Outcome> {
    let mut command = Command::new(program);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, "bench-slope");
    let mut child = command
        .arg(WORD)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A worker that died before it read its request shows in its exit status.
        let _ = stdin.write_all(&serde_json::to_vec(request)?);
    }
    let (sender, receiver) = mpsc::channel();
    let stdout = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stdout) = stdout {
            // What could be read before an error counts.
            let _ = stdout.read_to_end(&mut bytes);
        }
        let _ = sender.send(());
        bytes
    });
    let ends = Instant::now() + patience;
    let mut timed_out = false;
    while receiver.recv_timeout(LOOK_UP).is_err() {
        timed_out = Instant::now() >= ends;
        if timed_out || interrupted.load(Ordering::Relaxed) {
            child.kill()?;
            break;
        }
    }
    let status = child.wait()?;
    let bytes = reader.join().unwrap_or_default();
    let mut events = Vec::new();
    for line in BufReader::new(&*bytes).lines() {
        // The last line of a worker that died may be half a line.
        let Ok(event) = serde_json::from_str(&line?) else {
            break;
        };
        events.push(event);
    }
    let done = matches!(events.last(), Some(Event::Done(_) | Event::Parallel(_)));
    let done =
        done || request.parallel.is_some() && matches!(events.last(), Some(Event::Failed(..)));
    let death = if timed_out {
        Some(format!("it took longer than {} s", patience.as_secs()))
    } else if done && status.success() {
        None
    } else {
        Some(describe(status))
    };
    Ok(Outcome { events, death })
}

fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = name_of(signal).map_or_else(String::new, |name| format!(" ({name})"));
        return format!("its process was ended by signal {signal}{name}");
    }
    match status.code() {
        Some(code) => format!("its process ended with exit code {code}"),
        None => "its process ended".to_owned(),
    }
}

/// What the platform means by a signal's number: BSD and Linux number the bus error differently.
#[cfg(unix)]
fn name_of(signal: i32) -> Option<&'static str> {
    use rustix::process::Signal;
    let names = [
        (Signal::ILL, "illegal instruction"),
        (Signal::ABORT, "abort"),
        (Signal::BUS, "bus error"),
        (Signal::FPE, "arithmetic exception"),
        (Signal::KILL, "killed"),
        (Signal::SEGV, "segmentation fault"),
    ];
    names.into_iter().find(|(known, _)| known.as_raw() == signal).map(|(_, name)| name)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// How a shell that sends itself this signal ends, in words.
    fn killed_by(name: &str) -> String {
        let status = Command::new("sh").args(["-c", &format!("kill -{name} $$")]).status();
        describe(status.expect("a shell"))
    }

    #[test]
    fn signals_are_named_as_this_platform_numbers_them() {
        for (signal, name) in [
            ("ILL", "illegal instruction"),
            ("ABRT", "abort"),
            ("BUS", "bus error"),
            ("FPE", "arithmetic exception"),
            ("KILL", "killed"),
            ("SEGV", "segmentation fault"),
        ] {
            let told = killed_by(signal);
            assert!(told.ends_with(&format!("({name})")), "{signal}: {told}");
        }
        let told = killed_by("USR1");
        assert!(
            told.starts_with("its process was ended by signal ") && !told.contains('('),
            "{told}"
        );
    }
}
