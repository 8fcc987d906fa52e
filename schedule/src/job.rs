//! What a stage runs: a job is a job type and a micro-batch.
//!
//! A job type names a program (`forward0`, `backward_w1`, `optimizer`); a job is one run of that program.
//! A schedule may hold millions of jobs, so a job is eight bytes and a plain value: no strings inside.
//! The spellings are in [`Display`](std::fmt::Display) and [`FromStr`](std::str::FromStr), see
//! [`JobType`] and [`Job`].

use crate::counts::{Chunk, MicroBatch};

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobKind {
    /// Receives the input of a forward: `recv_forward`.
    RecvForward,
    /// The forward computation, with the send of its result: `forward`.
    Forward,
    /// The whole backward computation, with the receive of its input: `backward`.
    Backward,
    /// Sends the result of a backward: `send_backward`.
    SendBackward,
    /// The half of a backward that yields the gradients of the inputs: `backward_b`.
    BackwardInput,
    /// The half of a backward that yields the gradients of the weights: `backward_w`.
    BackwardWeight,
    /// That half for the last micro-batch of a chunk, with the start of the gradients' reduction among data
    /// parallel ranks: `backward_w` with `_reduce` after the chunk.
    BackwardWeightReduce,
    /// Sends the result of a forward: `send_forward`.
    SendForward,
    /// Receives the input of a backward: `recv_backward`.
    RecvBackward,
    /// Waits until the result of a forward has been taken: `wait_send_forward`.
    WaitSendForward,
    /// Waits until the result of a backward has been taken: `wait_send_backward`.
    WaitSendBackward,
    /// Starts the reduction of a chunk's gradients among data parallel ranks: `reduce_gradient`.
    ReduceGradient,
    /// Waits for that reduction: `wait_reduce_gradient`.
    WaitReduceGradient,
    /// The parameter update at the end of a step: `optimizer`.
    Optimizer,
}

impl JobKind {
    /// Every kind, in declaration order.
    pub const ALL: [Self; 14] = [
        Self::RecvForward,
        Self::Forward,
        Self::Backward,
        Self::SendBackward,
        Self::BackwardInput,
        Self::BackwardWeight,
        Self::BackwardWeightReduce,
        Self::SendForward,
        Self::RecvBackward,
        Self::WaitSendForward,
        Self::WaitSendBackward,
        Self::ReduceGradient,
        Self::WaitReduceGradient,
        Self::Optimizer,
    ];

    /// The spelling of the kind in a job type without a chunk.
    pub fn name(self) -> &'static str {
        match self {
            Self::RecvForward => "recv_forward",
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::SendBackward => "send_backward",
            Self::BackwardInput => "backward_b",
            Self::BackwardWeight => "backward_w",
            Self::BackwardWeightReduce => "backward_w_reduce",
            Self::SendForward => "send_forward",
            Self::RecvBackward => "recv_backward",
            Self::WaitSendForward => "wait_send_forward",
            Self::WaitSendBackward => "wait_send_backward",
            Self::ReduceGradient => "reduce_gradient",
            Self::WaitReduceGradient => "wait_reduce_gradient",
            Self::Optimizer => "optimizer",
        }
    }

    /// What stands before and after the chunk in a job type.
    pub(crate) fn around_chunk(self) -> (&'static str, &'static str) {
        match self {
            Self::BackwardWeightReduce => ("backward_w", "_reduce"),
            _ => (self.name(), ""),
        }
    }

    /// Whether the job computes: a forward, or a backward or one of its halves.
    pub const fn is_computation(self) -> bool {
        matches!(self, Self::Forward) || self.is_backward() || self.is_weight_half()
    }

    /// Whether the job receives, and computes nothing.
    pub const fn is_receive(self) -> bool {
        matches!(self, Self::RecvForward | Self::RecvBackward)
    }

    /// Whether the job sends, and computes nothing.
    pub const fn is_send(self) -> bool {
        matches!(self, Self::SendForward | Self::SendBackward)
    }

    /// Whether the job sends, receives or waits, and computes nothing.
    pub const fn is_transfer(self) -> bool {
        let is_wait = matches!(
            self,
            Self::WaitSendForward | Self::WaitSendBackward | Self::WaitReduceGradient
        );
        self.is_receive() || self.is_send() || is_wait
    }

    /// Whether the job yields the gradients of a chunk's inputs: a whole backward or the half that does.
    pub const fn is_backward(self) -> bool {
        matches!(self, Self::Backward | Self::BackwardInput)
    }

    /// Whether the job is the half of a backward that yields the gradients of the weights.
    pub const fn is_weight_half(self) -> bool {
        matches!(self, Self::BackwardWeight | Self::BackwardWeightReduce)
    }

    /// Whether the job runs once for each chunk and micro-batch, not once a step.
    pub const fn is_per_micro_batch(self) -> bool {
        !matches!(self, Self::ReduceGradient | Self::WaitReduceGradient | Self::Optimizer)
    }

    /// The job type of this kind in `chunk`; the optimizer belongs to no chunk and ignores it.
    pub const fn in_chunk(self, chunk: Chunk) -> JobType {
        match self {
            Self::Optimizer => JobType::OPTIMIZER,
            _ => JobType { kind: self, has_chunk: true, chunk: chunk.0 },
        }
    }

    /// The job type of this kind in a schedule without chunks, such as `forward`.
    pub const fn without_chunk(self) -> JobType {
        JobType { kind: self, has_chunk: false, chunk: 0 }
    }
}

/// A kind of job and the chunk it is for: the name of a program.
///
/// Spelled as Paddle spells it, the chunk right after the kind: `recv_forward0`, `backward_w1`. Reading is
/// strict: no sign, no leading zero, nothing after it. Schedules without chunks say `forward`; the optimizer
/// never has a chunk.
///
/// Sorted by kind, then chunk. The order in which a scheduler lists its programs is another one, see
/// [`Vpp::job_types`](crate::Vpp::job_types).
///
/// ```
/// use pirogue_schedule::{Chunk, JobKind, JobType};
///
/// let weights = JobKind::BackwardWeight.in_chunk(Chunk(1));
/// assert_eq!(weights.to_string(), "backward_w1");
/// assert_eq!("backward_w1".parse::<JobType>()?, weights);
/// assert!("forwardTrue".parse::<JobType>().is_err());
/// # Ok::<(), pirogue_schedule::JobTextError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobType {
    // An `Option<Chunk>` in place of the last two would make a job twelve bytes. `chunk` is 0 without one.
    kind: JobKind,
    has_chunk: bool,
    chunk: u16,
}

impl JobType {
    /// The parameter update at the end of a step.
    pub const OPTIMIZER: Self = JobKind::Optimizer.without_chunk();

    /// The job type of a kind in a chunk, or in a schedule without chunks.
    pub const fn new(kind: JobKind, chunk: Option<Chunk>) -> Self {
        match chunk {
            Some(chunk) => kind.in_chunk(chunk),
            None => kind.without_chunk(),
        }
    }

    /// What the job does.
    pub const fn kind(self) -> JobKind {
        self.kind
    }

    /// The chunk it is for: none for the optimizer and in schedules without chunks.
    pub const fn chunk(self) -> Option<Chunk> {
        if self.has_chunk { Some(Chunk(self.chunk)) } else { None }
    }

    /// The chunk, where a schedule without chunks counts as one of a single chunk.
    pub(crate) const fn chunk_or_first(self) -> Chunk {
        Chunk(self.chunk)
    }
}

/// One run of a job type on one micro-batch.
///
/// Spelled `forward0:3`. The optimizer runs once a step, as micro-batch 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Job {
    /// The program that is run.
    pub job_type: JobType,
    /// The micro-batch it is run on.
    pub micro_batch: MicroBatch,
}

impl Job {
    /// The parameter update at the end of a step.
    pub const OPTIMIZER: Self = Self { job_type: JobType::OPTIMIZER, micro_batch: MicroBatch(0) };

    /// A run of `job_type` on `micro_batch`.
    pub const fn new(job_type: JobType, micro_batch: MicroBatch) -> Self {
        Self { job_type, micro_batch }
    }

    /// What the job does.
    pub const fn kind(self) -> JobKind {
        self.job_type.kind()
    }

    /// Whether the two can run as one: a forward, then a backward or the input half of one.
    pub(crate) const fn can_fuse_with(self, next: Self) -> bool {
        matches!(self.kind(), JobKind::Forward) && next.kind().is_backward()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_takes_eight_bytes_and_its_type_four() {
        assert_eq!(size_of::<JobType>(), 4);
        assert_eq!(size_of::<Job>(), 8);
    }

    #[test]
    fn the_optimizer_has_no_chunk_however_it_is_made() {
        let optimizer = JobType::new(JobKind::Optimizer, Some(Chunk(3)));
        assert_eq!(optimizer, JobType::OPTIMIZER);
        assert_eq!(optimizer.chunk(), None);
    }

    #[test]
    fn a_type_without_a_chunk_differs_from_that_of_chunk_0() {
        assert_ne!(JobKind::Forward.without_chunk(), JobKind::Forward.in_chunk(Chunk(0)));
    }
}
