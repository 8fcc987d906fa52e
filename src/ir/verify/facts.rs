//! Rules `E0411`, `E0412`, `E0414`: an op is what the dialect facts say, and vectors hold what
//! their types say.

use std::ops::RangeInclusive;

use super::{Fault, Misfit, Verifier};
use crate::dialect::{OpFacts, Source};
use crate::ir::program::OpRow;
use crate::ir::{Op, Type, TypeKind, Value, names};
use crate::text::type_text;

/// # Counts
impl Verifier<'_> {
    /// `E0411`, `E0412`: whether an op has as many operands and results as the facts say. Where it
    /// has not, they are not about it.
    pub(super) fn fits(&mut self, op: Op, row: &OpRow, facts: &'static OpFacts) -> bool {
        let (operands, results) = (row.operands.len as usize, row.results.len as usize);
        if facts.operand_count().contains(&operands) && facts.result_count().contains(&results) {
            return true;
        }
        let first = Misfit { op, facts, others: 0 };
        let key = (row.name, operands, results);
        self.misfits.entry(key).and_modify(|misfit| misfit.others += 1).or_insert(first);
        false
    }

    /// Says each kind of misfit once: where it is the version that differs, every op of the name
    /// does.
    pub(super) fn report_misfits(&mut self) {
        for ((_, operands, results), misfit) in std::mem::take(&mut self.misfits) {
            let Misfit { op, facts, .. } = misfit;
            let operand_names: Vec<_> = facts.operands.iter().map(|fact| fact.name).collect();
            let result_names: Vec<_> = facts.results.iter().map(|fact| fact.name).collect();
            let counts = [
                (["E0411", "W0411"], "operand", operands, facts.operand_count(), operand_names),
                (["E0412", "W0412"], "result", results, facts.result_count(), result_names),
            ];
            for (codes, what, has, wants, names) in counts {
                if wants.contains(&has) {
                    continue;
                }
                let (has, wants, names) = (plural(has, what), count(&wants), listed(&names));
                let more = match misfit.others {
                    0 => String::new(),
                    others => format!("; so have {} of its name", plural(others, "other op")),
                };
                let message =
                    format!("`{}` has {has}, and needs {wants}: {names}{more}", facts.name);
                self.fault(misfit_fault(facts, codes, message).at(op));
            }
        }
    }
}

/// An error for an op that is the same in all versions; a warning for one that Paddle may have
/// changed.
fn misfit_fault(facts: &OpFacts, [error, warning]: [&'static str; 2], message: String) -> Fault {
    match facts.source {
        Source::Declared => Fault::warning(warning, message).help(
            "an absent optional operand or result is there too, as a null; \
             if this is the op of another version than Paddle 3.3.1, it is taken as it is",
        ),
        Source::Observed | Source::NameOnly => Fault::new(error, message)
            .help("give it what it needs: the meaning of this op is built on it"),
    }
}

pub(super) fn plural(count: usize, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {what}{ending}")
}

fn count(range: &RangeInclusive<usize>) -> String {
    match (*range.start(), *range.end()) {
        (start, usize::MAX) => format!("{start} or more"),
        (start, end) if start == end => start.to_string(),
        (start, end) => format!("{start} to {end}"),
    }
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        names => format!("`{}`", names.join("`, `")),
    }
}

/// # Vectors
impl<'p> Verifier<'p> {
    /// `E0414`: the elements of a vector have the types that the vector's type lists.
    pub(super) fn element_types(&mut self, op: Op, row: &OpRow) {
        match row.name {
            names::COMBINE => self.combine(op, row),
            names::SPLIT => self.split(op, row),
            names::SLICE => self.slice(op, row),
            _ => {}
        }
    }

    fn combine(&mut self, op: Op, row: &OpRow) {
        let vector = self.result_types(row).next();
        self.compare_elements(op, row, vector, "operand", self.operand_types(row));
    }

    fn split(&mut self, op: Op, row: &OpRow) {
        let vector = self.operand_types(row).next();
        self.compare_elements(op, row, vector, "result", self.result_types(row));
    }

    fn slice(&mut self, op: Op, row: &OpRow) {
        let vector = self.operand_types(row).next();
        let Some(elements) = self.elements(op, row, vector) else { return };
        let context = &self.program.context;
        let index = context.dict_get(row.dict, context.name("index"));
        let Some(index) = index.and_then(|index| context.attr_value(index).as_int()) else {
            return;
        };
        let Some(&element) = usize::try_from(index).ok().and_then(|index| elements.get(index))
        else {
            let message =
                format!("`builtin.slice` takes element {index} of a vector of {}", elements.len());
            return self.fault(Fault::new("E0414", message).at(op).help("elements count from 0"));
        };
        if let Some(result) = self.result_types(row).next() {
            self.compare_element(op, element, result, || format!("the result and element {index}"));
        }
    }

    /// The element types of the vector of an op; `None` if there is nothing to compare with: it is
    /// no vector, which is reported, or its type is not known.
    fn elements(&mut self, op: Op, row: &OpRow, vector: Option<Type>) -> Option<&'p [Type]> {
        match self.program.context.type_kind(vector?) {
            TypeKind::Vec(elements) => Some(elements),
            TypeKind::Unknown => None,
            _ => {
                let message = format!("the vector of `{}` has no `vec` type", self.name_of(row));
                let help =
                    "a vector has the type `vec[...]`, which lists the types of its elements";
                self.fault(Fault::new("E0414", message).at(op).help(help));
                None
            }
        }
    }

    fn compare_elements(
        &mut self,
        op: Op,
        row: &OpRow,
        vector: Option<Type>,
        what: &str,
        given: impl ExactSizeIterator<Item = Type>,
    ) {
        let Some(elements) = self.elements(op, row, vector) else { return };
        if elements.len() != given.len() {
            let (given, name) = (plural(given.len(), what), self.name_of(row));
            let message = format!("`{name}` has {given} and a vector of {}", elements.len());
            return self
                .fault(Fault::new("E0414", message).at(op).help("give it one for each element"));
        }
        for (index, (&element, given)) in elements.iter().zip(given).enumerate() {
            self.compare_element(op, element, given, || {
                format!("{what} {index} and element {index}")
            });
        }
    }

    fn compare_element(
        &mut self,
        op: Op,
        element: Type,
        given: Type,
        what: impl FnOnce() -> String,
    ) {
        let context = &self.program.context;
        if context.same_type(element, given) || given == Type::UNKNOWN || element == Type::UNKNOWN {
            return;
        }
        let (given, element) = (type_text(context, given), type_text(context, element));
        let message = format!("{} of the vector differ in type: `{given}` and `{element}`", what());
        self.fault(
            Fault::new("E0414", message)
                .at(op)
                .help("an element has the type that the vector's type lists"),
        );
    }

    /// The types of an op's operands; the null type where one is absent.
    pub(super) fn operand_types(
        &self,
        row: &OpRow,
    ) -> impl ExactSizeIterator<Item = Type> + use<'p> {
        let program = self.program;
        let ty =
            |value: Value| program.values.get(value.index()).map_or(Type::UNKNOWN, |row| row.ty);
        self.operands_of(row).iter().map(move |operand| operand.map_or(Type::NULL, ty))
    }

    pub(super) fn result_types(
        &self,
        row: &OpRow,
    ) -> impl ExactSizeIterator<Item = Type> + use<'p> {
        let results = self.program.values.get(row.results.range()).unwrap_or_default();
        results.iter().map(|row| row.ty)
    }
}
