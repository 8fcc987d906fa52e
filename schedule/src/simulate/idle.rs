//! For how long a stage does nothing, and why.

use super::Simulation;
use super::explain::Cause;
use crate::counts::Stage;
use crate::dependences::Need;
use crate::job::{Job, JobKind};

/// Why a stage does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdleCause {
    /// It waits for its first message: the pipeline fills.
    Fill,
    /// It waits for the input of a forward.
    Forward,
    /// It waits for the input of a backward.
    Backward,
    /// It waits until a message has been taken, or has left.
    Send,
    /// It is through, and others are not: the pipeline drains.
    Drain,
}

impl IdleCause {
    /// Every cause, in declaration order.
    pub const ALL: [Self; 5] = [Self::Fill, Self::Forward, Self::Backward, Self::Send, Self::Drain];

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fill => "fill",
            Self::Forward => "forward input",
            Self::Backward => "backward input",
            Self::Send => "send",
            Self::Drain => "drain",
        }
    }
}

/// A time in which a stage does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Idle {
    /// The first tick of it.
    pub from: u64,
    /// The tick at which it is over.
    pub to: u64,
    /// Why.
    pub cause: IdleCause,
}

impl Simulation<'_> {
    /// When and why a stage does nothing, in order. All of it together is the makespan less what the stage
    /// works.
    ///
    /// # Panics
    /// There is no such stage.
    pub fn idle(&self, stage: Stage) -> Vec<Idle> {
        let mut idle = Vec::new();
        let mut free = 0;
        let mut has_worked = false;
        for index in self.indices(stage) {
            let job = self.schedule.jobs()[index];
            let (start, end) = (self.times.start[index], self.times.end[index]);
            if !self.holds_up(job) || (job.kind().is_transfer() && end <= start) {
                continue;
            }
            // A job that only waits is idle for as long as it does.
            let begin = if job.kind().is_transfer() { end } else { start };
            if begin > free {
                let cause = match has_worked {
                    false => IdleCause::Fill,
                    true => self.idle_cause(index, job),
                };
                idle.push(Idle { from: free, to: begin, cause });
            }
            free = free.max(end);
            has_worked |= !job.kind().is_transfer();
        }
        let makespan = self.makespan();
        if free < makespan {
            idle.push(Idle { from: free, to: makespan, cause: IdleCause::Drain });
        }
        idle
    }

    /// For how long a stage does nothing for each cause, in the order of [`IdleCause::ALL`].
    ///
    /// # Panics
    /// There is no such stage.
    pub fn idle_by_cause(&self, stage: Stage) -> [u64; IdleCause::ALL.len()] {
        let mut sums = [0; IdleCause::ALL.len()];
        for idle in self.idle(stage) {
            sums[idle.cause as usize] += idle.to - idle.from;
        }
        sums
    }

    fn idle_cause(&self, index: usize, job: Job) -> IdleCause {
        match self.cause(index) {
            Cause::Job { need: Need::Receipt, .. } => IdleCause::Send,
            Cause::Stage { .. } | Cause::Start => IdleCause::Send,
            Cause::Job { .. } => match job.kind() {
                JobKind::Forward | JobKind::RecvForward => IdleCause::Forward,
                _ => IdleCause::Backward,
            },
        }
    }
}
