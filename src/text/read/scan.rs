//! A position in the bytes of a text, and how far things reach from it.

use memchr::{memchr, memchr3};

/// How a `\"` inside a string is read. Paddle escapes `"` but not `\`, so a string that ends in a
/// backslash looks as if it went on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Quote {
    /// `\"` is a quote inside the string.
    Escaped,
    /// `\"` before `,`, `]` or `}` is a backslash and the end of the string.
    Closing,
}

/// A position in a text.
#[derive(Copy, Clone)]
pub(super) struct Scanner<'t> {
    pub(super) text: &'t [u8],
    pub(super) pos: usize,
    /// Whether a string with a `\"` was stepped over since this was last cleared.
    pub(super) met_escape: bool,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, pos: 0, met_escape: false }
    }

    /// The byte here, or 0 at the end: no token begins with a zero byte.
    #[inline]
    pub(super) fn peek(&self) -> u8 {
        self.text.get(self.pos).copied().unwrap_or(0)
    }

    pub(super) fn at_end(&self) -> bool {
        self.pos >= self.text.len()
    }

    pub(super) fn rest(&self) -> &'t [u8] {
        &self.text[self.pos.min(self.text.len())..]
    }

    /// Steps over `token` if it is here.
    #[inline]
    pub(super) fn eat(&mut self, token: &[u8]) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.pos += token.len();
        }
        found
    }

    /// Steps over blanks within a line.
    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r') {
            self.pos += 1;
        }
    }

    /// Steps over blanks, then over `token` if it is here.
    #[inline]
    pub(super) fn eat_blank(&mut self, token: &[u8]) -> bool {
        if self.eat(token) {
            return true;
        }
        self.skip_blanks();
        self.eat(token)
    }

    /// The position of the next line feed, or the end of the text.
    pub(super) fn line_end(&self) -> usize {
        memchr(b'\n', self.rest()).map_or(self.text.len(), |at| self.pos + at)
    }

    /// Steps over digits; their value, if there are any and it fits.
    #[inline]
    pub(super) fn number(&mut self) -> Option<u32> {
        let start = self.pos;
        let mut value: u32 = 0;
        while let digit @ b'0'..=b'9' = self.peek() {
            value = value.checked_mul(10)?.checked_add(u32::from(digit - b'0'))?;
            self.pos += 1;
        }
        (self.pos > start).then_some(value)
    }

    /// Steps over the string that begins here with `"`; its raw bytes between the quotes.
    pub(super) fn string(&mut self, quote: Quote) -> Option<&'t [u8]> {
        let start = self.pos + 1;
        let mut at = start;
        loop {
            at += memchr(b'"', self.text.get(at..)?)?;
            let escaped = at > start && self.text[at - 1] == b'\\';
            self.met_escape |= escaped;
            let closes = match quote {
                _ if !escaped => true,
                Quote::Escaped => false,
                Quote::Closing => matches!(self.text.get(at + 1), Some(b',' | b']' | b'}')),
            };
            if closes {
                self.pos = at + 1;
                return Some(&self.text[start..at]);
            }
            at += 1;
        }
    }

    /// Steps over the `{...}` that begins here; strings inside may hold braces.
    pub(super) fn braces(&mut self, quote: Quote) -> Option<&'t [u8]> {
        let start = self.pos;
        let mut depth = 0usize;
        loop {
            self.pos += memchr3(b'"', b'{', b'}', self.rest())?;
            match self.peek() {
                b'"' => {
                    self.string(quote)?;
                    continue;
                }
                b'{' => depth += 1,
                _ => depth -= 1,
            }
            self.pos += 1;
            if depth == 0 {
                return Some(&self.text[start..self.pos]);
            }
        }
    }
}

/// The length of the item that `text` begins with: up to a `,` or a closing bracket that belongs
/// to what is around it. Brackets of all four kinds nest; an arrow is not a bracket.
pub(super) fn item_length(text: &[u8]) -> usize {
    let mut depth = 0usize;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'<' | b'[' | b'(' | b'{' => depth += 1,
            b'>' if at > 0 && text[at - 1] == b'-' => {}
            b'>' | b']' | b')' | b'}' if depth == 0 => return at,
            b'>' | b']' | b')' | b'}' => depth -= 1,
            b',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_before_the_last_quote_is_read_both_ways() {
        let text = br#""a\",b:"c"}"#;
        assert_eq!(Scanner::new(text).string(Quote::Escaped), Some(&br#"a\",b:"#[..]));
        assert_eq!(Scanner::new(text).string(Quote::Closing), Some(&br#"a\"#[..]));
    }

    #[test]
    fn braces_in_strings_do_not_count() {
        let mut scanner = Scanner::new(br#"{a:"}{",b:{c:1}} : "#);
        assert_eq!(scanner.braces(Quote::Escaped), Some(&br#"{a:"}{",b:{c:1}}"#[..]));
        assert_eq!(Scanner::new(br#"{a:"}""#).braces(Quote::Escaped), None);
    }

    #[test]
    fn an_item_ends_at_its_own_comma_or_closing_bracket() {
        assert_eq!(item_length(b"vec[f32,f32], f32"), 12);
        assert_eq!(item_length(b"pd_dist.tensor<8xf32, a:[1]>) -> f32"), 28);
        assert_eq!(item_length(b"<<NULL TYPE>>, f32"), 13);
    }
}
