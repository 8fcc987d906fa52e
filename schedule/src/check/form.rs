//! Which jobs besides computations the lists of a schedule have.
//!
//! Lists may leave sends, receives and waits to the computations, name them where there is a message to
//! another stage, as torch does, or name them for every step, as Paddle does, whose first stage has receives
//! that receive nothing. Which of these holds is taken from all lists together, for each kind of job apart: if
//! one list has a kind of job, all lists must.

use crate::counts::{MicroBatch, Stage};
use crate::job::{Job, JobKind};
use crate::schedule::Schedule;
use crate::traffic::Traffic;

/// The kinds of job that do nothing but send, receive or wait for a send.
const CARRIERS: [JobKind; 6] = [
    JobKind::RecvForward,
    JobKind::SendForward,
    JobKind::RecvBackward,
    JobKind::SendBackward,
    JobKind::WaitSendForward,
    JobKind::WaitSendBackward,
];

/// For which steps there is a job of some kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// For none.
    Nowhere,
    /// For those that have a message from or to another stage.
    WithMessages,
    /// For all.
    Everywhere,
}

/// The form of the lists of a schedule.
pub(super) struct Form<'a> {
    traffic: Traffic<'a>,
    micro_batches: u32,
    presence: [Presence; JobKind::ALL.len()],
}

impl<'a> Form<'a> {
    /// Looks at every job.
    pub(super) fn of(schedule: &'a Schedule, traffic: Traffic<'a>) -> Self {
        let mut presence = [Presence::Nowhere; JobKind::ALL.len()];
        for kind in CARRIERS.into_iter().filter(|&kind| traffic.has(kind)) {
            presence[kind as usize] = presence_of(kind, schedule, traffic);
        }
        Self { traffic, micro_batches: micro_batches(schedule), presence }
    }

    /// How many micro-batches the stages have: as many as most of them have.
    pub(super) fn micro_batches(&self) -> u32 {
        self.micro_batches
    }

    /// Whether any list has jobs of this kind.
    pub(super) fn has(&self, kind: JobKind) -> bool {
        self.traffic.has(kind)
    }

    /// For which steps there is a job of this kind, if it only sends, receives or waits for a send.
    pub(super) fn presence(&self, kind: JobKind) -> Presence {
        self.presence[kind as usize]
    }

    /// Whether a job that only sends, receives or waits for a send has a message to or from another stage.
    pub(super) fn carries(&self, stage: Stage, job: Job) -> bool {
        self.traffic.carried_by(stage.0, job).is_some()
    }

    /// Whether a job is about nothing: a message that there is not, or a micro-batch where it runs once.
    pub(super) fn has_no_place_for(&self, stage: Stage, job: Job) -> bool {
        if !job.kind().is_per_micro_batch() {
            return job.micro_batch.0 != 0;
        }
        self.presence(job.kind()) == Presence::WithMessages && !self.carries(stage, job)
    }
}

/// A kind of job is everywhere if at least half of the steps without a message have it: a step that lacks
/// it, or one that has it for nothing, is then an exception and a fault.
fn presence_of(kind: JobKind, schedule: &Schedule, traffic: Traffic<'_>) -> Presence {
    let mut jobs = 0_u64;
    for (stage, list) in schedule.stages() {
        let of_kind = list.iter().filter(|job| job.kind() == kind);
        jobs += of_kind.filter(|&&job| traffic.carried_by(stage.0, job).is_none()).count() as u64;
    }
    let is_everywhere = jobs > 0 && 2 * jobs >= steps_without(kind, schedule, traffic);
    if is_everywhere { Presence::Everywhere } else { Presence::WithMessages }
}

/// The number of steps for which a job of this kind has no message to or from another stage.
fn steps_without(kind: JobKind, schedule: &Schedule, traffic: Traffic<'_>) -> u64 {
    let counts = schedule.counts();
    let placement = schedule.placement();
    let mut steps = 0;
    for stage in 0..counts.stages() {
        for chunk in counts.each_chunk() {
            let job = Job::new(kind.in_chunk(chunk), MicroBatch(0));
            if traffic.carried_by(stage, job).is_some() {
                continue;
            }
            let runs =
                |&micro_batch: &u32| placement.runs(Stage(stage), chunk, MicroBatch(micro_batch));
            steps += (0..counts.micro_batches()).filter(runs).count() as u64;
        }
    }
    steps
}

/// The number of micro-batches that most stages have; of two such numbers the larger.
fn micro_batches(schedule: &Schedule) -> u32 {
    let of_stage = |list: &[Job]| {
        let jobs = list.iter().filter(|job| job.kind().is_per_micro_batch());
        jobs.map(|job| job.micro_batch.0 + 1).max()
    };
    let mut counts: Vec<u32> = schedule.stages().filter_map(|(_, list)| of_stage(list)).collect();
    counts.sort_unstable();
    let groups = counts.chunk_by(|left, right| left == right);
    // Of several that are the largest, `max_by_key` takes the last.
    groups.max_by_key(|group| group.len()).map_or(0, |group| group[0])
}
