//! Writing torch's CSV.

use std::fmt::Write as _;

use crate::counts::{Chunk, Part, Stage};
use crate::format::lost::{Loss, Losses, is_message};
use crate::format::torch::action::name;
use crate::format::{Format, FormatError, FormatFault, Writing};
use crate::job::{Job, JobKind};
use crate::placement::Shape;
use crate::schedule::Schedule;

pub(in crate::format) fn write(schedule: &Schedule) -> Result<Writing, FormatError> {
    check_parts(schedule)?;
    let mut losses = Losses::of(Format::Csv);
    if !has_chunks_in_order(schedule) {
        losses.add(Loss::ChunkNumbers);
    }
    let messages = Messages::of(schedule);
    let mut text = String::with_capacity(schedule.jobs().len() * 5);
    for (stage, jobs) in schedule.stages() {
        if jobs.is_empty() {
            text.push_str(",\n");
            continue;
        }
        write_row(&mut text, schedule, stage, messages, &mut losses);
        text.push('\n');
    }
    Ok(Writing { text, lost: losses.finish() })
}

/// Every part is computed, on one rank: otherwise no reader could tell where it is.
fn check_parts(schedule: &Schedule) -> Result<(), FormatError> {
    let cannot = |reason| FormatFault::CannotHold { format: Format::Csv, reason }.nowhere();
    let placement = schedule.placement();
    if placement.shape() == Shape::BothWays {
        return Err(cannot(
            "every part lies on two stages, and torch knows one rank of a part".into(),
        ));
    }
    for (stage, jobs) in schedule.stages() {
        let mut is_computed = vec![false; placement.chunks_of(stage) as usize];
        for job in jobs.iter().filter(|job| job.kind().is_computation()) {
            is_computed[usize::from(job.job_type.chunk_or_first().0)] = true;
        }
        if let Some(chunk) = is_computed.iter().position(|is_computed| !is_computed) {
            let reason = format!("chunk {chunk} of stage {stage} computes nothing");
            return Err(cannot(reason));
        }
    }
    Ok(())
}

/// Whether the chunks of each stage are numbered in the order of the parts, as a reader will number them.
fn has_chunks_in_order(schedule: &Schedule) -> bool {
    let placement = schedule.placement();
    let part = |stage, chunk: u32| placement.part(stage, Chunk(chunk as u16));
    let is_in_order = |stage| {
        (1..placement.chunks_of(stage)).all(|chunk| part(stage, chunk - 1) < part(stage, chunk))
    };
    placement.shape() != Shape::Given || (0..placement.stages()).map(Stage).all(is_in_order)
}

/// Whether messages are written: where each direction has both ends of its messages, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Messages {
    Written,
    LeftOut,
}

impl Messages {
    fn of(schedule: &Schedule) -> Self {
        let has = |kind| schedule.jobs().iter().any(|job| job.kind() == kind);
        let is_whole = has(JobKind::SendForward) == has(JobKind::RecvForward)
            && has(JobKind::SendBackward) == has(JobKind::RecvBackward);
        if is_whole { Self::Written } else { Self::LeftOut }
    }
}

fn write_row(
    text: &mut String,
    schedule: &Schedule,
    stage: Stage,
    messages: Messages,
    losses: &mut Losses,
) {
    let begin = text.len();
    let mut jobs = (schedule.begin(stage.0)..).zip(schedule.list(stage.0)).peekable();
    while let Some((index, &job)) = jobs.next() {
        note_losses(job, losses);
        let Some(action) = action(schedule, stage, job, messages) else {
            losses.add(match is_message(job.kind()) {
                true => Loss::MessagesWithOneEnd(job.kind()),
                false => Loss::Jobs(job.kind()),
            });
            continue;
        };
        if text.len() > begin {
            text.push(',');
        }
        let partner = jobs.peek().filter(|_| schedule.is_fused_with_next(index));
        match partner.map(|&(_, &partner)| partner) {
            Some(partner) if partner.kind() == JobKind::Backward => {
                note_losses(partner, losses);
                text.push('(');
                push(text, action);
                text.push(';');
                push(text, (part(schedule, stage, partner), "B", Some(partner)));
                text.push_str(")OVERLAP_F_B");
                jobs.next();
            }
            partner => {
                push(text, action);
                partner.into_iter().for_each(|_| losses.add(Loss::FusedPairs));
            }
        }
    }
    if text.len() == begin {
        text.push(',');
    }
}

fn note_losses(job: Job, losses: &mut Losses) {
    if job.kind() == JobKind::BackwardWeightReduce {
        losses.add(Loss::ReductionsInJobs);
    }
    if job.kind() != JobKind::Optimizer && job.job_type.chunk().is_none() {
        losses.add(Loss::TypesWithoutChunk);
    }
}

/// The part, the type and the job if its micro-batch is written; none if torch has no such action.
fn action(
    schedule: &Schedule,
    stage: Stage,
    job: Job,
    messages: Messages,
) -> Option<(Part, &'static str, Option<Job>)> {
    if is_message(job.kind()) && messages == Messages::LeftOut {
        return None;
    }
    let kind = match job.kind() {
        JobKind::BackwardWeightReduce => JobKind::BackwardWeight,
        kind => kind,
    };
    let name = name(kind)?;
    Some((part(schedule, stage, job), name, kind.is_per_micro_batch().then_some(job)))
}

fn part(schedule: &Schedule, stage: Stage, job: Job) -> Part {
    let part = schedule.placement().part(stage, job.job_type.chunk_or_first());
    part.expect("every job of a schedule is at home")
}

fn push(text: &mut String, (part, name, job): (Part, &str, Option<Job>)) {
    let _ = write!(text, "{part}{name}");
    if let Some(job) = job {
        let _ = write!(text, "{}", job.micro_batch);
    }
}
