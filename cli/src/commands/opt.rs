//! `pirogue opt`: a program in, passes over it, a program out.

use std::io::Write;
use std::path::Path;

use pirogue::diagnostic::{Diagnostic, Severity};
use pirogue::ir::{Context, Program, verify};
use pirogue::json::{self, WriteOptions};
use pirogue::pass::{PassManager, Pipeline, PipelineFailure, Session, header_pipeline};
use pirogue::text;
use pirogue_plan::Plan;

use crate::Outcome;
use crate::args::{Form, Global, Opt};
use crate::failure::Failure;
use crate::input;
use crate::output::{Screen, to_file, to_stdout};

pub fn run(args: &Opt, global: &Global, screen: &Screen) -> Outcome {
    let asked = args.pipeline.as_deref().map(|text| Pipeline::parse(&super::registry(), text));
    let asked = asked.transpose().map_err(Failure::CommandLine)?;
    let bytes = input::load(&args.input)?;
    let pipeline = match asked {
        Some(pipeline) => Some(pipeline),
        None => pipeline_of(&bytes)?,
    };
    let read = input::parse(&Context::new(), &args.input, &bytes)?;
    drop(bytes);
    let mut program = read.program;
    let mut found = read.warnings;
    match pipeline {
        None => found.extend(verify(&program)),
        Some(pipeline) => {
            let manager = PassManager::new(pipeline).threads(global.threads().get());
            found.extend(run_passes(args, &manager, &mut program, screen)?);
        }
    }
    if found.iter().any(|found| found.severity == Severity::Error) {
        return Err(found.into());
    }
    emit(args, &program)?;
    // Freeing a large program takes longer than printing a small one, and the process ends anyway.
    std::mem::forget(program);
    Ok(found)
}

/// The pipeline in the header of a file, such as a reproducer.
fn pipeline_of(bytes: &[u8]) -> Result<Option<Pipeline>, Vec<Diagnostic>> {
    let header = header_pipeline(bytes);
    header.map(|text| Pipeline::parse(&super::registry(), &text)).transpose()
}

fn run_passes(
    args: &Opt,
    manager: &PassManager,
    program: &mut Program,
    screen: &Screen,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let mut session = Session::new();
    let outcome = manager.run(program, &mut session);
    let mut found = session.take_diagnostics();
    if screen.verbosity >= 1 {
        screen.remark(&session.statistics().to_string());
    }
    match outcome {
        Ok(()) => {
            found.extend(session.has::<Plan>().then(plan_is_not_written));
            Ok(found)
        }
        Err(failure) => {
            found.extend(failure.diagnostics().iter().cloned());
            found.extend(reproduce(args, manager, &failure));
            Err(found)
        }
    }
}

fn plan_is_not_written() -> Diagnostic {
    Diagnostic::note("N0662", "the pipeline made a plan; `opt` writes the program alone")
        .help("`pirogue plan` makes a plan and writes it")
}

/// Writes the file that repeats a failure, if one was asked for.
fn reproduce(args: &Opt, manager: &PassManager, failure: &PipelineFailure) -> Option<Diagnostic> {
    let reproducer = failure.reproducer()?;
    let Some(path) = &args.reproducer else {
        // Where the failing pass is the first, the command repeats the failure as well as any file.
        let is_first = reproducer.pipeline() == manager.pipeline().to_string();
        return (!is_first).then(|| {
            let note = "`--reproducer FILE` writes the program as the failing pass found it";
            Diagnostic::note("N0660", note)
        });
    };
    Some(match to_file(path, |sink| reproducer.write(&mut { sink })) {
        Ok(()) => {
            let message = format!("`pirogue opt {}` repeats this failure", path.display());
            Diagnostic::note("N0661", message)
        }
        Err(error) => error,
    })
}

fn emit(args: &Opt, program: &Program) -> Result<(), Failure> {
    let json = match args.emit {
        Form::Text => None,
        // What has no form in JSON must be known before a byte is written.
        Form::Json => Some(to_json(program)?),
    };
    let write = |sink: &mut dyn Write| match &json {
        Some(json) => sink.write_all(json),
        None => text::write_program(program, &mut { sink }),
    };
    match &args.output {
        Some(path) if path != Path::new("-") => to_file(path, write)?,
        _ => to_stdout(write)?,
    }
    Ok(())
}

fn to_json(program: &Program) -> Result<Vec<u8>, Diagnostic> {
    let mut bytes = Vec::new();
    let written = json::write_program(program, &mut bytes, WriteOptions::default());
    written.map(|()| bytes).map_err(|error| error.diagnostic(program))
}
