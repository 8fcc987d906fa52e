//! Why a plan is not written to a folder.

use std::io;
use std::path::{Path, PathBuf};

use pirogue::diagnostic::Diagnostic;
use pirogue_schedule::Stage;
use thiserror::Error;

/// Why a plan is not written to a folder. Whatever was at the place is as it was.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The place is taken by something that is not a folder.
    #[error("cannot write a plan to `{}`: it is not a folder", .dir.display())]
    NotAFolder {
        /// The place.
        dir: PathBuf,
    },
    /// The folder holds things, and no plan.
    #[error("cannot write a plan to `{}`: it is not empty and holds no plan to replace", .dir.display())]
    NotAPlan {
        /// The folder.
        dir: PathBuf,
    },
    /// The folder holds a plan and something else, which would be lost.
    #[error("cannot replace the plan in `{}`: `{}` is no part of it", .dir.display(), .entry.display())]
    Foreign {
        /// The folder.
        dir: PathBuf,
        /// What is no part of the plan.
        entry: PathBuf,
    },
    /// The folder that is to hold the new one does not exist.
    #[error("cannot write a plan to `{}`: there is no folder `{}`", .dir.display(), .parent.display())]
    NoParent {
        /// The place.
        dir: PathBuf,
        /// The folder that does not exist.
        parent: PathBuf,
    },
    /// The system refused.
    #[error("cannot {action} `{}`: {source}", .path.display())]
    Io {
        /// What was tried.
        action: Action,
        /// The file or folder that it was tried on.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The system refused in the middle of a replacement, and again when it was to be undone.
    #[error("cannot put back the plan in `{}`: {source}", .dir.display())]
    Stranded {
        /// The folder.
        dir: PathBuf,
        /// Where the files are.
        kept: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There are no plans to write.
    #[error("there is no stage to write to `{}`", .dir.display())]
    NoStages {
        /// The place.
        dir: PathBuf,
    },
    /// Two of the plans are for one stage.
    #[error("two plans are for stage {stage}")]
    SameStage {
        /// The stage.
        stage: Stage,
    },
}

/// What the system was asked to do.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// To look at a file or folder.
    Read,
    /// To create a file or folder.
    Create,
    /// To write a file.
    Write,
    /// To move a file or folder to its place.
    Move,
}

impl std::fmt::Display for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Create => "create",
            Self::Write => "write",
            Self::Move => "move to",
        })
    }
}

impl Action {
    /// Turns an error of the system into one that says what was tried.
    pub(super) fn failed(self, path: &Path) -> impl FnOnce(io::Error) -> FolderError {
        move |source| FolderError::Io { action: self, path: path.to_owned(), source }
    }
}

impl FolderError {
    /// The stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotAFolder { .. } => "E0611",
            Self::NotAPlan { .. } => "E0612",
            Self::Foreign { .. } => "E0613",
            Self::NoParent { .. } => "E0614",
            Self::Io { .. } => "E0615",
            Self::Stranded { .. } => "E0616",
            Self::NoStages { .. } => "E0617",
            Self::SameStage { .. } => "E0618",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::NotAFolder { .. } => "give the name of a folder that is new or empty".into(),
            Self::NotAPlan { .. } => "give a folder that is new, empty or holds a plan".into(),
            Self::Foreign { entry, .. } => {
                format!("move `{}` away, or give another folder", entry.display())
            }
            Self::NoParent { parent, .. } => format!("create `{}` first", parent.display()),
            Self::Io { .. } => "nothing was changed; give a place that can be written to".into(),
            Self::Stranded { kept, .. } => {
                format!("the files of the old and the new plan are in `{}`", kept.display())
            }
            Self::NoStages { .. } => "give a plan for each stage".into(),
            Self::SameStage { .. } => "give one plan for each stage".into(),
        }
    }
}

impl From<FolderError> for Diagnostic {
    fn from(error: FolderError) -> Self {
        Self::error(error.code(), error.to_string()).help(error.help())
    }
}
