//! What is known about ops.
//!
//! Paddle registers 1,639 ops, and 1,614 of them describe themselves: operands by name, attributes with their types,
//! results, which result is written in place of which operand, and which operands are needed for their shape only. That
//! description is compiled in as one text table ([`facts`]). The rest of the module is what the description does not say:
//!
//! 1. [`OpFacts`]: the description of one op.
//! 2. [`Effect`], [`has_side_effects`], [`is_pure`]: what an op does besides computing its results.
//! 3. [`common_attr`]: the attributes that any op may carry, whatever it declares.
//!
//! Facts are about *names*, not about a program: nothing here depends on the IR. An op that is not in the table (a custom
//! op, one of another version) is no error; it is an op of which nothing is known, and every question has a careful answer
//! for it.
//!
//! The rules that hold for ops that describe themselves, checked on the 52,000 ops of the recorded Paddle 3.3.1 programs:
//! - An op has **as many operands as it declares**. An absent optional operand is there as a null value, and no other
//!   operand is null. A vector operand is one value of vector type, made by `builtin.combine`.
//! - An op has **as many results as it declares**. *Any* result may have the null type: besides the optional ones, the
//!   gradients that nobody asked for, whatever [`ResultFact::optional`] says.
//! - It carries **every attribute that it declares**, and beyond them only those of [`common_attr`].
//! - Attributes have the kind that is declared, except [`AttrKind::Scalar`].
//!
//! ```
//! use pirogue::dialect::{AttrKind, facts};
//!
//! let add_grad = facts("pd_op.add_grad").expect("a Paddle op");
//! assert_eq!(add_grad.operand_index("out_grad"), Some(2));
//! assert_eq!(add_grad.attr("axis"), Some(AttrKind::Int32));
//! assert!(!add_grad.needs_buffer(0), "the gradient of `x` needs the shape of `x` only");
//! ```

mod common_attrs;
mod effects;
mod kinds;
mod op_facts;
#[cfg(test)]
mod regenerate;
mod table;

pub use common_attrs::common_attr;
pub use effects::{Effect, has_side_effects, is_pure};
pub use kinds::{AttrKind, Multiplicity, ValueKind};
pub use op_facts::{Alias, AttrFact, OpFacts, OperandFact, ResultFact, Source};
pub use table::{facts, op_names};
