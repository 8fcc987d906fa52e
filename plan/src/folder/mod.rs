//! The folder that a plan is written to: `plan.json`, and a program a file.
//!
//! ```text
//! DIR/plan.json        what the plan was asked for, programs, sets of skipped names, jobs
//! DIR/forward0.pir     the program of each job type
//! DIR/stage0/...       or, for several stages, a folder of that shape each
//! ```
//!
//! `plan.json` has a line for each program, set and job:
//!
//! ```json
//! {"format":"pirogue-plan","version":1,
//!  "options":{"schedule":"VPP","pp_degree":2,"pp_stage":0,"vpp_degree":2,"num_micro_batches":4,"split_backward":false},
//!  "programs":[
//!   {"type":"recv_forward0","file":"recv_forward0.pir"}],
//!  "skip_gc_sets":[
//!   ["x","var_6_pd_op.matmul_0"]],
//!  "jobs":[
//!   {"type":"recv_forward0","micro_batch":0,"skip_gc":0}]}
//! ```
//!
//! **Writing is whole or not at all.** All files are written beside the place they are for and
//! moved there when they are complete. A plan that is there already is replaced; any other file in
//! the way is an error and stays. Reading is strict: what is not understood is an error.

mod error;
mod manifest;
mod read;
mod read_error;
mod replace;
mod source;
mod staging;
mod write;

pub use error::FolderError;
pub use read::{ReadFolder, read_folder};
pub use write::{write_folder, write_stages};

/// The name of the file that says what is in a plan folder.
const MANIFEST: &str = "plan.json";
/// The extension of the files that hold programs.
const PROGRAM_EXTENSION: &str = "pir";
/// What the folder of a stage is called, before its number.
const STAGE_FOLDER: &str = "stage";
/// What `plan.json` says it is.
const FORMAT: &str = "pirogue-plan";
/// The version of the format, raised when an older reader would misunderstand it.
const VERSION: u64 = 1;
