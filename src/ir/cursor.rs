//! Walking a block while editing it.

use super::{Block, Op, Program};

/// Yields the ops of a block, in order. The op it yielded last may be erased, and ops may be put
/// before or behind it: what is put behind is not visited.
///
/// ```
/// # use pirogue::ir::{Context, Cursor, Program, Rewriter};
/// # let mut program = Program::new(&Context::new());
/// let mut rewriter = Rewriter::new(&mut program);
/// let mut cursor = Cursor::new(rewriter.program(), rewriter.program().top());
/// while let Some(op) = cursor.next(rewriter.program()) {
///     rewriter.set_chunk(op, Some(0));
/// }
/// ```
#[derive(Copy, Clone, Debug)]
pub struct Cursor {
    next: Option<Op>,
}

impl Cursor {
    /// A cursor before the first op of `block`.
    pub fn new(program: &Program, block: Block) -> Self {
        Self { next: program.block_ops(block).next() }
    }

    /// The next op.
    pub fn next(&mut self, program: &Program) -> Option<Op> {
        let op = self.next?;
        self.next = program.next_op(op);
        Some(op)
    }
}
