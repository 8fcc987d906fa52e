//! Which phase of a training step an op belongs to.

use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::{Op, Program, names};
use pirogue::text::Labels;

/// Marks the ops of the loss; it says nothing of the phase.
pub(crate) const LOSS_BIT: i32 = 256;
/// How many ops of one fault are shown; the rest is counted.
pub(crate) const MOST_SHOWN: usize = 20;

/// A phase of a training step, as the low bits of `op_role` say it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// `op_role` 0.
    Forward,
    /// `op_role` 1.
    Backward,
    /// `op_role` 2.
    Optimize,
}

impl Phase {
    /// The phase of an `op_role`, whose loss bit does not count.
    pub fn of_role(role: i32) -> Option<Self> {
        match role & !LOSS_BIT {
            0 => Some(Self::Forward),
            1 => Some(Self::Backward),
            2 => Some(Self::Optimize),
            _ => None,
        }
    }

    /// How messages call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Optimize => "optimize",
        }
    }
}

/// The phase of each op of the top block.
///
/// A `pd_op.while` that was read from text has no attributes, since Paddle does not print them: it
/// takes the phase on which its neighbours agree.
///
/// # Errors
/// One for every op without a role (`E0201`) or with one that is no phase (`E0202`).
pub fn phases(program: &Program, ops: &[Op]) -> Result<Vec<Phase>, Vec<Diagnostic>> {
    let read = |op: Op| program.role(op).and_then(Phase::of_role);
    let mut phases = Vec::with_capacity(ops.len());
    let mut faulty = Vec::new();
    for (index, &op) in ops.iter().enumerate() {
        let phase = read(op).or_else(|| {
            let is_bare_loop = program.name(op) == names::WHILE && program.role(op).is_none();
            let before = index.checked_sub(1).and_then(|before| read(ops[before]))?;
            let behind = read(*ops.get(index + 1)?)?;
            (is_bare_loop && before == behind).then_some(before)
        });
        if phase.is_none() {
            faulty.push(op);
        }
        phases.push(phase.unwrap_or(Phase::Forward));
    }
    if faulty.is_empty() { Ok(phases) } else { Err(role_faults(program, &faulty)) }
}

fn role_faults(program: &Program, faulty: &[Op]) -> Vec<Diagnostic> {
    let labels = Labels::of(program);
    let mut faults: Vec<Diagnostic> = faulty
        .iter()
        .take(MOST_SHOWN)
        .map(|&op| {
            let place = Place::op_in(program, op, &labels);
            let name = program.name_text(op);
            match program.role(op).filter(|&role| role != -1) {
                None => Diagnostic::error("E0201", format!("`{name}` has no op role"))
                    .at(place.label("forward, backward or optimize?"))
                    .help("run `complete_op_roles` before, or set `op_role` to 0, 1 or 2"),
                Some(role) => {
                    let message = format!("`{name}` has the op role {role}, which is no phase of a step");
                    Diagnostic::error("E0202", message)
                        .at(place)
                        .help("roles are 0 (forward), 1 (backward) and 2 (optimize), plus 256 for the loss")
                }
            }
        })
        .collect();
    add_rest(&mut faults, faulty.len(), "ops");
    faults
}

/// Says on the last diagnostic how many more there are.
pub(crate) fn add_rest(faults: &mut [Diagnostic], count: usize, what: &str) {
    if let Some(last) = faults.last_mut().filter(|_| count > MOST_SHOWN) {
        last.notes.push(format!("and {} more {what}", count - MOST_SHOWN));
    }
}
