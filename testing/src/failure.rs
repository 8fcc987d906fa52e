//! Why a case failed.

use std::fmt;

use pirogue::diagnostic::{Colour, Diagnostic};

use crate::codes;

/// Why a case failed: one finding or more.
#[derive(Clone, Debug)]
pub struct Failure {
    /// All that was found, in the order in which it was looked for.
    pub findings: Vec<Finding>,
}

/// One thing that is wrong with a case, or with what came of it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What is wrong.
    pub diagnostic: Diagnostic,
    /// What belongs to it, such as a difference; may be empty.
    pub details: String,
}

impl Finding {
    pub(crate) fn with(diagnostic: Diagnostic, details: String) -> Self {
        Self { diagnostic, details }
    }

    /// Whether it is that a snapshot is not there, or says something else than its case.
    pub fn is_of_snapshot(&self) -> bool {
        self.diagnostic.code == codes::SNAPSHOT_DIFFERS
    }

    /// As a person reads it; with colours for a terminal.
    pub fn render(&self, colour: Colour) -> String {
        let head = self.diagnostic.render(colour);
        match self.details.trim_end() {
            "" => format!("{head}\n"),
            details => format!("{head}\n\n{details}\n"),
        }
    }
}

impl From<Diagnostic> for Finding {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, details: String::new() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> =
            self.findings.iter().map(|finding| finding.render(Colour::Plain)).collect();
        f.write_str(&texts.join("\n"))
    }
}

impl std::error::Error for Failure {}
