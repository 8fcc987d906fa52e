//! Bringing together what cannot be cut.
//!
//! A list (`vec` value) and the ends of a control-flow stack exist within one program only.
//! - `builtin.combine` only lists values, so it goes with its users: into each of their jobs.
//! - `builtin.split` and `builtin.slice` only unpack a list, so they go with what made it.
//! - A stack goes where it is pushed to and popped from. Where that is in several jobs (forward
//!   pushes, backward pops), the op that pushes runs again in the job that pops, if it computes the
//!   same there: it has no effect, draws no random number, and nothing overwrites what it reads.

use fixedbitset::FixedBitSet;
use hashbrown::HashMap;
use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::dialect;
use pirogue::ir::{Op, Value, names};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::placement::{JobIndex, Placement, job_name, jobs_of};
use super::{Source, SplitOptions};

/// Moves and doubles ops so that no list and no stack is cut.
///
/// # Errors
/// Stacks that cannot be kept together (`E0208`). Lists that still cross are found as wires.
pub(super) fn keep_together(
    source: &Source<'_>,
    options: &SplitOptions,
    placement: &mut Placement,
    remarks: &mut Vec<Diagnostic>,
) -> Result<(), Vec<Diagnostic>> {
    let mut faults = Vec::new();
    for &position in source.named(names::STACK_CREATE) {
        match gather_stack(source, options, placement, position) {
            Ok(replays) => remarks.extend(replays),
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    for list in lists(source).into_iter().rev() {
        let jobs = jobs_of(placement, list.users);
        if !jobs.is_empty() && jobs.as_slice() != placement.jobs(list.position) {
            let op = source.ops[list.position];
            remarks.push(moved(source, options, op, "its users are", &jobs));
            placement.set(list.position, jobs);
        }
    }
    let mut unpackers = [source.named(names::SPLIT), source.named(names::SLICE)].concat();
    unpackers.sort_unstable();
    for position in unpackers {
        let op = source.ops[position];
        let list = source.program.operand(op, 0);
        let maker = list.and_then(|list| source.positions.of_value(source.program, list));
        if let Some(maker) = maker {
            let jobs: SmallVec<[JobIndex; 4]> = placement.jobs(maker).into();
            if jobs.as_slice() != placement.jobs(position) && !is_combine(source, maker) {
                remarks.push(moved(source, options, op, "its list is made", &jobs));
                placement.set(position, jobs);
            }
        }
    }
    Ok(())
}

/// A list of values.
struct List {
    /// Where the `builtin.combine` that makes it stands.
    position: usize,
    /// The positions of its users, in order.
    users: Vec<usize>,
}

/// All lists that are made of values, in program order. One sweep: the index of all uses would be
/// asked for few of them.
fn lists(source: &Source<'_>) -> Vec<List> {
    let program = source.program;
    let mut lists = Vec::new();
    let mut list_of: HashMap<Value, usize, FxBuildHasher> = HashMap::default();
    let mut is_list = FixedBitSet::with_capacity(program.value_capacity());
    for &position in source.named(names::COMBINE) {
        if let Some(value) = program.results(source.ops[position]).next() {
            is_list.insert(value.index());
            list_of.insert(value, lists.len());
            lists.push(List { position, users: Vec::new() });
        }
    }
    if lists.is_empty() {
        return lists;
    }
    for (position, &op) in source.ops.iter().enumerate() {
        for nested in program.nest(op) {
            let read = program.operands(nested).iter().flatten();
            for value in read.filter(|value| is_list.contains(value.index())) {
                lists[list_of[value]].users.push(position);
            }
        }
    }
    lists
}

fn is_combine(source: &Source<'_>, position: usize) -> bool {
    source.program.name(source.ops[position]) == names::COMBINE
}

/// The positions of all users of a value, in order.
pub(super) fn users(source: &Source<'_>, value: Value) -> Vec<usize> {
    let users = source.program.uses(value).filter_map(|used| source.positions.of_op(used.op));
    let mut users: Vec<usize> = users.collect();
    users.sort_unstable();
    users.dedup();
    users
}

fn moved(
    source: &Source<'_>,
    options: &SplitOptions,
    op: Op,
    why: &str,
    jobs: &[JobIndex],
) -> Diagnostic {
    let jobs: Vec<String> =
        jobs.iter().map(|&job| format!("`{}`", job_name(options, job))).collect();
    let name = source.program.name_text(op);
    let message = format!(
        "`{name}` goes to {}, where {why}: a list cannot cross programs",
        jobs.join(" and ")
    );
    Diagnostic::note("N0207", message)
        .at(Place::op(source.program, op))
        .remark("Paddle cuts here, and its executor dies")
}

/// Puts a stack where it is pushed to and popped from.
fn gather_stack(
    source: &Source<'_>,
    options: &SplitOptions,
    placement: &mut Placement,
    position: usize,
) -> Result<Vec<Diagnostic>, Diagnostic> {
    let stack = source.ops[position];
    let mut ends: Vec<usize> =
        source.program.results(stack).flat_map(|end| users(source, end)).collect();
    ends.sort_unstable();
    ends.dedup();
    let jobs = jobs_of(placement, ends.iter().copied());
    placement.set(position, jobs.clone());
    if jobs.len() <= 1 {
        return Ok(Vec::new());
    }
    let (pushers, poppers): (Vec<usize>, Vec<usize>) =
        ends.into_iter().partition(|&end| !pops(source, end, stack));
    let popping = jobs_of(placement, poppers);
    let mut remarks = Vec::new();
    for pusher in pushers {
        let again: SmallVec<[JobIndex; 4]> =
            popping.iter().copied().filter(|job| !placement.jobs(pusher).contains(job)).collect();
        if again.is_empty() {
            continue;
        }
        if let Some(reason) = reason_against_replay(source, pusher) {
            return Err(cut_stack(source, options, pusher, again[0], &reason));
        }
        remarks.push(replayed(source, options, pusher, &again));
        let jobs = again.into_iter().chain(placement.jobs(pusher).iter().copied()).collect();
        placement.set(pusher, jobs);
    }
    Ok(remarks)
}

/// Whether the op at `position` takes from the stack.
fn pops(source: &Source<'_>, position: usize, stack: Op) -> bool {
    let program = source.program;
    program.nest(source.ops[position]).any(|nested| {
        let takes = matches!(program.name(nested), names::TUPLE_POP | names::HAS_ELEMENTS);
        let end = program.operand(nested, 0).and_then(|end| program.defining_op(end));
        takes && end == Some(stack)
    })
}

/// Why running the op at `position` a second time may compute something else; nothing if not.
fn reason_against_replay(source: &Source<'_>, position: usize) -> Option<String> {
    let program = source.program;
    for nested in program.nest(source.ops[position]) {
        let name = program.name_text(nested);
        let is_structure = matches!(
            program.name(nested),
            names::IF | names::WHILE | names::YIELD | names::TUPLE_PUSH
        );
        if !is_structure && !dialect::is_pure(name) {
            return Some(format!("`{name}` in it cannot be run twice"));
        }
        for &read in program.operands(nested).iter().flatten() {
            if let Some(writer) = writer_of(source, read) {
                return Some(format!("`{}` overwrites what it reads", program.name_text(writer)));
            }
        }
    }
    None
}

/// An op that writes in place of `value`.
fn writer_of(source: &Source<'_>, value: Value) -> Option<Op> {
    let program = source.program;
    let writes = program.uses(value).find(|used| {
        let facts = program.context().facts(program.name(used.op));
        facts.is_some_and(|facts| facts.aliases().any(|alias| alias.operand == used.index as usize))
    });
    writes.map(|used| used.op)
}

fn cut_stack(
    source: &Source<'_>,
    options: &SplitOptions,
    pusher: usize,
    job: JobIndex,
    reason: &str,
) -> Diagnostic {
    let op = source.ops[pusher];
    let message = format!(
        "`{}` pushes on a control-flow stack that `{}` pops, and a stack cannot cross programs",
        source.program.name_text(op),
        job_name(options, job),
    );
    Diagnostic::error("E0208", message)
        .at(Place::op(source.program, op).label("pushed here"))
        .remark(format!("it cannot run again there: {reason}"))
        .help("keep both in one job type, or write the branch without a gradient")
}

fn replayed(
    source: &Source<'_>,
    options: &SplitOptions,
    pusher: usize,
    jobs: &[JobIndex],
) -> Diagnostic {
    let op = source.ops[pusher];
    let jobs: Vec<String> =
        jobs.iter().map(|&job| format!("`{}`", job_name(options, job))).collect();
    let message = format!(
        "`{}` runs again in {}: what it pushes on a control-flow stack cannot cross programs",
        source.program.name_text(op),
        jobs.join(" and "),
    );
    Diagnostic::warning("W0208", message)
        .at(Place::op(source.program, op))
        .remark("Paddle cuts the stack, and its executor does not find the value")
}
