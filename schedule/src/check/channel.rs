//! Do messages arrive in the order in which they are sent?
//!
//! A channel is first in, first out: the n-th receive takes what was sent n-th, whatever it is. So for each
//! sender and receiver the messages must stand in the two lists in the same order. What shares a channel
//! decides: with two stages, the results of forwards and of backwards go between the same two.

use std::fmt;

use super::Complete;
use crate::counts::Stage;
use crate::job::Job;
use crate::traffic::{Direction, Message};

/// Which messages share a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channels {
    /// All messages from one stage to another, results of forwards and of backwards alike.
    PerPair,
    /// Results of forwards and of backwards have channels of their own.
    PerDirection,
}

/// The first place on a channel where what is sent is not what is received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChannelMismatch {
    /// The sender.
    pub from: Stage,
    /// The receiver.
    pub to: Stage,
    /// The job of the sender that sends.
    pub sends: Job,
    /// The job of the receiver that receives what it sends.
    pub receives: Job,
    /// The job of the sender that the receiver expects to hear from.
    pub expects: Job,
}

impl fmt::Display for ChannelMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, sends, receives, expects } = self;
        write!(
            f,
            "stage {from} sends to stage {to} in `{sends}` before `{expects}`, \
             but stage {to} receives what `{expects}` sends first, in `{receives}`"
        )
    }
}

/// The first mismatch of each channel, by sender, then receiver.
pub(super) fn mismatches(complete: &Complete<'_>, channels: Channels) -> Vec<ChannelMismatch> {
    let stages = complete.schedule.counts().stages();
    let directions: &[Option<Direction>] = match channels {
        Channels::PerPair => &[None],
        Channels::PerDirection => &[Some(Direction::Forward), Some(Direction::Backward)],
    };
    let mut found = Vec::new();
    for from in 0..stages {
        for to in peers(from, complete) {
            let channel = |&only| Channel { from, to, only };
            let channels = directions.iter().map(channel);
            found.extend(channels.filter_map(|channel| channel.first_mismatch(complete)));
        }
    }
    found
}

/// The stages that a stage sends to: those of the parts before and after its own.
fn peers(from: u32, complete: &Complete<'_>) -> Vec<u32> {
    let placement = complete.schedule.placement();
    let stage = Stage(from);
    let chunks = complete.schedule.counts().each_chunk();
    let homes =
        chunks.flat_map(|chunk| [placement.next(stage, chunk), placement.previous(stage, chunk)]);
    let mut peers: Vec<u32> = homes.flatten().map(|(stage, _)| stage.0).collect();
    peers.retain(|&peer| peer != from);
    peers.sort_unstable();
    peers.dedup();
    peers
}

struct Channel {
    from: u32,
    to: u32,
    /// The only direction that uses it, or both.
    only: Option<Direction>,
}

impl Channel {
    fn first_mismatch(&self, complete: &Complete<'_>) -> Option<ChannelMismatch> {
        let traffic = complete.traffic;
        let mut sends = complete.schedule.list(self.from).iter().filter_map(|&job| {
            let message = traffic.sent_by(self.from, job)?;
            (message.stage == self.to && self.carries(message)).then_some((job, message))
        });
        let receives = complete.schedule.list(self.to).iter().filter_map(|&job| {
            let message = traffic.received_by(self.to, job)?;
            (message.from == self.from && self.carries(message)).then_some((job, message))
        });
        let ((job, _), (receiver, expected)) =
            sends.clone().zip(receives).find(|((_, sent), (_, expected))| sent != expected)?;
        let (expects, _) = sends
            .find(|(_, sent)| *sent == expected)
            .expect("in complete lists each message that is received is sent");
        Some(ChannelMismatch {
            from: Stage(self.from),
            to: Stage(self.to),
            sends: job,
            receives: receiver,
            expects,
        })
    }

    fn carries(&self, message: Message) -> bool {
        self.only.is_none_or(|only| only == message.direction)
    }
}
