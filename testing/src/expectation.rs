//! What a case expects to be said: `// expect-error@+1 E0203: the text`.
//!
//! - `@+1`, `@-2`: so many lines below or above; `@above`, `@below`: the nearest line with a piece of
//!   the program. Behind a piece of the program and without any: that line. Alone and without any:
//!   what is said has no place in the file, such as a fault of the options of a pass.
//! - The text is a part of what is said: of its message, a label, a note or its help. It may be left
//!   out, with the colon.

use pirogue::diagnostic::{Diagnostic, Place, Severity};

use crate::codes;
use crate::lines::Line;
use crate::near::nearest;

/// One thing that is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    severity: Severity,
    code: String,
    text: String,
    /// The line of the file that it is said of; none: it has no place in the file.
    line: Option<u32>,
    /// Where it is expected.
    pub place: Place,
}

const WORDS: [(&str, Severity); 3] = [
    ("expect-error", Severity::Error),
    ("expect-warning", Severity::Warning),
    ("expect-note", Severity::Note),
];

/// How such a line looks.
const SHAPE: &str = "it looks like `// expect-error@+1 E0203: a part of the message`";

/// Why a line is none, and what to do.
type Fault = (String, String);

impl Expectation {
    /// What the line of this index expects, if it does.
    ///
    /// # Errors
    /// If it is meant to and cannot be read.
    pub fn parse(file: &str, lines: &[Line<'_>], index: usize) -> Option<Result<Self, Diagnostic>> {
        let line = &lines[index];
        let (comment, range) = line.comment()?;
        if !comment.starts_with("expect") {
            return None;
        }
        let place = Place::in_text(file, line.number, line.text, range);
        let read = Self::read(comment, lines, index, place.clone());
        Some(read.map_err(|(message, help)| {
            Diagnostic::error(codes::MALFORMED, message).at(place).help(help)
        }))
    }

    fn read(comment: &str, lines: &[Line<'_>], index: usize, place: Place) -> Result<Self, Fault> {
        let (head, rest) = comment.split_once(char::is_whitespace).unwrap_or((comment, ""));
        let (word, at) = match head.split_once('@') {
            Some((word, at)) => (word, Some(at)),
            None => (head, None),
        };
        let known = WORDS.iter().find(|(known, _)| *known == word);
        let Some(&(_, severity)) = known else { return Err(unknown_word(word)) };
        let (code, text) = rest.split_once(':').unwrap_or((rest, ""));
        let (code, text) = (code.trim().to_owned(), text.trim().to_owned());
        if !is_code(&code) {
            return Err((format!("`{word}` is followed by a code, not by `{code}`"), SHAPE.into()));
        }
        Ok(Self { severity, code, text, line: line_meant(at, lines, index)?, place })
    }

    /// Whether a diagnostic is what is expected. `line` is the line of the file that it is of.
    pub fn is_met_by(&self, said: &Diagnostic, line: Option<u32>) -> bool {
        self.is_like(said) && self.line == line && self.is_part_of(said)
    }

    /// Whether a diagnostic has the code and severity, though perhaps another place and text.
    pub fn is_like(&self, said: &Diagnostic) -> bool {
        self.severity == said.severity && self.code == said.code
    }

    fn is_part_of(&self, said: &Diagnostic) -> bool {
        let labels = said.primary.iter().chain(&said.secondary).map(|place| &place.label);
        let texts = std::iter::once(&said.message).chain(labels).chain(&said.notes);
        texts.chain(&said.help).any(|text| text.contains(&self.text))
    }

    /// That it is not met, as a message.
    pub fn unmet(&self) -> String {
        let place = match self.line {
            Some(line) => format!("of line {line}"),
            None => "without a place".to_owned(),
        };
        let text = if self.text.is_empty() { "" } else { ": " };
        let (noun, code) = (noun(self.severity), &self.code);
        format!("{noun} `{code}` {place} is expected and not said{text}{}", self.text)
    }
}

/// The line that expects what was said, as the author of the case would write it.
pub fn line_to_add(said: &Diagnostic, line: Option<u32>) -> String {
    let word = WORDS.iter().find(|(_, severity)| *severity == said.severity);
    let word = word.map_or("", |(word, _)| word);
    let above = if line.is_some() { "@above" } else { "" };
    let message = said.message.lines().next().unwrap_or_default();
    format!("// {word}{above} {}: {message}", said.code)
}

/// `an error`, `a warning`, `a note`.
pub fn noun(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "an error",
        Severity::Warning => "a warning",
        Severity::Note => "a note",
    }
}

fn unknown_word(word: &str) -> Fault {
    let help = match nearest(word, WORDS.iter().map(|(known, _)| *known)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "there are `expect-error`, `expect-warning` and `expect-note`".to_owned(),
    };
    (format!("`{word}` expects nothing"), help)
}

/// A letter and digits, such as `E0203`; passes of others may have codes of their own.
fn is_code(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_part)
}

/// The line that an expectation is of.
fn line_meant(at: Option<&str>, lines: &[Line<'_>], index: usize) -> Result<Option<u32>, Fault> {
    let own = &lines[index];
    let nearest_of = |mut lines: Box<dyn Iterator<Item = &Line<'_>> + '_>, side: &str| {
        let found = lines.find(|line| line.has_code()).map(|line| Some(line.number));
        found.ok_or_else(|| (format!("no line {side} holds a piece of the program"), SHAPE.into()))
    };
    match at {
        None if own.has_code() => Ok(Some(own.number)),
        None => Ok(None),
        Some("above") => nearest_of(Box::new(lines[..index].iter().rev()), "above"),
        Some("below") => nearest_of(Box::new(lines[index + 1..].iter()), "below"),
        Some(distance) => {
            let is_signed = distance.starts_with(['+', '-']);
            let lines: Option<i32> = is_signed.then(|| distance.parse().ok()).flatten();
            let line = lines.and_then(|lines| own.number.checked_add_signed(lines));
            line.map(Some).ok_or_else(|| {
                let message = format!("`@{distance}` names no line");
                (message, "places are `@+1`, `@-1`, `@above` and `@below`".to_owned())
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::lines;

    fn parse(text: &str, number: usize) -> Result<Expectation, Diagnostic> {
        Expectation::parse("x.pir", &lines(text), number - 1).expect("the line expects something")
    }

    #[test]
    fn places_are_relative_nearest_own_or_none() {
        let text = "{ // expect-note N1: x\n\n// expect-error@above E1\n// expect-error@+2 E1\n\
                    // expect-error@below E1\n}\n// expect-error E1\n// expect-error@-2 E1\n";
        let line = |number| parse(text, number).unwrap().line;
        assert_eq!(
            [1, 3, 4, 5, 7, 8].map(line),
            [Some(1), Some(1), Some(6), Some(6), None, Some(6)]
        );
    }

    #[test]
    fn what_cannot_be_read_is_told_with_a_way_out() {
        let help = |text: &str| parse(text, 1).unwrap_err().help.unwrap_or_default();
        assert_eq!(help("// expect-eror E1"), "did you mean `expect-error`?");
        assert!(help("// expected: nothing").contains("`expect-error`, `expect-warning`"));
        assert!(help("// expect-error the text").contains("E0203"));
        assert!(help("// expect-error@3 E1").contains("`@+1`"));
        assert!(help("// expect-error@+99999999999 E1").contains("`@+1`"));
        assert!(help("// expect-error@above E1").contains("E0203"));
    }

    #[test]
    fn a_text_is_a_part_of_all_that_is_said() {
        let said = Diagnostic::error("E1", "one two").remark("three").help("four");
        let is_met = |text: &str| {
            let expected = parse(&format!("// expect-error E1: {text}"), 1).unwrap();
            expected.is_met_by(&said, None)
        };
        assert!(
            is_met("e t") && is_met("three") && is_met("four") && is_met("") && !is_met("five")
        );
    }
}
