//! The values that cross from one job type to later ones.
//!
//! For each value the set of job types that use it, a bit each; what is left of it without the
//! value's own jobs is where it goes.

use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::{Op, TypeKind, Value, names};
use pirogue::text::Labels;

use super::placement::{JobIndex, Placement, job_name};
use super::{Source, SplitOptions};
use crate::phase::{MOST_SHOWN, add_rest};

/// A value that crosses.
///
/// Half of the values of a large program cross, so a wire is small: where it goes is kept by
/// [`Wires`].
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub(super) value: Value,
    producer: u32,
    result: u32,
    /// The job it comes from: the first one that computes it.
    pub(super) from: JobIndex,
    to_count: JobIndex,
    to_start: u32,
}

impl Wire {
    /// Where the op that defines it stands.
    pub(super) fn producer(&self) -> usize {
        self.producer as usize
    }

    /// Which of its results it is.
    pub(super) fn result(&self) -> usize {
        self.result as usize
    }
}

/// All values that cross, in program order.
#[derive(Default)]
pub(super) struct Wires {
    pub(super) rows: Vec<Wire>,
    pub(super) goals: Goals,
}

/// The jobs that wires go to.
#[derive(Default)]
pub(super) struct Goals {
    jobs: Vec<JobIndex>,
}

impl Goals {
    /// The jobs that a wire goes to, in order.
    pub(super) fn of(&self, wire: &Wire) -> &[JobIndex] {
        &self.jobs[wire.to_start as usize..][..usize::from(wire.to_count)]
    }
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

/// Finds all wires.
///
/// # Errors
/// All uses in an earlier job type than that of the value (`E0204`), and all values that cross
/// and cannot (`E0207`).
pub(super) fn find(
    source: &Source<'_>,
    options: &SplitOptions,
    placement: &Placement,
) -> Result<Wires, Vec<Diagnostic>> {
    let sets = UseSets::of(source, options, placement);
    let mut wires = Wires::default();
    let mut backwards = Vec::new();
    let mut uncrossable = Vec::new();
    for (producer, &op) in source.ops.iter().enumerate() {
        let from = placement.first(producer);
        for (result, value) in source.program.results(op).enumerate() {
            if sets.only(value, from) {
                continue;
            }
            let start = wires.goals.jobs.len();
            let own = placement.jobs(producer);
            wires.goals.jobs.extend(sets.jobs(value).filter(|job| !own.contains(job)));
            let to = &wires.goals.jobs[start..];
            let wire = Wire {
                value,
                producer: producer as u32,
                result: result as u32,
                from,
                to_count: to.len() as JobIndex,
                to_start: u32::try_from(start).expect("fewer uses than operands can be counted"),
            };
            match to.first() {
                None => {}
                Some(&first) if first < from => backwards.push(wire),
                Some(_) if !may_cross(source, value) => uncrossable.push(wire),
                Some(_) => wires.rows.push(wire),
            }
        }
    }
    if backwards.is_empty() && uncrossable.is_empty() {
        return Ok(wires);
    }
    let labels = Labels::of(source.program);
    let faulty = |faulty: &[Wire], what, fault: fn(&Ends<'_>) -> Diagnostic| {
        let ends = |wire: &Wire| Ends::of(source, options, placement, &labels, &wires.goals, wire);
        let shown = faulty.iter().take(MOST_SHOWN).map(|wire| fault(&ends(wire)));
        let mut faults: Vec<Diagnostic> = shown.collect();
        add_rest(&mut faults, faulty.len(), what);
        faults
    };
    let mut faults = faulty(&backwards, "uses against the order", against_order);
    faults.extend(faulty(&uncrossable, "such values", cannot_cross));
    Err(faults)
}

fn may_cross(source: &Source<'_>, value: Value) -> bool {
    let kind = source.program.context().type_kind(source.program.ty(value));
    !matches!(kind, TypeKind::Vec(_) | TypeKind::Stack | TypeKind::Inlet | TypeKind::Outlet)
}

/// The two ends of a wire that cannot be, for messages.
struct Ends<'a> {
    source: &'a Source<'a>,
    labels: &'a Labels,
    value: Value,
    maker: Op,
    user: Op,
    from: String,
    to: String,
}

impl<'a> Ends<'a> {
    fn of(
        source: &'a Source<'a>,
        options: &SplitOptions,
        placement: &Placement,
        labels: &'a Labels,
        goals: &Goals,
        wire: &Wire,
    ) -> Self {
        let job = goals.of(wire)[0];
        let maker = source.ops[wire.producer()];
        let users = super::bound::users(source, wire.value);
        let in_job = users.into_iter().find(|&user| placement.jobs(user).contains(&job));
        let user = in_job.map_or(maker, |user| source.ops[user]);
        let (from, to) = (job_name(options, wire.from), job_name(options, job));
        Self { source, labels, value: wire.value, maker, user, from, to }
    }

    fn place(&self, op: Op, label: String) -> Place {
        Place::op_in(self.source.program, op, self.labels).label(label)
    }
}

fn against_order(ends: &Ends<'_>) -> Diagnostic {
    let Ends { source, labels, maker, user, from, to, .. } = ends;
    let name = source.program.name_text(*user);
    let message = format!("`{name}` of `{to}` uses a value of `{from}`, which runs after it");
    let value = labels.text(source.program, ends.value);
    Diagnostic::error("E0204", message)
        .at(ends.place(*user, format!("`{to}`: uses {value} here")))
        .see(ends.place(*maker, format!("`{from}`: defines {value} here")))
        .help("mend the `op_role` or `chunk_id` of one of the two: values go from forward 0 up, then down the backwards to the optimizer")
}

fn cannot_cross(ends: &Ends<'_>) -> Diagnostic {
    let Ends { source, maker, user, from, to, .. } = ends;
    let program = source.program;
    let ty = pirogue::text::type_text(program.context(), program.ty(ends.value));
    let message = format!(
        "a `{ty}` of `{}` would have to cross from `{from}` to `{to}`, and such a value cannot",
        program.name_text(*maker)
    );
    let help = match program.name(*maker) {
        names::STACK_CREATE => "keep what pushes and what pops in one job type",
        _ => "give the op that makes the list and its users one chunk and role",
    };
    Diagnostic::error("E0207", message)
        .at(ends.place(*maker, format!("made in `{from}`")))
        .see(ends.place(*user, format!("used in `{to}`")))
        .help(help)
}
