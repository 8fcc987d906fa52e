//! Rules `E0401` to `E0407`: the tables of a program agree with each other.

use super::{Fault, Verifier};
use crate::ir::program::{OpRow, RegionRow};
use crate::ir::{Block, Dict, Name, Op, Value, ValueDef, names};

/// # Ops
impl Verifier<'_> {
    /// `E0401`, `E0402`: the neighbours of an op name it, in growing order.
    ///
    /// Held for every live op, this makes each block one list of all its ops: following `prev` the
    /// numbers fall, so it ends, and it can end only at the block's first op.
    pub(super) fn links(&mut self, op: Op, row: &OpRow) {
        let program = self.program;
        let Some(home) = row.block.and_then(|block| program.blocks.get(block.index())) else {
            let message = format!("`{}` stands in a block that is not there", self.name_of(row));
            return self.broken(Fault::internal("E0401", message).at(op));
        };
        let neighbour =
            |at: Option<Op>| at.and_then(|op| self.live_row(op)).filter(|it| it.block == row.block);
        let (prev, next) = (neighbour(row.prev), neighbour(row.next));
        let prev_names_it = match row.prev {
            None => home.first == Some(op),
            Some(_) => prev.is_some_and(|prev| prev.next == Some(op)),
        };
        let next_names_it = match row.next {
            None => home.last == Some(op),
            Some(_) => next.is_some_and(|next| next.prev == Some(op)),
        };
        let falls = next.is_some_and(|next| next.order <= row.order);
        if !prev_names_it || !next_names_it {
            let side = if prev_names_it { "behind" } else { "before" };
            let message =
                format!("`{}` and the op {side} it do not name each other", self.name_of(row));
            self.broken(Fault::internal("E0401", message).at(op));
        }
        if falls {
            let message = format!(
                "the order number of `{}` is not below that of the next op",
                self.name_of(row)
            );
            self.broken(Fault::internal("E0402", message).at(op));
        }
    }

    /// `E0405`: operands and results lie in their tables, and each result names the op and its
    /// index.
    pub(super) fn definitions(&mut self, op: Op, row: &OpRow) {
        let program = self.program;
        let results = program.values.get(row.results.range());
        let (Some(results), Some(_)) = (results, program.operands.get(row.operands.range())) else {
            let message =
                format!("operands or results of `{}` are out of their table", self.name_of(row));
            return self.broken(Fault::internal("E0405", message).at(op));
        };
        for (index, result) in (0_u32..).zip(results) {
            if result.def != (ValueDef::Result { op, index }) {
                let message =
                    format!("result {index} of `{}` does not name it as its op", self.name_of(row));
                self.broken(Fault::internal("E0405", message).at(op));
            }
        }
    }

    /// `E0407`: what fits a column is in the column. A dictionary is looked at once.
    pub(super) fn columns(&mut self, op: Op, row: &OpRow) {
        if self.clean_dicts.contains(row.dict.index()) {
            return;
        }
        let mut clean = true;
        for name in [names::OP_ROLE, names::CHUNK_ID] {
            if self.fits_column(row.dict, name) {
                clean = false;
                let column = self.program.context.name_text(name);
                let message = format!(
                    "the dictionary of `{}` has `{column}`, which has a column",
                    self.name_of(row)
                );
                let help = "set it with `set_role`, `set_chunk` or `set_attr` of the rewriter, not in the dictionary";
                self.fault(Fault::new("E0407", message).at(op).help(help));
            }
        }
        if clean {
            self.clean_dicts.grow_and_insert(row.dict.index());
        }
    }

    fn fits_column(&self, dict: Dict, name: Name) -> bool {
        let context = &self.program.context;
        let value = context.dict_get(dict, name).and_then(|attr| context.attr_value(attr).as_int());
        value.is_some_and(|value| i32::try_from(value).is_ok())
    }

    /// `E0403`: ops are counted right.
    pub(super) fn live_count(&mut self) {
        let counted = self.program.ops.iter().filter(|row| row.block.is_some()).count();
        let said = self.program.live_ops;
        if counted != said {
            let message = format!("the program has {counted} ops, and says it has {said}");
            self.fault(Fault::internal("E0403", message));
        }
    }

    /// `E0406`: the use index has every use and no other.
    ///
    /// No operand is in two lists, so uses that are all real, and as many as there are, are all
    /// there are.
    pub(super) fn use_index(&mut self) {
        let program = self.program;
        let Some(uses) = program.uses.get() else { return };
        let rows = program.ops.iter().filter(|row| row.block.is_some());
        let expected: usize = rows.map(|row| self.operands_of(row).iter().flatten().count()).sum();
        let mut found = 0;
        for index in 0..program.values.len() {
            let value = Value::from_index(index);
            for used in uses.of(value) {
                let reads = self
                    .live_row(used.op)
                    .and_then(|row| self.operands_of(row).get(used.index as usize));
                found += 1;
                if reads != Some(&Some(value)) || found > expected {
                    let message = "the use index has a use that is not in the program".to_owned();
                    return self.fault(Fault::internal("E0406", message));
                }
            }
        }
        if found != expected {
            let message = format!("the use index has {found} uses, and the program has {expected}");
            self.fault(Fault::internal("E0406", message));
        }
    }
}

/// # Blocks
impl Verifier<'_> {
    /// `E0401`, `E0405`: the ends of each block's list and its arguments name the block.
    pub(super) fn blocks(&mut self) {
        let program = self.program;
        for (index, row) in program.blocks.iter().enumerate() {
            let block = Block::from_index(index);
            let is_end = |end: Option<Op>, inward: fn(&OpRow) -> Option<Op>| {
                let row = end.map(|op| self.live_row(op));
                row.is_none_or(|row| {
                    row.is_some_and(|row| row.block == Some(block) && inward(row).is_none())
                })
            };
            let ends_fit = is_end(row.first, |row| row.prev)
                && is_end(row.last, |row| row.next)
                && row.first.is_some() == row.last.is_some();
            if !ends_fit {
                self.broken(Fault::internal(
                    "E0401",
                    "a block does not begin or end with its own op".to_owned(),
                ));
            }
            self.arguments(block);
        }
    }

    fn arguments(&mut self, block: Block) {
        let program = self.program;
        let row = &program.blocks[block.index()];
        let defined = |value: Value| program.values.get(value.index()).map(|row| row.def);
        let positional = (0_u32..).zip(&row.arguments).find(|&(index, argument)| {
            defined(argument.value) != Some(ValueDef::Argument { block, index })
        });
        if let Some((index, _)) = positional {
            let message = format!("argument {index} of a block does not name the block");
            self.broken(Fault::internal("E0405", message));
        }
        for (&keyword, argument) in &row.kwargs {
            if defined(argument.value) != Some(ValueDef::Kwarg { block, keyword }) {
                let keyword = program.context.name_text(keyword);
                let message =
                    format!("keyword argument `{keyword}` of a block does not name the block");
                self.broken(Fault::internal("E0405", message));
            }
        }
    }

    /// `E0404`: every block that holds an op hangs from the top block.
    pub(super) fn nesting(&mut self) {
        let program = self.program;
        let top_is_nested = program.blocks.first().is_none_or(|top| top.region.is_some());
        let regions_stray = program.op_regions.iter().any(|(&op, regions)| {
            let is_ours = |row: Option<&RegionRow>| row.is_some_and(|row| row.op == op);
            self.live_row(op).is_none()
                || !regions.iter().all(|it| is_ours(program.regions.get(it.index())))
        });
        if top_is_nested || regions_stray {
            let message =
                "an op has a region that does not name it, or the top block has an op".to_owned();
            self.broken(Fault::internal("E0404", message));
        }
        let hangs = self.blocks_that_hang();
        let stray =
            program.blocks.iter().zip(hangs).filter(|(row, hangs)| row.first.is_some() && !hangs);
        for _ in 0..stray.count() {
            let message = "a block with ops does not hang from the top block".to_owned();
            self.broken(Fault::internal("E0404", message));
        }
    }

    /// Whether climbing from each block comes to the top block. A climb ends where an earlier one
    /// has been, so that all of them together are linear.
    fn blocks_that_hang(&self) -> Vec<bool> {
        let mut verdicts = vec![None; self.program.blocks.len()];
        verdicts[0] = Some(true);
        let mut path = Vec::new();
        for start in self.program.blocks() {
            let mut at = start;
            let verdict = loop {
                if let Some(verdict) = verdicts[at.index()] {
                    break verdict;
                }
                // Where this climb comes back to itself, it goes round in a loop.
                verdicts[at.index()] = Some(false);
                path.push(at);
                let Some(parent) = self.parent_block(at) else { break false };
                at = parent;
            };
            path.drain(..).for_each(|block| verdicts[block.index()] = Some(verdict));
        }
        verdicts.into_iter().map(|verdict| verdict == Some(true)).collect()
    }

    /// The block around the op of a block's region, where all three name each other.
    fn parent_block(&self, block: Block) -> Option<Block> {
        let program = self.program;
        let region = program.blocks[block.index()].region?;
        let row = program.regions.get(region.index())?;
        let listed =
            row.blocks.contains(&block) && program.op_regions.get(&row.op)?.contains(&region);
        let parent = self.live_row(row.op)?.block?;
        (listed && parent.index() < program.blocks.len()).then_some(parent)
    }
}
