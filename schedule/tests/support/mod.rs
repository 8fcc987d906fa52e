//! What several of these tests need.

#![allow(dead_code, reason = "not every test needs all of it")]

use pirogue_schedule::{BackwardMode, Vpp};

/// The `VPP` generator for counts that it takes.
pub fn vpp(stages: u64, chunks: u64, micro_batches: u64, backward: BackwardMode) -> Vpp {
    Vpp::new(stages, chunks, micro_batches, backward).unwrap()
}

/// The lines of a fixture that hold data.
pub fn data_lines(fixture: &str) -> impl Iterator<Item = &str> {
    fixture.lines().filter(|line| !line.starts_with('#'))
}

/// The backward modes that the fixtures spell `0`, `1` and `01`.
pub fn backward_modes(flags: &str) -> Vec<BackwardMode> {
    let mode = |flag| match flag {
        '0' => BackwardMode::Whole,
        '1' => BackwardMode::Split,
        _ => panic!("`{flag}` is not a flag"),
    };
    flags.chars().map(mode).collect()
}
