//! Why a file is not read, or a schedule not written.

use std::fmt;

use thiserror::Error;

use crate::counts::{Part, Stage};
use crate::error::ScheduleError;
use crate::format::Format;
use crate::job_text::JobTextError;
use crate::schedule_text::{EMPTY_LINE, ScheduleTextError};

/// A stretch of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The line, counted from 1.
    pub line: usize,
    /// The byte of the line where it begins, counted from 1.
    pub column: usize,
    /// How many bytes it is long.
    pub length: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a file is not read, and where; or why a schedule is not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatError {
    position: Option<Position>,
    fault: Box<FormatFault>,
}

/// What is wrong with a file, or with a schedule for a format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FormatFault {
    /// The bytes are no text.
    #[error("the file is not UTF-8 text")]
    NotText,
    /// The file looks like no format.
    #[error("the file looks like no format of schedules")]
    Unknown,
    /// The file is empty.
    #[error("the file is empty: there is no schedule in it")]
    Empty,
    /// A word is not an action of the format.
    #[error("`{text}` is not an action: {wrong}")]
    Action {
        /// The word.
        text: String,
        /// What is wrong with it.
        wrong: String,
    },
    /// An action of torch that a schedule does not hold.
    #[error(
        "`{text}` cannot be read: a schedule does not say when parameters are gathered and freed"
    )]
    Unshard {
        /// The action.
        text: String,
    },
    /// A job is not spelled as one.
    #[error(transparent)]
    Job(JobTextError),
    /// A line has nothing in it.
    #[error("the line is empty: expected what stage {stage} does")]
    EmptyLine {
        /// The stage of the line.
        stage: Stage,
        /// The format.
        format: Format,
    },
    /// A part below the last one is computed by no rank.
    #[error("part {part} is computed by no rank, but part {last} is")]
    PartNowhere {
        /// The part.
        part: Part,
        /// The last part.
        last: Part,
    },
    /// A part is computed by two ranks.
    #[error("part {part} is computed by rank {} and here by rank {}", .stages[0], .stages[1])]
    PartTwice {
        /// The part.
        part: Part,
        /// The ranks.
        stages: [Stage; 2],
    },
    /// An action names a part that its rank does not compute.
    #[error("`{text}` is of a part that rank {stage} does not compute")]
    ForeignPart {
        /// The action.
        text: String,
        /// The rank of the row.
        stage: Stage,
    },
    /// The file is not JSON, or its JSON has not the shape of the format.
    #[error("{message}")]
    Json {
        /// What is wrong.
        message: String,
        /// The format.
        format: Format,
    },
    /// A number in the file is not what the rest of it amounts to.
    #[error("{what} is {said}, but there {are} {found}", are = if *.found == 1 { "is" } else { "are" })]
    Count {
        /// What is counted.
        what: &'static str,
        /// The number in the file.
        said: u64,
        /// The number there is.
        found: u64,
    },
    /// An order does not follow the table.
    #[error("{wrong}")]
    Order {
        /// What is wrong.
        wrong: String,
    },
    /// The format cannot hold the schedule.
    #[error("`{format}` cannot hold this schedule: {reason}")]
    CannotHold {
        /// The format.
        format: Format,
        /// Why.
        reason: String,
    },
    /// All jobs are fine one by one but make no schedule.
    #[error(transparent)]
    Schedule(ScheduleError),
}

impl FormatFault {
    /// The error that this is the fault at a place of the file.
    pub(super) fn at(self, position: Position) -> FormatError {
        FormatError { position: Some(position), fault: Box::new(self) }
    }

    /// The error that this is the fault, of the file as a whole.
    pub(super) fn nowhere(self) -> FormatError {
        FormatError { position: None, fault: Box::new(self) }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NotText => "E0384",
            Self::Unknown => "E0385",
            Self::Empty => "E0386",
            Self::Action { .. } => "E0387",
            Self::Unshard { .. } => "E0388",
            Self::Job(error) => error.code(),
            Self::EmptyLine { .. } => EMPTY_LINE,
            Self::PartNowhere { .. } => "E0389",
            Self::PartTwice { .. } => "E0390",
            Self::ForeignPart { .. } => "E0391",
            Self::Json { .. } => "E0392",
            Self::Count { .. } => "E0393",
            Self::Order { .. } => "E0394",
            Self::CannotHold { .. } => "E0395",
            Self::Schedule(error) => error.code(),
        }
    }

    fn help(&self) -> String {
        match self {
            Self::NotText => "save it as UTF-8".into(),
            Self::Unknown => format!(
                "say which it is: {}; one row of a file of many is one schedule",
                Format::ALL.map(Format::name).join(", ")
            ),
            Self::Empty => "give a file with what each stage does".into(),
            Self::Action { .. } => {
                "torch's CSV has actions such as `2F0`, `2SEND_F0`, `(1F2;6B0)OVERLAP_F_B`; \
                 zero-bubble prints `f0 F0 b0 w0`"
                    .into()
            }
            Self::Unshard { .. } => {
                "remove it: torch puts in its own when it lowers a schedule".into()
            }
            Self::Job(error) => error.help(),
            Self::EmptyLine { format: Format::Csv, .. } => {
                "remove the line, or write `,` for a rank that does nothing".into()
            }
            Self::EmptyLine { .. } => {
                "a schedule is a line for each stage, with at least one job in each".into()
            }
            Self::PartNowhere { .. } => {
                "parts count from 0 along the model (torch calls them stages): add the rank that is missing".into()
            }
            Self::PartTwice { .. } => "move all actions of the part to one rank".into(),
            Self::ForeignPart { .. } => {
                "sends name the part that sends, receives the part that receives: both are on the rank of the row".into()
            }
            Self::Json { format, .. } => format!("write it as {}", example(*format)),
            Self::Count { .. } => "correct the number, or complete the file".into(),
            Self::Order { .. } => {
                "the n-th forward of a rank takes row n of `table`, so does its n-th backward, \
                 with the chunks counted from the last"
                    .into()
            }
            Self::CannotHold { .. } => "`json` holds every schedule".into(),
            Self::Schedule(error) => error.help(),
        }
    }
}

/// The shape of a JSON format.
fn example(format: Format) -> &'static str {
    match format {
        Format::Megatron => {
            r#"`{"pp":1,"vpp":1,"microbatches":1,"table":[[0,0]],"order":[[1,-1]]}`"#
        }
        Format::Paddle => r#"`{"pp":1,"vpp":1,"m":1,"ranks":[["forward0:0","backward0:0"]]}`"#,
        _ => {
            r#"`{"format":"pirogue-schedule","version":1,"stages":1,"chunks":1,"micro_batches":1,"placement":"looped","jobs":["forward0:0 backward0:0"]}`"#
        }
    }
}

impl FormatError {
    /// Where in the file, if it is at a place.
    pub fn position(&self) -> Option<Position> {
        self.position
    }

    /// What is wrong, without the place.
    pub fn fault(&self) -> &FormatFault {
        &self.fault
    }

    /// The stable code of the error.
    pub fn code(&self) -> &'static str {
        self.fault.code()
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        self.fault.help()
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = self.position {
            write!(f, "{position}: ")?;
        }
        self.fault.fmt(f)
    }
}

impl std::error::Error for FormatError {}

impl From<ScheduleError> for FormatError {
    fn from(error: ScheduleError) -> Self {
        FormatFault::Schedule(error).nowhere()
    }
}

impl From<ScheduleTextError> for FormatError {
    fn from(error: ScheduleTextError) -> Self {
        match error {
            ScheduleTextError::Job { line, column, source } => {
                let length = source.text().len();
                FormatFault::Job(source).at(Position { line, column, length })
            }
            ScheduleTextError::EmptyLine { line } => {
                let stage = Stage(u32::try_from(line - 1).unwrap_or(u32::MAX));
                let fault = FormatFault::EmptyLine { stage, format: Format::Jobs };
                fault.at(Position { line, column: 1, length: 0 })
            }
            ScheduleTextError::Schedule(error) => error.into(),
        }
    }
}
