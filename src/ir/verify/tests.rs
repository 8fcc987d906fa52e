//! A failing case for each rule, made from one sound program by one edit: past the rewriter where
//! the rewriter would not do it.

use super::{verify, verify_ops};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ir::{
    At, AttrValue, Block, Context, Dict, Op, OpSpec, Program, Rewriter, ScalarType, TensorType,
    Type, TypeKind, Value, ValueDef, names,
};
use crate::text;

/// All that rules are about: a kwarg, an op without facts, an absent operand, vectors, branches, a
/// loop.
const SOUND: &str = "{
    ^kw:
        %kwarg_w {}
    (%0) = \"my.op\" (%kwarg_w) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%1) = \"pd_op.relu\" (%0) {chunk_id:1,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = \"pd_op.add\" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%3) = \"builtin.combine\" (%1, %2) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%4, %5) = \"builtin.split\" (%3) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>, tensor<2xf32>
    (%6) = \"builtin.slice\" (%3) {index:1} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%7) = \"my.condition\" (%4) {} : (tensor<2xf32>) -> tensor<1xb>
    (%8) = \"pd_op.if\" (%7) {} -> tensor<2xf32> {
        (%9) = \"pd_op.relu\" (%5) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = \"cf.yield\" (%9) {} : (tensor<2xf32>) -> 
    } else {
        () = \"cf.yield\" (%6) {} : (tensor<2xf32>) -> 
    }
    (%10) = \"pd_op.while\" (cond=%7, inputs=%8) { 
    ^%arg_0 {}
        (%11) = \"my.condition\" (%arg_0) {} : (tensor<2xf32>) -> tensor<1xb>
        () = \"cf.yield\" (%11, %arg_0) {} : (tensor<1xb>, tensor<2xf32>) -> 
    }
    () = \"my.sink\" (%10) {} : (tensor<2xf32>) -> 
}
";

fn sound() -> Program {
    let read = text::read_program(&Context::new(), "a.pir", SOUND.as_bytes());
    read.unwrap_or_else(|errors| panic!("{}", errors[0])).program
}

/// The op of a name; the first one, nested ones included.
fn op(program: &Program, name: &str) -> Op {
    let mut ops = program.top_ops().flat_map(|op| program.nest(op));
    ops.find(|&op| program.name_text(op) == name).unwrap()
}

fn result(program: &Program, name: &str) -> Value {
    program.result(op(program, name), 0)
}

fn set_operand(program: &mut Program, name: &str, index: usize, value: Option<Value>) {
    let op = op(program, name);
    Rewriter::new(program).set_operand(op, index, value);
}

/// A new op at the end of a block.
fn append(
    program: &mut Program,
    block: Block,
    name: &str,
    operands: &[Option<Value>],
    results: &[Type],
) -> Op {
    let spec = OpSpec::new(program.context().name(name)).operands(operands).results(results);
    Rewriter::new(program).create(At::End(block), spec)
}

fn region_block(program: &Program, name: &str, region: usize) -> Block {
    program.region_blocks(program.regions(op(program, name))[region])[0]
}

fn tensor(program: &Program, dims: &[i64]) -> Type {
    program.context().ty(TypeKind::Tensor(TensorType::new(dims, ScalarType::F32)))
}

/// Codes and messages of all faults, a line each.
fn told(program: &Program) -> String {
    let lines =
        verify(program).into_iter().map(|fault| format!("{} {}\n", fault.code, fault.message));
    lines.collect()
}

/// Makes one edit and says what the verifier has to say.
fn after(edit: impl FnOnce(&mut Program)) -> String {
    let mut program = sound();
    assert_eq!(told(&program), "", "it is sound before");
    edit(&mut program);
    told(&program)
}

// The tables.

#[test]
fn a_neighbour_that_does_not_name_an_op_is_e0401() {
    let told = after(|program| {
        let relu = op(program, "pd_op.relu");
        program.ops[relu.index()].next = None;
    });
    assert_eq!(
        told,
        "E0401 `pd_op.relu` and the op behind it do not name each other\n\
         E0401 `pd_op.add` and the op before it do not name each other\n"
    );
    let told = after(|program| program.blocks[0].last = None);
    assert_eq!(
        told,
        "E0401 a block does not begin or end with its own op\n\
         E0401 `my.sink` and the op behind it do not name each other\n"
    );
}

#[test]
fn an_op_linked_into_a_ring_is_e0401_and_ends() {
    let told = after(|program| {
        let (relu, combine) = (op(program, "pd_op.relu"), op(program, "builtin.combine"));
        program.ops[combine.index()].next = Some(relu);
        program.ops[relu.index()].prev = Some(combine);
    });
    assert!(told.starts_with("E0401 "), "{told}");
    assert!(told.contains("E0402 the order number of `builtin.combine` is not below"), "{told}");
}

#[test]
fn order_numbers_that_do_not_grow_are_e0402() {
    let told = after(|program| {
        let add = op(program, "pd_op.add");
        program.ops[add.index()].order = 0;
    });
    // What `pd_op.add` reads now seems to stand behind it, too.
    assert!(
        told.starts_with(
            "E0402 the order number of `pd_op.relu` is not below that of the next op\n"
        ),
        "{told}"
    );
}

#[test]
fn a_wrong_count_of_ops_is_e0403() {
    let told = after(|program| program.live_ops += 1);
    assert_eq!(told, "E0403 the program has 15 ops, and says it has 16\n");
}

#[test]
fn a_block_that_hangs_from_nothing_is_e0404() {
    let told = after(|program| {
        let branch = op(program, "pd_op.if");
        program.op_regions.swap_remove(&branch);
    });
    let stray = "E0404 a block with ops does not hang from the top block\n";
    assert!(told.starts_with(&stray.repeat(2)), "{told}");
    let told = after(|program| {
        let branch = op(program, "pd_op.if");
        let (region, other) = (program.regions(branch)[0], op(program, "pd_op.while"));
        program.regions[region.index()].op = other;
    });
    assert!(told.starts_with("E0404 an op has a region that does not name it"), "{told}");
}

#[test]
fn blocks_nested_in_each_other_are_e0404_and_end() {
    let told = after(|program| {
        let home = region_block(program, "pd_op.if", 0);
        let branch = op(program, "pd_op.if");
        program.ops[branch.index()].block = Some(home);
    });
    let stray = "E0404 a block with ops does not hang from the top block\n";
    assert_eq!(told.matches(stray).count(), 2, "{told}");
}

#[test]
fn a_value_that_does_not_name_its_definition_is_e0405() {
    let told = after(|program| {
        let (relu, add) = (result(program, "pd_op.relu"), op(program, "pd_op.add"));
        program.values[relu.index()].def = ValueDef::Result { op: add, index: 0 };
    });
    assert!(told.contains("E0405 result 0 of `pd_op.relu` does not name it as its op\n"), "{told}");
    let told = after(|program| {
        let w = program.kwargs(program.top()).next().unwrap().1.value;
        program.values[w.index()].def = ValueDef::Argument { block: program.top(), index: 7 };
    });
    assert!(
        told.contains("E0405 keyword argument `w` of a block does not name the block\n"),
        "{told}"
    );
    let told = after(|program| {
        let body = region_block(program, "pd_op.while", 0);
        let variable = program.arguments(body)[0].value;
        program.values[variable.index()].def = ValueDef::Argument { block: body, index: 1 };
    });
    assert!(told.contains("E0405 argument 0 of a block does not name the block\n"), "{told}");
    let told = after(|program| {
        let relu = op(program, "pd_op.relu");
        program.ops[relu.index()].operands.start = 1000;
    });
    assert!(
        told.contains("E0405 operands or results of `pd_op.relu` are out of their table\n"),
        "{told}"
    );
}

#[test]
fn a_use_index_that_misses_or_invents_a_use_is_e0406() {
    let build = |program: &Program| assert!(!program.is_unused(result(program, "pd_op.relu")));
    assert_eq!(after(|program| build(program)), "", "as it was built it is right");
    let told = after(|program| {
        build(program);
        let add = op(program, "pd_op.add");
        let slot = program.ops[add.index()].operands.start as usize;
        program.operands[slot] = Some(result(program, "pd_op.relu"));
    });
    assert_eq!(told, "E0406 the use index has a use that is not in the program\n");
    let told = after(|program| {
        build(program);
        let split = op(program, "builtin.split");
        let mut uses = program.uses.take().unwrap();
        uses.remove_op(program, split);
        program.uses = uses.into();
    });
    assert_eq!(told, "E0406 the use index has 18 uses, and the program has 19\n");
}

#[test]
fn a_role_in_the_dictionary_is_e0407_unless_it_fits_no_column() {
    let set = |program: &mut Program, value: AttrValue| {
        let context = program.context().clone();
        let dict = context.dict([(names::OP_ROLE, context.attr(value))]);
        let add = op(program, "pd_op.add");
        Rewriter::new(program).set_dict(add, dict);
    };
    let told = after(|program| set(program, AttrValue::int32(1)));
    assert_eq!(told, "E0407 the dictionary of `pd_op.add` has `op_role`, which has a column\n");
    assert_eq!(after(|program| set(program, AttrValue::string("forward"))), "");
}

// What is read.

#[test]
fn a_read_of_an_erased_op_is_e0408() {
    let told = after(|program| {
        let relu = result(program, "pd_op.relu");
        let top = program.top();
        let extra = append(program, top, "my.op", &[Some(relu)], &[tensor(program, &[2])]);
        let stale = program.result(extra, 0);
        Rewriter::new(program).erase(extra).unwrap();
        set_operand(program, "pd_op.add", 1, Some(stale));
    });
    assert_eq!(told, "E0408 operand 1 of `pd_op.add` is a value that was erased\n");
}

#[test]
fn a_value_of_another_program_is_e0408() {
    let told = after(|program| set_operand(program, "pd_op.add", 0, Some(Value::from_index(5000))));
    assert_eq!(told, "E0408 operand 0 of `pd_op.add` is no value of this program\n");
}

#[test]
fn a_read_before_the_definition_is_e0409() {
    let told =
        after(|program| set_operand(program, "pd_op.relu", 0, Some(result(program, "pd_op.add"))));
    assert_eq!(told, "E0409 operand 0 of `pd_op.relu` is read before it is defined\n");
    let told =
        after(|program| set_operand(program, "pd_op.relu", 0, Some(result(program, "pd_op.relu"))));
    assert_eq!(
        told, "E0409 operand 0 of `pd_op.relu` is read before it is defined\n",
        "its own result"
    );
    let told = after(|program| {
        let inner = program.block_ops(region_block(program, "pd_op.if", 0)).next().unwrap();
        let result = result(program, "pd_op.while");
        Rewriter::new(program).set_operand(inner, 0, Some(result));
    });
    assert_eq!(
        told, "E0409 operand 0 of `pd_op.relu` is read before it is defined\n",
        "from a region"
    );
}

#[test]
fn a_read_of_the_result_of_the_op_around_it_is_e0409() {
    let told = after(|program| {
        let inner = program.block_ops(region_block(program, "pd_op.if", 0)).next().unwrap();
        let result = result(program, "pd_op.if");
        Rewriter::new(program).set_operand(inner, 0, Some(result));
    });
    assert_eq!(told, "E0409 operand 0 of `pd_op.relu` is a result of the op around it\n");
}

#[test]
fn a_read_from_outside_the_defining_region_is_e0409() {
    let told = after(|program| {
        let inner = program.block_ops(region_block(program, "pd_op.if", 0)).next().unwrap();
        let variable = program.arguments(region_block(program, "pd_op.while", 0))[0].value;
        let result = program.result(inner, 0);
        set_operand(program, "my.sink", 0, Some(result));
        set_operand(program, "builtin.split", 0, Some(variable));
    });
    assert_eq!(
        told,
        "E0409 operand 0 of `builtin.split` is defined in a block that is not around it\n\
         E0414 the vector of `builtin.split` has no `vec` type\n\
         E0409 operand 0 of `my.sink` is defined in a block that is not around it\n"
    );
}

#[test]
fn a_read_of_an_unknown_type_is_e0410_where_its_type_is_printed() {
    let told = after(|program| {
        let condition = result(program, "my.condition");
        Rewriter::new(program).set_type(condition, Type::UNKNOWN);
    });
    assert_eq!(told, "", "an `if` and a `while` print no operand types");
    let told = after(|program| {
        let split = op(program, "builtin.split");
        let (first, second) = (program.result(split, 0), program.result(split, 1));
        Rewriter::new(program).set_type(first, Type::UNKNOWN);
        Rewriter::new(program).set_type(second, Type::UNKNOWN);
    });
    assert_eq!(
        told,
        "E0410 operand 0 of `my.condition` has an unknown type\n\
         E0410 operand 0 of `pd_op.relu` has an unknown type\n"
    );
}

// Facts.

#[test]
fn a_wrong_number_of_operands_is_e0411_and_of_results_e0412() {
    let told = after(|program| {
        let (top, condition) = (program.top(), Some(result(program, "my.condition")));
        append(program, top, "cf.tuple_push", &[], &[]);
        append(program, top, "cf.has_elements", &[condition], &[]);
        append(program, top, "your.op", &[condition], &[]);
    });
    assert_eq!(
        told,
        "E0411 `cf.tuple_push` has 0 operands, and needs 1 or more: `inlet`, `values`\n\
         E0412 `cf.has_elements` has 0 results, and needs 1: `out`\n"
    );
}

#[test]
fn other_counts_than_paddle_describes_are_warnings_said_once_for_all() {
    let mut program = sound();
    let (top, relu) = (program.top(), Some(result(&program, "pd_op.relu")));
    let ty = tensor(&program, &[2]);
    let first = append(&mut program, top, "pd_op.add", &[relu], &[]);
    append(&mut program, top, "pd_op.add", &[relu], &[]);
    append(&mut program, top, "pd_op.add", &[relu], &[]);
    append(&mut program, top, "pd_op.add", &[relu], &[ty]);
    assert_eq!(
        told(&program),
        "W0411 `pd_op.add` has 1 operand, and needs 2: `x`, `y`; so have 2 other ops of its name\n\
         W0412 `pd_op.add` has 0 results, and needs 1: `out`; so have 2 other ops of its name\n\
         W0411 `pd_op.add` has 1 operand, and needs 2: `x`, `y`\n"
    );
    let faults = verify(&program);
    assert!(faults.iter().all(|fault| fault.severity == Severity::Warning));
    let place = faults[0].primary.as_ref().unwrap();
    assert_eq!(place.text, text::op_line(&program, first, &text::Labels::of(&program)));
}

#[test]
fn an_absent_operand_is_e0413_unless_it_is_optional() {
    let told = after(|program| set_operand(program, "pd_op.add", 1, None));
    assert_eq!(told, "E0413 operand 1, `y`, of `pd_op.add` is absent\n");
    assert_eq!(
        after(|program| set_operand(program, "my.sink", 0, None)),
        "",
        "nothing is known of it"
    );
    let told = after(|program| {
        let (top, x) = (program.top(), Some(result(program, "pd_op.relu")));
        let ty = tensor(program, &[2]);
        append(program, top, "pd_op.layer_norm", &[x, None, None], &[ty, ty, ty]);
    });
    assert_eq!(told, "", "scale and bias of a layer norm are optional");
}

#[test]
fn vectors_that_do_not_hold_what_their_type_lists_are_e0414() {
    let told = after(|program| {
        let (add, split) = (result(program, "pd_op.add"), op(program, "builtin.split"));
        let ty = tensor(program, &[3]);
        let second = program.result(split, 1);
        Rewriter::new(program).set_type(add, ty);
        Rewriter::new(program).set_type(second, ty);
        let index = program.context().name("index");
        let three = program.context().attr(AttrValue::int32(3));
        let slice = op(program, "builtin.slice");
        Rewriter::new(program).set_attr(slice, index, three);
    });
    assert_eq!(
        told,
        "E0414 operand 1 and element 1 of the vector differ in type: `tensor<3xf32>` and `tensor<2xf32>`\n\
         E0414 result 1 and element 1 of the vector differ in type: `tensor<3xf32>` and `tensor<2xf32>`\n\
         E0414 `builtin.slice` takes element 3 of a vector of 2\n"
    );
    let told = after(|program| {
        let (top, relu) = (program.top(), Some(result(program, "pd_op.relu")));
        let (vector, scalar) =
            (program.ty(result(program, "builtin.combine")), tensor(program, &[2]));
        append(program, top, "builtin.combine", &[relu], &[vector]);
        append(program, top, "builtin.combine", &[relu], &[scalar]);
        let slice = result(program, "builtin.slice");
        let ty = tensor(program, &[3]);
        Rewriter::new(program).set_type(slice, ty);
    });
    assert_eq!(
        told,
        "E0414 the result and element 1 of the vector differ in type: `tensor<3xf32>` and `tensor<2xf32>`\n\
         E0417 what is yielded for result 0 of `pd_op.if` differs in type: `tensor<3xf32>` and `tensor<2xf32>`\n\
         E0414 `builtin.combine` has 1 operand and a vector of 2\n\
         E0414 the vector of `builtin.combine` has no `vec` type\n"
    );
}

// Control flow.

#[test]
fn a_wrong_number_of_regions_or_blocks_is_e0415() {
    let told = after(|program| {
        let relu = Some(result(program, "pd_op.relu"));
        let top = program.top();
        append(program, top, "pd_op.if", &[relu], &[]);
        let body = program.regions(op(program, "pd_op.while"))[0];
        Rewriter::new(program).add_block(body);
    });
    assert_eq!(
        told,
        "E0415 a region of `pd_op.while` has 2 blocks, and needs 1\n\
         E0415 `pd_op.if` has 0 regions, and needs 2\n"
    );
}

#[test]
fn a_loop_whose_variables_do_not_match_is_e0415() {
    let told = after(|program| {
        let body = region_block(program, "pd_op.while", 0);
        let ty = tensor(program, &[2]);
        Rewriter::new(program).add_argument(body, ty, Dict::EMPTY);
    });
    assert_eq!(told, "E0415 `pd_op.while` has 1 input, 2 variables and 1 result\n");
    let told = after(|program| {
        set_operand(program, "pd_op.while", 1, Some(result(program, "my.condition")))
    });
    let types = "`tensor<1xb>` and `tensor<2xf32>`";
    assert_eq!(
        told,
        format!("E0415 input and variable 0 of `pd_op.while` differ in type: {types}\n")
    );
}

#[test]
fn a_yield_that_does_not_end_a_region_is_e0416() {
    let told = after(|program| {
        let (top, relu) = (program.top(), Some(result(program, "pd_op.relu")));
        append(program, top, "cf.yield", &[], &[]);
        append(program, region_block(program, "pd_op.if", 1), "my.op", &[relu], &[]);
        let end = program.block_ops(region_block(program, "pd_op.while", 0)).next_back().unwrap();
        Rewriter::new(program).erase(end).unwrap();
    });
    assert_eq!(
        told,
        "E0416 a region of `pd_op.if` does not end in `cf.yield`\n\
         E0416 `cf.yield` is not the last op of its block\n\
         E0416 a region of `pd_op.while` does not end in `cf.yield`\n\
         E0416 `cf.yield` stands in the top block\n"
    );
}

#[test]
fn a_branch_without_results_needs_no_yield() {
    let told = after(|program| {
        let (top, condition) = (program.top(), Some(result(program, "my.condition")));
        let branch = append(program, top, "pd_op.if", &[condition], &[]);
        Rewriter::new(program).add_region(branch);
        Rewriter::new(program).add_region(branch);
    });
    assert_eq!(told, "");
}

#[test]
fn a_yield_of_something_else_than_the_results_is_e0417() {
    let told = after(|program| {
        for (name, region) in [("pd_op.if", 0), ("pd_op.while", 0)] {
            let block = region_block(program, name, region);
            let end = program.block_ops(block).next_back().unwrap();
            let value = program.operand(end, 0);
            Rewriter::new(program).erase(end).unwrap();
            append(program, block, "cf.yield", &[value, value, value], &[]);
        }
    });
    assert_eq!(
        told,
        "E0417 `cf.yield` has 3 values, and the `pd_op.if` around it 1 result\n\
         E0417 `cf.yield` has 3 values, and the `pd_op.while` around it 1 result\n"
    );
}

#[test]
fn types_that_differ_in_dims_known_at_run_time_agree() {
    let set = |program: &mut Program, dims: &[i64]| {
        let (ty, result) = (tensor(program, dims), result(program, "pd_op.if"));
        Rewriter::new(program).set_type(result, ty);
    };
    assert_eq!(after(|program| set(program, &[-1])), "");
    let mismatch = after(|program| set(program, &[-1, 2]));
    assert_eq!(
        mismatch
            .matches("E0417 what is yielded for result 0 of `pd_op.if` differs in type")
            .count(),
        2
    );
    assert_eq!(
        mismatch.matches("E0415 input and variable 0 of `pd_op.while` differ in type").count(),
        1
    );
}

// What is said.

#[test]
fn a_fault_shows_both_ops_and_what_to_do() {
    let mut program = sound();
    let add = result(&program, "pd_op.add");
    set_operand(&mut program, "pd_op.relu", 0, Some(add));
    let [fault] = &verify(&program)[..] else { panic!("one fault") };
    let primary = fault.primary.as_ref().unwrap();
    assert_eq!((primary.file.as_str(), primary.line), ("a.pir", Some(5)));
    assert_eq!(&primary.text[primary.highlight.clone()], "\"pd_op.relu\"");
    assert!(primary.text.contains("(%2) {chunk_id:1,op_role:0}"), "{}", primary.text);
    let secondary = &fault.secondary[0];
    assert_eq!((secondary.line, secondary.label.as_str()), (Some(6), "defined here"));
    assert_eq!(fault.help.as_deref(), Some("move one of the two ops, or read another value"));
}

#[test]
fn faults_of_broken_tables_are_told_without_printing_the_program() {
    let mut program = sound();
    set_operand(&mut program, "pd_op.add", 0, Some(Value::from_index(5000)));
    let faults = verify(&program);
    let place = faults[0].primary.as_ref().unwrap();
    assert_eq!((place.text.as_str(), place.line), ("\"pd_op.add\"", Some(6)));
}

// Some ops alone.

#[test]
fn only_the_ops_that_were_touched_are_verified() {
    let mut program = sound();
    set_operand(&mut program, "builtin.split", 0, None);
    let add = result(&program, "pd_op.add");
    let mut rewriter = Rewriter::new(&mut program);
    let relu = op(rewriter.program(), "pd_op.relu");
    rewriter.set_operand(relu, 0, Some(add));
    let touched: Vec<_> = rewriter.touched().collect();
    let codes = |faults: Vec<Diagnostic>| faults.into_iter().map(|it| it.code).collect::<Vec<_>>();
    assert_eq!(codes(verify_ops(&program, touched)), ["E0409"]);
    assert_eq!(codes(verify(&program)), ["E0409", "E0413", "E0414"]);
}

#[test]
fn readers_and_neighbours_of_a_touched_op_are_verified_with_it() {
    let mut program = sound();
    let relu = op(&program, "pd_op.relu");
    let ty = tensor(&program, &[3]);
    let result = program.result(relu, 0);
    Rewriter::new(&mut program).set_type(result, ty);
    // `builtin.combine` reads it: its vector still says two elements.
    let faults = verify_ops(&program, [relu]);
    assert_eq!(faults.iter().map(|fault| &*fault.code).collect::<Vec<_>>(), ["E0414"]);
    let block = region_block(&program, "pd_op.while", 0);
    let behind_the_end = append(&mut program, block, "my.op", &[], &[]);
    let faults = verify_ops(&program, [behind_the_end]);
    assert_eq!(faults[0].message, "`cf.yield` is not the last op of its block");
}

#[test]
fn erased_ops_have_no_rules() {
    let mut program = sound();
    let sink = op(&program, "my.sink");
    Rewriter::new(&mut program).erase(sink).unwrap();
    assert_eq!(verify_ops(&program, [sink]), []);
    assert_eq!(told(&program), "");
}
