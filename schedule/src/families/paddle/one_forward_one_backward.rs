//! `1F1B`: Paddle's, with jobs of their own for the receive of a forward and the send of a backward.
//!
//! # The law
//!
//! `w = p - r` times `recv_forward, forward`; then `backward, recv_forward, send_backward, forward` while
//! forwards are left: the receive goes out before the send, so that the lists run even where a send waits for
//! its receiver; then `backward, send_backward`. Needs m ≥ p.
//!
//! The computations are in the order of [`1f1b`](super::super::one_forward_one_backward).

use super::require;
use crate::families::lists::{JobsPerStep, List, schedule_of};
use crate::families::{ChunkRule, Family, MicroBatchRule, Refusal, Request};
use crate::job::JobKind;
use crate::placement::Placement;
use crate::schedule::Schedule;

pub(in crate::families) const ONE_FORWARD_ONE_BACKWARD: Family = Family {
    name: "1F1B",
    summary: "Paddle's: one backward, one forward in turn after a warmup",
    bubble: "(p-1)(tF+tB)",
    memory: "p-r",
    conditions: "m >= p",
    chunks: ChunkRule::One,
    options: &[],
    law,
};

fn law(request: &Request) -> Result<Schedule, Refusal> {
    let counts = request.counts;
    let (stages, micro_batches) = (counts.stages(), counts.micro_batches());
    require(ONE_FORWARD_ONE_BACKWARD.name, request, MicroBatchRule::AtLeast(stages))?;
    Ok(schedule_of(counts, Placement::looped(counts), JobsPerStep::Four, |stage, list| {
        let warmup = stages - stage;
        for forward in 0..warmup {
            list.without_chunk(JobKind::RecvForward, forward);
            list.without_chunk(JobKind::Forward, forward);
        }
        for forward in warmup..micro_batches {
            turn(list, forward - warmup, forward);
        }
        for backward in micro_batches - warmup..micro_batches {
            list.without_chunk(JobKind::Backward, backward);
            list.without_chunk(JobKind::SendBackward, backward);
        }
    }))
}

fn turn(list: &mut List<'_>, backward: u32, forward: u32) {
    list.without_chunk(JobKind::Backward, backward);
    list.without_chunk(JobKind::RecvForward, forward);
    list.without_chunk(JobKind::SendBackward, backward);
    list.without_chunk(JobKind::Forward, forward);
}
