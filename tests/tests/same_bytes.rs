//! What comes out depends on the program and the pipeline alone: not on the number of threads, not
//! on the order in which uses are listed, not on who was registered first. On all recorded programs.

use std::fmt::Write as _;

use pirogue::ir::{Context, Program, UseOrder};
use pirogue::pass::{Input, PassManager, Pipeline, Registry, Session};
use pirogue::text;
use pirogue_passes::complete_op_roles::CompleteOpRoles;
use pirogue_passes::infer_chunk_ids::InferChunkIds;
use pirogue_passes::overlap_send_recv::OverlapSendRecv;
use pirogue_passes::pipeline_scheduler_vpp::PipelineSchedulerVpp;
use pirogue_passes::split_matmul_grad::SplitMatmulGrad;
use pirogue_plan::Plan;
use pirogue_system_tests::corpus::{self, Case};

fn registry() -> Registry {
    let mut registry = Registry::new();
    pirogue_passes::register(&mut registry).expect("the names differ");
    registry
}

/// The passes of the pipelines below, the last one first.
fn backwards() -> Registry {
    let mut registry = Registry::new();
    let registered = registry
        .register::<PipelineSchedulerVpp>()
        .and_then(|()| registry.register::<SplitMatmulGrad>())
        .and_then(|()| registry.register::<OverlapSendRecv>())
        .and_then(|()| registry.register::<InferChunkIds>())
        .and_then(|()| registry.register::<CompleteOpRoles>());
    registered.expect("the names differ");
    registry
}

/// A pipeline that makes the plan of a case, and goes on with its programs.
fn pipeline(case: &Case) -> String {
    let config = &case.config;
    format!(
        "pipeline_scheduler_VPP{{pp_degree={} pp_stage={} vpp_degree={} num_micro_batches={} \
         split_backward={}}},jobs[forward*, backward*](complete_op_roles,infer_chunk_ids,\
         overlap_send_recv,split_matmul_grad)",
        config.pp_degree,
        config.pp_stage,
        config.vpp_degree,
        config.num_micro_batches,
        config.split_backward,
    )
}

fn program(case: &Case) -> Program {
    let input = case.input.get().expect("inputs are recorded");
    let read = text::read_program(&Context::new(), "input.pir", input.as_bytes());
    read.unwrap_or_else(|errors| panic!("{}", errors[0])).program
}

/// All that a run leaves, as text.
fn outcome(registry: &Registry, case: &Case, threads: usize, mut program: Program) -> String {
    let pipeline = Pipeline::parse(registry, &pipeline(case));
    let pipeline = pipeline.unwrap_or_else(|faults| panic!("{}", faults[0]));
    let mut session = Session::new();
    let result = PassManager::new(pipeline).threads(threads).run(&mut program, &mut session);
    let mut out = text::to_text(&program);
    for said in session.diagnostics() {
        let _ = writeln!(out, "{said}");
    }
    let _ = writeln!(out, "{}", session.statistics());
    if let Err(failure) = result {
        let _ = writeln!(out, "{failure}");
        out += &failure.reproducer().map(|reproducer| reproducer.text()).unwrap_or_default();
    }
    if let Ok(plan) = session.get::<Plan>() {
        describe(plan, &mut out);
    }
    out
}

fn describe(plan: &Plan, out: &mut String) {
    for (job_type, program) in plan.programs() {
        let _ = writeln!(out, "{job_type}\n{}", text::to_text(program));
    }
    for (index, job) in plan.jobs().iter().enumerate() {
        let names = plan.skip_gc_vars(index).iter().map(|&name| plan.context().name_text(name));
        let _ = writeln!(out, "{job} {:?}", names.collect::<Vec<_>>());
    }
}

/// Holds what two ways of running give against each other, on all cases.
fn same_on_all(usual: impl Fn(&Case) -> String, other: impl Fn(&Case) -> String) {
    let cases = corpus::cases();
    let mut planned = 0;
    for case in &cases {
        let (usual, other) = (usual(case), other(case));
        assert!(usual == other, "{}\n{}", case.case, first_difference(&usual, &other));
        planned += usize::from(usual.contains("\noptimizer\n"));
    }
    assert!(planned > 100, "most cases have a plan");
}

fn first_difference(a: &str, b: &str) -> String {
    let lines = a.lines().zip(b.lines()).find(|(a, b)| a != b);
    lines.map_or("one is longer".to_owned(), |(a, b)| format!("{a}\n{b}"))
}

#[test]
fn with_any_number_of_threads() {
    let registry = registry();
    for threads in [2, 3, 16] {
        same_on_all(
            |case| outcome(&registry, case, 1, program(case)),
            |case| outcome(&registry, case, threads, program(case)),
        );
    }
}

#[test]
fn with_uses_listed_in_any_order() {
    let registry = registry();
    for seed in 1..4 {
        same_on_all(
            |case| outcome(&registry, case, 1, program(case)),
            |case| {
                let mut program = program(case);
                program.reorder_uses(UseOrder::Shuffled(seed));
                outcome(&registry, case, 1, program)
            },
        );
    }
}

#[test]
fn whoever_was_registered_first() {
    let (usual, backwards) = (registry(), backwards());
    same_on_all(
        |case| outcome(&usual, case, 1, program(case)),
        |case| outcome(&backwards, case, 1, program(case)),
    );
    let known = |registry: &Registry| {
        let names = backwards.iter().map(|info| info.name.clone());
        names.map(|name| registry.help(&name).expect("it is registered")).collect::<Vec<_>>()
    };
    assert_eq!(known(&usual), known(&backwards));
}

/// One context for all: what is interned first depends on the threads, what comes out must not.
#[test]
fn of_several_inputs_in_one_context() {
    let cases = corpus::cases();
    let run = |threads: usize| {
        let context = Context::new();
        let read = |case: &Case| {
            let input = case.input.get().expect("inputs are recorded");
            let read = text::read_program(&context, "input.pir", input.as_bytes());
            read.unwrap_or_else(|errors| panic!("{}", errors[0])).program
        };
        let mut programs: Vec<Program> = cases.iter().map(read).collect();
        let mut sessions: Vec<Session> = cases.iter().map(|_| Session::new()).collect();
        let inputs = programs.iter_mut().zip(&mut sessions);
        let inputs = inputs.map(|(program, session)| Input { program, session }).collect();
        let text = "complete_op_roles,infer_chunk_ids,overlap_send_recv,split_matmul_grad";
        let pipeline = Pipeline::parse(&registry(), text);
        let pipeline = pipeline.unwrap_or_else(|faults| panic!("{}", faults[0]));
        let outcomes = PassManager::new(pipeline).threads(threads).run_each(inputs);
        let all = programs.iter().zip(&sessions).zip(outcomes);
        let texts = all.map(|((program, session), outcome)| {
            let said: Vec<String> = session.diagnostics().iter().map(ToString::to_string).collect();
            let failure = outcome.err().map(|failure| failure.to_string()).unwrap_or_default();
            format!("{}{}{failure}", text::to_text(program), said.join("\n"))
        });
        texts.collect::<Vec<String>>()
    };
    let one = run(1);
    for threads in [2, 16] {
        assert!(run(threads) == one, "{threads} threads");
    }
}
