//! Keeps what a plan is made of.

use pirogue::ir::Program;
use pirogue::pass::{Observer, Pipeline, StepInfo};

/// An observer that keeps the program of a run as it was read, and as the pass found it that left a
/// plan: what the plan is to be compared with, as that pass may have changed the program.
#[derive(Default)]
pub struct KeepOriginal {
    read: Option<Program>,
    cut: Option<Program>,
}

impl KeepOriginal {
    /// The program as it was before the first pass, if it was not cut as it was.
    pub fn read(&self) -> Option<&Program> {
        self.read.as_ref()
    }

    /// The program as it was before the last pass that found no plan.
    pub fn cut(&self) -> Option<&Program> {
        self.cut.as_ref()
    }
}

impl Observer for KeepOriginal {
    fn before_pipeline(&mut self, _pipeline: &Pipeline, program: &Program) {
        self.read = Some(program.clone());
        self.cut = None;
    }

    fn before_pass(&mut self, step: &StepInfo<'_>, program: &Program) {
        if !step.stands_alone() {
            return;
        }
        let is_kept = |kept: &Option<Program>| {
            kept.as_ref().is_some_and(|kept| kept.edit_stamp() == program.edit_stamp())
        };
        if is_kept(&self.cut) {
            return;
        }
        if self.cut.is_none() && is_kept(&self.read) {
            // What no pass has touched is kept once.
            self.cut = self.read.take();
            return;
        }
        let before = self.cut.replace(program.clone());
        // The first time it was what was read.
        self.read = self.read.take().or(before);
    }
}
