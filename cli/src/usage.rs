//! What the command line parser has to say: help on standard output, or what is wrong as a diagnostic.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use pirogue::diagnostic::Diagnostic;

use crate::args::DiagnosticForm;
use crate::output::{Screen, to_stdout};

/// Says it; the exit status that goes with it.
pub fn answer(refused: &clap::Error) -> ExitCode {
    match refused.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let text = refused.render().to_string();
            // Help that nobody reads to its end is no failure.
            let _ = to_stdout(|sink| sink.write_all(text.as_bytes()));
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Screen::plain(DiagnosticForm::Human).show(refused.render().to_string().as_bytes());
            ExitCode::from(2)
        }
        _ => {
            Screen::plain(asked_form(std::env::args_os())).report(&[diagnostic(refused)]);
            ExitCode::from(2)
        }
    }
}

/// How diagnostics are wanted, by a command line that could not be read as a whole.
fn asked_form(arguments: impl Iterator<Item = OsString>) -> DiagnosticForm {
    let arguments: Vec<OsString> = arguments.collect();
    let is_json = arguments.windows(2).any(|two| two[0] == "--diagnostics" && two[1] == "json")
        || arguments.iter().any(|argument| argument == "--diagnostics=json");
    if is_json { DiagnosticForm::Json } else { DiagnosticForm::Human }
}

/// The parser writes paragraphs: what is wrong, tips, the usage, and where to find more.
fn diagnostic(refused: &clap::Error) -> Diagnostic {
    let text = refused.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let mut paragraphs = text.split("\n\n").map(str::trim_end);
    let mut lines = paragraphs.next().unwrap_or_default().lines();
    let message = lines.next().unwrap_or_default().trim_end_matches(':');
    let mut diagnostic = Diagnostic::error("E0600", message);
    for line in lines {
        diagnostic = diagnostic.remark(line.trim().trim_start_matches('[').trim_end_matches(']'));
    }
    let mut help = None;
    for line in paragraphs.flat_map(str::lines).map(str::trim) {
        if let Some(tip) = line.strip_prefix("tip: ") {
            help = help.or_else(|| Some(tip.to_owned()));
        } else if let Some(usage) = line.strip_prefix("Usage: ") {
            diagnostic = diagnostic.remark(format!("usage: {usage}"));
        }
    }
    diagnostic.help(help.unwrap_or_else(|| "`--help` shows all options, with examples".to_owned()))
}
