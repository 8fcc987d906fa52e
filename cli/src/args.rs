//! What can be typed.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

/// Read, transform and plan pipeline-parallel training programs.
#[derive(Debug, Parser)]
#[command(name = "pirogue", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Args {
    /// Options of all commands.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  pirogue plan stage0.pir --stages 2 --chunks 2 --micro-batches 4 --stage 0 -o plan
  pirogue opt stage0.pir -p infer_chunk_ids -o inferred.pir
  pirogue passes pipeline_scheduler_VPP

Programs are what Paddle prints (`print(program)`) or saves (`paddle.jit.save`, `.json`).
Exit status: 0 done, 1 the input or the plan is wrong, 2 the command line is wrong.";

/// Options of all commands.
#[derive(Debug, ClapArgs)]
pub struct Global {
    /// Say more: -v, -vv.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,
    /// Say nothing but errors.
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// How diagnostics are written to standard error.
    #[arg(long, value_enum, default_value_t = DiagnosticForm::Human, global = true, value_name = "FORM")]
    pub diagnostics: DiagnosticForm,
    /// Whether to use colours.
    #[arg(long, value_enum, default_value_t = ColourChoice::Auto, global = true, value_name = "WHEN")]
    pub color: ColourChoice,
}

/// How diagnostics are written.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiagnosticForm {
    /// For a person, with the line and a caret.
    Human,
    /// One JSON object a line.
    Json,
}

/// Whether to use colours.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColourChoice {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run passes over a program; without any: read it, verify it, print it.
    Opt(Opt),
    /// Make the programs and the job list of a pipeline stage.
    Plan(Plan),
    /// List the passes, or show one with its options.
    Passes(Passes),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// `pirogue opt`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pirogue opt train.pir                                   read, verify, print
  pirogue opt train.pir -p infer_chunk_ids -o out.pir
  pirogue opt train.json --emit text                      Paddle's JSON to text
  pirogue opt train.pir -p 'complete_op_roles,split_matmul_grad{drop_dead_products=true}'
  pirogue opt reproduce-split.pir                         run the pipeline in the file's header

`pirogue passes` lists the passes.")]
pub struct Opt {
    /// The program, text or JSON; `-` is standard input.
    #[arg(default_value = "-", value_name = "IN")]
    pub input: PathBuf,
    /// The passes to run, in order: `pass,pass{option=value},...`.
    #[arg(short, long, value_name = "PIPELINE")]
    pub pipeline: Option<String>,
    /// Where to write the program, instead of to standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The form of the program that is written.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    pub emit: Form,
    /// A folder for a file that repeats the failure, if a pass fails.
    #[arg(long, value_name = "DIR")]
    pub reproducer: Option<PathBuf>,
    /// How many programs are worked on at a time.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// The form of a program.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// As Paddle prints it.
    Text,
    /// As Paddle saves it.
    Json,
}

/// `pirogue plan`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pirogue plan stage0.pir --stages 2 --chunks 2 --micro-batches 4 --stage 0
  pirogue plan stage0.pir --stages 2 --chunks 2 --micro-batches 4 --stage 0 -o plan
  pirogue plan stage0.pir stage1.pir --stages 2 --chunks 2 --micro-batches 2 --split-backward -o plans

Written are `plan.json` and a program for each job type, `forward0.pir`, ...; with several inputs a
folder for each stage. -v shows every job type, -vv the job list as well.")]
pub struct Plan {
    /// The program of one stage, or those of stages 0, 1, ...
    #[arg(required = true, value_name = "IN")]
    pub inputs: Vec<PathBuf>,
    /// The schedule.
    #[arg(long, value_enum, default_value_t = Schedule::Vpp)]
    pub schedule: Schedule,
    /// Pipeline stages, p.
    #[arg(long, value_name = "P", alias = "pp-degree")]
    pub stages: u32,
    /// Model chunks on each stage, v.
    #[arg(long, value_name = "V", alias = "vpp-degree", default_value_t = 1)]
    pub chunks: u32,
    /// Micro-batches, m.
    #[arg(long, value_name = "M", alias = "num-micro-batches")]
    pub micro_batches: u32,
    /// The stage of the program, from 0; needed with one input.
    #[arg(long, value_name = "R", alias = "pp-stage")]
    pub stage: Option<u32>,
    /// Split the backward into gradients of inputs and of weights; counts only where M = P.
    #[arg(long)]
    pub split_backward: bool,
    /// The device of values that cross programs.
    #[arg(long, default_value = "cpu", value_name = "DEVICE")]
    pub place: String,
    /// Which values a job keeps for later jobs.
    #[arg(long, value_enum, default_value_t = SkipGc::Paddle)]
    pub skip_gc: SkipGc,
    /// Do not prove the plan. Plans are not proved yet: this changes nothing.
    #[arg(long)]
    pub no_prove: bool,
    /// The folder to write to. A plan that is there is replaced.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// The schedules that a plan can follow.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum Schedule {
    /// Paddle's interleaved 1F1B.
    #[value(name = "VPP", alias = "vpp")]
    Vpp,
}

/// Which values a job keeps for later jobs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum SkipGc {
    /// Those that Paddle keeps.
    Paddle,
    /// The fewest that are safe.
    Exact,
}

/// `pirogue passes`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pirogue passes
  pirogue passes split_matmul_grad")]
pub struct Passes {
    /// A pass to show in full.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}
