//! Plans from the outside: made, written and read.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod folder_read;
mod folder_write;
mod plan;
mod skip_gc;

use std::sync::Arc;

use pirogue::ir::{Context, Program};
use pirogue::text;
use pirogue_plan::{Plan, PlanOptions, SkipGcRule};
use pirogue_schedule::{Job, JobType};

fn options() -> PlanOptions {
    PlanOptions {
        schedule: "VPP".into(),
        pp_degree: 2,
        pp_stage: 1,
        vpp_degree: 2,
        num_micro_batches: 2,
        split_backward: false,
    }
}

/// A program with these lines in its braces.
fn program(context: &Arc<Context>, lines: &str) -> Program {
    let read = text::read_program(context, "test", format!("{{\n{lines}\n}}\n").as_bytes());
    read.unwrap_or_else(|faults| panic!("{}", faults[0])).program
}

fn programs(context: &Arc<Context>, texts: &[(&str, &str)]) -> Vec<(JobType, Program)> {
    let made =
        |(job_type, lines): &(&str, &str)| (job_type.parse().unwrap(), program(context, lines));
    texts.iter().map(made).collect()
}

fn jobs(text: &str) -> Vec<Job> {
    text.split_whitespace().map(|job| job.parse().unwrap()).collect()
}

/// One chunk, forward and backward, two micro-batches.
fn small_plan(context: &Arc<Context>) -> Plan {
    let texts = [
        (
            "forward0",
            r#"(%0) = "pd_op.data" () {name:"x"} : () -> tensor<2xf32>
               (%1) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
               () = "builtin.shadow_output" (%1) {output_name:"a \"é\""} : (tensor<2xf32>) -> "#,
        ),
        (
            "backward0",
            r#"^kw:
               %kwarg_a "é" {persistable:false}
               (%0) = "pd_op.tanh" (%kwarg_a "é") {} : (tensor<2xf32>) -> tensor<2xf32>"#,
        ),
        ("optimizer", ""),
    ];
    let jobs = jobs("forward0:0 forward0:1 backward0:0 backward0:1 optimizer:0");
    Plan::new(options(), programs(context, &texts), jobs, SkipGcRule::Paddle).unwrap()
}

/// The names that a job keeps.
fn kept(plan: &Plan, job: &str) -> Vec<String> {
    let job: Job = job.parse().unwrap();
    let index = plan.jobs().iter().position(|&other| other == job).unwrap();
    let text = |&name| plan.context().name_text(name).to_owned();
    plan.skip_gc_vars(index).iter().map(text).collect()
}
