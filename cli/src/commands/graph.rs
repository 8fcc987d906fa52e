//! `pirogue graph`: what flows in a program, as a picture.

use pirogue::diagnostic::Diagnostic;
use pirogue::graph::{Graph as Flow, MOST_OPS, find_values};
use pirogue::ir::{Context, Program};

use crate::Outcome;
use crate::args::{Graph, Picture};
use crate::failure::Failure;
use crate::input;
use crate::output::{self, Screen};

pub fn run(args: &Graph, screen: &Screen) -> Outcome {
    let bytes = input::load(&args.input)?;
    let read = input::parse(&Context::new(), &args.input, &bytes)?;
    let mut found = read.warnings;
    let flow = match flow(args, &read.program, &mut found) {
        Ok(flow) => flow,
        Err(error) => {
            found.push(*error);
            return Err(Failure::Input(found));
        }
    };
    let picture = match form(args) {
        Picture::Dot => flow.to_dot(),
        Picture::Svg => flow.to_svg(),
    };
    match &args.output {
        Some(path) => output::to_file(path, |sink| sink.write_all(picture.as_bytes()))?,
        None => output::to_stdout(|sink| sink.write_all(picture.as_bytes()))?,
    }
    // The process ends: nothing is gained by freeing a program op by op.
    std::mem::forget(read.program);
    if screen.verbosity > 0 {
        screen.show(counts(&flow).as_bytes());
    }
    Ok(found)
}

fn flow(
    args: &Graph,
    program: &Program,
    found: &mut Vec<Diagnostic>,
) -> Result<Flow, Box<Diagnostic>> {
    if let Some(value) = &args.around {
        let values = find_values(program, value)?;
        return Ok(Flow::around(program, &values, args.depth));
    }
    let ops = program.top_ops().count();
    if args.full || ops <= MOST_OPS {
        return Ok(Flow::of_ops(program));
    }
    let message = format!("{ops} ops are drawn as their roles and chunks");
    let help = "`--around VALUE` shows a part op by op, `--full` all of it";
    found.push(Diagnostic::note("N0673", message).help(help));
    Ok(Flow::of_places(program))
}

/// What was asked for, or what the name of the file says.
fn form(args: &Graph) -> Picture {
    let is_svg = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "svg");
    let named = if args.output.as_ref().is_some_and(is_svg) { Picture::Svg } else { Picture::Dot };
    args.emit.unwrap_or(named)
}

fn counts(flow: &Flow) -> String {
    format!("{} nodes, {} edges\n", flow.nodes().len(), flow.edges().len())
}
