//! The one place that writes: to the terminal, and to files.
//!
//! A file is written beside its place and then renamed, so that it is there whole or not at all. What
//! is no regular file, such as a pipe or `/dev/null`, is written to as it stands.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use anstream::stream::RawStream;
use pirogue::diagnostic::{Colour, Diagnostic, Severity};

use crate::args::{ColourChoice, DiagnosticForm, Global};
use crate::failure::reason;

/// How things are said.
pub struct Screen {
    form: DiagnosticForm,
    colour: Colour,
    result_colour: Colour,
    quiet: bool,
    /// How much was asked for: 0, 1 (`-v`), 2 (`-vv`).
    pub verbosity: u8,
}

impl Screen {
    pub fn new(global: &Global) -> Self {
        let colour = |stream: Colour| match global.color {
            ColourChoice::Always => Colour::Ansi,
            ColourChoice::Never => Colour::Plain,
            ColourChoice::Auto => stream,
        };
        Self {
            form: global.diagnostics,
            colour: colour(colour_of(&io::stderr())),
            result_colour: colour(colour_of(&io::stdout())),
            quiet: global.quiet,
            verbosity: global.verbose,
        }
    }

    /// A screen for a command line that could not be read.
    pub fn plain(form: DiagnosticForm) -> Self {
        let colour = colour_of(&io::stderr());
        Self { form, colour, result_colour: Colour::Plain, quiet: false, verbosity: 0 }
    }

    /// Writes diagnostics to standard error.
    pub fn report(&self, diagnostics: &[Diagnostic]) {
        let shown = diagnostics
            .iter()
            .filter(|diagnostic| !self.quiet || diagnostic.severity == Severity::Error);
        let mut out = String::new();
        for diagnostic in shown {
            match self.form {
                DiagnosticForm::Human => {
                    if !out.is_empty() {
                        out.push('\n');
                    }
                    out += &diagnostic.render(self.colour);
                }
                DiagnosticForm::Json => {
                    out += &serde_json::to_string(diagnostic).expect("a diagnostic is plain data");
                }
            }
            out.push('\n');
        }
        if self.form == DiagnosticForm::Human && io::stderr().is_terminal() {
            out += &pointer(diagnostics);
        }
        to_stderr(out.as_bytes());
    }

    /// Writes a diagnostic to standard error, with a text that belongs to it, such as a difference.
    pub fn report_with(&self, diagnostic: &Diagnostic, details: &str) {
        match self.form {
            _ if details.trim().is_empty() => self.report(std::slice::from_ref(diagnostic)),
            DiagnosticForm::Json => self.report(&[diagnostic.clone().remark(details)]),
            DiagnosticForm::Human => {
                let head = diagnostic.render(self.colour);
                to_stderr(format!("{head}\n\n{}\n", details.trim_end()).as_bytes());
            }
        }
    }

    /// Writes what was asked for beside the result to standard error.
    pub fn show(&self, bytes: &[u8]) {
        to_stderr(bytes);
    }

    /// Whether a result may hold escape sequences for colours.
    pub fn result_colour(&self) -> Colour {
        self.result_colour
    }

    /// Writes a result to standard output, unless nothing is to be said.
    pub fn say(&self, text: &str) -> Result<(), Diagnostic> {
        if self.quiet {
            return Ok(());
        }
        to_stdout(|sink| sink.write_all(text.as_bytes()))
    }
}

/// Where a person reads more about the errors.
fn pointer(diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let mut codes: Vec<&str> = errors.map(|error| error.code.as_ref()).collect();
    codes.sort_unstable();
    codes.dedup();
    match codes.is_empty() {
        true => String::new(),
        false => format!("\n`pirogue explain {}` says more\n", codes.join(" ")),
    }
}

/// Whether colours go well with a stream.
fn colour_of(stream: &impl RawStream) -> Colour {
    match anstream::AutoStream::choice(stream) {
        ColorChoice::Auto if stream.is_terminal() => Colour::Ansi,
        ColorChoice::Always | ColorChoice::AlwaysAnsi => Colour::Ansi,
        ColorChoice::Auto | ColorChoice::Never => Colour::Plain,
    }
}

fn to_stderr(bytes: &[u8]) {
    // Nobody is left to be told if standard error is closed.
    let _ = io::stderr().write_all(bytes);
}

/// Writes to standard output. Whoever reads it may stop reading: that is no error.
pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Diagnostic> {
    let mut sink = io::stdout().lock();
    match write(&mut sink).and_then(|()| sink.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let message = format!("cannot write to standard output: {}", reason(&error));
            Err(Diagnostic::error("E0660", message).help("free some space, or write elsewhere"))
        }
        _ => Ok(()),
    }
}

/// Writes a file, whole or not at all.
pub fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Diagnostic> {
    let written = match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(there) if there.is_file() => replace(path, &there, write),
        Ok(_) => through(OpenOptions::new().write(true).open(path), write),
        Err(_) => beside(path, None, write),
    };
    written.map_err(|error| unwritable(path, &error))
}

/// Replaces a file, or the one that a link leads to; the new one is open to whom the old one was.
fn replace(
    path: &Path,
    there: &Metadata,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if there.permissions().readonly() {
        return Err(ErrorKind::PermissionDenied.into());
    }
    beside(&fs::canonicalize(path)?, Some(there), write)
}

/// Writes to a new file next to `path` and moves it there.
fn beside(
    path: &Path,
    there: Option<&Metadata>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let part = part_name(path);
    let written = through(File::create(&part), write).and_then(|()| {
        if let Some(there) = there {
            fs::set_permissions(&part, there.permissions())?;
        }
        fs::rename(&part, path)
    });
    written.inspect_err(|_| {
        // What is half written is of no use; that it cannot be removed either adds nothing.
        let _ = fs::remove_file(&part);
    })
}

fn through(
    file: io::Result<File>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut sink = BufWriter::new(file?);
    write(&mut sink)?;
    sink.flush()
}

/// A name next to `path` that no other process writes to.
fn part_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

/// That a file or folder cannot be written, and what to do.
pub fn unwritable(path: &Path, error: &io::Error) -> Diagnostic {
    let (why, help) = match error.kind() {
        ErrorKind::NotFound => ("its folder does not exist".to_owned(), "create the folder first"),
        ErrorKind::IsADirectory => (reason(error), "name a file in it"),
        ErrorKind::PermissionDenied => (reason(error), "check who may write to it"),
        _ => (reason(error), "write to another place"),
    };
    let message = format!("cannot write `{}`: {why}", path.display());
    Diagnostic::error("E0661", message).help(help)
}
