//! Each rule where it fires, and where it must not.

use std::collections::BTreeSet;

use pirogue::ir::ScalarType;

use super::*;

/// A program of `%0` of a type, and ops; what it is to be for the rule.
struct Case {
    rule: &'static str,
    fires: bool,
    body: String,
}

/// An op of one operand: `name`, attributes, types of operand and result.
type Unary<'a> = (&'a str, &'a str, &'a str, &'a str);

/// A chain of unary ops behind a data op.
fn chain(rule: &'static str, fires: bool, ops: &[Unary<'_>]) -> Case {
    let first = ops[0].2;
    let mut body = format!("    (%0) = \"pd_op.data\" () {{name:\"x\"}} : () -> {first}\n");
    for (index, (name, attrs, from, to)) in ops.iter().enumerate() {
        body += &format!(
            "    (%{}) = \"{name}\" (%{index}) {{{attrs}}} : ({from}) -> {to}\n",
            index + 1
        );
    }
    Case { rule, fires, body }
}

/// An op of `x` and a constant, either way round; the types are those of x, constant, result.
fn with_constant(
    rule: &'static str,
    fires: bool,
    (name, attrs): (&str, &str),
    value: &str,
    [x, constant, result]: [&str; 3],
) -> Case {
    let is_swapped = rule == "one times";
    let operands = if is_swapped { "%1, %0" } else { "%0, %1" };
    let types = if is_swapped { [constant, x] } else { [x, constant] }.join(", ");
    let body = format!(
        r#"    (%0) = "pd_op.data" () {{name:"x"}} : () -> {x}
    (%1) = "pd_op.full" () {{dtype:float32,shape:[1],value:{value}}} : () -> {constant}
    (%2) = "{name}" ({operands}) {{{attrs}}} : ({types}) -> {result}
"#
    );
    Case { rule, fires, body }
}

/// Reshapes of `%0` to constant shapes, one behind the other.
fn shapes(rule: &'static str, fires: bool, op: &str, from: &str, steps: &[(&str, &str)]) -> Case {
    let mut body = format!("    (%0) = \"pd_op.data\" () {{name:\"x\"}} : () -> {from}\n");
    let mut last = (0, from);
    for (index, (shape, to)) in steps.iter().enumerate() {
        let (list, out) = (2 * index + 1, 2 * index + 2);
        body += &format!(
            r#"    (%{list}) = "pd_op.full_int_array" () {{value:[{shape}]}} : () -> tensor<2xi64>
    (%{out}) = "{op}" (%{}, %{list}) {{}} : ({}, tensor<2xi64>) -> {to}
"#,
            last.0, last.1
        );
        last = (out, to);
    }
    Case { rule, fires, body }
}

const F: &str = "tensor<2x3xf32>";

fn copies() -> Vec<Case> {
    let bits = "tensor<2x3xb>";
    let twice = |rule, op| chain(rule, true, &[(op, "", F, F), (op, "", F, F)]);
    let not_twice = |rule, op, other| chain(rule, false, &[(op, "", F, F), (other, "", F, F)]);
    vec![
        chain("copy", true, &[("pd_op.assign", "", F, F)]),
        chain("copy", false, &[("pd_op.assign", "stop_gradient:[false]", F, F)]),
        twice("relu of relu", "pd_op.relu"),
        not_twice("relu of relu", "pd_op.relu", "pd_op.abs"),
        twice("abs of abs", "pd_op.abs"),
        not_twice("abs of abs", "pd_op.abs", "pd_op.exp"),
        twice("floor of floor", "pd_op.floor"),
        not_twice("floor of floor", "pd_op.floor", "pd_op.ceil"),
        twice("ceil of ceil", "pd_op.ceil"),
        not_twice("ceil of ceil", "pd_op.ceil", "pd_op.floor"),
        chain("not of not", true, &[("pd_op.logical_not", "", bits, bits); 2]),
        // Of a number that is not 0 or 1 it makes 1.
        chain(
            "not of not",
            false,
            &[("pd_op.logical_not", "", F, bits), ("pd_op.logical_not", "", bits, bits)],
        ),
        chain("bitwise not of bitwise not", true, &[("pd_op.bitwise_not", "", bits, bits); 2]),
        chain(
            "bitwise not of bitwise not",
            false,
            &[("pd_op.bitwise_not", "", bits, bits), ("pd_op.logical_not", "", bits, bits)],
        ),
    ]
}

/// Casts of a tensor of the first element type to the others in turn.
fn casts_through(rule: &'static str, fires: bool, elements: &[&str]) -> Case {
    let types: Vec<String> =
        elements.iter().map(|element| format!("tensor<2x{element}>")).collect();
    let dtype = |element: &str| {
        let element = ScalarType::from_spelling(element.as_bytes()).expect("it is an element type");
        format!("dtype:{}", element.dtype())
    };
    let attrs: Vec<String> = elements.iter().map(|element| dtype(element)).collect();
    let ops: Vec<Unary<'_>> = (1..elements.len())
        .map(|step| ("pd_op.cast", &*attrs[step], &*types[step - 1], &*types[step]))
        .collect();
    chain(rule, fires, &ops)
}

fn casts() -> Vec<Case> {
    let (same, exact) = ("cast to the same type", "cast of exact cast");
    vec![
        casts_through(same, true, &["f32", "f32"]),
        casts_through(same, false, &["f32", "f16"]),
        // It says one thing and does another.
        chain(same, false, &[("pd_op.cast", "dtype:float16", F, F)]),
        casts_through(exact, true, &["bf16", "f32", "f64"]),
        casts_through(exact, true, &["i32", "i64", "f32"]),
        casts_through(exact, true, &["b", "f16", "i32"]),
        // The first rounds or cuts off, and the second does not undo that.
        casts_through(exact, false, &["f32", "f16", "f64"]),
        casts_through(exact, false, &["bf16", "f16", "f32"]),
        casts_through(exact, false, &["i64", "i32", "i64"]),
        casts_through(exact, false, &["i32", "f64", "i32"]),
    ]
}

fn transposes_and_shapes() -> Vec<Case> {
    let (nothing, twice) = ("transpose that moves nothing", "transpose of transpose");
    let [a, b] = ["tensor<2x3x4xf32>", "tensor<4x2x3xf32>"];
    let square = "tensor<2x2xf32>";
    let (again, same) = ("reshape of reshape", "reshape to the same shape");
    let mut cases = vec![
        chain(nothing, true, &[("pd_op.transpose", "perm:[0,1]", F, F)]),
        chain(nothing, true, &[("pd_op.transpose", "perm:[0,-1]", F, F)]),
        chain(nothing, false, &[("pd_op.transpose", "perm:[1,0]", square, square)]),
        chain(nothing, false, &[("pd_op.transpose", "perm:[0,0]", square, square)]),
        chain(
            twice,
            true,
            &[("pd_op.transpose", "perm:[2,0,1]", a, b), ("pd_op.transpose", "perm:[1,2,0]", b, a)],
        ),
        chain(
            twice,
            false,
            &[("pd_op.transpose", "perm:[2,0,1]", a, b), ("pd_op.transpose", "perm:[0,0,0]", b, b)],
        ),
        shapes(
            again,
            true,
            "pd_op.reshape",
            F,
            &[("6", "tensor<6xf32>"), ("3,-1", "tensor<3x2xf32>")],
        ),
        shapes(
            again,
            false,
            "pd_op.reshape",
            F,
            &[("3,2", "tensor<3x2xf32>"), ("0,2", "tensor<3x2xf32>")],
        ),
        shapes(same, true, "pd_op.reshape", F, &[("2,3", F)]),
        shapes(same, false, "pd_op.reshape", F, &[("3,2", "tensor<3x2xf32>")]),
        shapes(same, false, "pd_op.reshape", "tensor<-1x-1xf32>", &[("-1,1", "tensor<-1x-1xf32>")]),
        shapes("expand to the same shape", true, "pd_op.expand", F, &[("2,3", F)]),
        shapes(
            "expand to the same shape",
            false,
            "pd_op.expand",
            "tensor<-1x3xf32>",
            &[("4,3", "tensor<-1x3xf32>")],
        ),
    ];
    let flatten = |fires, from, to| {
        let attrs = "start_axis:0,stop_axis:-1";
        chain("flatten to the same shape", fires, &[("pd_op.flatten", attrs, from, to)])
    };
    cases.push(flatten(true, "tensor<6xf32>", "tensor<6xf32>"));
    cases.push(flatten(false, F, "tensor<6xf32>"));
    cases
}

fn numbers() -> Vec<Case> {
    let one = "tensor<1xf32>";
    let open = "tensor<-1xf32>";
    let (ints, int) = ("tensor<2x3xi32>", "tensor<1xi32>");
    let mut cases = Vec::new();
    for (rule, op, neutral) in [
        ("times one", "pd_op.multiply", "1"),
        ("one times", "pd_op.multiply", "1"),
        ("divided by one", "pd_op.divide", "1"),
        ("minus zero", "pd_op.subtract", "0"),
        ("plus zero", "pd_op.add", "0"),
    ] {
        let case = |fires, value, types| with_constant(rule, fires, (op, ""), value, types);
        cases.extend([
            case(true, neutral, [F, one, F]),
            case(true, neutral, [F, F, F]),
            case(true, neutral, [open, one, open]),
            case(false, "2", [F, one, F]),
            // It could be one element that becomes three.
            case(false, neutral, [open, "tensor<3xf32>", open]),
            case(false, neutral, ["tensor<3xf32>", F, F]),
            case(false, neutral, [ints, one, F]),
        ]);
    }
    cases.push(with_constant("minus zero", false, ("pd_op.subtract", ""), "-0", [F, one, F]));
    let add = ("pd_op.add", "");
    let scale = |bias: &str| format!("bias:{bias},bias_after_scale:true");
    let (plus_zero, scaled) = ("integer plus zero", "integer times one plus zero");
    cases.extend([
        with_constant(plus_zero, true, add, "0", [ints, int, ints]),
        with_constant(plus_zero, false, add, "0", [F, one, F]),
        with_constant(plus_zero, false, add, "1", [ints, int, ints]),
        with_constant(scaled, true, ("pd_op.scale", &scale("0")), "1", [ints, int, ints]),
        with_constant(scaled, false, ("pd_op.scale", &scale("0")), "1", [F, one, F]),
        with_constant(scaled, false, ("pd_op.scale", &scale("1")), "1", [ints, int, ints]),
        with_constant("times one plus zero", true, ("pd_op.scale", &scale("0")), "1", [F, one, F]),
        with_constant("times one plus zero", false, ("pd_op.scale", &scale("0")), "2", [F, one, F]),
    ]);
    cases
}

/// A constant of a type, scaled: its value, the factor, the rest of the attributes.
fn scaled(fires: bool, ty: &str, [value, factor, bias]: [&str; 3], after: bool) -> Case {
    let body = format!(
        r#"    (%0) = "pd_op.full" () {{dtype:float32,place:Place(cpu),shape:[2],value:{value}}} : () -> tensor<2x{ty}>
    (%1) = "pd_op.full" () {{dtype:float32,place:Place(cpu),shape:[1],value:{factor}}} : () -> tensor<1xf32>
    (%2) = "pd_op.scale" (%0, %1) {{bias:{bias},bias_after_scale:{after}}} : (tensor<2x{ty}>, tensor<1xf32>) -> tensor<2x{ty}>
    () = "builtin.shadow_output" (%2) {{output_name:"y"}} : (tensor<2x{ty}>) -> 
"#
    );
    Case { rule: "scaled constant", fires, body }
}

fn constants() -> Vec<Case> {
    let cast = |fires, value: &str, dtype: &str, ty: &str| Case {
        rule: "cast constant",
        fires,
        body: format!(
            r#"    (%0) = "pd_op.full" () {{dtype:float32,place:Place(cpu),shape:[2],value:{value}}} : () -> tensor<2xf32>
    (%1) = "pd_op.cast" (%0) {{dtype:{dtype}}} : (tensor<2xf32>) -> tensor<2x{ty}>
"#
        ),
    };
    vec![
        scaled(true, "f32", ["3", "4", "5"], true),
        scaled(true, "f32", ["3", "-4", "5"], false),
        scaled(true, "i64", ["-3", "0", "7"], true),
        scaled(false, "f32", ["0.1", "3", "0"], true),
        scaled(false, "f32", ["16777216", "2", "0"], true),
        scaled(false, "f16", ["2048", "1", "1"], true),
        scaled(false, "bf16", ["16", "17", "0"], true),
        scaled(false, "u8", ["3", "-1", "5"], true),
        // -0 + 0 is 0, and -0 * 1 is -0: the sign is not worth finding out.
        scaled(false, "f32", ["0", "-1", "0"], true),
        scaled(false, "b", ["1", "1", "0"], true),
        cast(true, "7", "int64", "i64"),
        cast(true, "2048", "float16", "f16"),
        cast(false, "2049", "float16", "f16"),
        cast(false, "0.5", "int64", "i64"),
        cast(false, "-1", "uint8", "u8"),
        cast(false, "1", "bool", "b"),
    ]
}

fn all() -> Vec<Case> {
    [copies(), casts(), transposes_and_shapes(), numbers(), constants()]
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn each_rule_fires_where_it_holds_and_nowhere_else() {
    let rules = rules_up_to_the_sign_of_zero();
    for Case { rule, fires, body } in all() {
        let fired = fired(rules, &body);
        let has_fired = fired.iter().any(|&(name, _)| name == rule);
        assert_eq!(has_fired, fires, "`{rule}` on\n{body}fired: {fired:?}");
    }
}

#[test]
fn every_rule_has_a_case_where_it_fires_and_one_where_it_does_not() {
    let rules = rules_up_to_the_sign_of_zero().rules().iter().map(|rule| rule.name());
    let names: BTreeSet<&str> = rules.collect();
    for fires in [true, false] {
        let tried = all().into_iter().filter(|case| case.fires == fires).map(|case| case.rule);
        assert_eq!(tried.collect::<BTreeSet<_>>(), names, "fires: {fires}");
    }
}

#[test]
fn rules_up_to_the_sign_of_zero_are_not_applied_unless_asked_for() {
    let exact: Vec<&str> = rules().rules().iter().map(|rule| rule.name()).collect();
    for rule in ["plus zero", "times one plus zero"] {
        assert!(!exact.contains(&rule));
        assert!(STATISTICS.iter().any(|statistic| statistic.name == rule));
    }
}

#[test]
fn a_folded_constant_has_the_number_and_keeps_the_kind_and_the_place() {
    let folded = |case: Case| {
        let mut program = read(&case.body);
        rules().apply(&mut Rewriter::new(&mut program), 100);
        text::to_text(&program)
    };
    let text = folded(scaled(true, "f32", ["3", "-4", "5"], true));
    let expected =
        r#"(%0) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:-7} : "#;
    assert!(text.contains(expected), "{text}");
    let text = folded(scaled(true, "f32", ["3", "-4", "5"], false));
    assert!(text.contains("value:-32"), "{text}");
}

#[test]
fn transposes_compose_in_the_right_order() {
    let body = r#"    (%0) = "pd_op.data" () {name:"x"} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[1,0,2]} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
    (%2) = "pd_op.transpose" (%1) {perm:[2,0,1]} : (tensor<3x2x4xf32>) -> tensor<4x3x2xf32>
    () = "builtin.shadow_output" (%2) {output_name:"y"} : (tensor<4x3x2xf32>) -> 
"#;
    let mut program = read(body);
    rules().apply(&mut Rewriter::new(&mut program), 100);
    let text = text::to_text(&program);
    let expected = r#"(%1) = "pd_op.transpose" (%0) {perm:[2,1,0]} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>"#;
    assert!(text.contains(expected), "{text}");
}
