//! Which op and value of one program is which of the other.

use fixedbitset::FixedBitSet;

use crate::ir::{Block, Op, Program, Value};

/// One of the two programs of a diff.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    First,
    Second,
}

impl Side {
    pub(super) const BOTH: [Self; 2] = [Self::First, Self::Second];
}

/// The partners of ops and values, either way. A partner's partner is oneself.
pub(super) struct Pairs {
    ops: [Vec<Option<Op>>; 2],
    values: [Vec<Option<Value>>; 2],
    partners: [Vec<Option<Block>>; 2],
    /// Ops whose partner stands in the partner of their block, in the same order.
    in_place: [FixedBitSet; 2],
    /// Blocks that belong together: the top ones, and those in regions of ops that are partners.
    pub(super) blocks: Vec<(Block, Block)>,
}

impl Pairs {
    pub(super) fn none(programs: [&Program; 2]) -> Self {
        Self {
            ops: programs.map(|program| vec![None; program.op_capacity()]),
            values: programs.map(|program| vec![None; program.value_capacity()]),
            partners: programs.map(|program| vec![None; program.blocks().len()]),
            in_place: programs.map(|program| FixedBitSet::with_capacity(program.op_capacity())),
            blocks: Vec::new(),
        }
    }

    /// The partner of an op of one side.
    pub(super) fn op(&self, side: Side, op: Op) -> Option<Op> {
        self.ops[side as usize][op.index()]
    }

    /// The partner of a value of one side.
    pub(super) fn value(&self, side: Side, value: Value) -> Option<Value> {
        self.values[side as usize][value.index()]
    }

    /// The partner of a block of one side.
    pub(super) fn block(&self, side: Side, block: Block) -> Option<Block> {
        self.partners[side as usize][block.index()]
    }

    /// Whether an op of one side has its partner where it is itself.
    pub(super) fn is_in_place(&self, side: Side, op: Op) -> bool {
        self.in_place[side as usize].contains(op.index())
    }

    pub(super) fn pair_ops(&mut self, first: Op, second: Op) {
        self.ops[0][first.index()] = Some(second);
        self.ops[1][second.index()] = Some(first);
    }

    pub(super) fn pair_values(&mut self, first: Value, second: Value) {
        self.values[0][first.index()] = Some(second);
        self.values[1][second.index()] = Some(first);
    }

    pub(super) fn pair_blocks(&mut self, first: Block, second: Block) {
        self.partners[0][first.index()] = Some(second);
        self.partners[1][second.index()] = Some(first);
        self.blocks.push((first, second));
    }

    pub(super) fn set_in_place(&mut self, first: Op, second: Op) {
        self.in_place[0].insert(first.index());
        self.in_place[1].insert(second.index());
    }

    /// The same pairs, with the programs the other way round.
    pub(super) fn mirrored(mut self) -> Self {
        self.ops.swap(0, 1);
        self.values.swap(0, 1);
        self.partners.swap(0, 1);
        self.in_place.swap(0, 1);
        self.blocks.iter_mut().for_each(|pair| *pair = (pair.1, pair.0));
        self
    }
}
