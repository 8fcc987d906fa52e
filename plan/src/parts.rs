//! What a plan is made from, and all that can be wrong with it.

use std::sync::Arc;

use indexmap::IndexSet;
use pirogue::ir::Program;
use pirogue_schedule::{Job, JobType, MicroBatch};
use rustc_hash::FxBuildHasher;

use crate::{PlanError, PlanOptions};

/// What a plan is made from.
#[derive(Clone)]
pub struct PlanParts {
    /// What the plan was asked for.
    pub options: PlanOptions,
    /// The program of each job type, in order.
    pub programs: Vec<(JobType, Program)>,
    /// The jobs, in the order in which they run.
    pub jobs: Vec<Job>,
}

type JobTypes = IndexSet<JobType, FxBuildHasher>;

impl PlanParts {
    /// All that is wrong, in the order options, programs, jobs.
    pub(crate) fn faults(&self) -> impl Iterator<Item = PlanError> + '_ {
        let types: JobTypes = self.programs.iter().map(|program| program.0).collect();
        let counts = self.options.counts().err().map(PlanError::Counts);
        let none = self.programs.is_empty().then_some(PlanError::NoPrograms);
        let programs = (0..self.programs.len()).flat_map(move |index| self.program_faults(index));
        let jobs = self.jobs.iter().enumerate();
        let jobs = jobs.flat_map(move |(index, &job)| self.job_faults(&types, index, job));
        counts.into_iter().chain(none).chain(self.same_types()).chain(programs).chain(jobs)
    }

    fn same_types(&self) -> impl Iterator<Item = PlanError> + '_ {
        let mut met = JobTypes::default();
        let programs = self.programs.iter().enumerate();
        programs.filter_map(move |(program, &(job_type, _))| {
            (!met.insert(job_type)).then_some(PlanError::SameType { job_type, program })
        })
    }

    fn program_faults(&self, index: usize) -> impl Iterator<Item = PlanError> + use<> {
        let (job_type, ref program) = self.programs[index];
        let is_foreign = !Arc::ptr_eq(program.context(), self.programs[0].1.context());
        let chunks = self.options.vpp_degree;
        let has_no_chunk = job_type.chunk().is_some_and(|chunk| u32::from(chunk.0) >= chunks);
        let foreign = is_foreign.then_some(PlanError::OtherContext { job_type, program: index });
        let no_chunk =
            has_no_chunk.then_some(PlanError::NoSuchChunk { job_type, program: index, chunks });
        foreign.into_iter().chain(no_chunk)
    }

    fn job_faults(
        &self,
        types: &JobTypes,
        index: usize,
        job: Job,
    ) -> impl Iterator<Item = PlanError> + use<> {
        let micro_batches = self.options.num_micro_batches;
        let MicroBatch(micro_batch) = job.micro_batch;
        let no_program =
            (!types.contains(&job.job_type)).then_some(PlanError::NoProgram { job, index });
        let no_micro_batch = (micro_batch >= micro_batches)
            .then_some(PlanError::NoSuchMicroBatch { job, index, micro_batches });
        no_program.into_iter().chain(no_micro_batch)
    }
}
