//! Places in the text of a file.
//!
//! A word, and a value of JSON that is kept raw, is a slice of the text: where it begins follows from where
//! it lies in memory. So nothing is noted while a file is read, and errors know their place all the same.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::str::Utf8Error;

use crate::counts::Stage;
use crate::error::ScheduleError;
use crate::format::{Format, FormatError, FormatFault, Position};
use crate::job::Job;

/// The text of a file, and its format.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) format: Format,
}

impl<'a> Source<'a> {
    /// Where a slice of the text is.
    pub(super) fn position(&self, slice: &str) -> Position {
        let offset = slice.as_ptr().addr().wrapping_sub(self.text.as_ptr().addr());
        position(self.text.as_bytes(), offset.min(self.text.len()), slice.len())
    }

    /// The lines without their ends, each with its stage.
    pub(super) fn lines(&self) -> impl Iterator<Item = (Stage, &'a str)> + use<'a> {
        (0..=u32::MAX).map(Stage).zip(self.text.lines())
    }

    /// The JSON object that the text is.
    pub(super) fn object<T: Deserialize<'a>>(&self) -> Result<T, FormatError> {
        serde_json::from_str(self.text).map_err(|error| {
            // At the very end of a line serde_json says column 0.
            let (line, column) = (error.line().max(1), error.column().max(1));
            let position = Position { line, column, length: 1 };
            self.json_fault(&error).at(position)
        })
    }

    /// A value inside of that object.
    pub(super) fn value<T: Deserialize<'a>>(&self, raw: &'a RawValue) -> Result<T, FormatError> {
        serde_json::from_str(raw.get())
            .map_err(|error| self.json_fault(&error).at(self.position(raw.get())))
    }

    fn json_fault(&self, error: &serde_json::Error) -> FormatFault {
        let text = error.to_string();
        let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
        FormatFault::Json { message: shown(message), format: self.format }
    }

    /// The characters of a JSON string; nothing in a schedule has to be escaped.
    pub(super) fn string(&self, raw: &'a RawValue) -> Result<&'a str, FormatError> {
        let text = raw.get();
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        inner.filter(|text| !text.contains('\\')).ok_or_else(|| {
            let message = "expected a string without `\\`".to_owned();
            FormatFault::Json { message, format: self.format }.at(self.position(text))
        })
    }

    /// The job that a slice of the text spells.
    pub(super) fn job(&self, word: &str) -> Result<Job, FormatError> {
        word.parse().map_err(|error| FormatFault::Job(error).at(self.position(word)))
    }

    /// Says that an error is at a value.
    pub(super) fn at(&self, raw: &RawValue, error: ScheduleError) -> FormatError {
        FormatFault::Schedule(error).at(self.position(raw.get()))
    }

    /// That a count in the file is the one there is.
    pub(super) fn check_count(
        &self,
        raw: &RawValue,
        what: &'static str,
        said: u64,
        found: u64,
    ) -> Result<(), FormatError> {
        if said == found {
            return Ok(());
        }
        Err(FormatFault::Count { what, said, found }.at(self.position(raw.get())))
    }
}

/// Where the text ends that bytes begin with.
pub(super) fn not_text(bytes: &[u8], error: Utf8Error) -> FormatError {
    FormatFault::NotText.at(position(bytes, error.valid_up_to(), 1))
}

fn position(bytes: &[u8], offset: usize, length: usize) -> Position {
    let before = &bytes[..offset];
    let begin = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    Position { line, column: offset - begin + 1, length }
}

/// A word as an error shows it: nobody reads a thousand letters.
pub(super) fn shown(word: &str) -> String {
    const MOST: usize = 80;
    match word.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &word[..end]),
        None => word.to_owned(),
    }
}

/// The number that prints as `digits`: no sign, no leading zero.
pub(super) fn number(digits: &str) -> Option<u32> {
    let has_leading_zero = digits.len() > 1 && digits.starts_with('0');
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !has_leading_zero;
    if is_number { digits.parse().ok() } else { None }
}

/// Splits after the digits that a text begins with.
pub(super) fn split_digits(text: &str) -> (&str, &str) {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    text.split_at(end)
}
