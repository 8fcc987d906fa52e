//! Which messages the jobs of a schedule send, receive and need.
//!
//! The result of a forward goes from a part of the model to the next, that of a backward to the one before;
//! the first part receives nothing forward, the last nothing backward. Where the parts lie is a matter of the
//! schedule's [`Placement`].
//!
//! Who sends and receives depends on the form of the lists. Where any list has `recv_forward` jobs, the input of
//! a forward is received there, otherwise inside the forward; the same goes for `send_forward`,
//! `recv_backward` and `send_backward`. What stays on a stage is a message that nobody sends or receives.

use crate::counts::{Chunk, Counts, MicroBatch, Stage};
use crate::job::{Job, JobKind};
use crate::placement::Placement;
use crate::schedule::Schedule;

/// Which way a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Direction {
    /// A result of a forward, to the next part.
    Forward,
    /// A result of a backward, to the part before.
    Backward,
}

/// One message, named by the job that needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Message {
    pub(crate) direction: Direction,
    /// The stage that computes it.
    pub(crate) from: u32,
    /// The stage that needs it.
    pub(crate) stage: u32,
    /// The chunk that needs it.
    pub(crate) chunk: Chunk,
    pub(crate) micro_batch: MicroBatch,
}

impl Message {
    /// Whether it goes from one stage to another.
    #[inline]
    pub(crate) fn is_sent(self) -> bool {
        self.from != self.stage
    }
}

/// The rules by which jobs send and receive in one schedule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Traffic<'a> {
    counts: Counts,
    placement: &'a Placement,
    /// Which kinds of job there are, each by its place in [`JobKind::ALL`].
    kinds: [bool; JobKind::ALL.len()],
}

impl<'a> Traffic<'a> {
    /// The rules of a schedule: the form of its lists is taken from the jobs in them.
    pub(crate) fn of(schedule: &'a Schedule) -> Self {
        let mut kinds = [false; JobKind::ALL.len()];
        for job in schedule.jobs() {
            kinds[job.kind() as usize] = true;
        }
        Self { counts: schedule.counts(), placement: schedule.placement(), kinds }
    }

    /// Whether any list has jobs of this kind.
    #[inline]
    pub(crate) fn has(self, kind: JobKind) -> bool {
        self.kinds[kind as usize]
    }

    /// The message that the computation of a job needs, whoever receives it.
    #[inline]
    pub(crate) fn input(self, stage: u32, job: Job) -> Option<Message> {
        match job.kind() {
            JobKind::Forward => self.into_forward(stage, job),
            JobKind::Backward | JobKind::BackwardInput => self.into_backward(stage, job),
            _ => None,
        }
    }

    /// The message that carries the result of a computation, whoever sends it.
    #[inline]
    pub(crate) fn output(self, stage: u32, job: Job) -> Option<Message> {
        match job.kind() {
            JobKind::Forward => self.out_of_forward(stage, job),
            JobKind::Backward | JobKind::BackwardInput => self.out_of_backward(stage, job),
            _ => None,
        }
    }

    /// The message that a job itself receives from another stage.
    #[inline]
    pub(crate) fn received_by(self, stage: u32, job: Job) -> Option<Message> {
        let message = match job.kind() {
            JobKind::RecvForward => self.into_forward(stage, job),
            JobKind::RecvBackward => self.into_backward(stage, job),
            JobKind::Forward if self.has(JobKind::RecvForward) => None,
            JobKind::Backward | JobKind::BackwardInput if self.has(JobKind::RecvBackward) => None,
            _ => self.input(stage, job),
        };
        message.filter(|message| message.is_sent())
    }

    /// The message that a job itself sends to another stage.
    #[inline]
    pub(crate) fn sent_by(self, stage: u32, job: Job) -> Option<Message> {
        let message = match job.kind() {
            JobKind::SendForward => self.out_of_forward(stage, job),
            JobKind::SendBackward => self.out_of_backward(stage, job),
            JobKind::Forward if self.has(JobKind::SendForward) => None,
            JobKind::Backward | JobKind::BackwardInput if self.has(JobKind::SendBackward) => None,
            _ => self.output(stage, job),
        };
        message.filter(|message| message.is_sent())
    }

    /// The message to another stage that a job waits to be taken.
    #[inline]
    pub(crate) fn waited_for_by(self, stage: u32, job: Job) -> Option<Message> {
        let message = match job.kind() {
            JobKind::WaitSendForward => self.out_of_forward(stage, job),
            JobKind::WaitSendBackward => self.out_of_backward(stage, job),
            _ => None,
        };
        message.filter(|message| message.is_sent())
    }

    /// The message that a job is about which does nothing but send, receive or wait for a send.
    pub(crate) fn carried_by(self, stage: u32, job: Job) -> Option<Message> {
        match job.kind() {
            kind if kind.is_computation() => None,
            JobKind::WaitSendForward | JobKind::WaitSendBackward => self.waited_for_by(stage, job),
            JobKind::RecvForward | JobKind::RecvBackward => self.received_by(stage, job),
            _ => self.sent_by(stage, job),
        }
    }

    /// Where a message comes from: the stage, and the chunk there that computes it.
    pub(crate) fn source(self, message: Message) -> (u32, Chunk) {
        let source = match message.direction {
            Direction::Forward => self.upstream(message.stage, message.chunk),
            Direction::Backward => self.downstream(message.stage, message.chunk),
        };
        source.expect("a message is only made where it has a source")
    }

    /// A number for each message, dense from 0.
    pub(crate) fn number(self, message: Message) -> usize {
        let steps = self.counts.steps() as usize;
        let block = match message.direction {
            Direction::Forward => message.stage,
            Direction::Backward => self.counts.stages() + message.stage,
        };
        block as usize * steps + self.counts.cell(message.chunk, message.micro_batch)
    }

    /// One more than the largest message number.
    pub(crate) fn numbers(self) -> usize {
        2 * self.counts.stages() as usize * self.counts.steps() as usize
    }

    #[inline]
    fn into_forward(self, stage: u32, job: Job) -> Option<Message> {
        let chunk = job.job_type.chunk_or_first();
        let (from, _) = self.upstream(stage, chunk)?;
        Some(message(Direction::Forward, from, (stage, chunk), job))
    }

    #[inline]
    fn into_backward(self, stage: u32, job: Job) -> Option<Message> {
        let chunk = job.job_type.chunk_or_first();
        let (from, _) = self.downstream(stage, chunk)?;
        Some(message(Direction::Backward, from, (stage, chunk), job))
    }

    #[inline]
    fn out_of_forward(self, stage: u32, job: Job) -> Option<Message> {
        let to = self.downstream(stage, job.job_type.chunk_or_first())?;
        Some(message(Direction::Forward, stage, to, job))
    }

    #[inline]
    fn out_of_backward(self, stage: u32, job: Job) -> Option<Message> {
        let to = self.upstream(stage, job.job_type.chunk_or_first())?;
        Some(message(Direction::Backward, stage, to, job))
    }

    /// The stage and chunk before this one in the model.
    fn upstream(self, stage: u32, chunk: Chunk) -> Option<(u32, Chunk)> {
        self.placement.previous(Stage(stage), chunk).map(|(stage, chunk)| (stage.0, chunk))
    }

    /// The stage and chunk after this one in the model.
    fn downstream(self, stage: u32, chunk: Chunk) -> Option<(u32, Chunk)> {
        self.placement.next(Stage(stage), chunk).map(|(stage, chunk)| (stage.0, chunk))
    }
}

fn message(direction: Direction, from: u32, (stage, chunk): (u32, Chunk), job: Job) -> Message {
    Message { direction, from, stage, chunk, micro_batch: job.micro_batch }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule() -> Schedule {
        "recv_forward0:0 recv_forward1:0\nforward0:0 forward1:0\n".parse().unwrap()
    }

    fn job(text: &str) -> Job {
        text.parse().unwrap()
    }

    #[test]
    fn a_later_chunk_of_the_first_stage_hears_from_the_last_stage() {
        let schedule = schedule();
        let traffic = Traffic::of(&schedule);
        let message = traffic.received_by(0, job("recv_forward1:0")).unwrap();
        assert_eq!(traffic.source(message), (1, Chunk(0)));
        assert_eq!(traffic.sent_by(1, job("forward0:0")), Some(message));
    }

    #[test]
    fn the_ends_of_the_model_hear_nothing() {
        let schedule = schedule();
        let traffic = Traffic::of(&schedule);
        assert_eq!(traffic.received_by(0, job("recv_forward0:0")), None);
        assert_eq!(traffic.input(1, job("backward1:0")), None);
        assert_eq!(traffic.output(1, job("forward1:0")), None);
        assert_eq!(traffic.output(0, job("backward0:0")), None);
    }

    #[test]
    fn a_forward_receives_for_itself_only_without_receive_jobs() {
        let schedule = schedule();
        let traffic = Traffic::of(&schedule);
        assert_eq!(traffic.received_by(1, job("forward0:0")), None);
        let whole: Schedule = "forward0:0\nforward0:0\n".parse().unwrap();
        assert!(Traffic::of(&whole).received_by(1, job("forward0:0")).is_some());
    }
}
