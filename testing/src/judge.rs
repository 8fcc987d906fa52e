//! Whether passes keep the meaning of their programs, judged by others.

use std::fmt;

use pirogue::diagnostic::Diagnostic;
use pirogue::pass::Session;

/// Who judges the passes of cases that say `// prove: yes`, such as `pirogue_prove::watch`:
///
/// ```text
/// Harness::new(registry).judge(Judge { begin: watch::begin, faults: watch::faults })
/// ```
///
/// This crate has none of its own: what a program means is no matter of its text.
#[derive(Copy, Clone)]
pub struct Judge {
    /// Called before the passes run, to add observers.
    pub begin: fn(&mut Session),
    /// Called when they are done: all that is wrong.
    pub faults: fn(&Session) -> Vec<Diagnostic>,
}

impl fmt::Debug for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Judge")
    }
}
