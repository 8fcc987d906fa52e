//! `pirogue prove`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

/// `pirogue prove`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pirogue prove stage0.pir plan0                    a plan of one stage
  pirogue prove stage0.pir stage1.pir plans         those of stages 0 and 1, and what they exchange
  pirogue prove before.pir after.pir                two programs that should do the same
  pirogue prove stage0.pir plan0 --fetch loss,accuracy --emit json

A plan is a folder with `plan.json`, as `pirogue plan -o` writes it, whoever made it. Both sides are run
on terms, which say what a value is computed from: parameters and other variables after the step,
named outputs and messages must be the same. Plans of all stages are also checked together: each
message must meet its peer, and all must run to their end.
Exit status: 0 proved, 1 refuted, or undecided as nothing is known of an op; 2 the command line is
wrong.")]
pub struct Prove {
    /// The program that was cut, text or JSON, or those of stages 0, 1, ...; `-` is standard input.
    #[arg(required = true, value_name = "ORIGINAL")]
    pub originals: Vec<PathBuf>,
    /// The folder of the plan, or of the plans of these stages; or a program.
    #[arg(required = true, value_name = "PLAN")]
    pub plan: PathBuf,
    /// The named outputs that must be the same; all, if not given.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub fetch: Option<Vec<String>>,
    /// What is written.
    #[arg(long, value_enum, default_value_t = ProofForm::Text, value_name = "FORM")]
    pub emit: ProofForm,
}

/// What `prove` writes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProofForm {
    /// A line for each stage; faults and notes go to standard error.
    Text,
    /// One JSON object, with the faults and notes in it.
    Json,
}
