//! The values that a person means: by number, or by the name of a variable.

use super::build::variable_name;
use super::flow::{Flow, Source};
use crate::diagnostic::Diagnostic;
use crate::ir::{Op, Program, Value};
use crate::pass::near::{either, nearest};
use crate::text::Labels;

/// The values that `wanted` stands for: `%12` or `%kwarg_x`, as the program prints; or the name of
/// a variable: of a kwarg, data, a parameter, an output. A name may stand for several values.
///
/// # Errors
/// If there is none (`E0672`), with the names that are near.
pub fn find_values(program: &Program, wanted: &str) -> Result<Vec<Value>, Box<Diagnostic>> {
    let labels = Labels::of(program);
    let found: Vec<Value> = match wanted.starts_with('%') {
        true => all_values(program)
            .filter(|&value| labels.text(program, value) == wanted)
            .take(1)
            .collect(),
        false => {
            variables(program).filter(|(name, _)| *name == wanted).map(|(_, value)| value).collect()
        }
    };
    if found.is_empty() { Err(Box::new(unknown(program, wanted, &labels))) } else { Ok(found) }
}

/// All ops, nested ones included.
fn all_ops(program: &Program) -> impl Iterator<Item = Op> {
    program.top_ops().flat_map(|op| program.nest(op))
}

/// All values: arguments of blocks, and results.
fn all_values(program: &Program) -> impl Iterator<Item = Value> {
    let flow = Flow { program };
    let top = flow.sources().into_iter().filter_map(|source| match source {
        Source::Argument(value) => Some(value),
        Source::Op(_) => None,
    });
    let unread = program.kwargs(program.top()).map(|(_, argument)| argument.value);
    let nested = all_ops(program).flat_map(move |op| {
        let regions = program.regions(op).iter();
        let blocks = regions.flat_map(move |&region| program.region_blocks(region));
        let arguments = blocks.flat_map(move |&block| {
            let keyword = program.kwargs(block).map(|(_, argument)| argument.value);
            program.arguments(block).iter().map(|argument| argument.value).chain(keyword)
        });
        program.results(op).chain(arguments)
    });
    top.chain(unread).chain(nested)
}

/// The variables of a program, with the values that they stand for.
fn variables(program: &Program) -> impl Iterator<Item = (&str, Value)> {
    let context = program.context();
    let kwargs = program.kwargs(program.top());
    let kwargs = kwargs.map(|(keyword, argument)| (context.name_text(keyword), argument.value));
    let named = all_ops(program).filter_map(|op| {
        let value = program.results(op).next().or_else(|| program.operand(op, 0))?;
        Some((variable_name(program, op)?, value))
    });
    kwargs.chain(named)
}

fn unknown(program: &Program, wanted: &str, labels: &Labels) -> Diagnostic {
    let error = Diagnostic::error("E0672", format!("the program has no value `{wanted}`"));
    if wanted.bytes().all(|byte| byte.is_ascii_digit()) && !wanted.is_empty() {
        return error.help(format!("values go by number with a `%` before it: `%{wanted}`"));
    }
    let labels: Vec<String> = match wanted.strip_prefix('%') {
        // Every number is near to some other: the range says more.
        Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => Vec::new(),
        Some(_) => all_values(program).map(|value| labels.text(program, value)).collect(),
        None => Vec::new(),
    };
    let mut names: Vec<&str> = match wanted.starts_with('%') {
        true => labels.iter().map(String::as_str).collect(),
        false => variables(program).map(|(name, _)| name).collect(),
    };
    names.sort_unstable();
    names.dedup();
    let near = nearest(wanted, names);
    if !near.is_empty() {
        return error.help(format!("did you mean {}?", either(&near)));
    }
    error.help("values go by what `pirogue opt` prints, such as `%0`, or by the name of data, a parameter, a kwarg or an output")
}
