//! `pirogue stats`: what a program consists of.

use pirogue::ir::Context;
use pirogue::stats::ProgramStats;

use crate::args::{Stats, StatsForm};
use crate::output::Screen;
use crate::{Outcome, input};

pub fn run(args: &Stats, screen: &Screen) -> Outcome {
    let bytes = input::load(&args.input)?;
    let read = input::parse(&Context::new(), &args.input, &bytes)?;
    let stats = ProgramStats::of(&read.program);
    let text = match args.emit {
        StatsForm::Text => stats.to_string(),
        StatsForm::Json => serde_json::to_string(&stats).expect("counts are plain data") + "\n",
    };
    screen.say(&text)?;
    Ok(read.warnings)
}
