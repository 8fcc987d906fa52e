//! Copying the ops of each job type into a program of their own.
//!
//! `%5 = op(...)` that crosses ==> `%5 = op(...)`, `shadow_output(%5) {output_name:"var_.."}` in its
//! own program, the last result of an op first; `%kwarg_var_..` in each later one that uses it.

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{AttrValue, Dict, Extract, Op, OpSpec, Program, Rewriter, ValueMap, names};
use pirogue::parallel;
use pirogue_schedule::JobType;

use super::events::Events;
use super::naming::{NamedWires, check_same_variable};
use super::placement::{JobIndex, Placement};
use super::{Source, SplitOptions};

/// Builds the programs of all job types, in order.
///
/// # Errors
/// The first two values of each program that would have one name (`E0206`); or a fault of the split
/// itself (`E0299`), an op that reads what its program does not have.
pub(super) fn build(
    source: &Source<'_>,
    options: &SplitOptions,
    placement: &Placement,
    wires: &NamedWires,
    events: &Events,
) -> Result<Vec<(JobType, Program)>, Vec<Diagnostic>> {
    let ops =
        Buckets::of(options.job_types.len(), source.ops.len(), |position| placement.jobs(position));
    let incoming = Buckets::of(options.job_types.len(), wires.rows.len(), |index| {
        wires.goals.of(&wires.rows[index].wire)
    });
    let saved = saved_from(options, placement, wires);
    let build_one = |map: &mut ValueMap, (index, &job_type): (usize, &JobType)| {
        let job = index as JobIndex;
        let mut builder = JobBuilder {
            source,
            events,
            wires,
            job,
            copy: Extract::new(source.program, map),
            saved: saved.get(index),
        };
        let (ops, incoming) = (ops.get(index), incoming.get(index));
        builder.copy.copy_arguments();
        let copied = ops.iter().map(|&position| source.ops[position as usize]);
        builder.copy.reserve(copied, builder.saved.len(), incoming.len());
        builder.arguments(options, incoming)?;
        builder.ops(ops)?;
        Ok((job_type, builder.copy.finish()))
    };
    let job_types = options.job_types.iter().enumerate().collect();
    let programs =
        parallel::map_with(source.threads, job_types, || ValueMap::new(source.program), build_one);
    programs.into_iter().collect()
}

/// Indices sorted into buckets, in order within each; one array for all.
struct Buckets {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Buckets {
    fn of<'a>(buckets: usize, items: usize, buckets_of: impl Fn(usize) -> &'a [JobIndex]) -> Self {
        let mut starts = vec![0; buckets + 1];
        for item in 0..items {
            buckets_of(item).iter().for_each(|&bucket| starts[usize::from(bucket) + 1] += 1);
        }
        (0..buckets).for_each(|bucket| starts[bucket + 1] += starts[bucket]);
        let mut next = starts.clone();
        let mut sorted = vec![0; starts[buckets]];
        for item in 0..items {
            for &bucket in buckets_of(item) {
                let slot = &mut next[usize::from(bucket)];
                sorted[*slot] = item as u32;
                *slot += 1;
            }
        }
        Self { starts, items: sorted }
    }

    fn get(&self, bucket: usize) -> &[u32] {
        &self.items[self.starts[bucket]..self.starts[bucket + 1]]
    }
}

/// The wires that each job saves under a new name, in program order.
fn saved_from(options: &SplitOptions, placement: &Placement, wires: &NamedWires) -> Buckets {
    let from = |index: usize| {
        let named = &wires.rows[index];
        if named.is_saved { &placement.jobs(named.wire.producer())[..1] } else { &[] }
    };
    Buckets::of(options.job_types.len(), wires.rows.len(), from)
}

struct JobBuilder<'a> {
    source: &'a Source<'a>,
    events: &'a Events,
    wires: &'a NamedWires,
    job: JobIndex,
    copy: Extract<'a>,
    /// The wires that this job saves and has not passed yet, in program order.
    saved: &'a [u32],
}

impl JobBuilder<'_> {
    /// A kwarg for each value that comes in.
    fn arguments(
        &mut self,
        options: &SplitOptions,
        incoming: &[u32],
    ) -> Result<(), Vec<Diagnostic>> {
        let program = self.source.program;
        let context = program.context();
        let place = context.attr(AttrValue::Place(options.place.clone()));
        let attrs = [false, true].map(|persistable| {
            let persistable = context.attr(AttrValue::Bool(persistable));
            context.dict_in_order([(names::PERSISTABLE, persistable), (names::PLACE, place)])
        });
        for &index in incoming {
            let named = &self.wires.rows[index as usize];
            let keyword = self.wires.name_in(named, self.job);
            let attrs = attrs[usize::from(named.is_persistable)];
            let kwarg = match self.copy.add_kwarg(keyword, program.ty(named.wire.value), attrs) {
                Ok(kwarg) => kwarg,
                Err(_) => {
                    check_same_variable(self.source, self.wires, named, self.job)
                        .map_err(|fault| vec![fault])?;
                    let top = self.copy.target().top();
                    self.copy.target().kwarg(top, keyword).expect("it is there").value
                }
            };
            self.copy.bind(named.wire.value, kwarg);
        }
        Ok(())
    }

    fn ops(&mut self, positions: &[u32]) -> Result<(), Vec<Diagnostic>> {
        for &position in positions {
            let position = position as usize;
            let copied = self.copy.copy_op(self.source.ops[position]);
            let op = copied.map_err(|error| {
                vec![
                    Diagnostic::error("E0299", error.to_string())
                        .help("this is a fault of Pirogue; please report it"),
                ]
            })?;
            if !self.events.is_empty() {
                self.set_events(op, position);
            }
            self.save_results(position);
        }
        Ok(())
    }

    /// The results of the op at `position` that cross, the last one first.
    fn save_results(&mut self, position: usize) {
        let is_here = |&index: &u32| self.wires.rows[index as usize].wire.producer() == position;
        let count = self.saved.iter().take_while(|index| is_here(index)).count();
        let (here, rest) = self.saved.split_at(count);
        self.saved = rest;
        for &index in here.iter().rev() {
            let named = &self.wires.rows[index as usize];
            let value = self.copy.copy_of(named.wire.value);
            let context = self.source.program.context();
            let name = context.string_attr(named.name);
            let dict: Dict = context.dict([(names::OUTPUT_NAME, name)]);
            let origin = self.source.program.origin(self.source.ops[position]);
            let spec = OpSpec::new(names::SHADOW_OUTPUT).dict(dict).origin(origin);
            self.copy.append(spec.operands(&[value]));
        }
    }

    fn set_events(&mut self, op: Op, position: usize) {
        let awaited = self.events.awaited(position, self.job);
        let recorded = self.events.recorded(position);
        if awaited.is_empty() && recorded.is_none() {
            return;
        }
        let mut rewriter = self.copy.rewriter();
        if let Some(event) = recorded {
            record(&mut rewriter, op, event);
        }
        if !awaited.is_empty() {
            wait(&mut rewriter, op, awaited);
        }
    }
}

fn record(rewriter: &mut Rewriter<'_>, op: Op, event: &str) {
    let context = rewriter.context();
    rewriter.set_attr(op, names::EVENT_TO_RECORD, context.attr(AttrValue::string(event)));
    if rewriter.program().attr(op, names::FORCE_RECORD_EVENT).is_none() {
        let force = context.attr(AttrValue::Bool(true));
        rewriter.set_attr(op, names::FORCE_RECORD_EVENT, force);
    }
}

fn wait(rewriter: &mut Rewriter<'_>, op: Op, events: &[String]) {
    let context = rewriter.context();
    let mut all = match rewriter.program().attr_value(op, names::EVENTS_TO_WAIT) {
        Some(AttrValue::Array(present)) => present.to_vec(),
        _ => Vec::new(),
    };
    for event in events {
        let event = context.attr(AttrValue::string(event));
        if !all.contains(&event) {
            all.push(event);
        }
    }
    let all = context.attr(AttrValue::Array(all.into()));
    rewriter.set_attr(op, names::EVENTS_TO_WAIT, all);
}
