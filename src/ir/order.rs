//! The order of the ops of a block: a linked list with order numbers.
//!
//! Numbers grow along the list with gaps, so inserting, erasing and "is before" are O(1). Where a
//! gap is used up, the ops that follow are renumbered until the numbers fit again.

use super::{Block, Op, Program};

/// Distance between the numbers of ops that are appended: room for four halvings.
const STRIDE: u32 = 16;
/// Distance used while renumbering: small, so that it soon meets numbers that already fit.
const LOCAL_STRIDE: u32 = 4;

impl Program {
    /// Whether `a` stands before `b`. Both are of one block.
    pub fn is_before(&self, a: Op, b: Op) -> bool {
        debug_assert_eq!(self.block_of(a), self.block_of(b), "order is defined within a block");
        self.ops[a.index()].order < self.ops[b.index()].order
    }

    /// The op after `op` in its block.
    pub fn next_op(&self, op: Op) -> Option<Op> {
        self.ops[op.index()].next
    }

    /// The op before `op` in its block.
    pub fn prev_op(&self, op: Op) -> Option<Op> {
        self.ops[op.index()].prev
    }

    /// Puts an unlinked op into `block`, before `before` or at the end.
    pub(super) fn link_op(&mut self, op: Op, block: Block, before: Option<Op>) {
        let prev = match before {
            Some(next) => self.ops[next.index()].prev,
            None => self.blocks[block.index()].last,
        };
        let row = &mut self.ops[op.index()];
        (row.block, row.prev, row.next) = (Some(block), prev, before);
        match prev {
            Some(prev) => self.ops[prev.index()].next = Some(op),
            None => self.blocks[block.index()].first = Some(op),
        }
        match before {
            Some(next) => self.ops[next.index()].prev = Some(op),
            None => self.blocks[block.index()].last = Some(op),
        }
        self.number(op, prev, before);
    }

    /// Takes an op out of its block.
    pub(super) fn unlink_op(&mut self, op: Op) {
        let row = &mut self.ops[op.index()];
        let Some(block) = row.block.take() else { return };
        let (prev, next) = (row.prev.take(), row.next.take());
        match prev {
            Some(prev) => self.ops[prev.index()].next = next,
            None => self.blocks[block.index()].first = next,
        }
        match next {
            Some(next) => self.ops[next.index()].prev = prev,
            None => self.blocks[block.index()].last = prev,
        }
    }

    fn number(&mut self, op: Op, prev: Option<Op>, next: Option<Op>) {
        let low = prev.map_or(0, |prev| self.ops[prev.index()].order);
        let fitting = match next {
            None => low.checked_add(STRIDE),
            Some(next) => {
                let high = self.ops[next.index()].order;
                (high - low >= 2).then(|| low + (high - low) / 2)
            }
        };
        match fitting {
            Some(order) => self.ops[op.index()].order = order,
            None => self.renumber_from(op, low),
        }
    }

    /// Gives `op` and those after it new numbers above `low`, until one already is high enough.
    fn renumber_from(&mut self, op: Op, low: u32) {
        let mut order = low;
        let mut at = Some(op);
        while let Some(op) = at {
            let Some(raised) = order.checked_add(LOCAL_STRIDE) else {
                return self.renumber_block(op);
            };
            order = raised;
            self.ops[op.index()].order = order;
            at = self.ops[op.index()].next;
            if at.is_some_and(|next| self.ops[next.index()].order > order) {
                return;
            }
        }
    }

    /// Numbers a whole block anew, evenly over what `u32` has room for.
    pub(super) fn renumber_block(&mut self, op: Op) {
        let block = self.block_of(op);
        let count = self.block_ops(block).count() as u32;
        let stride = (u32::MAX / (count + 1)).clamp(1, STRIDE);
        let mut at = self.blocks[block.index()].first;
        let mut order = 0;
        while let Some(op) = at {
            order += stride;
            self.ops[op.index()].order = order;
            at = self.ops[op.index()].next;
        }
    }
}
