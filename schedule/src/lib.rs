//! Pipeline schedules as data: generate them, and check that all stages can run them together.
//!
//! A model is cut into *stages*, one for each rank; a stage holds one or more *chunks* of the model; a batch
//! is cut into *micro-batches*. A [`Schedule`] says for every stage in which order it runs its jobs: receive,
//! forward, backward, send, update. No program and no device is needed to make or to check one, and nothing
//! here knows what a job computes.
//!
//! - [`Vpp`] generates `VPP`, Paddle's interleaved 1F1B, for one stage or for all of them.
//! - [`check`] answers what no stage can see from its own list: whether all stages together come to an end
//!   (and if not, who waits for whom in a circle), and whether messages arrive in the order they are sent.
//! - [`Schedule`] and [`Job`] have a text form that reads back: a line for each stage,
//!   `recv_forward0:0 forward0:0 ... optimizer:0`.
//! - [`format`](mod@format) reads and writes the files of other systems, and one of our own that loses nothing.
//!
//! Which stage holds which part of the model is a [`Placement`]; unless another is given it is *looped*: stage r
//! of p holds the parts r, p + r, 2p + r, ... as its chunks 0, 1, 2. What each job builds on is in
//! [`Dependences`], the one place for it.
//!
//! # Example
//!
//! ```
//! use pirogue_schedule::check::{Complete, Receives};
//! use pirogue_schedule::{BackwardMode, Schedule, Stage, Vpp};
//!
//! // Two stages with two chunks each, four micro-batches.
//! let vpp = Vpp::new(2, 2, 4, BackwardMode::Whole)?;
//! assert!(vpp.verdict()?.is_empty());
//! assert_eq!(vpp.warmup(Stage(0))?, 5);
//! assert_eq!(vpp.jobs(Stage(1))?[0].to_string(), "recv_forward0:0");
//!
//! // Five micro-batches on four stages with three chunks: every list is fine by itself.
//! let refused = Vpp::new(4, 3, 5, BackwardMode::Whole)?.verdict().unwrap_err();
//! assert_eq!(refused.code(), "E0306");
//! assert!(refused.help().starts_with("take 4 or 6 micro-batches"));
//! for wait in refused.details() {
//!     println!("{wait}"); // stage 0: `recv_forward2:4` waits for `forward1:4` of stage 3
//! }
//!
//! // Any schedule can be checked, such as one that was written by hand.
//! let schedule: Schedule = "forward0:0 backward0:0\nforward0:0 backward0:0\n".parse()?;
//! let complete = Complete::of(&schedule).expect("each job is there once, in order");
//! assert_eq!(complete.deadlock(Receives::Blocking), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod auto;
pub mod check;
mod counts;
mod dependences;
mod error;
pub mod families;
pub mod format;
mod job;
mod job_text;
pub mod picture;
mod placement;
mod places;
mod remark;
mod schedule;
mod schedule_text;
pub mod simulate;
mod steps;
mod traffic;
pub mod vpp;

pub use counts::{Chunk, Counts, MAX_CHUNKS, MAX_JOBS, MicroBatch, Part, Stage};
pub use dependences::{Dependence, Dependences, Need};
pub use error::{NearestMicroBatches, Quantity, ScheduleError};
pub use job::{Job, JobKind, JobType};
pub use job_text::JobTextError;
pub use placement::{Placement, Shape};
pub use places::Places;
pub use remark::{Remark, Severity};
pub use schedule::Schedule;
pub use schedule_text::ScheduleTextError;
pub use vpp::{BackwardMode, Form, ShardingReduce, Vpp};
