//! `pirogue opt`: programs in, passes over them, programs out.

mod emit;

use std::path::{Path, PathBuf};

use pirogue::diagnostic::{Diagnostic, Severity};
use pirogue::ir::{Context, Program, verify};
use pirogue::parallel;
use pirogue::pass::{PassManager, Pipeline, PipelineFailure, Reproducer, Verify, header_pipeline};
use pirogue_plan::Plan;

use crate::args::{Form, Global, Opt, VerifyWhen};
use crate::failure::Failure;
use crate::output::{Screen, to_file};
use crate::watch::{Watched, Watchers};
use crate::{Outcome, input};

/// What became of an input.
struct Run {
    watched: Watched,
    found: Vec<Diagnostic>,
    /// The program as the passes left it, unless they did not run to their end.
    program: Option<Program>,
    failed: Option<Failed>,
}

/// What repeats a failure.
struct Failed {
    reproducer: Reproducer,
    /// Whether the command repeats it as well as any file: the pass that failed is the first.
    is_first: bool,
}

pub fn run(args: &Opt, global: &Global, screen: &Screen) -> Outcome {
    input::check_stdin(&args.inputs)?;
    let target = emit::target(args)?;
    if let Some(text) = &args.pipeline {
        Pipeline::parse(&super::registry(), text).map_err(Failure::CommandLine)?;
    }
    let watchers = Watchers::new(&args.watch, args.inputs.len()).counting_for(screen);
    let mut runs =
        parallel::map(global.threads(), args.inputs.iter().collect(), |path: &PathBuf| {
            Run::of(path, args, global, &watchers)
        });
    let watched: Vec<&Watched> = runs.iter().map(|run| &run.watched).collect();
    let trace_fault = watchers.report(screen, &watched).err();
    let mut found: Vec<Diagnostic> = runs.iter_mut().flat_map(|run| run.found.drain(..)).collect();
    found.extend(trace_fault);
    let failed = runs.iter().find_map(|run| run.failed.as_ref());
    found.extend(failed.and_then(|failed| reproduce(args, failed)));
    if found.iter().any(|found| found.severity == Severity::Error) {
        return Err(found.into());
    }
    if let Err(fault) = emit::emit(args, screen, &target, &mut runs) {
        found.extend(fault);
        return Err(found.into());
    }
    // Freeing a large program takes longer than printing a small one, and the process ends anyway.
    std::mem::forget(runs);
    Ok(found)
}

impl Run {
    fn of(path: &Path, args: &Opt, global: &Global, watchers: &Watchers<'_>) -> Self {
        let watched = watchers.session(&input::name(path));
        let mut run = Self { watched, found: Vec::new(), program: None, failed: None };
        if let Err(faults) = run.work(path, args, global, watchers) {
            run.found.extend(faults);
        }
        if args.inputs.len() > 1 {
            run.found = run.found.into_iter().map(|found| about(found, path)).collect();
        }
        run
    }

    /// Reads the program and runs passes on it: those of the command line, or of the header of the
    /// file. Without any, the program is verified by itself.
    fn work(
        &mut self,
        path: &Path,
        args: &Opt,
        global: &Global,
        watchers: &Watchers<'_>,
    ) -> Result<(), Vec<Diagnostic>> {
        let bytes = input::load(path).map_err(|error| vec![error])?;
        let text = args.pipeline.clone().or_else(|| header_pipeline(&bytes));
        let pipeline = text.map(|text| Pipeline::parse(&super::registry(), &text)).transpose()?;
        // What one input interns does not depend on the others.
        let read = input::parse(&Context::new(), path, &bytes)?;
        drop(bytes);
        let mut program = read.program;
        self.found.extend(read.warnings);
        if pipeline.is_none() && args.watch.verify != VerifyWhen::None {
            self.found.extend(verify(&program));
        }
        let verify = if pipeline.is_some() { watchers.verify() } else { Verify::Off };
        let threads = global.threads().get() / args.inputs.len();
        let manager =
            PassManager::new(pipeline.unwrap_or_default()).verify(verify).threads(threads);
        let outcome = manager.run(&mut program, &mut self.watched.session);
        self.found.extend(self.watched.session.take_diagnostics());
        outcome.map_err(|failure| {
            self.failed = Failed::of(&failure, &manager);
            failure.diagnostics().to_vec()
        })?;
        self.found.extend(self.plan_is_not_written(args));
        self.program = Some(program);
        Ok(())
    }

    fn plan_is_not_written(&self, args: &Opt) -> Option<Diagnostic> {
        let is_lost = args.emit != Form::Plan && self.watched.session.has::<Plan>();
        is_lost.then(|| {
            Diagnostic::note(
                "N0662",
                "the pipeline made a plan; what is written is the program alone",
            )
            .help("`--emit plan -o DIR` writes the plan")
        })
    }
}

/// What points at no place says which of several inputs it is about.
fn about(found: Diagnostic, path: &Path) -> Diagnostic {
    match found.primary {
        Some(_) => found,
        None => found.remark(format!("this is about `{}`", path.display())),
    }
}

impl Failed {
    fn of(failure: &PipelineFailure, manager: &PassManager) -> Option<Self> {
        let reproducer = failure.reproducer()?.clone();
        let is_first = reproducer.pipeline() == manager.pipeline().to_string();
        Some(Self { reproducer, is_first })
    }
}

/// Writes the file that repeats a failure, if one was asked for.
fn reproduce(args: &Opt, failed: &Failed) -> Option<Diagnostic> {
    let Some(path) = &args.reproducer else {
        return (!failed.is_first).then(|| {
            let note = "`--reproducer FILE` writes the program as the failing pass found it";
            Diagnostic::note("N0660", note)
        });
    };
    Some(match to_file(path, |sink| failed.reproducer.write(&mut { sink })) {
        Ok(()) => {
            let message = format!("`pirogue opt {}` repeats this failure", path.display());
            Diagnostic::note("N0661", message)
        }
        Err(error) => error,
    })
}
