//! What every rule is spared to ask: each test has a program where the rule fires, and the same
//! with one thing changed, where firing would be wrong.

use super::super::{RuleSet, rule};
use super::{fired, set};

/// `relu(abs(x)) ==> abs(x)`, once as the value that is there and once as a new op.
fn forward() -> RuleSet {
    set([rule("forward", "pd_op.relu(y@pd_op.abs(_)) ==> y")])
}

fn remake() -> RuleSet {
    set([rule("remake", "pd_op.relu(pd_op.abs(x)) ==> pd_op.tanh(x)")])
}

/// `x ==> x`
fn copy() -> RuleSet {
    set([rule("copy", "pd_op.assign(x) ==> x")])
}

/// `%0`, its `abs` `%1`, the `relu` `%2` of that and a print of it, with more in between.
fn chain(behind_x: &str, behind_abs: &str, behind_relu: &str, behind_print: &str) -> String {
    chain_with(["", ""], [behind_x, behind_abs, behind_relu, behind_print])
}

/// The same with attributes for `abs` and `relu`.
fn chain_with([abs, relu]: [&str; 2], more: [&str; 4]) -> String {
    format!(
        r#"    (%0) = "pd_op.full" () {{}} : () -> tensor<2xf32>
{}    (%1) = "pd_op.abs" (%0) {{{abs}}} : (tensor<2xf32>) -> tensor<2xf32>
{}    (%2) = "pd_op.relu" (%1) {{{relu}}} : (tensor<2xf32>) -> tensor<2xf32>
{}    (%3) = "pd_op.print" (%2) {{}} : (tensor<2xf32>) -> tensor<2xf32>
{}"#,
        more[0], more[1], more[2], more[3]
    )
}

fn write(x: &str, serial: u32) -> String {
    format!("    (%{serial}) = \"pd_op.exp_\" ({x}) {{}} : (tensor<2xf32>) -> tensor<2xf32>\n")
}

#[test]
fn what_the_match_reads_is_not_written_between_its_ops() {
    let [x, y] = ["%0", "%1"].map(|value| write(value, 9));
    for rules in [forward(), remake()] {
        assert_eq!(fired(&rules, &chain("", "", "", "")), 1);
        assert_eq!(fired(&rules, &chain(&x, "", "", "")), 1, "before all");
        assert_eq!(fired(&rules, &chain("", &y, "", "")), 0, "the inner result");
    }
    assert_eq!(fired(&remake(), &chain("", &x, "", "")), 0, "it would read x too late");
    assert_eq!(fired(&forward(), &chain("", &x, "", "")), 1, "it does not read x");
    assert_eq!(fired(&remake(), &chain("", "", &x, "")), 1, "behind all");
}

#[test]
fn a_value_that_stands_for_another_is_written_after_its_readers_and_the_other_never() {
    let [y, r] = ["%1", "%2"].map(|value| write(value, 9));
    assert_eq!(fired(&forward(), &chain("", "", &y, "")), 0, "the print would see it");
    assert_eq!(fired(&forward(), &chain("", "", "", &y)), 1);
    assert_eq!(fired(&forward(), &chain("", "", "", &r)), 0, "others of y would see it");
    assert_eq!(fired(&remake(), &chain("", "", &y, "")), 1);
    assert_eq!(fired(&remake(), &chain("", "", &r, &r.replace("%9", "%8"))), 1);
}

#[test]
fn where_jobs_may_run_in_another_order_written_values_are_left_alone() {
    let body = |place: &str| {
        format!(
            r#"    (%0) = "pd_op.full" () {{{place}}} : () -> tensor<2xf32>
    (%1) = "pd_op.assign" (%0) {{{place}}} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.print" (%1) {{{place}}} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.exp_" (%0) {{{place}}} : (tensor<2xf32>) -> tensor<2xf32>
"#
        )
    };
    assert_eq!(fired(&copy(), &body("")), 1);
    assert_eq!(fired(&copy(), &body("chunk_id:0,op_role:0")), 1);
    assert_eq!(fired(&copy(), &body("op_role:2")), 1);
    assert_eq!(fired(&copy(), &body("op_role:0")), 0, "the chunk is not said");
    assert_eq!(fired(&copy(), &body("chunk_id:0,op_role:1")), 0, "the backward may be split");
    let unwritten = |place: &str| body(place).replace("exp_", "exp");
    assert_eq!(fired(&copy(), &unwritten("chunk_id:0,op_role:1")), 1);
}

#[test]
fn a_match_does_not_reach_across_roles_or_chunks() {
    let body = |abs: &'static str, relu: &'static str| chain_with([abs, relu], [""; 4]);
    for rules in [forward(), remake()] {
        assert_eq!(fired(&rules, &body("chunk_id:1,op_role:0", "chunk_id:1,op_role:0")), 1);
        assert_eq!(fired(&rules, &body("chunk_id:0,op_role:0", "chunk_id:1,op_role:0")), 0);
        assert_eq!(fired(&rules, &body("op_role:0", "op_role:1")), 0);
        assert_eq!(fired(&rules, &body("op_role:0", "")), 0);
    }
}

#[test]
fn two_names_stay_two_values() {
    let name = |value: u32, name: &str| {
        format!(
            "    () = \"builtin.shadow_output\" (%{value}) {{output_name:\"{name}\"}} : (tensor<2xf32>) -> \n"
        )
    };
    assert_eq!(fired(&forward(), &chain("", "", "", &name(2, "r"))), 1);
    assert_eq!(fired(&forward(), &chain("", "", "", &name(1, "y"))), 1);
    assert_eq!(fired(&forward(), &chain("", "", "", &(name(1, "y") + &name(2, "r")))), 0);
    let parameter = |reader: &str| {
        format!(
            r#"    (%0) = "builtin.parameter" () {{parameter_name:"w"}} : () -> tensor<2xf32>
    (%1) = "pd_op.assign" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>
{reader}"#
        )
    };
    assert_eq!(fired(&copy(), &parameter("")), 1);
    assert_eq!(fired(&copy(), &parameter(&name(1, "copy of w"))), 0);
}

#[test]
fn a_value_stands_only_for_one_of_its_type_and_gradient() {
    let body = |ty: &str, from: &str, to: &str| {
        format!(
            r#"    (%0) = "pd_op.full" () {{{from}}} : () -> tensor<2xf32>
    (%1) = "pd_op.assign" (%0) {{{to}}} : (tensor<2xf32>) -> {ty}
"#
        )
    };
    let same = "tensor<2xf32>";
    assert_eq!(fired(&copy(), &body(same, "", "")), 1);
    assert_eq!(fired(&copy(), &body("tensor<-1xf32>", "", "")), 0);
    let [yes, no] = ["stop_gradient:[true]", "stop_gradient:[false]"];
    assert_eq!(fired(&copy(), &body(same, no, no)), 1);
    assert_eq!(fired(&copy(), &body(same, "", yes)), 1, "silence is yes");
    assert_eq!(fired(&copy(), &body(same, no, yes)), 0, "it keeps gradients out");
    assert_eq!(fired(&copy(), &body(same, yes, no)), 0);
}

#[test]
fn events_and_persistable_results_keep_an_op() {
    for attr in [
        r#"event_to_record:"e""#,
        r#"events_to_wait:["e"]"#,
        "force_record_event:true",
        "persistable:[true]",
    ] {
        for rules in [forward(), remake()] {
            assert_eq!(fired(&rules, &chain_with(["", attr], [""; 4])), 0, "{attr}");
        }
    }
    assert_eq!(fired(&forward(), &chain_with(["", "persistable:[false]"], [""; 4])), 1);
}

#[test]
fn no_new_op_is_made_of_what_is_spread_over_a_mesh() {
    let dist = r#"op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]}}"#;
    let body = chain_with(["", dist], [""; 4]);
    assert_eq!((fired(&remake(), &body), fired(&forward(), &body)), (0, 1));
}

#[test]
fn a_loop_that_writes_a_value_keeps_what_was_copied_from_it() {
    let body = |write: &str| {
        format!(
            r#"    (%0) = "pd_op.full" () {{}} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {{}} : () -> tensor<1xb>
    (%2) = "pd_op.assign" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.while" (cond=%1, inputs=%1) {{ 
    ^%arg_0 {{}}
        (%4) = "pd_op.print" (%2) {{}} : (tensor<2xf32>) -> tensor<2xf32>
{write}        () = "cf.yield" (%1, %1) {{}} : (tensor<1xb>, tensor<1xb>) -> 
    }}
"#
        )
    };
    assert_eq!((fired(&copy(), &body("")), fired(&copy(), &body(&write("%0", 9)))), (1, 0));
}
