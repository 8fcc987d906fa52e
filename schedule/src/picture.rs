//! Pictures of simulated schedules: for the terminal, as SVG, as one HTML page, as a Chrome trace.
//!
//! A row is a stage, time goes to the right. A job is labelled as torch labels it: the part of the model, F,
//! B, I (input half) or W (weight half), the micro-batch: `2F0`. Several schedules in one picture share one
//! time scale, so that the eye can compare them.

mod html;
mod svg;
mod terminal;
mod trace;

use std::fmt;

use thiserror::Error;

use crate::counts::Stage;
use crate::job::{Job, JobKind};
use crate::schedule::Schedule;
use crate::simulate::Simulation;

pub use html::html;
pub use svg::svg;
pub use terminal::{Colours, terminal};
pub use trace::chrome_trace;

/// The most jobs that one picture draws.
pub const MAX_DRAWN: usize = 50_000;

/// A schedule to draw, with the title above it.
#[derive(Debug, Clone, Copy)]
pub struct Drawn<'a> {
    /// What stands above it.
    pub title: &'a str,
    /// The times of its jobs.
    pub simulation: &'a Simulation<'a>,
}

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// Nobody could see anything in it.
    #[error("{jobs} jobs are too many for a picture: expected at most {MAX_DRAWN}")]
    TooManyJobs {
        /// The number of jobs.
        jobs: usize,
    },
}

impl PictureError {
    /// The stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooManyJobs { .. } => "E0371",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::TooManyJobs { .. } => {
                "draw fewer micro-batches, or write a trace, which a viewer can zoom".into()
            }
        }
    }
}

fn check_size(drawn: &[Drawn<'_>]) -> Result<(), PictureError> {
    let jobs = drawn.iter().map(|drawn| drawn.simulation.schedule().jobs().len()).sum();
    if jobs > MAX_DRAWN { Err(PictureError::TooManyJobs { jobs }) } else { Ok(()) }
}

/// What is drawn of a kind of job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Forward,
    Backward,
    BackwardInput,
    BackwardWeight,
    Other,
}

impl Look {
    /// None of what takes no time on the stage.
    fn of(kind: JobKind) -> Option<Self> {
        match kind {
            JobKind::Forward => Some(Self::Forward),
            JobKind::Backward => Some(Self::Backward),
            JobKind::BackwardInput => Some(Self::BackwardInput),
            JobKind::BackwardWeight | JobKind::BackwardWeightReduce => Some(Self::BackwardWeight),
            JobKind::Optimizer | JobKind::ReduceGradient => Some(Self::Other),
            _ => None,
        }
    }

    const ALL: [Self; 5] =
        [Self::Forward, Self::Backward, Self::BackwardInput, Self::BackwardWeight, Self::Other];

    fn letter(self) -> char {
        match self {
            Self::Forward => 'F',
            Self::Backward => 'B',
            Self::BackwardInput => 'I',
            Self::BackwardWeight => 'W',
            Self::Other => 'O',
        }
    }

    /// The name of it in legends and classes.
    fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::BackwardInput => "input half",
            Self::BackwardWeight => "weight half",
            Self::Other => "optimizer",
        }
    }
}

/// A job as it is drawn.
struct Mark {
    index: usize,
    job: Job,
    look: Look,
    start: u64,
    end: u64,
    is_fused: bool,
}

/// What is drawn of a stage, in order of time: the jobs that take time.
fn marks<'a>(simulation: &'a Simulation<'_>, stage: Stage) -> impl Iterator<Item = Mark> + 'a {
    let schedule = simulation.schedule();
    let begin = schedule.begin(stage.0);
    let marks = (begin..).zip(schedule.list(stage.0)).filter_map(move |(index, &job)| {
        let look = Look::of(job.kind())?;
        let (start, end) = (simulation.starts()[index], simulation.ends()[index]);
        let is_fused = schedule.is_fused_with_next(index)
            || (index > begin && schedule.is_fused_with_next(index - 1));
        Some(Mark { index, job, look, start, end, is_fused })
    });
    marks.filter(|mark| mark.start < mark.end)
}

/// A job as torch spells it.
struct Label<'a>(&'a Schedule, Stage, Job);

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(schedule, stage, job) = self;
        let Some(look) = Look::of(job.kind()) else { return write!(f, "{job}") };
        if look == Look::Other {
            return write!(f, "{job}");
        }
        match schedule.placement().part(*stage, job.job_type.chunk_or_first()) {
            Some(part) => write!(f, "{part}{}{}", look.letter(), job.micro_batch),
            None => write!(f, "{job}"),
        }
    }
}

/// A line that says how good a schedule is.
fn figures(simulation: &Simulation<'_>) -> String {
    let stages = simulation.schedule().counts().stages();
    let peak = (0..stages).map(|stage| simulation.peak_memory(Stage(stage))).max().unwrap_or(0);
    format!(
        "makespan {}, makespan bubble {}, span bubble {}, peak memory {peak}",
        simulation.makespan(),
        simulation.makespan_bubble(),
        simulation.span_bubble(),
    )
}
