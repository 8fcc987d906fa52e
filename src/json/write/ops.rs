//! Writing ops.

use std::io::Write;

use super::attrs::{For, write_named};
use super::{Emitter, Layout, Unsayable, WriteError, Writer, types, unsayable};
use crate::dialect::OpFacts;
use crate::ir::{Attr, AttrValue, Name, Op, Type, Value, names};
use crate::json::codes::{self, ADDED, PARAMETER};

/// The attributes that Paddle writes behind those that an op declares, in this order.
const BEHIND: [Name; 3] = [names::OP_DIST_ATTR, names::OP_ROLE, names::STRUCT_NAME];

/// The attributes of an op by where they stand.
#[derive(Default)]
struct Sorted {
    /// `"A"`.
    own: Vec<(Name, Attr)>,
    /// `"OA"`.
    result: Vec<(Name, Attr)>,
    /// Under the added key.
    added: Vec<(Name, Attr)>,
}

impl<W: Write> Writer<'_, W> {
    pub(super) fn op(&mut self, op: Op) -> Result<(), WriteError> {
        let program = self.program;
        let attrs = self.all_attrs(op);
        if let Some(parameter) = self.compressible(op, &attrs) {
            return self.parameter(op, parameter);
        }
        let facts = self.context.facts(program.name(op));
        let mut sorted = self.sort(attrs, facts);
        let name = program.name_text(op);
        let code = codes::compress(name);
        if codes::decompress(&code).as_deref() != Some(name) {
            return Err(unsayable(format!("the name `{name}`"), Unsayable::OpName, Some(op)));
        }
        self.out.open_coded(&code);
        self.out.key("A");
        self.own_attrs(&mut sorted, op, facts)?;
        self.out.key("I");
        self.operands(op)?;
        self.out.key("O");
        self.out.open_list();
        for (index, value) in program.results(op).enumerate() {
            self.out.item();
            self.result(op, index, value)?;
        }
        self.out.close_list();
        if self.header.trainable {
            self.out.key("OA");
            self.attr_list(&sorted.result, op, facts)?;
        }
        self.op_added(&sorted.added, op)?;
        if !program.regions(op).is_empty() {
            self.regions(program.regions(op))?;
        }
        self.out.close_object();
        Ok(())
    }

    /// The attributes of an op, sorted by name, `chunk_id` and `op_role` included.
    fn all_attrs(&self, op: Op) -> Vec<(Name, Attr)> {
        let (program, context) = (self.program, self.context);
        let mut attrs = context.dict_entries(program.dict(op)).to_vec();
        let columns = [(names::CHUNK_ID, program.chunk(op)), (names::OP_ROLE, program.role(op))];
        for (name, value) in columns {
            if let Some(value) = value {
                let text = context.name_text(name);
                let at = attrs.partition_point(|entry| context.name_text(entry.0) < text);
                attrs.insert(at, (name, context.attr(AttrValue::int32(value))));
            }
        }
        attrs
    }

    /// Puts declared attributes first, in the order of their declaration.
    fn sort(&self, attrs: Vec<(Name, Attr)>, facts: Option<&OpFacts>) -> Sorted {
        let declared = facts.map_or(&[][..], |facts| &facts.attrs);
        let mut sorted = Sorted::default();
        let mut own: Vec<(usize, (Name, Attr))> = Vec::with_capacity(attrs.len());
        for entry in attrs {
            let (name, _) = entry;
            let is_of_results = matches!(name, names::STOP_GRADIENT | names::PERSISTABLE);
            match (is_of_results, self.header.trainable) {
                (true, true) => sorted.result.push(entry),
                (true, false) => sorted.added.push(entry),
                (false, _) => {
                    let text = self.context.name_text(name);
                    let place = declared.iter().position(|fact| fact.name == text);
                    let behind = || BEHIND.iter().position(|&known| known == name);
                    let place = place.or_else(|| behind().map(|at| declared.len() + at));
                    own.push((place.unwrap_or(usize::MAX), entry));
                }
            }
        }
        own.sort_by_key(|&(place, _)| place);
        sorted.own = own.into_iter().map(|(_, entry)| entry).collect();
        sorted
    }

    /// Writes `"A"`; what has no form there is added instead.
    fn own_attrs(
        &mut self,
        sorted: &mut Sorted,
        op: Op,
        facts: Option<&OpFacts>,
    ) -> Result<(), WriteError> {
        self.out.open_list();
        for &entry in &sorted.own {
            match write_named(self.context, entry, facts, For::Paddle, &mut self.out) {
                Ok(()) => {}
                Err(Unsayable::Attr) => sorted.added.push(entry),
                Err(reason) => return Err(self.refuse_attr(entry.0, reason, Some(op))),
            }
        }
        self.out.close_list();
        Ok(())
    }

    fn attr_list(
        &mut self,
        attrs: &[(Name, Attr)],
        op: Op,
        facts: Option<&OpFacts>,
    ) -> Result<(), WriteError> {
        self.out.open_list();
        for &entry in attrs {
            let written = write_named(self.context, entry, facts, For::Paddle, &mut self.out);
            written.map_err(|reason| self.refuse_attr(entry.0, reason, Some(op)))?;
        }
        self.out.close_list();
        Ok(())
    }

    fn op_added(&mut self, attrs: &[(Name, Attr)], op: Op) -> Result<(), WriteError> {
        if attrs.is_empty() {
            return Ok(());
        }
        self.out.key(ADDED);
        self.out.open_object();
        self.out.key("A");
        self.added_attrs(attrs, Some(op))?;
        self.out.close_object();
        Ok(())
    }

    /// A list of attributes that only our reader sees.
    pub(super) fn added_attrs(
        &mut self,
        attrs: &[(Name, Attr)],
        op: Option<Op>,
    ) -> Result<(), WriteError> {
        self.out.open_list();
        for &entry in attrs {
            let written = write_named(self.context, entry, None, For::Ourselves, &mut self.out);
            written.map_err(|reason| self.refuse_attr(entry.0, reason, op))?;
        }
        self.out.close_list();
        Ok(())
    }

    fn refuse_attr(&self, name: Name, reason: Unsayable, op: Option<Op>) -> WriteError {
        unsayable(format!("the attribute `{}`", self.context.name_text(name)), reason, op)
    }

    fn operands(&mut self, op: Op) -> Result<(), WriteError> {
        self.out.open_list();
        for (index, operand) in self.program.operands(op).iter().enumerate() {
            let id = operand.map_or(0, |value| self.ids[value.index()]);
            if operand.is_some() && id == 0 {
                let what = format!("operand {index} of `{}`", self.program.name_text(op));
                return Err(unsayable(what, Unsayable::Undefined, Some(op)));
            }
            self.out.item();
            self.out.open_object();
            self.out.key("%");
            self.out.integer(id);
            self.out.close_object();
        }
        self.out.close_list();
        Ok(())
    }

    fn result(&mut self, op: Op, index: usize, value: Value) -> Result<(), WriteError> {
        let id = self.define(value);
        self.out.open_object();
        self.out.key("%");
        self.out.integer(id);
        self.out.key("TT");
        self.result_type(op, index, self.program.ty(value))?;
        self.out.close_object();
        Ok(())
    }

    fn result_type(&mut self, op: Op, index: usize, ty: Type) -> Result<(), WriteError> {
        types::write_type(self.context, ty, &mut self.out).map_err(|reason| {
            let name = self.program.name_text(op);
            unsayable(format!("the type of result {index} of `{name}`"), reason, Some(op))
        })
    }
}

/// # Parameters
///
/// `builtin.parameter` is compressed where nothing is lost by it: each flag is there with one truth
/// value. Paddle's writer makes up those that are absent.
struct Parameter<'a> {
    name: &'a str,
    /// `is_distributed`, `is_parameter`, `need_clip`.
    own: [bool; 3],
    /// `persistable`, `stop_gradient`, `trainable`.
    result: [Option<bool>; 3],
    /// What is written in full.
    others: Vec<(Name, Attr)>,
}

const OWN_FLAGS: [&str; 3] = ["is_distributed", "is_parameter", "need_clip"];
const RESULT_FLAGS: [&str; 3] = ["persistable", "stop_gradient", "trainable"];

impl<'p, W: Write> Writer<'p, W> {
    fn compressible(&self, op: Op, attrs: &[(Name, Attr)]) -> Option<Parameter<'p>> {
        let program = self.program;
        let is_plain = program.name(op) == names::PARAMETER
            && program.operands(op).is_empty()
            && program.result_count(op) == 1
            && program.regions(op).is_empty();
        if !is_plain {
            return None;
        }
        let (mut own, mut result, mut name) = ([None; 3], [None; 3], None);
        let mut others = Vec::new();
        for &(key, attr) in attrs {
            let text = self.context.name_text(key);
            let at = |flags: [&str; 3]| flags.iter().position(|flag| *flag == text);
            match (at(OWN_FLAGS), at(RESULT_FLAGS)) {
                (Some(index), _) => own[index] = Some(self.flag(attr)?),
                (_, Some(index)) => result[index] = Some(self.flag(attr)?),
                _ if key == names::PARAMETER_NAME => name = self.string(attr),
                _ => others.push((key, attr)),
            }
        }
        let [Some(a), Some(b), Some(c)] = own else { return None };
        let is_whole = result.iter().all(|flag| flag.is_some() == self.header.trainable);
        let mut scratch = Emitter::new(Layout::Compact);
        let mut is_sayable = |&entry: &(Name, Attr)| {
            write_named(self.context, entry, None, For::Paddle, &mut scratch).is_ok()
        };
        (is_whole && others.iter().all(&mut is_sayable)).then_some(Parameter {
            name: name?,
            own: [a, b, c],
            result,
            others,
        })
    }

    /// The one truth value of a list of one.
    fn flag(&self, attr: Attr) -> Option<bool> {
        match self.context.attr_value(attr) {
            AttrValue::Array(flags) => match **flags {
                [flag] => match self.context.attr_value(flag) {
                    AttrValue::Bool(value) => Some(*value),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    fn string(&self, attr: Attr) -> Option<&'p str> {
        match self.context.attr_value(attr) {
            AttrValue::Str(bytes) => str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    fn parameter(&mut self, op: Op, parameter: Parameter<'_>) -> Result<(), WriteError> {
        let facts = self.context.facts(names::PARAMETER);
        let (quant, dist): (Vec<_>, Vec<_>) =
            parameter.others.into_iter().partition(|entry| entry.0 == names::STRUCT_NAME);
        let dist = self.sort(dist, None).own;
        self.out.open_coded(PARAMETER);
        self.out.key("A");
        self.out.open_list();
        for flag in parameter.own {
            self.out.item();
            self.out.integer(flag.into());
        }
        self.out.item();
        self.out.string(parameter.name);
        self.out.close_list();
        self.out.key("DA");
        self.attr_list(&dist, op, facts)?;
        self.out.key("O");
        self.result(op, 0, self.program.result(op, 0))?;
        if self.header.trainable {
            self.out.key("OA");
            self.out.open_list();
            for flag in parameter.result.into_iter().flatten() {
                self.out.item();
                self.out.integer(flag.into());
            }
            self.out.close_list();
        }
        self.out.key("QA");
        self.attr_list(&quant, op, facts)?;
        self.out.close_object();
        Ok(())
    }
}
