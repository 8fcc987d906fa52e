//! The commands that question programs.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

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
