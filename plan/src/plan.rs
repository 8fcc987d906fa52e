//! The plan of one rank.
//!
//! Invariants, checked when the plan is made and not breakable afterwards:
//! - all programs are of one context, and no two of one job type;
//! - every job has a program and a micro-batch that exists;
//! - the `skip_gc_vars` are those of these programs and jobs: whoever puts other programs in
//!   ([`ProgramSet`]) has them derived anew.

use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Context, Name, Program};
use pirogue::pass::{PassError, ProgramSet};
use pirogue_schedule::{Job, JobType};
use rustc_hash::FxBuildHasher;

use crate::skip_gc::SkipGc;
use crate::{PlanError, PlanOptions, PlanParts, SkipGcRule};

/// What one rank runs: programs by job type, the job list, and what each job leaves for later jobs.
#[derive(Clone)]
pub struct Plan {
    parts: PlanParts,
    index_of: IndexMap<JobType, usize, FxBuildHasher>,
    skip_gc: SkipGc,
    rule: SkipGcRule,
}

impl Plan {
    /// The plan of these programs and jobs. `rule` says which values each job keeps.
    ///
    /// # Errors
    /// The first that is wrong in options, programs, jobs.
    pub fn new(
        options: PlanOptions,
        programs: impl IntoIterator<Item = (JobType, Program)>,
        jobs: Vec<Job>,
        rule: SkipGcRule,
    ) -> Result<Self, PlanError> {
        let programs = programs.into_iter().collect();
        Self::from_parts(PlanParts { options, programs, jobs }, rule)
    }

    /// The plan of these parts, such as those that [`into_parts`](Self::into_parts) gave.
    ///
    /// # Errors
    /// As those of [`new`](Self::new).
    pub fn from_parts(parts: PlanParts, rule: SkipGcRule) -> Result<Self, PlanError> {
        if let Some(fault) = parts.faults().next() {
            return Err(fault);
        }
        let skip_gc = SkipGc::of(&parts, rule);
        Ok(Self::assemble(parts, skip_gc, rule))
    }

    /// The plan of parts that have no faults, with sets that have an entry for each job.
    pub(crate) fn assemble(parts: PlanParts, skip_gc: SkipGc, rule: SkipGcRule) -> Self {
        let types = parts.programs.iter().map(|program| program.0);
        let index_of = types.zip(0..).collect();
        Self { parts, index_of, skip_gc, rule }
    }

    /// What the plan is made from.
    pub fn into_parts(self) -> PlanParts {
        self.parts
    }

    /// What the plan was asked for.
    pub fn options(&self) -> &PlanOptions {
        &self.parts.options
    }

    /// The context of all programs.
    pub fn context(&self) -> &Arc<Context> {
        self.parts.programs[0].1.context()
    }
}

/// # Programs and jobs
impl Plan {
    /// The program of a job type, if the plan has one.
    pub fn program(&self, job_type: JobType) -> Option<&Program> {
        self.index_of.get(&job_type).map(|&index| &self.parts.programs[index].1)
    }

    /// All job types with their programs, in order.
    pub fn programs(
        &self,
    ) -> impl ExactSizeIterator<Item = (JobType, &Program)> + DoubleEndedIterator + Clone {
        self.parts.programs.iter().map(|(job_type, program)| (*job_type, program))
    }

    /// The jobs, in the order in which they run.
    pub fn jobs(&self) -> &[Job] {
        &self.parts.jobs
    }
}

/// # What a job leaves for later jobs
impl Plan {
    /// The names of the values that a job must not free, sorted by their bytes.
    ///
    /// # Panics
    /// If there is no job of that index.
    pub fn skip_gc_vars(&self, job_index: usize) -> &[Name] {
        &self.skip_gc.sets[self.skip_gc_set(job_index)]
    }

    /// Which of [`skip_gc_sets`](Self::skip_gc_sets) is that of a job.
    ///
    /// # Panics
    /// If there is no job of that index.
    pub fn skip_gc_set(&self, job_index: usize) -> usize {
        self.skip_gc.set_of_job[job_index] as usize
    }

    /// The distinct sets of names that jobs must not free, in the order in which jobs first have
    /// them.
    pub fn skip_gc_sets(&self) -> impl ExactSizeIterator<Item = &[Name]> + Clone {
        self.skip_gc.sets.iter().map(|set| &**set)
    }
}

/// The programs go by their job types.
impl ProgramSet for Plan {
    fn names(&self) -> Vec<String> {
        self.index_of.keys().map(JobType::to_string).collect()
    }

    fn program(&self, index: usize) -> &Program {
        &self.parts.programs[index].1
    }

    fn replace(&mut self, programs: Vec<(usize, Program)>) -> Result<(), PassError> {
        let foreign = programs.iter().find(|(_, new)| !Arc::ptr_eq(new.context(), self.context()));
        if let Some(&(program, _)) = foreign {
            let job_type = self.parts.programs[program].0;
            let error = PlanError::OtherContext { job_type, program };
            return Err(Diagnostic::from(error).into());
        }
        for (index, program) in programs {
            self.parts.programs[index].1 = program;
        }
        self.skip_gc = SkipGc::of(&self.parts, self.rule);
        Ok(())
    }

    /// The job list, and a line for each set of names that jobs keep, with these jobs.
    fn account(&self) -> String {
        let mut out = format!("jobs: {}\n", listed(self.jobs()));
        for (index, set) in self.skip_gc_sets().enumerate() {
            let keepers = self.jobs().iter().enumerate();
            let keepers = keepers.filter(|&(job, _)| self.skip_gc_set(job) == index);
            let kept: Vec<&str> = set.iter().map(|&name| self.context().name_text(name)).collect();
            let kept = if kept.is_empty() { "nothing".to_owned() } else { kept.join(", ") };
            out += &format!("kept by {}: {kept}\n", listed(keepers.map(|(_, job)| job)));
        }
        out
    }
}

fn listed<'j>(jobs: impl IntoIterator<Item = &'j Job>) -> String {
    jobs.into_iter().map(Job::to_string).collect::<Vec<String>>().join(" ")
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("options", self.options())
            .field("programs", &self.names())
            .field("jobs", &self.jobs().len())
            .finish_non_exhaustive()
    }
}
