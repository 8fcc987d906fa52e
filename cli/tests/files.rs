//! What becomes of files and streams: whole or not at all, and the same each time.

mod support;

use std::path::Path;
use std::process::{Command, Stdio};

use support::{command, entries, pirogue, said, temporary};

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

/// What turns a right plan into another one: a pass on its programs.
const SPOILT: [&str; 5] =
    ["--stage", "0", "--after", "jobs[backward0](set_attributes{name=epsilon value=0.5})", "-q"];

#[test]
fn a_refuted_plan_is_written_only_by_force_and_a_right_one_without_a_proof_too() {
    let (_guard, folder) = temporary();
    let target = folder.join("plan");
    let plan = |more: &[&str]| pirogue(&[&PLAN[..], &[target.to_str().unwrap()], more].concat());
    let refused = plan(&SPOILT);
    assert_eq!(refused.status.code(), Some(1));
    assert!(said(&refused).contains("error[E0667]"), "{}", said(&refused));
    assert_eq!(entries(&folder), [""; 0]);

    let forced = plan(&[&SPOILT[..], &["--force"]].concat());
    assert_eq!(forced.status.code(), Some(1), "it is still wrong");
    assert!(said(&forced).contains("error[E0710]"), "{}", said(&forced));
    assert_eq!(entries(&target).len(), 10, "nine programs and plan.json");

    let target_of_another = pirogue(&["prove", PLAN[1], target.to_str().unwrap()]);
    assert_eq!(target_of_another.status.code(), Some(1), "what was forced is judged alike");

    let unproved = plan(&[&SPOILT[..], &["--no-prove"]].concat());
    assert!(unproved.status.success(), "nobody looked");
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
    let file = folder.join("failure.pir");
    let (input, place) = ("cli/tests/inputs/no_role.pir", file.to_str().unwrap());
    let pipeline = "overlap_send_recv,infer_chunk_ids";
    let output = pirogue(&["opt", input, "-p", pipeline, "--reproducer", place]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains(&format!("`pirogue opt {place}` repeats this failure")));
    assert_eq!(entries(&folder), ["failure.pir"]);
    let repeated = pirogue(&["opt", place]);
    assert_eq!(repeated.status.code(), Some(1));
    assert!(said(&repeated).contains("E0201"), "{}", said(&repeated));
}

#[test]
fn no_reproducer_is_written_unasked_or_without_a_failure() {
    let (_guard, folder) = temporary();
    let place = folder.join("failure.pir");
    let good = ["opt", "cli/tests/inputs/chain.pir", "-q", "-p", "infer_chunk_ids"];
    let output = pirogue(&[&good[..], &["--reproducer", place.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(entries(&folder), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_its_file_keeps_its_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (_guard, folder) = temporary();
    let (file, link) = (folder.join("file.pir"), folder.join("link.pir"));
    std::fs::write(&file, "before").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&file, &link).unwrap();
    let output = pirogue(&["opt", "cli/tests/inputs/chain.pir", "-o", link.to_str().unwrap()]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(link.is_symlink());
    assert!(std::fs::read_to_string(&file).unwrap().starts_with('{'));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(entries(&folder), ["file.pir", "link.pir"]);
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let (_guard, folder) = temporary();
    let file = folder.join("kept.pir");
    std::fs::write(&file, "before").unwrap();
    let mut permissions = std::fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file, permissions).unwrap();
    let output = pirogue(&["opt", "cli/tests/inputs/chain.pir", "-o", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("E0661"), "{}", said(&output));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "before");
}

/// A device or a pipe is no file to be replaced.
#[cfg(unix)]
#[test]
fn a_pipe_is_written_to_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let (_guard, folder) = temporary();
    let pipe = folder.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("`mkfifo` is there").success());
    let place = pipe.to_str().unwrap();
    let mut writer = command(&["opt", "cli/tests/inputs/chain.pir", "-o", place]).spawn().unwrap();
    // Opening a pipe to read waits for a writer: if the command does not open it, this thread must
    // not wait for ever.
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read_to_string(pipe)
    });
    assert!(writer.wait().unwrap().success());
    assert!(std::fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    assert!(reader.join().unwrap().unwrap().starts_with('{'));
}

#[test]
fn a_reader_that_stops_is_no_failure() {
    let arguments = ["opt", "examples/gpt_stage0.pir"];
    let mut child = command(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    // The program is longer than what a pipe holds, so the command meets the closed end.
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the command ends");
    assert!(output.status.success());
    assert_eq!(said(&output), "");
}

#[test]
fn what_is_no_text_is_named() {
    let (_guard, folder) = temporary();
    let kinds: [(&[u8], &str); 6] = [
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"\x28\xb5\x2f\xfd\x00", "zstd"),
        (b"PK\x03\x04\x14", "zip archive"),
        (b"\xff\xfe{\x00\n\x00", "UTF-16"),
        (b"{\n\x00", "binary file"),
        (b"", "empty"),
    ];
    for (bytes, name) in kinds {
        let file = folder.join("input");
        std::fs::write(&file, bytes).unwrap();
        let output = pirogue(&["opt", file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1));
        let said = said(&output);
        assert!(said.starts_with("error[E0651]") && said.contains(name), "{said}");
    }
}

#[test]
fn what_was_read_prints_back_byte_for_byte() {
    for example in ["examples/gpt_stage0.pir", "examples/gpt_stage1.pir"] {
        let output = pirogue(&["opt", example]);
        assert!(output.status.success(), "{}", said(&output));
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(example);
        let text = std::fs::read_to_string(file).unwrap();
        let program = &text[text.find("\n{").expect("comments stand above the program") + 1..];
        assert_eq!(String::from_utf8_lossy(&output.stdout), program);
    }
}

/// Each diagnostic is a line, and each line is an object.
#[test]
fn diagnostics_in_json_are_an_object_a_line() {
    let input = "cli/tests/inputs/faulty.pir";
    let output = pirogue(&["opt", input, "--diagnostics", "json"]);
    let text = said(&output);
    let objects: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let human = said(&pirogue(&["opt", input]));
    assert_eq!(objects.len(), human.matches("error[").count());
    assert_eq!(objects[0]["code"], "E0107");
    assert_eq!(objects[0]["primary"]["line"], 2);
}

#[test]
fn colours_are_used_where_they_are_asked_for() {
    let input = "cli/tests/inputs/faulty.pir";
    let has_colours =
        |when: &str| said(&pirogue(&["opt", input, "--color", when])).contains("\x1b[");
    assert_eq!(["always", "never", "auto"].map(has_colours), [true, false, false]);
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

/// The plans of several stages do not depend on how many threads there are, nor on how they fall.
#[test]
fn plans_of_all_stages_are_the_same_each_time() {
    let (_guard, folder) = temporary();
    let mut previous = None;
    for (round, threads) in ["1", "2", "2", "8"].into_iter().enumerate() {
        let target = folder.join(format!("plans{round}"));
        let inputs = ["plan", "examples/gpt_stage0.pir", "examples/gpt_stage1.pir"];
        let options = ["--stages", "2", "--chunks", "2", "--micro-batches", "4", "-vv"];
        let place = ["--threads", threads, "-o", target.to_str().unwrap()];
        let output = pirogue(&[&inputs[..], &options[..], &place[..]].concat());
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(entries(&target), ["stage0", "stage1"]);
        let account = String::from_utf8_lossy(&output.stdout);
        let (account, written) = account.rsplit_once("\nwritten to ").expect("it says where to");
        assert!(written.contains("18 programs"), "{written}");
        let program = std::fs::read(target.join("stage1/backward1.pir")).unwrap();
        let now = (account.to_owned(), program);
        assert!(previous.is_none_or(|before| before == now));
        previous = Some(now);
    }
}

/// What `pirogue passes NAME` shows as an example can be run.
#[test]
fn the_examples_of_all_passes_run() {
    let list = String::from_utf8_lossy(&pirogue(&["passes"]).stdout).into_owned();
    let names: Vec<&str> = list.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"pipeline_scheduler_VPP"));
    for name in names {
        let help = String::from_utf8_lossy(&pirogue(&["passes", name]).stdout).into_owned();
        let (_, example) = help.split_once("pirogue opt -p '").expect("there is an example");
        let (pipeline, rest) = example.split_once('\'').expect("its pipeline is quoted");
        assert_eq!(rest.trim(), "program.pir");
        // Schedulers for one chunk take a program of one.
        let in_one_chunk = format!("strip_attributes{{names=[chunk_id]}},{pipeline}");
        let is_for_one = name.starts_with("pipeline_scheduler") && !pipeline.contains("vpp_degree");
        let pipeline = if is_for_one { &in_one_chunk } else { pipeline };
        let output = pirogue(&["opt", "examples/gpt_stage0.pir", "-p", pipeline]);
        assert!(output.status.success(), "{name}: {}", said(&output));
    }
}

#[test]
fn blessing_writes_what_cases_show_and_a_second_time_nothing() {
    let (_guard, folder) = temporary();
    let given = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs/cases/roles.pir");
    std::fs::copy(given, folder.join("roles.pir")).expect("the cases are there");
    let test = |arguments: &[&str]| {
        let output = pirogue(&[&["test", folder.to_str().unwrap()], arguments].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (status, list) = test(&[]);
    assert_eq!(status, Some(1), "{list}");
    assert_eq!(entries(&folder), ["roles.pir"], "a test alone writes nothing");
    let (status, list) = test(&["--bless"]);
    assert_eq!(status, Some(0), "{list}");
    assert!(list.ends_with("2 passed, 0 failed, 1 snapshot written\n"), "{list}");
    let snapshots = entries(&folder.join("snapshots/roles"));
    assert_eq!(snapshots, ["an_op_between_two_forward_ops_is_forward.snap"]);
    let (status, list) = test(&["--bless"]);
    assert_eq!(status, Some(0), "{list}");
    assert!(list.ends_with("2 passed, 0 failed\n"), "{list}");
}
