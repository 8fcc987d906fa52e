//! A placement that is a list: the homes by part, and the parts by home.

use crate::counts::{Chunk, MAX_JOBS, Part, Stage};
use crate::error::{Quantity, ScheduleError};

/// A one-to-one map between parts and homes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    homes: Vec<(Stage, Chunk)>,
    /// The parts in order of their homes.
    parts: Vec<u32>,
    /// Where the parts of each stage begin in `parts`, and one more: where the last ones end.
    begins: Vec<u32>,
    chunks: u32,
}

impl Given {
    /// Takes the homes of parts 0, 1, ...
    pub(super) fn new(stages: u64, homes: &[(Stage, Chunk)]) -> Result<Self, ScheduleError> {
        check_counts(stages, homes)?;
        let mut parts: Vec<u32> = (0..homes.len() as u32).collect();
        parts.sort_by_key(|&part| homes[part as usize]);
        check_homes(&parts, homes)?;
        let mut begins = Vec::with_capacity(stages as usize + 1);
        for stage in 0..=stages as u32 {
            begins.push(parts.partition_point(|&part| homes[part as usize].0.0 < stage) as u32);
        }
        let most = homes.iter().map(|(_, chunk)| u32::from(chunk.0) + 1).max().unwrap_or(0);
        Ok(Self { homes: homes.to_vec(), parts, begins, chunks: most })
    }

    pub(super) fn stages(&self) -> u32 {
        self.begins.len() as u32 - 1
    }

    /// The most chunks of a stage.
    pub(super) fn chunks(&self) -> u32 {
        self.chunks
    }

    pub(super) fn parts(&self) -> u32 {
        self.homes.len() as u32
    }

    pub(super) fn chunks_of(&self, stage: u32) -> u32 {
        self.begins[stage as usize + 1] - self.begins[stage as usize]
    }

    pub(super) fn part(&self, stage: u32, chunk: u32) -> Option<Part> {
        let index = self.begins[stage as usize] + chunk;
        (chunk < self.chunks_of(stage)).then(|| Part(self.parts[index as usize]))
    }

    pub(super) fn home(&self, part: u32) -> (Stage, Chunk) {
        self.homes[part as usize]
    }
}

/// There is something, not too much of it, and every stage is one of them.
fn check_counts(stages: u64, homes: &[(Stage, Chunk)]) -> Result<(), ScheduleError> {
    for (what, count) in [(Quantity::Stages, stages), (Quantity::Parts, homes.len() as u64)] {
        if count == 0 {
            return Err(ScheduleError::ZeroCount { what });
        }
    }
    if stages > MAX_JOBS || homes.len() as u64 > MAX_JOBS {
        return Err(ScheduleError::TooManyJobs { stages, chunks: 1, micro_batches: 1 });
    }
    let beyond = homes.iter().position(|(stage, _)| u64::from(stage.0) >= stages);
    match beyond {
        Some(part) => Err(ScheduleError::PartBeyondStages {
            part: Part(part as u32),
            stage: homes[part].0,
            stages: stages as u32,
        }),
        None => Ok(()),
    }
}

/// Every home has one part, and the chunks of a stage are numbered without a gap. `parts` are sorted by home.
fn check_homes(parts: &[u32], homes: &[(Stage, Chunk)]) -> Result<(), ScheduleError> {
    let mut expected = (Stage(0), 0_u32);
    for (index, &part) in parts.iter().enumerate() {
        let (stage, chunk) = homes[part as usize];
        if index > 0 && homes[parts[index - 1] as usize] == (stage, chunk) {
            let parts = [Part(parts[index - 1]), Part(part)];
            return Err(ScheduleError::SharedHome { parts, stage, chunk });
        }
        let number = if expected.0 == stage { expected.1 } else { 0 };
        if u32::from(chunk.0) != number {
            let missing = Chunk(number as u16);
            return Err(ScheduleError::MissingChunk { stage, missing, chunk, part: Part(part) });
        }
        expected = (stage, number + 1);
    }
    Ok(())
}
