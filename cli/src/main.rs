//! The `pirogue` command.
//!
//! `main` reads the command line, runs one command and says what it found: diagnostics go to
//! standard error, results to standard output. Exit status: 0 done, 1 the input or the plan is wrong,
//! 2 the command line is wrong.

mod account;
mod args;
mod commands;
mod input;
mod output;

use std::process::ExitCode;

use clap::Parser;
use pirogue::diagnostic::{Diagnostic, Severity};

use args::{Args, Command};
use output::Screen;

/// What a command ends with: the diagnostics to show, errors among them if it failed.
type Outcome = Result<Vec<Diagnostic>, Vec<Diagnostic>>;

fn main() -> ExitCode {
    let args = Args::parse();
    let screen = Screen::new(&args.global);
    let outcome = match &args.command {
        Command::Opt(opt) => commands::opt::run(opt, &screen),
        Command::Plan(plan) => commands::plan::run(plan, &screen),
        Command::Passes(passes) => commands::passes::run(passes, &screen),
        Command::Completions { shell } => commands::completions::run(*shell),
    };
    let (found, failed) = match outcome {
        Ok(found) => (found, false),
        Err(found) => (found, true),
    };
    screen.report(&found);
    let failed = failed || found.iter().any(|found| found.severity == Severity::Error);
    // What the command held is not freed piece by piece: the process ends here.
    std::mem::forget(found);
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
