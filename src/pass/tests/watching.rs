use std::any::Any;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::support::{parse, run, sample};
use crate::diagnostic::Diagnostic;
use crate::ir::{Context, Program};
use crate::pass::{
    Branch, Change, ChromeTrace, Moment, Observer, PassManager, Pipeline, PrintProgram, Session,
    StepInfo, Timing, header_pipeline,
};
use crate::text;

/// Writes down what it is told.
#[derive(Default, Clone)]
struct Listener {
    name: &'static str,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Listener {
    fn hear(&self, what: &str) {
        self.heard.lock().unwrap().push(format!("{}: {what}", self.name));
    }
}

impl Observer for Listener {
    fn before_pipeline(&mut self, _: &Pipeline, _: &Program) {
        self.hear("begin");
    }

    fn after_pipeline(&mut self, _: &Pipeline, _: &Program) {
        self.hear("end");
    }

    fn before_pass(&mut self, step: &StepInfo<'_>, _: &Program) {
        self.hear(&format!("before {} {}", step.path(), step.name()));
    }

    fn after_pass(&mut self, step: &StepInfo<'_>, _: &Program, change: Change) {
        self.hear(&format!("after {} with {} edits", step.name(), change.edits));
    }

    fn pass_failed(&mut self, step: &StepInfo<'_>, _: &Program, reason: &Diagnostic) {
        self.hear(&format!("{} failed with {}", step.name(), reason.code));
    }

    fn fork(&mut self, branch: Branch<'_>) -> Option<Box<dyn Observer>> {
        let name = ["f0", "f1"].into_iter().find(|&name| name == branch.name)?;
        Some(Box::new(Self { name, heard: Arc::default() }))
    }

    fn join(&mut self, child: Box<dyn Any>) {
        let child = child.downcast::<Self>().expect("it made the child");
        self.heard.lock().unwrap().extend(child.heard.lock().unwrap().drain(..));
    }
}

#[test]
fn observers_are_told_in_stack_order() {
    let mut session = Session::new();
    let outer = Listener { name: "outer", heard: Arc::default() };
    session.observe(outer.clone());
    session.observe(Listener { name: "inner", ..outer.clone() });
    let manager = PassManager::new(parse("erase_sinks,fail"));
    assert!(manager.run(&mut sample(), &mut session).is_err());
    let expected = [
        "outer: begin",
        "inner: begin",
        "outer: before 1 erase_sinks",
        "inner: before 1 erase_sinks",
        "inner: after erase_sinks with 1 edits",
        "outer: after erase_sinks with 1 edits",
        "outer: before 2 fail",
        "inner: before 2 fail",
        "inner: fail failed with E9001",
        "outer: fail failed with E9001",
        "inner: end",
        "outer: end",
    ];
    assert_eq!(*outer.heard.lock().unwrap(), expected);
}

#[test]
fn programs_of_a_plan_are_watched_one_by_one() {
    let mut session = Session::new();
    let top = Listener { name: "top", heard: Arc::default() };
    session.observe(top.clone());
    let manager = PassManager::new(parse("make_plan{names=[f0, f1, other]},jobs(erase_sinks)"));
    manager.run(&mut sample(), &mut session).unwrap();
    let heard = top.heard.lock().unwrap();
    let of_branch = |name: &str| {
        ["begin", "before 2.1 erase_sinks", "after erase_sinks with 1 edits", "end"]
            .map(|what| format!("{name}: {what}"))
    };
    assert_eq!(heard[4..8], of_branch("f0"));
    assert_eq!(heard[8..12], of_branch("f1"));
    assert_eq!(heard[12], "top: after jobs with 3 edits");
}

#[test]
fn the_timing_tree_mirrors_the_pipeline() {
    let mut session = Session::new();
    session.observe(Timing::new());
    let pipeline = "make_plan{names=[f0, f1]},jobs(set_chunk{chunk=1},erase_sinks)";
    PassManager::new(parse(pipeline)).run(&mut sample(), &mut session).unwrap();
    let timing = session.observer::<Timing>().unwrap();
    let text = timing.to_string();
    let names: Vec<&str> =
        text.lines().skip(1).map(|line| line.rsplit("  ").next().unwrap()).collect();
    let on_program = [
        ". . . verify",
        ". . . set_chunk",
        ". . . . verify",
        ". . . erase_sinks",
        ". . . . verify",
    ];
    let expected = ["pipeline", ". verify", ". make_plan", ". jobs", ". . on f0"]
        .into_iter()
        .chain(on_program)
        .chain([". . on f1"])
        .chain(on_program);
    assert_eq!(names, expected.collect::<Vec<&str>>(), "{text}");
    let tree = &timing.trees()[0];
    assert_eq!(tree.edits, 10, "four chunks and one sink on each");
    let on_f0 = &tree.children[2].children[0];
    assert_eq!(on_f0.ops, Some((4, 3)));
    assert!(on_f0.wall >= on_f0.children.iter().map(|child| child.wall).sum());
}

#[test]
fn a_trace_has_a_lane_for_each_program() {
    let mut session = Session::new();
    session.observe(ChromeTrace::new());
    let manager = PassManager::new(parse("make_plan{names=[f0, f1]},jobs(erase_sinks)"));
    manager.run(&mut sample(), &mut session).unwrap();
    let trace = session.observer::<ChromeTrace>().unwrap().to_json();
    let events = trace["traceEvents"].as_array().unwrap();
    let lanes = events.iter().filter(|event| event["ph"] == "M");
    let lanes: Vec<&str> = lanes.map(|event| event["args"]["name"].as_str().unwrap()).collect();
    assert_eq!(lanes, ["pipeline", "f0", "f1"]);
    let erased = events.iter().filter(|event| event["name"] == "erase_sinks");
    let erased: Vec<u64> = erased.map(|event| event["tid"].as_u64().unwrap()).collect();
    assert_eq!(erased, [1, 2]);
}

/// Keeps what is written after it was given away.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn printed(pipeline: &str, print: impl FnOnce(Shared) -> PrintProgram) -> String {
    let (sink, mut session) = (Shared::default(), Session::new());
    session.observe(print(sink.clone()));
    let manager = PassManager::new(parse(pipeline));
    manager.run(&mut sample(), &mut session).unwrap();
    let bytes = sink.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn dumps_have_a_header_that_goes_on_from_there() {
    let pipeline = "set_chunk{chunk=1},erase_sinks,set_chunk{chunk=2}";
    let pipeline = &pipeline[..pipeline.rfind(',').unwrap()];
    let moments = [Moment::Before, Moment::After];
    let text = printed(pipeline, |sink| {
        moments.iter().fold(PrintProgram::to_sink(sink), |print, &moment| print.at(moment, &[]))
    });
    let dumps: Vec<&str> = text.split("// -----\n").collect();
    assert_eq!(dumps.len(), 4);
    assert!(
        dumps[1].starts_with("// after `set_chunk`\n// pirogue opt -p 'erase_sinks'\n{\n"),
        "{text}"
    );
    let mut whole = sample();
    run(pipeline, &mut whole).unwrap();
    for dump in &dumps {
        let mut program = super::support::read(dump);
        run(&header_pipeline(dump.as_bytes()).unwrap(), &mut program).unwrap();
        assert_eq!(text::to_text(&program), text::to_text(&whole));
    }
    let all = text::read_programs(&Context::new(), "dumps", text.as_bytes());
    assert_eq!(all.ok().unwrap().len(), 4, "they read back as several programs");
}

/// A plan is not in the dump, so what works on it cannot go on from there.
#[test]
fn a_dump_says_where_the_program_is_not_enough_to_go_on() {
    let text = printed("erase_sinks,make_plan{names=[f0]},jobs(erase_sinks)", |sink| {
        PrintProgram::to_sink(sink).at(Moment::After, &[])
    });
    let dumps: Vec<&str> = text.split("// -----\n").collect();
    let next = |dump: &str| header_pipeline(dump.as_bytes());
    assert_eq!(next(dumps[0]).as_deref(), Some("make_plan{names=[f0]},jobs(erase_sinks)"));
    assert_eq!(next(dumps[1]), None);
    assert!(dumps[1].contains("\n// next is `jobs(erase_sinks)`, on what was left"), "{text}");
    assert_eq!(next(dumps[2]).as_deref(), Some(""), "the program of a plan stands alone");
}

#[test]
fn only_changes_and_only_some_passes_can_be_printed() {
    let pipeline =
        "erase_sinks,erase_sinks,make_plan{names=[f0, f1]},jobs(set_chunk{chunk=1 limit=1})";
    let count = |text: &str| text.matches("pirogue opt").count();
    let changes =
        printed(pipeline, |sink| PrintProgram::to_sink(sink).at(Moment::AfterChange, &[]));
    assert_eq!(count(&changes), 3, "{changes}");
    let some = printed(pipeline, |sink| PrintProgram::to_sink(sink).at(Moment::Before, &["set_*"]));
    assert_eq!(count(&some), 2, "{some}");
    assert!(some.contains("// before `set_chunk` on `f1`"));
    let both = printed(pipeline, |sink| {
        PrintProgram::to_sink(sink)
            .at(Moment::Before, &["set_*"])
            .at(Moment::After, &["make_plan", "nothing"])
    });
    let headers: Vec<&str> = both.lines().filter(|line| line.contains(" `")).collect();
    let expected = [
        "// after `make_plan`",
        "// next is `jobs(set_chunk{chunk=1 limit=1})`, on what was left beside the program: run an earlier dump",
        "// before `set_chunk` on `f0`",
        "// before `set_chunk` on `f1`",
    ];
    assert_eq!(headers, expected, "each moment has patterns of its own");
}

fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(path) = pending.pop() {
        match fs::read_dir(&path) {
            Ok(entries) => pending.extend(entries.map(|entry| entry.unwrap().path())),
            Err(_) => found.push(path.strip_prefix(folder).unwrap().to_string_lossy().into_owned()),
        }
    }
    found.sort();
    found
}

#[test]
fn a_folder_gets_a_numbered_file_for_each_dump() {
    let folder: PathBuf =
        std::env::temp_dir().join(format!("pirogue-dumps-{}", std::process::id()));
    let mut session = Session::new();
    session.observe(PrintProgram::to_folder(&folder).at(Moment::After, &[]));
    let pipeline = "set_chunk{chunk=1},make_plan{names=[f0, f1]},jobs(erase_sinks),erase_sinks";
    PassManager::new(parse(pipeline)).run(&mut sample(), &mut session).unwrap();
    let expected = [
        "0001-after-set_chunk.pir",
        "0002-after-make_plan.pir",
        "0003-jobs/f0/0001-after-erase_sinks.pir",
        "0003-jobs/f1/0001-after-erase_sinks.pir",
        "0004-after-erase_sinks.pir",
    ];
    assert_eq!(files(&folder), expected);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_dump_that_cannot_be_written_is_a_warning_and_stops_nothing() {
    let folder = std::env::temp_dir().join(format!("pirogue-no-folder-{}", std::process::id()));
    fs::write(&folder, "a file, where a folder should be").unwrap();
    let mut session = Session::new();
    session.observe(PrintProgram::to_folder(&folder).at(Moment::After, &[]));
    PassManager::new(parse("erase_sinks")).run(&mut sample(), &mut session).unwrap();
    assert_eq!(session.diagnostics()[0].code, "W0523");
    fs::remove_file(&folder).unwrap();
}
