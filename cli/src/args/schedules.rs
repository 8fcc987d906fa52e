//! The commands on schedules.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, ValueEnum};
use pirogue_schedule::check::Sends;
use pirogue_schedule::format::Format;

use super::whole_number;

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
  pirogue schedule compare --stages 4 --micro-batches 8 --emit html -o all.html drawn on one time scale
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
    /// Refuse a schedule that all stages cannot run together; `pirogue check` asks in more ways.
    #[arg(long)]
    pub check: bool,
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
