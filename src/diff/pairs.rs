//! Which op and value of one program is which of the other.

use crate::ir::{Block, Op, Program, Value};

/// One of the two programs of a diff.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The program that was.
    First,
    /// The program that is.
    Second,
}

/// The partners of ops and values, either way. A partner's partner is oneself.
pub(super) struct Pairs {
    ops: [Vec<Option<Op>>; 2],
    values: [Vec<Option<Value>>; 2],
    /// Blocks that belong together: the top ones, and those in regions of ops that are partners.
    pub(super) blocks: Vec<(Block, Block)>,
}

impl Pairs {
    pub(super) fn none(first: &Program, second: &Program) -> Self {
        let sides = [first, second];
        Self {
            ops: sides.map(|program| vec![None; program.op_capacity()]),
            values: sides.map(|program| vec![None; program.value_capacity()]),
            blocks: Vec::new(),
        }
    }

    /// The partner of an op of one side.
    pub(super) fn op(&self, side: Side, op: Op) -> Option<Op> {
        self.ops[side as usize].get(op.index()).copied().flatten()
    }

    /// The partner of a value of one side.
    pub(super) fn value(&self, side: Side, value: Value) -> Option<Value> {
        self.values[side as usize].get(value.index()).copied().flatten()
    }

    pub(super) fn pair_ops(&mut self, first: Op, second: Op) {
        self.ops[0][first.index()] = Some(second);
        self.ops[1][second.index()] = Some(first);
    }

    pub(super) fn pair_values(&mut self, first: Value, second: Value) {
        self.values[0][first.index()] = Some(second);
        self.values[1][second.index()] = Some(first);
    }
}
