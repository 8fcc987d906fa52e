//! Texts without the numbers of values, to be compared.
//!
//! An op more, and each value behind it has another number, though nothing that counts has changed.
//! So values are numbered by where a text first has them: what reads what still counts. The same
//! goes for the index in the generated names `var_{index}_{op}_{result}`. In what is said of a line,
//! the column and the width of what is underlined do not count.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A text as it counts.
pub fn blind(text: &str) -> String {
    let mut names = Names::default();
    let lines: Vec<String> =
        text.trim_end().lines().map(|line| blind_line(line, &mut names)).collect();
    lines.join("\n")
}

fn blind_line(line: &str, names: &mut Names) -> String {
    let line = line.trim_end();
    if line.trim_start().starts_with("-->") {
        let place = line.trim_start();
        return place.rsplit_once(':').map_or(place, |(place, _)| place).to_owned();
    }
    let out = names.numbered(line);
    if out.trim_start().starts_with('|') { squeezed(&out) } else { out }
}

/// A run of blanks or of the same sign is one.
fn squeezed(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if !(" ^-".contains(c) && out.ends_with(c)) {
            out.push(c);
        }
    }
    out
}

/// The names of values met so far.
#[derive(Default)]
struct Names {
    met: IndexSet<String, FxBuildHasher>,
}

impl Names {
    fn numbered(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let length = match name_length(rest, &out) {
                Some(length) => {
                    out.push_str(if c == '%' { "%" } else { "var_" });
                    out += &self.met.insert_full(rest[..length].to_owned()).0.to_string();
                    length
                }
                None => {
                    out.push(c);
                    c.len_utf8()
                }
            };
            rest = &rest[length..];
        }
        out
    }
}

/// How long the name is that `rest` begins with: `%12`, `%arg_0`, `%+3`, or `var_12` of a generated
/// name. A kwarg goes by its keyword.
fn name_length(rest: &str, before: &str) -> Option<usize> {
    if let Some(word) = rest.strip_prefix('%') {
        let word = word.strip_prefix('+').unwrap_or(word);
        let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
        let is_value = end > 0 && !word.starts_with("kwarg_");
        return is_value.then(|| rest.len() - word.len() + end);
    }
    let digits = rest.strip_prefix("var_").filter(|_| begins_a_word(before))?;
    let behind = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_generated = behind.len() < digits.len() && behind.starts_with('_');
    is_generated.then(|| rest.len() - behind.len())
}

fn begins_a_word(before: &str) -> bool {
    before.ends_with("%kwarg_")
        || !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_count_and_wires_do() {
        assert_eq!(blind("(%3) = a (%1, %arg_0)"), blind("(%7) = a (%2, %arg_4)\n"));
        assert_ne!(blind("(%3) = a (%1, %1)"), blind("(%3) = a (%1, %2)"));
        assert_eq!(blind("(%+0) = a (%0)"), blind("(%+5) = a (%1)"));
        assert_eq!(blind("(%x) = a"), blind("(%0) = a"));
        assert_ne!(blind("%kwarg_a {}"), blind("%kwarg_b {}"));
        assert_ne!(blind("{n:1}"), blind("{n:2}"));
    }

    #[test]
    fn the_index_of_a_generated_name_does_not_count() {
        assert_eq!(blind("%kwarg_var_6_a_0 {}"), blind("%kwarg_var_7_a_0 {}"));
        assert_ne!(blind("var_6_a_0 var_6_a_0"), blind("var_6_a_0 var_7_a_0"));
        for kept in ["covar_6_a", "var_6", "var_x_1", "é"] {
            assert_eq!(blind(kept), kept);
        }
    }

    #[test]
    fn columns_and_widths_do_not_count() {
        let said = |number: u32| {
            let before = format!("(%{number}) = ");
            let indent = " ".repeat(before.len());
            format!(" --> x.pir:3:{}\n  |\n3 | {before}x\n  | {indent}^ here\n", before.len())
        };
        assert_eq!(blind(&said(1)), blind(&said(100)));
        assert_ne!(blind("--> x.pir:3:1"), blind("--> x.pir:4:1"));
    }
}
