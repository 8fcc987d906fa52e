//! `pirogue plan`: the programs and the job list of a stage, or of all stages.

use std::path::{Path, PathBuf};

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::Context;
use pirogue::pass::{PassManager, Pipeline, Session};
use pirogue_passes::pipeline_scheduler_vpp::PipelineSchedulerVpp;
use pirogue_plan::{Plan, SkipGcRule, write_folder, write_stages};

use crate::Outcome;
use crate::account::account;
use crate::args::{self, SkipGc};
use crate::input;
use crate::output::Screen;

/// A stage's plan, and what is to be said about it.
type Planned = Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>>;

pub fn run(args: &args::Plan, screen: &Screen) -> Outcome {
    let stages = stages(args)?;
    // Each stage has a context of its own, so what one interns does not depend on the others.
    let planned: Vec<Planned> = std::thread::scope(|scope| {
        let work = |(path, stage): &(PathBuf, u32)| {
            let (path, stage) = (path.clone(), *stage);
            scope.spawn(move || plan_stage(args, &path, stage))
        };
        let threads: Vec<_> = stages.iter().map(work).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(vec![panicked()])))
            .collect()
    });
    let mut plans = Vec::new();
    let mut found = Vec::new();
    let mut failed = false;
    for planned in planned {
        match planned {
            Ok((plan, remarks)) => {
                plans.push(plan);
                found.extend(remarks);
            }
            Err(errors) => {
                failed = true;
                found.extend(errors);
            }
        }
    }
    keep_first(&mut found);
    if failed {
        return Err(found);
    }
    if let Some(folder) = &args.output {
        write(&plans, folder).map_err(|error| with(&found, error))?;
    }
    let accounts: Vec<String> = plans.iter().map(|plan| account(plan, screen.verbosity)).collect();
    screen.say(&accounts.join("\n"))?;
    std::mem::forget(plans);
    Ok(found)
}

/// The inputs with their stages.
fn stages(args: &args::Plan) -> Result<Vec<(PathBuf, u32)>, Vec<Diagnostic>> {
    let wrong =
        |message: String, help: &str| Err(vec![Diagnostic::error("E0652", message).help(help)]);
    match (args.inputs.as_slice(), args.stage) {
        ([input], Some(stage)) => Ok(vec![(input.clone(), stage)]),
        ([_], None) => wrong(
            "one input is the program of one stage, and `--stage` does not say of which".to_owned(),
            "add `--stage 0`, or name the programs of all stages",
        ),
        (_, Some(_)) => wrong(
            "`--stage` goes with one input; several are the programs of stages 0, 1, ..."
                .to_owned(),
            "leave `--stage` out, or name one input",
        ),
        (inputs, None) if inputs.len() > args.stages as usize => wrong(
            format!("there are {} inputs for {} stages", inputs.len(), args.stages),
            "name one input for each stage, from stage 0 on",
        ),
        (inputs, None) => Ok(inputs.iter().cloned().zip(0..).collect()),
    }
}

fn plan_stage(args: &args::Plan, path: &Path, stage: u32) -> Planned {
    let bytes = input::load(path)?;
    let context = Context::new();
    let read = input::parse(&context, path, &bytes)?;
    drop(bytes);
    let mut program = read.program;
    let mut found = read.warnings;
    let pass = PipelineSchedulerVpp {
        pp_degree: args.stages,
        pp_stage: stage,
        vpp_degree: args.chunks,
        num_micro_batches: args.micro_batches,
        split_backward: args.split_backward,
        place: args.place.clone(),
        skip_gc: match args.skip_gc {
            SkipGc::Paddle => SkipGcRule::Paddle,
            SkipGc::Exact => SkipGcRule::Exact,
        },
        ..PipelineSchedulerVpp::default()
    };
    let mut session = Session::new();
    let outcome = PassManager::new(Pipeline::new().then(pass)).run(&mut program, &mut session);
    found.extend(session.take_diagnostics());
    if let Err(failure) = outcome {
        found.extend(failure.diagnostics().iter().cloned());
        return Err(found);
    }
    let plan =
        session.take::<Plan>().map_err(|error| error.diagnostics().cloned().collect::<Vec<_>>())?;
    std::mem::forget(program);
    Ok((plan, found))
}

fn panicked() -> Diagnostic {
    Diagnostic::error("E0699", "planning a stage panicked")
        .help("this is a fault of Pirogue; please report it")
}

/// What is said of the schedule is said by every stage alike: once is enough.
fn keep_first(found: &mut Vec<Diagnostic>) {
    let mut kept: Vec<Diagnostic> = Vec::new();
    for diagnostic in found.drain(..) {
        if !kept.contains(&diagnostic) {
            kept.push(diagnostic);
        }
    }
    *found = kept;
}

fn write(plans: &[Plan], folder: &Path) -> Result<(), Diagnostic> {
    let written = match plans {
        [plan] => write_folder(plan, folder),
        plans => write_stages(plans, folder),
    };
    written.map_err(Diagnostic::from)
}

fn with(found: &[Diagnostic], error: Diagnostic) -> Vec<Diagnostic> {
    found.iter().cloned().chain([error]).collect()
}
