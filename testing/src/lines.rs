//! The lines of a file of cases, and where a comment begins in each.
//!
//! A string attribute may hold anything: `//`, a separator, line feeds. So quotes are followed from
//! the beginning, by the rule of the reader: a `"` behind a backslash does not close. A quote that
//! nothing closes is a fault of the program, and ends with its line.

use std::ops::Range;

use memchr::{memchr, memchr2_iter};

/// What begins a line between two cases.
const SEPARATOR: &str = "// -----";

/// A line of a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Line<'t> {
    /// Its number, from 1.
    pub number: u32,
    /// All of it, without its end.
    pub text: &'t str,
    /// Where its comment begins.
    comment: Option<usize>,
}

impl<'t> Line<'t> {
    /// What stands before the comment, without white space at the end.
    pub fn code(&self) -> &'t str {
        self.text[..self.comment.unwrap_or(self.text.len())].trim_end()
    }

    /// What stands behind the `//` of the comment, without white space around it, and the range of
    /// it in the line.
    pub fn comment(&self) -> Option<(&'t str, Range<usize>)> {
        let start = self.comment?;
        let behind = &self.text[start + 2..];
        let text = behind.trim();
        let start = self.text.len() - behind.trim_start().len();
        Some((text, start..start + text.len()))
    }

    /// Whether there is a program's text in it.
    pub fn has_code(&self) -> bool {
        !self.code().is_empty()
    }

    /// Whether it stands between two cases.
    pub fn is_separator(&self) -> bool {
        !self.has_code() && self.comment.is_some_and(|at| self.text[at..].starts_with(SEPARATOR))
    }
}

/// All lines of a file.
pub fn lines(text: &str) -> Vec<Line<'_>> {
    let comments = comment_starts(text);
    let mut comments = comments.into_iter().peekable();
    let mut start = 0;
    let mut lines = Vec::new();
    for (number, whole) in (1..).zip(text.split_inclusive('\n')) {
        let end = start + whole.len();
        let comment = comments.next_if(|&at| at < end).map(|at| at - start);
        let text = whole.strip_suffix('\n').unwrap_or(whole);
        lines.push(Line { number, text: text.strip_suffix('\r').unwrap_or(text), comment });
        start = end;
    }
    lines
}

/// Where comments begin: at most one a line.
fn comment_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let line_end = |at: usize| memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |feed| at + feed);
    let mut starts = Vec::new();
    let mut passed = 0;
    for at in memchr2_iter(b'"', b'/', bytes) {
        if at < passed {
            continue;
        }
        if bytes[at] == b'"' {
            passed = string_end(bytes, at).unwrap_or_else(|| line_end(at));
        } else if bytes.get(at + 1) == Some(&b'/') {
            starts.push(at);
            passed = line_end(at);
        }
    }
    starts
}

/// The end of the string that begins at `start`.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let inner = start + 1;
    let mut quotes = memchr::memchr_iter(b'"', &bytes[inner..]).map(|at| inner + at);
    quotes.find(|&at| at == inner || bytes[at - 1] != b'\\').map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_found_behind_strings_and_not_in_them() {
        let text = "{ // a\n  x {s:\"// no\\\" // no\"} // b\n// -----\n";
        let lines = lines(text);
        assert_eq!(lines[0].comment(), Some(("a", 5..6)));
        assert_eq!(lines[1].code(), "  x {s:\"// no\\\" // no\"}");
        assert_eq!(lines[1].comment().map(|comment| comment.0), Some("b"));
        assert!(lines[2].is_separator() && !lines[2].has_code());
    }

    #[test]
    fn a_separator_in_a_string_separates_nothing() {
        let lines = lines("a \"\n// -----\n\" b\n// -----");
        let separators: Vec<u32> =
            lines.iter().filter(|line| line.is_separator()).map(|line| line.number).collect();
        assert_eq!(separators, [4]);
    }

    #[test]
    fn a_string_that_nothing_closes_ends_with_its_line() {
        let lines = lines("a \"b\n// -----\nc");
        assert!(lines[1].is_separator());
    }
}
