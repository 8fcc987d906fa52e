//! Numbers by which ops are found again in another program, none of which counts values.
//!
//! An op has three of them, each of which says more than the one before:
//! - *local*: its name, attributes, operand count and result types;
//! - *tree*: that, and the trees of all ops in its regions, in order;
//! - *context*: its tree, and the trees of what it reads and of what reads it, two steps far.
//!
//! `op_role` and `chunk_id` are left out: passes set them on ops that stay what they are. Equal
//! numbers are a guess, never a proof: what is paired by them is compared.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::same::Classes;
use crate::ir::{Op, Program, Value, ValueDef};

/// How far a context reaches.
const STEPS: usize = 2;
/// A value with more users does not tell one of its neighbours from another, and one user more
/// would change the context of all of them.
const MOST_USERS: usize = 4;

/// The numbers of the ops of a program, by op.
pub(super) struct Tokens {
    pub(super) local: Vec<u64>,
    pub(super) tree: Vec<u64>,
    pub(super) context: Vec<u64>,
}

impl Tokens {
    /// The numbers of all live ops.
    pub(super) fn of(program: &Program, classes: &mut Classes<'_>) -> Self {
        let ops: Vec<Op> = program.top_ops().flat_map(|op| program.nest(op)).collect();
        let local = locals(program, &ops, classes);
        let tree = trees(program, &ops, &local, classes);
        let mut context = tree.clone();
        for _ in 0..STEPS {
            context = one_step_further(program, &ops, &context, classes);
        }
        Self { local, tree, context }
    }
}

fn hash(parts: impl IntoIterator<Item = u64>) -> u64 {
    let mut hasher = FxHasher::default();
    parts.into_iter().for_each(|part| hasher.write_u64(part));
    hasher.finish()
}

fn locals(program: &Program, ops: &[Op], classes: &mut Classes<'_>) -> Vec<u64> {
    let mut local = vec![0; program.op_capacity()];
    for &op in ops {
        let name = program.name(op).index() as u64;
        let attrs = u64::from(classes.dict_of(program, op));
        let operands = program.operands(op).len() as u64;
        let types = program.results(op).map(|result| u64::from(classes.ty(program.ty(result))));
        local[op.index()] = hash([name, attrs, operands].into_iter().chain(types));
    }
    local
}

/// `ops` has each op before those in its regions.
fn trees(program: &Program, ops: &[Op], local: &[u64], classes: &mut Classes<'_>) -> Vec<u64> {
    let mut tree = local.to_vec();
    for &op in ops.iter().rev() {
        let blocks =
            program.regions(op).iter().flat_map(|&region| program.region_blocks(region).iter());
        let mut parts = vec![local[op.index()]];
        for &block in blocks {
            parts.push(program.arguments(block).len() as u64);
            let kwargs = program.kwargs(block);
            parts.extend(kwargs.map(|(keyword, _)| u64::from(classes.keyword(keyword))));
            parts.extend(program.block_ops(block).map(|op| tree[op.index()]));
        }
        if parts.len() > 1 {
            tree[op.index()] = hash(parts);
        }
    }
    tree
}

fn one_step_further(
    program: &Program,
    ops: &[Op],
    tokens: &[u64],
    classes: &mut Classes<'_>,
) -> Vec<u64> {
    let mut further = vec![0; tokens.len()];
    for &op in ops {
        let mut hasher = FxHasher::default();
        hasher.write_u64(tokens[op.index()]);
        for &operand in program.operands(op) {
            hasher.write_u64(operand.map_or(0, |value| source(program, value, tokens, classes)));
        }
        for result in program.results(op) {
            hasher.write_u64(users(program, result, tokens));
        }
        further[op.index()] = hasher.finish();
    }
    further
}

/// What a value is: which result of what, or which argument.
fn source(program: &Program, value: Value, tokens: &[u64], classes: &mut Classes<'_>) -> u64 {
    match program.def(value) {
        ValueDef::Result { op, index } => hash([1, tokens[op.index()], index.into()]),
        ValueDef::Argument { index, .. } => hash([2, index.into()]),
        ValueDef::Kwarg { keyword, .. } => hash([3, classes.keyword(keyword).into()]),
    }
}

/// What reads a value, in no order.
fn users(program: &Program, value: Value, tokens: &[u64]) -> u64 {
    let mut sum = 0_u64;
    for (count, found) in program.uses(value).enumerate() {
        if count == MOST_USERS {
            return 0;
        }
        sum = sum.wrapping_add(hash([tokens[found.op.index()], found.index.into()]));
    }
    sum
}
