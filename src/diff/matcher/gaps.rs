//! Pairing what is left between ops that were found in order, by how much they have in common.

use super::{Likeness, Matcher, between};
use crate::diff::pairs::Side;
use crate::diff::score::best_pairs;
use crate::diff::tokens::{source, users};
use crate::ir::{Block, Op, Value};

/// Gaps of at most so many possible pairs are searched for the best ones.
const MOST_SCORES: usize = 1024;
/// What two operands have in common if they stand for each other; less if they may.
const SAME_VALUE: u32 = 2;

/// # Gaps
impl Matcher<'_> {
    /// Pairs what is left between ops that stand in the same order.
    pub(super) fn fill_gaps(&mut self) {
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
}

/// # Scores
impl Matcher<'_> {
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
        // Where there is nothing else, the name must do.
        let is_bare = most == 0 && a.result_count(x) + b.result_count(y) == 0;
        let shared = reads + 2 * u32::from(has_same_attrs) + u32::from(has_same_types || is_bare);
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
