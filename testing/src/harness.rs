//! The cases of a crate as its tests, one of its own for each.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use pirogue::diagnostic::Diagnostic;
use pirogue::pass::Registry;

use crate::failure::Finding;
use crate::judge::Judge;
use crate::suite::Suite;
use crate::update::{Update, differences_pass};

/// The cases of a crate as its tests: what the `main` of a test with `harness = false` calls.
///
/// Each case is a test of its own, by its name, so that `cargo test NAME` and cargo-nextest find it.
/// `INSTA_UPDATE` says what becomes of snapshots that differ, and `cargo insta review` shows them.
pub struct Harness {
    registry: Registry,
    cases: PathBuf,
    snapshots: Option<PathBuf>,
    judge: Option<Judge>,
}

impl Harness {
    /// Tests of these passes. The cases are in `tests/cases`, and their snapshots in the folder
    /// `snapshots` there, unless said otherwise.
    pub fn new(registry: Registry) -> Self {
        Self { registry, cases: PathBuf::from("tests/cases"), snapshots: None, judge: None }
    }

    /// Says where the cases are, from the folder of the crate on.
    pub fn cases(self, folder: impl Into<PathBuf>) -> Self {
        Self { cases: folder.into(), ..self }
    }

    /// Says where the snapshots are, from the folder of the crate on.
    pub fn snapshots(self, folder: impl Into<PathBuf>) -> Self {
        Self { snapshots: Some(folder.into()), ..self }
    }

    /// Says who judges the passes of cases that ask for it with `// prove: yes`.
    pub fn judge(self, judge: Judge) -> Self {
        Self { judge: Some(judge), ..self }
    }

    /// Runs the cases that the command line asks for.
    pub fn main(self) -> ExitCode {
        self.run(&Arguments::from_args())
    }

    fn run(self, arguments: &Arguments) -> ExitCode {
        let trials = self.trials().unwrap_or_else(|fault| {
            let told = fault.to_string();
            vec![Trial::test("cases can be read", move || Err(told.into()))]
        });
        libtest_mimic::run(arguments, trials).exit_code()
    }

    fn trials(self) -> Result<Vec<Trial>, Box<Diagnostic>> {
        let update = Update::from_environment()?;
        let mut suite = Suite::read(&in_crate(&self.cases))?;
        if let Some(snapshots) = &self.snapshots {
            suite = suite.snapshots(in_crate(snapshots));
        }
        if let Some(judge) = self.judge {
            suite = suite.judge(judge);
        }
        let (suite, registry) = (Arc::new(suite), Arc::new(self.registry));
        let trials = (0..suite.cases().len()).map(|index| {
            let (suite, registry) = (Arc::clone(&suite), Arc::clone(&registry));
            let name = suite.cases()[index].name();
            Trial::test(name, move || check(&suite, index, &registry, update))
        });
        Ok(trials.collect())
    }
}

fn check(suite: &Suite, index: usize, registry: &Registry, update: Update) -> Result<(), Failed> {
    let Err(failure) = suite.check(&suite.cases()[index], registry, update) else { return Ok(()) };
    let is_snapshot = failure.findings.iter().all(Finding::is_of_snapshot);
    if is_snapshot && differences_pass() { Ok(()) } else { Err(failure.to_string().into()) }
}

/// A path from the folder of the crate whose tests run: cargo tells it.
fn in_crate(path: &Path) -> PathBuf {
    env::var_os("CARGO_MANIFEST_DIR").map_or(path.to_owned(), |root| PathBuf::from(root).join(path))
}
