//! Which values may lie in the same memory, and which ops write over memory.
//!
//! A value is defined once, its *memory* may be written again: an op in place makes a new value in
//! the memory of an operand, and whoever reads the old value later reads the new content. So a pass
//! that lets one value stand for another, or an op read a value later than before, asks here.
//!
//! Values that may share memory form a *cell*. The answer errs on the side of sharing:
//!
//! - A result that an op declares to be an alias of an operand shares its cell, and **every such op
//!   writes it**, the declared views too: those of batch norms are written.
//! - A list shares with its elements; what a region yields shares with the result of the op around
//!   it, and for a loop with input and variable; a control-flow stack with all that is pushed.
//! - An op of which nothing is known, or which writes without saying where, may write all it reads,
//!   and its results may lie in any of it.
//! - Values of one name outside the program share: kwargs, `pd_op.data`, parameters, what
//!   `builtin.shadow_output` names. Such cells, and those of persistable values, are *named*: they
//!   are seen when the run is over.
//!
//! The order of the ops of a block is the order in which they run. Cut into jobs, ops of two jobs
//! need not run in it; [`Memory::is_one_job`] tells where it counts.
//!
//! ```
//! use pirogue::ir::{Context, Memory};
//! use pirogue::text;
//! let source = "{
//!     (%0) = \"pd_op.full\" () {} : () -> tensor<2xf32>
//!     (%1) = \"pd_op.tanh\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
//!     (%2) = \"pd_op.relu_\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
//! }
//! ";
//! let read = text::read_program(&Context::new(), "", source.as_bytes()).expect("it is well formed");
//! let ops: Vec<_> = read.program.top_ops().collect();
//! let [full, tanh, relu] = [0, 1, 2].map(|op| read.program.result(ops[op], 0));
//! let memory = Memory::of(&read.program);
//! assert_eq!(memory.cell(full), memory.cell(relu));
//! assert_eq!(memory.writers(full), [ops[2]]);
//! assert!(memory.writers(tanh).is_empty());
//! ```

#[cfg(test)]
mod tests;

use fixedbitset::FixedBitSet;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::{Name, Op, Program, Value, names};
use crate::dialect::{Alias, Effect, OpFacts};

/// Values that may share memory, by one of them.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cell(Value);

impl Cell {
    /// The position of the cell in a table by value.
    pub fn index(self) -> usize {
        self.0.index()
    }
}

/// Cells, who writes them, and which are named; see the [module](self).
///
/// It is of the program as it was. Values that are made later have cells of their own, unless
/// [`Memory::share`] says otherwise; ops that are erased only make it more careful than it need be.
pub struct Memory {
    /// Union-find by value: the parent of each.
    parents: Vec<Value>,
    sizes: Vec<u32>,
    named: FixedBitSet,
    writers: HashMap<Value, SmallVec<[Op; 2]>, FxBuildHasher>,
    writes: HashMap<Op, SmallVec<[Value; 2]>, FxBuildHasher>,
}

/// Memory with more writers counts as written between any two ops: to look at all of them for each
/// question would take forever where a program writes one place a million times.
const MOST_WRITERS: usize = 64;

/// # Questions
impl Memory {
    /// The memory of a program.
    pub fn of(program: &Program) -> Self {
        Self::assuming_pure(program, &[])
    }

    /// The memory of a program, where ops of the `pure` names write nothing and have results in
    /// memory of their own, though nothing is known of them.
    pub fn assuming_pure(program: &Program, pure: &[Name]) -> Self {
        Reader::new(program, pure).read()
    }

    /// The cell of a value.
    pub fn cell(&self, value: Value) -> Cell {
        let mut at = value;
        while let Some(&parent) = self.parents.get(at.index()).filter(|&&parent| parent != at) {
            at = parent;
        }
        Cell(at)
    }

    /// The ops that may write the memory of a value.
    pub fn writers(&self, value: Value) -> &[Op] {
        self.writers.get(&self.cell(value).0).map_or(&[], |ops| ops)
    }

    /// The operands of an op whose memory it may write.
    pub fn writes(&self, op: Op) -> &[Value] {
        self.writes.get(&op).map_or(&[], |values| values)
    }

    /// Whether the memory of a value is seen from outside the run, by a name.
    pub fn is_named(&self, value: Value) -> bool {
        self.named.contains(self.cell(value).index())
    }

    /// Whether no other value may lie in the memory of a value.
    pub fn is_alone(&self, value: Value) -> bool {
        self.sizes.get(self.cell(value).index()).is_none_or(|&size| size == 1)
    }

    /// Whether an op may write the memory of a value between two ops, one run of `from` and the
    /// next one of `to`. `from` defines what `to` reads, or could: its block is around `to`.
    pub fn is_written_between(&self, program: &Program, value: Value, from: Op, to: Op) -> bool {
        if self.writers(value).len() > MOST_WRITERS {
            return true;
        }
        let writers = self.writers(value).iter().filter(|&&op| !program.is_erased(op));
        let block = program.block_of(from);
        let Some(end) = program.ancestor_in(block, to) else {
            return writers.count() > 0;
        };
        // An op outside the block does not run while the block does.
        let mut inside = writers.filter_map(|&op| program.ancestor_in(block, op));
        inside.any(|op| {
            let is_around_both = op == end && end != to;
            is_around_both || program.is_before(from, op) && program.is_before(op, end)
        })
    }

    /// Whether ops run in their order wherever the program is cut into jobs: all are forward and of
    /// one chunk, or of the optimizer, or none says its role and chunk. A nested op belongs to the
    /// op around it. (Backward ops of one chunk may be cut into those of inputs and of weights.)
    pub fn is_one_job(program: &Program, mut ops: impl Iterator<Item = Op>) -> bool {
        let Some(first) = ops.next().map(|op| job(program, op)) else { return true };
        let is_job = match first {
            (None, None) => true,
            (Some(0), Some(chunk)) => chunk >= 0,
            (Some(2), _) => true,
            _ => false,
        };
        is_job && ops.all(|op| job(program, op) == first)
    }

    /// Puts two values into one cell, for a value that from now on stands for another.
    pub fn share(&mut self, a: Value, b: Value) {
        self.grow(a.index().max(b.index()) + 1);
        let (Cell(a), Cell(b)) = (self.cell(a), self.cell(b));
        if a == b {
            return;
        }
        let (root, child) =
            if self.sizes[a.index()] >= self.sizes[b.index()] { (a, b) } else { (b, a) };
        self.parents[child.index()] = root;
        self.sizes[root.index()] += self.sizes[child.index()];
        if self.named.contains(child.index()) {
            self.named.insert(root.index());
        }
        if let Some(ops) = self.writers.remove(&child) {
            self.writers.entry(root).or_default().extend(ops);
        }
    }

    fn grow(&mut self, values: usize) {
        let known = self.parents.len();
        if known < values {
            self.parents.extend((known..values).map(Value::from_index));
            self.sizes.resize(values, 1);
            self.named.grow(values);
        }
    }
}

/// Role and chunk of the op of the top block that is or holds an op; the loss bit does not count.
fn job(program: &Program, op: Op) -> (Option<i32>, Option<i32>) {
    let op = program.ancestor_in(program.top(), op).unwrap_or(op);
    let role = program.role(op).map(|role| role & !256);
    let chunk = if role == Some(2) { None } else { program.chunk(op) };
    (role, chunk)
}

/// What the ops of a name do to memory.
#[derive(Copy, Clone)]
enum Behaviour {
    /// They write nothing, and their results are in memory of their own.
    Apart,
    /// Their results lie in the memory of what they read, which they do not write.
    Together,
    /// They may write all they read, and their results may lie in any of it.
    Unknown,
    /// As declared.
    Declared(&'static [Alias], &'static [Alias]),
    /// They name a result or an operand by this attribute; [`names::SET_PARAMETER`] writes, too.
    Named(Name),
    /// A branch or loop.
    Region,
}

fn behaviour(name: Name, text: &str, facts: Option<&'static OpFacts>) -> Behaviour {
    match name {
        names::COMBINE | names::SPLIT | names::SLICE => return Behaviour::Together,
        names::IF | names::WHILE | names::PYLAYER => return Behaviour::Region,
        // What ends a region is read with the op around it.
        names::YIELD => return Behaviour::Apart,
        names::PARAMETER | names::SET_PARAMETER => return Behaviour::Named(names::PARAMETER_NAME),
        names::SHADOW_OUTPUT => return Behaviour::Named(names::OUTPUT_NAME),
        _ => {}
    }
    let Some(facts) = facts.filter(|facts| facts.is_described()) else { return Behaviour::Unknown };
    if Effect::UndeclaredAlias.applies_to(text) {
        return Behaviour::Unknown;
    }
    if Effect::ControlFlow.applies_to(text) {
        return Behaviour::Together;
    }
    if Effect::NamedInput.applies_to(text) || Effect::NamedOutput.applies_to(text) {
        return Behaviour::Named(names::NAME);
    }
    match (&*facts.inplace, &*facts.view) {
        ([], []) => Behaviour::Apart,
        (inplace, view) => Behaviour::Declared(inplace, view),
    }
}

/// Reads the memory of a program off its ops.
struct Reader<'p> {
    program: &'p Program,
    memory: Memory,
    behaviours: HashMap<Name, Behaviour, FxBuildHasher>,
    /// A value of each name that is known outside.
    by_name: HashMap<&'p [u8], Value, FxBuildHasher>,
}

impl<'p> Reader<'p> {
    fn new(program: &'p Program, pure: &[Name]) -> Self {
        let mut memory = Memory {
            parents: Vec::new(),
            sizes: Vec::new(),
            named: FixedBitSet::new(),
            writers: HashMap::default(),
            writes: HashMap::default(),
        };
        memory.grow(program.value_capacity());
        let behaviours = pure.iter().map(|&name| (name, Behaviour::Apart)).collect();
        Self { program, memory, behaviours, by_name: HashMap::default() }
    }

    fn read(mut self) -> Memory {
        let program = self.program;
        for (keyword, argument) in program.kwargs(program.top()) {
            self.name(program.context().name_text(keyword).as_bytes(), argument.value);
        }
        let ops = || program.top_ops().flat_map(|op| program.nest(op));
        ops().for_each(|op| self.op(op));
        let mut memory = self.memory;
        for index in 0..memory.parents.len() {
            memory.parents[index] = memory.cell(Value::from_index(index)).0;
        }
        for op in ops() {
            for &value in memory.writes.get(&op).into_iter().flatten() {
                let writers = memory.writers.entry(memory.parents[value.index()]).or_default();
                if writers.last() != Some(&op) {
                    writers.push(op);
                }
            }
        }
        memory
    }

    fn op(&mut self, op: Op) {
        let program = self.program;
        for (index, value) in program.results(op).enumerate() {
            if program.result_flag(op, names::PERSISTABLE, index) == Some(true) {
                self.memory.named.insert(self.memory.cell(value).index());
            }
        }
        match self.behaviour(program.name(op)) {
            Behaviour::Apart => {}
            Behaviour::Together => self.together(op),
            Behaviour::Unknown => {
                self.together(op);
                let read = present_operands(program, op);
                self.memory.writes.entry(op).or_default().extend(read);
            }
            Behaviour::Declared(inplace, view) => self.declared(op, inplace.iter().chain(view)),
            Behaviour::Named(attr) => self.named(op, attr),
            Behaviour::Region => self.region(op),
        }
    }

    fn behaviour(&mut self, name: Name) -> Behaviour {
        let context = self.program.context();
        *self
            .behaviours
            .entry(name)
            .or_insert_with(|| behaviour(name, context.name_text(name), context.facts(name)))
    }

    fn declared<'a>(&mut self, op: Op, aliases: impl Iterator<Item = &'a Alias>) {
        let program = self.program;
        for alias in aliases {
            let Some(operand) = program.operand(op, alias.operand) else { continue };
            self.memory.writes.entry(op).or_default().push(operand);
            if let Some(result) = program.results(op).nth(alias.result) {
                self.memory.share(operand, result);
            }
        }
    }

    /// Operands and results, block arguments and what is yielded: all of an op is one cell.
    fn together(&mut self, op: Op) {
        let program = self.program;
        let blocks = program.regions(op).iter().flat_map(|&region| program.region_blocks(region));
        let nested = blocks.flat_map(|&block| {
            let arguments = program.arguments(block).iter().map(|argument| argument.value);
            let end = program.block_ops(block).next_back();
            arguments.chain(end.into_iter().flat_map(|end| present_operands(program, end)))
        });
        let all: Vec<Value> =
            present_operands(program, op).chain(program.results(op)).chain(nested).collect();
        for pair in all.windows(2) {
            self.memory.share(pair[0], pair[1]);
        }
    }

    fn named(&mut self, op: Op, attr: Name) {
        let program = self.program;
        let name = program.attr_value(op, attr).and_then(|name| name.as_bytes());
        for value in present_operands(program, op).chain(program.results(op)) {
            self.memory.named.insert(self.memory.cell(value).index());
            if let Some(name) = name {
                self.name(name, value);
            }
            if program.name(op) == names::SET_PARAMETER {
                self.memory.writes.entry(op).or_default().push(value);
            }
        }
    }

    fn name(&mut self, name: &'p [u8], value: Value) {
        self.memory.named.insert(self.memory.cell(value).index());
        let first = *self.by_name.entry(name).or_insert(value);
        self.memory.share(first, value);
    }

    /// A result is what a region yields for it; a loop's variables are its inputs, too.
    fn region(&mut self, op: Op) {
        let program = self.program;
        let (is_loop, is_branch) =
            (program.name(op) == names::WHILE, program.name(op) == names::IF);
        if !is_loop && !is_branch {
            return self.together(op);
        }
        let skipped = usize::from(is_loop);
        let blocks = program.regions(op).iter().flat_map(|&region| program.region_blocks(region));
        let blocks: Vec<_> = blocks.copied().collect();
        for (index, result) in program.results(op).enumerate() {
            let input = is_loop.then(|| program.operand(op, index + 1)).flatten();
            let nested = blocks.iter().flat_map(|&block| {
                let argument = program.arguments(block).get(index).map(|argument| argument.value);
                let end = program.block_ops(block).next_back();
                [argument, end.and_then(|end| program.operand(end, index + skipped))]
            });
            let parts: Vec<Value> = input.into_iter().chain(nested.flatten()).collect();
            parts.into_iter().for_each(|part| self.memory.share(result, part));
        }
    }
}

fn present_operands(program: &Program, op: Op) -> impl Iterator<Item = Value> + '_ {
    program.operands(op).iter().copied().flatten()
}
