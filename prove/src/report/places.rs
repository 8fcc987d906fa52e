//! Places in the programs of a proof.

use std::cell::OnceCell;

use pirogue::diagnostic::Place;
use pirogue::ir::{Op, Program};
use pirogue::text::{Labels, op_line};
use pirogue_plan::Plan;
use pirogue_schedule::Job;

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
    /// What all that is not the original is called.
    other: &'static str,
}

impl<'a> Places<'a> {
    /// Those of an original and a plan of it.
    pub(crate) fn of_plan(original: &'a Program, plan: &'a Plan) -> Self {
        let programs = plan.programs();
        let programs =
            programs.map(|(job_type, program)| Labelled::new(job_type.to_string(), program));
        Self {
            original: Labelled::new("the original".into(), original),
            plan: programs.collect(),
            jobs: plan.jobs().iter().map(Job::to_string).collect(),
            other: "the plan",
        }
    }

    /// Those of two programs.
    pub(crate) fn of_programs(original: &'a Program, other: &'a Program) -> Self {
        Self {
            original: Labelled::new("the original".into(), original),
            plan: vec![Labelled::new("the other program".into(), other)],
            jobs: Vec::new(),
            other: "the other program",
        }
    }

    /// What all that is not the original is called.
    pub(super) fn other(&self) -> &'static str {
        self.other
    }

    /// How many programs are not the original.
    pub(super) fn programs(&self) -> usize {
        self.plan.len()
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
