//! File cases and snapshots for those who write passes.

mod blind;
mod case;
mod checks;
mod difference;
mod expectation;
mod failure;
mod harness;
mod header;
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
pub use suite::Suite;
pub use update::{Settled, Update};
