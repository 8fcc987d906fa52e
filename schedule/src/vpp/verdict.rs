//! Can all stages of a `VPP` schedule run together, and what should a planner know about it?
//!
//! Paddle asks only for m ≥ p. If p does not divide m, the last group of micro-batches is smaller than the
//! others, and its steps can come so early on one stage that another, which still has to feed it, waits for
//! this one.

use super::{ShardingReduce, Vpp};
use crate::check::{ChannelMismatch, Channels, Complete, Deadlock, Receives};
use crate::counts::Counts;
use crate::error::{NearestMicroBatches, ScheduleError};
use crate::remark::Remark;

/// How the receives of `VPP` wait: Paddle runs all of them on `recv_stream`.
const RECEIVES: Receives = Receives::OwnStream;

impl Vpp {
    /// Whether all stages can run the schedule together, and what to know about it if they can.
    ///
    /// The lists of all stages are run against each other: sends never block, a receive blocks only the
    /// receives after it. Where p divides m that has always gone well (the tests run up to ten stages, five
    /// chunks and four groups), so nothing is run there and the answer takes no time. The answer is the same
    /// for every stage.
    ///
    /// Messages that would be swapped on a channel that both directions share are a warning, not a refusal:
    /// it takes two stages and an odd m with v ≥ 2, and channels of their own make it right.
    ///
    /// # Errors
    /// The stages would deadlock: with the circle of waits and the nearest numbers of micro-batches that run.
    pub fn verdict(self) -> Result<Vec<Remark>, ScheduleError> {
        let mut remarks = self.remarks();
        if self.has_only_full_groups() {
            return Ok(remarks);
        }
        let mismatch = self.run_together().map_err(|deadlock| self.refusal(deadlock))?;
        remarks.extend(mismatch.map(|mismatch| Remark::MessageOrder { mismatch }));
        remarks.sort_by_key(|remark| std::cmp::Reverse(remark.severity()));
        Ok(remarks)
    }

    /// What follows from the counts alone.
    fn remarks(self) -> Vec<Remark> {
        let counts = self.counts;
        let is_pipeline = counts.stages() > 1;
        let mut remarks = Vec::new();
        if self.requested != self.effective_backward() {
            remarks.push(Remark::SplitBackwardIgnored { counts });
        }
        if self.sharding_reduce == ShardingReduce::Overlapped && !self.has_reduce() {
            remarks.push(Remark::ReduceIgnored);
        }
        if is_pipeline && self.has_one_full_group() {
            remarks.push(Remark::AllForwardsFirst { counts });
        } else if is_pipeline && counts.chunks() == 1 {
            remarks.push(Remark::SingleChunk { counts });
        }
        if !self.has_only_full_groups() && counts.chunks() > 1 {
            remarks.push(Remark::PartialGroup { counts });
        }
        remarks
    }

    /// Runs all lists against each other. If they come to an end: the first messages out of order.
    fn run_together(self) -> Result<Option<ChannelMismatch>, Deadlock> {
        let schedule = self.schedule();
        let complete = Complete::of(&schedule).expect("each step of a list is made once, in order");
        match complete.deadlock(RECEIVES) {
            Some(deadlock) => Err(deadlock),
            None => Ok(complete.channel_mismatches(Channels::PerPair).into_iter().next()),
        }
    }

    /// No group is smaller than there are stages.
    fn has_only_full_groups(self) -> bool {
        self.groups().last_size() >= self.counts.stages()
    }

    fn refusal(self, deadlock: Deadlock) -> ScheduleError {
        let counts = self.counts;
        let micro_batches = counts.micro_batches();
        let below = (counts.stages()..micro_batches).rev();
        // A multiple of p is among the next p numbers.
        let above = (1..=counts.stages()).map_while(|more| micro_batches.checked_add(more));
        ScheduleError::Deadlock {
            counts,
            deadlock: Box::new(deadlock),
            nearest: NearestMicroBatches {
                below: self.first_that_runs(below),
                above: self.first_that_runs(above),
            },
        }
    }

    /// The first of these numbers of micro-batches that all stages can run.
    ///
    /// Each candidate is run like the schedule itself. With large counts that takes a while and most would
    /// fail, so the law that the failures show is asked first.
    fn first_that_runs(self, mut micro_batches: impl Iterator<Item = u32>) -> Option<u32> {
        let counts = self.counts;
        let with = |micro_batches: u32| {
            let (stages, chunks) = (counts.stages().into(), counts.chunks().into());
            let counts = Counts::new(stages, chunks, micro_batches.into()).ok()?;
            (counts.micro_batches() >= counts.stages()).then_some(Self { counts, ..self })
        };
        micro_batches.find(|&micro_batches| {
            with(micro_batches).is_some_and(|vpp| !vpp.is_expected_to_deadlock() && vpp.runs())
        })
    }

    /// The law of the deadlocks, as observed by running the schedules and tested against that: with
    /// q = m mod p micro-batches in the last group it takes v = 2 and 2 ≤ q ≤ p - 3, or v ≥ 3 and
    /// 1 ≤ q ≤ p - 3.
    fn is_expected_to_deadlock(self) -> bool {
        let last_group = self.counts.micro_batches() % self.counts.stages();
        let least = match self.counts.chunks() {
            1 => return false,
            2 => 2,
            _ => 1,
        };
        least <= last_group && last_group + 3 <= self.counts.stages()
    }

    fn runs(self) -> bool {
        self.has_only_full_groups() || self.run_together().is_ok()
    }
}
