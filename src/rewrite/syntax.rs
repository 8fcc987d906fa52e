//! What a rule says, as a tree.

use std::ops::Range;

use crate::ir::{AttrValue, Scalar};

/// Where in the text of a rule something stands.
pub(super) type Span = Range<usize>;

/// A name in a rule, by its place in [`Tree::names`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Var(pub(super) usize);

/// What a name stands for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum VarKind {
    Value,
    Attr,
}

impl VarKind {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Value => "a value",
            Self::Attr => "an attribute",
        }
    }
}

/// A name and what it stands for.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) kind: VarKind,
}

/// An operand, or what a match is replaced by.
#[derive(Clone, Debug)]
pub(super) enum Term {
    /// `_`
    Any,
    /// `null`
    Absent,
    /// `x`
    Value(Var),
    /// `y@pd_op.abs(x)`
    Call(Box<Call>),
}

/// An op with its operands.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) op: String,
    pub(super) span: Span,
    /// `y` of `y@op()`
    pub(super) bound_to: Option<Var>,
    pub(super) operands: Vec<Term>,
    pub(super) attrs: Vec<AttrTerm>,
    /// `x` of `op(): x`
    pub(super) type_of: Option<Var>,
}

/// `perm=p`
#[derive(Clone, Debug)]
pub(super) struct AttrTerm {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) value: AttrSource,
}

#[derive(Clone, Debug)]
pub(super) enum AttrSource {
    Var(Var),
    Literal(Literal),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Bool(bool),
    Number(f64),
    Text(String),
}

impl Literal {
    /// Whether an attribute is this value, of whatever kind.
    pub(super) fn is(&self, value: &AttrValue) -> bool {
        match self {
            Self::Bool(expected) => value.as_bool() == Some(*expected),
            Self::Number(expected) => number(value).is_some_and(|found| found == *expected),
            Self::Text(expected) => match value {
                AttrValue::DataType(word) | AttrValue::DataLayout(word) => **word == **expected,
                _ => value.as_str() == Some(expected),
            },
        }
    }
}

/// The number that an attribute is, if a double holds it.
pub(super) fn number(value: &AttrValue) -> Option<f64> {
    match value {
        AttrValue::Float(bits, _) => Some(bits.get()),
        AttrValue::Scalar(Scalar::Float(bits, _)) => Some(bits.get()),
        _ => value.as_int().filter(|int| int.unsigned_abs() <= 1 << 53).map(|int| int as f64),
    }
}

/// A whole rule.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) names: Vec<Named>,
    /// How many of the names stand on the left; they are the first.
    pub(super) left_names: usize,
    pub(super) before: Call,
    pub(super) after: Term,
    /// Whether there is a `where`.
    pub(super) has_where: bool,
}

impl Tree {
    pub(super) fn var(&self, name: &str) -> Option<Var> {
        self.names.iter().position(|named| named.name == name).map(Var)
    }
}

impl Call {
    /// This op and all ops in its operands, this one first.
    pub(super) fn calls(&self) -> Vec<&Self> {
        let mut all = vec![self];
        let mut at = 0;
        while let Some(&call) = all.get(at) {
            all.extend(call.operands.iter().filter_map(|term| match term {
                Term::Call(inner) => Some(&**inner),
                _ => None,
            }));
            at += 1;
        }
        all
    }
}
