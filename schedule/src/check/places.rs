//! Where in a schedule the jobs stand that send and receive each message.
//!
//! Made only once stages have come to a standstill: a run that comes to its end needs none of it.

use crate::counts::{Chunk, Counts, MicroBatch};
use crate::job::{Job, JobKind};
use crate::schedule::Schedule;
use crate::traffic::{Direction, Message, Traffic};

/// The index among all jobs of each job that computes, sends or receives.
pub(super) struct Places<'a> {
    counts: Counts,
    traffic: Traffic<'a>,
    steps: Vec<Step>,
}

/// The jobs of one chunk and micro-batch on one stage.
#[derive(Clone, Copy, Default)]
struct Step {
    recv_forward: u32,
    forward: u32,
    backward: u32,
    send_backward: u32,
}

impl<'a> Places<'a> {
    pub(super) fn of(schedule: &Schedule, traffic: Traffic<'a>) -> Self {
        let counts = schedule.counts();
        let steps = counts.stages() as usize * counts.steps() as usize;
        let mut places = Self { counts, traffic, steps: vec![Step::default(); steps] };
        for (stage, jobs) in schedule.stages() {
            let begin = schedule.begin(stage.0);
            for (position, &job) in jobs.iter().enumerate() {
                places.note(stage.0, job, (begin + position) as u32);
            }
        }
        places
    }

    fn note(&mut self, stage: u32, job: Job, index: u32) {
        let number = self.number(stage, job.job_type.chunk_or_first(), job.micro_batch);
        let step = &mut self.steps[number];
        match job.kind() {
            JobKind::RecvForward => step.recv_forward = index,
            JobKind::Forward => step.forward = index,
            JobKind::Backward | JobKind::BackwardInput => step.backward = index,
            JobKind::SendBackward => step.send_backward = index,
            _ => {}
        }
    }

    fn number(&self, stage: u32, chunk: Chunk, micro_batch: MicroBatch) -> usize {
        stage as usize * self.counts.steps() as usize + self.counts.cell(chunk, micro_batch)
    }

    /// The backward of the step that a job belongs to.
    pub(super) fn backward(&self, stage: u32, job: Job) -> usize {
        let number = self.number(stage, job.job_type.chunk_or_first(), job.micro_batch);
        self.steps[number].backward as usize
    }

    /// The job that sends a message.
    pub(super) fn sender(&self, message: Message) -> usize {
        let (stage, chunk) = self.traffic.source(message);
        let step = self.steps[self.number(stage, chunk, message.micro_batch)];
        let index = match message.direction {
            Direction::Forward => step.forward,
            Direction::Backward if self.traffic.sends_are_jobs() => step.send_backward,
            Direction::Backward => step.backward,
        };
        index as usize
    }

    /// The job that receives a message.
    pub(super) fn receiver(&self, message: Message) -> usize {
        let step = self.steps[self.number(message.stage, message.chunk, message.micro_batch)];
        let index = match message.direction {
            Direction::Forward if self.traffic.receives_are_jobs() => step.recv_forward,
            Direction::Forward => step.forward,
            Direction::Backward => step.backward,
        };
        index as usize
    }
}
