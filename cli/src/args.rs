//! What can be typed.

mod proofs;
mod questions;
mod schedules;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use pirogue::parallel::default_threads;

pub use proofs::{ProofForm, Prove};
pub use questions::{Diff, Graph, Names, Picture, Stats, StatsForm};
pub use schedules::{
    ChannelsPer, Check, CheckForm, Drawing, Emit, FamilyOptions, GivenCounts, LeftOver,
    ReceiveRule, Schedule, ScheduleForm,
};

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
  pirogue schedule zbv --stages 4 --chunks 2 --micro-batches 8 --emit csv
  pirogue prove stage0.pir plan
  pirogue diff stage0.pir inferred.pir
  pirogue passes pipeline_scheduler_VPP

Programs are what Paddle prints (`print(program)`) or saves (`paddle.jit.save`, `.json`).
Exit status: 0 done, 1 the input or the plan is wrong or programs differ, 2 the command line is wrong.";

/// Options of all commands.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Say more; -vv says all.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,
    /// Say nothing but errors; programs are still printed.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// How diagnostics are written to standard error.
    #[arg(long, value_enum, default_value_t = DiagnosticForm::Human, global = true, value_name = "FORM")]
    pub diagnostics: DiagnosticForm,
    /// Whether there are colours.
    #[arg(long, value_enum, default_value_t = ColourChoice::Auto, global = true, value_name = "WHEN")]
    pub color: ColourChoice,
    /// How many threads work at a time; as many as there are processors, if not given.
    #[arg(long, global = true, value_name = "N", value_parser = at_least_one)]
    threads: Option<NonZeroUsize>,
}

impl Global {
    /// How many threads may work at a time. What comes out does not depend on it.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads.unwrap_or_else(default_threads)
    }
}

fn whole_number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u32::MAX))
}

fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a whole number from 1".to_owned())
}

/// How diagnostics are written.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiagnosticForm {
    /// For a person, with the line and a caret.
    Human,
    /// One JSON object a line.
    Json,
}

/// Whether there are colours.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColourChoice {
    /// On a terminal.
    Auto,
    /// Wherever they go.
    Always,
    /// Not at all.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run passes over a program; without any: read it, verify it, print it.
    Opt(Opt),
    /// Make the programs and the job list of a pipeline stage.
    Plan(Plan),
    /// Generate a schedule, or read one in any format, and write it in another.
    Schedule(Schedule),
    /// Say whether all stages can run a schedule together, and who waits for whom if not.
    Check(Check),
    /// Prove that plans, whoever made them, mean what their programs meant.
    Prove(Prove),
    /// Show what differs between two programs, op by op.
    Diff(Diff),
    /// Count what a program consists of: ops, parameters, what crosses.
    Stats(Stats),
    /// Draw what flows in a program, by role and chunk or around a value.
    Graph(Graph),
    /// List the passes, or show one with its options.
    Passes(Passes),
    /// Say what a diagnostic code means and what to do, or list all codes.
    Explain(Explain),
    /// Run cases: programs in files, with what passes are expected to make of them.
    Test(Test),
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
  pirogue opt train.pir                             read, verify, print
  pirogue opt train.pir -p infer_chunk_ids -o out.pir
  pirogue opt train.pir -p 'complete_op_roles,split_matmul_grad{drop_dead_products=true}'
  pirogue opt train.json -o train.pir               what `paddle.jit.save` wrote, as text
  zcat train.pir.gz | pirogue opt - --emit json -o train.json
  pirogue opt failure.pir                           run the pipeline in the header of the file
  pirogue opt a.pir b.pir -p infer_chunk_ids -o out          out/a.pir and out/b.pir
  pirogue opt train.pir -p infer_chunk_ids --timing --print-changed
  pirogue opt train.pir -p 'pipeline_scheduler_VPP{...},jobs[forward*](...)' --emit plan -o plan

Several inputs are worked on at the same time, with the same result as one after the other; without
-o they are printed with `// -----` between. `pirogue passes` lists the passes. -v is --statistics.
A dump and a reproducer are programs: `pirogue opt FILE` runs the rest of the pipeline.")]
pub struct Opt {
    /// The programs, text or JSON; `-` is standard input.
    #[arg(default_value = "-", value_name = "IN")]
    pub inputs: Vec<PathBuf>,
    /// The passes to run, in order: `pass,pass{option=value},...`.
    #[arg(short, long, value_name = "PIPELINE")]
    pub pipeline: Option<String>,
    /// Where to write, instead of to standard output: a file; a folder for several inputs or a plan.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// What is written.
    #[arg(long, value_enum, default_value_t = Form::Text, value_name = "FORM")]
    pub emit: Form,
    /// If a pass fails, write the program that it fails on here; `pirogue opt FILE` repeats it.
    #[arg(long, value_name = "FILE")]
    pub reproducer: Option<PathBuf>,
    /// What is watched and verified.
    #[command(flatten)]
    pub watch: Watch,
}

/// What is watched and verified while passes run.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Watching passes")]
pub struct Watch {
    /// Print the program to standard error before each pass, or before those that are named;
    /// `*` in a name stands for any letters.
    #[arg(long, value_name = "PASS,..", num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "*")]
    pub print_before: Vec<String>,
    /// As --print-before, after passes.
    #[arg(long, value_name = "PASS,..", num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "*")]
    pub print_after: Vec<String>,
    /// As --print-after, where a pass changed something.
    #[arg(long, value_name = "PASS,..", num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "*")]
    pub print_changed: Vec<String>,
    /// Print to numbered files in a folder instead; after each pass, without a --print option.
    #[arg(long, value_name = "DIR")]
    pub dump: Option<PathBuf>,
    /// Print what each pass counted to standard error.
    #[arg(long, visible_alias = "stats")]
    pub statistics: bool,
    /// Print the time, ops and edits of each pass to standard error.
    #[arg(long, visible_alias = "time-passes")]
    pub timing: bool,
    /// Write a trace of the run, for Perfetto or `chrome://tracing`.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Prove after each pass that the program means what it meant before: that it computes the same
    /// terms, but for reshapes and split products; algebra such as x + 0 = x is not known.
    #[arg(long)]
    pub prove_each: bool,
    /// How much is verified.
    #[arg(long, value_enum, default_value_t = VerifyWhen::Touched, value_name = "WHEN")]
    pub verify: VerifyWhen,
}

/// How much of a program is verified.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum VerifyWhen {
    /// After each pass what it touched, and all at both ends.
    Touched,
    /// All, after each pass that changed something.
    Each,
    /// All, at both ends.
    Ends,
    /// Nothing.
    None,
}

/// What is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// The program as Paddle prints it.
    Text,
    /// The program as Paddle saves it.
    Json,
    /// The plan that a scheduler pass made: an account of it, or with -o its folder.
    Plan,
}

/// `pirogue plan`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pirogue plan stage0.pir --stages 2 --chunks 2 --micro-batches 4 --stage 0
  pirogue plan stage0.pir --stages 2 --chunks 2 --micro-batches 4 --stage 0 -o plan0
  pirogue plan stage0.pir stage1.pir --stages 2 --chunks 2 --micro-batches 4 -o plans
  pirogue plan stage1.pir --stages 2 --chunks 2 --micro-batches 2 --stage 1 --split-backward -vv
  pirogue plan stage0.pir --schedule zb-h1 --stages 4 --micro-batches 8 --stage 0
  pirogue plan bare.pir --stages 2 --micro-batches 4 --stage 0 --before infer_chunk_ids

The table has a row for each kind of job: its programs and their ops; `values in`, the named values
that come from other programs; `values out`, the values that get a name for other programs
(parameters and data have one); and its jobs. -v shows a row for each job type, -vv the job list as
well. Each plan is proved: variables after the step, outputs and messages are what the program
gives, or nothing is written. -o writes `plan.json` and a program for each job type, such as `forward0.pir`; with several
inputs, in a folder for each stage.")]
pub struct Plan {
    /// The program of one stage, or those of stages 0, 1, ..., text or JSON; `-` is standard input.
    #[arg(required = true, value_name = "IN")]
    pub inputs: Vec<PathBuf>,
    /// The schedule: a family, such as VPP or zb-h1, or a file with the lists of all stages.
    #[arg(long, default_value = "VPP", value_name = "NAME|FILE")]
    pub schedule: String,
    /// Pipeline stages, p.
    #[arg(long, value_name = "P", value_parser = whole_number, visible_alias = "pp-degree")]
    pub stages: u32,
    /// Model chunks on each stage, v.
    #[arg(long, value_name = "V", value_parser = whole_number, visible_alias = "vpp-degree", default_value_t = 1)]
    pub chunks: u32,
    /// Micro-batches, m.
    #[arg(long, value_name = "M", value_parser = whole_number, visible_alias = "num-micro-batches")]
    pub micro_batches: u32,
    /// The stage of the program, from 0; needed with one input.
    #[arg(long, value_name = "R", value_parser = whole_number, visible_alias = "pp-stage")]
    pub stage: Option<u32>,
    /// Split the backward into gradients of inputs and of weights; counts only where M = P.
    #[arg(long)]
    pub split_backward: bool,
    /// The device of values that cross programs: cpu, gpu:0.
    #[arg(long, default_value = "cpu", value_name = "DEVICE")]
    pub place: String,
    /// Which values a job keeps for later jobs.
    #[arg(long, value_enum, default_value_t = SkipGc::Paddle, value_name = "RULE")]
    pub skip_gc: SkipGc,
    /// Passes to run on each program before it is cut.
    #[arg(long, value_name = "PIPELINE")]
    pub before: Option<String>,
    /// Passes to run on the plan: `jobs[forward*](pass)` runs on its programs.
    #[arg(long, value_name = "PIPELINE")]
    pub after: Option<String>,
    /// Do not prove that the plan means what the program meant.
    #[arg(long)]
    pub no_prove: bool,
    /// Write the plan even if it is refuted.
    #[arg(long, conflicts_with = "no_prove")]
    pub force: bool,
    /// The folder to write to: new, empty, or with a plan, which is replaced.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// What is watched and verified.
    #[command(flatten)]
    pub watch: Watch,
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

/// `pirogue explain`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pirogue explain E0203
  pirogue explain                                   a line for each code")]
pub struct Explain {
    /// Codes, as they stand in brackets behind `error`, `warning` or `note`.
    #[arg(value_name = "CODE")]
    pub codes: Vec<String>,
}

/// `pirogue test`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pirogue test tests/cases                          run all cases of all `.pir` files
  pirogue test tests/cases embedding                those whose names have `embedding` in them
  pirogue test tests/cases --bless                  take what they show now as right
  pirogue test tests/cases/roles.pir --snapshots snapshots/cases

A file holds cases, with lines of `// -----` between:

  // case: an op between two forward ops is forward
  // run: -p complete_op_roles
  // show: diff
  {
      (%0) = \"pd_op.data\" () {name:\"x\",op_role:0} : () -> tensor<2xf32>
      (%1) = \"pd_op.relu\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
  }
  // -----
  // case: where no op has a role, none can be found
  // run: -p complete_op_roles
  {
      (%0) = \"pd_op.data\" () {name:\"x\"} : () -> tensor<2xf32>
      // expect-error@above E0212: no op of the top block says its role
  }

`show` takes diff, program, jobs, jobs(forward0), stats and diagnostics; what a case shows is kept in
`snapshots/FILE/CASE.snap` in the folder of the cases, and compared without the numbers of values.
`prove: yes` proves that each pass, and the plan that one makes, keeps the meaning of the program.
Errors and warnings fail a case that does not expect them (`expect-error`, `expect-warning`,
`expect-note`; `@above`, `@below`, `@+1`, `@-1` say of which line), and so does what is expected and
not said. Each case is also printed and read again, verified, and run with one thread and several.")]
pub struct Test {
    /// The folder of the cases, or a file of it.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Run the cases whose names have this in them.
    #[arg(value_name = "FILTER")]
    pub filter: Option<String>,
    /// Write the snapshots that are missing or differ.
    #[arg(long)]
    pub bless: bool,
    /// Where the snapshots are, if not in `snapshots` in the folder of the cases.
    #[arg(long, value_name = "FOLDER")]
    pub snapshots: Option<PathBuf>,
}
