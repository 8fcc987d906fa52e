//! What can be typed.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use pirogue::parallel::default_threads;
use pirogue_schedule::check::Sends;
use pirogue_schedule::format::Format;

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
well. -o writes `plan.json` and a program for each job type, such as `forward0.pir`; with several
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
    /// Do not prove the plan. Plans are not proved yet, so this changes nothing; a later release
    /// proves them unless it is given.
    #[arg(long)]
    pub no_prove: bool,
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

/// `pirogue schedule`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pirogue schedule --list                           the families, with bubble, memory, conditions
  pirogue schedule VPP --stages 2 --chunks 2 --micro-batches 4
  pirogue schedule zbv --stages 4 --chunks 2 --micro-batches 8 --emit csv -o zbv.csv
  pirogue schedule interleaved --stages 4 --chunks 2 --micro-batches 10 --group 5 --emit megatron
  pirogue schedule zbv.csv                          a file in any format, as a line of jobs a stage
  pirogue schedule zbv.csv --emit json -o zbv.json
  pirogue schedule - --from zero-bubble --emit csv < printed.txt
  pirogue schedule zbv --stages 4 --chunks 2 --micro-batches 8 --emit term      a picture
  pirogue schedule zbv.csv --simulate --costs costs.toml                        bubbles, idle times, memory
  pirogue schedule zbv.csv --explain 0 backward_b1:3                            why it begins when it does
  pirogue schedule compare --stages 8 --micro-batches 32 --emit md              all families side by side
  pirogue schedule auto --stages 4 --micro-batches 8 --costs costs.toml         the fastest that fits

A file of costs:
  forward = 10
  backward-input = 12        # a whole backward takes both halves, unless `backward` says otherwise
  backward-weight = 6
  latency = 2                # of a message; `occupancy` is for how long it has the link for itself
  memory = { activation = 4, residue = 1, parameters = 100, gradients = 100 }
  limit = 300                # memory of a stage, or a list with one number for each
  [[chunk]]                  # what differs on some chunk
  stage = 3
  chunk = 0
  forward = 14

Formats:
  jobs          a line a stage: `recv_forward0:0 forward0:0 ... optimizer:0`
  csv           torch's: a row a rank, `0F0,1F0,1I0,1W0`; empty cells are idle slots
  json          our own, which holds all that a schedule has
  megatron      Megatron-LM's table of steps and order integers, as JSON
  paddle        the job lists of one of Paddle's passes, as JSON
  zero-bubble   a line a stage: `f0 F0 b0 w0`, capitals for chunk 1

What the format that is written does not hold is said in warnings, or is an error where what is left
would be another schedule. With --stages the name is that of a family, without that of a file.")]
pub struct Schedule {
    /// A file with a schedule, `-` for standard input; with --stages, the name of a family.
    #[arg(required_unless_present = "list", value_name = "FILE|NAME")]
    pub source: Option<String>,
    /// List the families, or show the one that is named.
    #[arg(long)]
    pub list: bool,
    /// The format of the file; told by how it begins, if not given.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), conflicts_with = "stages")]
    pub from: Option<Format>,
    /// What is written: a format, a picture (term, svg, html, trace), or of `compare` a table (csv, json, md).
    #[arg(long, value_name = "FORMAT", value_parser = emit_parser(), default_value = "jobs")]
    pub emit: Emit,
    /// The file to write to, instead of to standard output.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// How a schedule is generated.
    #[command(flatten)]
    pub family: FamilyOptions,
    /// What it takes.
    #[command(flatten)]
    pub simulation: SimulationOptions,
}

/// What a schedule takes, and what is asked of it.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Simulating")]
pub struct SimulationOptions {
    /// Show makespan, bubbles, idle times by cause and memory.
    #[arg(long)]
    pub simulate: bool,
    /// What jobs and messages take, as TOML; without it F = I = W = 1, B = 2, messages nothing.
    #[arg(long, value_name = "FILE")]
    pub costs: Option<PathBuf>,
    /// Show why a job begins when it does: `--explain 0 backward0:1`.
    #[arg(long, num_args = 2, value_names = ["STAGE", "JOB"])]
    pub explain: Option<Vec<String>>,
    /// How many characters a line of `--emit term` has; $COLUMNS or 120 if not given.
    #[arg(long, value_name = "N", value_parser = whole_number)]
    pub width: Option<u32>,
}

/// What is written of a schedule.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Emit {
    /// The schedule in a format.
    Format(Format),
    /// A drawing of it.
    Drawing(Drawing),
    /// A Markdown table.
    Md,
}

/// A drawing of a schedule.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// In characters.
    Term,
    /// As SVG.
    Svg,
    /// As one HTML page.
    Html,
    /// As a Chrome trace.
    Trace,
}

impl Drawing {
    const ALL: [(&str, Self); 4] =
        [("term", Self::Term), ("svg", Self::Svg), ("html", Self::Html), ("trace", Self::Trace)];
}

/// Reads what is to be written.
fn emit_parser() -> impl TypedValueParser<Value = Emit> {
    let formats = Format::ALL.map(Format::name).into_iter();
    let pictures = Drawing::ALL.into_iter().map(|(name, _)| name);
    PossibleValuesParser::new(formats.chain(pictures).chain(["md"])).map(|name| {
        let picture = Drawing::ALL.into_iter().find(|(known, _)| *known == name);
        match (name.parse(), picture) {
            (Ok(format), _) => Emit::Format(format),
            (Err(_), Some((_, picture))) => Emit::Drawing(picture),
            (Err(_), None) => Emit::Md,
        }
    })
}

/// How a schedule is generated.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Generating")]
pub struct FamilyOptions {
    /// Pipeline stages, p.
    #[arg(long, value_name = "P", value_parser = whole_number, visible_alias = "pp-degree", requires = "micro_batches")]
    pub stages: Option<u32>,
    /// Model chunks on each stage, v.
    #[arg(long, value_name = "V", value_parser = whole_number, visible_alias = "vpp-degree", default_value_t = 1, requires = "stages")]
    pub chunks: u32,
    /// Micro-batches, m.
    #[arg(long, value_name = "M", value_parser = whole_number, visible_alias = "num-micro-batches", requires = "stages")]
    pub micro_batches: Option<u32>,
    /// Split the backward into gradients of inputs and of weights, where the family leaves that open.
    #[arg(long, requires = "stages")]
    pub split_backward: bool,
    /// How many micro-batches pass a chunk before the first of them goes on to the next chunk.
    #[arg(long, value_name = "G", value_parser = whole_number, requires = "stages")]
    pub group: Option<u32>,
    /// The most activations that a stage may hold, each of one chunk and micro-batch.
    #[arg(long, value_name = "N", value_parser = whole_number, requires = "stages")]
    pub live_limit: Option<u32>,
    /// What to do with micro-batches that fill no group.
    #[arg(long, value_enum, value_name = "RULE", default_value_t = LeftOver::Keep, requires = "stages")]
    pub remainder: LeftOver,
    /// Which jobs Paddle's lists have for receives and sends.
    #[arg(long, value_enum, value_name = "FORM", default_value_t = ScheduleForm::Current, requires = "stages")]
    pub form: ScheduleForm,
    /// Start the reduction of gradients in the last weight half of each chunk.
    #[arg(long, requires = "stages")]
    pub overlap_sharding_reduce: bool,
}

/// The three numbers of a schedule as they were typed.
#[derive(Copy, Clone, Debug)]
pub struct GivenCounts {
    /// Pipeline stages.
    pub stages: u32,
    /// Chunks on each.
    pub chunks: u32,
    /// Micro-batches.
    pub micro_batches: u32,
}

impl FamilyOptions {
    /// The counts, if a schedule is to be generated.
    pub fn counts(&self) -> Option<GivenCounts> {
        let (stages, micro_batches) = (self.stages?, self.micro_batches?);
        Some(GivenCounts { stages, chunks: self.chunks, micro_batches })
    }
}

/// What to do with micro-batches that fill no group.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum LeftOver {
    /// The last group is smaller.
    Keep,
    /// All groups become a little larger.
    Regroup,
}

/// Which jobs Paddle's lists have.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScheduleForm {
    /// Receives and sends of their own, as Paddle 3.3 has.
    Current,
    /// Receives and sends inside the computations.
    Legacy,
}

/// Reads the name of a format.
fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .map(|name| name.parse().expect("it is one of the possible names"))
}

/// `pirogue check`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pirogue check schedule.txt                        a line a stage: forward0:0 backward0:0
  pirogue check schedule.csv --receives blocking    torch's CSV, and other formats
  pirogue check schedule.txt --sends rendezvous --receives blocking --channels pair
  pirogue check schedule.txt --memory-limit 8       at most 8 activations on a stage at a time
  pirogue check plans                               what `pirogue plan -o plans` wrote
  pirogue check plan0 plan1 --emit json | jq .sound

Checked are all lists together: each step once and in order, indices in range; that nobody waits for
itself in a circle; that messages arrive in the order they are sent; that gradients are reduced in
one order; and the activations held. A deadlock is shown as its shortest circle of waits.
--sends N: a stage waits before it has more than N messages on their way that nobody has taken.
Exit status: 0 sound, 1 not sound or not readable, 2 the command line is wrong.")]
pub struct Check {
    /// The schedule, in a file of any format, `-` is standard input; or the plans of all stages:
    /// their folders, or the folder they are in.
    #[arg(required = true, value_name = "FILE|DIR")]
    pub inputs: Vec<PathBuf>,
    /// What a send holds up until its message is taken: nothing (buffered), the list (rendezvous),
    /// or the list once N messages are on their way.
    #[arg(long, value_name = "buffered|rendezvous|N", default_value = "buffered", value_parser = sends)]
    pub sends: Sends,
    /// What a receive holds up until its message has come.
    #[arg(long, value_enum, default_value_t = ReceiveRule::Stream, value_name = "RULE")]
    pub receives: ReceiveRule,
    /// Which messages share a channel, first in, first out.
    #[arg(long, value_enum, default_value_t = ChannelsPer::Direction, value_name = "RULE")]
    pub channels: ChannelsPer,
    /// The most activations that a stage may hold at a time, each of a chunk on a micro-batch.
    #[arg(long, value_name = "N", value_parser = whole_number)]
    pub memory_limit: Option<u32>,
    /// How the answer is written; faults go to standard error besides.
    #[arg(long, value_enum, default_value_t = CheckForm::Text, value_name = "FORM")]
    pub emit: CheckForm,
}

fn sends(text: &str) -> Result<Sends, String> {
    match text {
        "buffered" => Ok(Sends::Buffered),
        "rendezvous" => Ok(Sends::Rendezvous),
        number => number
            .parse()
            .map(Sends::AtMost)
            .map_err(|_| "expected `buffered`, `rendezvous`, or a whole number from 1".to_owned()),
    }
}

/// What a receive holds up until its message has come.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReceiveRule {
    /// The computation that needs the message.
    Nonblocking,
    /// That and all later receives of the stage, as with Paddle's VPP.
    Stream,
    /// All that comes after it in the list.
    Blocking,
}

/// Which messages share a channel.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ChannelsPer {
    /// All between two stages.
    Pair,
    /// Those of forwards, and those of backwards.
    Direction,
}

/// How the answer is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckForm {
    /// For a person.
    Text,
    /// One JSON object.
    Json,
}

/// `pirogue diff`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pirogue diff before.pir after.pir
  pirogue opt train.pir -p infer_chunk_ids | pirogue diff train.pir -
  pirogue diff train.pir train.json                 what is printed, and what is saved
  pirogue diff old/forward0.pir new/forward0.pir --names generated --side-by-side

Marks: - only in A, + only in B, < and > moved from here and to here, ~ changed, with what changed
below. Values that both programs have go by their names in A, others by `%+0`, `%+1`, ...; so a new
number alone is no difference. Ops that stay are shown without attributes.
Programs of files that hold several, with `// -----` between, are compared one by one.
Exit status: 0 no differences, 1 differences or a program that cannot be read, 2 the command line
is wrong.")]
pub struct Diff {
    /// The program that was, text or JSON; `-` is standard input.
    #[arg(value_name = "A")]
    pub first: PathBuf,
    /// The program that is.
    #[arg(value_name = "B")]
    pub second: PathBuf,
    /// Show A on the left and B on the right.
    #[arg(short = 'y', long)]
    pub side_by_side: bool,
    /// How many characters a line has side by side.
    #[arg(long, value_name = "N", default_value_t = 160, requires = "side_by_side")]
    pub width: usize,
    /// How many of the same ops are shown around what differs.
    #[arg(short = 'U', long, value_name = "N", default_value_t = 3)]
    pub context: usize,
    /// When names that were made from the number of a value, such as `var_6_pd_op.matmul_0`, are
    /// the same.
    #[arg(long, value_enum, default_value_t = Names::Exact, value_name = "RULE")]
    pub names: Names,
}

/// When names are the same.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum Names {
    /// When they are the same text.
    Exact,
    /// When they are but for that number, which is shown as `N`.
    Generated,
}

/// `pirogue stats`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pirogue stats train.pir
  pirogue stats train.pir --emit json | jq .crossing

Counted are the ops by name, and by role and chunk; the parameters; and what crosses from one role
and chunk to another: a value counts once for each place that reads it.")]
pub struct Stats {
    /// The program, text or JSON; `-` is standard input.
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// What is written.
    #[arg(long, value_enum, default_value_t = StatsForm::Text, value_name = "FORM")]
    pub emit: StatsForm,
}

/// What `stats` writes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatsForm {
    /// Tables.
    Text,
    /// One JSON object.
    Json,
}

/// `pirogue graph`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pirogue graph train.pir -o train.svg              by role and chunk, if it is large
  pirogue graph train.pir --around %12 -o slice.svg
  pirogue graph train.pir --around linear_0.w_0 --depth 1 --emit svg > slice.svg
  pirogue graph plan/forward0.pir --full | dot -Tpdf -o forward0.pdf

A box is an op of the top block with its first result, or an argument that is read; a program of
more than 300 ops has a box for each role and chunk, and its edges say how many values cross and how
large they are. Around a value, that box is bold; where a box has a broken line, the slice ends and
the program goes on. An SVG opens in a browser; DOT is the language of Graphviz.")]
pub struct Graph {
    /// The program, text or JSON; `-` is standard input.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// What is written; if not given, SVG to a file that ends in `.svg`, else DOT.
    #[arg(long, value_enum, value_name = "FORM")]
    pub emit: Option<Picture>,
    /// Draw what a value is made from and who reads it: `%12`, or the name of data, a parameter, a
    /// kwarg or an output.
    #[arg(long, value_name = "VALUE")]
    pub around: Option<String>,
    /// How many steps to go from the value, back and on.
    #[arg(long, value_name = "N", default_value_t = 2, requires = "around")]
    pub depth: usize,
    /// Draw every op, however many there are.
    #[arg(long, conflicts_with = "around")]
    pub full: bool,
    /// The file to write to, instead of to standard output.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

/// A picture.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum Picture {
    /// For Graphviz.
    Dot,
    /// Laid out, for a browser.
    Svg,
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
