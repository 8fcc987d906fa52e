//! Runs the original: for each micro-batch the ops of forward and backward, then those of the
//! optimizer once, among the values of micro-batch 0.

use pirogue::ir::{Name, Op, Program};

use crate::MicroBatches;
use crate::findings::{Findings, Side};
use crate::machine::{Fetch, Frame, Machine, Rules, Thread, TraceEntry};
use crate::store::{Run, Store};
use crate::terms::Tag;
use crate::world::World;

/// The role of the ops that run once a step.
const OPTIMIZER: i32 = 2;
/// A bit that marks the loss, whatever the role.
const LOSS: i32 = 256;

/// Which ops run for each micro-batch.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Phases {
    /// All but those of the optimizer; these come once, after all others.
    ByRole,
    /// All.
    One,
}

/// What was seen of a run.
#[derive(Default)]
pub(crate) struct Observed {
    pub(crate) trace: Vec<TraceEntry>,
    pub(crate) fetches: Vec<Fetch>,
}

impl Observed {
    /// What a thread has seen since the last time.
    pub(crate) fn take(thread: &mut Thread) -> Self {
        let (trace, fetches) = (&mut thread.trace, &mut thread.fetches);
        Self { trace: std::mem::take(trace), fetches: std::mem::take(fetches) }
    }
}

/// What the original did.
pub(crate) struct Original {
    /// The variables after the step.
    pub(crate) store: Store,
    /// Of each micro-batch; of all together if they were run as one.
    pub(crate) of_batch: Vec<Observed>,
    /// Of the optimizer.
    pub(crate) at_end: Observed,
    /// By run: its micro-batches.
    pub(crate) runs: Vec<u32>,
}

impl Original {
    /// What was seen of a micro-batch before the optimizer.
    pub(crate) fn of(&self, micro_batch: u32) -> &Observed {
        self.of_batch.get(micro_batch as usize).unwrap_or(&self.of_batch[0])
    }
}

/// How a program is run that stands for itself.
#[derive(Copy, Clone, Debug)]
pub(crate) struct How {
    pub(crate) side: Side,
    pub(crate) phases: Phases,
    pub(crate) batches: MicroBatches,
    pub(crate) micro_batches: u32,
}

/// Runs the program for each micro-batch, on variables that are as before the step.
pub(crate) fn run(
    world: &mut World,
    findings: &mut Findings,
    program: &Program,
    store: Store,
    how: How,
) -> Original {
    let How { side, phases, batches, micro_batches } = how;
    let (of_step, at_end) = ops(program, phases);
    let mut original =
        Original { store, of_batch: Vec::new(), at_end: Observed::default(), runs: Vec::new() };
    let mut runner = Runner { world, findings, program, side, original: &mut original };
    // The optimizer needs what micro-batch 0 leaves, so that has a frame of its own.
    let (mut first_frame, mut frame) = (Frame::default(), Frame::default());
    let all: Vec<u32> = (0..micro_batches).collect();
    let mut first = match batches {
        MicroBatches::AsOne => {
            runner.original.store.is_shared = micro_batches > 1;
            runner.batch(Tag::ANY, &all, &of_step, &mut first_frame)
        }
        MicroBatches::Apart => {
            let first = runner.batch(Tag::of(0), &all[..1], &of_step, &mut first_frame);
            for micro_batch in &all[1..] {
                let members = std::slice::from_ref(micro_batch);
                runner.batch(Tag::of(*micro_batch), members, &of_step, &mut frame);
            }
            first
        }
    };
    runner.original.store.is_shared = false;
    runner.phase(&mut first, &all[..1], &at_end, &mut first_frame);
    original.at_end = Observed::take(&mut first);
    original
}

/// The ops of each micro-batch, and those that come once.
fn ops(program: &Program, phases: Phases) -> (Vec<Op>, Vec<Op>) {
    let is_of_step = |op: &Op| {
        let role = program.role(*op).unwrap_or(0);
        phases == Phases::One || role < 0 || role & !LOSS != OPTIMIZER
    };
    program.top_ops().partition(is_of_step)
}

struct Runner<'a> {
    world: &'a mut World,
    findings: &'a mut Findings,
    program: &'a Program,
    side: Side,
    original: &'a mut Original,
}

impl Runner<'_> {
    /// Runs the ops of a micro-batch, or of several that do the same.
    fn batch(&mut self, tag: Tag, members: &[u32], ops: &[Op], frame: &mut Frame) -> Thread {
        let mut thread = Thread::new(tag);
        frame.reset(self.program.value_capacity());
        self.machine(&mut thread, members, frame).bind_kwargs();
        self.phase(&mut thread, members, ops, frame);
        self.original.of_batch.push(Observed::take(&mut thread));
        thread
    }

    fn phase(&mut self, thread: &mut Thread, members: &[u32], ops: &[Op], frame: &mut Frame) {
        let mut machine = self.machine(thread, members, frame);
        ops.iter().for_each(|&op| machine.step(op));
        machine.note_fetches(|_: Name| true);
    }

    fn machine<'b>(
        &'b mut self,
        thread: &'b mut Thread,
        members: &[u32],
        frame: &'b mut Frame,
    ) -> Machine<'b> {
        let set = self.world.set(members);
        let Original { store, runs, .. } = &mut *self.original;
        runs.push(set);
        Machine {
            world: self.world,
            store,
            thread,
            findings: self.findings,
            frame,
            program: self.program,
            side: self.side,
            rules: Rules::Whole,
            run: Run(runs.len() as u32 - 1),
            runs,
            job: None,
        }
    }
}
