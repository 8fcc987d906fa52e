//! The JSON form of programs: what `paddle.jit.save` and `serialize_pir_program` write.
//!
//! 1. [`read_program`], [`is_json`]: reading, with up to 20 errors reported at once.
//! 2. [`write_program`]: writing what Paddle 3.3 loads.
//!
//! Reading then writing what Paddle 3.3.1 wrote gives the same bytes, but for:
//! - a NaN: Paddle writes `"VD":"NaN"` and cannot read it; it reads `"NAN"`, which is written here;
//! - the order of attributes where Paddle leaves them in that of a hash map: `"OA"`, and `"A"` of ops
//!   that are not of `pd_op`. Here declared ones come first, then `op_dist_attr`, `op_role` and
//!   `struct_name`, then others by name, which is how Paddle orders those of `pd_op`;
//! - digits: Paddle writes one double in some 200 with a digit more than it takes (those of ordinary
//!   programs are the same); the number is the same;
//! - keyword arguments: Paddle's writer loses them (it writes the positional arguments in their
//!   place). They are read back as `lost_1`, `lost_2`, ... of unknown types, with a warning.
//!
//! # What Paddle's writer loses, and this one keeps
//!
//! Paddle's *reader* takes more than its writer writes. All of this was loaded by Paddle 3.3.1 and
//! printed as it should be:
//! - `chunk_id`, `execution_stream` and all other attributes that an op does not declare stand in
//!   `"A"`, behind those that Paddle writes;
//! - keyword arguments are `"kwargs":[{"#":-1,"TT":{...},"key":"x@GRAD"}]`;
//! - a `builtin.parameter` that has other attributes than Paddle's compressed form `p` has room for
//!   is written as any other op, as `0.parameter`.
//!
//! The rest is kept under the key `pirogue`, which Paddle's reader ignores wherever it stands:
//!
//! | where | what | Paddle reads |
//! | --- | --- | --- |
//! | block | `{"args":[[attribute]],"kwargs":[[attribute]]}`, a list for each argument | arguments without attributes |
//! | op | `{"A":[attribute]}`: attributes of no kind that Paddle's JSON has (words, addresses), and `stop_gradient`, `persistable` where the file is not trainable | an op without them |
//! | number | `["kind not said"]`: text did not say, nor do the dialect facts | the kind that stands there |
//! | NaN | `["negative"]` | a NaN without the sign |
//! | `NULL` type | `["type not said"]`: that of an unused kwarg in text | the null type |
//! | dist type, `op_dist_attr` | `["names not said"]`: text has no mesh dim names and no local dims | the names `d0`, `d1`, and local dims rounded up |
//!
//! A number whose kind is not said is written as `0.a_i32` if it fits, else `0.a_i64`; with a
//! fraction as `0.a_f64`; where Paddle declares a scalar, as Paddle stores it: `value` and `values`
//! as `0.a_f64`, `dim` as `0.a_i64`, others (`bias`) as `0.a_f32`.
//!
//! What cannot be kept is refused ([`WriteError`]): strings that are not UTF-8, complex numbers that
//! are not finite, the element type `undefined`, sparse tensor types from text (which lacks their
//! parts), types of other dialects. Not kept: older spellings such as `(Int32)1`, which mean the
//! same as `1`, and the order in which a tensor's partial axes stand. A `pd_op.tensor_array` from text
//! has no dims, since text has none; dims that Paddle never set print as `0x`, and are none in JSON.
//!
//! Ops of `dist_op` (`shard_tensor`, `reshard`) are written as Paddle writes them, and Paddle 3.3.1
//! cannot read them back.
//!
//! ```
//! use pirogue::{ir::Context, json, text};
//! let source = "{\n    (%0) = \"pd_op.full\" () {shape:[1],value:1} : () -> tensor<1xf32>\n}\n";
//! let context = Context::new();
//! let program = text::read_program(&context, "example.pir", source.as_bytes()).expect("it is well formed").program;
//! let mut file = Vec::new();
//! json::write_program(&program, &mut file, json::WriteOptions::default()).expect("it can be written");
//! assert!(json::is_json(&file) && !json::is_json(source.as_bytes()));
//! let read = json::read_program(&context, "example.json", &file).expect("it is well formed");
//! assert_eq!(text::to_text(&read.program), source);
//! ```

mod codes;
mod dist;
mod document;
mod fault;
mod parse;
mod read;
mod write;

pub use read::{Header, Read, is_json, read_program};
pub use write::{Layout, WriteError, WriteOptions, write_program};
