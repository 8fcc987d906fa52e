//! The variables that outlive a step, by name, and the sums that micro-batches add to them.
//!
//! A sum into such a variable is kept apart from what it is added to: the addends are a multiset,
//! since schedules may add up in another order. It becomes a term when the variable is read.
//!
//! Micro-batches are run as one (see [`crate::plan_run`]) as long as none of them sees what another
//! did to a variable. [`Store::runs_as_one`] says whether that has held.

use hashbrown::HashMap;
use indexmap::IndexMap;
use pirogue::ir::{Name, Type};
use rustc_hash::FxBuildHasher;

use crate::terms::{Application, Symbol, Tag, Term};
use crate::world::World;

/// One execution of a program, for one or more micro-batches: a position in the list of runs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run(pub(crate) u32);

/// A variable that outlives a step.
#[derive(Clone)]
struct Variable {
    ty: Type,
    /// What it was last set to.
    base: Term,
    /// All that was ever added.
    added: Vec<(Term, Run)>,
    /// Where among them those begin that were added to `base`.
    since: usize,
    /// Its term with the addends, once it was asked for.
    sum: Option<Term>,
    /// Whether a run that micro-batches share has read it, and has added to it.
    is_read: bool,
    is_added_to: bool,
}

/// A place in a [`Store`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot(pub(crate) u32);

/// All variables that outlive a step.
#[derive(Clone, Default)]
pub(crate) struct Store {
    variables: IndexMap<Name, Variable, FxBuildHasher>,
    /// Whether what runs now stands for several micro-batches, or comes before others.
    pub(crate) is_shared: bool,
    breaks_apart: bool,
}

impl Store {
    /// Whether no micro-batch has seen what another did.
    pub(crate) fn runs_as_one(&self) -> bool {
        !self.breaks_apart
    }

    pub(crate) fn find(&self, name: Name) -> Option<Slot> {
        self.variables.get_index_of(&name).map(|index| Slot(index as u32))
    }

    /// The variable of a name, which holds its initial value if it is new.
    pub(crate) fn define(&mut self, world: &mut World, name: Name, ty: Type) -> Slot {
        if let Some(slot) = self.find(name) {
            return slot;
        }
        let base = world.initial(name, ty);
        let variable = Variable {
            ty,
            base,
            added: Vec::new(),
            since: 0,
            sum: None,
            is_read: false,
            is_added_to: false,
        };
        Slot(self.variables.insert_full(name, variable).0 as u32)
    }

    pub(crate) fn ty(&self, slot: Slot) -> Type {
        self.variables[slot.0 as usize].ty
    }

    /// All that was added to a variable, in order.
    pub(crate) fn added(&self, slot: Slot) -> &[(Term, Run)] {
        &self.variables[slot.0 as usize].added
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = (Name, Slot)> + '_ {
        self.variables.keys().zip(0..).map(|(&name, index)| (name, Slot(index)))
    }

    /// The same variables as before the step.
    pub(crate) fn renewed(&self, world: &mut World) -> Self {
        let mut store = Self::default();
        for (&name, variable) in &self.variables {
            store.define(world, name, variable.ty);
        }
        store
    }

    /// What a variable holds. `runs` has the micro-batches of each run.
    pub(crate) fn read(&mut self, world: &mut World, slot: Slot, runs: &[u32]) -> Term {
        let variable = &mut self.variables[slot.0 as usize];
        if self.is_shared {
            variable.is_read = true;
            self.breaks_apart |= variable.is_added_to;
        }
        let addends = &variable.added[variable.since..];
        if addends.is_empty() {
            return variable.base;
        }
        *variable.sum.get_or_insert_with(|| accumulated(world, variable.base, addends, runs))
    }

    /// Sets a variable.
    pub(crate) fn write(&mut self, slot: Slot, term: Term) {
        self.breaks_apart |= self.is_shared;
        let variable = &mut self.variables[slot.0 as usize];
        variable.base = term;
        variable.since = variable.added.len();
        variable.sum = None;
    }

    /// Adds to a variable.
    pub(crate) fn add(&mut self, slot: Slot, term: Term, run: Run) {
        let variable = &mut self.variables[slot.0 as usize];
        if self.is_shared {
            variable.is_added_to = true;
            self.breaks_apart |= variable.is_read;
        }
        variable.added.push((term, run));
        variable.sum = None;
    }
}

/// The sum of a base and addends, each once for each micro-batch of its run.
fn accumulated(world: &mut World, base: Term, addends: &[(Term, Run)], runs: &[u32]) -> Term {
    let mut members: HashMap<Term, Vec<u32>, FxBuildHasher> = HashMap::default();
    let mut order: Vec<Term> = Vec::new();
    for &(term, Run(run)) in addends {
        let set = &world.sets[runs[run as usize] as usize];
        members
            .entry(term)
            .or_insert_with(|| {
                order.push(term);
                Vec::new()
            })
            .extend_from_slice(set);
    }
    let mut operands: Vec<Term> = Vec::with_capacity(order.len() + 1);
    for term in order {
        let mut members = members.remove(&term).expect("each term is in the order once");
        members.sort_unstable();
        operands.push(addend(world, term, &members));
    }
    operands.sort_unstable();
    operands.insert(0, base);
    let types = [world.terms.ty(base)];
    world.terms.apply(&Application::new(Symbol::Accumulated, &operands, &types))
}

fn addend(world: &mut World, term: Term, members: &[u32]) -> Term {
    let types = [world.terms.ty(term)];
    let (symbol, extra) = if world.terms.varies(term) {
        (Symbol::AddendOver, world.set(members))
    } else {
        (Symbol::AddendTimes, members.len() as u32)
    };
    let operands = [term];
    let application = Application::new(symbol, &operands, &types).extra(extra);
    world.terms.apply(&application.tag(Tag::NONE))
}
