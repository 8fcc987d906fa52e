//! Finds what a rule matches, and what its names stand for there.

use super::rule::{Rule, Step};
use super::syntax::{AttrSource, AttrTerm, Call, Term, Var, number};
use crate::ir::{
    Attr, AttrValue, Memory, Op, Program, ScalarType, TensorType, Type, Value, ValueDef, names,
};

/// A place where a rule may fire.
pub(super) struct Match<'m> {
    pub(super) program: &'m Program,
    pub(super) memory: &'m Memory,
    /// What the names stand for, by [`Var`].
    values: Vec<Option<Value>>,
    attrs: Vec<Option<Attr>>,
    pub(super) root: Op,
    /// The other ops of the match, with the results by which they were found.
    pub(super) inner: Vec<(Op, Value)>,
}

impl<'m> Match<'m> {
    /// The match of a rule at an op, conditions included.
    pub(super) fn find(
        rule: &Rule,
        program: &'m Program,
        memory: &'m Memory,
        root: Op,
    ) -> Option<Self> {
        let names = rule.tree.names.len();
        let mut found = Self {
            program,
            memory,
            values: vec![None; names],
            attrs: vec![None; names],
            root,
            inner: Vec::new(),
        };
        (program.result_count(root) == 1
            && found.call(&rule.tree.before, root)
            && (rule.tree.before.bound_to)
                .is_none_or(|var| found.bind_value(var, program.result(root, 0)))
            && found.steps(&rule.steps))
        .then_some(found)
    }

    /// What a name stands for.
    pub(super) fn bound(&self, var: Var) -> Bound<'_> {
        let what = match (self.values[var.0], self.attrs[var.0]) {
            (Some(value), _) => What::Value(value),
            (None, Some(attr)) => What::Attr(attr),
            (None, None) => {
                unreachable!("rules are checked: a name is bound before it is asked for")
            }
        };
        Bound { program: self.program, memory: self.memory, what }
    }

    /// The value of a name.
    pub(super) fn value(&self, var: Var) -> Value {
        self.values[var.0].expect("rules are checked: the left binds the values of the right")
    }

    /// The attribute of a name.
    pub(super) fn attr(&self, var: Var) -> Attr {
        self.attrs[var.0].expect("rules are checked: an attribute of the right is bound or derived")
    }

    fn call(&mut self, call: &Call, op: Op) -> bool {
        let program = self.program;
        program.name_text(op) == call.op
            && program.operands(op).len() == call.operands.len()
            && call.attrs.iter().all(|attr| self.attr_matches(attr, op))
            && call
                .operands
                .iter()
                .enumerate()
                .all(|(index, term)| self.term(term, program.operands(op)[index]))
    }

    fn term(&mut self, term: &Term, operand: Option<Value>) -> bool {
        match (term, operand) {
            (Term::Any, _) | (Term::Absent, None) => true,
            (Term::Absent, Some(_)) | (_, None) => false,
            (Term::Value(var), Some(value)) => self.bind_value(*var, value),
            (Term::Call(call), Some(value)) => {
                let ValueDef::Result { op, index: 0 } = self.program.def(value) else {
                    return false;
                };
                self.inner.push((op, value));
                call.bound_to.is_none_or(|var| self.bind_value(var, value)) && self.call(call, op)
            }
        }
    }

    fn bind_value(&mut self, var: Var, value: Value) -> bool {
        *self.values[var.0].get_or_insert(value) == value
    }

    fn attr_matches(&mut self, term: &AttrTerm, op: Op) -> bool {
        let context = self.program.context();
        let Some(attr) = self.program.attr(op, context.name(&term.name)) else { return false };
        match &term.value {
            AttrSource::Literal(literal) => literal.is(context.attr_value(attr)),
            AttrSource::Var(var) => {
                let known = *self.attrs[var.0].get_or_insert(attr);
                context.plain_attr(known) == context.plain_attr(attr)
            }
        }
    }

    fn steps(&mut self, steps: &[Step]) -> bool {
        steps.iter().all(|step| match step {
            Step::When(test) => test(self),
            Step::Derive(var, make) => {
                let made = make(self).map(|value| self.program.context().attr(value));
                self.attrs[var.0] = made;
                made.is_some()
            }
        })
    }
}

/// What a name of a rule stands for at a match: a value or an attribute.
#[derive(Copy, Clone)]
pub struct Bound<'m> {
    program: &'m Program,
    memory: &'m Memory,
    what: What,
}

#[derive(Copy, Clone)]
enum What {
    Value(Value),
    Attr(Attr),
}

/// # As it is
impl<'m> Bound<'m> {
    /// The program of the match.
    pub fn program(self) -> &'m Program {
        self.program
    }

    /// The value, if it is one.
    pub fn value(self) -> Option<Value> {
        match self.what {
            What::Value(value) => Some(value),
            What::Attr(_) => None,
        }
    }

    /// The attribute, if it is one.
    pub fn attr(self) -> Option<&'m AttrValue> {
        match self.what {
            What::Attr(attr) => Some(self.program.context().attr_value(attr)),
            What::Value(_) => None,
        }
    }

    /// The type of a value; the null type of an attribute.
    pub fn ty(self) -> Type {
        self.value().map_or(Type::NULL, |value| self.program.ty(value))
    }

    /// Whether two values are of one type.
    pub fn is_of_type_of(self, other: Self) -> bool {
        self.program.context().same_type(self.ty(), other.ty())
    }

    /// The tensor that a value is.
    pub fn tensor(self) -> Option<&'m TensorType> {
        self.program.context().type_kind(self.ty()).as_tensor()
    }

    /// The element type of a tensor.
    pub fn element(self) -> Option<ScalarType> {
        self.tensor().map(|tensor| tensor.element)
    }

    /// The dims of a tensor that are all known before it runs.
    pub fn known_dims(self) -> Option<&'m [i64]> {
        self.tensor().map(|tensor| &*tensor.dims).filter(|dims| dims.iter().all(|&dim| dim >= 0))
    }
}

/// # As a constant
impl Bound<'_> {
    /// The number that it is: an attribute of a number that a double holds, or a value all of whose
    /// elements `pd_op.full` sets to one and nothing writes.
    pub fn number(self) -> Option<f64> {
        self.constant("pd_op.full").and_then(number)
    }

    /// The truth value that an attribute is.
    pub fn truth(self) -> Option<bool> {
        self.attr()?.as_bool()
    }

    /// The integers that it is: an attribute of a list of integers, or a value that
    /// `pd_op.full_int_array` makes and nothing writes.
    pub fn integers(self) -> Option<Vec<i64>> {
        let context = self.program.context();
        match self.constant("pd_op.full_int_array")? {
            AttrValue::IntArray(integers) => Some(integers.to_vec()),
            AttrValue::Array(attrs) => {
                attrs.iter().map(|&attr| context.attr_value(attr).as_int()).collect()
            }
            _ => None,
        }
    }

    fn constant(&self, maker: &str) -> Option<&AttrValue> {
        match self.what {
            What::Attr(attr) => Some(self.program.context().attr_value(attr)),
            What::Value(value) => {
                let op = self.program.defining_op(value)?;
                let is_constant =
                    self.program.name_text(op) == maker && self.memory.writers(value).is_empty();
                is_constant.then(|| self.program.attr_value(op, names::VALUE))?
            }
        }
    }
}
