//! The order of the ops of a block: a linked list with order numbers.
//!
//! Numbers grow along the list with gaps, so inserting, erasing and "is before" are O(1). Where a
//! gap is used up, the ops around it are spread out.

use super::{Block, Op, Program};

/// Distance between the numbers of ops that are appended: room for four halvings.
const STRIDE: u32 = 16;
/// By how much a range of numbers may be fuller than one twice as large, before it is spread out.
/// Nearer to 1: room for more ops, `2^32 / CROWDING^32` (200 million); farther: fewer renumberings.
const CROWDING: f64 = 1.1;

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
            None => self.renumber_around(op, low),
        }
    }

    /// Numbers `op`, for which there is no room, and as many around it as make it cheap to insert
    /// there again: the smallest aligned range of numbers around its place that is sparse enough
    /// is spread out evenly. An insertion then costs O(log n) in the mean (Bender, Cole, Demaine,
    /// Farach-Colton, Zito: Two simplified algorithms for maintaining order in a list, 2002).
    fn renumber_around(&mut self, op: Op, low: u32) {
        let (mut first, mut last, mut count) = (op, op, 1u64);
        let mut most = 1.0;
        for bits in 1..u32::BITS {
            most *= 2.0 / CROWDING;
            let start = low >> bits << bits;
            let end = start | ((1 << bits) - 1);
            while let Some(prev) =
                self.prev_op(first).filter(|prev| self.ops[prev.index()].order >= start)
            {
                (first, count) = (prev, count + 1);
            }
            while let Some(next) =
                self.next_op(last).filter(|next| self.ops[next.index()].order <= end)
            {
                (last, count) = (next, count + 1);
            }
            if count as f64 <= most {
                return self.spread(first, count, start, bits);
            }
        }
        self.renumber_block(op);
    }

    /// Spreads `count` ops from `first` on over the `2^bits` numbers from `start` on.
    fn spread(&mut self, first: Op, count: u64, start: u32, bits: u32) {
        let mut at = Some(first);
        for place in 0..count {
            let Some(op) = at else { return };
            // The middle of its share, so that there is room before the first and behind the last.
            let offset = ((2 * place + 1) << bits) / (2 * count);
            self.ops[op.index()].order = start + offset as u32;
            at = self.ops[op.index()].next;
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

#[cfg(test)]
mod tests {
    use crate::ir::{At, Context, Op, OpSpec, Program, Rewriter};

    #[track_caller]
    fn is_ordered(program: &Program) {
        let ops: Vec<Op> = program.top_ops().collect();
        assert_eq!(ops.len(), program.op_count());
        assert!(ops.windows(2).all(|pair| program.is_before(pair[0], pair[1])));
    }

    /// Where ops are put: before the `chosen` of the ops that are there.
    fn insert(count: usize, chosen: impl Fn(usize) -> usize) {
        let mut program = Program::new(&Context::new());
        let (top, spec) = (program.top(), OpSpec::new(program.context().name("t.op")));
        let mut rewriter = Rewriter::new(&mut program);
        let mut ops = vec![rewriter.create(At::End(top), spec)];
        for step in 1..count {
            ops.push(rewriter.create(At::Before(ops[chosen(step)]), spec));
        }
        is_ordered(&program);
    }

    #[test]
    fn ops_put_at_one_place_stand_in_order() {
        insert(2000, |_| 0);
        insert(2000, |step| step - 1);
    }

    #[test]
    fn ops_put_anywhere_stand_in_order() {
        insert(2000, |step| step * 7919 % step);
        insert(2000, |step| (step * step) % step.min(10));
        insert(2000, |step| step / 2);
    }

    /// As a pass does that replaces each op by several, from the last to the first.
    #[test]
    fn ops_put_before_each_op_from_the_last_to_the_first_stand_in_order() {
        let mut program = Program::new(&Context::new());
        let (top, spec) = (program.top(), OpSpec::new(program.context().name("t.op")));
        let mut rewriter = Rewriter::new(&mut program);
        let ops: Vec<Op> = (0..5000).map(|_| rewriter.create(At::End(top), spec)).collect();
        for op in ops.into_iter().rev() {
            (0..8).for_each(|_| {
                rewriter.create(At::Before(op), spec);
            });
            rewriter.erase(op).expect("it has no results");
        }
        is_ordered(&program);
    }
}
