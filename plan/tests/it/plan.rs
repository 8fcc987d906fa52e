//! Making plans, and what is wrong with parts that make none.

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::Context;
use pirogue::pass::ProgramSet;
use pirogue::text;
use pirogue_plan::{Plan, PlanOptions, PlanParts, SkipGcRule};

use super::{jobs, kept, options, program, programs, small_plan};

fn parts(types: &[&str], job_list: &str) -> PlanParts {
    let context = Context::new();
    let texts: Vec<(&str, &str)> = types.iter().map(|&job_type| (job_type, "")).collect();
    PlanParts { options: options(), programs: programs(&context, &texts), jobs: jobs(job_list) }
}

fn refusal(parts: PlanParts) -> String {
    let error = Plan::from_parts(parts, SkipGcRule::Paddle).unwrap_err();
    let (code, text) = (error.code(), error.to_string());
    let diagnostic = Diagnostic::from(error);
    assert_eq!((diagnostic.code.as_ref(), &diagnostic.message), (code, &text));
    assert!(diagnostic.help.is_some());
    format!("{code}: {text}")
}

#[test]
fn a_plan_gives_back_what_it_is_made_from() {
    let plan = small_plan(&Context::new());
    assert_eq!(plan.names(), ["forward0", "backward0", "optimizer"]);
    assert_eq!(plan.programs().len(), 3);
    assert_eq!(plan.program("forward0".parse().unwrap()).unwrap().op_count(), 3);
    assert!(plan.program("forward1".parse().unwrap()).is_none());
    assert_eq!(plan.jobs()[1].to_string(), "forward0:1");
    assert_eq!(plan.options(), &options());
    let again = Plan::from_parts(plan.clone().into_parts(), SkipGcRule::Paddle).unwrap();
    assert!(again.skip_gc_sets().eq(plan.skip_gc_sets()));
}

#[test]
fn a_job_without_a_program_is_refused() {
    let found = refusal(parts(&["forward0"], "forward0:0 forward1:0"));
    assert_eq!(
        found,
        "E0635: job 1, `forward1:0`, has no program: the plan has none of the type `forward1`"
    );
}

#[test]
fn two_programs_of_a_type_are_refused() {
    let found = refusal(parts(&["forward0", "forward1", "forward0"], ""));
    assert_eq!(found, "E0632: two programs are of the job type `forward0`");
}

#[test]
fn a_micro_batch_out_of_range_is_refused() {
    let found = refusal(parts(&["forward0"], "forward0:0 forward0:2"));
    assert_eq!(
        found,
        "E0636: job 1, `forward0:2`, is of no micro-batch: there are 2, counted from 0"
    );
}

#[test]
fn a_chunk_out_of_range_is_refused() {
    let found = refusal(parts(&["forward0", "forward2"], ""));
    assert_eq!(found, "E0634: the program of `forward2` is of no chunk of the stage, which has 2");
}

#[test]
fn a_plan_without_programs_is_refused() {
    assert_eq!(refusal(parts(&[], "")), "E0631: a plan needs a program, but none was given");
}

#[test]
fn programs_of_two_contexts_are_refused() {
    let mut parts = parts(&["forward0"], "");
    parts.programs.push(("forward1".parse().unwrap(), program(&Context::new(), "")));
    assert_eq!(
        refusal(parts),
        "E0633: the program of `forward1` is of another context than the first program"
    );
}

#[test]
fn counts_out_of_range_are_refused_as_the_schedule_refuses_them() {
    let with = |change: fn(&mut PlanOptions)| {
        let mut parts = parts(&["forward0"], "");
        change(&mut parts.options);
        refusal(parts)
    };
    assert!(with(|options| options.num_micro_batches = 0).starts_with("E0301"));
    assert!(with(|options| options.num_micro_batches = u32::MAX).starts_with("E0303"));
    let stage = with(|options| options.pp_stage = 2);
    assert_eq!(stage, "E0305: there is no stage 2: the schedule has 2 stages, counted from 0");
}

#[test]
fn kept_names_are_derived_anew_when_programs_are_replaced() {
    let context = Context::new();
    let mut plan = small_plan(&context);
    assert_eq!(kept(&plan, "forward0:0"), ["a \"é\""]);
    plan.replace(vec![(1, program(&context, ""))]).unwrap();
    assert!(kept(&plan, "forward0:0").is_empty());
    assert_eq!(ProgramSet::program(&plan, 1).op_count(), 0);
}

#[test]
fn a_program_of_another_context_is_not_let_in() {
    let context = Context::new();
    let mut plan = small_plan(&context);
    let strangers = vec![(2, program(&context, "")), (1, program(&Context::new(), ""))];
    let before = text::to_text(ProgramSet::program(&plan, 1));
    let error = plan.replace(strangers).unwrap_err();
    assert_eq!(error.reason().code, "E0633");
    assert!(error.to_string().contains("`backward0`"));
    assert_eq!(text::to_text(ProgramSet::program(&plan, 1)), before);
}
