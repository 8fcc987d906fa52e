//! Names that a pass makes from the number of a value: `var_6_pd_op.matmul_0`.
//!
//! An op more in front of it, and the number is another one, though nothing that counts has
//! changed.

use std::borrow::Cow;

/// Whether the index in a generated name, `var_{index}_{op}_{result}`, counts.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum GeneratedNames {
    /// It does: names are equal if they are the same text.
    #[default]
    Exact,
    /// It does not, and is printed as `N`.
    AnyIndex,
}

impl GeneratedNames {
    /// A text as it counts.
    pub(super) fn told(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Exact => Cow::Borrowed(text),
            Self::AnyIndex => without_indices(text),
        }
    }
}

/// `var_6_pd_op.matmul_0` ==> `var_N_pd_op.matmul_0`, wherever such a name begins.
fn without_indices(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept = 0;
    for (start, prefix) in text.match_indices("var_") {
        let digits = start + prefix.len();
        let rest = text[digits..].trim_start_matches(|c: char| c.is_ascii_digit());
        let end = text.len() - rest.len();
        if end == digits || !rest.starts_with('_') || is_inside_a_word(&text[..start]) {
            continue;
        }
        out.push_str(&text[kept..digits]);
        out.push('N');
        kept = end;
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

/// Whether a word goes on behind `before`. A kwarg is printed with a prefix, which is no part of it.
fn is_inside_a_word(before: &str) -> bool {
    !before.ends_with("%kwarg_") && before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_index_of_a_generated_name_is_left_out() {
        assert_eq!(without_indices("var_6_pd_op.matmul_0"), "var_N_pd_op.matmul_0");
        assert_eq!(
            without_indices("[\"var_1_a_0\",\"var_22_b_1\"]"),
            "[\"var_N_a_0\",\"var_N_b_1\"]"
        );
        assert_eq!(without_indices("%kwarg_var_6_a_0"), "%kwarg_var_N_a_0");
        for kept in ["x", "var_", "var_6", "var_x_1", "covar_6_x", "my_var_6_x", "é"] {
            assert!(matches!(without_indices(kept), Cow::Borrowed(text) if text == kept));
        }
    }
}
