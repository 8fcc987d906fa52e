//! `pirogue check` on the plans that `pirogue plan` writes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn pirogue(folder: &Path, arguments: &[&str]) -> Output {
    let command =
        Command::new(env!("CARGO_BIN_EXE_pirogue")).args(arguments).current_dir(folder).output();
    command.expect("the command runs")
}

/// Writes the plans of two stages with one chunk each.
fn plans(folder: &Path) {
    for stage in ["0.pir", "1.pir"] {
        fs::write(folder.join(stage), "{\n}\n").unwrap();
    }
    let options = ["--stages", "2", "--micro-batches", "4", "-o", "plans"];
    let made = pirogue(folder, &[&["plan", "0.pir", "1.pir"], &options[..]].concat());
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

#[test]
fn the_plans_of_all_stages_are_checked_together() {
    let folder = tempfile::tempdir().unwrap();
    plans(folder.path());
    let all: &[&[&str]] = &[&["plans"], &["plans/stage1", "plans/stage0"]];
    for inputs in all {
        let checked = pirogue(folder.path(), &[&["check"], *inputs].concat());
        let said = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
        assert!(
            said.starts_with("2 stages, 1 chunks and 4 micro-batches, looped: 34 jobs\n"),
            "{said}"
        );
        assert!(said.contains("\nsound with buffered sends"), "{said}");
    }
}

#[test]
fn a_stage_that_is_missing_or_there_twice_is_named() {
    let folder = tempfile::tempdir().unwrap();
    plans(folder.path());
    let said = |inputs: &[&str]| {
        let checked = pirogue(folder.path(), &[&["check"], inputs].concat());
        assert_eq!(checked.status.code(), Some(1));
        String::from_utf8_lossy(&checked.stderr).into_owned()
    };
    let missing = said(&["plans/stage0"]);
    assert!(missing.contains("error[E0665]: there is no plan of stage 1"), "{missing}");
    let twice = said(&["plans", "plans/stage1"]);
    assert!(twice.contains("error[E0665]: there are 2 plans of stage 1"), "{twice}");
}

#[test]
fn plans_of_two_schedules_are_not_one() {
    let folder = tempfile::tempdir().unwrap();
    plans(folder.path());
    let options = ["--stages", "2", "--micro-batches", "2", "--stage", "1", "-o", "other"];
    assert!(pirogue(folder.path(), &[&["plan", "1.pir"], &options[..]].concat()).status.success());
    let checked = pirogue(folder.path(), &["check", "plans/stage0", "other"]);
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(said.contains("are of different schedules"), "{said}");
}
