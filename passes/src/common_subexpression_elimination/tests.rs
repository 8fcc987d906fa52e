use pirogue::ir::{Context, verify};
use pirogue::text;

use super::*;

/// How many ops go. The result verifies, and running the pass again does nothing.
fn merged(body: &str) -> u64 {
    run(body).0
}

fn run(body: &str) -> (u64, String) {
    let source = format!("{{\n{body}}}\n");
    let read = text::read_program(&Context::new(), "test.pir", source.as_bytes());
    let mut program = read.unwrap_or_else(|faults| panic!("{}", faults[0])).program;
    let merged = merge_equal_ops(&mut Rewriter::new(&mut program));
    assert_eq!(merge_equal_ops(&mut Rewriter::new(&mut program)), 0);
    if let Some(fault) = verify(&program).first() {
        panic!("{fault}");
    }
    (merged, text::to_text(&program))
}

/// `%0` and `%1`, both read by ops of the rest.
fn with_two_inputs(rest: &str) -> String {
    format!(
        r#"    (%0) = "pd_op.data" () {{name:"x"}} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {{name:"y"}} : () -> tensor<2xf32>
{rest}"#
    )
}

/// Two ops with these attributes.
fn two_ops(first: &str, second: &str) -> u64 {
    merged(&with_two_inputs(&format!(
        r#"    (%2) = "pd_op.tanh" (%0) {{{first}}} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.tanh" (%0) {{{second}}} : (tensor<2xf32>) -> tensor<2xf32>
"#
    )))
}

#[test]
fn chains_that_compute_the_same_become_one() {
    let (merged, text) = run(&with_two_inputs(
        r#"    (%2) = "pd_op.add" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.add" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.tanh" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.tanh" (%3) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.add" (%1, %0) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%5) {output_name:"out"} : (tensor<2xf32>) -> 
"#,
    ));
    assert_eq!(merged, 2, "the sum of the operands in the other order is another op");
    assert!(text.contains(r#"shadow_output" (%3) {output_name:"out"}"#), "{text}");
}

#[test]
fn attributes_count_by_value_and_not_by_spelling() {
    assert_eq!(two_ops("op_role:0", "op_role:0"), 1);
    assert_eq!(two_ops("a:(Int32)1,b:2", "b:2,a:(Int32)1"), 1);
    assert_eq!(two_ops("stop_gradient:[true]", "stop_gradient:[(Bool)true]"), 1);
    assert_eq!(two_ops("a:1", "a:2"), 0);
    assert_eq!(two_ops("stop_gradient:[true]", "stop_gradient:[false]"), 0);
}

#[test]
fn ops_of_another_role_or_chunk_are_other_ops() {
    assert_eq!(two_ops("chunk_id:0,op_role:0", "chunk_id:0,op_role:0"), 1);
    assert_eq!(two_ops("op_role:0", "op_role:1"), 0);
    assert_eq!(two_ops("chunk_id:0,op_role:0", "chunk_id:1,op_role:0"), 0);
}

#[test]
fn where_some_say_their_place_those_that_do_not_are_left_alone() {
    let beside = |other: &str, both: &str| {
        merged(&with_two_inputs(&format!(
            r#"    (%2) = "pd_op.tanh" (%0) {{{both}}} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.tanh" (%0) {{{both}}} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.relu" (%0) {{{other}}} : (tensor<2xf32>) -> tensor<2xf32>
"#
        )))
    };
    assert_eq!(beside("op_role:0", "op_role:0"), 1);
    assert_eq!(beside("op_role:0", ""), 0, "they may be of two phases");
    assert_eq!(beside("chunk_id:0,op_role:0", "op_role:1"), 0, "they may be of two chunks");
    assert_eq!(beside("chunk_id:0,op_role:0", "chunk_id:-1,op_role:1"), 0);
    assert_eq!(beside("chunk_id:0,op_role:0", "chunk_id:-1,op_role:2"), 1);
}

#[test]
fn events_and_persistable_results_keep_an_op() {
    assert_eq!(two_ops(r#"event_to_record:"e""#, r#"event_to_record:"e""#), 0);
    assert_eq!(two_ops("force_record_event:true", "force_record_event:true"), 0);
    assert_eq!(two_ops("persistable:[true]", "persistable:[true]"), 0);
    assert_eq!(two_ops("persistable:[false]", "persistable:[false]"), 1);
}

#[test]
fn ops_of_other_result_types_are_other_ops() {
    let body = r#"    (%0) = "pd_op.full" () {} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {} : () -> tensor<2xf64>
    (%2, %3) = "pd_op.topk" (%0, %1) {axis:0,largest:true,sorted:true} : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>, tensor<2xi64>
    (%4, %5) = "pd_op.topk" (%0, %1) {axis:0,largest:true,sorted:true} : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>, <<NULL TYPE>>
"#;
    assert_eq!(merged(body), 0);
}

#[test]
fn random_ops_receives_and_unknown_ops_are_never_merged() {
    for op in ["pd_op.randperm", "pd_op.recv_v2", "my.op", "pd_op.share_data"] {
        let line =
            |value: u32| format!("    (%{value}) = \"{op}\" () {{}} : () -> tensor<2xf32>\n");
        let body = format!("{}{}", line(0), line(1));
        let source = format!("{{\n{body}}}\n");
        let read = text::read_program(&Context::new(), "", source.as_bytes());
        let mut program = read.expect("it is well formed").program;
        assert_eq!(merge_equal_ops(&mut Rewriter::new(&mut program)), 0, "{op}");
    }
}

/// Two ops that read `%0`, one before and one behind the others.
fn around(others: &str) -> u64 {
    merged(&with_two_inputs(&format!(
        r#"    (%2) = "pd_op.tanh" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>
{others}    (%3) = "pd_op.tanh" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>
"#
    )))
}

#[test]
fn a_write_to_an_operand_between_the_two_makes_them_differ() {
    let write = |x: &str| {
        format!("    (%4) = \"pd_op.relu_\" ({x}) {{}} : (tensor<2xf32>) -> tensor<2xf32>\n")
    };
    assert_eq!(around(""), 1);
    assert_eq!(around(&write("%0")), 0);
    assert_eq!(around(&write("%1")), 1, "it writes another place");
    let under_another_value = r#"    (%5) = "pd_op.reshape_" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
"#;
    assert_eq!(around(under_another_value), 0);
    let unknown = "    () = \"my.op\" (%0) {} : (tensor<2xf32>) -> \n";
    assert_eq!(around(unknown), 0);
}

#[test]
fn a_write_before_both_or_behind_both_does_not_matter() {
    let body = |first: &str, last: &str| {
        merged(&with_two_inputs(&format!(
            r#"{first}    (%2) = "pd_op.tanh" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.tanh" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>
{last}"#
        )))
    };
    let write = "    (%4) = \"pd_op.relu_\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>\n";
    assert_eq!((body(write, ""), body("", write)), (1, 1));
}

#[test]
fn a_write_to_a_result_of_either_keeps_them_apart() {
    for written in ["%2", "%3"] {
        let body = format!(
            r#"    (%2) = "pd_op.tanh" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.tanh" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.relu_" ({written}) {{}} : (tensor<2xf32>) -> tensor<2xf32>
"#
        );
        assert_eq!(merged(&with_two_inputs(&body)), 0, "{written}");
    }
}

#[test]
fn one_name_goes_to_the_op_that_stays_and_two_names_keep_two_ops() {
    let name = |value: u32, name: &str| {
        format!(
            "    () = \"builtin.shadow_output\" (%{value}) {{output_name:\"{name}\"}} : (tensor<2xf32>) -> \n"
        )
    };
    let body = |names: String| {
        with_two_inputs(&format!(
            r#"    (%2) = "pd_op.tanh" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.tanh" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.tanh" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>
{names}"#
        ))
    };
    assert_eq!(merged(&body(name(3, "b"))), 2);
    let (merged, text) = run(&body(name(3, "b") + &name(4, "c")));
    assert_eq!(merged, 1);
    assert!(text.contains("(%2) {output_name:\"b\"}"), "{text}");
    assert!(text.contains("(%3) {output_name:\"c\"}"), "{text}");
}

/// `inside` stands in the branches of an `if` behind a `tanh` of `%0`.
fn in_branches(then: &str, otherwise: &str, behind: &str) -> u64 {
    merged(&with_two_inputs(&format!(
        r#"    (%2) = "pd_op.full" () {{}} : () -> tensor<1xb>
    () = "pd_op.if" (%2) {{}} ->  {{
{then}    }} else {{
{otherwise}    }}
{behind}"#
    )))
}

#[test]
fn an_op_in_a_region_is_seen_in_that_region_alone() {
    let op = |value: u32| {
        format!(
            "        (%{value}) = \"pd_op.tanh\" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>\n"
        )
    };
    assert_eq!(in_branches(&op(3), &op(4), &op(5)), 0);
    assert_eq!(in_branches(&(op(3) + &op(4)), "", ""), 1);
}

#[test]
fn an_op_before_a_loop_stands_for_one_in_it_unless_the_loop_writes_what_it_reads() {
    let body = |inside: &str| {
        with_two_inputs(&format!(
            r#"    (%2) = "pd_op.full" () {{}} : () -> tensor<1xb>
    (%3) = "pd_op.tanh" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.while" (cond=%2, inputs=%1) {{ 
    ^%arg_0 {{}}
        (%5) = "pd_op.tanh" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>
{inside}        () = "cf.yield" (%2, %5) {{}} : (tensor<1xb>, tensor<2xf32>) -> 
    }}
"#
        ))
    };
    assert_eq!(merged(&body("")), 1);
    let write = "        (%6) = \"pd_op.relu_\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>\n";
    assert_eq!(merged(&body(write)), 0, "in the second turn it reads what the first wrote");
}

#[test]
fn ops_nested_in_ops_of_another_role_are_other_ops() {
    let op = |value: u32, attrs: &str| {
        format!(
            "    (%{value}) = \"pd_op.tanh\" (%0) {{{attrs}}} : (tensor<2xf32>) -> tensor<2xf32>\n"
        )
    };
    let body = |role: u32| {
        merged(&with_two_inputs(&format!(
            r#"    (%2) = "pd_op.full" () {{op_role:0}} : () -> tensor<1xb>
{}    () = "pd_op.if" (%2) {{op_role:{role}}} ->  {{
{}    }} else {{
    }}
"#,
            op(3, "op_role:0"),
            op(4, "op_role:0")
        )))
    };
    assert_eq!((body(0), body(1)), (1, 0));
}
