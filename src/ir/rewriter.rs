//! The one way to edit a program.
//!
//! A rewriter counts edits, so "changed" cannot lie, and marks the ops it touched, so that a check
//! can look at those alone. The use index, once built, is kept current.
//!
//! ```
//! use pirogue::ir::{At, Context, OpSpec, Program, Rewriter, ScalarType, TensorType, TypeKind};
//! let context = Context::new();
//! let mut program = Program::new(&context);
//! let tensor = context.ty(TypeKind::Tensor(TensorType::new([2, 3], ScalarType::F32)));
//! let mut rewriter = Rewriter::new(&mut program);
//! let top = rewriter.program().top();
//! let data = rewriter.create(At::End(top), OpSpec::new(context.name("pd_op.data")).results(&[tensor]));
//! let x = rewriter.program().result(data, 0);
//! let relu = OpSpec::new(context.name("pd_op.relu"));
//! rewriter.create(At::End(top), relu.operands(&[Some(x)]).results(&[tensor]));
//! assert!(rewriter.erase(data).is_err(), "its result is used");
//! assert_eq!(rewriter.edits(), 2);
//! ```

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use thiserror::Error;

use super::program::{Run, column_cell};
use super::undo::Undo;
use super::{
    Attr, Block, Context, Dict, Name, Op, Origins, Program, Region, Type, Use, Value, ValueDef,
    names,
};

/// Where a new op goes.
#[derive(Copy, Clone, Debug)]
pub enum At {
    /// Behind all ops of the block.
    End(Block),
    /// Directly before the op.
    Before(Op),
    /// Directly behind the op.
    After(Op),
}

/// What a new op is to be.
#[derive(Copy, Clone, Debug)]
pub struct OpSpec<'a> {
    pub(super) name: Name,
    pub(super) operands: &'a [Option<Value>],
    pub(super) results: &'a [Type],
    pub(super) dict: Dict,
    pub(super) role: Option<i32>,
    pub(super) chunk: Option<i32>,
    pub(super) origin: Option<u32>,
}

impl<'a> OpSpec<'a> {
    /// An op without operands, results or attributes.
    pub fn new(name: Name) -> Self {
        Self {
            name,
            operands: &[],
            results: &[],
            dict: Dict::EMPTY,
            role: None,
            chunk: None,
            origin: None,
        }
    }

    /// What the op reads; `None` for an absent optional operand.
    pub fn operands(self, operands: &'a [Option<Value>]) -> Self {
        Self { operands, ..self }
    }

    /// The types of its results.
    pub fn results(self, results: &'a [Type]) -> Self {
        Self { results, ..self }
    }

    /// Its attributes other than `op_role` and `chunk_id`.
    pub fn dict(self, dict: Dict) -> Self {
        Self { dict, ..self }
    }

    /// Its `op_role`; see [`Program::role`].
    pub fn role(self, role: Option<i32>) -> Self {
        Self { role, ..self }
    }

    /// Its `chunk_id`; see [`Program::chunk`].
    pub fn chunk(self, chunk: Option<i32>) -> Self {
        Self { chunk, ..self }
    }

    /// Which op of the source it is made from; see [`Program::origin`].
    pub fn origin(self, origin: Option<u32>) -> Self {
        Self { origin, ..self }
    }

    /// Role, chunk and origin of another op.
    pub fn like(self, program: &Program, op: Op) -> Self {
        let (role, chunk) = (program.role(op), program.chunk(op));
        self.role(role).chunk(chunk).origin(program.origin(op))
    }
}

/// Why an edit was refused. The program is as it was.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditError {
    /// A result of the op to erase is read.
    #[error("result {result} of `{name}` cannot be erased: `{user}` reads it")]
    StillUsed {
        /// The name of the op to erase.
        name: String,
        /// Which of its results.
        result: u32,
        /// The name of an op that reads it.
        user: String,
    },
    /// The block has a kwarg of this keyword.
    #[error("the block already has a keyword argument `{keyword}`")]
    KwargExists {
        /// The keyword.
        keyword: String,
    },
}

/// Edits a program; see the [module](self).
pub struct Rewriter<'p> {
    program: &'p mut Program,
    edits_before: u64,
    touched: FixedBitSet,
    undo: Option<Box<Undo>>,
}

impl<'p> Rewriter<'p> {
    /// A rewriter that has touched nothing.
    pub fn new(program: &'p mut Program) -> Self {
        Self { edits_before: program.edits, program, touched: FixedBitSet::new(), undo: None }
    }

    /// A rewriter whose edits can be taken back.
    pub(crate) fn with_undo(program: &'p mut Program) -> Self {
        let undo = Some(Box::new(Undo::new(program)));
        Self { undo, ..Self::new(program) }
    }

    /// What takes its edits back, if it was made for that.
    pub(crate) fn into_undo(self) -> Option<Box<Undo>> {
        self.undo
    }

    /// The program as it is now.
    pub fn program(&self) -> &Program {
        self.program
    }

    /// The context of the program.
    pub fn context(&self) -> Arc<Context> {
        Arc::clone(&self.program.context)
    }

    /// How many edits were made through this rewriter.
    pub fn edits(&self) -> u64 {
        self.program.edits - self.edits_before
    }

    /// The ops that were made or changed and still are, in the order they were made.
    pub fn touched(&self) -> impl Iterator<Item = Op> + '_ {
        self.touched.ones().map(Op::from_index).filter(|&op| !self.program.is_erased(op))
    }

    /// Marks an op that an edit changed.
    fn mark(&mut self, op: Op) {
        self.touched.grow_and_insert(op.index());
    }

    /// Counts an edit of an op.
    fn count(&mut self, op: Op) {
        self.program.edits += 1;
        self.mark(op);
    }

    /// Logs what an edit is about to change.
    fn log(&mut self, entry: impl FnOnce(&mut Undo, &Program)) {
        if let Some(undo) = &mut self.undo {
            entry(undo, self.program);
        }
    }

    /// Makes room for as many more ops, operands and results. Not an edit.
    pub fn reserve(&mut self, ops: usize, operands: usize, results: usize) {
        self.program.ops.reserve(ops);
        self.program.roles.reserve(ops);
        self.program.chunks.reserve(ops);
        self.program.operands.reserve(operands);
        self.program.values.reserve(results);
    }

    /// Says where the ops come from; see [`Origins`]. Not an edit: nothing means another thing.
    pub fn set_origins(&mut self, origins: Arc<Origins>) {
        self.program.origins = origins;
    }
}

/// # Ops
impl Rewriter<'_> {
    /// Makes an op. Its results are new values; it has no regions yet.
    pub fn create(&mut self, at: At, spec: OpSpec<'_>) -> Op {
        self.log(|undo, program| undo.insertion(program, at));
        let op = self.program.make_op(at, spec);
        self.mark(op);
        op
    }

    /// Erases an op and all that is nested in it.
    ///
    /// # Errors
    /// If another op reads one of its results.
    pub fn erase(&mut self, op: Op) -> Result<(), EditError> {
        if let Some((result, user)) = self.outside_user(op) {
            return Err(EditError::StillUsed {
                name: self.program.name_text(op).to_owned(),
                result,
                user: self.program.name_text(user).to_owned(),
            });
        }
        let nest: Vec<Op> = self.program.nest(op).collect();
        for op in nest.into_iter().rev() {
            self.erase_row(op);
        }
        Ok(())
    }

    fn outside_user(&self, op: Op) -> Option<(u32, Op)> {
        let program = &*self.program;
        let results = program.results(op).enumerate();
        results
            .flat_map(|(index, value)| program.uses(value).map(move |u| (index as u32, u.op)))
            .next()
    }

    fn erase_row(&mut self, op: Op) {
        self.log(|undo, program| undo.erasure(program, op));
        self.count(op);
        let program = &mut *self.program;
        if let Some(mut uses) = program.uses.take() {
            uses.remove_op(program, op);
            program.uses = uses.into();
        }
        program.unlink_op(op);
        let row = &mut program.ops[op.index()];
        (row.operands, row.results) = (Run::default(), Run::default());
        program.op_regions.swap_remove(&op);
        program.live_ops -= 1;
    }

    /// Replaces the attributes of an op other than `op_role` and `chunk_id`.
    pub fn set_dict(&mut self, op: Op, dict: Dict) {
        self.log(|undo, program| undo.dict(program, op));
        self.program.ops[op.index()].dict = dict;
        self.count(op);
    }

    /// Sets an attribute of an op. An integer under `op_role` or `chunk_id` goes to the column.
    pub fn set_attr(&mut self, op: Op, name: Name, attr: Attr) {
        let context = self.context();
        let column = match context.attr_value(attr).as_int().map(i32::try_from) {
            Some(Ok(value)) => Some(value),
            _ => None,
        };
        match (name, column) {
            (names::OP_ROLE, Some(role)) => self.set_role(op, Some(role)),
            (names::CHUNK_ID, Some(chunk)) => self.set_chunk(op, Some(chunk)),
            _ => self.set_dict(op, context.dict_with(self.program.dict(op), name, attr)),
        }
    }

    /// Removes an attribute of an op; nothing happens if it has none of that name.
    pub fn remove_attr(&mut self, op: Op, name: Name) {
        if self.program.attr(op, name).is_none() {
            return;
        }
        match name {
            names::OP_ROLE => self.set_role_cell(op, None),
            names::CHUNK_ID => self.set_chunk_cell(op, None),
            _ => {}
        }
        self.set_dict(op, self.program.context.dict_without(self.program.dict(op), name));
    }

    /// Sets the `op_role` of an op.
    pub fn set_role(&mut self, op: Op, role: Option<i32>) {
        self.set_role_cell(op, role);
        self.drop_from_dict(op, names::OP_ROLE);
        self.count(op);
    }

    /// Sets the `chunk_id` of an op.
    pub fn set_chunk(&mut self, op: Op, chunk: Option<i32>) {
        self.set_chunk_cell(op, chunk);
        self.drop_from_dict(op, names::CHUNK_ID);
        self.count(op);
    }

    fn set_role_cell(&mut self, op: Op, role: Option<i32>) {
        self.log(|undo, program| undo.role(program, op));
        self.program.roles[op.index()] = column_cell(role);
    }

    fn set_chunk_cell(&mut self, op: Op, chunk: Option<i32>) {
        self.log(|undo, program| undo.chunk(program, op));
        self.program.chunks[op.index()] = column_cell(chunk);
    }

    /// A value of another kind under a column's name gives way to the column.
    fn drop_from_dict(&mut self, op: Op, name: Name) {
        let dict = self.program.ops[op.index()].dict;
        if self.program.context.dict_get(dict, name).is_some() {
            self.log(|undo, program| undo.dict(program, op));
            self.program.ops[op.index()].dict = self.program.context.dict_without(dict, name);
        }
    }

    /// Sets one operand of an op.
    pub fn set_operand(&mut self, op: Op, index: usize, value: Option<Value>) {
        let slot = self.program.ops[op.index()].operands.range().nth(index);
        let slot = slot.expect("the op has an operand of this index");
        self.log(|undo, program| undo.operand(program, slot));
        let program = &mut *self.program;
        let old = std::mem::replace(&mut program.operands[slot], value);
        if let Some(uses) = program.uses.get_mut() {
            uses.replace(slot, old, value);
        }
        self.count(op);
    }

    /// Makes every use of `old` a use of `new`.
    pub fn replace_all_uses(&mut self, old: Value, new: Value) {
        self.replace_uses_where(old, new, |_| true);
    }

    /// Makes those uses of `old` that are `chosen` uses of `new`.
    pub fn replace_uses_where(&mut self, old: Value, new: Value, chosen: impl Fn(Use) -> bool) {
        let uses: Vec<Use> = self.program.uses(old).filter(|&u| chosen(u)).collect();
        for found in uses {
            self.set_operand(found.op, found.index as usize, Some(new));
        }
    }
}

/// # Values, blocks and regions
impl Rewriter<'_> {
    /// Sets the type of a value.
    pub fn set_type(&mut self, value: Value, ty: Type) {
        self.log(|undo, program| undo.ty(program, value));
        self.program.values[value.index()].ty = ty;
        match self.program.def(value) {
            ValueDef::Result { op, .. } => self.count(op),
            _ => self.program.edits += 1,
        }
    }

    /// Adds a keyword argument to a block.
    ///
    /// # Errors
    /// If the block has one of this keyword.
    pub fn add_kwarg(
        &mut self,
        block: Block,
        keyword: Name,
        ty: Type,
        attrs: Dict,
    ) -> Result<Value, EditError> {
        self.log(|undo, program| undo.block(program, block));
        self.program.make_kwarg(block, keyword, ty, attrs)
    }

    /// Adds a positional argument to a block.
    pub fn add_argument(&mut self, block: Block, ty: Type, attrs: Dict) -> Value {
        self.log(|undo, program| undo.block(program, block));
        self.program.make_argument(block, ty, attrs)
    }

    /// Adds a region with one empty block to an op.
    pub fn add_region(&mut self, op: Op) -> Block {
        self.log(|undo, program| undo.op_regions(program, op));
        let block = self.program.make_region(op);
        self.mark(op);
        block
    }

    /// Adds an empty block to a region.
    pub fn add_block(&mut self, region: Region) -> Block {
        self.log(|undo, program| undo.region(program, region));
        let block = self.program.make_block(region);
        self.mark(self.program.regions[region.index()].op);
        block
    }
}
