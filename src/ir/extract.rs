//! Copying chosen ops of one program into a new one.
//!
//! The way from a whole program to the program of one job: ops are copied in the order in which
//! they are asked for, integers only, and keep their origin. What an op reads must have been copied
//! or bound to a value of the new program before.

use std::sync::Arc;

use thiserror::Error;

use super::program::{NO_ORIGIN, Run};
use super::{At, Block, Dict, EditError, Name, Op, OpSpec, Program, Rewriter, Type, Value};

/// An op to copy reads a value that the copy does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("operand {operand} of `{name}` is neither copied nor bound")]
pub struct UnboundOperand {
    /// The name of the op.
    pub name: String,
    /// Which of its operands.
    pub operand: usize,
}

/// From the values of one program to those of a copy. One map serves many copies in turn: what
/// an earlier copy left in it is not seen by a later one.
pub struct ValueMap {
    cells: Vec<(u32, Option<Value>)>,
    copy: u32,
}

impl ValueMap {
    /// An empty map for the values of `source`.
    pub fn new(source: &Program) -> Self {
        Self { cells: vec![(0, None); source.value_capacity()], copy: 0 }
    }

    fn get(&self, value: Value) -> Option<Value> {
        let (copy, target) = self.cells[value.index()];
        target.filter(|_| copy == self.copy)
    }

    fn set(&mut self, value: Value, target: Value) {
        self.cells[value.index()] = (self.copy, Some(target));
    }
}

/// A program that is being made from ops of another; see the [module](self).
pub struct Extract<'s> {
    source: &'s Program,
    map: &'s mut ValueMap,
    target: Program,
    operands: Vec<Option<Value>>,
    types: Vec<Type>,
}

impl<'s> Extract<'s> {
    /// An empty program of the same context and origins.
    pub fn new(source: &'s Program, map: &'s mut ValueMap) -> Self {
        map.copy += 1;
        map.cells.resize(source.value_capacity(), (0, None));
        let mut target = Program::new(source.context());
        target.origins = Arc::clone(source.origins());
        Self { source, map, target, operands: Vec::new(), types: Vec::new() }
    }

    /// Makes room for copies of `ops`, for as many `more` of one operand and no result, and for
    /// as many more `kwargs` of the top block.
    pub fn reserve(&mut self, ops: impl Iterator<Item = Op>, more: usize, kwargs: usize) {
        let top = self.target.top().index();
        self.target.blocks[top].kwargs.reserve(kwargs);
        let (mut count, mut operands, mut results) = (more, more, kwargs);
        for op in ops {
            let row = &self.source.ops[op.index()];
            count += 1;
            operands += row.operands.len as usize;
            results += row.results.len as usize;
        }
        Rewriter::new(&mut self.target).reserve(count, operands, results);
    }

    /// The program as it is now.
    pub fn target(&self) -> &Program {
        &self.target
    }

    /// What `value` of the source is in the copy, if it is there.
    pub fn copy_of(&self, value: Value) -> Option<Value> {
        self.map.get(value)
    }

    /// Makes uses of `value` in ops that are copied from now on uses of `target`.
    pub fn bind(&mut self, value: Value, target: Value) {
        self.map.set(value, target);
    }

    /// Adds a keyword argument to the top block.
    ///
    /// # Errors
    /// If there is one of this keyword.
    pub fn add_kwarg(&mut self, keyword: Name, ty: Type, attrs: Dict) -> Result<Value, EditError> {
        self.target.make_kwarg(self.target.top(), keyword, ty, attrs)
    }

    /// Adds the positional and keyword arguments of the source's top block. Comes before
    /// [`add_kwarg`](Self::add_kwarg).
    pub fn copy_arguments(&mut self) {
        self.copy_block_arguments(self.source.top(), self.target.top());
    }

    /// Edits the program as it is now.
    pub fn rewriter(&mut self) -> Rewriter<'_> {
        Rewriter::new(&mut self.target)
    }

    /// Adds a new op at the end; its operands are values of the copy.
    pub fn append(&mut self, spec: OpSpec<'_>) -> Op {
        self.target.make_op(At::End(self.target.top()), spec)
    }

    /// Copies an op with all that is nested in it to the end of the top block.
    ///
    /// # Errors
    /// If it reads a value that is neither copied nor bound.
    pub fn copy_op(&mut self, op: Op) -> Result<Op, UnboundOperand> {
        let top = self.target.top();
        let copy = self.copy_row(op, top)?;
        if self.source.regions(op).is_empty() {
            return Ok(copy);
        }
        let mut pending = self.copy_regions(op, copy);
        while let Some((op, block)) = pending.pop() {
            let copy = self.copy_row(op, block)?;
            pending.extend(self.copy_regions(op, copy));
        }
        Ok(copy)
    }

    /// The finished program.
    pub fn finish(self) -> Program {
        self.target
    }

    /// Makes the regions of `copy`; returns the ops to fill them with, the last one first.
    fn copy_regions(&mut self, op: Op, copy: Op) -> Vec<(Op, Block)> {
        let mut pending = Vec::new();
        for &region in self.source.regions(op) {
            let blocks = self.source.region_blocks(region);
            let mut target_region = None;
            for &block in blocks {
                let target_block = match target_region {
                    None => self.target.make_region(copy),
                    Some(region) => self.target.make_block(region),
                };
                target_region = self.target.regions(copy).last().copied();
                self.copy_block_arguments(block, target_block);
                pending.extend(self.source.block_ops(block).map(|op| (op, target_block)));
            }
        }
        pending.reverse();
        pending
    }

    fn copy_block_arguments(&mut self, source: Block, target: Block) {
        for argument in self.source.arguments(source) {
            let ty = self.source.ty(argument.value);
            let value = self.target.make_argument(target, ty, argument.attrs);
            self.map.set(argument.value, value);
        }
        // The map of keywords is copied whole: hashing them anew would cost as much as all else.
        let mut kwargs = self.source.blocks[source.index()].kwargs.clone();
        for (&keyword, argument) in &mut kwargs {
            let ty = self.source.ty(argument.value);
            let value = self.target.make_kwarg_value(target, keyword, ty);
            self.map.set(argument.value, value);
            argument.value = value;
        }
        self.target.blocks[target.index()].kwargs = kwargs;
    }

    fn copy_row(&mut self, op: Op, block: Block) -> Result<Op, UnboundOperand> {
        let source = self.source;
        self.operands.clear();
        for (index, &operand) in source.operands(op).iter().enumerate() {
            let copied = operand.map(|value| self.map.get(value));
            if copied == Some(None) {
                let name = source.name_text(op).to_owned();
                return Err(UnboundOperand { name, operand: index });
            }
            self.operands.push(copied.flatten());
        }
        let row = &source.ops[op.index()];
        self.types.clear();
        self.types.extend(source.results(op).map(|value| source.ty(value)));
        let first_result = self.target.values.len();
        let spec = OpSpec::new(row.name)
            .operands(&self.operands)
            .results(&self.types)
            .dict(row.dict)
            .role(source.role(op))
            .chunk(source.chunk(op))
            .origin(Some(row.origin).filter(|&origin| origin != NO_ORIGIN));
        let copy = self.target.make_op(At::End(block), spec);
        let results = Run::new(first_result, row.results.len as usize);
        for (value, target) in row.results.range().zip(results.range()) {
            self.map.set(Value::from_index(value), Value::from_index(target));
        }
        Ok(copy)
    }
}
