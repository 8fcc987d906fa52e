//! Terms: what a value is, whoever computes it.
//!
//! A term is an application of a symbol to terms, or a leaf. Equal applications are one term (they
//! are hash-consed), so that two values are equal exactly if their terms are. A table only grows;
//! an operand is always older than what is made of it.
//!
//! The results of one application are consecutive terms: result `i` is its first term plus `i`.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use pirogue::ir::{Dict, Name, Type};
use rustc_hash::FxHasher;

/// A term of a [`Terms`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term(u32);

impl Term {
    /// What stands for an operand that is not there.
    pub(crate) const NULL: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// The `offset`th result after this one of the same application.
    pub(crate) fn result(self, offset: usize) -> Self {
        Self(self.0 + offset as u32)
    }
}

/// What is applied.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Symbol {
    /// An op of which no more is known than its operands and attributes.
    Op(Name),
    /// An operand that is not there.
    Null,
    /// A list of values that travels as one.
    List,
    /// What a persistable variable holds before the step.
    Initial(Name),
    /// What is fed under a name.
    Fed(Name),
    /// A value that was asked for by name and is not there.
    Missing(Name),
    /// A value without a definition that could be run, such as the result of a block that does not
    /// yield it.
    Unbound,
    /// `extra`: the depth of the loop. Result `i` is its block argument `i`.
    LoopArguments,
    /// `extra`: the depth of the loop. Result `i` is the cell that the body writes as the `i`th.
    LoopCells,
    /// A loop: initial values and cells, then what an iteration makes of them.
    Loop,
    /// A condition, and the values where it holds and where it does not.
    Select,
    /// The stack below, and the values pushed on it.
    Push,
    /// What reaches other ranks or the world: the branch it is in, then the operands.
    Effect,
    /// The branch around, the condition, and in `extra` which branch.
    Branch,
    /// The same elements in the dims of the result.
    Reshape,
    /// A matrix product, rows of the first by columns of the second; `extra`: see
    /// [`product`](crate::normal).
    Product,
    /// A sum over the axes whose bits are set in `extra`, which then are no more.
    Sum,
    /// A base and [`Addend`](Symbol::Addend)s in the order of their terms.
    Accumulated,
    /// A term that is added once for each micro-batch of the set `extra`.
    AddendOver,
    /// A term that is added `extra` times.
    AddendTimes,
}

/// For which micro-batch a leaf is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tag(u32);

impl Tag {
    /// For none: it is the same in all.
    pub(crate) const NONE: Self = Self(0);
    /// For whichever micro-batch is being run.
    pub(crate) const ANY: Self = Self(1);

    /// For this micro-batch.
    pub(crate) fn of(micro_batch: u32) -> Self {
        Self(micro_batch.saturating_add(2))
    }
}

/// An application to be looked up or made.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Application<'a> {
    pub(crate) symbol: Symbol,
    pub(crate) attrs: Dict,
    pub(crate) extra: u32,
    pub(crate) tag: Tag,
    pub(crate) operands: &'a [Term],
    /// The types of its results; at least one.
    pub(crate) types: &'a [Type],
}

impl<'a> Application<'a> {
    /// An application without attributes, that is the same in all micro-batches.
    pub(crate) fn new(symbol: Symbol, operands: &'a [Term], types: &'a [Type]) -> Self {
        Self { symbol, attrs: Dict::EMPTY, extra: 0, tag: Tag::NONE, operands, types }
    }

    pub(crate) fn extra(self, extra: u32) -> Self {
        Self { extra, ..self }
    }

    pub(crate) fn tag(self, tag: Tag) -> Self {
        Self { tag, ..self }
    }

    pub(crate) fn attrs(self, attrs: Dict) -> Self {
        Self { attrs, ..self }
    }

    fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.symbol.hash(&mut hasher);
        (self.attrs, self.extra, self.tag).hash(&mut hasher);
        self.operands.hash(&mut hasher);
        self.types.hash(&mut hasher);
        hasher.finish()
    }
}

/// An application that was made. What it is applied to is in the pool of operands from `start` on, and
/// the types of its results are those of its terms.
struct Head {
    symbol: Symbol,
    attrs: Dict,
    extra: u32,
    tag: Tag,
    first: u32,
    start: u32,
    operand_count: u32,
    result_count: u32,
    /// Whether it differs from micro-batch to micro-batch.
    varies: bool,
}

struct Entry {
    hash: u32,
    head: u32,
}

/// All terms of a proof.
pub(crate) struct Terms {
    heads: Vec<Head>,
    operands: Vec<Term>,
    /// By term.
    head_of: Vec<u32>,
    types: Vec<Type>,
    table: HashTable<Entry>,
    /// The head after the one that was found last. A plan repeats its original op by op, so that is
    /// the one that is asked for next, more often than not: no hash and no search is needed then.
    next: usize,
}

/// What was made after something, and will be asked for after it too.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Next(u32);

/// Spreads the half of a hash that is kept over all bits: a table places by the low and tags by the
/// high ones.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Terms {
    pub(crate) fn new() -> Self {
        let mut terms = Self {
            heads: Vec::new(),
            operands: Vec::new(),
            head_of: Vec::new(),
            types: Vec::new(),
            table: HashTable::new(),
            next: 0,
        };
        let null = terms.apply(&Application::new(Symbol::Null, &[], &[Type::NULL]));
        debug_assert_eq!(null, Term::NULL);
        terms
    }

    /// Makes room for about as many applications as the ops of a program give.
    pub(crate) fn reserve(&mut self, ops: usize) {
        self.heads.reserve(ops);
        self.head_of.reserve(ops);
        self.types.reserve(ops);
        self.operands.reserve(2 * ops);
        self.table.reserve(ops, |entry| spread(entry.hash));
    }

    pub(crate) fn len(&self) -> usize {
        self.head_of.len()
    }

    /// The first result of the application.
    pub(crate) fn apply(&mut self, application: &Application<'_>) -> Term {
        let guess = self.heads.get(self.next).filter(|head| self.is(head, application));
        if let Some(head) = guess {
            self.next += 1;
            return Term(head.first);
        }
        let hash = application.hash();
        let hash = (hash ^ (hash >> 32)) as u32;
        let found = self.table.find(spread(hash), |entry| {
            entry.hash == hash && self.is(&self.heads[entry.head as usize], application)
        });
        match found.map(|entry| entry.head) {
            Some(head) => {
                self.next = head as usize + 1;
                Term(self.heads[head as usize].first)
            }
            None => self.insert(hash, application),
        }
    }

    /// What will be made next.
    pub(crate) fn next(&self) -> Next {
        Next(self.heads.len() as u32)
    }

    /// Says that this will likely be asked for now.
    pub(crate) fn expect(&mut self, Next(head): Next) {
        self.next = head as usize;
    }

    /// A leaf of one result.
    pub(crate) fn leaf(&mut self, symbol: Symbol, tag: Tag, ty: Type) -> Term {
        self.apply(&Application::new(symbol, &[], &[ty]).tag(tag))
    }

    fn is(&self, head: &Head, other: &Application<'_>) -> bool {
        let first = head.first as usize;
        head.symbol == other.symbol
            && (head.attrs, head.extra, head.tag) == (other.attrs, other.extra, other.tag)
            && self.operands_of(head) == other.operands
            && self.types[first..first + head.result_count as usize] == *other.types
    }

    fn insert(&mut self, hash: u32, application: &Application<'_>) -> Term {
        let narrow = |count: usize| u32::try_from(count).expect("fewer than four billion terms");
        let head = narrow(self.heads.len());
        let first = narrow(self.head_of.len());
        let varies = application.tag == Tag::ANY
            || application.operands.iter().any(|&operand| self.varies(operand));
        self.heads.push(Head {
            symbol: application.symbol,
            attrs: application.attrs,
            extra: application.extra,
            tag: application.tag,
            first,
            start: narrow(self.operands.len()),
            operand_count: narrow(application.operands.len()),
            result_count: narrow(application.types.len()),
            // An addend says itself for which micro-batches it is.
            varies: varies && application.symbol != Symbol::AddendOver,
        });
        self.operands.extend_from_slice(application.operands);
        self.types.extend_from_slice(application.types);
        self.head_of.resize(self.types.len(), head);
        self.table.insert_unique(spread(hash), Entry { hash, head }, |entry| spread(entry.hash));
        Term(first)
    }

    fn operands_of(&self, head: &Head) -> &[Term] {
        let start = head.start as usize;
        &self.operands[start..start + head.operand_count as usize]
    }

    fn head(&self, term: Term) -> &Head {
        &self.heads[self.head_of[term.index()] as usize]
    }
}

/// # What a term is
impl Terms {
    pub(crate) fn symbol(&self, term: Term) -> Symbol {
        self.head(term).symbol
    }

    pub(crate) fn attrs(&self, term: Term) -> Dict {
        self.head(term).attrs
    }

    pub(crate) fn extra(&self, term: Term) -> u32 {
        self.head(term).extra
    }

    pub(crate) fn tag(&self, term: Term) -> Tag {
        self.head(term).tag
    }

    pub(crate) fn operands(&self, term: Term) -> &[Term] {
        self.operands_of(self.head(term))
    }

    pub(crate) fn ty(&self, term: Term) -> Type {
        self.types[term.index()]
    }

    /// Which result of its application it is.
    pub(crate) fn result_index(&self, term: Term) -> usize {
        term.index() - self.head(term).first as usize
    }

    /// Whether it differs from micro-batch to micro-batch, as far as it says for which it is.
    pub(crate) fn varies(&self, term: Term) -> bool {
        self.head(term).varies
    }

    /// Marks all that the marked terms are made of.
    pub(crate) fn close(&self, marked: &mut [bool]) {
        for index in (0..marked.len()).rev() {
            if marked[index] {
                let operands = self.operands(Term(index as u32));
                operands.iter().for_each(|operand| marked[operand.index()] = true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pirogue::ir::Context;

    use super::*;

    #[test]
    fn equal_applications_are_one_term_and_others_are_not() {
        let context = Context::new();
        let symbol = Symbol::Op(context.name("pd_op.f"));
        let types = [Type::NULL, Type::UNKNOWN];
        let mut terms = Terms::new();
        let leaf = terms.leaf(Symbol::Unbound, Tag::NONE, Type::NULL);
        let first = terms.apply(&Application::new(symbol, &[leaf], &types));
        assert_eq!(first, terms.apply(&Application::new(symbol, &[leaf], &types)));
        assert_ne!(first, terms.apply(&Application::new(symbol, &[leaf, leaf], &types)));
        assert_ne!(first, terms.apply(&Application::new(symbol, &[leaf], &types[..1])));
        assert_ne!(first, terms.apply(&Application::new(symbol, &[leaf], &types).extra(1)));
        assert_eq!(terms.result_index(first.result(1)), 1);
        assert_eq!(terms.ty(first.result(1)), Type::UNKNOWN);
        assert_eq!(terms.operands(first.result(1)), [leaf]);
    }

    #[test]
    fn what_is_made_of_a_leaf_that_varies_varies_too_until_it_is_an_addend() {
        let mut terms = Terms::new();
        let fixed = terms.leaf(Symbol::Unbound, Tag::of(3), Type::NULL);
        let leaf = terms.leaf(Symbol::Unbound, Tag::ANY, Type::NULL);
        let list = terms.apply(&Application::new(Symbol::List, &[fixed, leaf], &[Type::NULL]));
        let addend = terms.apply(&Application::new(Symbol::AddendOver, &[list], &[Type::NULL]));
        assert_eq!(
            [fixed, leaf, list, addend].map(|term| terms.varies(term)),
            [false, true, true, false]
        );
    }
}
