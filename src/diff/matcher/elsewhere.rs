//! Ops that have the same attributes and read the same values, wherever they stand.

use super::Matcher;
use crate::diff::align::for_each_common;
use crate::diff::pairs::Side;
use crate::diff::tokens::{hash, source};
use crate::ir::Op;

/// Which of the ops that read the same values are the same.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Candidates {
    /// In one block, with the same `op_role` and `chunk_id`, if there is only one.
    OnlyOne,
    /// Wherever it stands.
    FirstOfSeveral,
}

impl Matcher<'_> {
    /// Pairs what is left, has the same attributes and reads the same values.
    pub(super) fn find_elsewhere(&mut self, candidates: Candidates) {
        let ops = Side::BOTH.map(|side| self.free_ops(side, candidates));
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

    /// The ops that no op is taken for, nested ones included.
    fn free_ops(&self, side: Side, candidates: Candidates) -> Vec<Op> {
        let program = self.programs[side as usize];
        // The end of one region is as good as that of any other.
        let may_move = |op: Op| program.result_count(op) > 0 || !program.operands(op).is_empty();
        let ops = program.top_ops().flat_map(|op| program.nest(op));
        ops.filter(|&op| self.pairs.op(side, op).is_none())
            .filter(|&op| candidates == Candidates::OnlyOne || may_move(op))
            .collect()
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
