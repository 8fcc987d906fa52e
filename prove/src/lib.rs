//! Proves, for one program at hand, that the plan of a pipeline stage means what the program meant.

mod compare;
mod cone;
mod findings;
mod lemma;
mod lifetime;
mod machine;
mod normal;
pub mod numeric;
mod ops;
mod options;
mod original;
mod plan_run;
mod proof;
pub mod ranks;
mod report;
mod store;
mod streams;
mod structure;
mod terms;
mod verdict;
mod world;

use std::sync::Arc;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::Program;
use pirogue_plan::Plan;

use proof::Effort;
use report::{Places, Report};

pub use lemma::{Lemma, Transposes};
pub use options::Options;
pub use verdict::{Outcome, Verdict};

/// Whether the plan means what the program meant: after a step of the plan's jobs every variable that
/// outlives it, every named output of every micro-batch and every message is what running the program
/// for each micro-batch, and its optimizer once, gives.
pub fn prove(original: &Program, plan: &Plan, options: &Options) -> Verdict {
    if !Arc::ptr_eq(original.context(), plan.context()) {
        return Verdict::refused(other_context());
    }
    let decided = proof::of_plan(original, plan, options, Effort::Decide);
    let mut attempt = match decided.differences.is_empty() {
        true => decided,
        false => proof::of_plan(original, plan, options, Effort::Explain),
    };
    let report = Report {
        places: Places::of_plan(original, plan),
        attempt: &mut attempt,
        streams: streams::faults(plan),
        miscounts: structure::miscounts(plan),
    };
    report.verdict(plan.options().num_micro_batches)
}

/// Whether two programs mean the same, each run once from its first op to its last: the variables that
/// outlive a run, the outputs that the original names, and what others see.
pub fn equivalent(original: &Program, other: &Program) -> Verdict {
    if !Arc::ptr_eq(original.context(), other.context()) {
        return Verdict::refused(other_context());
    }
    let decided = proof::of_programs(original, other, Effort::Decide);
    let mut attempt = match decided.differences.is_empty() {
        true => decided,
        false => proof::of_programs(original, other, Effort::Explain),
    };
    let report = Report {
        places: Places::of_programs(original, other),
        attempt: &mut attempt,
        streams: Vec::new(),
        miscounts: Vec::new(),
    };
    report.verdict(1)
}

fn other_context() -> Diagnostic {
    Diagnostic::error("E0716", "the programs are of two contexts")
        .help("read or make all programs in one context")
}
