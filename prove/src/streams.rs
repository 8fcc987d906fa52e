//! Races: what one stream writes another may read only after it.
//!
//! An op runs on the stream that its `execution_stream` names, else on that of computations. Each
//! stream has a clock, and knows of each other stream how far it must have come: a vector clock. An
//! event takes along what its recorder knows, and whoever waits for it knows that too; the executor
//! itself orders the ops of one program. Reading a value that another stream wrote, farther than
//! the reader knows, is a race. What is fed, and what variables hold before the step, races with
//! nothing; that a stream overwrites what another still reads is not looked for.
//!
//! Only values that a stream beside that of computations writes or reads can race, so only these
//! are followed, and a plan with one stream is done at once.

mod clocks;
mod summary;

use hashbrown::HashMap;
use pirogue::ir::{Name, Op};
use pirogue_plan::Plan;
use rustc_hash::FxBuildHasher;

use crate::world::FxIndexSet;
use clocks::Clocks;
use summary::{Act, StreamId, Summaries};

/// What is wrong with the order of streams.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StreamFault {
    /// A value is read on a stream that does not know that it has been written.
    Race { name: Name, writer: (u32, Op), reader: (u32, Op), streams: [Name; 2] },
    /// An event is waited for that nothing has recorded.
    NoEvent { event: Name, waiter: (u32, Op) },
}

/// The write of a value: on which stream, how far that was, and by which op.
#[derive(Copy, Clone, Debug)]
struct Written {
    stream: StreamId,
    position: u64,
    by: (u32, Op),
}

/// All races and waits for nothing of a plan, each pair of ops once. `programs`: by job.
pub(crate) fn faults(plan: &Plan) -> Vec<StreamFault> {
    let Some(summaries) = Summaries::of(plan) else { return Vec::new() };
    let types: HashMap<_, u32, FxBuildHasher> =
        plan.programs().map(|program| program.0).zip(0..).collect();
    let mut replay = Replay {
        clocks: Clocks::new(summaries.streams.len()),
        written: HashMap::default(),
        events: HashMap::default(),
        faults: FxIndexSet::default(),
        summaries: &summaries,
    };
    for job in plan.jobs() {
        replay.job(types[&job.job_type], job.micro_batch.0);
    }
    replay.faults.into_iter().collect()
}

/// The name of a value and the micro-batch that it is of; variables are of none.
type Key = (Name, Option<u32>);

struct Replay<'s> {
    clocks: Clocks,
    written: HashMap<Key, Written, FxBuildHasher>,
    events: HashMap<Name, Box<[u64]>, FxBuildHasher>,
    faults: FxIndexSet<StreamFault>,
    summaries: &'s Summaries,
}

impl Replay<'_> {
    fn job(&mut self, program: u32, batch: u32) {
        let summaries = self.summaries;
        for act in &summaries.of_program[program as usize] {
            match *act {
                Act::Wait { stream, event, op } => match self.events.get(&event) {
                    Some(known) => self.clocks.learn(stream, known),
                    None => {
                        let waiter = (program, op);
                        self.faults.insert(StreamFault::NoEvent { event, waiter });
                    }
                },
                Act::Join { stream, other } => self.clocks.join(stream, other),
                Act::Advance { stream, by } => self.clocks.advance(stream, by),
                Act::Record { stream, event } => {
                    self.events.insert(event, self.clocks.known(stream).into());
                }
                Act::Read { stream, name, is_variable, op } => {
                    self.read(stream, (name, (!is_variable).then_some(batch)), (program, op));
                }
                Act::Write { stream, name, is_variable, op } => {
                    let position = self.clocks.position(stream);
                    let by = (program, op);
                    let key = (name, (!is_variable).then_some(batch));
                    self.written.insert(key, Written { stream, position, by });
                }
            }
        }
    }

    fn read(&mut self, stream: StreamId, key: Key, reader: (u32, Op)) {
        let Some(written) = self.written.get(&key) else { return };
        if self.clocks.knows(stream, written.stream, written.position) {
            return;
        }
        let streams =
            [written.stream, stream].map(|stream| self.summaries.streams[stream.0 as usize]);
        self.faults.insert(StreamFault::Race { name: key.0, writer: written.by, reader, streams });
    }
}
