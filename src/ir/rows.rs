//! Adding rows to a program.
//!
//! What [`Rewriter`](super::Rewriter) and [`Extract`](super::Extract) make things with; neither marks
//! what is touched, which is the rewriter's part.

use indexmap::map::Entry;

use super::program::{BlockRow, NO_ORIGIN, OpRow, RegionRow, Run, ValueRow, column_cell};
use super::{
    At, Block, BlockArgument, Dict, EditError, Name, Op, OpSpec, Program, Region, Type, Value,
    ValueDef,
};

impl Program {
    pub(super) fn make_op(&mut self, at: At, spec: OpSpec<'_>) -> Op {
        let op = Op::from_index(self.ops.len());
        let operands = Run::new(self.operands.len(), spec.operands.len());
        let results = Run::new(self.values.len(), spec.results.len());
        self.operands.extend_from_slice(spec.operands);
        self.values.extend(spec.results.iter().enumerate().map(|(index, &ty)| ValueRow {
            def: ValueDef::Result { op, index: index as u32 },
            ty,
        }));
        self.ops.push(OpRow {
            name: spec.name,
            dict: spec.dict,
            operands,
            results,
            block: None,
            prev: None,
            next: None,
            order: 0,
            origin: spec.origin.unwrap_or(NO_ORIGIN),
        });
        self.roles.push(column_cell(spec.role));
        self.chunks.push(column_cell(spec.chunk));
        self.live_ops += 1;
        self.edits += 1;
        let (block, before) = match at {
            At::End(block) => (block, None),
            At::Before(next) => (self.block_of(next), Some(next)),
            At::After(prev) => (self.block_of(prev), self.next_op(prev)),
        };
        self.link_op(op, block, before);
        if let Some(mut uses) = self.uses.take() {
            uses.add_op(self, op);
            self.uses = uses.into();
        }
        op
    }

    pub(super) fn make_kwarg(
        &mut self,
        block: Block,
        keyword: Name,
        ty: Type,
        attrs: Dict,
    ) -> Result<Value, EditError> {
        let value = Value::from_index(self.values.len());
        match self.blocks[block.index()].kwargs.entry(keyword) {
            Entry::Occupied(_) => {
                let keyword = self.context.name_text(keyword).to_owned();
                return Err(EditError::KwargExists { keyword });
            }
            Entry::Vacant(free) => _ = free.insert(BlockArgument { value, attrs }),
        }
        Ok(self.make_kwarg_value(block, keyword, ty))
    }

    /// The value of a kwarg, without its entry in the block.
    pub(super) fn make_kwarg_value(&mut self, block: Block, keyword: Name, ty: Type) -> Value {
        let value = Value::from_index(self.values.len());
        self.values.push(ValueRow { def: ValueDef::Kwarg { block, keyword }, ty });
        self.edits += 1;
        value
    }

    pub(super) fn make_argument(&mut self, block: Block, ty: Type, attrs: Dict) -> Value {
        let value = Value::from_index(self.values.len());
        let arguments = &mut self.blocks[block.index()].arguments;
        let index = arguments.len() as u32;
        arguments.push(BlockArgument { value, attrs });
        self.values.push(ValueRow { def: ValueDef::Argument { block, index }, ty });
        self.edits += 1;
        value
    }

    /// A region with one empty block.
    pub(super) fn make_region(&mut self, op: Op) -> Block {
        let region = Region::from_index(self.regions.len());
        self.regions.push(RegionRow { op, blocks: Default::default() });
        self.op_regions.entry(op).or_default().push(region);
        self.make_block(region)
    }

    pub(super) fn make_block(&mut self, region: Region) -> Block {
        let block = Block::from_index(self.blocks.len());
        self.blocks.push(BlockRow { region: Some(region), ..BlockRow::default() });
        self.regions[region.index()].blocks.push(block);
        self.edits += 1;
        block
    }
}
