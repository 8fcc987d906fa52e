//! The shared tables of a run: names, types, attributes and whole attribute dictionaries.
//!
//! A context is append-only and shared by `Arc`; reads take no lock. Equal things are one handle,
//! so cloning an op copies integers. **A handle's number never reaches output, an order, or a
//! stored hash**: it depends on who interned first.
//!
//! A string is a name: its attribute needs no entry of its own, nor does a dictionary that holds
//! nothing but `output_name`, which each value that crosses programs has. Handles of attributes and
//! dictionaries are even for entries of their tables and odd for names.
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
    /// Made when it is first looked at.
    as_string: OnceLock<Box<StringData>>,
}

/// A name as an attribute, and as the only entry of a dictionary.
struct StringData {
    value: AttrValue,
    output_name: [(Name, Attr); 1],
}

/// What the index of an attribute or dictionary handle stands for.
enum Home {
    /// An entry of the table of its kind.
    Table(usize),
    /// A name.
    Name(Name),
}

impl Home {
    fn of(index: usize) -> Self {
        match index % 2 {
            0 => Self::Table(index / 2),
            _ => Self::Name(Name::from_index(index / 2)),
        }
    }

    fn index(self) -> u32 {
        let (index, kind) = match self {
            Self::Table(index) => (index, 0),
            Self::Name(name) => (name.index(), 1),
        };
        u32::try_from(2 * index + kind).expect("more than 2,147,483,647 entries of one kind")
    }
}

/// A value, and its spelling where that differs from the one Paddle would print.
#[derive(PartialEq, Eq, Hash)]
struct Spelled<T> {
    value: T,
    spelling: Option<Box<[u8]>>,
}

/// A type or attribute, with the index of the handle of the same value in its plain spelling.
struct SpelledData<T> {
    key: Spelled<T>,
    plain: u32,
}

/// Entries of a dictionary on their way into the table; those of most ops fit.
type Entries = SmallVec<[(Name, Attr); 12]>;

struct DictData {
    entries: Box<[(Name, Attr)]>,
    /// The index of the handle of the same entries, sorted by name and plainly spelled.
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

fn is_text(data: &NameData, text: &&str) -> bool {
    *data.text == **text
}

fn name_data(text: &str, _: u32) -> NameData {
    NameData { text: text.into(), facts: OnceLock::new(), as_string: OnceLock::new() }
}

/// # Names
impl Context {
    /// The handle of a name.
    pub fn name(&self, text: &str) -> Name {
        Name::new(self.names.intern(hash_of(text), text, is_text, name_data))
    }

    /// The handles of many names, in order. For many new ones this is far faster than asking one by
    /// one.
    pub fn names<'t>(&self, texts: impl ExactSizeIterator<Item = &'t str>) -> Vec<Name> {
        let keys = texts.map(|text| (hash_of(text), text));
        let indices = self.names.intern_all(keys, is_text, name_data);
        indices.into_iter().map(Name::new).collect()
    }

    /// Makes room for as many more names, so that the table is not moved while they come.
    pub fn reserve_names(&self, count: usize) {
        self.names.reserve(count);
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

    fn as_string(&self, name: Name) -> &StringData {
        let data = self.names.get(name.index());
        data.as_string.get_or_init(|| {
            let value = AttrValue::string(&data.text);
            let entry = (names::OUTPUT_NAME, self.string_attr(name));
            Box::new(StringData { value, output_name: [entry] })
        })
    }
}

/// `plain` is told the index in the table and gives that of the plainly spelled handle.
fn intern_spelled<T: Hash + Eq>(
    table: &Interner<SpelledData<T>>,
    value: T,
    spelling: Option<&[u8]>,
    plain: impl FnOnce(u32) -> u32,
) -> u32 {
    let key = Spelled { value, spelling: spelling.map(Into::into) };
    table.intern(
        hash_of(&key),
        key,
        |data, key| data.key == *key,
        |key, index| SpelledData { key, plain: plain(index) },
    )
}

/// # Types
impl Context {
    /// The handle of a type.
    pub fn ty(&self, kind: TypeKind) -> Type {
        Type::new(intern_spelled(&self.types, kind, None, |index| index))
    }

    /// The handle of a type that was spelled in another way than Paddle prints it today.
    pub fn ty_spelled(&self, kind: TypeKind, spelling: &[u8]) -> Type {
        let plain = self.ty(kind.clone());
        let plain = |_| plain.index() as u32;
        Type::new(intern_spelled(&self.types, kind, Some(spelling), plain))
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
        if let AttrValue::Str(bytes) = &value
            && let Ok(text) = str::from_utf8(bytes)
        {
            return self.string_attr(self.name(text));
        }
        self.table_attr(value, None, |index| Home::Table(index as usize).index())
    }

    /// The handle of the string attribute whose text is a name's; costs nothing.
    pub fn string_attr(&self, text: Name) -> Attr {
        Attr::new(Home::Name(text).index())
    }

    /// The text of a string attribute in its plain spelling, as a name; costs nothing. Nothing for
    /// other attributes, and for strings that are not UTF-8.
    pub fn string_name(&self, attr: Attr) -> Option<Name> {
        match Home::of(self.plain_attr(attr).index()) {
            Home::Name(name) => Some(name),
            Home::Table(_) => None,
        }
    }

    fn table_attr(
        &self,
        value: AttrValue,
        spelling: Option<&[u8]>,
        plain: impl FnOnce(u32) -> u32,
    ) -> Attr {
        let index = intern_spelled(&self.attrs, value, spelling, plain);
        Attr::new(Home::Table(index as usize).index())
    }

    /// The handle of an attribute that was spelled in another way than Paddle prints its value.
    pub fn attr_spelled(&self, value: AttrValue, spelling: &[u8]) -> Attr {
        let plain = self.attr(value.clone());
        self.table_attr(value, Some(spelling), |_| plain.index() as u32)
    }

    /// What an attribute is.
    pub fn attr_value(&self, attr: Attr) -> &AttrValue {
        match Home::of(attr.index()) {
            Home::Table(index) => &self.attrs.get(index).key.value,
            Home::Name(name) => &self.as_string(name).value,
        }
    }

    /// How an attribute was spelled, where that is not how Paddle prints its value.
    pub fn attr_spelling(&self, attr: Attr) -> Option<&[u8]> {
        match Home::of(attr.index()) {
            Home::Table(index) => self.attrs.get(index).key.spelling.as_deref(),
            Home::Name(_) => None,
        }
    }

    /// The same value in its plain spelling: equal for two attributes exactly if their values are.
    pub fn plain_attr(&self, attr: Attr) -> Attr {
        match Home::of(attr.index()) {
            Home::Table(index) => Attr::new(self.attrs.get(index).plain),
            Home::Name(_) => attr,
        }
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
        match Home::of(dict.index()) {
            Home::Table(index) => &self.dicts.get(index).entries,
            Home::Name(name) => &self.as_string(name).output_name,
        }
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
        match Home::of(dict.index()) {
            Home::Table(index) => Dict::new(self.dicts.get(index).plain),
            Home::Name(_) => dict,
        }
    }

    /// The name in a dictionary `{output_name:"..."}`. Each of those is likely to be met once.
    pub(crate) fn output_name(&self, dict: Dict) -> Option<Name> {
        match Home::of(dict.index()) {
            Home::Name(name) => Some(name),
            Home::Table(_) => None,
        }
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
        if let [(names::OUTPUT_NAME, attr)] = entries[..]
            && let Home::Name(name) = Home::of(attr.index())
        {
            return Dict::new(Home::Name(name).index());
        }
        let mut sorted: Entries = entries.iter().map(|&(n, a)| (n, self.plain_attr(a))).collect();
        self.sort_entries(&mut sorted);
        if sorted == entries {
            return self.table_dict(&entries, |index| Home::Table(index as usize).index());
        }
        let plain = self.intern_dict(sorted);
        self.table_dict(&entries, |_| plain.index() as u32)
    }

    fn table_dict(&self, entries: &[(Name, Attr)], plain: impl FnOnce(u32) -> u32) -> Dict {
        let index = self.dicts.intern(
            hash_of(entries),
            entries,
            |data, entries| *data.entries == **entries,
            |entries, index| DictData { entries: entries.into(), plain: plain(index) },
        );
        Dict::new(Home::Table(index as usize).index())
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
    fn a_string_is_one_attribute_whether_made_of_a_name_or_of_text() {
        let context = Context::new();
        let name = context.name("x");
        let attr = context.attr(AttrValue::string("x"));
        assert_eq!(attr, context.string_attr(name));
        assert_eq!(context.attr_value(attr), &AttrValue::string("x"));
        let odd = context.attr_spelled(AttrValue::string("x"), b"'x'");
        assert_ne!(attr, odd);
        assert_eq!((context.plain_attr(odd), context.string_name(odd)), (attr, Some(name)));
        let tensor = context.attr(AttrValue::TensorName(b"x"[..].into()));
        assert_eq!(context.string_name(tensor), None);
        let bytes = context.attr(AttrValue::Str([0xff].into()));
        assert_eq!((context.string_name(bytes), context.plain_attr(bytes)), (None, bytes));
    }

    #[test]
    fn a_dictionary_of_an_output_name_is_as_any_other() {
        let context = Context::new();
        let entry = (names::OUTPUT_NAME, context.attr(AttrValue::string("x")));
        let dict = context.dict([entry]);
        assert_eq!(dict, context.dict_in_order([entry]));
        assert_eq!(context.dict_entries(dict), [entry]);
        assert_eq!(context.plain_dict(dict), dict);
        let odd = context.attr_spelled(AttrValue::string("x"), b"'x'");
        let spelled = context.dict([(names::OUTPUT_NAME, odd)]);
        assert_ne!(spelled, dict);
        assert!(context.same_dict(spelled, dict));
        let wider = context.dict_with(dict, names::NAME, entry.1);
        assert_eq!(context.dict_without(wider, names::NAME), dict);
    }

    #[test]
    fn of_two_entries_of_one_name_the_last_counts() {
        let context = Context::new();
        let [one, two] = [1, 2].map(|n| context.attr(AttrValue::int32(n)));
        let name = context.name("n");
        assert_eq!(context.dict_entries(context.dict([(name, one), (name, two)])), [(name, two)]);
    }
}
