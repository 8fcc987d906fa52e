//! What becomes of a snapshot that differs from what its case shows.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use pirogue::diagnostic::Diagnostic;

use crate::codes;
use crate::difference::{difference, is_same};
use crate::failure::Finding;
use crate::snapshot::{Snapshot, pending_path, read_contents};

/// What becomes of a snapshot that differs from what its case shows. In any case the difference
/// fails, unless the snapshot itself is written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Update {
    /// It stays as it is.
    #[default]
    Nothing,
    /// The new one is written beside it, for `cargo insta review`.
    Pending,
    /// A snapshot that was not there is written; for one that differs, the new one beside it.
    Unseen,
    /// It is written.
    Always,
    /// It is written even where only the numbers of values differ.
    Force,
}

impl Update {
    /// What `INSTA_UPDATE` asks for: `auto` (pending, but nothing on a build server), `new`,
    /// `unseen`, `always`, `force` or `no`.
    ///
    /// # Errors
    /// If it is another word.
    pub fn from_environment() -> Result<Self, Box<Diagnostic>> {
        Ok(match variable("INSTA_UPDATE").as_str() {
            "" | "auto" if is_build_server() => Self::Nothing,
            "" | "auto" | "new" => Self::Pending,
            "unseen" => Self::Unseen,
            "always" | "1" => Self::Always,
            "force" => Self::Force,
            "no" | "0" => Self::Nothing,
            other => {
                let message = format!("`INSTA_UPDATE` is `{other}`, which says nothing");
                let help = "it may be `auto`, `new`, `unseen`, `always`, `force` or `no`";
                return Err(Box::new(Diagnostic::error(codes::NO_ACCESS, message).help(help)));
            }
        })
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

fn is_build_server() -> bool {
    match env::var("CI") {
        Ok(value) => !matches!(value.as_str(), "" | "0" | "false"),
        Err(_) => env::var_os("TF_BUILD").is_some(),
    }
}

/// Whether `cargo insta test` wants to go on where snapshots differ, to review all of them at once.
pub fn differences_pass() -> bool {
    variable("INSTA_FORCE_PASS") == "1"
}

/// Tells `cargo insta` that a test has a snapshot, if it wants to find those that none has.
pub fn remember_reference(path: &Path) -> io::Result<()> {
    let Some(list) = env::var_os("INSTA_SNAPSHOT_REFERENCES_FILE") else { return Ok(()) };
    let mut list = OpenOptions::new().append(true).create(true).open(list)?;
    list.write_all(format!("{}\n", path.display()).as_bytes())
}

/// What became of a snapshot that is no failure.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It says what the case shows.
    Same,
    /// It was written.
    Written,
}

/// Compares a snapshot with the one at `path`, and does what `update` says.
///
/// # Errors
/// If they differ and it was not written, or files cannot be read or written.
pub fn settle(path: &Path, new: &Snapshot, update: Update) -> Result<Settled, Finding> {
    let failed = |error: io::Error| {
        let message =
            format!("the snapshot `{}` cannot be read or written: {error}", path.display());
        Finding::from(
            Diagnostic::error(codes::NO_ACCESS, message).help("check who may write there"),
        )
    };
    let old = read_contents(path).map_err(failed)?;
    let pending = pending_path(path);
    let forget_pending = || match fs::remove_file(&pending) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    let is_same = old.as_deref().is_some_and(|old| is_same(old, &new.contents));
    let is_written = match update {
        Update::Force => true,
        Update::Always => !is_same,
        Update::Unseen => old.is_none(),
        Update::Pending | Update::Nothing => false,
    };
    if is_written {
        new.write(path).and_then(|()| forget_pending()).map_err(failed)?;
        return Ok(Settled::Written);
    }
    if is_same {
        if update != Update::Nothing {
            forget_pending().map_err(failed)?;
        }
        return Ok(Settled::Same);
    }
    let is_pending = matches!(update, Update::Pending | Update::Unseen);
    if is_pending {
        new.write(&pending).map_err(failed)?;
    }
    Err(unlike(path, old.as_deref(), new, is_pending))
}

fn unlike(path: &Path, old: Option<&str>, new: &Snapshot, is_pending: bool) -> Finding {
    let help = match is_pending {
        true => "`cargo insta review` shows and accepts it; `INSTA_UPDATE=always` writes all",
        false => {
            "`pirogue test --bless`, or tests with `INSTA_UPDATE=always`, write it if it is right"
        }
    };
    let path = path.display();
    let (message, details) = match old {
        None => (format!("there is no snapshot `{path}` yet"), new.contents.clone()),
        Some(old) => (
            format!("the case shows something else than its snapshot `{path}`"),
            difference(old, &new.contents),
        ),
    };
    Finding::with(Diagnostic::error(codes::SNAPSHOT_DIFFERS, message).help(help), details)
}
