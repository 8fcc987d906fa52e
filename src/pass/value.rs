//! Option values as pipeline text spells them.
//!
//! Integers, decimal numbers, `true`, `false`, `null`, bare words, "strings" and `[lists]`. A word is
//! bare where reading it back gives the same string: [`value_text`] is the inverse of the reader.

use serde_json::{Number, Value};

/// Whether a character may stand in a bare word.
pub(super) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || "_-.:*/+@%?$".contains(c)
}

/// What a bare word means.
pub(super) fn word_value(word: &str) -> Value {
    match word {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" => Value::Null,
        _ => number(word).map_or_else(|| Value::String(word.to_owned()), Value::Number),
    }
}

/// Whether a word is spelled as a number, one that does not fit included.
pub(super) fn is_number_like(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let is_digit_or_sign = |c: char| c.is_ascii_digit() || "eE+-.".contains(c);
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(is_digit_or_sign)
}

fn number(word: &str) -> Option<Number> {
    if !is_number_like(word) {
        return None;
    }
    let integer = word.parse::<u64>().ok().map(Number::from);
    let integer = integer.or_else(|| word.parse::<i64>().ok().map(Number::from));
    integer.or_else(|| decimal(word))
}

/// An integer that is too large is no decimal number: it would lose digits.
fn decimal(word: &str) -> Option<Number> {
    word.contains(['.', 'e', 'E']).then(|| word.parse().ok().and_then(Number::from_f64)).flatten()
}

/// A value as pipeline text.
pub(super) fn value_text(value: &Value) -> String {
    let mut text = String::new();
    write_value(&mut text, value);
    text
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::String(string) if is_bare(string) => out.push_str(string),
        Value::String(string) => write_quoted(out, string),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write_value(out, item);
            }
            out.push(']');
        }
        // Tables cannot be said in a pipeline; no option of a registered pass is one.
        plain => out.push_str(&plain.to_string()),
    }
}

fn is_bare(string: &str) -> bool {
    !string.is_empty()
        && string.chars().all(is_word_char)
        && word_value(string).is_string()
        && !is_number_like(string)
}

fn write_quoted(out: &mut String, string: &str) {
    out.push('"');
    for c in string.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// What a value is, for messages.
pub(super) fn kind_text(value: &Value) -> &'static str {
    match value {
        Value::Null => "`null`",
        Value::Bool(_) => "a truth value",
        Value::Number(number) if number.is_f64() => "a decimal number",
        Value::Number(_) => "an integer",
        Value::String(_) => "a word",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_read_as_something_else_are_quoted() {
        let text = |string: &str| value_text(&Value::from(string));
        assert_eq!(text("gpu:0"), "gpu:0");
        assert_eq!(text("1F1B"), "1F1B");
        for other in ["", "true", "null", "7", "-1", "1e5", "99999999999999999999", "a b", "x=y"] {
            assert_eq!(text(other), format!("\"{other}\""));
        }
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(value_text(&Value::from("a\n\"\u{7}")), r#""a\n\"\u{7}""#);
    }

    #[test]
    fn an_integer_past_64_bits_is_not_a_number() {
        assert!(word_value("18446744073709551615").is_u64());
        assert!(word_value("18446744073709551616").is_string());
        assert!(word_value("0.5").is_f64());
    }
}
