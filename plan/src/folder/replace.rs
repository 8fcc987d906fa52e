//! What a folder may hold for a plan to take its place: a plan that was written before, and nothing
//! else, so that nothing of a person's is lost.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use pirogue_schedule::JobType;

use super::error::Action;
use super::{FORMAT, FolderError, MANIFEST, PROGRAM_EXTENSION, STAGE_FOLDER};

/// The names of what a folder holds, sorted.
pub(super) fn entries(dir: &Path) -> Result<Vec<OsString>, FolderError> {
    let names = fs::read_dir(dir).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<io::Result<Vec<_>>>()
    });
    let mut names = names.map_err(Action::Read.failed(dir))?;
    names.sort();
    Ok(names)
}

/// The names of what a folder holds: nothing, a plan, or the plans of stages.
///
/// # Errors
/// If it holds anything else.
pub(super) fn replaceable_entries(dir: &Path) -> Result<Vec<OsString>, FolderError> {
    let names = entries(dir)?;
    if names.is_empty() || is_whole_plan(dir, &names)? {
        return Ok(names);
    }
    let (stages, others): (Vec<_>, Vec<_>) = names.iter().partition(|name| is_stage_folder(name));
    for &stage in &stages {
        let stage = dir.join(stage);
        let held = if stage.is_dir() { entries(&stage)? } else { Vec::new() };
        if !is_whole_plan(&stage, &held)? {
            return Err(FolderError::NotAPlan { dir: dir.to_owned() });
        }
    }
    match others.first() {
        None => Ok(names),
        Some(_) if stages.is_empty() => Err(FolderError::NotAPlan { dir: dir.to_owned() }),
        Some(entry) => Err(FolderError::Foreign { dir: dir.to_owned(), entry: entry.into() }),
    }
}

/// Whether a folder that holds these is a plan.
///
/// # Errors
/// If it holds something beside a plan.
fn is_whole_plan(dir: &Path, names: &[OsString]) -> Result<bool, FolderError> {
    if !begins_as_ours(&dir.join(MANIFEST)) {
        return Ok(false);
    }
    match names.iter().find(|name| !is_plan_file(&dir.join(name))) {
        None => Ok(true),
        Some(entry) => Err(FolderError::Foreign { dir: dir.to_owned(), entry: entry.into() }),
    }
}

/// Whether a file begins as a `plan.json` does, however it is spaced.
fn begins_as_ours(manifest: &Path) -> bool {
    if !manifest.is_file() {
        return false;
    }
    let mut head = Vec::new();
    let Ok(file) = File::open(manifest) else {
        return false;
    };
    let Ok(_) = file.take(256).read_to_end(&mut head) else {
        return false;
    };
    head.retain(|byte| !byte.is_ascii_whitespace());
    head.starts_with(format!("{{\"format\":\"{FORMAT}\"").as_bytes())
}

fn is_plan_file(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(OsStr::to_str) else {
        return false;
    };
    let names_a_program = name.strip_suffix(PROGRAM_EXTENSION).is_some_and(|stem| {
        stem.strip_suffix('.').is_some_and(|stem| stem.parse::<JobType>().is_ok())
    });
    path.is_file() && (name == MANIFEST || names_a_program)
}

fn is_stage_folder(name: &OsStr) -> bool {
    let number = name.to_str().and_then(|name| name.strip_prefix(STAGE_FOLDER));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}
