//! Why a pipeline failed, and a file that repeats it.

use std::fmt;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::header::header_line;
use crate::diagnostic::{Diagnostic, Severity};
use crate::ir::Program;
use crate::text;

/// Why a pipeline failed. Holds at least one error.
#[derive(Clone)]
pub struct PipelineFailure {
    pub(super) failed: Option<String>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) reproducer: Option<Box<Reproducer>>,
}

impl PipelineFailure {
    /// A failure before anything ran.
    pub(super) fn before_all(diagnostics: Vec<Diagnostic>) -> Self {
        Self { failed: None, diagnostics, reproducer: None }
    }

    /// The name of the pass that failed; none if nothing ran.
    pub fn failed_pass(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Why: errors, and what belongs to them. Where several programs failed, in their order.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The first error.
    pub fn reason(&self) -> &Diagnostic {
        let error =
            self.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        error.expect("a failure holds an error")
    }

    /// The program and the pipeline that fail in the same way; none if nothing ran.
    pub fn reproducer(&self) -> Option<&Reproducer> {
        self.reproducer.as_deref()
    }
}

impl fmt::Display for PipelineFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.diagnostics.iter().map(Diagnostic::to_string).collect();
        f.write_str(&texts.join("\n\n"))
    }
}

impl fmt::Debug for PipelineFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for PipelineFailure {}

/// A program and the pipeline that fails on it: as a file, one whose header repeats the failure.
#[derive(Clone)]
pub struct Reproducer {
    pub(super) pass: String,
    pub(super) program: Program,
    pub(super) pipeline: String,
}

impl Reproducer {
    /// The program as it was before the first pass of [`pipeline`](Self::pipeline).
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The pass that failed and what stands behind it. Where the pass worked on what an earlier one
    /// left, such as a plan, it begins with that one.
    pub fn pipeline(&self) -> &str {
        &self.pipeline
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut bytes = Vec::new();
        self.write(&mut bytes).expect("a vector takes all that is written to it");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Writes the file.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn write(&self, sink: &mut impl Write) -> io::Result<()> {
        writeln!(sink, "// `{}` fails on this program", self.pass)?;
        sink.write_all(header_line("reproduce: ", &self.pipeline).as_bytes())?;
        text::write_program(&self.program, sink)
    }

    /// Writes `reproduce-<pass>.pir` into a folder, making the folder if there is none. The file is
    /// there whole or not at all.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write_into(&self, folder: &Path) -> io::Result<PathBuf> {
        let path = folder.join(format!("reproduce-{}.pir", file_name(&self.pass)));
        write_file(&path, |sink| self.write(sink))?;
        Ok(path)
    }
}

/// `name` with characters that file systems and shells take as they are.
pub(super) fn file_name(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

/// Writes a file and its folders: beside the place first, then renamed into it.
pub(super) fn write_file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<fs::File>) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension("pir.part");
    let mut sink = BufWriter::new(fs::File::create(&beside)?);
    let written = write(&mut sink).and_then(|()| sink.flush());
    drop(sink);
    written.and_then(|()| fs::rename(&beside, path)).inspect_err(|_| {
        // What is half written is of no use; that it cannot be removed either adds nothing.
        let _ = fs::remove_file(&beside);
    })
}
