//! What is wrong with a schedule.

use thiserror::Error;

use super::{ChannelMismatch, Channels, Deadlock};
use crate::counts::Stage;
use crate::job::Job;

/// The most faults that are listed: enough to see what is wrong with a list.
pub const MAX_FAULTS: usize = 20;

/// What is wrong with the list of one stage, or with those of several together.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// A job is not in the list.
    #[error("stage {stage}: `{job}` is missing")]
    Missing {
        /// Whose list it is.
        stage: Stage,
        /// The job that should be there.
        job: Job,
    },
    /// A job is in the list more than once.
    #[error("stage {stage}: `{job}` is there more than once")]
    Repeated {
        /// Whose list it is.
        stage: Stage,
        /// The job.
        job: Job,
    },
    /// A step backward is in the list both whole and in halves.
    #[error("stage {stage}: `{job}` is there, but also `{other}`")]
    WholeAndSplit {
        /// Whose list it is.
        stage: Stage,
        /// The job that comes later in the list.
        job: Job,
        /// The job that does the same work.
        other: Job,
    },
    /// A job stands before one that it builds on.
    #[error("stage {stage}: `{job}` stands before `{needs}`")]
    OutOfOrder {
        /// Whose list it is.
        stage: Stage,
        /// The job that comes too early.
        job: Job,
        /// The job that must come first.
        needs: Job,
    },
    /// A job sends, receives or waits for what no other stage has to do with, or is for a micro-batch though it
    /// runs once.
    #[error("stage {stage}: `{job}` has nothing to do")]
    Unneeded {
        /// Whose list it is.
        stage: Stage,
        /// The job.
        job: Job,
    },
    /// A stage has a job for a micro-batch that the others have not.
    #[error(
        "stage {stage}: `{job}` is for a micro-batch that the schedule has not: it has {micro_batches}, counted from 0"
    )]
    Beyond {
        /// Whose list it is.
        stage: Stage,
        /// The first such job.
        job: Job,
        /// How many micro-batches most stages have.
        micro_batches: u32,
    },
    /// A stage holds a part of the model and does nothing with it.
    #[error("stage {stage}: nothing is to run, though the stage holds a part of the model")]
    Idle {
        /// The stage.
        stage: Stage,
    },
    /// The stages wait for each other for ever.
    #[error("deadlock: {deadlock}")]
    Deadlock {
        /// Who waits for whom.
        deadlock: Box<Deadlock>,
        /// What would let them go on.
        cure: Cure,
    },
    /// Messages are not received in the order in which they are sent.
    #[error("{mismatch}")]
    ChannelOrder {
        /// The first two messages out of order.
        mismatch: ChannelMismatch,
        /// What shares a channel.
        channels: Channels,
    },
    /// Two stages reduce gradients in different orders.
    #[error(
        "stage {stage} comes to `{job}` where stage {other} comes to `{other_job}`: gradients are reduced in two orders"
    )]
    ReductionOrder {
        /// A stage.
        stage: Stage,
        /// Its job.
        job: Job,
        /// Another stage.
        other: Stage,
        /// What it does in place of that.
        other_job: Job,
    },
    /// A stage holds more activations than it may.
    #[error("stage {stage} holds {peak} activations at a time, more than {limit}, from `{job}` on")]
    Memory {
        /// The stage.
        stage: Stage,
        /// The most that it holds.
        peak: u32,
        /// The most that it may hold.
        limit: u32,
        /// The first job with which it holds more.
        job: Job,
    },
}

/// What would let stages go on that wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cure {
    /// Sends that do not block.
    BufferSends,
    /// Receives that do not hold up the list.
    PostReceives,
    /// One job before another in the list of a stage: then all lists come to their end.
    Move {
        /// The stage.
        stage: Stage,
        /// The job to move.
        job: Job,
        /// The job to move it before.
        before: Job,
    },
    /// An order that does not have this stage wait for itself: one move is not enough.
    Reorder,
}

impl Fault {
    /// The stable code of the fault.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "E0311",
            Self::Repeated { .. } => "E0312",
            Self::WholeAndSplit { .. } => "E0313",
            Self::OutOfOrder { .. } => "E0314",
            Self::Deadlock { .. } => "E0361",
            Self::ChannelOrder { .. } => "E0362",
            Self::ReductionOrder { .. } => "E0363",
            Self::Memory { .. } => "E0364",
            Self::Unneeded { .. } => "E0365",
            Self::Beyond { .. } => "E0366",
            Self::Idle { .. } => "E0367",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Missing { job, .. } => format!("add `{job}` to the list"),
            Self::Repeated { .. } => "keep one of them".into(),
            Self::WholeAndSplit { .. } => {
                "a step backward is either one `backward` or a `backward_b` and a `backward_w`"
                    .into()
            }
            Self::OutOfOrder { job, needs, .. } => format!("put `{needs}` before `{job}`"),
            Self::Deadlock { cure, .. } => cure.advice(),
            Self::ChannelOrder { channels: Channels::PerPair, .. } => {
                "give each direction a channel of its own, or receive in the order of the sends"
                    .into()
            }
            Self::ChannelOrder { channels: Channels::PerDirection, .. } => {
                "receive in the order of the sends".into()
            }
            Self::ReductionOrder { .. } => "reduce in the same order on all stages".into(),
            Self::Memory { .. } => {
                "run backwards earlier, hold fewer micro-batches back, or allow more".into()
            }
            Self::Unneeded { job, .. } => format!("leave `{job}` out"),
            Self::Beyond { micro_batches: 1, .. } => "the only micro-batch is 0".into(),
            Self::Beyond { micro_batches, .. } => {
                format!("number micro-batches from 0 to {}", micro_batches - 1)
            }
            Self::Idle { .. } => {
                "give all stages the same numbers: what one refuses the others must refuse too"
                    .into()
            }
        }
    }

    /// The job in a list that the fault is about, if it is there.
    pub fn place(&self) -> Option<(Stage, Job)> {
        match self {
            Self::Repeated { stage, job }
            | Self::WholeAndSplit { stage, job, .. }
            | Self::OutOfOrder { stage, job, .. }
            | Self::Unneeded { stage, job }
            | Self::Beyond { stage, job, .. }
            | Self::ReductionOrder { stage, job, .. }
            | Self::Memory { stage, job, .. } => Some((*stage, *job)),
            Self::ChannelOrder { mismatch, .. } => Some((mismatch.to, mismatch.receives)),
            Self::Missing { .. } | Self::Idle { .. } | Self::Deadlock { .. } => None,
        }
    }

    /// Lines to show beneath the message: the circle of a deadlock, one wait a line.
    pub fn details(&self) -> Vec<String> {
        match self {
            Self::Deadlock { deadlock, .. } => {
                deadlock.cycle.iter().map(ToString::to_string).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Cure {
    fn advice(self) -> String {
        match self {
            Self::BufferSends => {
                "the lists come to their end if sends are buffered; or let one of two stages that send to \
                 each other receive first"
                    .into()
            }
            Self::PostReceives => {
                "the lists come to their end if receives do not hold up the list: give them a stream of \
                 their own, or post them earlier"
                    .into()
            }
            Self::Move { stage, job, before } => {
                format!("put `{job}` before `{before}` on stage {stage}: then all lists come to their end")
            }
            Self::Reorder => "put a job that others wait for before one that waits for them".into(),
        }
    }
}
