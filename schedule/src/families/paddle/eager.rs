//! `Eager1F1B`: 1F1B with twice the warmup, so that messages have time.
//!
//! # The law
//!
//! `w = 2(p-r) - 1` forwards; then B, F in turn while forwards are left; then the backwards that are left.
//!
//! The bubble is 1F1B's; live: 2(p-r)-1. Needs m ≥ 2p-1: Paddle asks each stage for its own w, so that of its
//! stages some would refuse and others would wait for them; here all stages ask for the largest.

use super::require;
use crate::families::lists::{JobsPerStep, schedule_of};
use crate::families::{ChunkRule, Family, MicroBatchRule, Refusal, Request};
use crate::job::JobKind;
use crate::placement::Placement;
use crate::schedule::Schedule;

pub(in crate::families) const EAGER: Family = Family {
    name: "Eager1F1B",
    summary: "Paddle's: 1F1B with twice the warmup, so that messages have time",
    bubble: "(p-1)(tF+tB)",
    memory: "2(p-r)-1",
    conditions: "m >= 2p-1",
    chunks: ChunkRule::One,
    options: &[],
    law,
};

fn law(request: &Request) -> Result<Schedule, Refusal> {
    let counts = request.counts;
    let (stages, micro_batches) = (counts.stages(), counts.micro_batches());
    require(EAGER.name, request, MicroBatchRule::AtLeast(2 * stages - 1))?;
    Ok(schedule_of(counts, Placement::looped(counts), JobsPerStep::Two, |stage, list| {
        let warmup = 2 * (stages - stage) - 1;
        for forward in 0..warmup {
            list.without_chunk(JobKind::Forward, forward);
        }
        for forward in warmup..micro_batches {
            list.without_chunk(JobKind::Backward, forward - warmup);
            list.without_chunk(JobKind::Forward, forward);
        }
        for backward in micro_batches - warmup..micro_batches {
            list.without_chunk(JobKind::Backward, backward);
        }
    }))
}
