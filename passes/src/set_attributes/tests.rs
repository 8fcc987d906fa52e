use pirogue::ir::Context;
use pirogue::pass::{PassManager, Pipeline, Registry, Session, Verify};
use pirogue::text;

use super::*;

const SOURCE: &str = r#"{
    (%0) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xb>
    (%1, %2) = "pd_op.layer_norm" (%0, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:2,op_role:1} : (tensor<1xb>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<1xb>, tensor<1xb>
    (%3) = "my.op" (%0) {op_role:2} : (tensor<1xb>) -> tensor<1xb>
}
"#;

/// The program behind the pass with these options, and what was said; or why it failed.
fn run(options: &str) -> Result<(String, Vec<String>), Vec<String>> {
    let mut registry = Registry::new();
    registry.register::<SetAttributes>().expect("it is the only one");
    let pipeline = Pipeline::parse(&registry, &format!("set_attributes{{{options}}}"));
    let messages = |all: Vec<Diagnostic>| all.into_iter().map(|said| said.message).collect();
    let pipeline = pipeline.map_err(messages)?;
    let read = text::read_program(&Context::new(), "test.pir", SOURCE.as_bytes());
    let mut program = read.expect("it is well formed").program;
    let mut session = Session::new();
    let outcome = PassManager::new(pipeline).verify(Verify::Off).run(&mut program, &mut session);
    if let Err(failure) = outcome {
        assert_eq!(text::to_text(&program), SOURCE);
        return Err(messages(failure.diagnostics().to_vec()));
    }
    Ok((text::to_text(&program), messages(session.take_diagnostics())))
}

fn text_of(options: &str) -> String {
    run(options).unwrap_or_else(|errors| panic!("{errors:?}")).0
}

#[test]
fn an_attribute_is_set_on_the_ops_of_the_name_and_role() {
    let text = text_of("name=struct_name value=\"/a/\" role=optimize");
    assert_eq!(text, SOURCE.replace("op_role:2", "op_role:2,struct_name:\"/a/\""));
    let text = text_of("name=chunk_id value=3 op=pd_op.l*");
    assert_eq!(text, SOURCE.replace("begin_norm_axis:2,", "begin_norm_axis:2,chunk_id:3,"));
}

#[test]
fn a_declared_attribute_takes_its_declared_kind() {
    let text = text_of("name=shape value=[2, 3] op=pd_op.full");
    assert_eq!(text, SOURCE.replace("shape:[1]", "shape:[2,3]"));
    let text = text_of("name=place value=\"gpu:0\" op=pd_op.full");
    assert_eq!(text, SOURCE.replace("Place(cpu)", "Place(gpu:0)"));
    let text = text_of("name=dtype value=int64 op=pd_op.full");
    assert_eq!(text, SOURCE.replace("float32", "int64"));
}

#[test]
fn a_lone_truth_value_counts_for_all_results() {
    let text = text_of("name=stop_gradient value=true op=pd_op.layer_norm");
    assert_eq!(text, SOURCE.replace("op_role:1", "op_role:1,stop_gradient:[true,true]"));
    let errors = run("name=stop_gradient value=[true] op=pd_op.layer_norm");
    let expected = "`stop_gradient` of `pd_op.layer_norm` cannot be so: it holds a truth value for each result, of which there are 2, and the list has 1";
    assert_eq!(errors, Err(vec![expected.to_owned()]));
}

#[test]
fn an_undeclared_attribute_takes_the_kind_that_is_asked_for() {
    let read = |options: &str| {
        let mut program = text::read_program(&Context::new(), "", SOURCE.as_bytes())
            .expect("it is well formed")
            .program;
        let pass: SetAttributes = serde_json::from_str(options).expect("these are its options");
        let mut session = Session::new();
        let mut rewriter = Rewriter::new(&mut program);
        pass.run(&mut rewriter, &mut session.context("test")).expect("it fits");
        let op = program.top_ops().next_back().expect("there are ops");
        program.attr_value(op, program.context().name("x")).cloned()
    };
    use pirogue::ir::{AttrValue, FloatBits, FloatKind, IntKind};
    let value = |text: &str| read(&format!(r#"{{"name":"x","op":"my.op","value":{text}}}"#));
    assert_eq!(value("1"), Some(AttrValue::int32(1)));
    assert_eq!(value(r#"1,"kind":"int64""#), Some(AttrValue::Int(1, IntKind::I64)));
    let double = AttrValue::Float(FloatBits::new(1.0), FloatKind::F64);
    assert_eq!(value(r#"1,"kind":"float64""#), Some(double));
    let single = AttrValue::Float(FloatBits::new(f64::from(0.1f32)), FloatKind::F32);
    assert_eq!(value("0.1"), Some(single));
}

#[test]
fn what_does_not_fit_is_refused_for_each_name_of_an_op_and_nothing_is_changed() {
    let errors = |options: &str| run(options).expect_err("it does not fit").join("\n");
    assert_eq!(
        errors("name=op_role value=forward"),
        ["pd_op.full", "pd_op.layer_norm", "my.op"]
            .map(|op| format!("`op_role` of `{op}` cannot be so: expected an integer of 32 bits, found the text `forward`"))
            .join("\n")
    );
    assert!(errors("name=chunk_id value=3000000000 op=my.op").contains("of 32 bits"));
    assert!(errors("name=shape value=[1, x] op=pd_op.full").contains("a list of integers"));
    assert!(errors("name=dtype value=float33 op=pd_op.full").contains("an element type"));
    let error = errors("name=shape value=1 kind=int32 op=pd_op.full");
    assert!(error.contains("it is of the kind `ints`, and cannot be set as `i32`"), "{error}");
    assert!(errors("name=\"\" value=1").contains("the empty name"));
    let error = errors("name=x value=null");
    assert!(error.contains("are refused"), "{error}");
}

#[test]
fn it_says_why_it_changed_nothing() {
    let said = |options: &str| run(options).expect("it fits").1.join("");
    assert_eq!(
        said("name=op_role value=2 op=my.op"),
        "`set_attributes` changed nothing: all chosen ops have this `op_role`"
    );
    assert_eq!(
        said("name=op_role value=2 role=forward"),
        "`set_attributes` changed nothing: no op in the forward role"
    );
}
