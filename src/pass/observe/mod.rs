//! Watching a run: observers are told what happens, in stack order.
//!
//! What begins is told to the observers in the order in which they were added, what ends in the
//! opposite order, so that one added later is nested in those before. An observer sees programs
//! and never changes them, and **the result of a run does not depend on who watches**.
//!
//! `jobs(...)` runs on several programs at a time. For each, an observer is asked to
//! [`fork`](Observer::fork); the child watches that program alone and is given back with
//! [`join`](Observer::join), in the order of the programs. So what is seen does not depend on the
//! number of threads.
//!
//! 1. [`Timing`]: a tree of times, ops and edits.
//! 2. [`ChromeTrace`]: the same for `chrome://tracing` and Perfetto.
//! 3. [`PrintProgram`]: the program before and after passes, to a sink or a numbered folder.

mod clock;
mod print;
mod timing;
mod trace;

pub use print::{Moment, PrintProgram};
pub use timing::{Timing, TimingNode};
pub use trace::ChromeTrace;

use std::any::Any;
use std::time::Duration;

use super::{Pipeline, Step, StepPath};
use crate::diagnostic::Diagnostic;
use crate::ir::Program;

/// A step that begins or ends.
#[derive(Copy, Clone)]
pub struct StepInfo<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) index: usize,
    pub(super) path: &'a StepPath,
    pub(super) has_artifacts: bool,
}

impl<'a> StepInfo<'a> {
    /// The step.
    pub fn step(&self) -> &'a Step {
        &self.pipeline.steps()[self.index]
    }

    /// The name of its pass, or `jobs`.
    pub fn name(&self) -> &'a str {
        match self.step() {
            Step::Pass(step) => step.pass().name(),
            Step::Jobs(_) => "jobs",
        }
    }

    /// Where it stands.
    pub fn path(&self) -> &'a StepPath {
        self.path
    }

    /// Whether the program is all that the rest of the pipeline can work on: no pass left an
    /// artifact, such as a plan, that is still there.
    pub fn stands_alone(&self) -> bool {
        !self.has_artifacts
    }

    /// The text of the pipeline from this step on.
    pub fn from_here(&self) -> String {
        self.pipeline.text_from(self.index)
    }

    /// The text of the pipeline behind this step.
    pub fn rest(&self) -> String {
        self.pipeline.text_from(self.index + 1)
    }
}

/// What a step did to its program; the edits of `jobs(...)` are those of all its programs.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// How many edits it made.
    pub edits: u64,
}

/// One of the programs that `jobs(...)` runs on.
#[derive(Copy, Clone)]
pub struct Branch<'a> {
    /// Its name.
    pub name: &'a str,
    /// Which of them it is.
    pub index: usize,
}

/// Watches a run.
///
/// What begins is told to the observers of a [`Session`](super::Session) in the order in which they
/// were added, what ends in the opposite order. **The result of a run does not depend on who
/// watches.** All methods have an empty default.
pub trait Observer: Any + Send {
    /// A pipeline begins.
    fn before_pipeline(&mut self, pipeline: &Pipeline, program: &Program) {
        let _ = (pipeline, program);
    }

    /// A pipeline is over; it may have failed.
    fn after_pipeline(&mut self, pipeline: &Pipeline, program: &Program) {
        let _ = (pipeline, program);
    }

    /// A step begins.
    fn before_pass(&mut self, step: &StepInfo<'_>, program: &Program) {
        let _ = (step, program);
    }

    /// A step is done.
    fn after_pass(&mut self, step: &StepInfo<'_>, program: &Program, change: Change) {
        let _ = (step, program, change);
    }

    /// A step failed; the program is as before it.
    fn pass_failed(&mut self, step: &StepInfo<'_>, program: &Program, reason: &Diagnostic) {
        let _ = (step, program, reason);
    }

    /// The running pass asked for an analysis that had to be computed.
    fn analysis_computed(&mut self, name: &'static str, wall: Duration) {
        let _ = (name, wall);
    }

    /// The program was verified, within a step or around all of them.
    fn verified(&mut self, wall: Duration) {
        let _ = wall;
    }

    /// Makes the observer for one of the programs of `jobs(...)`; `None`: it does not watch them.
    fn fork(&mut self, branch: Branch<'_>) -> Option<Box<dyn Observer>> {
        let _ = branch;
        None
    }

    /// Takes back what [`fork`](Self::fork) made.
    fn join(&mut self, child: Box<dyn Any>) {
        let _ = child;
    }

    /// What went wrong with watching, such as a file that cannot be written; each is told once.
    fn take_faults(&mut self) -> Vec<Diagnostic> {
        Vec::new()
    }
}

/// The observers of a session.
#[derive(Default)]
pub(super) struct Observers {
    list: Vec<Box<dyn Observer>>,
}

impl Observers {
    pub(super) fn push(&mut self, observer: Box<dyn Observer>) {
        self.list.push(observer);
    }

    pub(super) fn find<O: Observer>(&self) -> Option<&O> {
        self.list.iter().find_map(|observer| (&**observer as &dyn Any).downcast_ref())
    }

    pub(super) fn before_pipeline(&mut self, pipeline: &Pipeline, program: &Program) {
        self.list.iter_mut().for_each(|observer| observer.before_pipeline(pipeline, program));
    }

    pub(super) fn after_pipeline(&mut self, pipeline: &Pipeline, program: &Program) {
        self.list.iter_mut().rev().for_each(|observer| observer.after_pipeline(pipeline, program));
    }

    pub(super) fn before_pass(&mut self, step: &StepInfo<'_>, program: &Program) {
        self.list.iter_mut().for_each(|observer| observer.before_pass(step, program));
    }

    pub(super) fn after_pass(&mut self, step: &StepInfo<'_>, program: &Program, change: Change) {
        self.list.iter_mut().rev().for_each(|observer| observer.after_pass(step, program, change));
    }

    pub(super) fn pass_failed(
        &mut self,
        step: &StepInfo<'_>,
        program: &Program,
        reason: &Diagnostic,
    ) {
        self.list.iter_mut().rev().for_each(|observer| observer.pass_failed(step, program, reason));
    }

    pub(super) fn analysis_computed(&mut self, name: &'static str, wall: Duration) {
        self.list.iter_mut().rev().for_each(|observer| observer.analysis_computed(name, wall));
    }

    pub(super) fn verified(&mut self, wall: Duration) {
        self.list.iter_mut().rev().for_each(|observer| observer.verified(wall));
    }

    /// The observers of a branch, with which of these each is from.
    pub(super) fn fork(&mut self, branch: Branch<'_>) -> Forked {
        let children = self.list.iter_mut().map(|observer| observer.fork(branch)).enumerate();
        let (parents, list) =
            children.filter_map(|(parent, child)| child.map(|child| (parent, child))).unzip();
        Forked { parents, observers: Self { list } }
    }

    /// Gives the observers of a branch back.
    pub(super) fn join(&mut self, parents: &[usize], children: Self) {
        for (&parent, child) in parents.iter().zip(children.list) {
            self.list[parent].join(child);
        }
    }

    pub(super) fn take_faults(&mut self) -> Vec<Diagnostic> {
        self.list.iter_mut().flat_map(|observer| observer.take_faults()).collect()
    }
}

/// The observers of a branch, and the positions of those they are from.
pub(super) struct Forked {
    pub(super) parents: Vec<usize>,
    pub(super) observers: Observers,
}
