//! The harness as its users have it: run as a test binary over a folder of cases, its output read
//! back.
//!
//! This binary is both: with [`AS_USER`] set it is the test of someone's crate (see [`user`]), else
//! it runs itself so, once for each thing to find out.

mod outcomes;
mod user;
mod world;

use std::env;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// Set where the binary is to be someone's test.
const AS_USER: &str = "PIROGUE_TEST_AS_USER";

fn main() -> ExitCode {
    if env::var_os(AS_USER).is_some() {
        return user::main();
    }
    let trials = outcomes::ALL.iter().map(|&(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}
