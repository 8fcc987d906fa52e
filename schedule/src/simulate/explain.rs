//! Why a job begins when it does.

use std::fmt;

use super::Simulation;
use super::times::leaves_with;
use crate::check::Receives;
use crate::counts::Stage;
use crate::dependences::{Dependence, Need};
use crate::job::Job;

/// What a job had to wait for last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Nothing: it begins at tick 0.
    Start,
    /// The job before it on its stage, which kept the stage busy.
    Stage {
        /// The index of that job among all jobs.
        before: usize,
    },
    /// A job that it builds on.
    Job {
        /// The index of that job among all jobs.
        on: usize,
        /// What was needed of it.
        need: Need,
    },
}

/// Why a job begins when it does, with the chain of jobs that led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The job that is explained, and before it what each waited for, back to tick 0.
    steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    stage: Stage,
    job: Job,
    start: u64,
    end: u64,
    cause: Cause,
    /// When what it waited for was there.
    ready: u64,
}

impl Simulation<'_> {
    /// What the job with this index among all jobs had to wait for last. Where the stage was busy until the
    /// tick at which a message arrived, it is the message: without it the stage could not have gone on.
    ///
    /// # Panics
    /// There is no such job.
    pub fn cause(&self, index: usize) -> Cause {
        let jobs = self.schedule.jobs();
        let (first, last) = self.group(index);
        let begin = self.begin(index);
        let needs = (first..=last).flat_map(|member| {
            let stage = Stage(self.schedule.stage_at(member));
            self.dependences.of_job(stage, jobs[member])
        });
        let may_be_late =
            |need: &Dependence| need.need != Need::Result || jobs[need.on].kind().is_receive();
        let on_time =
            |need: &Dependence| may_be_late(need) && self.times.of(self.schedule, *need) == begin;
        let needs = needs.map(|need| leaves_with(&self.dependences, self.costs.receives, need));
        let mut needs = needs.filter(|need| !(first..=last).contains(&need.on));
        if let (Some(Dependence { on, need }), 1..) = (needs.find(on_time), begin) {
            return Cause::Job { on, need };
        }
        let list = self.indices(Stage(self.schedule.stage_at(index)));
        let mut before = (list.start..first).rev();
        match before.find(|&before| self.holds_up(jobs[before])) {
            Some(before) if begin > 0 => Cause::Stage { before },
            _ => Cause::Start,
        }
    }

    /// Why the `index`th job among all jobs begins when it does.
    ///
    /// # Panics
    /// There is no such job.
    pub fn explain(&self, index: usize) -> Explanation {
        let mut steps = Vec::new();
        let mut at = Some(index);
        while let Some(index) = at {
            let cause = self.cause(index);
            steps.push(Step {
                stage: Stage(self.schedule.stage_at(index)),
                job: self.schedule.jobs()[index],
                start: self.times.start[index],
                end: self.times.end[index],
                cause,
                ready: self.begin(index),
            });
            at = match cause {
                Cause::Start => None,
                Cause::Stage { before } => Some(before),
                Cause::Job { on, .. } => Some(on),
            };
        }
        steps.reverse();
        Explanation { steps }
    }

    /// The jobs that the makespan depends on, by index, in order of time: each had to wait for the one before
    /// it, and the last one ends last.
    pub fn critical_path(&self) -> Vec<usize> {
        let makespan = self.makespan();
        let last = self.times.end.iter().position(|&end| end == makespan);
        let next = |&index: &usize| match self.cause(index) {
            Cause::Start => None,
            Cause::Stage { before } => Some(before),
            Cause::Job { on, .. } => Some(on),
        };
        let mut path: Vec<usize> = std::iter::successors(last, next).collect();
        path.reverse();
        path
    }

    /// The first and the last member of the fused pair that a job is in; both the job itself where it is in
    /// none.
    fn group(&self, index: usize) -> (usize, usize) {
        if self.schedule.is_fused_with_next(index) {
            (index, index + 1)
        } else if index > 0 && self.schedule.is_fused_with_next(index - 1) {
            (index - 1, index)
        } else {
            (index, index)
        }
    }

    /// When a job goes on: a job that only waits does so at its end.
    fn begin(&self, index: usize) -> u64 {
        match self.schedule.jobs()[index].kind().is_transfer() {
            true => self.times.end[index],
            false => self.times.start[index],
        }
    }

    /// Whether a job holds up what stands behind it: all do but sends and receives that go on by
    /// themselves.
    pub(super) fn holds_up(&self, job: Job) -> bool {
        let is_apart = job.kind().is_receive() || job.kind().is_send();
        !is_apart || self.costs.receives == Receives::Blocking
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.steps.iter().enumerate() {
            let Step { stage, job, start, end, cause, ready } = step;
            write!(f, "{start:>6} to {end:>6}  stage {stage}: `{job}`")?;
            let before = place.checked_sub(1).map(|before| self.steps[before]);
            match (cause, before) {
                (Cause::Job { need: Need::Receipt, .. }, Some(before)) => write!(
                    f,
                    ", once stage {} has taken the message with `{}`",
                    before.stage, before.job
                )?,
                (Cause::Job { .. }, Some(before)) if before.stage != *stage => {
                    write!(f, ", as the message of stage {} is there", before.stage)?;
                    if *ready > before.end {
                        write!(f, " after {} on its way", ready - before.end)?;
                    }
                }
                (Cause::Job { .. }, Some(_)) => f.write_str(", as its input is there")?,
                (Cause::Stage { .. }, Some(_)) => f.write_str(", as the stage is free")?,
                _ => {}
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}
