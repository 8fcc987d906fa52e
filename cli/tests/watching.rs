//! Passes that are watched: what is seen, and that it is the same each time.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::path::Path;

use support::{entries, pirogue, said, temporary};

const CHAIN: &str = "cli/tests/inputs/chain.pir";
const GPT: &str = "examples/gpt_stage0.pir";
/// A plan of [`GPT`], and passes on its programs.
const PLAN: &str = "infer_chunk_ids,\
    pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4},\
    jobs[forward*](complete_op_roles)";

fn printed(arguments: &[&str]) -> String {
    let output = pirogue(arguments);
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Running a dump gives what running all gave.
#[test]
fn each_dump_goes_on_to_the_same_end() {
    let (_guard, folder) = temporary();
    let pipeline = "complete_op_roles,infer_chunk_ids,overlap_send_recv,split_matmul_grad";
    let place = folder.to_str().unwrap();
    let moments = ["--print-before", "--print-after", "--dump", place];
    let end = printed(&[&["opt", GPT, "-q", "-p", pipeline], &moments[..]].concat());
    let dumps = entries(&folder);
    assert_eq!(dumps.len(), 8);
    assert_eq!(dumps[0], "0001-before-complete_op_roles.pir");
    for dump in dumps {
        let again = printed(&["opt", "-q", folder.join(&dump).to_str().unwrap()]);
        assert!(again == end, "{dump}");
    }
}

#[test]
fn without_a_moment_a_dump_is_made_after_each_pass_and_of_each_program_of_a_plan() {
    let (_guard, folder) = temporary();
    let place = folder.to_str().unwrap();
    let arguments = ["opt", GPT, "-q", "-p", PLAN, "--emit", "plan", "--dump", place];
    printed(&arguments);
    let expected =
        ["0001-after-infer_chunk_ids.pir", "0002-after-pipeline_scheduler_VPP.pir", "0003-jobs"];
    assert_eq!(entries(&folder), expected);
    assert_eq!(entries(&folder.join("0003-jobs")), ["forward0", "forward1"]);
}

/// All that can be seen of a run, but for times.
fn seen(folder: &Path, threads: &str) -> Vec<String> {
    let (out, dump) = (folder.join("out"), folder.join("dump"));
    let inputs = ["opt", GPT, "examples/gpt_stage1.pir", CHAIN];
    let pipeline = ["-p", "infer_chunk_ids,overlap_send_recv,split_matmul_grad"];
    let watch = ["--print-after", "--statistics", "--threads", threads];
    let place = ["-o", out.to_str().unwrap()];
    let first = pirogue(&[&inputs[..], &pipeline, &watch, &place].concat());
    let watch = ["--dump", dump.to_str().unwrap(), "--threads", threads];
    let second = pirogue(&[&inputs[..], &pipeline, &watch, &place].concat());
    let mut seen = vec![said(&first), said(&second)];
    for (folder, per_input) in [(out, 1), (dump, 3)] {
        let mut files: Vec<_> =
            entries(&folder).into_iter().map(|name| folder.join(name)).collect();
        assert_eq!(files.len(), 3);
        if per_input > 1 {
            files = files
                .iter()
                .flat_map(|folder| {
                    entries(folder).into_iter().map(|name| folder.join(name)).collect::<Vec<_>>()
                })
                .collect();
        }
        assert_eq!(files.len(), 3 * per_input);
        seen.extend(files.iter().map(|file| fs::read_to_string(file).unwrap()));
    }
    seen
}

#[test]
fn several_inputs_are_the_same_with_any_number_of_threads_and_one_by_one() {
    let (_guard, folder) = temporary();
    let one = seen(&folder.join_new("one"), "1");
    for threads in ["2", "3", "16"] {
        let many = seen(&folder.join_new(threads), threads);
        assert!(one == many, "{threads} threads");
    }
    let alone =
        printed(&["opt", CHAIN, "-q", "-p", "infer_chunk_ids,overlap_send_recv,split_matmul_grad"]);
    assert_eq!(fs::read_to_string(folder.join("one/out/chain.pir")).unwrap(), alone);
    let streamed = printed(&["opt", CHAIN, CHAIN, "-q", "-p", "infer_chunk_ids"]);
    let alone = printed(&["opt", CHAIN, "-q", "-p", "infer_chunk_ids"]);
    assert_eq!(streamed, format!("{alone}// -----\n{alone}"));
}

/// A folder that is made.
trait JoinNew {
    fn join_new(&self, name: &str) -> std::path::PathBuf;
}

impl JoinNew for Path {
    fn join_new(&self, name: &str) -> std::path::PathBuf {
        let path = self.join(name);
        fs::create_dir(&path).unwrap();
        path
    }
}

#[test]
fn of_several_inputs_all_are_written_or_none() {
    let (_guard, folder) = temporary();
    let out = folder.join("out");
    let inputs = ["opt", CHAIN, "cli/tests/inputs/no_role.pir", GPT];
    let options = ["-p", "infer_chunk_ids", "-o", out.to_str().unwrap()];
    let output = pirogue(&[&inputs[..], &options].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("E0201") && said(&output).contains("no_role.pir"));
    assert_eq!(entries(&folder), [""; 0]);
}

#[test]
fn passes_on_the_programs_of_a_plan_are_in_the_plan_that_is_written() {
    let (_guard, folder) = temporary();
    let scheduler = PLAN.rsplit_once(",jobs").unwrap().0;
    let on_programs = format!("{scheduler},jobs[forward*](complete_op_roles)");
    let plans = [("plain", scheduler), ("passed", on_programs.as_str())].map(|(name, pipeline)| {
        let place = folder.join(name);
        printed(&[
            "opt",
            GPT,
            "-q",
            "-p",
            pipeline,
            "--emit",
            "plan",
            "-o",
            place.to_str().unwrap(),
        ]);
        place
    });
    let read = |plan: &Path, file: &str| fs::read_to_string(plan.join(file)).unwrap();
    let [plain, passed] = &plans;
    assert_eq!(read(plain, "plan.json"), read(passed, "plan.json"));
    assert_eq!(read(plain, "backward0.pir"), read(passed, "backward0.pir"));
    let output = "(%35) {op_role:0,output_name:";
    assert!(!read(plain, "forward0.pir").contains(output));
    assert!(read(passed, "forward0.pir").contains(output), "{}", read(passed, "forward0.pir"));
    let (shown, plan) = (
        printed(&["opt", GPT, "-p", scheduler, "--emit", "plan"]),
        printed(&[
            "plan",
            GPT,
            "--stages",
            "2",
            "--chunks",
            "2",
            "--micro-batches",
            "4",
            "--stage",
            "0",
            "--before",
            "infer_chunk_ids",
            "--no-prove",
        ]),
    );
    assert_eq!(shown, plan, "without a folder it is told what the plan holds");
}

#[test]
fn a_pipeline_without_a_plan_has_none_to_write() {
    let (_guard, folder) = temporary();
    let place = folder.join("plan");
    let options = ["-p", "infer_chunk_ids", "--emit", "plan", "-o", place.to_str().unwrap()];
    let output = pirogue(&[&["opt", CHAIN], &options[..]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("error[E0514]"), "{}", said(&output));
    assert_eq!(entries(&folder), [""; 0]);
}

#[test]
fn passes_before_and_after_the_scheduler_run_in_a_plan() {
    let (_guard, folder) = temporary();
    let (place, dump) = (folder.join("plan"), folder.join("dump"));
    let options = ["--stages", "2", "--chunks", "2", "--micro-batches", "4"];
    let passes = [
        "--before",
        "infer_chunk_ids",
        "--no-prove",
        "--after",
        "jobs[optimizer](overlap_send_recv)",
    ];
    let places = ["-o", place.to_str().unwrap(), "--dump", dump.to_str().unwrap()];
    let inputs = ["plan", GPT, "examples/gpt_stage1.pir"];
    printed(&[&inputs[..], &options, &passes, &places].concat());
    for stage in ["stage0", "stage1"] {
        let dumps = entries(&dump.join(stage));
        assert_eq!(dumps[0], "0001-after-infer_chunk_ids.pir");
        assert_eq!(entries(&dump.join(stage).join(&dumps[2])), ["optimizer"]);
    }
    let wrong = pirogue(&[
        "plan",
        GPT,
        "--stages",
        "2",
        "--micro-batches",
        "4",
        "--stage",
        "0",
        "--after",
        "jobs(",
    ]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(said(&wrong).contains("E0501"), "{}", said(&wrong));
}

#[test]
fn the_timing_tree_has_a_line_for_each_pass() {
    let output = pirogue(&["opt", GPT, "-q", "-p", PLAN, "--timing", "--emit", "plan"]);
    let text = said(&output);
    let names: Vec<&str> = text.lines().filter_map(|line| line.rsplit("  ").next()).collect();
    assert_eq!(names[0], "edits");
    assert_eq!(names[1], "pipeline");
    for name in [". infer_chunk_ids", ". pipeline_scheduler_VPP", ". jobs", ". . on forward0"] {
        assert!(names.contains(&name), "{name}: {text}");
    }
}

#[test]
fn a_trace_has_a_process_for_each_input() {
    let (_guard, folder) = temporary();
    let place = folder.join("trace.json");
    let arguments = ["opt", GPT, CHAIN, "-q", "-p", "infer_chunk_ids", "-o"];
    let out = folder.join("out");
    printed(
        &[&arguments[..], &[out.to_str().unwrap(), "--trace", place.to_str().unwrap()]].concat(),
    );
    let trace: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&place).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let named = events.iter().filter(|event| event["name"] == "process_name");
    let names: Vec<&str> = named.map(|event| event["args"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["gpt_stage0.pir", "chain.pir"]);
    let ran = events.iter().filter(|event| event["name"] == "infer_chunk_ids");
    let processes: Vec<u64> = ran.map(|event| event["pid"].as_u64().unwrap()).collect();
    assert_eq!(processes, [1, 2]);
}

/// A `cf.yield` in the top block is a fault.
#[test]
fn how_much_is_verified_can_be_said() {
    let (_guard, folder) = temporary();
    let input = folder.join("faulty.pir");
    let text = "{\n    (%0) = \"my.op\" () {op_role:0} : () -> tensor<2xf32>\n    () = \"cf.yield\" (%0) {} : (tensor<2xf32>) -> \n}\n";
    fs::write(&input, text).unwrap();
    let input = input.to_str().unwrap();
    for when in ["touched", "each", "ends"] {
        let output = pirogue(&["opt", input, "-p", "complete_op_roles", "--verify", when]);
        assert!(said(&output).contains("error[E0522]"), "{when}");
        assert!(said(&pirogue(&["opt", input, "--verify", when])).contains("error[E0416]"));
    }
    assert!(
        printed(&["opt", input, "-p", "complete_op_roles", "--verify", "none"]).contains("role:0")
    );
    assert_eq!(printed(&["opt", input, "--verify", "none"]), text);
}
