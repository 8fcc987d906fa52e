//! `pirogue passes`: what passes there are.

use crate::Outcome;
use crate::args::Passes;
use crate::output::Screen;

pub fn run(args: &Passes, screen: &Screen) -> Outcome {
    let registry = super::registry();
    let text = match &args.name {
        Some(name) => registry.help(name).map_err(|error| vec![*error])?,
        None => {
            let width = registry.iter().map(|info| info.name.len()).max().unwrap_or(0);
            let line = |info: &pirogue::pass::PassInfo| {
                format!("{:width$}  {}\n", info.name, info.summary)
            };
            registry.iter().map(line).collect()
        }
    };
    screen.say(&text)?;
    Ok(Vec::new())
}
