//! Proves passes while they run.

use std::any::Any;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::Program;
use pirogue::pass::{Branch, Change, Observer, Step, StepInfo};

use crate::{Verdict, equivalent};

/// An observer of a run of passes: after each pass that changed its program, the program is compared
/// with what it was before.
///
/// What it found is asked of it when the run is over. A scheduler pass leaves a plan beside its
/// program: [`prove`](crate::prove) judges that one.
///
/// # Example
/// ```
/// use pirogue::ir::{Context, Rewriter, names};
/// use pirogue::pass::{PassManager, Pipeline, Session, pass_fn};
/// use pirogue::text;
/// use pirogue_prove::watch::ProveEach;
///
/// let source = br#"{
///     (%0) = "pd_op.data" () {name:"x"} : () -> tensor<2xf32>
///     (%1) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
///     (%2) = "pd_op.tanh" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
///     () = "builtin.shadow_output" (%2) {output_name:"out"} : (tensor<2xf32>) ->
/// }"#;
/// let mut program = text::read_program(&Context::new(), "", source).expect("it is right").program;
/// let skip_relu = pass_fn("skip_relu", |rewriter: &mut Rewriter<'_>, _| {
///     let program = rewriter.program();
///     let made: Vec<_> = program.top_ops().filter_map(|op| program.results(op).next()).collect();
///     rewriter.replace_all_uses(made[1], made[0]);
///     Ok(())
/// });
/// let mut session = Session::new();
/// session.observe(ProveEach::default());
/// let pipeline = Pipeline::new().then_boxed(Box::new(skip_relu));
/// PassManager::new(pipeline).run(&mut program, &mut session).expect("the pass does not fail");
///
/// let seen = session.observer::<ProveEach>().expect("it watched");
/// assert_eq!(seen.faults().next().expect("the pass is wrong").code, "E0711");
/// ```
#[derive(Default)]
pub struct ProveEach {
    /// The program before the running pass.
    before: Option<Program>,
    /// Which of several programs is watched.
    branch: Option<String>,
    proofs: Vec<PassProof>,
}

/// What is thought of what a pass did.
#[derive(Clone, Debug)]
pub struct PassProof {
    /// Which pass of the pipeline, and on which program.
    pub pass: String,
    /// Whether the program means what it meant before.
    pub verdict: Verdict,
}

impl ProveEach {
    /// What is thought of each pass that changed its program, in the order in which they ran.
    pub fn proofs(&self) -> &[PassProof] {
        &self.proofs
    }

    /// All that is wrong, and which pass did it.
    pub fn faults(&self) -> impl Iterator<Item = Diagnostic> {
        self.proofs.iter().flat_map(|proof| {
            let by = format!("`{}` has done it", proof.pass);
            proof.verdict.faults.iter().map(move |fault| fault.clone().remark(&by))
        })
    }
}

impl Observer for ProveEach {
    fn before_pass(&mut self, step: &StepInfo<'_>, program: &Program) {
        // What `jobs(...)` does, its branches see.
        let is_pass = matches!(step.step(), Step::Pass(_));
        self.before = is_pass.then(|| program.clone());
    }

    fn after_pass(&mut self, step: &StepInfo<'_>, program: &Program, change: Change) {
        let Some(before) = self.before.take().filter(|_| change.edits > 0) else { return };
        let pass = match &self.branch {
            Some(branch) => format!("{} on {branch}", step.name()),
            None => step.name().to_owned(),
        };
        self.proofs.push(PassProof { pass, verdict: equivalent(&before, program) });
    }

    fn fork(&mut self, branch: Branch<'_>) -> Option<Box<dyn Observer>> {
        Some(Box::new(Self { branch: Some(branch.name.to_owned()), ..Self::default() }))
    }

    fn join(&mut self, child: Box<dyn Any>) {
        if let Ok(child) = child.downcast::<Self>() {
            self.proofs.extend(child.proofs);
        }
    }
}
