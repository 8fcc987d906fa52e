//! The program before and after passes: one after the other to a sink, or a numbered file each.
//!
//! Each has a header with the pipeline that goes on from there, so that running the dump repeats
//! what came next. Where what came next used more than the program, such as a plan, the header says
//! so instead. Between dumps in a sink stands `// -----`: what was written reads back as several
//! programs.

use std::any::Any;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Branch, Change, Observer, StepInfo};
use crate::diagnostic::Diagnostic;
use crate::ir::Program;
use crate::pass::Step;
use crate::pass::failure::{file_name, write_file};
use crate::pass::header::header_line;
use crate::pass::pipeline::glob_matches;
use crate::text;

/// When a program is printed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before a pass.
    Before,
    /// After a pass.
    After,
    /// After a pass that made an edit.
    AfterChange,
}

/// Prints the program before or after passes: one after the other to a sink, with `// -----`
/// between, or a numbered file each. The header of each has the pipeline that goes on from there.
///
/// ```
/// use pirogue::pass::{Moment, PrintProgram, Session};
/// let print = PrintProgram::to_sink(std::io::sink())
///     .at(Moment::Before, &["split_*"])
///     .at(Moment::AfterChange, &[]);
/// Session::new().observe(print);
/// ```
pub struct PrintProgram {
    wanted: Vec<Wanted>,
    target: Target,
    /// The program that is watched, if it is one of several.
    branch: Option<String>,
    faults: Vec<Diagnostic>,
}

/// When to print, and at which passes.
#[derive(Clone)]
struct Wanted {
    moment: Moment,
    /// Patterns of the names of passes; none: all.
    passes: Vec<String>,
}

enum Target {
    Sink { sink: Sink, dumps: usize },
    Folder { folder: PathBuf, files: usize },
}

enum Sink {
    Given(Box<dyn Write + Send>),
    /// Kept until it is joined.
    Kept(Vec<u8>),
}

/// # Making
impl PrintProgram {
    /// Prints to a sink.
    pub fn to_sink(sink: impl Write + Send + 'static) -> Self {
        Self::new(Target::Sink { sink: Sink::Given(Box::new(sink)), dumps: 0 })
    }

    /// Writes `0001-before-<pass>.pir`, `0002-after-<pass>.pir`, ... into a folder; what passes do
    /// to programs of a plan goes to `0003-jobs/<program>/`.
    pub fn to_folder(folder: impl Into<PathBuf>) -> Self {
        Self::new(Target::Folder { folder: folder.into(), files: 0 })
    }

    /// Prints at this moment of passes whose names match one of the patterns, such as `split_*`; of
    /// all passes, if there is no pattern.
    pub fn at(mut self, moment: Moment, passes: &[&str]) -> Self {
        let passes = passes.iter().map(|&pass| pass.to_owned()).collect();
        self.wanted.push(Wanted { moment, passes });
        self
    }

    fn new(target: Target) -> Self {
        Self { wanted: Vec::new(), target, branch: None, faults: Vec::new() }
    }
}

/// # Printing
impl PrintProgram {
    fn wants(&self, step: &StepInfo<'_>, is_now: impl Fn(Moment) -> bool) -> bool {
        let is_pass = matches!(step.step(), Step::Pass(_));
        let is_meant = |passes: &[String]| {
            passes.is_empty() || passes.iter().any(|glob| glob_matches(glob, step.name()))
        };
        is_pass && self.wanted.iter().any(|want| is_now(want.moment) && is_meant(&want.passes))
    }

    fn dump(&mut self, when: &str, pipeline: &str, step: &StepInfo<'_>, program: &Program) {
        let place = self.branch.as_ref().map(|name| format!(" on `{name}`")).unwrap_or_default();
        let header = format!("// {when} `{}`{place}\n{}", step.name(), next_line(step, pipeline));
        let written = match &mut self.target {
            Target::Sink { sink, dumps } => {
                *dumps += 1;
                write_to_sink(sink, *dumps > 1, &header, program)
            }
            Target::Folder { folder, files } => {
                *files += 1;
                let name = format!("{files:04}-{when}-{}.pir", file_name(step.name()));
                write_to_file(&folder.join(name), &header, program)
            }
        };
        if let Err(error) = written {
            self.fault(step, &error);
        }
    }

    fn fault(&mut self, step: &StepInfo<'_>, error: &io::Error) {
        let name = step.name();
        let mut fault =
            Diagnostic::warning("W0523", format!("cannot print the program at `{name}`: {error}"));
        if let Target::Folder { folder, .. } = &self.target {
            fault = fault.help(format!("it was to go to `{}`", folder.display()));
        }
        self.faults.push(fault);
    }
}

/// What goes on from here: as a command, if the program is enough for it.
fn next_line(step: &StepInfo<'_>, pipeline: &str) -> String {
    if step.stands_alone() || pipeline.is_empty() {
        return header_line("", pipeline);
    }
    let pipeline = pipeline.replace(['\n', '\r'], " ");
    format!("// next is `{pipeline}`, on what was left beside the program: run an earlier dump\n")
}

fn write_to_sink(
    sink: &mut Sink,
    is_next: bool,
    header: &str,
    program: &Program,
) -> io::Result<()> {
    let mut sink: &mut dyn Write = match sink {
        Sink::Given(sink) => sink,
        Sink::Kept(bytes) => bytes,
    };
    if is_next {
        sink.write_all(SEPARATOR)?;
    }
    sink.write_all(header.as_bytes())?;
    text::write_program(program, &mut sink)?;
    sink.flush()
}

fn write_to_file(path: &Path, header: &str, program: &Program) -> io::Result<()> {
    write_file(path, |sink| {
        sink.write_all(header.as_bytes())?;
        text::write_program(program, sink)
    })
}

/// What the reader takes as the end of a program.
const SEPARATOR: &[u8] = b"// -----\n";

impl Observer for PrintProgram {
    fn before_pass(&mut self, step: &StepInfo<'_>, program: &Program) {
        if self.wants(step, |moment| moment == Moment::Before) {
            self.dump("before", &step.from_here(), step, program);
        }
    }

    fn after_pass(&mut self, step: &StepInfo<'_>, program: &Program, change: Change) {
        let is_now = |moment: Moment| match moment {
            Moment::Before => false,
            Moment::After => true,
            Moment::AfterChange => change.edits > 0,
        };
        if self.wants(step, is_now) {
            self.dump("after", &step.rest(), step, program);
        }
        self.end_of_jobs(step);
    }

    fn pass_failed(&mut self, step: &StepInfo<'_>, _: &Program, _: &Diagnostic) {
        self.end_of_jobs(step);
    }

    fn fork(&mut self, branch: Branch<'_>) -> Option<Box<dyn Observer>> {
        let target = match &self.target {
            Target::Sink { .. } => Target::Sink { sink: Sink::Kept(Vec::new()), dumps: 0 },
            Target::Folder { folder, files } => {
                let folder =
                    folder.join(format!("{:04}-jobs", files + 1)).join(file_name(branch.name));
                Target::Folder { folder, files: 0 }
            }
        };
        let (wanted, branch) = (self.wanted.clone(), Some(branch.name.to_owned()));
        Some(Box::new(Self { wanted, target, branch, faults: Vec::new() }))
    }

    fn join(&mut self, child: Box<dyn Any>) {
        let Ok(child) = child.downcast::<Self>() else { return };
        self.faults.extend(child.faults);
        let Target::Sink { sink: Sink::Kept(bytes), dumps: more @ 1.. } = child.target else {
            return;
        };
        let Target::Sink { sink, dumps } = &mut self.target else { return };
        let separator = if *dumps > 0 { SEPARATOR } else { b"" };
        *dumps += more;
        if let Err(error) = append(sink, &[separator, &bytes]) {
            let message = format!("cannot print the programs of a plan: {error}");
            self.faults.push(Diagnostic::warning("W0523", message));
        }
    }

    fn take_faults(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.faults)
    }
}

impl PrintProgram {
    /// The next file has another number than the folder of the programs.
    fn end_of_jobs(&mut self, step: &StepInfo<'_>) {
        if let (Step::Jobs(_), Target::Folder { files, .. }) = (step.step(), &mut self.target) {
            *files += 1;
        }
    }
}

fn append(sink: &mut Sink, parts: &[&[u8]]) -> io::Result<()> {
    let sink: &mut dyn Write = match sink {
        Sink::Given(sink) => sink,
        Sink::Kept(bytes) => bytes,
    };
    parts.iter().try_for_each(|part| sink.write_all(part))?;
    sink.flush()
}
