//! The shared tables of a run: names, types, attributes and whole attribute dictionaries.
//!
//! A context is append-only and shared by `Arc`; reads take no lock. Equal things are one handle,
//! so cloning an op copies integers. **A handle's number never reaches output, an order, or a
//! stored hash**: it depends on who interned first.
//!
//! A type or attribute that was read from text keeps its *spelling* beside its *value*: printing
//! gives the spelling, and two handles mean the same when their `same_` question says so.
//!
//! ```
//! use pirogue::ir::{AttrValue, Context};
//! let context = Context::new();
//! let name = context.name("axis");
//! let axis = context.attr(AttrValue::int32(-1));
//! let dict = context.dict([(name, axis)]);
//! assert_eq!(context.dict_get(dict, name), Some(axis));
//! ```

use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::entity::{Interner, entities, hash_of};
use super::{AttrValue, TypeKind, names};
use crate::dialect::{self, OpFacts};

entities! {
    /// A name of an op, an attribute or a kwarg.
    Name = "name";
    /// A type.
    Type = "type";
    /// An attribute.
    Attr = "attr";
    /// A whole attribute dictionary.
    Dict = "dict";
}

impl Type {
    /// The type of what is absent, in every context.
    pub const NULL: Self = Self::new(0);
    /// The type of what is not known, in every context.
    pub const UNKNOWN: Self = Self::new(1);
}

impl Dict {
    /// The dictionary without entries, in every context.
    pub const EMPTY: Self = Self::new(0);
}

struct NameData {
    text: Box<str>,
    facts: OnceLock<Option<&'static OpFacts>>,
}

/// A value, and its spelling where that differs from the one Paddle would print.
#[derive(PartialEq, Eq, Hash)]
struct Spelled<T> {
    value: T,
    spelling: Option<Box<[u8]>>,
}

/// A type or attribute, with the index of the same value in its plain spelling.
struct SpelledData<T> {
    key: Spelled<T>,
    plain: u32,
}

/// Entries of a dictionary on their way into the table; those of most ops fit.
type Entries = SmallVec<[(Name, Attr); 12]>;

struct DictData {
    entries: Box<[(Name, Attr)]>,
    /// The same entries, sorted by name and plainly spelled.
    plain: u32,
}

/// Uniqued names, types, attributes and dictionaries.
pub struct Context {
    names: Interner<NameData>,
    types: Interner<SpelledData<TypeKind>>,
    attrs: Interner<SpelledData<AttrValue>>,
    dicts: Interner<DictData>,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("names", &self.names.len())
            .field("types", &self.types.len())
            .field("attrs", &self.attrs.len())
            .field("dicts", &self.dicts.len())
            .finish()
    }
}

impl Context {
    /// A context that knows the [`names`], the null and the unknown type and the empty dictionary.
    #[allow(clippy::new_ret_no_self, reason = "a context is shared from the start")]
    pub fn new() -> Arc<Self> {
        let context = Self {
            names: Interner::new(),
            types: Interner::new(),
            attrs: Interner::new(),
            dicts: Interner::new(),
        };
        for (index, text) in names::ALL.iter().enumerate() {
            assert_eq!(context.name(text).index(), index, "known names are interned in order");
        }
        assert_eq!(context.ty(TypeKind::Null), Type::NULL);
        assert_eq!(context.ty(TypeKind::Unknown), Type::UNKNOWN);
        assert_eq!(context.dict([]), Dict::EMPTY);
        Arc::new(context)
    }
}

/// # Names
impl Context {
    /// The handle of a name.
    pub fn name(&self, text: &str) -> Name {
        Name::new(self.names.intern(
            hash_of(text),
            text,
            |data, text| *data.text == **text,
            |text, _| NameData { text: text.into(), facts: OnceLock::new() },
        ))
    }

    /// The text of a name.
    pub fn name_text(&self, name: Name) -> &str {
        &self.names.get(name.index()).text
    }

    /// What the dialects say of the op of this name.
    pub fn facts(&self, op_name: Name) -> Option<&'static OpFacts> {
        let data = self.names.get(op_name.index());
        *data.facts.get_or_init(|| dialect::facts(&data.text))
    }
}

fn intern_spelled<T: Hash + Eq + Clone>(
    table: &Interner<SpelledData<T>>,
    value: T,
    spelling: Option<&[u8]>,
) -> u32 {
    let Some(spelling) = spelling else { return intern_plain(table, value) };
    let plain = intern_plain(table, value.clone());
    let key = Spelled { value, spelling: Some(spelling.into()) };
    table.intern(
        hash_of(&key),
        key,
        |data, key| data.key == *key,
        |key, _| SpelledData { key, plain },
    )
}

fn intern_plain<T: Hash + Eq>(table: &Interner<SpelledData<T>>, value: T) -> u32 {
    let key = Spelled { value, spelling: None };
    table.intern(
        hash_of(&key),
        key,
        |data, key| data.key == *key,
        |key, index| SpelledData { key, plain: index },
    )
}

/// # Types
impl Context {
    /// The handle of a type.
    pub fn ty(&self, kind: TypeKind) -> Type {
        Type::new(intern_spelled(&self.types, kind, None))
    }

    /// The handle of a type that was spelled in another way than Paddle prints it today.
    pub fn ty_spelled(&self, kind: TypeKind, spelling: &[u8]) -> Type {
        Type::new(intern_spelled(&self.types, kind, Some(spelling)))
    }

    /// What a type is.
    pub fn type_kind(&self, ty: Type) -> &TypeKind {
        &self.types.get(ty.index()).key.value
    }

    /// How a type was spelled, where that is not how Paddle prints it today.
    pub fn type_spelling(&self, ty: Type) -> Option<&[u8]> {
        self.types.get(ty.index()).key.spelling.as_deref()
    }

    /// Whether two handles are the same type, however spelled.
    pub fn same_type(&self, a: Type, b: Type) -> bool {
        a == b || self.types.get(a.index()).plain == self.types.get(b.index()).plain
    }
}

/// # Attributes
impl Context {
    /// The handle of an attribute made in code; it prints as Paddle prints it.
    pub fn attr(&self, value: AttrValue) -> Attr {
        Attr::new(intern_spelled(&self.attrs, value, None))
    }

    /// The handle of an attribute that was spelled in another way than Paddle prints its value.
    pub fn attr_spelled(&self, value: AttrValue, spelling: &[u8]) -> Attr {
        Attr::new(intern_spelled(&self.attrs, value, Some(spelling)))
    }

    /// What an attribute is.
    pub fn attr_value(&self, attr: Attr) -> &AttrValue {
        &self.attrs.get(attr.index()).key.value
    }

    /// How an attribute was spelled, where that is not how Paddle prints its value.
    pub fn attr_spelling(&self, attr: Attr) -> Option<&[u8]> {
        self.attrs.get(attr.index()).key.spelling.as_deref()
    }

    /// The same value in its plain spelling: equal for two attributes exactly if their values are.
    pub fn plain_attr(&self, attr: Attr) -> Attr {
        Attr::new(self.attrs.get(attr.index()).plain)
    }
}

/// # Dictionaries
impl Context {
    /// The handle of an op's attribute dictionary. Entries are sorted by name; of two entries of
    /// one name the last counts.
    pub fn dict(&self, entries: impl IntoIterator<Item = (Name, Attr)>) -> Dict {
        let mut entries: Entries = entries.into_iter().collect();
        self.sort_entries(&mut entries);
        self.intern_dict(entries)
    }

    /// The handle of a dictionary that keeps the order it was given in, as those of block
    /// arguments do.
    pub fn dict_in_order(&self, entries: impl IntoIterator<Item = (Name, Attr)>) -> Dict {
        self.intern_dict(entries.into_iter().collect())
    }

    /// The entries of a dictionary.
    pub fn dict_entries(&self, dict: Dict) -> &[(Name, Attr)] {
        &self.dicts.get(dict.index()).entries
    }

    /// The entry of a name.
    pub fn dict_get(&self, dict: Dict, name: Name) -> Option<Attr> {
        let entries = self.dict_entries(dict);
        entries.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
    }

    /// `dict` with the entry of `name` set.
    pub fn dict_with(&self, dict: Dict, name: Name, attr: Attr) -> Dict {
        self.dict(self.dict_entries(dict).iter().copied().chain([(name, attr)]))
    }

    /// `dict` without the entry of `name`.
    pub fn dict_without(&self, dict: Dict, name: Name) -> Dict {
        self.dict(self.dict_entries(dict).iter().copied().filter(|entry| entry.0 != name))
    }

    /// Whether two dictionaries hold the same values under the same names, however spelled and in
    /// whichever order.
    pub fn same_dict(&self, a: Dict, b: Dict) -> bool {
        self.plain_dict(a) == self.plain_dict(b)
    }

    /// The same entries sorted and plainly spelled: equal for two dictionaries exactly if
    /// [`same_dict`](Self::same_dict) holds.
    pub fn plain_dict(&self, dict: Dict) -> Dict {
        Dict::new(self.dicts.get(dict.index()).plain)
    }

    fn sort_entries(&self, entries: &mut Entries) {
        let text = |entry: &(Name, Attr)| self.name_text(entry.0).as_bytes();
        if entries.is_sorted_by(|a, b| text(a) < text(b)) {
            return;
        }
        entries.sort_by(|a, b| text(a).cmp(text(b)));
        entries.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 = later.1;
            }
            same
        });
    }

    fn intern_dict(&self, entries: Entries) -> Dict {
        let mut sorted: Entries = entries.iter().map(|&(n, a)| (n, self.plain_attr(a))).collect();
        self.sort_entries(&mut sorted);
        let is_plain = sorted == entries;
        let intern = |entries: &[(Name, Attr)], plain: Option<u32>| {
            self.dicts.intern(
                hash_of(entries),
                entries,
                |data, entries| *data.entries == **entries,
                |entries, index| DictData {
                    entries: entries.into(),
                    plain: plain.unwrap_or(index),
                },
            )
        };
        let plain = intern(&sorted, None);
        Dict::new(if is_plain { plain } else { intern(&entries, Some(plain)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_differs_but_value_is_the_same() {
        let context = Context::new();
        let plain = context.attr(AttrValue::int32(1));
        let old = context.attr_spelled(AttrValue::int32(1), b"(Int32)1");
        assert_ne!(plain, old);
        assert_eq!(context.plain_attr(old), plain);
        let axis = context.name("axis");
        let (a, b) = (context.dict([(axis, plain)]), context.dict([(axis, old)]));
        assert_ne!(a, b);
        assert!(context.same_dict(a, b));
    }

    #[test]
    fn a_dictionary_in_order_keeps_its_order_and_compares_sorted() {
        let context = Context::new();
        let attr = context.attr(AttrValue::Bool(true));
        let (z, a) = (context.name("z"), context.name("a"));
        let kept = context.dict_in_order([(z, attr), (a, attr)]);
        assert_eq!(context.dict_entries(kept), [(z, attr), (a, attr)]);
        assert!(context.same_dict(kept, context.dict([(a, attr), (z, attr)])));
    }

    #[test]
    fn of_two_entries_of_one_name_the_last_counts() {
        let context = Context::new();
        let [one, two] = [1, 2].map(|n| context.attr(AttrValue::int32(n)));
        let name = context.name("n");
        assert_eq!(context.dict_entries(context.dict([(name, one), (name, two)])), [(name, two)]);
    }
}
