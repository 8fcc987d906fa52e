//! Why a schedule is not made.
//!
//! Every error has a stable [`code`](ScheduleError::code) and a [`help`](ScheduleError::help) that says what
//! to do. Codes are never used for another error.

use std::fmt;

use thiserror::Error;

use crate::check::Deadlock;
use crate::counts::{Chunk, Counts, MAX_CHUNKS, MAX_JOBS, Part, Stage};
use crate::job::Job;

/// What a count counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Pipeline stages.
    Stages,
    /// Chunks on each stage.
    Chunks,
    /// Micro-batches.
    MicroBatches,
    /// Parts of the model.
    Parts,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stages => "stages",
            Self::Chunks => "chunks",
            Self::MicroBatches => "micro-batches",
            Self::Parts => "parts",
        })
    }
}

/// Why there is no such schedule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// A count is zero.
    #[error("the number of {what} is 0")]
    ZeroCount {
        /// Which count.
        what: Quantity,
    },
    /// A stage has more chunks than can be numbered.
    #[error("{chunks} chunks on a stage are too many: expected at most {MAX_CHUNKS}")]
    TooManyChunks {
        /// The number of chunks that was asked for.
        chunks: u64,
    },
    /// All lists together would hold too many jobs.
    #[error(
        "{stages} stages, {chunks} chunks and {micro_batches} micro-batches are too many: expected at most {MAX_JOBS} jobs on all stages together"
    )]
    TooManyJobs {
        /// The number of stages that was asked for.
        stages: u64,
        /// The number of chunks that was asked for.
        chunks: u64,
        /// The number of micro-batches that was asked for.
        micro_batches: u64,
    },
    /// There are fewer micro-batches than stages.
    #[error("`VPP` on {stages} stages needs at least {stages} micro-batches, not {micro_batches}")]
    TooFewMicroBatches {
        /// The number of stages.
        stages: u32,
        /// The number of micro-batches.
        micro_batches: u32,
    },
    /// The schedule has no such stage.
    #[error("there is no stage {stage}: the schedule has {stages} stages, counted from 0")]
    NoSuchStage {
        /// The stage that was asked for.
        stage: Stage,
        /// The number of stages.
        stages: u32,
    },
    /// The stages would wait for each other for ever.
    #[error("`VPP` with {counts} deadlocks: {deadlock}")]
    Deadlock {
        /// The counts that were asked for.
        counts: Counts,
        /// Who waits for whom.
        deadlock: Box<Deadlock>,
        /// The numbers of micro-batches to take instead.
        nearest: NearestMicroBatches,
    },
    /// A part is placed on a stage that there is not.
    #[error(
        "part {part} is placed on stage {stage}, but there are {stages} stages, counted from 0"
    )]
    PartBeyondStages {
        /// The part.
        part: Part,
        /// The stage it is placed on.
        stage: Stage,
        /// The number of stages.
        stages: u32,
    },
    /// Two parts are placed at one chunk of one stage.
    #[error("parts {} and {} are both placed at chunk {chunk} of stage {stage}", .parts[0], .parts[1])]
    SharedHome {
        /// The parts.
        parts: [Part; 2],
        /// Their stage.
        stage: Stage,
        /// Their chunk.
        chunk: Chunk,
    },
    /// The chunks of a stage leave a number out.
    #[error("stage {stage} has no chunk {missing}, but chunk {chunk} holds part {part}")]
    MissingChunk {
        /// The stage.
        stage: Stage,
        /// The number that is left out.
        missing: Chunk,
        /// A chunk after it.
        chunk: Chunk,
        /// The part of that chunk.
        part: Part,
    },
    /// The counts do not let a model lie over the stages in both directions.
    #[error("with {counts} the model cannot go both ways over the stages")]
    NotBothWays {
        /// The counts.
        counts: Counts,
    },
    /// The lists and the placement have different numbers of stages.
    #[error("there are the lists of {lists} stages, but the placement is for {stages}")]
    OtherStages {
        /// The number of lists.
        lists: usize,
        /// The number of stages of the placement.
        stages: u32,
    },
    /// A job is on a stage that does not hold its chunk for its micro-batch.
    #[error(
        "stage {stage}: `{job}` does not belong there: the placement has no such chunk on the stage for this micro-batch"
    )]
    Misplaced {
        /// Whose list it is.
        stage: Stage,
        /// The job.
        job: Job,
    },
    /// A pair of jobs that is to run as one is no such pair.
    #[error(
        "job {index} is not fused with the next: expected a forward and then a backward in the list of one stage, each in one pair only"
    )]
    NotAPair {
        /// The index of the first job of the pair among all jobs.
        index: usize,
    },
}

/// The numbers of micro-batches nearest to a refused one that all stages can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearestMicroBatches {
    /// The largest below it, if there is one.
    pub below: Option<u32>,
    /// The smallest above it, if one is small enough to be a schedule.
    pub above: Option<u32>,
}

impl ScheduleError {
    /// The stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ZeroCount { .. } => "E0301",
            Self::TooManyChunks { .. } => "E0302",
            Self::TooManyJobs { .. } => "E0303",
            Self::TooFewMicroBatches { .. } => "E0304",
            Self::NoSuchStage { .. } => "E0305",
            Self::Deadlock { .. } => "E0306",
            Self::PartBeyondStages { .. } => "E0331",
            Self::SharedHome { .. } => "E0332",
            Self::MissingChunk { .. } => "E0333",
            Self::NotBothWays { .. } => "E0334",
            Self::OtherStages { .. } => "E0335",
            Self::Misplaced { .. } => "E0336",
            Self::NotAPair { .. } => "E0337",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::ZeroCount { what } => format!("give at least 1 for the number of {what}"),
            Self::TooManyChunks { .. } => "give fewer chunks".into(),
            Self::TooManyJobs { .. } => "give fewer stages, chunks or micro-batches".into(),
            Self::TooFewMicroBatches { stages, .. } => {
                format!("take a multiple of {stages} micro-batches")
            }
            Self::NoSuchStage { stages, .. } => match stages {
                1 => "the only stage is 0".into(),
                _ => format!("give a stage from 0 to {}", stages - 1),
            },
            Self::PartBeyondStages { stages, .. } => {
                format!("place the part on a stage from 0 to {}", stages - 1)
            }
            Self::SharedHome { .. } => "give each part a chunk of its own".into(),
            Self::MissingChunk { .. } => {
                "number the chunks of a stage from 0 without leaving one out".into()
            }
            Self::NotBothWays { .. } => {
                "take two chunks on a stage and an even number of micro-batches".into()
            }
            Self::OtherStages { .. } => "give a list for every stage of the placement".into(),
            Self::Misplaced { .. } => "move the job to the stage that holds its chunk".into(),
            Self::NotAPair { .. } => "fuse a forward with the backward right after it".into(),
            Self::Deadlock { counts, nearest, .. } => format!(
                "{}; multiples of {} always run and leave the stages least idle",
                nearest.advice(),
                counts.stages()
            ),
        }
    }

    /// Lines to show beneath the message: the cycle of a deadlock, one wait a line.
    pub fn details(&self) -> Vec<String> {
        match self {
            Self::Deadlock { deadlock, .. } => {
                deadlock.cycle.iter().map(ToString::to_string).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl NearestMicroBatches {
    pub(crate) fn advice(self) -> String {
        match (self.below, self.above) {
            (Some(below), Some(above)) => format!("take {below} or {above} micro-batches"),
            (Some(count), None) | (None, Some(count)) => format!("take {count} micro-batches"),
            (None, None) => "take another number of micro-batches".into(),
        }
    }
}
