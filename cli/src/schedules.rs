//! Reading schedules: a file or standard input, in any format.

use std::path::Path;

use pirogue::diagnostic::{Diagnostic, Place};
use pirogue_schedule::check::Fault;
use pirogue_schedule::format::{self, Format, FormatError, Lost, Reading};

use crate::input;

/// The schedule of a file, in the format that it looks like if none is given; `-` is standard input.
///
/// # Errors
/// The file cannot be read, or is no schedule: then with the place.
pub fn load(path: &Path, from: Option<Format>) -> Result<Reading, Diagnostic> {
    let bytes = input::bytes(path)?;
    format::read(&bytes, from).map_err(|error| refused(path, &bytes, &error))
}

/// That a format does not hold something of a schedule that was written, if so.
pub fn unheld(format: Format, lost: &[Lost]) -> Option<Diagnostic> {
    warning(format!("`{format}` does not hold all of the schedule"), lost)
}

/// That a schedule does not hold something of a file that was read, if so.
pub fn unread(format: Format, lost: &[Lost]) -> Option<Diagnostic> {
    warning(format!("`{format}` holds more than a schedule"), lost)
}

/// What is wrong with a schedule, without its place in a file.
pub fn fault(fault: &Fault) -> Diagnostic {
    let error = Diagnostic::error(fault.code(), fault.to_string()).help(fault.help());
    fault.details().into_iter().fold(error, Diagnostic::remark)
}

fn warning(message: String, lost: &[Lost]) -> Option<Diagnostic> {
    let first = lost.first()?;
    let warning = Diagnostic::warning(first.code(), message).help(first.help());
    Some(lost.iter().map(ToString::to_string).fold(warning, Diagnostic::remark))
}

fn refused(path: &Path, bytes: &[u8], error: &FormatError) -> Diagnostic {
    let file = input::shown(path);
    let fault = error.fault();
    let Some(position) = error.position() else {
        let message = format!("`{file}`: {fault}");
        return Diagnostic::error(error.code(), message).help(error.help());
    };
    let line =
        bytes.split(|&byte| byte == b'\n').nth(position.line.saturating_sub(1)).unwrap_or_default();
    let text = String::from_utf8_lossy(line);
    let begin = position.column.saturating_sub(1);
    let number = u32::try_from(position.line).unwrap_or(u32::MAX);
    let place = Place::in_text(&file, number, text.trim_end(), begin..begin + position.length);
    Diagnostic::error(error.code(), fault.to_string()).at(place).help(error.help())
}
