//! Cutting a program into the programs of its job types: one sweep.
//!
//! 1. `placement`: the job type of each op of the top block, from role, chunk and name; with a
//!    split backward, by pattern.
//! 2. `bound`: lists (`vec` values) and control-flow stacks cannot cross programs, so the ops at
//!    their two ends are brought together.
//! 3. `wires`: the values that cross, from two arrays: the job type of each op, and the set of job
//!    types that use each value.
//! 4. `naming`: by which name each of them goes, in each program.
//! 5. `events`: who records an event and who waits for it, where streams differ.
//! 6. `build`: each program is copied once, with only its own ops, in their order.
//!
//! Cost: O(ops + operands + what crosses). An op nested in a region counts as part of the op of the
//! top block that holds it.

mod bound;
mod build;
mod events;
mod naming;
mod placement;
mod wires;

use std::num::NonZeroUsize;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Name, Op, Place, Program, names};
use pirogue_schedule::{BackwardMode, JobType};

use crate::infer_chunk_ids::infer;
use crate::phase::phases;
use crate::positions::Positions;

/// What to cut a program into.
#[derive(Clone, Debug)]
pub struct SplitOptions {
    /// The job types, in the order in which values may go from one to a later one. Receives of a
    /// forward and sends of a backward have jobs of their own where there are types for them.
    pub job_types: Vec<JobType>,
    /// Chunks of the stage (v). Of one chunk are all ops, whether they say so or not.
    pub chunks: u32,
    /// Whether the backward is one job or two.
    pub backward: BackwardMode,
    /// The device of values that cross, as their kwargs say it.
    pub place: Place,
    /// How many threads copy programs; the same programs come of any number.
    pub threads: NonZeroUsize,
}

/// The programs of all job types, and what is to be said about them.
#[derive(Debug)]
pub struct Split {
    /// One program for each job type, in order; empty ones too.
    pub programs: Vec<(JobType, Program)>,
    /// Where the programs are not what Paddle would have made, and why.
    pub remarks: Vec<Diagnostic>,
}

/// The program at hand, with what is known of it from the start.
struct Source<'p> {
    program: &'p Program,
    ops: Vec<Op>,
    positions: Positions,
    /// The positions of ops of each of [`RARE`].
    rare: [Vec<usize>; RARE.len()],
    threads: NonZeroUsize,
}

/// So few ops are cut in less time than other threads take to get memory of their own.
const FEW_OPS: usize = 50_000;

/// Names of ops that some step looks for. Few ops have them, and each sweep over all ops costs.
const RARE: [Name; 7] = [
    names::STACK_CREATE,
    names::COMBINE,
    names::SPLIT,
    names::SLICE,
    names::SHADOW_OUTPUT,
    names::DATA,
    names::PARAMETER,
];

impl<'p> Source<'p> {
    fn new(program: &'p Program, threads: NonZeroUsize) -> Self {
        let mut ops = Vec::with_capacity(program.op_count());
        let mut rare = [const { Vec::new() }; RARE.len()];
        for (position, op) in program.top_ops().enumerate() {
            ops.push(op);
            if let Some(which) = RARE.iter().position(|&name| name == program.name(op)) {
                rare[which].push(position);
            }
        }
        let positions = Positions::of(program, &ops);
        let threads = if ops.len() < FEW_OPS { NonZeroUsize::MIN } else { threads };
        Self { program, ops, positions, rare, threads }
    }

    /// The positions of all ops of a name that is [`RARE`], in order.
    fn named(&self, name: Name) -> &[usize] {
        let which = RARE.iter().position(|&rare| rare == name);
        which.map_or(&[], |which| &self.rare[which])
    }
}

/// The chunks that ops say; the first one where they say none.
fn only_chunk(source: &Source<'_>) -> Vec<i32> {
    let chunk = |&op: &Op| source.program.chunk(op).filter(|&chunk| chunk != -1).unwrap_or(0);
    source.ops.iter().map(chunk).collect()
}

/// Cuts `program`, which stays as it is. `weight_chains` are ops that yield one weight gradient
/// together: with a split backward they go where the last of them goes.
///
/// # Errors
/// All faults of the step that found any: ops without a role or chunk (`E0201`..`E0203`), chunks
/// out of range (`E0205`), uses against the order of job types (`E0204`), names that clash
/// (`E0206`), lists and stacks that cannot be kept together (`E0207`, `E0208`).
pub fn split(
    program: &Program,
    options: &SplitOptions,
    weight_chains: &[Vec<Op>],
) -> Result<Split, Vec<Diagnostic>> {
    let source = Source::new(program, options.threads);
    let phases = phases(program, &source.ops)?;
    let chunks = match options.chunks {
        1 => only_chunk(&source),
        _ => infer(program, &source.ops, &phases)?,
    };
    let mut remarks = Vec::new();
    let mut placement = placement::place(&source, options, &phases, &chunks, weight_chains)?;
    bound::keep_together(&source, options, &mut placement, &mut remarks)?;
    let wires = wires::find(&source, options, &placement)?;
    let named = naming::name(&source, &placement, wires, &mut remarks);
    let events = events::find(&source, options, &placement, &named, &mut remarks);
    let programs = build::build(&source, options, &placement, &named, &events)?;
    Ok(Split { programs, remarks })
}
