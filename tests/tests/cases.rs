//! The cases of `cases`: what the passes that ship make of programs, and what they say of them.

use std::process::ExitCode;

use pirogue::pass::Registry;
use pirogue_prove::watch;
use pirogue_testing::{Harness, Judge};

fn main() -> ExitCode {
    let mut registry = Registry::new();
    pirogue_passes::register(&mut registry).expect("the names of the passes differ");
    let judge = Judge { begin: watch::begin, faults: watch::faults };
    Harness::new(registry).judge(judge).cases("cases").snapshots("../snapshots/cases").main()
}
