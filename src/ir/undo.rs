//! Taking edits back.
//!
//! An undo log holds what each edit overwrote, a list for each kind of cell, and the lengths of
//! the tables before the first edit. It costs a few bytes an edit and nothing per op, so that a
//! pass can be guarded without copying the program. Cells are independent, so the lists need no
//! order among them; within a list the oldest entry of a cell is put back last. Columns and operands,
//! of which passes may change every cell, are [saved](super::saved) by the line.
//!
//! Invariants:
//! - a cell is logged *before* it changes: an edit that panics halfway can be taken back too;
//! - what was made since the log began is not logged: it goes when the tables are cut;
//! - order numbers are not logged: blocks whose links changed are numbered anew.

use std::sync::Arc;

use smallvec::SmallVec;

use super::program::Run;
use super::saved::SavedLines;
use super::{At, Block, Dict, Op, Origins, Program, Region, Type, Value};

/// What the edits of a rewriter overwrote; see the [module](self).
pub(crate) struct Undo {
    before: Before,
    links: Vec<(Op, Links)>,
    /// The op before which the last one was put: what is put there next is beside a new op, and
    /// changes nothing else that is old.
    put_before: Option<Op>,
    runs: Vec<(Op, Run, Run)>,
    dicts: Vec<(Op, Dict)>,
    roles: SavedLines<i32>,
    chunks: SavedLines<i32>,
    operands: SavedLines<Option<Value>>,
    types: Vec<(Value, Type)>,
    blocks: Vec<(Block, Ends)>,
    op_regions: Vec<(Op, SmallVec<[Region; 2]>)>,
    regions: Vec<(Region, usize)>,
}

/// How much there was when the log began.
struct Before {
    ops: usize,
    operands: usize,
    values: usize,
    blocks: usize,
    regions: usize,
    live_ops: usize,
    edits: u64,
    origins: Arc<Origins>,
}

#[derive(Copy, Clone)]
struct Links {
    block: Option<Block>,
    prev: Option<Op>,
    next: Option<Op>,
}

#[derive(Copy, Clone)]
struct Ends {
    first: Option<Op>,
    last: Option<Op>,
    arguments: usize,
    kwargs: usize,
}

impl Undo {
    /// An empty log.
    pub(super) fn new(program: &Program) -> Self {
        Self {
            before: Before {
                ops: program.ops.len(),
                operands: program.operands.len(),
                values: program.values.len(),
                blocks: program.blocks.len(),
                regions: program.regions.len(),
                live_ops: program.live_ops,
                edits: program.edits,
                origins: Arc::clone(&program.origins),
            },
            links: Vec::new(),
            put_before: None,
            runs: Vec::new(),
            dicts: Vec::new(),
            roles: SavedLines::default(),
            chunks: SavedLines::default(),
            operands: SavedLines::default(),
            types: Vec::new(),
            blocks: Vec::new(),
            op_regions: Vec::new(),
            regions: Vec::new(),
        }
    }

    fn is_new(&self, op: Op) -> bool {
        op.index() >= self.before.ops
    }
}

/// # Logging: each is called before the change it names
impl Undo {
    /// An op is put somewhere. A place that does not exist is for the edit to refuse.
    pub(super) fn insertion(&mut self, program: &Program, at: At) {
        let before = match at {
            At::Before(op) => Some(op),
            _ => None,
        };
        if before.is_some() && before == self.put_before {
            return;
        }
        let row_of = |op: Op| program.ops.get(op.index());
        let (block, around) = match at {
            At::End(block) => (Some(block), [program.blocks[block.index()].last, None]),
            At::Before(op) => (
                row_of(op).and_then(|row| row.block),
                [row_of(op).and_then(|row| row.prev), Some(op)],
            ),
            At::After(op) => (
                row_of(op).and_then(|row| row.block),
                [Some(op), row_of(op).and_then(|row| row.next)],
            ),
        };
        if let Some(block) = block {
            self.links(program, block, &around);
            self.put_before = before;
        }
    }

    /// An op is taken away.
    pub(super) fn erasure(&mut self, program: &Program, op: Op) {
        let row = &program.ops[op.index()];
        if let Some(block) = row.block {
            self.links(program, block, &[row.prev, Some(op), row.next]);
        }
        if !self.is_new(op) {
            self.runs.push((op, row.operands, row.results));
        }
        if !program.regions(op).is_empty() {
            self.op_regions(program, op);
        }
    }

    fn links(&mut self, program: &Program, block: Block, around: &[Option<Op>]) {
        self.put_before = None;
        for op in around.iter().copied().flatten() {
            let is_logged = self.links.last().is_some_and(|last| last.0 == op);
            if is_logged || self.is_new(op) {
                continue;
            }
            let row = &program.ops[op.index()];
            let links = Links { block: row.block, prev: row.prev, next: row.next };
            self.links.push((op, links));
        }
        self.block(program, block);
    }

    /// The ends or arguments of a block change.
    pub(super) fn block(&mut self, program: &Program, block: Block) {
        if block.index() >= self.before.blocks {
            return;
        }
        let row = &program.blocks[block.index()];
        let (arguments, kwargs) = (row.arguments.len(), row.kwargs.len());
        let ends = Ends { first: row.first, last: row.last, arguments, kwargs };
        // Appending op after op changes the same block each time, and only the oldest entry of a
        // run of them counts.
        if self.blocks.last().is_none_or(|last| last.0 != block) {
            self.blocks.push((block, ends));
        }
    }

    /// The dictionary of an op changes.
    pub(super) fn dict(&mut self, program: &Program, op: Op) {
        if !self.is_new(op) {
            self.dicts.push((op, program.ops[op.index()].dict));
        }
    }

    /// The role of an op changes.
    pub(super) fn role(&mut self, program: &Program, op: Op) {
        self.roles.save(&program.roles, self.before.ops, op.index());
    }

    /// The chunk of an op changes.
    pub(super) fn chunk(&mut self, program: &Program, op: Op) {
        self.chunks.save(&program.chunks, self.before.ops, op.index());
    }

    /// A slot of the operand pool changes.
    pub(super) fn operand(&mut self, program: &Program, slot: usize) {
        self.operands.save(&program.operands, self.before.operands, slot);
    }

    /// The type of a value changes.
    pub(super) fn ty(&mut self, program: &Program, value: Value) {
        if value.index() < self.before.values {
            self.types.push((value, program.ty(value)));
        }
    }

    /// The regions of an op change.
    pub(super) fn op_regions(&mut self, program: &Program, op: Op) {
        if !self.is_new(op) {
            self.op_regions.push((op, program.regions(op).into()));
        }
    }

    /// A region gets another block.
    pub(super) fn region(&mut self, program: &Program, region: Region) {
        if region.index() < self.before.regions {
            self.regions.push((region, program.region_blocks(region).len()));
        }
    }
}

/// # Taking back
impl Undo {
    /// Makes the program what it was when the log began.
    pub(crate) fn roll_back(&self, program: &mut Program) {
        self.cut(program);
        self.restore_ops(program);
        self.restore_blocks(program);
        program.live_ops = self.before.live_ops;
        program.edits = self.before.edits;
        program.origins = Arc::clone(&self.before.origins);
        program.uses = Default::default();
    }

    /// Removes what was made since.
    fn cut(&self, program: &mut Program) {
        let before = &self.before;
        // An op that is half made has a row in some tables only.
        let made = before.ops..program.ops.len();
        for op in made.map(Op::from_index) {
            program.op_regions.swap_remove(&op);
        }
        program.ops.truncate(before.ops);
        program.roles.truncate(before.ops);
        program.chunks.truncate(before.ops);
        program.operands.truncate(before.operands);
        program.values.truncate(before.values);
        program.blocks.truncate(before.blocks);
        program.regions.truncate(before.regions);
    }

    fn restore_ops(&self, program: &mut Program) {
        for &(op, links) in self.links.iter().rev() {
            let row = &mut program.ops[op.index()];
            (row.block, row.prev, row.next) = (links.block, links.prev, links.next);
        }
        for &(op, operands, results) in self.runs.iter().rev() {
            let row = &mut program.ops[op.index()];
            (row.operands, row.results) = (operands, results);
        }
        for &(op, dict) in self.dicts.iter().rev() {
            program.ops[op.index()].dict = dict;
        }
        self.roles.put_back(&mut program.roles);
        self.chunks.put_back(&mut program.chunks);
        self.operands.put_back(&mut program.operands);
        for &(value, ty) in self.types.iter().rev() {
            program.values[value.index()].ty = ty;
        }
    }

    fn restore_blocks(&self, program: &mut Program) {
        for (op, regions) in self.op_regions.iter().rev() {
            if regions.is_empty() {
                program.op_regions.swap_remove(op);
            } else {
                program.op_regions.insert(*op, regions.clone());
            }
        }
        for &(region, blocks) in self.regions.iter().rev() {
            program.regions[region.index()].blocks.truncate(blocks);
        }
        for &(block, ends) in self.blocks.iter().rev() {
            let row = &mut program.blocks[block.index()];
            (row.first, row.last) = (ends.first, ends.last);
            row.arguments.truncate(ends.arguments);
            row.kwargs.truncate(ends.kwargs);
        }
        for &(block, _) in &self.blocks {
            if let Some(first) = program.block_ops(block).next() {
                program.renumber_block(first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::ir::{AttrValue, Context, OpSpec, Rewriter, names};
    use crate::text;

    const SOURCE: &str = r#"{
    ^kw:
        %kwarg_w {persistable:true}
    (%0) = "pd_op.data" () {chunk_id:0,name:"x",op_role:0} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.if" (%0) {} -> tensor<2xf32> {
        (%3) = "pd_op.tanh" (%1) {op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%3) {} : (tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%1) {} : (tensor<2xf32>) -> 
    }
    () = "builtin.shadow_output" (%2) {output_name:"y"} : (tensor<2xf32>) -> 
}
"#;

    fn sample() -> Program {
        let read = text::read_program(&Context::new(), "sample.pir", SOURCE.as_bytes());
        read.map_err(|faults| faults[0].to_string()).unwrap().program
    }

    /// Text, uses and order: all that can be asked of a program.
    fn picture(program: &Program) -> String {
        let ops: Vec<Op> = program
            .blocks()
            .flat_map(|block| program.block_ops(block).collect::<Vec<Op>>())
            .collect();
        let uses = ops.iter().flat_map(|&op| program.results(op)).map(|value| {
            let mut uses: Vec<_> = program.uses(value).collect();
            uses.sort();
            format!("{uses:?}")
        });
        let order = ops.iter().map(|&op| {
            program.next_op(op).is_none_or(|next| program.is_before(op, next)).to_string()
        });
        let facts: Vec<String> = uses.chain(order).collect();
        format!("{}{}{facts:?}", text::to_text(program), program.edit_stamp())
    }

    /// One edit of each kind, some on what another edit made.
    fn edit_everything(rewriter: &mut Rewriter<'_>) {
        let context = rewriter.context();
        let ops: Vec<Op> = rewriter.program().top_ops().collect();
        let &[data, relu, outer, output] = ops.as_slice() else { panic!("four ops") };
        let top = rewriter.program().top();
        let (x, y) = (rewriter.program().result(data, 0), rewriter.program().result(relu, 0));
        let ty = rewriter.program().ty(x);
        rewriter.set_operand(output, 0, Some(y));
        rewriter.erase(outer).unwrap();
        let spec = || OpSpec::new(context.name("pd_op.neg")).results(std::slice::from_ref(&ty));
        for at in [At::End(top), At::Before(data), At::After(relu), At::Before(relu)] {
            let made = rewriter.create(at, spec());
            rewriter.set_chunk(made, Some(9));
            let block = rewriter.add_region(made);
            rewriter.create(At::End(block), spec());
        }
        let block = rewriter.add_region(relu);
        rewriter.add_argument(block, ty, Dict::EMPTY);
        rewriter.add_kwarg(top, context.name("more"), ty, Dict::EMPTY).unwrap();
        rewriter.add_argument(top, ty, Dict::EMPTY);
        rewriter.set_chunk(data, Some(5));
        rewriter.remove_attr(data, names::OP_ROLE);
        rewriter.set_attr(relu, context.name("axis"), context.attr(AttrValue::int32(1)));
        rewriter.set_attr(relu, context.name("axis"), context.attr(AttrValue::int32(2)));
        rewriter.set_type(x, Type::NULL);
        rewriter.replace_all_uses(y, x);
        rewriter.erase(output).unwrap();
    }

    #[test]
    fn a_program_is_as_before_once_edits_of_all_kinds_are_taken_back() {
        let mut program = sample();
        let before = picture(&program);
        let mut rewriter = Rewriter::with_undo(&mut program);
        edit_everything(&mut rewriter);
        let undo = rewriter.into_undo().unwrap();
        assert_ne!(picture(&program), before);
        undo.roll_back(&mut program);
        assert_eq!(picture(&program), before);
        // And it can be edited as before.
        edit_everything(&mut Rewriter::new(&mut program));
    }

    #[test]
    fn an_edit_that_panics_halfway_is_taken_back_too() {
        let mut program = sample();
        let before = picture(&program);
        let output = program.top_ops().last().unwrap();
        let mut rewriter = Rewriter::with_undo(&mut program);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            edit_everything(&mut rewriter);
            let name = rewriter.context().name("pd_op.neg");
            rewriter.create(At::Before(output), OpSpec::new(name));
        }));
        assert!(panicked.is_err());
        let undo = rewriter.into_undo().unwrap();
        undo.roll_back(&mut program);
        assert_eq!(picture(&program), before);
    }
}
