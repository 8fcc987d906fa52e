//! Program IR and pass framework for pipeline-parallel training.
//!
//! # What a program means
//!
//! A [`Program`](ir::Program) is one block of ops with keyword arguments (*kwargs*); regions nest
//! blocks inside ops. An *op* reads operands and defines *values*; a value is defined once and used
//! any number of times (SSA). Running the program runs its ops in order.
//!
//! - A value may be absent: an optional operand, a result nobody asked for. An absent result still
//!   is a value, of the [null type](ir::Type::NULL).
//! - An op whose name ends in `_` writes *in place*: its result is the storage of an operand.
//! - A *persistable* value outlives the run: parameters, optimizer state, sums of gradients. All
//!   others live as long as one micro-batch.
//! - Programs hand values to each other by name: `builtin.shadow_output` names a value in one, a
//!   kwarg of that keyword is the value in the next. `pd_op.data` and `builtin.parameter` name
//!   theirs themselves.
//! - `op_role` says which phase of a training step an op belongs to (forward 0, backward 1, optimize
//!   2; bit 256 marks the loss), `chunk_id` which model chunk of its pipeline stage. -1 or none: not
//!   said.
//!
//! # What is here
//!
//! 1. [`ir`]: programs, and the one way to edit them.
//! 2. [`dialect`]: what is known about each op.
//! 3. [`text`] and [`json`]: the two forms that Paddle writes.
//! 4. [`pass`]: passes, their registry, pipelines as text, the manager.
//! 5. [`rewrite`]: rules written as `before ==> after`.
//! 6. [`diff`]: what differs between two programs.
//! 7. [`stats`]: what a program consists of.
//! 8. [`graph`]: what flows in a program, as a picture.
//! 9. [`diagnostic`]: what is said about bad input.
//! 10. [`parallel`]: several things at a time, with results that do not tell it.
//!
//! ```
//! use pirogue::ir::{Context, verify};
//! use pirogue::text;
//!
//! let source = "{
//!     (%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
//!     (%1) = \"pd_op.relu\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
//! }
//! ";
//! let read = text::read_program(&Context::new(), "relu.pir", source.as_bytes())
//!     .map_err(|errors| errors[0].to_string())?;
//! assert!(verify(&read.program).is_empty());
//! let names: Vec<&str> = read.program.top_ops().map(|op| read.program.name_text(op)).collect();
//! assert_eq!(names, ["pd_op.data", "pd_op.relu"]);
//! # Ok::<(), String>(())
//! ```
pub mod diagnostic;
pub mod dialect;
pub mod diff;
pub mod graph;
pub mod ir;
pub mod json;
pub mod parallel;
pub mod pass;
pub mod rewrite;
pub mod stats;
pub mod text;
