//! Rules `E0408` to `E0410`, `E0413`: what an op reads is there, is defined before, and is of a
//! known type.

use super::{Fault, Verifier};
use crate::dialect::OpFacts;
use crate::ir::program::OpRow;
use crate::ir::{Block, Op, Type, Value, ValueDef, names};

/// How a definition stands to an op that reads it.
enum Standing {
    Before,
    /// Behind the op, in the same block or in one around it.
    Behind,
    /// The op stands in a region of the one that defines the value.
    Around,
    /// In a block that is not around the op.
    Elsewhere,
}

impl Verifier<'_> {
    /// Counts of operands and results, and each operand.
    pub(super) fn operands(&mut self, op: Op, row: &OpRow) {
        let facts = self.program.context.facts(row.name).filter(|facts| facts.is_described());
        let facts = facts.filter(|facts| self.fits(op, row, facts));
        for (index, operand) in self.operands_of(row).iter().enumerate() {
            match operand {
                Some(value) => self.read(op, row, index, *value),
                None => self.absent(op, row, index, facts),
            }
        }
    }

    fn absent(&mut self, op: Op, row: &OpRow, index: usize, facts: Option<&OpFacts>) {
        let Some(fact) = facts.and_then(|facts| facts.operand(index)) else { return };
        if fact.optional {
            return;
        }
        let message =
            format!("operand {index}, `{}`, of `{}` is absent", fact.name, self.name_of(row));
        let help = "this op needs it: give it a value";
        self.fault(Fault::new("E0413", message).at(op).help(help));
    }

    fn read(&mut self, op: Op, row: &OpRow, index: usize, value: Value) {
        let Some(value_row) = self.program.values.get(value.index()) else {
            let message =
                format!("operand {index} of `{}` is no value of this program", self.name_of(row));
            let help = "values belong to one program: map them when ops are copied to another one";
            return self.broken(Fault::new("E0408", message).at(op).help(help));
        };
        if !self.is_defined(value, value_row.def) {
            let message =
                format!("operand {index} of `{}` is a value that was erased", self.name_of(row));
            let help = "replace its uses before erasing an op";
            return self.fault(Fault::new("E0408", message).at(op).help(help));
        }
        if value_row.ty == Type::UNKNOWN && prints_operand_types(row) {
            self.unknown_type(op, row, index, value);
        }
        match self.standing(op, row, value_row.def) {
            Standing::Before => {}
            standing => self.misplaced(op, row, index, value, standing),
        }
    }

    /// Whether what a value says of its definition is so.
    fn is_defined(&self, value: Value, def: ValueDef) -> bool {
        match def {
            ValueDef::Result { op, index } => self.live_row(op).is_some_and(|row| {
                index < row.results.len
                    && row.results.start as usize + index as usize == value.index()
            }),
            ValueDef::Argument { block, index } => {
                let row = self.program.blocks.get(block.index());
                let argument = row.and_then(|row| row.arguments.get(index as usize));
                argument.is_some_and(|argument| argument.value == value)
            }
            ValueDef::Kwarg { block, keyword } => {
                let row = self.program.blocks.get(block.index());
                let argument = row.and_then(|row| row.kwargs.get(&keyword));
                argument.is_some_and(|argument| argument.value == value)
            }
        }
    }

    fn standing(&self, op: Op, row: &OpRow, def: ValueDef) -> Standing {
        let (home, def_op) = match def {
            ValueDef::Argument { block, .. } | ValueDef::Kwarg { block, .. } => (Some(block), None),
            ValueDef::Result { op, .. } => (self.live_row(op).and_then(|row| row.block), Some(op)),
        };
        let Some(home) = home else { return Standing::Elsewhere };
        let reader = if row.block == Some(home) { Some(op) } else { self.ancestor(home, op) };
        match (reader, def_op) {
            (None, _) => Standing::Elsewhere,
            (Some(_), None) => Standing::Before,
            (Some(reader), Some(def_op)) if reader == def_op && reader != op => Standing::Around,
            (Some(reader), Some(def_op)) => {
                let order = |op: Op| self.program.ops[op.index()].order;
                if order(def_op) < order(reader) { Standing::Before } else { Standing::Behind }
            }
        }
    }

    /// The op of `block` that holds `op`.
    fn ancestor(&self, block: Block, op: Op) -> Option<Op> {
        let program = self.program;
        let mut at = op;
        // No nest is deeper than there are blocks; where the tables are broken, this ends all the
        // same.
        for _ in 0..program.blocks.len() {
            let home = self.live_row(at)?.block?;
            if home == block {
                return Some(at);
            }
            let region = program.blocks.get(home.index())?.region?;
            at = program.regions.get(region.index())?.op;
        }
        None
    }

    fn misplaced(&mut self, op: Op, row: &OpRow, index: usize, value: Value, standing: Standing) {
        let name = self.name_of(row);
        let (what, help) = match standing {
            Standing::Before => return,
            Standing::Behind => {
                ("is read before it is defined", "move one of the two ops, or read another value")
            }
            Standing::Around => (
                "is a result of the op around it",
                "inside an op its results are not there yet: read what they are made from",
            ),
            Standing::Elsewhere => (
                "is defined in a block that is not around it",
                "yield the value from the region that defines it, and read the result of that region's op",
            ),
        };
        let def_op = self.program.defining_op(value);
        let fault = Fault::new("E0409", format!("operand {index} of `{name}` {what}")).at(op);
        self.fault(fault.see(def_op, "defined here").help(help));
    }

    fn unknown_type(&mut self, op: Op, row: &OpRow, index: usize, value: Value) {
        let name = self.name_of(row);
        let def_op = self.program.defining_op(value);
        let fault =
            Fault::new("E0410", format!("operand {index} of `{name}` has an unknown type")).at(op);
        self.fault(
            fault.see(def_op, "defined here").help("set the type of the value where it is defined"),
        );
    }
}

/// Whether the text of an op says the types of its operands. Where it does not, a value may be read
/// and its type still be unknown.
fn prints_operand_types(row: &OpRow) -> bool {
    !matches!(row.name, names::IF | names::WHILE | names::PYLAYER)
}
