//! `pirogue passes`: what passes there are.

use crate::Outcome;
use crate::args::Passes;
use crate::failure::Failure;
use crate::output::Screen;

pub fn run(args: &Passes, screen: &Screen) -> Outcome {
    let registry = super::registry();
    let text = match &args.name {
        Some(name) => {
            registry.help(name).map_err(|unknown| Failure::CommandLine(vec![*unknown]))?
        }
        None => registry.list(),
    };
    screen.say(&text)?;
    Ok(Vec::new())
}
