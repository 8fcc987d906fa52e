//! The one place that writes: to the terminal, and to files.
//!
//! A file is written beside its place and then renamed, so that it is there whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use pirogue::diagnostic::{Colour, Diagnostic, Severity};

use crate::args::{ColourChoice, DiagnosticForm, Global};

/// How things are said.
pub struct Screen {
    form: DiagnosticForm,
    colour: Colour,
    quiet: bool,
    /// How much was asked for: 0, 1 (`-v`), 2 (`-vv`).
    pub verbosity: u8,
}

impl Screen {
    pub fn new(global: &Global) -> Self {
        let on_terminal = || match anstream::AutoStream::choice(&io::stderr()) {
            ColorChoice::Never => false,
            ColorChoice::Auto => io::stderr().is_terminal(),
            ColorChoice::Always | ColorChoice::AlwaysAnsi => true,
        };
        let is_coloured = match global.color {
            ColourChoice::Always => true,
            ColourChoice::Never => false,
            ColourChoice::Auto => on_terminal(),
        };
        Self {
            form: global.diagnostics,
            colour: if is_coloured { Colour::Ansi } else { Colour::Plain },
            quiet: global.quiet,
            verbosity: global.verbose,
        }
    }

    /// Writes diagnostics to standard error.
    pub fn report(&self, diagnostics: &[Diagnostic]) {
        let mut out = String::new();
        for diagnostic in diagnostics {
            if self.quiet && diagnostic.severity != Severity::Error {
                continue;
            }
            match self.form {
                DiagnosticForm::Human => out += &diagnostic.render(self.colour),
                DiagnosticForm::Json => {
                    out += &serde_json::to_string(diagnostic).expect("a diagnostic is plain data");
                }
            }
            out.push('\n');
        }
        // Nobody is left to be told if standard error is closed.
        let _ = io::stderr().write_all(out.as_bytes());
    }

    /// Writes a result to standard output, unless nothing is to be said.
    pub fn say(&self, text: &str) -> Result<(), Vec<Diagnostic>> {
        if self.quiet {
            return Ok(());
        }
        to_stdout(|sink| sink.write_all(text.as_bytes()))
    }
}

/// Writes to standard output. Whoever reads it may stop reading: that is no error.
pub fn to_stdout(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Vec<Diagnostic>> {
    let mut sink = io::stdout().lock();
    match write(&mut sink).and_then(|()| sink.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let message = format!("cannot write to standard output: {error}");
            Err(vec![
                Diagnostic::error("E0660", message).help("free some space, or write elsewhere"),
            ])
        }
        _ => Ok(()),
    }
}

/// Writes a file, whole or not at all.
pub fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Vec<Diagnostic>> {
    let failed = |error: io::Error| {
        let message = format!("cannot write `{}`: {error}", path.display());
        let help = "check that its folder exists and may be written to";
        vec![Diagnostic::error("E0661", message).help(help)]
    };
    if path.is_dir() {
        return Err(failed(ErrorKind::IsADirectory.into()));
    }
    let beside = beside(path);
    let written = File::create(&beside).and_then(|file| {
        let mut sink = BufWriter::new(file);
        write(&mut sink)?;
        sink.flush()?;
        std::fs::rename(&beside, path)
    });
    written.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        failed(error)
    })
}

/// A name next to `path` that no other process writes to.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}
