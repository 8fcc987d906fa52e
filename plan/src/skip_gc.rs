//! `skip_gc_vars`: the values that a job must leave for later jobs of its micro-batch.
//!
//! After a job, the executor frees every value that an op of the job read or wrote, unless the
//! value is persistable or its name is in the job's `skip_gc_vars`. Each micro-batch has names of
//! its own; the optimizer has those of micro-batch 0. A rule says of each program which names its
//! jobs can keep and which names its jobs await; then, for the jobs from the last to the first:
//!
//! ```text
//! skip_gc_vars(job) = can_keep(program) ∩ awaited(micro-batch)
//! awaited(micro-batch) ∪= awaits(program)
//! ```
//!
//! **[`Exact`](SkipGcRule::Exact)**: a program can keep the names of the values, not persistable,
//! that it names itself or takes by name and reads. It awaits the names of the values, not
//! persistable, that it takes by name and of which an op, be it in a region, needs the memory. An op
//! without facts needs all that it reads.
//!
//! *Safe*: suppose a job finds a value freed that it needs. An earlier job of the micro-batch freed
//! it, so read or wrote it and knew it by name, so could keep it; the name was awaited, so it was
//! kept. *Least*: take a name out of a set, and the job frees a value that a later one needs; no
//! job between brings it back, as a value is made once in a micro-batch.
//!
//! **[`Paddle`](SkipGcRule::Paddle)**: a program can keep and awaits the same names: the keywords
//! of all kwargs, used or not, and the names of all that ops of the top block read or write.
//! Left out are the names of persistable values among the latter, and those that a
//! `builtin.shadow_output` gives of which *no* op of any program that takes the name needs the
//! memory. (Paddle lets the last such op that it meets decide, in the order of a hash table.) To
//! that the exact set is added: it holds a further name only where the rule would free a value that
//! a later job needs.
//!
//! The cost is O(ops + operands) for the programs and a table look-up a job. Names are bits, and as
//! micro-batches go through the same job types, there are few distinct sets of awaited names.

use fixedbitset::FixedBitSet;
use indexmap::{IndexMap, IndexSet};
use pirogue::ir::{Context, Name};
use pirogue_schedule::JobType;
use rustc_hash::FxBuildHasher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::PlanParts;
use crate::name_table::NameTable;
use crate::named_values::{NamedValue, Naming, named_values};

/// Which values a job leaves for later jobs.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SkipGcRule {
    /// Those that Paddle's rule names, and those that a later job needs.
    #[default]
    Paddle,
    /// Those alone that a later job needs.
    Exact,
}

/// The `skip_gc_vars` of all jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SkipGc {
    /// Each sorted by the bytes of the names.
    pub(crate) sets: Vec<Box<[Name]>>,
    pub(crate) set_of_job: Vec<u32>,
}

impl SkipGc {
    /// The sets for parts that have no faults.
    pub(crate) fn of(parts: &PlanParts, rule: SkipGcRule) -> Self {
        let Some((_, first)) = parts.programs.first() else {
            return Self { sets: Vec::new(), set_of_job: Vec::new() };
        };
        let values: Vec<Vec<NamedValue>> =
            parts.programs.iter().map(|(_, program)| named_values(program)).collect();
        let names = Names::new(first.context(), &values, rule);
        let programs: Vec<NameSets> = values.iter().map(|values| names.sets(values)).collect();
        let mut sweep = Sweep::new(&programs, parts.options.num_micro_batches);
        let types: IndexMap<JobType, u32, FxBuildHasher> =
            parts.programs.iter().map(|program| program.0).zip(0..).collect();
        let steps = parts.jobs.iter().rev().map(|job| (types[&job.job_type], job.micro_batch.0));
        let found: Vec<u32> = steps.map(|(program, batch)| sweep.step(program, batch)).collect();
        in_order_of_jobs(&sweep.skips, &found, &names.table)
    }
}

/// The names of one program, for both rules.
struct NameSets {
    /// What it can keep and awaits by Paddle's rule; empty where the exact one is asked for.
    required: FixedBitSet,
    /// What it can keep by the exact rule.
    touched: FixedBitSet,
    /// What it awaits by the exact rule.
    needed: FixedBitSet,
}

/// What is known of the names of all programs.
struct Names {
    table: NameTable,
    rule: SkipGcRule,
    /// The names that are read somewhere and whose memory no op of any program needs.
    read_without_buffer: FixedBitSet,
}

impl Names {
    fn new(context: &Context, programs: &[Vec<NamedValue>], rule: SkipGcRule) -> Self {
        let values = programs.iter().flatten();
        let table = NameTable::new(context, values.clone().map(|value| value.name));
        let with_length = || FixedBitSet::with_capacity(table.len());
        let (mut without_buffer, mut of_buffer) = (with_length(), with_length());
        for value in values.filter(|value| matches!(value.naming, Naming::Kwarg | Naming::Data)) {
            let number = table.number(value.name);
            if value.reads.without_buffer {
                without_buffer.insert(number);
            }
            if value.reads.of_buffer {
                of_buffer.insert(number);
            }
        }
        without_buffer.difference_with(&of_buffer);
        Self { table, rule, read_without_buffer: without_buffer }
    }

    fn set(&self, names: impl Iterator<Item = Name>) -> FixedBitSet {
        let mut set = FixedBitSet::with_capacity(self.table.len());
        names.for_each(|name| set.insert(self.table.number(name)));
        set
    }

    fn of_values(
        &self,
        values: &[NamedValue],
        is_meant: impl Fn(&NamedValue) -> bool,
    ) -> FixedBitSet {
        self.set(values.iter().filter(|value| is_meant(value)).map(|value| value.name))
    }

    fn sets(&self, values: &[NamedValue]) -> NameSets {
        NameSets {
            required: match self.rule {
                SkipGcRule::Paddle => self.required(values),
                SkipGcRule::Exact => self.set(std::iter::empty()),
            },
            touched: self.of_values(values, |value| {
                !value.is_persistable && (value.naming != Naming::Kwarg || value.reads.any())
            }),
            needed: self.of_values(values, |value| {
                !value.is_persistable && value.naming.is_source() && value.reads.of_buffer
            }),
        }
    }

    /// What Paddle's rule takes a program to require.
    fn required(&self, values: &[NamedValue]) -> FixedBitSet {
        let mut required = self.of_values(values, |value| value.is_primary);
        // An unused kwarg is not visited, so it stays even if it is persistable.
        required.difference_with(&self.of_values(values, |value| {
            let is_visited = value.naming != Naming::Kwarg || value.reads.at_top;
            value.is_primary && value.is_persistable && is_visited
        }));
        let mut not_kept = self.of_values(values, |value| value.naming == Naming::ShadowOutput);
        not_kept.intersect_with(&self.read_without_buffer);
        required.difference_with(&not_kept);
        required
    }
}

/// What later jobs of a micro-batch await, by either rule.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Awaited {
    required: FixedBitSet,
    needed: FixedBitSet,
}

type Set<T> = IndexSet<T, FxBuildHasher>;

/// Goes over the jobs from the last to the first. States and sets are uniqued, and a step that was
/// taken before is looked up.
struct Sweep<'s> {
    programs: &'s [NameSets],
    states: Set<Awaited>,
    state_of_micro_batch: Vec<u32>,
    skips: Set<FixedBitSet>,
    /// (state, program) to (next state, skipped names).
    steps: IndexMap<(u32, u32), (u32, u32), FxBuildHasher>,
}

impl<'s> Sweep<'s> {
    fn new(programs: &'s [NameSets], micro_batches: u32) -> Self {
        let length = programs.first().map_or(0, |sets| sets.touched.len());
        let nothing = FixedBitSet::with_capacity(length);
        let start = Awaited { required: nothing.clone(), needed: nothing };
        Self {
            programs,
            states: Set::from_iter([start]),
            state_of_micro_batch: vec![0; micro_batches as usize],
            skips: Set::default(),
            steps: IndexMap::default(),
        }
    }

    /// The place in `skips` of what the next job skips.
    fn step(&mut self, program: u32, micro_batch: u32) -> u32 {
        let state = self.state_of_micro_batch[micro_batch as usize];
        let step = self.steps.get(&(state, program)).copied();
        let (next, skip) = step.unwrap_or_else(|| self.new_step(state, program));
        self.state_of_micro_batch[micro_batch as usize] = next;
        skip
    }

    fn new_step(&mut self, state: u32, program: u32) -> (u32, u32) {
        let sets = &self.programs[program as usize];
        let mut awaited = self.states[state as usize].clone();
        let mut skip = &sets.required & &awaited.required;
        skip.union_with(&(&sets.touched & &awaited.needed));
        awaited.required.union_with(&sets.required);
        awaited.needed.union_with(&sets.needed);
        let next = self.states.insert_full(awaited).0 as u32;
        let skip = self.skips.insert_full(skip).0 as u32;
        self.steps.insert((state, program), (next, skip));
        (next, skip)
    }
}

/// `found` has the place in `skips` of each job, the last job first. Sets are numbered anew, in the
/// order in which jobs first have them.
fn in_order_of_jobs(skips: &Set<FixedBitSet>, found: &[u32], table: &NameTable) -> SkipGc {
    let order: Set<u32> = found.iter().rev().copied().collect();
    let names = |&skip: &u32| skips[skip as usize].ones().map(|bit| table.name(bit)).collect();
    let set_of_job = found
        .iter()
        .rev()
        .map(|skip| order.get_index_of(skip).expect("the order holds all that was found") as u32);
    SkipGc { sets: order.iter().map(names).collect(), set_of_job: set_of_job.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reproducible bits (a linear congruential generator; its high bits are taken).
    struct Bits(u64);

    impl Bits {
        fn below(&mut self, bound: u32) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((self.0 >> 33) % u64::from(bound)) as u32
        }

        fn set(&mut self, length: usize) -> FixedBitSet {
            let mut set = FixedBitSet::with_capacity(length);
            (0..length).filter(|_| self.below(3) == 0).for_each(|bit| set.insert(bit));
            set
        }
    }

    /// The definition, read literally: quadratic in the number of jobs.
    fn skip_by_definition(programs: &[NameSets], jobs: &[(u32, u32)], index: usize) -> FixedBitSet {
        let (program, micro_batch) = jobs[index];
        let own = &programs[program as usize];
        let mut skip = FixedBitSet::with_capacity(own.touched.len());
        for &(later, other) in &jobs[index + 1..] {
            if other == micro_batch {
                let later = &programs[later as usize];
                skip.union_with(&(&own.required & &later.required));
                skip.union_with(&(&own.touched & &later.needed));
            }
        }
        skip
    }

    // In no order at all, with jobs that come twice, so that states differ between micro-batches.
    #[test]
    fn the_sweep_finds_what_the_definition_says_of_any_job_list() {
        let (names, types, micro_batches) = (70, 5, 4);
        for seed in 0..50 {
            let mut bits = Bits(seed);
            let mut set = || bits.set(names);
            let programs: Vec<NameSets> = (0..types)
                .map(|_| NameSets { required: set(), touched: set(), needed: set() })
                .collect();
            let jobs: Vec<(u32, u32)> =
                (0..40).map(|_| (bits.below(types), bits.below(micro_batches))).collect();
            let mut sweep = Sweep::new(&programs, micro_batches);
            for (index, &(program, micro_batch)) in jobs.iter().enumerate().rev() {
                let skip = sweep.step(program, micro_batch) as usize;
                let expected = skip_by_definition(&programs, &jobs, index);
                assert_eq!(sweep.skips[skip], expected, "seed {seed}, job {index}");
            }
        }
    }

    // 17 programs and 8,000 jobs are what a long step on a stage of four chunks has.
    #[test]
    fn micro_batches_that_go_the_same_way_share_their_steps() {
        let mut bits = Bits(1);
        let mut set = || bits.set(300);
        let programs: Vec<NameSets> =
            (0..17).map(|_| NameSets { required: set(), touched: set(), needed: set() }).collect();
        let mut sweep = Sweep::new(&programs, 500);
        for micro_batch in 0..500 {
            (0..16).for_each(|program| _ = sweep.step(program, micro_batch));
        }
        assert_eq!(sweep.steps.len(), 16);
    }
}
