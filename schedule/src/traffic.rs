//! Which messages the jobs of a schedule send, receive and need.
//!
//! The result of a forward goes from a part of the model to the next, that of a backward to the one before;
//! the first part receives nothing forward, the last nothing backward. Where the parts lie is a matter of the
//! schedule's [`Placement`].
//!
//! Who sends and receives depends on the form of the lists. A list that has `recv_forward` jobs receives the
//! input of a forward there, otherwise inside the forward; a list that has `send_backward` jobs sends the
//! result of a backward there, otherwise inside the backward. A forward always sends its own result, a
//! backward always receives its own input.

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
    /// The stage that needs it.
    pub(crate) stage: u32,
    /// The chunk that needs it.
    pub(crate) chunk: Chunk,
    pub(crate) micro_batch: MicroBatch,
}

/// The rules by which jobs send and receive in one schedule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Traffic<'a> {
    counts: Counts,
    placement: &'a Placement,
    receives_are_jobs: bool,
    sends_are_jobs: bool,
}

impl<'a> Traffic<'a> {
    /// The rules of a schedule: the form of its lists is taken from the jobs in them.
    pub(crate) fn of(schedule: &'a Schedule) -> Self {
        let has = |kind| schedule.jobs().iter().any(|job| job.kind() == kind);
        Self {
            counts: schedule.counts(),
            placement: schedule.placement(),
            receives_are_jobs: has(JobKind::RecvForward),
            sends_are_jobs: has(JobKind::SendBackward),
        }
    }

    /// Whether a forward is fed by a `recv_forward` job.
    pub(crate) fn receives_are_jobs(self) -> bool {
        self.receives_are_jobs
    }

    /// Whether the result of a backward is sent by a `send_backward` job.
    pub(crate) fn sends_are_jobs(self) -> bool {
        self.sends_are_jobs
    }

    /// The message that the computation of a job needs, whoever receives it.
    pub(crate) fn input(self, stage: u32, job: Job) -> Option<Message> {
        match job.kind() {
            JobKind::Forward => self.into_forward(stage, job),
            JobKind::Backward | JobKind::BackwardInput => self.into_backward(stage, job),
            _ => None,
        }
    }

    /// The message that a job itself receives.
    pub(crate) fn received_by(self, stage: u32, job: Job) -> Option<Message> {
        match job.kind() {
            JobKind::RecvForward => self.into_forward(stage, job),
            JobKind::Forward if self.receives_are_jobs => None,
            _ => self.input(stage, job),
        }
    }

    /// The message that a job itself sends.
    pub(crate) fn sent_by(self, stage: u32, job: Job) -> Option<Message> {
        match job.kind() {
            JobKind::Backward | JobKind::BackwardInput if self.sends_are_jobs => None,
            JobKind::SendBackward => self.out_of_backward(stage, job),
            _ => self.output(stage, job),
        }
    }

    /// The message that carries the result of a computation, whoever sends it.
    pub(crate) fn output(self, stage: u32, job: Job) -> Option<Message> {
        match job.kind() {
            JobKind::Forward => self.out_of_forward(stage, job),
            JobKind::Backward | JobKind::BackwardInput => self.out_of_backward(stage, job),
            _ => None,
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

    fn into_forward(self, stage: u32, job: Job) -> Option<Message> {
        let chunk = job.job_type.chunk_or_first();
        self.upstream(stage, chunk)?;
        Some(message(Direction::Forward, (stage, chunk), job))
    }

    fn into_backward(self, stage: u32, job: Job) -> Option<Message> {
        let chunk = job.job_type.chunk_or_first();
        self.downstream(stage, chunk)?;
        Some(message(Direction::Backward, (stage, chunk), job))
    }

    fn out_of_forward(self, stage: u32, job: Job) -> Option<Message> {
        let to = self.downstream(stage, job.job_type.chunk_or_first())?;
        Some(message(Direction::Forward, to, job))
    }

    fn out_of_backward(self, stage: u32, job: Job) -> Option<Message> {
        let to = self.upstream(stage, job.job_type.chunk_or_first())?;
        Some(message(Direction::Backward, to, job))
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

fn message(direction: Direction, (stage, chunk): (u32, Chunk), job: Job) -> Message {
    Message { direction, stage, chunk, micro_batch: job.micro_batch }
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
