//! The job types of each op of the top block.
//!
//! - optimize: `optimizer`, whatever the chunk.
//! - forward: `forward{c}`; a `pd_op.recv_v2` is `recv_forward{c}` where there is such a job type.
//! - backward: `backward{c}`; a `pd_op.send_v2` is `send_backward{c}` where there is such a job type.
//! - with a split backward an op is `backward_w{c}` if it only serves a weight gradient, else
//!   `backward_b{c}`.

use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::{Op, names};
use pirogue_schedule::{BackwardMode, JobKind};
use smallvec::{SmallVec, smallvec};

use super::{Source, SplitOptions};
use crate::phase::{MOST_SHOWN, Phase};

/// The place of a job type in the order of job types.
pub(super) type JobIndex = u16;

/// Which jobs each op of the top block is in, by position.
pub(super) struct Placement {
    first: Vec<JobIndex>,
    /// Ops that are in several jobs. Few are, if any.
    several: Vec<(usize, SmallVec<[JobIndex; 4]>)>,
}

impl Placement {
    /// The jobs an op is in, in order.
    pub(super) fn jobs(&self, position: usize) -> &[JobIndex] {
        match self.several.binary_search_by_key(&position, |entry| entry.0) {
            Ok(found) => &self.several[found].1,
            Err(_) => std::slice::from_ref(&self.first[position]),
        }
    }

    /// The first job an op is in.
    pub(super) fn first(&self, position: usize) -> JobIndex {
        self.first[position]
    }

    /// Puts an op into these jobs and no others.
    pub(super) fn set(&mut self, position: usize, mut jobs: SmallVec<[JobIndex; 4]>) {
        jobs.sort_unstable();
        jobs.dedup();
        let Some(&first) = jobs.first() else { return };
        self.first[position] = first;
        let found = self.several.binary_search_by_key(&position, |entry| entry.0);
        match (found, jobs.len()) {
            (Ok(at), 1) => _ = self.several.remove(at),
            (Ok(at), _) => self.several[at].1 = jobs,
            (Err(_), 1) => {}
            (Err(at), _) => self.several.insert(at, (position, jobs)),
        }
    }
}

/// Finds a job type's place by kind and chunk.
struct JobTable {
    rows: Vec<[JobIndex; JobKind::ALL.len()]>,
}

impl JobTable {
    fn of(options: &SplitOptions) -> Self {
        let mut rows = vec![[0; JobKind::ALL.len()]; options.chunks.max(1) as usize];
        for (index, job_type) in options.job_types.iter().enumerate() {
            let chunk = job_type.chunk().map_or(0, |chunk| usize::from(chunk.0));
            rows[chunk][job_type.kind() as usize] = index as JobIndex;
        }
        Self { rows }
    }

    fn get(&self, kind: JobKind, chunk: i32) -> JobIndex {
        self.rows[chunk as usize][kind as usize]
    }
}

/// Places every op.
///
/// # Errors
/// All ops whose chunk the stage does not have (`E0205`).
pub(super) fn place(
    source: &Source<'_>,
    options: &SplitOptions,
    phases: &[Phase],
    chunks: &[i32],
    weight_chains: &[Vec<Op>],
) -> Result<Placement, Vec<Diagnostic>> {
    check_chunks(source, options, phases, chunks)?;
    let is_weight = match options.backward {
        BackwardMode::Whole => Vec::new(),
        BackwardMode::Split => weight_ops(source, phases, weight_chains),
    };
    let table = JobTable::of(options);
    let has = |kind| options.job_types.iter().any(|job_type| job_type.kind() == kind);
    let (receives_apart, sends_apart) = (has(JobKind::RecvForward), has(JobKind::SendBackward));
    let kind_of = |position: usize| {
        let name = source.program.name(source.ops[position]);
        match (phases[position], options.backward) {
            (Phase::Optimize, _) => JobKind::Optimizer,
            (Phase::Forward, _) if receives_apart && name == names::RECV_V2 => JobKind::RecvForward,
            (Phase::Forward, _) => JobKind::Forward,
            (Phase::Backward, _) if sends_apart && name == names::SEND_V2 => JobKind::SendBackward,
            (Phase::Backward, BackwardMode::Whole) => JobKind::Backward,
            (Phase::Backward, BackwardMode::Split) if is_weight[position] => {
                JobKind::BackwardWeight
            }
            (Phase::Backward, BackwardMode::Split) => JobKind::BackwardInput,
        }
    };
    let job_of = |position| match kind_of(position) {
        JobKind::Optimizer => table.get(JobKind::Optimizer, 0),
        kind => table.get(kind, chunks[position]),
    };
    Ok(Placement { first: (0..source.ops.len()).map(job_of).collect(), several: Vec::new() })
}

fn check_chunks(
    source: &Source<'_>,
    options: &SplitOptions,
    phases: &[Phase],
    chunks: &[i32],
) -> Result<(), Vec<Diagnostic>> {
    // A wrong count of chunks puts half of the program outside, so each chunk is one fault.
    let mut outside: Vec<(i32, usize, usize)> = Vec::new();
    for (position, (&phase, &chunk)) in phases.iter().zip(chunks).enumerate() {
        if phase == Phase::Optimize || (0..i64::from(options.chunks)).contains(&chunk.into()) {
            continue;
        }
        match outside.iter_mut().find(|(other, ..)| *other == chunk) {
            Some((_, _, others)) => *others += 1,
            None => outside.push((chunk, position, 0)),
        }
    }
    if outside.is_empty() {
        return Ok(());
    }
    let range = match options.chunks {
        1 => "the stage has one chunk, 0".to_owned(),
        count => format!("the stage has the chunks 0 to {}", count - 1),
    };
    let fault = |&(chunk, position, others): &(i32, usize, usize)| {
        let op = source.ops[position];
        let name = source.program.name_text(op);
        let who = match others {
            0 => format!("`{name}` is"),
            1 => format!("`{name}` and another op are"),
            others => format!("`{name}` and {others} other ops are"),
        };
        Diagnostic::error("E0205", format!("{who} in chunk {chunk}, but {range}"))
            .at(Place::op(source.program, op))
            .help("mend the `chunk_id`, or plan with more chunks (`--chunks`, `vpp_degree`)")
    };
    outside.truncate(MOST_SHOWN);
    Err(outside.iter().map(fault).collect())
}

/// The names of eight ops in a row that make a weight gradient and add it to its sum.
const WEIGHT_PATTERN: [pirogue::ir::Name; 8] = [
    names::FULL_INT_ARRAY,
    names::RESHAPE,
    names::FULL_INT_ARRAY,
    names::RESHAPE,
    names::MATMUL,
    names::FULL_INT_ARRAY,
    names::RESHAPE,
    names::ADD_INPLACE,
];

/// Which backward ops only serve weight gradients, by Paddle's rule; read from the last op to the
/// first:
/// 1. an op that adds to a sum of gradients (`grad_merge_add`) and ends [`WEIGHT_PATTERN`], with
///    the seven backward ops before it;
/// 2. any op that adds to a sum of gradients;
/// 3. an op each of whose results is added to a sum of gradients.
///
/// Then the chains of weight gradients that Paddle's pattern does not know.
fn weight_ops(source: &Source<'_>, phases: &[Phase], weight_chains: &[Vec<Op>]) -> Vec<bool> {
    let program = source.program;
    let is_merged = merged_values(source);
    let mut is_weight = vec![false; source.ops.len()];
    let mut position = source.ops.len();
    while let Some(current) = position.checked_sub(1) {
        position = current;
        let op = source.ops[current];
        if phases[current] != Phase::Backward || program.result_count(op) == 0 {
            continue;
        }
        let adds = program.attr(op, names::GRAD_MERGE_ADD).is_some();
        is_weight[current] = adds || program.results(op).all(|result| is_merged[result.index()]);
        if adds && current >= 8 && ends_pattern(source, current) {
            let mut wanted = 7;
            while let Some(before) = position.checked_sub(1).filter(|_| wanted > 0) {
                position = before;
                if phases[before] == Phase::Backward {
                    is_weight[before] = true;
                    wanted -= 1;
                }
            }
        }
    }
    for chain in weight_chains {
        let positions = || chain.iter().filter_map(|&op| source.positions.of_op(op));
        if positions().next_back().is_some_and(|last| is_weight[last]) {
            positions().for_each(|position| is_weight[position] = true);
        }
    }
    is_weight
}

fn ends_pattern(source: &Source<'_>, last: usize) -> bool {
    let names = source.ops[last - 7..=last].iter().map(|&op| source.program.name(op));
    names.eq(WEIGHT_PATTERN)
}

/// The values that an op with `grad_merge_add` reads, nested ops included.
fn merged_values(source: &Source<'_>) -> Vec<bool> {
    let program = source.program;
    let mut is_merged = vec![false; program.value_capacity()];
    for &op in &source.ops {
        for nested in program.nest(op) {
            if program.attr(nested, names::GRAD_MERGE_ADD).is_some() {
                program.operands(nested).iter().flatten().for_each(|v| is_merged[v.index()] = true);
            }
        }
    }
    is_merged
}

/// All jobs that `positions` are in, each once.
pub(super) fn jobs_of(
    placement: &Placement,
    positions: impl IntoIterator<Item = usize>,
) -> SmallVec<[JobIndex; 4]> {
    let mut jobs: SmallVec<[JobIndex; 4]> = smallvec![];
    for position in positions {
        jobs.extend_from_slice(placement.jobs(position));
    }
    jobs.sort_unstable();
    jobs.dedup();
    jobs
}

/// The job type at an index, for messages.
pub(super) fn job_name(options: &SplitOptions, job: JobIndex) -> String {
    options.job_types[usize::from(job)].to_string()
}
