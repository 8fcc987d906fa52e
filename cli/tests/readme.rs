//! The commands that the README shows print what it shows.

use std::path::Path;
use std::process::Command;

#[test]
fn the_readme_shows_what_its_commands_print() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("there is a README");
    let blocks: Vec<&str> = readme
        .split("```console\n")
        .skip(1)
        .map(|rest| rest.split("\n```").next().unwrap_or(""))
        .collect();
    assert_eq!(blocks.len(), 2, "the README shows two commands");
    for block in blocks {
        let (command, expected) = block.split_once('\n').expect("a command and its output");
        let arguments = command
            .strip_prefix("$ cargo run --release -- ")
            .or_else(|| command.strip_prefix("$ pirogue "))
            .unwrap_or_else(|| panic!("`{command}` runs pirogue"));
        let output = Command::new(env!("CARGO_BIN_EXE_pirogue"))
            .args(arguments.split(' '))
            .current_dir(&root)
            .output()
            .expect("the command runs");
        let printed = [output.stdout, output.stderr].concat();
        assert_eq!(String::from_utf8_lossy(&printed).trim_end(), expected, "{command}");
    }
}
