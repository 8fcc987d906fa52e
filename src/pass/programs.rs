//! Programs that belong together: what `jobs[...](...)` in a pipeline runs on.

use std::any::Any;

use super::PassError;
use crate::ir::Program;

/// An artifact that holds programs by name, such as the plan of a stage.
///
/// Programs go in and out whole, so that a set can hold invariants over them: `jobs(...)` works on
/// copies and hands back those that changed.
pub trait ProgramSet: Any + Send {
    /// The names of the programs, in order; no two are equal.
    fn names(&self) -> Vec<String>;

    /// The program at a position of [`names`](Self::names).
    fn program(&self, index: usize) -> &Program;

    /// Puts programs in the places of others, by position, and derives anew what follows from them.
    ///
    /// # Errors
    /// If the set does not hold with these programs; then it is as it was.
    fn replace(&mut self, programs: Vec<(usize, Program)>) -> Result<(), PassError>;

    /// What the set holds beside its programs, as lines for a person: of a plan its job list, and
    /// what each job keeps. Empty if there is nothing else.
    fn account(&self) -> String {
        String::new()
    }
}
