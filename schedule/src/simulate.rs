//! When each job begins and ends, and what follows from that.
//!
//! [`simulate`] runs the lists of all stages against each other in discrete time. A stage does one thing at a
//! time, in the order of its list; a computation begins when the stage is free and all that it builds on
//! ([`Dependences`]) is there. Messages take their [`Link`]; what a receive job holds up is a choice
//! ([`Receives`](crate::check::Receives)). A fused pair is one action that yields both results at its end.
//! All numbers are whole, so equal inputs give equal times.
//!
//! | question | answer |
//! | --- | --- |
//! | when does it all end? | [`Simulation::makespan`] |
//! | how long do stages idle? | [`Simulation::makespan_bubble`] and [`Simulation::span_bubble`]: two measures that are never to be mixed |
//! | why do they? | [`Simulation::idle`] |
//! | how much memory does a stage take? | [`Simulation::memory`], [`Simulation::peak_memory`] |
//! | why does this job begin when it does? | [`Simulation::cause`], [`Simulation::explain`] |
//! | what would have to be faster? | [`Simulation::critical_path`] |
//!
//! ```
//! use pirogue_schedule::Schedule;
//! use pirogue_schedule::simulate::{Costs, simulate};
//!
//! // 1F1B on two stages with two micro-batches; a backward takes twice as long as a forward.
//! let lists = "forward0:0 forward0:1 backward0:0 backward0:1\n\
//!              forward0:0 backward0:0 forward0:1 backward0:1\n";
//! let schedule: Schedule = lists.parse()?;
//! let simulation = simulate(&schedule, Costs::default())?;
//! // Two micro-batches of 3 ticks, and (p-1)(tF+tB) = 3 of bubble.
//! assert_eq!(simulation.makespan(), 9);
//! assert_eq!(simulation.makespan_bubble(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod costs;
mod explain;
mod idle;
mod memory;
mod run;
mod times;

use thiserror::Error;

use crate::counts::Stage;
use crate::dependences::Dependences;
use crate::job::Job;
use crate::schedule::Schedule;

use times::Times;

pub use costs::{ChunkCosts, ChunkMemory, Costs, Link, MAX_COST, Transfers};
pub use explain::{Cause, Explanation};
pub use idle::{Idle, IdleCause};
pub use memory::MemoryPoint;

/// Runs all lists of a schedule with time.
///
/// # Errors
/// The stages wait for each other for ever, or a cost is too large.
pub fn simulate(schedule: &Schedule, costs: Costs) -> Result<Simulation<'_>, SimulationError> {
    run::run(schedule, costs)
}

/// Why a schedule has no times.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The stages wait for each other for ever.
    #[error("the stages come to a standstill: stage {stage} never gets to run `{job}`")]
    Standstill {
        /// The first stage that does not come to its end.
        stage: Stage,
        /// The job that it waits at.
        job: Job,
    },
    /// A cost is so large that times would not fit 64 bits.
    #[error("a cost of {cost} is too large: expected at most {MAX_COST}")]
    CostTooLarge {
        /// The cost.
        cost: u64,
    },
}

impl SimulationError {
    /// The stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Standstill { .. } => "E0372",
            Self::CostTooLarge { .. } => "E0373",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Standstill { .. } => {
                "check the schedule: that shows which jobs wait for each other in a circle".into()
            }
            Self::CostTooLarge { .. } => "give costs in a larger unit".into(),
        }
    }
}

/// The times of all jobs of a schedule.
#[derive(Debug, Clone)]
pub struct Simulation<'a> {
    schedule: &'a Schedule,
    costs: Costs,
    dependences: Dependences<'a>,
    times: Times,
}

impl<'a> Simulation<'a> {
    /// The schedule.
    pub fn schedule(&self) -> &'a Schedule {
        self.schedule
    }

    /// What jobs and messages take.
    pub fn costs(&self) -> &Costs {
        &self.costs
    }

    /// The tick at which each job begins, by its index among all [jobs](Schedule::jobs).
    pub fn starts(&self) -> &[u64] {
        &self.times.start
    }

    /// The tick at which each job has ended.
    pub fn ends(&self) -> &[u64] {
        &self.times.end
    }

    /// The tick at which the message that each job sends has arrived; of a job that sends none, its end.
    pub fn arrivals(&self) -> &[u64] {
        &self.times.arrival
    }

    /// The tick at which all jobs of all stages have ended.
    pub fn makespan(&self) -> u64 {
        self.times.end.iter().copied().max().unwrap_or(0)
    }

    /// The ticks for which a stage works.
    ///
    /// # Panics
    /// There is no such stage.
    pub fn busy(&self, stage: Stage) -> u64 {
        self.works(stage).map(|(start, end)| end - start).sum()
    }

    /// The most ticks, over all stages, of the makespan that a stage does not work: what a step costs whose
    /// optimizer waits for all stages.
    pub fn makespan_bubble(&self) -> u64 {
        let makespan = self.makespan();
        self.each_stage().map(|stage| makespan - self.busy(stage)).max().unwrap_or(0)
    }

    /// The most ticks, over all stages, that a stage does not work between its first and its last job: what
    /// the papers on zero bubbles call bubble. It takes an optimizer that does not wait for all stages.
    pub fn span_bubble(&self) -> u64 {
        let bubble = |stage| {
            let span = self.span(stage).map_or(0, |(first, last)| last - first);
            span - self.busy(stage)
        };
        self.each_stage().map(bubble).max().unwrap_or(0)
    }

    /// When the first job of a stage that takes time begins, and the last one ends; none where there is none.
    pub fn span(&self, stage: Stage) -> Option<(u64, u64)> {
        let mut works = self.works(stage);
        let (first, end) = works.next()?;
        Some((first, works.last().map_or(end, |(_, end)| end)))
    }

    fn each_stage(&self) -> impl Iterator<Item = Stage> + use<> {
        (0..self.schedule.counts().stages()).map(Stage)
    }

    /// The indices of the jobs of a stage.
    fn indices(&self, stage: Stage) -> std::ops::Range<usize> {
        let begin = self.schedule.begin(stage.0);
        begin..begin + self.schedule.list(stage.0).len()
    }

    /// When a stage works, in order: its jobs that take time, a fused pair as one.
    fn works(&self, stage: Stage) -> impl Iterator<Item = (u64, u64)> + '_ {
        let is_second = |index: usize| index > 0 && self.schedule.is_fused_with_next(index - 1);
        let works = self.indices(stage).filter(move |&index| {
            let job = self.schedule.jobs()[index];
            !job.kind().is_transfer() && !is_second(index)
        });
        works
            .map(|index| (self.times.start[index], self.times.end[index]))
            .filter(|(start, end)| start < end)
    }
}
