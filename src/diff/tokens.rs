//! Hashes by which ops are found again in another program, none of which counts values.
//!
//! An op has three of them, each of which says more than the one before:
//! - *local*: its name, attributes, operand count and result types;
//! - *tree*: that, and the trees of all ops in its regions, in order;
//! - *context*: its tree, and the trees of what it reads and of what reads it, two steps far.
//!
//! They are hashes of what is printed, so they do not depend on handles. `op_role` and `chunk_id`
//! are left out: passes set them on ops that stay what they are. Equal hashes are a guess, never a
//! proof: what is paired by them is compared.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::GeneratedNames;
use crate::ir::{Attr, Context, Dict, Name, Op, Program, Type, Value, ValueDef, names};
use crate::text::{attr_text, type_text};

/// How far a context reaches.
const STEPS: usize = 2;
/// A value with more users does not tell one of its neighbours from another, and one user more
/// would change the context of all of them.
const MOST_USERS: usize = 4;

/// The hashes of the ops of a program, by op.
pub(super) struct Tokens {
    pub(super) local: Vec<u64>,
    pub(super) tree: Vec<u64>,
    pub(super) context: Vec<u64>,
}

impl Tokens {
    /// The hashes of all live ops.
    pub(super) fn of(program: &Program, meanings: &mut Meanings<'_>) -> Self {
        let ops: Vec<Op> = program.top_ops().flat_map(|op| program.nest(op)).collect();
        let local = locals(program, &ops, meanings);
        let tree = trees(program, &ops, &local, meanings);
        let mut context = tree.clone();
        for _ in 0..STEPS {
            context = one_step_further(program, &ops, &context, meanings);
        }
        Self { local, tree, context }
    }
}

/// Hashes of what handles mean, each computed once.
pub(super) struct Meanings<'p> {
    context: &'p Context,
    generated: GeneratedNames,
    names: Vec<Option<u64>>,
    attrs: Vec<Option<u64>>,
    types: Vec<Option<u64>>,
    dicts: Vec<Option<u64>>,
}

impl<'p> Meanings<'p> {
    pub(super) fn new(context: &'p Context, generated: GeneratedNames) -> Self {
        let none = Vec::new;
        Self { context, generated, names: none(), attrs: none(), types: none(), dicts: none() }
    }

    fn name(&mut self, name: Name) -> u64 {
        let text = || hash(&self.generated.told(self.context.name_text(name)));
        remembered(&mut self.names, name.index(), text)
    }

    pub(super) fn ty(&mut self, ty: Type) -> u64 {
        let plain = || self.context.ty(self.context.type_kind(ty).clone());
        remembered(&mut self.types, ty.index(), || hash(&type_text(self.context, plain())))
    }

    fn attr(&mut self, attr: Attr) -> u64 {
        let text = || attr_text(self.context, self.context.plain_attr(attr));
        remembered(&mut self.attrs, attr.index(), || hash(&self.generated.told(&text())))
    }

    fn dict(&mut self, dict: Dict) -> u64 {
        if let Some(Some(known)) = self.dicts.get(dict.index()) {
            return *known;
        }
        let entries = self.context.dict_entries(self.context.plain_dict(dict));
        let parts: Vec<_> = entries.iter().map(|&(k, v)| (self.name(k), self.attr(v))).collect();
        remembered(&mut self.dicts, dict.index(), || hash(&parts))
    }

    /// The attributes of an op, `op_role` and `chunk_id` left out.
    pub(super) fn attrs_of(&mut self, program: &Program, op: Op) -> u64 {
        // Text does not print those of a loop.
        if program.name(op) == names::WHILE { 0 } else { self.dict(program.dict(op)) }
    }
}

fn remembered(table: &mut Vec<Option<u64>>, index: usize, compute: impl FnOnce() -> u64) -> u64 {
    if table.len() <= index {
        table.resize(index + 1, None);
    }
    *table[index].get_or_insert_with(compute)
}

pub(super) fn hash<T: Hash + ?Sized>(parts: &T) -> u64 {
    let mut hasher = FxHasher::default();
    parts.hash(&mut hasher);
    hasher.finish()
}

fn locals(program: &Program, ops: &[Op], meanings: &mut Meanings<'_>) -> Vec<u64> {
    let mut local = vec![0; program.op_capacity()];
    for &op in ops {
        let mut hasher = FxHasher::default();
        hasher.write_u64(meanings.name(program.name(op)));
        hasher.write_u64(meanings.attrs_of(program, op));
        hasher.write_usize(program.operands(op).len());
        // Nor does text print the types of the results of a loop.
        for result in program.results(op).filter(|_| program.name(op) != names::WHILE) {
            hasher.write_u64(meanings.ty(program.ty(result)));
        }
        local[op.index()] = hasher.finish();
    }
    local
}

/// `ops` has each op before those in its regions.
fn trees(program: &Program, ops: &[Op], local: &[u64], meanings: &mut Meanings<'_>) -> Vec<u64> {
    let mut tree = local.to_vec();
    for &op in ops.iter().rev().filter(|&&op| !program.regions(op).is_empty()) {
        let mut hasher = FxHasher::default();
        hasher.write_u64(local[op.index()]);
        let regions = program.regions(op).iter();
        for &block in regions.flat_map(|&region| program.region_blocks(region)) {
            hasher.write_usize(program.arguments(block).len());
            let keywords = program.kwargs(block).map(|(keyword, _)| meanings.name(keyword));
            // Kwargs are a set.
            hasher.write_u64(keywords.fold(0, u64::wrapping_add));
            program.block_ops(block).for_each(|op| hasher.write_u64(tree[op.index()]));
        }
        tree[op.index()] = hasher.finish();
    }
    tree
}

fn one_step_further(
    program: &Program,
    ops: &[Op],
    tokens: &[u64],
    meanings: &mut Meanings<'_>,
) -> Vec<u64> {
    let mut further = vec![0; tokens.len()];
    for &op in ops {
        let mut hasher = FxHasher::default();
        hasher.write_u64(tokens[op.index()]);
        for &operand in program.operands(op) {
            hasher.write_u64(operand.map_or(0, |value| source(program, value, tokens, meanings)));
        }
        for result in program.results(op) {
            hasher.write_u64(users(program, result, tokens));
        }
        further[op.index()] = hasher.finish();
    }
    further
}

/// What a value is: which result of what, or which argument.
pub(super) fn source(
    program: &Program,
    value: Value,
    tokens: &[u64],
    meanings: &mut Meanings<'_>,
) -> u64 {
    match program.def(value) {
        ValueDef::Result { op, index } => hash(&(1, tokens[op.index()], index)),
        ValueDef::Argument { index, .. } => hash(&(2, index)),
        ValueDef::Kwarg { keyword, .. } => hash(&(3, meanings.name(keyword))),
    }
}

/// What reads a value, in no order.
pub(super) fn users(program: &Program, value: Value, tokens: &[u64]) -> u64 {
    let mut sum = 0_u64;
    for (count, found) in program.uses(value).enumerate() {
        if count == MOST_USERS {
            return 0;
        }
        sum = sum.wrapping_add(hash(&(tokens[found.op.index()], found.index)));
    }
    sum
}
