//! What a plan can do wrong, one small case for each code.

use std::sync::Arc;

use pirogue::ir::{Context, Program};
use pirogue::text;
use pirogue_plan::{Plan, PlanOptions, SkipGcRule};
use pirogue_prove::{MicroBatches, Options, Outcome, Verdict, prove};

/// A forward and a backward op, a sum over micro-batches, and what the optimizer makes of it.
const ORIGINAL: &str = r#"{
    ^kw:
        %kwarg_w@GRAD {persistable:true}
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {name:"x",op_role:0} : () -> tensor<2xf32>
    (%2) = "pd_op.multiply" (%1, %0) {op_role:0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.tanh" (%2) {op_role:1} : (tensor<2xf32>) -> tensor<2xf32>
    () = "pd_op.send_v2" (%3) {op_role:1,peer:1,ring_id:4} : (tensor<2xf32>) -> 
    (%4) = "pd_op.add_" (%kwarg_w@GRAD, %3) {op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%3) {op_role:1,output_name:"out"} : (tensor<2xf32>) -> 
    (%5) = "pd_op.subtract_" (%0, %kwarg_w@GRAD) {op_role:2} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
}"#;

const FORWARD: &str = r#"{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {name:"x"} : () -> tensor<2xf32>
    (%2) = "pd_op.multiply" (%1, %0) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%2) {output_name:"y"} : (tensor<2xf32>) -> 
}"#;

const BACKWARD: &str = r#"{
    ^kw:
        %kwarg_w@GRAD {persistable:true}
        %kwarg_y {persistable:false}
    (%3) = "pd_op.tanh" (%kwarg_y) {} : (tensor<2xf32>) -> tensor<2xf32>
    () = "pd_op.send_v2" (%3) {peer:1,ring_id:4} : (tensor<2xf32>) -> 
    (%4) = "pd_op.add_" (%kwarg_w@GRAD, %3) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%3) {output_name:"out"} : (tensor<2xf32>) -> 
}"#;

const OPTIMIZER: &str = r#"{
    ^kw:
        %kwarg_w {persistable:true}
        %kwarg_w@GRAD {persistable:true}
    (%0) = "pd_op.subtract_" (%kwarg_w, %kwarg_w@GRAD) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
}"#;

const JOBS: &str = "forward0:0 forward0:1 backward0:0 backward0:1 optimizer:0";

/// A plan of two micro-batches that is right until something is changed.
struct Case {
    original: String,
    programs: Vec<(&'static str, String)>,
    jobs: String,
    kept: Vec<&'static str>,
    options: Options,
}

impl Case {
    fn new() -> Self {
        let programs = [("forward0", FORWARD), ("backward0", BACKWARD), ("optimizer", OPTIMIZER)];
        Self {
            original: ORIGINAL.into(),
            programs: programs.map(|(name, text)| (name, text.to_owned())).to_vec(),
            jobs: JOBS.into(),
            kept: vec!["y"],
            options: Options::default(),
        }
    }

    /// With a stretch of a program replaced, which must be there.
    fn edit(mut self, program: usize, from: &str, to: &str) -> Self {
        let text = &mut self.programs[program].1;
        assert!(text.contains(from), "`{from}` is not in the program");
        *text = text.replace(from, to);
        self
    }

    fn edit_original(mut self, from: &str, to: &str) -> Self {
        assert!(self.original.contains(from), "`{from}` is not in the original");
        self.original = self.original.replace(from, to);
        self
    }

    fn jobs(mut self, jobs: &str) -> Self {
        self.jobs = jobs.into();
        self
    }

    fn verdict(&self) -> Verdict {
        let context = Context::new();
        let original = read(&context, &self.original);
        let programs = self
            .programs
            .iter()
            .map(|(name, text)| (name.parse().expect("a job type"), read(&context, text)));
        let options = PlanOptions {
            schedule: "VPP".into(),
            pp_degree: 1,
            pp_stage: 0,
            vpp_degree: 1,
            num_micro_batches: 2,
            split_backward: false,
        };
        let jobs = self.jobs.split(' ').map(|job| job.parse().expect("a job")).collect();
        let plan = Plan::new(options, programs, jobs, SkipGcRule::Paddle).expect("a plan");
        let kept: Vec<_> = self.kept.iter().map(|name| context.name(name)).collect();
        let plan = plan.with_skip_gc_vars(|_| kept.clone());
        let verdict = prove(&original, &plan, &self.options);
        let apart = self.options.clone().micro_batches(MicroBatches::Apart);
        let apart = prove(&original, &plan, &apart);
        assert_eq!(apart.outcome, verdict.outcome, "run apart it is the same");
        verdict
    }

    /// Checks that it is proved and gives the notes.
    #[track_caller]
    fn is_proved(&self) -> Vec<String> {
        let verdict = self.verdict();
        let faults: String = verdict.faults.iter().map(|fault| format!("{fault}\n")).collect();
        assert_eq!(verdict.outcome, Outcome::Proved, "{faults}");
        verdict.notes.iter().map(|note| note.code.to_string()).collect()
    }

    /// The codes of all faults, in their order.
    #[track_caller]
    fn faults(&self) -> Vec<String> {
        let verdict = self.verdict();
        assert_eq!(verdict.outcome, Outcome::Refuted);
        let mut codes: Vec<String> =
            verdict.faults.iter().map(|fault| fault.code.to_string()).collect();
        codes.dedup();
        codes
    }
}

fn read(context: &Arc<Context>, source: &str) -> Program {
    let read = text::read_program(context, "case.pir", source.as_bytes());
    read.unwrap_or_else(|errors| panic!("{}", errors[0])).program
}

#[test]
fn the_plan_that_all_others_are_made_from_is_right() {
    assert!(Case::new().is_proved().is_empty());
}

#[test]
fn a_list_cannot_go_from_program_to_program() {
    let list = r#"(%5) = "builtin.combine" (%2) {} : (tensor<2xf32>) -> vec[tensor<2xf32>]
    () = "builtin.shadow_output" (%5) {output_name:"l"} : (vec[tensor<2xf32>]) -> 
}"#;
    assert_eq!(Case::new().edit(0, "}", list).faults_of_text(list), ["E0701"]);
}

impl Case {
    /// As `faults`, for an edit of a closing brace, which stands in attributes too.
    fn faults_of_text(mut self, end: &str) -> Vec<String> {
        self.programs[0].1 = FORWARD.trim_end_matches('}').to_owned() + end;
        self.faults()
    }
}

#[test]
fn a_name_that_nobody_leaves_is_missing_and_the_first_thing_that_is_said() {
    let faults = Case::new().edit(0, r#""y""#, r#""z""#).faults();
    assert_eq!(faults[0], "E0702");
    let flag = "kwarg_y {persistable:false}";
    let faults = Case::new().edit(1, flag, "kwarg_y {persistable:true}").faults();
    assert_eq!(faults[0], "E0702");
}

#[test]
fn a_job_of_the_wrong_micro_batch_finds_nothing_there() {
    let faults = Case::new().jobs("forward0:0 backward0:0 backward0:1 forward0:1 optimizer:0");
    assert_eq!(faults.faults()[0], "E0702");
}

#[test]
fn a_value_that_is_not_kept_is_freed_before_it_is_read() {
    let mut case = Case::new();
    case.kept.clear();
    assert_eq!(case.faults(), ["E0704"]);
}

#[test]
fn an_op_that_asks_for_the_shape_alone_may_come_after_the_value_was_freed() {
    let tanh = r#"(%3) = "pd_op.tanh" (%2) {op_role:1} : (tensor<2xf32>) -> tensor<2xf32>"#;
    let shape = r#"(%9) = "pd_op.full" () {op_role:1,shape:[2]} : () -> tensor<2xf32>
    (%3) = "pd_op.reshape_grad" (%2, %9) {op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"#;
    let in_plan =
        shape.replace("%2", "%kwarg_y").replace("op_role:1,", "").replace("op_role:1", "");
    let mut case = Case::new().edit_original(tanh, shape).edit(
        1,
        r#"(%3) = "pd_op.tanh" (%kwarg_y) {} : (tensor<2xf32>) -> tensor<2xf32>"#,
        &in_plan,
    );
    case.kept.clear();
    case.is_proved();
}

#[test]
fn a_value_that_is_written_over_too_early_is_told_from_another_value() {
    let write = r#"(%9) = "pd_op.relu_" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%2)"#;
    let faults = Case::new().edit(0, r#"() = "builtin.shadow_output" (%2)"#, write).faults();
    assert!(faults.contains(&"E0705".to_owned()), "{faults:?}");
}

#[test]
fn a_wire_has_one_type_at_both_ends() {
    let case = Case::new().edit(
        1,
        r#"(%3) = "pd_op.tanh" (%kwarg_y) {} : (tensor<2xf32>)"#,
        r#"(%3) = "pd_op.tanh" (%kwarg_y) {} : (tensor<2xf64>)"#,
    );
    assert_eq!(case.faults(), ["E0706"]);
}

#[test]
fn another_stream_must_wait_for_an_event_that_somebody_records() {
    let send = r#"() = "pd_op.send_v2" (%3) {"#;
    let other = r#"() = "pd_op.send_v2" (%3) {execution_stream:"s","#;
    // In one program the executor orders it.
    Case::new().edit(1, send, other).is_proved();

    let crossing = |waits: &str| {
        let tanh = r#"(%3) = "pd_op.tanh" (%kwarg_y) {}"#;
        let other = format!(r#"(%3) = "pd_op.tanh" (%kwarg_y) {{execution_stream:"s"{waits}}}"#);
        Case::new().edit(1, tanh, &other)
    };
    assert_eq!(crossing("").faults(), ["E0707"]);
    assert_eq!(crossing(r#",events_to_wait:["e"]"#).faults(), ["E0708", "E0707"]);
    let records = r#"{event_to_record:"e",force_record_event:true}"#;
    let multiply = r#""pd_op.multiply" (%1, %0) "#;
    let recorded = crossing(r#",events_to_wait:["e"]"#).edit(
        0,
        &format!("{multiply}{{}}"),
        &format!("{multiply}{records}"),
    );
    recorded.is_proved();
}

#[test]
fn another_computation_is_seen_in_variables_outputs_and_messages() {
    let add = r#""pd_op.add_" (%kwarg_w@GRAD, %3)"#;
    let other = r#""pd_op.add_" (%kwarg_w@GRAD, %kwarg_y)"#;
    assert_eq!(Case::new().edit(1, add, other).faults(), ["E0710"]);
    let output = r#""builtin.shadow_output" (%3)"#;
    let renames = Case::new().edit(1, output, r#""builtin.shadow_output" (%kwarg_y)"#);
    assert_eq!(renames.faults(), ["E0711"]);
    let send = r#""pd_op.send_v2" (%3)"#;
    let sends = Case::new().edit(1, send, r#""pd_op.send_v2" (%kwarg_y)"#);
    assert_eq!(sends.faults(), ["E0712"]);
    let ring = Case::new().edit(1, "ring_id:4", "ring_id:5");
    assert_eq!(ring.faults(), ["E0713"]);
}

#[test]
fn each_job_runs_once() {
    let count = |jobs: &str| Case::new().jobs(jobs).faults();
    assert!(count("forward0:0 forward0:1 backward0:0 optimizer:0").contains(&"E0714".into()));
    let twice = "forward0:0 forward0:1 backward0:0 backward0:0 backward0:1 optimizer:0";
    assert!(count(twice).contains(&"E0714".into()));
    let other = "forward0:0 forward0:1 backward0:0 backward0:1 optimizer:1";
    assert_eq!(count(other), ["E0714"]);
}

#[test]
fn a_name_is_for_one_value() {
    let second = r#"(%9) = "pd_op.abs" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%9) {output_name:"y"} : (tensor<2xf32>) -> 
    () = "builtin.shadow_output" (%2)"#;
    let faults = Case::new().edit(0, r#"() = "builtin.shadow_output" (%2)"#, second).faults();
    assert_eq!(faults[0], "E0715");
}

#[test]
fn a_variable_keeps_its_own_name() {
    let second = r#"() = "builtin.shadow_output" (%0) {output_name:"v"} : (tensor<2xf32>) -> 
    () = "builtin.shadow_output" (%2)"#;
    let faults = Case::new().edit(0, r#"() = "builtin.shadow_output" (%2)"#, second).faults();
    assert_eq!(faults, ["E0717"]);
}

#[test]
fn only_outputs_that_are_asked_for_are_observed() {
    let output = r#""builtin.shadow_output" (%3)"#;
    let mut case = Case::new().edit(1, output, r#""builtin.shadow_output" (%kwarg_y)"#);
    case.options = Options::fetching(Vec::<String>::new());
    case.is_proved();
    case.options = Options::fetching(["out", "loss"]);
    assert_eq!(case.faults(), ["E0719", "E0711"]);
}

#[test]
fn another_order_of_a_sum_is_noted() {
    let case = Case::new().jobs("forward0:1 forward0:0 backward0:1 backward0:0 optimizer:0");
    assert_eq!(case.is_proved(), ["N0721"]);
    let case = Case::new().jobs("forward0:1 forward0:0 backward0:0 backward0:1 optimizer:0");
    assert!(case.is_proved().is_empty());
}

#[test]
fn what_nobody_sees_may_be_left_out_and_is_noted() {
    let dead = r#"(%9) = "pd_op.abs" (%1) {op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) ="#;
    assert_eq!(Case::new().edit_original("(%2) =", dead).is_proved(), ["N0722"]);
}

#[test]
fn an_update_before_the_last_gradient_is_seen_although_micro_batches_are_run_as_one() {
    let case = Case::new().jobs("forward0:0 forward0:1 backward0:0 optimizer:0 backward0:1");
    assert!(case.faults().contains(&"E0710".into()));
}

#[test]
fn an_op_of_which_nothing_is_known_leaves_the_verdict_open() {
    let tanh = "pd_op.tanh";
    let case = Case::new().edit_original(tanh, "custom_op.f").edit(1, tanh, "custom_op.f");
    let verdict = case.verdict();
    assert_eq!(verdict.outcome, Outcome::Undecided);
    assert_eq!(verdict.notes[0].code, "W0730");
    assert!(verdict.notes[0].message.contains("`custom_op.f`"), "{}", verdict.notes[0].message);
}

#[test]
fn programs_of_two_contexts_are_refused() {
    let case = Case::new();
    let (one, other) = (Context::new(), Context::new());
    let verdict = pirogue_prove::equivalent(&read(&one, &case.original), &read(&other, ORIGINAL));
    assert_eq!(verdict.faults[0].code, "E0716");
}
