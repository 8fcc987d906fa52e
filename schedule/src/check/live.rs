//! How many activations each stage holds at most.

use crate::counts::Stage;
use crate::job::{Job, JobKind};
use crate::schedule::Schedule;

/// For each stage the most activations that it holds at any time, each of one chunk on one micro-batch: a
/// forward makes one; the whole backward, or the half that yields the gradients of the weights, frees it.
pub fn peak_live(schedule: &Schedule) -> Vec<u32> {
    schedule.stages().map(|(_, jobs)| over_time(jobs).max().unwrap_or(0)).collect()
}

/// The first job with which a stage holds more activations than `limit`.
pub(super) fn first_above(schedule: &Schedule, stage: Stage, limit: u32) -> Option<Job> {
    let jobs = schedule.list(stage.0);
    let place = over_time(jobs).position(|live| live > limit)?;
    Some(jobs[place])
}

/// How many activations a stage holds after each of its jobs.
fn over_time(jobs: &[Job]) -> impl Iterator<Item = u32> {
    jobs.iter().scan(0_u32, |live, job| {
        match job.kind() {
            JobKind::Forward => *live += 1,
            // In damaged lists something may be freed that is not there.
            JobKind::Backward => *live = live.saturating_sub(1),
            kind if kind.is_weight_half() => *live = live.saturating_sub(1),
            _ => {}
        }
        Some(*live)
    })
}
