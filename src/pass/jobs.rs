//! The programs that a `jobs(...)` runs on: copies, each with a session of its own.
//!
//! What happened on each is told to the session of the run in the order of the programs, whatever
//! the order was in which they were done.

use super::near::{either, nearest};
use super::observe::Branch;
use super::{JobsStep, PassError, PipelineFailure, ProgramSet, Session};
use crate::diagnostic::Diagnostic;
use crate::ir::Program;

/// One of the programs.
pub(super) struct Job {
    name: String,
    /// Its position in the set.
    position: usize,
    stamp_before: u64,
    /// Which observers of the run watch it.
    watched_by: Vec<usize>,
    pub(super) program: Program,
    pub(super) session: Session,
}

/// Copies the programs that a step runs on.
pub(super) fn copy_programs(artifact: usize, step: &JobsStep, session: &mut Session) -> Vec<Job> {
    let set = program_set(artifact, session);
    let names = set.names();
    let chosen = names.iter().enumerate().filter(|(_, name)| step.matches(name));
    let mut jobs: Vec<Job> = chosen
        .map(|(position, name)| {
            let program = set.program(position).clone();
            Job {
                name: name.clone(),
                position,
                stamp_before: program.edit_stamp(),
                watched_by: Vec::new(),
                program,
                session: Session::new(),
            }
        })
        .collect();
    if jobs.is_empty() {
        session.diagnostics.push(nothing_matches(step, &names));
    }
    for (index, job) in jobs.iter_mut().enumerate() {
        let forked = session.observers.fork(Branch { name: &job.name, index });
        job.watched_by = forked.parents;
        job.session.observers = forked.observers;
    }
    jobs
}

fn program_set(artifact: usize, session: &mut Session) -> &mut dyn ProgramSet {
    let artifact = &mut session.artifacts[artifact];
    let as_programs = artifact.as_programs.expect("it was found by this");
    as_programs(&mut *artifact.value)
}

fn nothing_matches(step: &JobsStep, names: &[String]) -> Diagnostic {
    let globs: Vec<&str> = step.globs().iter().map(String::as_str).collect();
    let message = match globs.is_empty() {
        true => "`jobs` has no program to run on".to_owned(),
        false => format!("`jobs` has no program to run on: none is called {}", either(&globs)),
    };
    let mut warning = Diagnostic::warning("W0519", message);
    if let Some(place) = step.place() {
        warning = warning.at(place);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let near: Vec<&str> =
        globs.iter().flat_map(|glob| nearest(glob, names.iter().copied())).collect();
    match (near.is_empty(), names.is_empty()) {
        (false, _) => warning.help(format!("did you mean {}?", either(&near))),
        (true, false) => warning.help(format!("there are {}", names.join(", "))),
        (true, true) => warning,
    }
}

/// Tells a run what happened on its programs. Returns how many edits were made.
pub(super) fn report(jobs: &mut [Job], session: &mut Session) -> u64 {
    let mut edits = 0;
    for job in jobs {
        edits += job.program.edit_stamp() - job.stamp_before;
        let done = std::mem::take(&mut job.session);
        session.observers.join(&job.watched_by, done.observers);
        session.statistics.merge(done.statistics);
        let located =
            done.diagnostics.into_iter().map(|diagnostic| on_program(diagnostic, &job.name));
        session.diagnostics.extend(located);
    }
    edits
}

fn on_program(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.remark(format!("on the program `{name}`"))
}

/// The failure of a step whose programs failed in part; the first one gives its name.
pub(super) fn joint_failure(
    jobs: &[Job],
    outcomes: Vec<Result<(), PipelineFailure>>,
) -> Option<PipelineFailure> {
    let failures = jobs.iter().zip(outcomes).filter_map(|(job, outcome)| {
        let mut failure = outcome.err()?;
        let located =
            failure.diagnostics.into_iter().map(|diagnostic| on_program(diagnostic, &job.name));
        failure.diagnostics = located.collect();
        Some(failure)
    });
    failures.reduce(|mut first, next| {
        first.diagnostics.extend(next.diagnostics);
        first
    })
}

/// Puts those copies that changed in the places of the programs.
pub(super) fn put_back(
    artifact: usize,
    jobs: Vec<Job>,
    session: &mut Session,
) -> Result<(), PassError> {
    let changed = jobs.into_iter().filter(|job| job.program.edit_stamp() != job.stamp_before);
    let changed: Vec<(usize, Program)> = changed.map(|job| (job.position, job.program)).collect();
    if changed.is_empty() {
        return Ok(());
    }
    program_set(artifact, session).replace(changed)
}
