//! The text form of programs.
//!
//! Reading then printing anything Paddle 3.3 prints gives the same bytes. Older spellings (typed
//! literals such as `(Int32)1`, `builtin.tensor<...>`, `[id:7]`) are read too, and print as they
//! were spelled, but for `[id:7]`, which is not kept.
//!
//! 1. [`write_program`], [`to_bytes`], [`to_text`]: printing, as a stream or whole.
//! 2. [`read_program`], [`read_programs`]: reading, with up to 20 errors reported at once.
//! 3. [`Labels`], [`op_line`]: how the values of a program are called, and one op alone.
//!
//! ```
//! use pirogue::{ir::Context, text};
//! let source = "{\n    (%0) = \"pd_op.full\" () {shape:[1],value:1} : () -> tensor<1xf32>\n}\n";
//! let read = text::read_program(&Context::new(), "example.pir", source.as_bytes());
//! assert_eq!(text::to_text(&read.expect("it is well formed").program), source);
//! ```

mod labels;
mod printer;
mod read;
mod spell;

pub use labels::Labels;
pub use printer::{op_line, to_bytes, to_text, write_program};
pub use read::{Read, read_program, read_programs};
pub use spell::{attr_text, type_text};
