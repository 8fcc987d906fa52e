//! Do all stages reduce gradients in one order?
//!
//! A reduction is a collective: every rank that takes part must come to it in the same order, or each waits
//! in another one. Data parallel replicas of a stage run the same list, so they always agree. Two cases are
//! left:
//!
//! - the model lies over the stages both ways: stages r and p-1-r hold the same two parts and reduce them
//!   with each other, so both must reduce the *parts* in one order;
//! - otherwise the stages must reduce their *chunks* in one order, as whatever is shared among the
//!   collectives of all stages (one stream, one event, the norm of all gradients) demands.

use super::Fault;
use crate::counts::{Chunk, Stage};
use crate::job::{Job, JobKind};
use crate::placement::Shape;
use crate::schedule::Schedule;

/// The first reduction of each stage that is out of the order of another stage's.
pub(super) fn faults(schedule: &Schedule) -> Vec<Fault> {
    let stages = schedule.counts().stages();
    let is_both_ways = schedule.placement().shape() == Shape::BothWays;
    let pair = |stage: u32| {
        let other = if is_both_ways { stages - 1 - stage } else { 0 };
        (Stage(stage), Stage(other))
    };
    let pairs = (0..stages).map(pair).filter(|(stage, other)| other < stage);
    pairs.filter_map(|(stage, other)| first_fault(schedule, stage, other)).collect()
}

fn first_fault(schedule: &Schedule, stage: Stage, other: Stage) -> Option<Fault> {
    let of_stage = reductions(schedule, stage);
    let of_other = reductions(schedule, other);
    // What only one of the two reduces is no matter between them.
    let shared = |all: &[Reduction], others: &[Reduction]| -> Vec<Reduction> {
        let is_shared = |one: &&Reduction| others.iter().any(|other| other.what == one.what);
        all.iter().filter(is_shared).copied().collect()
    };
    let in_order = shared(&of_stage, &of_other);
    let in_order_of_other = shared(&of_other, &of_stage);
    let mut pairs = in_order.iter().zip(&in_order_of_other);
    let (one, other_one) = pairs.find(|(one, other)| one.what != other.what)?;
    Some(Fault::ReductionOrder { stage, job: one.job, other, other_job: other_one.job })
}

/// A job that reduces gradients.
#[derive(Debug, Clone, Copy)]
struct Reduction {
    /// What is the same on all stages that take part.
    what: (JobKind, u32),
    job: Job,
}

/// What a stage reduces, in order: for each chunk the start and the end, so never much.
fn reductions(schedule: &Schedule, stage: Stage) -> Vec<Reduction> {
    let reduces = |job: &&Job| {
        matches!(
            job.kind(),
            JobKind::ReduceGradient | JobKind::WaitReduceGradient | JobKind::BackwardWeightReduce
        )
    };
    let jobs = schedule.list(stage.0).iter().filter(reduces);
    let reduction = |&job: &Job| {
        let number = number(schedule, stage, job.job_type.chunk_or_first());
        Reduction { what: (job.kind(), number), job }
    };
    jobs.map(reduction).collect()
}

/// What names a reduction on all stages that take part in it.
fn number(schedule: &Schedule, stage: Stage, chunk: Chunk) -> u32 {
    let placement = schedule.placement();
    match (placement.shape(), placement.part(stage, chunk)) {
        (Shape::BothWays, Some(part)) => part.0,
        _ => u32::from(chunk.0),
    }
}
