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

/// A program to run passes on; an input may hold several.
struct Source {
    /// Which of the inputs it is of.
    input: usize,
    /// What it is called beside the others.
    name: String,
    /// What diagnostics that point at no place say of it, unless it is the only one.
    label: String,
    program: Program,
    /// The passes of the command line, or of the header of the file.
    pipeline: Option<Pipeline>,
}

/// What became of a program.
struct Run {
    input: usize,
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
    let mut found = Vec::new();
    let sources = read(args, global, &mut found);
    let has_failed = |found: &[Diagnostic]| found.iter().any(|f| f.severity == Severity::Error);
    if has_failed(&found) {
        return Err(found.into());
    }
    emit::check_form(args, &sources)?;
    let watchers = Watchers::new(&args.watch, sources.len()).counting_for(screen);
    let threads = parallel::share(global.threads(), sources.len()).get();
    let mut runs = parallel::map(global.threads(), sources, |source| {
        Run::of(source, args, threads, &watchers)
    });
    let watched: Vec<&Watched> = runs.iter().map(|run| &run.watched).collect();
    let trace_fault = watchers.report(screen, &watched).err();
    found.extend(runs.iter_mut().flat_map(|run| run.found.drain(..)));
    found.extend(trace_fault);
    let failed = runs.iter().find_map(|run| run.failed.as_ref());
    found.extend(failed.and_then(|failed| reproduce(args, failed)));
    if has_failed(&found) {
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

/// The programs of all inputs, in order; what the reader said of them is added to `found`.
fn read(args: &Opt, global: &Global, found: &mut Vec<Diagnostic>) -> Vec<Source> {
    let inputs = args.inputs.iter().enumerate().collect();
    let read = parallel::map(global.threads(), inputs, |(input, path): (usize, &PathBuf)| {
        let mut warnings = Vec::new();
        let sources = Source::all_of(input, path, args, &mut warnings);
        (sources, warnings)
    });
    let mut sources = Vec::new();
    for (index, (read, said)) in read.into_iter().enumerate() {
        let (read, faults) = match read {
            Ok(read) => (read, Vec::new()),
            Err(faults) => (Vec::new(), faults),
        };
        sources.extend(read);
        let label = format!("`{}`", args.inputs[index].display());
        let found_here = said.into_iter().chain(faults);
        found.extend(about(found_here, label, args.inputs.len() > 1));
    }
    sources
}

/// What points at no place says which of several programs it is about.
fn about(
    found: impl IntoIterator<Item = Diagnostic>,
    label: String,
    several: bool,
) -> impl Iterator<Item = Diagnostic> {
    found.into_iter().map(move |found| match found.primary {
        None if several => found.remark(format!("this is about {label}")),
        _ => found,
    })
}

impl Source {
    fn all_of(
        input: usize,
        path: &Path,
        args: &Opt,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<Vec<Self>, Vec<Diagnostic>> {
        let bytes = input::load(path).map_err(|error| vec![error])?;
        let text = args.pipeline.clone().or_else(|| header_pipeline(&bytes));
        let registry = super::registry();
        let pipeline = || text.as_ref().map(|text| Pipeline::parse(&registry, text)).transpose();
        pipeline()?;
        // What one input interns does not depend on the others.
        let read = input::parse_all(&Context::new(), path, &bytes)?;
        let file = input::name(path);
        let several = read.len() > 1;
        let sources = read.into_iter().enumerate().map(|(index, read)| {
            warnings.extend(read.warnings);
            let (name, label) = if several {
                (format!("{file}.{index}"), format!("program {index} of `{}`", path.display()))
            } else {
                (file.clone(), format!("`{}`", path.display()))
            };
            Ok(Self { input, name, label, program: read.program, pipeline: pipeline()? })
        });
        sources.collect()
    }
}

impl Run {
    fn of(source: Source, args: &Opt, threads: usize, watchers: &Watchers<'_>) -> Self {
        let watched = watchers.session(&source.name);
        let (input, label) = (source.input, source.label.clone());
        let mut run = Self { input, watched, found: Vec::new(), program: None, failed: None };
        if let Err(faults) = run.work(source, args, threads, watchers) {
            run.found.extend(faults);
        }
        run.found = about(run.found, label, watchers.are_several()).collect();
        run
    }

    /// Runs the passes. Without any, the program is verified by itself.
    fn work(
        &mut self,
        source: Source,
        args: &Opt,
        threads: usize,
        watchers: &Watchers<'_>,
    ) -> Result<(), Vec<Diagnostic>> {
        let Source { mut program, pipeline, .. } = source;
        if pipeline.is_none() && args.watch.verify != VerifyWhen::None {
            self.found.extend(verify(&program));
        }
        let verify = if pipeline.is_some() { watchers.verify() } else { Verify::Off };
        let manager =
            PassManager::new(pipeline.unwrap_or_default()).verify(verify).threads(threads);
        let outcome = manager.run(&mut program, &mut self.watched.session);
        self.found.extend(self.watched.session.take_diagnostics());
        outcome.map_err(|failure| {
            self.failed = Failed::of(&failure, &manager);
            failure.diagnostics().to_vec()
        })?;
        self.found.extend(self.watched.broken_meaning());
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
