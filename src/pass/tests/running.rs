use super::support::{SOURCE, ops, parse, read, registry, run, sample};
use crate::ir::{Context, Program};
use crate::pass::{Input, PassManager, Pipeline, Session, Verify, header_pipeline, pass_fn};
use crate::text;

#[test]
fn passes_run_in_order() {
    let mut program = sample();
    run("set_chunk{chunk=1},set_chunk{chunk=2 except=[test.map]},erase_sinks", &mut program)
        .unwrap();
    let chunks: Vec<_> = ops(&program).iter().map(|&op| program.chunk(op)).collect();
    assert_eq!(chunks, [Some(2), Some(1), Some(1)]);
}

/// However a pass fails, the program is as before it, and the passes before it have run.
#[test]
fn a_pass_that_fails_leaves_the_program_as_before_it() {
    for (how, code) in
        [("return", "E9001"), ("report", "E9001"), ("panic", "E0516"), ("break", "E0517")]
    {
        let mut program = sample();
        let pipeline = format!("set_chunk{{chunk=1}},fail{{how={how}}},erase_sinks");
        let failure = run(&pipeline, &mut program).err().unwrap();
        assert_eq!(failure.failed_pass(), Some("fail"));
        assert_eq!(failure.reason().code, code, "{failure}");
        let mut expected = sample();
        run("set_chunk{chunk=1}", &mut expected).unwrap();
        assert_eq!(text::to_text(&program), text::to_text(&expected));
        assert_eq!(program.edit_stamp(), expected.edit_stamp());
    }
}

#[test]
fn a_panic_is_told_with_its_message() {
    let failure = run("fail{how=panic}", &mut sample()).err().unwrap();
    assert!(failure.reason().message.contains("`fail` panicked: no way here"), "{failure}");
}

#[test]
fn reported_warnings_stay_and_reported_errors_are_the_failure() {
    let mut session = Session::new();
    let manager = PassManager::new(parse("fail{how=report}"));
    let failure = manager.run(&mut sample(), &mut session).err().unwrap();
    assert_eq!(failure.diagnostics().len(), 1);
    assert_eq!(session.diagnostics().len(), 1);
    assert_eq!(session.diagnostics()[0].code, "W9001");
}

#[test]
fn a_reproducer_repeats_the_failure() {
    for how in ["return", "panic", "break"] {
        let pipeline = format!("set_chunk{{chunk=1}},fail{{how={how}}},erase_sinks");
        let failure = run(&pipeline, &mut sample()).err().unwrap();
        let text = failure.reproducer().unwrap().text();
        let again = header_pipeline(text.as_bytes()).unwrap();
        let repeated = run(&again, &mut read(&text)).err().unwrap();
        assert_eq!(repeated.reason().message, failure.reason().message);
        assert_eq!(repeated.reproducer().unwrap().text(), text);
    }
}

/// `use_plan` fails on what `make_plan` left, so its reproducer begins with `make_plan`.
#[test]
fn a_reproducer_begins_with_the_pass_whose_artifact_is_used() {
    let pipeline = "set_chunk{chunk=1},make_plan{names=[f0]},use_plan";
    let failure = run(pipeline, &mut sample()).err().unwrap();
    assert_eq!(failure.reason().code, "E9004");
    let reproducer = failure.reproducer().unwrap();
    assert_eq!(reproducer.pipeline(), "make_plan{names=[f0]},use_plan");
    let text = reproducer.text();
    assert!(text.starts_with(
        "// `use_plan` fails on this program\n// reproduce: pirogue opt -p 'make_plan"
    ));
    assert!(text.contains("chunk_id:1"));
    let repeated = run(reproducer.pipeline(), &mut read(&text)).err().unwrap();
    assert_eq!(repeated.reason().code, "E9004");
}

#[test]
fn a_reproducer_is_written_whole_under_the_name_of_the_pass() {
    let folder = std::env::temp_dir().join(format!("pirogue-reproducer-{}", std::process::id()));
    let failure = run("fail", &mut sample()).err().unwrap();
    let path = failure.reproducer().unwrap().write_into(&folder).unwrap();
    assert_eq!(path, folder.join("reproduce-fail.pir"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), failure.reproducer().unwrap().text());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A use that stands before its definition, in a program that was not read from text.
fn broken() -> Program {
    let mut program = sample();
    let all = ops(&program);
    let later = program.result(all[2], 0);
    crate::ir::Rewriter::new(&mut program).set_operand(all[1], 0, Some(later));
    program
}

#[test]
fn a_program_that_does_not_verify_is_not_touched() {
    let mut program = broken();
    let failure = run("set_chunk{chunk=1}", &mut program).err().unwrap();
    assert_eq!(failure.reason().code, "E0522");
    assert!(failure.diagnostics().len() > 1, "the faults follow");
    assert!(failure.failed_pass().is_none() && failure.reproducer().is_none());
    assert_eq!(program.chunk(ops(&program)[3]), None);

    let manager = PassManager::new(parse("set_chunk{chunk=1}")).verify(Verify::Off);
    manager.run(&mut program, &mut Session::new()).unwrap();
    assert_eq!(program.chunk(ops(&program)[3]), Some(1));
}

#[test]
fn a_broken_rule_in_a_pipeline_made_in_code_stops_the_run() {
    let pipeline = Pipeline::new()
        .then_boxed(Box::new(pass_fn("erase_sinks", |_, _| panic!("it is not run"))))
        .then(super::support::SetChunk::default());
    let failure = PassManager::new(pipeline).run(&mut sample(), &mut Session::new()).err().unwrap();
    assert_eq!(failure.reason().code, "E0510");
    assert!(failure.failed_pass().is_none());
}

#[test]
fn notes_of_rules_are_told_and_do_not_stop_a_run() {
    let mut session = Session::new();
    let failure =
        PassManager::new(parse("use_plan")).run(&mut sample(), &mut session).err().unwrap();
    assert_eq!(session.diagnostics()[0].code, "N0513");
    assert_eq!(failure.reason().code, "E0514");
}

#[test]
fn a_pass_that_matched_nothing_says_so() {
    let session = run("erase_sinks,erase_sinks", &mut sample()).unwrap();
    let notes = session.diagnostics();
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].message, "`erase_sinks` changed nothing: no `test.sink`");
}

#[test]
fn several_inputs_give_the_same_with_any_number_of_threads() {
    let outcome = |threads: usize| {
        let context = Context::new();
        let read = |_| text::read_program(&context, "", SOURCE.as_bytes()).ok().unwrap().program;
        let mut programs: Vec<Program> = (0..9).map(read).collect();
        let mut sessions: Vec<Session> = (0..9).map(|_| Session::new()).collect();
        let inputs = programs.iter_mut().zip(&mut sessions);
        let inputs = inputs.map(|(program, session)| Input { program, session }).collect();
        let pipeline = Pipeline::parse(&registry(), "set_chunk{chunk=1},fail").ok().unwrap();
        let outcomes = PassManager::new(pipeline).threads(threads).run_each(inputs);
        let failures: Vec<String> =
            outcomes.iter().map(|o| o.as_ref().unwrap_err().to_string()).collect();
        let texts: Vec<String> = programs.iter().map(text::to_text).collect();
        (failures, texts)
    };
    assert_eq!(outcome(1), outcome(4));
    assert_eq!(outcome(0), outcome(16));
}
