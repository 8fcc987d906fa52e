//! Folders of plans.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder with a plan, or the folders of the stages in it, as `pirogue plan -o` writes them.
pub fn stages_in(folder: &Path) -> Vec<PathBuf> {
    if folder.join("plan.json").exists() {
        return vec![folder.to_owned()];
    }
    let stage = |number: usize| folder.join(format!("stage{number}"));
    let stages: Vec<PathBuf> =
        (0..).map(stage).take_while(|stage| fs::metadata(stage).is_ok()).collect();
    // Without any, the reader of plans says what is wrong with the folder.
    if stages.is_empty() { vec![folder.to_owned()] } else { stages }
}
