//! A program: rows of ops, values, blocks and regions in plain `Vec`s.
//!
//! What a program decides:
//! - which ops there are, their operands, results, attributes and regions ([`OpRow`]);
//! - which value is defined where, and of which type ([`ValueRow`]);
//! - the order of the ops of a block (a linked list with order numbers, see [`order`](super::order)).
//!
//! Invariants:
//! - the results of an op are consecutive values, its operands consecutive slots of one pool;
//! - an erased op leaves its block and its id is not used again, so a stale id is found;
//! - `op_role` and `chunk_id` are columns: integers under these names are never in a dictionary;
//! - the use index is derived: built on the first question, kept current by edits, not cloned.
//!
//! All edits go through [`Rewriter`](super::Rewriter).

use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::entity::entities;
use super::uses::{Use, UseIndex, UseOrder};
use super::{Attr, AttrValue, Context, Dict, Name, Origins, Type, names};

entities! {
    /// An operation.
    Op = "op";
    /// A result of an op, or an argument of a block.
    Value = "v";
    /// A list of ops.
    Block = "block";
    /// A list of blocks nested in an op.
    Region = "region";
}

/// A map whose iteration order is the order of insertion.
pub(crate) type FxIndexMap<K, V> = IndexMap<K, V, FxBuildHasher>;

/// Marks an absent `op_role` or `chunk_id`; differs from -1, which says "to be inferred".
const ABSENT: i32 = i32::MIN;
/// The origin of an op that was made, not read.
pub(super) const NO_ORIGIN: u32 = u32::MAX;

/// A run of consecutive entries of a table.
#[derive(Copy, Clone, Default)]
pub(super) struct Run {
    pub(super) start: u32,
    pub(super) len: u32,
}

impl Run {
    pub(super) fn new(start: usize, len: usize) -> Self {
        let narrow = |n| u32::try_from(n).expect("more than 4,294,967,295 operands or results");
        Self { start: narrow(start), len: narrow(len) }
    }

    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

#[derive(Clone)]
pub(super) struct OpRow {
    pub(super) name: Name,
    pub(super) dict: Dict,
    pub(super) operands: Run,
    pub(super) results: Run,
    /// `None` once the op is erased.
    pub(super) block: Option<Block>,
    pub(super) prev: Option<Op>,
    pub(super) next: Option<Op>,
    pub(super) order: u32,
    pub(super) origin: u32,
}

#[derive(Copy, Clone)]
pub(super) struct ValueRow {
    pub(super) def: ValueDef,
    pub(super) ty: Type,
}

/// Where a value is defined.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// The result of an op.
    Result {
        /// The op.
        op: Op,
        /// Which of its results.
        index: u32,
    },
    /// A positional argument of a block.
    Argument {
        /// The block.
        block: Block,
        /// Which of its arguments.
        index: u32,
    },
    /// A keyword argument of a block.
    Kwarg {
        /// The block.
        block: Block,
        /// The keyword.
        keyword: Name,
    },
}

/// An argument of a block: its value, and its attributes in the order they were given.
#[derive(Copy, Clone, Debug)]
pub struct BlockArgument {
    /// The value that ops of the block use.
    pub value: Value,
    /// Its attributes.
    pub attrs: Dict,
}

#[derive(Clone, Default)]
pub(super) struct BlockRow {
    pub(super) region: Option<Region>,
    pub(super) first: Option<Op>,
    pub(super) last: Option<Op>,
    pub(super) arguments: Vec<BlockArgument>,
    pub(super) kwargs: FxIndexMap<Name, BlockArgument>,
}

#[derive(Clone)]
pub(super) struct RegionRow {
    pub(super) op: Op,
    pub(super) blocks: SmallVec<[Block; 1]>,
}

/// One top block of ops, with keyword arguments; regions nest blocks inside ops.
pub struct Program {
    pub(super) context: Arc<Context>,
    pub(super) ops: Vec<OpRow>,
    pub(super) roles: Vec<i32>,
    pub(super) chunks: Vec<i32>,
    pub(super) operands: Vec<Option<Value>>,
    pub(super) values: Vec<ValueRow>,
    pub(super) blocks: Vec<BlockRow>,
    pub(super) regions: Vec<RegionRow>,
    /// Few ops have regions, so they stand beside the rows.
    pub(super) op_regions: FxIndexMap<Op, SmallVec<[Region; 2]>>,
    pub(super) live_ops: usize,
    pub(super) origins: Arc<Origins>,
    pub(super) uses: OnceLock<UseIndex>,
    pub(super) edits: u64,
}

impl Clone for Program {
    /// A few memory copies; the use index is left behind.
    fn clone(&self) -> Self {
        Self {
            context: Arc::clone(&self.context),
            ops: self.ops.clone(),
            roles: self.roles.clone(),
            chunks: self.chunks.clone(),
            operands: self.operands.clone(),
            values: self.values.clone(),
            blocks: self.blocks.clone(),
            regions: self.regions.clone(),
            op_regions: self.op_regions.clone(),
            live_ops: self.live_ops,
            origins: Arc::clone(&self.origins),
            uses: OnceLock::new(),
            edits: self.edits,
        }
    }
}

impl std::fmt::Debug for Program {
    /// Its size alone; [`text`](crate::text) prints it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("ops", &self.live_ops).finish_non_exhaustive()
    }
}

impl Program {
    /// A program whose top block is empty.
    pub fn new(context: &Arc<Context>) -> Self {
        Self {
            context: Arc::clone(context),
            ops: Vec::new(),
            roles: Vec::new(),
            chunks: Vec::new(),
            operands: Vec::new(),
            values: Vec::new(),
            blocks: vec![BlockRow::default()],
            regions: Vec::new(),
            op_regions: FxIndexMap::default(),
            live_ops: 0,
            origins: Arc::default(),
            uses: OnceLock::new(),
            edits: 0,
        }
    }

    /// The context of all handles in this program.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The top block.
    pub fn top(&self) -> Block {
        Block::new(0)
    }

    /// The number of ops, nested ones included.
    pub fn op_count(&self) -> usize {
        self.live_ops
    }

    /// One past the greatest index of an op, erased ones included: the size of a table by op.
    pub fn op_capacity(&self) -> usize {
        self.ops.len()
    }

    /// One past the greatest index of a value: the size of a table by value.
    pub fn value_capacity(&self) -> usize {
        self.values.len()
    }

    /// How many edits this program and those it was cloned from have seen. Equal numbers of one
    /// program mean that nothing changed between.
    pub fn edit_stamp(&self) -> u64 {
        self.edits
    }

    /// Where its ops come from.
    pub fn origins(&self) -> &Arc<Origins> {
        &self.origins
    }
}

/// # Ops
impl Program {
    fn row(&self, op: Op) -> &OpRow {
        let row = &self.ops[op.index()];
        assert!(row.block.is_some(), "{op:?} was erased");
        row
    }

    /// Whether an op was erased.
    pub fn is_erased(&self, op: Op) -> bool {
        self.ops.get(op.index()).is_none_or(|row| row.block.is_none())
    }

    /// The name of an op.
    pub fn name(&self, op: Op) -> Name {
        self.row(op).name
    }

    /// The name of an op, as text.
    pub fn name_text(&self, op: Op) -> &str {
        self.context.name_text(self.name(op))
    }

    /// The operands of an op; `None` where an optional one is absent.
    pub fn operands(&self, op: Op) -> &[Option<Value>] {
        &self.operands[self.row(op).operands.range()]
    }

    /// An operand of an op, if there is one at `index` and it is not null.
    pub fn operand(&self, op: Op, index: usize) -> Option<Value> {
        self.operands(op).get(index).copied().flatten()
    }

    /// The results of an op.
    pub fn results(
        &self,
        op: Op,
    ) -> impl ExactSizeIterator<Item = Value> + DoubleEndedIterator + use<> {
        self.row(op).results.range().map(Value::from_index)
    }

    /// The number of results of an op.
    pub fn result_count(&self, op: Op) -> usize {
        self.row(op).results.len as usize
    }

    /// A result of an op.
    ///
    /// # Panics
    /// If the op has no result of that index.
    pub fn result(&self, op: Op, index: usize) -> Value {
        self.results(op).nth(index).expect("the op has a result of this index")
    }

    /// The regions of an op.
    pub fn regions(&self, op: Op) -> &[Region] {
        self.op_regions.get(&op).map_or(&[], |regions| regions.as_slice())
    }

    /// The block that an op stands in.
    pub fn block_of(&self, op: Op) -> Block {
        self.row(op).block.expect("a row of a live op has a block")
    }

    /// The attributes of an op other than `op_role` and `chunk_id`.
    pub fn dict(&self, op: Op) -> Dict {
        self.row(op).dict
    }

    /// An attribute of an op, `op_role` and `chunk_id` included.
    pub fn attr(&self, op: Op, name: Name) -> Option<Attr> {
        let column = match name {
            names::OP_ROLE => self.role(op),
            names::CHUNK_ID => self.chunk(op),
            _ => None,
        };
        match column {
            Some(value) => Some(self.context.attr(AttrValue::int32(value))),
            None => self.context.dict_get(self.dict(op), name),
        }
    }

    /// The value of an attribute of an op.
    pub fn attr_value(&self, op: Op, name: Name) -> Option<&AttrValue> {
        self.attr(op, name).map(|attr| self.context.attr_value(attr))
    }

    /// The text of a string attribute of an op.
    pub fn attr_str(&self, op: Op, name: Name) -> Option<&str> {
        let attr = self.attr(op, name)?;
        match self.context.string_name(attr) {
            Some(text) => Some(self.context.name_text(text)),
            None => self.context.attr_value(attr).as_str(),
        }
    }

    /// The string attribute `name` of an op, as a name: what a variable is called, without a look
    /// at the text.
    pub fn attr_name(&self, op: Op, name: Name) -> Option<Name> {
        let attr = self.attr(op, name)?;
        let other = || self.context.attr_value(attr).as_str().map(|text| self.context.name(text));
        self.context.string_name(attr).or_else(other)
    }

    /// The `op_role` of an op: forward 0, backward 1, optimize 2; -1: not said; bit 256: loss.
    pub fn role(&self, op: Op) -> Option<i32> {
        Some(self.roles[op.index()]).filter(|&role| role != ABSENT)
    }

    /// The `chunk_id` of an op: which chunk of its stage it belongs to; -1: to be inferred.
    pub fn chunk(&self, op: Op) -> Option<i32> {
        Some(self.chunks[op.index()]).filter(|&chunk| chunk != ABSENT)
    }

    /// Which op of the source this one is or was made from, if any; see [`Origins`].
    pub fn origin(&self, op: Op) -> Option<u32> {
        Some(self.row(op).origin).filter(|&origin| origin != NO_ORIGIN)
    }

    /// The element of an attribute that holds one truth value per result, such as
    /// `stop_gradient:[true,false]`; a lone `true` counts for every result.
    pub fn result_flag(&self, op: Op, name: Name, index: usize) -> Option<bool> {
        match self.attr_value(op, name)? {
            AttrValue::Array(flags) => self.context.attr_value(*flags.get(index)?).as_bool(),
            value => value.as_bool(),
        }
    }
}

/// # Values
impl Program {
    /// Where a value is defined.
    pub fn def(&self, value: Value) -> ValueDef {
        self.values[value.index()].def
    }

    /// The op that defines a value, unless it is an argument.
    pub fn defining_op(&self, value: Value) -> Option<Op> {
        match self.def(value) {
            ValueDef::Result { op, .. } => Some(op),
            _ => None,
        }
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value.index()].ty
    }

    /// The uses of a value, in no order that may be relied on.
    pub fn uses(&self, value: Value) -> impl Iterator<Item = Use> + '_ {
        self.uses.get_or_init(|| UseIndex::build(self)).of(value)
    }

    /// Puts the uses of each value into another order; edits keep the index up. What a pass makes of
    /// such a program must be what it makes of any other: a test that runs it on both finds out.
    pub fn reorder_uses(&mut self, order: UseOrder) {
        let ordered = UseIndex::build_ordered(self, order);
        self.uses = OnceLock::from(ordered);
    }

    /// Whether nothing uses a value.
    pub fn is_unused(&self, value: Value) -> bool {
        self.uses(value).next().is_none()
    }
}

/// # Blocks
impl Program {
    /// All blocks, the top one first, those of erased ops included.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = Block> + use<> {
        (0..self.blocks.len()).map(Block::from_index)
    }

    /// The positional arguments of a block.
    pub fn arguments(&self, block: Block) -> &[BlockArgument] {
        &self.blocks[block.index()].arguments
    }

    /// The keyword arguments of a block, in the order they were added.
    pub fn kwargs(
        &self,
        block: Block,
    ) -> impl ExactSizeIterator<Item = (Name, BlockArgument)> + '_ {
        self.blocks[block.index()].kwargs.iter().map(|(&keyword, &argument)| (keyword, argument))
    }

    /// The keyword argument of a keyword.
    pub fn kwarg(&self, block: Block, keyword: Name) -> Option<BlockArgument> {
        self.blocks[block.index()].kwargs.get(&keyword).copied()
    }

    /// The op whose region holds a block; none for the top block.
    pub fn parent_op(&self, block: Block) -> Option<Op> {
        self.blocks[block.index()].region.map(|region| self.regions[region.index()].op)
    }

    /// The blocks of a region.
    pub fn region_blocks(&self, region: Region) -> &[Block] {
        &self.regions[region.index()].blocks
    }

    /// The ops of a block, in order. Nested ops are not among them.
    pub fn block_ops(&self, block: Block) -> BlockOps<'_> {
        let row = &self.blocks[block.index()];
        BlockOps { program: self, front: row.first, back: row.last }
    }

    /// The ops of the top block, in order.
    pub fn top_ops(&self) -> BlockOps<'_> {
        self.block_ops(self.top())
    }

    /// The op of `block` that is `op` or holds it in a region; `None` if there is none.
    pub fn ancestor_in(&self, block: Block, mut op: Op) -> Option<Op> {
        loop {
            let home = self.block_of(op);
            if home == block {
                return Some(op);
            }
            op = self.parent_op(home)?;
        }
    }

    /// `op` and all ops nested in it, each before those that it holds.
    pub fn nest(&self, op: Op) -> Nest<'_> {
        Nest { program: self, next: Some(op), pending: Vec::new() }
    }
}

/// The ops of a block, in order; from both ends.
#[derive(Clone)]
pub struct BlockOps<'p> {
    program: &'p Program,
    front: Option<Op>,
    back: Option<Op>,
}

impl Iterator for BlockOps<'_> {
    type Item = Op;

    fn next(&mut self) -> Option<Op> {
        let op = self.front?;
        if self.back == Some(op) {
            (self.front, self.back) = (None, None);
        } else {
            self.front = self.program.ops[op.index()].next;
        }
        Some(op)
    }
}

impl DoubleEndedIterator for BlockOps<'_> {
    fn next_back(&mut self) -> Option<Op> {
        let op = self.back?;
        if self.front == Some(op) {
            (self.front, self.back) = (None, None);
        } else {
            self.back = self.program.ops[op.index()].prev;
        }
        Some(op)
    }
}

/// An op and all that is nested in it; see [`Program::nest`].
pub struct Nest<'p> {
    program: &'p Program,
    next: Option<Op>,
    /// What follows `next`, the last one first. Most ops hold nothing, so this stays empty.
    pending: Vec<Op>,
}

impl Iterator for Nest<'_> {
    type Item = Op;

    #[inline]
    fn next(&mut self) -> Option<Op> {
        let op = self.next.take()?;
        let regions = self.program.regions(op);
        if !(regions.is_empty() && self.pending.is_empty()) {
            self.queue(regions);
        }
        Some(op)
    }
}

impl Nest<'_> {
    fn queue(&mut self, regions: &[Region]) {
        for &region in regions.iter().rev() {
            for &block in self.program.region_blocks(region).iter().rev() {
                self.pending.extend(self.program.block_ops(block).rev());
            }
        }
        self.next = self.pending.pop();
    }
}

/// Reads a column cell; the inverse of [`column_cell`].
pub(super) fn column_cell(value: Option<i32>) -> i32 {
    value.unwrap_or(ABSENT)
}
