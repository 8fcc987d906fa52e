//! The lists in the making: what has been put on each stage, when it ends, and how long the stage has idled.

use std::collections::VecDeque;

use crate::counts::{Chunk, Counts, MicroBatch};
use crate::job::{Job, JobKind};

/// How long a forward, an input half and a weight half take.
const FORWARD: u64 = 61;
const INPUT: u64 = 72;
const WEIGHT: u64 = 71;
/// How much longer each takes on the last part of the model.
const LOSS: u64 = 34;
/// How long a message takes; also before the first job of the model, which gets its data like a message.
pub(super) const MESSAGE: u64 = 3;

/// Which way a job's result goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

/// The lists of all stages, as far as they are made.
pub(super) struct Bench {
    counts: Counts,
    /// By direction, chunk and stage: when the job of each micro-batch ends, as far as they are put.
    ends: [Vec<Vec<u64>>; 2],
    stages: Vec<Line>,
    idle: Vec<u64>,
}

/// The list of one stage.
#[derive(Default)]
struct Line {
    jobs: Vec<Job>,
    free_at: u64,
    /// The input halves whose weight half is still to come: chunk and micro-batch.
    put_off: VecDeque<(u32, u32)>,
}

impl Bench {
    pub(super) fn new(counts: Counts) -> Self {
        let stages = counts.stages() as usize;
        let rows = || vec![Vec::new(); stages * counts.chunks() as usize];
        Self {
            counts,
            ends: [rows(), rows()],
            stages: (0..stages).map(|_| Line::default()).collect(),
            idle: vec![0; stages],
        }
    }

    pub(super) fn chunks(&self) -> u32 {
        self.counts.chunks()
    }

    pub(super) fn stages(&self) -> u32 {
        self.counts.stages()
    }

    pub(super) fn micro_batches(&self) -> u32 {
        self.counts.micro_batches()
    }

    /// The stage where the model ends: with an even number of legs the first, else the last.
    pub(super) fn stage_of_last_part(&self) -> u32 {
        if self.chunks().is_multiple_of(2) { 0 } else { self.stages() - 1 }
    }

    /// How long each stage has idled since its first job.
    pub(super) fn idle(&self) -> &[u64] {
        &self.idle
    }

    /// When the last job of a stage ends.
    pub(super) fn free_at(&self, stage: u32) -> u64 {
        self.stages[stage as usize].free_at
    }

    /// The chunk of the last job of a stage.
    pub(super) fn last_chunk(&self, stage: u32) -> u32 {
        let job = self.stages[stage as usize].jobs.last();
        job.map_or(0, |job| job.job_type.chunk_or_first().0.into())
    }

    /// How many jobs of a direction and chunk are put on a stage.
    pub(super) fn count(&self, direction: Direction, stage: u32, chunk: u32) -> usize {
        self.ends(direction, stage, chunk).len()
    }

    /// Whether a stage lacks input halves.
    pub(super) fn has_inputs_left(&self, stage: u32) -> bool {
        let count = |chunk| self.count(Direction::Backward, stage, chunk);
        (0..self.chunks()).map(count).sum::<usize>() < self.counts.steps() as usize
    }

    /// Whether the next job of a direction and chunk can be put: what it builds on is put, on its own stage and
    /// on the one that its message comes from.
    pub(super) fn can_put(&self, direction: Direction, stage: u32, chunk: u32) -> bool {
        let next = self.count(direction, stage, chunk);
        if next >= self.micro_batches() as usize {
            return false;
        }
        let before = match direction {
            Direction::Forward => chunk.checked_sub(1).map(|chunk| (Direction::Forward, chunk)),
            Direction::Backward if chunk + 1 == self.chunks() => Some((Direction::Forward, chunk)),
            Direction::Backward => Some((Direction::Backward, chunk + 1)),
        };
        let has_before =
            before.is_none_or(|(direction, chunk)| self.count(direction, stage, chunk) > next);
        let has_message = self
            .sender(direction, stage, chunk)
            .is_none_or(|sender| self.count(direction, sender, chunk) > next);
        has_before && has_message
    }

    /// When the message for the next job of a direction and chunk comes.
    pub(super) fn arrival(&self, direction: Direction, stage: u32, chunk: u32) -> u64 {
        let next = self.count(direction, stage, chunk);
        let sent = self
            .sender(direction, stage, chunk)
            .map_or(0, |sender| self.ends(direction, sender, chunk)[next]);
        sent + MESSAGE
    }

    /// When the next job of a direction and chunk would end.
    pub(super) fn would_end(&self, direction: Direction, stage: u32, chunk: u32) -> u64 {
        let begin = self.free_at(stage).max(self.arrival(direction, stage, chunk));
        begin + self.takes(kind_of(direction), stage, chunk)
    }

    /// When the next weight half of a stage would end, if there is one, if it took a `divisor`-th of its time:
    /// rounded up, which is as good where it is compared with whole times.
    pub(super) fn next_weight_ends(&self, stage: u32, divisor: u64) -> Option<u64> {
        let &(chunk, _) = self.stages[stage as usize].put_off.front()?;
        let takes = self.takes(JobKind::BackwardWeight, stage, chunk);
        Some(self.free_at(stage) + takes.div_ceil(divisor))
    }

    /// How long a job takes.
    pub(super) fn takes(&self, kind: JobKind, stage: u32, chunk: u32) -> u64 {
        let has_loss = chunk + 1 == self.chunks() && stage == self.stage_of_last_part();
        let takes = match kind {
            JobKind::Forward => FORWARD,
            JobKind::BackwardInput => INPUT,
            _ => WEIGHT,
        };
        if has_loss { takes + LOSS } else { takes }
    }

    /// Puts the next job of a direction and chunk, which [can be put](Self::can_put).
    pub(super) fn put(&mut self, direction: Direction, stage: u32, chunk: u32) {
        let end = self.would_end(direction, stage, chunk);
        let kind = kind_of(direction);
        let row = self.row(stage, chunk);
        let ends = &mut self.ends[direction as usize][row];
        let micro_batch = ends.len() as u32;
        ends.push(end);
        if direction == Direction::Backward {
            self.stages[stage as usize].put_off.push_back((chunk, micro_batch));
        }
        self.append(kind, stage, (chunk, micro_batch), end);
    }

    /// Puts the weight half that a stage has put off longest, if there is one.
    pub(super) fn put_weight(&mut self, stage: u32) -> bool {
        let Some(end) = self.next_weight_ends(stage, 1) else { return false };
        let Some(step) = self.stages[stage as usize].put_off.pop_front() else { return false };
        self.append(JobKind::BackwardWeight, stage, step, end);
        true
    }

    fn append(&mut self, kind: JobKind, stage: u32, (chunk, micro_batch): (u32, u32), end: u64) {
        let waited = end - self.takes(kind, stage, chunk) - self.free_at(stage);
        let line = &mut self.stages[stage as usize];
        if !line.jobs.is_empty() {
            self.idle[stage as usize] += waited;
        }
        line.free_at = end;
        let job_type = kind.in_chunk(Chunk(chunk as u16));
        line.jobs.push(Job::new(job_type, MicroBatch(micro_batch)));
    }

    /// When the last job of any stage ends.
    pub(super) fn makespan(&self) -> u64 {
        self.stages.iter().map(|line| line.free_at).max().unwrap_or(0)
    }

    pub(super) fn into_lists(self) -> Vec<Vec<Job>> {
        self.stages.into_iter().map(|line| line.jobs).collect()
    }

    /// The stage that sends to this one in a leg of the V, but for where a leg begins.
    fn sender(&self, direction: Direction, stage: u32, chunk: u32) -> Option<u32> {
        let goes_up = chunk.is_multiple_of(2) == (direction == Direction::Forward);
        if goes_up {
            stage.checked_sub(1)
        } else {
            Some(stage + 1).filter(|&stage| stage < self.stages())
        }
    }

    fn ends(&self, direction: Direction, stage: u32, chunk: u32) -> &[u64] {
        &self.ends[direction as usize][self.row(stage, chunk)]
    }

    fn row(&self, stage: u32, chunk: u32) -> usize {
        (chunk * self.stages() + stage) as usize
    }
}

fn kind_of(direction: Direction) -> JobKind {
    match direction {
        Direction::Forward => JobKind::Forward,
        Direction::Backward => JobKind::BackwardInput,
    }
}
