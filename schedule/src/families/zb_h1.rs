//! `zb-h1`: 1F1B whose weight halves fill what would be idle, in the memory of 1F1B's first stage.
//!
//! # The law
//!
//! `min(p-1-r, m)` forwards; then for each micro-batch b in turn a forward if any is left, the input half
//! I(b), and from the moment r of them are pending the weight half W(b-r); at the end the r weight halves
//! that are left.
//!
//! Makespan bubble exactly (p-1)(tF + tI - tW) where tF = tI = tW and m ≥ p. Live: min(p, m) on every stage.
//! Any m. Source: ZB-H1 of Qi et al., "Zero Bubble Pipeline Parallelism" (2023); the closed form is ours, and
//! the tests hold its bubble. Paddle's `ZBH1` is another list, with a longer bubble.

use super::lists::{JobsPerStep, schedule_of};
use super::{ChunkRule, Family, Refusal, Request};
use crate::counts::Counts;
use crate::job::JobKind;
use crate::placement::Placement;
use crate::schedule::Schedule;

pub(super) const FAMILY: Family = Family {
    name: "zb-h1",
    summary: "1f1b, with weight gradients put off until they fill what would be idle",
    bubble: "(p-1)(tF+tI-tW)",
    memory: "min(p, m)",
    conditions: "any m",
    chunks: ChunkRule::One,
    options: &[],
    law: |request: &Request| -> Result<Schedule, Refusal> { Ok(lists(request.counts)) },
};

/// The lists of all stages.
pub(super) fn lists(counts: Counts) -> Schedule {
    let micro_batches = counts.micro_batches();
    schedule_of(counts, Placement::looped(counts), JobsPerStep::Three, |stage, list| {
        let warmup = (counts.stages() - 1 - stage).min(micro_batches);
        for micro_batch in 0..warmup {
            list.push(JobKind::Forward, 0, micro_batch);
        }
        for micro_batch in 0..micro_batches {
            if warmup + micro_batch < micro_batches {
                list.push(JobKind::Forward, 0, warmup + micro_batch);
            }
            list.push(JobKind::BackwardInput, 0, micro_batch);
            if let Some(due) = micro_batch.checked_sub(stage) {
                list.push(JobKind::BackwardWeight, 0, due);
            }
        }
        for micro_batch in micro_batches.saturating_sub(stage)..micro_batches {
            list.push(JobKind::BackwardWeight, 0, micro_batch);
        }
    })
}

/// How long all stages take, in units of tF = tI = tW.
pub(super) fn makespan(counts: Counts) -> u64 {
    let [stages, micro_batches] = [counts.stages(), counts.micro_batches()].map(u64::from);
    3 * micro_batches + stages - 1 + stages.saturating_sub(micro_batches)
}
