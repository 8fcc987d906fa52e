//! The use index: which operands read a value.
//!
//! It is derived from the operands: doubly linked lists through the operand slots, so that adding
//! and removing a use is O(1). **No pass may depend on the order of uses.**

use super::{Op, Program, Value};

/// An operand that reads a value.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Use {
    /// The op that reads it.
    pub op: Op,
    /// Which operand of that op.
    pub index: u32,
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
        let unowned = Slot { owner: Op::new(0), index: 0, prev: NIL, next: NIL };
        let mut uses = Self {
            first: vec![NIL; program.values.len()],
            slots: vec![unowned; program.operands.len()],
        };
        for (index, row) in program.ops.iter().enumerate().rev() {
            if row.block.is_some() {
                uses.add_op(program, Op::from_index(index));
            }
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
