//! The fastest schedule that can be found for given costs and a memory limit.
//!
//! Every family is asked, with its options where they matter; a list scheduler of our own is run with many
//! policies; the best of all is then improved by moving jobs. Every candidate is simulated, so the ranking is by
//! what would happen, not by formula. A candidate that takes more memory than a stage has is ranked but never
//! chosen. Costs are those of a chunk of p stages with v chunks each; `dualpipe`, whose chunks are twice as large,
//! is reckoned with twice of them. The search takes a fixed number of steps, so equal questions have equal answers.
//!
//! ```
//! use pirogue_schedule::auto::{Question, auto};
//! use pirogue_schedule::simulate::Costs;
//! use pirogue_schedule::Counts;
//!
//! let question = Question { counts: Counts::new(4, 1, 8)?, costs: Costs::default(), limit: Some(vec![4; 4]) };
//! let answer = auto(&question)?;
//! // 1F1B takes 33 ticks with that memory, and a zero bubble schedule 27.
//! assert!(answer.best().makespan <= 27);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod improve;
mod list_scheduler;

use thiserror::Error;

use crate::counts::{Counts, Stage};
use crate::families::{FAMILIES, Family, FamilyOption, Request};
use crate::placement::Placement;
use crate::schedule::Schedule;
use crate::simulate::{Costs, simulate};
use crate::vpp::BackwardMode;
use list_scheduler::{First, Policy, Task, Weights, list_schedule};

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The numbers of stages, chunks and micro-batches.
    pub counts: Counts,
    /// What jobs and messages take.
    pub costs: Costs,
    /// The memory of each stage, in the unit of the costs.
    pub limit: Option<Vec<u64>>,
}

/// The candidates, the best one first.
#[derive(Debug, Clone)]
pub struct Answer {
    ranking: Vec<Candidate>,
}

/// A schedule that was tried.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The family, or how it was found.
    pub name: String,
    /// Whether a family yields it.
    pub is_listed: bool,
    /// The lists.
    pub schedule: Schedule,
    /// Ticks from the start of the first job to the end of the last.
    pub makespan: u64,
    /// The most memory of a stage.
    pub peak: u64,
    /// Whether every stage has the memory for it.
    pub fits: bool,
}

/// Why nothing can be recommended.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AutoError {
    /// No candidate fits.
    #[error("no schedule fits: the one that takes least needs {least} of memory")]
    NothingFits {
        /// The least peak of a candidate.
        least: u64,
    },
    /// There is not a limit for each stage.
    #[error("there are {limits} memory limits for {stages} stages")]
    OtherLimits {
        /// How many limits there are.
        limits: usize,
        /// How many stages.
        stages: u32,
    },
    /// The costs cannot be reckoned with, or nothing runs at all.
    #[error("no schedule can be simulated with these costs")]
    NothingRuns,
}

impl AutoError {
    /// The stable code of the error.
    pub fn code(&self) -> &'static str {
        "E0381"
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::NothingFits { least } => {
                format!("give stages {least} of memory, or take more stages")
            }
            Self::OtherLimits { .. } => "give one limit for each stage".into(),
            Self::NothingRuns => "give smaller costs".into(),
        }
    }
}

impl Answer {
    /// The fastest schedule that fits.
    pub fn best(&self) -> &Candidate {
        &self.ranking[0]
    }

    /// All candidates: those that fit by makespan, then the others.
    pub fn ranking(&self) -> &[Candidate] {
        &self.ranking
    }
}

/// Searches.
///
/// # Errors
/// Nothing fits the limit.
pub fn auto(question: &Question) -> Result<Answer, AutoError> {
    let stages = question.counts.stages();
    if let Some(limit) = &question.limit
        && limit.len() != stages as usize
    {
        return Err(AutoError::OtherLimits { limits: limit.len(), stages });
    }
    question.costs.check().map_err(|_| AutoError::NothingRuns)?;
    let mut ranking = listed(question);
    ranking.extend(found(question));
    sort(&mut ranking);
    let Some(best) = ranking.first() else { return Err(AutoError::NothingRuns) };
    if !best.fits {
        let least = ranking.iter().map(|candidate| candidate.peak).min().unwrap_or(0);
        return Err(AutoError::NothingFits { least });
    }
    if let Some(better) = improve::improve(question, best) {
        ranking.push(better);
        sort(&mut ranking);
    }
    Ok(Answer { ranking })
}

/// Of equally fast ones those of a family come first, and of those the ones that take least.
fn sort(ranking: &mut Vec<Candidate>) {
    ranking.sort_by_key(|candidate| {
        (!candidate.fits, candidate.makespan, !candidate.is_listed, candidate.peak)
    });
    ranking.dedup_by(|later, earlier| later.name == earlier.name);
}

impl Candidate {
    /// None where the lists come to a standstill.
    fn of(name: String, is_listed: bool, schedule: Schedule, question: &Question) -> Option<Self> {
        let costs = question.costs.for_chunks_of(&schedule);
        let simulation = simulate(&schedule, costs).ok()?;
        let peaks: Vec<u64> = (0..question.counts.stages())
            .map(|stage| simulation.peak_memory(Stage(stage)))
            .collect();
        let fits = question
            .limit
            .as_ref()
            .is_none_or(|limit| peaks.iter().zip(limit).all(|(peak, limit)| peak <= limit));
        let makespan = simulation.makespan();
        let peak = peaks.into_iter().max().unwrap_or(0);
        Some(Self { name, is_listed, schedule, makespan, peak, fits })
    }
}

/// What the families yield, with the options that change what is computed when.
fn listed(question: &Question) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for family in FAMILIES {
        // An option that changes nothing is no candidate of its own.
        let mut known: Vec<Schedule> = Vec::new();
        for (name, request) in requests(family, question) {
            let Ok(schedule) = family.generate(&request) else { continue };
            if !known.contains(&schedule) {
                known.push(schedule.clone());
                candidates.extend(Candidate::of(name, true, schedule, question));
            }
        }
    }
    candidates
}

/// A family at its defaults, with split backwards, and with each live limit that may matter.
fn requests(family: &Family, question: &Question) -> Vec<(String, Request)> {
    let plain = Request::new(question.counts);
    let mut requests = vec![(family.name.to_owned(), plain)];
    if family.options.contains(&FamilyOption::SplitBackward) {
        let split = Request { backward: BackwardMode::Split, ..plain };
        requests.push((format!("{}, split backward", family.name), split));
    }
    if family.options.contains(&FamilyOption::LiveLimit) {
        let (p, v) = (question.counts.stages(), question.counts.chunks());
        for limit in [p * v / 2, p * v, 3 * p * v / 2, 2 * p * v, 3 * p * v] {
            let limited = Request { live_limit: Some(limit), ..plain };
            requests.push((format!("{}, {limit} live", family.name), limited));
        }
    }
    requests
}

/// What the list scheduler finds.
fn found(question: &Question) -> Vec<Candidate> {
    let mut placements = vec![("looped", Placement::looped(question.counts))];
    if question.counts.chunks() > 1 && question.counts.stages() > 1 {
        placements.push(("V", Placement::v(question.counts)));
    }
    let mut candidates = Vec::new();
    for (shape, placement) in &placements {
        let task = Task {
            placement,
            counts: question.counts,
            costs: &question.costs,
            limit: question.limit.as_deref(),
        };
        for policy in policies(question.counts) {
            let Some(schedule) = list_schedule(&task, policy) else { continue };
            let name = format!("list scheduler ({shape}, {})", policy.name());
            candidates.extend(Candidate::of(name, false, schedule, question));
        }
    }
    candidates
}

fn policies(counts: Counts) -> Vec<Policy> {
    let (p, m) = (counts.stages().min(counts.micro_batches()), counts.micro_batches());
    let mut groups = vec![1, p, m];
    groups.dedup();
    let groups = if counts.chunks() == 1 { vec![m] } else { groups };
    let mut policies = Vec::new();
    for group in groups {
        for first in [First::Backward, First::Forward, First::Other] {
            let whole =
                Policy { backward: BackwardMode::Whole, group, first, weights: Weights::Idle };
            policies.push(whole);
            for weights in [Weights::Idle, Weights::LagOfStage, Weights::AtOnce] {
                policies.push(Policy { backward: BackwardMode::Split, weights, ..whole });
            }
        }
    }
    policies
}
