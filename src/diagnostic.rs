//! What is said about bad input: one shape for errors, warnings and notes of every layer.
//!
//! A diagnostic stands alone: each [`Place`] carries the line it points into, so that it can be
//! rendered after the program is gone. Codes are stable: `E0203`, `W0104`, `N0501`; the digits
//! say the layer (01 reading, 02 passes, 03 schedules, 04 verifying, 05 pipelines and options,
//! 06 files, 07 proofs).
//!
//! ```
//! use pirogue::diagnostic::{Diagnostic, Place};
//! let place = Place::in_text("job.pir", 3, "    (%0) = \"pd_op.x\"", 11..20).label("here");
//! let text = Diagnostic::error("E0100", "unknown thing `pd_op.x`")
//!     .at(place)
//!     .help("say which")
//!     .to_string();
//! assert!(text.starts_with("error[E0100]: unknown thing"));
//! assert!(text.contains("job.pir:3:12"));
//! ```

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;

use crate::ir::{Op, Program};
use crate::text;

/// How much a diagnostic matters.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// What was asked for cannot be done.
    Error,
    /// It was done, and may not be what was meant.
    Warning,
    /// Something worth knowing.
    Note,
}

/// One thing that is said about an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// Its stable code.
    pub code: Cow<'static, str>,
    /// What is wrong, in lower case, with names in backticks.
    pub message: String,
    /// Where it is wrong.
    pub primary: Option<Place>,
    /// Other places that have to do with it.
    pub secondary: Vec<Place>,
    /// More about it, a line each.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
}

/// A stretch of a line of a file, or of the printed form of an op that no file holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The file, as the reader was told it; empty if there is none.
    pub file: String,
    /// The 1-based line, if it is known.
    pub line: Option<u32>,
    /// The text of the line.
    pub text: String,
    /// The bytes of `text` that are meant.
    pub highlight: Range<usize>,
    /// What is said of them; may be empty.
    pub label: String,
}

/// A longer line is cut around what it highlights; nobody reads a hundred thousand bytes.
const LONGEST_LINE: usize = 4000;

impl Place {
    /// A stretch of a line of a file.
    pub fn in_text(file: &str, line: u32, text: &str, highlight: Range<usize>) -> Self {
        let mut place = Self {
            file: file.to_owned(),
            line: Some(line),
            text: text.to_owned(),
            highlight,
            label: String::new(),
        };
        place.shorten();
        place
    }

    /// The name of an op, in its line of the program as it would be printed now.
    pub fn op(program: &Program, op: Op) -> Self {
        Self::op_in(program, op, &text::Labels::of(program))
    }

    /// As [`op`](Self::op), with the labels of the program at hand: for many places of one program.
    pub fn op_in(program: &Program, op: Op, labels: &text::Labels) -> Self {
        let line = text::op_line(program, op, labels);
        let name = format!("\"{}\"", program.name_text(op));
        let start = line.find(&name).unwrap_or(0);
        let end = line.len().min(start + name.len());
        let mut place = Self {
            file: program.origins().file.clone(),
            line: program.origin(op).and_then(|origin| program.origins().line(origin)),
            text: line,
            highlight: start..end,
            label: String::new(),
        };
        place.shorten();
        place
    }

    /// Says something of the place.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    fn shorten(&mut self) {
        let clamp = |at: usize, text: &str| floor_boundary(text, at.min(text.len()));
        self.highlight =
            clamp(self.highlight.start, &self.text)..clamp(self.highlight.end, &self.text);
        if self.text.len() > LONGEST_LINE {
            let start = floor_boundary(&self.text, self.highlight.start.saturating_sub(200));
            let end = floor_boundary(&self.text, self.text.len().min(start + LONGEST_LINE));
            self.text = self.text[start..end].to_owned();
            self.highlight =
                self.highlight.start - start..(self.highlight.end - start).min(end - start);
        }
    }

    fn snippet(&self, kind: AnnotationKind) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
        let label = (!self.label.is_empty()).then_some(self.label.as_str());
        Snippet::source(self.text.as_str())
            .line_start(self.line.unwrap_or(1) as usize)
            .line_numbering(self.line.is_some())
            .path((!self.file.is_empty()).then_some(self.file.as_str()))
            .annotation(kind.span(self.highlight.clone()).label(label))
    }
}

/// The greatest character boundary at or before `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

impl Diagnostic {
    fn new(
        severity: Severity,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            code: code.into(),
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// Says that what was asked for cannot be done.
    pub fn error(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// Says that it was done and may not be what was meant.
    pub fn warning(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// Says something worth knowing.
    pub fn note(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    /// Sets where it is wrong.
    pub fn at(mut self, place: Place) -> Self {
        self.primary = Some(place);
        self
    }

    /// Adds a place that has to do with it.
    pub fn see(mut self, place: Place) -> Self {
        self.secondary.push(place);
        self
    }

    /// Adds a line about it.
    pub fn remark(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says what to do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The text a person reads, as rustc lays it out; with colours for a terminal.
    pub fn render(&self, colour: Colour) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let title = level.primary_title(self.message.as_str()).id(self.code.as_ref());
        let mut group = Group::with_title(title);
        if let Some(place) = &self.primary {
            group = group.element(place.snippet(AnnotationKind::Primary));
        }
        for place in &self.secondary {
            group = group.element(place.snippet(AnnotationKind::Context));
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let renderer = match colour {
            Colour::Plain => Renderer::plain(),
            Colour::Ansi => Renderer::styled(),
        };
        renderer.render(&[group])
    }
}

/// Whether a rendered diagnostic holds escape sequences for colours.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Plain,
    /// Text for a terminal.
    Ansi,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Colour::Plain))
    }
}
