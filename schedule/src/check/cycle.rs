//! The circle of waits behind a standstill.
//!
//! What an activity *needs* never leads back to it: messages come from earlier parts of the model (for a
//! backward: later ones), results from earlier jobs of the same step. So every circle goes along an order, a
//! fused pair or a send that blocks at least once. Only what is at a front does the last two, and an order
//! leads to a front: the shortest circle is the shortest way from some front back to itself. A breadth-first
//! search (A* without an estimate) from each front finds it.

use petgraph::algo::astar;
use petgraph::visit::IntoNeighbors;

use super::progress::Progress;
use super::wait::{Deadlock, Wait};
use super::wait_graph::{Node, WaitGraph};

/// From this many fronts at most a way back is searched: with thousands of stages the circle that is shown
/// may not be the very shortest.
const MAX_SEARCHES: usize = 256;

/// The shortest circle of waits among stages that cannot go on.
pub(super) fn shortest(progress: &Progress<'_>) -> Deadlock {
    let graph = WaitGraph::of(progress);
    let nodes = graph
        .fronts()
        .into_iter()
        .filter_map(|front| shortest_through(&graph, front))
        .take(MAX_SEARCHES)
        .min_by_key(Vec::len)
        .expect("of finitely many that all wait, some wait in a circle");
    let mut cycle = waits(&graph, &nodes);
    rotate_to_its_beginning(&mut cycle);
    Deadlock { blocking: progress.blocking, cycle }
}

/// The nodes of the shortest circle through `front`, which is the last of them.
fn shortest_through(graph: &WaitGraph<'_>, front: Node) -> Option<Vec<Node>> {
    graph
        .neighbors(front)
        .filter_map(|next| astar(graph, next, |node| node == front, |_| 1_u32, |_| 0))
        .min_by_key(|(length, _)| *length)
        .map(|(_, nodes)| nodes)
}

fn waits(graph: &WaitGraph<'_>, nodes: &[Node]) -> Vec<Wait> {
    let next = nodes.iter().cycle().skip(1);
    nodes
        .iter()
        .zip(next)
        .map(|(&source, &target)| graph.wait(source, target).expect("each waits for the next"))
        .collect()
}

/// A circle has no beginning; a reader needs one, the same each time: the lowest stage that waits for another.
fn rotate_to_its_beginning(cycle: &mut [Wait]) {
    let first = (0..cycle.len()).min_by_key(|&index| {
        let wait = cycle[index];
        (wait.waiter.stage == wait.waits_for.stage, wait.waiter)
    });
    cycle.rotate_left(first.unwrap_or(0));
}

#[cfg(test)]
mod tests {
    use super::super::{Complete, Receives};
    use crate::schedule::Schedule;

    /// Two circles hold these stages up. In the longer one stage 0 stands at `forward1:1`, which waits for
    /// `forward0:1` of stage 1.
    #[test]
    fn of_two_circles_the_shorter_is_shown() {
        let schedule: Schedule = "\
forward0:0 forward0:1 forward1:0 forward1:1 backward1:0 backward1:1 backward0:0 backward0:1
forward0:0 backward0:0 forward0:1 forward1:0 forward1:1 backward1:0 backward1:1 backward0:1
"
        .parse()
        .unwrap();
        let complete = Complete::of(&schedule).unwrap();
        let deadlock = complete.deadlock(Receives::NonBlocking).unwrap();
        let lines: Vec<String> = deadlock.cycle.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "stage 0: `backward1:0` waits for `backward1:0` of stage 1",
                "stage 1: `backward1:0` stands behind `backward0:0`",
                "stage 1: `backward0:0` waits for `backward1:0` of stage 0",
            ]
        );
    }
}
