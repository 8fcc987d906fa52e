//! How much memory a stage takes over time.

use super::Simulation;
use super::costs::ChunkMemory;
use crate::counts::Stage;
use crate::job::{Job, JobKind};

/// From a tick on a stage takes so much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryPoint {
    /// The tick.
    pub time: u64,
    /// The memory from then on, until the next point.
    pub taken: u64,
}

impl Simulation<'_> {
    /// The memory that a stage takes, as the points where it changes, the first at tick 0. What is taken and
    /// what is freed at one tick are one point each, in the order of the list: a peak that lasts for no time
    /// is a peak.
    ///
    /// # Panics
    /// There is no such stage.
    pub fn memory(&self, stage: Stage) -> Vec<MemoryPoint> {
        let chunks = self.schedule.counts().each_chunk();
        let parameters = chunks
            .filter(|&chunk| self.schedule.placement().part(stage, chunk).is_some())
            .map(|chunk| self.costs.of(stage, chunk).memory.parameters);
        let mut points = vec![MemoryPoint { time: 0, taken: parameters.sum() }];
        let mut has_gradients = vec![false; self.schedule.counts().chunks() as usize];
        for index in self.indices(stage) {
            let job = self.schedule.jobs()[index];
            let chunk = job.job_type.chunk_or_first();
            let memory = self.costs.of(stage, chunk).memory;
            let has_gradients = &mut has_gradients[usize::from(chunk.0)];
            let (taken, freed) = changes(job, memory, has_gradients);
            add(&mut points, self.times.start[index], taken);
            subtract(&mut points, self.times.end[index], freed);
        }
        points
    }

    /// The most memory that a stage takes at once.
    ///
    /// # Panics
    /// There is no such stage.
    pub fn peak_memory(&self, stage: Stage) -> u64 {
        self.memory(stage).iter().map(|point| point.taken).max().unwrap_or(0)
    }
}

/// What a job takes when it begins, and frees when it ends.
fn changes(job: Job, memory: ChunkMemory, has_gradients: &mut bool) -> (u64, u64) {
    let ChunkMemory { activation, residue, gradients, .. } = memory;
    let mut gradients_once = || match std::mem::replace(has_gradients, true) {
        true => 0,
        false => gradients,
    };
    match job.kind() {
        JobKind::Forward => (activation, 0),
        JobKind::Backward => (gradients_once(), activation),
        // The residue takes the place of the activation; where it is larger, it is there while both are.
        JobKind::BackwardInput if residue > activation => (residue - activation, 0),
        JobKind::BackwardInput => (0, activation - residue),
        kind if kind.is_weight_half() => (gradients_once(), residue),
        _ => (0, 0),
    }
}

fn add(points: &mut Vec<MemoryPoint>, time: u64, taken: u64) {
    if let (Some(last), 1..) = (points.last().copied(), taken) {
        points.push(MemoryPoint { time, taken: last.taken + taken });
    }
}

fn subtract(points: &mut Vec<MemoryPoint>, time: u64, freed: u64) {
    if let (Some(last), 1..) = (points.last().copied(), freed) {
        points.push(MemoryPoint { time, taken: last.taken.saturating_sub(freed) });
    }
}
