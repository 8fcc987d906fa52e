//! Schedules as files: read strictly, written so that they read back, and told what is lost between.
//!
//! | [`Format`] | what it is | what it cannot hold |
//! | --- | --- | --- |
//! | [`Jobs`](Format::Jobs) | a line a stage, `type:micro_batch` with spaces between | placement, fused pairs, stages without jobs |
//! | [`Csv`](Format::Csv) | torch's CSV, a row a rank, `0F0,1F0` | optimizer, types without chunk, a placement of both ways |
//! | [`Json`](Format::Json) | our own | nothing |
//! | [`Megatron`](Format::Megatron) | order integers and the table of steps, as JSON | all but whole forwards and backwards, looped |
//! | [`Paddle`](Format::Paddle) | the job lists of a Paddle pass, as JSON | what Paddle has no job for, fused pairs, most placements |
//! | [`ZeroBubble`](Format::ZeroBubble) | a line a stage, `f0 F0 b0 w0` | all but computations, more than two chunks |
//!
//! **What a format cannot hold is refused or listed as [`Lost`], never dropped in silence.** It is refused
//! where what is left would be another schedule, and lost where it still says in which order the same stages
//! compute the same things.
//!
//! Reading takes memory for what is in the file, never for a number that stands in it.
//!
//! ```
//! use pirogue_schedule::format::{self, Format};
//! use pirogue_schedule::Shape;
//!
//! // Two ranks of torch: the model goes forth and back.
//! let csv = "0F0,3F0,3B0,0B0\n1F0,2F0,2B0,1B0\n";
//! let read = format::read(csv.as_bytes(), None)?;
//! assert_eq!(read.format, Format::Csv);
//! assert_eq!(read.schedule.placement().shape(), Shape::V);
//!
//! let written = format::write(&read.schedule, Format::ZeroBubble)?;
//! assert_eq!(written.text, "f0 F0 BW0 bw0\nf0 F0 BW0 bw0\n");
//! assert!(written.lost.is_empty());
//!
//! let error = format::read(b"0F0,0B0\n1F0xyz,1B0\n", None).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "line 2, column 1: `1F0xyz` is not an action: `xyz` is left over behind `1F0`"
//! );
//! # Ok::<(), format::FormatError>(())
//! ```

mod error;
mod jobs;
mod json;
mod lost;
mod megatron;
mod paddle;
mod source;
mod torch;
mod zero_bubble;

use std::fmt;
use std::str::FromStr;

use crate::schedule::Schedule;

pub use error::{FormatError, FormatFault, Position};
pub use lost::{Loss, Lost};

/// How a schedule is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// The text form of [`Schedule`]: a line a stage, jobs as Paddle spells them.
    Jobs,
    /// PyTorch's CSV: `2F0` is part 2 (torch says stage), type F, micro-batch 0; an empty cell is an idle slot.
    ///
    /// Types are `F`, `B`, `I`, `W`, `SEND_F`, `RECV_F`, `SEND_B`, `RECV_B`, `WAIT_SEND_F`, `WAIT_SEND_B`, and
    /// without a micro-batch `REDUCE_GRAD`, `WAIT_REDUCE_GRAD`; a fused pair is `(1F2;6B0)OVERLAP_F_B`;
    /// `UNSHARD` and `RESHARD` are refused. Which rank holds a part is inferred from who computes it. Messages
    /// are written where the schedule has both ends of those it has, otherwise torch puts in all of them.
    Csv,
    /// Our own JSON, which loses nothing: counts, placement, a string of jobs a stage with `&` in fused pairs.
    Json,
    /// Megatron-LM's order integers with its schedule table, as an object with `pp`, `vpp`, `microbatches`,
    /// `table` (`[micro-batch, chunk]` of each step) and `order` (a list a rank, k a forward of chunk k-1, -k a
    /// backward of it).
    Megatron,
    /// The job lists of one of Paddle's passes, as an object with `pp`, `vpp`, `m` and `ranks`; `pass_` says by
    /// `ZBVPP` that the model lies in a V.
    Paddle,
    /// The computations that zero-bubble prints, a line a stage: `f0 F0 b0 w0 bw0`, small letters for chunk 0,
    /// capitals for chunk 1 of a V. Its sends, receives, offloading and recomputation are refused.
    ZeroBubble,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 6] =
        [Self::Jobs, Self::Csv, Self::Json, Self::Megatron, Self::Paddle, Self::ZeroBubble];

    /// Its name, such as `zero-bubble`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jobs => "jobs",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Megatron => "megatron",
            Self::Paddle => "paddle",
            Self::ZeroBubble => "zero-bubble",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    /// The format of this name.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| format!("expected one of {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// A schedule that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The schedule.
    pub schedule: Schedule,
    /// The format it was in.
    pub format: Format,
    /// What the file says and a schedule does not hold: idle slots.
    pub lost: Vec<Lost>,
}

/// A schedule that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writing {
    /// The content of the file.
    pub text: String,
    /// What the schedule says and the format does not hold.
    pub lost: Vec<Lost>,
}

/// Reads a schedule, in the format that it [looks like](detect) if none is given.
///
/// # Errors
/// The bytes are in no known format, or not in that format; or what they hold is no schedule.
pub fn read(bytes: &[u8], format: Option<Format>) -> Result<Reading, FormatError> {
    let text = std::str::from_utf8(bytes).map_err(|error| source::not_text(bytes, error))?;
    if text.trim().is_empty() {
        return Err(FormatFault::Empty.nowhere());
    }
    let Some(format) = format.or_else(|| detect(bytes)) else {
        return Err(FormatFault::Unknown.nowhere());
    };
    let (schedule, lost) = match format {
        Format::Jobs => (jobs::read(text)?, Vec::new()),
        Format::Csv => torch::read(text)?,
        Format::Json => (json::read(text)?, Vec::new()),
        Format::Megatron => (megatron::read(text)?, Vec::new()),
        Format::Paddle => (paddle::read(text)?, Vec::new()),
        Format::ZeroBubble => (zero_bubble::read(text)?, Vec::new()),
    };
    Ok(Reading { schedule, format, lost })
}

/// Writes a schedule.
///
/// # Errors
/// The format cannot hold it: what would be left is another schedule.
pub fn write(schedule: &Schedule, format: Format) -> Result<Writing, FormatError> {
    match format {
        Format::Jobs => jobs::write(schedule),
        Format::Csv => torch::write(schedule),
        Format::Json => Ok(json::write(schedule)),
        Format::Megatron => megatron::write(schedule),
        Format::Paddle => Ok(paddle::write(schedule)),
        Format::ZeroBubble => zero_bubble::write(schedule),
    }
}

/// The format that bytes look like, by their first word or, in JSON, by their keys.
pub fn detect(bytes: &[u8]) -> Option<Format> {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let bytes = &bytes[start..];
    let letters = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    match (bytes[0], letters) {
        (b'{', _) => json_format(bytes),
        (b'(' | b',' | b'"' | b'0'..=b'9', _) => Some(Format::Csv),
        (_, 1 | 2) => Some(Format::ZeroBubble),
        (_, 3..) => Some(Format::Jobs),
        _ => None,
    }
}

/// The format of a JSON object, told by a key that only it has; no string in the others holds a quote.
fn json_format(bytes: &[u8]) -> Option<Format> {
    let first = bytes[1..].iter().find(|byte| !byte.is_ascii_whitespace());
    if !matches!(first, None | Some(b'"' | b'}')) {
        return None;
    }
    let has = |key: &str| bytes.windows(key.len()).any(|window| window == key.as_bytes());
    Some(match () {
        () if has("\"format\"") => Format::Json,
        () if has("\"order\"") || has("\"table\"") => Format::Megatron,
        () if has("\"ranks\"") || has("\"pass_\"") => Format::Paddle,
        () => Format::Json,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_told_by_how_it_begins() {
        for (text, format) in [
            ("recv_forward0:0 forward0:0", Some(Format::Jobs)),
            ("0F0,0B0", Some(Format::Csv)),
            (",0F0,0B0", Some(Format::Csv)),
            ("(0F1;1B0)OVERLAP_F_B", Some(Format::Csv)),
            ("{\"format\": \"pirogue-schedule\"}", Some(Format::Json)),
            ("{\"pp\":1,\"order\":[]}", Some(Format::Megatron)),
            ("{\"pass_\":\"VPP\",\"ranks\":[]}", Some(Format::Paddle)),
            (" f0 F0 bw0", Some(Format::ZeroBubble)),
            ("", None),
            ("[1]", None),
            ("{\n  (%0) = \"pd_op.data\" ()", None),
        ] {
            assert_eq!(detect(text.as_bytes()), format, "{text}");
        }
    }

    #[test]
    fn every_format_has_the_name_that_it_is_found_by() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert!("CSV".parse::<Format>().unwrap_err().contains("jobs, csv, json"));
    }
}
