//! Rewrite rules, written as `before ==> after`.
//!
//! ```
//! use pirogue::ir::{Context, Rewriter};
//! use pirogue::rewrite::{RuleSet, rule};
//! use pirogue::text;
//!
//! let rules = RuleSet::new([
//!     rule("double abs", "pd_op.abs(y@pd_op.abs(_)) ==> y"),
//!     rule(
//!         "transpose that moves nothing",
//!         "pd_op.transpose(x){perm=p} ==> x where p is 0, 1, 2, ...",
//!     )
//!     .when(["p"], |[p]| p.integers().is_some_and(|p| p.iter().zip(0..).all(|(&a, b)| a == b))),
//! ])
//! .map_err(|faults| faults[0].to_string())?;
//!
//! let source = "{
//!     (%0) = \"pd_op.full\" () {} : () -> tensor<2x3xf32>
//!     (%1) = \"pd_op.transpose\" (%0) {perm:[0,1]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
//!     (%2) = \"pd_op.abs\" (%1) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
//!     (%3) = \"pd_op.abs\" (%2) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
//!     () = \"pd_op.send_v2\" (%3) {} : (tensor<2x3xf32>) ->
//! }
//! ";
//! let read = text::read_program(&Context::new(), "twice.pir", source.as_bytes());
//! let mut program = read.map_err(|faults| faults[0].to_string())?.program;
//! let report = rules.apply(&mut Rewriter::new(&mut program), 100);
//! assert_eq!(report.fired(), [1, 1]);
//! let names: Vec<&str> = program.top_ops().map(|op| program.name_text(op)).collect();
//! assert_eq!(names, ["pd_op.full", "pd_op.abs", "pd_op.send_v2"]);
//! # Ok::<(), String>(())
//! ```
//!
//! # The text of a rule
//!
//! ```text
//! rule  = call "==>" term ["where" what the conditions ask, for people]
//! term  = name | "_" | "null" | [name "@"] call [":" name]
//! call  = op.name "(" [term, ...] ")" ["{" attribute "=" (name | literal), ... "}"]
//! ```
//!
//! On the left, a name stands for a value or an attribute; one that comes twice must be the same
//! twice. `name@call` names the result of an op. `_` is anything, `null` an absent operand.
//! Attributes that are not listed do not matter. On the right stand names and ops over them. An op
//! within another says whose type its result has: `pd_op.scale(pd_op.abs(x): x, one)`. The root can
//! be named as well, to ask for its type.
//!
//! [`RuleBuilder::when`] adds a condition, [`RuleBuilder::derive`] an attribute for the right side.
//! Faults in a rule (`E0221` to `E0225`) are found when the set is made, not when a rule fires.
//!
//! # What a rule need not say
//!
//! A rule is read as if every value were a number of its own. That it holds in a program where
//! memory is written again, where values have names and ops have roles, is seen to here:
//!
//! - Only pure ops are matched and made (see [`RuleBuilder::assume_pure`]); the ops of a match
//!   belong to one role and chunk.
//! - Nothing that the match reads is written between where it was read and where it now is.
//! - A value that comes to stand for another is of the same type and `stop_gradient`, neither is
//!   written while the other is read, and not both have a name outside.
//! - Ops with events or persistable results stay; no new op is made of ops with an `op_dist_attr`
//!   or of distributed values, whose placement no rule could tell.
//! - A new op has role, chunk and origin of the root of the match and its common attributes, such
//!   as `stop_gradient`; the outermost has its result type.
//! - Producers that nobody reads any more go.
//!
//! A rule whose condition is wrong can still be wrong: that is for its test.

mod build;
mod drive;
mod guard;
mod matching;
mod parse;
mod rule;
mod syntax;
#[cfg(test)]
mod tests;

/// A name in a rule stands for nothing, or for two things.
const NAME_FAULT: &str = "E0222";

pub use drive::RewriteReport;
pub use matching::Bound;
pub use rule::{Rule, RuleBuilder, RuleSet, rule};
