//! The `pirogue` command.
//!
//! `main` reads the command line, runs one command and says what it found: diagnostics go to
//! standard error, results to standard output. Exit status: 0 done, 1 the input or the plan is wrong
//! or programs differ, 2 the command line is wrong.

mod args;
mod codes;
mod commands;
mod costs;
mod failure;
mod input;
mod output;
mod plans;
mod proofs;
mod report;
mod schedules;
mod usage;
mod watch;

use std::process::ExitCode;

use clap::Parser;
use pirogue::diagnostic::Diagnostic;

use args::{Args, Command};
use failure::Failure;
use output::Screen;

/// What a command ends with: what is to be said beside its result, or why there is none.
type Outcome = Result<Vec<Diagnostic>, Failure>;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(refused) => return usage::answer(&refused),
    };
    let screen = Screen::new(&args.global);
    let outcome = match &args.command {
        Command::Opt(opt) => commands::opt::run(opt, &args.global, &screen),
        Command::Plan(plan) => commands::plan::run(plan, &args.global, &screen),
        Command::Schedule(schedule) => commands::schedule::run(schedule, &screen),
        Command::Check(check) => commands::check::run(check, &screen),
        Command::Prove(prove) => commands::prove::run(prove, &args.global, &screen),
        Command::Diff(diff) => commands::diff::run(diff, &screen),
        Command::Stats(stats) => commands::stats::run(stats, &screen),
        Command::Graph(graph) => commands::graph::run(graph, &screen),
        Command::Passes(passes) => commands::passes::run(passes, &screen),
        Command::Explain(explain) => commands::explain::run(explain, &screen),
        Command::Test(test) => commands::test::run(test, &args.global, &screen),
        Command::Completions { shell } => commands::completions::run(*shell),
    };
    match outcome {
        Ok(found) => {
            screen.report(&found);
            ExitCode::SUCCESS
        }
        Err(failure) => {
            screen.report(failure.diagnostics());
            failure.exit_code()
        }
    }
}
