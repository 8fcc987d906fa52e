//! Makes the ops that a match is replaced by.

use super::matching::Match;
use super::syntax::{AttrSource, Call, Literal, Term};
use crate::dialect::{AttrKind, common_attr, facts};
use crate::ir::{
    At, Attr, AttrValue, Context, Dict, FloatBits, FloatKind, IntKind, Name, Op, OpSpec, Program,
    Rewriter, Type, Value,
};

/// What stands on the right, with its names filled in: it no longer borrows the program.
pub(super) enum Plan {
    Value(Value),
    Op(Box<PlannedOp>),
}

pub(super) struct PlannedOp {
    name: Name,
    operands: Vec<Option<Plan>>,
    dict: Dict,
    result: Type,
}

impl Match<'_> {
    /// The plan for the right side.
    pub(super) fn plan(&self, after: &Term) -> Plan {
        match after {
            Term::Value(var) => Plan::Value(self.value(*var)),
            Term::Call(call) => {
                let result = self.program.ty(self.program.result(self.root, 0));
                Plan::Op(Box::new(self.op(call, result, true)))
            }
            Term::Any | Term::Absent => unreachable!("rules are checked: the right makes a value"),
        }
    }

    fn op(&self, call: &Call, result: Type, is_outermost: bool) -> PlannedOp {
        let operand = |term: &Term| match term {
            Term::Absent => None,
            Term::Call(inner) => {
                let of = inner.type_of.expect("rules are checked: an inner op says its type");
                let result = self.program.ty(self.value(of));
                Some(Plan::Op(Box::new(self.op(inner, result, false))))
            }
            term => Some(self.plan(term)),
        };
        PlannedOp {
            name: self.program.context().name(&call.op),
            operands: call.operands.iter().map(operand).collect(),
            dict: self.dict(call, is_outermost),
            result,
        }
    }

    /// The attributes that are said, and those of the root: all of them if the outermost op is of its
    /// name, else the common ones.
    fn dict(&self, call: &Call, is_outermost: bool) -> Dict {
        let (program, context) = (self.program, self.program.context());
        let keeps_all = is_outermost && program.name_text(self.root) == call.op;
        let of_root = context.dict_entries(program.dict(self.root)).iter().copied();
        let kept = of_root.filter(|&(name, _)| keeps_all || is_kept(context, name));
        let said = call.attrs.iter().map(|term| {
            let attr = match &term.value {
                AttrSource::Var(var) => self.attr(*var),
                AttrSource::Literal(literal) => {
                    literal_attr(context, &call.op, &term.name, literal)
                }
            };
            (context.name(&term.name), attr)
        });
        context.dict(kept.chain(said))
    }
}

/// Whether an attribute is about the place of an op in the program and not about what it computes.
fn is_kept(context: &Context, name: Name) -> bool {
    common_attr(context.name_text(name)).is_some()
}

/// A literal, of the kind that the op declares.
fn literal_attr(context: &Context, op: &str, attr: &str, literal: &Literal) -> Attr {
    let kind = facts(op).and_then(|facts| facts.attr(attr)).or_else(|| common_attr(attr));
    context.attr(match (literal, kind) {
        (Literal::Bool(value), _) => AttrValue::Bool(*value),
        (Literal::Text(text), Some(AttrKind::DataType)) => {
            AttrValue::DataType(text.as_str().into())
        }
        (Literal::Text(text), _) => AttrValue::string(text),
        (Literal::Number(value), Some(AttrKind::Int32)) => {
            AttrValue::Int(*value as i64, IntKind::I32)
        }
        (Literal::Number(value), Some(AttrKind::Int64)) => {
            AttrValue::Int(*value as i64, IntKind::I64)
        }
        (Literal::Number(value), Some(AttrKind::Double)) => float(*value, FloatKind::F64),
        (Literal::Number(value), Some(AttrKind::Float)) => float(*value, FloatKind::F32),
        (Literal::Number(value), _) => float(*value, FloatKind::NotSaid),
    })
}

fn float(value: f64, kind: FloatKind) -> AttrValue {
    AttrValue::Float(FloatBits::new(value), kind)
}

impl Plan {
    /// Makes the new ops before `root`, the innermost first; the value that stands for its result.
    pub(super) fn make(self, rewriter: &mut Rewriter<'_>, root: Op, made: &mut Vec<Op>) -> Value {
        let planned = match self {
            Self::Value(value) => return value,
            Self::Op(planned) => *planned,
        };
        let operands: Vec<Option<Value>> = planned
            .operands
            .into_iter()
            .map(|plan| plan.map(|plan| plan.make(rewriter, root, made)))
            .collect();
        let results = [planned.result];
        let spec = OpSpec::new(planned.name).operands(&operands).results(&results);
        let spec = spec.dict(planned.dict).like(rewriter.program(), root);
        let op = rewriter.create(At::Before(root), spec);
        made.push(op);
        rewriter.program().result(op, 0)
    }
}

/// Whether nobody reads any result of an op.
pub(super) fn is_unread(program: &Program, op: Op) -> bool {
    program.results(op).all(|result| program.is_unused(result))
}

/// The ops that define what an op reads, each once.
pub(super) fn producers(program: &Program, op: Op) -> Vec<Op> {
    let mut producers = Vec::new();
    for value in program.operands(op).iter().copied().flatten() {
        if let Some(producer) = program.defining_op(value).filter(|op| !producers.contains(op)) {
            producers.push(producer);
        }
    }
    producers
}
