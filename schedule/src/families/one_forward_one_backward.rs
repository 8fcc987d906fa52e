//! `1f1b`: a backward as soon as there is one, so that no stage holds more activations than it must.
//!
//! # The law
//!
//! `w = min(p-1-r, m)` forwards; then F, B in turn while forwards are left; then the backwards that are left.
//!
//! Makespan bubble (p-1)(tF + tB). Live: min(p-r, m). Any m: with m < p the stages that come first run all
//! their forwards first, and nothing else changes. Source: Narayanan et al., "PipeDream" (2019), as Megatron-LM
//! runs it.

use super::lists::{JobsPerStep, schedule_of};
use super::{ChunkRule, Family, Refusal, Request};
use crate::job::JobKind;
use crate::placement::Placement;
use crate::schedule::Schedule;

pub(super) const FAMILY: Family = Family {
    name: "1f1b",
    summary: "one forward, one backward in turn after a warmup",
    bubble: "(p-1)(tF+tB)",
    memory: "min(p-r, m)",
    conditions: "any m",
    chunks: ChunkRule::One,
    options: &[],
    law,
};

fn law(request: &Request) -> Result<Schedule, Refusal> {
    let counts = request.counts;
    let micro_batches = counts.micro_batches();
    Ok(schedule_of(counts, Placement::looped(counts), JobsPerStep::Two, |stage, list| {
        let warmup = (counts.stages() - 1 - stage).min(micro_batches);
        for micro_batch in 0..warmup {
            list.push(JobKind::Forward, 0, micro_batch);
        }
        for micro_batch in warmup..micro_batches {
            list.push(JobKind::Forward, 0, micro_batch);
            list.push(JobKind::Backward, 0, micro_batch - warmup);
        }
        for micro_batch in micro_batches - warmup..micro_batches {
            list.push(JobKind::Backward, 0, micro_batch);
        }
    }))
}
