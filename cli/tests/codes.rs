//! Codes, pages and cases hold together: every code that the sources report has a page, every page
//! has a code that is reported, and the example of every page reports it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pirogue::ir::Context;
use pirogue_schedule::Schedule;
use pirogue_schedule::check::Complete;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Codes for which no example can be run, and why.
const WITHOUT_EXAMPLE: &[(&str, &str)] = &[
    ("E0109", "a file of some hundred brackets explains less than the words"),
    ("E0113", "it takes a file of 4 GiB"),
    ("E0114", "a page is UTF-8, what is wrong is not"),
    ("E0151", "a file of some thousand brackets explains less than the words"),
    ("E0160", "the command writes JSON to memory"),
    ("E0221", "only code makes rules"),
    ("E0222", "only code makes rules"),
    ("E0223", "only code makes rules"),
    ("E0224", "only code makes rules"),
    ("E0225", "only code makes rules"),
    ("E0299", "a fault of Pirogue itself"),
    ("E0372", "only code simulates"),
    ("E0381", "only code searches"),
    ("E0371", "it takes some 50,000 jobs"),
    ("E0373", "only code simulates"),
    ("E0331", "only code gives a placement"),
    ("E0332", "only code gives a placement"),
    ("E0333", "only code gives a placement"),
    ("E0334", "only code gives a placement"),
    ("E0335", "only code gives a placement"),
    ("E0336", "only code gives a placement"),
    ("E0337", "only code fuses jobs"),
    ("E0384", "a page is UTF-8, what is wrong is not"),
    ("E0401", "a fault of Pirogue itself"),
    ("E0402", "a fault of Pirogue itself"),
    ("E0403", "a fault of Pirogue itself"),
    ("E0404", "a fault of Pirogue itself"),
    ("E0405", "a fault of Pirogue itself"),
    ("E0406", "a fault of Pirogue itself"),
    ("E0407", "only a pass can do it"),
    ("E0408", "only a pass can do it"),
    ("E0409", "only a pass can do it"),
    ("E0450", "only code compares programs"),
    ("E0507", "only code registers passes"),
    ("E0511", "none of the passes that ship conflict"),
    ("N0513", "none of the passes that ship need another"),
    ("E0516", "none of the passes that ship panics"),
    ("E0517", "none of the passes that ship breaks a program"),
    ("E0524", "only a pass can do it"),
    ("E0615", "it takes a file system that refuses"),
    ("E0616", "it takes a file system that refuses twice"),
    ("E0617", "only code can ask for it"),
    ("E0618", "only code can ask for it"),
    ("E0622", "it takes a file system that refuses"),
    ("E0633", "only code can mix contexts"),
    ("E0660", "it takes a device that is full"),
    ("N0673", "it takes a program of 301 ops"),
    ("E0691", "only code makes a harness"),
    ("E0716", "only code can mix contexts"),
    ("E0718", "a file of some hundred brackets explains less than the words"),
    ("E0686", "none of the passes that ship depends on the order of uses"),
    ("E0687", "none of the passes that ship breaks a law of its own"),
];

// Codes.

/// The sources of all published crates.
fn sources() -> Vec<PathBuf> {
    let root = root();
    let mut pending = vec![root.join("src")];
    for entry in fs::read_dir(&root).unwrap() {
        let member = entry.unwrap().path();
        if member.join("Cargo.toml").is_file() && !member.ends_with("tests") {
            pending.push(member.join("src"));
        }
    }
    let mut files = Vec::new();
    while let Some(path) = pending.pop() {
        let is_test = path.ends_with("tests") || path.ends_with("tests.rs");
        if path.is_dir() && !is_test {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "rs") && !is_test {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The lines of a source that are neither comments nor in a module of tests.
fn code_lines(source: &str) -> impl Iterator<Item = &str> {
    let mut is_test = false;
    let mut previous = "";
    source.lines().filter(move |line| {
        is_test |= previous == "#[cfg(test)]" && line.starts_with("mod ") && line.ends_with('{');
        previous = line;
        let is_code = !is_test && !line.trim_start().starts_with("//");
        is_test &= *line != "}";
        is_code
    })
}

/// What looks like a code: `E0203` in quotes (or in backticks, with a mark of its own).
fn codes_in(line: &str, mark: char) -> impl Iterator<Item = &str> {
    line.split(mark).filter(|word| {
        let is_digits = word.len() == 5 && word[1..].bytes().all(|byte| byte.is_ascii_digit());
        is_digits && word.starts_with(['E', 'W', 'N'])
    })
}

/// Every code that is reported, and the files that report it.
fn reported() -> BTreeMap<String, BTreeSet<PathBuf>> {
    let mut reported: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for file in sources() {
        let source = fs::read_to_string(&file).unwrap();
        for code in code_lines(&source).flat_map(|line| codes_in(line, '"')) {
            reported.entry(code.to_owned()).or_default().insert(file.clone());
        }
    }
    assert!(reported.len() > 100, "the sources are found");
    reported
}

// Pages.

struct Page {
    code: String,
    text: String,
}

/// A fenced block of a page: ` ```pir in.pir `.
struct Block<'p> {
    kind: &'p str,
    file: Option<&'p str>,
    text: &'p str,
}

fn pages() -> Vec<Page> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("codes");
    let mut pages: Vec<Page> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let code = path.file_stem().unwrap().to_string_lossy().into_owned();
            Page { code, text: fs::read_to_string(&path).unwrap() }
        })
        .collect();
    pages.sort_by(|a, b| a.code.cmp(&b.code));
    pages
}

fn blocks(page: &Page) -> Vec<Block<'_>> {
    let fenced = page.text.split("```").skip(1).step_by(2);
    fenced
        .map(|fenced| {
            let (head, text) = fenced.split_once('\n').expect("a fence ends its line");
            let (kind, file) = match head.split_once(' ') {
                Some((kind, file)) => (kind, Some(file)),
                None => (head, None),
            };
            Block { kind, file, text }
        })
        .collect()
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let reported: BTreeSet<String> = reported().into_keys().collect();
    let pages: BTreeSet<String> = pages().into_iter().map(|page| page.code).collect();
    let lacking: Vec<&String> = reported.difference(&pages).collect();
    assert!(lacking.is_empty(), "write `cli/codes/CODE.md` for {lacking:?}");
    let idle: Vec<&String> = pages.difference(&reported).collect();
    assert!(idle.is_empty(), "nothing reports {idle:?}: remove the pages");
}

/// Where two files report one code, it is on its way to two meanings.
#[test]
fn a_code_is_reported_by_one_file() {
    for (code, files) in reported() {
        assert!(files.len() == 1, "`{code}` is reported by {files:?}: take a free code for one");
    }
}

#[test]
fn every_page_is_a_title_a_cause_an_example_and_a_cure() {
    for Page { code, text } in pages() {
        assert!(text.starts_with(&format!("# {code}: ")), "{code} begins with its title");
        assert!(text.contains("\n\nCure: ") && text.ends_with(".\n"), "{code} ends with a cure");
        assert!(text.lines().next().unwrap().len() < 90, "the title of {code} is a line of a list");
        assert!(text.matches("```").count() % 2 == 0, "a block of {code} is not closed");
    }
}

#[test]
fn every_page_is_listed_and_shown() {
    let list = pirogue(&root(), &["explain"]);
    for Page { code, text } in pages() {
        let title = text.lines().next().unwrap().trim_start_matches("# ");
        assert!(
            list.contains(&format!("  {}\n", title.replacen(": ", "  ", 1))),
            "{code} is listed"
        );
        let shown = pirogue(&root(), &["explain", &code]);
        assert!(shown.starts_with(title) && shown.contains("\nCure: "), "{shown}");
    }
}

/// Documents and help name codes that there are.
#[test]
fn codes_that_documents_name_have_a_page() {
    let pages: BTreeSet<String> = pages().into_iter().map(|page| page.code).collect();
    let mut documents = vec![root().join("README.md")];
    documents.extend(fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    for document in documents.into_iter().filter(|path| path.extension().is_some()) {
        let text = fs::read_to_string(&document).unwrap();
        let unknown: Vec<&str> =
            codes_in(&text, '`').filter(|code| !pages.contains(*code)).collect();
        assert!(unknown.is_empty(), "{}: {unknown:?}", document.display());
    }
}

// Cases.

fn pirogue(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_pirogue"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the command runs");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// The words of a command line; single quotes hold a word together.
fn words(line: &str) -> Vec<String> {
    let pieces = line.split('\'').enumerate();
    let words = pieces.flat_map(|(index, piece)| match index % 2 {
        0 => piece.split_whitespace().map(str::to_owned).collect(),
        _ => vec![piece.to_owned()],
    });
    words.collect()
}

/// What the example of a page says; `None` if it has none that can be run.
fn said_by_example(page: &Page) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let blocks = blocks(page);
    for block in &blocks {
        let Some(file) = block.file else { continue };
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, block.text).unwrap();
    }
    let plan = folder.path().join("plan");
    if let Some(block) = blocks.iter().find(|block| block.kind == "console") {
        let line = block.text.trim().strip_prefix("$ pirogue ").expect("it runs pirogue");
        let mut arguments = words(line);
        arguments.extend(["--diagnostics".to_owned(), "json".to_owned()]);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Some(pirogue(folder.path(), &arguments))
    } else if let Some(block) = blocks.iter().find(|block| block.kind == "jobs") {
        Some(said_of_schedule(block.text))
    } else if plan.is_dir() {
        let faults = pirogue_plan::read_folder(&Context::new(), &plan).err().unwrap_or_default();
        Some(faults.iter().map(|fault| quoted(&fault.code)).collect())
    } else {
        None
    }
}

fn said_of_schedule(text: &str) -> String {
    let schedule: Schedule = match text.parse() {
        Ok(schedule) => schedule,
        Err(error) => return quoted(error.code()),
    };
    let faults = Complete::of(&schedule).err().unwrap_or_default();
    faults.iter().map(|fault| quoted(fault.code())).collect()
}

/// As a diagnostic in JSON says it.
fn quoted(code: &str) -> String {
    format!("\"code\":\"{code}\"")
}

#[test]
fn the_example_of_every_page_reports_its_code() {
    let mut wrong = Vec::new();
    for page in pages() {
        let reason = WITHOUT_EXAMPLE.iter().find(|(code, _)| *code == page.code);
        match (said_by_example(&page), reason) {
            (Some(said), None) if said.contains(&quoted(&page.code)) => {}
            (Some(said), None) => wrong.push(format!("{}: it says\n{said}", page.code)),
            (None, None) => wrong.push(format!("{}: it has no example that runs", page.code)),
            (None, Some(_)) => {}
            (Some(_), Some((_, reason))) => {
                wrong.push(format!("{}: it has an example, though {reason}", page.code));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Otherwise the tests above would find nothing.
#[test]
fn codes_are_found_where_they_are_reported_and_nowhere_else() {
    let source = "//! \"E0001\"\nfn f() { (\"E0002\", \"W0003\") }\n#[cfg(test)]\nmod tests {\n    \"E0004\"\n}\nconst A: &str = \"N0005\";\n";
    let found: Vec<&str> = code_lines(source).flat_map(|line| codes_in(line, '"')).collect();
    assert_eq!(found, ["E0002", "W0003", "N0005"]);
    assert_eq!(words("opt 'a b,c' -o x"), ["opt", "a b,c", "-o", "x"]);
}
