//! `dualpipev`: two chunks in a V, a forward of one fused with a backward of the other.
//!
//! # The law
//!
//! F0 is a forward of chunk 0, B1 a whole backward of chunk 1, W the oldest weight half that is put off;
//! F0&B1 is a fused pair; each takes its micro-batches in order. Stage r runs
//!
//! 1. F0, 2(p-1-r) times;
//! 2. F0, F1, r+1 times;
//! 3. I1, W, F1, p-1-r times;
//! 4. F0&B1, F1&B0, m-2p+r+1 times; the first F0 and B1 of the last stage are not fused;
//! 5. B1, F1&B0, p-1-r times;
//! 6. B1, B0, r+1 times; from the middle on I in place of B: from the (r+1) div 2-nd turn, before its B1 if r
//!    is odd, after it if r is even;
//! 7. W, I0, p-1-r times;
//! 8. W, r+1 times.
//!
//! Makespan bubble (p-1)(t(F&B) + tB - 3tW) where a pair is one action. Live: 2p+1. Needs m ≥ 2p. Source:
//! DeepSeek's DualPipeV; equal to torch's `ScheduleDualPipeV`.

use super::lists::{JobsPerStep, List, schedule_of};
use super::{ChunkRule, Family, MicroBatchRule, Refusal, Request};
use crate::job::JobKind;
use crate::placement::Placement;
use crate::schedule::Schedule;

pub(super) const FAMILY: Family = Family {
    name: "dualpipev",
    summary: "two chunks in a V, a forward of one fused with a backward of the other",
    bubble: "(p-1)(t(F&B)+tB-3tW)",
    memory: "2p+1",
    conditions: "m >= 2p",
    chunks: ChunkRule::Two,
    options: &[],
    law,
};

fn law(request: &Request) -> Result<Schedule, Refusal> {
    let counts = request.counts;
    let rule = MicroBatchRule::AtLeast(2 * counts.stages());
    if !rule.takes(counts.micro_batches()) {
        return Err(Refusal::MicroBatches { family: FAMILY.name, rule, counts });
    }
    let (stages, micro_batches) = (counts.stages(), counts.micro_batches());
    Ok(schedule_of(counts, Placement::v(counts), JobsPerStep::Three, |stage, list| {
        let chains = [0, 1].map(|chunk| Chain { chunk, first: 0 });
        Writer::new(list, chains).write(stage, stages, micro_batches);
    }))
}

/// What a stage runs in one of its two roles: a chunk, and the first of its micro-batches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chain {
    pub(super) chunk: u32,
    pub(super) first: u32,
}

/// A list, and how far each chain is.
pub(super) struct Writer<'a, 'b> {
    list: &'a mut List<'b>,
    chains: [Chain; 2],
    forwards: [u32; 2],
    backwards: [u32; 2],
    /// The weight halves that are put off, and how many of them are done: chain and micro-batch.
    put_off: Vec<(usize, u32)>,
    done: usize,
}

impl<'a, 'b> Writer<'a, 'b> {
    pub(super) fn new(list: &'a mut List<'b>, chains: [Chain; 2]) -> Self {
        let zero = [0; 2];
        Self { list, chains, forwards: zero, backwards: zero, put_off: Vec::new(), done: 0 }
    }

    /// The list of stage `stage` of `stages` with `micro_batches` on each chain.
    pub(super) fn write(&mut self, stage: u32, stages: u32, micro_batches: u32) {
        let after = stages - 1 - stage;
        for _ in 0..2 * after {
            self.forward(0);
        }
        for _ in 0..=stage {
            self.forward(0);
            self.forward(1);
        }
        for _ in 0..after {
            self.input(1);
            self.weight();
            self.forward(1);
        }
        for turn in 0..micro_batches - 2 * stages + stage + 1 {
            // On the last stage the first B1 needs the F1 right before, which F0 has no part in.
            if turn > 0 || after > 0 {
                self.list.fuse_next_two();
            }
            self.forward(0);
            self.backward(1);
            self.fused(1, 0);
        }
        for _ in 0..after {
            self.backward(1);
            self.fused(1, 0);
        }
        self.wind_down(stage);
        for _ in 0..after {
            self.weight();
            self.input(0);
        }
        for _ in 0..=stage {
            self.weight();
        }
    }

    /// The backwards of both chains in turn, from the middle on without their weight halves.
    fn wind_down(&mut self, stage: u32) {
        let turns = 0..=stage;
        let order = turns.flat_map(|_| [1, 0]);
        // Two backwards a turn: (r+1) div 2 turns, and one backward more if r is even.
        let whole = 2 * (stage.div_ceil(2) as usize) + usize::from(stage.is_multiple_of(2));
        for (place, chain) in order.enumerate() {
            if place < whole { self.backward(chain) } else { self.input(chain) }
        }
    }

    fn forward(&mut self, chain: usize) {
        let micro_batch = self.forwards[chain];
        self.forwards[chain] += 1;
        self.push(JobKind::Forward, chain, micro_batch);
    }

    fn backward(&mut self, chain: usize) {
        let micro_batch = self.next_backward(chain);
        self.push(JobKind::Backward, chain, micro_batch);
    }

    fn input(&mut self, chain: usize) {
        let micro_batch = self.next_backward(chain);
        self.push(JobKind::BackwardInput, chain, micro_batch);
        self.put_off.push((chain, micro_batch));
    }

    fn weight(&mut self) {
        let (chain, micro_batch) = self.put_off[self.done];
        self.done += 1;
        self.push(JobKind::BackwardWeight, chain, micro_batch);
    }

    fn fused(&mut self, forward: usize, backward: usize) {
        self.list.fuse_next_two();
        self.forward(forward);
        self.backward(backward);
    }

    fn next_backward(&mut self, chain: usize) -> u32 {
        let micro_batch = self.backwards[chain];
        self.backwards[chain] += 1;
        micro_batch
    }

    fn push(&mut self, kind: JobKind, chain: usize, micro_batch: u32) {
        let Chain { chunk, first } = self.chains[chain];
        self.list.push(kind, chunk, first + micro_batch);
    }
}
