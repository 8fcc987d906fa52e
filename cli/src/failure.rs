//! Why a command did not do what it was asked for.

use std::io::{self, ErrorKind};
use std::process::ExitCode;

use pirogue::diagnostic::Diagnostic;

/// Whose fault it is, with the diagnostics to show: at least one error among them, unless
/// an answer was asked for and is no.
pub enum Failure {
    /// The input, or the plan that was asked for, is wrong; or files cannot be read or written.
    Input(Vec<Diagnostic>),
    /// The answer, which has been given, is no: programs differ, or a plan is not proved; and what
    /// else is to be said.
    Negative(Vec<Diagnostic>),
    /// The command line is wrong.
    CommandLine(Vec<Diagnostic>),
}

impl Failure {
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Input(found) | Self::Negative(found) | Self::CommandLine(found) => found,
        }
    }

    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Input(_) | Self::Negative(_) => ExitCode::from(1),
            Self::CommandLine(_) => ExitCode::from(2),
        }
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::Input(diagnostics)
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Input(vec![diagnostic])
    }
}

/// What the system says against a file, in words.
pub fn reason(error: &io::Error) -> String {
    let words = match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder",
        ErrorKind::IsADirectory => "it is a folder",
        ErrorKind::NotADirectory => "part of its path is a file, not a folder",
        ErrorKind::PermissionDenied => "permission denied",
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
        ErrorKind::StorageFull => "no space is left",
        _ => return error.to_string(),
    };
    words.to_owned()
}
