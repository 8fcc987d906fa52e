//! `pirogue prove`: does a plan mean what its program meant?

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::Context;
use pirogue::parallel;
use pirogue_plan::{Plan, read_folder};
use pirogue_prove::{Options, Verdict, equivalent, prove};
use serde_json::json;

use crate::Outcome;
use crate::args::{Global, ProofForm, Prove};
use crate::failure::Failure;
use crate::output::Screen;
use crate::{input, plans};

/// A stage's plan and what is thought of it.
struct Judged {
    plan: Plan,
    verdict: Verdict,
    /// What is to be said about the reading of both.
    warnings: Vec<Diagnostic>,
}

pub fn run(args: &Prove, global: &Global, screen: &Screen) -> Outcome {
    input::check_stdin(args.originals.iter().chain([&args.plan]))?;
    if input::is_stdin(&args.plan) || args.plan.is_file() {
        return programs(args, screen);
    }
    let pairs = pairs(args)?;
    let judged = parallel::map(global.threads(), pairs, |(original, folder)| {
        judge(&original, &folder, &options(args))
    });
    let mut found = Vec::new();
    let mut stages = Vec::new();
    let mut unread = Vec::new();
    for stage in judged {
        match stage {
            Ok(stage) => stages.push(stage),
            Err(faults) => unread.extend(faults),
        }
    }
    if !unread.is_empty() {
        return Err(unread.into());
    }
    screen.say(&match args.emit {
        ProofForm::Text => text(&stages),
        ProofForm::Json => as_json(&stages),
    })?;
    let is_proved = stages.iter().all(|stage| stage.verdict.is_proved());
    for stage in stages {
        found.extend(stage.warnings);
        found.extend(said(stage.verdict));
    }
    if is_proved { Ok(found) } else { Err(Failure::Negative(found)) }
}

fn options(args: &Prove) -> Options {
    args.fetch.as_ref().map_or_else(Options::default, Options::fetching)
}

/// All that a verdict says beside its outcome.
fn said(verdict: Verdict) -> impl Iterator<Item = Diagnostic> {
    verdict.faults.into_iter().chain(verdict.notes)
}

/// Each original with the folder of its plan.
fn pairs(args: &Prove) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    let folders = plans::stages_in(&args.plan);
    if folders.len() != args.originals.len() {
        let message = format!(
            "`{}` has the plans of {}, but {} named",
            args.plan.display(),
            counted(folders.len(), "stage"),
            match args.originals.len() {
                1 => "1 original is".to_owned(),
                count => format!("{count} originals are"),
            }
        );
        let help = "name the program of each stage, in their order";
        let error = Diagnostic::error("E0666", message).help(help);
        return Err(Failure::CommandLine(vec![error]));
    }
    Ok(args.originals.iter().cloned().zip(folders).collect())
}

/// A line for each stage.
fn text(stages: &[Judged]) -> String {
    let [stage] = stages else {
        let line = |stage: &Judged| {
            format!("stage {}, {}\n", stage.plan.options().pp_stage, stage.verdict)
        };
        return stages.iter().map(line).collect();
    };
    format!("{}\n", stage.verdict)
}

fn as_json(stages: &[Judged]) -> String {
    let all = json!({
        "proved": stages.iter().all(|stage| stage.verdict.is_proved()),
        "stages": stages.iter().map(of_stage).collect::<Vec<_>>(),
    });
    format!("{all}\n")
}

fn of_stage(stage: &Judged) -> serde_json::Value {
    json!({"stage": stage.plan.options().pp_stage, "verdict": stage.verdict})
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn judge(original: &Path, folder: &Path, options: &Options) -> Result<Judged, Vec<Diagnostic>> {
    let context = Context::new();
    let program = read(&context, original);
    let plan = read_folder(&context, folder);
    let (program, plan) = match (program, plan) {
        (Ok(program), Ok(plan)) => (program, plan),
        (program, plan) => {
            let faults = [program.err(), plan.err()].into_iter().flatten().flatten();
            return Err(faults.collect());
        }
    };
    let verdict = prove(&program.program, &plan.plan, options);
    let mut warnings = program.warnings;
    warnings.extend(plan.warnings);
    Ok(Judged { plan: plan.plan, verdict, warnings })
}

fn read(context: &Arc<Context>, path: &Path) -> Result<input::Input, Vec<Diagnostic>> {
    let bytes = input::load(path).map_err(|error| vec![error])?;
    input::parse(context, path, &bytes)
}

/// Two programs that should do the same.
fn programs(args: &Prove, screen: &Screen) -> Outcome {
    let [original] = args.originals.as_slice() else {
        let message = format!("`{}` is a program, and is compared with one", args.plan.display());
        let error =
            Diagnostic::error("E0668", message).help("name one original, or a folder of plans");
        return Err(Failure::CommandLine(vec![error]));
    };
    if args.fetch.is_some() {
        let message = "`--fetch` is for plans: of two programs all outputs are compared";
        let error = Diagnostic::error("E0669", message).help("leave it out");
        return Err(Failure::CommandLine(vec![error]));
    }
    let context = Context::new();
    let before = read(&context, original)?;
    let after = read(&context, &args.plan)?;
    let verdict = equivalent(&before.program, &after.program);
    screen.say(&match args.emit {
        ProofForm::Text => format!("{verdict}\n"),
        ProofForm::Json => format!("{}\n", json!(verdict)),
    })?;
    let mut found = before.warnings;
    found.extend(after.warnings);
    let is_proved = verdict.is_proved();
    found.extend(said(verdict));
    if is_proved { Ok(found) } else { Err(Failure::Negative(found)) }
}
