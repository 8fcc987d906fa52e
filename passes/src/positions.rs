//! Where the ops of the top block stand, and which of them produces a value.

use pirogue::ir::{Op, Program, Value};

/// The position of each op of the top block, by op; nested ops count as the op that holds them.
pub(crate) struct Positions {
    of_op: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Positions {
    pub(crate) fn of(program: &Program, ops: &[Op]) -> Self {
        let mut of_op = vec![NOWHERE; program.op_capacity()];
        for (position, &op) in ops.iter().enumerate() {
            of_op[op.index()] = position as u32;
            if !program.regions(op).is_empty() {
                program.nest(op).for_each(|nested| of_op[nested.index()] = position as u32);
            }
        }
        Self { of_op }
    }

    /// The position of the op of the top block that is or holds `op`.
    pub(crate) fn of_op(&self, op: Op) -> Option<usize> {
        Some(self.of_op[op.index()]).filter(|&position| position != NOWHERE).map(|p| p as usize)
    }

    /// The position of the op that defines `value`, unless it is an argument of the top block.
    pub(crate) fn of_value(&self, program: &Program, value: Value) -> Option<usize> {
        let op = program.defining_op(value)?;
        self.of_op(op)
    }

    /// The positions of the ops that define what `op`, or an op nested in it, reads.
    pub(crate) fn producers<'a>(
        &'a self,
        program: &'a Program,
        op: Op,
    ) -> impl Iterator<Item = usize> + 'a {
        program.nest(op).flat_map(move |nested| {
            let operands = program.operands(nested).iter().flatten();
            operands.filter_map(move |&value| self.of_value(program, value))
        })
    }
}
