//! Which ops record an event, and which wait for it.
//!
//! Ops on one stream run in order, and within a job the executor orders what streams share. Across
//! jobs an op must wait for an event of the op that made what it reads, if that op is on another
//! stream.
//!
//! - From `recv_forward{c}` to `forward{c}` and from `backward{c}` to `send_backward{c}` the first
//!   user on each stream of each later program waits, as Paddle has it (Paddle: the first user).
//! - Anywhere else a user waits whose stream has not met the value yet: not in the value's own job,
//!   and behind no earlier wait.
//!
//! Data and parameters are there before any job runs. An op records one event, named after its
//! first result that somebody waits for; waits are added to those that an op already has.

use fixedbitset::FixedBitSet;
use hashbrown::{HashMap, HashSet};
use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::{Attr, Value, names};
use pirogue_schedule::JobKind;
use rustc_hash::FxBuildHasher;
use smallvec::{SmallVec, smallvec};

use super::naming::{NamedWire, NamedWires};
use super::placement::{JobIndex, Placement};
use super::{Source, SplitOptions};

/// The events of all programs, by position of the op.
#[derive(Default)]
pub(super) struct Events {
    records: HashMap<usize, String, FxBuildHasher>,
    waits: HashMap<(usize, JobIndex), Vec<String>, FxBuildHasher>,
}

impl Events {
    /// The event that an op records.
    pub(super) fn recorded(&self, position: usize) -> Option<&str> {
        self.records.get(&position).map(String::as_str)
    }

    /// The events that an op waits for in a job.
    pub(super) fn awaited(&self, position: usize, job: JobIndex) -> &[String] {
        self.waits.get(&(position, job)).map_or(&[], Vec::as_slice)
    }

    /// Whether nobody records anything.
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

/// The stream of each op that has one; all others run on the calculation stream.
struct Streams {
    of: HashMap<usize, Attr, FxBuildHasher>,
}

impl Streams {
    fn of(source: &Source<'_>) -> Self {
        let program = source.program;
        let context = program.context();
        // Dictionaries repeat, so each is looked into once.
        let mut none = FixedBitSet::new();
        let mut of = HashMap::default();
        for (position, &op) in source.ops.iter().enumerate() {
            let dict = program.dict(op);
            if none.contains(dict.index()) {
                continue;
            }
            match context.dict_get(dict, names::EXECUTION_STREAM) {
                Some(attr) => _ = of.insert(position, context.plain_attr(attr)),
                None => none.grow_and_insert(dict.index()),
            }
        }
        Self { of }
    }

    fn get(&self, position: usize) -> Option<Attr> {
        self.of.get(&position).copied()
    }
}

/// Finds all events.
pub(super) fn find(
    source: &Source<'_>,
    options: &SplitOptions,
    placement: &Placement,
    wires: &NamedWires,
    remarks: &mut Vec<Diagnostic>,
) -> Events {
    let streams = Streams::of(source);
    let mut events = Events::default();
    if streams.of.is_empty() {
        return events;
    }
    let crossing = crossing_streams(source, &streams, wires);
    let users = users_of(source, &crossing);
    let mut beyond_paddle = None;
    for named in crossing {
        let producer = named.wire.producer();
        let users = users.get(&named.wire.value).map_or(&[][..], SmallVec::as_slice);
        let waiters = waiters(source, options, placement, &streams, wires, named, users);
        if waiters.is_empty() {
            continue;
        }
        let event =
            events.records.entry(producer).or_insert_with(|| event_name(source, named)).clone();
        let paddle_waits = waiters.first().is_some_and(|first| first.by_paddle);
        if !paddle_waits || waiters.len() > 1 {
            beyond_paddle.get_or_insert((waiters[waiters.len() - 1].position, event.clone()));
        }
        for waiter in waiters {
            let awaited = events.waits.entry((waiter.position, waiter.job)).or_default();
            if !awaited.contains(&event) {
                awaited.push(event.clone());
            }
            if awaited.len() > 1 {
                beyond_paddle.get_or_insert((waiter.position, event.clone()));
            }
        }
    }
    if let Some((position, event)) = beyond_paddle {
        remarks.push(
            Diagnostic::note("N0209", format!("an op waits for the event `{event}` that Paddle would not wait for"))
                .at(Place::op(source.program, source.ops[position]))
                .remark("Paddle lets only the first user wait, and for one event: the others race with the other stream"),
        );
    }
    events
}

/// The event an op already records, else one named after the value.
fn event_name(source: &Source<'_>, named: &NamedWire) -> String {
    let op = source.ops[named.wire.producer()];
    let own = source.program.attr_str(op, names::EVENT_TO_RECORD);
    own.unwrap_or_else(|| source.program.context().name_text(named.name)).to_owned()
}

/// The wires that an op on a stream makes or reads.
fn crossing_streams<'w>(
    source: &Source<'_>,
    streams: &Streams,
    wires: &'w NamedWires,
) -> Vec<&'w NamedWire> {
    let mut read = HashSet::<Value, FxBuildHasher>::default();
    for &position in streams.of.keys() {
        for nested in source.program.nest(source.ops[position]) {
            read.extend(source.program.operands(nested).iter().flatten());
        }
    }
    let crosses = |named: &&NamedWire| {
        streams.get(named.wire.producer()).is_some() || read.contains(&named.wire.value)
    };
    wires.rows.iter().filter(crosses).collect()
}

/// Where the values of some wires are used, in order. One sweep, since an index of all uses would
/// cost more than the rest of the split for the few that are asked for.
fn users_of(
    source: &Source<'_>,
    wires: &[&NamedWire],
) -> HashMap<Value, SmallVec<[usize; 4]>, FxBuildHasher> {
    let mut asked = FixedBitSet::with_capacity(source.program.value_capacity());
    wires.iter().for_each(|named| asked.insert(named.wire.value.index()));
    let mut users = HashMap::<Value, SmallVec<[usize; 4]>, FxBuildHasher>::default();
    for (position, &op) in source.ops.iter().enumerate() {
        for nested in source.program.nest(op) {
            for &value in source.program.operands(nested).iter().flatten() {
                if asked.contains(value.index()) {
                    let users = users.entry(value).or_default();
                    if users.last() != Some(&position) {
                        users.push(position);
                    }
                }
            }
        }
    }
    users
}

struct Waiter {
    position: usize,
    job: JobIndex,
    by_paddle: bool,
}

/// The ops that must wait for what makes a value.
fn waiters(
    source: &Source<'_>,
    options: &SplitOptions,
    placement: &Placement,
    streams: &Streams,
    wires: &NamedWires,
    named: &NamedWire,
    users: &[usize],
) -> Vec<Waiter> {
    let wire = &named.wire;
    let maker = source.ops[wire.producer()];
    if matches!(source.program.name(maker), names::DATA | names::PARAMETER) {
        return Vec::new();
    }
    let in_job = |job: JobIndex| {
        users.iter().copied().filter(move |&user| placement.jobs(user).contains(&job))
    };
    let own_stream = streams.get(wire.producer());
    let mut met: SmallVec<[Option<Attr>; 4]> = smallvec![own_stream];
    met.extend(in_job(wire.from).map(|user| streams.get(user)));
    let mut waiters = Vec::new();
    for &job in wires.goals.of(wire) {
        let is_pair = is_paddle_pair(options, wire.from, job);
        let mut waited: SmallVec<[Option<Attr>; 4]> = smallvec![];
        for position in in_job(job) {
            let stream = streams.get(position);
            let needs = if is_pair { stream != own_stream } else { !met.contains(&stream) };
            if needs && !waited.contains(&stream) {
                let by_paddle = is_pair && waited.is_empty();
                waiters.push(Waiter { position, job, by_paddle });
                waited.push(stream);
            }
        }
        met.extend(waited);
    }
    waiters
}

fn is_paddle_pair(options: &SplitOptions, from: JobIndex, to: JobIndex) -> bool {
    let kind = |job: JobIndex| options.job_types[usize::from(job)].kind();
    matches!(
        (kind(from), kind(to)),
        (JobKind::RecvForward, JobKind::Forward) | (JobKind::Backward, JobKind::SendBackward)
    )
}
