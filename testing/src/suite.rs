//! A folder of cases, and the checking of one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pirogue::diagnostic::{Diagnostic, Severity};
use pirogue::pass::Registry;

use crate::case::{Case, Content, read_cases};
use crate::checks::{check_printing, check_same};
use crate::codes;
use crate::difference::HEADING;
use crate::expectation::{Expectation, line_to_add, noun};
use crate::failure::{Failure, Finding};
use crate::judge::Judge;
use crate::run::{Manner, Ran, run};
use crate::show::{Show, render};
use crate::snapshot::Snapshot;
use crate::update::{Settled, Update, remember_reference, settle};

/// The cases of a folder, and where their snapshots are.
#[derive(Clone, Debug)]
pub struct Suite {
    folder: PathBuf,
    snapshots: PathBuf,
    cases: Vec<Case>,
    judge: Option<Judge>,
}

/// # Reading
impl Suite {
    /// Reads all `.pir` files of a folder and of the folders in it, in the order of their names; or
    /// one such file. Snapshots are in the folder `snapshots` beside the files, unless
    /// [`snapshots`](Self::snapshots) says otherwise.
    ///
    /// # Errors
    /// If the folder or a file cannot be read (`E0689`), or there is none (`E0688`).
    pub fn read(path: &Path) -> Result<Self, Box<Diagnostic>> {
        let is_file = path.is_file();
        let folder = if is_file { path.parent().unwrap_or(Path::new("")) } else { path };
        let mut files = Vec::new();
        if is_file {
            files.push(path.to_owned());
        } else {
            collect(path, &mut files).map_err(|error| unreadable(path, &error))?;
        }
        files.sort();
        let mut cases = Vec::new();
        for file in &files {
            let text = fs::read(file).map_err(|error| unreadable(file, &error))?;
            cases.extend(read_cases(&relative(folder, file), &text));
        }
        if cases.is_empty() {
            let message = format!("there is no case in `{}`", path.display());
            let help = "cases are in files whose names end in `.pir`";
            return Err(Box::new(Diagnostic::error(codes::NO_CASE, message).help(help)));
        }
        let snapshots = folder.join("snapshots");
        Ok(Self { folder: folder.to_owned(), snapshots, cases, judge: None })
    }

    /// Says where the snapshots are.
    pub fn snapshots(self, folder: impl Into<PathBuf>) -> Self {
        Self { snapshots: folder.into(), ..self }
    }

    /// Says who judges the passes of cases that ask for it.
    pub fn judge(self, judge: Judge) -> Self {
        Self { judge: Some(judge), ..self }
    }

    /// All cases, by file and in the order in which they stand there.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// The cases whose names have a word in them.
    ///
    /// # Errors
    /// If there is none (`E0688`).
    pub fn cases_named(&self, word: &str) -> Result<Vec<&Case>, Box<Diagnostic>> {
        let named: Vec<&Case> =
            self.cases.iter().filter(|case| case.name().contains(word)).collect();
        if named.is_empty() {
            let message = format!("no case has `{word}` in its name");
            let help = "without a filter, all cases are run and their names listed";
            return Err(Box::new(Diagnostic::error(codes::NO_CASE, message).help(help)));
        }
        Ok(named)
    }

    /// Where the snapshot of a case is.
    pub fn snapshot_of(&self, case: &Case) -> PathBuf {
        self.snapshots.join(case.snapshot_path())
    }

    /// Snapshots that are there though no case of the suite has them, in the order of their names.
    pub fn unused_snapshots(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        // A folder that is not there, or cannot be read, holds none that could be named.
        let _ = collect_ending(&self.snapshots, "snap", &mut files);
        let showing = |case: &&Case| case.content().is_err() || shows_something(case);
        let used: Vec<PathBuf> =
            self.cases.iter().filter(showing).map(|case| self.snapshot_of(case)).collect();
        files.retain(|file| !used.contains(file));
        files.sort();
        files
    }
}

fn shows_something(case: &Case) -> bool {
    case.content().is_ok_and(|content| !content.shows.is_empty())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    collect_ending(folder, "pir", files)
}

fn collect_ending(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect_ending(&path, ending, files)?;
        } else if path.extension().is_some_and(|found| found == ending) {
            files.push(path);
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: &io::Error) -> Box<Diagnostic> {
    let message = format!("cannot read `{}`: {error}", path.display());
    Box::new(
        Diagnostic::error(codes::NO_ACCESS, message)
            .help("name a folder of `.pir` files, or one of them"),
    )
}

/// A path from a folder on, with `/` between folders on every system.
fn relative(folder: &Path, file: &Path) -> String {
    let path = file.strip_prefix(folder).unwrap_or(file);
    let parts = path.components().map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

/// # Checking
impl Suite {
    /// Runs a case and checks all there is to check: what it expects, what it shows, and what must
    /// hold of every case. The snapshot is dealt with only where all else holds.
    ///
    /// # Errors
    /// All that is wrong.
    pub fn check(
        &self,
        case: &Case,
        registry: &Registry,
        update: Update,
    ) -> Result<Settled, Failure> {
        let checked = self.checked(case, registry, update);
        checked.map_err(|findings| Failure {
            findings: findings
                .into_iter()
                .map(|Finding { diagnostic, details }| {
                    Finding::with(self.located(case, diagnostic), details)
                })
                .collect(),
        })
    }

    fn checked(
        &self,
        case: &Case,
        registry: &Registry,
        update: Update,
    ) -> Result<Settled, Vec<Finding>> {
        let content = match case.content() {
            Ok(content) => content,
            Err(faults) => return Err(faults.iter().cloned().map(Finding::from).collect()),
        };
        let judge = self.judge_of(content)?;
        let ran = run(case.file(), content, registry, (Manner::Plain, judge));
        let mut findings = compare_with_expectations(case.file(), content, &ran, &|said| {
            self.located(case, said.clone())
        });
        findings.extend(check_printing(case.file(), content, &ran));
        findings.extend(Manner::OTHERS.into_iter().find_map(|manner| {
            let again = run(case.file(), content, registry, (manner, None));
            check_same(manner.subject(), &ran, &again)
        }));
        findings.extend(ran.broken_laws.iter().cloned().map(Finding::from));
        findings.extend(ran.broken_meaning.iter().cloned().map(Finding::from));
        if !findings.is_empty() {
            return Err(findings);
        }
        self.settle_snapshot(case, content, &ran, update).map_err(|finding| vec![finding])
    }

    /// Who judges the passes of a case, if it asks for that.
    fn judge_of(&self, content: &Content) -> Result<Option<Judge>, Vec<Finding>> {
        let Some(place) = &content.prove else { return Ok(None) };
        if self.judge.is_some() {
            return Ok(self.judge);
        }
        let fault =
            Diagnostic::error(codes::NO_JUDGE, "nobody judges whether passes keep the meaning")
                .at(place.clone())
                .help("give the harness a `Judge`, such as `pirogue_prove::watch`");
        Err(vec![Finding::from(fault)])
    }

    fn settle_snapshot(
        &self,
        case: &Case,
        content: &Content,
        ran: &Ran,
        update: Update,
    ) -> Result<Settled, Finding> {
        if content.shows.is_empty() {
            return Ok(Settled::Same);
        }
        let contents = shown(content, ran)?;
        let path = self.snapshot_of(case);
        remember_reference(&path).map_err(|error| {
            let message =
                format!("cannot write the list of snapshots that cargo-insta wants: {error}");
            Finding::from(Diagnostic::error(codes::NO_ACCESS, message))
        })?;
        let new = Snapshot {
            source: format!("{}/{}", self.folder_name(), case.file()),
            description: case.title().to_owned(),
            contents,
        };
        settle(&path, &new, update)
    }

    /// The name of the folder of the cases, whichever path leads there.
    fn folder_name(&self) -> String {
        let here = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        let path = here.canonicalize().unwrap_or_else(|_| here.to_owned());
        path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// What is said, with places whose path leads to the file from here.
    fn located(&self, case: &Case, mut said: Diagnostic) -> Diagnostic {
        let path = self.folder.join(case.file()).display().to_string();
        for place in said.primary.iter_mut().chain(&mut said.secondary) {
            if place.file == case.file() {
                place.file.clone_from(&path);
            }
        }
        said
    }
}

/// What is said and not expected, then what is expected and not said. `located` is for what is shown
/// of it.
fn compare_with_expectations(
    file: &str,
    content: &Content,
    ran: &Ran,
    located: &dyn Fn(&Diagnostic) -> Diagnostic,
) -> Vec<Finding> {
    let mut open: Vec<&Expectation> = content.expectations.iter().collect();
    let mut unexpected: Vec<(&Diagnostic, Option<u32>)> = Vec::new();
    for said in &ran.diagnostics {
        let place = said.primary.as_ref().filter(|place| place.file == file);
        let line = place.and_then(|place| place.line);
        match open.iter().position(|expected| expected.is_met_by(said, line)) {
            Some(index) => {
                open.remove(index);
            }
            None => unexpected.push((said, line)),
        }
    }
    // What a case shows, it need not expect; and a note may always be said.
    let is_shown = content.shows.contains(&Show::Diagnostics);
    let must_be_expected = |said: &Diagnostic| !is_shown && said.severity != Severity::Note;
    let surprises = unexpected.iter().filter(|(said, _)| must_be_expected(said));
    let surprises = surprises.map(|&(said, line)| surprise(&located(said), line));
    let unused = open.iter().map(|expected| unmet(expected, &unexpected));
    surprises.chain(unused).collect()
}

fn surprise(said: &Diagnostic, line: Option<u32>) -> Finding {
    let mut error =
        Diagnostic::error(codes::NOT_EXPECTED, format!("{} is not expected", noun(said.severity)));
    let to_add = line_to_add(said, line);
    error = match line {
        Some(line) => error.help(format!("to expect it, write below line {line}\n{to_add}")),
        None => error.help(format!("to expect it, write above the program\n{to_add}")),
    };
    Finding::with(error, said.to_string())
}

fn unmet(expected: &Expectation, unexpected: &[(&Diagnostic, Option<u32>)]) -> Finding {
    let mut error = Diagnostic::error(codes::NOT_SAID, expected.unmet()).at(expected.place.clone());
    for (said, line) in unexpected.iter().filter(|(said, _)| expected.is_like(said)) {
        let place = line.map_or("without a place".to_owned(), |line| format!("of line {line}"));
        error = error.remark(format!("`{}` is said {place}: {}", said.code, said.message));
    }
    error.help("mend the expectation, or remove it").into()
}

/// The text of the snapshot.
fn shown(content: &Content, ran: &Ran) -> Result<String, Finding> {
    let mut out = String::new();
    for show in &content.shows {
        let part = if ran.is_failed() && show.needs_success() {
            let message =
                format!("the run fails as expected, so that there is no `{show}` to show");
            let help = "show `diagnostics`, or nothing";
            Err(Box::new(Diagnostic::error(codes::MALFORMED, message).help(help)))
        } else {
            render(show, ran)
        };
        let part = part.map_err(|error| match (&error.primary, &content.show_place) {
            (None, Some(place)) => Finding::from(error.at(place.clone())),
            _ => Finding::from(*error),
        })?;
        out += &format!("{HEADING}{show}\n{}\n", part.trim_end());
    }
    Ok(out)
}
