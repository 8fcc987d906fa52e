//! A diff as text: unified, or side by side.
//!
//! Ops that are there for context, and those with changes, are printed without attributes and
//! types: what changed stands below them, and nothing else of them has. What was added or removed
//! is printed whole. A value of both programs has one name on both sides, so that renumbering never
//! shows.

use std::ops::Range;

use super::pairs::Side;
use super::script::{Row, What};
use super::{Change, Diff, Entry};
use crate::ir::Op;
use crate::text::op_line;

/// What a line of a rendered diff says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Where the lines below are: `@@ op 12 @@`, the index of an op of the first program.
    Place,
    /// ` `: nothing differs here.
    Same,
    /// `-`: an op that only the first program has.
    Removed,
    /// `+`: an op that only the second program has.
    Added,
    /// `<`: an op that stood here and stands elsewhere.
    MovedAway,
    /// `>`: an op that stands here and stood elsewhere.
    MovedHere,
    /// `~`: an op with changes.
    Changed,
    /// `~`: what changed of the op above.
    Change,
}

impl LineKind {
    fn mark(self) -> char {
        match self {
            Self::Place => '@',
            Self::Same => ' ',
            Self::Removed => '-',
            Self::Added => '+',
            Self::MovedAway => '<',
            Self::MovedHere => '>',
            Self::Changed | Self::Change => '~',
        }
    }
}

/// A line of a rendered diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it says.
    pub kind: LineKind,
    /// Its text, mark and all, without the newline.
    pub text: String,
}

const INDENT: &str = "    ";
/// How narrow a column may be.
const LEAST_WIDTH: usize = 20;

/// # As text
impl Diff<'_> {
    /// One op below the other, with so many of the same around what differs; empty if nothing does.
    pub fn unified(&self, context: usize) -> String {
        joined(&self.unified_lines(context))
    }

    /// As [`unified`](Self::unified), line by line.
    pub fn unified_lines(&self, context: usize) -> Vec<Line> {
        self.lines(context, Layout::Unified)
    }

    /// The programs side by side, in lines of so many characters, with so many ops of the same
    /// around what differs; empty if nothing does.
    pub fn side_by_side(&self, width: usize, context: usize) -> String {
        joined(&self.side_by_side_lines(width, context))
    }

    /// As [`side_by_side`](Self::side_by_side), line by line.
    pub fn side_by_side_lines(&self, width: usize, context: usize) -> Vec<Line> {
        let column = (width.saturating_sub(3) / 2).max(LEAST_WIDTH);
        self.lines(context, Layout::SideBySide { column })
    }

    fn lines(&self, context: usize, layout: Layout) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut position = Position::default();
        let mut passed = 0;
        for hunk in self.hunks(context) {
            self.rows[passed..hunk.start].iter().for_each(|row| position.pass(row));
            let text = position.text(&self.rows[hunk.start]);
            lines.push(Line { kind: LineKind::Place, text });
            passed = hunk.end;
            for row in &self.rows[hunk] {
                position.pass(row);
                self.draw(row, layout, &mut lines);
            }
        }
        lines
    }

    /// The rows that differ, and so many rows around them.
    fn hunks(&self, context: usize) -> Vec<Range<usize>> {
        let mut hunks: Vec<Range<usize>> = Vec::new();
        for (index, _) in self.rows.iter().enumerate().filter(|(_, row)| row.entry.is_some()) {
            let start = index.saturating_sub(context);
            let end = index.saturating_add(context).saturating_add(1).min(self.rows.len());
            match hunks.last_mut() {
                Some(last) if last.end >= start => last.end = end,
                _ => hunks.push(start..end),
            }
        }
        hunks
    }
}

fn joined(lines: &[Line]) -> String {
    lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
}

/// How lines are laid out.
#[derive(Copy, Clone)]
enum Layout {
    Unified,
    SideBySide { column: usize },
}

impl Layout {
    /// What each program has, as lines.
    fn draw(self, kind: LineKind, sides: [Option<String>; 2]) -> Vec<String> {
        let mark = kind.mark();
        let Self::SideBySide { column } = self else {
            // What both have, they have alike.
            let text = sides.into_iter().flatten().last().unwrap_or_default();
            return vec![format!("{mark} {text}").trim_end().to_owned()];
        };
        let columns = sides.map(|side| match kind {
            LineKind::Same => vec![cut(&side.unwrap_or_default(), column)],
            _ => wrapped(&side.unwrap_or_default(), column),
        });
        let cell = |side: usize, row: usize| columns[side].get(row).map_or("", String::as_str);
        let line = |row| format!("{:column$} {mark} {}", cell(0, row), cell(1, row));
        let height = columns[0].len().max(columns[1].len());
        (0..height).map(|row| line(row).trim_end().to_owned()).collect()
    }

    fn change(self, change: &Change) -> [Option<String>; 2] {
        if matches!(self, Self::Unified) {
            return [None, Some(change.to_string())];
        }
        let sides = [&change.first, &change.second].map(|side| side.as_deref().unwrap_or("(none)"));
        sides.map(|side| Some(format!("{}: {side}", change.part)))
    }
}

fn cut(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        Some(_) => text.chars().take(width - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// The text in lines of at most `width` characters; those behind the first keep its indent.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let indent = text.chars().take_while(|&c| c == ' ').count().min(width / 2);
    let mut rest: Vec<char> = text.chars().collect();
    let mut lines = Vec::new();
    while rest.len() > width {
        let behind = rest.split_off(width);
        lines.push(rest.into_iter().collect());
        rest = std::iter::repeat_n(' ', indent).chain(behind).collect();
    }
    lines.push(rest.into_iter().collect());
    lines
}

/// Where a row is among the ops of the first program.
#[derive(Default)]
struct Position {
    /// By depth, the index of the next op.
    next: Vec<usize>,
}

impl Position {
    fn pass(&mut self, row: &Row) {
        self.next.resize(row.depth + 1, 0);
        if matches!(row.what, What::First(_) | What::Both(..)) {
            self.next[row.depth] += 1;
        }
    }

    fn text(&self, row: &Row) -> String {
        let index = self.next.get(row.depth).copied().unwrap_or(0);
        match self.next.first() {
            Some(top) if row.depth > 0 => {
                format!("@@ op {index} in op {} @@", top.saturating_sub(1))
            }
            _ => format!("@@ op {index} @@"),
        }
    }
}

/// # Rows
impl Diff<'_> {
    /// Appends the lines of a row.
    fn draw(&self, row: &Row, layout: Layout, lines: &mut Vec<Line>) {
        let (kind, sides) = self.shown(row);
        let changes = match row.entry.map(|entry| &self.entries[entry]) {
            // What changed of an op that moved is told where it stands now.
            _ if kind == LineKind::MovedAway => &[],
            Some(Entry::Kept { changes, .. } | Entry::Arguments { changes, .. }) => {
                changes.as_slice()
            }
            _ => &[],
        };
        let changes = changes.iter().map(|change| (LineKind::Change, layout.change(change)));
        for (kind, sides) in std::iter::once((kind, sides)).chain(changes) {
            let depth = row.depth + usize::from(kind == LineKind::Change);
            let told = |text: String| INDENT.repeat(depth) + &self.options.names.told(&text);
            let texts = layout.draw(kind, sides.map(|side| side.map(told))).into_iter();
            lines.extend(texts.map(|text| Line { kind, text }));
        }
    }

    /// What a row shows of each program.
    fn shown(&self, row: &Row) -> (LineKind, [Option<String>; 2]) {
        let [first, second] = Side::BOTH;
        let both = |text: String| [Some(text.clone()), Some(text)];
        let is_known = |side, op| self.pairs.op(side, op).is_some();
        match row.what {
            What::Region(index) => (LineKind::Same, both(format!("region {index}:"))),
            What::Arguments => (LineKind::Changed, both("arguments".to_owned())),
            What::First(op) if is_known(first, op) => {
                (LineKind::MovedAway, [Some(self.head(first, op)), None])
            }
            What::First(op) => (LineKind::Removed, [Some(self.whole(first, op)), None]),
            What::Second(op) if is_known(second, op) => {
                (LineKind::MovedHere, [None, Some(self.head(second, op))])
            }
            What::Second(op) => (LineKind::Added, [None, Some(self.whole(second, op))]),
            What::Both(x, y) => {
                let kind = if row.entry.is_some() { LineKind::Changed } else { LineKind::Same };
                (kind, [Some(self.head(first, x)), Some(self.head(second, y))])
            }
        }
    }

    /// An op without attributes and types.
    fn head(&self, side: Side, op: Op) -> String {
        let program = &*self.programs[side as usize];
        let label = |value| self.labels[side as usize].text(program, value);
        let results: Vec<String> = program.results(op).map(label).collect();
        let operands = program.operands(op).iter();
        let operands: Vec<String> =
            operands.map(|operand| operand.map_or("<<NULL VALUE>>".to_owned(), label)).collect();
        let name = program.name_text(op);
        format!("({}) = \"{name}\" ({})", results.join(", "), operands.join(", "))
    }

    fn whole(&self, side: Side, op: Op) -> String {
        op_line(&self.programs[side as usize], op, &self.labels[side as usize])
    }
}
