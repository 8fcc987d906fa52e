//! Why a pass failed: one or more error diagnostics, never none.

use std::fmt;

use crate::diagnostic::{Diagnostic, Severity};

/// Why a pass failed. Holds at least one diagnostic; the first is the reason.
///
/// ```
/// use pirogue::{diagnostic::Diagnostic, pass::PassError};
/// let error = PassError::from(Diagnostic::error("E9001", "no `pd_op.matmul` in the program"));
/// assert!(error.to_string().contains("E9001"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassError {
    reason: Box<Diagnostic>,
    others: Vec<Diagnostic>,
}

impl PassError {
    /// A failure for one reason. `reason` becomes an error whatever its severity was.
    pub fn new(reason: Diagnostic) -> Self {
        Self { reason: Box::new(as_error(reason)), others: Vec::new() }
    }

    /// Adds another diagnostic, such as a second error or a note on the first.
    pub fn and(mut self, other: Diagnostic) -> Self {
        self.others.push(other);
        self
    }

    /// The first error.
    pub fn reason(&self) -> &Diagnostic {
        &self.reason
    }

    /// All diagnostics, the reason first.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        std::iter::once(&*self.reason).chain(&self.others)
    }

    /// All diagnostics, the reason first.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut all = vec![*self.reason];
        all.extend(self.others);
        all
    }
}

fn as_error(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.severity = Severity::Error;
    diagnostic
}

impl From<Diagnostic> for PassError {
    fn from(reason: Diagnostic) -> Self {
        Self::new(reason)
    }
}

impl From<Vec<Diagnostic>> for PassError {
    /// The first error among them is the reason; the others keep their order. An empty list is a
    /// failure without a reason, and says so.
    fn from(mut all: Vec<Diagnostic>) -> Self {
        if all.is_empty() {
            return Self::new(Diagnostic::error("E0524", "a pass failed and gave no reason"));
        }
        let first_error = all.iter().position(|diagnostic| diagnostic.severity == Severity::Error);
        let reason = all.remove(first_error.unwrap_or(0));
        Self { reason: Box::new(as_error(reason)), others: all }
    }
}

impl fmt::Display for PassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.reason)?;
        self.others.iter().try_for_each(|other| write!(f, "\n\n{other}"))
    }
}

impl std::error::Error for PassError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_of_a_list_is_the_reason() {
        let list = vec![Diagnostic::note("N1", "first"), Diagnostic::error("E1", "second")];
        let error = PassError::from(list);
        assert_eq!(error.reason().code, "E1");
        assert_eq!(error.diagnostics().count(), 2);
    }

    #[test]
    fn an_empty_list_still_gives_a_reason() {
        assert_eq!(PassError::from(Vec::new()).reason().severity, Severity::Error);
    }
}
