//! Running the command as a person does, from the root of the repository.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pirogue"));
    command.args(arguments).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    command
}

pub fn pirogue(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command runs")
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn temporary() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().to_owned();
    (folder, path)
}

/// The names of what is in a folder.
pub fn entries(folder: &Path) -> Vec<String> {
    let read = std::fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<String> = read
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
