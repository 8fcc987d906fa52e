//! What no term can show: that each job runs as often as it should.

use hashbrown::HashMap;
use pirogue_plan::Plan;
use pirogue_schedule::{JobKind, JobType, MicroBatch};
use rustc_hash::FxBuildHasher;

/// A job that does not run once.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Miscount {
    pub(crate) job_type: JobType,
    pub(crate) batch: u32,
    pub(crate) count: usize,
}

/// More are not looked for.
const MOST: usize = 1000;

/// The jobs that do not run once: those of a micro-batch once in each, others once for micro-batch 0.
pub(crate) fn miscounts(plan: &Plan) -> Vec<Miscount> {
    let mut counts: HashMap<(JobType, MicroBatch), usize, FxBuildHasher> = HashMap::default();
    for job in plan.jobs() {
        *counts.entry((as_counted(job.job_type), job.micro_batch)).or_insert(0) += 1;
    }
    let mut types: Vec<JobType> = plan.programs().map(|program| as_counted(program.0)).collect();
    types.dedup();
    let mut found = Vec::new();
    for job_type in types {
        for batch in 0..plan.options().num_micro_batches {
            let count = counts.get(&(job_type, MicroBatch(batch))).copied().unwrap_or(0);
            let is_wanted = batch == 0 || job_type.kind().is_per_micro_batch();
            if count != usize::from(is_wanted) {
                found.push(Miscount { job_type, batch, count });
            }
            if found.len() == MOST {
                return found;
            }
        }
    }
    found
}

/// The last weight half of a chunk has a type of its own where it starts a reduction.
fn as_counted(job_type: JobType) -> JobType {
    match (job_type.kind(), job_type.chunk()) {
        (JobKind::BackwardWeightReduce, Some(chunk)) => JobKind::BackwardWeight.in_chunk(chunk),
        _ => job_type,
    }
}
