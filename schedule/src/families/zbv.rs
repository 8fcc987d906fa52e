//! `zbv`: two chunks in a V, so that the stage that begins a micro-batch also ends it; no idle time inside.
//!
//! # The law
//!
//! Placement is V with v = 2; F0 is a forward of chunk 0, and so on; each of them takes its micro-batches in
//! order. With n = max(2p-1, m), stage r runs
//!
//! 1. F0, 2(p-r)-1 times;
//! 2. F1, F0, r times;
//! 3. F1, I1, W1, p-r times;
//! 4. while there is a forward left: F0 if one is left, I0, W0, F1, I1, W1;
//! 5. I0, I1, r times;
//! 6. I0, W0, p-r times;
//! 7. the W1 that are left, then the W0 that are left,
//!
//! and leaves out what is for a micro-batch ≥ m.
//!
//! Span bubble 0 and makespan bubble p-1, in units of tF = tI = tW, for m ≥ 2p. Live: 2p on every stage. With
//! fewer micro-batches than 2p-1 what is left out leaves holes. Source: ZB-V of Qi et al., "Pipeline
//! Parallelism with Controllable Memory" (2024), equal to torch's `ScheduleZBVZeroBubble`.

use super::lists::{JobsPerStep, List, schedule_of};
use super::{ChunkRule, Family, Refusal, Request};
use crate::job::JobKind;
use crate::placement::Placement;
use crate::schedule::Schedule;

pub(super) const FAMILY: Family = Family {
    name: "zbv",
    summary: "two chunks in a V, no idle time between the first and the last job of a stage",
    bubble: "span 0, makespan p-1 of a chunk, for m >= 2p and tF = tI = tW",
    memory: "min(2p, 2m)",
    conditions: "any m; best for m >= 2p",
    chunks: ChunkRule::Two,
    options: &[],
    law,
};

fn law(request: &Request) -> Result<Schedule, Refusal> {
    let counts = request.counts;
    let (stages, micro_batches) = (counts.stages(), counts.micro_batches());
    Ok(schedule_of(counts, Placement::v(counts), JobsPerStep::Three, |stage, list| {
        let longest = micro_batches.max(2 * stages - 1);
        Writer { list, micro_batches, longest, next: [[0; 2]; 3] }.write(stage, stages);
    }))
}

/// A list, and the next micro-batch of each kind and chunk.
struct Writer<'a, 'b> {
    list: &'a mut List<'b>,
    micro_batches: u32,
    /// The number of micro-batches that the law is for.
    longest: u32,
    next: [[u32; 2]; 3],
}

const F: usize = 0;
const I: usize = 1;
const W: usize = 2;
const KINDS: [JobKind; 3] = [JobKind::Forward, JobKind::BackwardInput, JobKind::BackwardWeight];

impl Writer<'_, '_> {
    fn write(&mut self, stage: u32, stages: u32) {
        self.times(2 * (stages - stage) - 1, &[(F, 0)]);
        self.times(stage, &[(F, 1), (F, 0)]);
        self.times(stages - stage, &[(F, 1), (I, 1), (W, 1)]);
        while self.next[F][1] < self.next[F][0] || self.next[F][0] < self.longest {
            if self.next[F][0] < self.longest {
                self.times(1, &[(F, 0)]);
            }
            self.times(1, &[(I, 0), (W, 0), (F, 1), (I, 1), (W, 1)]);
        }
        self.times(stage, &[(I, 0), (I, 1)]);
        self.times(stages - stage, &[(I, 0), (W, 0)]);
        for chunk in [1, 0] {
            self.times(self.next[I][chunk] - self.next[W][chunk], &[(W, chunk)]);
        }
    }

    /// The next jobs of these kinds and chunks, so many times.
    fn times(&mut self, times: u32, jobs: &[(usize, usize)]) {
        for _ in 0..times {
            for &(kind, chunk) in jobs {
                let micro_batch = self.next[kind][chunk];
                self.next[kind][chunk] += 1;
                if micro_batch < self.micro_batches {
                    self.list.push(KINDS[kind], chunk as u32, micro_batch);
                }
            }
        }
    }
}
