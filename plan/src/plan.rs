//! The plan of one rank.
//!
//! Invariants, checked when the plan is made and not breakable afterwards:
//! - all programs are of one context, and no two of one job type;
//! - every job has a program and a micro-batch that exists;
//! - the `skip_gc_vars` are those of these programs and jobs: whoever puts other programs in
//!   ([`ProgramSet`]) has them derived anew.

use std::fmt;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
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

    /// The plan with other names that each job must not free, such as those that another tool
    /// recorded: `of_job` gives them for the position of a job. They hold until a program is replaced.
    pub fn with_skip_gc_vars(mut self, mut of_job: impl FnMut(usize) -> Vec<Name>) -> Self {
        let mut sets: IndexSet<Box<[Name]>, FxBuildHasher> = IndexSet::default();
        let jobs = 0..self.jobs().len();
        let set_of_job = jobs.map(|job| {
            let mut names = of_job(job);
            names.sort_unstable_by_key(|&name| self.context().name_text(name));
            names.dedup();
            sets.insert_full(names.into()).0 as u32
        });
        let set_of_job = set_of_job.collect();
        self.skip_gc = SkipGc { sets: sets.into_iter().collect(), set_of_job };
        self
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

    /// The job list, and what jobs keep for later ones: a line for each job type whose jobs all keep
    /// the same, else for each job; none where nothing is kept.
    fn account(&self) -> String {
        let jobs: Vec<String> = self.jobs().iter().map(Job::to_string).collect();
        let mut out = format!("jobs: {}\n", jobs.join(" "));
        for (job_type, _) in self.programs() {
            let of_type = self.jobs().iter().enumerate();
            let of_type = of_type.filter(|(_, job)| job.job_type == job_type);
            let sets: Vec<(String, usize)> =
                of_type.map(|(index, job)| (job.to_string(), self.skip_gc_set(index))).collect();
            let is_one = sets.iter().all(|(_, set)| *set == sets[0].1);
            let lines = match sets.first() {
                Some((_, set)) if is_one => vec![(job_type.to_string(), *set)],
                _ => sets,
            };
            out.extend(lines.into_iter().filter_map(|(whose, set)| self.kept(&whose, set)));
        }
        out
    }
}

/// # For a person
impl Plan {
    /// `forward0 keeps x, var_6_pd_op.matmul_0`, if there is anything in the set.
    fn kept(&self, whose: &str, set: usize) -> Option<String> {
        let names = self.skip_gc_sets().nth(set)?.iter();
        let mut names: Vec<&str> = names.map(|&name| self.context().name_text(name)).collect();
        names.sort_by_key(|name| in_program_order(name));
        (!names.is_empty()).then(|| format!("{whose} keeps {}\n", names.join(", ")))
    }
}

/// A key by which names that are made from a position, `var_6_pd_op.matmul_0`, come in the order of
/// their positions, behind all others.
fn in_program_order(name: &str) -> (Option<u64>, &str) {
    let position = name.strip_prefix("var_").and_then(|rest| rest.split_once('_'));
    (position.and_then(|(position, _)| position.parse().ok()), name)
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
