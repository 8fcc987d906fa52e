//! `pirogue explain`: what a diagnostic code means, and what to do.

use pirogue::diagnostic::Diagnostic;

use crate::Outcome;
use crate::args::Explain;
use crate::codes::{LAYERS, Page, pages};
use crate::failure::Failure;
use crate::output::Screen;

pub fn run(args: &Explain, screen: &Screen) -> Outcome {
    if args.codes.is_empty() {
        screen.say(&list())?;
        return Ok(Vec::new());
    }
    let mut texts = Vec::new();
    let mut unknown = Vec::new();
    for wanted in &args.codes {
        match pages().find(|page| page.code.eq_ignore_ascii_case(wanted)) {
            Some(page) => texts.push(page.text()),
            None => unknown.push(no_such_code(wanted)),
        }
    }
    if !unknown.is_empty() {
        return Err(Failure::CommandLine(unknown));
    }
    screen.say(&texts.join("\n"))?;
    Ok(Vec::new())
}

/// A line for each code, by layer.
fn list() -> String {
    let line = |page: &Page| format!("  {}  {}\n", page.code, page.title());
    let layers = LAYERS.iter().map(|layer| {
        let lines: String = layer.pages.iter().map(line).collect();
        format!("{}:\n{lines}", layer.title)
    });
    layers.collect::<Vec<_>>().join("\n")
}

fn no_such_code(wanted: &str) -> Diagnostic {
    let error = Diagnostic::error("E0670", format!("there is no code `{wanted}`"));
    let near: Vec<String> = near(wanted).map(|code| format!("`{code}`")).collect();
    match near.split_last() {
        None => error.help("`pirogue explain` lists the codes there are"),
        Some((last, [])) => error.help(format!("did you mean {last}?")),
        Some((last, others)) => {
            error.help(format!("did you mean {} or {last}?", others.join(", ")))
        }
    }
}

/// How many codes are offered.
const MOST_NEAR: usize = 3;

/// The codes that a slip of one letter or digit makes of others: first those with the same digits.
fn near(wanted: &str) -> impl Iterator<Item = &'static str> {
    let wanted = wanted.to_ascii_uppercase();
    let digits = wanted.trim_start_matches(|c: char| !c.is_ascii_digit()).to_owned();
    let is_number = move |code: &str| {
        let number = code[1..].trim_start_matches('0');
        !digits.is_empty() && number == digits.trim_start_matches('0')
    };
    let is_slip = move |code: &str| {
        let differ = code.bytes().zip(wanted.bytes()).filter(|(a, b)| a != b);
        wanted.len() == code.len() && differ.count() == 1
    };
    let codes = || pages().map(|page| page.code);
    let same: Vec<&str> = codes().filter(|code| is_number(code)).collect();
    let found = if same.is_empty() { codes().filter(|code| is_slip(code)).collect() } else { same };
    found.into_iter().take(MOST_NEAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_code_and_a_stranger_finds_none() {
        let near = |wanted| near(wanted).collect::<Vec<_>>();
        assert_eq!(near("e203"), ["E0203"]);
        assert_eq!(near("0208"), ["E0208", "W0208", "N0208"]);
        assert_eq!(near("E0663"), ["E0363", "E0613", "E0623"]);
        assert!(near("rust").is_empty() && near("").is_empty() && near("E").is_empty());
    }
}
