//! Writing JSON as Paddle does (with nlohmann's `json`): the same blanks, escapes and digits.
//!
//! The caller opens and closes, in the order of the keys: nlohmann sorts them by their bytes.

use super::Layout;
use crate::json::codes::ADDED;
use crate::json::document::{Json, Kind};

/// A JSON text that grows.
pub(in crate::json) struct Emitter {
    pub(super) out: Vec<u8>,
    layout: Layout,
    depth: usize,
    /// Whether a list or an object was opened and nothing written into it.
    fresh: bool,
}

/// Where an emitter stood.
pub(super) struct Mark {
    length: usize,
    depth: usize,
    fresh: bool,
}

/// # Lists and objects
impl Emitter {
    pub(in crate::json) fn new(layout: Layout) -> Self {
        Self { out: Vec::new(), layout, depth: 0, fresh: true }
    }

    pub(in crate::json) fn into_text(self) -> String {
        String::from_utf8(self.out).expect("only text is written")
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { length: self.out.len(), depth: self.depth, fresh: self.fresh }
    }

    /// Forgets what was written since.
    pub(super) fn back_to(&mut self, mark: Mark) {
        self.out.truncate(mark.length);
        (self.depth, self.fresh) = (mark.depth, mark.fresh);
    }

    pub(in crate::json) fn open_object(&mut self) {
        self.open(b'{');
    }

    /// Opens `{"#":code`.
    pub(in crate::json) fn open_coded(&mut self, code: &str) {
        self.open(b'{');
        self.key("#");
        self.string(code);
    }

    pub(in crate::json) fn open_list(&mut self) {
        self.open(b'[');
    }

    pub(in crate::json) fn close_object(&mut self) {
        self.close(b'}');
    }

    pub(in crate::json) fn close_list(&mut self) {
        self.close(b']');
    }

    fn open(&mut self, bracket: u8) {
        self.out.push(bracket);
        self.depth += 1;
        self.fresh = true;
    }

    fn close(&mut self, bracket: u8) {
        self.depth -= 1;
        if !self.fresh {
            self.new_line();
        }
        self.out.push(bracket);
        self.fresh = false;
    }

    /// Begins the next value of a list.
    pub(in crate::json) fn item(&mut self) {
        if !self.fresh {
            self.out.push(b',');
        }
        self.fresh = false;
        self.new_line();
    }

    /// Begins the next entry of an object.
    pub(in crate::json) fn key(&mut self, key: &str) {
        self.item();
        self.string(key);
        self.out.push(b':');
        if self.layout == Layout::Indented {
            self.out.push(b' ');
        }
    }

    fn new_line(&mut self) {
        if self.layout == Layout::Indented {
            self.out.push(b'\n');
            (0..self.depth).for_each(|_| self.out.extend_from_slice(b"    "));
        }
    }
}

/// # Values
impl Emitter {
    pub(in crate::json) fn string(&mut self, text: &str) {
        self.out.push(b'"');
        for byte in text.bytes() {
            match byte {
                b'"' | b'\\' => self.out.extend([b'\\', byte]),
                0x08 => self.out.extend(b"\\b"),
                0x0c => self.out.extend(b"\\f"),
                b'\n' => self.out.extend(b"\\n"),
                b'\r' => self.out.extend(b"\\r"),
                b'\t' => self.out.extend(b"\\t"),
                0..0x20 => self.out.extend(format!("\\u{byte:04x}").bytes()),
                _ => self.out.push(byte),
            }
        }
        self.out.push(b'"');
    }

    pub(in crate::json) fn strings<T: AsRef<str>>(&mut self, strings: &[T]) {
        self.open_list();
        for string in strings {
            self.item();
            self.string(string.as_ref());
        }
        self.close_list();
    }

    pub(in crate::json) fn truth(&mut self, value: bool) {
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
    }

    pub(in crate::json) fn integer(&mut self, value: i64) {
        self.out.extend(value.to_string().bytes());
    }

    pub(in crate::json) fn unsigned(&mut self, value: u64) {
        self.out.extend(value.to_string().bytes());
    }

    pub(in crate::json) fn integers(&mut self, integers: &[i64]) {
        self.open_list();
        for &integer in integers {
            self.item();
            self.integer(integer);
        }
        self.close_list();
    }

    /// A finite number.
    pub(in crate::json) fn double(&mut self, value: f64) {
        write_double(value, &mut self.out);
    }

    /// The key that Paddle's reader ignores, with words that say what Paddle's format cannot.
    pub(super) fn added_words(&mut self, words: &[&str]) {
        if !words.is_empty() {
            self.key(ADDED);
            self.strings(words);
        }
    }

    /// A value that was read, in the layout of this text.
    pub(super) fn copy(&mut self, json: Json<'_>) {
        match json.kind() {
            Kind::List => {
                self.open_list();
                for item in json.list().into_iter().flatten() {
                    self.item();
                    self.copy(item);
                }
                self.close_list();
            }
            Kind::Object => {
                self.open_object();
                for (key, value) in json.entries().into_iter().flatten() {
                    self.key(&key.text().unwrap_or_default());
                    self.copy(value);
                }
                self.close_object();
            }
            _ => self.out.extend_from_slice(json.raw().as_bytes()),
        }
    }
}

/// Appends a finite double: the fewest digits that read back as the same number, laid out as
/// nlohmann's `json` does, with an exponent outside of 1e-4 <= |value| < 1e15.
fn write_double(value: f64, out: &mut Vec<u8>) {
    /// Numbers of no more digits before the point are written without an exponent.
    const MOST_DIGITS: i32 = 15;
    /// So are numbers with fewer zeros than this behind it.
    const MOST_ZEROS: i32 = 4;
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("`{:e}` writes an exponent");
    let exponent: i32 = exponent.parse().expect("`{:e}` writes a decimal exponent");
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let digits = mantissa.replace('.', "");
    let count = digits.len() as i32;
    let before_point = exponent + 1;
    let text = if count <= before_point && before_point <= MOST_DIGITS {
        format!("{digits}{}.0", "0".repeat((before_point - count) as usize))
    } else if (1..=MOST_DIGITS).contains(&before_point) {
        let (whole, fraction) = digits.split_at(before_point as usize);
        format!("{whole}.{fraction}")
    } else if (1 - MOST_ZEROS..=0).contains(&before_point) {
        format!("0.{}{digits}", "0".repeat(-before_point as usize))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{mantissa}e{sign}{:02}", exponent.abs())
    };
    out.extend(sign.bytes());
    out.extend(text.bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::document::Document;

    fn double(value: f64) -> String {
        let mut out = Vec::new();
        write_double(value, &mut out);
        String::from_utf8(out).expect("ASCII")
    }

    /// What Paddle 3.3.1 wrote for these numbers.
    #[test]
    fn doubles_are_laid_out_as_paddle_writes_them() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-100.5, "-100.5"),
            (f64::from(1e-5_f32), "9.999999747378752e-06"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (0.00012345, "0.00012345"),
            (1e14, "100000000000000.0"),
            (123456789012345.0, "123456789012345.0"),
            (1e15, "1e+15"),
            (1.5e300, "1.5e+300"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
        ] {
            assert_eq!(double(value), text);
        }
    }

    #[test]
    fn both_layouts_hold_the_same_values() {
        let text = r#"{"a":[1,[],{}],"b":{"c":"\u0001\n\"\\é/"}}"#;
        let indented = "{\n    \"a\": [\n        1,\n        [],\n        {}\n    ],\n    \"b\": {\n        \"c\": \"\\u0001\\n\\\"\\\\é/\"\n    }\n}";
        let copied = |text: &str, layout| {
            let document = Document::parse(text).expect("JSON");
            let mut out = Emitter::new(layout);
            out.copy(document.root());
            out.into_text()
        };
        assert_eq!(copied(text, Layout::Indented), indented);
        assert_eq!(copied(indented, Layout::Compact), text);
    }
}
