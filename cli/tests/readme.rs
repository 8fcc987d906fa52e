//! The commands that the README and the guide show print what they show.
//!
//! `TRYCMD=overwrite` writes what they print into the pages.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const OPEN: &str = "```console\n";
const CLOSE: &str = "\n```";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What a command prints; `cargo run --release --` is the command as well.
fn output(command: &str) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_pirogue"));
    let folders = [bin.parent().unwrap().to_owned()];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&path)));
    let command = command.replace("cargo run --release --", "pirogue");
    assert!(command.starts_with("pirogue "), "`{command}` runs pirogue");
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).env("PATH", path.unwrap()).current_dir(root());
    let output = shell.output().unwrap();
    let printed = [output.stdout, output.stderr].concat();
    String::from_utf8(printed).unwrap().trim_end().to_owned()
}

/// The page with what its commands print now, and how many commands it has.
fn renewed(page: &str) -> (String, usize) {
    let mut parts = page.split(OPEN);
    let mut out = parts.next().unwrap().to_owned();
    let mut commands = 0;
    for part in parts {
        let (block, rest) = part.split_once(CLOSE).expect("a block is closed");
        let command = block.lines().next().unwrap();
        let printed = output(command.strip_prefix("$ ").expect("a block begins with a command"));
        let separator = if printed.is_empty() { "" } else { "\n" };
        out += &format!("{OPEN}{command}{separator}{printed}{CLOSE}{rest}");
        commands += 1;
    }
    (out, commands)
}

fn check(path: &Path) -> usize {
    let page = fs::read_to_string(path).unwrap();
    let (renewed, commands) = renewed(&page);
    if std::env::var("TRYCMD").is_ok_and(|mode| mode == "overwrite") {
        fs::write(path, &renewed).unwrap();
    } else {
        let differing = page.lines().zip(renewed.lines()).find(|(shown, printed)| shown != printed);
        assert!(page == renewed, "{}: shown and printed differ: {differing:?}", path.display());
    }
    commands
}

#[test]
fn the_readme_shows_what_its_commands_print() {
    assert_eq!(check(&root().join("README.md")), 2);
}

#[test]
fn the_guide_shows_what_its_commands_print() {
    let pages = fs::read_dir(root().join("docs/guide")).unwrap();
    let pages = pages.map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let commands: usize = pages.map(|path| check(&path)).sum();
    assert!(commands >= 3, "{commands} commands");
}
