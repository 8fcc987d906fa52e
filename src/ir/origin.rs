//! Where ops come from: the file and line each was read at.

/// The source of a program's ops. Shared by the programs that are split or cloned from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins {
    /// Name of the file, as the reader was told it; empty if the program was made in code.
    pub file: String,
    /// The 1-based line of each op that was read, by origin.
    pub lines: Vec<u32>,
}

impl Origins {
    /// The 1-based line of an origin.
    pub fn line(&self, origin: u32) -> Option<u32> {
        self.lines.get(origin as usize).copied()
    }
}
