//! When two types or two dictionaries of one context mean the same.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::Numbers;
use crate::ir::{Attr, AttrValue, Context, Dict, Name, Op, Program, Type, TypeKind, names};
use crate::text::{attr_text, type_text};

/// Answers whether two handles mean the same, and remembers those that do though they differ.
pub(crate) struct Alike<'p> {
    context: &'p Context,
    pub(crate) numbers: Numbers,
    types: HashSet<[Type; 2], FxBuildHasher>,
    dicts: HashSet<[Dict; 2], FxBuildHasher>,
}

impl<'p> Alike<'p> {
    pub(crate) fn new(context: &'p Context, numbers: Numbers) -> Self {
        Self { context, numbers, types: HashSet::default(), dicts: HashSet::default() }
    }

    pub(crate) fn types(&mut self, [a, b]: [Type; 2]) -> bool {
        if self.context.same_type(a, b) || self.types.contains(&[a, b]) {
            return true;
        }
        if self.numbers == Numbers::Exact {
            return false;
        }
        let alike = a == Type::UNKNOWN
            || b == Type::UNKNOWN
            || self.printed_type(a) == self.printed_type(b);
        if alike {
            self.types.insert([a, b]);
        }
        alike
    }

    pub(crate) fn dicts(&mut self, [a, b]: [Dict; 2]) -> bool {
        if self.context.same_dict(a, b) || self.dicts.contains(&[a, b]) {
            return true;
        }
        let entries = [a, b].map(|dict| self.context.dict_entries(self.context.plain_dict(dict)));
        let alike = self.numbers == Numbers::AsPrinted && self.first_difference(entries).is_none();
        if alike {
            self.dicts.insert([a, b]);
        }
        alike
    }

    /// The first name under which two sorted lists of entries do not have the same, and what they
    /// have.
    pub(crate) fn first_difference(
        &self,
        entries: [impl AsRef<[(Name, Attr)]>; 2],
    ) -> Option<(Name, [Option<String>; 2])> {
        let [a, b] = &entries;
        let (name, attrs) = self.differences([a.as_ref(), b.as_ref()]).next()?;
        Some((name, self.attr_texts(attrs)))
    }

    /// The names under which two sorted lists of entries do not have the same, and what they have.
    pub(crate) fn differences<'a>(
        &'a self,
        [mut a, mut b]: [&'a [(Name, Attr)]; 2],
    ) -> impl Iterator<Item = (Name, [Option<Attr>; 2])> + 'a {
        let text = |name: Name| self.context.name_text(name);
        std::iter::from_fn(move || {
            loop {
                let (x, y) = (a.first().copied(), b.first().copied());
                let name = match (x, y) {
                    (Some(x), Some(y)) if text(y.0) < text(x.0) => y.0,
                    (Some((name, _)), _) | (None, Some((name, _))) => name,
                    (None, None) => return None,
                };
                let [x, y] = [x, y].map(|entry| entry.filter(|entry| entry.0 == name));
                a = &a[usize::from(x.is_some())..];
                b = &b[usize::from(y.is_some())..];
                let attrs = [x, y].map(|entry| entry.map(|entry| entry.1));
                let [Some(x), Some(y)] = attrs else { return Some((name, attrs)) };
                if !self.attrs(x, y) {
                    return Some((name, attrs));
                }
            }
        })
    }

    fn attrs(&self, a: Attr, b: Attr) -> bool {
        let (a, b) = (self.context.plain_attr(a), self.context.plain_attr(b));
        a == b
            || (self.numbers == Numbers::AsPrinted
                && attr_text(self.context, a) == attr_text(self.context, b))
    }

    /// How Paddle prints a type, however it was spelled.
    fn printed_type(&self, ty: Type) -> String {
        let plain = self.context.ty(self.context.type_kind(ty).clone());
        type_text(self.context, plain)
    }
}

/// # What differs
impl Alike<'_> {
    /// How two attributes are told apart: as Paddle prints them, or with their kinds and all digits
    /// if that is the same.
    pub(crate) fn attr_texts(&self, attrs: [Option<Attr>; 2]) -> [Option<String>; 2] {
        let texts = attrs.map(|attr| Some(attr_text(self.context, self.context.plain_attr(attr?))));
        if texts[0] != texts[1] {
            return texts;
        }
        attrs.map(|attr| attr.map(|attr| self.exact_attr(attr)))
    }

    fn exact_attr(&self, attr: Attr) -> String {
        let text = || attr_text(self.context, self.context.plain_attr(attr));
        match self.context.attr_value(attr) {
            AttrValue::Int(value, kind) => format!("{value} of kind {kind:?}"),
            AttrValue::Float(value, kind) => format!("{value:?} of kind {kind:?}"),
            AttrValue::Complex(re, im, kind) => format!("({re:?}, {im:?}) of kind {kind:?}"),
            AttrValue::Scalar(scalar) => format!("{scalar:?} of kind Scalar"),
            AttrValue::Array(elements) => {
                let elements: Vec<_> = elements.iter().map(|&attr| self.exact_attr(attr)).collect();
                format!("[{}]", elements.join(", "))
            }
            AttrValue::Type(ty) => self.exact_type(*ty),
            AttrValue::IntArray(_) => format!("{} of kind IntArray", text()),
            AttrValue::TensorName(_) => format!("{} of kind TensorName", text()),
            AttrValue::Opaque(_) => format!("{} of unknown kind", text()),
            _ => text(),
        }
    }

    /// How two types are told apart: as Paddle prints them, or with what it does not print if that
    /// is the same.
    pub(crate) fn type_texts(&self, types: [Type; 2]) -> [Option<String>; 2] {
        let texts = types.map(|ty| self.printed_type(ty));
        if texts[0] != texts[1] {
            return texts.map(Some);
        }
        types.map(|ty| Some(self.exact_type(ty)))
    }

    fn exact_type(&self, ty: Type) -> String {
        let text = self.printed_type(ty);
        match self.context.type_kind(ty) {
            TypeKind::Tensor(tensor)
            | TypeKind::SelectedRows(tensor)
            | TypeKind::SparseCoo(tensor)
            | TypeKind::TensorArray(tensor) => {
                let storage = tensor.storage.as_deref();
                let storage = storage
                    .map_or("the usual storage".to_owned(), |storage| format!("{storage:?}"));
                format!("{text} of dims {:?} with {storage}", tensor.dims)
            }
            TypeKind::Dist(dist) => {
                format!("{text} with {}", dist.local.as_deref().unwrap_or("nothing more said"))
            }
            TypeKind::Vec(elements) => {
                let elements: Vec<_> = elements.iter().map(|&ty| self.exact_type(ty)).collect();
                format!("vec[{}]", elements.join(", "))
            }
            _ => text,
        }
    }
}

/// All attributes of an op, `op_role` and `chunk_id` among them, sorted by name and plainly spelled.
pub(crate) fn attributes(program: &Program, op: Op) -> Vec<(Name, Attr)> {
    let context = program.context();
    let columns = [names::OP_ROLE, names::CHUNK_ID];
    let mut entries = context.dict_entries(context.plain_dict(program.dict(op))).to_vec();
    entries.retain(|(name, _)| !columns.contains(name));
    entries.extend(columns.into_iter().filter_map(|name| Some((name, program.attr(op, name)?))));
    entries.sort_by_key(|&(name, _)| context.name_text(name));
    entries
}
