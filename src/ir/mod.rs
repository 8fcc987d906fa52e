//! The program IR.
//!
//! 1. [`Context`]: shared handles of names, types, attributes and attribute dictionaries.
//! 2. [`Program`]: ops, values, blocks and regions; reading them.
//! 3. [`Rewriter`]: the one way to edit a program; [`OpSpec`] says what a new op is to be.
//! 4. [`Cursor`]: walking a block while editing it.
//! 5. [`Extract`]: copying chosen ops into a new program.
//! 6. [`verify()`], [`verify_ops`]: whether a program keeps its rules.
//! 7. [`compare()`]: whether two programs are equal, and if not, the first difference; [`import()`]:
//!    the same program in another context.
//! 8. [`DataFlow`]: a block as a graph for `petgraph`.
//! 9. [`Memory`]: which values may share memory, and who writes over it.

mod attr;
pub mod compare;
mod context;
mod cursor;
pub mod dataflow;
pub(crate) mod entity;
mod extract;
pub mod import;
pub mod memory;
pub mod names;
mod order;
mod origin;
mod program;
mod rewriter;
mod rows;
mod saved;
mod types;
mod undo;
mod uses;
pub mod verify;

pub use attr::{AttrValue, FloatBits, FloatKind, IntKind, OpDist, Place, Scalar};
pub use compare::{CompareOptions, Difference, Numbers, Part, compare, compare_with};
pub use context::{Attr, Context, Dict, Name, Type};
pub use cursor::Cursor;
pub use dataflow::{DataEdge, DataFlow};
pub use extract::{Extract, UnboundOperand, ValueMap};
pub use import::import;
pub use memory::{Cell, Memory};
pub use origin::Origins;
pub use program::{Block, BlockArgument, BlockOps, Nest, Op, Program, Region, Value, ValueDef};
pub use rewriter::{At, EditError, OpSpec, Rewriter};
pub use types::{DistTensorType, ScalarType, TensorStorage, TensorType, TypeKind};
pub(crate) use undo::Undo;
pub use uses::{Use, UseOrder};
pub use verify::{verify, verify_ops};
