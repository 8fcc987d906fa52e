//! The wait-for graph of a standstill, as a view on [`Progress`] for petgraph's algorithms.
//!
//! No edge is stored: an activity that has not happened looks up what it waits for. The nodes are the
//! activities still to come; an edge goes to each activity that must end first:
//!
//! | activity | waits for |
//! | --- | --- |
//! | any that has a place in an order of its stage, but not the front | the front of that order |
//! | a receive | what sends its message |
//! | a computation | its receive, or what sends its message where receives have no order |
//! | a computation that is fused with another | what the other waits for |
//! | a job that only sends and has no place in an order | its computation |
//! | a send that has begun and blocks | what takes the message |
//! | a send for which there is no room | what takes the oldest message on its way |
//! | a job that waits for a send | what takes the message |
//!
//! What stands in a row waits, in truth, for the one right before it. The edge goes to the front at once,
//! which is what holds up all of the row: so a circle is no longer than there are things to say.
//!
//! What is at the front of an order always waits for something, or it would have happened.

mod view;

use std::ops::Range;

use smallvec::SmallVec;

use super::progress::{Phase, Progress};
use super::wait::{Activity, JobPart, Reason, Wait};
use super::{Receives, Sends};
use crate::counts::{Chunk, Stage};
use crate::job::{Job, JobKind};
use crate::places::Places;
use crate::traffic::{Direction, Message};

/// An activity still to come: the index of its job among all jobs and the part of it, as one number.
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

const PARTS: [JobPart; 3] = [JobPart::Receive, JobPart::Run, JobPart::Send];

/// The wait-for graph of stages that cannot go on.
pub(super) struct WaitGraph<'a> {
    progress: &'a Progress<'a>,
    places: Places,
}

/// A job with where it is.
#[derive(Clone, Copy)]
struct At {
    index: usize,
    stage: u32,
    job: Job,
}

impl<'a> WaitGraph<'a> {
    pub(super) fn of(progress: &'a Progress<'a>) -> Self {
        Self { progress, places: Places::of(progress.schedule) }
    }

    /// Every activity at the front of an order.
    pub(super) fn fronts(&self) -> Vec<Node> {
        (0..self.progress.schedule.counts().stages())
            .flat_map(|stage| {
                let mut fronts = self.fronts_of_run(stage);
                fronts.extend(self.front_of_receives(stage));
                fronts
            })
            .collect()
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
        let At { stage, job, .. } = self.at(index);
        Activity { stage: Stage(stage), job, part }
    }

    fn at(&self, index: usize) -> At {
        let schedule = self.progress.schedule;
        At { index, stage: schedule.stage_at(index), job: schedule.jobs()[index] }
    }

    /// Every wait of every activity still to come.
    fn pending_waits(&self) -> Vec<Edge> {
        let nodes = 0..PARTS.len() * self.progress.schedule.jobs().len();
        nodes.filter(|&node| self.is_pending(node)).flat_map(|node| self.waits_of(node)).collect()
    }

    /// Whether a job has such a part and it has not happened.
    fn is_pending(&self, node: Node) -> bool {
        let (index, part) = split(node);
        let at = self.at(index);
        match part {
            JobPart::Receive => self.has_receive(at) && !self.has_received(at),
            JobPart::Run if self.is_unordered_send(at.job) => !self.has_run(self.computation(at)),
            JobPart::Run if self.is_unordered_receive(at.job) => false,
            JobPart::Run => !self.has_run(index),
            JobPart::Send => self.is_pending_send(at),
        }
    }

    /// Whether the receive of a job is an activity of its own.
    fn has_receive(&self, at: At) -> bool {
        self.progress.blocking.receives == Receives::OwnStream
            && self.progress.traffic.received_by(at.stage, at.job).is_some()
    }

    fn has_received(&self, at: At) -> bool {
        let begin = self.progress.schedule.begin(at.stage);
        at.index < begin + self.progress.receive[at.stage as usize]
    }

    fn has_run(&self, index: usize) -> bool {
        let front = self.front_group(self.at(index).stage);
        match self.progress.run[self.at(index).stage as usize].phase {
            Phase::Run => index < front.start,
            Phase::Send => index < front.end,
        }
    }

    fn is_pending_send(&self, at: At) -> bool {
        let Some(message) = self.progress.traffic.sent_by(at.stage, at.job) else { return false };
        match self.progress.blocking.sends {
            Sends::Buffered => false,
            Sends::AtMost(_) => !self.progress.is_sent(message),
            Sends::Rendezvous => {
                !(self.progress.is_sent(message) && self.progress.is_taken(message))
            }
        }
    }

    /// The indices of the jobs that the stage is at: one, two that are fused, or none at the end of its list.
    fn front_group(&self, stage: u32) -> Range<usize> {
        let position = self.progress.run[stage as usize].position;
        let begin = self.progress.schedule.begin(stage) + position;
        let is_at_end = position == self.progress.schedule.list(stage).len();
        let width = if is_at_end { 0 } else { self.progress.width_at(stage, position) };
        begin..begin + width
    }

    /// What the list of a stage has stopped at.
    fn fronts_of_run(&self, stage: u32) -> SmallVec<[Node; 2]> {
        let part = match self.progress.run[stage as usize].phase {
            Phase::Run => JobPart::Run,
            Phase::Send => JobPart::Send,
        };
        let nodes = self.front_group(stage).map(|index| node(index, part));
        nodes.filter(|&node| part == JobPart::Run || self.is_pending(node)).collect()
    }

    /// What the receives of a stage have stopped at, where they have a stream of their own.
    fn front_of_receives(&self, stage: u32) -> Option<Node> {
        if self.progress.blocking.receives != Receives::OwnStream {
            return None;
        }
        let position = self.progress.receive[stage as usize];
        let schedule = self.progress.schedule;
        (position < schedule.list(stage).len())
            .then(|| node(schedule.begin(stage) + position, JobPart::Receive))
    }

    fn waits_of(&self, source: Node) -> Edges {
        let (index, part) = split(source);
        let at = self.at(index);
        let targets = match part {
            JobPart::Receive => self.waits_of_receive(at),
            JobPart::Run => self.waits_of_run(at),
            JobPart::Send => self.waits_of_send(at),
        };
        targets.into_iter().map(|(target, reason)| Edge { source, target, reason }).collect()
    }

    fn waits_of_receive(&self, at: At) -> SmallVec<[(Node, Reason); 2]> {
        let source = node(at.index, JobPart::Receive);
        let front = self.front_of_receives(at.stage).filter(|&front| front != source);
        let message = self.progress.traffic.received_by(at.stage, at.job);
        let message = message.filter(|&message| !self.progress.is_sent(message));
        let order = front.map(|front| (front, Reason::Order));
        let need = message.map(|message| (self.sender(message), Reason::Message));
        order.into_iter().chain(need).collect()
    }

    fn waits_of_run(&self, at: At) -> SmallVec<[(Node, Reason); 2]> {
        if self.is_unordered_send(at.job) {
            return [(node(self.computation(at), JobPart::Run), Reason::Result)]
                .into_iter()
                .collect();
        }
        let mut waits = self.order(at);
        for index in self.group_of(at) {
            let member = self.at(index);
            let message = self.progress.awaits(member.stage, member.job);
            let input = message.map(|message| self.arrival(message));
            let reason = |reason| if index == at.index { reason } else { Reason::Fused };
            waits.extend(input.map(|(target, why)| (target, reason(why))));
            let receipt = self.progress.awaits_receipt(member.stage, member.job);
            waits.extend(receipt.map(|message| (self.taker(message), Reason::Receipt)));
        }
        waits
    }

    fn waits_of_send(&self, at: At) -> SmallVec<[(Node, Reason); 2]> {
        if !self.is_at_front(at) {
            return self.order(at);
        }
        if self.progress.run[at.stage as usize].phase == Phase::Run {
            return [(node(at.index, JobPart::Run), Reason::Result)].into_iter().collect();
        }
        let message = self.progress.traffic.sent_by(at.stage, at.job);
        if let Some(message) = message.filter(|&message| self.progress.is_sent(message)) {
            return [(self.taker(message), Reason::Receipt)].into_iter().collect();
        }
        let oldest = self.progress.in_flight[at.stage as usize].front();
        oldest.map(|&oldest| (self.taker(oldest), Reason::Room)).into_iter().collect()
    }

    /// What an activity stands behind: the front of its list, unless it is there itself.
    fn order(&self, at: At) -> SmallVec<[(Node, Reason); 2]> {
        if self.is_at_front(at) {
            return SmallVec::new();
        }
        self.fronts_of_run(at.stage).into_iter().map(|front| (front, Reason::Order)).collect()
    }

    fn is_at_front(&self, at: At) -> bool {
        self.front_group(at.stage).contains(&at.index)
    }

    /// The indices of the jobs that run as one with this one, itself among them.
    fn group_of(&self, at: At) -> Range<usize> {
        let schedule = self.progress.schedule;
        let begin = match at.index.checked_sub(1) {
            Some(before) if schedule.is_fused_with_next(before) => before,
            _ => at.index,
        };
        begin..begin + 1 + usize::from(schedule.is_fused_with_next(begin))
    }

    /// Whether it is a job that only sends, where that has no place in the order of a stage.
    fn is_unordered_send(&self, job: Job) -> bool {
        matches!(job.kind(), JobKind::SendForward | JobKind::SendBackward)
            && !self.progress.sends_are_ordered()
    }

    /// Whether it is a job that only receives, where that has no place in the list.
    fn is_unordered_receive(&self, job: Job) -> bool {
        matches!(job.kind(), JobKind::RecvForward | JobKind::RecvBackward)
            && self.progress.blocking.receives != Receives::Blocking
    }

    /// The index of the computation whose result a job sends.
    fn computation(&self, at: At) -> usize {
        let kinds: &[JobKind] = match at.job.kind() {
            JobKind::SendForward => &[JobKind::Forward],
            _ => &[JobKind::Backward, JobKind::BackwardInput],
        };
        self.find(at.stage, at.job.job_type.chunk_or_first(), kinds, at.job)
    }

    /// What brings a message to the computation that needs it.
    fn arrival(&self, message: Message) -> (Node, Reason) {
        let is_received =
            message.is_sent() && self.progress.blocking.receives == Receives::OwnStream;
        if is_received {
            (node(self.receiver(message), JobPart::Receive), Reason::Receive)
        } else {
            (self.sender(message), Reason::Message)
        }
    }

    /// What sends a message, or computes it where it stays on its stage.
    fn sender(&self, message: Message) -> Node {
        let (stage, chunk) = self.progress.traffic.source(message);
        let kinds: &[JobKind] = match message.direction {
            Direction::Forward => &[JobKind::SendForward, JobKind::Forward],
            Direction::Backward => {
                &[JobKind::SendBackward, JobKind::Backward, JobKind::BackwardInput]
            }
        };
        let kinds = if message.is_sent() { kinds } else { &kinds[1..] };
        let job = Job::new(JobKind::Forward.in_chunk(chunk), message.micro_batch);
        let index = self.find(stage, chunk, kinds, job);
        let blocks = message.is_sent() && self.progress.sends_may_block();
        node(index, if blocks { JobPart::Send } else { JobPart::Run })
    }

    /// What takes a message from another stage.
    fn taker(&self, message: Message) -> Node {
        match self.progress.blocking.receives {
            Receives::OwnStream => node(self.receiver(message), JobPart::Receive),
            Receives::Blocking => node(self.receiver(message), JobPart::Run),
            // All receives are posted from the start, so to be sent is to be taken.
            Receives::NonBlocking => self.sender(message),
        }
    }

    /// The index of the job that receives a message.
    fn receiver(&self, message: Message) -> usize {
        let kinds: &[JobKind] = match message.direction {
            Direction::Forward => &[JobKind::RecvForward, JobKind::Forward],
            Direction::Backward => {
                &[JobKind::RecvBackward, JobKind::Backward, JobKind::BackwardInput]
            }
        };
        let job = Job::new(JobKind::Forward.in_chunk(message.chunk), message.micro_batch);
        self.find(message.stage, message.chunk, kinds, job)
    }

    /// The index of the first of these kinds of job that there is, for the micro-batch of `job`.
    fn find(&self, stage: u32, chunk: Chunk, kinds: &[JobKind], job: Job) -> usize {
        let mut found = kinds
            .iter()
            .filter_map(|&kind| self.places.find(Stage(stage), kind, chunk, job.micro_batch));
        found.next().expect("complete lists have what a message comes from and goes to")
    }
}

fn node(index: usize, part: JobPart) -> Node {
    PARTS.len() * index + part as usize
}

fn split(node: Node) -> (usize, JobPart) {
    (node / PARTS.len(), PARTS[node % PARTS.len()])
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use petgraph::visit::IntoEdgeReferences;

    use super::super::{Blocking, Complete};
    use super::*;
    use crate::vpp::{BackwardMode, Vpp};

    /// Checks all waits of a schedule that comes to a standstill, however sends and receives wait.
    fn check_waits(check: impl Fn(&WaitGraph<'_>, &[Edge])) {
        let vpp = Vpp::new(4, 3, 5, BackwardMode::Whole).unwrap();
        let schedule = vpp.schedule();
        let complete = Complete::of(&schedule).unwrap();
        let two = Sends::AtMost(NonZeroU32::new(2).unwrap());
        for sends in [Sends::Buffered, two, Sends::Rendezvous] {
            for receives in [Receives::NonBlocking, Receives::OwnStream, Receives::Blocking] {
                let progress = Progress::to_the_end(&complete, Blocking { sends, receives });
                let graph = WaitGraph::of(&progress);
                let edges: Vec<Edge> = (&graph).edge_references().collect();
                assert!(!edges.is_empty());
                check(&graph, &edges);
            }
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
            for node in 0..PARTS.len() * graph.progress.schedule.jobs().len() {
                let waits = edges.iter().any(|edge| edge.source == node);
                assert_eq!(waits, graph.is_pending(node), "{:?}", graph.activity(node));
            }
        });
    }
}
