//! What can be observed of the original, and whether the plan gives the same.

use hashbrown::{HashMap, HashSet};
use indexmap::IndexMap;
use pirogue::ir::Name;
use rustc_hash::FxBuildHasher;

use crate::findings::Site;
use crate::machine::{Fetch, TraceEntry};
use crate::original::Original;
use crate::plan_run::PlanRun;
use crate::store::{Run, Slot};
use crate::terms::Term;
use crate::world::World;

/// Something that is not as it was.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    pub(crate) what: Observable,
    /// What it was, and what it is; none: there is nothing.
    pub(crate) terms: [Option<Term>; 2],
    pub(crate) sites: [Option<Site>; 2],
}

/// What can be observed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Observable {
    /// What a variable holds after the step.
    Variable(Name),
    /// A named output of a micro-batch.
    Output { name: Name, batch: u32 },
    /// An effect: the position among those of its channel and micro-batch.
    Effect { channel: u32, batch: u32, position: usize },
    /// How many effects a channel sees of a micro-batch.
    Effects { channel: u32, batch: u32, counts: [usize; 2] },
}

/// All that is not as it was: outputs, effects, variables.
pub(crate) fn differences(
    world: &mut World,
    original: &mut Original,
    plan: &mut PlanRun,
    is_observed: &HashSet<Name, FxBuildHasher>,
) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut met: HashSet<(usize, usize, bool), FxBuildHasher> = HashSet::default();
    for (index, group) in plan.groups.iter().enumerate() {
        for &batch in &group.members {
            let steps = plan.steps.jobs[batch as usize].len();
            let is_first = batch == 0;
            if met.insert((index, steps, is_first)) {
                let (trace, fetches) = group.seen(steps);
                let seen = Seen { batch, trace, fetches };
                seen.outputs(original, is_observed, &mut found);
                seen.effects(original, &mut found);
            }
        }
    }
    variables(world, original, plan, &mut found);
    found
}

fn variables(
    world: &mut World,
    original: &mut Original,
    plan: &mut PlanRun,
    found: &mut Vec<Difference>,
) {
    let slots: Vec<(Name, Slot)> = original.store.names().collect();
    for (name, slot) in slots {
        let before = original.store.read(world, slot, &original.runs);
        let other = plan.store.find(name);
        let after = other.map(|slot| plan.store.read(world, slot, &plan.runs));
        if after != Some(before) {
            found.push(Difference {
                what: Observable::Variable(name),
                terms: [Some(before), after],
                sites: [None, None],
            });
        }
    }
}

/// What was seen of a micro-batch of the plan.
struct Seen<'a> {
    batch: u32,
    trace: &'a [TraceEntry],
    fetches: &'a [Fetch],
}

impl Seen<'_> {
    fn outputs(
        &self,
        original: &Original,
        is_observed: &HashSet<Name, FxBuildHasher>,
        found: &mut Vec<Difference>,
    ) {
        let is_first = self.batch == 0;
        let at_end = original.at_end.fetches.iter().filter(|_| is_first);
        let before = original.of(self.batch).fetches.iter().chain(at_end);
        let before: IndexMap<Name, &Fetch, FxBuildHasher> =
            before.map(|fetch| (fetch.name, fetch)).collect();
        let after: HashMap<Name, &Fetch, FxBuildHasher> =
            self.fetches.iter().map(|fetch| (fetch.name, fetch)).collect();
        for (name, before) in before.into_iter().filter(|(name, _)| is_observed.contains(name)) {
            let after = after.get(&name).copied();
            if after.map(|after| after.term) != Some(before.term) {
                found.push(Difference {
                    what: Observable::Output { name, batch: self.batch },
                    terms: [Some(before.term), after.map(|after| after.term)],
                    sites: [Some(before.site), after.map(|after| after.site)],
                });
            }
        }
    }

    fn effects(&self, original: &Original, found: &mut Vec<Difference>) {
        let at_end = original.at_end.trace.iter().filter(|_| self.batch == 0);
        let before = by_channel(original.of(self.batch).trace.iter().chain(at_end));
        let after = by_channel(self.trace.iter());
        let others = after.keys().filter(|channel| !before.contains_key(*channel));
        for &channel in before.keys().chain(others) {
            let sides = [&before, &after]
                .map(|side| side.get(&channel).map_or(&[][..], |entries| &entries[..]));
            found.extend(self.channel(channel, sides));
        }
    }

    /// The first difference in a channel.
    fn channel(&self, channel: u32, sides: [&[&TraceEntry]; 2]) -> Option<Difference> {
        let [before, after] = sides;
        let pairs = before.iter().zip(after);
        let position = pairs.take_while(|(before, after)| before.term == after.term).count();
        if before.len() == after.len() && position == before.len() {
            return None;
        }
        let what = if before.len() == after.len() {
            Observable::Effect { channel, batch: self.batch, position }
        } else {
            let counts = [before.len(), after.len()];
            Observable::Effects { channel, batch: self.batch, counts }
        };
        let at = sides.map(|side| side.get(position).copied());
        Some(Difference {
            what,
            terms: at.map(|entry| entry.map(|entry| entry.term)),
            sites: at.map(|entry| entry.map(|entry| entry.site)),
        })
    }
}

fn by_channel<'a>(
    entries: impl Iterator<Item = &'a TraceEntry>,
) -> IndexMap<u32, Vec<&'a TraceEntry>, FxBuildHasher> {
    let mut channels: IndexMap<u32, Vec<&TraceEntry>, FxBuildHasher> = IndexMap::default();
    entries.for_each(|entry| channels.entry(entry.channel).or_default().push(entry));
    channels
}

/// The variables to which the plan adds the same in another order. To be asked where there is no
/// difference.
pub(crate) fn other_orders(world: &World, original: &Original, plan: &PlanRun) -> Vec<Name> {
    let is_other = |&(name, slot): &(Name, Slot)| {
        let before = original_order(world, original, slot);
        let slot = plan.store.find(name);
        slot.is_some_and(|slot| plan_order(plan, world, slot) != before)
    };
    original.store.names().filter(is_other).map(|(name, _)| name).collect()
}

/// Each addend with its micro-batch, in order. Runs of one after another are in order by
/// themselves; one that stands for several goes micro-batch by micro-batch.
fn original_order(world: &World, original: &Original, slot: Slot) -> Vec<(u32, Term)> {
    let mut order: Vec<(u32, Term)> = Vec::new();
    for same_run in original.store.added(slot).chunk_by(|a, b| a.1 == b.1) {
        let Run(run) = same_run[0].1;
        let members = &world.sets[original.runs[run as usize] as usize];
        for &member in members {
            order.extend(same_run.iter().map(|&(term, _)| (member, term)));
        }
    }
    order
}

/// The same of a plan: each addend is added when its job runs.
fn plan_order(plan: &PlanRun, world: &World, slot: Slot) -> Vec<(u32, Term)> {
    let mut order: Vec<(u32, u32, Term)> = Vec::new();
    for &(term, Run(run)) in plan.store.added(slot) {
        let step = plan.step_of_run[run as usize] as usize;
        for &member in &world.sets[plan.runs[run as usize] as usize] {
            order.push((plan.steps.jobs[member as usize][step], member, term));
        }
    }
    order.sort_by_key(|&(job, _, _)| job);
    order.into_iter().map(|(_, member, term)| (member, term)).collect()
}
