//! A standstill, said so that a person can follow it: who waits for whom, and why.

use std::fmt;

use super::Receives;
use crate::counts::Stage;
use crate::job::{Job, JobKind};

/// Stages that wait for each other for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlock {
    /// What receives hold up.
    pub receives: Receives,
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
    /// The job, or what is left of it without the receive.
    Run,
}

/// Why one activity waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It needs a message that the other sends.
    Message,
    /// It needs what the other, a receive of the same stage, receives.
    Receive,
    /// It sends what the other, a backward of the same stage, computes.
    Result,
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
        match reason {
            Reason::Message => write!(f, "waits for {waits_for} of stage {}", waits_for.stage),
            Reason::Receive if waiter.job == waits_for.job => f.write_str("waits for its receive"),
            Reason::Receive | Reason::Result => write!(f, "waits for {waits_for}"),
            Reason::Order => write!(f, "stands behind {waits_for}"),
        }
    }
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.part, self.job.kind()) {
            (JobPart::Run, _) | (JobPart::Receive, JobKind::RecvForward) => {
                write!(f, "`{}`", self.job)
            }
            (JobPart::Receive, _) => write!(f, "the receive of `{}`", self.job),
        }
    }
}
