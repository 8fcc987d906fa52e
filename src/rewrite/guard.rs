//! Whether a match may be rewritten: what every rule is spared to ask.

use super::matching::Match;
use super::syntax::{Call, Term};
use crate::ir::{Memory, Op, Program, TypeKind, Use, Value, names};

impl Match<'_> {
    /// Whether the match may be replaced by `after`.
    pub(super) fn may_become(&self, after: &Term) -> bool {
        let result = self.program.result(self.root, 0);
        self.is_one_place()
            && !must_stay(self.program, self.root)
            && self.inner.iter().all(|&(_, value)| self.is_unwritten_until_root(value))
            && match after {
                Term::Value(var) => self.may_stand_for(self.value(*var), result),
                Term::Call(call) => self.may_be_made(call),
                Term::Any | Term::Absent => false,
            }
    }

    /// All ops of the match belong to one role and chunk.
    fn is_one_place(&self) -> bool {
        let place = |op: Op| {
            let top = self.program.ancestor_in(self.program.top(), op).unwrap_or(op);
            (self.program.role(top), self.program.chunk(top))
        };
        self.inner.iter().all(|&(op, _)| place(op) == place(self.root))
    }

    /// Nothing writes a value between the inner ops that make or read it, and the root.
    fn is_unwritten_until_root(&self, value: Value) -> bool {
        let (program, memory) = (self.program, self.memory);
        let touches = |&(op, made): &(Op, Value)| {
            made == value || program.operands(op).contains(&Some(value))
        };
        if memory.writers(value).is_empty() || !self.inner.iter().any(touches) {
            return true;
        }
        let inner = || self.inner.iter().filter(|inner| touches(inner)).map(|&(op, _)| op);
        Memory::is_one_job(program, inner().chain([self.root]))
            && inner().all(|op| !memory.is_written_between(program, value, op, self.root))
    }

    /// Whether `value` may be read wherever `result`, the result of the root, is read.
    fn may_stand_for(&self, value: Value, result: Value) -> bool {
        let (program, memory) = (self.program, self.memory);
        let is_same_place = memory.cell(value) == memory.cell(result);
        let have_two_names = memory.is_named(value) && memory.is_named(result) && !is_same_place;
        program.context().same_type(program.ty(value), program.ty(result))
            && stops_gradient(program, value) == stops_gradient(program, result)
            && memory.writers(result).is_empty()
            && !have_two_names
            && self.is_unwritten_until_root(value)
            && (memory.writers(value).is_empty() || self.is_unwritten_until_users(value, result))
    }

    /// Nothing writes a value before all that read `result` have read it.
    fn is_unwritten_until_users(&self, value: Value, result: Value) -> bool {
        let (program, memory) = (self.program, self.memory);
        let users = || program.uses(result).map(|Use { op, .. }| op);
        memory.is_alone(result)
            && Memory::is_one_job(program, users().chain([self.root]))
            && users().all(|user| !memory.is_written_between(program, value, self.root, user))
    }

    /// Whether a new op may read what the call names.
    fn may_be_made(&self, call: &Call) -> bool {
        let ops = || self.inner.iter().map(|&(op, _)| op).chain([self.root]);
        let is_placed = |op: Op| {
            let program = self.program;
            let values = program.operands(op).iter().copied().flatten().chain(program.results(op));
            program.attr(op, names::OP_DIST_ATTR).is_some()
                || values.into_iter().any(|value| is_distributed(program, value))
        };
        let reads = call.calls().into_iter().flat_map(|call| &call.operands);
        let mut read = reads.filter_map(|term| match term {
            Term::Value(var) => Some(self.value(*var)),
            _ => None,
        });
        !ops().any(is_placed) && read.all(|value| self.is_unwritten_until_root(value))
    }
}

/// Whether an op must stay for more than its results: others wait for its event, or a result
/// outlives the run.
pub(super) fn must_stay(program: &Program, op: Op) -> bool {
    let has = |attr| program.attr(op, attr).is_some();
    let is_persistable = |index| program.result_flag(op, names::PERSISTABLE, index) == Some(true);
    has(names::EVENT_TO_RECORD)
        || has(names::EVENTS_TO_WAIT)
        || has(names::FORCE_RECORD_EVENT)
        || (0..program.result_count(op)).any(is_persistable)
}

fn is_distributed(program: &Program, value: Value) -> bool {
    matches!(program.context().type_kind(program.ty(value)), TypeKind::Dist(_))
}

/// Whether no gradient flows through a value. Paddle takes silence for yes.
fn stops_gradient(program: &Program, value: Value) -> bool {
    use crate::ir::ValueDef;
    let said = match program.def(value) {
        ValueDef::Result { op, index } => {
            program.result_flag(op, names::STOP_GRADIENT, index as usize)
        }
        ValueDef::Argument { block, index } => {
            let argument = program.arguments(block).get(index as usize);
            argument.and_then(|argument| flag(program, argument.attrs))
        }
        ValueDef::Kwarg { block, keyword } => {
            program.kwarg(block, keyword).and_then(|argument| flag(program, argument.attrs))
        }
    };
    said.unwrap_or(true)
}

fn flag(program: &Program, attrs: crate::ir::Dict) -> Option<bool> {
    let attr = program.context().dict_get(attrs, names::STOP_GRADIENT)?;
    program.context().attr_value(attr).as_bool()
}
