//! A JSON text as a flat table of its values, in the order in which they stand.
//!
//! `serde_json` is not used to read programs, for two reasons: it refuses lists and objects that
//! nest deeper than 128, which a `switch_case` of 21 cases does; and it forgets where a value stood,
//! while a fault of a program is found long after its JSON was read.
//!
//! A [`Document`] decides nothing about programs. Its invariants:
//! - all strings and numbers are well formed, so they are decoded only when they are asked for;
//! - a value is followed by what it holds, and knows where that ends: an object holds keys and
//!   values in turn;
//! - memory is linear in the text: sixteen bytes for each value and key.

use std::borrow::Cow;
use std::ops::Range;

use super::fault::{Fault, ReadError};

/// What a value is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    True,
    False,
    Integer,
    Float,
    Text,
    List,
    Object,
}

impl Kind {
    /// What a message calls it.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Null => "`null`",
            Self::True | Self::False => "a truth value",
            Self::Integer => "an integer",
            Self::Float => "a number with a fraction",
            Self::Text => "a string",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

#[derive(Copy, Clone)]
pub(super) struct Node {
    pub(super) start: u32,
    pub(super) end: u32,
    /// The first node behind this one and all that it holds.
    pub(super) next: u32,
    pub(super) kind: Kind,
}

/// A whole text; see the [module](self).
pub(super) struct Document<'s> {
    pub(super) text: &'s str,
    pub(super) nodes: Vec<Node>,
}

impl Document<'_> {
    /// The outermost value.
    pub(super) fn root(&self) -> Json<'_> {
        Json { document: self, index: 0 }
    }

    /// The value of an index that a [`Fault`] keeps.
    pub(super) fn at(&self, index: u32) -> Json<'_> {
        Json { document: self, index }
    }
}

/// A value of a document.
#[derive(Copy, Clone)]
pub(super) struct Json<'d> {
    document: &'d Document<'d>,
    index: u32,
}

/// # What it is
impl<'d> Json<'d> {
    fn node(self) -> Node {
        self.document.nodes[self.index as usize]
    }

    pub(super) fn kind(self) -> Kind {
        self.node().kind
    }

    pub(super) fn span(self) -> Range<usize> {
        self.node().start as usize..self.node().end as usize
    }

    /// The text it was read from.
    pub(super) fn raw(self) -> &'d str {
        &self.document.text[self.span()]
    }

    /// The same value without the blanks that stand between its parts.
    pub(super) fn compact(self) -> String {
        let mut out = String::new();
        let mut quoted = false;
        let mut escaped = false;
        for letter in self.raw().chars() {
            if quoted || !letter.is_ascii_whitespace() {
                out.push(letter);
            }
            match letter {
                '"' if !escaped => quoted = !quoted,
                _ => {}
            }
            escaped = quoted && letter == '\\' && !escaped;
        }
        out
    }

    pub(super) fn fault(self, error: ReadError) -> Fault {
        Fault { at: self.index, error }
    }

    pub(super) fn wrong(self, expected: &'static str) -> Fault {
        self.fault(ReadError::Wrong { expected, found: self.kind().describe() })
    }
}

/// # What it holds
impl<'d> Json<'d> {
    /// The values of a list.
    pub(super) fn list(self) -> Result<Items<'d>, Fault> {
        match self.kind() {
            Kind::List => Ok(self.inside()),
            _ => Err(self.wrong("a list")),
        }
    }

    /// The values of a list of exactly `N`.
    pub(super) fn list_of<const N: usize>(
        self,
        expected: &'static str,
    ) -> Result<[Self; N], Fault> {
        let items: Vec<Self> = self.list().map_err(|_| self.wrong(expected))?.take(N + 1).collect();
        items.try_into().map_err(|_| self.fault(ReadError::Length { expected }))
    }

    /// The keys and values of an object.
    pub(super) fn entries(self) -> Result<impl Iterator<Item = (Self, Self)> + use<'d>, Fault> {
        if self.kind() != Kind::Object {
            return Err(self.wrong("an object"));
        }
        let mut inside = self.inside();
        Ok(std::iter::from_fn(move || Some((inside.next()?, inside.next()?))))
    }

    fn inside(self) -> Items<'d> {
        Items { document: self.document, at: self.index + 1, end: self.node().next }
    }

    pub(super) fn text(self) -> Result<Cow<'d, str>, Fault> {
        match self.kind() {
            Kind::Text => Ok(unescape(&self.raw()[1..self.raw().len() - 1])),
            _ => Err(self.wrong("a string")),
        }
    }

    pub(super) fn truth(self) -> Result<bool, Fault> {
        match self.kind() {
            Kind::True => Ok(true),
            Kind::False => Ok(false),
            _ => Err(self.wrong("`true` or `false`")),
        }
    }

    /// An integer of at most 64 bits.
    pub(super) fn integer(self) -> Result<i64, Fault> {
        match self.kind() {
            Kind::Integer => {
                let error = ReadError::OutOfRange { kind: "a 64-bit integer" };
                self.raw().parse().map_err(|_| self.fault(error))
            }
            _ => Err(self.wrong("an integer")),
        }
    }

    /// A number that a double can be near to.
    pub(super) fn number(self) -> Result<f64, Fault> {
        let value: f64 = match self.kind() {
            Kind::Integer | Kind::Float => self.raw().parse().expect("numbers are well formed"),
            _ => return Err(self.wrong("a number")),
        };
        match value.is_finite() {
            true => Ok(value),
            false => Err(self.fault(ReadError::OutOfRange { kind: "a double" })),
        }
    }

    pub(super) fn integers(self) -> Result<Vec<i64>, Fault> {
        self.list()?.map(Self::integer).collect()
    }
}

/// # Where it stands
impl Json<'_> {
    /// The way to it from the outermost value: `program.regions[0].blocks[0].ops[17]`.
    pub(super) fn path(self) -> String {
        let mut path = String::new();
        let mut around = self.document.root();
        while around.index != self.index {
            let Some(step) = around.step_towards(self.index, &mut path) else { break };
            around = step;
        }
        path
    }

    fn step_towards(self, target: u32, path: &mut String) -> Option<Self> {
        let holds = |item: &Self| item.index <= target && target < item.node().next;
        match self.kind() {
            Kind::Object => {
                let (key, value) =
                    self.entries().ok()?.find(|(key, value)| holds(key) || holds(value))?;
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&key.text().ok()?);
                (!holds(&key)).then_some(value)
            }
            _ => {
                let (index, item) = self.inside().enumerate().find(|(_, item)| holds(item))?;
                path.push_str(&format!("[{index}]"));
                Some(item)
            }
        }
    }
}

/// Values that stand side by side.
#[derive(Clone)]
pub(super) struct Items<'d> {
    document: &'d Document<'d>,
    at: u32,
    end: u32,
}

impl<'d> Iterator for Items<'d> {
    type Item = Json<'d>;

    fn next(&mut self) -> Option<Json<'d>> {
        let item =
            (self.at < self.end).then_some(Json { document: self.document, index: self.at })?;
        self.at = item.node().next;
        Some(item)
    }
}

/// Decodes what stands between quotes and is well formed.
fn unescape(raw: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', raw.as_bytes()) else { return Cow::Borrowed(raw) };
    let mut out = raw[..first].to_owned();
    let mut rest = &raw[first..];
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let (letter, length) = unescape_one(&rest[at..]);
        out.push(letter);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The character that an escape stands for, and the length of the escape.
fn unescape_one(escape: &str) -> (char, usize) {
    let letter = match escape.as_bytes()[1] {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unescape_unicode(escape),
        other => char::from(other),
    };
    (letter, 2)
}

/// `\u00e9`, or two such for a character beyond 16 bits.
fn unescape_unicode(escape: &str) -> (char, usize) {
    let unit = |at: usize| {
        escape.get(at + 2..at + 6).and_then(|digits| u16::from_str_radix(digits, 16).ok())
    };
    let units = [unit(0), unit(6)].map(|unit| unit.unwrap_or_default());
    match char::decode_utf16(units).next() {
        Some(Ok(letter)) => (letter, 6 * letter.len_utf16()),
        _ => (char::REPLACEMENT_CHARACTER, 6),
    }
}
