//! When a program is verified during a run, and what is said of one that does not.

use super::PassError;
use crate::diagnostic::Diagnostic;
use crate::ir::{Program, Rewriter, verify, verify_ops};

/// How much of the program is verified, and when.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// Nothing.
    Off,
    /// All of it at both ends of a pipeline; after each pass the ops that it made or changed.
    #[default]
    Touched,
    /// All of it at the beginning and after each pass that changed it.
    Full,
}

/// Verifies what a pipeline begins with.
pub(super) fn verify_input(program: &Program) -> Result<(), PassError> {
    let faults = verify(program);
    if faults.is_empty() {
        return Ok(());
    }
    let head =
        Diagnostic::error("E0522", "the program does not verify, so that no pass was run on it");
    Err(following(head, faults))
}

/// Verifies the ops that a pass made or changed.
pub(super) fn verify_touched(rewriter: &Rewriter<'_>, pass: &str) -> Result<(), PassError> {
    let faults = verify_ops(rewriter.program(), rewriter.touched());
    if faults.is_empty() {
        return Ok(());
    }
    let head = Diagnostic::error("E0517", format!("`{pass}` left a program that does not verify"))
        .help("this is a fault of the pass; its changes were taken back");
    Err(following(head, faults))
}

/// Verifies all of the program that a pass leaves, what it touched being well.
pub(super) fn verify_all(program: &Program, pass: &str) -> Result<(), PassError> {
    let faults = verify(program);
    if faults.is_empty() {
        return Ok(());
    }
    let message =
        format!("the program does not verify after `{pass}`, though the ops that it changed do");
    let head = Diagnostic::error("E0517", message)
        .help("with full verification after each pass, the pass that broke it is named");
    Err(following(head, faults))
}

fn following(head: Diagnostic, faults: Vec<Diagnostic>) -> PassError {
    faults.into_iter().fold(PassError::new(head), PassError::and)
}
