//! The plan of a pipeline stage: what a scheduler pass yields for one rank.
//!
//! A [`Plan`] holds the program of each job type, the ordered list of jobs, and for each job the
//! names of the values that outlive it (`skip_gc_vars`). It can only be made whole: every job has
//! its program, every number is in range.
//!
//! 1. [`Plan`], [`PlanParts`], [`PlanOptions`]: the plan and what it is made from.
//! 2. [`SkipGcRule`]: which values a job leaves for later jobs.
//! 3. [`write_folder`], [`write_stages`], [`read_folder`]: `plan.json` and a program a file.
//!
//! ```
//! use pirogue::{ir::Context, text};
//! use pirogue_plan::{Plan, PlanOptions, SkipGcRule};
//!
//! let context = Context::new();
//! let read = |source: &str| text::read_program(&context, "", source.as_bytes());
//! let forward = r#"{
//!     (%0) = "pd_op.data" () {name:"x"} : () -> tensor<2xf32>
//!     (%1) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
//!     () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<2xf32>) ->
//! }"#;
//! let backward = r#"{
//!     ^kw:
//!         %kwarg_y {persistable:false}
//!     (%0) = "pd_op.tanh" (%kwarg_y) {} : (tensor<2xf32>) -> tensor<2xf32>
//! }"#;
//! let programs = [
//!     ("forward0".parse()?, read(forward).expect("it is well formed").program),
//!     ("backward0".parse()?, read(backward).expect("it is well formed").program),
//! ];
//! let options = PlanOptions {
//!     schedule: "VPP".into(),
//!     pp_degree: 1,
//!     pp_stage: 0,
//!     vpp_degree: 1,
//!     num_micro_batches: 1,
//!     split_backward: false,
//! };
//! let jobs = vec!["forward0:0".parse()?, "backward0:0".parse()?];
//! let plan = Plan::new(options, programs, jobs, SkipGcRule::Paddle)?;
//! // `x` is not read again, `y` is.
//! assert_eq!(plan.skip_gc_vars(0), [context.name("y")]);
//! assert!(plan.skip_gc_vars(1).is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod folder;
mod name_table;
mod named_values;
mod options;
mod parts;
mod plan;
mod skip_gc;

pub use error::PlanError;
pub use folder::{FolderError, ReadFolder, read_folder, write_folder, write_stages};
pub use options::PlanOptions;
pub use parts::PlanParts;
pub use plan::Plan;
pub use skip_gc::SkipGcRule;
