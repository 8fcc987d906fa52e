//! What of a run a case shows, and so has in its snapshot.

use std::fmt;

use pirogue::diagnostic::Diagnostic;
use pirogue::diff::{DiffOptions, GeneratedNames, diff};
use pirogue::ir::{Op, Program, names};
use pirogue::text;

use crate::codes;
use crate::near::{nearest, quoted};
use crate::run::Ran;

/// How many ops of the same are shown around what differs.
pub const CONTEXT: usize = 3;

/// One thing that a case shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Show {
    /// How the program differs from what it was.
    Diff,
    /// The program.
    Program,
    /// The programs that the run left, and the job list.
    Jobs,
    /// One program of those that the run left.
    Job(String),
    /// What the passes counted.
    Stats,
    /// All that was said.
    Diagnostics,
}

const WORDS: [&str; 6] = ["diff", "program", "jobs", "jobs(TYPE)", "stats", "diagnostics"];

impl Show {
    /// One or several, with commas between.
    ///
    /// # Errors
    /// What is wrong, and what to do.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, (String, String)> {
        text.split(',').map(|word| Self::parse(word.trim())).collect()
    }

    fn parse(word: &str) -> Result<Self, (String, String)> {
        let job = word.strip_prefix("jobs(").and_then(|rest| rest.strip_suffix(')'));
        match (word, job) {
            (_, Some(job)) if !job.trim().is_empty() => Ok(Self::Job(job.trim().to_owned())),
            ("diff", _) => Ok(Self::Diff),
            ("program", _) => Ok(Self::Program),
            ("jobs", _) => Ok(Self::Jobs),
            ("stats", _) => Ok(Self::Stats),
            ("diagnostics", _) => Ok(Self::Diagnostics),
            _ => Err((format!("`{word}` is nothing that a case can show"), help(word))),
        }
    }

    /// Whether it is of the program that a run ends with, so that a run that failed has none.
    pub fn needs_success(&self) -> bool {
        !matches!(self, Self::Diagnostics)
    }
}

fn help(word: &str) -> String {
    match nearest(word, WORDS) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", quoted(WORDS)),
    }
}

impl fmt::Display for Show {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Diff => f.write_str("diff"),
            Self::Program => f.write_str("program"),
            Self::Jobs => f.write_str("jobs"),
            Self::Job(name) => write!(f, "jobs({name})"),
            Self::Stats => f.write_str("stats"),
            Self::Diagnostics => f.write_str("diagnostics"),
        }
    }
}

/// The text of what is shown; an error if the run left nothing of the kind.
pub fn render(show: &Show, ran: &Ran) -> Result<String, Box<Diagnostic>> {
    let shown = |program: Option<&Program>| program.map(text::to_text).unwrap_or_default();
    Ok(match show {
        Show::Diff => difference(ran),
        Show::Program => shown(ran.after.as_ref()),
        Show::Jobs => account(ran)?,
        Show::Job(name) => shown(Some(job(ran, name)?)),
        Show::Stats => ran.statistics.clone(),
        Show::Diagnostics => said(&ran.diagnostics),
    })
}

fn difference(ran: &Ran) -> String {
    let (Some(before), Some(after)) = (&ran.before, &ran.after) else { return String::new() };
    let options = DiffOptions { names: GeneratedNames::AnyIndex, ..DiffOptions::default() };
    let found = diff(before, after, options);
    format!("{}\n{}", found.counts(), found.unified(CONTEXT))
}

fn said(diagnostics: &[Diagnostic]) -> String {
    let texts: Vec<String> = diagnostics.iter().map(Diagnostic::to_string).collect();
    if texts.is_empty() { "nothing is said".to_owned() } else { texts.join("\n\n") }
}

fn job<'r>(ran: &'r Ran, name: &str) -> Result<&'r Program, Box<Diagnostic>> {
    let names = || ran.programs.iter().map(|(name, _)| name.as_str());
    if let Some((_, program)) = ran.programs.iter().find(|(known, _)| known == name) {
        return Ok(program);
    }
    if ran.programs.is_empty() {
        return Err(no_programs());
    }
    let error = Diagnostic::error(codes::MALFORMED, format!("the run leaves no program `{name}`"));
    Err(Box::new(match nearest(name, names()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help(format!("there are {}", quoted(names()))),
    }))
}

fn no_programs() -> Box<Diagnostic> {
    let error = Diagnostic::error(codes::MALFORMED, "the run leaves no programs to show");
    Box::new(error.help("end the pipeline with a pass that makes a plan, such as a scheduler"))
}

/// A line for each program, with the names it reads and those it gives; what goes with them.
fn account(ran: &Ran) -> Result<String, Box<Diagnostic>> {
    if ran.programs.is_empty() {
        return Err(no_programs());
    }
    let mut out: String =
        ran.programs.iter().map(|(name, program)| line_of(name, program)).collect();
    out += &ran.account;
    Ok(out)
}

fn line_of(name: &str, program: &Program) -> String {
    let context = program.context();
    let reads = program.kwargs(program.top());
    let reads = reads.filter(|(_, argument)| !program.is_unused(argument.value));
    let reads: Vec<&str> = reads.map(|(keyword, _)| context.name_text(keyword)).collect();
    let gives = program.top_ops().filter_map(|op| given_name(program, op));
    let gives: Vec<&str> = gives.collect();
    let part = |verb: &str, names: &[&str]| match names {
        [] => String::new(),
        names => format!("; {verb} {}", names.join(", ")),
    };
    let ops = program.op_count();
    let s = if ops == 1 { "" } else { "s" };
    format!("{name}: {ops} op{s}{}{}\n", part("reads", &reads), part("gives", &gives))
}

/// The name that an op gives to a value for other programs.
fn given_name(program: &Program, op: Op) -> Option<&str> {
    let is_output = program.name(op) == names::SHADOW_OUTPUT;
    is_output.then(|| program.attr_str(op, names::OUTPUT_NAME))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_what_is_shown_prints_as_it_was_read() {
        let text = "diff, program, jobs, jobs(forward0), stats, diagnostics";
        let shows = Show::parse_list(text).unwrap();
        let printed: Vec<String> = shows.iter().map(Show::to_string).collect();
        assert_eq!(printed.join(", "), text);
    }

    #[test]
    fn a_slip_is_told_what_was_meant() {
        let help = |text: &str| Show::parse_list(text).unwrap_err().1;
        assert_eq!(help("diagnostic"), "did you mean `diagnostics`?");
        assert!(help("jobs()").contains("`jobs`"));
        assert!(help("picture").starts_with("there are `diff`, `program`"));
    }
}
