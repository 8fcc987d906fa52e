//! Can all stages run their lists together?
//!
//! A schedule is sound if
//!
//! 1. every list is *complete*: each step is there exactly once, receive before forward before backward
//!    before send, the weight half of a backward after its input half ([`Complete::of`]);
//! 2. the stages *come to an end*: nobody waits, in a circle, for itself ([`Complete::deadlock`]);
//! 3. messages *arrive in the order they are sent* on each channel ([`Complete::channel_mismatches`]).
//!
//! The second and third question make sense for complete lists only, hence [`Complete`]: to hold one is to
//! have the first answer.
//!
//! # How stages wait
//!
//! Sends never block. Computations of a stage run in the order of its list. What a receive holds up while
//! its message is not there yet is a choice, [`Receives`].

mod channel;
mod complete;
mod cycle;
mod places;
mod progress;
mod wait;
mod wait_graph;

use thiserror::Error;

use crate::counts::Stage;
use crate::job::Job;
use crate::schedule::Schedule;
use crate::traffic::Traffic;

pub use channel::{ChannelMismatch, Channels};
pub use wait::{Activity, Deadlock, JobPart, Reason, Wait};

/// What a receive holds up until its message has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Receives {
    /// Only the computation that needs the message, as if all receives were posted at the start.
    NonBlocking,
    /// That computation and all later receives of the stage: receives have one stream of their own. This is
    /// how Paddle's `VPP` runs, whose receives are all on `recv_stream`.
    OwnStream,
    /// Everything after it in the list.
    Blocking,
}

/// A schedule whose lists are complete and in order, each by itself.
#[derive(Debug, Clone, Copy)]
pub struct Complete<'a> {
    schedule: &'a Schedule,
    traffic: Traffic<'a>,
}

impl<'a> Complete<'a> {
    /// Checks each list by itself.
    ///
    /// Complete means, for each chunk and micro-batch below the counts: one forward; one backward, or one of
    /// each half; if any list has `recv_forward` or `send_backward` jobs, one of each of those too, on every
    /// stage. An optimizer, if there is one, is the last job.
    ///
    /// # Errors
    /// The first [`MAX_FAULTS`] faults, in order of stages.
    pub fn of(schedule: &'a Schedule) -> Result<Self, Vec<Fault>> {
        let traffic = Traffic::of(schedule);
        let faults = complete::faults(schedule, traffic);
        if faults.is_empty() { Ok(Self { schedule, traffic }) } else { Err(faults) }
    }

    /// The schedule.
    pub fn schedule(&self) -> &'a Schedule {
        self.schedule
    }

    /// Runs all lists against each other, without time; the circle of waits if that comes to a standstill.
    ///
    /// A single stage sends nothing to anybody, so `receives` makes no difference to it.
    ///
    /// Takes time linear in the number of jobs.
    pub fn deadlock(&self, receives: Receives) -> Option<Deadlock> {
        let progress = progress::Progress::to_the_end(self, receives);
        (!progress.is_finished()).then(|| cycle::shortest(&progress))
    }

    /// For each ordered pair of stages the first message, if any, that is not received in its turn.
    pub fn channel_mismatches(&self, channels: Channels) -> Vec<ChannelMismatch> {
        channel::mismatches(self, channels)
    }
}

/// The most faults that [`Complete::of`] lists: enough to see what is wrong with a list.
pub const MAX_FAULTS: usize = 20;

/// What is wrong with the list of one stage.
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
}

impl Fault {
    /// The stable code of the fault.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "E0311",
            Self::Repeated { .. } => "E0312",
            Self::WholeAndSplit { .. } => "E0313",
            Self::OutOfOrder { .. } => "E0314",
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
        }
    }
}
