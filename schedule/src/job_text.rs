//! The spellings of job types and jobs, written and read.
//!
//! Reading is the exact inverse of writing: whatever is read prints back to the same bytes, and everything
//! else is refused with what was wrong about it.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::counts::{Chunk, MAX_CHUNKS, MicroBatch};
use crate::job::{Job, JobKind, JobType};

/// A text that is not a job or a job type.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JobTextError {
    /// The text does not begin with a kind of job.
    #[error("`{text}` is not a job type")]
    UnknownKind {
        /// The job type as it was read.
        text: String,
    },
    /// What follows the kind is not a chunk.
    #[error(
        "`{chunk}` in `{text}` is not a chunk: expected a whole number below {MAX_CHUNKS} without leading zeros"
    )]
    BadChunk {
        /// The job type as it was read.
        text: String,
        /// What stands where the chunk should be.
        chunk: String,
    },
    /// The optimizer was given a chunk.
    #[error("`{text}` is not a job type: the optimizer belongs to no chunk")]
    OptimizerWithChunk {
        /// The job type as it was read.
        text: String,
    },
    /// There is no `:` between a job type and a micro-batch.
    #[error("`{text}` is not a job: expected a job type, `:` and a micro-batch")]
    NoMicroBatch {
        /// The job as it was read.
        text: String,
    },
    /// What follows the `:` is not a micro-batch.
    #[error(
        "`{micro_batch}` in `{text}` is not a micro-batch: expected a whole number below 4294967296 without leading zeros"
    )]
    BadMicroBatch {
        /// The job as it was read.
        text: String,
        /// What stands where the micro-batch should be.
        micro_batch: String,
    },
}

impl JobTextError {
    /// The stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownKind { .. } => "E0321",
            Self::BadChunk { .. } => "E0322",
            Self::OptimizerWithChunk { .. } => "E0323",
            Self::NoMicroBatch { .. } => "E0324",
            Self::BadMicroBatch { .. } => "E0325",
        }
    }

    /// What was read.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::UnknownKind { text }
            | Self::BadChunk { text, .. }
            | Self::OptimizerWithChunk { text }
            | Self::NoMicroBatch { text }
            | Self::BadMicroBatch { text, .. } => text,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::UnknownKind { .. } => {
                let kinds: Vec<String> =
                    JobKind::ALL.iter().map(|kind| format!("`{}`", kind.name())).collect();
                format!("a job type is one of {} with its chunk after it", kinds.join(", "))
            }
            Self::BadChunk { .. } => {
                "write the chunk right after the kind, such as `forward0`".into()
            }
            Self::OptimizerWithChunk { .. } => "write `optimizer`".into(),
            Self::NoMicroBatch { .. } | Self::BadMicroBatch { .. } => {
                "write a job as `forward0:3`; the optimizer is `optimizer:0`".into()
            }
        }
    }
}

impl fmt::Display for JobKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for JobType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = self.kind().around_chunk();
        match self.chunk() {
            Some(chunk) => write!(f, "{before}{chunk}{after}"),
            None => write!(f, "{before}{after}"),
        }
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.job_type, self.micro_batch)
    }
}

impl FromStr for JobType {
    type Err = JobTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // `backward` begins longer names, so of all that fit the longest is the kind.
        let fitting = JobKind::ALL.into_iter().filter_map(|kind| {
            let (before, after) = kind.around_chunk();
            let chunk = text.strip_prefix(before)?.strip_suffix(after)?;
            Some((kind, chunk))
        });
        let Some((kind, chunk)) = fitting.min_by_key(|(_, chunk)| chunk.len()) else {
            return Err(JobTextError::UnknownKind { text: text.into() });
        };
        if chunk.is_empty() {
            return Ok(kind.without_chunk());
        }
        if kind == JobKind::Optimizer {
            return Err(JobTextError::OptimizerWithChunk { text: text.into() });
        }
        match canonical_number::<u16>(chunk) {
            Some(chunk) => Ok(kind.in_chunk(Chunk(chunk))),
            None => Err(JobTextError::BadChunk { text: text.into(), chunk: chunk.into() }),
        }
    }
}

impl FromStr for Job {
    type Err = JobTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some((job_type, micro_batch)) = text.split_once(':') else {
            return Err(JobTextError::NoMicroBatch { text: text.into() });
        };
        let job_type = job_type.parse()?;
        let Some(number) = canonical_number(micro_batch) else {
            return Err(JobTextError::BadMicroBatch {
                text: text.into(),
                micro_batch: micro_batch.into(),
            });
        };
        Ok(Self::new(job_type, MicroBatch(number)))
    }
}

/// The number that prints as `digits`: no sign, no leading zero.
fn canonical_number<N: FromStr>(digits: &str) -> Option<N> {
    let has_sign = digits.starts_with('+');
    let has_leading_zero = digits.len() > 1 && digits.starts_with('0');
    if has_sign || has_leading_zero {
        return None;
    }
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> &'static str {
        text.parse::<Job>().unwrap_err().code()
    }

    #[test]
    fn every_kind_reads_back_with_and_without_a_chunk() {
        for kind in JobKind::ALL {
            for job_type in [kind.without_chunk(), kind.in_chunk(Chunk(17))] {
                assert_eq!(job_type.to_string().parse(), Ok(job_type));
            }
        }
    }

    #[test]
    fn the_longest_kind_wins() {
        assert_eq!(
            "backward_b12".parse::<JobType>().unwrap(),
            JobKind::BackwardInput.in_chunk(Chunk(12))
        );
    }

    #[test]
    fn near_misses_are_refused_each_for_its_reason() {
        assert_eq!(code("Forward0:1"), "E0321");
        assert_eq!(code(":1"), "E0321");
        assert_eq!(code("forwardTrue:1"), "E0322");
        assert_eq!(code("forward-1:1"), "E0322");
        assert_eq!(code("forward+1:1"), "E0322");
        assert_eq!(code("forward01:1"), "E0322");
        assert_eq!(code("forward65536:1"), "E0322");
        assert_eq!(code("backward_c0:1"), "E0322");
        assert_eq!(code("backward_w0_reduced:1"), "E0322");
        assert_eq!(code("backward_reduce:1"), "E0322");
        assert_eq!(code("optimizer0:0"), "E0323");
        assert_eq!(code("forward0"), "E0324");
        assert_eq!(code("forward0:"), "E0325");
        assert_eq!(code("forward0:1:2"), "E0325");
        assert_eq!(code("forward0:00"), "E0325");
        assert_eq!(code("forward0:4294967296"), "E0325");
        assert_eq!(code("forward0: 1"), "E0325");
    }

    #[test]
    fn the_message_names_the_wrong_part() {
        assert_eq!(
            "forwardTrue".parse::<JobType>().unwrap_err().to_string(),
            "`True` in `forwardTrue` is not a chunk: expected a whole number below 65536 without leading zeros"
        );
    }
}
