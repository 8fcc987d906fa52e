//! `ZBVPP`: Paddle's list scheduler for chunks in a V, with the run times that Paddle supposes.
//!
//! # The law
//!
//! Placement is V. A forward takes 61 units of time, an input half 72, a weight half 71, each 34 more on the last
//! part of the model, which has the loss; a message takes 3. Jobs are put one after the other at the end of the
//! list of their stage; each begins when its stage is free and its message has come. The jobs of one kind and
//! chunk take the micro-batches in order.
//!
//! 1. *Forwards before the first backward.* F0 of the first micro-batch on every stage; then, chunk by chunk,
//!    its F1, F2, ... along the way it takes. Before a stage gets the job that it waits for, forwards of the
//!    chunks so far fill the time up to then; likewise before the first input half of chunk 0.
//! 2. *Rounds* until the stage of the last part has all its input halves: every stage gets an input half, if one
//!    can be put, of the lowest chunk it can; then every stage gets a forward, of the highest chunk it can.
//!    While the message for it is further off than a weight half takes, a weight half goes first (on the stage
//!    of the last part, in one variant, than a fifth of one takes); and, in one variant before an input half and
//!    in one before a forward, also where the wait would make this the stage that has idled longest.
//! 3. The weight halves that are left.
//!
//! Each of the eight variants is made again with the idle times of the one before as what a stage may idle, as
//! long as that gets better; of all the shortest is taken, of equals the first.
//!
//! Needs m = p: Paddle takes no other. Live: up to v·p. The list has been recorded with no limit of memory; with
//! one, Paddle 3.3.1 cannot make it. Sources: Paddle's pass, which follows ZB-V of Qi et al. (2024).

mod bench;
mod forwards;

use super::require;
use crate::counts::Counts;
use crate::families::lists::{JobsPerStep, schedule_of};
use crate::families::{ChunkRule, Family, MicroBatchRule, Refusal, Request};
use crate::placement::Placement;
use crate::schedule::Schedule;
use bench::{Bench, Direction};

pub(in crate::families) const ZBVPP: Family = Family {
    name: "ZBVPP",
    summary: "Paddle's: chunks in a V, with weight gradients that fill what would be idle",
    bubble: "by Paddle's run times of 61, 72 and 71 for F, I and W; no closed form",
    memory: "up to v*p",
    conditions: "m = p",
    chunks: ChunkRule::Several,
    options: &[],
    law,
};

/// Where a weight half is put though the message would come before its end.
#[derive(Debug, Clone, Copy)]
struct Variant {
    before_input: bool,
    before_forward: bool,
    on_last_part: bool,
}

impl Variant {
    /// All of them, in the order in which Paddle tries them.
    fn all() -> impl Iterator<Item = Self> {
        (0..8_u8).map(|number| Self {
            before_input: number & 4 == 0,
            before_forward: number & 2 == 0,
            on_last_part: number & 1 == 0,
        })
    }
}

fn law(request: &Request) -> Result<Schedule, Refusal> {
    let counts = request.counts;
    require(ZBVPP.name, request, MicroBatchRule::Exactly(counts.stages()))?;
    let best = Variant::all().map(|variant| best_of(counts, variant)).reduce(shorter);
    let lists = best.expect("there are eight variants").into_lists();
    Ok(schedule_of(counts, Placement::v(counts), JobsPerStep::Three, |stage, list| {
        list.extend(lists[stage as usize].iter().copied());
    }))
}

/// The shorter of two, of equals the first.
fn shorter(first: Bench, second: Bench) -> Bench {
    if second.makespan() < first.makespan() { second } else { first }
}

/// A variant, made again and again with what it idled as what it may idle.
fn best_of(counts: Counts, variant: Variant) -> Bench {
    let mut tries = vec![filled(counts, variant, None)];
    let mut allowed = tries[0].idle().to_vec();
    loop {
        let next = filled(counts, variant, Some(&allowed));
        let is_better = longest(next.idle()) < longest(&allowed);
        allowed = next.idle().to_vec();
        tries.push(next);
        if !is_better {
            break;
        }
    }
    // A later try counts only if it is shorter than all before it.
    tries.into_iter().rev().reduce(|later, earlier| shorter(earlier, later)).expect("one at least")
}

fn longest(idle: &[u64]) -> u64 {
    idle.iter().copied().max().unwrap_or(0)
}

/// All lists of one variant. Where stages may idle for as long as `allowed`, that is not counted against them.
fn filled(counts: Counts, variant: Variant, allowed: Option<&[u64]>) -> Bench {
    let mut bench = Bench::new(counts);
    forwards::put_all_before_first_backward(&mut bench);
    let last_stage = bench.stage_of_last_part();
    let mut stages: Vec<u32> = (0..counts.stages()).collect();
    if !counts.chunks().is_multiple_of(2) {
        stages.reverse();
    }
    let rounds = Rounds { variant, allowed, last_stage };
    while bench.has_inputs_left(last_stage) {
        for &stage in &stages {
            rounds.put(&mut bench, Direction::Backward, stage);
        }
        for &stage in &stages {
            rounds.put(&mut bench, Direction::Forward, stage);
        }
    }
    for stage in stages {
        while bench.put_weight(stage) {}
    }
    bench
}

/// What the rounds go by.
struct Rounds<'a> {
    variant: Variant,
    allowed: Option<&'a [u64]>,
    last_stage: u32,
}

impl Rounds<'_> {
    /// Puts the next job of this direction on a stage, if one can be put, and weight halves before it.
    fn put(&self, bench: &mut Bench, direction: Direction, stage: u32) {
        let chunks = 0..bench.chunks();
        let can_put = |&chunk: &u32| bench.can_put(direction, stage, chunk);
        let chunk = match direction {
            Direction::Backward => chunks.into_iter().find(can_put),
            Direction::Forward => chunks.into_iter().rev().find(can_put),
        };
        let Some(chunk) = chunk else { return };
        let arrival = bench.arrival(direction, stage, chunk);
        while bench.next_weight_ends(stage, 1).is_some_and(|end| end <= arrival) {
            bench.put_weight(stage);
        }
        let is_backward = matches!(direction, Direction::Backward);
        if is_backward && self.variant.on_last_part && stage == self.last_stage {
            while bench.next_weight_ends(stage, 5).is_some_and(|end| end <= arrival) {
                bench.put_weight(stage);
            }
        }
        let fills = match direction {
            Direction::Backward => self.variant.before_input,
            Direction::Forward => self.variant.before_forward,
        };
        if fills && self.would_idle_longest(bench, stage, arrival) {
            bench.put_weight(stage);
        }
        bench.put(direction, stage, chunk);
    }

    /// Whether to wait for a message would make this the stage that has idled longest.
    fn would_idle_longest(&self, bench: &Bench, stage: u32, arrival: u64) -> bool {
        let left_over =
            self.allowed.map_or(0, |allowed| longest(allowed) - allowed[stage as usize]);
        let most = longest(bench.idle()).max(left_over);
        let spare = i128::from(most) - i128::from(bench.idle()[stage as usize]);
        i128::from(arrival) - i128::from(bench.free_at(stage)) > spare
    }
}
