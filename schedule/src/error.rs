//! Why a schedule is not made.
//!
//! Every error has a stable [`code`](ScheduleError::code) and a [`help`](ScheduleError::help) that says what
//! to do. Codes are never used for another error.

use std::fmt;

use thiserror::Error;

use crate::check::Deadlock;
use crate::counts::{Counts, MAX_CHUNKS, MAX_JOBS, Stage};

/// What a count counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Pipeline stages.
    Stages,
    /// Chunks on each stage.
    Chunks,
    /// Micro-batches.
    MicroBatches,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stages => "stages",
            Self::Chunks => "chunks",
            Self::MicroBatches => "micro-batches",
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
    fn advice(self) -> String {
        match (self.below, self.above) {
            (Some(below), Some(above)) => format!("take {below} or {above} micro-batches"),
            (Some(count), None) | (None, Some(count)) => format!("take {count} micro-batches"),
            (None, None) => "take another number of micro-batches".into(),
        }
    }
}
