//! What can be wrong with a folder that is read as a plan.

use std::io;
use std::path::PathBuf;

use pirogue::diagnostic::Diagnostic;
use pirogue_schedule::JobTextError;
use thiserror::Error;

use super::{FORMAT, VERSION};

/// What is wrong, without where.
#[derive(Debug, Error)]
pub(super) enum ReadError {
    #[error("`{}` holds no `plan.json`", .dir.display())]
    NoManifest { dir: PathBuf, stage: Option<PathBuf> },
    #[error("cannot read `{}`: {source}", .path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("this is no plan: {message}")]
    Json { message: String },
    #[error("the format is `{found}`, expected `{FORMAT}`")]
    Format { found: String },
    #[error("the version is {found}, expected {VERSION}")]
    Version { found: String },
    #[error("`{file}` is not the name of a file in the folder")]
    FileName { file: String },
    #[error("there is no file `{}`", .path.display())]
    NoFile { path: PathBuf },
    #[error("there is no set {set}: `skip_gc_sets` has {sets}, counted from 0")]
    NoSuchSet { set: u32, sets: usize },
    #[error(transparent)]
    JobText(#[from] JobTextError),
}

impl ReadError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoManifest { .. } => "E0621",
            Self::Unreadable { .. } => "E0622",
            Self::Json { .. } => "E0623",
            Self::Format { .. } => "E0624",
            Self::Version { .. } => "E0625",
            Self::FileName { .. } => "E0626",
            Self::NoFile { .. } => "E0627",
            Self::NoSuchSet { .. } => "E0628",
            Self::JobText(error) => error.code(),
        }
    }

    fn help(&self) -> String {
        match self {
            Self::NoManifest { stage: Some(stage), .. } => {
                format!(
                    "it holds the plans of several stages: give one, such as `{}`",
                    stage.display()
                )
            }
            Self::NoManifest { stage: None, .. } => {
                "give a folder that a plan was written to".into()
            }
            Self::Unreadable { .. } => "see that the file can be read".into(),
            Self::Json { .. } => "correct `plan.json`, or write the plan anew".into(),
            Self::Format { .. } => "give a `plan.json` that a plan was written to".into(),
            Self::Version { .. } => "write the plan anew with this version of the tool".into(),
            Self::FileName { .. } => "name a file beside `plan.json`, without a folder".into(),
            Self::NoFile { .. } => "put the file back, or write the plan anew".into(),
            Self::NoSuchSet { .. } => "add the set, or name one that is there".into(),
            Self::JobText(error) => error.help(),
        }
    }
}

impl From<ReadError> for Diagnostic {
    fn from(error: ReadError) -> Self {
        Self::error(error.code(), error.to_string()).help(error.help())
    }
}
