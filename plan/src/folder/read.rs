//! Reading a plan from its folder.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Context, Name, Program};
use pirogue::text;
use pirogue_schedule::{Job, JobType, MicroBatch};
use serde_json::value::RawValue;

use super::manifest::{Head, JobEntry, Manifest, ProgramEntry};
use super::read_error::ReadError;
use super::source::{Fault, Source};
use super::{FORMAT, MANIFEST, STAGE_FOLDER, VERSION};
use crate::error::Part;
use crate::skip_gc::SkipGc;
use crate::{Plan, PlanError, PlanParts, SkipGcRule};

/// How many errors are reported before reading stops.
const MOST_ERRORS: usize = 20;

/// A plan that was read, and what is to be said about it.
#[derive(Clone, Debug)]
pub struct ReadFolder {
    /// The plan.
    pub plan: Plan,
    /// Warnings of the reader of the programs.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a plan from the folder it was written to.
///
/// The names that jobs keep are those that `plan.json` says, in the order of their bytes. The file
/// does not say by which rule they were found: if programs of the plan are replaced, it is
/// [Paddle's](SkipGcRule::Paddle), which never lacks a name that is needed.
///
/// # Errors
/// All faults that were found, up to 20, in the order of `plan.json`; the programs are read if that
/// has none.
pub fn read_folder(context: &Arc<Context>, dir: &Path) -> Result<ReadFolder, Vec<Diagnostic>> {
    let path = dir.join(MANIFEST);
    let text = manifest_of(dir, &path).map_err(|error| vec![error.into()])?;
    let source = Source { file: &path, text: &text };
    let manifest = read_manifest(&source).map_err(|fault| vec![*fault])?;
    let mut reader = Reader { context, dir, source, faults: Vec::new(), warnings: Vec::new() };
    match reader.plan(&manifest) {
        Some(plan) if reader.faults.is_empty() => {
            Ok(ReadFolder { plan, warnings: reader.warnings })
        }
        _ => Err(reader.faults),
    }
}

fn manifest_of(dir: &Path, path: &Path) -> Result<String, ReadError> {
    if fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        let stage = dir.join(format!("{STAGE_FOLDER}0"));
        let stage = stage.join(MANIFEST).is_file().then_some(stage);
        return Err(ReadError::NoManifest { dir: dir.to_owned(), stage });
    }
    let bytes = read_file(path)?;
    String::from_utf8(bytes).map_err(|_| ReadError::Json { message: "it is not UTF-8".into() })
}

/// Reads what is a file: a pipe would never end.
fn read_file(path: &Path) -> Result<Vec<u8>, ReadError> {
    let is_file = |metadata: fs::Metadata| match metadata.is_file() {
        true => Ok(()),
        false => Err(io::Error::other("it is not a file")),
    };
    let bytes = fs::metadata(path).and_then(is_file).and_then(|()| fs::read(path));
    bytes.map_err(|source| ReadError::Unreadable { path: path.to_owned(), source })
}

/// Reads `plan.json`; format and version first, as another version may have other keys.
fn read_manifest<'t>(source: &Source<'t>) -> Result<Manifest<'t>, Fault> {
    let head: Head<'t> = source.parse()?;
    let format: String = source.parse_value(head.format)?;
    if format != FORMAT {
        return Err(source.fault(head.format, ReadError::Format { found: format }));
    }
    let version = head.version.get();
    if version != VERSION.to_string() {
        return Err(source.fault(head.version, ReadError::Version { found: version.to_owned() }));
    }
    source.parse()
}

struct Reader<'t> {
    context: &'t Arc<Context>,
    dir: &'t Path,
    source: Source<'t>,
    faults: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    /// The plan, unless there are faults.
    fn plan(&mut self, manifest: &Manifest<'t>) -> Option<Plan> {
        let options =
            self.each(&[manifest.options], |reader, value| reader.source.parse_value(value));
        let programs = self.each(&manifest.programs, Self::program_entry);
        let sets = self.each(&manifest.skip_gc_sets, Self::skip_gc_set);
        let count = manifest.skip_gc_sets.len();
        let jobs = self.each(&manifest.jobs, |reader, value| reader.job(value, count));
        if !self.faults.is_empty() {
            return None;
        }
        let programs = self.programs(programs);
        if !self.faults.is_empty() {
            return None;
        }
        let (jobs, set_of_job) = jobs.into_iter().unzip();
        let parts = PlanParts { options: options.into_iter().next()?, programs, jobs };
        let faults = parts.faults().take(MOST_ERRORS);
        self.faults = faults.map(|fault| self.placed(manifest, fault)).collect();
        Some(Plan::assemble(parts, SkipGc { sets, set_of_job }, SkipGcRule::Paddle))
    }

    /// What `read` makes of each value, as long as there are not too many faults.
    fn each<T>(
        &mut self,
        values: &[&'t RawValue],
        read: impl Fn(&Self, &'t RawValue) -> Result<T, Fault>,
    ) -> Vec<T> {
        let mut found = Vec::with_capacity(values.len());
        for value in values {
            if self.faults.len() == MOST_ERRORS {
                break;
            }
            match read(self, value) {
                Ok(item) => found.push(item),
                Err(fault) => self.faults.push(*fault),
            }
        }
        found
    }

    fn program_entry(&self, value: &'t RawValue) -> Result<(JobType, PathBuf), Fault> {
        let entry: ProgramEntry<'t> = self.source.parse_value(value)?;
        let job_type = self.job_type(value, &entry.job_type)?;
        if !is_file_name(&entry.file) {
            let file = entry.file.into_owned();
            return Err(self.source.fault(value, ReadError::FileName { file }));
        }
        let path = self.dir.join(&*entry.file);
        if !path.is_file() {
            return Err(self.source.fault(value, ReadError::NoFile { path }));
        }
        Ok((job_type, path))
    }

    fn skip_gc_set(&self, value: &'t RawValue) -> Result<Box<[Name]>, Fault> {
        let mut names: Vec<Cow<'t, str>> = self.source.parse_value(value)?;
        names.sort_unstable();
        names.dedup();
        Ok(names.iter().map(|name| self.context.name(name)).collect())
    }

    fn job(&self, value: &'t RawValue, sets: usize) -> Result<(Job, u32), Fault> {
        let entry: JobEntry<'t> = self.source.parse_value(value)?;
        let job_type = self.job_type(value, &entry.job_type)?;
        let set = entry.skip_gc;
        if set as usize >= sets {
            return Err(self.source.fault(value, ReadError::NoSuchSet { set, sets }));
        }
        Ok((Job::new(job_type, MicroBatch(entry.micro_batch)), set))
    }

    fn job_type(&self, value: &RawValue, text: &str) -> Result<JobType, Fault> {
        text.parse().map_err(|error| self.source.fault(value, ReadError::JobText(error)))
    }

    fn programs(&mut self, entries: Vec<(JobType, PathBuf)>) -> Vec<(JobType, Program)> {
        let mut programs = Vec::with_capacity(entries.len());
        for (job_type, path) in entries {
            if self.faults.len() >= MOST_ERRORS {
                break;
            }
            match self.program(&path) {
                Ok(text::Read { program, warnings }) => {
                    programs.push((job_type, program));
                    self.warnings.extend(warnings);
                }
                Err(faults) => self.faults.extend(faults),
            }
        }
        self.faults.truncate(MOST_ERRORS);
        programs
    }

    fn program(&self, path: &Path) -> Result<text::Read, Vec<Diagnostic>> {
        let bytes = read_file(path).map_err(|error| vec![error.into()])?;
        text::read_program(self.context, &path.display().to_string(), &bytes)
    }

    fn placed(&self, manifest: &Manifest<'t>, fault: PlanError) -> Diagnostic {
        let value = match fault.part() {
            Part::Options => manifest.options,
            Part::Programs => return fault.into(),
            Part::Program(index) => manifest.programs[index],
            Part::Job(index) => manifest.jobs[index],
        };
        *self.source.fault(value, fault)
    }
}

/// Whether a text names a file in the folder itself and not one elsewhere.
fn is_file_name(text: &str) -> bool {
    let mut components = Path::new(text).components();
    let is_normal = matches!(components.next(), Some(Component::Normal(name)) if name == text);
    is_normal && components.next().is_none() && !text.contains(['/', '\\', '\0'])
}
