//! What a send and a receive hold up: the ways in which lists are run.

use std::fmt;
use std::num::NonZeroU32;

/// What a send holds up until its message has been taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Sends {
    /// Nothing: any number of messages may be on their way.
    #[default]
    Buffered,
    /// Everything after it in the list, if so many earlier messages of the stage are on their way already. Two
    /// jobs that are fused send at once, as soon as there is room for one message.
    AtMost(NonZeroU32),
    /// Everything after it in the list: sender and receiver meet.
    Rendezvous,
}

/// What a receive holds up until its message has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Receives {
    /// Only the computation that needs the message, as if all receives were posted at the start.
    NonBlocking,
    /// That computation and all later receives of the stage: receives have one stream of their own. This is
    /// how Paddle's `VPP` runs, whose receives are all on `recv_stream`.
    #[default]
    OwnStream,
    /// Everything after it in the list.
    Blocking,
}

/// How lists are run. The default is how Paddle runs `VPP`.
///
/// A receive that does not block takes its message at once, so [`Sends`] make a difference only where
/// receives have a stream or block. Where sends or receives may hold up the list, a job that only sends has its
/// place in it; otherwise it goes as soon as its computation is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Blocking {
    /// What sends hold up.
    pub sends: Sends,
    /// What receives hold up.
    pub receives: Receives,
}

impl fmt::Display for Sends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Buffered => f.write_str("buffered sends"),
            Self::AtMost(most) if most.get() == 1 => f.write_str("at most 1 send in flight"),
            Self::AtMost(most) => write!(f, "at most {most} sends in flight"),
            Self::Rendezvous => f.write_str("sends that wait for their receive"),
        }
    }
}

impl fmt::Display for Receives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NonBlocking => "receives that block nothing",
            Self::OwnStream => "receives on a stream of their own",
            Self::Blocking => "receives that block their list",
        })
    }
}

impl fmt::Display for Blocking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} and {}", self.sends, self.receives)
    }
}
