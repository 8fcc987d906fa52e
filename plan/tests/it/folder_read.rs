//! Reading plans from folders: strictly, and every fault is shown where it stands.

use std::fs;
use std::path::Path;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::Context;
use pirogue::text;
use pirogue_plan::{Plan, read_folder, write_folder, write_stages};
use tempfile::TempDir;

use super::small_plan;

/// A small plan in a folder, with one text in a file replaced by another.
fn edited(file: &str, from: &str, to: &str) -> TempDir {
    let root = TempDir::new().unwrap();
    write_folder(&small_plan(&Context::new()), root.path()).unwrap();
    let path = root.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
    root
}

fn faults(dir: &Path) -> Vec<Diagnostic> {
    read_folder(&Context::new(), dir).unwrap_err()
}

/// Code, line and what is highlighted of the only fault after an edit of `plan.json`.
fn fault(from: &str, to: &str) -> (String, u32, String) {
    let found = faults(edited("plan.json", from, to).path());
    assert_eq!(found.len(), 1, "{found:?}");
    let place = found[0].primary.as_ref().unwrap();
    assert!(place.file.ends_with("plan.json"));
    assert!(found[0].help.is_some());
    let marked = place.text[place.highlight.clone()].to_owned();
    (found[0].code.to_string(), place.line.unwrap(), marked)
}

#[track_caller]
fn assert_fault(from: &str, to: &str, code: &str, line: u32, marked: &str) {
    assert_eq!(fault(from, to), (code.to_owned(), line, marked.to_owned()), "{from} ==> {to}");
}

fn message(from: &str, to: &str) -> String {
    faults(edited("plan.json", from, to).path())[0].message.clone()
}

fn texts(plan: &Plan) -> Vec<(String, String)> {
    let program = |(job_type, program)| (format!("{job_type}"), text::to_text(program));
    plan.programs().map(program).collect()
}

fn sets(plan: &Plan) -> Vec<Vec<&str>> {
    let names = |set: &[_]| set.iter().map(|&name| plan.context().name_text(name)).collect();
    plan.skip_gc_sets().map(names).collect()
}

#[test]
fn what_was_written_is_read_back() {
    let root = TempDir::new().unwrap();
    let plan = small_plan(&Context::new());
    write_folder(&plan, root.path()).unwrap();
    let read = read_folder(&Context::new(), root.path()).unwrap();
    assert!(read.warnings.is_empty());
    assert_eq!(read.plan.options(), plan.options());
    assert_eq!(read.plan.jobs(), plan.jobs());
    assert_eq!(texts(&read.plan), texts(&plan));
    assert_eq!(sets(&read.plan), sets(&plan));
    let set_of_jobs = |plan: &Plan| (0..5).map(|job| plan.skip_gc_set(job)).collect::<Vec<_>>();
    assert_eq!(set_of_jobs(&read.plan), set_of_jobs(&plan));
}

// The file counts, not the rule: a person may have added a name.
#[test]
fn kept_names_are_those_of_the_file_in_the_order_of_their_bytes() {
    let root = edited("plan.json", "  []]", "  [\"z\",\"é\",\"b\",\"z\"]]");
    let read = read_folder(&Context::new(), root.path()).unwrap();
    assert_eq!(sets(&read.plan)[1], ["b", "z", "é"]);
}

#[test]
fn a_folder_without_plan_json_is_refused_and_those_of_stages_are_pointed_at() {
    let root = TempDir::new().unwrap();
    let fault = &faults(root.path())[0];
    assert_eq!(
        (fault.code.as_ref(), fault.help.as_deref()),
        ("E0621", Some("give a folder that a plan was written to"))
    );
    assert_eq!(faults(&root.path().join("missing"))[0].code, "E0621");

    let mut parts = small_plan(&Context::new()).into_parts();
    parts.options.pp_stage = 0;
    let plan = Plan::from_parts(parts, Default::default()).unwrap();
    write_stages(&[plan], root.path()).unwrap();
    let help = faults(root.path())[0].help.clone().unwrap();
    assert!(
        help.starts_with("it holds the plans of several stages: give one, such as `"),
        "{help}"
    );
    assert!(read_folder(&Context::new(), &root.path().join("stage0")).is_ok());
}

#[test]
fn a_folder_called_plan_json_is_refused() {
    let root = TempDir::new().unwrap();
    fs::create_dir(root.path().join("plan.json")).unwrap();
    let fault = &faults(root.path())[0];
    assert_eq!(fault.code, "E0622");
    assert!(fault.message.ends_with("it is not a file"), "{}", fault.message);
}

#[test]
fn what_is_not_json_is_shown_where_it_stops_to_be() {
    assert_fault("1,\n \"op", "1;\n \"op", "E0623", 1, "1;");
    assert_fault("\"forward0.pir\"}", "\"forward0.pir\"", "E0623", 5, "{");
    assert_fault("]}\n", "]", "E0623", 15, "]");
    assert_fault("]}\n", "]} x", "E0623", 15, "x");
    let root = TempDir::new().unwrap();
    for bytes in [b"".as_slice(), b"\n", b"\xff", b"[[[[[", b"null"] {
        fs::write(root.path().join("plan.json"), bytes).unwrap();
        assert_eq!(faults(root.path())[0].code, "E0623");
    }
}

#[test]
fn nesting_without_end_is_refused() {
    let root = TempDir::new().unwrap();
    fs::write(root.path().join("plan.json"), "[".repeat(1_000_000)).unwrap();
    assert_eq!(faults(root.path())[0].code, "E0623");
    assert_eq!(fault("1,\n \"op", &format!("{},\n \"op", "[".repeat(100_000))).0, "E0623");
}

#[test]
fn another_format_or_version_is_named() {
    assert_fault("pirogue-plan", "canoe-plan", "E0624", 1, "\"canoe-plan\"");
    assert_fault("\"version\":1", "\"version\":2", "E0625", 1, "2");
    assert_fault("\"version\":1", "\"version\":1.0", "E0625", 1, "1.0");
    assert_fault("\"version\":1", "\"version\":2,\"new\":0", "E0625", 1, "2");
    assert_eq!(message("\"version\":1", "\"version\":2"), "the version is 2, expected 1");
}

#[test]
fn unknown_missing_and_doubled_keys_are_refused() {
    assert_fault("\"version\":1", "\"version\":1,\"extra\":[]", "E0623", 1, "\"extra\"");
    assert_fault("\"pp_stage\":1", "\"pp_stag\":1", "E0623", 2, "\"pp_stag\"");
    assert_fault("\"file\":\"forward0.pir\"", "\"path\":\"forward0.pir\"", "E0623", 4, "\"path\"");
    assert_fault("\"micro_batch\":1,", "", "E0623", 12, "}");
    assert_fault("\"skip_gc\":0", "\"skip_gc\":0,\"skip_gc\":0", "E0623", 11, "\"skip_gc\"");
    assert_eq!(
        message("\"pp_stage\":1", "\"pp_stag\":1"),
        "this is no plan: unknown field `pp_stag`, expected one of `schedule`, `pp_degree`, \
         `pp_stage`, `vpp_degree`, `num_micro_batches`, `split_backward`"
    );
    assert_eq!(message("\"micro_batch\":1,", ""), "this is no plan: missing field `micro_batch`");
}

#[test]
fn values_of_another_kind_and_absurd_numbers_are_refused() {
    assert_fault("\"split_backward\":false", "\"split_backward\":0", "E0623", 2, "0");
    assert_fault("\"micro_batch\":1", "\"micro_batch\":-1", "E0623", 12, "-1");
    assert_fault("\"micro_batch\":1", "\"micro_batch\":4294967296", "E0623", 12, "4294967296");
    assert_fault("\"micro_batch\":1", "\"micro_batch\":1e99", "E0623", 12, "1e99");
    assert_fault("\"skip_gc\":0", "\"skip_gc\":\"0\"", "E0623", 11, "\"0\"");
    assert_fault("[]]", "[7]]", "E0623", 9, "7");
    assert_fault(
        "\"pp_degree\":2",
        "\"pp_degree\":99999999999999999999",
        "E0623",
        2,
        "99999999999999999999",
    );
}

#[test]
fn counts_out_of_range_are_shown_in_the_options() {
    let options = r#"{"schedule":"VPP","pp_degree":2,"pp_stage":1,"vpp_degree":2,"num_micro_batches":2,"split_backward":false}"#;
    for (from, to, code) in [
        ("\"pp_degree\":2", "\"pp_degree\":0", "E0301"),
        ("\"vpp_degree\":2", "\"vpp_degree\":70000", "E0302"),
        ("\"num_micro_batches\":2", "\"num_micro_batches\":4000000000", "E0303"),
        ("\"pp_stage\":1", "\"pp_stage\":2", "E0305"),
    ] {
        assert_fault(from, to, code, 2, &options.replace(from, to));
    }
}

#[test]
fn jobs_that_do_not_fit_are_shown() {
    let job = r#"{"type":"forward0","micro_batch":1,"skip_gc":0}"#;
    for (to, code) in [
        (r#"{"type":"forward9","micro_batch":1,"skip_gc":0}"#, "E0635"),
        (r#"{"type":"forward0","micro_batch":2,"skip_gc":0}"#, "E0636"),
        (r#"{"type":"forward0","micro_batch":1,"skip_gc":2}"#, "E0628"),
        (r#"{"type":"forward00","micro_batch":1,"skip_gc":0}"#, "E0322"),
        (r#"{"type":"loss","micro_batch":1,"skip_gc":0}"#, "E0321"),
    ] {
        assert_fault(job, to, code, 12, to);
    }
}

#[test]
fn programs_that_do_not_fit_are_shown() {
    let entry = r#"{"type":"optimizer","file":"optimizer.pir"}"#;
    for (to, code) in [
        (r#"{"type":"optimizer","file":"missing.pir"}"#, "E0627"),
        (r#"{"type":"optimizer0","file":"optimizer.pir"}"#, "E0323"),
    ] {
        assert_fault(entry, to, code, 6, to);
    }
    let twice = r#"{"type":"forward0","file":"optimizer.pir"}"#;
    let found = faults(edited("plan.json", entry, twice).path());
    assert_eq!(found[0].code, "E0632");
    assert_eq!(found[1].code, "E0635", "the optimizer has no program then");
}

#[test]
fn files_elsewhere_are_not_read() {
    for name in [
        "../optimizer.pir",
        "/etc/passwd",
        "a/../optimizer.pir",
        "./optimizer.pir",
        "..",
        ".",
        "",
        "optimizer.pir/",
        "a\\\\b",
        "\\u0000",
    ] {
        let to = format!("\"file\":\"{name}\"");
        let (code, line, _) = fault("\"file\":\"optimizer.pir\"", &to);
        assert_eq!((code.as_str(), line), ("E0626", 6), "{name}");
    }
}

#[test]
fn all_faults_are_reported_but_no_more_than_20() {
    let root = edited("plan.json", "\"skip_gc\":0", "\"skip_gc\":8");
    let path = root.path().join("plan.json");
    let text = fs::read_to_string(&path).unwrap().replace("backward0\",\"m", "backward0:\",\"m");
    fs::write(&path, &text).unwrap();
    let found = faults(root.path());
    let codes: Vec<&str> = found.iter().map(|fault| fault.code.as_ref()).collect();
    assert_eq!(codes, ["E0628", "E0322", "E0322"]);

    let line = "{\"type\":\"forward0\",\"micro_batch\":0,\"skip_gc\":9}";
    let many = format!("\"jobs\":[\n{}", format!("{line},\n").repeat(50));
    fs::write(&path, text.replace("\"jobs\":[\n", &many)).unwrap();
    assert_eq!(faults(root.path()).len(), 20);
}

#[test]
fn a_fault_in_a_program_is_shown_in_its_file() {
    let root = edited("backward0.pir", "pd_op.tanh\"", "pd_op.tanh");
    let found = faults(root.path());
    let place = found[0].primary.as_ref().unwrap();
    assert!(place.file.ends_with("backward0.pir"));
    assert_eq!(place.line, Some(4));
}

// The whole of what a person sees.
#[test]
fn a_fault_reads_well() {
    let root = edited("plan.json", "\"skip_gc\":0", "\"skip_gc\":8");
    let dir = root.path().display().to_string();
    let text = faults(root.path())[0].to_string().replace(&dir, "DIR");
    let expected = r#"error[E0628]: there is no set 8: `skip_gc_sets` has 2, counted from 0
  --> DIR/plan.json:11:3
   |
11 |   {"type":"forward0","micro_batch":0,"skip_gc":8},
   |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   |
   = help: add the set, or name one that is there"#;
    assert_eq!(text, expected);
}
