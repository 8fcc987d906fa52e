//! `FThenB`: `forward` of every micro-batch, then `backward` of every micro-batch, on every stage.
//!
//! [`gpipe`](super::super::gpipe) with Paddle's job types; any m.

use crate::families::lists::{JobsPerStep, schedule_of};
use crate::families::{ChunkRule, Family};
use crate::job::JobKind;
use crate::placement::Placement;

pub(in crate::families) const FTHENB: Family = Family {
    name: "FThenB",
    summary: "Paddle's: all forwards, then all backwards",
    bubble: "(p-1)(tF+tB)",
    memory: "m",
    conditions: "any m",
    chunks: ChunkRule::One,
    options: &[],
    law: |request| {
        let counts = request.counts;
        Ok(schedule_of(counts, Placement::looped(counts), JobsPerStep::Two, |_, list| {
            for kind in [JobKind::Forward, JobKind::Backward] {
                for micro_batch in 0..counts.micro_batches() {
                    list.without_chunk(kind, micro_batch);
                }
            }
        }))
    },
};
