//! `pirogue diff`: what differs between two programs.

use pirogue::diagnostic::Colour;
use pirogue::diff::{DiffOptions, GeneratedNames, Line, LineKind, diff};
use pirogue::ir::{Context, Numbers, Program};
use pirogue::json;

use crate::Outcome;
use crate::args::{Diff, Names};
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::output::Screen;

pub fn run(args: &Diff, screen: &Screen) -> Outcome {
    input::check_stdin([&args.first, &args.second])?;
    let first = input::load(&args.first)?;
    let second = input::load(&args.second)?;
    // Text says less of numbers than JSON does.
    let are_exact = json::is_json(&first) && json::is_json(&second);
    let names = match args.names {
        Names::Exact => GeneratedNames::Exact,
        Names::Generated => GeneratedNames::AnyIndex,
    };
    let numbers = if are_exact { Numbers::Exact } else { Numbers::AsPrinted };
    let context = Context::new();
    let first = input::parse_all(&context, &args.first, &first)?;
    let second = input::parse_all(&context, &args.second, &second)?;
    let options = DiffOptions { numbers, names };
    let colour = screen.result_colour();
    let shown: Vec<Shown> =
        pairs(&first, &second).map(|pair| show(args, options, pair, colour)).collect();
    screen.say(&gather(&shown))?;
    let warnings = first.iter().chain(&second).flat_map(|read| read.warnings.iter().cloned());
    let warnings = warnings.collect();
    // The process ends: nothing is gained by freeing programs op by op.
    std::mem::forget((first, second));
    if shown.iter().all(|shown| shown.is_same) {
        return Ok(warnings);
    }
    Err(Failure::Negative(warnings))
}

/// What a program of each file shows.
struct Shown {
    lines: String,
    summary: String,
    is_same: bool,
}

/// The first programs of both files, the second ones, and so on.
fn pairs<'r>(
    first: &'r [Input],
    second: &'r [Input],
) -> impl Iterator<Item = [Option<&'r Program>; 2]> {
    (0..first.len().max(second.len())).map(move |index| {
        [first, second].map(|programs| programs.get(index).map(|read| &read.program))
    })
}

fn show(args: &Diff, options: DiffOptions, pair: [Option<&Program>; 2], colour: Colour) -> Shown {
    let [Some(first), Some(second)] = pair else {
        let side = if pair[0].is_some() { "A" } else { "B" };
        let summary = format!("only {side} has it");
        return Shown { lines: String::new(), summary, is_same: false };
    };
    let found = diff(first, second, options);
    let lines = match args.side_by_side {
        true => found.side_by_side_lines(args.width, args.context),
        false => found.unified_lines(args.context),
    };
    let lines = lines.iter().map(|line| painted(line, colour)).collect();
    Shown { lines, summary: found.counts().to_string(), is_same: found.is_empty() }
}

/// What is shown of all programs; of several, each is called by its number.
fn gather(shown: &[Shown]) -> String {
    let [only] = shown else {
        let each = shown.iter().zip(1..).map(|(Shown { lines, summary, .. }, number)| {
            let heading =
                if lines.is_empty() { String::new() } else { format!("program {number}\n") };
            format!("{heading}{lines}program {number}: {summary}\n")
        });
        return each.collect();
    };
    format!("{}{}\n", only.lines, only.summary)
}

fn painted(line: &Line, colour: Colour) -> String {
    let style = match line.kind {
        _ if colour == Colour::Plain => "",
        LineKind::Same => "",
        LineKind::Place => "\x1b[2m",
        LineKind::Removed => "\x1b[31m",
        LineKind::Added => "\x1b[32m",
        LineKind::MovedAway | LineKind::MovedHere => "\x1b[36m",
        LineKind::Changed | LineKind::Change => "\x1b[33m",
    };
    let end = if style.is_empty() { "" } else { "\x1b[0m" };
    format!("{style}{}{end}\n", line.text)
}
