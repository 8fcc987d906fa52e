//! The same thing twice.

use pirogue::ir::Context;
use pirogue::pass::{Pipeline, Registry};
use pirogue::{json, text};
use pirogue_passes::infer_chunk_ids::InferChunkIds;
use pirogue_system_tests::ordeal::are_coded;

fn refused(source: &str) -> String {
    let errors = text::read_program(&Context::new(), "doubled.pir", source.as_bytes());
    let errors = errors.err().expect("something is there twice");
    are_coded(&errors);
    errors[0].to_string()
}

#[test]
fn what_stands_twice_in_text_is_refused_where_it_stands() {
    let op = r#"    (%0) = "pd_op.full" () {value:1} : () -> tensor<f32>"#;
    for (source, line) in [
        (format!("{{\n{op}\n{op}\n}}\n"), ":3:"),
        (
            "{\n    (%0, %0) = \"my.op\" () {} : () -> tensor<f32>, tensor<f32>\n}\n".to_owned(),
            ":2:",
        ),
        (format!("{{\n    ^kw:\n        %kwarg_x {{}}\n        %kwarg_x {{}}\n{op}\n}}\n"), ":4:"),
        ("{\n    () = \"my.op\" () {a:1,a:2} : () -> \n}\n".to_owned(), ":2:"),
        ("{\n    () = \"my.op\" () {op_role:1,op_role:2} : () -> \n}\n".to_owned(), ":2:"),
    ] {
        let said = refused(&source);
        assert!(said.contains(line), "{said}");
    }
}

#[test]
fn what_stands_twice_in_json_is_refused() {
    let whole = corpus_json();
    for (key, again) in [("\"program\":", "\"program\":1,"), ("\"regions\":", "\"regions\":[],")] {
        let doubled = whole.replacen(key, &format!("{again}{key}"), 1);
        let errors = json::read_program(&Context::new(), "doubled.json", doubled.as_bytes());
        are_coded(&errors.err().expect("a key is there twice"));
    }
}

fn corpus_json() -> String {
    let first = pirogue_system_tests::corpus::json_programs().swap_remove(0);
    String::from_utf8(first).expect("JSON is UTF-8")
}

#[test]
fn a_pass_or_an_option_twice_is_refused() {
    let mut registry = Registry::new();
    pirogue_passes::register(&mut registry).expect("names differ");
    are_coded(&[registry.register::<InferChunkIds>().expect_err("it is registered").into()]);
    let twice = "split_matmul_grad{drop_dead_products=true drop_dead_products=false}";
    are_coded(&Pipeline::parse(&registry, twice).expect_err("an option is there twice"));
}
