//! Random training programs, for the property tests.
//!
//! A [`Recipe`] is a few lists of small decisions; [`Recipe::program`] follows them and yields a
//! valid program, whatever they are. So proptest shrinks well: a decision that is left out is an op
//! that is not made, and smaller numbers are plainer ops that read closer values.
//!
//! A program has parameters and the kwargs their gradients are merged into; forward ops over the
//! chunks in order, some a chunk ahead; backward ops over the chunks in reverse, with gradients of
//! products merged in place; an optimizer. Among them are shared values, ops of several results,
//! null operands and results, ops in place, lists, nested regions, sends and receives, explicit
//! `builtin.shadow_output`s, odd attributes, and chunk ids left to be inferred from neighbours.
//!
//! Valid means: it verifies, and no op reads what a later job type makes. (A list may cross job
//! types where [`Lists::MayCross`] says so.)
//!
//! 1. This file: recipes, and how proptest makes them.
//! 2. [`attrs`]: attributes and types.
//! 3. [`builder`]: what is there to be read, and making an op.
//! 4. [`walk`]: the chunks in order, one op or a few for each decision.
//! 5. [`forward`], [`backward`], [`lists`], [`nested`]: the ops.
//! 6. [`holes`]: chunk ids and roles that are not said.

mod attrs;
mod backward;
mod builder;
mod forward;
mod holes;
mod lists;
mod nested;
mod walk;

use std::sync::Arc;

use pirogue::ir::{Context, Program};
use proptest::prelude::*;

/// A decision: which op, what it reads, and how it is twisted. 0 is the plainest.
#[derive(Copy, Clone, Debug)]
pub struct Step {
    /// Which op is made.
    pub action: u8,
    /// What it reads; a small number is a value made shortly before.
    pub picks: [u16; 2],
    /// Odd attributes, null operands, transposes and the like.
    pub twist: u8,
}

/// Which stage a program is of: what it sends and receives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StageKind {
    /// The only one: it sends nothing.
    Only,
    /// The first: chunk 0 receives nothing and sends no gradient.
    First,
    /// One in the middle.
    Middle,
    /// The last: the last chunk sends nothing and receives no gradient.
    Last,
}

/// Where lists (`vec` values) are read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Lists {
    /// Right behind the op that makes them, in its chunk and role.
    StayClose,
    /// Also in later chunks and roles.
    MayCross,
}

/// The decisions a program is made from; see the [module](self).
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Chunks of the stage.
    pub chunks: u16,
    /// Which stage it is.
    pub stage: StageKind,
    /// Where lists are read.
    pub lists: Lists,
    /// A parameter each, with a kwarg to merge its gradient into: its chunk.
    pub parameters: Vec<u16>,
    /// What the forward does, spread over the chunks.
    pub forward: Vec<Step>,
    /// What the backward does, spread over the chunks.
    pub backward: Vec<Step>,
    /// What the optimizer does.
    pub optimizer: Vec<Step>,
    /// Ops that do not say their chunk, where their neighbours do.
    pub holes: Vec<u16>,
}

impl Recipe {
    /// The program that the decisions make.
    pub fn program(&self, context: &Arc<Context>) -> Program {
        let mut program = walk::follow(self, context);
        holes::dig(&mut program, &self.holes);
        program
    }
}

/// Recipes of programs of up to about `steps` ops, and now and then twenty times as many.
pub fn recipe(steps: usize, lists: Lists) -> impl Strategy<Value = Recipe> {
    let chunks = prop_oneof![9 => 1..=5u16, 1 => Just(16), 1 => Just(32)];
    let stage = prop::sample::select(vec![
        StageKind::Only,
        StageKind::First,
        StageKind::Middle,
        StageKind::Last,
    ]);
    let size = prop_oneof![12 => 0..=steps / 8, 12 => 0..=steps, 1 => steps..=20 * steps];
    (chunks, stage, size).prop_flat_map(move |(chunks, stage, size)| {
        let lists_of_steps =
            (vec_of_steps(size / 2), vec_of_steps(size / 2), vec_of_steps(size / 8));
        let parameters = prop::collection::vec(any::<u16>(), 0..=1 + size / 8);
        let holes = prop::collection::vec(any::<u16>(), 0..=size / 4);
        (lists_of_steps, parameters, holes).prop_map(
            move |((forward, backward, optimizer), parameters, holes)| Recipe {
                chunks,
                stage,
                lists,
                parameters,
                forward,
                backward,
                optimizer,
                holes,
            },
        )
    })
}

fn vec_of_steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = (any::<u8>(), any::<[u16; 2]>(), any::<u8>());
    let step = step.prop_map(|(action, picks, twist)| Step { action, picks, twist });
    prop::collection::vec(step, 0..=most + 1)
}
