//! When a program is verified during a run, and what is said of one that does not verify.
//!
//! Errors of the verifier stop a run. Its warnings are told once each: what is odd in the input is
//! not told again after every pass.

use super::{PassError, Session};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ir::{Program, Rewriter, verify, verify_ops};

/// How many faults of a program are shown.
const MOST_FAULTS: usize = 20;

/// How much of the program is verified, and when.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// Nothing.
    Off,
    /// All of it at both ends of a pipeline.
    Ends,
    /// All of it at both ends of a pipeline; after each pass the ops that it made or changed.
    #[default]
    Touched,
    /// All of it at the beginning and after each pass that changed it.
    Full,
}

/// Verifies what a pipeline begins with.
pub(super) fn verify_input(program: &Program, session: &mut Session) -> Result<(), PassError> {
    judge(verify(program), session, || {
        Diagnostic::error("E0522", "the program does not verify, so that no pass was run on it")
    })
}

/// Whether a pass touched so much that verifying all of the program is the cheaper way: looking at
/// one op and its surroundings costs about ten times what it costs in passing.
pub(super) fn is_mostly_touched(rewriter: &Rewriter<'_>) -> bool {
    let few = rewriter.program().op_count() / 10;
    rewriter.touched().nth(few).is_some()
}

/// Verifies the ops that a pass made or changed.
pub(super) fn verify_touched(
    rewriter: &Rewriter<'_>,
    pass: &str,
    session: &mut Session,
) -> Result<(), PassError> {
    judge(verify_ops(rewriter.program(), rewriter.touched()), session, || {
        Diagnostic::error("E0517", format!("`{pass}` left a program that does not verify"))
            .help("this is a fault of the pass; its changes were taken back")
    })
}

/// Verifies all of the program that a pass leaves.
pub(super) fn verify_changed(
    rewriter: &Rewriter<'_>,
    pass: &str,
    session: &mut Session,
) -> Result<(), PassError> {
    let Err(elsewhere) = verify_all(rewriter.program(), pass, session) else { return Ok(()) };
    verify_touched(rewriter, pass, session).and(Err(elsewhere))
}

/// Verifies all of a program behind a step that did not break what it touched.
pub(super) fn verify_all(
    program: &Program,
    pass: &str,
    session: &mut Session,
) -> Result<(), PassError> {
    judge(verify(program), session, || {
        let message =
            format!("the program does not verify after `{pass}`, though what it touched does");
        Diagnostic::error("E0517", message)
            .help("with full verification after each pass, the pass that broke it is named")
    })
}

/// Tells the warnings; errors follow a head that says whose they are.
fn judge(
    faults: Vec<Diagnostic>,
    session: &mut Session,
    head: impl FnOnce() -> Diagnostic,
) -> Result<(), PassError> {
    let is_error = |fault: &Diagnostic| fault.severity == Severity::Error;
    let (errors, warnings): (Vec<Diagnostic>, Vec<Diagnostic>) =
        faults.into_iter().partition(is_error);
    warnings.into_iter().for_each(|warning| session.report_once(warning));
    if errors.is_empty() {
        return Ok(());
    }
    let mut head = head();
    if let more @ 1.. = errors.len().saturating_sub(MOST_FAULTS) {
        head = head.remark(format!("the first {MOST_FAULTS} faults follow; there are {more} more"));
    }
    let shown = errors.into_iter().take(MOST_FAULTS);
    Err(shown.fold(PassError::new(head), PassError::and))
}
