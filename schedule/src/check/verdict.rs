//! The whole answer to whether a schedule is sound.

use super::fault::Cure;
use super::{Blocking, Channels, Complete, Fault, MAX_FAULTS, Receives, Sends, live, reductions};
use super::{Deadlock, Reason, Wait};
use crate::counts::Stage;
use crate::job::Job;
use crate::schedule::Schedule;

/// How a schedule is to be run. The default is how Paddle runs `VPP`, with any amount of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckOptions {
    /// What a send holds up.
    pub sends: Sends,
    /// What a receive holds up.
    pub receives: Receives,
    /// Which messages share a channel.
    pub channels: Channels,
    /// The most activations that a stage may hold at a time, each of one chunk on one micro-batch.
    pub memory_limit: Option<u32>,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            sends: Sends::default(),
            receives: Receives::default(),
            channels: Channels::PerDirection,
            memory_limit: None,
        }
    }
}

/// What [`check`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What is wrong, at most [`MAX_FAULTS`]; nothing, if the schedule is sound.
    pub faults: Vec<Fault>,
    /// What holds of the schedule, whatever the options.
    pub facts: Facts,
}

impl Verdict {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }
}

/// What holds of a schedule, however it is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// For each stage the most activations that it holds at a time.
    pub peak_live: Vec<u32>,
    /// What holds of all lists together; nothing to say where one of them is not complete.
    pub together: Option<Together>,
}

/// What holds of complete lists together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Together {
    /// They come to their end if neither sends nor receives block: the data alone allow it.
    pub executable: bool,
    /// They do so if receives block their list.
    pub executable_with_blocking_receives: bool,
    /// They do so if moreover every send waits for its receive.
    pub executable_with_rendezvous: bool,
    /// Messages are received as they are sent if both directions of a pair of stages share a channel.
    pub in_order_per_pair: bool,
    /// They are if each direction has a channel of its own.
    pub in_order_per_direction: bool,
}

/// Whether all stages can run a schedule together, and all that is wrong if not.
///
/// Takes time linear in the number of jobs, where nothing is wrong.
pub fn check(schedule: &Schedule, options: &CheckOptions) -> Verdict {
    let peak_live = live::peak_live(schedule);
    let (mut faults, together) = match Complete::of(schedule) {
        Ok(complete) => {
            let together = together(&complete);
            (faults_together(&complete, options, together), Some(together))
        }
        Err(faults) => (faults, None),
    };
    faults.extend(above_limit(schedule, options, &peak_live));
    faults.truncate(MAX_FAULTS);
    Verdict { faults, facts: Facts { peak_live, together } }
}

/// What runs where more blocks also runs where less does, so the strictest is asked first.
fn together(complete: &Complete<'_>) -> Together {
    let runs = |sends, receives| complete.runs(Blocking { sends, receives });
    let rendezvous = runs(Sends::Rendezvous, Receives::Blocking);
    let blocking = rendezvous || runs(Sends::Buffered, Receives::Blocking);
    let per_pair = complete.channel_mismatches(Channels::PerPair).is_empty();
    Together {
        executable: blocking || runs(Sends::Buffered, Receives::NonBlocking),
        executable_with_blocking_receives: blocking,
        executable_with_rendezvous: rendezvous,
        in_order_per_pair: per_pair,
        in_order_per_direction: per_pair
            || complete.channel_mismatches(Channels::PerDirection).is_empty(),
    }
}

fn faults_together(
    complete: &Complete<'_>,
    options: &CheckOptions,
    together: Together,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    let blocking = Blocking { sends: options.sends, receives: options.receives };
    // Nothing blocks more than a rendezvous with a receive that blocks.
    if !together.executable_with_rendezvous {
        let deadlock = complete.deadlock_when(blocking);
        faults.extend(deadlock.map(|deadlock| {
            let cure = cure(complete, &deadlock);
            Fault::Deadlock { deadlock: Box::new(deadlock), cure }
        }));
    }
    let is_in_order = match options.channels {
        Channels::PerPair => together.in_order_per_pair,
        Channels::PerDirection => together.in_order_per_direction,
    };
    if !is_in_order {
        let channels = options.channels;
        let mismatches = complete.channel_mismatches(channels).into_iter();
        faults.extend(mismatches.map(|mismatch| Fault::ChannelOrder { mismatch, channels }));
    }
    faults.extend(reductions::faults(complete.schedule()));
    faults
}

fn above_limit(schedule: &Schedule, options: &CheckOptions, peak_live: &[u32]) -> Vec<Fault> {
    let Some(limit) = options.memory_limit else { return Vec::new() };
    let stages = (0..).map(Stage).zip(peak_live);
    let above = stages.filter(|&(_, &peak)| peak > limit).filter_map(|(stage, &peak)| {
        let job = live::first_above(schedule, stage, limit)?;
        Some(Fault::Memory { stage, peak, limit, job })
    });
    above.collect()
}

/// What lets the lists come to their end: less that blocks, or a job at another place.
fn cure(complete: &Complete<'_>, deadlock: &Deadlock) -> Cure {
    let Blocking { sends, receives } = deadlock.blocking;
    let runs = |receives| complete.runs(Blocking { sends: Sends::Buffered, receives });
    if sends != Sends::Buffered && runs(receives) {
        return Cure::BufferSends;
    }
    if receives == Receives::Blocking && runs(Receives::OwnStream) {
        return Cure::PostReceives;
    }
    let orders = deadlock.cycle.iter().filter(|wait| wait.reason == Reason::Order);
    let moves = orders.filter_map(|wait| move_that_helps(complete, deadlock.blocking, wait));
    moves.into_iter().next().unwrap_or(Cure::Reorder)
}

/// Moves what stands behind before what it stands behind, if the lists are complete and run with that.
fn move_that_helps(complete: &Complete<'_>, blocking: Blocking, wait: &Wait) -> Option<Cure> {
    /// Larger schedules are not run again and again for the sake of a hint.
    const MOST_JOBS: usize = 1 << 20;
    let schedule = complete.schedule();
    let (stage, job, before) = (wait.waiter.stage, wait.waiter.job, wait.waits_for.job);
    if schedule.jobs().len() > MOST_JOBS || !schedule.fused_pairs().is_empty() {
        return None;
    }
    let mut lists: Vec<Vec<Job>> = schedule.stages().map(|(_, jobs)| jobs.to_vec()).collect();
    let list = &mut lists[stage.0 as usize];
    let to = list.iter().position(|&other| other == before)?;
    let from = list.iter().position(|&other| other == job).filter(|&from| from > to)?;
    list[to..=from].rotate_right(1);
    let moved = Schedule::with_placement(&lists, schedule.placement().clone()).ok()?;
    let runs = Complete::of(&moved).is_ok_and(|moved| moved.runs(blocking));
    runs.then_some(Cure::Move { stage, job, before })
}
