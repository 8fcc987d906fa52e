//! Nesting deeper than any program has.

use pirogue::ir::Context;
use pirogue::pass::{Pipeline, Registry};
use pirogue::text;
use pirogue_system_tests::ordeal::{Reached, are_coded, survives};

const DEEP: usize = 100_000;

fn op(attrs: &str, ty: &str) -> String {
    format!("{{\n    (%0) = \"pd_op.full\" () {{{attrs}}} : () -> {ty}\n}}\n")
}

#[test]
fn deep_text_is_refused() {
    let open = |piece: &str| piece.repeat(DEEP);
    let both = |open: &str, close: &str| open.repeat(DEEP) + &close.repeat(DEEP);
    let region = "    () = \"pd_op.if\" (%0) {} ->  {\n";
    for input in [
        op(&format!("a:{}", both("[", "]")), "tensor<f32>"),
        op(&format!("a:{}", open("[")), "tensor<f32>"),
        op("", &both("vec[", "]")),
        op("", &open("vec[")),
        op("", &both("tensor<", ">")),
        format!("{{\n{}}}\n", both(region, "    }\n")),
        format!("{{\n{}", open(region)),
        open("{\n"),
        open("{"),
        open("("),
        open("\""),
    ] {
        assert_eq!(survives(input.as_bytes()), Reached::Refused, "{}", &input[..60]);
    }
}

#[test]
fn deep_json_is_refused() {
    let start = r#"{"base_code":{"magic":"pir","version":1,"trainable":true},"program":"#;
    for (open, close) in [("[", "]"), (r#"{"regions":["#, "]}"), (r#"{"a":"#, "}")] {
        for closed in [0, DEEP] {
            let input = format!("{start}{}{}}}", open.repeat(DEEP), close.repeat(closed));
            assert_eq!(survives(input.as_bytes()), Reached::Refused, "{open}");
        }
    }
}

#[test]
fn a_deep_pipeline_is_refused() {
    let mut registry = Registry::new();
    pirogue_passes::register(&mut registry).expect("names differ");
    let pass = "set_attributes{name=x value=";
    for (open, close) in [("jobs(", ")"), ("[", "]"), ("jobs[", "]"), (pass, "}"), ("{", "}")] {
        for closed in [0, DEEP] {
            let pipeline = open.repeat(DEEP) + &close.repeat(closed);
            are_coded(&Pipeline::parse(&registry, &pipeline).expect_err("it is too deep"));
        }
    }
}

/// As deep as it is allowed, everything works: nothing recurs as deep as a program nests.
#[test]
fn the_deepest_program_that_is_read_is_verified_cloned_and_planned() {
    let depth = 190;
    let open =
        |level: usize| format!("{}() = \"pd_op.if\" (%0) {{}} ->  {{\n", "    ".repeat(level + 1));
    let close = |level: usize| format!("{}}}\n", "    ".repeat(level + 1));
    let mut source = String::from("{\n    (%0) = \"pd_op.full\" () {} : () -> tensor<b>\n");
    (0..depth).for_each(|level| source += &open(level));
    (0..depth).rev().for_each(|level| source += &close(level));
    source += "}\n";
    let read = text::read_program(&Context::new(), "deep.pir", source.as_bytes());
    let program = read.unwrap_or_else(|errors| panic!("{}", errors[0])).program;
    assert_eq!(program.op_count(), depth + 1);
    assert!(survives(source.as_bytes()) >= Reached::Read);
}
