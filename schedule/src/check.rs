//! Can all stages run their lists together?
//!
//! [`check`] answers that for any schedule, generated or read. It is sound if
//!
//! 1. every list is *complete*: for each part of the model and micro-batch exactly one forward, and one
//!    backward or one of each half; sends, receives, waits and reductions for all if for any; indices in
//!    range;
//! 2. every list is *in order* by itself: receive before forward before backward before send, the weight half
//!    of a backward after its input half, reductions after all that they reduce, the optimizer last;
//! 3. the stages *decide alike*: none has micro-batches that the others have not, none is idle;
//! 4. the stages *come to an end*: nobody waits, in a circle, for itself;
//! 5. messages *arrive in the order they are sent* on each channel;
//! 6. gradients are *reduced in one order* on all stages;
//! 7. no stage holds *more activations* than it may.
//!
//! The first three are questions to a list by itself; the others make sense for complete lists only, hence
//! [`Complete`]: to hold one is to have the first answers.
//!
//! # How stages wait
//!
//! Computations of a stage run in the order of its list. What a send and a receive hold up is a choice,
//! [`Blocking`]. Two jobs that are fused run as one: both receive, then both compute, then both send, and
//! neither waits for the other to receive or to send.
//!
//! ```
//! use pirogue_schedule::Schedule;
//! use pirogue_schedule::check::{CheckOptions, check};
//!
//! // Stage 1 runs the micro-batches in another order than stage 0: fine with data, not on one channel.
//! let schedule: Schedule =
//!     "forward:0 forward:1 backward:0 backward:1\nforward:1 backward:1 forward:0 backward:0\n".parse()?;
//! let verdict = check(&schedule, &CheckOptions::default());
//! assert_eq!(verdict.faults[0].code(), "E0362");
//! assert!(verdict.facts.together.is_some_and(|facts| facts.executable));
//! assert_eq!(verdict.facts.peak_live, [2, 1]);
//! # Ok::<(), pirogue_schedule::ScheduleTextError>(())
//! ```

mod blocking;
mod channel;
mod complete;
mod cycle;
mod fault;
mod form;
mod live;
mod progress;
mod reductions;
mod verdict;
mod wait;
mod wait_graph;

use crate::schedule::Schedule;
use crate::traffic::Traffic;

pub use blocking::{Blocking, Receives, Sends};
pub use channel::{ChannelMismatch, Channels};
pub use fault::{Cure, Fault, MAX_FAULTS};
pub use live::peak_live;
pub use verdict::{CheckOptions, Facts, Together, Verdict, check};
pub use wait::{Activity, Deadlock, JobPart, Reason, Wait};

/// A schedule whose lists are complete and in order, each by itself.
#[derive(Debug, Clone, Copy)]
pub struct Complete<'a> {
    schedule: &'a Schedule,
    traffic: Traffic<'a>,
}

impl<'a> Complete<'a> {
    /// Checks each list by itself.
    ///
    /// These are the first three questions of [`check`].
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

    /// Runs all lists against each other, without time, with sends that never block; the circle of waits if
    /// that comes to a standstill.
    ///
    /// Takes time linear in the number of jobs.
    pub fn deadlock(&self, receives: Receives) -> Option<Deadlock> {
        self.deadlock_when(Blocking { sends: Sends::Buffered, receives })
    }

    /// As [`deadlock`](Self::deadlock), with sends and receives that hold up what `blocking` says.
    ///
    /// What stays on a stage is neither sent nor received, so a single stage waits for nobody.
    pub fn deadlock_when(&self, blocking: Blocking) -> Option<Deadlock> {
        let progress = progress::Progress::to_the_end(self, blocking);
        (!progress.is_finished()).then(|| cycle::shortest(&progress))
    }

    /// Whether all lists come to their end: as [`deadlock_when`](Self::deadlock_when), without the circle.
    pub fn runs(&self, blocking: Blocking) -> bool {
        progress::Progress::to_the_end(self, blocking).is_finished()
    }

    /// For each ordered pair of stages the first message, if any, that is not received in its turn.
    pub fn channel_mismatches(&self, channels: Channels) -> Vec<ChannelMismatch> {
        channel::mismatches(self, channels)
    }
}
