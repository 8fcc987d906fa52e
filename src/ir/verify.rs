//! The verifier: does a program keep its own rules? It reports *all* faults, in program order.
//!
//! The tables, which only a fault of this crate can break (but for `E0407`: `Rewriter::set_dict`
//! takes what it is given):
//!
//! | code | rule |
//! | --- | --- |
//! | `E0401` | The ops of a block are one list: each names its neighbours, and they name it. |
//! | `E0402` | Order numbers grow strictly along a block. |
//! | `E0403` | The number of live ops is counted right. |
//! | `E0404` | Every block hangs from the top block: blocks, regions and ops name each other. |
//! | `E0405` | Results and arguments are values, and these name their op or block and index. |
//! | `E0406` | The use index, where it was built, has every use and no other. |
//! | `E0407` | An `op_role` or `chunk_id` that fits its column is not in the dictionary. |
//!
//! The meaning, which a pass or an input can break:
//!
//! | code | rule |
//! | --- | --- |
//! | `E0408` | An operand is a value of this program, and its op is not erased. |
//! | `E0409` | A value is defined before it is read: earlier in the same block or in one around it. An op's own regions cannot read its results. |
//! | `E0410` | A value of unknown type is read only where text prints no operand types. |
//! | `E0411` | An op of which facts are known has as many operands as they say. |
//! | `E0412` | It has as many results as they say. |
//! | `E0413` | Only an optional operand of it is absent. |
//! | `E0414` | `builtin.combine`, `builtin.split` and `builtin.slice` agree with their `vec` type, element by element. |
//! | `E0415` | `pd_op.if` has two regions, `pd_op.while` and `pd_op.pylayer` have one, each of one block; a loop has one variable for each operand behind its condition and for each result. |
//! | `E0416` | `cf.yield` is the last op of a nested block, and the region of an op with results ends in one. |
//! | `E0417` | It yields what the op around it results in; in a loop, the condition comes before that. |
//!
//! The facts are those of Paddle 3.3.1, and ops change between versions. Where they come from
//! Paddle's own description of an op, other counts are the warnings `W0411` and `W0412`, said once
//! for all such ops; they are errors for the ops that this framework itself gives a meaning, such
//! as `builtin.split` and `pd_op.while`.
//!
//! Not checked, because real programs break it: that a result written in place has the type of the
//! operand it is written over. Under tensor parallelism `pd_op.set_value_with_tensor_` keeps the
//! global shape of a tensor that was split. And a branch may know a dim that the op around it does
//! not, so that types of control flow agree if they differ only in dims that are known at run time.
//!
//! A program without faults is read once, row by row, and nothing is allocated for an op.

mod facts;
mod fault;
mod regions;
mod tables;
#[cfg(test)]
mod tests;
mod values;

use fixedbitset::FixedBitSet;

use super::program::{FxIndexMap, OpRow};
use super::{Name, Op, Program, Value};
use crate::diagnostic::Diagnostic;
use crate::dialect::OpFacts;
use fault::{Fault, Trust};

/// All faults of a program, in program order; none if it keeps the [rules](self).
pub fn verify(program: &Program) -> Vec<Diagnostic> {
    let mut verifier = Verifier::new(program);
    verifier.blocks();
    verifier.nesting();
    for index in 0..program.ops.len() {
        verifier.op(Op::from_index(index));
    }
    verifier.live_count();
    verifier.use_index();
    verifier.finish()
}

/// The faults of some ops and of those next to them: for the ops that a pass has touched.
///
/// Readers of their results, the op before each, and the ends of their regions are looked at too,
/// so that a changed type or a misplaced op shows. Erased ops are passed over: a region that lost
/// its `cf.yield` is found by [`verify`].
pub fn verify_ops(program: &Program, ops: impl IntoIterator<Item = Op>) -> Vec<Diagnostic> {
    let mut chosen = Vec::new();
    for op in ops {
        if program.is_erased(op) {
            continue;
        }
        chosen.push(op);
        chosen.extend(program.prev_op(op));
        for result in program.results(op) {
            chosen.extend(program.uses(result).map(|found| found.op));
        }
        let regions = program.regions(op).iter();
        let blocks = regions.flat_map(|&region| program.region_blocks(region));
        chosen.extend(blocks.filter_map(|&block| program.block_ops(block).next_back()));
    }
    chosen.sort_unstable();
    chosen.dedup();
    let mut verifier = Verifier::new(program);
    chosen.into_iter().for_each(|op| verifier.op(op));
    verifier.finish()
}

/// Reads the tables without trusting them: no link is followed without a check, no index used
/// unseen.
struct Verifier<'p> {
    program: &'p Program,
    faults: Vec<Fault>,
    trust: Trust,
    /// Ops whose counts are not those of the facts, by name and counts.
    misfits: FxIndexMap<(Name, usize, usize), Misfit>,
    /// Dictionaries, by index, that hold nothing that belongs into a column.
    clean_dicts: FixedBitSet,
}

/// An op whose counts are not those of its facts, and how many more are like it.
struct Misfit {
    op: Op,
    facts: &'static OpFacts,
    others: usize,
}

impl<'p> Verifier<'p> {
    fn new(program: &'p Program) -> Self {
        Self {
            program,
            faults: Vec::new(),
            trust: Trust::Printable,
            misfits: FxIndexMap::default(),
            clean_dicts: FixedBitSet::new(),
        }
    }

    /// All rules of one op. An erased op has none.
    fn op(&mut self, op: Op) {
        let Some(row) = self.live_row(op) else { return };
        self.links(op, row);
        self.definitions(op, row);
        self.columns(op, row);
        self.operands(op, row);
        self.element_types(op, row);
        self.control_flow(op, row);
    }

    fn live_row(&self, op: Op) -> Option<&'p OpRow> {
        self.program.ops.get(op.index()).filter(|row| row.block.is_some())
    }

    /// The operands of a row; none where the row points out of the table, which
    /// [`Self::definitions`] reports.
    fn operands_of(&self, row: &OpRow) -> &'p [Option<Value>] {
        self.program.operands.get(row.operands.range()).unwrap_or_default()
    }

    /// A fault of the tables: the program may not be walked or printed.
    fn broken(&mut self, fault: Fault) {
        self.trust = Trust::Broken;
        self.faults.push(fault);
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn name_of(&self, row: &OpRow) -> &'p str {
        self.program.context.name_text(row.name)
    }

    fn finish(mut self) -> Vec<Diagnostic> {
        self.report_misfits();
        fault::diagnostics(self.program, self.faults, self.trust)
    }
}
