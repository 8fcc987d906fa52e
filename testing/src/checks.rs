//! What is checked of every case, whatever it expects.

use std::fmt::Write as _;

use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::{Context, Program};
use pirogue::text;

use crate::blind::blind;
use crate::case::Content;
use crate::codes;
use crate::difference::line_difference;
use crate::failure::Finding;
use crate::lines::lines;
use crate::run::Ran;

/// Whether printing what was read gives what was written, but for comments, white space and the
/// numbers of values; and whether what a run leaves reads back as what it is.
pub fn check_printing(file: &str, content: &Content, ran: &Ran) -> Vec<Finding> {
    let read = ran.before.as_ref();
    let mut findings: Vec<Finding> =
        read.and_then(|read| not_as_written(file, content, read)).into_iter().collect();
    let after = ran.after.iter().map(|program| ("the program that the run leaves", program));
    let programs = ran.programs.iter().map(|(name, program)| (name.as_str(), program));
    findings
        .extend(after.chain(programs).filter_map(|(what, program)| not_read_back(what, program)));
    findings
}

/// A line of a program as it counts, with its number in the file.
fn counted(program: &str) -> Vec<(u32, String)> {
    let texts: Vec<(u32, &str)> = lines(program)
        .iter()
        .map(|line| (line.number, line.code().trim()))
        .filter(|(_, code)| !code.is_empty())
        .collect();
    let joined: Vec<&str> = texts.iter().map(|(_, code)| *code).collect();
    let joined = blind(&joined.join("\n"));
    let numbers = texts.into_iter().map(|(number, _)| number);
    numbers.zip(joined.lines().map(str::to_owned)).collect()
}

fn not_as_written(file: &str, content: &Content, read: &Program) -> Option<Finding> {
    let printed = text::to_text(read);
    let (ours, theirs) = (counted(&printed), counted(&content.program));
    let is_same = |index: usize| {
        let line = |lines: &[(u32, String)]| lines.get(index).map(|(_, line)| line.clone());
        line(&ours) == line(&theirs)
    };
    let index = (0..ours.len().max(theirs.len())).find(|&index| !is_same(index))?;
    let line_of = |text: &str, lines: &[(u32, String)]| {
        let number = lines.get(index)?.0;
        Some((number, text.lines().nth(number as usize - 1)?.to_owned()))
    };
    let mut error = Diagnostic::error(
        codes::PRINTS_OTHERWISE,
        "the program prints otherwise than it is written",
    )
    .help("write it as it prints, with attributes in the order of their names");
    if let Some((number, line)) = line_of(&content.program, &theirs) {
        error =
            error.at(Place::in_text(file, number, &line, 0..line.len()).label("as it is written"));
    }
    let printed = line_of(&printed, &ours).map_or("nothing".to_owned(), |(_, line)| line);
    Some(Finding::from(error.remark(format!("it prints as\n{}", printed.trim()))))
}

fn not_read_back(what: &str, program: &Program) -> Option<Finding> {
    let printed = text::to_text(program);
    let again = match text::read_program(&Context::new(), what, printed.as_bytes()) {
        Ok(read) => text::to_text(&read.program),
        Err(faults) => {
            let message = format!("{what} prints as a text that cannot be read");
            let error = Diagnostic::error(codes::PRINTS_OTHERWISE, message)
                .help("this is a fault of the pass");
            return Some(Finding::with(error, faults[0].to_string()));
        }
    };
    (again != printed).then(|| {
        let message = format!("{what} does not print as before when its text is read");
        Finding::with(
            Diagnostic::error(codes::PRINTS_OTHERWISE, message),
            line_difference(&printed, &again),
        )
    })
}

/// Whether two runs of a case that differ in `what` came to the same.
pub fn check_same(what: &str, first: &Ran, second: &Ran) -> Option<Finding> {
    let (first, second) = (all_of(first), all_of(second));
    (first != second).then(|| {
        let error = Diagnostic::error(codes::DEPENDS, format!("the result depends on {what}"))
            .help("a pass may iterate over no hash map, and may not rely on the order of uses");
        Finding::with(error, line_difference(&first, &second))
    })
}

/// All that came of a run, as text.
fn all_of(ran: &Ran) -> String {
    let mut out = String::new();
    let programs = ran.programs.iter().map(|(name, program)| (name.as_str(), program));
    for (name, program) in ran.after.iter().map(|program| ("", program)).chain(programs) {
        let _ = writeln!(out, "{name}\n{}", text::to_text(program));
    }
    for said in &ran.diagnostics {
        let _ = writeln!(out, "{said}");
    }
    out + &ran.account + &ran.statistics
}
