//! The cases of `cases`.

use std::process::ExitCode;

use pirogue_testing::Harness;

fn main() -> ExitCode {
    let registry = my_pass::registry().expect("the names of the passes differ");
    Harness::new(registry).cases("tests/cases").main()
}
