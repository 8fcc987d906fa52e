//! Reading programs: a file or standard input, text or JSON.

use std::io::{self, ErrorKind, Read as _};
use std::path::Path;
use std::sync::Arc;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Context, Program};
use pirogue::{json, text};

/// A program, and what is to be said about the reading of it.
pub struct Input {
    pub program: Program,
    pub warnings: Vec<Diagnostic>,
}

/// The bytes of a file; `-` is standard input.
///
/// # Errors
/// A file that cannot be read (`E0650`), or holds no program (`E0651`).
pub fn load(path: &Path) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let read = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    let bytes = read.map_err(|error| vec![unreadable(path, &error)])?;
    match reason_against(&bytes) {
        None => Ok(bytes),
        Some((what, help)) => {
            let message = format!("`{}` is {what}, not a program", shown(path));
            Err(vec![Diagnostic::error("E0651", message).help(help)])
        }
    }
}

/// The name that diagnostics call a file.
pub fn shown(path: &Path) -> String {
    if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() }
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    let help = match error.kind() {
        ErrorKind::NotFound => "check the path",
        ErrorKind::IsADirectory => "name a file in it",
        ErrorKind::PermissionDenied => "check who may read it",
        _ => "check the file",
    };
    Diagnostic::error("E0650", format!("cannot read `{}`: {error}", shown(path))).help(help)
}

/// What else than a program the bytes are, and what to do.
fn reason_against(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    match bytes {
        [] => Some((
            "empty",
            "print a program with `print(program)`, or save it with `paddle.jit.save`",
        )),
        [0x1f, 0x8b, ..] => Some(("compressed with gzip", "unpack it with `gunzip` first")),
        _ if bytes[..bytes.len().min(4096)].contains(&0) => {
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
