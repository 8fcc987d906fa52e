//! Whether the passes of a run keep the laws they declare, on the programs that they meet.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::{Op, Program, Rewriter, compare};
use pirogue::pass::{Branch, Change, Law, Observer, Pass, Session, Step, StepInfo};

use crate::codes;

/// Watches a run; what it found is in [`broken`](Self::broken).
#[derive(Default)]
pub struct LawCheck {
    /// The program before the running pass, if that declares a law.
    before: Option<Program>,
    /// Laws that a pass declares and broke, as errors.
    pub broken: Vec<Diagnostic>,
}

fn pass_of<'a>(step: &StepInfo<'a>) -> Option<&'a dyn Pass> {
    match step.step() {
        Step::Pass(step) => Some(step.pass()),
        Step::Jobs(_) => None,
    }
}

impl Observer for LawCheck {
    fn before_pass(&mut self, step: &StepInfo<'_>, program: &Program) {
        let declares = pass_of(step).is_some_and(|pass| !pass.laws().is_empty());
        self.before = declares.then(|| program.clone());
    }

    fn after_pass(&mut self, step: &StepInfo<'_>, program: &Program, _change: Change) {
        let (Some(pass), Some(before)) = (pass_of(step), self.before.take()) else { return };
        let broken = pass.laws().iter().filter_map(|&law| match law {
            Law::Idempotent => not_idempotent(pass, program),
            Law::KeepsRoles => not_kept(pass, law, [&before, program], Program::role),
            Law::KeepsChunks => not_kept(pass, law, [&before, program], Program::chunk),
        });
        self.broken.extend(broken);
    }

    fn fork(&mut self, _branch: Branch<'_>) -> Option<Box<dyn Observer>> {
        Some(Box::new(Self::default()))
    }

    fn join(&mut self, child: Box<dyn Any>) {
        if let Ok(child) = child.downcast::<Self>() {
            self.broken.extend(child.broken);
        }
    }
}

fn broken(pass: &dyn Pass, law: Law) -> Diagnostic {
    let message = format!("`{}` breaks a law that it declares: {}", pass.name(), law.text());
    Diagnostic::error(codes::BROKEN_LAW, message)
        .help("mend the pass, or take the law from what `Pass::laws` returns")
}

fn not_idempotent(pass: &dyn Pass, once: &Program) -> Option<Diagnostic> {
    let mut twice = once.clone();
    let (mut rewriter, mut session) = (Rewriter::new(&mut twice), Session::new());
    let again = AssertUnwindSafe(|| pass.run(&mut rewriter, &mut session.context(pass.name())));
    match catch_unwind(again) {
        // What an earlier pass left is not there the second time.
        Ok(Err(error)) if error.is_of_artifacts() => None,
        Ok(Err(error)) => {
            let why = format!("the second time it fails: {}", error.reason().message);
            Some(broken(pass, Law::Idempotent).remark(why))
        }
        Err(_) => Some(broken(pass, Law::Idempotent).remark("the second time it panics")),
        Ok(Ok(())) => {
            let difference = compare(once, &twice).err()?.diagnostic();
            let broken = broken(pass, Law::Idempotent).remark(difference.message);
            Some(Diagnostic {
                primary: difference.primary,
                secondary: difference.secondary,
                ..broken
            })
        }
    }
}

fn not_kept(
    pass: &dyn Pass,
    law: Law,
    [before, after]: [&Program; 2],
    column: fn(&Program, Op) -> Option<i32>,
) -> Option<Diagnostic> {
    let mut kept =
        before.top_ops().flat_map(|op| before.nest(op)).filter(|&op| !after.is_erased(op));
    let changed = kept.find(|&op| column(before, op) != column(after, op))?;
    let said = |program| column(program, changed).map_or("none".to_owned(), |n| n.to_string());
    let label = format!("before {}, now {}", said(before), said(after));
    Some(broken(pass, law).at(Place::op(after, changed).label(label)))
}
