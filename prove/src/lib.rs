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
use pirogue_schedule::Job;

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
    let mut attempt = proof::attempt(original, plan, options, Effort::Decide);
    if !attempt.differences.is_empty() {
        attempt = proof::attempt(original, plan, options, Effort::Explain);
    }
    let programs = plan.programs().map(|(job_type, program)| (job_type.to_string(), program));
    let jobs = plan.jobs().iter().map(Job::to_string).collect();
    let report = Report {
        places: Places::new(original, programs, jobs),
        attempt: &mut attempt,
        streams: streams::faults(plan),
        miscounts: structure::miscounts(plan),
    };
    report.verdict(plan)
}

/// Whether two programs mean the same.
pub fn equivalent(original: &Program, other: &Program) -> Verdict {
    let _ = (original, other);
    unimplemented!("on its way")
}

fn other_context() -> Diagnostic {
    Diagnostic::error("E0716", "the original and the plan are of two contexts")
        .help("read or make all programs in one context")
}
