//! Reading programs: a file or standard input, text or JSON.

use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Context, Program};
use pirogue::{json, text};

use crate::failure::{Failure, reason};

/// A program, and what is to be said about the reading of it.
pub struct Input {
    pub program: Program,
    pub warnings: Vec<Diagnostic>,
}

/// The bytes of a file; `-` is standard input.
///
/// # Errors
/// A file that cannot be read (`E0650`), or holds no program (`E0651`).
pub fn load(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let bytes = bytes(path)?;
    match reason_against(&bytes) {
        None => Ok(bytes),
        Some((what, help)) => {
            let message = format!("`{}` is {what}, not a program", shown(path));
            Err(Diagnostic::error("E0651", message).help(help))
        }
    }
}

/// The bytes of a file, whatever they are; `-` is standard input.
///
/// # Errors
/// A file that cannot be read (`E0650`).
pub fn bytes(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let read = if is_stdin(path) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    read.map_err(|error| unreadable(path, &error))
}

/// Whether a path stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The name of a file without its folder.
pub fn name(path: &Path) -> String {
    match path.file_name() {
        Some(name) if !is_stdin(path) => name.to_string_lossy().into_owned(),
        _ => shown(path),
    }
}

/// Standard input can be read once.
///
/// # Errors
/// If several paths stand for it (`E0654`).
pub fn check_stdin<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Result<(), Failure> {
    if paths.into_iter().filter(|path| is_stdin(path)).count() <= 1 {
        return Ok(());
    }
    let error = Diagnostic::error("E0654", "`-` stands for more than one input");
    Err(Failure::CommandLine(vec![error.help("name files, all but one of them")]))
}

/// The name that diagnostics call a file.
pub fn shown(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    let help = match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => "check the path",
        ErrorKind::IsADirectory => "name a file in it",
        ErrorKind::PermissionDenied => "check who may read it",
        _ => "check the file",
    };
    let message = format!("cannot read `{}`: {}", shown(path), reason(error));
    Diagnostic::error("E0650", message).help(help)
}

/// How far to look for bytes that no text has.
const LOOKED_AT: usize = 4096;

/// What else than a program the bytes are, and what to do.
fn reason_against(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    match bytes {
        [] => Some((
            "empty",
            "print a program with `print(program)`, or save it with `paddle.jit.save`",
        )),
        [0x1f, 0x8b, ..] => Some(("compressed with gzip", "unpack it with `gunzip` first")),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            Some(("compressed with zstd", "unpack it with `unzstd` first"))
        }
        [b'P', b'K', 3, 4, ..] => Some(("a zip archive", "unpack it with `unzip` first")),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            Some(("UTF-16 text", "save it as UTF-8, without a byte order mark"))
        }
        _ if bytes[..bytes.len().min(LOOKED_AT)].contains(&0) => {
            Some(("a binary file", "give what `print(program)` prints, or Paddle's `.json`"))
        }
        _ => None,
    }
}

/// The program that the bytes of a file hold.
///
/// # Errors
/// All faults that the reader found.
pub fn parse(context: &Arc<Context>, path: &Path, bytes: &[u8]) -> Result<Input, Vec<Diagnostic>> {
    let file = shown(path);
    if json::is_json(bytes) {
        let read = json::read_program(context, &file, bytes)?;
        return Ok(Input { program: read.program, warnings: read.warnings });
    }
    let read = text::read_program(context, &file, bytes)?;
    Ok(Input { program: read.program, warnings: read.warnings })
}

/// The programs that the bytes of a file hold; text may hold several.
///
/// # Errors
/// All faults that the reader found.
pub fn parse_all(
    context: &Arc<Context>,
    path: &Path,
    bytes: &[u8],
) -> Result<Vec<Input>, Vec<Diagnostic>> {
    if json::is_json(bytes) {
        return Ok(vec![parse(context, path, bytes)?]);
    }
    let read = text::read_programs(context, &shown(path), bytes)?.into_iter();
    Ok(read.map(|read| Input { program: read.program, warnings: read.warnings }).collect())
}
