//! What is asked of a family: counts, and options.

use std::fmt;

use crate::counts::Counts;
use crate::vpp::{BackwardMode, Form, ShardingReduce};

/// What to do with micro-batches that are left over when they are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Remainder {
    /// The last group takes them, as the systems do that have groups; refused where the stages cannot run it.
    #[default]
    Keep,
    /// All groups become a little larger, as equal as can be.
    Regroup,
}

/// The counts and options of a schedule to be generated. An option at its default asks for nothing.
///
/// ```
/// use pirogue_schedule::{Counts, families};
///
/// let counts = Counts::new(4, 2, 10)?;
/// let request = families::Request { group: Some(5), ..families::Request::new(counts) };
/// let schedule = families::find("interleaved")?.generate(&request)?;
/// assert_eq!(schedule.counts(), counts);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// The numbers of stages, chunks and micro-batches.
    pub counts: Counts,
    /// Whether a backward is one job or two, where the family leaves that open.
    pub backward: BackwardMode,
    /// Which jobs there are for receives and sends, where the family leaves that open.
    pub form: Form,
    /// Whether the last weight half of a chunk starts the reduction of gradients.
    pub sharding_reduce: ShardingReduce,
    /// How many micro-batches pass a chunk before the first of them goes on to the next chunk.
    pub group: Option<u32>,
    /// The most activations that a stage may hold, each of one chunk and one micro-batch.
    pub live_limit: Option<u32>,
    /// What to do with micro-batches that fill no group.
    pub remainder: Remainder,
}

impl Request {
    /// A schedule of these counts, with no option.
    pub fn new(counts: Counts) -> Self {
        Self {
            counts,
            backward: BackwardMode::default(),
            form: Form::default(),
            sharding_reduce: ShardingReduce::default(),
            group: None,
            live_limit: None,
            remainder: Remainder::default(),
        }
    }

    /// The options that are asked for and that not every family has. Regrouping is not one: a family without
    /// groups has nothing left over.
    pub(super) fn options(&self) -> impl Iterator<Item = FamilyOption> {
        let is_asked = |option: &FamilyOption| match option {
            FamilyOption::SplitBackward => self.backward == BackwardMode::Split,
            FamilyOption::Form => self.form != Form::default(),
            FamilyOption::ShardingReduce => self.sharding_reduce != ShardingReduce::default(),
            FamilyOption::Group => self.group.is_some(),
            FamilyOption::LiveLimit => self.live_limit.is_some(),
        };
        FamilyOption::ALL.into_iter().filter(is_asked)
    }
}

/// An option that only some families have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FamilyOption {
    /// [`Request::backward`].
    SplitBackward,
    /// [`Request::form`].
    Form,
    /// [`Request::sharding_reduce`].
    ShardingReduce,
    /// [`Request::group`].
    Group,
    /// [`Request::live_limit`].
    LiveLimit,
}

impl FamilyOption {
    /// Every option.
    pub const ALL: [Self; 5] =
        [Self::SplitBackward, Self::Form, Self::ShardingReduce, Self::Group, Self::LiveLimit];
}

impl fmt::Display for FamilyOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::SplitBackward => "split backward",
            Self::Form => "form",
            Self::ShardingReduce => "overlapped sharding reduce",
            Self::Group => "group size",
            Self::LiveLimit => "limit of live activations",
        })
    }
}
