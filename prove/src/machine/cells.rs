//! Cells, and what the values of a program name.

use pirogue::ir::{Name, Op, Type, Value};
use smallvec::SmallVec;

use super::Machine;
use crate::lifetime::Lifetimes;
use crate::store::Slot;
use crate::terms::{Application, Symbol, Tag, Term};

/// A cell of a [`Frame`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CellId(u32);

/// A list of a [`Frame`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListId(u32);

/// What a value names.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// Nothing that ran.
    None,
    Cell(CellId),
    List(ListId),
}

impl Binding {
    pub(super) fn cell(self) -> Option<CellId> {
        match self {
            Self::Cell(cell) => Some(cell),
            _ => None,
        }
    }
}

/// A piece of memory.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Cell {
    term: Term,
    pub(crate) ty: Type,
    /// The type under which it was last seen.
    pub(crate) printed: Type,
    /// The variable that it is, if it outlives the step; the store then knows what it holds.
    pub(crate) slot: Option<Slot>,
    pub(crate) name: Option<Name>,
    /// Whether this program has not yet read or written what it took.
    pub(crate) is_fresh: bool,
    /// The name under which it was taken from another program.
    pub(crate) came_as: Option<Name>,
    /// Whether a kernel of this program has used the memory.
    pub(crate) is_touched: bool,
}

/// What is written in a branch, and what it was before.
#[derive(Copy, Clone, Debug)]
pub(super) struct Write {
    pub(super) cell: CellId,
    pub(super) before: Term,
}

const NONE: u32 = u32::MAX;
const IS_LIST: u32 = 1 << 31;

/// The memory of a program that runs. It is used again for the next.
#[derive(Default)]
pub(crate) struct Frame {
    cells: Vec<Cell>,
    lists: Vec<SmallVec<[CellId; 4]>>,
    /// By value.
    bindings: Vec<u32>,
    /// Cells that have or had a name.
    pub(super) named: Vec<CellId>,
    /// Names that the program itself gives, with their ops and cells.
    pub(super) outputs: Vec<(Name, Op, CellId)>,
    /// What the program does to the values of others.
    pub(crate) lifetimes: Lifetimes,
    /// What was written in the branches that are being run, innermost last.
    pub(super) writes: Vec<Write>,
    /// How many branches and loops are around.
    pub(super) depth: u32,
    /// The innermost branch.
    pub(super) branch: Option<Term>,
    /// Whether a loop is run only to see what it writes.
    pub(super) is_trial: bool,
}

impl Frame {
    /// Forgets all, for a program of that many values.
    pub(crate) fn reset(&mut self, values: usize) {
        self.cells.clear();
        self.lists.clear();
        self.bindings.clear();
        self.bindings.resize(values, NONE);
        self.named.clear();
        self.outputs.clear();
        self.lifetimes = Lifetimes::default();
        self.writes.clear();
        (self.depth, self.branch, self.is_trial) = (0, None, false);
    }

    pub(super) fn is_unconditional(&self) -> bool {
        self.depth == 0
    }

    pub(super) fn binding(&self, value: Value) -> Binding {
        match self.bindings[value.index()] {
            NONE => Binding::None,
            list if list & IS_LIST != 0 => Binding::List(ListId(list & !IS_LIST)),
            cell => Binding::Cell(CellId(cell)),
        }
    }

    pub(super) fn bind(&mut self, value: Value, binding: Binding) {
        self.bindings[value.index()] = match binding {
            Binding::None => NONE,
            Binding::Cell(CellId(cell)) => cell,
            Binding::List(ListId(list)) => list | IS_LIST,
        };
    }

    pub(crate) fn cell(&self, cell: CellId) -> &Cell {
        &self.cells[cell.0 as usize]
    }

    pub(super) fn cell_mut(&mut self, cell: CellId) -> &mut Cell {
        &mut self.cells[cell.0 as usize]
    }

    pub(super) fn list(&self, list: ListId) -> &[CellId] {
        &self.lists[list.0 as usize]
    }

    pub(super) fn new_cell(&mut self, term: Term, ty: Type) -> CellId {
        let id = u32::try_from(self.cells.len()).ok().filter(|&id| id < IS_LIST);
        let id = CellId(id.expect("fewer than two billion values in a program"));
        self.cells.push(Cell {
            term,
            ty,
            printed: ty,
            slot: None,
            name: None,
            came_as: None,
            is_fresh: false,
            is_touched: true,
        });
        id
    }

    pub(super) fn new_list(&mut self, cells: SmallVec<[CellId; 4]>) -> Binding {
        self.lists.push(cells);
        Binding::List(ListId(self.lists.len() as u32 - 1))
    }
}

/// # Reading and writing
impl Machine<'_> {
    /// The term of an operand. `is_needed`: whether its memory is read, and not only its shape.
    pub(super) fn read(&mut self, op: Op, operand: Option<Value>, is_needed: bool) -> Term {
        let Some(value) = operand else { return Term::NULL };
        match self.frame.binding(value) {
            Binding::Cell(cell) => self.read_cell(op, cell, is_needed),
            Binding::List(list) => {
                let cells = SmallVec::<[CellId; 4]>::from_slice(self.frame.list(list));
                let terms = cells.into_iter().map(|cell| self.read_cell(op, cell, is_needed));
                let terms: SmallVec<[Term; 4]> = terms.collect();
                let types = [Type::NULL];
                self.world.terms.apply(&Application::new(Symbol::List, &terms, &types))
            }
            Binding::None => {
                let ty = self.world.knowledge.shape(self.program.ty(value)).plain;
                self.world.terms.leaf(Symbol::Unbound, Tag::NONE, ty)
            }
        }
    }

    fn read_cell(&mut self, op: Op, id: CellId, is_needed: bool) -> Term {
        if is_needed {
            let cell = self.frame.cell_mut(id);
            cell.is_touched = true;
            if cell.is_fresh {
                cell.is_fresh = false;
                let name = cell.came_as;
                self.frame.lifetimes.reads.extend(name.map(|name| (name, op)));
            }
        }
        self.held(id)
    }

    /// What a cell holds, whoever asks.
    pub(super) fn held(&mut self, id: CellId) -> Term {
        match self.frame.cell(id) {
            Cell { slot: Some(slot), .. } => self.store.read(self.world, *slot, self.runs),
            cell => cell.term,
        }
    }

    pub(super) fn write(&mut self, id: CellId, term: Term) {
        if !self.frame.is_unconditional() {
            let before = self.held(id);
            self.frame.writes.push(Write { cell: id, before });
        }
        self.put_back(id, term);
        let cell = self.frame.cell_mut(id);
        (cell.is_touched, cell.is_fresh) = (true, false);
    }

    /// Sets what a cell holds, without anybody having written it.
    pub(super) fn put_back(&mut self, id: CellId, term: Term) {
        let cell = self.frame.cell_mut(id);
        match cell.slot {
            Some(slot) => self.store.write(slot, term),
            None => cell.term = term,
        }
    }
}
