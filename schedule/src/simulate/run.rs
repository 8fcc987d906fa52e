//! Running all lists with time.
//!
//! Sends and receives are started when their turn comes and go on by themselves. Only where receives block
//! does a send wait for its turn, too; else the message leaves as soon as it is computed, as on a stream of
//! its own.
//!
//! A stage runs as far as its list lets it; where it needs a job that has no end yet, it stops and is woken
//! by that job. What a job needs is known before it begins, and messages of a link leave in the order of one
//! list, so the times do not depend on the order in which stages are taken up. Linear in jobs.

use super::costs::{ChunkCosts, Costs, Link, Transfers};
use super::times::{Times, UNKNOWN, leaves_with};
use super::{Simulation, SimulationError};
use crate::check::Receives;
use crate::counts::{Chunk, Stage};
use crate::dependences::Dependences;
use crate::job::{Job, JobKind};
use crate::schedule::Schedule;

/// The times of all jobs.
///
/// # Errors
/// The stages wait for each other for ever.
pub(super) fn run<'a>(
    schedule: &'a Schedule,
    costs: Costs,
) -> Result<Simulation<'a>, SimulationError> {
    costs.check()?;
    let mut run = Run::new(schedule, &costs);
    while let Some(stage) = run.awake.pop() {
        run.advance(stage);
    }
    if let Some(stuck) = run.stages.iter().position(|stage| stage.waits_for.is_some()) {
        let job = schedule.jobs()[run.stages[stuck].next];
        return Err(SimulationError::Standstill { stage: Stage(stuck as u32), job });
    }
    let Run { times, dependences, .. } = run;
    Ok(Simulation { schedule, costs, dependences, times })
}

/// How far a stage has come.
struct StageState {
    /// The index of its next job.
    next: usize,
    end_of_list: usize,
    /// Until when it is busy.
    free: u64,
    /// Until when its receives are, where they have a stream of their own.
    receiving: u64,
    /// The job without an end that its next one needs.
    waits_for: Option<usize>,
}

struct Run<'a> {
    schedule: &'a Schedule,
    dependences: Dependences<'a>,
    chunks: ChunkTable,
    links: LinkTable,
    transfers: Transfers,
    receives: Receives,
    optimizer: u64,
    stages: Vec<StageState>,
    awake: Vec<u32>,
    times: Times,
}

/// The costs of each chunk of each stage.
struct ChunkTable {
    width: usize,
    rows: Vec<ChunkCosts>,
}

impl ChunkTable {
    fn of(schedule: &Schedule, costs: &Costs) -> Self {
        let counts = schedule.counts();
        let width = counts.chunks() as usize;
        let mut rows = vec![costs.chunk; counts.stages() as usize * width];
        for &(stage, chunk, costs) in &costs.exceptions {
            let (stage, chunk) = (stage.0 as usize, usize::from(chunk.0));
            if stage < counts.stages() as usize && chunk < width {
                rows[stage * width + chunk] = costs;
            }
        }
        Self { width, rows }
    }

    fn of_job(&self, stage: u32, job: Job) -> &ChunkCosts {
        &self.rows[stage as usize * self.width + usize::from(job.job_type.chunk_or_first().0)]
    }
}

/// The links that have been used, with the tick from which each is free: few stages talk to each other.
struct LinkTable {
    costs: Costs,
    /// For each stage that sends: to whom, by which link, when it is free.
    used: Vec<Vec<(u32, Link, u64)>>,
}

impl LinkTable {
    /// When a message that is ready at `ready` has left, and when it arrives.
    fn send(&mut self, from: u32, to: u32, ready: u64) -> (u64, u64) {
        let used = &mut self.used[from as usize];
        let place = used.iter().position(|&(stage, _, _)| stage == to).unwrap_or_else(|| {
            used.push((to, self.costs.link(Stage(from), Stage(to)), 0));
            used.len() - 1
        });
        let (_, link, free) = &mut used[place];
        let left = ready.max(*free) + link.occupancy;
        *free = left;
        (left, left + link.latency)
    }
}

impl<'a> Run<'a> {
    fn new(schedule: &'a Schedule, costs: &Costs) -> Self {
        let count = schedule.counts().stages();
        let stage = |stage: u32| StageState {
            next: schedule.begin(stage),
            end_of_list: schedule.begin(stage) + schedule.list(stage).len(),
            free: 0,
            receiving: 0,
            waits_for: None,
        };
        Self {
            schedule,
            dependences: Dependences::of(schedule),
            chunks: ChunkTable::of(schedule, costs),
            links: LinkTable { costs: costs.clone(), used: vec![Vec::new(); count as usize] },
            transfers: costs.transfers,
            receives: costs.receives,
            optimizer: costs.optimizer,
            stages: (0..count).map(stage).collect(),
            awake: (0..count).rev().collect(),
            times: Times::unknown(schedule.jobs().len()),
        }
    }

    /// Runs a stage until it has to wait, or is through.
    fn advance(&mut self, stage: u32) {
        loop {
            let state = &self.stages[stage as usize];
            let (index, free) = (state.next, state.free);
            if index >= state.end_of_list {
                return;
            }
            let is_pair = self.schedule.is_fused_with_next(index);
            let ready = self.ready(stage, index).and_then(|ready| match is_pair {
                true => Ok(ready.max(self.ready(stage, index + 1)?)),
                false => Ok(ready),
            });
            let ready = match ready {
                Ok(ready) => ready,
                Err(missing) => {
                    self.stages[stage as usize].waits_for = Some(missing);
                    return;
                }
            };
            if is_pair {
                self.run_pair(stage, index, ready.max(free));
            } else {
                self.run_one(stage, index, ready);
            }
        }
    }

    /// When all that a job needs is there; or a job that it needs and that has no end yet.
    fn ready(&self, stage: u32, index: usize) -> Result<u64, usize> {
        let needs = self.dependences.of_job(Stage(stage), self.schedule.jobs()[index]);
        let mut ready = 0;
        for need in needs {
            let need = leaves_with(&self.dependences, self.receives, need);
            match self.times.of(self.schedule, need) {
                // What stands behind a job of its own list never ends before it.
                UNKNOWN => return Err(need.on),
                time => ready = ready.max(time),
            }
        }
        Ok(ready)
    }

    fn run_one(&mut self, stage: u32, index: usize, ready: u64) {
        let job = self.schedule.jobs()[index];
        let state = &self.stages[stage as usize];
        let (free, receiving) = (state.free, state.receiving);
        if self.receives != Receives::Blocking && job.kind().is_send() {
            self.finish(stage, index, ready, ready);
            return;
        }
        if self.receives == Receives::Blocking || !job.kind().is_receive() {
            let start = free.max(ready);
            let end = start + self.duration(stage, job);
            self.stages[stage as usize].free = end;
            self.finish(stage, index, start, end);
            return;
        }
        // The receive is posted when its turn comes and holds up nothing but, it may be, other receives.
        let start = if self.receives == Receives::OwnStream { free.max(receiving) } else { free };
        let end = start.max(ready);
        self.stages[stage as usize].receiving = end;
        self.finish(stage, index, start, end);
    }

    /// A forward and a backward as one: both begin and end together.
    fn run_pair(&mut self, stage: u32, index: usize, start: u64) {
        let jobs = self.schedule.jobs();
        let fused = self.chunks.of_job(stage, jobs[index]).fused;
        let apart = || self.duration(stage, jobs[index]) + self.duration(stage, jobs[index + 1]);
        let end = start + fused.unwrap_or_else(apart);
        self.stages[stage as usize].free = end;
        self.finish(stage, index, start, end);
        self.finish(stage, index + 1, start, end);
    }

    fn duration(&self, stage: u32, job: Job) -> u64 {
        let costs = self.chunks.of_job(stage, job);
        match job.kind() {
            JobKind::Forward => costs.forward,
            JobKind::Backward => costs.whole_backward(),
            JobKind::BackwardInput => costs.backward_input,
            JobKind::BackwardWeight | JobKind::BackwardWeightReduce => costs.backward_weight,
            JobKind::ReduceGradient => costs.reduction,
            JobKind::Optimizer => self.optimizer,
            JobKind::RecvForward
            | JobKind::RecvBackward
            | JobKind::SendForward
            | JobKind::SendBackward
            | JobKind::WaitSendForward
            | JobKind::WaitSendBackward
            | JobKind::WaitReduceGradient => 0,
        }
    }

    /// Whether another job sends the result of this computation.
    fn has_send_job(&self, stage: Stage, job: Job) -> bool {
        let sender = match job.kind() {
            JobKind::Forward => JobKind::SendForward,
            JobKind::Backward | JobKind::BackwardInput => JobKind::SendBackward,
            _ => return false,
        };
        let chunk = job.job_type.chunk_or_first();
        self.dependences.places().find(stage, sender, chunk, job.micro_batch).is_some()
    }

    /// Notes the times of a job, sends its message, and wakes who waits for it.
    fn finish(&mut self, stage: u32, index: usize, start: u64, end: u64) {
        let job = self.schedule.jobs()[index];
        self.times.start[index] = start;
        self.times.end[index] = end;
        self.stages[stage as usize].next = index + 1;
        let (here, chunk) = (Stage(stage), job.job_type.chunk_or_first());
        let mut ends = Ends::of(self.schedule, here, chunk, job.kind());
        let is_sender = match self.receives {
            Receives::Blocking => !self.has_send_job(here, job),
            _ => !job.kind().is_send(),
        };
        if !is_sender {
            ends.sends_to = None;
        }
        self.times.arrival[index] = end;
        if let Some(to) = ends.sends_to {
            let (left, arrival) = self.links.send(stage, to, end);
            self.times.arrival[index] = arrival;
            if self.transfers == Transfers::OnSender {
                let state = &mut self.stages[stage as usize];
                state.free = state.free.max(left);
            }
        }
        for other in [ends.sends_to, ends.takes_from].into_iter().flatten() {
            let other_state = &mut self.stages[other as usize];
            if other_state.waits_for == Some(index) {
                other_state.waits_for = None;
                self.awake.push(other);
            }
        }
    }
}

/// The other stages that may wait for a job.
struct Ends {
    /// Whom it sends its result.
    sends_to: Option<u32>,
    /// Whose message it takes.
    takes_from: Option<u32>,
}

impl Ends {
    fn of(schedule: &Schedule, stage: Stage, chunk: Chunk, kind: JobKind) -> Self {
        let placement = schedule.placement();
        let next = || placement.next(stage, chunk).map(|(other, _)| other);
        let previous = || placement.previous(stage, chunk).map(|(other, _)| other);
        let (sends_to, takes_from) = match kind {
            JobKind::Forward => (next(), previous()),
            JobKind::Backward | JobKind::BackwardInput => (previous(), next()),
            JobKind::SendForward => (next(), None),
            JobKind::SendBackward => (previous(), None),
            JobKind::RecvForward => (None, previous()),
            JobKind::RecvBackward => (None, next()),
            _ => (None, None),
        };
        let other = |other: Option<Stage>| other.filter(|&other| other != stage).map(|s| s.0);
        Self { sends_to: other(sends_to), takes_from: other(takes_from) }
    }
}
