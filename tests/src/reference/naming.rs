//! By which name a value that crosses goes.
//!
//! Data and parameters have a name of their own, and keep it if they are persistable. Any other value is
//! `var_{position}_{op}_{result}`. A `builtin.shadow_output` renames it: for the job types behind that
//! op's own, the last one in the order of jobs, then of the program, counts.

use pirogue::ir::{Op, Program, Value, ValueDef, names};

use super::Source;

/// The name under which `job` finds a result of an op of an earlier job.
pub(super) fn name_in(source: &Source<'_>, value: Value, job: usize) -> String {
    let program = source.program;
    let ValueDef::Result { op, index } = program.def(value) else {
        unreachable!("results alone cross")
    };
    let own = own_name(program, op);
    if let Some(name) = own.filter(|_| is_persistable(program, value)) {
        return name.to_owned();
    }
    let users = source.user_positions(value).into_iter();
    let shadows = users.filter(|&user| source.name(user) == names::SHADOW_OUTPUT);
    let earlier = shadows.filter(|&user| source.jobs[user][0] < job);
    if let Some(last) = earlier.max_by_key(|&user| (source.jobs[user][0], user)) {
        let name = program.attr_str(source.ops[last], names::OUTPUT_NAME);
        return name.expect("a shadow_output says a name").to_owned();
    }
    let made = || format!("var_{}_{}_{index}", source.position(op), program.name_text(op));
    own.map_or_else(made, str::to_owned)
}

/// Whether the op says the name of its result: it needs no shadow_output.
pub(super) fn names_itself(program: &Program, op: Op) -> bool {
    own_name(program, op).is_some()
}

fn own_name(program: &Program, op: Op) -> Option<&str> {
    match program.name(op) {
        names::DATA => program.attr_str(op, names::NAME),
        names::PARAMETER => program.attr_str(op, names::PARAMETER_NAME),
        _ => None,
    }
}

/// What the defining op says under `persistable` of this result.
pub(super) fn is_persistable(program: &Program, value: Value) -> bool {
    let ValueDef::Result { op, index } = program.def(value) else {
        unreachable!("results alone cross")
    };
    program.result_flag(op, names::PERSISTABLE, index as usize).unwrap_or(false)
}
