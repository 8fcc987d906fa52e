//! How large a schedule is: its stages, chunks and micro-batches, and the numbers that name one of each.
//!
//! Three newtypes instead of three bare integers, because a stage, a chunk and a micro-batch stand side by
//! side in every formula and nothing but their type tells them apart.
//!
//! Invariant of [`Counts`]: no count is zero and the product is so small that all lists together hold at
//! most [`MAX_JOBS`] jobs. All tables of this crate are sized by these counts, so an absurd number is
//! refused here, before anything is allocated for it.

use std::fmt;

use crate::error::{Quantity, ScheduleError};

/// A pipeline stage: one rank, with a list of jobs of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stage(pub u32);

/// A model chunk of a stage. Two bytes, so that a [`Job`](crate::Job) is eight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chunk(pub u16);

/// A slice of the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MicroBatch(pub u32);

/// A part of the model, counted along the forward: what a chunk of a stage holds, see
/// [`Placement`](crate::Placement).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part(pub u32);

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Chunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for MicroBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The most jobs that the lists of all stages together may hold: at eight bytes a job, one gibibyte.
pub const MAX_JOBS: u64 = 1 << 27;

/// The most chunks of a stage: as many as [`Chunk`] can number.
pub const MAX_CHUNKS: u64 = 1 << 16;

/// A generated list has no more jobs than this for each of its chunks and micro-batches (a receive, a
/// forward, a backward, a send), the optimizer apart.
const MAX_JOBS_PER_CELL: u64 = 4;

/// The numbers of stages (`p`), of chunks on each stage (`v`) and of micro-batches (`m`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Counts {
    stages: u32,
    chunks: u32,
    micro_batches: u32,
}

impl Counts {
    /// Takes the three numbers as a person gave them.
    ///
    /// # Errors
    /// One of them is zero, or the lists would hold more than [`MAX_JOBS`] jobs or [`MAX_CHUNKS`] chunks.
    pub fn new(stages: u64, chunks: u64, micro_batches: u64) -> Result<Self, ScheduleError> {
        for (what, count) in [
            (Quantity::Stages, stages),
            (Quantity::Chunks, chunks),
            (Quantity::MicroBatches, micro_batches),
        ] {
            if count == 0 {
                return Err(ScheduleError::ZeroCount { what });
            }
        }
        if chunks > MAX_CHUNKS {
            return Err(ScheduleError::TooManyChunks { chunks });
        }
        let jobs = stages
            .checked_mul(chunks)
            .and_then(|cells| cells.checked_mul(micro_batches))
            .and_then(|cells| cells.checked_mul(MAX_JOBS_PER_CELL))
            .and_then(|jobs| jobs.checked_add(stages));
        if jobs.is_none_or(|jobs| jobs > MAX_JOBS) {
            return Err(ScheduleError::TooManyJobs { stages, chunks, micro_batches });
        }
        let narrow = |count| u32::try_from(count).expect("a count is below the checked product");
        Ok(Self {
            stages: narrow(stages),
            chunks: narrow(chunks),
            micro_batches: narrow(micro_batches),
        })
    }

    /// The number of stages, `p`.
    pub fn stages(self) -> u32 {
        self.stages
    }

    /// The number of chunks on each stage, `v`.
    pub fn chunks(self) -> u32 {
        self.chunks
    }

    /// The number of micro-batches, `m`.
    pub fn micro_batches(self) -> u32 {
        self.micro_batches
    }

    /// Every chunk of a stage, from the first to the last.
    pub fn each_chunk(self) -> impl DoubleEndedIterator<Item = Chunk> + Clone {
        // No more of them than a `Chunk` can number, see `MAX_CHUNKS`.
        (0..self.chunks).map(|chunk| Chunk(chunk as u16))
    }

    /// How often a stage runs forward (and backward): once for each chunk and micro-batch, `m * v`.
    pub fn steps(self) -> u32 {
        self.chunks * self.micro_batches
    }

    /// The step of a chunk and micro-batch as a table index.
    pub(crate) fn cell(self, chunk: Chunk, micro_batch: MicroBatch) -> usize {
        usize::from(chunk.0) * self.micro_batches as usize + micro_batch.0 as usize
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stages, chunks, micro_batches } = self;
        write!(f, "{stages} stages, {chunks} chunks and {micro_batches} micro-batches")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_counts_are_refused_before_anything_is_allocated() {
        let quintillion = 1_000_000_000_000_000_000;
        for (stages, chunks, micro_batches) in [
            (quintillion, 1, 1),
            (1, 1, quintillion),
            (quintillion, 2, quintillion),
            (u64::MAX, u64::MAX >> 48, u64::MAX),
            (1 << 13, 1, 1 << 13),
        ] {
            let refused = Counts::new(stages, chunks, micro_batches).unwrap_err();
            assert_eq!(refused.code(), "E0303", "{stages} {chunks} {micro_batches}");
        }
        assert_eq!(Counts::new(1, quintillion, 1).unwrap_err().code(), "E0302");
    }

    #[test]
    fn the_largest_count_that_fits_is_taken() {
        let most = (MAX_JOBS - 1) / MAX_JOBS_PER_CELL;
        assert!(Counts::new(1, 1, most).is_ok());
        assert!(Counts::new(1, 1, most + 1).is_err());
        assert!(Counts::new(1, MAX_CHUNKS, 1).is_ok());
    }

    #[test]
    fn each_zero_is_named() {
        let text = |counts: Result<Counts, ScheduleError>| counts.unwrap_err().to_string();
        assert_eq!(text(Counts::new(0, 1, 1)), "the number of stages is 0");
        assert_eq!(text(Counts::new(1, 0, 1)), "the number of chunks is 0");
        assert_eq!(text(Counts::new(1, 1, 0)), "the number of micro-batches is 0");
    }
}
