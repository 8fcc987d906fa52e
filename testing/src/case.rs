//! A file of cases, read.
//!
//! A case that cannot be read is a case too: one that fails, so that the others of its file are run.

use indexmap::IndexMap;
use pirogue::diagnostic::{Diagnostic, Place};
use rustc_hash::FxBuildHasher;

use crate::codes;
use crate::expectation::Expectation;
use crate::header::Header;
use crate::lines::{Line, lines};
use crate::show::Show;

/// One case of a file.
#[derive(Clone, Debug)]
pub struct Case {
    file: String,
    name: String,
    line: u32,
    content: Result<Content, Vec<Diagnostic>>,
}

/// What a case that can be read says.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// The pipeline to run, if one is to be.
    pub pipeline: Option<String>,
    pub shows: Vec<Show>,
    /// Where it says what it shows.
    pub show_place: Option<Place>,
    pub expectations: Vec<Expectation>,
    /// Where it asks that what the passes do be judged.
    pub prove: Option<Place>,
    /// The program without comments, behind as many line feeds as there are lines before it in its
    /// file, so that what is said of it has the right lines.
    pub program: String,
}

impl Case {
    /// Its name in full: the file without its ending, and what the case is called there.
    pub fn name(&self) -> String {
        format!("{}::{}", self.stem(), self.name)
    }

    /// The file, from the folder of the cases on, with `/` between folders.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The line of the file where it begins.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// What it is called in its file.
    pub fn title(&self) -> &str {
        &self.name
    }

    /// Where its snapshot is, from the folder of the snapshots on.
    pub fn snapshot_path(&self) -> String {
        format!("{}/{}.snap", self.stem(), file_name(&self.name))
    }

    /// What it says, or why it cannot be read.
    pub(crate) fn content(&self) -> Result<&Content, &[Diagnostic]> {
        self.content.as_ref().map_err(Vec::as_slice)
    }

    fn stem(&self) -> &str {
        self.file.strip_suffix(".pir").unwrap_or(&self.file)
    }
}

/// The cases of a file, in order. `file` is its path from the folder of the cases on.
pub(crate) fn read_cases(file: &str, text: &[u8]) -> Vec<Case> {
    let Ok(text) = str::from_utf8(text) else {
        let fault = Diagnostic::error(codes::MALFORMED, format!("`{file}` is not UTF-8 text"));
        return vec![unreadable(file, fault.help("save it as UTF-8"))];
    };
    let lines = lines(text);
    let sections: Vec<&[Line<'_>]> = lines
        .split(Line::is_separator)
        .filter(|section| section.iter().any(|line| is_of_a_case(file, line)))
        .collect();
    let count = sections.len();
    let mut cases: Vec<Case> = (1..)
        .zip(sections)
        .map(|(number, section)| read_case(file, section, &default_name(file, number, count)))
        .collect();
    if cases.is_empty() {
        let fault = Diagnostic::error(codes::MALFORMED, format!("`{file}` holds no case"));
        cases.push(unreadable(file, fault.help("a case is a program, with comments above it")));
    }
    refuse_same_names(&mut cases, &lines);
    cases
}

fn unreadable(file: &str, fault: Diagnostic) -> Case {
    let name = default_name(file, 1, 1);
    Case { file: file.to_owned(), name, line: 1, content: Err(vec![fault]) }
}

/// What is only prose is no case.
fn is_of_a_case(file: &str, line: &Line<'_>) -> bool {
    line.has_code() || Header::parse(file, line).is_some()
}

/// The name of the file, with a number if it has several cases.
fn default_name(file: &str, number: usize, count: usize) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    let name = name.strip_suffix(".pir").unwrap_or(name);
    if count > 1 { format!("{name} {number}") } else { name.to_owned() }
}

fn read_case(file: &str, section: &[Line<'_>], default_name: &str) -> Case {
    let mut faults = Vec::new();
    let headers = headers(file, section, &mut faults);
    let expectations = expectations(file, section, &mut faults);
    let mut content = Content {
        pipeline: None,
        shows: Vec::new(),
        show_place: None,
        expectations,
        prove: None,
        program: program_text(section),
    };
    let mut name = default_name.to_owned();
    for (header, place) in headers {
        match header {
            Header::Case(given) => name = given,
            Header::Run(pipeline) => content.pipeline = Some(pipeline),
            Header::Show(shows) => {
                content.shows.extend(shows);
                content.show_place = Some(place);
            }
            Header::Prove => content.prove = Some(place),
        }
    }
    if !section.iter().any(Line::has_code) {
        faults.push(no_program(file, &section[0]));
    }
    let content = if faults.is_empty() { Ok(content) } else { Err(faults) };
    let first = section.iter().find(|line| !line.text.trim().is_empty());
    let line = first.map_or(1, |line| line.number);
    Case { file: file.to_owned(), name, line, content }
}

fn no_program(file: &str, first: &Line<'_>) -> Diagnostic {
    Diagnostic::error(codes::MALFORMED, "the case has no program")
        .at(Place::in_text(file, first.number, first.text, 0..first.text.len()))
        .help("below its headers stands `{`, a line for each op, and `}`")
}

/// The headers above the program; a header that stands twice or below is a fault.
fn headers(file: &str, section: &[Line<'_>], faults: &mut Vec<Diagnostic>) -> Vec<(Header, Place)> {
    let mut headers: Vec<(Header, Place)> = Vec::new();
    let above = section.iter().position(Line::has_code).unwrap_or(section.len());
    for (index, line) in section.iter().enumerate() {
        let place = Place::in_text(file, line.number, line.text, 0..line.text.len());
        match Header::parse(file, line) {
            // Below the head a slip is prose.
            Some(Ok(header)) if index >= above => faults.push(misplaced(&header, place)),
            Some(Err(fault)) if index < above => faults.push(fault),
            Some(Ok(header)) => {
                let is_twice = headers.iter().any(|(other, _)| other.word() == header.word());
                match header {
                    Header::Show(_) => headers.push((header, place)),
                    _ if is_twice => faults.push(twice(&header, place)),
                    _ => headers.push((header, place)),
                }
            }
            _ => {}
        }
    }
    headers
}

fn misplaced(header: &Header, place: Place) -> Diagnostic {
    let message = format!("the header `{}` stands below the program", header.word());
    Diagnostic::error(codes::MALFORMED, message)
        .at(place)
        .help("put it above the program, or begin the next case with a line `// -----`")
}

fn twice(header: &Header, place: Place) -> Diagnostic {
    let message = format!("the case has a second header `{}`", header.word());
    Diagnostic::error(codes::MALFORMED, message)
        .at(place)
        .help("remove it, or begin the next case with a line `// -----`")
}

fn expectations(
    file: &str,
    section: &[Line<'_>],
    faults: &mut Vec<Diagnostic>,
) -> Vec<Expectation> {
    let read = (0..section.len()).filter_map(|index| Expectation::parse(file, section, index));
    let mut expectations = Vec::new();
    for expectation in read {
        match expectation {
            Ok(expectation) => expectations.push(expectation),
            Err(fault) => faults.push(fault),
        }
    }
    expectations
}

fn program_text(section: &[Line<'_>]) -> String {
    let before = section.first().map_or(0, |line| line.number as usize - 1);
    let mut text = "\n".repeat(before);
    for line in section {
        // Where there is no comment, the white space at the end may belong to a string.
        text += if line.comment().is_some() { line.code() } else { line.text };
        text.push('\n');
    }
    text
}

/// Two cases of a file whose names lead to one snapshot: the second one is at fault.
fn refuse_same_names(cases: &mut [Case], lines: &[Line<'_>]) {
    let mut first_lines: IndexMap<String, u32, FxBuildHasher> = IndexMap::default();
    for case in cases {
        let (name, line) = (file_name(&case.name).to_lowercase(), case.line);
        let Some(&other) = first_lines.get(&name) else {
            first_lines.insert(name, line);
            continue;
        };
        let text = lines.get(line as usize - 1).map_or("", |line| line.text);
        let message = format!("the case of line {other} has the name `{}` too", case.name);
        let fault = Diagnostic::error(codes::SAME_NAME, message)
            .at(Place::in_text(&case.file, line, text, 0..text.len()))
            .help("names may not differ in capitals and punctuation alone: name it otherwise");
        case.name = format!("{} (line {line})", case.name);
        case.content = Err(vec![fault]);
    }
}

/// A name with characters that file systems and shells take as they are.
fn file_name(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    plain.trim_start_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(case: &Case) -> Vec<(String, Option<String>)> {
        let faults = case.content().expect_err("it has faults");
        faults.iter().map(|fault| (fault.message.clone(), fault.help.clone())).collect()
    }

    #[test]
    fn a_file_is_cut_at_separators_and_lines_keep_their_numbers() {
        let text = "// Only prose.\n// -----\n// case: one\n{\n}\n// -----\n{ // x\n}\n";
        let cases = read_cases("sub/x.pir", text.as_bytes());
        let names: Vec<String> = cases.iter().map(Case::name).collect();
        assert_eq!(names, ["sub/x::one", "sub/x::x 2"]);
        assert_eq!(cases.iter().map(Case::line).collect::<Vec<_>>(), [3, 7]);
        assert_eq!(cases[1].content().unwrap().program, "\n\n\n\n\n\n{\n}\n");
        assert_eq!(cases[1].snapshot_path(), "sub/x/x_2.snap");
    }

    #[test]
    fn a_header_below_the_program_or_twice_is_a_fault() {
        let twice = &read_cases("x.pir", b"// case: a\n// case: b\n{\n}\n")[0];
        assert!(faults(twice)[0].0.contains("second header `case`"));
        let below = &read_cases("x.pir", b"{\n}\n// case: b\n{\n}\n")[0];
        assert!(faults(below)[0].0.contains("below the program"));
        let none = &read_cases("x.pir", b"// case: a\n")[0];
        assert_eq!(faults(none)[0].0, "the case has no program");
    }

    #[test]
    fn names_that_lead_to_one_file_are_a_fault_of_the_second() {
        let cases = read_cases("x.pir", b"// case: a b\n{\n}\n// -----\n// case: A-b!\n{\n}\n");
        assert!(cases[0].content().is_ok());
        assert!(cases[1].content().is_ok(), "`-` and `_` differ");
        let cases = read_cases("x.pir", b"// case: a b\n{\n}\n// -----\n// case: A?b\n{\n}\n");
        assert!(faults(&cases[1])[0].0.contains("line 1"));
    }
}
