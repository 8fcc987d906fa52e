//! Kinds of types and attributes that no recorded program has, and what has no form in JSON.

use std::sync::Arc;

use pirogue::ir::{
    At, AttrValue, Context, FloatBits, FloatKind, OpDist, OpSpec, Place, Program, Rewriter,
    ScalarType, TensorType, TypeKind,
};
use pirogue::json::{self, WriteOptions};
use pirogue::text;

use crate::{read, with};

#[test]
fn types_without_a_place_in_the_ir_are_kept() {
    let dense = r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[4],"NCHW",[],0]}"##;
    for (ty, printed) in [
        (
            format!(
                r##"{{"#":"1.t_sparse_coo_tensor","D":[{{"#":"0.t_f32"}},[2,3],[4],"NCHW",{dense},{dense}]}}"##
            ),
            "pd_op.sparsecootensor<2x3xf32>",
        ),
        (
            format!(
                r##"{{"#":"1.t_sparse_csr_tensor","D":[{{"#":"0.t_f32"}},[2,3],"NCHW",{dense},{dense},{dense}]}}"##
            ),
            "pd_op.",
        ),
        (
            r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[2,3],"NHWC",[[0,1],[2]],3]}"##.to_owned(),
            "tensor<2x3xf32>",
        ),
        (
            r##"{"#":"1.t_selected_rows","D":[{"#":"0.t_f32"},[2,-1],"NCHW",[],0]}"##.to_owned(),
            "pd_op.selectedrows<2x-1xf32>",
        ),
        (
            r##"{"#":"1.t_dense_tensor_array","D":[{"#":"0.t_f32"},[2,3],"NHWC"]}"##.to_owned(),
            "pd_op.tensor_array<f32>",
        ),
        (
            r##"{"#":"0.t_vec","D":[{"#":"NULL"},{"#":"0.t_f8e5m2"}]}"##.to_owned(),
            "vec[<<NULL TYPE>>,f8e5m2]",
        ),
    ] {
        let source = with(r##""%":1,"TT":{"#":"0.t_f32"}"##, &format!(r#""%":1,"TT":{ty}"#));
        let read = read(&source).unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert_eq!(read.warnings, []);
        assert!(text::to_text(&read.program).contains(&format!("-> {printed}\n")), "{printed}");
        let mut written = Vec::new();
        json::write_program(&read.program, &mut written, WriteOptions::default())
            .expect("it can be written");
        assert_eq!(String::from_utf8_lossy(&written), source);
    }
}

/// Kinds that no recorded program has, as Paddle 3.3.1 reads and prints them.
#[test]
fn attributes_of_all_kinds_are_read_printed_and_kept() {
    for (attr, printed) in [
        (r##"{"#":"NULL"}"##, "<#AttrNull>"),
        (r##"{"#":"0.a_index","D":5}"##, "5"),
        (r##"{"#":"0.a_f32","D":0.10000000149011612}"##, "0.1"),
        (r##"{"#":"0.a_f64","VD":"-INF"}"##, "-inf"),
        (r##"{"#":"0.a_f64","VD":"NAN"}"##, "nan"),
        (r##"{"#":"0.a_f64","VD":"NAN","pirogue":["negative"]}"##, "-nan"),
        (r##"{"#":"0.a_c64","D":[1.5,-2.0]}"##, "real:1.5 imag:-2"),
        (r##"{"#":"0.a_c128","D":[1.5,-2.0]}"##, "real:1.5 imag:-2"),
        (r##"{"#":"0.a_tensorname","D":"t\"n"}"##, r#""t\"n""#),
        (r##"{"#":"0.a_str","D":"a\u0001\b/é"}"##, "\"a\u{1}\u{8}/é\""),
        (r##"{"#":"0.a_type","D":{"#":"0.t_f32"}}"##, "f32"),
        (r##"{"#":"0.a_array","D":[{"#":"NULL"},{"#":"0.a_array","D":[]}]}"##, "[<#AttrNull>,[]]"),
        (r##"{"#":"1.a_scalar","D":["int64",9007199254740993]}"##, "9007199254740993"),
        (r##"{"#":"1.a_scalar","D":["int32",-7]}"##, "-7"),
        (r##"{"#":"1.a_scalar","D":["float32",0.10000000149011612]}"##, "0.1"),
        (r##"{"#":"1.a_scalar","D":["bool",true]}"##, "true"),
        (r##"{"#":"1.a_scalar","D":["complex64",1.0,2.0]}"##, "real:1 imag:2"),
        (r##"{"#":"1.a_dtype","D":"Undefined(ALL_DTYPE)"}"##, "Undefined"),
        (r##"{"#":"1.a_layout","D":"Undefined(AnyLayout)"}"##, "Undefined(AnyLayout)"),
        (r##"{"#":"1.a_place","D":[0,0,""]}"##, "Place(undefined:0)"),
        (r##"{"#":"1.a_place","D":[1,2,""]}"##, "Place(cpu)"),
        (r##"{"#":"1.a_place","D":[2,3,""]}"##, "Place(gpu:3)"),
        (r##"{"#":"1.a_place","D":[3,0,""]}"##, "Place(gpu_pinned)"),
        (r##"{"#":"1.a_place","D":[9,2,"npu"]}"##, "Place(npu:2)"),
        (r##"{"#":"0.a_i32","D":3,"pirogue":["kind not said"]}"##, "3"),
        (r##"{"#":"0.a_f64","D":0.5,"pirogue":["kind not said"]}"##, "0.5"),
    ] {
        let source =
            with(r##"{"#":"0.a_f64","D":1.0},"N":"value""##, &format!(r#"{attr},"N":"zz""#));
        let read = read(&source).unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert!(text::to_text(&read.program).contains(&format!("{{zz:{printed}}}")), "{printed}");
        let mut written = Vec::new();
        json::write_program(&read.program, &mut written, WriteOptions::default())
            .expect("it can be written");
        assert_eq!(String::from_utf8_lossy(&written), source);
    }
}

/// A program of one op with this attribute and this type of its result.
fn program_of(context: &Arc<Context>, attr: AttrValue, ty: TypeKind) -> Program {
    let mut program = Program::new(context);
    let top = program.top();
    let ty = context.ty(ty);
    let dict = context.dict([(context.name("x"), context.attr(attr))]);
    Rewriter::new(&mut program)
        .create(At::End(top), OpSpec::new(context.name("my.op")).results(&[ty]).dict(dict));
    program
}

#[test]
fn what_json_cannot_hold_is_refused_with_a_reason() {
    let context = Context::new();
    let nan = FloatBits::new(f64::NAN);
    let coo = TypeKind::SparseCoo(TensorType::new([2], ScalarType::F32));
    for (attr, ty, message) in [
        (
            AttrValue::Str([0xff].into()),
            TypeKind::Null,
            "the attribute `x` cannot be written as JSON: it is not UTF-8",
        ),
        (
            AttrValue::Place(Place { kind: "npu".into(), device: None }),
            TypeKind::Null,
            "the attribute `x` cannot be written as JSON: Paddle's JSON gives such a device another number",
        ),
        (
            AttrValue::Complex(nan, nan, FloatKind::F32),
            TypeKind::Null,
            "the attribute `x` cannot be written as JSON: it is not finite",
        ),
        (
            AttrValue::Null,
            coo,
            "the type of result 0 of `my.op` cannot be written as JSON: `pd_op.sparsecootensor<2xf32>` is not a type that Paddle's JSON has, or lacks what JSON says of it",
        ),
        (
            AttrValue::Null,
            TypeKind::Scalar(ScalarType::Undefined),
            "the type of result 0 of `my.op` cannot be written as JSON: `undefined` is not a type that Paddle's JSON has, or lacks what JSON says of it",
        ),
    ] {
        let program = program_of(&context, attr, ty);
        let error = json::write_program(&program, &mut Vec::new(), WriteOptions::default())
            .expect_err(message);
        assert_eq!(error.to_string(), message);
        let diagnostic = error.diagnostic(&program);
        assert!(diagnostic.code == "E0161" && diagnostic.primary.is_some());
    }
}

/// Paddle's reader takes what stands before the point for the code of a dialect.
#[test]
fn ops_without_a_dialect_are_refused() {
    let context = Context::new();
    for name in ["pd_opfull", "1.full"] {
        let text = format!("{{\n    () = \"{name}\" () {{}} : () -> \n}}\n");
        let program = text::read_program(&context, "x.pir", text.as_bytes());
        let program = program.expect("text takes any name").program;
        let error = json::write_program(&program, &mut Vec::new(), WriteOptions::default())
            .expect_err("JSON does not");
        let message = format!(
            "the name `{name}` cannot be written as JSON: it names no dialect that Paddle's JSON can tell"
        );
        assert_eq!(error.to_string(), message);
    }
}

/// Words and addresses have no code: Paddle reads an op without them, we read all.
#[test]
fn attributes_of_no_kind_in_json_are_kept_beside_the_others() {
    let context = Context::new();
    for value in [
        AttrValue::Opaque(b"odd_word".as_slice().into()),
        AttrValue::Pointer(0x1234),
        AttrValue::OpDist(OpDist { printed: b"{odd}".as_slice().into(), json: None }),
    ] {
        let program = program_of(&context, value.clone(), TypeKind::Null);
        let mut written = Vec::new();
        json::write_program(&program, &mut written, WriteOptions::default())
            .expect("it can be written");
        assert!(String::from_utf8_lossy(&written).contains(r#""A":[],"I""#));
        let read = json::read_program(&context, "a.json", &written)
            .unwrap_or_else(|errors| panic!("{}", errors[0]));
        let op = read.program.top_ops().next().expect("an op");
        assert_eq!(read.program.attr_value(op, context.name("x")), Some(&value));
    }
}

#[test]
fn a_use_before_the_definition_is_refused() {
    let context = Context::new();
    let mut program = program_of(&context, AttrValue::Null, TypeKind::Null);
    let op = program.top_ops().next().expect("an op");
    let value = program.result(op, 0);
    let user = OpSpec::new(context.name("my.user"));
    Rewriter::new(&mut program).create(At::Before(op), user.operands(&[Some(value)]));
    let error = json::write_program(&program, &mut Vec::new(), WriteOptions::default())
        .expect_err("it is refused");
    assert_eq!(
        error.to_string(),
        "operand 0 of `my.user` cannot be written as JSON: nothing before defines it"
    );
}
