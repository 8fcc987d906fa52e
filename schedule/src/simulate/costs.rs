//! What jobs and messages take: time and memory.
//!
//! Times are whole numbers of a unit that the caller chooses (a tick), so that a simulation is exact. Memory
//! is in another unit of the caller's choice. The default is the model of the papers: a forward, an input
//! half and a weight half take 1, a whole backward 2, a message nothing; an activation takes 1 until its
//! backward or weight half has ended.

use super::SimulationError;
use crate::check::Receives;
use crate::counts::{Chunk, Stage};
use crate::placement::Shape;
use crate::schedule::Schedule;

/// The largest cost of one thing: what all jobs of the largest schedule take together still fits 64 bits.
pub const MAX_COST: u64 = u32::MAX as u64;

/// All costs of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Costs {
    /// Those of a chunk that is not among the exceptions.
    pub chunk: ChunkCosts,
    /// Those of chunks that cost something else. Of several for one chunk the last counts.
    pub exceptions: Vec<(Stage, Chunk, ChunkCosts)>,
    /// Ticks of an optimizer.
    pub optimizer: u64,
    /// The way from a stage to another that is not among the links.
    pub link: Link,
    /// The ways from the first to the second stage that are different. Of several the last counts.
    pub links: Vec<(Stage, Stage, Link)>,
    /// Who is busy while a message is on its way.
    pub transfers: Transfers,
    /// What a receive holds up until its message has come.
    pub receives: Receives,
}

/// What a chunk of a stage takes for one micro-batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkCosts {
    /// Ticks of a forward.
    pub forward: u64,
    /// Ticks of a whole backward; as both halves together where it is not given.
    pub backward: Option<u64>,
    /// Ticks of the half of a backward that yields the gradients of the inputs.
    pub backward_input: u64,
    /// Ticks of the half of a backward that yields the gradients of the weights.
    pub backward_weight: u64,
    /// Ticks of a forward and a backward that are fused; as both together where it is not given.
    pub fused: Option<u64>,
    /// Ticks of a reduction of gradients among data parallel ranks.
    pub reduction: u64,
    /// What each kind of memory takes.
    pub memory: ChunkMemory,
}

/// What a chunk keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkMemory {
    /// From the start of each forward to the end of its backward, or of its input half.
    pub activation: u64,
    /// From the end of each input half to the end of its weight half.
    pub residue: u64,
    /// All the time.
    pub parameters: u64,
    /// From the start of the chunk's first backward, or first weight half, on.
    pub gradients: u64,
}

impl Default for Costs {
    fn default() -> Self {
        Self {
            chunk: ChunkCosts::default(),
            exceptions: Vec::new(),
            optimizer: 0,
            link: Link::default(),
            links: Vec::new(),
            transfers: Transfers::default(),
            receives: Receives::NonBlocking,
        }
    }
}

impl Default for ChunkCosts {
    fn default() -> Self {
        Self {
            forward: 1,
            backward: None,
            backward_input: 1,
            backward_weight: 1,
            fused: None,
            reduction: 0,
            memory: ChunkMemory::default(),
        }
    }
}

impl Default for ChunkMemory {
    fn default() -> Self {
        Self { activation: 1, residue: 1, parameters: 0, gradients: 0 }
    }
}

/// The way from one stage to another. Messages go one after the other, in the order in which they are sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Link {
    /// Ticks for which a message takes the way for itself: its size by the bandwidth.
    pub occupancy: u64,
    /// Ticks that it takes to arrive after that.
    pub latency: u64,
}

/// Who is busy while a message is on its way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Transfers {
    /// Nobody: transfers overlap with computation.
    #[default]
    Overlapped,
    /// The stage that sends: its next job begins when the message has left.
    OnSender,
}

impl ChunkCosts {
    /// Ticks of a whole backward.
    pub fn whole_backward(&self) -> u64 {
        self.backward.unwrap_or(self.backward_input + self.backward_weight)
    }

    fn double(&mut self) {
        let Self { forward, backward, backward_input, backward_weight, fused, reduction, memory } =
            self;
        let ChunkMemory { activation, residue, parameters, gradients } = memory;
        let always = [forward, backward_input, backward_weight, reduction];
        let kept = [activation, residue, parameters, gradients];
        let given = [backward.as_mut(), fused.as_mut()].into_iter().flatten();
        always.into_iter().chain(kept).chain(given).for_each(|cost| *cost = cost.saturating_mul(2));
    }

    fn each(&self) -> [u64; 10] {
        let ChunkMemory { activation, residue, parameters, gradients } = self.memory;
        [
            self.forward,
            self.backward.unwrap_or(0),
            self.backward_input,
            self.backward_weight,
            self.fused.unwrap_or(0),
            self.reduction,
            activation,
            residue,
            parameters,
            gradients,
        ]
    }
}

impl Costs {
    /// What a chunk takes.
    pub fn of(&self, stage: Stage, chunk: Chunk) -> &ChunkCosts {
        let is_of = |(s, c, _): &&(Stage, Chunk, ChunkCosts)| (*s, *c) == (stage, chunk);
        self.exceptions.iter().rfind(is_of).map_or(&self.chunk, |(_, _, costs)| costs)
    }

    /// These costs, given for the chunks of p stages with v of them each, for the chunks of a schedule: where
    /// the model lies over the stages twice, a chunk is one of p and not of 2·p, and takes twice as much.
    #[must_use]
    pub fn for_chunks_of(&self, schedule: &Schedule) -> Self {
        let mut costs = self.clone();
        if schedule.placement().shape() == Shape::BothWays {
            let exceptions = costs.exceptions.iter_mut().map(|(_, _, costs)| costs);
            exceptions.chain([&mut costs.chunk]).for_each(ChunkCosts::double);
        }
        costs
    }

    /// The way from one stage to another; within a stage there is none to go.
    pub fn link(&self, from: Stage, to: Stage) -> Link {
        if from == to {
            return Link::default();
        }
        let is_between = |(f, t, _): &&(Stage, Stage, Link)| (*f, *t) == (from, to);
        self.links.iter().rfind(is_between).map_or(self.link, |&(_, _, link)| link)
    }

    /// Whether every cost can be reckoned with.
    ///
    /// # Errors
    /// One is larger than [`MAX_COST`].
    pub(crate) fn check(&self) -> Result<(), SimulationError> {
        let chunks = self.exceptions.iter().map(|(_, _, costs)| costs).chain([&self.chunk]);
        let links = self.links.iter().map(|(_, _, link)| link).chain([&self.link]);
        let all = chunks.flat_map(ChunkCosts::each);
        let mut all = all
            .chain(links.flat_map(|link| [link.occupancy, link.latency]))
            .chain([self.optimizer]);
        match all.find(|&cost| cost > MAX_COST) {
            Some(cost) => Err(SimulationError::CostTooLarge { cost }),
            None => Ok(()),
        }
    }
}
