//! When the jobs of a simulation begin and end, and when what they yield is there.

use crate::check::Receives;
use crate::dependences::{Dependence, Dependences, Need};
use crate::schedule::Schedule;

/// A time that is not known yet.
pub(super) const UNKNOWN: u64 = u64::MAX;

/// The times of all jobs, by index.
#[derive(Debug, Clone)]
pub(super) struct Times {
    pub(super) start: Vec<u64>,
    pub(super) end: Vec<u64>,
    /// When the message of a job that sends has arrived; of others their end.
    pub(super) arrival: Vec<u64>,
}

impl Times {
    pub(super) fn unknown(jobs: usize) -> Self {
        let unknown = || vec![UNKNOWN; jobs];
        Self { start: unknown(), end: unknown(), arrival: unknown() }
    }

    /// When what a job needs of another is there.
    pub(super) fn of(&self, schedule: &Schedule, Dependence { on, need }: Dependence) -> u64 {
        match need {
            Need::Result => self.end[on],
            Need::Message => self.arrival[on],
            Need::Receipt if schedule.jobs()[on].kind().is_computation() => self.start[on],
            Need::Receipt => self.end[on],
        }
    }
}

/// With which job a message leaves: where sends do not wait for their turn, with the computation.
pub(super) fn leaves_with(
    dependences: &Dependences<'_>,
    receives: Receives,
    dependence: Dependence,
) -> Dependence {
    if dependence.need != Need::Message || receives == Receives::Blocking {
        return dependence;
    }
    Dependence { on: dependences.computation_of(dependence.on), ..dependence }
}
