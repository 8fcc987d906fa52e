//! Two programs that mean the same, and two that do not.

use std::sync::Arc;

use pirogue::ir::{Context, Program};
use pirogue::text;
use pirogue_prove::{Outcome, Verdict, equivalent};

fn read(context: &Arc<Context>, body: &str) -> Program {
    let source = format!("{{\n{body}\n}}");
    let read = text::read_program(context, "case.pir", source.as_bytes());
    read.unwrap_or_else(|errors| panic!("{}", errors[0])).program
}

fn judged(original: &str, other: &str) -> Verdict {
    let context = Context::new();
    equivalent(&read(&context, original), &read(&context, other))
}

fn is_same(original: &str, other: &str) {
    let verdict = judged(original, other);
    let faults: String = verdict.faults.iter().map(|fault| format!("{fault}\n")).collect();
    assert_eq!(verdict.outcome, Outcome::Proved, "{faults}");
}

/// Checks that a difference is found and gives its code.
fn difference(original: &str, other: &str) -> String {
    let verdict = judged(original, other);
    assert_eq!(verdict.outcome, Outcome::Refuted);
    verdict.faults[0].code.clone().into_owned()
}

const FEED: &str = r#"(%0) = "pd_op.data" () {name:"x"} : () -> tensor<2x3xf32>"#;

#[test]
fn independent_ops_may_change_places() {
    is_same(
        &format!(
            r#"{FEED}
            (%1) = "pd_op.relu" (%0) {{}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
            (%2) = "pd_op.tanh" (%0) {{}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
            (%3) = "pd_op.add" (%1, %2) {{}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
            () = "builtin.shadow_output" (%3) {{output_name:"out"}} : (tensor<2x3xf32>) -> "#
        ),
        &format!(
            r#"{FEED}
            (%2) = "pd_op.tanh" (%0) {{}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
            (%1) = "pd_op.relu" (%0) {{}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
            (%3) = "pd_op.add" (%1, %2) {{}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
            () = "builtin.shadow_output" (%3) {{output_name:"out"}} : (tensor<2x3xf32>) -> "#
        ),
    );
}

#[test]
fn another_op_another_operand_and_a_lost_output_are_seen() {
    let program = |op: &str, output: &str| {
        format!(
            r#"{FEED}
            (%1) = "pd_op.{op}" (%0) {{}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
            () = "builtin.shadow_output" (%1) {{output_name:"{output}"}} : (tensor<2x3xf32>) -> "#
        )
    };
    assert_eq!(difference(&program("relu", "out"), &program("tanh", "out")), "E0711");
    assert_eq!(difference(&program("relu", "out"), &program("relu", "other")), "E0711");
}

#[test]
fn an_in_place_op_is_seen_through_every_name_of_its_memory() {
    let program = |first: &str, second: &str| {
        format!(
            r#"{FEED}
            (%1) = "pd_op.tanh" (%0) {{}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
            {first}
            {second}
            () = "builtin.shadow_output" (%2) {{output_name:"out"}} : (tensor<2x3xf32>) -> "#
        )
    };
    let write = r#"(%3) = "pd_op.relu_" (%1) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>"#;
    let read = r#"(%2) = "pd_op.abs" (%1) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>"#;
    assert_eq!(difference(&program(read, write), &program(write, read)), "E0705");
    assert_eq!(difference(&program(write, read), &program(read, write)), "E0705");
    is_same(&program(write, read), &program(write, read));
}

#[test]
fn a_branch_that_writes_leaves_the_choice_between_both() {
    let program = |then: &str| {
        format!(
            r#"{FEED}
            (%c) = "pd_op.data" () {{name:"c"}} : () -> tensor<1xb>
            (%1) = "pd_op.tanh" (%0) {{}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
            () = "pd_op.if" (%c) {{}} ->  {{
                (%2) = "pd_op.{then}" (%1) {{}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
                () = "cf.yield" () {{}} : () -> 
            }} else {{
                () = "cf.yield" () {{}} : () -> 
            }}
            () = "builtin.shadow_output" (%1) {{output_name:"out"}} : (tensor<2x3xf32>) -> "#
        )
        .replace("%c", "%9")
    };
    is_same(&program("relu_"), &program("relu_"));
    assert_eq!(difference(&program("relu_"), &program("relu")), "E0711");
    assert_eq!(difference(&program("relu_"), &program("tanh_")), "E0711");
}
