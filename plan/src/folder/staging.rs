//! A folder that is filled beside its place and moved there when it is complete.
//!
//! If there is no folder at the place yet, a hidden one beside it is filled and renamed. If there is
//! one, it stays (it may be where a shell stands, or where a disk is mounted) and the hidden folder
//! is inside: what the folder held is moved to `old` in it, what is new from `new` out of it, and if
//! any move fails, all are taken back. `plan.json` goes first and comes last, so that even a
//! machine that stops in between leaves no folder that looks like a plan.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::Action;
use super::replace::{entries, replaceable_entries};
use super::{FolderError, MANIFEST};

/// A folder to be filled. It vanishes if it is dropped without [`commit`](Self::commit).
pub(super) struct Staging {
    hidden: HiddenFolder,
    /// Where files are written.
    work: PathBuf,
    target: Target,
}

enum Target {
    /// There is nothing yet.
    New(PathBuf),
    /// There is a folder that holds these.
    Existing(PathBuf, Vec<OsString>),
}

impl Staging {
    /// Makes ready to fill `dir`.
    pub(super) fn open(dir: &Path) -> Result<Self, FolderError> {
        match fs::metadata(dir) {
            Ok(metadata) if metadata.is_dir() => Self::inside(dir),
            Ok(_) => Err(FolderError::NotAFolder { dir: dir.to_owned() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::beside(dir),
            Err(error) => Err(Action::Read.failed(dir)(error)),
        }
    }

    fn inside(dir: &Path) -> Result<Self, FolderError> {
        let held = replaceable_entries(dir)?;
        let hidden = HiddenFolder::create_in(dir)?;
        let work = hidden.path.join("new");
        fs::create_dir(&work).map_err(Action::Create.failed(&work))?;
        Ok(Self { hidden, work, target: Target::Existing(dir.to_owned(), held) })
    }

    fn beside(dir: &Path) -> Result<Self, FolderError> {
        let parent = match dir.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        if !parent.is_dir() {
            let (dir, parent) = (dir.to_owned(), parent.to_owned());
            return Err(FolderError::NoParent { dir, parent });
        }
        let hidden = HiddenFolder::create_in(parent)?;
        Ok(Self { work: hidden.path.clone(), hidden, target: Target::New(dir.to_owned()) })
    }

    /// The folder to fill.
    pub(super) fn path(&self) -> &Path {
        &self.work
    }

    /// Moves what was written to its place.
    pub(super) fn commit(self) -> Result<(), FolderError> {
        match &self.target {
            Target::New(dir) => fs::rename(&self.work, dir).map_err(Action::Move.failed(dir)),
            Target::Existing(dir, held) => match self.swap(dir, held) {
                Err(error @ FolderError::Stranded { .. }) => {
                    self.hidden.keep();
                    Err(error)
                }
                done => done,
            },
        }
    }

    /// Changes what the folder held for what was written.
    fn swap(&self, dir: &Path, held: &[OsString]) -> Result<(), FolderError> {
        let old = self.hidden.path.join("old");
        fs::create_dir(&old).map_err(Action::Create.failed(&old))?;
        let mut written = entries(&self.work)?;
        written.sort_by_key(|name| name == MANIFEST);
        let mut held = held.to_vec();
        held.sort_by_key(|name| name != MANIFEST);
        let away = held.iter().map(|name| (dir.join(name), old.join(name)));
        let here = written.iter().map(|name| (self.work.join(name), dir.join(name)));
        let moves: Vec<(PathBuf, PathBuf)> = away.chain(here).collect();
        for (done, (from, to)) in moves.iter().enumerate() {
            if let Err(error) = fs::rename(from, to) {
                self.take_back(dir, &moves[..done])?;
                return Err(Action::Move.failed(to)(error));
            }
        }
        Ok(())
    }

    fn take_back(&self, dir: &Path, moves: &[(PathBuf, PathBuf)]) -> Result<(), FolderError> {
        for (from, to) in moves.iter().rev() {
            fs::rename(to, from).map_err(|source| FolderError::Stranded {
                dir: dir.to_owned(),
                kept: self.hidden.path.clone(),
                source,
            })?;
        }
        Ok(())
    }
}

/// A folder of a name that nobody else has, which is removed with all it holds in the end.
struct HiddenFolder {
    path: PathBuf,
}

impl HiddenFolder {
    fn create_in(parent: &Path) -> Result<Self, FolderError> {
        let process = std::process::id();
        let mut number = 0;
        loop {
            let path = parent.join(format!(".pirogue-{process}-{number}"));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(Action::Create.failed(&path)(error)),
            }
        }
    }

    /// Lets the folder be.
    fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for HiddenFolder {
    fn drop(&mut self) {
        // Nothing can be said from here, and what was asked for is done or has failed already. After
        // a rename to the place there is nothing to remove.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    /// A folder with an old plan, and what it holds.
    fn old_plan() -> (TempDir, Vec<OsString>) {
        let root = TempDir::new().unwrap();
        for (name, text) in [(MANIFEST, "{\"format\":\"pirogue-plan\"}"), ("forward0.pir", "old")] {
            fs::write(root.path().join(name), text).unwrap();
        }
        let names = entries(root.path()).unwrap();
        (root, names)
    }

    fn fill(staging: &Staging) {
        for name in [MANIFEST, "forward1.pir"] {
            fs::write(staging.path().join(name), "new").unwrap();
        }
    }

    #[test]
    fn nothing_is_left_of_a_folder_that_is_not_committed() {
        let root = TempDir::new().unwrap();
        let staging = Staging::open(&root.path().join("out")).unwrap();
        fill(&staging);
        drop(staging);
        assert!(entries(root.path()).unwrap().is_empty());
    }

    #[test]
    fn what_was_there_stays_if_nothing_is_committed() {
        let (root, names) = old_plan();
        let staging = Staging::open(root.path()).unwrap();
        fill(&staging);
        drop(staging);
        assert_eq!(entries(root.path()).unwrap(), names);
    }

    // A folder appears, after the first look, where a file is to go.
    #[test]
    fn all_moves_are_taken_back_if_one_fails() {
        let (root, mut names) = old_plan();
        let staging = Staging::open(root.path()).unwrap();
        fill(&staging);
        fs::create_dir(root.path().join("forward1.pir")).unwrap();
        let error = staging.commit().unwrap_err();
        assert_eq!(error.code(), "E0615");
        assert!(error.to_string().starts_with("cannot move to `"), "{error}");
        names.insert(1, "forward1.pir".into());
        assert_eq!(entries(root.path()).unwrap(), names);
        assert_eq!(fs::read_to_string(root.path().join("forward0.pir")).unwrap(), "old");
    }

    #[test]
    fn a_folder_that_another_made_in_the_meantime_is_not_overwritten() {
        let root = TempDir::new().unwrap();
        let dir = root.path().join("out");
        let staging = Staging::open(&dir).unwrap();
        fill(&staging);
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("mine"), "").unwrap();
        assert_eq!(staging.commit().unwrap_err().code(), "E0615");
        assert_eq!(entries(&dir).unwrap(), ["mine"]);
        assert_eq!(entries(root.path()).unwrap(), ["out"]);
    }

    #[test]
    fn a_hidden_folder_that_someone_left_is_not_used() {
        let root = TempDir::new().unwrap();
        let first = HiddenFolder::create_in(root.path()).unwrap();
        let second = HiddenFolder::create_in(root.path()).unwrap();
        assert_ne!(first.path, second.path);
    }
}
