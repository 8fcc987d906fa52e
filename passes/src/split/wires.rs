//! The values that cross from one job type to later ones.
//!
//! For each value the set of job types that use it, a bit each; what is left of it without the
//! value's own jobs is where it goes.

use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::{Op, TypeKind, Value, names};
use pirogue::text::Labels;
use smallvec::SmallVec;

use super::placement::{JobIndex, Placement, job_name};
use super::{Source, SplitOptions};
use crate::phase::{MOST_SHOWN, add_rest};

/// A value that crosses.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub(super) value: Value,
    /// Where the op that defines it stands.
    pub(super) producer: usize,
    /// Which of its results it is.
    pub(super) result: usize,
    /// The job it comes from: the first one that computes it.
    pub(super) from: JobIndex,
    /// The jobs it goes to, in order.
    pub(super) to: SmallVec<[JobIndex; 4]>,
}

/// For each value, the job types that use it.
struct UseSets {
    words: usize,
    bits: Vec<u64>,
}

impl UseSets {
    fn of(source: &Source<'_>, options: &SplitOptions, placement: &Placement) -> Self {
        let words = options.job_types.len().div_ceil(64);
        let mut sets = Self { words, bits: vec![0; words * source.program.value_capacity()] };
        for (position, &op) in source.ops.iter().enumerate() {
            for &job in placement.jobs(position) {
                for nested in source.program.nest(op) {
                    for &value in source.program.operands(nested).iter().flatten() {
                        sets.bits[words * value.index() + usize::from(job) / 64] |= 1 << (job % 64);
                    }
                }
            }
        }
        sets
    }

    /// The job types that use a value, in order.
    fn jobs(&self, value: Value) -> impl Iterator<Item = JobIndex> + '_ {
        let words = &self.bits[self.words * value.index()..][..self.words];
        words.iter().enumerate().flat_map(|(word, &bits)| {
            let mut bits = bits;
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some((word * 64) as JobIndex + bit as JobIndex)
            })
        })
    }

    /// Whether only `job` uses a value, if any does.
    fn only(&self, value: Value, job: JobIndex) -> bool {
        let words = &self.bits[self.words * value.index()..][..self.words];
        let own = |word: usize| u64::from(word == usize::from(job) / 64) << (job % 64);
        words.iter().enumerate().all(|(word, &bits)| bits & !own(word) == 0)
    }
}

/// All wires, in program order.
///
/// # Errors
/// All uses in an earlier job type than that of the value (`E0204`), and all values that cross
/// and cannot (`E0207`).
pub(super) fn find(
    source: &Source<'_>,
    options: &SplitOptions,
    placement: &Placement,
) -> Result<Vec<Wire>, Vec<Diagnostic>> {
    let sets = UseSets::of(source, options, placement);
    let mut wires = Vec::new();
    let mut backwards = Vec::new();
    let mut uncrossable = Vec::new();
    for (producer, &op) in source.ops.iter().enumerate() {
        let from = placement.first(producer);
        for (result, value) in source.program.results(op).enumerate() {
            if sets.only(value, from) {
                continue;
            }
            let own = placement.jobs(producer);
            let to: SmallVec<[JobIndex; 4]> =
                sets.jobs(value).filter(|job| !own.contains(job)).collect();
            let wire = Wire { value, producer, result, from, to };
            match wire.to.first() {
                None => {}
                Some(&first) if first < from => backwards.push(wire),
                Some(_) if !may_cross(source, value) => uncrossable.push(wire),
                Some(_) => wires.push(wire),
            }
        }
    }
    if backwards.is_empty() && uncrossable.is_empty() {
        return Ok(wires);
    }
    let labels = Labels::of(source.program);
    let shown = |wires: &[Wire], what, fault: &dyn Fn(&Wire) -> Diagnostic| {
        let mut faults: Vec<Diagnostic> = wires.iter().take(MOST_SHOWN).map(fault).collect();
        add_rest(&mut faults, wires.len(), what);
        faults
    };
    let mut faults = shown(&backwards, "uses against the order", &|wire| {
        against_order(source, options, placement, wire, &labels)
    });
    faults.extend(shown(&uncrossable, "such values", &|wire| {
        cannot_cross(source, options, placement, wire, &labels)
    }));
    Err(faults)
}

fn may_cross(source: &Source<'_>, value: Value) -> bool {
    let kind = source.program.context().type_kind(source.program.ty(value));
    !matches!(kind, TypeKind::Vec(_) | TypeKind::Stack | TypeKind::Inlet | TypeKind::Outlet)
}

/// A user of the wire in one of the jobs it goes to.
fn user_in(source: &Source<'_>, placement: &Placement, wire: &Wire, job: JobIndex) -> Option<Op> {
    let users = super::bound::users(source, wire.value);
    let in_job = users.into_iter().find(|&user| placement.jobs(user).contains(&job));
    in_job.map(|user| source.ops[user])
}

fn against_order(
    source: &Source<'_>,
    options: &SplitOptions,
    placement: &Placement,
    wire: &Wire,
    labels: &Labels,
) -> Diagnostic {
    let program = source.program;
    let (maker, job) = (source.ops[wire.producer], wire.to[0]);
    let user = user_in(source, placement, wire, job).unwrap_or(maker);
    let (from, to) = (job_name(options, wire.from), job_name(options, job));
    let message = format!(
        "`{}` of `{to}` uses a value of `{from}`, which runs after it",
        program.name_text(user)
    );
    let value = labels.text(program, wire.value);
    Diagnostic::error("E0204", message)
        .at(Place::op_in(program, user, labels).label(format!("`{to}`: uses {value} here")))
        .see(Place::op_in(program, maker, labels).label(format!("`{from}`: defines {value} here")))
        .help("mend the `op_role` or `chunk_id` of one of the two: values go from forward 0 up, then down the backwards to the optimizer")
}

fn cannot_cross(
    source: &Source<'_>,
    options: &SplitOptions,
    placement: &Placement,
    wire: &Wire,
    labels: &Labels,
) -> Diagnostic {
    let program = source.program;
    let (maker, job) = (source.ops[wire.producer], wire.to[0]);
    let user = user_in(source, placement, wire, job).unwrap_or(maker);
    let (from, to) = (job_name(options, wire.from), job_name(options, job));
    let ty = pirogue::text::type_text(program.context(), program.ty(wire.value));
    let message = format!(
        "a `{ty}` of `{}` would have to cross from `{from}` to `{to}`, and such a value cannot",
        program.name_text(maker)
    );
    let help = match program.name(maker) {
        names::STACK_CREATE => "keep what pushes and what pops in one job type",
        _ => "give the op that makes the list and its users one chunk and role",
    };
    Diagnostic::error("E0207", message)
        .at(Place::op_in(program, maker, labels).label(format!("made in `{from}`")))
        .see(Place::op_in(program, user, labels).label(format!("used in `{to}`")))
        .help(help)
}
