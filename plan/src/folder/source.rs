//! `plan.json` with the places of what is in it.

use std::ops::Range;
use std::path::Path;

use pirogue::diagnostic::{Diagnostic, Place};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::read_error::ReadError;

/// What is wrong and where; boxed, as results that carry it are mostly of small values.
pub(super) type Fault = Box<Diagnostic>;

/// A text, and the name of its file.
pub(super) struct Source<'t> {
    pub(super) file: &'t Path,
    pub(super) text: &'t str,
}

impl<'t> Source<'t> {
    /// Reads the whole text.
    pub(super) fn parse<T: Deserialize<'t>>(&self) -> Result<T, Fault> {
        self.parse_piece(self.text)
    }

    /// Reads a value that was left unread before.
    pub(super) fn parse_value<T: Deserialize<'t>>(&self, value: &'t RawValue) -> Result<T, Fault> {
        self.parse_piece(value.get())
    }

    /// An error in a value.
    pub(super) fn fault(&self, value: &RawValue, error: impl Into<Diagnostic>) -> Fault {
        let start = self.offset(value.get());
        let place = self.place(start..start + value.get().len());
        Box::new(error.into().at(place))
    }

    fn parse_piece<T: Deserialize<'t>>(&self, piece: &'t str) -> Result<T, Fault> {
        serde_json::from_str(piece).map_err(|error| {
            // The reader's own place is dropped from the message: it counts from the piece's start.
            let place = format!(" at line {} column {}", error.line(), error.column());
            let message = error.to_string().replace(&place, "");
            let at = self.offset(piece) + offset_of(piece, error.line(), error.column());
            Box::new(Diagnostic::from(ReadError::Json { message }).at(self.place(self.word(at))))
        })
    }

    /// Where a piece of the text begins.
    fn offset(&self, piece: &str) -> usize {
        piece.as_ptr() as usize - self.text.as_ptr() as usize
    }

    /// The number or word at an offset; a byte where there is none.
    fn word(&self, at: usize) -> Range<usize> {
        let bytes = self.text.as_bytes();
        let is_word = |byte: &u8| !byte.is_ascii_whitespace() && !b"{}[],:".contains(byte);
        let before = bytes[..at].iter().rev().take_while(|byte| is_word(byte)).count();
        let behind = bytes[at..].iter().take_while(|byte| is_word(byte)).count();
        if behind == 0 { at..at + 1 } else { at - before..at + behind }
    }

    fn place(&self, span: Range<usize>) -> Place {
        let start = self.text[..span.start].rfind('\n').map_or(0, |feed| feed + 1);
        let length = self.text[span.start..].find('\n').unwrap_or(self.text.len() - span.start);
        let end = span.start + length;
        let line = self.text[..start].bytes().filter(|&byte| byte == b'\n').count() as u32 + 1;
        let highlight = span.start - start..span.end.min(end) - start;
        Place::in_text(&self.file.display().to_string(), line, &self.text[start..end], highlight)
    }
}

/// The offset of a 1-based line and column; column 0 is the end of the line before.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (start + column).saturating_sub(1).min(text.len().saturating_sub(1))
}
