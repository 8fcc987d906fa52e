//! The headers of a case: comments of the form `// WORD: ...` above its program.
//!
//! A comment whose first word begins with a capital letter, or that has several words before its
//! colon, is prose. Any other word is a header, so that a slip is not taken for prose.

use pirogue::diagnostic::{Diagnostic, Place};

use crate::codes;
use crate::lines::Line;
use crate::near::{nearest, quoted};
use crate::show::Show;

/// What a header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Header {
    /// How the case is called.
    Case(String),
    /// The pipeline that is run.
    Run(String),
    /// What is shown.
    Show(Vec<Show>),
    /// That what the passes do is to be judged.
    Prove,
}

const WORDS: [&str; 4] = ["case", "run", "show", "prove"];

/// What others call the headers.
const SYNONYMS: [(&str, &str); 8] = [
    ("name", "case"),
    ("test", "case"),
    ("pass", "run"),
    ("passes", "run"),
    ("pipeline", "run"),
    ("print", "show"),
    ("emit", "show"),
    ("snapshot", "show"),
];

/// Why a line is none, and what to do.
type Fault = (String, String);

impl Header {
    /// The header that a line is, if it is one.
    ///
    /// # Errors
    /// If it is meant to be one and cannot be read.
    pub fn parse(file: &str, line: &Line<'_>) -> Option<Result<Self, Diagnostic>> {
        let (comment, range) = line.comment().filter(|_| !line.has_code())?;
        let (word, rest) = comment.split_once(':')?;
        let is_word = word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '_');
        if !is_word || word.starts_with("expect-") {
            return None;
        }
        Some(Self::read(word, rest.trim()).map_err(|(message, help)| {
            let place = Place::in_text(file, line.number, line.text, range);
            Diagnostic::error(codes::MALFORMED, message).at(place).help(help)
        }))
    }

    fn read(word: &str, rest: &str) -> Result<Self, Fault> {
        match word {
            "case" if rest.is_empty() => {
                Err(("the case has an empty name".into(), "such as `// case: a sentence`".into()))
            }
            "case" => Ok(Self::Case(rest.to_owned())),
            // What a failed pass leaves is a case as it stands.
            "run" | "reproduce" => pipeline(rest).map(Self::Run),
            "show" => Show::parse_list(rest).map(Self::Show),
            "prove" if rest == "yes" => Ok(Self::Prove),
            "prove" => Err((
                format!("`{rest}` is not what can be proved"),
                "`// prove: yes` proves that the passes keep the meaning of the program".into(),
            )),
            _ => Err(unknown(word)),
        }
    }

    /// What it is called.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Case(_) => "case",
            Self::Run(_) => "run",
            Self::Show(_) => "show",
            Self::Prove => "prove",
        }
    }
}

fn unknown(word: &str) -> Fault {
    let synonym = SYNONYMS.iter().find(|(other, _)| *other == word).map(|(_, ours)| *ours);
    let help = match synonym.or_else(|| nearest(word, WORDS)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("headers are {}; prose begins with a capital letter", quoted(WORDS)),
    };
    (format!("there is no header `{word}`"), help)
}

/// The pipeline of a command line: `-p 'PIPELINE'`, with the name of the command before or without.
fn pipeline(text: &str) -> Result<String, Fault> {
    let help = || "write `// run: -p 'PIPELINE'`, as for `pirogue opt`".to_owned();
    let words = words(text).ok_or_else(|| ("a quote is not closed".to_owned(), help()))?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let arguments = match words.as_slice() {
        ["pirogue", "opt", arguments @ ..] => arguments,
        arguments => arguments,
    };
    match arguments {
        ["-p" | "--pipeline", pipeline] => Ok((*pipeline).to_owned()),
        ["-p" | "--pipeline"] | [] => Err(("no pipeline is given".to_owned(), help())),
        [one] if one.starts_with("--pipeline=") => Ok(one["--pipeline=".len()..].to_owned()),
        ["-p" | "--pipeline", _, other, ..] | [other, ..] => {
            Err((format!("a case cannot be run with `{other}`"), help()))
        }
    }
}

/// The words of a command line; what stands in quotes of either kind is taken as it is.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\'' | '"' => {
                let (inner, behind) = rest.split_once(c)?;
                word.get_or_insert_default().push_str(inner);
                rest = behind;
            }
            '\\' => {
                let escaped = rest.chars().next()?;
                word.get_or_insert_default().push(escaped);
                rest = &rest[escaped.len_utf8()..];
            }
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::lines;

    fn parse(text: &str) -> Option<Result<Header, Diagnostic>> {
        Header::parse("x.pir", &lines(text)[0])
    }

    #[test]
    fn a_run_is_a_command_line_with_its_quotes() {
        let run = |text: &str| match parse(&format!("// {text}")) {
            Some(Ok(Header::Run(pipeline))) => pipeline,
            other => panic!("{other:?}"),
        };
        assert_eq!(run("run: -p 'a{b=1},c'"), "a{b=1},c");
        assert_eq!(run("run: --pipeline=a"), "a");
        assert_eq!(run(r#"run: pirogue opt -p "a""#), "a");
        assert_eq!(run(r#"reproduce: pirogue opt -p 'a{b="it'\''s"}'"#), r#"a{b="it's"}"#);
    }

    #[test]
    fn what_is_no_command_line_is_refused() {
        for text in ["", "-p", "-p 'a", "-p '", "a,b", "-p a --emit json", "--emit json"] {
            let refused = parse(&format!("// run: {text}")).expect("it is a header");
            assert!(refused.is_err(), "{text}");
        }
    }

    #[test]
    fn prose_is_no_header_and_a_slip_is_one() {
        for prose in ["// Origin: Paddle", "// after `x`: this", "// see https://x", "// none"] {
            assert_eq!(parse(prose), None, "{prose}");
        }
        let help = |text: &str| parse(text).unwrap().unwrap_err().help.unwrap_or_default();
        assert_eq!(help("// shwo: diff"), "did you mean `show`?");
        assert_eq!(help("// pipeline: a"), "did you mean `run`?");
        assert!(help("// origin: Paddle").contains("capital"));
    }
}
