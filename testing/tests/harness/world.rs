//! A crate with cases, in a folder of its own, and running its tests.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::AS_USER;

/// Someone's crate.
pub struct World {
    folder: TempDir,
}

/// What a test run said, and whether it passed.
pub struct Said {
    pub passed: bool,
    pub text: String,
}

impl World {
    /// A crate whose only file of cases is `tests/cases/x.pir`.
    pub fn with_cases(text: &str) -> Self {
        let world = Self { folder: tempfile::tempdir().expect("a folder can be made") };
        world.write("tests/cases/x.pir", text);
        world
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).expect("folders can be made");
        fs::write(path, text).expect("the file can be written");
    }

    pub fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.path(path)).ok()
    }

    /// Runs the tests as on a build server, where no snapshot is written.
    pub fn test(&self) -> Said {
        self.test_with("no", &[])
    }

    /// Runs the tests with a value of `INSTA_UPDATE`, and arguments.
    pub fn test_with(&self, update: &str, arguments: &[&str]) -> Said {
        self.test_in(&[("INSTA_UPDATE", update)], arguments)
    }

    /// Runs the tests with these variables, and arguments.
    pub fn test_in(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Said {
        let this = env::current_exe().expect("the test has a file");
        let output = Command::new(this)
            .args(["--color", "never"])
            .args(arguments)
            .env_remove("INSTA_FORCE_PASS")
            .env_remove("INSTA_SNAPSHOT_REFERENCES_FILE")
            .env(AS_USER, "1")
            .env("CARGO_MANIFEST_DIR", self.folder.path())
            .envs(variables.iter().copied())
            .output()
            .expect("the test runs");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        Said { passed: output.status.success(), text }
    }
}

impl Said {
    /// That the run failed, and said all of this.
    #[track_caller]
    pub fn fails_with(&self, expected: &[&str]) {
        assert!(!self.passed, "it passed:\n{}", self.text);
        for expected in expected {
            assert!(self.text.contains(expected), "`{expected}` is not said:\n{}", self.text);
        }
    }

    /// That the run passed with so many tests.
    #[track_caller]
    pub fn passes(&self, tests: usize) {
        let count = format!("{tests} passed; 0 failed");
        assert!(self.passed && self.text.contains(&count), "{}", self.text);
    }
}
