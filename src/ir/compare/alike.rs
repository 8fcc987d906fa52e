//! When two types or two dictionaries of one context mean the same.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::Numbers;
use crate::ir::{Attr, AttrValue, Context, Dict, Name, Type, TypeKind};
use crate::text::{attr_text, type_text};

/// Answers whether two handles mean the same, and remembers those that do though they differ.
pub(super) struct Alike<'p> {
    context: &'p Context,
    pub(super) numbers: Numbers,
    types: HashSet<[Type; 2], FxBuildHasher>,
    dicts: HashSet<[Dict; 2], FxBuildHasher>,
}

impl<'p> Alike<'p> {
    pub(super) fn new(context: &'p Context, numbers: Numbers) -> Self {
        Self { context, numbers, types: HashSet::default(), dicts: HashSet::default() }
    }

    pub(super) fn types(&mut self, [a, b]: [Type; 2]) -> bool {
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

    pub(super) fn dicts(&mut self, [a, b]: [Dict; 2]) -> bool {
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
    pub(super) fn first_difference(
        &self,
        [a, b]: [impl AsRef<[(Name, Attr)]>; 2],
    ) -> Option<(Name, [Option<String>; 2])> {
        let (mut a, mut b) = (a.as_ref(), b.as_ref());
        let text = |attr: Attr| Some(attr_text(self.context, self.context.plain_attr(attr)));
        let name = |name: Name| self.context.name_text(name);
        loop {
            match (a.split_first(), b.split_first()) {
                (None, None) => return None,
                (Some((x, rest)), Some((y, other_rest))) if x.0 == y.0 => {
                    if !self.attrs(x.1, y.1) {
                        return Some((x.0, self.attr_texts([x.1, y.1])));
                    }
                    (a, b) = (rest, other_rest);
                }
                (Some((x, _)), Some((y, _))) if name(y.0) < name(x.0) => {
                    return Some((y.0, [None, text(y.1)]));
                }
                (Some((x, _)), _) => return Some((x.0, [text(x.1), None])),
                (None, Some((y, _))) => return Some((y.0, [None, text(y.1)])),
            }
        }
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
    fn attr_texts(&self, attrs: [Attr; 2]) -> [Option<String>; 2] {
        let texts = attrs.map(|attr| attr_text(self.context, self.context.plain_attr(attr)));
        if texts[0] != texts[1] {
            return texts.map(Some);
        }
        attrs.map(|attr| Some(self.exact_attr(attr)))
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
    pub(super) fn type_texts(&self, types: [Type; 2]) -> [Option<String>; 2] {
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
