//! By which names the values that cross go.
//!
//! - A value that `pd_op.data` or `builtin.parameter` makes has the name that the op says; any other
//!   is `var_{position}_{op name}_{result}`.
//! - Each `builtin.shadow_output` renames the variable: from then on, in its own job and in those
//!   behind it, the name that was given last is the one by which it is found.
//! - Data and parameters that are persistable keep their own name, under which they outlive the step.
//!
//! A new `builtin.shadow_output` is put in exactly where the name holds `var_` (as Paddle does, so
//! also beside one of that name), but not for data and parameters.

use std::fmt::Write;

use hashbrown::{HashMap, HashSet};
use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::{AttrValue, Name, Op, Value, names};
use rustc_hash::FxBuildHasher;

use super::Source;
use super::placement::{JobIndex, Placement};
use super::wires::Wire;

/// A value that crosses, with its names.
#[derive(Clone, Debug)]
pub(super) struct NamedWire {
    pub(super) wire: Wire,
    /// Its name as it leaves the job that makes it.
    name: Name,
    /// Its name behind each later job that renames it, in order.
    renamed: Vec<(JobIndex, Name)>,
    /// Whether a new `builtin.shadow_output` gives it its name.
    pub(super) is_saved: bool,
    /// Whether it outlives the step.
    pub(super) is_persistable: bool,
}

impl NamedWire {
    /// The name it leaves its own job with.
    pub(super) fn name(&self) -> Name {
        self.name
    }

    /// The name it has when `job` begins.
    pub(super) fn name_in(&self, job: JobIndex) -> Name {
        let before = self.renamed.iter().take_while(|(renaming, _)| *renaming < job);
        before.last().map_or(self.name, |&(_, name)| name)
    }
}

type NameMap<K, V> = HashMap<K, V, FxBuildHasher>;

/// Names all wires.
pub(super) fn name(
    source: &Source<'_>,
    placement: &Placement,
    wires: Vec<Wire>,
    remarks: &mut Vec<Diagnostic>,
) -> Vec<NamedWire> {
    let shadows = shadows(source);
    let taken = taken_names(source);
    let mut text = String::new();
    let mut renamed_clashes = 0;
    let wires: Vec<NamedWire> = wires
        .into_iter()
        .map(|wire| {
            let given = given_name(source, source.ops[wire.producer]);
            let is_persistable = source
                .program
                .result_flag(source.ops[wire.producer], names::PERSISTABLE, wire.result)
                .unwrap_or(false);
            let shadows = match shadows.get(&wire.value) {
                Some(shadows) if given.is_none() || !is_persistable => shadows.as_slice(),
                _ => &[],
            };
            let in_job = |job: JobIndex| {
                let found =
                    shadows.iter().filter(move |s| placement.jobs(s.position).contains(&job));
                found.map(|shadow| shadow.name).next_back()
            };
            let name = in_job(wire.from).or(given).unwrap_or_else(|| {
                let (name, is_other) = made_name(source, &wire, &taken, &mut text);
                renamed_clashes += usize::from(is_other);
                name
            });
            let renamed = match shadows {
                [] => Vec::new(),
                _ => wire.to.iter().filter_map(|&job| Some((job, in_job(job)?))).collect(),
            };
            let has_var = source.program.context().name_text(name).contains("var_");
            let is_saved = given.is_none() && has_var;
            NamedWire { wire, name, renamed, is_saved, is_persistable }
        })
        .collect();
    if renamed_clashes > 0 {
        let message = format!(
            "{renamed_clashes} values that cross got a name of their own, since the usual one is taken"
        );
        remarks.push(Diagnostic::note("N0206", message).remark("Paddle fails on such a name"));
    }
    note_other_names(source, &wires, &shadows, remarks);
    wires
}

/// A `builtin.shadow_output` of the top block.
struct Shadow {
    position: usize,
    name: Name,
}

/// The shadow outputs of each value, in program order.
fn shadows(source: &Source<'_>) -> NameMap<Value, Vec<Shadow>> {
    let program = source.program;
    let mut shadows: NameMap<Value, Vec<Shadow>> = NameMap::default();
    for (position, &op) in source.ops.iter().enumerate() {
        if program.name(op) != names::SHADOW_OUTPUT {
            continue;
        }
        let name = name_attr(source, op, names::OUTPUT_NAME);
        if let (Some(value), Some(name)) = (program.operand(op, 0), name) {
            shadows.entry(value).or_default().push(Shadow { position, name });
        }
    }
    shadows
}

fn name_attr(source: &Source<'_>, op: Op, attr: Name) -> Option<Name> {
    let text = source.program.attr_value(op, attr).and_then(AttrValue::as_str)?;
    Some(source.program.context().name(text))
}

/// The name that a data or parameter op says.
fn given_name(source: &Source<'_>, op: Op) -> Option<Name> {
    match source.program.name(op) {
        names::DATA => name_attr(source, op, names::NAME),
        names::PARAMETER => name_attr(source, op, names::PARAMETER_NAME),
        _ => None,
    }
}

/// Every name that a variable of the program has.
fn taken_names(source: &Source<'_>) -> HashSet<Name, FxBuildHasher> {
    let program = source.program;
    let mut taken: HashSet<Name, FxBuildHasher> = HashSet::default();
    taken.extend(program.kwargs(program.top()).map(|(keyword, _)| keyword));
    for &op in &source.ops {
        taken.extend(given_name(source, op));
        if program.name(op) == names::SHADOW_OUTPUT {
            taken.extend(name_attr(source, op, names::OUTPUT_NAME));
        }
    }
    taken
}

/// `var_17_pd_op.layer_norm_2`: the position of the op in the program, its name, which result. No two
/// values have the same, but the program may hold one of that name already.
fn made_name(
    source: &Source<'_>,
    wire: &Wire,
    taken: &HashSet<Name, FxBuildHasher>,
    usual: &mut String,
) -> (Name, bool) {
    let op_name = source.program.name_text(source.ops[wire.producer]);
    usual.clear();
    let _ = write!(usual, "var_{}_{op_name}_{}", wire.producer, wire.result);
    let context = source.program.context();
    let name = context.name(usual);
    if !taken.contains(&name) {
        return (name, false);
    }
    let free = (1..).map(|n| context.name(&format!("{usual}.{n}")));
    (free.into_iter().find(|name| !taken.contains(name)).expect("some number is not taken"), true)
}

/// Says where Paddle takes another name for a value that has several, or a later one.
fn note_other_names(
    source: &Source<'_>,
    wires: &[NamedWire],
    shadows: &NameMap<Value, Vec<Shadow>>,
    remarks: &mut Vec<Diagnostic>,
) {
    for named in wires {
        let Some(first) = shadows.get(&named.wire.value).and_then(|shadows| shadows.first()) else {
            continue;
        };
        if first.name == named.name || given_name(source, source.ops[named.wire.producer]).is_some()
        {
            continue;
        }
        let text = |name| source.program.context().name_text(name);
        let message = format!(
            "the value that `{}` names crosses programs as `{}`",
            text(first.name),
            text(named.name)
        );
        remarks.push(
            Diagnostic::note("N0208", message)
                .at(Place::op(source.program, source.ops[first.position]))
                .remark(
                    "Paddle takes the name given first, which the variable does not have there",
                ),
        );
    }
}

/// Where a program already has a kwarg of the name that `named` has in `job`: whether both are
/// one variable.
///
/// # Errors
/// They are two (`E0206`).
pub(super) fn check_same_variable(
    source: &Source<'_>,
    wires: &[NamedWire],
    named: &NamedWire,
    job: JobIndex,
) -> Result<(), Diagnostic> {
    let name = named.name_in(job);
    let goes_there = |other: &&NamedWire| {
        other.wire.value != named.wire.value
            && other.wire.to.contains(&job)
            && other.name_in(job) == name
    };
    let other = wires.iter().find(goes_there);
    let is_one = match other {
        Some(other) => is_one_variable(source, other, named),
        None => !clashes_with_kwarg(source, named, name),
    };
    if is_one { Ok(()) } else { Err(clash_fault(source, named, other, name)) }
}

/// Two data or parameter ops of one name and type name one variable.
fn is_one_variable(source: &Source<'_>, a: &NamedWire, b: &NamedWire) -> bool {
    let program = source.program;
    let given = |named: &NamedWire| given_name(source, source.ops[named.wire.producer]);
    given(a).is_some()
        && given(a) == given(b)
        && a.is_persistable == b.is_persistable
        && program.context().same_type(program.ty(a.wire.value), program.ty(b.wire.value))
}

/// A kwarg of the input is the same variable only if both outlive the step.
fn clashes_with_kwarg(source: &Source<'_>, named: &NamedWire, name: Name) -> bool {
    let program = source.program;
    let Some(kwarg) = program.kwarg(program.top(), name) else { return false };
    let context = program.context();
    let is_persistable = context
        .dict_get(kwarg.attrs, names::PERSISTABLE)
        .and_then(|attr| context.attr_value(attr).as_bool());
    let types = (program.ty(kwarg.value), program.ty(named.wire.value));
    let same_type = types.0 == pirogue::ir::Type::UNKNOWN || context.same_type(types.0, types.1);
    !(named.is_persistable && is_persistable == Some(true) && same_type)
}

fn clash_fault(
    source: &Source<'_>,
    named: &NamedWire,
    other: Option<&NamedWire>,
    name: Name,
) -> Diagnostic {
    let program = source.program;
    let name = program.context().name_text(name);
    let place = |named: &NamedWire| Place::op(program, source.ops[named.wire.producer]);
    let message = format!("two values that cross programs are called `{name}`");
    let fault = Diagnostic::error("E0206", message).help("give one of the two another name");
    match other {
        Some(other) => {
            fault.at(place(named).label("the second")).see(place(other).label("the first"))
        }
        None => fault
            .at(place(named).label("one of them"))
            .remark(format!("the other is the keyword argument `%kwarg_{name}` of the input")),
    }
}
