//! How the values of a program are called in its text.
//!
//! A value gets its number when the printer first meets it, in print order through nested blocks.
//! Block arguments and the ends of control-flow stacks count for themselves; kwargs go by keyword.

use std::sync::Arc;

use crate::ir::{Block, Name, Op, Program, Value, ValueDef, names};

use super::spell::write_unsigned;

/// Which name a value has; the low bits of a [`Label`] are its number or keyword.
#[derive(Copy, Clone, PartialEq, Eq)]
#[repr(u32)]
enum Prefix {
    Plain,
    Argument,
    Kwarg,
    Stack,
    Inlet,
    Outlet,
    Added,
}

impl Prefix {
    const ALL: [Self; 7] = [
        Self::Plain,
        Self::Argument,
        Self::Kwarg,
        Self::Stack,
        Self::Inlet,
        Self::Outlet,
        Self::Added,
    ];

    fn text(self) -> &'static [u8] {
        match self {
            Self::Plain => b"%",
            Self::Argument => b"%arg_",
            Self::Kwarg => b"%kwarg_",
            Self::Stack => b"%stack_",
            Self::Inlet => b"%inlet_",
            Self::Outlet => b"%outlet_",
            Self::Added => b"%+",
        }
    }
}

/// A prefix in the top three bits and a number below.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Label(u32);

const NUMBER_BITS: u32 = 29;
const UNMET: Label = Label(u32::MAX);

impl Label {
    fn new(prefix: Prefix, number: u32) -> Self {
        Self((prefix as u32) << NUMBER_BITS | number)
    }

    fn split(self) -> (Prefix, u32) {
        (Prefix::ALL[(self.0 >> NUMBER_BITS) as usize], self.0 & ((1 << NUMBER_BITS) - 1))
    }
}

/// The names of the values met so far.
pub struct Labels {
    labels: Vec<Label>,
    next: [u32; 3],
}

/// Places of the counters in [`Labels::next`].
const PLAIN: usize = 0;
const ARGUMENT: usize = 1;
const STACK: usize = 2;

impl Labels {
    /// No value is met yet.
    pub(super) fn none(program: &Program) -> Self {
        Self { labels: vec![UNMET; program.value_capacity()], next: [0; 3] }
    }

    /// The names that all values have when the whole program is printed.
    pub fn of(program: &Program) -> Self {
        let mut labels = Self::none(program);
        labels.meet_kwargs(program, program.top());
        let mut pending: Vec<Op> = program.top_ops().rev().collect();
        while let Some(op) = pending.pop() {
            labels.meet_op(program, op);
            for &region in program.regions(op).iter().rev() {
                for &block in program.region_blocks(region).iter().rev() {
                    labels.meet_kwargs(program, block);
                    if program.name(op) == names::WHILE {
                        for argument in program.arguments(block) {
                            labels.meet(program, argument.value);
                        }
                    }
                    pending.extend(program.block_ops(block).rev());
                }
            }
        }
        labels
    }

    /// Names for the values of the second of two programs: a value that stands for one of the first
    /// is called as that, others are counted for themselves (`%+0`).
    pub(crate) fn following(
        [first, second]: [&Program; 2],
        names: &Self,
        partner: impl Fn(Value) -> Option<Value>,
    ) -> Self {
        debug_assert!(Arc::ptr_eq(first.context(), second.context()), "kwargs go by handle");
        let mut labels = Self::of(second);
        let mut order: Vec<Value> = (0..labels.labels.len()).map(Value::from_index).collect();
        order.retain(|&value| labels.has_met(value));
        order.sort_by_key(|value| labels.labels[value.index()].0);
        let mut added = 0;
        for value in order {
            let label = &mut labels.labels[value.index()];
            let name = partner(value).map(|partner| names.labels[partner.index()]);
            if let Some(name) = name.filter(|&name| name != UNMET) {
                *label = name;
            } else if label.split().0 != Prefix::Kwarg {
                *label = Label::new(Prefix::Added, added);
                added += 1;
            }
        }
        labels
    }

    /// Meets the results and operands of an op, in the order they are printed.
    pub(super) fn meet_op(&mut self, program: &Program, op: Op) {
        for result in program.results(op) {
            self.meet(program, result);
        }
        for &operand in program.operands(op).iter().flatten() {
            self.meet(program, operand);
        }
    }

    /// Meets the kwargs of a block.
    pub(super) fn meet_kwargs(&mut self, program: &Program, block: Block) {
        for (_, argument) in program.kwargs(block) {
            self.meet(program, argument.value);
        }
    }

    /// Whether a value has been met.
    pub(super) fn has_met(&self, value: Value) -> bool {
        self.labels[value.index()] != UNMET
    }

    /// Names a value if it has no name yet.
    pub(super) fn meet(&mut self, program: &Program, value: Value) {
        if !self.has_met(value) {
            self.labels[value.index()] = self.name(program, value);
        }
    }

    fn count(&mut self, counter: usize) -> u32 {
        let number = self.next[counter];
        self.next[counter] += 1;
        number
    }

    fn name(&mut self, program: &Program, value: Value) -> Label {
        match program.def(value) {
            // An op that was erased, or an end of a stack before the stack: a program with faults is
            // printed too, in what is said about it.
            ValueDef::Result { op, index }
                if index < 3
                    && !program.is_erased(op)
                    && program.name(op) == names::STACK_CREATE =>
            {
                let number =
                    if index == 0 { self.count(STACK) } else { self.next[STACK].saturating_sub(1) };
                let prefix = [Prefix::Stack, Prefix::Inlet, Prefix::Outlet][index as usize];
                Label::new(prefix, number)
            }
            ValueDef::Result { .. } => Label::new(Prefix::Plain, self.count(PLAIN)),
            ValueDef::Argument { .. } => Label::new(Prefix::Argument, self.count(ARGUMENT)),
            ValueDef::Kwarg { keyword, .. } => Label::new(Prefix::Kwarg, keyword.index() as u32),
        }
    }

    /// The name of a value that has been met.
    pub fn text(&self, program: &Program, value: Value) -> String {
        let mut out = Vec::new();
        self.write(program, value, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Appends the name of a value that has been met.
    pub(super) fn write(&self, program: &Program, value: Value, out: &mut Vec<u8>) {
        let label = self.labels[value.index()];
        if label == UNMET {
            return out.extend_from_slice(b"%?");
        }
        let (prefix, number) = label.split();
        out.extend_from_slice(prefix.text());
        match prefix {
            Prefix::Kwarg => {
                let keyword = Name::new(number);
                out.extend_from_slice(program.context().name_text(keyword).as_bytes());
            }
            _ => write_unsigned(number.into(), out),
        }
    }
}
