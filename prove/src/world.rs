//! What both sides of a proof share.

use std::sync::Arc;

use hashbrown::HashMap;
use indexmap::{IndexMap, IndexSet};
use pirogue::ir::{Attr, Context, Name, Op, ScalarType, Type};
use rustc_hash::FxBuildHasher;

use crate::Lemma;
use crate::findings::{Side, Site};
use crate::normal::Dims;
use crate::ops::Knowledge;
use crate::terms::{Application, Next, Symbol, Tag, Term, Terms};

/// A set whose order is that of insertion.
pub(crate) type FxIndexSet<T> = IndexSet<T, FxBuildHasher>;

/// Terms, and what they speak of.
pub(crate) struct World {
    pub(crate) context: Arc<Context>,
    pub(crate) terms: Terms,
    pub(crate) knowledge: Knowledge,
    /// Sorted lists of micro-batches, which terms name by their positions.
    pub(crate) sets: FxIndexSet<Box<[u32]>>,
    /// Ops that ran of which nothing is known.
    pub(crate) unknown_ops: FxIndexSet<Name>,
    /// Op and group of ranks, and with whom, of ops that reach out; traces name them by position.
    pub(crate) channels: FxIndexSet<Channel>,
    pub(crate) gradients: GradientUses,
    /// What the original is fed.
    pub(crate) fed: FxIndexSet<Name>,
    /// The results of the original with their ops.
    pub(crate) results: Vec<(Term, Op)>,
    /// By term of the original: whether the plan makes it too. Empty while the original runs.
    pub(crate) is_made_again: Vec<bool>,
    /// Which op made a term first, on each side; kept only to explain a difference.
    pub(crate) makers: Option<Makers>,
    /// By application.
    pub(crate) forms: HashMap<Term, Formed, FxBuildHasher>,
    /// The types of dense tensors that normal forms have made.
    pub(crate) tensor_types: HashMap<(Dims, ScalarType), Type, FxBuildHasher>,
    pub(crate) peer: Name,
    pub(crate) fix_seed: Name,
}

/// The normal forms of the results of an op, where it has them.
pub(crate) type Forms = [Option<Term>; 2];

/// The normal forms of an application that has been put in normal form before.
#[derive(Copy, Clone)]
pub(crate) struct Formed {
    pub(crate) forms: Forms,
    /// What was made after them.
    pub(crate) next: Next,
}

/// What messages and other effects keep their order in.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Channel {
    pub(crate) op: Name,
    pub(crate) ring: Option<Attr>,
    pub(crate) peer: Option<Attr>,
}

/// Which `matmul_grad`s ran as such.
#[derive(Default)]
pub(crate) struct GradientUses {
    /// By op of the original: its application and the lemma that splits it.
    pub(crate) of_original: IndexMap<Op, (Term, Lemma), FxBuildHasher>,
    pub(crate) of_plan: FxIndexSet<Term>,
}

/// Which op made a term first, on each side.
#[derive(Default)]
pub(crate) struct Makers {
    of_original: HashMap<Term, Site, FxBuildHasher>,
    of_plan: HashMap<Term, Site, FxBuildHasher>,
}

impl Makers {
    fn side(&mut self, side: Side) -> &mut HashMap<Term, Site, FxBuildHasher> {
        match side {
            Side::Original => &mut self.of_original,
            Side::Plan(_) => &mut self.of_plan,
        }
    }

    pub(crate) fn add(&mut self, term: Term, site: Site) {
        self.side(site.side).entry(term).or_insert(site);
    }

    pub(crate) fn of_original(&self, term: Term) -> Option<Site> {
        self.of_original.get(&term).copied()
    }

    pub(crate) fn of_plan(&self, term: Term) -> Option<Site> {
        self.of_plan.get(&term).copied()
    }
}

impl World {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self {
            context: Arc::clone(context),
            terms: Terms::new(),
            knowledge: Knowledge::new(context),
            sets: FxIndexSet::default(),
            unknown_ops: FxIndexSet::default(),
            channels: FxIndexSet::default(),
            gradients: GradientUses::default(),
            fed: FxIndexSet::default(),
            results: Vec::new(),
            is_made_again: Vec::new(),
            makers: None,
            forms: HashMap::default(),
            tensor_types: HashMap::default(),
            peer: context.name("peer"),
            fix_seed: context.name("fix_seed"),
        }
    }

    /// The position of a set of micro-batches.
    pub(crate) fn set(&mut self, members: &[u32]) -> u32 {
        match self.sets.get_index_of(members) {
            Some(index) => index as u32,
            None => self.sets.insert_full(members.into()).0 as u32,
        }
    }

    /// What a persistable variable holds before the step.
    pub(crate) fn initial(&mut self, name: Name, ty: Type) -> Term {
        let ty = self.knowledge.shape(ty).plain;
        self.terms.leaf(Symbol::Initial(name), Tag::NONE, ty)
    }

    /// The choice between two values.
    pub(crate) fn select(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        if then == otherwise {
            return then;
        }
        let types = [self.terms.ty(then)];
        let operands = [condition, then, otherwise];
        self.terms.apply(&Application::new(Symbol::Select, &operands, &types))
    }
}
