//! What a running pass sees of its run; [`Session`](super::Session) says what there is.

use std::any::{Any, TypeId};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use super::session::{Artifact, AsPrograms, CachedAnalysis, short_name};
use super::{PassError, ProgramSet, Session};
use crate::diagnostic::Diagnostic;
use crate::ir::Program;

/// Something computed from a program and kept until the program changes.
pub trait Analysis: Any + Send + Sync + Sized {
    /// Computes it. Must depend on nothing but the program.
    fn compute(program: &Program) -> Self;
}

/// What a running pass sees of its run.
pub struct PassContext<'s> {
    session: &'s mut Session,
    pass: &'s str,
}

/// # Saying something
impl<'s> PassContext<'s> {
    pub(super) fn new(session: &'s mut Session, pass: &'s str) -> Self {
        Self { session, pass }
    }

    /// The name of the running pass.
    pub fn pass(&self) -> &str {
        self.pass
    }

    /// How many threads the pass may work on. What it yields must not depend on it.
    pub fn threads(&self) -> NonZeroUsize {
        self.session.threads
    }

    /// Reports a diagnostic. A pass that reports an error has failed, whatever it returns.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.session.diagnostics.push(diagnostic);
    }

    /// What was reported so far, by earlier passes too.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.session.diagnostics
    }

    /// Removes and returns what was reported so far.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        self.session.take_diagnostics()
    }

    /// Says that the pass had nothing to do: ``no `pd_op.matmul_grad` in the backward role``.
    pub fn matched_nothing(&mut self, what: &str) {
        let message = format!("`{}` changed nothing: {what}", self.pass);
        self.report(Diagnostic::note("N0521", message));
    }

    /// Counts `n` more under a name; see [`Pass::statistics`](super::Pass::statistics).
    pub fn count(&mut self, name: &'static str, n: u64) {
        let Session { statistics, path, .. } = &mut *self.session;
        statistics.add(path, self.pass, name, n);
    }
}

/// # Artifacts
impl PassContext<'_> {
    /// Leaves a value for the passes that follow, in place of one of the same type.
    pub fn put<T: Any + Send>(&mut self, value: T) {
        self.store(value, None);
    }

    /// Leaves a value that holds programs: `jobs(...)` runs on those of the one left last.
    pub fn put_programs<T: ProgramSet>(&mut self, value: T) {
        self.store(value, Some(|any| any.downcast_mut::<T>().expect("stored with its own type")));
    }

    fn store<T: Any + Send>(&mut self, value: T, as_programs: Option<AsPrograms>) {
        self.session.place(Artifact {
            type_id: TypeId::of::<T>(),
            type_name: short_name::<T>(),
            stamp: None,
            serial: 0,
            made_by: self.pass.to_owned(),
            value: Box::new(value),
            as_programs,
        });
    }

    /// Whether there is an artifact `T` that is not stale.
    pub fn has<T: Any + Send>(&self) -> bool {
        self.session.find::<T>(self.pass).is_ok()
    }

    /// The artifact `T`.
    ///
    /// # Errors
    /// If no pass left one, or it is stale.
    pub fn get<T: Any + Send>(&self) -> Result<&T, PassError> {
        let artifact = &self.session.artifacts[self.session.find::<T>(self.pass)?];
        Ok(artifact.value.downcast_ref().expect("artifacts are found by their type"))
    }

    /// The artifact `T`, to be changed. If the pass fails, it is as it was: a copy is kept.
    ///
    /// # Errors
    /// If no pass left one, or it is stale.
    pub fn get_mut<T: Any + Send + Clone>(&mut self) -> Result<&mut T, PassError> {
        let index = self.session.find::<T>(self.pass)?;
        self.session.shelve_copy::<T>(index);
        let artifact = &mut self.session.artifacts[index];
        Ok(artifact.value.downcast_mut().expect("artifacts are found by their type"))
    }

    /// Removes and returns the artifact `T`. If the pass fails, it is back: a copy is kept.
    ///
    /// # Errors
    /// If no pass left one, or it is stale.
    pub fn take<T: Any + Send + Clone>(&mut self) -> Result<T, PassError> {
        let index = self.session.find::<T>(self.pass)?;
        self.session.shelve_copy::<T>(index);
        let artifact = self.session.artifacts.remove(index);
        Ok(*artifact.value.downcast().expect("artifacts are found by their type"))
    }
}

/// # Analyses
impl PassContext<'_> {
    /// The analysis `A` of the program as it is now, computed if none is kept that holds.
    pub fn analysis<A: Analysis>(&mut self, program: &Program) -> Arc<A> {
        let (wanted, stamp) = (TypeId::of::<A>(), program.edit_stamp());
        let analyses = &mut self.session.analyses;
        let kept = analyses.iter().find(|kept| kept.type_id == wanted && kept.stamp == stamp);
        if let Some(kept) = kept {
            let value = Arc::clone(&kept.value);
            return value.downcast().expect("analyses are found by their type");
        }
        let start = Instant::now();
        let value = Arc::new(A::compute(program));
        analyses.retain(|kept| kept.type_id != wanted);
        analyses.push(CachedAnalysis { stamp, type_id: wanted, value: Arc::clone(&value) as _ });
        self.session.observers.analysis_computed(short_name::<A>(), start.elapsed());
        value
    }
}
