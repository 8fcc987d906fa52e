//! Inputs that end too early.

use std::fs;
use std::num::NonZeroUsize;

use pirogue::ir::{Context, Rewriter};
use pirogue::parallel::{self, default_threads};
use pirogue::text;
use pirogue_passes::pipeline_scheduler_vpp::PipelineSchedulerVpp;
use pirogue_plan::{read_folder, write_folder};
use pirogue_system_tests::corpus;
use pirogue_system_tests::damage::Random;
use pirogue_system_tests::ordeal::{Reached, are_coded, survives};

/// Files up to this size are cut at every byte.
const SMALL: usize = 20_000;
/// How often a larger one is cut.
const CUTS: usize = 12;

/// Where to cut a file: everywhere if it is small, else at places that the seed tells.
fn places(bytes: &[u8], random: &mut Random) -> Vec<usize> {
    if bytes.len() < SMALL {
        return (0..bytes.len()).collect();
    }
    (0..CUTS).map(|_| random.below(bytes.len())).collect()
}

/// JSON is cut at every byte by a test of its own.
#[test]
fn a_program_cut_anywhere_is_refused_unless_nothing_but_space_is_missing() {
    let mut random = Random::new(7);
    let cut = |(input, places): (Vec<u8>, Vec<usize>)| {
        let holds_several =
            text::read_programs(&Context::new(), "", &input).is_ok_and(|all| all.len() > 1);
        for place in places {
            let is_whole = input[place..].iter().all(u8::is_ascii_whitespace);
            let reached = survives(&input[..place]);
            let may_be_read = is_whole || holds_several;
            assert!(may_be_read || reached == Reached::Refused, "cut at {place} it is read");
        }
    };
    let inputs = corpus::programs().into_iter().map(|(_, input)| {
        let places = places(&input, &mut random);
        (input, places)
    });
    parallel::map(default_threads(), inputs.collect(), cut);
}

#[test]
fn a_recorded_input_cut_anywhere_is_refused() {
    let mut random = Random::new(11);
    for case in corpus::cases() {
        let Some(input) = case.input.get() else { continue };
        for _ in 0..CUTS {
            // The last three bytes are the end of the last line, a brace and its line break.
            let place = random.below(input.trim_end().len());
            let reached = survives(&input.as_bytes()[..place]);
            assert_eq!(reached, Reached::Refused, "{} cut at {place}", case.case);
        }
    }
}

#[test]
fn a_plan_cut_anywhere_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = folder.path().join("plan");
    write_folder(&plan(), &target).expect("it can be written");
    let manifest = target.join("plan.json");
    let whole = fs::read(&manifest).expect("it was written");
    let end = whole.trim_ascii_end().len();
    for place in 0..end {
        fs::write(&manifest, &whole[..place]).expect("it can be written");
        let errors = read_folder(&Context::new(), &target).expect_err("it is cut");
        are_coded(&errors);
    }
    fs::write(&manifest, &whole).expect("it can be written");
    let program = target.join("forward0.pir");
    let text = fs::read(&program).expect("it was written");
    for place in [0, 1, text.len() / 2, text.len() - 3] {
        fs::write(&program, &text[..place]).expect("it can be written");
        are_coded(&read_folder(&Context::new(), &target).expect_err("a program of it is cut"));
    }
}

fn plan() -> pirogue_plan::Plan {
    let case = corpus::cases().into_iter().find(|case| case.case == "hand_mm_rank2");
    let input = case.and_then(|case| case.input.get()).expect("the case is there");
    let read = text::read_program(&Context::new(), "input.pir", input.as_bytes());
    let mut program = read.unwrap_or_else(|errors| panic!("{}", errors[0])).program;
    let pass = PipelineSchedulerVpp {
        pp_degree: 2,
        vpp_degree: 2,
        num_micro_batches: 2,
        ..PipelineSchedulerVpp::default()
    };
    let planned = pass.plan(&mut Rewriter::new(&mut program), NonZeroUsize::MIN);
    planned.unwrap_or_else(|errors| panic!("{}", errors[0])).0
}
