//! The data flow of a block, as a graph for `petgraph`'s algorithms.
//!
//! Nodes are the ops of one block. An edge goes from the op that defines a value to each op that
//! reads it, once for each operand; what is read inside a region counts for the op of the block
//! that holds the region. Values from outside the block have no node. The graph is a view: it
//! borrows the program, builds its use index at the first question about users, and stores nothing.
//!
//! A sound program has no cycle: `toposort` gives the order of the block or another one that would
//! do as well.
//!
//! ```
//! use petgraph::algo::{dominators::simple_fast, toposort};
//! use pirogue::{ir::{Context, DataFlow}, text};
//! let source = "{
//!     (%0) = \"my.load\" () {} : () -> tensor<2xf32>
//!     (%1) = \"my.left\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
//!     (%2) = \"my.right\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
//!     () = \"my.store\" (%1, %2) {} : (tensor<2xf32>, tensor<2xf32>) -> \n}\n";
//! let program = text::read_program(&Context::new(), "", source.as_bytes()).expect("it is well formed").program;
//! let [load, .., store] = program.top_ops().collect::<Vec<_>>()[..] else { unreachable!() };
//! let flow = DataFlow::new(&program, program.top());
//! assert_eq!(toposort(&flow, None).expect("no cycle").len(), 4);
//! assert_eq!(simple_fast(&flow, load).immediate_dominator(store), Some(load));
//! ```

mod graph;
#[cfg(test)]
mod tests;

use super::{Block, Op, Program, Use, Value};
pub use graph::{AllEdges, DataEdges, Neighbours, OpNode, OpNodes, OpSet};

/// The data flow of a block; see the [module](self).
#[derive(Copy, Clone)]
pub struct DataFlow<'p> {
    program: &'p Program,
    block: Block,
}

/// An operand that reads a value of the block.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct DataEdge {
    /// The op of the block that defines the value.
    pub producer: Op,
    /// The op of the block that reads it, or holds the op that does.
    pub user: Op,
    /// The value.
    pub value: Value,
    /// The op and operand that read it: of `user` itself, or of an op in its regions.
    pub used: Use,
}

impl<'p> DataFlow<'p> {
    /// The data flow of a block.
    pub fn new(program: &'p Program, block: Block) -> Self {
        Self { program, block }
    }

    /// The program.
    pub fn program(self) -> &'p Program {
        self.program
    }

    /// The block.
    pub fn block(self) -> Block {
        self.block
    }

    /// What reads the results of an op of the block, in no order that may be relied on.
    pub fn outgoing(self, producer: Op) -> DataEdges {
        let Self { program, block } = self;
        DataEdges::gather(program.results(producer).flat_map(|value| {
            program.uses(value).filter_map(move |used| {
                let user = program.ancestor_in(block, used.op)?;
                Some(DataEdge { producer, user, value, used })
            })
        }))
    }

    /// What an op of the block reads of the block, operand by operand, its regions included.
    pub fn incoming(self, user: Op) -> DataEdges {
        let program = self.program;
        DataEdges::gather(program.nest(user).flat_map(|op| {
            (0..).zip(program.operands(op)).filter_map(move |(index, &operand)| {
                let value = operand?;
                let producer = self.producer(value)?;
                Some(DataEdge { producer, user, value, used: Use { op, index } })
            })
        }))
    }

    /// The op of the block that defines a value, if one does.
    fn producer(self, value: Value) -> Option<Op> {
        let op = self.program.defining_op(value)?;
        let is_here = !self.program.is_erased(op) && self.program.block_of(op) == self.block;
        is_here.then_some(op)
    }
}
