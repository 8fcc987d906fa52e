//! Random damage to real inputs: a coded diagnostic or success, never a panic, and what is read comes
//! back equal.
//!
//! `MUTATION_SECONDS` (default 2) and `MUTATION_SEED` (default 1) set how long and from where. A run
//! says how many inputs it tried; the seed and the number of an input name it.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use pirogue::diagnostic::{Diagnostic, Severity};
use pirogue::ir::{CompareOptions, Context, Numbers, Program, Rewriter, compare_with, verify};
use pirogue::{json, text};
use pirogue_passes::pipeline_scheduler_vpp::PipelineSchedulerVpp;
use pirogue_system_tests::corpus;
use pirogue_system_tests::damage::{Damage, Random};

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn damaged_inputs_end_in_a_coded_diagnostic_or_in_success() {
    let inputs = inputs();
    let until = Instant::now() + Duration::from_secs(number("MUTATION_SECONDS", 2));
    let seed = number("MUTATION_SEED", 1);
    let mut random = Random::new(seed);
    let (mut tried, mut read, mut planned) = (0u64, 0u64, 0u64);
    while Instant::now() < until {
        let input = &inputs[random.below(inputs.len())];
        let other = &inputs[random.below(inputs.len())];
        let damaged = Damage::any(&mut random).apply(input, other, &mut random);
        tried += 1;
        let outcome = std::panic::catch_unwind(|| run(&damaged));
        match outcome {
            Ok((was_read, was_planned)) => {
                read += u64::from(was_read);
                planned += u64::from(was_planned);
            }
            Err(_) => {
                let text = String::from_utf8_lossy(&damaged);
                let shown: String = text.chars().take(2000).collect();
                panic!("input {tried} of seed {seed} fails; it begins\n{shown}");
            }
        }
    }
    println!("{tried} damaged inputs, {read} read all the same, {planned} planned");
    assert!(tried > 10 && read > 0 && read < tried, "{tried} tried, {read} read");
}

/// Programs small enough to try many of.
fn inputs() -> Vec<Vec<u8>> {
    let mut inputs: Vec<Vec<u8>> = corpus::programs().into_iter().map(|(_, bytes)| bytes).collect();
    inputs
        .extend(corpus::cases().iter().filter_map(|case| case.input.get()).map(String::into_bytes));
    inputs.extend(corpus::json_programs());
    inputs.retain(|input| input.len() < 120_000);
    inputs
}

/// Whether the bytes are a program, and whether it can be planned.
fn run(bytes: &[u8]) -> (bool, bool) {
    let context = Context::new();
    let is_json = json::is_json(bytes);
    let read = if is_json {
        json::read_program(&context, "damaged.json", bytes).map(|read| read.program)
    } else {
        text::read_program(&context, "damaged.pir", bytes).map(|read| read.program)
    };
    match read {
        Ok(program) => {
            // JSON may hold names and words that text cannot tell apart.
            if !is_json {
                comes_back_from_text(&program);
            }
            (true, plan(program))
        }
        Err(errors) => {
            are_coded(&errors);
            (false, false)
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

/// Each has a code and a message, and can be shown.
fn are_coded(diagnostics: &[Diagnostic]) {
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
