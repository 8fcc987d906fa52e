//! Who makes what, and who reads it, between the ops and arguments of the top block.
//!
//! [`DataFlow`](crate::ir::DataFlow) has the ops of a block for nodes; a picture has the arguments
//! as well, since the programs of a plan take most of what they read from kwargs.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::ir::{Op, Program, Value, ValueDef};

/// What makes values.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// An argument of the top block.
    Argument(Value),
    /// An op of the top block, with all that it holds.
    Op(Op),
}

#[derive(Copy, Clone)]
pub(super) struct Flow<'p> {
    pub program: &'p Program,
}

impl Flow<'_> {
    /// All sources, in the order of the program; arguments that nothing reads are left out.
    pub fn sources(self) -> Vec<Source> {
        let program = self.program;
        let positional = program.arguments(program.top()).iter().map(|argument| argument.value);
        let keyword = program.kwargs(program.top()).map(|(_, argument)| argument.value);
        let arguments = positional.chain(keyword).filter(|&value| !program.is_unused(value));
        arguments.map(Source::Argument).chain(program.top_ops().map(Source::Op)).collect()
    }

    /// What a source gives to the top block.
    pub fn gives(self, source: Source) -> Vec<Value> {
        match source {
            Source::Argument(value) => vec![value],
            Source::Op(op) => self.program.results(op).collect(),
        }
    }

    /// The values of the top block that a source reads, each once, in the order it reads them.
    pub fn reads(self, source: Source) -> Vec<Value> {
        let Source::Op(op) = source else { return Vec::new() };
        let mut read: Vec<Value> = Vec::new();
        for nested in self.program.nest(op) {
            let operands = self.program.operands(nested).iter().flatten();
            read.extend(
                operands.filter(|&&value| self.maker(value).is_some_and(|by| by != source)),
            );
        }
        let read: IndexSet<Value, FxBuildHasher> = read.into_iter().collect();
        read.into_iter().collect()
    }

    /// What makes a value of the top block.
    pub fn maker(self, value: Value) -> Option<Source> {
        let top = self.program.top();
        match self.program.def(value) {
            ValueDef::Result { op, .. } if self.program.is_erased(op) => None,
            ValueDef::Result { op, .. } => {
                (self.program.block_of(op) == top).then_some(Source::Op(op))
            }
            ValueDef::Argument { block, .. } | ValueDef::Kwarg { block, .. } => {
                (block == top).then_some(Source::Argument(value))
            }
        }
    }

    /// What makes a value, or holds what does.
    pub fn holder(self, value: Value) -> Option<Source> {
        let top = self.program.top();
        let inside = match self.program.def(value) {
            ValueDef::Result { op, .. } if !self.program.is_erased(op) => Some(op),
            ValueDef::Argument { block, .. } | ValueDef::Kwarg { block, .. } => {
                self.program.parent_op(block)
            }
            ValueDef::Result { .. } => None,
        };
        let held = inside.and_then(|op| self.program.ancestor_in(top, op)).map(Source::Op);
        self.maker(value).or(held)
    }

    /// Who reads a value, in no order that may be relied on.
    pub fn readers(self, value: Value) -> impl Iterator<Item = Source> {
        let program = self.program;
        let holders =
            program.uses(value).filter_map(move |used| program.ancestor_in(program.top(), used.op));
        holders.map(Source::Op)
    }
}
