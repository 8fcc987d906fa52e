use super::support::{TestPlan, ops, parse, run, sample};
use crate::pass::{PassManager, Session, header_pipeline};
use crate::text;

const PLAN: &str = "make_plan{names=[forward0, forward1, backward0]}";

fn chunks(plan: &TestPlan) -> Vec<Option<i32>> {
    plan.programs.iter().map(|(_, program)| program.chunk(ops(program)[0])).collect()
}

#[test]
fn passes_run_on_the_programs_whose_names_match() {
    let mut program = sample();
    let mut session =
        run(&format!("{PLAN},jobs[forward*](set_chunk{{chunk=5}})"), &mut program).unwrap();
    let plan: TestPlan = session.take().ok().unwrap();
    assert_eq!(chunks(&plan), [Some(5), Some(5), Some(0)]);
    assert_eq!(plan.replaced, 2, "the third did not change");
    assert_eq!(text::to_text(&program), text::to_text(&sample()));
}

#[test]
fn without_a_plan_there_is_nothing_to_run_on() {
    let failure = run("jobs(erase_sinks)", &mut sample()).err().unwrap();
    assert_eq!(failure.reason().code, "E0514");
    let stale = run("make_plan,set_chunk{chunk=1},jobs(erase_sinks)", &mut sample()).err().unwrap();
    assert_eq!(stale.reason().code, "E0515");
}

#[test]
fn a_pattern_that_matches_nothing_is_a_warning() {
    let session = run(&format!("{PLAN},jobs[forwardd0](erase_sinks)"), &mut sample()).unwrap();
    let warning = session.diagnostics()[0].to_string();
    assert!(
        warning.contains("W0519") && warning.contains("did you mean `forward0` or `forward1`?"),
        "{warning}"
    );
}

#[test]
fn where_one_program_fails_none_is_replaced() {
    let mut session = Session::new();
    let pipeline =
        "make_plan{names=[a, b]},jobs(erase_sinks),jobs(set_chunk{chunk=9},fail{how=panic})";
    let failure = PassManager::new(parse(pipeline)).run(&mut sample(), &mut session).err().unwrap();
    assert_eq!(failure.failed_pass(), Some("fail"));
    assert_eq!(failure.diagnostics().len(), 2, "one for each program");
    assert!(failure.to_string().contains("on the program `b`"), "{failure}");
    let plan: TestPlan = session.take().ok().unwrap();
    assert_eq!(chunks(&plan), [Some(0), Some(0)]);
    assert_eq!(plan.replaced, 2, "by the first of the two");

    let text = failure.reproducer().unwrap().text();
    assert_eq!(header_pipeline(text.as_bytes()).as_deref(), Some("fail{how=panic}"));
    assert!(text.contains("chunk_id:9") && !text.contains("test.sink"), "{text}");
}

#[test]
fn a_plan_that_refuses_programs_fails_the_step() {
    let pipeline = "make_plan{names=[a]},jobs(erase_sinks)";
    let mut program = super::support::read("{\n    () = \"test.sink\" () {} : () -> \n}\n");
    let failure = run(pipeline, &mut program).err().unwrap();
    assert_eq!(failure.failed_pass(), Some("jobs"));
    assert_eq!(failure.reason().code, "E9003");
    assert_eq!(failure.reproducer().unwrap().pipeline(), pipeline);
}

#[test]
fn all_is_the_same_with_any_number_of_threads() {
    let outcome = |threads: usize| {
        let mut session = Session::new();
        let names: Vec<String> = (0..12).map(|index| format!("forward{index}")).collect();
        let pipeline = format!(
            "make_plan{{names=[{}]}},jobs(set_chunk{{chunk=5}},erase_sinks,erase_sinks)",
            names.join(", ")
        );
        let manager = PassManager::new(parse(&pipeline)).threads(threads);
        manager.run(&mut sample(), &mut session).unwrap();
        let plan: TestPlan = session.take().ok().unwrap();
        let texts: Vec<String> =
            plan.programs.iter().map(|(_, program)| text::to_text(program)).collect();
        let said: Vec<String> = session.diagnostics().iter().map(|d| d.to_string()).collect();
        assert_eq!(said.len(), 12, "the second `erase_sinks` finds nothing");
        assert_eq!(session.statistics().total("set_chunk", "set"), 48);
        (texts, said, session.statistics().to_string())
    };
    let one = outcome(1);
    assert!([2, 3, 16].into_iter().all(|threads| outcome(threads) == one));
}
