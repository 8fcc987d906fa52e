//! Why a family has no schedule for a request, and what to ask for instead.
//!
//! A refusal never depends on a stage: what one stage would refuse, all do.

use std::fmt;

use thiserror::Error;

use super::{ChunkRule, FamilyOption};
use crate::check::Deadlock;
use crate::counts::Counts;
use crate::error::{NearestMicroBatches, ScheduleError};

/// Why there is no such schedule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no family of this name.
    #[error("there is no schedule `{name}`")]
    UnknownFamily {
        /// The name that was asked for.
        name: String,
        /// The names that are like it, the likest first.
        near: Vec<&'static str>,
    },
    /// The family takes another number of chunks.
    #[error("`{family}` takes {rule} on a stage, not {chunks}")]
    Chunks {
        /// The family.
        family: &'static str,
        /// How many it takes.
        rule: ChunkRule,
        /// How many were asked for.
        chunks: u32,
    },
    /// The family takes an even number of stages.
    #[error("`{family}` takes an even number of stages, not {stages}")]
    OddStages {
        /// The family.
        family: &'static str,
        /// How many were asked for.
        stages: u32,
    },
    /// The family takes other numbers of micro-batches.
    #[error("`{family}` on {} stages takes {rule}, not {}", .counts.stages(), .counts.micro_batches())]
    MicroBatches {
        /// The family.
        family: &'static str,
        /// Which numbers it takes.
        rule: MicroBatchRule,
        /// The counts that were asked for.
        counts: Counts,
    },
    /// The family has no such option.
    #[error("`{family}` has no {option}")]
    NoSuchOption {
        /// The family.
        family: &'static str,
        /// The option that was asked for.
        option: FamilyOption,
    },
    /// The group is too small or too large.
    #[error(
        "a group of {group} micro-batches is not one for `{family}`: expected {least} to {most}"
    )]
    Group {
        /// The family.
        family: &'static str,
        /// The size that was asked for.
        group: u32,
        /// The smallest size.
        least: u32,
        /// The largest size.
        most: u32,
    },
    /// With so few live activations there is no schedule, or with so many nothing is gained.
    #[error("{limit} live activations are too few for `{family}`: expected at least {least}")]
    LiveLimit {
        /// The family.
        family: &'static str,
        /// The limit that was asked for.
        limit: u32,
        /// The smallest limit.
        least: u32,
    },
    /// The stages would wait for each other for ever.
    #[error("`{family}` with {counts} deadlocks: {deadlock}")]
    Deadlock {
        /// The family.
        family: &'static str,
        /// The counts that were asked for.
        counts: Counts,
        /// Who waits for whom.
        deadlock: Box<Deadlock>,
        /// The numbers of micro-batches to take instead.
        nearest: NearestMicroBatches,
    },
    /// The counts themselves are refused, or `VPP` does.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
}

/// Which numbers of micro-batches a family takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MicroBatchRule {
    /// This many or more.
    AtLeast(u32),
    /// An even number, this or more.
    EvenAtLeast(u32),
    /// This many.
    Exactly(u32),
}

impl MicroBatchRule {
    /// Whether the rule takes this number.
    pub fn takes(self, micro_batches: u32) -> bool {
        match self {
            Self::AtLeast(least) => micro_batches >= least,
            Self::EvenAtLeast(least) => micro_batches >= least && micro_batches.is_multiple_of(2),
            Self::Exactly(count) => micro_batches == count,
        }
    }

    /// The numbers nearest to a refused one that the rule takes.
    fn nearest(self, micro_batches: u32) -> NearestMicroBatches {
        let (least, odd) = match self {
            Self::AtLeast(least) | Self::EvenAtLeast(least) => (least, micro_batches % 2),
            Self::Exactly(count) => {
                let is_above = count > micro_batches;
                return NearestMicroBatches {
                    below: Some(count).filter(|_| !is_above),
                    above: Some(count).filter(|_| is_above),
                };
            }
        };
        let below = (micro_batches - odd > least).then_some(micro_batches - odd);
        NearestMicroBatches { below, above: Some(least.max(micro_batches.saturating_add(odd))) }
    }
}

impl fmt::Display for MicroBatchRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(least) => write!(f, "{least} micro-batches or more"),
            Self::EvenAtLeast(least) => {
                write!(f, "an even number of micro-batches, {least} or more")
            }
            Self::Exactly(count) => write!(f, "{count} micro-batches"),
        }
    }
}

impl Refusal {
    /// The stable code of the refusal.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownFamily { .. } => "E0341",
            Self::Chunks { .. } => "E0342",
            Self::OddStages { .. } => "E0343",
            Self::MicroBatches { .. } => "E0344",
            Self::NoSuchOption { .. } => "E0345",
            Self::Group { .. } => "E0346",
            Self::LiveLimit { .. } => "E0347",
            Self::Deadlock { .. } => "E0348",
            Self::Schedule(error) => error.code(),
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::UnknownFamily { near, .. } => near_names(near),
            Self::Chunks { rule, .. } => format!("take {rule} on a stage"),
            Self::OddStages { stages, .. } => match stages {
                1 => "take 2 stages".into(),
                _ => format!("take {} or {} stages", stages - 1, u64::from(*stages) + 1),
            },
            Self::MicroBatches { rule, counts, .. } => {
                rule.nearest(counts.micro_batches()).advice()
            }
            Self::NoSuchOption { .. } => "leave the option out".into(),
            Self::Group { least, most, .. } if least == most => {
                format!("take a group of {least}, or leave the option out")
            }
            Self::Group { least, most, .. } => format!("take a group of {least} to {most}"),
            Self::LiveLimit { least, .. } => format!("allow {least} live activations or more"),
            Self::Deadlock { nearest, .. } => {
                format!("{}, or regroup those that fill no group of their own", nearest.advice())
            }
            Self::Schedule(error) => error.help(),
        }
    }

    /// Lines to show beneath the message: the cycle of a deadlock, one wait a line.
    pub fn details(&self) -> Vec<String> {
        match self {
            Self::Deadlock { deadlock, .. } => {
                deadlock.cycle.iter().map(ToString::to_string).collect()
            }
            Self::Schedule(error) => error.details(),
            _ => Vec::new(),
        }
    }
}

fn near_names(near: &[&'static str]) -> String {
    match near {
        [] => "list the schedules to see their names".into(),
        [name] => format!("did you mean `{name}`?"),
        names => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("did you mean one of {}?", names.join(", "))
        }
    }
}
