//! `interleaved`: 1F1B over several chunks, in groups of any size.
//!
//! # The law
//!
//! A *step* is a forward or a backward of a chunk on a micro-batch. Micro-batches go in groups of g; in a group
//! all pass chunk 0, then all pass chunk 1, ...; backward takes the same groups with the chunks from last to
//! first. Stage r takes `w = min(2(p-1-r) + (v-1)g, m·v)` steps forward, then one forward and one backward in
//! turn, then the backwards that are left.
//!
//! Makespan bubble (p-1)(tF + tB) in the time of one chunk, 1/v of `1f1b`'s, where every group is full. Live:
//! min(w+1, m·v). With one chunk the law would only make 1F1B's warmup twice as long, so it takes two or more. A larger g costs (v-1)(g-p) activations more and gives messages more time.
//!
//! Source: Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM"
//! (2021). Megatron-LM's `microbatch_group_size_per_vp_stage` is g, by default p; torch's
//! `ScheduleInterleaved1F1B` takes g = m / max(1, m div p), which is [`Remainder::Regroup`] where that divides.
//!
//! # What is taken
//!
//! p ≤ g ≤ m (with m < p one group of m). If m mod g is left over, the last group has so many; the stages can
//! always run that if they are p or more. Megatron-LM refuses fewer; here the lists are run against each other
//! and refused where that comes to no end. `Regroup` makes all groups a little larger instead, the first ones
//! by one more, which always runs.

use super::lists::{JobsPerStep, schedule_of};
use super::{ChunkRule, Family, FamilyOption, Refusal, Remainder, Request};
use crate::check::{Complete, Deadlock, Receives};
use crate::counts::Counts;
use crate::error::NearestMicroBatches;
use crate::job::JobKind;
use crate::placement::Placement;
use crate::schedule::Schedule;
use crate::steps::{Groups, Steps};

pub(super) const FAMILY: Family = Family {
    name: "interleaved",
    summary: "1f1b over several chunks, in groups of micro-batches",
    bubble: "(p-1)(tF+tB), 1/v of 1f1b's, where g divides m",
    memory: "min(2(p-1-r)+(v-1)g+1, m*v)",
    conditions: "p <= g <= m, or m < p; m mod g left over only where all stages can run it",
    chunks: ChunkRule::Several,
    options: &[FamilyOption::Group],
    law: |request| grouped(FAMILY.name, request, lists),
};

fn lists(counts: Counts, groups: Groups) -> Schedule {
    let (stages, chunks, steps) = (counts.stages(), counts.chunks(), counts.steps());
    schedule_of(counts, Placement::looped(counts), JobsPerStep::Two, |stage, list| {
        let mut forwards = Steps::forward(chunks, groups);
        let mut backwards = Steps::backward(chunks, groups);
        let in_flight = 2 * (stages - 1 - stage) + (chunks - 1) * groups.first_size();
        let warmup = forwards.by_ref().take(in_flight.min(steps) as usize);
        list.extend(warmup.map(|step| step.job(JobKind::Forward)));
        for (forward, backward) in forwards.zip(backwards.by_ref()) {
            list.extend([forward.job(JobKind::Forward), backward.job(JobKind::Backward)]);
        }
        list.extend(backwards.map(|step| step.job(JobKind::Backward)));
    })
}

/// The schedule in the groups that are asked for, if all stages can run it.
pub(super) fn grouped(
    family: &'static str,
    request: &Request,
    lists: fn(Counts, Groups) -> Schedule,
) -> Result<Schedule, Refusal> {
    let counts = request.counts;
    let size = group_size(family, request)?;
    let groups = groups_of(counts, size, request.remainder);
    let schedule = lists(counts, groups);
    match deadlock(counts, groups, &schedule) {
        None => Ok(schedule),
        Some(deadlock) => {
            let nearest = nearest(counts, size, lists);
            Err(Refusal::Deadlock { family, counts, deadlock: Box::new(deadlock), nearest })
        }
    }
}

fn group_size(family: &'static str, request: &Request) -> Result<u32, Refusal> {
    let (stages, most) = (request.counts.stages(), request.counts.micro_batches());
    let least = stages.min(most);
    match request.group {
        None => Ok(least),
        Some(group) if (least..=most).contains(&group) => Ok(group),
        Some(group) => Err(Refusal::Group { family, group, least, most }),
    }
}

fn groups_of(counts: Counts, size: u32, remainder: Remainder) -> Groups {
    match remainder {
        Remainder::Keep => Groups::of_size(counts.micro_batches(), size),
        Remainder::Regroup => Groups::balanced(counts.micro_batches(), size),
    }
}

/// Where the last group is as large as there are stages, or the only one, lists are known to run (the tests
/// run them); the others are run here.
fn deadlock(counts: Counts, groups: Groups, schedule: &Schedule) -> Option<Deadlock> {
    let is_only = groups.first_size() == counts.micro_batches();
    if is_only || groups.last_size() >= counts.stages() {
        return None;
    }
    let complete = Complete::of(schedule).expect("each step of a list is made once, in order");
    complete.deadlock(Receives::NonBlocking)
}

/// The nearest numbers of micro-batches that this size of group goes with.
fn nearest(
    counts: Counts,
    size: u32,
    lists: fn(Counts, Groups) -> Schedule,
) -> NearestMicroBatches {
    let runs = |&micro_batches: &u32| {
        let counts =
            Counts::new(counts.stages().into(), counts.chunks().into(), micro_batches.into());
        let Ok(counts) = counts else { return false };
        let groups = Groups::of_size(micro_batches, size);
        // To run large lists takes a while, so the law that the failures show is asked first.
        !is_expected_to_deadlock(counts, groups)
            && deadlock(counts, groups, &lists(counts, groups)).is_none()
    };
    let micro_batches = counts.micro_batches();
    NearestMicroBatches {
        below: (size..micro_batches).rev().find(runs),
        // A multiple of the size is among the next ones.
        above: (1..=size).map_while(|more| micro_batches.checked_add(more)).find(runs),
    }
}

/// The law of the deadlocks of `interleaved`, as observed by running the lists and tested against that: with
/// q = m mod g left over it takes v = 2 and 2 ≤ q ≤ 2p - g - 3, or v ≥ 3 and 1 ≤ q ≤ 2p - g - 3.
fn is_expected_to_deadlock(counts: Counts, groups: Groups) -> bool {
    let size = groups.first_size();
    let left_over = counts.micro_batches() % size;
    let least = if counts.chunks() == 2 { 2 } else { 1 };
    least <= left_over && left_over + size + 3 <= 2 * counts.stages()
}
