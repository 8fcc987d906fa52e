//! The file of a snapshot, in insta's form: a few lines of YAML between `---`, then the text.
//!
//! `cargo insta review` reads and accepts such files, and insta would write the same bytes. The form
//! is written here, and not by insta's macros, because those want to know at compile time which
//! crate's tests they stand in; and the command has no crate at all.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A snapshot to be written.
pub struct Snapshot {
    /// The file of the case.
    pub source: String,
    /// The name of the case.
    pub description: String,
    /// What the case shows.
    pub contents: String,
}

impl Snapshot {
    /// The text of the file.
    pub fn text(&self) -> String {
        let (source, description) = (scalar(&self.source), scalar(&self.description));
        let contents = self.contents.trim_end();
        format!("---\nsource: {source}\ndescription: {description}\n---\n{contents}\n")
    }

    /// Writes the file, whole or not at all, and its folders.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let written = fs::write(&beside, self.text()).and_then(|()| fs::rename(&beside, path));
        written.inspect_err(|_| {
            // What is half written is of no use; that it cannot be removed either adds nothing.
            let _ = fs::remove_file(&beside);
        })
    }
}

/// The contents of the snapshot in a file; none if there is no such file.
///
/// # Errors
/// Those of the file system.
pub fn read_contents(path: &Path) -> io::Result<Option<String>> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text?.replace("\r\n", "\n"),
    };
    let behind_head = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    Ok(Some(behind_head.map_or(text.as_str(), |(_, contents)| contents).to_owned()))
}

/// Where what is to be reviewed stands: beside the snapshot.
pub fn pending_path(path: &Path) -> PathBuf {
    path.with_extension("snap.new")
}

/// A string in YAML: as it stands where that can be nothing else, or in quotes.
fn scalar(text: &str) -> String {
    const WORDS: [&str; 8] = ["yes", "no", "true", "false", "on", "off", "null", "~"];
    let begins_otherwise =
        text.starts_with([' ', '&', '*', '?', '|', '-', '<', '>', '=', '!', '%', '@', '.']);
    let has_signs = text.contains([':', '{', '}', '[', ']', ',', '#', '`', '"', '\'', '\\']);
    let is_other = begins_otherwise
        || has_signs
        || text.is_empty()
        || text.ends_with(' ')
        || text.contains(char::is_control)
        || text.starts_with("0x")
        || text.parse::<f64>().is_ok()
        || WORDS.contains(&text.to_lowercase().as_str());
    if is_other { quoted(text) } else { text.to_owned() }
}

fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\t' => "\\t".to_owned(),
        c if c.is_control() => " ".to_owned(),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What insta reads from our file and writes again is our file.
    #[test]
    fn the_file_is_the_one_that_insta_would_write() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "a case",
            "a: b",
            "#1 `x` [y]",
            "12",
            "true",
            "it's \"x\" \\",
            "é, ü",
            "- x",
            "a & b",
            "TRUE",
            "2nd",
            ".5",
        ] {
            let snapshot = Snapshot {
                source: "cases/x.pir".to_owned(),
                description: name.to_owned(),
                contents: "// show: stats\n 1 a\n\n".to_owned(),
            };
            let (ours, theirs) = (folder.path().join("a.snap"), folder.path().join("b.snap"));
            snapshot.write(&ours).unwrap();
            let read = insta::Snapshot::from_file(&ours).unwrap();
            assert_eq!(read.metadata().description(), Some(name));
            assert_eq!(read.metadata().source(), Some("cases/x.pir"));
            read.save(&theirs).unwrap();
            assert_eq!(fs::read_to_string(&theirs).unwrap(), snapshot.text());
            let contents = read_contents(&theirs).unwrap().unwrap();
            assert_eq!(contents, "// show: stats\n 1 a\n");
        }
    }
}
