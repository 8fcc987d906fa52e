//! A list scheduler: every stage, whenever it is free, takes the best of the jobs that could run now.
//!
//! Which is best is a [`Policy`]: it is cheap to try many of them and to keep what turns out fastest. The
//! micro-batches of a part run in order, forward and backward, so what could run is one forward, one backward
//! and one weight half for each chunk of a stage, and a schedule of n jobs takes O(n · v) steps.
//!
//! **Memory**: a forward may begin only if the limit also holds the activations that the same micro-batch
//! will need in the later chunks of the stage. So the micro-batch that has come furthest can always go on,
//! and its backward can free what it took.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::counts::{Chunk, Counts, MicroBatch, Part, Stage};
use crate::job::{Job, JobKind};
use crate::placement::Placement;
use crate::schedule::Schedule;
use crate::simulate::{ChunkCosts, Costs};
use crate::vpp::BackwardMode;

/// What a stage prefers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Policy {
    /// Whether a backward is one job or two.
    pub(super) backward: BackwardMode,
    /// Forwards go by groups of so many micro-batches: all of them through a chunk before the next chunk.
    pub(super) group: u32,
    /// Which of a forward and a backward goes first.
    pub(super) first: First,
    /// When weight halves go before forwards.
    pub(super) weights: Weights,
}

/// Which of a forward and a backward goes first where both could run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    /// The backward: it frees memory.
    Backward,
    /// The forward: it feeds others.
    Forward,
    /// The one that did not run last.
    Other,
}

/// When weight halves go before forwards; they always go where nothing else can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weights {
    /// Never.
    Idle,
    /// Where more of them wait than the number of the stage.
    LagOfStage,
    /// Always.
    AtOnce,
}

/// What there is to schedule.
pub(super) struct Task<'a> {
    pub(super) placement: &'a Placement,
    pub(super) counts: Counts,
    pub(super) costs: &'a Costs,
    /// The most memory of each stage, if there is a limit.
    pub(super) limit: Option<&'a [u64]>,
}

/// The schedule that a policy leads to; none where the limit lets no stage go on.
pub(super) fn list_schedule(task: &Task<'_>, policy: Policy) -> Option<Schedule> {
    let mut scheduler = Scheduler::new(task, policy)?;
    while let Some(Reverse((now, stage))) = scheduler.events.pop() {
        scheduler.decide(now, stage);
    }
    scheduler.finish()
}

/// A time at which something has not happened yet.
const NEVER: u64 = u64::MAX;

/// How far a part has come: the next micro-batch of each kind, and since when its input is there.
struct PartState {
    stage: u32,
    chunk: Chunk,
    costs: ChunkCosts,
    forward: u32,
    backward: u32,
    weight: u32,
    /// Arrival of the inputs of forwards.
    inputs: Vec<u64>,
    /// Arrival of the inputs of backwards.
    gradients: Vec<u64>,
    /// What the later chunks of its stage will take of a micro-batch.
    later: u64,
}

struct StageState {
    /// Its parts, by chunk.
    parts: Vec<usize>,
    jobs: Vec<Job>,
    free: u64,
    last_was_forward: bool,
    /// What micro-batches take now.
    live: u64,
    /// What they may take.
    room: u64,
}

/// A job that could run.
#[derive(Clone, Copy)]
struct Candidate {
    part: usize,
    kind: JobKind,
}

struct Scheduler<'a> {
    task: &'a Task<'a>,
    policy: Policy,
    parts: Vec<PartState>,
    stages: Vec<StageState>,
    events: BinaryHeap<Reverse<(u64, u32)>>,
}

impl<'a> Scheduler<'a> {
    fn new(task: &'a Task<'a>, policy: Policy) -> Option<Self> {
        let Task { placement, counts, costs, .. } = *task;
        let m = counts.micro_batches() as usize;
        let mut parts = Vec::new();
        for part in 0..placement.parts() {
            let (stage, chunk) = placement.home(Part(part), MicroBatch(0))?;
            parts.push(PartState {
                stage: stage.0,
                chunk,
                costs: *costs.of(stage, chunk),
                forward: 0,
                backward: 0,
                weight: 0,
                inputs: vec![if part == 0 { 0 } else { NEVER }; m],
                gradients: vec![NEVER; m],
                later: 0,
            });
        }
        let mut stages = Vec::new();
        for stage in 0..counts.stages() {
            stages.push(StageState::new(task, stage, &mut parts)?);
        }
        let events = (0..counts.stages()).map(|stage| Reverse((0, stage))).collect();
        Some(Self { task, policy, parts, stages, events })
    }

    /// Lets a free stage run what is best now.
    fn decide(&mut self, now: u64, stage: u32) {
        if self.stages[stage as usize].free > now {
            return;
        }
        let Some(Candidate { part, kind }) = self.best(now, stage) else { return };
        let state = &mut self.parts[part];
        let ChunkCosts { forward, backward_input, backward_weight, memory, .. } = state.costs;
        let (next, duration) = match kind {
            JobKind::Forward => (&mut state.forward, forward),
            JobKind::Backward => (&mut state.backward, state.costs.whole_backward()),
            JobKind::BackwardInput => (&mut state.backward, backward_input),
            _ => (&mut state.weight, backward_weight),
        };
        let micro_batch = *next;
        *next += 1;
        let chunk = state.chunk;
        let at = &mut self.stages[stage as usize];
        at.jobs.push(Job::new(kind.in_chunk(chunk), MicroBatch(micro_batch)));
        at.free = now + duration;
        match kind {
            JobKind::Forward => at.live += memory.activation,
            JobKind::Backward => at.live -= memory.activation,
            JobKind::BackwardInput => at.live = at.live + memory.residue - memory.activation,
            _ => at.live -= memory.residue,
        }
        if kind != JobKind::BackwardWeight {
            at.last_was_forward = kind == JobKind::Forward;
        }
        let end = at.free;
        self.events.push(Reverse((end, stage)));
        self.send(part, kind, micro_batch as usize, end);
    }

    /// The message of a job.
    fn send(&mut self, part: usize, kind: JobKind, micro_batch: usize, end: u64) {
        let last = self.parts.len() - 1;
        let to = match kind {
            JobKind::Forward if part == last => {
                self.parts[part].gradients[micro_batch] = end;
                return;
            }
            JobKind::Forward => part + 1,
            JobKind::Backward | JobKind::BackwardInput if part > 0 => part - 1,
            _ => return,
        };
        let (from, stage) = (self.parts[part].stage, self.parts[to].stage);
        let link = self.task.costs.link(Stage(from), Stage(stage));
        let arrival = end + link.occupancy + link.latency;
        match kind {
            JobKind::Forward => self.parts[to].inputs[micro_batch] = arrival,
            _ => self.parts[to].gradients[micro_batch] = arrival,
        }
        self.events.push(Reverse((arrival, stage)));
    }

    /// The best job that a stage could run now.
    fn best(&self, now: u64, stage: u32) -> Option<Candidate> {
        let at = &self.stages[stage as usize];
        let of_kind = |kind: JobKind, key: &dyn Fn(&PartState) -> (u32, u32)| {
            let could = at.parts.iter().filter(|&&part| self.could_run(now, at, part, kind));
            let best = could.min_by_key(|&&part| key(&self.parts[part]));
            best.map(|&part| Candidate { part, kind })
        };
        let backward = match self.policy.backward {
            BackwardMode::Whole => JobKind::Backward,
            BackwardMode::Split => JobKind::BackwardInput,
        };
        let by_group = |part: &PartState| (part.forward / self.policy.group, part.chunk.0.into());
        let by_depth = |part: &PartState| (part.backward, u32::MAX - u32::from(part.chunk.0));
        let oldest = |part: &PartState| (part.weight, u32::MAX - u32::from(part.chunk.0));
        let forward = || of_kind(JobKind::Forward, &by_group);
        let backward = || of_kind(backward, &by_depth);
        let weight = || of_kind(JobKind::BackwardWeight, &oldest);
        let urgent_weight = || weight().filter(|_| self.weights_are_urgent(stage));
        match (self.policy.first, at.last_was_forward) {
            (First::Backward, _) | (First::Other, true) => {
                backward().or_else(urgent_weight).or_else(forward).or_else(weight)
            }
            (First::Forward, _) | (First::Other, false) => {
                urgent_weight().or_else(forward).or_else(backward).or_else(weight)
            }
        }
    }

    fn could_run(&self, now: u64, at: &StageState, part: usize, kind: JobKind) -> bool {
        let state = &self.parts[part];
        let has_come = |times: &[u64], next: u32| {
            times.get(next as usize).is_some_and(|&arrival| arrival <= now)
        };
        match kind {
            JobKind::Forward => {
                let needed = at.live + state.costs.memory.activation + state.later;
                has_come(&state.inputs, state.forward) && needed <= at.room
            }
            JobKind::BackwardWeight => {
                self.policy.backward == BackwardMode::Split && state.weight < state.backward
            }
            _ => state.backward < state.forward && has_come(&state.gradients, state.backward),
        }
    }

    fn weights_are_urgent(&self, stage: u32) -> bool {
        let at = &self.stages[stage as usize];
        let waiting =
            at.parts.iter().map(|&part| self.parts[part].backward - self.parts[part].weight);
        match self.policy.weights {
            Weights::Idle => false,
            Weights::LagOfStage => waiting.sum::<u32>() > stage,
            Weights::AtOnce => true,
        }
    }

    /// The lists, if every job is in them.
    fn finish(self) -> Option<Schedule> {
        let m = self.task.counts.micro_batches();
        let is_done = |part: &PartState| {
            part.backward == m && (part.weight == m || self.policy.backward == BackwardMode::Whole)
        };
        if !self.parts.iter().all(is_done) {
            return None;
        }
        let mut lists: Vec<Vec<Job>> = self.stages.into_iter().map(|stage| stage.jobs).collect();
        lists.iter_mut().for_each(|list| list.push(Job::OPTIMIZER));
        Schedule::with_placement(&lists, self.task.placement.clone()).ok()
    }
}

impl StageState {
    /// None where the limit does not even hold one micro-batch.
    fn new(task: &Task<'_>, stage: u32, parts: &mut [PartState]) -> Option<Self> {
        let mut own: Vec<usize> =
            (0..parts.len()).filter(|&part| parts[part].stage == stage).collect();
        own.sort_by_key(|&part| parts[part].chunk);
        let (mut later, mut fixed, mut residue) = (0, 0, 0_u64);
        for &part in own.iter().rev() {
            let memory = parts[part].costs.memory;
            parts[part].later = later;
            later += memory.activation;
            fixed += memory.parameters + memory.gradients;
            residue = residue.max(memory.residue.saturating_sub(memory.activation));
        }
        let limit = task.limit.map_or(u64::MAX, |limit| limit[stage as usize]);
        let room = limit.checked_sub(fixed)?.saturating_sub(residue);
        Some(Self { parts: own, jobs: Vec::new(), free: 0, last_was_forward: false, live: 0, room })
    }
}

impl Policy {
    /// What it is called in a ranking.
    pub(super) fn name(self) -> String {
        let backward = match (self.backward, self.weights) {
            (BackwardMode::Whole, _) => "whole backward",
            (BackwardMode::Split, Weights::Idle) => "weights when idle",
            (BackwardMode::Split, Weights::LagOfStage) => "weights by stage",
            (BackwardMode::Split, Weights::AtOnce) => "weights at once",
        };
        let first = match self.first {
            First::Backward => "backward first",
            First::Forward => "forward first",
            First::Other => "by turns",
        };
        format!("{first}, {backward}, groups of {}", self.group)
    }
}
