//! The text form of a schedule: a line for each stage, its jobs in order with a space between.
//!
//! ```
//! use pirogue_schedule::Schedule;
//!
//! let text = "forward0:0 backward0:0 optimizer:0\n";
//! let schedule: Schedule = text.parse()?;
//! assert_eq!(schedule.to_string(), text);
//! # Ok::<(), pirogue_schedule::ScheduleTextError>(())
//! ```
//!
//! Reading takes any run of spaces and tabs as one space and a missing last newline as there; it refuses
//! everything else, with the line and the column.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::error::ScheduleError;
use crate::job::Job;
use crate::job_text::JobTextError;
use crate::schedule::Schedule;

/// The code of a line without jobs, in every format that has a line a stage.
pub(crate) const EMPTY_LINE: &str = "E0326";

/// A text that is not a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ScheduleTextError {
    /// A word of the text is not a job.
    #[error("line {line}, column {column}: {source}")]
    Job {
        /// The line, counted from 1.
        line: usize,
        /// The byte of the line where the word begins, counted from 1.
        column: usize,
        /// What is wrong with the word.
        source: JobTextError,
    },
    /// A line has no jobs.
    #[error("line {line} is empty: expected the jobs of stage {}", .line - 1)]
    EmptyLine {
        /// The line, counted from 1.
        line: usize,
    },
    /// The jobs are fine one by one but make no schedule.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
}

impl ScheduleTextError {
    /// The stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Job { source, .. } => source.code(),
            Self::EmptyLine { .. } => EMPTY_LINE,
            Self::Schedule(error) => error.code(),
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Job { source, .. } => source.help(),
            Self::EmptyLine { .. } => {
                "a schedule is a line for each stage, with at least one job in each".into()
            }
            Self::Schedule(error) => error.help(),
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (_, jobs) in self.stages() {
            let mut separator = "";
            for job in jobs {
                write!(f, "{separator}{job}")?;
                separator = " ";
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}

impl FromStr for Schedule {
    type Err = ScheduleTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lists = text
            .lines()
            .enumerate()
            .map(|(index, line)| read_stage(index + 1, line))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self::from_lists(&lists)?)
    }
}

/// The jobs of one line.
fn read_stage(line: usize, text: &str) -> Result<Vec<Job>, ScheduleTextError> {
    let mut jobs = Vec::new();
    for word in text.split([' ', '\t']).filter(|word| !word.is_empty()) {
        let job = word.parse().map_err(|source| ScheduleTextError::Job {
            line,
            column: word.as_ptr().addr() - text.as_ptr().addr() + 1,
            source,
        })?;
        jobs.push(job);
    }
    if jobs.is_empty() {
        return Err(ScheduleTextError::EmptyLine { line });
    }
    Ok(jobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> ScheduleTextError {
        text.parse::<Schedule>().unwrap_err()
    }

    #[test]
    fn an_error_says_where_it_is() {
        let error = refused("forward0:0 backward0:0\nforward0:0  backwards0:0\n");
        assert_eq!(
            error.to_string(),
            "line 2, column 13: `s0` in `backwards0` is not a chunk: \
             expected a whole number below 65536 without leading zeros"
        );
        assert_eq!(error.code(), "E0322");
    }

    #[test]
    fn an_empty_line_is_named_with_its_stage() {
        let error = refused("forward0:0\n\nforward0:0\n");
        assert_eq!(error.to_string(), "line 2 is empty: expected the jobs of stage 1");
    }

    #[test]
    fn a_text_without_work_is_refused() {
        assert_eq!(refused("").code(), "E0301");
        assert_eq!(refused("optimizer:0\n").code(), "E0301");
    }

    #[test]
    fn one_huge_number_does_not_make_a_huge_schedule() {
        assert_eq!(refused("forward0:4294967295").code(), "E0303");
        assert_eq!(refused("forward65535:33554432").code(), "E0303");
    }
}
