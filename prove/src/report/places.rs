//! Places in the programs of a proof.

use std::cell::OnceCell;

use pirogue::diagnostic::Place;
use pirogue::ir::{Op, Program};
use pirogue::text::{Labels, op_line};

use crate::findings::{Side, Site};

/// A program with the labels of its values, which are found when they are first asked for.
struct Labelled<'a> {
    /// What it is called.
    name: String,
    program: &'a Program,
    labels: OnceCell<Labels>,
}

impl<'a> Labelled<'a> {
    fn new(name: String, program: &'a Program) -> Self {
        Self { name, program, labels: OnceCell::new() }
    }

    fn labels(&self) -> &Labels {
        self.labels.get_or_init(|| Labels::of(self.program))
    }
}

/// The programs of a proof.
pub(crate) struct Places<'a> {
    original: Labelled<'a>,
    plan: Vec<Labelled<'a>>,
    jobs: Vec<String>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(
        original: &'a Program,
        programs: impl IntoIterator<Item = (String, &'a Program)>,
        jobs: Vec<String>,
    ) -> Self {
        let plan = programs.into_iter().map(|(name, program)| Labelled::new(name, program));
        Self {
            original: Labelled::new("the original".into(), original),
            plan: plan.collect(),
            jobs,
        }
    }

    fn labelled(&self, side: Side) -> &Labelled<'a> {
        match side {
            Side::Original => &self.original,
            Side::Plan(index) => &self.plan[index as usize],
        }
    }

    /// What a program is called: `the original`, `backward_w0`.
    pub(super) fn name(&self, side: Side) -> &str {
        &self.labelled(side).name
    }

    pub(super) fn program(&self, side: Side) -> &'a Program {
        self.labelled(side).program
    }

    /// `forward0:3`
    pub(super) fn job(&self, index: u32) -> &str {
        self.jobs.get(index as usize).map_or("the job", String::as_str)
    }

    /// The op of a site; none if it is of keyword arguments.
    pub(super) fn place(&self, site: Site) -> Option<Place> {
        let labelled = self.labelled(site.side);
        site.op.map(|op| Place::op_in(labelled.program, op, labelled.labels()))
    }

    pub(super) fn original(&self, op: Op) -> Place {
        Place::op_in(self.original.program, op, self.original.labels())
    }

    /// The line of an op with the name of its program.
    pub(super) fn line(&self, site: Site) -> Option<String> {
        let labelled = self.labelled(site.side);
        Some(op_line(labelled.program, site.op?, labelled.labels()).trim().to_owned())
    }
}
