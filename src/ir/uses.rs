//! The use index: which operands read a value.
//!
//! It is derived from the operands: doubly linked lists through the operand slots, so that adding
//! and removing a use is O(1). **No pass may depend on the order of uses**:
//! [`reorder_uses`](Program::reorder_uses) is for tests of that.

use super::{Op, Program, Value};

/// An operand that reads a value.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Use {
    /// The op that reads it.
    pub op: Op,
    /// Which operand of that op.
    pub index: u32,
}

/// An order in which the uses of each value may come; see [`Program::reorder_uses`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum UseOrder {
    /// The opposite of that in which they come by themselves: where a value has several users,
    /// another one is the first.
    Reversed,
    /// One that a number chooses.
    Shuffled(u64),
}

/// Ends a list.
const NIL: u32 = u32::MAX;

pub(super) struct UseIndex {
    /// First slot of each value's list.
    first: Vec<u32>,
    slots: Vec<Slot>,
}

#[derive(Copy, Clone)]
struct Slot {
    owner: Op,
    index: u32,
    prev: u32,
    next: u32,
}

impl UseIndex {
    /// Reads all live ops once: O(operands).
    pub(super) fn build(program: &Program) -> Self {
        Self::build_in(program, (0..program.ops.len()).rev().map(Op::from_index))
    }

    /// As [`build`](Self::build), with the uses of each value in another order.
    pub(super) fn build_ordered(program: &Program, order: UseOrder) -> Self {
        let mut ops: Vec<Op> = (0..program.ops.len()).map(Op::from_index).collect();
        if let UseOrder::Shuffled(seed) = order {
            ops.sort_by_cached_key(|op| scattered(seed, op.index() as u64));
        }
        Self::build_in(program, ops.into_iter())
    }

    /// The index of all live ops, the first use of a value being that of its last op.
    fn build_in(program: &Program, ops: impl Iterator<Item = Op>) -> Self {
        let unowned = Slot { owner: Op::new(0), index: 0, prev: NIL, next: NIL };
        let mut uses = Self {
            first: vec![NIL; program.values.len()],
            slots: vec![unowned; program.operands.len()],
        };
        for op in ops.filter(|op| program.ops[op.index()].block.is_some()) {
            uses.add_op(program, op);
        }
        uses
    }

    /// The uses of a value.
    pub(super) fn of(&self, value: Value) -> impl Iterator<Item = Use> + '_ {
        let mut at = self.first.get(value.index()).copied().unwrap_or(NIL);
        std::iter::from_fn(move || {
            let slot = self.slots.get(at as usize)?;
            at = slot.next;
            Some(Use { op: slot.owner, index: slot.index })
        })
    }

    /// Takes note of the operands of a new op.
    pub(super) fn add_op(&mut self, program: &Program, op: Op) {
        let range = program.ops[op.index()].operands.range();
        if self.slots.len() < range.end {
            let unowned = Slot { owner: op, index: 0, prev: NIL, next: NIL };
            self.slots.resize(range.end, unowned);
        }
        for (index, slot) in range.enumerate().rev() {
            self.slots[slot].owner = op;
            self.slots[slot].index = index as u32;
            if let Some(value) = program.operands[slot] {
                self.link(slot, value);
            }
        }
    }

    /// Forgets the operands of an op that is about to go.
    pub(super) fn remove_op(&mut self, program: &Program, op: Op) {
        for slot in program.ops[op.index()].operands.range() {
            if let Some(value) = program.operands[slot] {
                self.unlink(slot, value);
            }
        }
    }

    /// Takes note that a slot reads `new` instead of `old`.
    pub(super) fn replace(&mut self, slot: usize, old: Option<Value>, new: Option<Value>) {
        if let Some(old) = old {
            self.unlink(slot, old);
        }
        if let Some(new) = new {
            self.link(slot, new);
        }
    }

    fn link(&mut self, slot: usize, value: Value) {
        if self.first.len() <= value.index() {
            self.first.resize(value.index() + 1, NIL);
        }
        let head = std::mem::replace(&mut self.first[value.index()], slot as u32);
        self.slots[slot].prev = NIL;
        self.slots[slot].next = head;
        if let Some(next) = self.slots.get_mut(head as usize) {
            next.prev = slot as u32;
        }
    }

    fn unlink(&mut self, slot: usize, value: Value) {
        let Slot { prev, next, .. } = self.slots[slot];
        match self.slots.get_mut(prev as usize) {
            Some(prev) => prev.next = next,
            None => self.first[value.index()] = next,
        }
        if let Some(next) = self.slots.get_mut(next as usize) {
            next.prev = prev;
        }
    }
}

/// A number that has nothing to do with `number`, but is the same each time: Fibonacci hashing, with
/// 2^64 divided by the golden ratio, twice with the high bits folded in.
fn scattered(seed: u64, number: u64) -> u64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (seed ^ number).wrapping_mul(GOLDEN);
    (mixed ^ (mixed >> 32)).wrapping_mul(GOLDEN)
}

#[cfg(test)]
mod tests {
    use super::UseOrder;
    use crate::ir::Context;
    use crate::text;

    #[test]
    fn reordered_uses_are_the_same_uses() {
        let uses = "    (%1) = \"pd_op.relu\" (%0) {} : (tensor<f32>) -> tensor<f32>\n";
        let uses: String = (1..20).map(|n| uses.replace("%1", &format!("%{n}"))).collect();
        let source =
            format!("{{\n    (%0) = \"pd_op.full\" () {{}} : () -> tensor<f32>\n{uses}}}\n");
        let read = text::read_program(&Context::new(), "", source.as_bytes());
        let mut program = read.expect("it is well formed").program;
        let first = program.top_ops().next().expect("it has ops");
        let value = program.result(first, 0);
        let plain: Vec<_> = program.uses(value).collect();
        let mut reordered = |order| {
            program.reorder_uses(order);
            program.uses(value).collect::<Vec<_>>()
        };
        let mut reversed = reordered(UseOrder::Reversed);
        let mut shuffled = reordered(UseOrder::Shuffled(7));
        assert!(shuffled != plain && shuffled != reversed);
        shuffled.sort();
        assert_eq!(shuffled, plain);
        reversed.reverse();
        assert_eq!(reversed, plain);
    }
}
