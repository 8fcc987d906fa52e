//! Runs the jobs of a plan in their order.
//!
//! Micro-batches differ in what they are fed and in nothing else, so those that run the same job
//! types in the same order, each job keeping the same names, are run as one: the first of them runs,
//! on leaves that stand for any. One whose jobs are the first ones of another does the same as far as
//! it goes. That is sound as long as no micro-batch sees what another did, which the store finds
//! out; if one does, each is run by itself.

use std::hash::{Hash, Hasher};

use hashbrown::{HashMap, HashSet};
use pirogue::ir::{Name, Program};
use pirogue_plan::Plan;
use rustc_hash::{FxBuildHasher, FxHasher};

use crate::findings::{Findings, Side};
use crate::machine::{Fetch, Frame, Machine, Rules, Thread, TraceEntry};
use crate::original::Batches;
use crate::store::{Run, Store};
use crate::terms::Tag;
use crate::world::World;

/// A job as one of a micro-batch's.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    /// The position of its program in the plan.
    pub(crate) program: u32,
    /// Which names it keeps, as a position among the plan's sets.
    kept: u32,
}

/// The steps of each micro-batch, and the job of each step.
pub(crate) struct Steps {
    pub(crate) of_batch: Vec<Vec<Step>>,
    pub(crate) jobs: Vec<Vec<u32>>,
}

impl Steps {
    pub(crate) fn of(plan: &Plan) -> Self {
        let count = plan.options().num_micro_batches as usize;
        let mut steps = Self { of_batch: vec![Vec::new(); count], jobs: vec![Vec::new(); count] };
        let types: HashMap<_, u32, FxBuildHasher> =
            plan.programs().map(|program| program.0).zip(0..).collect();
        for (index, job) in plan.jobs().iter().enumerate() {
            let batch = job.micro_batch.0 as usize;
            let kept = plan.skip_gc_set(index) as u32;
            steps.of_batch[batch].push(Step { program: types[&job.job_type], kept });
            steps.jobs[batch].push(index as u32);
        }
        steps
    }
}

/// Micro-batches that do the same, as far as each goes.
pub(crate) struct Group {
    /// Those with the most steps first; the first of these is the one that runs.
    pub(crate) members: Vec<u32>,
    pub(crate) thread: Thread,
    /// By step: how much of trace and fetches was there when it ended.
    pub(crate) ends: Vec<(usize, usize)>,
}

impl Group {
    fn new(first: u32, batches: Batches) -> Self {
        let tag = if batches == Batches::AsOne { Tag::ANY } else { Tag::of(first) };
        Self { members: vec![first], thread: Thread::new(tag), ends: Vec::new() }
    }

    /// What was seen of a member that has that many steps.
    pub(crate) fn seen(&self, steps: usize) -> (&[TraceEntry], &[Fetch]) {
        let (trace, fetches) = steps.checked_sub(1).map_or((0, 0), |last| self.ends[last]);
        (&self.thread.trace[..trace], &self.thread.fetches[..fetches])
    }
}

/// What the plan did.
pub(crate) struct PlanRun {
    pub(crate) store: Store,
    pub(crate) steps: Steps,
    pub(crate) groups: Vec<Group>,
    /// By run: its micro-batches as a set, its group, and which of the group's steps it was.
    pub(crate) runs: Vec<u32>,
    pub(crate) step_of_run: Vec<(u32, u32)>,
}

/// Runs the plan on variables as they were before the step.
pub(crate) fn run(
    world: &mut World,
    findings: &mut Findings,
    plan: &Plan,
    (store, batches): (Store, Batches),
    observed: &HashSet<Name, FxBuildHasher>,
) -> PlanRun {
    let steps = Steps::of(plan);
    let groups = groups(&steps, batches);
    let (runs, step_of_run) = (Vec::new(), Vec::new());
    let mut run = PlanRun { store, steps, groups, runs, step_of_run };
    let mut runner = Runner {
        world,
        findings,
        programs: plan.programs().map(|program| program.1).collect(),
        kept_sets: plan.skip_gc_sets().collect(),
        kept: Vec::new(),
        observed,
        frame: Frame::default(),
        run: &mut run,
    };
    let last_of_step = last_of_step(plan);
    let mut group_of = vec![None; plan.options().num_micro_batches as usize];
    for (group, index) in runner.run.groups.iter().zip(0u32..) {
        group_of[group.members[0] as usize] = Some(index);
    }
    for (index, job) in plan.jobs().iter().enumerate() {
        let Some(group) = group_of[job.micro_batch.0 as usize] else { continue };
        let is_alone = batches == Batches::Apart || last_of_step == Some(index);
        runner.run.store.is_shared = !is_alone && plan.options().num_micro_batches > 1;
        runner.job(group as usize, index as u32);
        if !runner.run.store.runs_as_one() {
            break;
        }
    }
    run
}

/// The job that ends the step, if it is the only one of its type and is of micro-batch 0: nothing
/// that it does to variables can be seen by another.
fn last_of_step(plan: &Plan) -> Option<usize> {
    let (last, before) = plan.jobs().split_last()?;
    let is_only = before.iter().all(|job| job.job_type != last.job_type);
    (is_only && last.micro_batch.0 == 0).then_some(before.len())
}

/// Micro-batches by what they run. Longer lists come first, so that whoever stops earlier joins one
/// that goes on.
fn groups(steps: &Steps, batches: Batches) -> Vec<Group> {
    let mut order: Vec<u32> = (0..steps.of_batch.len() as u32).collect();
    let of = |batch: u32| &steps.of_batch[batch as usize];
    order.sort_by_key(|&batch| std::cmp::Reverse(of(batch).len()));
    let mut groups: Vec<Group> = Vec::new();
    let mut by_prefix: HashMap<u64, u32, FxBuildHasher> = HashMap::default();
    for batch in order {
        let hashes = prefix_hashes(of(batch));
        let joins = hashes.last().and_then(|hash| by_prefix.get(hash)).copied();
        let joins = joins.filter(|&group| {
            let first = groups[group as usize].members[0];
            batches == Batches::AsOne && of(first).starts_with(of(batch))
        });
        if let Some(group) = joins {
            groups[group as usize].members.push(batch);
        } else {
            let group = groups.len() as u32;
            groups.push(Group::new(batch, batches));
            for hash in hashes {
                by_prefix.entry(hash).or_insert(group);
            }
        }
    }
    groups
}

/// A hash of each prefix of a list, the empty one first.
fn prefix_hashes(steps: &[Step]) -> Vec<u64> {
    let mut hasher = FxHasher::default();
    let mut hashes = vec![hasher.finish()];
    for step in steps {
        step.hash(&mut hasher);
        hashes.push(hasher.finish());
    }
    hashes
}

struct Runner<'a> {
    world: &'a mut World,
    findings: &'a mut Findings,
    programs: Vec<&'a Program>,
    kept_sets: Vec<&'a [Name]>,
    /// By name: the last run that keeps it, plus one.
    kept: Vec<u32>,
    observed: &'a HashSet<Name, FxBuildHasher>,
    frame: Frame,
    run: &'a mut PlanRun,
}

impl Runner<'_> {
    /// Runs the next step of a group; `index` is the job that it is of the first member.
    fn job(&mut self, group: usize, index: u32) {
        let PlanRun { store, steps, groups, runs, step_of_run } = &mut *self.run;
        let run = Run(runs.len() as u32);
        let position = groups[group].ends.len();
        let step = steps.of_batch[groups[group].members[0] as usize][position];
        runs.push(members_of_step(self.world, steps, &groups[group].members, position));
        step_of_run.push((group as u32, position as u32));
        let program = self.programs[step.program as usize];
        self.frame.reset(program.value_capacity());
        let stamp = run.0 + 1;
        for name in self.kept_sets[step.kept as usize] {
            let index = name.index();
            if self.kept.len() <= index {
                self.kept.resize(index + 1, 0);
            }
            self.kept[index] = stamp;
        }
        let mut machine = Machine {
            world: self.world,
            store,
            thread: &mut groups[group].thread,
            findings: self.findings,
            frame: &mut self.frame,
            program,
            side: Side::Plan(step.program),
            rules: Rules::Part,
            runs,
            run,
            job: Some(index),
        };
        machine.bind_kwargs();
        program.top_ops().for_each(|op| machine.step(op));
        machine.note_fetches(|name| self.observed.contains(&name));
        machine.leave_names(|name| self.kept.get(name.index()) == Some(&stamp));
        let group = &mut groups[group];
        group.ends.push((group.thread.trace.len(), group.thread.fetches.len()));
    }
}

/// The members of a group that have a step of this position, as a set of the world.
fn members_of_step(world: &mut World, steps: &Steps, members: &[u32], position: usize) -> u32 {
    let has_step = |&batch: &u32| steps.of_batch[batch as usize].len() > position;
    let count = members.partition_point(has_step);
    let mut members = members[..count].to_vec();
    members.sort_unstable();
    world.set(&members)
}
