//! All stages side by side, one unit of time after the other, in which each runs what its rule chooses.
//!
//! For families whose lists have no closed form: a rule per stage that looks at what there is to run *now*
//! yields them as the order in which things were run. Every job takes one unit and messages take none, so what
//! ends in one unit can be built on in the next, and in what order the stages choose makes no difference.

use std::collections::VecDeque;

use super::lists::{JobsPerStep, schedule_of};
use crate::counts::{Chunk, Counts, Part, Stage};
use crate::job::JobKind;
use crate::placement::Placement;
use crate::schedule::Schedule;

/// One job to be run: kind, chunk, micro-batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) kind: JobKind,
    pub(super) chunk: u32,
    pub(super) micro_batch: u32,
}

/// What the stages have run up to now.
pub(super) struct Clock {
    counts: Counts,
    placement: Placement,
    now: u32,
    /// For each part and micro-batch when its forward, and the input half of its backward, can be built on.
    forward_ends: Vec<u32>,
    input_ends: Vec<u32>,
    stages: Vec<Progress>,
    /// The stages that may have something new to run, and whether each is among them.
    awake: Vec<u32>,
    is_awake: Vec<bool>,
}

/// The time of what has not been run.
const NEVER: u32 = u32::MAX;

/// What one stage has run.
#[derive(Default)]
struct Progress {
    list: Vec<Choice>,
    live: u32,
    put_off: VecDeque<Choice>,
}

impl Clock {
    /// Runs all stages to their end. In each unit of time `choose` says what a stage runs, if anything. A stage
    /// is asked after it has run something, or a stage that sends to it has: nothing else may change the answer.
    ///
    /// `choose` leaves all stages idle only while something that one of them waits for is still running.
    pub(super) fn run(
        counts: Counts,
        placement: Placement,
        mut choose: impl FnMut(u32, &Self) -> Option<Choice>,
    ) -> Self {
        let cells = placement.parts() as usize * counts.micro_batches() as usize;
        let mut clock = Self {
            counts,
            placement,
            now: 0,
            forward_ends: vec![NEVER; cells],
            input_ends: vec![NEVER; cells],
            stages: (0..counts.stages()).map(|_| Progress::default()).collect(),
            awake: (0..counts.stages()).collect(),
            is_awake: vec![true; counts.stages() as usize],
        };
        let mut left = 3 * cells;
        while left > 0 {
            let awake = std::mem::take(&mut clock.awake);
            assert!(!awake.is_empty(), "a rule leaves something to run");
            for &stage in &awake {
                clock.is_awake[stage as usize] = false;
            }
            for stage in awake {
                if let Some(choice) = choose(stage, &clock) {
                    clock.note(stage, choice);
                    left -= 1;
                }
            }
            clock.now += 1;
        }
        clock
    }

    /// How long all stages took.
    pub(super) fn makespan(&self) -> u32 {
        self.now
    }

    /// The most activations that a stage holds now.
    pub(super) fn live(&self, stage: u32) -> u32 {
        self.stages[stage as usize].live
    }

    /// The weight half that a stage has put off longest.
    pub(super) fn put_off(&self, stage: u32) -> Option<Choice> {
        self.stages[stage as usize].put_off.front().copied()
    }

    /// Whether what a forward or the input half of a backward builds on has ended.
    pub(super) fn is_ready(&self, stage: u32, choice: Choice) -> bool {
        let part = self.part(stage, choice.chunk).0;
        let has_ended = |ends: &[u32], part| ends[self.cell(part, choice.micro_batch)] <= self.now;
        match choice.kind {
            JobKind::Forward => part == 0 || has_ended(&self.forward_ends, part - 1),
            _ => {
                has_ended(&self.forward_ends, part)
                    && (part + 1 == self.placement.parts() || has_ended(&self.input_ends, part + 1))
            }
        }
    }

    /// The lists in the order in which things were run.
    pub(super) fn into_schedule(self) -> Schedule {
        let Self { counts, placement, stages, .. } = self;
        schedule_of(counts, placement, JobsPerStep::Three, |stage, list| {
            for choice in &stages[stage as usize].list {
                list.push(choice.kind, choice.chunk, choice.micro_batch);
            }
        })
    }

    fn note(&mut self, stage: u32, choice: Choice) {
        let cell = self.cell(self.part(stage, choice.chunk).0, choice.micro_batch);
        let end = self.now + 1;
        let progress = &mut self.stages[stage as usize];
        progress.list.push(choice);
        match choice.kind {
            JobKind::Forward => {
                self.forward_ends[cell] = end;
                progress.live += 1;
            }
            JobKind::BackwardInput => {
                self.input_ends[cell] = end;
                progress.put_off.push_back(Choice { kind: JobKind::BackwardWeight, ..choice });
            }
            _ => {
                progress.put_off.pop_front();
                progress.live -= 1;
            }
        }
        self.wake(Stage(stage));
        let home = (Stage(stage), Chunk(choice.chunk as u16));
        let neighbours =
            [self.placement.next(home.0, home.1), self.placement.previous(home.0, home.1)];
        neighbours.into_iter().flatten().for_each(|(stage, _)| self.wake(stage));
    }

    fn wake(&mut self, stage: Stage) {
        if !std::mem::replace(&mut self.is_awake[stage.0 as usize], true) {
            self.awake.push(stage.0);
        }
    }

    fn part(&self, stage: u32, chunk: u32) -> Part {
        let part = self.placement.part(Stage(stage), Chunk(chunk as u16));
        part.expect("a rule chooses chunks that the stage holds")
    }

    fn cell(&self, part: u32, micro_batch: u32) -> usize {
        part as usize * self.counts.micro_batches() as usize + micro_batch as usize
    }
}
