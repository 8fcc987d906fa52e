//! What rules can say, and how the driver applies them.

use super::super::{RuleSet, rule};
use super::{apply, fired, read, set};
use crate::ir::{AttrValue, Rewriter};
use crate::text;

fn double_abs() -> RuleSet {
    set([rule("double abs", "pd_op.abs(y@pd_op.abs(_)) ==> y")])
}

const CHAIN: &str = r#"    (%0) = "pd_op.data" () {name:"x"} : () -> tensor<2xf32>
    (%1) = "pd_op.abs" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.abs" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.abs" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%3) {output_name:"y"} : (tensor<2xf32>) -> 
"#;

#[test]
fn a_chain_shrinks_in_one_go() {
    let (report, text) = apply(&double_abs(), CHAIN);
    assert_eq!(report.fired(), [2]);
    assert!(text.contains(r#"shadow_output" (%1)"#), "{text}");
}

#[test]
fn a_name_that_comes_twice_is_one_value() {
    let rules = set([rule("x minus x", "pd_op.subtract(x, x) ==> x")]);
    let body = |y: &str| {
        format!(
            r#"    (%0) = "pd_op.full" () {{}} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {{}} : () -> tensor<2xf32>
    (%2) = "pd_op.subtract" (%0, {y}) {{}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
"#
        )
    };
    assert_eq!((fired(&rules, &body("%0")), fired(&rules, &body("%1"))), (1, 0));
}

#[test]
fn literals_and_attributes_that_come_twice_must_agree_by_value() {
    let rules = set([
        rule(
            "nothing is transposed",
            "pd_op.matmul(x, _){transpose_x=false,transpose_y=t} ==> x where t is set",
        )
        .when(["t"], |[t]| t.truth() == Some(true)),
        rule("same casts", "pd_op.cast(y@pd_op.cast(_){dtype=d}){dtype=d} ==> y"),
        rule("to float", "pd_op.cast(x){dtype=\"float32\"} ==> x"),
    ]);
    let matmul = |x: bool, y: bool| {
        format!(
            r#"    (%0) = "pd_op.full" () {{}} : () -> tensor<2x2xf32>
    (%1) = "pd_op.matmul" (%0, %0) {{transpose_x:{x},transpose_y:{y}}} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
"#
        )
    };
    assert_eq!(
        [(false, true), (false, false), (true, true)].map(|(x, y)| fired(&rules, &matmul(x, y))),
        [1, 0, 0]
    );
    let casts = |first: &str, second: &str| {
        format!(
            r#"    (%0) = "pd_op.full" () {{}} : () -> tensor<2xf32>
    (%1) = "pd_op.cast" (%0) {{dtype:{first}}} : (tensor<2xf32>) -> tensor<2xf16>
    (%2) = "pd_op.cast" (%1) {{dtype:{second}}} : (tensor<2xf16>) -> tensor<2xf16>
"#
        )
    };
    let count = |first, second| apply(&rules, &casts(first, second)).0.fired()[1];
    assert_eq!(count("float16", "(pd_op.DataType)float16"), 1);
    assert_eq!(count("float16", "bfloat16"), 0);
}

#[test]
fn a_new_op_keeps_role_chunk_and_common_attributes_of_the_root() {
    let rules = set([rule("relu of abs", "pd_op.relu(pd_op.abs(x)) ==> pd_op.tanh(x)")]);
    let (_, text) = apply(
        &rules,
        r#"    (%0) = "pd_op.data" () {name:"x"} : () -> tensor<2xf32>
    (%1) = "pd_op.abs" (%0) {chunk_id:1,op_role:0,stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.relu" (%1) {chunk_id:1,note:3,op_role:0,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%2) {output_name:"y"} : (tensor<2xf32>) -> 
"#,
    );
    let expected = r#"(%1) = "pd_op.tanh" (%0) {chunk_id:1,op_role:0,stop_gradient:[false]} : "#;
    assert!(text.contains(expected), "{text}");
}

#[test]
fn an_op_within_another_has_the_type_that_is_said() {
    let rules = set([rule(
        "cast late",
        "pd_op.abs(y@pd_op.cast(x){dtype=d}) ==> pd_op.cast(pd_op.abs(x): x){dtype=d}",
    )]);
    let (report, text) = apply(
        &rules,
        r#"    (%0) = "pd_op.data" () {name:"x"} : () -> tensor<2xf32>
    (%1) = "pd_op.cast" (%0) {dtype:float16} : (tensor<2xf32>) -> tensor<2xf16>
    (%2) = "pd_op.abs" (%1) {} : (tensor<2xf16>) -> tensor<2xf16>
    () = "builtin.shadow_output" (%2) {output_name:"y"} : (tensor<2xf16>) -> 
"#,
    );
    assert_eq!(report.erased(), 1, "the first cast is read no more");
    let expected = r#"    (%1) = "pd_op.abs" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.cast" (%1) {dtype:float16} : (tensor<2xf32>) -> tensor<2xf16>
"#;
    assert!(text.contains(expected), "{text}");
}

#[test]
fn an_attribute_is_derived_and_an_op_of_ones_own_is_assumed_pure() {
    let rules = set([rule(
        "two steps",
        "my.step(my.step(x){by=a}){by=b} ==> my.step(x){by=c} where c is a + b",
    )
    .derive("c", ["a", "b"], |[a, b]| {
        let sum = a.number()? + b.number()?;
        Some(AttrValue::int32(sum as i32))
    })
    .assume_pure("my.step")]);
    let (report, text) = apply(
        &rules,
        r#"    (%0) = "my.step" (<<NULL VALUE>>) {by:0} : (<<NULL TYPE>>) -> tensor<2xf32>
    (%1) = "my.step" (%0) {by:2} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "my.step" (%1) {by:3} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "my.step" (%2) {by:4} : (tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%3) {output_name:"y"} : (tensor<2xf32>) -> 
"#,
    );
    assert_eq!(report.total(), 2);
    assert!(text.contains("(%0) {by:9}"), "{text}");
}

#[test]
fn rules_that_undo_each_other_are_stopped() {
    let rules = set([
        rule("there", "pd_op.abs(x) ==> pd_op.relu(x)"),
        rule("and back", "pd_op.relu(x) ==> pd_op.abs(x)"),
    ]);
    let mut program = read(CHAIN);
    let report = rules.apply(&mut Rewriter::new(&mut program), 7);
    assert_eq!(report.total(), 7);
    assert_eq!(report.stopped_in(), Some("and back"));
    assert!(crate::ir::verify(&program).is_empty());
}

#[test]
fn of_two_rules_that_fit_the_first_fires() {
    let rules = |first: &'static str, second: &'static str| {
        set([first, second].map(|name| match name {
            "relu" => rule("relu", "pd_op.abs(x) ==> pd_op.relu(x)"),
            _ => rule("tanh", "pd_op.abs(x) ==> pd_op.tanh(x)"),
        }))
    };
    assert!(!apply(&rules("relu", "tanh"), CHAIN).1.contains("tanh"));
    assert!(!apply(&rules("tanh", "relu"), CHAIN).1.contains("relu"));
}

#[test]
fn rules_reach_into_regions() {
    let (report, _) = apply(
        &double_abs(),
        r#"    (%0) = "pd_op.full" () {} : () -> tensor<1xb>
    (%1) = "pd_op.abs" (%0) {} : (tensor<1xb>) -> tensor<1xb>
    () = "pd_op.if" (%0) {} ->  {
        (%2) = "pd_op.abs" (%1) {} : (tensor<1xb>) -> tensor<1xb>
        (%3) = "pd_op.print" (%2) {} : (tensor<1xb>) -> tensor<1xb>
    } else {
    }
"#,
    );
    assert_eq!(report.total(), 1);
}

#[test]
fn nothing_is_touched_where_nothing_fits() {
    let mut program = read(&CHAIN.replace("pd_op.abs", "pd_op.tanh"));
    let before = (program.edit_stamp(), text::to_text(&program));
    double_abs().apply(&mut Rewriter::new(&mut program), 10);
    assert_eq!((program.edit_stamp(), text::to_text(&program)), before);
}
