//! The text form of a schedule as a file: see [`Schedule`]'s `FromStr` and `Display`.
//!
//! It holds every kind of job, but not where the parts of the model lie, nor fused pairs: a reader takes the
//! placement as looped.

use crate::format::lost::{Loss, Losses};
use crate::format::{Format, FormatError, FormatFault, Writing};
use crate::placement::Shape;
use crate::schedule::Schedule;

pub(super) fn read(text: &str) -> Result<Schedule, FormatError> {
    Ok(text.parse()?)
}

pub(super) fn write(schedule: &Schedule) -> Result<Writing, FormatError> {
    if let Some((stage, _)) = schedule.stages().find(|(_, jobs)| jobs.is_empty()) {
        let reason = format!("stage {stage} has no jobs, and an empty line is none");
        return Err(FormatFault::CannotHold { format: Format::Jobs, reason }.nowhere());
    }
    let mut losses = Losses::of(Format::Jobs);
    note_placement(schedule, &mut losses);
    note_pairs(schedule, &mut losses);
    note_idle_chunks(schedule, &mut losses);
    Ok(Writing { text: schedule.to_string(), lost: losses.finish() })
}

/// Chunks behind the last one that has a job are lost: a reader counts as many as it sees.
fn note_idle_chunks(schedule: &Schedule, losses: &mut Losses) {
    let chunks = schedule.jobs().iter().map(|job| u32::from(job.job_type.chunk_or_first().0) + 1);
    let seen = chunks.max().unwrap_or(0);
    (seen..schedule.counts().chunks()).for_each(|_| losses.add(Loss::IdleChunks));
}

/// A placement that a reader will not guess is lost.
pub(super) fn note_placement(schedule: &Schedule, losses: &mut Losses) {
    let shape = schedule.placement().shape();
    if shape != Shape::Looped {
        losses.add(Loss::Placement(shape));
    }
}

/// All fused pairs are lost.
pub(super) fn note_pairs(schedule: &Schedule, losses: &mut Losses) {
    for _ in schedule.fused_pairs() {
        losses.add(Loss::FusedPairs);
    }
}
