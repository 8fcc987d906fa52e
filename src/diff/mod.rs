//! What differs between two programs: op by op, blind to the numbers of values.
//!
//! Unlike [`compare`](crate::ir::compare()), which stops at the first difference, a diff finds each
//! op of one program in the other and tells what became of it: it was *added*, *removed*, *moved*
//! among those that stayed where they were, or it is there with *changes* to its attributes,
//! operands, result types, name or regions. Ops in regions are ops like others, and arguments of
//! blocks are compared too, kwargs as a set.
//!
//! - **A diff is empty if and only if the programs compare as equal.**
//! - A diff the other way round is the same, mirrored.
//! - What differs depends neither on ids nor on handles, so it is the same in every run.
//! - Time is linear in the ops, and bounded where they are all alike: then it may find more
//!   differences than the fewest there could be.
//!
//! 1. [`tokens`]: hashes by which ops are found again. [`align`], [`score`]: aligning sequences.
//! 2. [`matcher`]: which op is which. [`changes`]: what differs between two.
//! 3. [`script`]: the ops of both programs in one order. [`render`]: the diff as text.
//!
//! ```
//! use pirogue::diff::{DiffOptions, diff};
//! use pirogue::{ir::Context, text};
//! let context = Context::new();
//! let read = |ops: &str| {
//!     let source = format!("{{\n    (%0) = \"my.in\" () {{}} : () -> tensor<f32>\n{ops}}}\n");
//!     text::read_program(&context, "", source.as_bytes()).expect("it is well formed").program
//! };
//! let before = read("    () = \"my.out\" (%0) {bias:1} : (tensor<f32>) -> \n");
//! let after = read(
//!     "    (%1) = \"my.in\" () {from:2} : () -> tensor<f32>\n    \
//!          () = \"my.out\" (%1) {bias:1} : (tensor<f32>) -> \n",
//! );
//! let found = diff(&before, &after, DiffOptions::default());
//! assert_eq!(found.counts().to_string(), "1 added, 1 changed");
//! assert_eq!(
//!     found.unified(3),
//!     "@@ op 0 @@
//!   (%0) = \"my.in\" ()
//! + (%+0) = \"my.in\" () {from:2} : () -> tensor<f32>
//! ~ () = \"my.out\" (%+0)
//! ~     operand 0: %0 => %+0
//! "
//! );
//! ```

mod align;
mod changes;
mod kwargs;
mod matcher;
mod names;
mod pairs;
mod render;
mod score;
mod script;
#[cfg(test)]
mod tests;
mod tokens;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

pub use changes::Change;
pub use names::GeneratedNames;
pub use render::{Line, LineKind};

use crate::ir::compare::Alike;
use crate::ir::{Block, Numbers, Op, Program, import};
use crate::text::Labels;
use changes::Changes;
use pairs::{Pairs, Side};
use script::Row;

/// What counts as a difference.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffOptions {
    /// When values of attributes and types are the same.
    pub numbers: Numbers,
    /// Whether the index in a generated name counts.
    pub names: GeneratedNames,
}

/// One thing that differs. Ops and blocks are those of the programs that were given to [`diff`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// An op that only the first program has. Each op nested in it is an entry of its own.
    Removed(Op),
    /// An op that only the second program has. Each op nested in it is an entry of its own.
    Added(Op),
    /// An op that both programs have.
    Kept {
        /// The op of the first program.
        first: Op,
        /// The op of the second program.
        second: Op,
        /// Whether it stands somewhere else.
        place: Place,
        /// What else differs; not empty if it stands in its place.
        changes: Vec<Change>,
    },
    /// The arguments of a block that both programs have.
    Arguments {
        /// The block of the first program.
        first: Block,
        /// The block of the second program.
        second: Block,
        /// What differs.
        changes: Vec<Change>,
    },
}

/// Where an op stands that both programs have.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the same block, in the same order among those that stay.
    Stays,
    /// In another block, or somewhere else in its own.
    Moved,
}

/// How many ops differ, and in which way. An op that is moved and changed counts for both.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Ops that only the second program has, nested ones included.
    pub added: usize,
    /// Ops that only the first program has, nested ones included.
    pub removed: usize,
    /// Ops that stand somewhere else.
    pub moved: usize,
    /// Ops with changes.
    pub changed: usize,
    /// Blocks whose arguments differ.
    pub arguments: usize,
}

impl fmt::Display for Counts {
    /// `3 added, 1 removed, 2 moved, 4 changed`, without what is zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.added, "added"),
            (self.removed, "removed"),
            (self.moved, "moved"),
            (self.changed, "changed"),
            (
                self.arguments,
                if self.arguments == 1 {
                    "block with other arguments"
                } else {
                    "blocks with other arguments"
                },
            ),
        ];
        let told = counts.iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told.map(|(count, what)| format!("{count} {what}")).collect();
        f.write_str(if told.is_empty() { "no differences" } else { "" })?;
        f.write_str(&told.join(", "))
    }
}

/// What differs between two programs, and all that is needed to show it.
pub struct Diff<'p> {
    programs: [Cow<'p, Program>; 2],
    options: DiffOptions,
    /// How values are called: a value of both programs by its name in the first one.
    labels: [Labels; 2],
    pairs: Pairs,
    rows: Vec<Row>,
    entries: Vec<Entry>,
}

/// Finds what differs between two programs. A program of another context is imported first.
pub fn diff<'p>(first: &'p Program, second: &'p Program, options: DiffOptions) -> Diff<'p> {
    let second = match Arc::ptr_eq(first.context(), second.context()) {
        true => Cow::Borrowed(second),
        false => Cow::Owned(import(second, first.context())),
    };
    let programs = [first, &*second];
    let pairs = matcher::find_pairs(programs, options);
    let names = Labels::of(first);
    let partner = |value| pairs.value(Side::Second, value);
    let labels_there = Labels::following(programs, &names, partner);
    let labels = [names, labels_there];
    let alike = Alike::new(first.context(), options.numbers);
    let changes = Changes { programs, pairs: &pairs, labels: &labels, names: options.names, alike };
    let (rows, entries) = script::write(changes);
    Diff { programs: [Cow::Borrowed(first), second], options, labels, pairs, rows, entries }
}

impl Diff<'_> {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All that differs, in the order of the programs.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How much differs.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for entry in &self.entries {
            match entry {
                Entry::Removed(_) => counts.removed += 1,
                Entry::Added(_) => counts.added += 1,
                Entry::Kept { place, changes, .. } => {
                    counts.moved += usize::from(*place == Place::Moved);
                    counts.changed += usize::from(!changes.is_empty());
                }
                Entry::Arguments { .. } => counts.arguments += 1,
            }
        }
        counts
    }

    /// The op of the second program that an op of the first one is.
    pub fn in_second(&self, op: Op) -> Option<Op> {
        self.pairs.op(Side::First, op)
    }

    /// The op of the first program that an op of the second one is.
    pub fn in_first(&self, op: Op) -> Option<Op> {
        self.pairs.op(Side::Second, op)
    }
}

impl fmt::Debug for Diff<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Diff").field("entries", &self.entries).finish_non_exhaustive()
    }
}
