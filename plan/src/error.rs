//! Why parts do not make a plan.

use pirogue::diagnostic::Diagnostic;
use pirogue_schedule::{Job, JobType, ScheduleError};
use thiserror::Error;

/// Why parts do not make a plan.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The counts are out of range.
    #[error(transparent)]
    Counts(#[from] ScheduleError),
    /// There is no program.
    #[error("a plan needs a program, but none was given")]
    NoPrograms,
    /// Two programs have one job type.
    #[error("two programs are of the job type `{job_type}`")]
    SameType {
        /// The job type.
        job_type: JobType,
        /// The position of the second program.
        program: usize,
    },
    /// A program has another context than the first.
    #[error("the program of `{job_type}` is of another context than the first program")]
    OtherContext {
        /// The job type of the program.
        job_type: JobType,
        /// The position of the program.
        program: usize,
    },
    /// A program is of a chunk that the stage does not have.
    #[error("the program of `{job_type}` is of no chunk of the stage, which has {chunks}")]
    NoSuchChunk {
        /// The job type of the program.
        job_type: JobType,
        /// The position of the program.
        program: usize,
        /// The number of chunks on each stage.
        chunks: u32,
    },
    /// A job has no program.
    #[error("job {index}, `{job}`, has no program: the plan has none of the type `{}`", .job.job_type)]
    NoProgram {
        /// The job.
        job: Job,
        /// Its position in the job list.
        index: usize,
    },
    /// A job is of a micro-batch that does not exist.
    #[error(
        "job {index}, `{job}`, is of no micro-batch: there are {micro_batches}, counted from 0"
    )]
    NoSuchMicroBatch {
        /// The job.
        job: Job,
        /// Its position in the job list.
        index: usize,
        /// The number of micro-batches.
        micro_batches: u32,
    },
}

/// Which part of a plan an error is about.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Options,
    Programs,
    Program(usize),
    Job(usize),
}

impl PlanError {
    /// The stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Counts(error) => error.code(),
            Self::NoPrograms => "E0631",
            Self::SameType { .. } => "E0632",
            Self::OtherContext { .. } => "E0633",
            Self::NoSuchChunk { .. } => "E0634",
            Self::NoProgram { .. } => "E0635",
            Self::NoSuchMicroBatch { .. } => "E0636",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Counts(error) => error.help(),
            Self::NoPrograms => "give a program for each job type".into(),
            Self::SameType { .. } => "leave one of the two out".into(),
            Self::OtherContext { .. } => {
                "read or make all programs of a plan in one context".into()
            }
            Self::NoSuchChunk { .. } => "raise `vpp_degree`, or leave the program out".into(),
            Self::NoProgram { .. } => "add the program, or leave its jobs out".into(),
            Self::NoSuchMicroBatch { .. } => {
                "raise `num_micro_batches`, or leave the job out".into()
            }
        }
    }

    pub(crate) fn part(&self) -> Part {
        match *self {
            Self::Counts(_) => Part::Options,
            Self::NoPrograms => Part::Programs,
            Self::SameType { program, .. }
            | Self::OtherContext { program, .. }
            | Self::NoSuchChunk { program, .. } => Part::Program(program),
            Self::NoProgram { index, .. } | Self::NoSuchMicroBatch { index, .. } => {
                Part::Job(index)
            }
        }
    }
}

impl From<PlanError> for Diagnostic {
    fn from(error: PlanError) -> Self {
        let diagnostic = Self::error(error.code(), error.to_string()).help(error.help());
        match error {
            PlanError::Counts(error) => error.details().into_iter().fold(diagnostic, Self::remark),
            _ => diagnostic,
        }
    }
}
