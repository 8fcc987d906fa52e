//! When two names, types or attributes mean the same to a diff.

use std::borrow::Cow;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::{DiffOptions, GeneratedNames};
use crate::ir::{Attr, Context, Dict, Name, Numbers, Op, Program, Type, names};
use crate::text::{attr_text, type_text};

/// Gives what means the same the same number. Both programs have this context.
pub(super) struct Classes<'p> {
    context: &'p Context,
    options: DiffOptions,
    attrs: Vec<Option<u32>>,
    types: Vec<Option<u32>>,
    dicts: Vec<Option<u32>>,
    keywords: Vec<Option<u32>>,
    numbers: HashMap<Key, u32, FxBuildHasher>,
}

/// What stands for a meaning: a handle, where equal handles are asked for, or how it is written.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Attr(Attr),
    AttrText(String),
    Type(Type),
    TypeText(String),
    Keyword(String),
    /// Attributes by name, in the order of names, each by its number.
    Dict(Box<[(Name, u32)]>),
}

impl<'p> Classes<'p> {
    pub(super) fn new(context: &'p Context, options: DiffOptions) -> Self {
        Self {
            context,
            options,
            attrs: Vec::new(),
            types: Vec::new(),
            dicts: Vec::new(),
            keywords: Vec::new(),
            numbers: HashMap::default(),
        }
    }

    fn number(&mut self, key: Key) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(key).or_insert(next)
    }

    /// The number of an attribute.
    pub(super) fn attr(&mut self, attr: Attr) -> u32 {
        if let Some(Some(number)) = self.attrs.get(attr.index()) {
            return *number;
        }
        let key = attr_key(self.context, self.options, attr);
        let number = self.number(key);
        remember(&mut self.attrs, attr.index(), number)
    }

    /// The number of a type.
    pub(super) fn ty(&mut self, ty: Type) -> u32 {
        if let Some(Some(number)) = self.types.get(ty.index()) {
            return *number;
        }
        let key = type_key(self.context, self.options, ty);
        let number = self.number(key);
        remember(&mut self.types, ty.index(), number)
    }

    /// The number of the attributes of an op, `op_role` and `chunk_id` left out.
    pub(super) fn dict_of(&mut self, program: &Program, op: Op) -> u32 {
        let dict = if has_attrs(self.options, program.name(op)) { program.dict(op) } else { Dict::EMPTY };
        self.dict(dict)
    }

    /// The number of a dictionary.
    pub(super) fn dict(&mut self, dict: Dict) -> u32 {
        if let Some(Some(number)) = self.dicts.get(dict.index()) {
            return *number;
        }
        let plain = self.context.plain_dict(dict);
        let entries = self.context.dict_entries(plain).iter();
        let entries = entries.map(|&(name, attr)| (name, self.attr(attr))).collect();
        let number = self.number(Key::Dict(entries));
        remember(&mut self.dicts, dict.index(), number)
    }

    /// The number of a keyword.
    pub(super) fn keyword(&mut self, keyword: Name) -> u32 {
        if let Some(Some(number)) = self.keywords.get(keyword.index()) {
            return *number;
        }
        let text = self.options.generated_names.told(self.context.name_text(keyword)).into_owned();
        let number = self.number(Key::Keyword(text));
        remember(&mut self.keywords, keyword.index(), number)
    }

    /// Whether two types are the same.
    pub(super) fn same_types(&mut self, a: Type, b: Type) -> bool {
        self.ty(a) == self.ty(b) || is_unsaid(self.options, a, b)
    }
}

fn remember(table: &mut Vec<Option<u32>>, index: usize, number: u32) -> u32 {
    if table.len() <= index {
        table.resize(index + 1, None);
    }
    *table[index].insert(number)
}

/// Whether two attributes are the same. [`Classes::attr`] says it faster where it is asked often.
pub(super) fn same_attrs(context: &Context, options: DiffOptions, a: Attr, b: Attr) -> bool {
    attr_key(context, options, a) == attr_key(context, options, b)
}

/// Whether two types are the same. [`Classes::same_types`] says it faster where it is asked often.
pub(super) fn same_types(context: &Context, options: DiffOptions, a: Type, b: Type) -> bool {
    type_key(context, options, a) == type_key(context, options, b) || is_unsaid(options, a, b)
}

/// Whether the attributes of ops of a name are compared: text does not print those of a loop.
pub(super) fn has_attrs(options: DiffOptions, name: Name) -> bool {
    options.numbers == Numbers::Exact || name != names::WHILE
}

fn is_unsaid(options: DiffOptions, a: Type, b: Type) -> bool {
    options.numbers == Numbers::AsPrinted && (a == Type::UNKNOWN || b == Type::UNKNOWN)
}

fn attr_key(context: &Context, options: DiffOptions, attr: Attr) -> Key {
    let plain = context.plain_attr(attr);
    let text = attr_text(context, plain);
    let told = options.generated_names.told(&text);
    match (options.numbers, told) {
        (Numbers::Exact, Cow::Borrowed(_)) => Key::Attr(plain),
        (_, told) => Key::AttrText(told.into_owned()),
    }
}

fn type_key(context: &Context, options: DiffOptions, ty: Type) -> Key {
    let plain = context.ty(context.type_kind(ty).clone());
    match options.numbers {
        Numbers::Exact => Key::Type(plain),
        Numbers::AsPrinted => Key::TypeText(type_text(context, plain)),
    }
}

impl GeneratedNames {
    /// A text as it counts: borrowed if it counts as it is.
    pub(super) fn told(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::AsSpelled => Cow::Borrowed(text),
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
        let is_inside = |c: char| c.is_alphanumeric() || c == '_';
        let rest = text[digits..].trim_start_matches(|c: char| c.is_ascii_digit());
        let end = text.len() - rest.len();
        if end == digits || !rest.starts_with('_') || text[..start].ends_with(is_inside) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_index_of_a_generated_name_is_left_out() {
        assert_eq!(without_indices("var_6_pd_op.matmul_0"), "var_N_pd_op.matmul_0");
        assert_eq!(without_indices("[\"var_1_a_0\",\"var_22_b_1\"]"), "[\"var_N_a_0\",\"var_N_b_1\"]");
        for kept in ["x", "var_", "var_6", "var_x_1", "covar_6_x", "my_var_6_x", "é"] {
            assert!(matches!(without_indices(kept), Cow::Borrowed(text) if text == kept));
        }
    }
}
