//! The ops of both programs in one order, each with what became of it.
//!
//! Ops that stay where they are come in their order; before each of them, what only the first block
//! has there, and then what only the second has. An op that moved has two rows; what is nested in it
//! is at the second. Blocks wait on a stack, so that no depth of nesting is too deep.

use std::iter::{Flatten, Peekable};

use super::changes::Changes;
use super::pairs::Side;
use super::{Entry, Place};
use crate::ir::{Block, BlockOps, Op, Program, Region};

/// A row of the script: something that one or both programs have here.
pub(super) struct Row {
    pub(super) depth: usize,
    pub(super) what: What,
    /// What differs there, if anything.
    pub(super) entry: Option<usize>,
}

/// What stands in a row.
#[derive(Copy, Clone)]
pub(super) enum What {
    /// An op that only the first program has here.
    First(Op),
    /// An op that only the second program has here.
    Second(Op),
    /// An op that both programs have here.
    Both(Op, Op),
    /// The arguments of a block.
    Arguments,
    /// The start of a region of the op above, but for its first one.
    Region(usize),
}

/// The ops of a block, or none.
type Ops<'p> = Peekable<Flatten<std::option::IntoIter<BlockOps<'p>>>>;

/// What is still to be written.
enum Pending<'p> {
    Region(usize, usize),
    /// Two blocks that belong together, or one that has no partner.
    Blocks([Option<Block>; 2], usize),
    /// The rest of the ops of the blocks.
    Ops([Ops<'p>; 2], usize),
}

/// Writes the script of two programs.
pub(super) fn write(changes: Changes<'_>) -> (Vec<Row>, Vec<Entry>) {
    let [a, b] = changes.programs;
    let entry_of_moved = vec![None; b.op_capacity()];
    let mut writer = Writer {
        changes,
        pending: Vec::new(),
        entry_of_moved,
        rows: Vec::new(),
        entries: Vec::new(),
    };
    writer.pending.push(Pending::Blocks([Some(a.top()), Some(b.top())], 0));
    while let Some(next) = writer.pending.pop() {
        match next {
            Pending::Region(index, depth) => writer.row(depth, What::Region(index), None),
            Pending::Blocks(blocks, depth) => writer.blocks(blocks, depth),
            Pending::Ops(ops, depth) => writer.ops(ops, depth),
        }
    }
    (writer.rows, writer.entries)
}

struct Writer<'p> {
    changes: Changes<'p>,
    pending: Vec<Pending<'p>>,
    /// The entries of moved ops that have been met on one side, by op of the second program.
    entry_of_moved: Vec<Option<usize>>,
    rows: Vec<Row>,
    entries: Vec<Entry>,
}

impl<'p> Writer<'p> {
    fn row(&mut self, depth: usize, what: What, entry: Option<usize>) {
        self.rows.push(Row { depth, what, entry });
    }

    fn entry(&mut self, entry: Entry) -> Option<usize> {
        self.entries.push(entry);
        Some(self.entries.len() - 1)
    }

    fn blocks(&mut self, blocks: [Option<Block>; 2], depth: usize) {
        if let [Some(first), Some(second)] = blocks {
            let changes = self.changes.of_blocks(first, second);
            if !changes.is_empty() {
                let entry = self.entry(Entry::Arguments { first, second, changes });
                self.row(depth, What::Arguments, entry);
            }
        }
        let [a, b] = self.changes.programs;
        let ops = [ops_of(a, blocks[0]), ops_of(b, blocks[1])];
        self.pending.push(Pending::Ops(ops, depth));
    }

    /// Writes ops up to the first with regions, whose blocks come before what is left.
    fn ops(&mut self, mut ops: [Ops<'p>; 2], depth: usize) {
        loop {
            let [first, second] = ops.each_mut().map(|ops| ops.peek().copied());
            let what = match (first, second) {
                (Some(x), _) if !self.changes.pairs.is_in_place(Side::First, x) => What::First(x),
                (_, Some(y)) if !self.changes.pairs.is_in_place(Side::Second, y) => What::Second(y),
                (Some(x), Some(y)) => What::Both(x, y),
                _ => return,
            };
            if !matches!(what, What::Second(_)) {
                ops[0].next();
            }
            if !matches!(what, What::First(_)) {
                ops[1].next();
            }
            let entry = self.entry_of(what);
            self.row(depth, what, entry);
            let nested = self.nested(what);
            if nested.iter().any(|regions| !regions.is_empty()) {
                self.pending.push(Pending::Ops(ops, depth));
                return self.regions(nested, depth);
            }
        }
    }

    /// What differs in a row.
    fn entry_of(&mut self, what: What) -> Option<usize> {
        let pairs = self.changes.pairs;
        let (first, second, place) = match what {
            What::Both(x, y) => (x, y, Place::Stays),
            What::First(x) => match pairs.op(Side::First, x) {
                Some(y) => (x, y, Place::Moved),
                None => return self.entry(Entry::Removed(x)),
            },
            What::Second(y) => match pairs.op(Side::Second, y) {
                Some(x) => (x, y, Place::Moved),
                None => return self.entry(Entry::Added(y)),
            },
            What::Arguments | What::Region(_) => return None,
        };
        if let Some(known) = self.entry_of_moved[second.index()] {
            return Some(known);
        }
        let changes = self.changes.of_ops(first, second);
        if place == Place::Stays && changes.is_empty() {
            return None;
        }
        let entry = self.entry(Entry::Kept { first, second, place, changes });
        self.entry_of_moved[second.index()] = entry;
        entry
    }

    /// The regions to write below a row.
    fn nested(&self, what: What) -> [&'p [Region]; 2] {
        let [a, b] = self.changes.programs;
        match what {
            What::Both(x, y) => [a.regions(x), b.regions(y)],
            What::First(x) if self.changes.pairs.op(Side::First, x).is_none() => {
                [a.regions(x), &[]]
            }
            What::Second(y) => match self.changes.pairs.op(Side::Second, y) {
                Some(x) => [a.regions(x), b.regions(y)],
                None => [&[], b.regions(y)],
            },
            What::First(_) | What::Arguments | What::Region(_) => [&[], &[]],
        }
    }

    fn regions(&mut self, regions: [&[Region]; 2], depth: usize) {
        let [a, b] = self.changes.programs;
        for index in (0..regions[0].len().max(regions[1].len())).rev() {
            let blocks = [a, b].into_iter().zip(regions).map(|(program, regions)| {
                regions.get(index).map_or(&[][..], |&region| program.region_blocks(region))
            });
            let blocks: Vec<&[Block]> = blocks.collect();
            for block in (0..blocks[0].len().max(blocks[1].len())).rev() {
                let pair = [0, 1].map(|side| blocks[side].get(block).copied());
                self.pending.push(Pending::Blocks(pair, depth + 1));
            }
            if index > 0 {
                self.pending.push(Pending::Region(index, depth));
            }
        }
    }
}

fn ops_of(program: &Program, block: Option<Block>) -> Ops<'_> {
    block.map(|block| program.block_ops(block)).into_iter().flatten().peekable()
}
