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

use super::DiffOptions;
use super::align::{Pair, align, for_each_common, longest_chain};
use super::kwargs::kwarg_pairs;
use super::pairs::{Pairs, Side};
use super::score::best_pairs;
use super::tokens::{Meanings, Tokens, hash, source, users};
use crate::ir::{Block, Op, Program, Value};

/// How often steps 2 and 3 are repeated at most.
const ROUNDS: usize = 4;
/// Gaps of at most so many possible pairs are searched for the best ones.
const MOST_SCORES: usize = 1024;

/// What two operands have in common if they stand for each other; less if they may.
const SAME_VALUE: u32 = 2;

/// In what ops are alike that are aligned.
#[derive(Copy, Clone)]
enum Likeness {
    ContextAndColumns,
    Context,
    Tree,
    Name,
}

/// Which of the ops that read the same values are the same.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Candidates {
    /// In one block, with the same `op_role` and `chunk_id`, if there is only one.
    OnlyOne,
    /// Wherever it stands.
    FirstOfSeveral,
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

    /// The ops that no op is taken for, nested ones included.
    fn free_ops(&self, side: Side) -> Vec<Op> {
        let program = self.programs[side as usize];
        let ops = program.top_ops().flat_map(|op| program.nest(op));
        ops.filter(|&op| self.pairs.op(side, op).is_none()).collect()
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
            let pairs = self.aligned(ops, Likeness::ContextAndColumns);
            self.pair_all_equals(ops, &pairs);
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
            Likeness::ContextAndColumns => {
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

/// # Wherever they stand
impl Matcher<'_> {
    /// Pairs what is left, has the same attributes and reads the same values.
    fn find_elsewhere(&mut self, candidates: Candidates) {
        let ops = Side::BOTH.map(|side| self.free_ops(side));
        let keys = Side::BOTH.map(|side| {
            let key = |&op: &Op| self.key(side, op, candidates);
            ops[side as usize].iter().map(key).collect::<Vec<_>>()
        });
        let mut pairs = Vec::new();
        for_each_common(&keys[0], &keys[1], |places, others| {
            if candidates == Candidates::FirstOfSeveral || (places.len(), others.len()) == (1, 1) {
                pairs.extend(places.iter().zip(others).map(|(x, y)| (x.1, y.1)));
            }
        });
        pairs.sort_unstable();
        for (x, y) in pairs {
            self.pair_equals(ops[0][x], ops[1][y]);
        }
        self.align_blocks();
    }

    /// What an op is and what it reads, in terms of the first program where that is known.
    fn key(&mut self, side: Side, op: Op, candidates: Candidates) -> u64 {
        let program = self.programs[side as usize];
        let tokens = &self.tokens[side as usize];
        let operands = program.operands(op).iter().map(|&operand| {
            let Some(value) = operand else { return 0 };
            match (self.pairs.value(side, value), side) {
                (Some(_), Side::First) => hash(&(4, value.index())),
                (Some(partner), Side::Second) => hash(&(4, partner.index())),
                (None, _) => source(program, value, &tokens.local, &mut self.meanings),
            }
        });
        let key = hash(&(tokens.tree[op.index()], operands.collect::<Vec<u64>>()));
        match candidates {
            Candidates::OnlyOne => {
                hash(&(key, program.role(op), program.chunk(op), self.home(side, op)))
            }
            Candidates::FirstOfSeveral => key,
        }
    }
}

impl Matcher<'_> {
    /// The block that an op stands in, in terms of the first program. One without a partner is like
    /// no block of the other side.
    fn home(&self, side: Side, op: Op) -> (Option<Side>, usize) {
        let block = self.programs[side as usize].block_of(op);
        match (self.pairs.block(side, block), side) {
            (Some(_), Side::First) => (None, block.index()),
            (Some(partner), Side::Second) => (None, partner.index()),
            (None, _) => (Some(side), block.index()),
        }
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

/// # Gaps
impl Matcher<'_> {
    /// Pairs what is left between ops that stand in the same order.
    fn fill_gaps(&mut self) {
        let mut index = 0;
        while let Some(&(first, second)) = self.pairs.blocks.get(index) {
            index += 1;
            for [first, second] in self.gaps(first, second) {
                self.fill_gap([&first, &second], &[Likeness::Tree, Likeness::Name]);
            }
            self.align_blocks();
        }
    }

    /// Runs of ops that are left between ops that stand in the same order, where both blocks have
    /// some.
    fn gaps(&self, first: Block, second: Block) -> Vec<[Vec<Op>; 2]> {
        let ops = self.block_ops(first, second);
        let is_free = |side: Side, op: Op| self.pairs.op(side, op).is_none();
        if !Side::BOTH.iter().all(|&side| ops[side as usize].iter().any(|&op| is_free(side, op))) {
            return Vec::new();
        }
        let mut rest = ops.each_ref().map(|ops| ops.iter().copied());
        let anchors = self.in_order(first, second).into_iter().map(|(x, y)| [Some(x), Some(y)]);
        let gaps = anchors.chain([[None, None]]).map(|ends| {
            Side::BOTH.map(|side| {
                let (rest, end) = (rest[side as usize].by_ref(), ends[side as usize]);
                let run = rest.take_while(|&op| Some(op) != end);
                run.filter(|&op| is_free(side, op)).collect::<Vec<_>>()
            })
        });
        gaps.filter(|[a, b]| !a.is_empty() && !b.is_empty()).collect()
    }

    /// Searches a small gap; cuts a large one at what is alike.
    fn fill_gap(&mut self, gap: [&[Op]; 2], cuts: &[Likeness]) {
        if gap[0].len().saturating_mul(gap[1].len()) <= MOST_SCORES {
            return self.search(gap);
        }
        let Some((&likeness, cuts)) = cuts.split_first() else { return };
        let pairs = self.aligned(gap, likeness);
        for &(x, y) in &pairs {
            self.pair_alike(gap[0][x], gap[1][y]);
        }
        for gap in between(gap, &pairs) {
            self.fill_gap(gap, cuts);
        }
    }

    fn search(&mut self, [first, second]: [&[Op]; 2]) {
        let score = |x: usize, y: usize| self.score(first[x], second[y]);
        for (x, y) in best_pairs(first.len(), second.len(), score) {
            self.pair_ops(first[x], second[y]);
        }
    }

    fn pair_alike(&mut self, x: Op, y: Op) {
        if self.score(x, y) > 0 {
            self.pair_ops(x, y);
        }
    }

    /// How much two ops have in common; nothing if they should not be taken for each other.
    fn score(&mut self, x: Op, y: Op) -> u32 {
        let [a, b] = self.programs;
        let (xs, ys) = (a.operands(x), b.operands(y));
        let most = xs.len().max(ys.len()) as u32;
        let sum: u32 = xs.iter().zip(ys).map(|(&x, &y)| self.read_alike(x, y)).sum();
        let has_same_types = self.has_same_types(x, y);
        if a.name(x) != b.name(y) {
            // `relu` that became `relu_`.
            let is_plain = a.regions(x).is_empty() && b.regions(y).is_empty();
            return u32::from(is_plain && has_same_types && most > 0 && sum == SAME_VALUE * most);
        }
        let reads = (2 * sum).checked_div(most).unwrap_or(0);
        let has_same_attrs = self.meanings.attrs_of(a, x) == self.meanings.attrs_of(b, y);
        let shared = reads + 2 * u32::from(has_same_attrs) + u32::from(has_same_types);
        if shared == 0 {
            return 0;
        }
        let has_same_columns = (a.role(x), a.chunk(x)) == (b.role(y), b.chunk(y));
        let has_same_users = self.has_same_users(x, y);
        2 + shared + u32::from(has_same_columns) + u32::from(has_same_users)
    }

    /// Whether two ops have results of the same types.
    fn has_same_types(&mut self, x: Op, y: Op) -> bool {
        let [a, b] = self.programs;
        let mut types = a.results(x).zip(b.results(y)).map(|(x, y)| (a.ty(x), b.ty(y)));
        let counts = [a.result_count(x), b.result_count(y)];
        counts[0] > 0
            && counts[0] == counts[1]
            && types.all(|(x, y)| self.meanings.ty(x) == self.meanings.ty(y))
    }

    /// Whether what reads the results of two ops is alike.
    fn has_same_users(&self, x: Op, y: Op) -> bool {
        let [a, b] = self.programs;
        let [tokens, others] = &self.tokens;
        let mut results = a.results(x).zip(b.results(y));
        results.all(|(x, y)| users(a, x, &tokens.local) == users(b, y, &others.local))
    }

    /// How much two operands have in common.
    fn read_alike(&mut self, x: Option<Value>, y: Option<Value>) -> u32 {
        let (Some(x), Some(y)) = (x, y) else {
            return if x == y { SAME_VALUE } else { 0 };
        };
        match (self.pairs.value(Side::First, x), self.pairs.value(Side::Second, y)) {
            (Some(partner), _) if partner == y => SAME_VALUE,
            (None, None) => {
                let [a, b] = self.programs;
                let [tokens, others] = &self.tokens;
                let from = source(a, x, &tokens.local, &mut self.meanings);
                u32::from(from == source(b, y, &others.local, &mut self.meanings))
            }
            _ => 0,
        }
    }
}
