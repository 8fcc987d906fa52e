//! What a planner should tell about a schedule that it does make.

use thiserror::Error;

use crate::check::ChannelMismatch;
use crate::counts::Counts;

/// How serious a [`Remark`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The schedule is as it was asked for; it has a property worth knowing.
    Note,
    /// The schedule is not what was asked for, or may go wrong.
    Warning,
}

/// Something to know about a sound schedule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Remark {
    /// Split backward was asked for and is off.
    #[error("split backward is off: `VPP` splits only where the number of micro-batches equals that of stages, here {} and {}", .counts.micro_batches(), .counts.stages())]
    SplitBackwardIgnored {
        /// The counts of the schedule.
        counts: Counts,
    },
    /// An overlapped reduction was asked for and is off.
    #[error(
        "the overlapped sharding reduce is off: it begins in the last weight half of a chunk, and no backward is split"
    )]
    ReduceIgnored,
    /// Two stages use one channel in two orders.
    #[error(
        "messages would be swapped where both directions of a pair of stages share one channel: {mismatch}"
    )]
    MessageOrder {
        /// The first two messages out of order.
        mismatch: ChannelMismatch,
    },
    /// Every stage runs all of its forwards before its first backward.
    #[error("with as many micro-batches as stages every stage runs all of its {} forwards before its first backward and holds the activations of all of them", .counts.steps())]
    AllForwardsFirst {
        /// The counts of the schedule.
        counts: Counts,
    },
    /// With one chunk the schedule takes more memory than 1F1B.
    #[error("with one chunk on a stage `VPP` is Eager 1F1B: stage 0 holds the activations of {} micro-batches, 1F1B would hold {}", (2 * .counts.stages() - 1).min(.counts.micro_batches()), .counts.stages())]
    SingleChunk {
        /// The counts of the schedule.
        counts: Counts,
    },
    /// The last group of micro-batches is smaller than the others.
    #[error("the last group of micro-batches has {} of {}: all stages idle for longer than with a multiple of {}", .counts.micro_batches() % .counts.stages(), .counts.stages(), .counts.stages())]
    PartialGroup {
        /// The counts of the schedule.
        counts: Counts,
    },
}

impl Remark {
    /// Whether it is a note or a warning.
    pub fn severity(&self) -> Severity {
        match self {
            Self::SplitBackwardIgnored { .. } | Self::ReduceIgnored | Self::MessageOrder { .. } => {
                Severity::Warning
            }
            Self::AllForwardsFirst { .. }
            | Self::SingleChunk { .. }
            | Self::PartialGroup { .. } => Severity::Note,
        }
    }

    /// The stable code of the remark.
    pub fn code(&self) -> &'static str {
        match self {
            Self::SplitBackwardIgnored { .. } => "W0301",
            Self::MessageOrder { .. } => "W0302",
            Self::ReduceIgnored => "W0303",
            Self::AllForwardsFirst { .. } => "N0301",
            Self::SingleChunk { .. } => "N0302",
            Self::PartialGroup { .. } => "N0303",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::SplitBackwardIgnored { counts } => format!(
                "take {} micro-batches to split the backward, or leave the option off",
                counts.stages()
            ),
            Self::ReduceIgnored => {
                "split the backward, with as many micro-batches as stages, or leave the option off"
                    .into()
            }
            Self::MessageOrder { .. } => {
                "give each direction a channel of its own, or take an even number of micro-batches"
                    .into()
            }
            Self::AllForwardsFirst { counts } => format!(
                "take {} micro-batches or more to alternate forward and backward",
                2 * u64::from(counts.stages())
            ),
            Self::SingleChunk { .. } => "take two chunks or more".into(),
            Self::PartialGroup { counts } => {
                let group = counts.stages();
                let below = counts.micro_batches() / group * group;
                format!(
                    "{below} and {} micro-batches fill every group",
                    u64::from(below) + u64::from(group)
                )
            }
        }
    }
}
