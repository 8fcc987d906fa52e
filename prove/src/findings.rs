//! What is found while a program runs.

use indexmap::IndexSet;
use pirogue::ir::{Name, Op, Type};
use rustc_hash::FxBuildHasher;

/// A program of a proof.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    /// The original.
    Original,
    /// The program of this position in the plan, or the other program.
    Plan(u32),
}

/// A place in a program: an op, or the keyword arguments.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    pub(crate) side: Side,
    pub(crate) op: Option<Op>,
}

/// What is wrong with how a program uses names and memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fault {
    /// A value of a type that cannot go from program to program.
    Wire { name: Name, ty: Type },
    /// Nothing is there under the name.
    Missing { name: Name, is_persistable: bool },
    /// It was freed before, by the job of this position.
    Freed { name: Name, by: u32 },
    /// The value under the name has another type.
    Type { name: Option<Name>, expected: Type, found: Type },
    /// The name is that of another value already.
    NameTaken { name: Name },
    /// A variable that outlives the step was given a name.
    NamesPersistable { name: Name },
    /// Regions are nested too deep to be run.
    TooDeep,
}

/// A fault with its place.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Finding {
    pub(crate) fault: Fault,
    pub(crate) site: Site,
    /// The job that ran, by its position.
    pub(crate) job: Option<u32>,
}

/// All that was found, each fault of a place once.
#[derive(Default)]
pub(crate) struct Findings {
    seen: IndexSet<(Fault, Site), FxBuildHasher>,
    pub(crate) all: Vec<Finding>,
}

impl Findings {
    pub(crate) fn add(&mut self, finding: Finding) {
        // Which job freed it first is enough.
        let key = match finding.fault {
            Fault::Freed { name, .. } => Fault::Freed { name, by: 0 },
            fault => fault,
        };
        if self.seen.insert((key, finding.site)) {
            self.all.push(finding);
        }
    }
}
