//! Judging what is made while passes run: each pass by itself, and the plan that one of them leaves.
//!
//! [`begin`] adds the observers to a session before the run; [`faults`] asks them, and judges the
//! plan, when it is over. [`ProveEach`] and [`KeepOriginal`] can also be added and asked one by one.

mod keep_original;
mod prove_each;

use pirogue::diagnostic::Diagnostic;
use pirogue::pass::Session;
use pirogue_plan::Plan;

use crate::{Options, prove};
pub use keep_original::KeepOriginal;
pub use prove_each::{PassProof, ProveEach};

/// Lets a session see what its passes do.
pub fn begin(session: &mut Session) {
    session.observe(ProveEach::default());
    session.observe(KeepOriginal::default());
}

/// All that is wrong with what the passes of a run did and with the plan that they left, if they did.
/// Empty if the session was not [told to watch](begin).
pub fn faults(session: &Session) -> Vec<Diagnostic> {
    let mut faults: Vec<Diagnostic> =
        session.observer::<ProveEach>().into_iter().flat_map(ProveEach::faults).collect();
    let original = session.observer::<KeepOriginal>().and_then(KeepOriginal::cut);
    if let (Some(original), Ok(plan)) = (original, session.get::<Plan>()) {
        faults.extend(prove(original, plan, &Options::default()).faults);
    }
    faults
}
