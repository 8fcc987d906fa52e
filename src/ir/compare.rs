//! Structural equality of programs, which names the first difference.
//!
//! Two programs are equal if a reader could not tell them apart but for the numbers of their
//! values: the same ops in the same order, operands that stand for each other, results, regions and
//! arguments of the same types, attributes of the same values. Keyword arguments are a set, as
//! Paddle prints them in no fixed order. Spellings, origins and ids do not count.
//!
//! ```
//! use pirogue::{ir::{Context, compare}, text};
//! let context = Context::new();
//! let read = |bias: u32| {
//!     let source = format!("{{\n    () = \"my.op\" () {{bias:{bias}}} : () -> \n}}\n");
//!     text::read_program(&context, "", source.as_bytes()).expect("it is well formed").program
//! };
//! assert_eq!(compare(&read(1), &read(1)), Ok(()));
//! let difference = compare(&read(1), &read(2)).expect_err("a bias differs");
//! assert!(difference.to_string().starts_with("attribute `bias` of op 0, `my.op`, differs: `1` and `2`"));
//! ```

mod alike;
mod difference;
#[cfg(test)]
mod tests;
mod walk;

use std::sync::Arc;

use super::{Program, import};
pub(crate) use alike::{Alike, attributes};
pub use difference::{Difference, Part};

/// When values of attributes and types are the same.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// When they are of one kind and equal to the last bit.
    #[default]
    Exact,
    /// When Paddle prints them alike. Text does not say the kind of a number, floats beyond six
    /// digits, the layout of a tensor, the type of what is not used, or the attributes of a
    /// `pd_op.while`: what was read from text equals what was read from JSON in this sense only.
    AsPrinted,
}

/// How programs are compared.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CompareOptions {
    /// When values of attributes and types are the same.
    pub numbers: Numbers,
}

/// Whether two programs are equal, to the last bit of their attributes.
///
/// # Errors
/// The first difference.
pub fn compare(first: &Program, second: &Program) -> Result<(), Difference> {
    compare_with(first, second, CompareOptions::default())
}

/// Whether two programs are equal.
///
/// # Errors
/// The first difference.
pub fn compare_with(
    first: &Program,
    second: &Program,
    options: CompareOptions,
) -> Result<(), Difference> {
    if Arc::ptr_eq(first.context(), second.context()) {
        return walk::compare(first, second, options);
    }
    walk::compare(first, &import(second, first.context()), options)
}
