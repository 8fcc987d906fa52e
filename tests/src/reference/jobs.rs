//! The job types of each op: from role, chunk and name.
//!
//! Three rules go beyond Paddle:
//! - the ops of a weight chain go where the last of them goes;
//! - a `builtin.combine` is in the jobs of its users, since a list cannot cross programs;
//! - a `builtin.split` or `builtin.slice` is in the jobs of what made its list.

use pirogue::ir::{Name, Op, Value, names};
use pirogue_schedule::{BackwardMode, Chunk, JobKind};

use super::{Refusal, Source};

const LOSS: i32 = 256;
const FORWARD: i32 = 0;
const BACKWARD: i32 = 1;
const OPTIMIZE: i32 = 2;

/// The ops that make a weight gradient out of a matmul_grad and merge it.
const MERGED_PRODUCT: [Name; 8] = [
    names::FULL_INT_ARRAY,
    names::RESHAPE,
    names::FULL_INT_ARRAY,
    names::RESHAPE,
    names::MATMUL,
    names::FULL_INT_ARRAY,
    names::RESHAPE,
    names::ADD_INPLACE,
];

/// The job types of all ops, as ascending indices.
pub(super) fn of_all(
    source: &Source<'_>,
    weight_chains: &[Vec<Op>],
) -> Result<Vec<Vec<usize>>, Refusal> {
    let all = 0..source.ops.len();
    let roles: Vec<i32> = all.clone().map(|index| role(source, index)).collect::<Result<_, _>>()?;
    let chunks: Vec<i32> =
        all.clone().map(|index| chunk(source, index, &roles)).collect::<Result<_, _>>()?;
    let weights = serve_weights(source, &roles, weight_chains);
    let mut jobs = Vec::new();
    for index in all {
        let kind = kind(source, index, roles[index], weights[index]);
        jobs.push(vec![job_index(source, kind, chunks[index])?]);
    }
    keep_lists(source, &mut jobs);
    Ok(jobs)
}

fn role(source: &Source<'_>, index: usize) -> Result<i32, Refusal> {
    let said = |index: usize| {
        source.ops.get(index).and_then(|&op| source.program.role(op)).map(|role| role & !LOSS)
    };
    let is_phase = |role: &i32| (FORWARD..=OPTIMIZE).contains(role);
    let mut role = said(index);
    if source.name(index) == names::WHILE && role.is_none() && index > 0 {
        // The text of a while has no attributes; its neighbours may agree on a role.
        role = said(index - 1).filter(|&before| said(index + 1) == Some(before));
    }
    role.filter(is_phase).ok_or(Refusal::Role)
}

/// Paddle's rule, on the ids as they were given. An id outside the program counts as -1.
fn chunk(source: &Source<'_>, index: usize, roles: &[i32]) -> Result<i32, Refusal> {
    let given = |op: Option<&Op>| op.and_then(|&op| source.program.chunk(op)).unwrap_or(-1);
    let at = |offset: isize| {
        given(index.checked_add_signed(offset).and_then(|index| source.ops.get(index)))
    };
    if at(0) != -1 || roles[index] == OPTIMIZE {
        return Ok(at(0));
    }
    let (before, next, behind_next) = (at(-1), at(1), at(2));
    if before == next || next == behind_next {
        return Some(next).filter(|&chunk| chunk != -1).ok_or(Refusal::Chunk);
    }
    if matches!(source.name(index), names::COMBINE | names::SPLIT) {
        let users = source.user_positions(source.program.result(source.ops[index], 0)).into_iter();
        let chunk = users.map(|user| given(source.ops.get(user))).find(|&chunk| chunk != -1);
        return chunk.ok_or(Refusal::Chunk);
    }
    Err(Refusal::Chunk)
}

fn kind(source: &Source<'_>, index: usize, role: i32, serves_weights: bool) -> JobKind {
    match (role, source.options.backward) {
        (OPTIMIZE, _) => JobKind::Optimizer,
        (FORWARD, BackwardMode::Whole) if source.name(index) == names::RECV_V2 => {
            JobKind::RecvForward
        }
        (FORWARD, _) => JobKind::Forward,
        (_, BackwardMode::Whole) if source.name(index) == names::SEND_V2 => JobKind::SendBackward,
        (_, BackwardMode::Whole) => JobKind::Backward,
        (_, BackwardMode::Split) if serves_weights => JobKind::BackwardWeight,
        (_, BackwardMode::Split) => JobKind::BackwardInput,
    }
}

fn job_index(source: &Source<'_>, kind: JobKind, chunk: i32) -> Result<usize, Refusal> {
    // The optimizer ignores its chunk, which is mostly -1.
    let chunk = if kind == JobKind::Optimizer { 0 } else { chunk };
    let chunk = u16::try_from(chunk).map_err(|_| Refusal::ChunkRange)?;
    let wanted = kind.in_chunk(Chunk(chunk));
    source
        .options
        .job_types
        .iter()
        .position(|&job_type| job_type == wanted)
        .ok_or(Refusal::ChunkRange)
}

/// Which backward ops only serve a weight gradient.
fn serve_weights(source: &Source<'_>, roles: &[i32], weight_chains: &[Vec<Op>]) -> Vec<bool> {
    let mut serves = vec![false; source.ops.len()];
    let mut more_of_pattern = 0;
    for index in (0..source.ops.len()).rev().filter(|&index| roles[index] == BACKWARD) {
        if more_of_pattern > 0 {
            more_of_pattern -= 1;
            serves[index] = true;
        } else if ends_merged_product(source, index) {
            more_of_pattern = MERGED_PRODUCT.len() - 1;
            serves[index] = true;
        } else {
            serves[index] =
                merges(source, source.ops[index]) || feeds_merges_alone(source, source.ops[index]);
        }
    }
    for chain in weight_chains {
        let last = chain.last().map(|&op| source.position(op));
        for &op in chain {
            serves[source.position(op)] = last.is_some_and(|last| serves[last]);
        }
    }
    serves
}

fn merges(source: &Source<'_>, op: Op) -> bool {
    source.program.result_count(op) > 0 && source.program.attr(op, names::GRAD_MERGE_ADD).is_some()
}

fn ends_merged_product(source: &Source<'_>, index: usize) -> bool {
    let names = source.ops.iter().map(|&op| source.program.name(op));
    merges(source, source.ops[index])
        && index >= MERGED_PRODUCT.len()
        && names
            .skip(index + 1 - MERGED_PRODUCT.len())
            .take(MERGED_PRODUCT.len())
            .eq(MERGED_PRODUCT)
}

fn feeds_merges_alone(source: &Source<'_>, op: Op) -> bool {
    let program = source.program;
    let has_merge = |value: Value| {
        let mut users = program.uses(value).map(|found| found.op);
        users.any(|user| program.attr(user, names::GRAD_MERGE_ADD).is_some())
    };
    program.result_count(op) > 0 && program.results(op).all(has_merge)
}

fn keep_lists(source: &Source<'_>, jobs: &mut [Vec<usize>]) {
    let program = source.program;
    for index in (0..source.ops.len()).rev().filter(|&index| source.name(index) == names::COMBINE) {
        let users = source.user_positions(program.result(source.ops[index], 0));
        let mut of_users: Vec<usize> = users.iter().flat_map(|&user| jobs[user].clone()).collect();
        of_users.sort_unstable();
        of_users.dedup();
        if !of_users.is_empty() {
            jobs[index] = of_users;
        }
    }
    for index in 0..source.ops.len() {
        let list = program.operand(source.ops[index], 0).and_then(|list| program.defining_op(list));
        if let (names::SPLIT | names::SLICE, Some(maker)) = (source.name(index), list) {
            jobs[index] = jobs[source.position(maker)].clone();
        }
    }
}
