//! The cases of `cases`: what the passes that ship make of programs, and what they say of them.

use std::process::ExitCode;

use pirogue::pass::Registry;
use pirogue_testing::Harness;

fn main() -> ExitCode {
    let mut registry = Registry::new();
    pirogue_passes::register(&mut registry).expect("the names of the passes differ");
    Harness::new(registry).cases("cases").snapshots("../snapshots/cases").main()
}
