//! How a snapshot differs from what a case shows now, for a person.
//!
//! Programs are compared op by op, so that a new number of a value is no difference. Other texts are
//! compared line by line, also without the numbers.

use pirogue::diff::{DiffOptions, GeneratedNames, diff};
use pirogue::ir::{Context, Program};
use pirogue::text;
use similar::TextDiff;

use crate::blind::blind;
use crate::show::CONTEXT;

/// What begins each part of a snapshot.
pub const HEADING: &str = "// show: ";

/// The parts of a snapshot: heading, and text.
fn parts(snapshot: &str) -> Vec<(&str, &str)> {
    let starts = snapshot.match_indices(HEADING).map(|(at, _)| at);
    let mut starts: Vec<usize> =
        starts.filter(|&at| at == 0 || snapshot[..at].ends_with('\n')).collect();
    starts.push(snapshot.len());
    let parts = starts.windows(2).map(|ends| &snapshot[ends[0]..ends[1]]);
    parts.map(|part| part.split_once('\n').unwrap_or((part, ""))).collect()
}

/// Whether two snapshots say the same, but for the numbers of values.
pub fn is_same(old: &str, new: &str) -> bool {
    let (old, new) = (parts(old), parts(new));
    let same =
        |(old, new): (&(&str, &str), &(&str, &str))| old.0 == new.0 && blind(old.1) == blind(new.1);
    !new.is_empty() && old.len() == new.len() && old.iter().zip(&new).all(same)
}

/// What differs between two snapshots.
pub fn difference(old: &str, new: &str) -> String {
    let (old_parts, new_parts) = (parts(old), parts(new));
    let headings = |parts: &[(&str, &str)]| parts.iter().map(|part| part.0.to_owned()).collect();
    let (old_headings, new_headings): (Vec<String>, Vec<String>) =
        (headings(&old_parts), headings(&new_parts));
    if old_headings != new_headings || old_headings.is_empty() {
        return line_difference(old, new);
    }
    let pairs = old_parts.iter().zip(&new_parts);
    let differing = pairs.filter(|(old, new)| blind(old.1) != blind(new.1));
    let texts = differing.map(|(old, new)| format!("{}\n{}", new.0, part_difference(old.1, new.1)));
    texts.collect::<Vec<String>>().join("\n")
}

fn part_difference(old: &str, new: &str) -> String {
    let ops = op_difference(old, new).filter(|text| !text.is_empty());
    ops.unwrap_or_else(|| line_difference(old, new))
}

/// What differs between two texts of programs; nothing if one of them is none.
fn op_difference(old: &str, new: &str) -> Option<String> {
    let context = Context::new();
    let read = |text: &str| -> Option<Program> {
        let is_program = text.trim_start().starts_with('{');
        let read = || text::read_program(&context, "", text.as_bytes()).ok();
        Some(is_program.then(read)??.program)
    };
    let (old, new) = (read(old)?, read(new)?);
    let options = DiffOptions { names: GeneratedNames::AnyIndex, ..DiffOptions::default() };
    Some(diff(&old, &new, options).unified(CONTEXT))
}

/// What differs between two texts, line by line.
pub fn line_difference(old: &str, new: &str) -> String {
    let (old, new) = (lines_of(old), lines_of(new));
    TextDiff::from_lines(&old, &new).unified_diff().context_radius(CONTEXT).to_string()
}

/// A text whose last line is ended, so that a missing end is no difference.
fn lines_of(text: &str) -> String {
    format!("{}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "// show: program\n{\n    (%0) = \"my.a\" () {n:1} : () -> f32\n}\n";

    #[test]
    fn numbers_of_values_are_no_difference() {
        assert!(is_same(OLD, &OLD.replace("%0", "%7")));
        assert!(!is_same(OLD, &OLD.replace("n:1", "n:2")));
        assert!(!is_same(OLD, "") && !is_same("", ""));
    }

    #[test]
    fn programs_differ_by_their_ops_and_texts_by_their_lines() {
        let found = difference(OLD, &OLD.replace("n:1", "n:2"));
        assert!(found.contains("attribute `n`") || found.contains("n: 1 => 2"), "{found}");
        let (old, new) = ("// show: stats\n1 a\n2 b\n", "// show: stats\n1 a\n3 b\n");
        assert!(difference(old, new).contains("-2 b\n+3 b\n"));
    }

    #[test]
    fn what_shows_other_things_differs_line_by_line() {
        let found = difference("// show: stats\n1 a\n", OLD);
        assert!(found.contains("-// show: stats\n") && found.contains("+// show: program\n"));
    }
}
