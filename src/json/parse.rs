//! The syntax of JSON: from a text to a [`Document`].
//!
//! Without recursion, so that depth costs no stack; it is bounded all the same, since those who
//! walk a document may recurse.

use super::document::{Document, Kind, Node};
use super::fault::{Flaw, ReadError};

/// How deep lists and objects may nest. An op in a region stands six deeper than the op around it,
/// so this leaves room for the 200 regions that may nest in text.
pub(super) const DEPTH: usize = 1300;

impl<'s> Document<'s> {
    /// Reads a whole text.
    pub(super) fn parse(text: &'s str) -> Result<Self, Flaw> {
        if u32::try_from(text.len()).is_err() {
            return Err(Flaw { span: 0..1, error: ReadError::TooLarge });
        }
        // Values and keys of compact programs are near 6 bytes long.
        let nodes = Vec::with_capacity(text.len() / 6 + 16);
        let mut parser = Parser { text, pos: 0, nodes, open: Vec::new() };
        parser.document()?;
        Ok(Self { text, nodes: parser.nodes })
    }
}

struct Parser<'s> {
    text: &'s str,
    pos: usize,
    nodes: Vec<Node>,
    /// The lists and objects around the position.
    open: Vec<u32>,
}

type Parsed = Result<(), Flaw>;

/// # Lists and objects
impl Parser<'_> {
    fn document(&mut self) -> Parsed {
        self.value()?;
        while self.advance()? {
            self.value()?;
        }
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end of the file")),
        }
    }

    /// Reads one value; of a list or an object only the bracket that opens it.
    fn value(&mut self) -> Parsed {
        self.blanks();
        match self.peek() {
            Some(b'{') => self.open(Kind::Object),
            Some(b'[') => self.open(Kind::List),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Kind::True),
            Some(b'f') => self.word("false", Kind::False),
            Some(b'n') => self.word("null", Kind::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn open(&mut self, kind: Kind) -> Parsed {
        if self.open.len() >= DEPTH {
            let error = ReadError::TooDeep { limit: DEPTH };
            return Err(Flaw { span: self.pos..self.pos + 1, error });
        }
        self.open.push(self.nodes.len() as u32);
        self.push(kind, self.pos + 1);
        Ok(())
    }

    /// Closes what ends here and reads what stands before the next value. `false`: there is none,
    /// the outermost value is complete.
    fn advance(&mut self) -> Result<bool, Flaw> {
        loop {
            self.blanks();
            let Some(&open) = self.open.last() else { return Ok(false) };
            let is_object = self.nodes[open as usize].kind == Kind::Object;
            let is_empty = self.nodes.len() == open as usize + 1;
            match (self.peek(), is_object) {
                (Some(b'}'), true) | (Some(b']'), false) => self.close(open),
                (Some(b','), _) if !is_empty => {
                    self.pos += 1;
                    break;
                }
                _ if is_empty => break,
                (_, true) => return Err(self.unexpected("`,` or `}`")),
                (_, false) => return Err(self.unexpected("`,` or `]`")),
            }
        }
        match self.open.last() {
            Some(&open) if self.nodes[open as usize].kind == Kind::Object => self.key()?,
            _ => {}
        }
        Ok(true)
    }

    fn close(&mut self, open: u32) {
        self.pos += 1;
        self.open.pop();
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[open as usize];
        (node.end, node.next) = (self.pos as u32, next);
    }

    fn key(&mut self) -> Parsed {
        self.blanks();
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in quotes"));
        }
        self.string()?;
        self.blanks();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("`:`"));
        }
        self.pos += 1;
        Ok(())
    }
}

/// # Strings, numbers and words
impl Parser<'_> {
    fn string(&mut self) -> Parsed {
        let bytes = self.text.as_bytes();
        let start = self.pos;
        let mut at = start + 1;
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => at += self.escape_length(at)?,
                Some(0..0x20) => {
                    let error = ReadError::RawControl;
                    return Err(Flaw { span: at..at + 1, error });
                }
                Some(_) => at += 1,
                None => return Err(Flaw { span: start..start + 1, error: ReadError::Unclosed }),
            }
        }
        self.push(Kind::Text, at + 1);
        Ok(())
    }

    fn escape_length(&self, at: usize) -> Result<usize, Flaw> {
        let escape = &self.text.as_bytes()[at..];
        let length = match escape.get(1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Some(2),
            Some(b'u') => match (code_unit(escape), escape.get(6..).and_then(code_unit)) {
                (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => Some(12),
                (None | Some(0xd800..0xe000), _) => None,
                _ => Some(6),
            },
            _ => None,
        };
        length.ok_or(Flaw { span: at..at + 1, error: ReadError::BadEscape })
    }

    /// `-0.5e+10`: no leading zeros, and digits on both sides of a point.
    fn number(&mut self) -> Parsed {
        let bytes = self.text.as_bytes();
        let digits =
            |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut at = self.pos + usize::from(bytes[self.pos] == b'-');
        let whole = digits(at);
        let mut is_good = whole == 1 || (whole > 1 && bytes[at] != b'0');
        at += whole;
        let mut kind = Kind::Integer;
        if bytes.get(at) == Some(&b'.') {
            kind = Kind::Float;
            let fraction = digits(at + 1);
            is_good &= fraction > 0;
            at += 1 + fraction;
        }
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            kind = Kind::Float;
            at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'-' | b'+')));
            let exponent = digits(at);
            is_good &= exponent > 0;
            at += exponent;
        }
        if !is_good {
            return Err(Flaw { span: self.pos..at, error: ReadError::BadNumber });
        }
        self.push(kind, at);
        Ok(())
    }

    fn word(&mut self, word: &str, kind: Kind) -> Parsed {
        if !self.text.as_bytes()[self.pos..].starts_with(word.as_bytes()) {
            return Err(self.unexpected("a value"));
        }
        self.push(kind, self.pos + word.len());
        Ok(())
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.pos += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    /// Adds a node that reaches from here to `end`, and goes on behind it.
    fn push(&mut self, kind: Kind, end: usize) {
        let next = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { start: self.pos as u32, end: end as u32, next, kind });
        self.pos = end;
    }

    fn unexpected(&self, expected: &'static str) -> Flaw {
        let rest = &self.text[self.pos..];
        let length = match rest.chars().next() {
            Some(letter) if !letter.is_ascii_alphanumeric() => letter.len_utf8(),
            _ => rest.bytes().take(20).take_while(u8::is_ascii_alphanumeric).count(),
        };
        let found = match &rest[..length] {
            "" => "the end of the file".to_owned(),
            word => format!("`{word}`"),
        };
        Flaw { span: self.pos..self.pos + length, error: ReadError::Unexpected { expected, found } }
    }
}

/// The number in `\u00e9`.
fn code_unit(escape: &[u8]) -> Option<u16> {
    let digits = escape.strip_prefix(b"\\u")?.get(..4)?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = str::from_utf8(digits).ok().filter(|_| is_hex)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is_refused(text: &str, error: &str, at: usize) {
        let flaw = Document::parse(text).err().expect(text);
        assert_eq!((flaw.error.to_string().as_str(), flaw.span.start), (error, at), "{text}");
    }

    #[test]
    fn values_know_their_kind_extent_and_path() {
        let document =
            Document::parse(r#" {"a" : [1, -2.5e3, {"b\n": null}], "c": {}} "#).expect("JSON");
        let mut entries = document.root().entries().expect("an object");
        let (_, a) = entries.next().expect("a");
        let items: Vec<_> = a.list().expect("a list").collect();
        assert_eq!(items[0].integer().expect("an integer"), 1);
        assert_eq!(items[1].number().expect("a number"), -2500.0);
        let (key, value) = items[2].entries().expect("an object").next().expect("an entry");
        assert_eq!(key.text().expect("a key"), "b\n");
        assert_eq!((value.kind(), value.path().as_str()), (Kind::Null, "a[2].b\n"));
        let (_, c) = entries.next().expect("c");
        assert_eq!((c.raw(), entries.next().is_none()), ("{}", true));
        assert_eq!(document.root().compact(), r#"{"a":[1,-2.5e3,{"b\n":null}],"c":{}}"#);
    }

    #[test]
    fn escapes_are_decoded() {
        let document =
            Document::parse(r#""\u00e9 \ud83d\ude00 \" \\ \/ \b\f\n\r\t é""#).expect("JSON");
        let text = document.root().text().expect("a string");
        assert_eq!(text, "é 😀 \" \\ / \u{8}\u{c}\n\r\t é");
    }

    #[test]
    fn what_is_not_json_is_refused_where_it_goes_wrong() {
        is_refused("", "expected a value, found the end of the file", 0);
        is_refused("[1,]", "expected a value, found `]`", 3);
        is_refused("[1 2]", "expected `,` or `]`, found `2`", 3);
        is_refused(r#"{"a":1,}"#, "expected a key in quotes, found `}`", 7);
        is_refused(r#"{"a" 1}"#, "expected `:`, found `1`", 5);
        is_refused("{]", "expected a key in quotes, found `]`", 1);
        is_refused("[1]]", "expected the end of the file, found `]`", 3);
        is_refused("[nul]", "expected a value, found `nul`", 1);
        is_refused("[01]", "malformed number", 1);
        is_refused("[1.]", "malformed number", 1);
        is_refused("[-]", "malformed number", 1);
        is_refused("[1e]", "malformed number", 1);
        is_refused(r#"["\x"]"#, "malformed escape in a string", 2);
        is_refused(r#"["\ud800"]"#, "malformed escape in a string", 2);
        is_refused("[\"a\nb\"]", "a control character stands unescaped in a string", 3);
        is_refused(r#"["a"#, "a string is not closed before the end of the file", 1);
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(Document::parse(&nested(DEPTH)).is_ok());
        let flaw = Document::parse(&nested(1_000_000)).err().expect("too deep");
        assert_eq!(flaw.error, ReadError::TooDeep { limit: DEPTH });
    }

    #[test]
    fn numbers_out_of_range_are_found_when_they_are_read() {
        let document = Document::parse("[9223372036854775808, 1e999, -0.0]").expect("JSON");
        let items: Vec<_> = document.root().list().expect("a list").collect();
        assert!(items[0].integer().is_err());
        assert!(items[1].number().is_err());
        assert!(items[2].number().is_ok_and(|zero| zero.is_sign_negative()));
    }
}
