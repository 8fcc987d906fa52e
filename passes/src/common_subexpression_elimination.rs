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
//!    value never comes to be read in another job than its own. Where some ops of the program say
//!    theirs, those that do not are left alone: they may yet turn out to belong apart.
//!
//! Its uses become uses of the earlier one, and it is erased; but not
//! - where the memory of a result of either is written anywhere: the other's readers would see it;
//! - where results of both have a name outside: two names are two places;
//! - where it records an event or waits for one, or a result is persistable.
//!
//! `(%1) = "pd_op.tanh" (%0) {}; (%2) = "pd_op.tanh" (%0) {}` ==> `(%1) = "pd_op.tanh" (%0) {}`, which
//! stands for `%2`

use hashbrown::HashMap;
use pirogue::dialect::is_pure;
use pirogue::ir::{Block, Dict, Memory, Name, Op, Program, Rewriter, Type, Value, names};
use pirogue::pass::{Law, Pass, PassContext, PassError, RegisteredPass, Statistic};
use rustc_hash::FxBuildHasher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::phase::Phase;

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
    let mut merging = Merging::new(rewriter.program());
    merging.walk(rewriter);
    merging.merged
}

/// What makes two ops the same.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    name: Name,
    dict: Dict,
    /// Role and chunk of the op, and of the op of the top block around it.
    job: [(Option<i32>, Option<i32>); 2],
    /// What it reads, and when the memory of that was last written.
    operands: SmallVec<[(Option<Value>, u32); 4]>,
    results: SmallVec<[Type; 2]>,
}

struct Merging {
    memory: Memory,
    /// When a cell was last written, by [`Cell::index`](pirogue::ir::Cell::index): the number of
    /// the write, from 1.
    written: Vec<u32>,
    writes: u32,
    /// Whether ops of a name are pure: to ask the dialect once for each name is enough.
    pure: HashMap<Name, bool, FxBuildHasher>,
    /// Types as Paddle spells them.
    plain_types: HashMap<Type, Type, FxBuildHasher>,
    /// The first op of each key in the blocks around the place at hand.
    seen: HashMap<Key, Op, FxBuildHasher>,
    /// The keys that are seen, the latest last: those of a block go when it ends.
    trail: Vec<Key>,
    places: Places,
    merged: u64,
}

/// What the ops of the top block say of their place.
struct Places {
    some_say_role: bool,
    some_say_chunk: bool,
}

impl Places {
    fn of(program: &Program) -> Self {
        let says = |value: Option<i32>| value.is_some_and(|value| value >= 0);
        Self {
            some_say_role: program.top_ops().any(|op| says(program.role(op))),
            some_say_chunk: program.top_ops().any(|op| says(program.chunk(op))),
        }
    }

    /// Whether an op of the top block may turn out to belong elsewhere than another one that says
    /// the same.
    fn is_open(&self, program: &Program, op: Op) -> bool {
        let phase = program.role(op).and_then(Phase::of_role);
        let has_no_chunk = program.chunk(op).is_none_or(|chunk| chunk < 0);
        // The optimizer is one job, whatever the chunk.
        self.some_say_role && phase.is_none()
            || self.some_say_chunk && has_no_chunk && phase != Some(Phase::Optimize)
    }
}

/// A block on the way.
struct Frame {
    next: Option<Op>,
    /// The op of the top block it is nested in.
    around: Option<Op>,
    /// How long the trail was before it.
    trail: usize,
}

/// # Walking
impl Merging {
    fn new(program: &Program) -> Self {
        Self {
            memory: Memory::of(program),
            written: vec![0; program.value_capacity()],
            writes: 0,
            pure: HashMap::default(),
            plain_types: HashMap::default(),
            seen: HashMap::default(),
            trail: Vec::new(),
            places: Places::of(program),
            merged: 0,
        }
    }

    /// Visits all ops, each before those behind it, those in its regions in between. The stack is
    /// on the heap: a program may be nested deeper than that of the machine.
    fn walk(&mut self, rewriter: &mut Rewriter<'_>) {
        let mut frames = vec![self.frame(rewriter.program(), rewriter.program().top(), None)];
        while let Some(frame) = frames.last_mut() {
            let Some(op) = frame.next else {
                self.forget(frame.trail);
                frames.pop();
                continue;
            };
            frame.next = rewriter.program().next_op(op);
            let around = frame.around.unwrap_or(op);
            let inner = inner_blocks(rewriter.program(), op);
            if inner.is_empty() {
                self.visit(rewriter, op, around);
                continue;
            }
            // In a loop an op may read what one behind it wrote in the turn before.
            if rewriter.program().name(op) != names::IF {
                rewriter.program().nest(op).for_each(|nested| self.note_writes(nested));
            }
            for block in inner.into_iter().rev() {
                frames.push(self.frame(rewriter.program(), block, Some(around)));
            }
        }
    }

    fn frame(&self, program: &Program, block: Block, around: Option<Op>) -> Frame {
        Frame { next: program.block_ops(block).next(), around, trail: self.trail.len() }
    }

    /// Forgets what was seen in a block that ends.
    fn forget(&mut self, trail: usize) {
        for key in self.trail.drain(trail..) {
            self.seen.remove(&key);
        }
    }

    fn visit(&mut self, rewriter: &mut Rewriter<'_>, op: Op, around: Op) {
        self.note_writes(op);
        let program = rewriter.program();
        if self.places.is_open(program, around) || !self.may_be_merged(program, op) {
            return;
        }
        let key = self.key(rewriter.program(), op, around);
        match self.seen.get(&key) {
            None => {
                self.trail.push(key.clone());
                self.seen.insert(key, op);
            }
            Some(&first) if self.have_two_names(rewriter.program(), first, op) => {}
            Some(&first) => self.merge(rewriter, first, op),
        }
    }

    fn note_writes(&mut self, op: Op) {
        for &value in self.memory.writes(op) {
            self.writes += 1;
            self.written[self.memory.cell(value).index()] = self.writes;
        }
    }
}

/// # Deciding
impl Merging {
    fn may_be_merged(&mut self, program: &Program, op: Op) -> bool {
        let is_pure_name = || is_pure(program.name_text(op));
        *self.pure.entry(program.name(op)).or_insert_with(is_pure_name)
            && !has_events(program, op)
            && !is_persistable(program, op)
            && program.results(op).all(|result| self.memory.writers(result).is_empty())
    }

    fn key(&mut self, program: &Program, op: Op, around: Op) -> Key {
        let context = program.context();
        let time = |value: Value| self.written[self.memory.cell(value).index()];
        let operands = program.operands(op).iter();
        let operands = operands.map(|&operand| (operand, operand.map_or(0, time))).collect();
        let plain = |ty: Type| {
            let plain = || context.ty(context.type_kind(ty).clone());
            *self.plain_types.entry(ty).or_insert_with(plain)
        };
        Key {
            name: program.name(op),
            dict: context.plain_dict(program.dict(op)),
            job: [op, around].map(|op| (program.role(op), program.chunk(op))),
            operands,
            results: program.results(op).map(|result| program.ty(result)).map(plain).collect(),
        }
    }

    fn have_two_names(&self, program: &Program, first: Op, second: Op) -> bool {
        program.results(first).zip(program.results(second)).any(|(a, b)| {
            let are_named = self.memory.is_named(a) && self.memory.is_named(b);
            are_named && self.memory.cell(a) != self.memory.cell(b)
        })
    }

    fn merge(&mut self, rewriter: &mut Rewriter<'_>, first: Op, second: Op) {
        let results = [first, second].map(|op| rewriter.program().results(op));
        let [firsts, seconds] = results;
        for (a, b) in firsts.zip(seconds) {
            self.memory.share(a, b);
            rewriter.replace_all_uses(b, a);
        }
        rewriter.erase(second).expect("the results of the first op have taken all its uses");
        self.merged += 1;
    }
}

fn inner_blocks(program: &Program, op: Op) -> SmallVec<[Block; 2]> {
    let regions = program.regions(op).iter();
    regions.flat_map(|&region| program.region_blocks(region)).copied().collect()
}

fn has_events(program: &Program, op: Op) -> bool {
    [names::EVENT_TO_RECORD, names::EVENTS_TO_WAIT, names::FORCE_RECORD_EVENT]
        .into_iter()
        .any(|attr| program.attr(op, attr).is_some())
}

fn is_persistable(program: &Program, op: Op) -> bool {
    let flag = |index| program.result_flag(op, names::PERSISTABLE, index);
    (0..program.result_count(op)).any(|index| flag(index) == Some(true))
}

#[cfg(test)]
mod tests;
