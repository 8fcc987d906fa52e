//! Each kind of difference is found, and what is said of it can be read.

use std::sync::Arc;

use super::{CompareOptions, Difference, Numbers, Part, compare, compare_with};
use crate::ir::{
    At, AttrValue, Context, Dict, FloatBits, FloatKind, IntKind, Op, OpSpec, Program, Rewriter,
    ScalarType, TensorStorage, TensorType, Type, TypeKind,
};
use crate::text;

const BASE: &str = "{
    ^kw:
        %kwarg_w {persistable:true,place:Place(cpu)}
        %kwarg_x {}
    (%0) = \"my.full\" () {chunk_id:0,op_role:1,value:2} : () -> tensor<2xf32>
    (%1) = \"my.add\" (%0, %kwarg_w) {axis:-1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%2) = \"my.mul\" (%kwarg_x, <<NULL VALUE>>) {} : (tensor<2xf32>, <<NULL TYPE>>) -> tensor<2xf32>
    (%3) = \"pd_op.if\" (%2) {} -> tensor<2xf32> {
        () = \"cf.yield\" (%1) {} : (tensor<2xf32>) -> 
    } else {
        (%4) = \"my.scale\" (%1) {bias:1} : (tensor<2xf32>) -> tensor<2xf32>
        () = \"cf.yield\" (%4) {} : (tensor<2xf32>) -> 
    }
    (%5) = \"pd_op.while\" (cond=%2, inputs=%3) { 
    ^%arg_0 {stop_gradient:true}
        () = \"cf.yield\" (%2, %arg_0) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    }
}
";

fn read_as(context: &Arc<Context>, file: &str, source: &str) -> Program {
    let read = text::read_program(context, file, source.as_bytes());
    read.unwrap_or_else(|errors| panic!("{}", errors[0])).program
}

/// What differs when `from` becomes `to`; the second program has a context of its own.
fn change(from: &str, to: &str) -> Difference {
    assert!(BASE.contains(from), "{from}");
    let first = read_as(&Context::new(), "a.pir", BASE);
    let second = read_as(&Context::new(), "b.pir", &BASE.replacen(from, to, 1));
    let difference = compare(&first, &second).unwrap_err();
    // The other way round it is the same difference, with its sides changed.
    let mirrored = compare(&second, &first).unwrap_err();
    assert_eq!((mirrored.first(), mirrored.second()), (difference.second(), difference.first()));
    difference
}

/// The first line of what is said.
fn told(from: &str, to: &str) -> String {
    change(from, to).to_string().lines().next().unwrap().to_owned()
}

#[test]
fn what_a_reader_cannot_tell_apart_is_equal() {
    let context = Context::new();
    let first = read_as(&context, "a.pir", BASE);
    assert_eq!(compare(&first, &first.clone()), Ok(()));
    let kwargs =
        BASE.replace("{persistable:true,place:Place(cpu)}\n        %kwarg_x {}", "{}").replace(
            "%kwarg_w {}",
            "%kwarg_x {}\n        %kwarg_w {place:Place(cpu),persistable:true}",
        );
    assert_ne!(kwargs, BASE);
    assert_eq!(
        compare(&first, &read_as(&context, "b.pir", &kwargs)),
        Ok(()),
        "kwargs in another order"
    );
    let spelled = BASE
        .replace("tensor<2xf32>", "builtin.tensor<2xf32>")
        .replace("\"my.add\"", "\"my.add\" [id:7]");
    assert_eq!(compare(&first, &read_as(&context, "c.pir", &spelled)), Ok(()), "older spellings");
    // Ids differ, and what is printed does not: erased ops and values do not count.
    let mut edited = first.clone();
    let op = edited.top_ops().next().unwrap();
    let types = [edited.ty(edited.result(op, 0))];
    let spec = OpSpec::new(edited.name(op)).dict(edited.dict(op)).like(&edited, op).results(&types);
    let copy = Rewriter::new(&mut edited).create(At::After(op), spec);
    let (old, new) = (edited.result(op, 0), edited.result(copy, 0));
    Rewriter::new(&mut edited).replace_all_uses(old, new);
    Rewriter::new(&mut edited).erase(op).unwrap();
    assert_eq!(compare(&first, &edited), Ok(()));
    assert_eq!(compare(&edited, &first), Ok(()));
}

#[test]
fn a_difference_shows_the_lines_of_both_programs() {
    let difference = change("axis:-1", "axis:2");
    assert_eq!(
        difference.to_string(),
        "attribute `axis` of op 1, `my.add`, differs: `-1` and `2`
  first:  a.pir:6: (%1) = \"my.add\" (%0, %kwarg_w) {axis:-1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  second: b.pir:6: (%1) = \"my.add\" (%0, %kwarg_w) {axis:2} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"
    );
    assert_eq!(difference.part(), &Part::Attr("axis".to_owned()));
    assert_eq!(difference.top_index(), Some(1));
    let diagnostic = difference.diagnostic();
    assert_eq!(diagnostic.code, "E0450");
    assert_eq!(diagnostic.primary.unwrap().label, "in the first program");
    assert_eq!(diagnostic.secondary[0].file, "b.pir");
}

#[test]
fn names_and_counts_of_ops_are_compared() {
    assert_eq!(
        told("my.add", "my.sub"),
        "the name of op 1, `my.add`, differs: `my.add` and `my.sub`"
    );
    let extra = "    () = \"my.extra\" () {} : () -> \n}\n";
    let first = read_as(&Context::new(), "a.pir", "{\n}\n");
    let second = read_as(first.context(), "b.pir", &format!("{{\n{extra}"));
    let difference = compare(&first, &second).unwrap_err();
    assert_eq!(
        difference.to_string(),
        "op 0, `my.extra`, is in the second program only\n  second: b.pir:2: () = \"my.extra\" () {} : () ->"
    );
    assert_eq!(difference.part(), &Part::Presence);
}

#[test]
fn attributes_are_compared_as_a_map() {
    assert_eq!(
        told("value:2", "value:2,zero:0"),
        "attribute `zero` of op 0, `my.full`, is in the second program only: `0`"
    );
    assert_eq!(
        told("{axis:-1}", "{}"),
        "attribute `axis` of op 1, `my.add`, is in the first program only: `-1`"
    );
    assert_eq!(
        told("{axis:-1}", "{aaa:1,axis:2}"),
        "attribute `aaa` of op 1, `my.add`, is in the second program only: `1`"
    );
    assert_eq!(
        told("value:2", "value:\"2\""),
        "attribute `value` of op 0, `my.full`, differs: `2` and `\"2\"`"
    );
    assert_eq!(
        told("op_role:1", "op_role:2"),
        "attribute `op_role` of op 0, `my.full`, differs: `1` and `2`"
    );
    assert_eq!(
        told("chunk_id:0,", ""),
        "attribute `chunk_id` of op 0, `my.full`, is in the first program only: `0`"
    );
}

#[test]
fn operands_are_compared_by_what_they_stand_for() {
    assert_eq!(
        told("(%0, %kwarg_w)", "(%kwarg_w, %0)"),
        "operand 0 of op 1, `my.add`, differs: `%0` and `%kwarg_w`"
    );
    let (from, to) = (
        "<<NULL VALUE>>) {} : (tensor<2xf32>, <<NULL TYPE>>",
        "%0) {} : (tensor<2xf32>, tensor<2xf32>",
    );
    assert_eq!(told(from, to), "operand 1 of op 2, `my.mul`, is in the second program only: `%0`");
    let (from, to) = ("(%0, %kwarg_w) {axis:-1} : (tensor<2xf32>, ", "(%kwarg_w) {axis:-1} : (");
    assert_eq!(told(from, to), "the number of operands of op 1, `my.add`, differs: `2` and `1`");
    assert_eq!(
        told("\"cf.yield\" (%4)", "\"cf.yield\" (%1)"),
        "operand 0 of op 1, `cf.yield`, in region 1 of op 3, `pd_op.if`, differs: `%4` and `%1`"
    );
}

#[test]
fn results_and_their_types_are_compared() {
    let first = read_as(&Context::new(), "", "{\n    (%0) = \"my.op\" () {} : () -> f32\n}\n");
    let with = |source: &str| {
        compare(&first, &read_as(first.context(), "", source)).unwrap_err().to_string()
    };
    let other = with("{\n    (%0) = \"my.op\" () {} : () -> f64\n}\n");
    assert!(
        other.starts_with("the type of result 0 of op 0, `my.op`, differs: `f32` and `f64`\n"),
        "{other}"
    );
    let other = with("{\n    (%0, %1) = \"my.op\" () {} : () -> f32, f32\n}\n");
    assert!(
        other.starts_with("the number of results of op 0, `my.op`, differs: `1` and `2`\n"),
        "{other}"
    );
}

#[test]
fn regions_and_their_arguments_are_compared() {
    assert_eq!(
        told("bias:1", "bias:2"),
        "attribute `bias` of op 0, `my.scale`, in region 1 of op 3, `pd_op.if`, differs: `1` and `2`"
    );
    let (from, to) = (
        "        (%4) = \"my.scale\"",
        "        () = \"my.probe\" () {} : () -> \n        (%4) = \"my.scale\"",
    );
    assert_eq!(
        told(from, to),
        "the name of op 0, `my.scale`, in region 1 of op 3, `pd_op.if`, differs: `my.scale` and `my.probe`"
    );
    assert_eq!(
        told("stop_gradient:true", "stop_gradient:false"),
        "attribute `stop_gradient` of argument `0` of region 0 of op 4, `pd_op.while`, differs: `true` and `false`"
    );
    let first = read_as(&Context::new(), "", BASE);
    let edited = |edit: fn(&mut Rewriter<'_>, Op)| {
        let mut second = first.clone();
        let branch = second.top_ops().nth(3).unwrap();
        edit(&mut Rewriter::new(&mut second), branch);
        compare(&first, &second).unwrap_err().to_string().lines().next().unwrap().to_owned()
    };
    let region = edited(|rewriter, branch| _ = rewriter.add_region(branch));
    assert_eq!(region, "the number of regions of op 3, `pd_op.if`, differs: `2` and `3`");
    let block = edited(|rewriter, branch| {
        let region = rewriter.program().regions(branch)[1];
        rewriter.add_block(region);
    });
    assert_eq!(block, "the number of blocks in region 1 of op 3, `pd_op.if`, differs: `1` and `2`");
    let argument = edited(|rewriter, branch| {
        let block = rewriter.program().region_blocks(rewriter.program().regions(branch)[1])[0];
        rewriter.add_argument(block, Type::NULL, Dict::EMPTY);
    });
    assert_eq!(
        argument,
        "the number of arguments of region 1 of op 3, `pd_op.if`, differs: `0` and `1`"
    );
}

#[test]
fn kwargs_are_compared_as_a_set() {
    let gone = told("        %kwarg_x {}\n", "        %kwarg_x {}\n        %kwarg_y {}\n");
    assert_eq!(
        gone,
        "keyword argument `y` of the program is in the second program only: `<<UNKNOWN TYPE>>`"
    );
    assert_eq!(
        told("place:Place(cpu)", "place:Place(gpu:0)"),
        "attribute `place` of argument `w` of the program differs: `Place(cpu)` and `Place(gpu:0)`"
    );
    let (first, second) = (read_as(&Context::new(), "", BASE), BASE.replace("2xf32", "3xf32"));
    let difference = compare(&first, &read_as(first.context(), "", &second)).unwrap_err();
    assert_eq!(
        difference.to_string(),
        "the type of argument `w` of the program differs: `tensor<2xf32>` and `tensor<3xf32>`"
    );
    assert_eq!(difference.top_index(), None);
}

#[test]
fn what_is_read_before_it_is_defined_must_be_defined_as_it_was_read() {
    let source = "{\n    () = \"my.use\" () {} : () -> \n    (%0) = \"my.a\" () {} : () -> f32\n    (%1) = \"my.a\" () {} : () -> f32\n}\n";
    let with_use_of = |index: usize| {
        let mut program = read_as(&Context::new(), "", source);
        let ops: Vec<_> = program.top_ops().collect();
        let value = program.result(ops[index], 0);
        let spec = OpSpec::new(program.name(ops[0]));
        Rewriter::new(&mut program).create(At::Before(ops[0]), spec.operands(&[Some(value)]));
        program
    };
    let (first, second) = (with_use_of(1), with_use_of(2));
    assert_eq!(compare(&first, &with_use_of(1)), Ok(()));
    let difference = compare(&first, &second).unwrap_err();
    assert_eq!(difference.part(), &Part::Result(0));
}

/// A program of one op without results, which has one attribute.
fn with_attr(value: impl Fn(&Context) -> AttrValue) -> Program {
    let context = Context::new();
    let attr = context.attr(value(&context));
    let dict = context.dict([(context.name("a"), attr)]);
    let mut program = Program::new(&context);
    let top = program.top();
    let spec = OpSpec::new(context.name("my.op")).dict(dict);
    Rewriter::new(&mut program).create(At::End(top), spec);
    program
}

/// Asserts that two attributes differ, but not as they are printed; returns the two sides of the
/// difference.
fn alike_in_print(
    a: impl Fn(&Context) -> AttrValue,
    b: impl Fn(&Context) -> AttrValue,
) -> (Option<String>, Option<String>) {
    let (first, second) = (with_attr(a), with_attr(b));
    let printed = CompareOptions { numbers: Numbers::AsPrinted };
    assert_eq!(compare_with(&first, &second, printed), Ok(()));
    let difference = compare(&first, &second).unwrap_err();
    (difference.first().map(str::to_owned), difference.second().map(str::to_owned))
}

#[test]
fn kinds_and_digits_that_text_does_not_say_count_only_exactly() {
    let pair = |a: &str, b: &str| (Some(a.to_owned()), Some(b.to_owned()));
    let int = |kind| move |_: &Context| AttrValue::Int(1, kind);
    assert_eq!(
        alike_in_print(int(IntKind::I32), int(IntKind::I64)),
        pair("1 of kind I32", "1 of kind I64")
    );
    let float = |value| move |_: &Context| AttrValue::Float(FloatBits::new(value), FloatKind::F64);
    let third = 1.0 / 3.0;
    assert_eq!(
        alike_in_print(float(third), float(0.333333)),
        pair("0.3333333333333333 of kind F64", "0.333333 of kind F64")
    );
    let list = |kind| {
        move |context: &Context| AttrValue::Array([context.attr(AttrValue::Int(1, kind))].into())
    };
    assert_eq!(
        alike_in_print(list(IntKind::I32), list(IntKind::NotSaid)),
        pair("[1 of kind I32]", "[1 of kind NotSaid]")
    );
    let printed = CompareOptions { numbers: Numbers::AsPrinted };
    let (one, two) = (with_attr(int(IntKind::I32)), with_attr(|_| AttrValue::int32(2)));
    assert_eq!(compare_with(&one, &two, printed).unwrap_err().second(), Some("2"));
}

#[test]
fn types_that_text_does_not_say_count_only_exactly() {
    let source = "{\n    (%0) = \"my.op\" () {} : () -> tensor<2xf32>\n}\n";
    let first = read_as(&Context::new(), "", source);
    let with_type = |kind: TypeKind| {
        let mut program = first.clone();
        let op = program.top_ops().next().unwrap();
        let (value, ty) = (program.result(op, 0), program.context().ty(kind));
        Rewriter::new(&mut program).set_type(value, ty);
        program
    };
    let storage = TensorStorage { layout: "NHWC".into(), lod: [].into(), offset: 0 };
    let tensor =
        TensorType { storage: Some(storage.into()), ..TensorType::new([2], ScalarType::F32) };
    let printed = CompareOptions { numbers: Numbers::AsPrinted };
    for kind in [TypeKind::Tensor(tensor), TypeKind::Unknown] {
        let second = with_type(kind);
        assert_eq!(compare_with(&first, &second, printed), Ok(()));
        assert_eq!(compare(&first, &second).unwrap_err().part(), &Part::ResultType(0));
    }
    let other = with_type(TypeKind::Scalar(ScalarType::F32));
    assert!(compare_with(&first, &other, printed).is_err());
}

#[test]
fn the_attributes_of_a_loop_are_not_printed() {
    let first = read_as(&Context::new(), "", BASE);
    let mut second = first.clone();
    let body = second.top_ops().nth(4).unwrap();
    Rewriter::new(&mut second).set_role(body, Some(1));
    assert_eq!(
        compare_with(&first, &second, CompareOptions { numbers: Numbers::AsPrinted }),
        Ok(())
    );
    assert_eq!(compare(&first, &second).unwrap_err().part(), &Part::Attr("op_role".to_owned()));
}

#[test]
fn no_depth_of_nesting_is_too_deep() {
    const DEPTH: usize = 20_000;
    let nested = |role: i32| {
        let mut program = Program::new(&Context::new());
        let mut block = program.top();
        let name = program.context().name("my.nest");
        for depth in 0..DEPTH {
            let spec = OpSpec::new(name).role((depth + 1 == DEPTH).then_some(role));
            let mut rewriter = Rewriter::new(&mut program);
            let op = rewriter.create(At::End(block), spec);
            block = rewriter.add_region(op);
        }
        program
    };
    assert_eq!(compare(&nested(1), &nested(1)), Ok(()));
    let told = compare(&nested(1), &nested(2)).unwrap_err().to_string();
    let levels = "region 0 of op 0, `my.nest`, in ".repeat(3);
    let path = format!("op 0, `my.nest`, in {levels}the nest of op 0 of the program");
    assert!(
        told.starts_with(&format!("attribute `op_role` of {path}, differs: `1` and `2`\n")),
        "{told:.400}"
    );
}
