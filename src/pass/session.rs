//! What the passes of one run share, and who watches them.
//!
//! - *Diagnostics*, in the order in which they were reported.
//! - *Artifacts*: values by type that a pass leaves for those who follow. A pass answers for what
//!   it left as of its end; once a later pass changes the program and does not
//!   [preserve](super::Pass::preserves) it, it is *stale*, and asking for it is an error. What a
//!   pass that fails took, changed or replaced is as it was before it.
//! - *Analyses*: values computed from a program, kept while the program is unchanged or the passes
//!   that change it preserve them.
//! - *Statistics*: what the passes counted.
//! - *Observers*: who is told what happens.
//!
//! Invariant: one session serves one program, or artifacts could be taken for fresh by accident.

use std::any::{Any, TypeId, type_name};
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::observe::Observers;
use super::{Observer, PassContext, PassError, Preserved, ProgramSet, Statistics, StepPath};
use crate::diagnostic::{Diagnostic, Severity};

/// How an artifact is seen as a set of programs.
pub(super) type AsPrograms = fn(&mut dyn Any) -> &mut dyn ProgramSet;

pub(super) struct Artifact {
    pub(super) type_id: TypeId,
    pub(super) type_name: &'static str,
    /// The edit stamp it holds for; `None` while the pass that made it runs.
    pub(super) stamp: Option<u64>,
    /// Grows from artifact to artifact.
    pub(super) serial: u64,
    pub(super) made_by: String,
    pub(super) value: Box<dyn Any + Send>,
    pub(super) as_programs: Option<AsPrograms>,
}

pub(super) struct CachedAnalysis {
    pub(super) stamp: u64,
    pub(super) type_id: TypeId,
    pub(super) value: Arc<dyn Any + Send + Sync>,
}

/// What the passes of one run share: diagnostics, artifacts, analyses, counts, and observers.
///
/// An *artifact* is a value that a pass leaves for those who follow, one of each type. Its pass
/// answers for it as of its end; once a later pass changes the program and does not
/// [preserve](super::Pass::preserves) it, it is *stale*, and asking for it is an error.
///
/// A session serves one program: artifacts of two could not be told apart.
pub struct Session {
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) artifacts: Vec<Artifact>,
    /// What the running pass took, changed or replaced, as it was before.
    shelved: Vec<Artifact>,
    /// The serial number of the artifact that is left next.
    next_serial: u64,
    pub(super) analyses: Vec<CachedAnalysis>,
    pub(super) statistics: Statistics,
    pub(super) observers: Observers,
    /// Which step runs.
    pub(super) path: StepPath,
    /// How many threads the running pass may use.
    pub(super) threads: NonZeroUsize,
    /// The edit stamp of the program when the running pass began, or when the last one ended.
    stamp: u64,
    /// How much was reported when the running pass began.
    reported_before: usize,
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

/// # For everyone
impl Session {
    /// A session in which nothing happened yet.
    pub fn new() -> Self {
        Self {
            diagnostics: Vec::new(),
            artifacts: Vec::new(),
            shelved: Vec::new(),
            next_serial: 0,
            analyses: Vec::new(),
            statistics: Statistics::default(),
            observers: Observers::default(),
            path: StepPath::default(),
            threads: NonZeroUsize::MIN,
            stamp: 0,
            reported_before: 0,
        }
    }

    /// Adds an observer; it is told what happens after those that were added before, and what is
    /// over before them.
    pub fn observe(&mut self, observer: impl Observer) {
        self.observers.push(Box::new(observer));
    }

    /// The first observer of a type: to ask what it saw.
    pub fn observer<O: Observer>(&self) -> Option<&O> {
        self.observers.find()
    }

    /// The view that a pass of this name has: for running a pass by hand.
    pub fn context<'s>(&'s mut self, pass: &'s str) -> PassContext<'s> {
        PassContext::new(self, pass)
    }

    /// What was reported so far, in order. Why a pass failed is not among it: that is in the
    /// failure.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Removes and returns what was reported so far.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    /// What the passes counted.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Whether there is an artifact `T` that is not stale.
    pub fn has<T: Any + Send>(&self) -> bool {
        self.find::<T>("the caller").is_ok()
    }

    /// The artifact `T`.
    ///
    /// # Errors
    /// If no pass left one, or it is stale.
    pub fn get<T: Any + Send>(&self) -> Result<&T, PassError> {
        let artifact = &self.artifacts[self.find::<T>("the caller")?];
        Ok(artifact.value.downcast_ref().expect("artifacts are found by their type"))
    }

    /// Removes and returns the artifact `T`.
    ///
    /// # Errors
    /// If no pass left one, or it is stale.
    pub fn take<T: Any + Send>(&mut self) -> Result<T, PassError> {
        let index = self.find::<T>("the caller")?;
        let value = self.artifacts.remove(index).value;
        Ok(*value.downcast().expect("artifacts are found by their type"))
    }

    /// The programs that a pass left last, such as those of a plan, whatever their artifact is.
    ///
    /// # Errors
    /// If no pass left any, or they are stale.
    pub fn programs(&mut self) -> Result<&mut dyn ProgramSet, PassError> {
        let index = self.find_programs("the caller")?;
        let artifact = &mut self.artifacts[index];
        let as_programs = artifact.as_programs.expect("it was found by this");
        Ok(as_programs(&mut *artifact.value))
    }
}

/// # Finding artifacts
impl Session {
    /// The position of the artifact `T`, or what to tell who asked.
    pub(super) fn find<T: Any>(&self, asked_by: &str) -> Result<usize, PassError> {
        let is_wanted = |artifact: &Artifact| artifact.type_id == TypeId::of::<T>();
        self.find_where(asked_by, short_name::<T>(), is_wanted)
    }

    /// The position of the programs left last.
    pub(super) fn find_programs(&self, asked_by: &str) -> Result<usize, PassError> {
        self.find_where(asked_by, "plan", |artifact| artifact.as_programs.is_some())
    }

    fn find_where(
        &self,
        asked_by: &str,
        wanted: &str,
        is_wanted: impl Fn(&Artifact) -> bool,
    ) -> Result<usize, PassError> {
        let Some(index) = self.artifacts.iter().rposition(is_wanted) else {
            return Err(missing(asked_by, wanted));
        };
        match self.artifacts[index].stamp {
            Some(stamp) if stamp != self.stamp => Err(stale(asked_by, &self.artifacts[index])),
            _ => Ok(index),
        }
    }
}

/// # Changing artifacts
impl Session {
    /// Puts an artifact in the place of one of its type.
    pub(super) fn place(&mut self, mut artifact: Artifact) {
        let is_same = |other: &Artifact| other.type_id == artifact.type_id;
        if let Some(index) = self.artifacts.iter().position(is_same) {
            let replaced = self.artifacts.remove(index);
            self.shelve(replaced);
        }
        artifact.serial = self.next_serial;
        self.next_serial += 1;
        self.artifacts.push(artifact);
    }

    /// Keeps a copy of an artifact that the running pass is about to change.
    pub(super) fn shelve_copy<T: Any + Send + Clone>(&mut self, index: usize) {
        let artifact = &self.artifacts[index];
        if !self.is_to_keep(artifact) {
            return;
        }
        let value: &T = artifact.value.downcast_ref().expect("artifacts are found by their type");
        let copy = Artifact {
            value: Box::new(value.clone()),
            made_by: artifact.made_by.clone(),
            ..*artifact
        };
        self.shelved.push(copy);
    }

    fn shelve(&mut self, artifact: Artifact) {
        if self.is_to_keep(&artifact) {
            self.shelved.push(artifact);
        }
    }

    /// Whether an artifact was there before the running pass, and is not kept yet.
    fn is_to_keep(&self, artifact: &Artifact) -> bool {
        let is_kept = self.shelved.iter().any(|kept| kept.type_id == artifact.type_id);
        artifact.stamp.is_some() && !is_kept
    }
}

/// # For the manager
impl Session {
    /// Takes note that a pass begins on a program of this edit stamp.
    pub(super) fn begin_pass(&mut self, stamp: u64) {
        self.stamp = stamp;
        self.reported_before = self.diagnostics.len();
        self.shelved.clear();
        // A stamp that was rolled back may come again with other edits behind it.
        self.analyses.retain(|kept| kept.stamp == stamp);
    }

    /// Takes note that the pass that began last is done. What it left holds for the program as it
    /// is now, and so does what it preserved.
    pub(super) fn end_pass(&mut self, stamp: u64, preserved: &Preserved) {
        let before = std::mem::replace(&mut self.stamp, stamp);
        self.shelved.clear();
        for artifact in &mut self.artifacts {
            let held = artifact.stamp == Some(before) && preserved.holds(artifact.type_id);
            if held || artifact.stamp.is_none() {
                artifact.stamp = Some(stamp);
            }
        }
        for kept in &mut self.analyses {
            if preserved.holds(kept.type_id) {
                kept.stamp = stamp;
            }
        }
    }

    /// Makes the artifacts what they were when the pass that began last did so.
    pub(super) fn abandon_pass(&mut self) {
        for kept in std::mem::take(&mut self.shelved) {
            self.artifacts.retain(|artifact| artifact.type_id != kept.type_id);
            self.artifacts.push(kept);
        }
        self.artifacts.retain(|artifact| artifact.stamp.is_some());
        self.artifacts.sort_by_key(|artifact| artifact.serial);
        self.analyses.clear();
    }

    /// Reports a diagnostic unless its like was reported: of the same code and message.
    pub(super) fn report_once(&mut self, diagnostic: Diagnostic) {
        let is_like = |reported: &Diagnostic| {
            reported.code == diagnostic.code && reported.message == diagnostic.message
        };
        if !self.diagnostics.iter().any(is_like) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Removes the errors that the running pass reported.
    pub(super) fn take_errors(&mut self) -> Vec<Diagnostic> {
        let start = self.reported_before.min(self.diagnostics.len());
        let is_error = |diagnostic: &mut Diagnostic| diagnostic.severity == Severity::Error;
        self.diagnostics.extract_if(start.., is_error).collect()
    }
}

/// No pass left the artifact.
const MISSING: &str = "E0514";
/// The program was changed behind the pass that left it.
const STALE: &str = "E0515";

impl PassError {
    /// Whether the pass failed for what it takes from an earlier one: that is not there, or stale.
    pub fn is_of_artifacts(&self) -> bool {
        matches!(&*self.reason().code, MISSING | STALE)
    }
}

fn missing(asked_by: &str, wanted: &str) -> PassError {
    let message = format!("`{asked_by}` needs a `{wanted}`, and no pass before it left one");
    Diagnostic::error(MISSING, message).help("add a pass before it that makes one").into()
}

fn stale(asked_by: &str, artifact: &Artifact) -> PassError {
    let Artifact { type_name, made_by, .. } = artifact;
    let message =
        format!("the `{type_name}` that `{made_by}` left is stale: `{asked_by}` cannot use it");
    Diagnostic::error(STALE, message)
        .remark(format!("the program was changed after `{made_by}` had run"))
        .help(format!("put the passes that change the program before `{made_by}`"))
        .into()
}

/// The name of a type without its path.
pub(super) fn short_name<T>() -> &'static str {
    let full = type_name::<T>();
    let path = full.split('<').next().unwrap_or(full);
    let start = path.rfind("::").map_or(0, |at| at + 2);
    &full[start..]
}
