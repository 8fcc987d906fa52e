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

use hashbrown::{HashMap, HashSet};
use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::{Name, Op, Value, names};
use pirogue::parallel;
use rustc_hash::FxBuildHasher;

use super::Source;
use super::placement::{JobIndex, Placement};
use super::wires::{Goals, Wire, Wires};

/// A value that crosses, with its names.
#[derive(Clone, Debug)]
pub(super) struct NamedWire {
    pub(super) wire: Wire,
    /// Its name as it leaves the job that makes it.
    pub(super) name: Name,
    /// Whether a new `builtin.shadow_output` gives it its name.
    pub(super) is_saved: bool,
    /// Whether it outlives the step.
    pub(super) is_persistable: bool,
}

/// All values that cross, in program order, with their names.
#[derive(Default)]
pub(super) struct NamedWires {
    pub(super) rows: Vec<NamedWire>,
    pub(super) goals: Goals,
    /// The names of values behind each later job that renames them, in order. Few have any.
    renamed: NameMap<Value, Vec<(JobIndex, Name)>>,
}

impl NamedWires {
    /// The name that a wire has when `job` begins.
    pub(super) fn name_in(&self, named: &NamedWire, job: JobIndex) -> Name {
        if self.renamed.is_empty() {
            return named.name;
        }
        let renamed = self.renamed.get(&named.wire.value).map_or(&[][..], Vec::as_slice);
        let before = renamed.iter().take_while(|(renaming, _)| *renaming < job);
        before.last().map_or(named.name, |&(_, name)| name)
    }
}

type NameMap<K, V> = HashMap<K, V, FxBuildHasher>;

/// How many names are made at a time.
const BLOCK: usize = 4096;

/// Names all wires.
pub(super) fn name(
    source: &Source<'_>,
    placement: &Placement,
    wires: Wires,
    remarks: &mut Vec<Diagnostic>,
) -> NamedWires {
    let shadows = shadows(source);
    let mut maker = NameMaker::new(source);
    source.program.context().reserve_names(wires.rows.len());
    let mut named = NamedWires { rows: Vec::with_capacity(wires.rows.len()), ..Default::default() };
    let blocks = wires.rows.chunks(BLOCK).collect();
    let say = |block| SaidBlock::of(source, placement, &shadows, &wires.goals, block);
    let said = parallel::map(source.threads, blocks, say);
    for (said, block) in said.into_iter().zip(wires.rows.chunks(BLOCK)) {
        let mut made = maker.names(&said).into_iter();
        for (wire, said) in block.iter().zip(said.rows) {
            let SaidName { first, is_saved, is_persistable } = said;
            let name = first.or_else(|| made.next()).expect("a name is made for each other");
            named.rows.push(NamedWire { wire: wire.clone(), name, is_saved, is_persistable });
        }
        named.renamed.extend(said.renamed);
    }
    named.goals = wires.goals;
    remarks.extend(maker.remark());
    note_other_names(source, &named, &shadows, remarks);
    named
}

/// What the program says of the names of a block of wires, and the usual names of those that have
/// none.
#[derive(Default)]
struct SaidBlock {
    rows: Vec<SaidName>,
    renamed: Vec<(Value, Vec<(JobIndex, Name)>)>,
    /// The usual names, one behind the other.
    text: String,
    ends: Vec<usize>,
}

/// What the program says of the name of a wire.
struct SaidName {
    /// The name it leaves its own job with.
    first: Option<Name>,
    is_saved: bool,
    is_persistable: bool,
}

impl SaidBlock {
    fn of(
        source: &Source<'_>,
        placement: &Placement,
        shadows: &NameMap<Value, Vec<Shadow>>,
        goals: &Goals,
        wires: &[Wire],
    ) -> Self {
        let mut block = Self { rows: Vec::with_capacity(wires.len()), ..Self::default() };
        for wire in wires {
            let maker = source.ops[wire.producer()];
            let given = given_name(source, maker);
            let flag = source.program.result_flag(maker, names::PERSISTABLE, wire.result());
            let is_persistable = flag.unwrap_or(false);
            let shadows = match shadows.get(&wire.value) {
                Some(shadows) if given.is_none() || !is_persistable => shadows.as_slice(),
                _ => &[],
            };
            let first = last_in(shadows, placement, wire.from).or(given);
            if first.is_none() {
                block.write_usual(source, wire);
            }
            let is_saved = given.is_none() && first.is_none_or(|name| is_like_made(source, name));
            block.rows.push(SaidName { first, is_saved, is_persistable });
            let later = last_names(shadows, placement, goals.of(wire));
            if !later.is_empty() {
                block.renamed.push((wire.value, later));
            }
        }
        block
    }

    fn write_usual(&mut self, source: &Source<'_>, wire: &Wire) {
        let mut digits = itoa::Buffer::new();
        self.text.push_str(PREFIX);
        self.text.push_str(digits.format(wire.producer()));
        self.text.push('_');
        self.text.push_str(source.program.name_text(source.ops[wire.producer()]));
        self.text.push('_');
        self.text.push_str(digits.format(wire.result()));
        self.ends.push(self.text.len());
    }

    fn usual_names(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len()).map(|index| {
            let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.text[start..self.ends[index]]
        })
    }
}

/// Whether a name holds what a made one begins with.
fn is_like_made(source: &Source<'_>, name: Name) -> bool {
    source.program.context().name_text(name).contains(PREFIX)
}

/// The jobs that name a value anew, with the name.
fn last_names(
    shadows: &[Shadow],
    placement: &Placement,
    jobs: &[JobIndex],
) -> Vec<(JobIndex, Name)> {
    let named = |&job: &JobIndex| Some((job, last_in(shadows, placement, job)?));
    jobs.iter().filter_map(named).collect()
}

/// The name that the last shadow output of a job gives.
fn last_in(shadows: &[Shadow], placement: &Placement, job: JobIndex) -> Option<Name> {
    let last = shadows.iter().rfind(|shadow| placement.jobs(shadow.position).contains(&job))?;
    Some(last.name)
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
    for &position in source.named(names::SHADOW_OUTPUT) {
        let op = source.ops[position];
        let name = source.program.attr_name(op, names::OUTPUT_NAME);
        if let (Some(value), Some(name)) = (program.operand(op, 0), name) {
            shadows.entry(value).or_default().push(Shadow { position, name });
        }
    }
    shadows
}

/// The name that a data or parameter op says.
fn given_name(source: &Source<'_>, op: Op) -> Option<Name> {
    match source.program.name(op) {
        names::DATA => source.program.attr_name(op, names::NAME),
        names::PARAMETER => source.program.attr_name(op, names::PARAMETER_NAME),
        _ => None,
    }
}

/// How a made name begins.
const PREFIX: &str = "var_";

/// Makes names such as `var_17_pd_op.layer_norm_2`: the position of the op in the program, its name,
/// which result. No two values have the same, but the program may hold one of that name already.
struct NameMaker<'s> {
    source: &'s Source<'s>,
    /// The names of variables of the program that begin like a made one.
    taken: HashSet<Name, FxBuildHasher>,
    /// How many names are not the usual ones, since those are taken.
    others: usize,
}

impl<'s> NameMaker<'s> {
    fn new(source: &'s Source<'s>) -> Self {
        Self { source, taken: taken_names(source), others: 0 }
    }

    fn names(&mut self, block: &SaidBlock) -> Vec<Name> {
        let mut names = self.source.program.context().names(block.usual_names());
        if !self.taken.is_empty() {
            names.iter_mut().for_each(|name| *name = self.not_taken(*name));
        }
        names
    }

    fn not_taken(&mut self, usual: Name) -> Name {
        if !self.taken.contains(&usual) {
            return usual;
        }
        self.others += 1;
        let context = self.source.program.context();
        let usual = context.name_text(usual);
        let mut others = (1..).map(|n| context.name(&format!("{usual}.{n}")));
        others.find(|name| !self.taken.contains(name)).expect("some number is not taken")
    }

    fn remark(&self) -> Option<Diagnostic> {
        let message = format!(
            "{} values that cross got a name of their own, since the usual one is taken",
            self.others
        );
        let remark = Diagnostic::note("N0206", message).remark("Paddle fails on such a name");
        (self.others > 0).then_some(remark)
    }
}

/// The names of variables of the program that begin like a made one.
fn taken_names(source: &Source<'_>) -> HashSet<Name, FxBuildHasher> {
    let program = source.program;
    let kwargs = program.kwargs(program.top()).map(|(keyword, _)| keyword);
    let ops = [names::SHADOW_OUTPUT, names::DATA, names::PARAMETER].map(|n| source.named(n));
    let given = ops.into_iter().flatten().filter_map(|&position| {
        let op = source.ops[position];
        let shadow = || source.program.attr_name(op, names::OUTPUT_NAME);
        given_name(source, op).or_else(shadow)
    });
    let is_like_made = |name: &Name| program.context().name_text(*name).starts_with(PREFIX);
    kwargs.chain(given).filter(is_like_made).collect()
}

/// Says where Paddle takes another name for a value that has several, or a later one.
fn note_other_names(
    source: &Source<'_>,
    wires: &NamedWires,
    shadows: &NameMap<Value, Vec<Shadow>>,
    remarks: &mut Vec<Diagnostic>,
) {
    for named in &wires.rows {
        let Some(first) = shadows.get(&named.wire.value).and_then(|shadows| shadows.first()) else {
            continue;
        };
        if first.name == named.name
            || given_name(source, source.ops[named.wire.producer()]).is_some()
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
    wires: &NamedWires,
    named: &NamedWire,
    job: JobIndex,
) -> Result<(), Diagnostic> {
    let name = wires.name_in(named, job);
    let goes_there = |other: &&NamedWire| {
        other.wire.value != named.wire.value
            && wires.goals.of(&other.wire).contains(&job)
            && wires.name_in(other, job) == name
    };
    let other = wires.rows.iter().find(goes_there);
    let is_one = match other {
        Some(other) => is_one_variable(source, other, named),
        None => !clashes_with_kwarg(source, named, name),
    };
    if is_one { Ok(()) } else { Err(clash_fault(source, named, other, name)) }
}

/// Two data or parameter ops of one name and type name one variable.
fn is_one_variable(source: &Source<'_>, a: &NamedWire, b: &NamedWire) -> bool {
    let program = source.program;
    let given = |named: &NamedWire| given_name(source, source.ops[named.wire.producer()]);
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
    let place = |named: &NamedWire| Place::op(program, source.ops[named.wire.producer()]);
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
