use petgraph::Direction;
use petgraph::algo::dominators::simple_fast;
use petgraph::algo::{is_cyclic_directed, tarjan_scc, toposort};
use petgraph::dot::Dot;
use petgraph::visit::{IntoEdgeReferences, IntoNeighborsDirected, NodeCount};

use crate::ir::{Context, DataFlow, Op, Program, Rewriter};
use crate::text;

/// `load` feeds both branches of a diamond; `if` reads the left one in its region only.
const DIAMOND: &str = "{
    (%0) = \"my.load\" () {} : () -> tensor<2xf32>
    (%1) = \"my.left\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = \"my.right\" (%0, %0) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%3) = \"pd_op.if\" (%2) {} -> tensor<2xf32> {
        (%4) = \"my.inner\" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = \"cf.yield\" (%4) {} : (tensor<2xf32>) -> 
    } else {
        () = \"cf.yield\" (%2) {} : (tensor<2xf32>) -> 
    }
    () = \"my.store\" (%3) {} : (tensor<2xf32>) -> 
}
";

fn diamond() -> (Program, Vec<Op>) {
    let program = text::read_program(&Context::new(), "", DIAMOND.as_bytes()).unwrap().program;
    let ops = program.top_ops().collect();
    (program, ops)
}

#[test]
fn a_nested_reader_counts_for_the_op_around_it() {
    let (program, ops) = diamond();
    let [load, left, right, branch, store] = ops[..] else { panic!("five ops") };
    let flow = DataFlow::new(&program, program.top());
    let producers: Vec<_> = flow.neighbors_directed(branch, Direction::Incoming).collect();
    assert_eq!(producers, [right, left, right], "its operand, then what its regions read");
    let users: Vec<_> = flow.neighbors_directed(left, Direction::Outgoing).collect();
    assert_eq!(users, [branch]);
    assert_eq!(
        flow.outgoing(load).filter(|edge| edge.user == right).count(),
        2,
        "an edge for each operand"
    );
    assert_eq!(flow.outgoing(store).count(), 0);
}

#[test]
fn edges_from_both_ends_are_the_same() {
    let (program, ops) = diamond();
    let flow = DataFlow::new(&program, program.top());
    let key = |edges: Vec<super::DataEdge>| {
        let mut keys: Vec<_> = edges
            .into_iter()
            .map(|edge| (edge.producer, edge.user, edge.used, edge.value))
            .collect();
        keys.sort();
        keys
    };
    let outgoing = key(ops.iter().flat_map(|&op| flow.outgoing(op)).collect());
    assert_eq!(key(flow.edge_references().collect()), outgoing);
    assert_eq!(outgoing.len(), 7, "load: 3, left: 1, right: 2, if: 1");
}

#[test]
fn a_topological_sort_puts_producers_first() {
    let (program, ops) = diamond();
    let flow = DataFlow::new(&program, program.top());
    let sorted = toposort(flow, None).unwrap();
    assert_eq!(sorted.len(), flow.node_count());
    let position = |op: Op| sorted.iter().position(|&it| it == op).unwrap();
    for edge in flow.edge_references() {
        assert!(position(edge.producer) < position(edge.user));
    }
    assert_eq!(sorted[0], ops[0]);
}

#[test]
fn the_two_branches_of_a_diamond_do_not_dominate_its_end() {
    let (program, ops) = diamond();
    let dominators = simple_fast(DataFlow::new(&program, program.top()), ops[0]);
    let dominator = |index: usize| dominators.immediate_dominator(ops[index]);
    assert_eq!([1, 2, 3, 4].map(dominator), [ops[0], ops[0], ops[0], ops[3]].map(Some));
}

#[test]
fn a_sound_program_has_no_cycle_and_a_faulty_one_shows_it() {
    let (mut program, ops) = diamond();
    let flow = DataFlow::new(&program, program.top());
    assert!(!is_cyclic_directed(flow));
    assert!(tarjan_scc(flow).iter().all(|component| component.len() == 1));
    // `left` reads what `if` makes of it.
    let result = program.result(ops[3], 0);
    Rewriter::new(&mut program).set_operand(ops[1], 0, Some(result));
    let flow = DataFlow::new(&program, program.top());
    assert!(is_cyclic_directed(flow));
    assert!(toposort(flow, None).is_err());
    let mut cycle = tarjan_scc(flow).into_iter().find(|component| component.len() > 1).unwrap();
    cycle.sort();
    assert_eq!(cycle, [ops[1], ops[3]]);
}

#[test]
fn a_nested_block_has_a_flow_of_its_own() {
    let (program, ops) = diamond();
    let block = program.region_blocks(program.regions(ops[3])[0])[0];
    let flow = DataFlow::new(&program, block);
    let [inner, end] = toposort(flow, None).unwrap()[..] else { panic!("two ops") };
    assert_eq!(flow.outgoing(inner).map(|edge| edge.user).collect::<Vec<_>>(), [end]);
    assert_eq!(flow.incoming(inner).count(), 0, "what comes from outside has no node");
}

#[test]
fn petgraph_draws_it() {
    let (program, _) = diamond();
    let dot = format!("{}", Dot::new(DataFlow::new(&program, program.top())));
    assert!(dot.starts_with("digraph {"), "{dot}");
    assert!(dot.contains("[ label = \"my.left\" ]"), "{dot}");
    assert_eq!(dot.matches(" -> ").count(), 7, "{dot}");
}
