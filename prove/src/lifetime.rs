//! Whether a value is still there when a job reads it.
//!
//! After a job the executor frees what an op of the job has used, unless it outlives the step or the
//! job keeps its name. What a program reads and leaves is the same whenever it runs, and reading a
//! freed value is a fault whatever it held; so this is replayed on names alone, once for each list of
//! programs and kept names that micro-batches have. An op that asks for a shape only reads nothing.

use hashbrown::HashMap;
use pirogue::ir::{Name, Op};
use pirogue_plan::Plan;
use rustc_hash::FxBuildHasher;

use crate::findings::{Fault, Finding, Findings, Side, Site};

/// What a program does to values that others know by name, in the order in which it does it.
#[derive(Clone, Default)]
pub(crate) struct Lifetimes {
    /// What it takes by name and reads before it writes it, with the first op that does.
    pub(crate) reads: Vec<(Name, Op)>,
    /// What others find when it has ended.
    pub(crate) leaves: Vec<Leave>,
}

/// A value that others find.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Leave {
    pub(crate) name: Name,
    /// The name under which the program took it, if it did.
    pub(crate) came_as: Option<Name>,
    /// Whether an op has used its memory.
    pub(crate) is_touched: bool,
}

/// Finds the reads of freed values of micro-batches, each told by its jobs; `program_of` gives the
/// position of a job's program.
pub(crate) fn replay<'a>(
    plan: &Plan,
    programs: &[Option<Lifetimes>],
    batches: impl Iterator<Item = &'a [u32]>,
    program_of: impl Fn(u32) -> u32,
    findings: &mut Findings,
) {
    let mut replay = Replay {
        sets: plan.skip_gc_sets().collect(),
        places: HashMap::default(),
        freed: Vec::new(),
        ever_freed: Vec::new(),
        kept: Vec::new(),
        stamp: 0,
    };
    for jobs in batches {
        replay.forget();
        for &job in jobs {
            let program = program_of(job);
            if let Some(lifetimes) = &programs[program as usize] {
                let set = plan.skip_gc_set(job as usize);
                replay.job((job, program), lifetimes, set, findings);
            }
        }
    }
}

struct Replay<'a> {
    sets: Vec<&'a [Name]>,
    /// By name: its position in what follows.
    places: HashMap<Name, u32, FxBuildHasher>,
    /// By place: the job that freed the value.
    freed: Vec<Option<u32>>,
    /// The places of this micro-batch that have been freed.
    ever_freed: Vec<usize>,
    /// By place: the last job that keeps the name, as a stamp.
    kept: Vec<u32>,
    stamp: u32,
}

impl Replay<'_> {
    fn forget(&mut self) {
        for place in self.ever_freed.drain(..) {
            self.freed[place] = None;
        }
    }

    fn place(&mut self, name: Name) -> usize {
        let next = self.freed.len() as u32;
        let place = *self.places.entry(name).or_insert(next);
        if place == next {
            self.freed.push(None);
            self.kept.push(0);
        }
        place as usize
    }

    fn job(
        &mut self,
        (job, program): (u32, u32),
        lifetimes: &Lifetimes,
        set: usize,
        findings: &mut Findings,
    ) {
        for &(name, op) in &lifetimes.reads {
            let place = self.place(name);
            if let Some(by) = self.freed[place] {
                let site = Site { side: Side::Plan(program), op: Some(op) };
                let fault = Fault::Freed { name, by };
                findings.add(Finding { fault, site, job: Some(job) });
            }
        }
        self.stamp += 1;
        for &name in self.sets[set] {
            let place = self.place(name);
            self.kept[place] = self.stamp;
        }
        for leave in &lifetimes.leaves {
            let came_as = leave.came_as.map(|name| self.place(name));
            let place = self.place(leave.name);
            self.freed[place] = if leave.is_touched {
                (self.kept[place] != self.stamp).then_some(job)
            } else {
                came_as.and_then(|place| self.freed[place])
            };
            if self.freed[place].is_some() {
                self.ever_freed.push(place);
            }
        }
    }
}
