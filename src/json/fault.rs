//! What can be wrong with a JSON file, and how it is reported.

use std::ops::Range;

use thiserror::Error;

use super::document::Document;
use crate::diagnostic::{Diagnostic, Place};

/// A fault of a file. Where it is stands beside it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum ReadError {
    #[error("expected {expected}, found {found}")]
    Unexpected { expected: &'static str, found: String },
    #[error("a string is not closed before the end of the file")]
    Unclosed,
    #[error("malformed escape in a string")]
    BadEscape,
    #[error("malformed number")]
    BadNumber,
    #[error("a control character stands unescaped in a string")]
    RawControl,
    #[error("the file is not UTF-8")]
    NotUtf8,
    #[error("lists and objects nest more than {limit} deep")]
    TooDeep { limit: usize },
    #[error("the file is larger than 4 GiB")]
    TooLarge,
    #[error("this is not a PIR file: `base_code.magic` is not `pir`")]
    NotPir,
    #[error("`base_code.version` is {version}, but versions begin at 1")]
    BadVersion { version: i64 },
    #[error("the key `{key}` is missing")]
    Missing { key: &'static str },
    #[error("expected {expected}, found {found}")]
    Wrong { expected: &'static str, found: &'static str },
    #[error("expected {expected}")]
    Length { expected: &'static str },
    #[error("expected {expected}, found `{found}`")]
    BadWord { expected: &'static str, found: String },
    #[error("types or attributes nest more than {limit} deep")]
    DeepValue { limit: usize },
    #[error("`{name}` is given twice")]
    Twice { name: String },
    #[error("the number does not fit into {kind}")]
    OutOfRange { kind: &'static str },
    #[error("value {id} is used, but nothing before defines it")]
    Undefined { id: i64 },
    #[error("value {id} is defined twice")]
    DefinedTwice { id: i64 },
    #[error("the id 0 stands for an absent value, and cannot be defined")]
    DefinesNull,
    #[error("the block already has a keyword argument `{keyword}`")]
    KwargTwice { keyword: String },
}

impl ReadError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unexpected { .. } | Self::Unclosed | Self::BadEscape | Self::BadNumber => "E0150",
            Self::RawControl | Self::NotUtf8 => "E0150",
            Self::TooDeep { .. } | Self::TooLarge | Self::DeepValue { .. } => "E0151",
            Self::NotPir | Self::BadVersion { .. } => "E0152",
            Self::Missing { .. } => "E0153",
            Self::Wrong { .. } | Self::Length { .. } | Self::BadWord { .. } => "E0154",
            Self::Twice { .. } => "E0155",
            Self::OutOfRange { .. } => "E0156",
            Self::Undefined { .. } => "E0157",
            Self::DefinedTwice { .. } | Self::DefinesNull => "E0158",
            Self::KwargTwice { .. } => "E0159",
        }
    }

    fn help(&self) -> &'static str {
        match self {
            Self::Unexpected { .. } | Self::Unclosed => {
                "the file may be cut; save the program again"
            }
            Self::BadEscape | Self::BadNumber | Self::RawControl | Self::NotUtf8 => {
                "Paddle does not write this; save the program again"
            }
            Self::TooDeep { .. } | Self::TooLarge | Self::DeepValue { .. } => {
                "no program that Paddle writes comes near this"
            }
            Self::NotPir => "give a file that `paddle.jit.save` or `serialize_pir_program` wrote",
            Self::BadVersion { .. } => "Paddle 3.3 writes version 4",
            Self::Missing { .. }
            | Self::Wrong { .. }
            | Self::Length { .. }
            | Self::BadWord { .. } => {
                "the file was changed after Paddle wrote it, or a newer Paddle wrote it"
            }
            Self::Twice { .. } => "remove one of the two",
            Self::OutOfRange { .. } => "Paddle would read another number without a word",
            Self::Undefined { .. } => {
                "Paddle would read an absent value without a word; define it before its use"
            }
            Self::DefinedTwice { .. } | Self::DefinesNull => {
                "give each result and argument an id of its own"
            }
            Self::KwargTwice { .. } => "give each keyword argument a `key` of its own",
        }
    }
}

/// A fault of the syntax: where it stands in the text.
#[derive(Clone, Debug)]
pub(super) struct Flaw {
    pub(super) span: Range<usize>,
    pub(super) error: ReadError,
}

/// A fault of a value: which node of the document it is.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) at: u32,
    pub(super) error: ReadError,
}

impl Flaw {
    pub(super) fn diagnostic(&self, file: &str, text: &str) -> Diagnostic {
        let place = place(file, text, self.span.clone());
        Diagnostic::error(self.error.code(), self.error.to_string())
            .at(place)
            .remark(position(text, self.span.start))
            .help(self.error.help())
    }
}

impl Fault {
    pub(super) fn diagnostic(&self, file: &str, document: &Document<'_>) -> Diagnostic {
        let json = document.at(self.at);
        let remark = match json.path().as_str() {
            "" => position(document.text, json.span().start),
            path => format!("`{path}`, {}", position(document.text, json.span().start)),
        };
        Diagnostic::error(self.error.code(), self.error.to_string())
            .at(place(file, document.text, json.span()))
            .remark(remark)
            .help(self.error.help())
    }
}

/// Most of these files are one line, of which a place shows an excerpt; so the column is said.
fn position(text: &str, at: usize) -> String {
    let line = memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() + 1;
    format!("line {line}, column {}", at - line_start(text, at) + 1)
}

fn line_start(text: &str, at: usize) -> usize {
    memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |feed| feed + 1)
}

/// A stretch of a line around `span`: a place keeps what it shows.
pub(super) fn place(file: &str, text: &str, span: Range<usize>) -> Place {
    /// How much of a long line is shown before and behind the beginning of the span.
    const CONTEXT: usize = 60;
    let line = memchr::memchr_iter(b'\n', &text.as_bytes()[..span.start]).count() + 1;
    let line_start = line_start(text, span.start);
    let line_end = memchr::memchr(b'\n', &text.as_bytes()[span.start..])
        .map_or(text.len(), |n| span.start + n);
    let start = boundary(text, line_start.max(span.start.saturating_sub(CONTEXT)));
    let end = boundary(text, line_end.min(span.start + 2 * CONTEXT)).max(span.start);
    let highlight = span.start - start..span.end.clamp(span.start, end) - start;
    Place::in_text(file, line as u32, &text[start..end], highlight)
}

/// The greatest character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
