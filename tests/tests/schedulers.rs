//! Plans by any schedule, on every recorded program that has a plan.

use std::num::NonZeroUsize;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Context, Program, Rewriter, names, verify};
use pirogue::text;
use pirogue_passes::pipeline_scheduler::PipelineScheduler;
use pirogue_plan::Plan;
use pirogue_schedule::families::FAMILIES;
use pirogue_schedule::{Job, JobKind, Stage};
use pirogue_system_tests::corpus::{self, Case};

fn input(case: &Case) -> Program {
    let input = case.input.get().expect("inputs are recorded");
    let read = text::read_program(&Context::new(), "input.pir", input.as_bytes());
    read.unwrap_or_else(|errors| panic!("{}: {}", case.case, errors[0])).program
}

type Planned = Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>>;

fn by_vpp(case: &Case) -> Planned {
    case.scheduler().plan(&mut Rewriter::new(&mut input(case)), NonZeroUsize::MIN)
}

/// The pass for any schedule, with the counts of a case.
fn any(case: &Case) -> PipelineScheduler {
    PipelineScheduler {
        pp_degree: case.config.pp_degree,
        pp_stage: case.config.pp_stage,
        vpp_degree: case.config.vpp_degree,
        num_micro_batches: case.config.num_micro_batches,
        split_backward: case.config.split_backward,
        ..PipelineScheduler::default()
    }
}

fn by_any(case: &Case, pass: &PipelineScheduler) -> Planned {
    pass.plan(&mut Rewriter::new(&mut input(case)), NonZeroUsize::MIN)
}

/// Job types, programs and jobs as text.
fn shown(plan: &Plan) -> (Vec<(String, String)>, Vec<String>) {
    let programs =
        plan.programs().map(|(job_type, program)| (job_type.to_string(), text::to_text(program)));
    (programs.collect(), plan.jobs().iter().map(Job::to_string).collect())
}

#[test]
fn the_pass_for_any_schedule_plans_vpp_as_the_pass_for_vpp_does() {
    let mut plans = 0;
    for case in corpus::cases() {
        let generic = PipelineScheduler { schedule: "VPP".to_owned(), ..any(&case) };
        match (by_vpp(&case), by_any(&case, &generic)) {
            (Ok((vpp, _)), Ok((generic, _))) => {
                assert_eq!(shown(&vpp), shown(&generic), "{}", case.case);
                plans += 1;
            }
            (Err(vpp), Err(generic)) => {
                assert_eq!(vpp[0].code, generic[0].code, "{}", case.case);
            }
            (vpp, generic) => {
                panic!("{}: {} and {}", case.case, vpp.is_ok(), generic.is_ok());
            }
        }
    }
    assert!(plans > 100, "{plans} plans");
}

/// What a plan computes for each micro-batch does not depend on the schedule.
#[test]
fn every_family_plans_real_programs() {
    let mut plans = 0;
    for case in corpus::cases().iter().filter(|case| case.case.starts_with("real_")) {
        if case.config.split_backward || by_vpp(case).is_err() {
            continue;
        }
        let vpp_ops = by_vpp(case).map(|(plan, _)| own_ops(&plan)).expect("it has a plan");
        for family in FAMILIES {
            let pass = PipelineScheduler { schedule: family.name.to_owned(), ..any(case) };
            match by_any(case, &pass) {
                Ok((plan, _)) => {
                    for (job_type, program) in plan.programs() {
                        let faults = verify(program);
                        assert!(faults.is_empty(), "{} {job_type}: {}", family.name, faults[0]);
                    }
                    is_whole(&plan, case);
                    // Splitting a product makes more of it.
                    let is_split =
                        plan.jobs().iter().any(|job| job.kind() == JobKind::BackwardWeight);
                    let ops = own_ops(&plan);
                    assert!(
                        if is_split { ops > vpp_ops } else { ops == vpp_ops },
                        "{} {}: {ops} ops, VPP has {vpp_ops}",
                        case.case,
                        family.name
                    );
                    plans += 1;
                }
                // The family refuses the counts, its messages would be swapped, or each part lies on two stages.
                Err(errors) => {
                    let code = &*errors[0].code;
                    let known = ["E0304", "E0306", "E0362", "E0234", "E0205"].contains(&code)
                        || code.starts_with("E034");
                    assert!(known, "{} {}: {}", case.case, family.name, errors[0]);
                }
            }
        }
    }
    assert!(plans > 30, "{plans} plans");
}

/// The ops of all programs but those that save what crosses.
fn own_ops(plan: &Plan) -> usize {
    let ops = plan.programs().map(|(_, program)| {
        program.top_ops().filter(|&op| program.name(op) != names::SHADOW_OUTPUT).count()
    });
    ops.sum()
}

/// Every chunk runs forward once for each micro-batch, and backward once, whole or in halves; never both.
fn is_whole(plan: &Plan, case: &Case) {
    let count = |kind: JobKind| plan.jobs().iter().filter(|job| job.kind() == kind).count();
    let steps = (case.config.vpp_degree * case.config.num_micro_batches) as usize;
    assert_eq!(count(JobKind::Forward), steps);
    let (whole, input, weight) =
        (count(JobKind::Backward), count(JobKind::BackwardInput), count(JobKind::BackwardWeight));
    assert!((whole, input, weight) == (steps, 0, 0) || (whole, input, weight) == (0, steps, steps));
    assert_eq!(plan.options().stage(), Stage(case.config.pp_stage));
}

#[test]
fn a_schedule_of_a_file_is_planned_like_the_family_that_made_it() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("vpp.txt");
    let cases = corpus::cases();
    let case = cases.iter().find(|case| case.case == "real_pp2_vpp2_m4_r0").unwrap_or(&cases[0]);
    let counts = any(case);
    let vpp = pirogue_schedule::Vpp::new(
        counts.pp_degree.into(),
        counts.vpp_degree.into(),
        counts.num_micro_batches.into(),
        pirogue_schedule::BackwardMode::Whole,
    );
    let lists = vpp.expect("the case has these counts").schedule().to_string();
    std::fs::write(&path, lists).expect("there is room");
    let of_file = PipelineScheduler { schedule_file: path.display().to_string(), ..counts.clone() };
    let of_family = PipelineScheduler { schedule: "VPP".to_owned(), ..counts };
    let plans = [of_file, of_family].map(|pass| match by_any(case, &pass) {
        Ok((plan, _)) => shown(&plan),
        Err(errors) => panic!("{}", errors[0]),
    });
    assert_eq!(plans[0], plans[1]);
}
