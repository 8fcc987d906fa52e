//! Lets one op stand for all later ones that compute the same.
//!
//! Walks the blocks in order, those in regions with what is known around them. An op is *the same*
//! as an earlier one in its block or a block around it if they agree in
//! 1. the name, of which it is known that it is a function of operands and attributes: random ops,
//!    receives, ops in place and ops of which nothing is known are never merged;
//! 2. the operands, and **when their memory was last written**: an op in place between the two makes
//!    them differ, and in a loop one anywhere in the loop does;
//! 3. all attributes by value, however spelled, and the types of all results;
//! 4. `op_role` and `chunk_id`, their own and those of the ops of the top block they belong to: a
//!    value never comes to be read in another job than its own.
//!
//! Its uses become uses of the earlier one, and it is erased; but not
//! - where the memory of a result of either is written anywhere: the other's readers would see it;
//! - where results of both have a name outside: two names are two places;
//! - where it records an event or waits for one, or a result is persistable.
//!
//! `(%1) = "pd_op.tanh" (%0) {}; (%2) = "pd_op.tanh" (%0) {}` ==> `(%1) = "pd_op.tanh" (%0) {}`, which
//! stands for `%2`

use hashbrown::HashMap;
use pirogue::dialect::{Effect, is_pure};
use pirogue::ir::{Block, Dict, Memory, Name, Op, Program, Rewriter, Type, Value, names};
use pirogue::pass::{Law, Pass, PassContext, PassError, RegisteredPass, Statistic};
use rustc_hash::FxBuildHasher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Lets one op stand for all later ones that compute the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommonSubexpressionElimination {}

impl RegisteredPass for CommonSubexpressionElimination {
    const NAME: &'static str = "common_subexpression_elimination";
}

const MERGED: &str = "merged";

impl Pass for CommonSubexpressionElimination {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, rewriter: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let merged = merge_equal_ops(rewriter);
        cx.count(MERGED, merged);
        if merged == 0 {
            cx.matched_nothing("no op computes what one before it has computed");
        }
        Ok(())
    }

    fn statistics(&self) -> &'static [Statistic] {
        &[Statistic { name: MERGED, description: "ops that an earlier one stands for" }]
    }

    fn laws(&self) -> &'static [Law] {
        &[Law::Idempotent, Law::KeepsRoles, Law::KeepsChunks]
    }
}

/// Merges every op with the first one that computes the same; returns how many went.
pub fn merge_equal_ops(rewriter: &mut Rewriter<'_>) -> u64 {
    let program = rewriter.program();
    let mut merging = Merging {
        memory: Memory::of(program),
        pure: HashMap::default(),
        seen: Scopes::default(),
        times: Times::new(program),
        merged: 0,
    };
    let top = program.top();
    merging.block(rewriter, top, None);
    merging.merged
}

struct Merging {
    memory: Memory,
    /// Whether ops of a name are pure: to ask the dialect once for each name is enough.
    pure: HashMap<Name, bool, FxBuildHasher>,
    seen: Scopes,
    times: Times,
    merged: u64,
}

/// A block on the way, and the op of the top block it is nested in.
struct Frame {
    next: Option<Op>,
    around: Option<Op>,
    scope: usize,
}

impl Merging {
    fn block(&mut self, rewriter: &mut Rewriter<'_>, block: Block, around: Option<Op>) {
        // A stack of its own: a program may be nested deeper than the machine's stack is.
        let mut frames = vec![self.enter(rewriter.program(), block, around)];
        while let Some(frame) = frames.last_mut() {
            let Some(op) = frame.next else {
                self.seen.leave(frame.scope);
                frames.pop();
                continue;
            };
            frame.next = rewriter.program().next_op(op);
            let around = frame.around.or_else(|| Some(op).filter(|_| frames.len() == 1));
            let inner = self.inner_blocks(rewriter.program(), op);
            if inner.is_empty() {
                self.visit(rewriter, op, around);
            }
            for block in inner {
                frames.push(self.enter(rewriter.program(), block, around));
            }
        }
    }

    fn enter(&mut self, program: &Program, block: Block, around: Option<Op>) -> Frame {
        Frame { next: program.block_ops(block).next(), around, scope: self.seen.enter() }
    }

    /// The blocks of an op, the last one first. A loop writes before its first op what it writes
    /// at all: that of the turn before.
    fn inner_blocks(&mut self, program: &Program, op: Op) -> Vec<Block> {
        let blocks = program.regions(op).iter().flat_map(|&region| program.region_blocks(region));
        let blocks: Vec<Block> = blocks.rev().copied().collect();
        if !blocks.is_empty() && program.name(op) != names::IF {
            program.nest(op).for_each(|nested| self.times.note_writes(&self.memory, nested));
        }
        blocks
    }
}
