//! What becomes of files: whole or not at all.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn pirogue(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pirogue"))
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .expect("the command runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn temporary() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().to_owned();
    (folder, path)
}

fn entries(folder: &Path) -> Vec<String> {
    let read = std::fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<String> = read
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

const PLAN: [&str; 9] = [
    "plan",
    "examples/gpt_stage0.pir",
    "--stages",
    "2",
    "--chunks",
    "2",
    "--micro-batches",
    "4",
    "-o",
];

#[test]
fn a_plan_is_written_and_written_again() {
    let (_guard, folder) = temporary();
    let target = folder.join("plan");
    let arguments = [&PLAN[..], &[target.to_str().unwrap(), "--stage", "0"]].concat();
    for _ in 0..2 {
        let output = pirogue(&arguments);
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(entries(&folder), ["plan"]);
        assert_eq!(entries(&target).len(), 10, "nine programs and plan.json");
    }
}

#[test]
fn a_plan_does_not_replace_what_is_no_plan() {
    let (_guard, folder) = temporary();
    std::fs::write(folder.join("thesis.tex"), "years of work").unwrap();
    let output = pirogue(&[&PLAN[..], &[folder.to_str().unwrap(), "--stage", "0"]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("error[E06"), "{}", said(&output));
    assert_eq!(entries(&folder), ["thesis.tex"]);
}

#[test]
fn a_refused_plan_leaves_no_folder() {
    let (_guard, folder) = temporary();
    let target = folder.join("plan");
    let output = pirogue(&[&PLAN[..], &[target.to_str().unwrap(), "--stage", "7"]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(entries(&folder), [""; 0]);
}

#[test]
fn a_failing_pass_leaves_the_output_file_as_it_was() {
    let (_guard, folder) = temporary();
    let target = folder.join("out.pir");
    std::fs::write(&target, "before").unwrap();
    let input = "cli/tests/inputs/no_role.pir";
    let output = pirogue(&["opt", input, "-p", "infer_chunk_ids", "-o", target.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "before");
    assert_eq!(entries(&folder), ["out.pir"]);
}

#[test]
fn a_reproducer_repeats_the_failure() {
    let (_guard, folder) = temporary();
    let input = "cli/tests/inputs/no_role.pir";
    let place = folder.to_str().unwrap();
    let output = pirogue(&["opt", input, "-p", "infer_chunk_ids", "--reproducer", place]);
    assert_eq!(output.status.code(), Some(1));
    let file = folder.join("reproduce-infer_chunk_ids.pir");
    let repeated = pirogue(&["opt", file.to_str().unwrap()]);
    assert_eq!(repeated.status.code(), Some(1));
    assert!(said(&repeated).contains("E0201"), "{}", said(&repeated));
}

#[test]
fn an_unwritable_place_is_an_error() {
    let output = pirogue(&["opt", "examples/gpt_stage0.pir", "-o", "/nonexistent/out.pir"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("E0661"), "{}", said(&output));
}

/// Text to JSON and back is the program again, kwargs and pipeline attributes too.
#[test]
fn json_and_back_is_the_program() {
    let (_guard, folder) = temporary();
    let json = folder.join("gpt.json");
    let output = pirogue(&[
        "opt",
        "examples/gpt_stage0.pir",
        "--emit",
        "json",
        "-o",
        json.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", said(&output));
    let back = pirogue(&["opt", json.to_str().unwrap()]);
    let straight = pirogue(&["opt", "examples/gpt_stage0.pir"]);
    assert!(back.status.success(), "{}", said(&back));
    assert_eq!(String::from_utf8_lossy(&back.stdout), String::from_utf8_lossy(&straight.stdout));
}

/// The plans of several stages do not depend on how the threads fall.
#[test]
fn plans_of_all_stages_are_the_same_each_time() {
    let (_guard, folder) = temporary();
    let mut previous = None;
    for round in 0..3 {
        let target = folder.join(format!("plans{round}"));
        let inputs = ["plan", "examples/gpt_stage0.pir", "examples/gpt_stage1.pir"];
        let options = ["--stages", "2", "--chunks", "2", "--micro-batches", "4", "-vv", "-o"];
        let output = pirogue(&[&inputs[..], &options[..], &[target.to_str().unwrap()]].concat());
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(entries(&target), ["stage0", "stage1"]);
        let program = std::fs::read(target.join("stage1/backward1.pir")).unwrap();
        let now = (output.stdout, program);
        assert!(previous.is_none_or(|before| before == now));
        previous = Some(now);
    }
}
