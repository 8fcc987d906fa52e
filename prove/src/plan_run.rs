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

use crate::MicroBatches;
use crate::findings::{Findings, Side};
use crate::lifetime::{self, Lifetimes};
use crate::machine::{Fetch, Frame, Machine, Rules, Thread, TraceEntry};
use crate::original::{Observed, Original};
use crate::store::{Run, Store};
use crate::terms::Tag;
use crate::world::World;

/// The jobs of each micro-batch in their order.
pub(crate) struct Steps {
    /// By micro-batch: the positions of the programs that it runs.
    pub(crate) programs: Vec<Vec<u32>>,
    /// By micro-batch: the positions of the jobs.
    pub(crate) jobs: Vec<Vec<u32>>,
    /// By job: the position of its program.
    program_of: Vec<u32>,
}

impl Steps {
    /// One micro-batch and one job.
    fn single() -> Self {
        Self { programs: vec![vec![0]], jobs: vec![vec![0]], program_of: vec![0] }
    }

    fn of(plan: &Plan) -> Self {
        let count = plan.options().num_micro_batches as usize;
        let types: HashMap<_, u32, FxBuildHasher> =
            plan.programs().map(|program| program.0).zip(0..).collect();
        let program_of: Vec<u32> = plan.jobs().iter().map(|job| types[&job.job_type]).collect();
        let (mut programs, mut jobs) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (index, job) in plan.jobs().iter().enumerate() {
            let batch = job.micro_batch.0 as usize;
            programs[batch].push(program_of[index]);
            jobs[batch].push(index as u32);
        }
        Self { programs, jobs, program_of }
    }
}

/// Micro-batches that do the same, as far as each goes.
pub(crate) struct Group {
    /// Those with the most jobs first; the first of these is the one that runs.
    pub(crate) members: Vec<u32>,
    pub(crate) thread: Thread,
    /// By step: how much of trace and fetches was there when it ended.
    ends: Vec<(usize, usize)>,
}

impl Group {
    /// What was seen of a member that has that many jobs.
    pub(crate) fn seen(&self, jobs: usize) -> (&[TraceEntry], &[Fetch]) {
        let (trace, fetches) = jobs.checked_sub(1).map_or((0, 0), |last| self.ends[last]);
        (&self.thread.trace[..trace], &self.thread.fetches[..fetches])
    }
}

/// What the plan did.
pub(crate) struct PlanRun {
    pub(crate) store: Store,
    pub(crate) steps: Steps,
    pub(crate) groups: Vec<Group>,
    /// By run: its micro-batches as a set.
    pub(crate) runs: Vec<u32>,
    /// By run: which job of each of its micro-batches it was.
    pub(crate) step_of_run: Vec<u32>,
}

impl PlanRun {
    /// That of one job which runs a whole program.
    pub(crate) fn single(run: Original) -> Self {
        let Original { store, mut of_batch, runs, .. } = run;
        let mut thread = Thread::new(Tag::ANY);
        if let Some(Observed { trace, fetches }) = of_batch.pop() {
            (thread.trace, thread.fetches) = (trace, fetches);
        }
        let ends = vec![(thread.trace.len(), thread.fetches.len())];
        let step_of_run = vec![0; runs.len()];
        let groups = vec![Group { members: vec![0], thread, ends }];
        Self { store, steps: Steps::single(), groups, runs, step_of_run }
    }
}

/// Runs the plan on variables as they were before the step.
pub(crate) fn run(
    world: &mut World,
    findings: &mut Findings,
    plan: &Plan,
    (store, batches): (Store, MicroBatches),
    observed: &HashSet<Name, FxBuildHasher>,
) -> PlanRun {
    let steps = Steps::of(plan);
    let groups = groups(&steps.programs, batches);
    let groups = groups.into_iter().map(|members| {
        let tag = if batches == MicroBatches::AsOne { Tag::ANY } else { Tag::of(members[0]) };
        Group { members, thread: Thread::new(tag), ends: Vec::new() }
    });
    let (groups, runs, step_of_run) = (groups.collect(), Vec::new(), Vec::new());
    let mut run = PlanRun { store, steps, groups, runs, step_of_run };
    let programs: Vec<&Program> = plan.programs().map(|program| program.1).collect();
    let lifetimes = vec![None; programs.len()];
    let frame = Frame::default();
    let mut runner =
        Runner { world, findings, programs, lifetimes, observed, frame, run: &mut run };
    let last_of_step = last_of_step(plan);
    let group_of = runner.group_of_batch(plan.options().num_micro_batches);
    for (index, job) in plan.jobs().iter().enumerate() {
        let Some(group) = group_of[job.micro_batch.0 as usize] else { continue };
        let is_alone = batches == MicroBatches::Apart || last_of_step == Some(index);
        runner.run.store.is_shared = !is_alone && plan.options().num_micro_batches > 1;
        runner.job(group, index as u32);
        if !runner.run.store.runs_as_one() {
            return run;
        }
    }
    runner.replay_lifetimes(plan);
    run
}

/// The job that ends the step, if it is the only one of its type and is of micro-batch 0: nothing
/// that it does to variables can be seen by another.
fn last_of_step(plan: &Plan) -> Option<usize> {
    let (last, before) = plan.jobs().split_last()?;
    let is_only = before.iter().all(|job| job.job_type != last.job_type);
    (is_only && last.micro_batch.0 == 0).then_some(before.len())
}

/// Micro-batches by what they do. Longer lists come first, so that whoever stops earlier joins one
/// that goes on.
fn groups<T: Hash + Eq>(lists: &[Vec<T>], batches: MicroBatches) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = (0..lists.len() as u32).collect();
    if batches == MicroBatches::Apart {
        return order.into_iter().map(|batch| vec![batch]).collect();
    }
    let of = |batch: u32| &lists[batch as usize];
    order.sort_by_key(|&batch| std::cmp::Reverse(of(batch).len()));
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut by_prefix: HashMap<u64, usize, FxBuildHasher> = HashMap::default();
    for batch in order {
        let hashes = prefix_hashes(of(batch));
        let joins = hashes.last().and_then(|hash| by_prefix.get(hash)).copied();
        match joins.filter(|&group| of(groups[group][0]).starts_with(of(batch))) {
            Some(group) => groups[group].push(batch),
            None => {
                hashes.into_iter().for_each(|hash| {
                    by_prefix.entry(hash).or_insert(groups.len());
                });
                groups.push(vec![batch]);
            }
        }
    }
    groups
}

/// A hash of each prefix of a list, the empty one first.
fn prefix_hashes<T: Hash>(list: &[T]) -> Vec<u64> {
    let mut hasher = FxHasher::default();
    let mut hashes = vec![hasher.finish()];
    for item in list {
        item.hash(&mut hasher);
        hashes.push(hasher.finish());
    }
    hashes
}

struct Runner<'a> {
    world: &'a mut World,
    findings: &'a mut Findings,
    programs: Vec<&'a Program>,
    /// By program, once it has run.
    lifetimes: Vec<Option<Lifetimes>>,
    observed: &'a HashSet<Name, FxBuildHasher>,
    frame: Frame,
    run: &'a mut PlanRun,
}

impl Runner<'_> {
    /// By micro-batch: the group for which it runs.
    fn group_of_batch(&self, micro_batches: u32) -> Vec<Option<usize>> {
        let mut group_of = vec![None; micro_batches as usize];
        for (index, group) in self.run.groups.iter().enumerate() {
            group_of[group.members[0] as usize] = Some(index);
        }
        group_of
    }

    /// Runs the next step of a group; `index` is the job that it is of the first member.
    fn job(&mut self, group: usize, index: u32) {
        let PlanRun { store, steps, groups, runs, step_of_run } = &mut *self.run;
        let run = Run(runs.len() as u32);
        let step = groups[group].ends.len();
        let position = steps.program_of[index as usize];
        runs.push(members_of_step(self.world, steps, &groups[group].members, step));
        step_of_run.push(step as u32);
        let program = self.programs[position as usize];
        self.frame.reset(program.value_capacity());
        let mut machine = Machine {
            world: self.world,
            store,
            thread: &mut groups[group].thread,
            findings: self.findings,
            frame: &mut self.frame,
            program,
            side: Side::Plan(position),
            rules: Rules::Part,
            runs,
            run,
            job: Some(index),
        };
        machine.bind_kwargs();
        program.top_ops().for_each(|op| machine.step(op));
        machine.note_fetches(|name| self.observed.contains(&name));
        machine.leave_names();
        let lifetimes = std::mem::take(&mut self.frame.lifetimes);
        self.lifetimes[position as usize].get_or_insert(lifetimes);
        let group = &mut groups[group];
        group.ends.push((group.thread.trace.len(), group.thread.fetches.len()));
    }

    /// Finds reads of what was freed, once for each list of programs and kept names.
    fn replay_lifetimes(&mut self, plan: &Plan) {
        let steps = &self.run.steps;
        let program_of = |job: u32| steps.program_of[job as usize];
        let of_job = |&job: &u32| (program_of(job), plan.skip_gc_set(job as usize));
        let lists: Vec<Vec<(u32, usize)>> =
            steps.jobs.iter().map(|jobs| jobs.iter().map(of_job).collect()).collect();
        let firsts = groups(&lists, MicroBatches::AsOne).into_iter().map(|members| members[0]);
        let batches = firsts.map(|batch| &steps.jobs[batch as usize][..]);
        lifetime::replay(plan, &self.lifetimes, batches, program_of, self.findings);
    }
}

/// The members of a group that have a job of this position, as a set of the world.
fn members_of_step(world: &mut World, steps: &Steps, members: &[u32], step: usize) -> u32 {
    let has_step = |&batch: &u32| steps.jobs[batch as usize].len() > step;
    let count = members.partition_point(has_step);
    let mut members = members[..count].to_vec();
    members.sort_unstable();
    world.set(&members)
}
