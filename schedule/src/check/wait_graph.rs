//! The wait-for graph of a standstill, as a view on [`Progress`] for petgraph's algorithms.
//!
//! No edge is stored: an activity that has not happened looks up what it waits for. The nodes are the
//! activities still to come; an edge goes to each activity that must end first:
//!
//! | activity | waits for |
//! | --- | --- |
//! | any that has a place in an order of its stage, but not the front | the front of that order |
//! | a receive | the job that sends its message |
//! | a computation | its receive, or the job that sends its message where receives have no order |
//! | a `send_backward` that has no place in an order | its `backward` |
//!
//! What stands in a row waits, in truth, for the one right before it. The edge goes to the front at once,
//! which is what holds up all of the row: so a circle is no longer than there are things to say.
//!
//! What is at the front of an order always waits for something, or it would have happened.

use fixedbitset::FixedBitSet;
use petgraph::visit::{
    Data, EdgeRef, GraphBase, IntoEdgeReferences, IntoEdges, IntoNeighbors, Visitable,
};
use smallvec::SmallVec;

use super::Receives;
use super::places::Places;
use super::progress::Progress;
use super::wait::{Activity, JobPart, Reason, Wait};
use crate::counts::Stage;
use crate::job::{Job, JobKind};

/// An activity still to come: twice the index of its job among all jobs, and one more for its receive.
pub(super) type Node = usize;

/// The activities that one waits for: the front of its order, and what it needs.
type Edges = SmallVec<[Edge; 2]>;

/// One wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    source: Node,
    target: Node,
    reason: Reason,
}

/// The wait-for graph of stages that cannot go on.
pub(super) struct WaitGraph<'a> {
    progress: &'a Progress<'a>,
    places: Places<'a>,
}

impl<'a> WaitGraph<'a> {
    pub(super) fn of(progress: &'a Progress<'a>) -> Self {
        Self { progress, places: Places::of(progress.schedule, progress.traffic) }
    }

    /// Every activity at the front of an order.
    pub(super) fn fronts(&self) -> Vec<Node> {
        (0..self.progress.schedule.counts().stages())
            .flat_map(|stage| [JobPart::Run, JobPart::Receive].map(|part| self.front(stage, part)))
            .flatten()
            .collect()
    }

    /// Every wait of every activity still to come.
    fn pending_waits(&self) -> Vec<Edge> {
        let schedule = self.progress.schedule;
        let mut edges = Vec::new();
        for index in 0..schedule.jobs().len() {
            let stage = schedule.stage_at(index);
            let parts = [JobPart::Run, JobPart::Receive].into_iter();
            let pending = parts.filter(|&part| self.is_pending(stage, index, part));
            edges.extend(pending.flat_map(|part| self.waits_of(node(index, part))));
        }
        edges
    }

    /// Whether a job has such a part and it has not happened.
    fn is_pending(&self, stage: u32, index: usize, part: JobPart) -> bool {
        let Progress { schedule, traffic, receives, run, receive, .. } = self.progress;
        let job = schedule.jobs()[index];
        let is_from =
            |cursors: &[usize], index| index >= schedule.begin(stage) + cursors[stage as usize];
        match (part, receives, job.kind()) {
            (JobPart::Receive, Receives::OwnStream, _) => {
                is_from(receive, index) && traffic.received_by(stage, job).is_some()
            }
            (JobPart::Receive, ..) => false,
            (JobPart::Run, Receives::Blocking, _) => is_from(run, index),
            (JobPart::Run, _, JobKind::RecvForward) => false,
            (JobPart::Run, _, JobKind::SendBackward) => {
                is_from(run, self.places.backward(stage, job))
            }
            (JobPart::Run, ..) => is_from(run, index),
        }
    }

    /// The wait of one activity for another.
    pub(super) fn wait(&self, source: Node, target: Node) -> Option<Wait> {
        let edge = self.waits_of(source).into_iter().find(|edge| edge.target == target)?;
        Some(Wait {
            waiter: self.activity(source),
            waits_for: self.activity(target),
            reason: edge.reason,
        })
    }

    fn activity(&self, node: Node) -> Activity {
        let (index, part) = split(node);
        let schedule = self.progress.schedule;
        Activity { stage: Stage(schedule.stage_at(index)), job: schedule.jobs()[index], part }
    }

    /// The first activity of an order of the stage, unless all of it is done.
    fn front(&self, stage: u32, part: JobPart) -> Option<Node> {
        let cursors = match (part, self.progress.receives) {
            (JobPart::Run, _) => &self.progress.run,
            (JobPart::Receive, Receives::OwnStream) => &self.progress.receive,
            (JobPart::Receive, _) => return None,
        };
        let position = cursors[stage as usize];
        let schedule = self.progress.schedule;
        (position < schedule.list(stage).len())
            .then(|| node(schedule.begin(stage) + position, part))
    }

    fn waits_of(&self, source: Node) -> Edges {
        let (index, part) = split(source);
        let stage = self.progress.schedule.stage_at(index);
        let job = self.progress.schedule.jobs()[index];
        let is_free = job.kind() == JobKind::SendBackward && !self.sends_are_ordered();
        let need = match part {
            JobPart::Run if is_free => Some(self.result(stage, job)),
            JobPart::Run => self.input(stage, job),
            JobPart::Receive => self.message(stage, job),
        };
        let front = self.front(stage, part).filter(|&front| front != source && !is_free);
        let order = front.map(|front| (front, Reason::Order));
        let edge = |(target, reason)| Edge { source, target, reason };
        order.into_iter().chain(need).map(edge).collect()
    }

    /// Whether a `send_backward` stands in the order of its stage.
    fn sends_are_ordered(&self) -> bool {
        self.progress.receives == Receives::Blocking
    }

    /// The backward whose result a `send_backward` sends.
    fn result(&self, stage: u32, job: Job) -> (Node, Reason) {
        (node(self.places.backward(stage, job), JobPart::Run), Reason::Result)
    }

    /// What brings the input of a job, if that is still to come.
    fn input(&self, stage: u32, job: Job) -> Option<(Node, Reason)> {
        let message = self.progress.awaits(stage, job)?;
        Some(match self.progress.receives {
            Receives::OwnStream => {
                (node(self.places.receiver(message), JobPart::Receive), Reason::Receive)
            }
            Receives::NonBlocking | Receives::Blocking => {
                (node(self.places.sender(message), JobPart::Run), Reason::Message)
            }
        })
    }

    /// The sender of what a job receives, if that is still to come.
    fn message(&self, stage: u32, job: Job) -> Option<(Node, Reason)> {
        let message = self.progress.traffic.received_by(stage, job)?;
        let sender = node(self.places.sender(message), JobPart::Run);
        (!self.progress.is_sent(message)).then_some((sender, Reason::Message))
    }
}

fn node(index: usize, part: JobPart) -> Node {
    2 * index + usize::from(part == JobPart::Receive)
}

fn split(node: Node) -> (usize, JobPart) {
    let part = if node.is_multiple_of(2) { JobPart::Run } else { JobPart::Receive };
    (node / 2, part)
}

impl GraphBase for WaitGraph<'_> {
    type NodeId = Node;
    type EdgeId = (Node, Node);
}

impl Data for WaitGraph<'_> {
    type NodeWeight = ();
    type EdgeWeight = Reason;
}

impl EdgeRef for Edge {
    type NodeId = Node;
    type EdgeId = (Node, Node);
    type Weight = Reason;

    fn source(&self) -> Node {
        self.source
    }

    fn target(&self) -> Node {
        self.target
    }

    fn weight(&self) -> &Reason {
        &self.reason
    }

    fn id(&self) -> (Node, Node) {
        (self.source, self.target)
    }
}

impl IntoNeighbors for &WaitGraph<'_> {
    type Neighbors = smallvec::IntoIter<[Node; 2]>;

    fn neighbors(self, source: Node) -> Self::Neighbors {
        let targets: SmallVec<[Node; 2]> =
            self.waits_of(source).into_iter().map(|edge| edge.target).collect();
        targets.into_iter()
    }
}

impl IntoEdgeReferences for &WaitGraph<'_> {
    type EdgeRef = Edge;
    type EdgeReferences = std::vec::IntoIter<Edge>;

    fn edge_references(self) -> Self::EdgeReferences {
        self.pending_waits().into_iter()
    }
}

impl IntoEdges for &WaitGraph<'_> {
    type Edges = smallvec::IntoIter<[Edge; 2]>;

    fn edges(self, source: Node) -> Self::Edges {
        self.waits_of(source).into_iter()
    }
}

impl Visitable for WaitGraph<'_> {
    type Map = FixedBitSet;

    fn visit_map(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(2 * self.progress.schedule.jobs().len())
    }

    fn reset_map(&self, map: &mut FixedBitSet) {
        map.clear();
        map.grow(2 * self.progress.schedule.jobs().len());
    }
}

#[cfg(test)]
mod tests {
    use super::super::Complete;
    use super::*;
    use crate::vpp::{BackwardMode, Vpp};

    /// Checks all waits of a schedule that comes to a standstill, however receives wait.
    fn check_waits(check: impl Fn(&WaitGraph<'_>, &[Edge])) {
        let vpp = Vpp::new(4, 3, 5, BackwardMode::Whole).unwrap();
        let schedule = vpp.schedule();
        let complete = Complete::of(&schedule).unwrap();
        for receives in [Receives::NonBlocking, Receives::OwnStream, Receives::Blocking] {
            let progress = Progress::to_the_end(&complete, receives);
            let graph = WaitGraph::of(&progress);
            let edges: Vec<Edge> = (&graph).edge_references().collect();
            assert!(!edges.is_empty());
            check(&graph, &edges);
        }
    }

    #[test]
    fn what_is_waited_for_is_itself_waiting() {
        check_waits(|graph, edges| {
            for edge in edges {
                let waits = edges.iter().any(|other| other.source == edge.target);
                assert!(waits, "{:?}", graph.activity(edge.target));
            }
        });
    }

    #[test]
    fn whatever_has_not_happened_waits() {
        check_waits(|graph, edges| {
            let schedule = graph.progress.schedule;
            for index in 0..schedule.jobs().len() {
                let stage = schedule.stage_at(index);
                for part in [JobPart::Run, JobPart::Receive] {
                    let waits = edges.iter().any(|edge| edge.source == node(index, part));
                    assert_eq!(waits, graph.is_pending(stage, index, part));
                }
            }
        });
    }
}
