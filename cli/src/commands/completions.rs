//! `pirogue completions`: a completion script for a shell.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::Outcome;
use crate::args::Args;
use crate::output::to_stdout;

pub fn run(shell: Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "pirogue", &mut script);
    to_stdout(|sink| sink.write_all(&script))?;
    Ok(Vec::new())
}
