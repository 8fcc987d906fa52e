//! What does not come through between two formats.

use std::fmt;

use crate::format::Format;
use crate::job::JobKind;
use crate::placement::Shape;

/// One kind of thing that a format or a schedule does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// Slots in which a rank of torch's CSV does nothing.
    IdleSlots,
    /// Jobs of a kind that the format has no word for.
    Jobs(JobKind),
    /// Jobs that send or receive, where no job is the other end of their messages.
    MessagesWithOneEnd(JobKind),
    /// The start of a reduction inside of `backward_w0_reduce`, which becomes a plain weight half.
    ReductionsInJobs,
    /// That two jobs run as one.
    FusedPairs,
    /// That a job type has no chunk: it becomes that of chunk 0.
    TypesWithoutChunk,
    /// Where the parts of the model lie.
    Placement(Shape),
    /// Chunks that have no job on any stage.
    IdleChunks,
    /// Which number each chunk of a stage has.
    ChunkNumbers,
}

/// Something that was lost, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lost {
    /// The format that was read or written.
    pub format: Format,
    /// What was lost.
    pub what: Loss,
    /// How often; 1 for what a schedule has once.
    pub count: u64,
}

impl Lost {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        "W0341"
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self.what {
            Loss::IdleSlots => {
                "nothing is to be done: when a job runs follows from the order and the durations"
            }
            _ => "`json` keeps all that a schedule has",
        }
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, what, count } = self;
        let plural = if *count == 1 { "" } else { "s" };
        match what {
            Loss::IdleSlots => write!(f, "{count} idle slot{plural} of `{format}` left out"),
            Loss::Jobs(kind) => {
                write!(f, "{count} `{kind}` job{plural} left out: `{format}` has no such job")
            }
            Loss::MessagesWithOneEnd(kind) => write!(
                f,
                "{count} `{kind}` job{plural} left out: `{format}` takes both ends of messages or none"
            ),
            Loss::ReductionsInJobs => write!(
                f,
                "the reduction inside of {count} `backward_w_reduce` job{plural} left out: \
                 `{format}` has no word for it"
            ),
            Loss::FusedPairs => {
                write!(
                    f,
                    "{count} fused pair{plural} written as two jobs each: `{format}` cannot say it"
                )
            }
            Loss::TypesWithoutChunk => {
                write!(
                    f,
                    "{count} job{plural} without a chunk written as of chunk 0 for `{format}`"
                )
            }
            Loss::Placement(shape) => {
                write!(
                    f,
                    "the placement ({shape}) left out: whoever reads `{format}` takes it as looped"
                )
            }
            Loss::IdleChunks => {
                write!(f, "{count} chunk{plural} without a job left out: `{format}` cannot say it")
            }
            Loss::ChunkNumbers => write!(
                f,
                "the numbers of the chunks left out: in `{format}` they follow the order of the parts"
            ),
        }
    }
}

/// Whether jobs of this kind send or receive, or wait for what was sent.
pub(super) fn is_message(kind: JobKind) -> bool {
    matches!(
        kind,
        JobKind::RecvForward
            | JobKind::SendForward
            | JobKind::RecvBackward
            | JobKind::SendBackward
            | JobKind::WaitSendForward
            | JobKind::WaitSendBackward
    )
}

/// Counts what is lost while a schedule is read or written.
#[derive(Debug)]
pub(super) struct Losses {
    format: Format,
    found: Vec<Lost>,
}

impl Losses {
    pub(super) fn of(format: Format) -> Self {
        Self { format, found: Vec::new() }
    }

    /// Counts one more.
    pub(super) fn add(&mut self, what: Loss) {
        match self.found.iter_mut().find(|lost| lost.what == what) {
            Some(lost) => lost.count += 1,
            None => self.found.push(Lost { format: self.format, what, count: 1 }),
        }
    }

    /// All that was counted, in the order in which it was first met.
    pub(super) fn finish(self) -> Vec<Lost> {
        self.found
    }
}
