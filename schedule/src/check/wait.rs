//! A standstill, said so that a person can follow it: who waits for whom, and why.

use std::fmt;

use super::Blocking;
use crate::counts::Stage;
use crate::job::{Job, JobKind};

/// Stages that wait for each other for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlock {
    /// What sends and receives hold up.
    pub blocking: Blocking,
    /// A circle of waits: each waits for the next, the last for the first.
    pub cycle: Vec<Wait>,
}

/// One activity that cannot begin before another has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Wait {
    /// Who waits.
    pub waiter: Activity,
    /// For whom.
    pub waits_for: Activity,
    /// Why.
    pub reason: Reason,
}

/// A job, or the receive inside a job: what can wait and be waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Activity {
    /// The stage that runs the job.
    pub stage: Stage,
    /// The job.
    pub job: Job,
    /// Which part of the job.
    pub part: JobPart,
}

/// A part of a job that waits by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JobPart {
    /// The receive of a job, where receives have a stream of their own.
    Receive,
    /// The job, or what is left of it without the parts that wait by themselves.
    Run,
    /// The send of a job, where sends may block.
    Send,
}

/// Why one activity waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It needs a message that the other sends, or a result that the other leaves on the stage.
    Message,
    /// It needs what the other, a receive of the same stage, receives.
    Receive,
    /// It sends what the other, of the same stage, computes.
    Result,
    /// It runs as one with a job that waits for the other.
    Fused,
    /// It ends when the other has taken the message.
    Receipt,
    /// As many messages as may be on their way are, and the other has yet to take the oldest.
    Room,
    /// The other stands before it in the list and holds it up.
    Order,
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stages: Vec<Stage> = self.cycle.iter().map(|wait| wait.waiter.stage).collect();
        stages.sort_unstable();
        stages.dedup();
        let names: Vec<String> = stages.iter().map(ToString::to_string).collect();
        match names.split_last() {
            None => Ok(()),
            Some((only, [])) => write!(f, "stage {only} waits for itself"),
            Some((last, others)) => {
                let others = others.join(", ");
                write!(f, "stages {others} and {last} wait for each other in a circle")
            }
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { waiter, waits_for, reason } = self;
        write!(f, "stage {}: {waiter} ", waiter.stage)?;
        let other = Other { activity: *waits_for, seen_from: waiter.stage };
        match reason {
            Reason::Message => write!(f, "waits for {other}"),
            Reason::Receive if waiter.job == waits_for.job => f.write_str("waits for its receive"),
            Reason::Receive => write!(f, "waits for {waits_for}"),
            Reason::Result if waiter.job == waits_for.job => {
                f.write_str("waits for its computation")
            }
            Reason::Result => write!(f, "waits for {waits_for}"),
            Reason::Fused => write!(f, "is fused with a job that waits for {other}"),
            Reason::Receipt => write!(f, "waits until it is taken by {other}"),
            Reason::Room => write!(f, "waits until an earlier message is taken by {other}"),
            Reason::Order => write!(f, "stands behind {waits_for}"),
        }
    }
}

/// What is waited for, with its stage if that is not the waiter's.
struct Other {
    activity: Activity,
    seen_from: Stage,
}

impl fmt::Display for Other {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { activity, seen_from } = self;
        activity.fmt(f)?;
        if activity.stage == *seen_from {
            return Ok(());
        }
        write!(f, " of stage {}", activity.stage)
    }
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let does = self.job.kind();
        let only_receives = matches!(does, JobKind::RecvForward | JobKind::RecvBackward);
        let only_sends = matches!(does, JobKind::SendForward | JobKind::SendBackward);
        match self.part {
            JobPart::Receive if !only_receives => write!(f, "the receive of `{}`", self.job),
            JobPart::Send if !only_sends => write!(f, "the send of `{}`", self.job),
            _ => write!(f, "`{}`", self.job),
        }
    }
}
