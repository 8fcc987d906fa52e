use super::*;
use crate::ir::Context;
use crate::text;

fn read(body: &str) -> Program {
    let source = format!("{{\n{body}}}\n");
    let read = text::read_program(&Context::new(), "test.pir", source.as_bytes());
    read.unwrap_or_else(|faults| panic!("{}", faults[0])).program
}

/// The ops in program order, nested ones behind the op around them.
fn ops(program: &Program) -> Vec<Op> {
    program.top_ops().flat_map(|op| program.nest(op)).collect()
}

fn result(program: &Program, op: usize) -> Value {
    program.result(ops(program)[op], 0)
}

fn is_shared(program: &Program, a: usize, b: usize) -> bool {
    let memory = Memory::of(program);
    memory.cell(result(program, a)) == memory.cell(result(program, b))
}

#[test]
fn a_list_shares_memory_with_its_elements_and_a_write_to_one_is_a_write_to_all() {
    let program = read(
        r#"    (%0) = "pd_op.full" () {} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {} : () -> tensor<2xf32>
    (%2) = "builtin.combine" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%3, %4) = "builtin.split" (%2) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>, tensor<2xf32>
    (%5) = "pd_op.relu_" (%3) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.relu" (%3) {} : (tensor<2xf32>) -> tensor<2xf32>
"#,
    );
    let memory = Memory::of(&program);
    assert_eq!(memory.writers(result(&program, 1)), [ops(&program)[4]]);
    assert!(is_shared(&program, 0, 4) && !is_shared(&program, 0, 5));
    assert!(memory.is_alone(result(&program, 5)) && !memory.is_alone(result(&program, 0)));
}

#[test]
fn what_branches_and_loops_yield_shares_memory_with_their_results_and_inputs() {
    let program = read(
        r#"    (%0) = "pd_op.full" () {} : () -> tensor<1xb>
    (%1) = "pd_op.full" () {} : () -> tensor<2xf32>
    (%2) = "pd_op.if" (%0) {} -> tensor<2xf32> {
        (%3) = "pd_op.tanh" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%3) {} : (tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%1) {} : (tensor<2xf32>) -> 
    }
    (%4) = "pd_op.while" (cond=%0, inputs=%2) { 
    ^%arg_0 {}
        (%5) = "pd_op.exp" (%arg_0) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%0, %5) {} : (tensor<1xb>, tensor<2xf32>) -> 
    }
"#,
    );
    let all = ops(&program);
    let named = |name: &str| {
        let op = all.iter().position(|&op| program.name_text(op) == name);
        op.expect("there is such an op")
    };
    let [tanh, branch, exp, repeat] =
        ["pd_op.tanh", "pd_op.if", "pd_op.exp", "pd_op.while"].map(named);
    for op in [1, branch, exp, repeat] {
        assert!(is_shared(&program, tanh, op), "{op}");
    }
    assert!(!is_shared(&program, tanh, 0), "the condition goes nowhere");
}

#[test]
fn an_unknown_op_may_write_what_it_reads_unless_it_is_assumed_pure() {
    let program = read(
        r#"    (%0) = "pd_op.full" () {} : () -> tensor<2xf32>
    (%1) = "my.op" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
"#,
    );
    assert!(is_shared(&program, 0, 1));
    assert_eq!(Memory::of(&program).writers(result(&program, 1)).len(), 1);
    let mine = program.context().name("my.op");
    let memory = Memory::assuming_pure(&program, &[mine]);
    assert_ne!(memory.cell(result(&program, 0)), memory.cell(result(&program, 1)));
    assert!(memory.writers(result(&program, 0)).is_empty());
}

#[test]
fn values_of_one_name_outside_share_memory_and_setting_a_parameter_writes_it() {
    let program = read(
        r#"    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {} : () -> tensor<2xf32>
    () = "builtin.set_parameter" (%1) {parameter_name:"w"} : (tensor<2xf32>) -> 
    (%2) = "pd_op.full" () {persistable:[true]} : () -> tensor<2xf32>
    (%3) = "pd_op.full" () {persistable:[false]} : () -> tensor<2xf32>
"#,
    );
    assert!(is_shared(&program, 0, 1));
    let memory = Memory::of(&program);
    assert_eq!(memory.writers(result(&program, 0)), [ops(&program)[2]]);
    let named: Vec<bool> =
        [0, 1, 3, 4].map(|op| memory.is_named(result(&program, op))).into_iter().collect();
    assert_eq!(named, [true, true, true, false]);
}

#[test]
fn a_write_is_between_two_ops_if_it_can_run_between_them() {
    let program = read(
        r#"    (%0) = "pd_op.full" () {} : () -> tensor<1xb>
    (%1) = "pd_op.relu_" (%0) {} : (tensor<1xb>) -> tensor<1xb>
    (%2) = "pd_op.tanh" (%0) {} : (tensor<1xb>) -> tensor<1xb>
    () = "pd_op.if" (%0) {} ->  {
        (%3) = "pd_op.tanh" (%0) {} : (tensor<1xb>) -> tensor<1xb>
        (%4) = "pd_op.relu_" (%0) {} : (tensor<1xb>) -> tensor<1xb>
        (%5) = "pd_op.tanh" (%3) {} : (tensor<1xb>) -> tensor<1xb>
    } else {
    }
    (%6) = "pd_op.tanh" (%0) {} : (tensor<1xb>) -> tensor<1xb>
"#,
    );
    let memory = Memory::of(&program);
    let all = ops(&program);
    let value = result(&program, 0);
    // Places: 0 full, 1 relu_, 2 tanh, 3 if, 4 tanh, 5 relu_, 6 tanh in it, 7 tanh.
    let written =
        |from: usize, to: usize| memory.is_written_between(&program, value, all[from], all[to]);
    assert!(written(0, 2) && !written(1, 2), "a write counts from behind `from`");
    assert!(!written(2, 3) && written(2, 7), "a branch runs before what follows it");
    assert!(written(2, 4), "in a region that holds a write nothing is sure");
    assert!(written(4, 6) && !written(5, 6));
    assert!(written(6, 7), "what is not defined around `to` may be anything");
}

#[test]
fn ops_are_one_job_if_their_role_and_chunk_say_so() {
    let program = read(
        r#"    (%0) = "pd_op.full" () {chunk_id:0,op_role:0} : () -> tensor<1xb>
    (%1) = "pd_op.full" () {chunk_id:0,op_role:256} : () -> tensor<1xb>
    (%2) = "pd_op.full" () {chunk_id:1,op_role:0} : () -> tensor<1xb>
    (%3) = "pd_op.full" () {op_role:0} : () -> tensor<1xb>
    (%4) = "pd_op.full" () {chunk_id:0,op_role:1} : () -> tensor<1xb>
    (%5) = "pd_op.full" () {chunk_id:-1,op_role:2} : () -> tensor<1xb>
    (%6) = "pd_op.full" () {} : () -> tensor<1xb>
"#,
    );
    let all = ops(&program);
    let is_one = |picks: &[usize]| Memory::is_one_job(&program, picks.iter().map(|&op| all[op]));
    for job in [&[0, 1][..], &[5, 5], &[6, 6], &[]] {
        assert!(is_one(job), "{job:?}");
    }
    for jobs in [&[0, 2][..], &[3, 3], &[4, 4], &[0, 6], &[0, 5]] {
        assert!(!is_one(jobs), "{jobs:?}");
    }
}
