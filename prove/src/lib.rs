//! Proves, for one program at hand, that the plan of a pipeline stage means what the program meant.
//!
//! Passes that split a program are trusted blindly almost everywhere, and real ones lose gradients, free
//! values early and read what is not there yet. Here both sides are run on *terms*: a term says what a
//! value is computed from, and two values are equal exactly if their terms are. The original is run for
//! each micro-batch and its optimizer once, the plan job by job, with the names, the garbage collection
//! and the streams of the executor. What can be observed must come out equal: every variable that
//! outlives the step, every named output of every micro-batch, every message.
//!
//! 1. [`prove`] judges a plan, [`equivalent`] two programs; both give a [`Verdict`].
//! 2. [`ranks`] judges the plans of all stages together: what they really send and receive.
//! 3. [`watch`] judges passes while they run, each by itself, and the plan that they leave.
//! 4. [`numeric`] runs programs and plans on numbers: a second opinion that shares no code with the first.
//!
//! How it works, from the bottom: `terms` is the table of terms; `normal` puts those that a split may
//! write in several ways into one form, each form a law of tensors; `machine` runs a program on terms;
//! `store` holds the variables and the sums that micro-batches add to them; `original` and `plan_run`
//! run the two sides; `lifetime` and `streams` find reads of freed values and races; `compare`, `cone`
//! and `report` find the differences and tell them.
//!
//! A proof takes a microsecond or two for each op of the program and of the plan, however many
//! micro-batches there are: those that do the same are run as one.
//!
//! # Example
//! ```
//! use pirogue::{ir::Context, text};
//! use pirogue_plan::{Plan, PlanOptions, SkipGcRule};
//! use pirogue_prove::{Options, Outcome, prove};
//!
//! let context = Context::new();
//! let read = |source: &str| text::read_program(&context, "", source.as_bytes());
//! let original = read(r#"{
//!     (%0) = "pd_op.data" () {name:"x"} : () -> tensor<2xf32>
//!     (%1) = "pd_op.relu" (%0) {op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
//!     (%2) = "pd_op.tanh" (%1) {op_role:1} : (tensor<2xf32>) -> tensor<2xf32>
//!     () = "builtin.shadow_output" (%2) {output_name:"out"} : (tensor<2xf32>) ->
//! }"#).expect("it is well formed").program;
//! let forward = r#"{
//!     (%0) = "pd_op.data" () {name:"x"} : () -> tensor<2xf32>
//!     (%1) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
//!     () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<2xf32>) ->
//! }"#;
//! let backward = |kwarg: &str| format!(r#"{{
//!     ^kw:
//!         %kwarg_{kwarg} {{persistable:false}}
//!     (%0) = "pd_op.tanh" (%kwarg_{kwarg}) {{}} : (tensor<2xf32>) -> tensor<2xf32>
//!     () = "builtin.shadow_output" (%0) {{output_name:"out"}} : (tensor<2xf32>) ->
//! }}"#);
//! let plan = |kwarg: &str| {
//!     let programs = [
//!         ("forward0".parse().unwrap(), read(forward).expect("it is well formed").program),
//!         ("backward0".parse().unwrap(), read(&backward(kwarg)).expect("it is well formed").program),
//!     ];
//!     let options = PlanOptions {
//!         schedule: "VPP".into(),
//!         pp_degree: 1,
//!         pp_stage: 0,
//!         vpp_degree: 1,
//!         num_micro_batches: 1,
//!         split_backward: false,
//!     };
//!     let jobs = vec!["forward0:0".parse().unwrap(), "backward0:0".parse().unwrap()];
//!     Plan::new(options, programs, jobs, SkipGcRule::Paddle).expect("it is a plan")
//! };
//!
//! assert_eq!(prove(&original, &plan("y"), &Options::default()).outcome, Outcome::Proved);
//!
//! // Nobody leaves a value under the name `z`.
//! let verdict = prove(&original, &plan("z"), &Options::default());
//! assert_eq!(verdict.outcome, Outcome::Refuted);
//! assert_eq!(verdict.faults[0].code, "E0702");
//! ```

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
pub mod watch;
mod world;

use std::sync::Arc;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::Program;
use pirogue_plan::Plan;

use proof::Effort;
use report::{Places, Report};

pub use lemma::{Lemma, Transposes};
pub use options::{MicroBatches, Options};
pub use verdict::{Outcome, Verdict};

/// Whether the plan means what the program meant: after a step of the plan's jobs every variable that
/// outlives it, every named output of every micro-batch and every message is what running the program
/// for each micro-batch, and its optimizer once, gives.
pub fn prove(original: &Program, plan: &Plan, options: &Options) -> Verdict {
    if !Arc::ptr_eq(original.context(), plan.context()) {
        return Verdict::refused(vec![other_context()]);
    }
    let miscounts = structure::miscounts(plan);
    // A micro-batch without a job is not worth the memory that running it would take.
    if plan.options().num_micro_batches as usize > plan.jobs().len() {
        return Verdict::refused(report::miscounted(&miscounts));
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
        miscounts,
    };
    report.verdict(plan.options().num_micro_batches)
}

/// Whether two programs mean the same, each run once from its first op to its last: the variables that
/// outlive a run, the outputs that the original names, and what others see.
pub fn equivalent(original: &Program, other: &Program) -> Verdict {
    if !Arc::ptr_eq(original.context(), other.context()) {
        return Verdict::refused(vec![other_context()]);
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
