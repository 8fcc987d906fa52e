//! `dualpipe`: the model twice over the stages, once in each direction, and the micro-batches from both ends.
//!
//! # The law
//!
//! Part s lies on stage s as chunk 0 and on stage p-1-s as chunk 1. The first half of the micro-batches goes
//! from stage 0 up, the second half from stage p-1 down. Each stage has an outer chain, in which it is nearer
//! the beginning, and an inner one: stage r < p/2 runs what [`dualpipev`](super::dualpipev) runs on stage r of
//! p/2 with m/2 micro-batches, its chunk 0 as the first chain and its chunk 1 as the second; stage p-1-r runs
//! the same with the two changed.
//!
//! Makespan bubble (p/2-1)(t(F&B) + tB - 3tW) where a pair is one action. Live: p+1. Parameters: twice. Needs
//! an even p, an even m, m ≥ 2p. Source: DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024).

use super::dualpipev::{Chain, Writer};
use super::lists::{JobsPerStep, schedule_of};
use super::{ChunkRule, Family, MicroBatchRule, Refusal, Request};
use crate::placement::Placement;
use crate::schedule::Schedule;

pub(super) const FAMILY: Family = Family {
    name: "dualpipe",
    summary: "the model twice, micro-batches from both ends, forwards fused with backwards",
    bubble: "(p/2-1)(t(F&B)+tB-3tW)",
    memory: "p+1, parameters twice",
    conditions: "p even, m even, m >= 2p",
    chunks: ChunkRule::Two,
    options: &[],
    law,
};

fn law(request: &Request) -> Result<Schedule, Refusal> {
    let (counts, family) = (request.counts, FAMILY.name);
    let (stages, half) = (counts.stages(), counts.micro_batches() / 2);
    if !stages.is_multiple_of(2) {
        return Err(Refusal::OddStages { family, stages });
    }
    let rule = MicroBatchRule::EvenAtLeast(2 * stages);
    if !rule.takes(counts.micro_batches()) {
        return Err(Refusal::MicroBatches { family, rule, counts });
    }
    let up = Chain { chunk: 0, first: 0 };
    let down = Chain { chunk: 1, first: half };
    Ok(schedule_of(counts, Placement::both_ways(counts)?, JobsPerStep::Two, |stage, list| {
        let mirrored = stages - 1 - stage;
        let chains = if stage < mirrored { [up, down] } else { [down, up] };
        Writer::new(list, chains).write(stage.min(mirrored), stages / 2, half);
    }))
}
