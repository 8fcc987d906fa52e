//! Passes: what they are, how they are named, put in order, run and watched.
//!
//! A *pass* is a struct whose fields are its options. It is *registered* under a name, put into a
//! *pipeline* by text, and run by a *manager*, which guards the program: **a pass that fails or
//! panics leaves the program as it was before it.**
//!
//! 1. [`Pass`], [`RegisteredPass`]: a pass, and what it may declare of itself.
//! 2. [`PassContext`], [`Session`]: diagnostics, artifacts, analyses and counts that passes share.
//! 3. [`Registry`], [`PassInfo`]: passes by name, their options and help, from the struct alone.
//! 4. [`Pipeline`]: passes in order, and the text for them.
//! 5. [`PassManager`]: runs a pipeline; [`Reproducer`]: a file that repeats a failure.
//! 6. [`Observer`]: who is told what happens: [`Timing`], [`PrintProgram`], [`ChromeTrace`].
//!
//! ```
//! use pirogue::ir::{Context, Cursor, Rewriter};
//! use pirogue::pass::{
//!     Pass, PassContext, PassError, PassManager, Pipeline, RegisteredPass, Registry, Session, Statistic,
//! };
//! use pirogue::text;
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! /// Puts every op into one chunk.
//! #[derive(Serialize, Deserialize, JsonSchema, Default)]
//! #[serde(deny_unknown_fields)]
//! struct SetChunk {
//!     /// The chunk.
//!     chunk: i32,
//!     /// Leave ops alone that have a chunk.
//!     #[serde(default)]
//!     only_missing: bool,
//! }
//!
//! impl Pass for SetChunk {
//!     fn name(&self) -> &str {
//!         Self::NAME
//!     }
//!
//!     fn run(&self, program: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
//!         let mut cursor = Cursor::new(program.program(), program.program().top());
//!         while let Some(op) = cursor.next(program.program()) {
//!             if self.only_missing && program.program().chunk(op).is_some() {
//!                 continue;
//!             }
//!             program.set_chunk(op, Some(self.chunk));
//!             cx.count("set", 1);
//!         }
//!         Ok(())
//!     }
//!
//!     fn statistics(&self) -> &'static [Statistic] {
//!         &[Statistic { name: "set", description: "ops that were put into the chunk" }]
//!     }
//! }
//!
//! impl RegisteredPass for SetChunk {
//!     const NAME: &'static str = "set_chunk";
//! }
//!
//! let mut registry = Registry::new();
//! registry.register::<SetChunk>()?;
//! let pipeline = Pipeline::parse(&registry, "set_chunk{chunk=1}").map_err(|faults| faults[0].to_string())?;
//!
//! let source = "{\n    (%0) = \"pd_op.full\" () {value:1} : () -> tensor<1xf32>\n}\n";
//! let read = text::read_program(&Context::new(), "one.pir", source.as_bytes());
//! let mut program = read.map_err(|faults| faults[0].to_string())?.program;
//! let mut session = Session::new();
//! PassManager::new(pipeline).run(&mut program, &mut session)?;
//!
//! assert!(text::to_text(&program).contains("{chunk_id:1,value:1}"));
//! assert_eq!(session.statistics().total("set_chunk", "set"), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod context;
mod contract;
mod error;
mod failure;
mod header;
mod help;
mod jobs;
mod manager;
pub(crate) mod near;
mod observe;
mod options;
mod pipeline;
mod programs;
mod registry;
mod rules;
mod session;
mod statistics;
#[cfg(test)]
mod tests;
mod value;

pub use check::Verify;
pub use context::{Analysis, PassContext};
pub use contract::{Law, Pass, PassFn, Preserved, RegisteredPass, Statistic, pass_fn};
pub use error::PassError;
pub use failure::{PipelineFailure, Reproducer};
pub use header::header_pipeline;
pub use manager::{Input, PassManager};
pub use observe::{
    Branch, Change, ChromeTrace, Moment, Observer, PrintProgram, StepInfo, Timing, TimingNode,
};
pub use options::{Choice, OptionInfo, OptionKind, Options};
pub use pipeline::{JobsStep, PassStep, Pipeline, Step, glob_matches};
pub use programs::ProgramSet;
pub use registry::{PassInfo, Registry, RegistryError};
pub use rules::{Demand, Rule, Rules};
pub use session::Session;
pub use statistics::{Count, Statistics, StepPath};
