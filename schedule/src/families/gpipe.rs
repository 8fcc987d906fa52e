//! `gpipe`: all forwards, then all backwards.
//!
//! # The law
//!
//! F(0) .. F(m-1), then B(0) .. B(m-1), on every stage.
//!
//! Makespan bubble (p-1)(tF + tB). Live: m. Source: Huang et al., "GPipe: Efficient Training of Giant Neural
//! Networks using Pipeline Parallelism" (2019); the order of the backwards is that of torch's `ScheduleGPipe`.

use super::lists::{JobsPerStep, schedule_of};
use super::{ChunkRule, Family, Refusal, Request};
use crate::job::JobKind;
use crate::placement::Placement;
use crate::schedule::Schedule;

pub(super) const FAMILY: Family = Family {
    name: "gpipe",
    summary: "all forwards, then all backwards",
    bubble: "(p-1)(tF+tB)",
    memory: "m",
    conditions: "any m",
    chunks: ChunkRule::One,
    options: &[],
    law,
};

fn law(request: &Request) -> Result<Schedule, Refusal> {
    let counts = request.counts;
    Ok(schedule_of(counts, Placement::looped(counts), JobsPerStep::Two, |_, list| {
        for kind in [JobKind::Forward, JobKind::Backward] {
            for micro_batch in 0..counts.micro_batches() {
                list.push(kind, 0, micro_batch);
            }
        }
    }))
}
