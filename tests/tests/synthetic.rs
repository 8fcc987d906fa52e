//! The program that the benches run on is a program, and can be planned.
//!
//! Its ops leave out operands that Paddle's have, which is worth a warning and no more.

use std::num::NonZeroUsize;

use pirogue::diagnostic::{Diagnostic, Severity};
use pirogue::ir::{Context, Program, Rewriter, verify};
use pirogue::text;
use pirogue_passes::pipeline_scheduler_vpp::PipelineSchedulerVpp;
use pirogue_plan::Plan;
use pirogue_system_tests::synthetic;

fn errors(program: &Program) -> Vec<Diagnostic> {
    verify(program).into_iter().filter(|found| found.severity == Severity::Error).collect()
}

/// 2,255 ops are 50 layers: enough for each of the eight chunks to have some.
#[test]
fn it_comes_back_and_verifies() {
    let source = synthetic::program(2255);
    let read = text::read_program(&Context::new(), "synthetic.pir", source.as_bytes());
    let program = read.unwrap_or_else(|errors| panic!("{}", errors[0])).program;
    assert_eq!(program.op_count(), 2255);
    assert_eq!(text::to_text(&program), source);
    assert_eq!(errors(&program), []);
}

fn plan(ops: usize, threads: usize) -> Plan {
    let source = synthetic::program(ops);
    let read = text::read_program(&Context::new(), "synthetic.pir", source.as_bytes());
    let mut program = read.unwrap_or_else(|errors| panic!("{}", errors[0])).program;
    let pass = PipelineSchedulerVpp {
        pp_degree: 2,
        vpp_degree: 8,
        num_micro_batches: 2,
        split_backward: true,
        ..PipelineSchedulerVpp::default()
    };
    let threads = NonZeroUsize::new(threads).expect("one at least");
    let planned = pass.plan(&mut Rewriter::new(&mut program), threads);
    planned.unwrap_or_else(|errors| panic!("{}", errors[0])).0
}

#[test]
fn it_becomes_25_programs_with_a_split_backward() {
    let plan = plan(2255, 1);
    assert_eq!(plan.programs().len(), 25);
    for (job_type, program) in plan.programs() {
        assert_eq!(errors(program), [], "{job_type}");
    }
}

#[test]
fn its_plan_is_the_same_from_any_number_of_threads() {
    let [one, four] = [1, 4].map(|threads| plan(9005, threads));
    let same = one.programs().zip(four.programs());
    for ((job_type, one), (_, four)) in same {
        assert!(text::to_bytes(one) == text::to_bytes(four), "{job_type}");
    }
    assert_eq!(one.programs().len(), four.programs().len());
    assert_eq!(one.jobs(), four.jobs());
}
