//! Running a pipeline on a program.
//!
//! - **A pass that fails or panics leaves the program as it was before it.** Edits go through a
//!   rewriter that logs what they overwrite, so that guarding a pass costs by the edit, not by the
//!   op, and a pass that changes nothing costs nothing.
//! - A pass fails if it returns an error, reports one, panics, or leaves a program that does not
//!   verify. The failure has a [`Reproducer`].
//! - What `jobs(...)` runs, it runs on copies, on several threads; either all programs are replaced
//!   or none. **Nothing depends on the number of threads.**
//! - The manager prints nothing and keeps no state: all that a run leaves is in its [`Session`].

use std::any::Any;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use super::check::{
    Verify, is_mostly_touched, verify_all, verify_changed, verify_input, verify_touched,
};
use super::jobs::{self, Job};
use super::observe::{Change, StepInfo};
use super::{
    JobsStep, PassError, PassStep, Pipeline, PipelineFailure, Preserved, Reproducer, Session, Step,
    StepPath,
};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ir::{Program, Rewriter, Undo};
use crate::parallel::{self, default_threads, share};

/// Runs a pipeline on programs.
///
/// **A pass that fails or panics leaves the program as it was before it.** Guarding it costs by the
/// edit, not by the op. Programs of a plan and several inputs are worked on at the same time, with
/// results that do not depend on the number of threads. The manager prints nothing: all that a run
/// leaves is in its [`Session`].
pub struct PassManager {
    pipeline: Pipeline,
    verify: Verify,
    threads: NonZeroUsize,
}

/// A program to run on, with what its run leaves.
pub struct Input<'p> {
    /// The program.
    pub program: &'p mut Program,
    /// What the run leaves.
    pub session: &'p mut Session,
}

impl PassManager {
    /// A manager that verifies after each pass what it touched, and uses all processors.
    pub fn new(pipeline: Pipeline) -> Self {
        Self { pipeline, verify: Verify::default(), threads: default_threads() }
    }

    /// Says how much is verified.
    pub fn verify(self, verify: Verify) -> Self {
        Self { verify, ..self }
    }

    /// Says on how many threads programs may be worked on at a time; 0 counts as 1.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN), ..self }
    }

    /// The pipeline.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// Runs the pipeline on a program.
    ///
    /// # Errors
    /// Why it did not run to its end. The program is as before the pass that failed.
    pub fn run(&self, program: &mut Program, session: &mut Session) -> Result<(), PipelineFailure> {
        self.run_with(self.threads, program, session)
    }

    /// Runs the pipeline on several programs, at the same time as far as there are threads. The
    /// outcomes are in the order of the programs; one that fails does not stop the others.
    pub fn run_each(&self, inputs: Vec<Input<'_>>) -> Vec<Result<(), PipelineFailure>> {
        let threads = share(self.threads, inputs.len());
        parallel::map(self.threads, inputs, |input| {
            self.run_with(threads, input.program, input.session)
        })
    }

    fn run_with(
        &self,
        threads: NonZeroUsize,
        program: &mut Program,
        session: &mut Session,
    ) -> Result<(), PipelineFailure> {
        let mut broken = self.pipeline.broken_rules();
        if broken.iter().any(|broken| broken.severity == Severity::Error) {
            return Err(PipelineFailure::before_all(broken));
        }
        session.diagnostics.append(&mut broken);
        let runner = Runner { verify: self.verify, threads, pipeline: &self.pipeline };
        runner.run(&StepPath::default(), program, session)
    }
}

/// Runs one list of steps: a whole pipeline, or what is in a `jobs(...)`.
#[derive(Copy, Clone)]
pub(super) struct Runner<'m> {
    verify: Verify,
    threads: NonZeroUsize,
    pipeline: &'m Pipeline,
}

/// What is known while the steps run.
struct State<'r> {
    path: &'r StepPath,
    /// The edit stamp of the program when all of it was verified last.
    verified: Option<u64>,
    /// What takes back each step since one left an artifact, with the position of the step.
    kept: Vec<(usize, Box<Undo>)>,
}

/// Why a step failed.
enum StepFailure {
    /// The step itself.
    Own(PassError),
    /// Steps on programs of a plan, which have a reproducer.
    OnPrograms(PipelineFailure),
}

impl From<PassError> for StepFailure {
    fn from(error: PassError) -> Self {
        Self::Own(error)
    }
}

/// # Steps
impl Runner<'_> {
    pub(super) fn run(
        &self,
        path: &StepPath,
        program: &mut Program,
        session: &mut Session,
    ) -> Result<(), PipelineFailure> {
        session.threads = self.threads;
        session.observers.before_pipeline(self.pipeline, program);
        let mut state = State { path, verified: None, kept: Vec::new() };
        let outcome = self.verified_input(&mut state, program, session).and_then(|()| {
            (0..self.pipeline.steps().len())
                .try_for_each(|index| self.step(index, &mut state, program, session))
        });
        session.observers.after_pipeline(self.pipeline, program);
        let mut faults = session.observers.take_faults();
        session.diagnostics.append(&mut faults);
        outcome
    }

    fn verified_input(
        &self,
        state: &mut State<'_>,
        program: &Program,
        session: &mut Session,
    ) -> Result<(), PipelineFailure> {
        if self.verify == Verify::Off {
            return Ok(());
        }
        let start = Instant::now();
        let verified = verify_input(program, session);
        session.observers.verified(start.elapsed());
        state.verified = Some(program.edit_stamp());
        verified.map_err(|error| PipelineFailure::before_all(error.into_diagnostics()))
    }

    fn step(
        &self,
        index: usize,
        state: &mut State<'_>,
        program: &mut Program,
        session: &mut Session,
    ) -> Result<(), PipelineFailure> {
        let path = state.path.child(index);
        let has_artifacts = !session.artifacts.is_empty();
        let mut info = StepInfo { pipeline: self.pipeline, index, path: &path, has_artifacts };
        session.path = path.clone();
        session.begin_pass(program.edit_stamp());
        session.observers.before_pass(&info, program);
        let outcome = match info.step() {
            Step::Pass(step) => {
                self.pass(step, info, state, program, session).map_err(StepFailure::Own)
            }
            Step::Jobs(step) => self.jobs(step, info, state, program, session),
        };
        match outcome {
            Ok(change) => {
                info.has_artifacts = !session.artifacts.is_empty();
                session.observers.after_pass(&info, program, change);
                Ok(())
            }
            Err(failure) => {
                session.abandon_pass();
                let failure = self.failure(failure, info, state, program);
                session.observers.pass_failed(&info, program, failure.reason());
                Err(failure)
            }
        }
    }

    fn failure(
        &self,
        failure: StepFailure,
        info: StepInfo<'_>,
        state: &State<'_>,
        program: &Program,
    ) -> PipelineFailure {
        let error = match failure {
            StepFailure::Own(error) => error,
            StepFailure::OnPrograms(failure) => return failure,
        };
        let mut before = program.clone();
        state.kept.iter().rev().for_each(|(_, undo)| undo.roll_back(&mut before));
        let first = state.kept.first().map_or(info.index, |&(first, _)| first);
        let (pass, pipeline) = (info.name().to_owned(), self.pipeline.text_from(first));
        PipelineFailure {
            failed: Some(pass.clone()),
            diagnostics: error.into_diagnostics(),
            reproducer: Some(Box::new(Reproducer { pass, program: before, pipeline })),
        }
    }

    fn pass(
        &self,
        step: &PassStep,
        info: StepInfo<'_>,
        state: &mut State<'_>,
        program: &mut Program,
        session: &mut Session,
    ) -> Result<Change, PassError> {
        let pass = step.pass();
        session.statistics.declare(info.path, pass);
        let mut rewriter = Rewriter::with_undo(program);
        let outcome = guarded(step, &mut rewriter, session)
            .and_then(|()| self.verified(info, state, &rewriter, session));
        let change = Change { edits: rewriter.edits() };
        let undo = rewriter.into_undo().expect("it was made to be undone");
        if let Err(error) = outcome {
            undo.roll_back(program);
            return Err(error);
        }
        session.end_pass(program.edit_stamp(), &pass.preserves());
        if session.artifacts.is_empty() {
            state.kept.clear();
        } else {
            state.kept.push((info.index, undo));
        }
        Ok(change)
    }

    /// Verifies what a pass leaves, as far as that is asked for.
    fn verified(
        &self,
        info: StepInfo<'_>,
        state: &mut State<'_>,
        rewriter: &Rewriter<'_>,
        session: &mut Session,
    ) -> Result<(), PassError> {
        let whole_is_due = self.whole_is_due(info, state, rewriter.program());
        let looks_at_each = matches!(self.verify, Verify::Touched | Verify::Full);
        if !whole_is_due && (!looks_at_each || rewriter.edits() == 0) {
            return Ok(());
        }
        let start = Instant::now();
        let outcome = if whole_is_due || is_mostly_touched(rewriter) {
            state.verified = Some(rewriter.program().edit_stamp());
            verify_changed(rewriter, info.name(), session)
        } else {
            verify_touched(rewriter, info.name(), session)
        };
        session.observers.verified(start.elapsed());
        outcome
    }

    /// Whether all of the program is to be verified behind a step, and was not since it changed.
    fn whole_is_due(&self, info: StepInfo<'_>, state: &State<'_>, program: &Program) -> bool {
        let is_asked_for = match self.verify {
            Verify::Off => false,
            Verify::Ends | Verify::Touched => info.index + 1 == self.pipeline.steps().len(),
            Verify::Full => true,
        };
        is_asked_for && state.verified != Some(program.edit_stamp())
    }
}

/// Runs a pass; a panic or a reported error is an error.
fn guarded(
    step: &PassStep,
    rewriter: &mut Rewriter<'_>,
    session: &mut Session,
) -> Result<(), PassError> {
    let pass = step.pass();
    let run = AssertUnwindSafe(|| pass.run(rewriter, &mut session.context(pass.name())));
    let outcome = catch_unwind(run).unwrap_or_else(|payload| Err(panicked(pass.name(), &*payload)));
    let reported = session.take_errors();
    match outcome {
        Ok(()) if reported.is_empty() => Ok(()),
        Ok(()) => Err(reported.into()),
        Err(error) => Err(reported.into_iter().fold(error, PassError::and)),
    }
}

fn panicked(pass: &str, payload: &(dyn Any + Send)) -> PassError {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let message = format!("`{pass}` panicked: {}", text.unwrap_or("without a message"));
    Diagnostic::error("E0516", message)
        .help("this is a fault of the pass; the program is as it was before it")
        .into()
}

/// # Programs of a plan
impl Runner<'_> {
    fn jobs(
        &self,
        step: &JobsStep,
        info: StepInfo<'_>,
        state: &mut State<'_>,
        program: &Program,
        session: &mut Session,
    ) -> Result<Change, StepFailure> {
        let artifact = session.find_programs("jobs")?;
        let mut programs = jobs::copy_programs(artifact, step, session);
        let threads = share(self.threads, programs.len());
        let runner = Runner { threads, pipeline: step.pipeline(), ..*self };
        let outcomes =
            parallel::map(self.threads, programs.iter_mut().collect(), |job: &mut Job| {
                runner.run(info.path, &mut job.program, &mut job.session)
            });
        let edits = jobs::report(&mut programs, session);
        if let Some(failure) = jobs::joint_failure(&programs, outcomes) {
            return Err(StepFailure::OnPrograms(failure));
        }
        jobs::put_back(artifact, programs, session)?;
        self.verified_behind_jobs(info, state, program, session)?;
        session.end_pass(program.edit_stamp(), &Preserved::all());
        Ok(Change { edits })
    }

    /// Where `jobs(...)` is the last step: verifies what the passes before it left.
    fn verified_behind_jobs(
        &self,
        info: StepInfo<'_>,
        state: &mut State<'_>,
        program: &Program,
        session: &mut Session,
    ) -> Result<(), PassError> {
        if !self.whole_is_due(info, state, program) {
            return Ok(());
        }
        let start = Instant::now();
        state.verified = Some(program.edit_stamp());
        let outcome = verify_all(program, info.name(), session);
        session.observers.verified(start.elapsed());
        outcome
    }
}
