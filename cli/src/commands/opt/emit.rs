//! Where the results of `pirogue opt` go, and how they are written.
//!
//! Whether that can be said is known before anything is read; and **all results are there before
//! the first is written**, so that of several inputs all are written or none.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::slice;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::Program;
use pirogue::json::{self, WriteOptions};
use pirogue::text;
use pirogue_plan::{Plan, write_folder};

use super::{Run, Source};
use crate::args::{Form, Opt};
use crate::failure::Failure;
use crate::input;
use crate::output::{Screen, to_file, to_stdout, unwritable};
use crate::report::{account, written};

/// Where results go.
pub enum Target<'a> {
    /// One after the other.
    Stdout,
    /// The one result there is.
    One(&'a Path),
    /// A file for each, called as the input.
    Folder { folder: &'a Path, files: Vec<PathBuf> },
}

/// Where results are to go.
///
/// # Errors
/// If that cannot be done for so many inputs (`E0671`).
pub fn target(args: &Opt) -> Result<Target<'_>, Failure> {
    let output = args.output.as_deref().filter(|&path| path != Path::new("-"));
    let wrong = |message: &str, help: &str| {
        let error = Diagnostic::error("E0671", message).help(help);
        Err(Failure::CommandLine(vec![error]))
    };
    match (args.inputs.as_slice(), output) {
        ([_], None) => Ok(Target::Stdout),
        ([_], Some(path)) => Ok(Target::One(path)),
        _ if args.emit == Form::Plan => {
            wrong("a plan is made of one input", "name one, or use `pirogue plan`")
        }
        (_, None) if args.emit == Form::Json => wrong(
            "several inputs as JSON do not go to one stream",
            "name a folder with `-o`, where each has a file",
        ),
        (_, None) => Ok(Target::Stdout),
        (inputs, Some(folder)) => {
            let files: Vec<PathBuf> =
                inputs.iter().map(|path| folder.join(file_name(path, args.emit))).collect();
            let same = files.iter().enumerate().find(|&(at, file)| files[..at].contains(file));
            match same {
                None => Ok(Target::Folder { folder, files }),
                Some((_, file)) => wrong(
                    &format!("two inputs would be written to `{}`", file.display()),
                    "give them different names, or run the command twice",
                ),
            }
        }
    }
}

/// The name of an input, with the ending of what is written.
fn file_name(path: &Path, form: Form) -> PathBuf {
    let ending = if form == Form::Json { "json" } else { "pir" };
    let name = if input::is_stdin(path) { Some("stdin".as_ref()) } else { path.file_name() };
    Path::new(name.unwrap_or_default()).with_extension(ending)
}

/// Whether each input can be written in the form that is asked for.
///
/// # Errors
/// If an input holds several programs, and the form is one of a single program (`E0671`).
pub fn check_form(args: &Opt, sources: &[Source]) -> Result<(), Failure> {
    let mut pairs = sources.windows(2);
    let several = pairs.find(|pair| pair[0].input == pair[1].input);
    let (Some(pair), Form::Json | Form::Plan) = (several, args.emit) else { return Ok(()) };
    let path = args.inputs[pair[0].input].display();
    let error = Diagnostic::error("E0671", format!("`{path}` holds several programs"))
        .help("write them as text, or give each a file of its own");
    Err(Failure::CommandLine(vec![error]))
}

/// Writes all results.
///
/// # Errors
/// If one has no such form, or cannot be written.
pub fn emit(
    args: &Opt,
    screen: &Screen,
    target: &Target<'_>,
    runs: &mut [Run],
) -> Result<(), Vec<Diagnostic>> {
    if args.emit == Form::Plan {
        return runs.iter_mut().try_for_each(|run| emit_plan(screen, target, run));
    }
    let mut results: Vec<Vec<Rendered<'_>>> = args.inputs.iter().map(|_| Vec::new()).collect();
    for run in runs.iter() {
        let Some(program) = &run.program else { continue };
        let rendered = Rendered::of(program, args.emit).map_err(|error| vec![error])?;
        results[run.input].push(rendered);
    }
    write_all(target, &results).map_err(|error| vec![error])
}

/// Writes the results of each input.
fn write_all(target: &Target<'_>, results: &[Vec<Rendered<'_>>]) -> Result<(), Diagnostic> {
    match target {
        Target::Stdout => to_stdout(|sink| write_joined(results.iter().flatten(), sink)),
        Target::One(path) => to_file(path, |sink| write_joined(results.iter().flatten(), sink)),
        Target::Folder { folder, files } => {
            make_folder(folder)?;
            let mut all = files.iter().zip(results);
            all.try_for_each(|(file, results)| to_file(file, |sink| write_joined(results, sink)))
        }
    }
}

fn write_joined<'r, 'p: 'r>(
    results: impl IntoIterator<Item = &'r Rendered<'p>>,
    sink: &mut dyn Write,
) -> io::Result<()> {
    results.into_iter().enumerate().try_for_each(|(index, result)| {
        if index > 0 {
            sink.write_all(SEPARATOR)?;
        }
        result.write(sink)
    })
}

/// What the reader takes as the end of a program.
const SEPARATOR: &[u8] = b"// -----\n";

fn make_folder(folder: &Path) -> Result<(), Diagnostic> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(unwritable(folder, &error)),
        _ => Ok(()),
    }
}

/// A result that can be written.
enum Rendered<'p> {
    /// Text is written as it is made.
    Text(&'p Program),
    /// What has no form in JSON must be known before a byte is written.
    Json(Vec<u8>),
}

impl<'p> Rendered<'p> {
    fn of(program: &'p Program, form: Form) -> Result<Self, Diagnostic> {
        if form == Form::Text {
            return Ok(Self::Text(program));
        }
        let mut bytes = Vec::new();
        let written = json::write_program(program, &mut bytes, WriteOptions::default());
        written.map(|()| Self::Json(bytes)).map_err(|error| error.diagnostic(program))
    }

    fn write(&self, mut sink: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Text(program) => text::write_program(program, &mut sink),
            Self::Json(bytes) => sink.write_all(bytes),
        }
    }
}

/// Writes the plan that the passes made, and says what it holds.
fn emit_plan(screen: &Screen, target: &Target<'_>, run: &mut Run) -> Result<(), Vec<Diagnostic>> {
    let Some(program) = &run.program else { return Ok(()) };
    let context = run.watched.session.context("--emit plan");
    let plan = context.get::<Plan>().map_err(|error| error.into_diagnostics())?;
    let mut text = account(plan, program, screen.verbosity);
    if let Target::One(folder) = target {
        write_folder(plan, folder).map_err(|error| vec![error.into()])?;
        text += &written(slice::from_ref(plan), folder);
    }
    screen.say(&text).map_err(|error| vec![error])
}
