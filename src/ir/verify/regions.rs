//! Rules `E0415` to `E0417`: control flow. What a region yields is what the op around it results
//! in.

use super::facts::plural;
use super::{Fault, Verifier};
use crate::ir::program::OpRow;
use crate::ir::{Block, Context, Op, Type, TypeKind, names};
use crate::text::type_text;

impl Verifier<'_> {
    pub(super) fn control_flow(&mut self, op: Op, row: &OpRow) {
        match row.name {
            names::YIELD => self.terminator(op, row),
            names::IF => self.regions(op, row, 2),
            names::WHILE | names::PYLAYER => self.regions(op, row, 1),
            _ => {}
        }
    }

    /// `E0415`, and that a `cf.yield` is where one must be.
    fn regions(&mut self, op: Op, row: &OpRow, expected: usize) {
        let program = self.program;
        let name = self.name_of(row);
        let regions = program.op_regions.get(&op).map_or(&[][..], |regions| regions.as_slice());
        if regions.len() != expected {
            let message =
                format!("`{name}` has {}, and needs {expected}", plural(regions.len(), "region"));
            let help = "a branch that does nothing is a region too, with an empty block";
            self.fault(Fault::new("E0415", message).at(op).help(help));
        }
        for region in regions {
            let blocks = program
                .regions
                .get(region.index())
                .map_or(&[][..], |region| region.blocks.as_slice());
            let [block] = blocks else {
                let message = format!(
                    "a region of `{name}` has {}, and needs 1",
                    plural(blocks.len(), "block")
                );
                let help = "control flow is nested: a region is one block";
                self.fault(Fault::new("E0415", message).at(op).help(help));
                continue;
            };
            self.end_of_region(op, row, *block);
            if row.name == names::WHILE {
                self.loop_variables(op, row, *block);
            }
        }
    }

    /// `E0416`: a region that has something to yield ends in a `cf.yield`.
    fn end_of_region(&mut self, op: Op, row: &OpRow, block: Block) {
        let yields_nothing = row.results.len == 0 && row.name != names::WHILE;
        let last = self.program.blocks.get(block.index()).and_then(|block| block.last);
        let ends_in_yield =
            last.and_then(|op| self.live_row(op)).is_some_and(|row| row.name == names::YIELD);
        if yields_nothing || ends_in_yield {
            return;
        }
        let message = format!("a region of `{}` does not end in `cf.yield`", self.name_of(row));
        let help =
            "end the region with a `cf.yield` of one value for each result of the op around it";
        self.fault(Fault::new("E0416", message).at(op).help(help));
    }

    /// `E0415`: inputs, variables and results of a loop are as many and of the same types.
    fn loop_variables(&mut self, op: Op, row: &OpRow, block: Block) {
        let program = self.program;
        let arguments = program.blocks.get(block.index()).map_or(&[][..], |block| &block.arguments);
        let variables: usize = arguments.len();
        let inputs = self.operands_of(row).len().checked_sub(1);
        if inputs != Some(variables) || row.results.len as usize != variables {
            let inputs = plural(inputs.unwrap_or(0), "input");
            let (variables, results) =
                (plural(variables, "variable"), plural(row.results.len as usize, "result"));
            let message = format!("`pd_op.while` has {inputs}, {variables} and {results}");
            let help = "behind the condition it takes one input for each variable, and has one result for each";
            return self.fault(Fault::new("E0415", message).at(op).help(help));
        }
        let context = &program.context;
        let types = arguments
            .iter()
            .map(|argument| program.values.get(argument.value.index()).map(|row| row.ty));
        let inputs = self.operand_types(row).skip(1);
        for (index, (input, variable)) in inputs.zip(types).enumerate() {
            let variable = variable.unwrap_or(Type::UNKNOWN);
            if !agree(context, input, variable) {
                let (input, variable) = (type_text(context, input), type_text(context, variable));
                let message = format!(
                    "input and variable {index} of `pd_op.while` differ in type: `{input}` and `{variable}`"
                );
                let help = "only dims that are known at run time may differ";
                self.fault(Fault::new("E0415", message).at(op).help(help));
            }
        }
    }

    /// `E0416`, `E0417`: where a `cf.yield` stands, and what it yields.
    fn terminator(&mut self, op: Op, row: &OpRow) {
        let program = self.program;
        if row.next.is_some() {
            let message = "`cf.yield` is not the last op of its block".to_owned();
            self.fault(
                Fault::new("E0416", message)
                    .at(op)
                    .see(row.next, "this op is behind it")
                    .help("move it to the end"),
            );
        }
        let home = row.block.and_then(|block| program.blocks.get(block.index()));
        let region = home.and_then(|home| program.regions.get(home.region?.index()));
        let Some(around) = region.map(|region| region.op) else {
            let message = "`cf.yield` stands in the top block".to_owned();
            let help = "it ends a region; values leave a program by `builtin.shadow_output`";
            return self.fault(Fault::new("E0416", message).at(op).help(help));
        };
        let Some(around_row) = self.live_row(around) else { return };
        let condition = match around_row.name {
            names::IF | names::PYLAYER => 0,
            names::WHILE => 1,
            _ => return,
        };
        self.yielded(op, row, (around, around_row), condition);
    }

    /// `E0417`; the first `condition` operands of the `cf.yield` are for the op around it alone.
    fn yielded(
        &mut self,
        op: Op,
        row: &OpRow,
        (around, around_row): (Op, &OpRow),
        condition: usize,
    ) {
        let context = &self.program.context;
        let name = self.name_of(around_row);
        let (given, expected) = (self.operand_types(row), self.result_types(around_row));
        if given.len() != condition + expected.len() {
            let (given, results) = (plural(given.len(), "value"), plural(expected.len(), "result"));
            let message = format!("`cf.yield` has {given}, and the `{name}` around it {results}");
            let help = match condition {
                0 => "yield one value for each result",
                _ => "yield the condition, then one value for each result",
            };
            return self.fault(
                Fault::new("E0417", message).at(op).see(Some(around), "around it").help(help),
            );
        }
        for (index, (given, expected)) in given.skip(condition).zip(expected).enumerate() {
            if !agree(context, given, expected) {
                let (given, expected) = (type_text(context, given), type_text(context, expected));
                let message = format!(
                    "what is yielded for result {index} of `{name}` differs in type: `{given}` and `{expected}`"
                );
                let help = "only dims that are known at run time may differ";
                self.fault(
                    Fault::new("E0417", message).at(op).see(Some(around), "around it").help(help),
                );
            }
        }
    }
}

/// Whether a value of one type may stand for one of the other: they are the same but for dims that
/// only run time knows, or one is not known.
fn agree(context: &Context, a: Type, b: Type) -> bool {
    if context.same_type(a, b) || a == Type::UNKNOWN || b == Type::UNKNOWN {
        return true;
    }
    let tensors = (context.type_kind(a), context.type_kind(b));
    let (TypeKind::Tensor(a), TypeKind::Tensor(b)) = tensors else { return false };
    let known = |dim: i64| dim >= 0;
    let mut dims = a.dims.iter().zip(&b.dims);
    a.element == b.element
        && a.rank() == b.rank()
        && dims.all(|(&a, &b)| a == b || !known(a) || !known(b))
}
