//! The split, a second time and as plainly as it can be said: the oracle of the property tests.
//!
//! It is written after what `pipeline_scheduler_VPP` of PaddlePaddle 3.3.1 does, and shares no code
//! with the split it judges: the whole program is cloned once for each job type; then, from the last
//! op to the first, every op is erased from the programs it does not belong to. Where a later
//! program still reads a result, a kwarg takes its place, and the producer's program gets a
//! `builtin.shadow_output`. That costs O(job types × ops) clones of rows, and needs no argument:
//! what is left of a clone *is* the program of its job type.
//!
//! 1. [`jobs`]: the job types each op belongs to.
//! 2. [`naming`]: by which name a value goes.
//! 3. [`events`]: which op records an event, which waits.
//! 4. This file: cloning and erasing.
//!
//! What it leaves out: chunks that Paddle's neighbour rule does not find, and control-flow stacks.
//! Where it refuses a program it says the code that the split is to give, not the places.

mod events;
mod jobs;
mod naming;

use pirogue::ir::{At, AttrValue, Name, Op, OpSpec, Program, Rewriter, TypeKind, Value, names};
use pirogue_passes::split::SplitOptions;

/// Why there is no split.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// An op is of no phase.
    Role,
    /// Paddle's rule finds no chunk for an op.
    Chunk,
    /// A chunk that the stage has not.
    ChunkRange,
    /// A job type reads what a later one makes.
    Order,
    /// Two values of one name meet in a program.
    NameClash,
    /// A list would have to cross.
    List,
}

impl Refusal {
    /// The codes of which one is to be among those of the split's errors.
    pub fn codes(self) -> &'static [&'static str] {
        match self {
            Self::Role => &["E0201", "E0202"],
            Self::Chunk => &["E0203"],
            Self::ChunkRange => &["E0205"],
            Self::Order => &["E0204"],
            Self::NameClash => &["E0206"],
            Self::List => &["E0207"],
        }
    }
}

/// What is split, and into what.
struct Source<'p> {
    program: &'p Program,
    /// The ops of the top block.
    ops: Vec<Op>,
    /// Where an op stands among them, by its index.
    positions: Vec<usize>,
    options: &'p SplitOptions,
    /// The job types each op belongs to, as ascending indices.
    jobs: Vec<Vec<usize>>,
}

/// The programs of the job types of `options`, in their order.
///
/// # Errors
/// The first reason found why there are none.
pub fn split(
    program: &Program,
    options: &SplitOptions,
    weight_chains: &[Vec<Op>],
) -> Result<Vec<Program>, Refusal> {
    let ops: Vec<Op> = program.top_ops().collect();
    let mut positions = vec![usize::MAX; program.op_capacity()];
    ops.iter().enumerate().for_each(|(position, op)| positions[op.index()] = position);
    let mut source = Source { program, ops, positions, options, jobs: Vec::new() };
    source.jobs = jobs::of_all(&source, weight_chains)?;
    let mut programs: Vec<Program> = options.job_types.iter().map(|_| program.clone()).collect();
    for index in (0..source.ops.len()).rev() {
        for value in program.results(source.ops[index]) {
            cut(&source, index, value, &mut programs)?;
        }
        for job in source.elsewhere(index) {
            let erased = Rewriter::new(&mut programs[job]).erase(source.ops[index]);
            erased.expect("the uses that were left have been cut");
        }
    }
    events::attach(&source, &mut programs);
    Ok(programs)
}

/// Replaces the uses of a result in the programs its op does not belong to. The ops behind it have
/// been erased from all programs that are not theirs, so the uses that are left are real.
fn cut(
    source: &Source<'_>,
    index: usize,
    value: Value,
    programs: &mut [Program],
) -> Result<(), Refusal> {
    let takers = source.elsewhere(index).filter(|&job| !programs[job].is_unused(value));
    let takers: Vec<usize> = takers.collect();
    if takers.is_empty() {
        return Ok(());
    }
    let Some(own) = source.jobs[index].last().copied().filter(|&own| own < takers[0]) else {
        return Err(Refusal::Order);
    };
    if matches!(source.program.context().type_kind(source.program.ty(value)), TypeKind::Vec(_)) {
        return Err(Refusal::List);
    }
    for job in takers {
        take(source, value, naming::name_in(source, value, job), &mut programs[job])?;
    }
    let name = naming::name_in(source, value, own + 1);
    let is_shadowed =
        name.contains("var_") && !naming::names_itself(source.program, source.ops[index]);
    for &own in source.jobs[index].iter().filter(|_| is_shadowed) {
        shadow(source, source.ops[index], value, &name, &mut programs[own]);
    }
    Ok(())
}

/// `op(%v)` ==> `op(%kwarg_name)`, nested uses too.
fn take(
    source: &Source<'_>,
    value: Value,
    name: String,
    program: &mut Program,
) -> Result<(), Refusal> {
    let context = source.program.context();
    let attr = |value| context.attr(value);
    let attrs = context.dict_in_order([
        (names::PERSISTABLE, attr(AttrValue::Bool(naming::is_persistable(source.program, value)))),
        (names::PLACE, attr(AttrValue::Place(source.options.place.clone()))),
    ]);
    let (top, ty, keyword) = (program.top(), program.ty(value), context.name(&name));
    let mut rewriter = Rewriter::new(program);
    let kwarg = rewriter.add_kwarg(top, keyword, ty, attrs).map_err(|_| Refusal::NameClash)?;
    rewriter.replace_all_uses(value, kwarg);
    Ok(())
}

/// `%v = op()` ==> `%v = op()`, `shadow_output(%v) {output_name:"name"}`.
fn shadow(source: &Source<'_>, op: Op, value: Value, name: &str, program: &mut Program) {
    let context = source.program.context();
    let dict = context.dict([(names::OUTPUT_NAME, context.attr(AttrValue::string(name)))]);
    let operands = [Some(value)];
    let spec = OpSpec::new(names::SHADOW_OUTPUT).operands(&operands).dict(dict);
    Rewriter::new(program).create(At::After(op), spec);
}

impl Source<'_> {
    /// The job types that an op does not belong to, ascending.
    fn elsewhere(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.options.job_types.len()).filter(move |job| !self.jobs[index].contains(job))
    }

    /// The position of the op of the top block that is `op` or holds it.
    fn position(&self, op: Op) -> usize {
        let op = self
            .program
            .ancestor_in(self.program.top(), op)
            .expect("every op hangs from the top block");
        self.positions[op.index()]
    }

    /// The positions of the ops of the top block that use a value or hold an op that does, ascending.
    fn user_positions(&self, value: Value) -> Vec<usize> {
        let mut users: Vec<usize> =
            self.program.uses(value).map(|found| self.position(found.op)).collect();
        users.sort_unstable();
        users.dedup();
        users
    }

    fn name(&self, index: usize) -> Name {
        self.program.name(self.ops[index])
    }
}
