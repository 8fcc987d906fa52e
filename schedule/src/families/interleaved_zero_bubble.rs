//! `interleaved-zero-bubble`: interleaved 1F1B whose weight halves wait until they fill what would be idle.
//!
//! # The law
//!
//! Steps, groups and their order are those of [`interleaved`](super::interleaved). Stage r takes
//! `w = min((p-1-r) + (v-1)g, m·v)` steps forward; then for each step backward: a step forward if any is left,
//! the input half I, and from the moment r of them are pending the weight half W of the one r steps ago; at
//! the end the r weight halves that are left.
//!
//! Makespan bubble (p-1)(tF + tI - tW) in the time of one chunk; live (v-1)g + p on every stage. Source: the
//! interleaved form of ZB-H1 (Qi et al., "Zero Bubble Pipeline Parallelism", 2023) as torch's
//! `ScheduleInterleavedZeroBubble` runs it.

use super::interleaved::grouped;
use super::lists::{JobsPerStep, schedule_of};
use super::{ChunkRule, Family, FamilyOption};
use crate::counts::Counts;
use crate::job::JobKind;
use crate::placement::Placement;
use crate::schedule::Schedule;
use crate::steps::{Groups, Steps};

pub(super) const FAMILY: Family = Family {
    name: "interleaved-zero-bubble",
    summary: "interleaved, with weight gradients put off until they fill what would be idle",
    bubble: "(p-1)(tF+tI-tW) where g divides m",
    memory: "min((v-1)g+p, m*v)",
    conditions: "any m; p <= g <= m, or m < p",
    chunks: ChunkRule::Any,
    options: &[FamilyOption::Group],
    law: |request| grouped(FAMILY.name, request, lists),
};

fn lists(counts: Counts, groups: Groups) -> Schedule {
    let (stages, chunks, steps) = (counts.stages(), counts.chunks(), counts.steps());
    schedule_of(counts, Placement::looped(counts), JobsPerStep::Three, |stage, list| {
        let mut forwards = Steps::forward(chunks, groups);
        let backwards = Steps::backward(chunks, groups);
        let mut weights = backwards.clone();
        let in_flight = (stages - 1 - stage) + (chunks - 1) * groups.first_size();
        let warmup = forwards.by_ref().take(in_flight.min(steps) as usize);
        list.extend(warmup.map(|step| step.job(JobKind::Forward)));
        for (pending, backward) in (0..).zip(backwards) {
            list.extend(forwards.next().map(|forward| forward.job(JobKind::Forward)));
            list.extend([backward.job(JobKind::BackwardInput)]);
            if pending >= stage {
                list.extend(weights.next().map(|weight| weight.job(JobKind::BackwardWeight)));
            }
        }
        list.extend(weights.map(|step| step.job(JobKind::BackwardWeight)));
    })
}
