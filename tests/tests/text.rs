//! What Paddle prints comes back byte for byte.

use pirogue::ir::Context;
use pirogue::text;
use pirogue_system_tests::corpus;

#[track_caller]
fn comes_back(name: &str, source: &[u8]) {
    let context = Context::new();
    let read = match text::read_program(&context, name, source) {
        Ok(read) => read,
        Err(errors) => panic!("{}", errors.iter().map(|e| format!("{e}\n")).collect::<String>()),
    };
    assert_eq!(read.warnings, [], "{name}");
    let printed = text::to_bytes(&read.program);
    if printed != source {
        let (printed, source) =
            (String::from_utf8_lossy(&printed), String::from_utf8_lossy(source));
        for (a, b) in source.lines().zip(printed.lines()) {
            assert_eq!(a, b, "{name}");
        }
        panic!("{name}: {} lines became {}", source.lines().count(), printed.lines().count());
    }
}

#[test]
fn every_recorded_program_prints_back() {
    let programs = corpus::programs();
    assert!(programs.len() >= 20, "the fixtures are there");
    for (name, source) in programs {
        comes_back(&name, &source);
    }
}

#[test]
fn every_input_and_sub_program_of_the_recorded_runs_prints_back() {
    for case in corpus::cases() {
        comes_back(&case.case, case.input.get().expect("inputs are recorded").as_bytes());
        for (job_type, program) in case.programs.iter().flatten() {
            let name = format!("{}/{job_type}", case.case);
            comes_back(&name, program.get().expect("programs are recorded").as_bytes());
        }
        if let Some(after) = case.after.as_ref().and_then(corpus::Text::get) {
            comes_back(&format!("{}/after", case.case), after.as_bytes());
        }
    }
}
