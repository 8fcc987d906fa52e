//! Names: where a program's values come from, and under which names others find them.
//!
//! `builtin.shadow_output` *renames*: the value is known by its last name only. A list of values
//! passes through `builtin.combine` and `builtin.split` as the cells it is made of.

use pirogue::ir::{AttrValue, BlockArgument, Name, Op, Type, Value, names as known};
use smallvec::SmallVec;

use super::cells::{Binding, Cell, CellId};
use super::{Entry, Fetch, Machine};
use crate::findings::Fault;
use crate::lifetime::Leave;
use crate::terms::{Application, Symbol, Term};

/// What a name means.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// The program stands for itself: what it does not define is given to it.
    Whole,
    /// The program is one of several that pass values by name: what it does not define must be there.
    Part,
}

/// # Sources
impl Machine<'_> {
    /// Gives the keyword arguments of the program their cells.
    pub(crate) fn bind_kwargs(&mut self) {
        let program = self.program;
        for (name, argument) in program.kwargs(program.top()) {
            let cell = self.kwarg(name, argument);
            self.frame.bind(argument.value, Binding::Cell(cell));
        }
    }

    fn kwarg(&mut self, name: Name, argument: BlockArgument) -> CellId {
        let ty = self.program.ty(argument.value);
        let context = &self.world.context;
        let flag = context.dict_get(argument.attrs, known::PERSISTABLE);
        let is_persistable =
            flag.is_some_and(|flag| context.attr_value(flag).as_bool() == Some(true));
        if !is_persistable && !self.world.knowledge.shape(ty).can_cross {
            self.find_fault(Fault::Wire { name, ty }, None);
        }
        match (is_persistable, self.rules) {
            (true, Rules::Whole) => self.variable(name, ty, None),
            (false, Rules::Whole) => self.fed(name, ty),
            (true, Rules::Part) if self.store.find(name).is_some() => self.variable(name, ty, None),
            (false, Rules::Part) if self.thread.scope.contains_key(&name) => {
                self.named(name, ty, None)
            }
            (is_persistable, Rules::Part) => {
                self.find_fault(Fault::Missing { name, is_persistable }, None);
                let plain = self.world.knowledge.shape(ty).plain;
                let term = self.world.terms.leaf(Symbol::Missing(name), self.thread.tag, plain);
                self.frame.new_cell(term, ty)
            }
        }
    }

    /// The cell of a variable that outlives the step.
    fn variable(&mut self, name: Name, ty: Type, op: Option<Op>) -> CellId {
        let slot = self.store.define(self.world, name, ty);
        let expected = self.store.ty(slot);
        self.check_type(Some(name), [expected; 2], ty, op);
        let cell = self.frame.new_cell(Term::NULL, expected);
        let data = self.frame.cell_mut(cell);
        (data.slot, data.is_touched) = (Some(slot), false);
        cell
    }

    /// The cell of a value that an earlier program left under a name.
    fn named(&mut self, name: Name, ty: Type, op: Option<Op>) -> CellId {
        let entry = self.thread.scope[&name];
        self.check_type(Some(name), [entry.ty, entry.printed], ty, op);
        if let Some(cell) = entry.cell {
            return cell;
        }
        let cell = self.frame.new_cell(entry.term, entry.ty);
        let data = self.frame.cell_mut(cell);
        (data.name, data.came_as) = (Some(name), Some(name));
        (data.is_fresh, data.is_touched) = (true, false);
        data.printed = entry.printed;
        self.frame.named.push(cell);
        self.thread.scope.entry(name).and_modify(|entry| entry.cell = Some(cell));
        cell
    }

    /// The cell of what is fed under a name.
    fn fed(&mut self, name: Name, ty: Type) -> CellId {
        let plain = self.world.knowledge.shape(ty).plain;
        let term = self.world.terms.leaf(Symbol::Fed(name), self.thread.tag, plain);
        if self.rules == Rules::Whole {
            self.world.fed.insert(name);
        }
        let cell = self.frame.new_cell(term, ty);
        self.give_name(cell, name);
        cell
    }

    pub(super) fn data(&mut self, op: Op) {
        let program = self.program;
        let (Some(result), Some(name)) =
            (program.results(op).next(), program.attr_name(op, known::NAME))
        else {
            return;
        };
        let ty = program.ty(result);
        let is_persistable = program.result_flag(op, known::PERSISTABLE, 0) == Some(true);
        let is_there = self.thread.scope.contains_key(&name);
        let cell = match is_persistable {
            true => self.variable(name, ty, Some(op)),
            false if is_there => self.named(name, ty, Some(op)),
            false => {
                if self.rules == Rules::Part && !self.world.fed.contains(&name) {
                    self.find_fault(Fault::Missing { name, is_persistable }, Some(op));
                }
                self.fed(name, ty)
            }
        };
        self.frame.cell_mut(cell).is_touched = true;
        self.frame.bind(result, Binding::Cell(cell));
    }

    pub(super) fn parameter(&mut self, op: Op) {
        let program = self.program;
        let (Some(result), Some(name)) =
            (program.results(op).next(), program.attr_name(op, known::PARAMETER_NAME))
        else {
            return;
        };
        let cell = self.variable(name, program.ty(result), Some(op));
        self.frame.bind(result, Binding::Cell(cell));
    }

    fn check_type(&mut self, name: Option<Name>, right: [Type; 2], found: Type, op: Option<Op>) {
        let context = &self.world.context;
        let is_said = |ty: Type| ty != Type::UNKNOWN;
        let fits = right.iter().any(|&right| !is_said(right) || context.same_type(right, found));
        if is_said(found) && !fits {
            self.find_fault(Fault::Type { name, expected: right[0], found }, op);
        }
    }
}

/// # Giving names
impl Machine<'_> {
    pub(super) fn shadow_output(&mut self, op: Op) {
        let (Some(value), Some(name)) =
            (self.program.operand(op, 0), self.program.attr_name(op, known::OUTPUT_NAME))
        else {
            return;
        };
        // A name that is given in a region stays there.
        if !self.frame.is_unconditional() {
            return;
        }
        let ty = self.program.ty(value);
        let is_part = self.rules == Rules::Part;
        if is_part && !self.world.knowledge.shape(ty).can_cross {
            self.find_fault(Fault::Wire { name, ty }, Some(op));
        }
        let cell = match self.frame.binding(value) {
            Binding::Cell(cell) => cell,
            // It is observed as it is now.
            _ => {
                let term = self.read(op, Some(value), false);
                self.frame.new_cell(term, ty)
            }
        };
        self.frame.outputs.push((name, op, cell));
        if self.frame.cell(cell).slot.is_some() {
            if is_part {
                self.find_fault(Fault::NamesPersistable { name }, Some(op));
            }
        } else if is_part {
            let is_free =
                self.frame.cell(cell).name == Some(name) || !self.thread.scope.contains_key(&name);
            if !is_free {
                self.find_fault(Fault::NameTaken { name }, Some(op));
            }
            self.give_name(cell, name);
        }
    }

    /// From now on the cell is known by this name, and by no other.
    fn give_name(&mut self, cell: CellId, name: Name) {
        let data = self.frame.cell_mut(cell);
        if data.name == Some(name) {
            return;
        }
        let before = data.name.replace(name);
        let entry =
            Entry { term: Term::NULL, ty: data.ty, printed: data.printed, cell: Some(cell) };
        match before {
            Some(before) => self.thread.scope.remove(&before).is_some(),
            None => {
                self.frame.named.push(cell);
                false
            }
        };
        self.thread.scope.insert(name, entry);
    }

    /// What other programs find when this one has ended.
    pub(crate) fn leave_names(&mut self) {
        for cell in std::mem::take(&mut self.frame.named) {
            let data = *self.frame.cell(cell);
            let Some(name) = data.name else { continue };
            let term = self.held(cell);
            let (ty, printed) = (data.ty, data.printed);
            // Another value may have been given the name since.
            if let Some(entry) = self.thread.scope.get_mut(&name)
                && entry.cell == Some(cell)
            {
                *entry = Entry { term, ty, printed, cell: None };
                let Cell { came_as, is_touched, .. } = data;
                self.frame.lifetimes.leaves.push(Leave { name, came_as, is_touched });
            }
        }
    }

    /// Takes note of the outputs that have come since the last time, as they are now.
    pub(crate) fn note_fetches(&mut self, is_observed: impl Fn(Name) -> bool) {
        for (name, op, cell) in std::mem::take(&mut self.frame.outputs) {
            if is_observed(name) {
                let (term, site) = (self.held(cell), self.site(op));
                self.thread.fetches.push(Fetch { name, term, site });
            }
        }
    }

    pub(super) fn set_parameter(&mut self, op: Op) {
        let (Some(value), Some(name)) =
            (self.program.operand(op, 0), self.program.attr_name(op, known::PARAMETER_NAME))
        else {
            return;
        };
        let term = self.read(op, Some(value), true);
        let slot = self.store.define(self.world, name, self.program.ty(value));
        self.store.write(slot, term);
    }
}

/// # Lists
impl Machine<'_> {
    pub(super) fn combine(&mut self, op: Op) {
        let program = self.program;
        let Some(result) = program.results(op).next() else { return };
        let operands = program.operands(op);
        let cells: SmallVec<[CellId; 4]> =
            operands.iter().map(|&operand| self.element(op, operand)).collect();
        if let Some(elements) = self.world.knowledge.shape(program.ty(result)).elements.clone() {
            for (&cell, &ty) in cells.iter().zip(&elements) {
                let cell = self.frame.cell(cell);
                let right = [cell.ty, cell.printed];
                self.check_type(None, right, ty, Some(op));
            }
        }
        let list = self.frame.new_list(cells);
        self.frame.bind(result, list);
    }

    fn element(&mut self, op: Op, operand: Option<Value>) -> CellId {
        if let Some(Binding::Cell(cell)) = operand.map(|value| self.frame.binding(value)) {
            return cell;
        }
        let term = self.read(op, operand, false);
        let ty = operand.map_or(Type::NULL, |value| self.program.ty(value));
        self.frame.new_cell(term, ty)
    }

    pub(super) fn split(&mut self, op: Op) {
        let elements = self.elements(op);
        for (index, result) in self.program.results(op).enumerate() {
            self.take_element(op, result, elements.get(index).copied());
        }
    }

    pub(super) fn slice(&mut self, op: Op) {
        let index = self.world.context.name("index");
        let index = self.program.attr_value(op, index).and_then(AttrValue::as_int);
        let index = index.and_then(|index| usize::try_from(index).ok());
        let element = index.and_then(|index| self.elements(op).get(index).copied());
        if let Some(result) = self.program.results(op).next() {
            self.take_element(op, result, element);
        }
    }

    fn elements(&self, op: Op) -> SmallVec<[CellId; 4]> {
        let operand = self.program.operand(op, 0);
        match operand.map(|value| self.frame.binding(value)) {
            Some(Binding::List(list)) => SmallVec::from_slice(self.frame.list(list)),
            _ => SmallVec::new(),
        }
    }

    fn take_element(&mut self, op: Op, result: Value, element: Option<CellId>) {
        let ty = self.program.ty(result);
        let Some(cell) = element else {
            let index = result.index();
            return self.take_unknown(op, result, ty, index);
        };
        let data = self.frame.cell(cell);
        let right = [data.ty, data.printed];
        self.check_type(None, right, ty, Some(op));
        self.frame.bind(result, Binding::Cell(cell));
    }

    /// An element of a list that is not one.
    fn take_unknown(&mut self, op: Op, result: Value, ty: Type, index: usize) {
        let operand = self.read(op, self.program.operand(op, 0), true);
        let plain = self.world.knowledge.shape(ty).plain;
        let (operands, types) = ([operand], [plain]);
        let element = Application::new(Symbol::Op(self.program.name(op)), &operands, &types);
        let first = self.program.results(op).next().map_or(0, Value::index);
        let term = self.world.terms.apply(&element.extra((index - first) as u32));
        let cell = self.frame.new_cell(term, ty);
        self.frame.bind(result, Binding::Cell(cell));
    }
}
