//! Finding the ops of one program in another.
//!
//! 1. Blocks that belong together are aligned by the contexts of their ops: what no edit is near
//!    to is found, in order.
//! 2. What is left and reads the same values, with the same attributes, is the same op wherever it
//!    stands, if there is no other like it.
//! 3. Between ops that were found in order, ops of one name are paired: by what they are if there
//!    are many, by how much they share if there are few.
//! 4. Of several that are the same wherever they stand, the first ones are paired in order.
//!
//! Whether a pair has changed or moved is not asked here.

mod elsewhere;
mod gaps;

use super::DiffOptions;
use super::align::{Pair, align, longest_chain};
use super::pairs::{Pairs, Side};
use super::same::Classes;
use super::tokens::Tokens;
use crate::ir::{Block, BlockArgument, Name, Op, Program};
use elsewhere::Candidates;

/// What is found so far.
pub(super) struct Matcher<'p> {
    programs: [&'p Program; 2],
    options: DiffOptions,
    pub(super) classes: Classes<'p>,
    tokens: [Tokens; 2],
    pub(super) pairs: Pairs,
    /// Where ops stand in their blocks, by op; filled for blocks that are paired.
    positions: [Vec<u32>; 2],
    /// How many of the paired blocks are aligned.
    aligned: usize,
    /// How many of them have had the gaps between their pairs filled.
    filled: usize,
}

impl<'p> Matcher<'p> {
    /// Finds all that can be found. Both programs are of one context.
    pub(super) fn run(first: &'p Program, second: &'p Program, options: DiffOptions) -> Self {
        let programs = [first, second];
        let mut classes = Classes::new(first.context(), options);
        let tokens = programs.map(|program| Tokens::of(program, &mut classes));
        let mut matcher = Self {
            programs,
            options,
            classes,
            tokens,
            pairs: Pairs::none(first, second),
            positions: programs.map(|program| vec![0; program.op_capacity()]),
            aligned: 0,
            filled: 0,
        };
        matcher.pair_blocks(first.top(), second.top());
        matcher.align_blocks();
        matcher.find_elsewhere(Candidates::OnlyOne);
        matcher.align_blocks();
        matcher.fill_gaps();
        matcher.find_elsewhere(Candidates::FirstOfSeveral);
        matcher.align_blocks();
        matcher.fill_gaps();
        matcher
    }

    /// The pairs of a pair of blocks that stand in the same order in both: as many as possible.
    pub(super) fn in_order(&self, first: Block, second: Block) -> Vec<(Op, Op)> {
        let ops = self.block_ops(first, second);
        let pairs: Vec<Pair> = ops[0]
            .iter()
            .enumerate()
            .filter_map(|(position, &op)| {
                let partner = self.pairs.op(Side::First, op)?;
                let is_here = self.programs[1].block_of(partner) == second;
                is_here.then(|| (position, self.positions[1][partner.index()] as usize))
            })
            .collect();
        longest_chain(&pairs).into_iter().map(|(x, y)| (ops[0][x], ops[1][y])).collect()
    }

    fn block_ops(&self, first: Block, second: Block) -> [Vec<Op>; 2] {
        [self.programs[0].block_ops(first).collect(), self.programs[1].block_ops(second).collect()]
    }

    /// Aligns the blocks that were paired since, and those in what is thereby paired.
    fn align_blocks(&mut self) {
        while let Some(&(first, second)) = self.pairs.blocks.get(self.aligned) {
            self.aligned += 1;
            let ops = self.block_ops(first, second);
            for (side, ops) in ops.iter().enumerate() {
                for (position, op) in (0..).zip(ops) {
                    self.positions[side][op.index()] = position;
                }
            }
            let [a, b] = [0, 1].map(|side| {
                let token = |op: &Op| self.tokens[side].context[op.index()];
                ops[side].iter().map(token).collect::<Vec<_>>()
            });
            for (x, y) in align(&a, &b) {
                self.pair_ops(ops[0][x], ops[1][y]);
            }
        }
    }

    /// Takes two ops of one name for each other, if neither is taken.
    fn pair_ops(&mut self, first: Op, second: Op) {
        let [a, b] = self.programs;
        let is_free = self.pairs.op(Side::First, first).is_none()
            && self.pairs.op(Side::Second, second).is_none();
        // Names differ where hashes happen to be equal.
        if !is_free || a.name(first) != b.name(second) {
            return;
        }
        self.pairs.pair_ops(first, second);
        for (x, y) in a.results(first).zip(b.results(second)) {
            self.pairs.pair_values(x, y);
        }
        for (&x, &y) in a.regions(first).iter().zip(b.regions(second)) {
            for (&x, &y) in a.region_blocks(x).iter().zip(b.region_blocks(y)) {
                self.pair_blocks(x, y);
            }
        }
    }

    fn pair_blocks(&mut self, first: Block, second: Block) {
        let [a, b] = self.programs;
        self.pairs.blocks.push((first, second));
        for (x, y) in a.arguments(first).iter().zip(b.arguments(second)) {
            self.pairs.pair_values(x.value, y.value);
        }
        for (x, y) in self.kwarg_pairs(first, second) {
            self.pairs.pair_values(x.value, y.value);
        }
    }

    /// Kwargs that mean the same. Where only an index tells several apart and both sides have as
    /// many, they pair in the order of their indices; else equal keywords do, and then the rest.
    fn kwarg_pairs(&mut self, first: Block, second: Block) -> Vec<(BlockArgument, BlockArgument)> {
        let [a, b] = [0, 1].map(|side| self.kwargs_by_class(side, [first, second][side]));
        let mut pairs = Vec::new();
        let mut others = b.chunk_by(|x, y| x.class == y.class).peekable();
        for group in a.chunk_by(|x, y| x.class == y.class) {
            while others.next_if(|other| other[0].class < group[0].class).is_some() {}
            let Some(other) = others.next_if(|other| other[0].class == group[0].class) else {
                continue;
            };
            if group.len() == other.len() {
                pairs.extend(group.iter().zip(other).map(|(x, y)| (x.argument, y.argument)));
                continue;
            }
            let [has, had] = [other, group].map(|kwargs| {
                let mut keywords: Vec<Name> = kwargs.iter().map(|kwarg| kwarg.keyword).collect();
                keywords.sort_unstable();
                keywords
            });
            let is_equal = |x: &&Kwarg| has.binary_search(&x.keyword).is_ok();
            for x in group.iter().filter(is_equal) {
                let y = b_of(other, x.keyword);
                pairs.extend(y.map(|y| (x.argument, y.argument)));
            }
            let rest = group.iter().filter(|x| !is_equal(x));
            let other_rest = other.iter().filter(|y| had.binary_search(&y.keyword).is_err());
            pairs.extend(rest.zip(other_rest).map(|(x, y)| (x.argument, y.argument)));
        }
        pairs
    }
}
