//! The use index: which operands read a value.
//!
//! It is derived from the operands: doubly linked lists through the operand slots, so that adding
//! and removing a use is O(1). **No pass may depend on the order of uses**; tests shuffle it.

use fixedbitset::FixedBitSet;

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

    /// The same uses, those of each value in an order that `seed` makes.
    pub(super) fn shuffled(program: &Program, seed: u64) -> Self {
        let mut uses = Self::build(program);
        let mut order: Vec<usize> = (0..uses.slots.len()).collect();
        let mut random = seed;
        for end in (1..order.len()).rev() {
            random = next_random(random);
            order.swap(end, (random % (end as u64 + 1)) as usize);
        }
        let rows = program.ops.iter().filter(|row| row.block.is_some());
        let mut is_live = FixedBitSet::with_capacity(uses.slots.len());
        rows.for_each(|row| is_live.insert_range(row.operands.range()));
        for slot in order.into_iter().filter(|&slot| is_live.contains(slot)) {
            if let Some(value) = program.operands[slot] {
                uses.unlink(slot, value);
                uses.link(slot, value);
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

/// The next of a row of numbers that looks like chance: splitmix64 (Steele, Lea, Flood, "Fast
/// splittable pseudorandom number generators", 2014).
fn next_random(state: u64) -> u64 {
    let mixed = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Context, verify};
    use crate::text;

    #[test]
    fn shuffled_uses_are_the_same_in_another_order() {
        let reads = "    () = \"my.op\" (%0, %0) {} : (f32, f32) -> \n".repeat(20);
        let source = format!("{{\n    (%0) = \"my.make\" () {{}} : () -> f32\n{reads}}}\n");
        let read = text::read_program(&Context::new(), "uses.pir", source.as_bytes());
        let mut program = read.unwrap_or_else(|faults| panic!("{}", faults[0])).program;
        let made = program.top_ops().next().unwrap();
        let value = program.result(made, 0);
        let listed = |program: &Program| program.uses(value).collect::<Vec<Use>>();
        let usual = listed(&program);
        program.shuffle_uses(1);
        let mut shuffled = listed(&program);
        assert!(verify(&program).is_empty());
        assert_ne!(shuffled, usual);
        shuffled.sort();
        assert_eq!(shuffled, usual);
    }
}
