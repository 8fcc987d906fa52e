//! `v-half` and `v-min`: two chunks in a V, in half and in a third of 1F1B's activations.
//!
//! # The law
//!
//! Placement is V with v = 2. On stage r the k-th F0, F1, I1 and I0 have the times 6k + t, in units of
//! tF = tI = tW, with
//!
//! | | t(F0) | t(F1) | t(I1) | t(I0) |
//! | --- | --- | --- | --- | --- |
//! | `v-half` | 2r | 3p-2-r | 3p-1+2r+d, d = 3 if p is even, else 0 | 6p-2-r+d |
//! | `v-min` | r | 2p-1-r | 2p+r+d, d = 2 if 3 divides p, else 0 | 4p-1-r+d |
//!
//! That is the order in which the stage runs them. It runs the next of them as soon as its input has come, a
//! forward only while fewer than L activations are live, and what is put off of the weight halves, the oldest
//! first, whenever that next one cannot run. L is what the pattern needs: `v-half` 2(p div 2) + 2, `v-min`
//! 2((p+1) div 3) + 2, so the squeeze takes no more memory than the pattern, and can never get stuck: where a
//! forward waits for room a weight half is put off.
//!
//! Makespan bubble: `v-half` half of 1F1B's, `v-min` about two thirds, for m ≥ p. Live: L, of the 2p that 1F1B
//! holds (one of its activations is two chunks). Any m. Source: Qi et al., "Pipeline Parallelism with
//! Controllable Memory" (2024), which gives the patterns by their offsets and the memory as (p+2)/2 and
//! (p+4)/3 micro-batches, rounded up; the squeeze is ours.

use super::clock::{Choice, Clock};
use super::{ChunkRule, Family, Request};
use crate::counts::Counts;
use crate::job::JobKind;
use crate::placement::Placement;
use crate::schedule::Schedule;

pub(super) const HALF: Family = Family {
    name: "v-half",
    summary: "two chunks in a V, in half of 1f1b's activations",
    bubble: "half of 1f1b's, for m >= p and tF = tI = tW",
    memory: "2(p div 2)+2",
    conditions: "any m",
    chunks: ChunkRule::Two,
    options: &[],
    law: |request: &Request| Ok(squeezed(request.counts, Pattern::half(request.counts.stages()))),
};

pub(super) const MIN: Family = Family {
    name: "v-min",
    summary: "two chunks in a V, in a third of 1f1b's activations",
    bubble: "about 2/3 of 1f1b's, for m >= p and tF = tI = tW",
    memory: "2((p+1) div 3)+2",
    conditions: "any m",
    chunks: ChunkRule::Two,
    options: &[],
    law: |request: &Request| Ok(squeezed(request.counts, Pattern::min(request.counts.stages()))),
};

/// When a stage runs what, and how much it then holds.
struct Pattern {
    stages: u64,
    /// t(F0) of stage r is r times this.
    slope: u64,
    shift: u64,
    limit: u32,
}

/// After how many units a stage begins the next micro-batch.
const PERIOD: u64 = 6;

/// What the four times of a pattern are of.
const JOBS: [(JobKind, u32); 4] = [
    (JobKind::Forward, 0),
    (JobKind::Forward, 1),
    (JobKind::BackwardInput, 1),
    (JobKind::BackwardInput, 0),
];

impl Pattern {
    fn half(stages: u32) -> Self {
        let shift = if stages.is_multiple_of(2) { 3 } else { 0 };
        Self { stages: stages.into(), slope: 2, shift, limit: 2 * (stages / 2) + 2 }
    }

    fn min(stages: u32) -> Self {
        let shift = if stages.is_multiple_of(3) { 2 } else { 0 };
        Self { stages: stages.into(), slope: 1, shift, limit: 2 * ((stages + 1) / 3) + 2 }
    }

    /// The times of a stage's first F0, F1, I1 and I0.
    fn times(&self, stage: u32) -> [u64; 4] {
        let (p, r, shift, slope) = (self.stages, u64::from(stage), self.shift, self.slope);
        [
            slope * r,
            (slope + 1) * p - slope - r,
            (slope + 1) * p - (slope - 1) + slope * r + shift,
            2 * (slope + 1) * p - slope - r + shift,
        ]
    }

    /// What a stage runs but for the weight halves, in order.
    fn order(&self, stage: u32, micro_batches: u32) -> Vec<Choice> {
        let times = self.times(stage);
        let mut timed: Vec<(u64, Choice)> = Vec::with_capacity(4 * micro_batches as usize);
        for micro_batch in 0..micro_batches {
            timed.extend(times.iter().zip(JOBS).map(|(&time, (kind, chunk))| {
                let choice = Choice { kind, chunk, micro_batch };
                (time + PERIOD * u64::from(micro_batch), choice)
            }));
        }
        timed.sort_unstable_by_key(|&(time, _)| time);
        timed.into_iter().map(|(_, choice)| choice).collect()
    }
}

fn squeezed(counts: Counts, pattern: Pattern) -> Schedule {
    let micro_batches = counts.micro_batches();
    let mut orders: Vec<_> = (0..counts.stages())
        .map(|stage| pattern.order(stage, micro_batches).into_iter().peekable())
        .collect();
    let clock = Clock::run(counts, Placement::v(counts), |stage, clock| {
        let can_run = |choice: &Choice| {
            let has_room = choice.kind != JobKind::Forward || clock.live(stage) < pattern.limit;
            has_room && clock.is_ready(stage, *choice)
        };
        orders[stage as usize].next_if(can_run).or_else(|| clock.put_off(stage))
    });
    clock.into_schedule()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In each period the four jobs of a stage have times of their own, and none comes before what it builds
    /// on: so the pattern, with its weight halves in the gaps, is a schedule.
    #[test]
    fn a_pattern_is_a_schedule() {
        for stages in 1..=40 {
            for pattern in [Pattern::half(stages), Pattern::min(stages)] {
                for stage in 0..stages {
                    let times = pattern.times(stage);
                    let mut places = times.map(|time| time % PERIOD);
                    places.sort_unstable();
                    assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{stages} {stage}");
                    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{stages} {stage}");
                    if stage + 1 < stages {
                        let next = pattern.times(stage + 1);
                        assert!(times[0] < next[0] && next[1] < times[1]);
                        assert!(times[2] < next[2] && next[3] < times[3]);
                    }
                }
            }
        }
    }
}
