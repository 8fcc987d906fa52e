//! `looped-bfs`: chunk by chunk, all micro-batches through one before any goes on to the next.
//!
//! # The law
//!
//! For each chunk from the first to the last F(0) .. F(m-1); then for each chunk from the last to the first
//! B(m-1) .. B(0).
//!
//! Makespan bubble (p-1)(tF + tB) for m ≥ p, in the time of one chunk; live: v·m. Source: Lamy-Poirier,
//! "Breadth-First Pipeline Parallelism" (2022); the micro-batches run backward in reverse as in torch's
//! `ScheduleLoopedBFS`.

use super::lists::{JobsPerStep, schedule_of};
use super::{ChunkRule, Family, Refusal, Request};
use crate::job::JobKind;
use crate::placement::Placement;
use crate::schedule::Schedule;

pub(super) const FAMILY: Family = Family {
    name: "looped-bfs",
    summary: "all micro-batches through one chunk, then through the next",
    bubble: "(p-1)(tF+tB) for m >= p",
    memory: "v*m",
    conditions: "any m",
    chunks: ChunkRule::Any,
    options: &[],
    law,
};

fn law(request: &Request) -> Result<Schedule, Refusal> {
    let counts = request.counts;
    Ok(schedule_of(counts, Placement::looped(counts), JobsPerStep::Two, |_, list| {
        for chunk in 0..counts.chunks() {
            for micro_batch in 0..counts.micro_batches() {
                list.push(JobKind::Forward, chunk, micro_batch);
            }
        }
        for chunk in (0..counts.chunks()).rev() {
            for micro_batch in (0..counts.micro_batches()).rev() {
                list.push(JobKind::Backward, chunk, micro_batch);
            }
        }
    }))
}
