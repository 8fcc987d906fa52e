//! Writing plans to folders: whole or not at all, and nothing of a person's is lost.

use std::fs;
use std::path::Path;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::Context;
use pirogue_plan::{FolderError, Plan, SkipGcRule, read_folder, write_folder, write_stages};
use tempfile::TempDir;

use super::{jobs, options, programs, small_plan};

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Code and message, with `DIR` for the folder; nothing must be left beside it.
fn refusal(result: Result<(), FolderError>, root: &TempDir) -> String {
    let error = result.unwrap_err();
    let (code, text) = (error.code(), error.to_string());
    let diagnostic = Diagnostic::from(error);
    assert_eq!((diagnostic.code.as_ref(), &diagnostic.message), (code, &text));
    assert!(diagnostic.help.is_some());
    assert!(names(root.path()).iter().all(|name| !name.starts_with('.')), "nothing is left over");
    format!("{code}: {}", text.replace(&root.path().display().to_string(), "ROOT"))
}

fn stage(context: &std::sync::Arc<Context>, pp_stage: u32) -> Plan {
    let mut parts = small_plan(context).into_parts();
    parts.options.pp_stage = pp_stage;
    Plan::from_parts(parts, SkipGcRule::Paddle).unwrap()
}

#[test]
fn plan_json_has_a_line_for_each_program_set_and_job() {
    let root = TempDir::new().unwrap();
    let dir = root.path().join("out");
    write_folder(&small_plan(&Context::new()), &dir).unwrap();
    let expected = r#"{"format":"pirogue-plan","version":1,
 "options":{"schedule":"VPP","pp_degree":2,"pp_stage":1,"vpp_degree":2,"num_micro_batches":2,"split_backward":false},
 "programs":[
  {"type":"forward0","file":"forward0.pir"},
  {"type":"backward0","file":"backward0.pir"},
  {"type":"optimizer","file":"optimizer.pir"}],
 "skip_gc_sets":[
  ["a \"é\""],
  []],
 "jobs":[
  {"type":"forward0","micro_batch":0,"skip_gc":0},
  {"type":"forward0","micro_batch":1,"skip_gc":0},
  {"type":"backward0","micro_batch":0,"skip_gc":1},
  {"type":"backward0","micro_batch":1,"skip_gc":1},
  {"type":"optimizer","micro_batch":0,"skip_gc":1}]}
"#;
    assert_eq!(fs::read_to_string(dir.join("plan.json")).unwrap(), expected);
    assert_eq!(fs::read_to_string(dir.join("optimizer.pir")).unwrap(), "{\n}\n");
    assert_eq!(names(&dir), ["backward0.pir", "forward0.pir", "optimizer.pir", "plan.json"]);
    assert_eq!(names(root.path()), ["out"]);
}

#[test]
fn a_plan_that_is_there_is_replaced_and_its_programs_are_gone() {
    let root = TempDir::new().unwrap();
    let dir = root.path().join("out");
    write_folder(&small_plan(&Context::new()), &dir).unwrap();
    let context = Context::new();
    let programs = programs(&context, &[("forward1", "")]);
    let plan = Plan::new(options(), programs, jobs("forward1:0"), SkipGcRule::Exact).unwrap();
    write_folder(&plan, &dir).unwrap();
    assert_eq!(names(&dir), ["forward1.pir", "plan.json"]);
    assert_eq!(read_folder(&context, &dir).unwrap().plan.jobs(), plan.jobs());
}

// A shell may stand in it, or a disk be mounted there.
#[cfg(unix)]
#[test]
fn a_folder_that_is_there_stays_the_same_folder() {
    use std::os::unix::fs::MetadataExt;
    let root = TempDir::new().unwrap();
    let node = || fs::metadata(root.path()).unwrap().ino();
    let before = node();
    for _ in 0..2 {
        write_folder(&small_plan(&Context::new()), root.path()).unwrap();
        assert_eq!(names(root.path()).len(), 4);
    }
    assert_eq!(node(), before);
}

#[test]
fn a_plan_that_a_person_laid_out_anew_is_still_a_plan() {
    let root = TempDir::new().unwrap();
    let manifest = root.path().join("plan.json");
    fs::write(&manifest, "\n{ \"format\" : \"pirogue-plan\",\n\"version\":1}").unwrap();
    write_folder(&small_plan(&Context::new()), root.path()).unwrap();
    assert!(fs::read_to_string(manifest).unwrap().contains("forward0"));
}

#[test]
fn each_stage_has_a_folder_and_all_come_or_go_together() {
    let root = TempDir::new().unwrap();
    let context = Context::new();
    let dir = root.path().join("out");
    write_stages(&[stage(&context, 1), stage(&context, 0)], &dir).unwrap();
    assert_eq!(names(&dir), ["stage0", "stage1"]);
    let read = read_folder(&context, &dir.join("stage1")).unwrap();
    assert_eq!(read.plan.options().pp_stage, 1);
    write_stages(&[stage(&context, 1)], &dir).unwrap();
    assert_eq!(names(&dir), ["stage1"]);
    write_folder(&stage(&context, 0), &dir).unwrap();
    assert_eq!(names(&dir).len(), 4, "one plan takes the place of those of stages");
    write_stages(&[stage(&context, 0)], &dir).unwrap();
    assert_eq!(names(&dir), ["stage0"]);
}

#[test]
fn no_stages_and_two_plans_of_one_stage_are_refused() {
    let root = TempDir::new().unwrap();
    let dir = root.path().join("out");
    let plan = small_plan(&Context::new());
    assert_eq!(
        refusal(write_stages(&[plan.clone(), plan], &dir), &root),
        "E0618: two plans are for stage 1"
    );
    assert_eq!(
        refusal(write_stages(&[], &dir), &root),
        "E0617: there is no stage to write to `ROOT/out`"
    );
    assert!(!dir.exists());
}

#[test]
fn a_file_in_the_place_is_left_alone() {
    let root = TempDir::new().unwrap();
    let file = root.path().join("out");
    fs::write(&file, "mine").unwrap();
    assert_eq!(
        refusal(write_folder(&small_plan(&Context::new()), &file), &root),
        "E0611: cannot write a plan to `ROOT/out`: it is not a folder"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn a_folder_that_holds_no_plan_is_left_alone() {
    for mine in ["notes.txt", "forward0.pir", "plan.json", ".hidden", "stage0"] {
        let root = TempDir::new().unwrap();
        let dir = root.path().join("out");
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join(mine), "{\"format\":\"other\"}").unwrap();
        assert_eq!(
            refusal(write_folder(&small_plan(&Context::new()), &dir), &root),
            "E0612: cannot write a plan to `ROOT/out`: it is not empty and holds no plan to replace"
        );
        assert_eq!(names(&dir), [mine]);
    }
}

#[test]
fn a_plan_with_something_else_beside_it_is_left_alone() {
    for mine in ["notes.txt", "forward.pir.bak", "loss.pir", "pir"] {
        let root = TempDir::new().unwrap();
        let dir = root.path().join("out");
        let plan = small_plan(&Context::new());
        write_folder(&plan, &dir).unwrap();
        fs::write(dir.join(mine), "mine").unwrap();
        assert_eq!(
            refusal(write_folder(&plan, &dir), &root),
            format!("E0613: cannot replace the plan in `ROOT/out`: `{mine}` is no part of it")
        );
        assert_eq!(names(&dir).len(), 5);
    }
}

#[test]
fn stages_with_something_else_beside_or_in_them_are_left_alone() {
    let root = TempDir::new().unwrap();
    let dir = root.path().join("out");
    let context = Context::new();
    write_stages(&[stage(&context, 0)], &dir).unwrap();
    let inner = dir.join("stage0").join("notes.txt");
    fs::write(&inner, "mine").unwrap();
    assert_eq!(
        refusal(write_stages(&[stage(&context, 0)], &dir), &root),
        "E0613: cannot replace the plan in `ROOT/out/stage0`: `notes.txt` is no part of it"
    );
    fs::remove_file(inner).unwrap();
    fs::write(dir.join("notes.txt"), "mine").unwrap();
    assert_eq!(
        refusal(write_stages(&[stage(&context, 0)], &dir), &root),
        "E0613: cannot replace the plan in `ROOT/out`: `notes.txt` is no part of it"
    );
}

#[test]
fn a_place_in_no_folder_is_refused() {
    let root = TempDir::new().unwrap();
    let dir = root.path().join("a").join("b");
    assert_eq!(
        refusal(write_folder(&small_plan(&Context::new()), &dir), &root),
        "E0614: cannot write a plan to `ROOT/a/b`: there is no folder `ROOT/a`"
    );
}

// No file system takes a name of a thousand bytes.
#[test]
fn what_the_system_refuses_is_said() {
    let root = TempDir::new().unwrap();
    let dir = root.path().join("x".repeat(1000));
    let found = refusal(write_folder(&small_plan(&Context::new()), &dir), &root);
    assert!(found.starts_with("E0615: cannot read `ROOT/xxx"), "{found}");
}
