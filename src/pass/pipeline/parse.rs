//! Reading pipeline text.
//!
//! ```text
//! pipeline := [element {"," element}]
//! element  := "jobs" ["[" glob {"," glob} "]"] "(" pipeline ")"  |  name ["{" {option} "}"]
//! option   := name "=" value                     options have white space between
//! value    := word | "string" | "[" [value {"," value}] "]"
//! ```
//!
//! A word is an integer, a number, `true`, `false`, `null` or itself. White space, line ends
//! included, may stand between any two of these. The first fault ends reading: a pipeline is short.

use std::ops::Range;

use serde_json::Value;

use super::source::Source;
use crate::diagnostic::Diagnostic;
use crate::pass::registry::is_name_char;
use crate::pass::value::{is_number_like, is_word_char, word_value};

/// How deep `jobs(...)` and lists may nest.
const DEPTH: usize = 16;
/// How many bytes a pipeline may have: names are looked up and compared, so that a text without
/// end would take time without end.
const LENGTH: usize = 64 << 10;

/// A name, and where it stands.
pub(super) struct Spanned<T> {
    pub(super) value: T,
    pub(super) range: Range<usize>,
}

/// `name=value`.
pub(super) struct OptionText {
    pub(super) name: Spanned<String>,
    pub(super) value: Spanned<Value>,
}

/// One part of a pipeline, as it is spelled.
pub(super) enum Element {
    /// `name{option=value}`.
    Pass { name: Spanned<String>, options: Vec<OptionText> },
    /// `jobs[glob](...)`.
    Jobs { globs: Vec<String>, inner: Vec<Element>, range: Range<usize> },
}

/// Reads the text of a pipeline.
pub(super) fn parse(text: &str) -> Parsed<Vec<Element>> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    if text.len() > LENGTH {
        let message = format!("a pipeline has at most {LENGTH} bytes, this one has {}", text.len());
        return Err(parser.fault(message, 0..1).into());
    }
    let elements = parser.elements()?;
    match parser.peek() {
        None => Ok(elements),
        Some(c) => Err(parser.unexpected(c, "`,` or the end")),
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// # Characters
impl Parser<'_> {
    /// The next character that is no white space.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    /// Passes over `c` if it is next.
    fn accept(&mut self, c: char) -> bool {
        let is_next = self.peek() == Some(c);
        if is_next {
            self.at += c.len_utf8();
        }
        is_next
    }

    fn expect(&mut self, c: char, wanted: &str) -> Parsed<()> {
        if self.accept(c) { Ok(()) } else { Err(self.expected(wanted)) }
    }

    fn take_while(&mut self, is_in: impl Fn(char) -> bool) -> Spanned<String> {
        let start = self.at;
        let rest = &self.text[start..];
        let end = start + rest.find(|c| !is_in(c)).unwrap_or(rest.len());
        self.at = end;
        Spanned { value: self.text[start..end].to_owned(), range: start..end }
    }

    fn name(&mut self, wanted: &str) -> Parsed<Spanned<String>> {
        match self.peek() {
            Some(c) if is_name_char(c) => Ok(self.take_while(is_name_char)),
            _ => Err(self.expected(wanted)),
        }
    }
}

/// # Faults
impl Parser<'_> {
    fn expected(&mut self, wanted: &str) -> Box<Diagnostic> {
        match self.peek() {
            Some(c) => self.unexpected(c, wanted),
            None => {
                let message = format!("the pipeline ends where {wanted} should be");
                self.fault(message, self.at..self.at + 1).into()
            }
        }
    }

    fn unexpected(&self, c: char, wanted: &str) -> Box<Diagnostic> {
        let range = self.at..self.at + c.len_utf8();
        let fault = self.fault(format!("unexpected `{}`", c.escape_debug()), range);
        fault.help(format!("expected {wanted}")).into()
    }

    fn fault(&self, message: String, range: Range<usize>) -> Diagnostic {
        Diagnostic::error("E0501", message).at(Source::new(self.text).place(&range))
    }

    /// Goes a level down; the caller comes up again.
    fn descend(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > DEPTH {
            let range = self.at.saturating_sub(1)..self.at;
            let message = format!("a pipeline nests at most {DEPTH} levels deep");
            return Err(self.fault(message, range).into());
        }
        Ok(())
    }
}

/// # Elements
impl Parser<'_> {
    fn elements(&mut self) -> Parsed<Vec<Element>> {
        let mut elements = Vec::new();
        if matches!(self.peek(), None | Some(')')) {
            return Ok(elements);
        }
        loop {
            elements.push(self.element()?);
            if !self.accept(',') {
                return Ok(elements);
            }
        }
    }

    fn element(&mut self) -> Parsed<Element> {
        let name = self.name("a pass")?;
        if name.value == "jobs" {
            return self.jobs(name.range);
        }
        let options = if self.accept('{') { self.options()? } else { Vec::new() };
        Ok(Element::Pass { name, options })
    }

    fn jobs(&mut self, range: Range<usize>) -> Parsed<Element> {
        let globs = if self.accept('[') { self.globs()? } else { Vec::new() };
        self.expect('(', "`(` and the passes to run on each program")?;
        self.descend()?;
        let inner = self.elements()?;
        self.depth -= 1;
        self.expect(')', "`,` or `)`")?;
        Ok(Element::Jobs { globs, inner, range })
    }

    fn globs(&mut self) -> Parsed<Vec<String>> {
        let mut globs = Vec::new();
        loop {
            match self.peek() {
                Some(c) if is_word_char(c) => globs.push(self.take_while(is_word_char).value),
                _ => return Err(self.expected("a pattern of job types, such as `forward*`")),
            }
            if !self.accept(',') {
                self.expect(']', "`,` or `]`")?;
                return Ok(globs);
            }
        }
    }

    fn options(&mut self) -> Parsed<Vec<OptionText>> {
        let mut options: Vec<OptionText> = Vec::new();
        while !self.accept('}') {
            let name = self.name("an option or `}`")?;
            if options.iter().any(|earlier| earlier.name.value == name.value) {
                let message = format!("option `{}` is given twice", name.value);
                let place = Source::new(self.text).place(&name.range);
                let fault = Diagnostic::error("E0506", message).at(place);
                return Err(fault.help("keep one of them").into());
            }
            self.expect('=', "`=` and a value")?;
            let value = self.value()?;
            options.push(OptionText { name, value });
            if self.peek() == Some(',') {
                return Err(self.unexpected(',', "`}` or white space and another option"));
            }
        }
        Ok(options)
    }
}

/// # Values
impl Parser<'_> {
    fn value(&mut self) -> Parsed<Spanned<Value>> {
        match self.peek() {
            Some('"') => self.string(),
            Some('[') => self.list(),
            Some(c) if is_word_char(c) => self.word(),
            _ => Err(self.expected("a value")),
        }
    }

    fn word(&mut self) -> Parsed<Spanned<Value>> {
        let word = self.take_while(is_word_char);
        let value = word_value(&word.value);
        if value.is_string() && is_number_like(&word.value) {
            let message = format!("`{}` is not a number that fits 64 bits", word.value);
            let help = "a number too long or misspelled; for a string, put it in quotes";
            return Err(self.fault(message, word.range).help(help).into());
        }
        Ok(Spanned { value, range: word.range })
    }

    fn list(&mut self) -> Parsed<Spanned<Value>> {
        let start = self.at;
        self.at += 1;
        self.descend()?;
        let mut items = Vec::new();
        if !self.accept(']') {
            loop {
                items.push(self.value()?.value);
                if !self.accept(',') {
                    break;
                }
            }
            self.expect(']', "`,` or `]`")?;
        }
        self.depth -= 1;
        Ok(Spanned { value: Value::Array(items), range: start..self.at })
    }

    fn string(&mut self) -> Parsed<Spanned<Value>> {
        let start = self.at;
        self.at += 1;
        let mut string = String::new();
        loop {
            let Some(c) = self.next_in_string() else {
                let fault = self.fault("a string has no end".to_owned(), start..start + 1);
                return Err(fault.into());
            };
            match c {
                '"' => return Ok(Spanned { value: string.into(), range: start..self.at }),
                '\\' => string.push(self.escape()?),
                c => string.push(c),
            }
        }
    }

    fn next_in_string(&mut self) -> Option<char> {
        let c = self.text[self.at..].chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// What stands behind a `\`.
    fn escape(&mut self) -> Parsed<char> {
        let start = self.at - 1;
        let escaped = match self.next_in_string() {
            Some(c @ ('"' | '\\')) => Some(c),
            Some('n') => Some('\n'),
            Some('t') => Some('\t'),
            Some('r') => Some('\r'),
            Some('u') => self.code_point(),
            _ => None,
        };
        escaped.ok_or_else(|| {
            self.fault("an unknown escape in a string".to_owned(), start..self.at)
                .help("known are `\\\"`, `\\\\`, `\\n`, `\\t`, `\\r` and `\\u{1f}`")
                .into()
        })
    }

    /// The `{1f}` of `\u{1f}`.
    fn code_point(&mut self) -> Option<char> {
        let rest = self.text[self.at..].strip_prefix('{')?;
        let digits = &rest[..rest.find('}')?];
        self.at += digits.len() + 2;
        let is_short = digits.len() <= 6 && digits.chars().all(|c| c.is_ascii_hexdigit());
        is_short.then(|| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)).flatten()
    }
}
