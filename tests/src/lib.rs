//! What the whole-system tests share: the recorded Paddle programs and runs.

use std::path::{Path, PathBuf};

pub mod corpus;
pub mod damage;
pub mod embellish;
pub mod guide;
pub mod judge;
pub mod laws;
pub mod lines;
pub mod meaning;
pub mod ordeal;
pub mod random;
pub mod reference;
pub mod synthetic;

/// The folder of all snapshots.
pub fn snapshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots")
}
