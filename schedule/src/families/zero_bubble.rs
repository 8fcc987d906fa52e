//! `zero-bubble`: as little idle time as fits under a limit of live activations.
//!
//! # The law
//!
//! In units of time, tF = tI = tW = 1, each stage runs the first of these that it can: I, if its input has
//! come; F, if fewer than `limit` activations are live; W, the one put off longest. The lists are the order in
//! which that happens. Where the limit is p or more and [`zb-h1`](super::zb_h1), whose limit is p, comes to an
//! end earlier, its lists are taken.
//!
//! A limit of p (the default) is `zb-h1`, of 2p-1 `zb-h2`; between them the span bubble falls from p-1 to 0,
//! below p the makespan grows. The limit is the same on all stages and at least 1. Source: the memory limits of
//! ZB-1P to ZB-2P in Qi et al., "Zero Bubble Pipeline Parallelism" (2023); the rule is ours.

use super::clock::{Choice, Clock};
use super::{ChunkRule, Family, FamilyOption, Refusal, Request, zb_h1};
use crate::counts::Counts;
use crate::job::JobKind;
use crate::placement::Placement;
use crate::schedule::Schedule;

pub(super) const FAMILY: Family = Family {
    name: "zero-bubble",
    summary: "as little idle time as fits under a limit of live activations",
    bubble: "makespan (p-1)tF for a limit of about 4p/3 and more, span 0 for 2p-1 and m >= 2p",
    memory: "min(limit, m); the limit is p unless given",
    conditions: "any m, limit >= 1",
    chunks: ChunkRule::One,
    options: &[FamilyOption::LiveLimit],
    law,
};

fn law(request: &Request) -> Result<Schedule, Refusal> {
    let counts = request.counts;
    let limit = request.live_limit.unwrap_or(counts.stages());
    if limit == 0 {
        return Err(Refusal::LiveLimit { family: FAMILY.name, limit, least: 1 });
    }
    let clock = within(counts, limit);
    let has_h1 = limit >= counts.stages();
    if has_h1 && zb_h1::makespan(counts) < u64::from(clock.makespan()) {
        return Ok(zb_h1::lists(counts));
    }
    Ok(clock.into_schedule())
}

/// All stages, each with at most `limit` live activations.
pub(super) fn within(counts: Counts, limit: u32) -> Clock {
    let mut next = vec![[0_u32; 2]; counts.stages() as usize];
    Clock::run(counts, Placement::looped(counts), |stage, clock| {
        let [forward, input] = &mut next[stage as usize];
        let choice = |kind, micro_batch| Choice { kind, chunk: 0, micro_batch };
        let backward = choice(JobKind::BackwardInput, *input);
        if *input < *forward && clock.is_ready(stage, backward) {
            *input += 1;
            return Some(backward);
        }
        let has_room = *forward < counts.micro_batches() && clock.live(stage) < limit;
        let further = choice(JobKind::Forward, *forward);
        if has_room && clock.is_ready(stage, further) {
            *forward += 1;
            return Some(further);
        }
        clock.put_off(stage)
    })
}
