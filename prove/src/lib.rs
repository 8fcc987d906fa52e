//! Proves, for one program at hand, that the plan of a pipeline stage means what the program meant.

mod lemma;
pub mod numeric;
mod options;
pub mod ranks;
mod verdict;

use pirogue::ir::Program;
use pirogue_plan::Plan;

pub use lemma::{Lemma, Transposes};
pub use options::Options;
pub use verdict::{Outcome, Verdict};

/// Whether the plan means what the program meant.
pub fn prove(original: &Program, plan: &Plan, options: &Options) -> Verdict {
    let _ = (original, plan, options);
    unimplemented!("on its way")
}

/// Whether two programs mean the same.
pub fn equivalent(original: &Program, other: &Program) -> Verdict {
    let _ = (original, other);
    unimplemented!("on its way")
}
