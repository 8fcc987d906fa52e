//! The proof itself: runs both sides, compares, and says what came out.

use hashbrown::HashSet;
use pirogue::ir::{Name, Op, Program};
use pirogue_plan::Plan;
use rustc_hash::FxBuildHasher;

use crate::compare::{self, Difference};
use crate::findings::{Findings, Side};
use crate::original::{self, How, Original, Phases};
use crate::plan_run::{self, PlanRun};
use crate::store::Store;
use crate::terms::Term;
use crate::world::{Makers, World};
use crate::{MicroBatches, Options};

/// Both sides, run and compared.
pub(crate) struct Attempt {
    pub(crate) world: World,
    pub(crate) findings: Findings,
    pub(crate) original: Original,
    pub(crate) plan: PlanRun,
    pub(crate) differences: Vec<Difference>,
    /// Outputs that are to be observed and that the original does not have.
    pub(crate) unknown_fetches: Vec<String>,
    /// Ops of the original of which nothing observable depends and which the plan leaves out.
    pub(crate) unobserved: Vec<Op>,
}

/// How a proof is tried.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// To know whether there is a difference.
    Decide,
    /// To explain it too.
    Explain,
}

/// Runs a program and a plan of it, and compares them: micro-batches as one where that is sound.
pub(crate) fn of_plan(
    program: &Program,
    plan: &Plan,
    options: &Options,
    effort: Effort,
) -> Attempt {
    try_plan(program, plan, options, (options.micro_batches, effort))
        .or_else(|| try_plan(program, plan, options, (MicroBatches::Apart, effort)))
        .expect("micro-batches that are run apart see each other in their order")
}

fn try_plan(
    program: &Program,
    plan: &Plan,
    options: &Options,
    (batches, effort): (MicroBatches, Effort),
) -> Option<Attempt> {
    let mut findings = Findings::default();
    let micro_batches = plan.options().num_micro_batches;
    let how = How { side: Side::Original, phases: Phases::ByRole, batches, micro_batches };
    let (mut world, mut original) = first_side(program, &mut findings, how, effort);
    if !original.store.runs_as_one() {
        return None;
    }
    let (observed, unknown_fetches) = observed(&world, &original, options);
    let store = (original.store.renewed(&mut world), batches);
    let mut run = plan_run::run(&mut world, &mut findings, plan, store, &observed);
    if !run.store.runs_as_one() {
        return None;
    }
    let differences = compare::differences(&mut world, &mut original, &mut run, &observed);
    let unobserved = unobserved(&mut world, &mut original);
    Some(Attempt { world, findings, original, plan: run, differences, unknown_fetches, unobserved })
}

/// Runs two programs once each, from their first to their last op, and compares them.
pub(crate) fn of_programs(program: &Program, other: &Program, effort: Effort) -> Attempt {
    let mut findings = Findings::default();
    let how = How {
        side: Side::Original,
        phases: Phases::One,
        batches: MicroBatches::AsOne,
        micro_batches: 1,
    };
    let (mut world, mut original) = first_side(program, &mut findings, how, effort);
    let (observed, _) = observed(&world, &original, &Options::default());
    let store = original.store.renewed(&mut world);
    let how = How { side: Side::Plan(0), ..how };
    let run = original::run(&mut world, &mut findings, other, store, how);
    let mut run = PlanRun::single(run);
    let differences = compare::differences(&mut world, &mut original, &mut run, &observed);
    let unobserved = unobserved(&mut world, &mut original);
    Attempt {
        world,
        findings,
        original,
        plan: run,
        differences,
        unknown_fetches: Vec::new(),
        unobserved,
    }
}

/// The world in which the original has run, and nothing else.
fn first_side(
    program: &Program,
    findings: &mut Findings,
    how: How,
    effort: Effort,
) -> (World, Original) {
    let mut world = World::new(program.context());
    // Most ops make one term, and those with normal forms a few.
    world.terms.reserve(2 * program.op_count());
    world.makers = (effort == Effort::Explain).then(Makers::default);
    let mut original = original::run(&mut world, findings, program, Store::default(), how);
    // The sums that nobody has read are made now, so that they are terms of the original.
    let slots: Vec<_> = original.store.names().map(|(_, slot)| slot).collect();
    for slot in slots {
        original.store.read(&mut world, slot, &original.runs);
    }
    world.is_made_again = vec![false; world.terms.len()];
    (world, original)
}

type NameSet = HashSet<Name, FxBuildHasher>;

/// The outputs that are observed, and those asked for that there are not.
fn observed(world: &World, original: &Original, options: &Options) -> (NameSet, Vec<String>) {
    let seen = original.of_batch.iter().chain([&original.at_end]);
    let all: NameSet = seen.flat_map(|seen| &seen.fetches).map(|fetch| fetch.name).collect();
    let Some(asked) = &options.fetches else { return (all, Vec::new()) };
    let (known, unknown): (Vec<_>, Vec<_>) =
        asked.iter().partition(|text| all.contains(&world.context.name(text)));
    let known = known.into_iter().map(|text| world.context.name(text)).collect();
    (known, unknown.into_iter().cloned().collect())
}

/// The ops of the original of whose results none is observed, none is part of what is, and none is
/// computed by the plan.
fn unobserved(world: &mut World, original: &mut Original) -> Vec<Op> {
    let results = std::mem::take(&mut world.results);
    let is_made_again = std::mem::take(&mut world.is_made_again);
    let mut marked = vec![false; is_made_again.len()];
    let mut mark = |term: Term| {
        if let Some(flag) = marked.get_mut(term.index()) {
            *flag = true;
        }
    };
    let slots: Vec<_> = original.store.names().map(|(_, slot)| slot).collect();
    slots.into_iter().for_each(|slot| mark(original.store.read(world, slot, &original.runs)));
    for seen in original.of_batch.iter().chain([&original.at_end]) {
        seen.fetches.iter().for_each(|fetch| mark(fetch.term));
        seen.trace.iter().for_each(|entry| mark(entry.term));
    }
    world.terms.close(&mut marked);
    let is_lost = |term: &Term| !marked[term.index()] && !is_made_again[term.index()];
    let mut ops: Vec<Op> =
        results.into_iter().filter(|(term, _)| is_lost(term)).map(|(_, op)| op).collect();
    ops.dedup();
    ops
}
