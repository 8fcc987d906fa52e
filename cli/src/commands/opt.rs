//! `pirogue opt`: a program in, passes over it, a program out.

use std::io::Write;
use std::path::Path;

use pirogue::diagnostic::{Diagnostic, Severity};
use pirogue::ir::{Context, Program, verify};
use pirogue::json::{self, WriteError, WriteOptions};
use pirogue::pass::{PassManager, Pipeline, PipelineFailure, Session, header_pipeline};
use pirogue::text;

use crate::Outcome;
use crate::args::{Form, Opt};
use crate::input;
use crate::output::{Screen, to_file, to_stdout};

pub fn run(args: &Opt, _screen: &Screen) -> Outcome {
    let bytes = input::load(&args.input)?;
    let context = Context::new();
    let pipeline = args.pipeline.clone().or_else(|| header_pipeline(&bytes));
    let pipeline = pipeline.map(|text| Pipeline::parse(&super::registry(), &text)).transpose()?;
    let read = input::parse(&context, &args.input, &bytes)?;
    drop(bytes);
    let mut program = read.program;
    let mut found = read.warnings;
    match pipeline {
        None => found.extend(verify(&program)),
        Some(pipeline) => found.extend(run_passes(args, pipeline, &mut program)?),
    }
    if found.iter().any(|found| found.severity == Severity::Error) {
        return Err(found);
    }
    emit(args, &program)?;
    // Freeing a large program takes longer than printing a small one, and the process ends anyway.
    std::mem::forget(program);
    Ok(found)
}

fn run_passes(args: &Opt, pipeline: Pipeline, program: &mut Program) -> Outcome {
    let manager = PassManager::new(pipeline);
    let manager = match args.threads {
        Some(threads) => manager.threads(threads),
        None => manager,
    };
    let mut session = Session::new();
    let outcome = manager.run(program, &mut session);
    let mut found = session.take_diagnostics();
    match outcome {
        Ok(()) => Ok(found),
        Err(failure) => {
            found.extend(failure.diagnostics().iter().cloned());
            found.extend(reproduce(args, &failure));
            Err(found)
        }
    }
}

/// Writes the file that repeats a failure, if one was asked for.
fn reproduce(args: &Opt, failure: &PipelineFailure) -> Option<Diagnostic> {
    let reproducer = failure.reproducer()?;
    let Some(folder) = &args.reproducer else {
        let note = "`--reproducer DIR` writes a file that repeats this failure";
        return Some(Diagnostic::note("N0660", note));
    };
    Some(match reproducer.write_into(folder) {
        Ok(path) => {
            let path = path.display();
            Diagnostic::note("N0661", format!("`pirogue opt {path}` repeats this failure"))
        }
        Err(error) => {
            let message = format!("cannot write a reproducer to `{}`: {error}", folder.display());
            Diagnostic::error("E0662", message).help("name a folder that may be written to")
        }
    })
}

fn emit(args: &Opt, program: &Program) -> Result<(), Vec<Diagnostic>> {
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
        Some(path) if path != Path::new("-") => to_file(path, write),
        _ => to_stdout(write),
    }
}

fn to_json(program: &Program) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let mut bytes = Vec::new();
    match json::write_program(program, &mut bytes, WriteOptions::default()) {
        Ok(()) => Ok(bytes),
        Err(error @ WriteError::Unsayable { .. }) => Err(vec![error.diagnostic(program)]),
        Err(WriteError::Sink(error)) => Err(vec![Diagnostic::error("E0660", error.to_string())]),
    }
}
