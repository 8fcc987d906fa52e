//! `ZBH1`: Paddle's form of ZB-H1.
//!
//! # The law
//!
//! `w = p - r` forwards; then a backward and a forward in turn while forwards are left; then the backwards that
//! are left. On stage 0 all backwards are whole. On stage r > 0 those of the first r micro-batches and of the
//! last one are input halves; at the end come the weight half of the last micro-batch, then those of the
//! first r. Needs m ≥ p.
//!
//! The makespan bubble is longer than that of [`zb-h1`](super::super::zb_h1) (p = 4: 5 for 3; p = 8: 13 for 7,
//! in units of tF = tI = tW): a whole backward keeps the stage before waiting for the weight half in it.

use super::require;
use crate::families::lists::{JobsPerStep, List, schedule_of};
use crate::families::{ChunkRule, Family, MicroBatchRule, Refusal, Request};
use crate::job::JobKind;
use crate::placement::Placement;
use crate::schedule::Schedule;

pub(in crate::families) const ZBH1: Family = Family {
    name: "ZBH1",
    summary: "Paddle's: 1F1B with a few weight gradients put off to the end",
    bubble: "2p-3 of tF = tI = tW for p > 1 (zb-h1: p-1)",
    memory: "p-r, and r+1 weight gradients to the end",
    conditions: "m >= p",
    chunks: ChunkRule::One,
    options: &[],
    law,
};

fn law(request: &Request) -> Result<Schedule, Refusal> {
    let counts = request.counts;
    let (stages, micro_batches) = (counts.stages(), counts.micro_batches());
    require(ZBH1.name, request, MicroBatchRule::AtLeast(stages))?;
    Ok(schedule_of(counts, Placement::looped(counts), JobsPerStep::Three, |stage, list| {
        let warmup = stages - stage;
        for forward in 0..warmup {
            list.without_chunk(JobKind::Forward, forward);
        }
        let split = Split { stage, last: micro_batches - 1 };
        for backward in 0..micro_batches {
            split.write_backward(backward, list);
            if warmup + backward < micro_batches {
                list.without_chunk(JobKind::Forward, warmup + backward);
            }
        }
        split.write_weights(list);
    }))
}

/// Which backwards of a stage are in halves.
#[derive(Clone, Copy)]
struct Split {
    stage: u32,
    last: u32,
}

impl Split {
    fn write_backward(self, micro_batch: u32, list: &mut List<'_>) {
        let is_split = self.stage > 0 && (micro_batch < self.stage || micro_batch == self.last);
        let kind = if is_split { JobKind::BackwardInput } else { JobKind::Backward };
        list.without_chunk(kind, micro_batch);
    }

    fn write_weights(self, list: &mut List<'_>) {
        if self.stage == 0 {
            return;
        }
        list.without_chunk(JobKind::BackwardWeight, self.last);
        for micro_batch in 0..self.stage.min(self.last) {
            list.without_chunk(JobKind::BackwardWeight, micro_batch);
        }
    }
}
