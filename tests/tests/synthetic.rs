//! The program that the benches run on is a program, and can be planned.
//!
//! Its ops leave out operands that Paddle's have, which is worth a warning and no more.

use pirogue::diagnostic::{Diagnostic, Severity};
use pirogue::ir::{Context, Program, Rewriter, verify};
use pirogue::text;
use pirogue_passes::pipeline_scheduler_vpp::PipelineSchedulerVpp;
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

#[test]
fn it_becomes_25_programs_with_a_split_backward() {
    let source = synthetic::program(2255);
    let read = text::read_program(&Context::new(), "synthetic.pir", source.as_bytes());
    let mut program = read.unwrap_or_else(|errors| panic!("{}", errors[0])).program;
    let pass = PipelineSchedulerVpp {
        pp_degree: 2,
        vpp_degree: 8,
        num_micro_batches: 2,
        split_backward: true,
        ..PipelineSchedulerVpp::default()
    };
    let planned = pass.plan(&mut Rewriter::new(&mut program));
    let (plan, _) = planned.unwrap_or_else(|errors| panic!("{}", errors[0]));
    assert_eq!(plan.programs().len(), 25);
    for (job_type, program) in plan.programs() {
        assert_eq!(errors(program), [], "{job_type}");
    }
}
