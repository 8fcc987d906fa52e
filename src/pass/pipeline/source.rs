//! The text of a pipeline, to point into.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Place;

/// What diagnostics call the text.
const FILE: &str = "pipeline";

/// The text of a pipeline, shared by the steps that were read from it.
#[derive(Clone, Debug)]
pub(super) struct Source {
    text: Arc<str>,
}

impl Source {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.into() }
    }

    /// The bytes of a range, in the line where it begins.
    pub(super) fn place(&self, range: &Range<usize>) -> Place {
        let start = range.start.min(self.text.len());
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let line_text = self.text[line_start..].lines().next().unwrap_or("");
        let within = start - line_start..range.end.saturating_sub(line_start);
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        Place::in_text(FILE, line, line_text, within)
    }
}

/// Where in a text a step stands.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    source: Source,
    range: Range<usize>,
}

impl Spot {
    pub(super) fn new(source: &Source, range: &Range<usize>) -> Self {
        Self { source: source.clone(), range: range.clone() }
    }

    pub(super) fn place(&self) -> Place {
        self.source.place(&self.range)
    }
}
