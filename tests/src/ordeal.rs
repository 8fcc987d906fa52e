//! What every input must survive, however hostile: it is read, or a coded diagnostic says why not; what
//! is read verifies or says why not, comes back from text, and is planned or refused.

use std::num::NonZeroUsize;

use pirogue::diagnostic::{Diagnostic, Severity};
use pirogue::ir::{CompareOptions, Context, Numbers, Program, Rewriter, compare_with, verify};
use pirogue::json::{WriteError, WriteOptions};
use pirogue::{json, text};
use pirogue_passes::pipeline_scheduler_vpp::PipelineSchedulerVpp;

/// How far an input got.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reached {
    /// It was refused when it was read.
    Refused,
    /// It was read, and does not verify or cannot be planned.
    Read,
    /// It was planned.
    Planned,
}

/// Puts an input, text or JSON, through everything.
///
/// # Panics
/// If anything does not hold.
pub fn survives(bytes: &[u8]) -> Reached {
    let context = Context::new();
    let is_json = json::is_json(bytes);
    let read = if is_json {
        json::read_program(&context, "hostile.json", bytes).map(|read| read.program)
    } else {
        text::read_program(&context, "hostile.pir", bytes).map(|read| read.program)
    };
    match read {
        Ok(program) => {
            // JSON may hold names and words that text cannot tell apart.
            if !is_json {
                comes_back_from_text(&program);
                comes_back_from_json(&program);
            }
            if plan(program) { Reached::Planned } else { Reached::Read }
        }
        Err(errors) => {
            assert!(!errors.is_empty(), "a refusal says why");
            are_coded(&errors);
            Reached::Refused
        }
    }
}

fn comes_back_from_text(program: &Program) {
    let printed = text::to_bytes(program);
    let again = text::read_program(&Context::new(), "again.pir", &printed)
        .unwrap_or_else(|errors| panic!("what was printed cannot be read: {}", errors[0]));
    let printed_again = text::to_bytes(&again.program);
    let [first, second] = [&printed, &printed_again].map(|bytes| String::from_utf8_lossy(bytes));
    let differing = first.lines().zip(second.lines()).find(|(a, b)| a != b);
    assert!(printed == printed_again, "it does not print back: {differing:?}");
    is_equal(program, &again.program, Numbers::AsPrinted);
}

/// What JSON cannot hold is refused; all else comes back.
fn comes_back_from_json(program: &Program) {
    let mut bytes = Vec::new();
    match json::write_program(program, &mut bytes, WriteOptions::default()) {
        Ok(()) => {}
        Err(error @ WriteError::Unsayable { .. }) => {
            return are_coded(&[error.diagnostic(program)]);
        }
        Err(WriteError::Sink(error)) => panic!("a vector takes all that is written: {error}"),
    }
    let again = json::read_program(&Context::new(), "again.json", &bytes)
        .unwrap_or_else(|errors| panic!("what was written cannot be read: {}", errors[0]));
    is_equal(program, &again.program, Numbers::AsPrinted);
}

fn is_equal(first: &Program, second: &Program, numbers: Numbers) {
    if let Err(difference) = compare_with(first, second, CompareOptions { numbers }) {
        panic!("it comes back as another program: {difference}");
    }
}

/// Whether a program verifies and can be planned.
fn plan(mut program: Program) -> bool {
    let faults = verify(&program);
    if faults.iter().any(|fault| fault.severity == Severity::Error) {
        are_coded(&faults);
        return false;
    }
    let pass = PipelineSchedulerVpp {
        pp_degree: 2,
        vpp_degree: 2,
        num_micro_batches: 2,
        split_backward: program.op_count().is_multiple_of(2),
        ..PipelineSchedulerVpp::default()
    };
    match pass.plan(&mut Rewriter::new(&mut program), NonZeroUsize::MIN) {
        Ok((plan, remarks)) => {
            are_coded(&remarks);
            for (job_type, program) in plan.programs() {
                let faults = verify(program);
                let errors: Vec<&Diagnostic> =
                    faults.iter().filter(|fault| fault.severity == Severity::Error).collect();
                assert!(errors.is_empty(), "{job_type}: {}", errors[0]);
            }
            true
        }
        Err(errors) => {
            assert!(!errors.is_empty(), "a refusal says why");
            are_coded(&errors);
            false
        }
    }
}

/// Each diagnostic has a code and a message, and can be shown.
///
/// # Panics
/// If one has not.
pub fn are_coded(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        let digits = diagnostic.code.get(1..).unwrap_or_default();
        assert!(
            digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()),
            "{}",
            diagnostic.code
        );
        assert!(!diagnostic.message.is_empty());
        let shown = diagnostic.to_string();
        assert!(shown.contains(diagnostic.code.as_ref()), "{shown}");
    }
}
