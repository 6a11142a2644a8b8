//! Where reports go: standard output, and files that are written whole or not at all.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;

use crate::record::Run;
use crate::report::Format;
use crate::report::table::{self, Look};

/// Everything that a run is told to.
pub struct Reports {
    screen: Screen,
    files: Files,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// More rows follow.
    GoingOn,
    /// It has all rows.
    Complete,
    /// It ends before it has all rows.
    CutShort,
}

impl Reports {
    /// Standard output in this format and look, files, and the picture of `--plot`.
    ///
    /// # Errors
    /// The first file that cannot be written.
    pub fn new(
        format: Format,
        look: Look,
        files: &[PathBuf],
        plot: Option<&PathBuf>,
    ) -> Result<Self, Unwritable> {
        let files = Files::check(files, format)?.with_plot(plot)?;
        let go_on = !files.is_empty();
        Ok(Reports { screen: Screen { format, look, told: 0, go_on, closed: false }, files })
    }

    /// Tells what is new of a run, files first, for they are what stays; at the end all that is left.
    ///
    /// # Errors
    /// When standard output or standard error cannot be written.
    pub fn tell(
        &mut self,
        run: &mut Run,
        stage: Stage,
        out: &mut dyn Write,
        err: &mut dyn Write,
    ) -> io::Result<()> {
        let end = stage != Stage::GoingOn;
        run.partial = stage != Stage::Complete;
        for unwritable in self.files.write(run, end) {
            writeln!(err, "error: {unwritable}")?;
        }
        // What is on the screen is followed by the rest, unless there is none.
        run.partial = stage == Stage::CutShort;
        self.screen.show(run, end, out)
    }

    /// Whether a file could not be written.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.files.failed()
    }
}

/// Standard output.
struct Screen {
    format: Format,
    look: Look,
    /// Bytes of the report that are out.
    told: usize,
    /// Whether the run is worth going on with when nobody reads any more.
    go_on: bool,
    closed: bool,
}

impl Screen {
    fn show(&mut self, run: &Run, end: bool, out: &mut dyn Write) -> io::Result<()> {
        if self.closed || !(end || self.format.grows()) {
            return Ok(());
        }
        let text = match self.format {
            Format::Table => table::render_as(run, self.look),
            other => other.render(run),
        };
        let new = text.as_bytes().get(self.told..).unwrap_or_default();
        self.told = text.len();
        match out.write_all(new).and_then(|()| out.flush()) {
            Err(error) if self.go_on && error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(io::Error::new(error.kind(), format!("standard output: {error}")))
            }
            written => written,
        }
    }
}

/// Files that hold a report.
#[derive(Debug, Default)]
pub struct Files(Vec<Output>);

#[derive(Debug)]
struct Output {
    option: &'static str,
    /// As the user named it.
    name: PathBuf,
    format: Format,
    place: Place,
    failure: Option<String>,
}

impl Output {
    fn check(
        option: &'static str,
        name: &Path,
        format: Result<Format, String>,
    ) -> Result<Self, Unwritable> {
        let name = name.to_owned();
        match format.and_then(|format| Ok((format, place(&name)?))) {
            Ok((format, place)) => Ok(Output { option, name, format, place, failure: None }),
            Err(reason) => Err(Unwritable { option, name, reason }),
        }
    }
}

/// What a name stands for.
#[derive(Debug)]
enum Place {
    /// A file, or one to be: replaced as a whole.
    File(PathBuf),
    /// A device, a pipe: written at the end.
    Device,
}

/// Why a file cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritable {
    /// The option it was named with.
    pub option: &'static str,
    /// As the user named it.
    pub name: PathBuf,
    /// Why.
    pub reason: String,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.option, self.name.display(), self.reason)
    }
}

impl Files {
    /// Looks whether all of them can be written, so that this comes out before the run and not
    /// after it. The extension tells the format; without one it is `usual`.
    ///
    /// # Errors
    /// The first that cannot be written.
    pub fn check(names: &[PathBuf], usual: Format) -> Result<Self, Unwritable> {
        let output = |name: &PathBuf| Output::check("--output", name, format(name, usual));
        names.iter().map(output).collect::<Result<_, _>>().map(Files)
    }

    /// Adds the picture of `--plot`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn with_plot(mut self, name: Option<&PathBuf>) -> Result<Self, Unwritable> {
        if let Some(name) = name {
            let svg = match name.extension() {
                Some(extension) if extension.eq_ignore_ascii_case("svg") => Ok(Format::Svg),
                _ => Err("the picture is an SVG file, and its name ends in .svg".to_owned()),
            };
            self.0.push(Output::check("--plot", name, svg)?);
        }
        Ok(self)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one could not be written when it was written last.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.0.iter().any(|output| output.failure.is_some())
    }

    /// Writes the run to all of them; devices take it at the end only. Gives what went wrong and
    /// did not before.
    pub fn write(&mut self, run: &Run, end: bool) -> Vec<Unwritable> {
        let mut news = Vec::new();
        for output in &mut self.0 {
            let write = || match &output.place {
                Place::File(path) => replace(path, &output.format.render(run)),
                Place::Device if end => {
                    let mut device = OpenOptions::new().write(true).open(&output.name)?;
                    device.write_all(output.format.render(run).as_bytes())
                }
                Place::Device => Ok(()),
            };
            let failure = write().err().map(|error| error.to_string());
            if let Some(reason) = failure.clone().filter(|_| failure != output.failure) {
                let (option, name) = (output.option, output.name.clone());
                news.push(Unwritable { option, name, reason });
            }
            output.failure = failure;
        }
        news
    }
}

fn format(name: &Path, usual: Format) -> Result<Format, String> {
    let Some(extension) = name.extension() else { return Ok(usual) };
    extension.to_str().and_then(Format::of_extension).ok_or_else(|| {
        let known: Vec<String> = Format::NAMED.iter().map(|(.., own)| format!(".{own}")).collect();
        format!("the extension tells the format, and is one of {}", known.join(" "))
    })
}

/// What a name stands for, if that can be written.
fn place(name: &Path) -> Result<Place, String> {
    let told = |error: io::Error| error.to_string();
    let existing = match fs::metadata(name) {
        Ok(found) if found.is_dir() => return Err("it is a folder".to_owned()),
        Ok(found) if !found.is_file() => return Ok(Place::Device),
        Ok(_) => true,
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => return Err(told(error)),
    };
    if existing && is_a_stream(name) {
        let reason = "standard output or standard error goes there, and would be lost";
        return Err(reason.to_owned());
    }
    if existing {
        OpenOptions::new().write(true).open(name).map_err(told)?;
    }
    // What a link leads to is replaced, not the link.
    let path = name.canonicalize().unwrap_or_else(|_| name.to_owned());
    beside(&path).map_err(|error| format!("a file beside it cannot be made: {error}"))?;
    Ok(Place::File(path))
}

/// Whether this program's standard output or standard error is this file.
fn is_a_stream(name: &Path) -> bool {
    let Ok(file) = Handle::from_path(name) else { return false };
    [Handle::stdout(), Handle::stderr()].into_iter().flatten().any(|stream| stream == file)
}

/// A file in the same folder; it goes when it is dropped.
fn beside(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bench-slope-");
    // Readable for whom the user's mask lets read new files.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // Without the name at random, which says nothing to anybody.
    let plain = |error: io::Error| io::Error::from(error.kind());
    builder.tempfile_in(folder.unwrap_or(Path::new("."))).map_err(plain)
}

/// Puts the text in the file's place at once, or leaves what was there.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut file = beside(path)?;
    if let Ok(found) = fs::metadata(path) {
        file.as_file().set_permissions(found.permissions())?;
    }
    file.as_file_mut().write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map(|_: File| ()).map_err(|error| error.error)
}
