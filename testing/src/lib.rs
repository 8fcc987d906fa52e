//! File cases and snapshots for those who write passes.
//!
//! A *case* is a program in a file, with comments that say what is run on it, what of the result is
//! shown, and what is expected to be said. What it shows is kept in a *snapshot*, which a later run
//! is compared with. `pirogue test` runs cases with the passes that ship; a crate with passes of its
//! own runs them as its tests.
//!
//! # Setting it up
//!
//! In `Cargo.toml`:
//!
//! ```toml
//! [dev-dependencies]
//! pirogue-testing = "0.1"
//!
//! [[test]]
//! name = "cases"
//! harness = false
//! ```
//!
//! In `tests/cases.rs`, with the passes of the crate in place of none:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     let registry = pirogue::pass::Registry::new();
//!     pirogue_testing::Harness::new(registry).cases("tests/cases").main()
//! }
//! ```
//!
//! Then `cargo test --test cases` runs every case of every `.pir` file below `tests/cases` as a test
//! of its own, named `FILE::CASE`, and `cargo test --test cases WORD` those with a word in the name.
//!
//! # A case
//!
//! ```text
//! // case: two chunks share an embedding
//! // run: -p 'infer_chunk_ids,pipeline_scheduler_VPP{pp_degree=2 ...}'
//! // show: diff, jobs(forward0)
//! {
//!     (%0) = "my.make" () {} : () -> tensor<2xf32>
//!     (%1) = "my.take" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
//!     // expect-error@above E9001: a part of what is said
//! }
//! // -----
//! (the next case)
//! ```
//!
//! - A line that begins with `// -----` stands between two cases.
//! - `case:` gives the name. A case without one is called after its file, with a number if there are
//!   several.
//! - `run:` has the options of `pirogue opt`: a pipeline. Without it the program is read, verified
//!   and printed. The header of a reproducer, as a failed pass leaves it, is taken too.
//! - `show:` takes one or more of `diff` (what the run changed, op by op), `program`, `jobs` (the
//!   programs that the run left, what they hand to each other, and the job list), `jobs(forward0)`
//!   (one of these programs), `stats` (what the passes counted) and `diagnostics` (all that was
//!   said). Without it only what is said counts.
//! - `prove: yes` asks that each pass, and the plan that one leaves, be proved to keep the meaning of
//!   the program: by the [`Judge`] of the harness.
//! - `expect-error`, `expect-warning` and `expect-note` are followed by a code, and perhaps a colon
//!   and a part of what is said. `@above`, `@below`, `@+1` and `@-2` say of which line; behind a
//!   piece of the program and without any, it is that line; on a line of its own and without any,
//!   what is said has no place in the file, such as a fault of an option.
//! - A comment that begins with a capital letter is prose.
//!
//! # When a case fails
//!
//! - An error or warning that is not expected, or an expectation that is not met. (What a case shows
//!   with `show: diagnostics` it need not expect, and notes never need be.)
//! - The snapshot is not there, or says something else. The numbers of values do not count, nor does
//!   the index in a generated name `var_6_pd_op.matmul_0`: an op more in front changes nothing.
//! - For every case, whatever it expects: the program prints as it is written (but for comments,
//!   white space and the names of values); what the run leaves can be read again; it verifies before
//!   and after each pass; one thread, several threads, another order of uses and other handles come
//!   to the same; each pass keeps the [laws](pirogue::pass::Law) that it declares.
//!
//! # Snapshots
//!
//! A snapshot is a file in the form of insta: `cases/snapshots/FILE/CASE.snap`, or elsewhere if
//! [`Harness::snapshots`] says so. `INSTA_UPDATE=always cargo test` writes those that differ, and
//! `cargo insta review` shows and accepts them; `pirogue test --bless` writes the same files.
//!
//! # Without a test harness
//!
//! ```
//! use pirogue::pass::Registry;
//! use pirogue_testing::{Settled, Suite, Update};
//!
//! let folder = std::env::temp_dir().join(format!("pirogue-cases-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! let case = "\
//! // case: a type that is none
//! {
//!     (%0) = \"my.make\" () {} : () -> tensor<2xf33>
//!     // expect-error@above E0107: malformed type
//! }
//! ";
//! std::fs::write(folder.join("types.pir"), case)?;
//! let suite = Suite::read(&folder).map_err(|fault| fault.to_string())?;
//! let case = &suite.cases()[0];
//! assert_eq!(case.name(), "types::a type that is none");
//! assert_eq!(suite.check(case, &Registry::new(), Update::Nothing)?, Settled::Same);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blind;
mod case;
mod checks;
mod codes;
mod difference;
mod expectation;
mod failure;
mod harness;
mod header;
mod judge;
mod laws;
mod lines;
mod near;
mod run;
mod show;
mod snapshot;
mod suite;
mod update;

pub use case::Case;
pub use failure::{Failure, Finding};
pub use harness::Harness;
pub use judge::Judge;
pub use suite::Suite;
pub use update::{Settled, Update};
