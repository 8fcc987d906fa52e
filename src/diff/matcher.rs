//! Finding the ops of one program in another.
//!
//! 1. Blocks that belong together are aligned by the contexts of their ops: what no edit is near
//!    to is found, in order.
//! 2. What is left, has the same attributes and reads the same values is the same op, if there is no
//!    other like it in its block.
//! 3. Between ops that were found in order, the ops that are left are paired by how much they share.
//!    What reads them may be found now: steps 2 and 3 repeat as long as that helps.
//! 4. What is left of the same attributes that reads the same values is the same op, wherever it
//!    stands; of several, the first ones are paired in order.
//!
//! No step contradicts an earlier one: ops that read values known to be different are not taken for
//! each other but in step 3. Whether a pair has changed or moved is not asked here.

mod elsewhere;
mod gaps;

use super::DiffOptions;
use super::align::{Pair, align, longest_chain};
use super::kwargs::kwarg_pairs;
use super::pairs::{Pairs, Side};
use super::tokens::{Meanings, Tokens, hash};
use crate::ir::{Block, Op, Program, Value};
use elsewhere::Candidates;

/// How often steps 2 and 3 are repeated at most.
const ROUNDS: usize = 4;

/// In what ops are alike that are aligned; see [`Tokens`].
#[derive(Copy, Clone)]
enum Likeness {
    /// Their context, `op_role` and `chunk_id`.
    Place,
    Context,
    Tree,
    Name,
}

/// What is found so far.
struct Matcher<'p> {
    programs: [&'p Program; 2],
    options: DiffOptions,
    meanings: Meanings<'p>,
    tokens: [Tokens; 2],
    pairs: Pairs,
    /// Where ops of the second program stand in their blocks; filled for blocks that are paired.
    positions: Vec<u32>,
    /// How many of the paired blocks are aligned.
    aligned: usize,
    /// How many ops are paired.
    found: usize,
}

/// Finds all that can be found. Both programs are of one context.
///
/// Of several ways to pair, one must be taken: the programs are put in an order that does not
/// depend on which is the first, so that a diff the other way round is the same diff.
pub(super) fn find_pairs(programs: [&Program; 2], options: DiffOptions) -> Pairs {
    let mut meanings = Meanings::new(programs[0].context(), options.names);
    let tokens = programs.map(|program| Tokens::of(program, &mut meanings));
    let [contexts, others] = [0, 1].map(|side: usize| {
        let contexts = &tokens[side].context;
        programs[side].top_ops().map(|op| contexts[op.index()])
    });
    if contexts.le(others) {
        return Matcher::new(programs, options, meanings, tokens).run();
    }
    let [first, second] = programs;
    let [tokens, others] = tokens;
    Matcher::new([second, first], options, meanings, [others, tokens]).run().mirrored()
}

impl<'p> Matcher<'p> {
    fn new(
        programs: [&'p Program; 2],
        options: DiffOptions,
        meanings: Meanings<'p>,
        tokens: [Tokens; 2],
    ) -> Self {
        let positions = vec![0; programs[1].op_capacity()];
        let pairs = Pairs::none(programs);
        Self { programs, options, meanings, tokens, pairs, positions, aligned: 0, found: 0 }
    }

    fn run(mut self) -> Pairs {
        let [first, second] = self.programs;
        self.pair_blocks(first.top(), second.top());
        self.align_blocks();
        for _ in 0..ROUNDS {
            let before = self.found;
            self.find_elsewhere(Candidates::OnlyOne);
            self.fill_gaps();
            if self.found == before {
                break;
            }
        }
        self.find_elsewhere(Candidates::FirstOfSeveral);
        self.fill_gaps();
        for index in 0..self.pairs.blocks.len() {
            let (first, second) = self.pairs.blocks[index];
            for (x, y) in self.in_order(first, second) {
                self.pairs.set_in_place(x, y);
            }
        }
        self.pairs
    }
}

/// # Pairing
impl Matcher<'_> {
    /// Takes two ops for each other, if neither is taken.
    fn pair_ops(&mut self, x: Op, y: Op) {
        let [a, b] = self.programs;
        if self.pairs.op(Side::First, x).is_some() || self.pairs.op(Side::Second, y).is_some() {
            return;
        }
        self.found += 1;
        self.pairs.pair_ops(x, y);
        for (x, y) in a.results(x).zip(b.results(y)) {
            self.pairs.pair_values(x, y);
        }
        for (&x, &y) in a.regions(x).iter().zip(b.regions(y)) {
            for (&x, &y) in a.region_blocks(x).iter().zip(b.region_blocks(y)) {
                self.pair_blocks(x, y);
            }
        }
    }

    fn pair_blocks(&mut self, x: Block, y: Block) {
        let [a, b] = self.programs;
        self.pairs.pair_blocks(x, y);
        for (x, y) in a.arguments(x).iter().zip(b.arguments(y)) {
            self.pairs.pair_values(x.value, y.value);
        }
        for (x, y) in kwarg_pairs(self.programs, [x, y], self.options.names) {
            self.pairs.pair_values(x, y);
        }
    }

    /// Takes ops that seem equal for each other, unless they read values known to be different.
    fn pair_equals(&mut self, x: Op, y: Op) {
        let [a, b] = self.programs;
        let (xs, ys) = (a.operands(x), b.operands(y));
        let mut operands = xs.iter().zip(ys);
        if a.name(x) == b.name(y)
            && xs.len() == ys.len()
            && operands.all(|(&x, &y)| self.may_be_same(x, y))
        {
            self.pair_ops(x, y);
        }
    }

    /// Whether two operands stand for each other, or may do so for all that is known.
    fn may_be_same(&self, x: Option<Value>, y: Option<Value>) -> bool {
        let (Some(x), Some(y)) = (x, y) else { return x.is_none() && y.is_none() };
        match (self.pairs.value(Side::First, x), self.pairs.value(Side::Second, y)) {
            (None, None) => true,
            (partner, _) => partner == Some(y),
        }
    }
}

/// # Blocks
impl Matcher<'_> {
    /// Aligns the blocks that were paired since, and those in what is thereby paired.
    fn align_blocks(&mut self) {
        while let Some(&(first, second)) = self.pairs.blocks.get(self.aligned) {
            self.aligned += 1;
            let ops = self.block_ops(first, second);
            for (position, op) in (0..).zip(&ops[1]) {
                self.positions[op.index()] = position;
            }
            let ops = [ops[0].as_slice(), ops[1].as_slice()];
            let pairs = self.aligned(ops, Likeness::Place);
            self.pair_all_equals(ops, &pairs);
            // A pass may have set a role or a chunk.
            for gap in between(ops, &pairs) {
                let pairs = self.aligned(gap, Likeness::Context);
                self.pair_all_equals(gap, &pairs);
            }
        }
    }

    fn pair_all_equals(&mut self, ops: [&[Op]; 2], pairs: &[Pair]) {
        for &(x, y) in pairs {
            self.pair_equals(ops[0][x], ops[1][y]);
        }
    }

    /// Aligns ops that are alike in the given way.
    fn aligned(&self, ops: [&[Op]; 2], likeness: Likeness) -> Vec<Pair> {
        let [first, second] = Side::BOTH.map(|side| {
            let token = |&op: &Op| self.token(side, op, likeness);
            ops[side as usize].iter().map(token).collect::<Vec<u64>>()
        });
        align(&first, &second)
    }

    fn token(&self, side: Side, op: Op, likeness: Likeness) -> u64 {
        let program = self.programs[side as usize];
        let tokens = &self.tokens[side as usize];
        match likeness {
            Likeness::Place => {
                hash(&(tokens.context[op.index()], program.role(op), program.chunk(op)))
            }
            Likeness::Context => tokens.context[op.index()],
            Likeness::Tree => tokens.tree[op.index()],
            Likeness::Name => program.name(op).index() as u64,
        }
    }

    fn block_ops(&self, first: Block, second: Block) -> [Vec<Op>; 2] {
        [self.programs[0].block_ops(first).collect(), self.programs[1].block_ops(second).collect()]
    }

    /// The pairs of a pair of blocks that stand in the same order in both: as many as possible.
    fn in_order(&self, first: Block, second: Block) -> Vec<(Op, Op)> {
        let pairs: Vec<(Op, Op)> = self.programs[0]
            .block_ops(first)
            .filter_map(|op| Some((op, self.pairs.op(Side::First, op)?)))
            .filter(|&(_, partner)| self.programs[1].block_of(partner) == second)
            .collect();
        let position = |partner: Op| self.positions[partner.index()] as usize;
        let places: Vec<Pair> = (0..).zip(pairs.iter().map(|&(_, y)| position(y))).collect();
        longest_chain(&places).into_iter().map(|(index, _)| pairs[index]).collect()
    }
}

/// The ops between those that are aligned, where both sides have some.
fn between<'o>(ops: [&'o [Op]; 2], pairs: &[Pair]) -> Vec<[&'o [Op]; 2]> {
    let mut gaps = Vec::new();
    let mut start = (0, 0);
    for &(x, y) in pairs.iter().chain([&(ops[0].len(), ops[1].len())]) {
        if start.0 < x && start.1 < y {
            gaps.push([&ops[0][start.0..x], &ops[1][start.1..y]]);
        }
        start = (x + 1, y + 1);
    }
    gaps
}
