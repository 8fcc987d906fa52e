//! The commands, a file each.

pub mod check;
pub mod completions;
pub mod diff;
pub mod explain;
pub mod graph;
pub mod opt;
pub mod passes;
pub mod plan;
pub mod prove;
pub mod schedule;
pub mod stats;
pub mod test;

use pirogue::pass::Registry;

/// All passes that the command knows.
fn registry() -> Registry {
    let mut registry = Registry::new();
    pirogue_passes::register(&mut registry).expect("the names of the passes differ");
    registry
}
