//! From faults to diagnostics. Only here is a program with faults printed, and only if its tables
//! are sound.

use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::ir::{Op, Program};
use crate::text::Labels;

/// Whether the tables of a program are sound enough to walk and print it.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Trust {
    Printable,
    Broken,
}

/// A rule that is broken.
pub(super) struct Fault {
    severity: Severity,
    code: &'static str,
    message: String,
    at: Option<Op>,
    see: Option<(Op, &'static str)>,
    help: &'static str,
}

impl Fault {
    pub(super) fn new(code: &'static str, message: String) -> Self {
        Self { severity: Severity::Error, code, message, at: None, see: None, help: "" }
    }

    /// What need not be a fault.
    pub(super) fn warning(code: &'static str, message: String) -> Self {
        Self { severity: Severity::Warning, ..Self::new(code, message) }
    }

    /// A fault of the tables: no input and no pass can do it.
    pub(super) fn internal(code: &'static str, message: String) -> Self {
        let help = "this is a fault of pirogue itself: please report it";
        Self { help, ..Self::new(code, message) }
    }

    pub(super) fn at(self, op: Op) -> Self {
        Self { at: Some(op), ..self }
    }

    /// Another op that has to do with it, and what it has to do with it.
    pub(super) fn see(self, op: Option<Op>, label: &'static str) -> Self {
        Self { see: op.map(|op| (op, label)), ..self }
    }

    pub(super) fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }
}

/// The diagnostics of faults, in program order; those that concern the whole program come first.
pub(super) fn diagnostics(program: &Program, faults: Vec<Fault>, trust: Trust) -> Vec<Diagnostic> {
    if faults.is_empty() {
        return Vec::new();
    }
    match trust {
        Trust::Printable => printed(program, faults),
        Trust::Broken => {
            let named = |op| named_place(program, op);
            faults.into_iter().map(|fault| diagnostic(fault, &named)).collect()
        }
    }
}

fn printed(program: &Program, mut faults: Vec<Fault>) -> Vec<Diagnostic> {
    let mut position = vec![0; program.op_capacity()];
    for (at, op) in program.top_ops().flat_map(|op| program.nest(op)).enumerate() {
        position[op.index()] = at + 1;
    }
    faults.sort_by_key(|fault| fault.at.map_or(0, |op| position[op.index()]));
    let labels = Labels::of(program);
    let printed = |op| Place::op_in(program, op, &labels);
    faults.into_iter().map(|fault| diagnostic(fault, &printed)).collect()
}

fn diagnostic(fault: Fault, place: &dyn Fn(Op) -> Place) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(fault.code, fault.message);
    diagnostic.severity = fault.severity;
    if let Some(op) = fault.at {
        diagnostic = diagnostic.at(place(op));
    }
    if let Some((op, label)) = fault.see {
        diagnostic = diagnostic.see(place(op).label(label));
    }
    match fault.help {
        "" => diagnostic,
        help => diagnostic.help(help),
    }
}

/// The name of an op alone: its line may need values that are not there.
fn named_place(program: &Program, op: Op) -> Place {
    let row = program.ops.get(op.index());
    let name = row.map_or("", |row| program.context.name_text(row.name));
    let text = format!("\"{name}\"");
    Place {
        file: program.origins.file.clone(),
        line: row.and_then(|row| program.origins.line(row.origin)),
        highlight: 0..text.len(),
        text,
        label: String::new(),
    }
}
