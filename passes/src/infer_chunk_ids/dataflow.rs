//! Chunks from data flow: an op lies between its producers and its users of the same role.
//!
//! In the forward role chunks grow along data flow, in the backward role they shrink; with a key
//! that is the chunk, or its negative, they grow in both.
//! 1. `low` of an op without a chunk is the greatest key of its producers, through others like it.
//! 2. An op with a `low` takes it: it runs as early as it can. `builtin.combine` does not: it is
//!    only a list, and lists cannot cross programs, so it goes with its users.
//! 3. All others take the least key of their users.
//! 4. Every op is then checked against its producers and users.

use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::{Op, Program, names};
use pirogue::text::Labels;

use crate::phase::{MOST_SHOWN, Phase, add_rest};
use crate::positions::Positions;

/// Producers and users of one role, for the ops that need a chunk.
struct Flow {
    /// By position: where in `producers` and `users` an op without a chunk has its lists.
    slot: Vec<Option<u32>>,
    producers: Vec<Vec<usize>>,
    users: Vec<Vec<usize>>,
}

/// The chunks of all ops.
///
/// # Errors
/// All ops that stay without a chunk or lie outside their producers and users, each with the
/// chunks of both (`E0203`).
pub(super) fn all_by_dataflow(
    program: &Program,
    ops: &[Op],
    phases: &[Phase],
    given: &[i32],
    needs: impl Fn(usize) -> bool,
) -> Result<Vec<i32>, Vec<Diagnostic>> {
    let flow = Flow::of(program, ops, phases, &needs);
    let mut chunks: Vec<Option<i32>> =
        given.iter().map(|&chunk| Some(chunk).filter(|&c| c >= 0)).collect();
    let unset: Vec<usize> = (0..ops.len()).filter(|&index| needs(index)).collect();
    take_from_producers(program, ops, phases, &flow, &unset, &mut chunks);
    take_from_users(phases, &flow, &unset, &mut chunks);
    let faulty: Vec<usize> =
        unset.iter().copied().filter(|&index| !fits(phases, &flow, &chunks, index)).collect();
    if !faulty.is_empty() {
        return Err(faults(program, ops, &flow, &chunks, &faulty));
    }
    Ok(chunks.into_iter().map(|chunk| chunk.unwrap_or(-1)).collect())
}

fn key(phase: Phase, chunk: i32) -> i32 {
    if phase == Phase::Backward { -chunk } else { chunk }
}

impl Flow {
    fn of(program: &Program, ops: &[Op], phases: &[Phase], needs: &impl Fn(usize) -> bool) -> Self {
        let positions = Positions::of(program, ops);
        let mut flow =
            Self { slot: vec![None; ops.len()], producers: Vec::new(), users: Vec::new() };
        for index in (0..ops.len()).filter(|&index| needs(index)) {
            flow.slot[index] = Some(flow.producers.len() as u32);
            flow.producers.push(Vec::new());
            flow.users.push(Vec::new());
        }
        for (user, &op) in ops.iter().enumerate() {
            for producer in positions.producers(program, op) {
                if producer != user && phases[producer] == phases[user] {
                    flow.connect(producer, user);
                }
            }
        }
        flow
    }

    fn connect(&mut self, producer: usize, user: usize) {
        if let Some(slot) = self.slot[user] {
            self.producers[slot as usize].push(producer);
        }
        if let Some(slot) = self.slot[producer] {
            self.users[slot as usize].push(user);
        }
    }

    fn producers(&self, index: usize) -> &[usize] {
        self.slot[index].map_or(&[], |slot| &self.producers[slot as usize])
    }

    fn users(&self, index: usize) -> &[usize] {
        self.slot[index].map_or(&[], |slot| &self.users[slot as usize])
    }
}

fn take_from_producers(
    program: &Program,
    ops: &[Op],
    phases: &[Phase],
    flow: &Flow,
    unset: &[usize],
    chunks: &mut [Option<i32>],
) {
    let mut low: Vec<Option<i32>> = chunks.to_vec();
    for &index in unset {
        let producers = flow.producers(index).iter().filter_map(|&producer| low[producer]);
        low[index] = producers.max_by_key(|&chunk| key(phases[index], chunk));
        if program.name(ops[index]) != names::COMBINE {
            chunks[index] = low[index];
        }
    }
}

fn take_from_users(phases: &[Phase], flow: &Flow, unset: &[usize], chunks: &mut [Option<i32>]) {
    for &index in unset.iter().rev() {
        if chunks[index].is_none() {
            let users = flow.users(index).iter().filter_map(|&user| chunks[user]);
            chunks[index] = users.min_by_key(|&chunk| key(phases[index], chunk));
        }
    }
}

fn fits(phases: &[Phase], flow: &Flow, chunks: &[Option<i32>], index: usize) -> bool {
    let Some(chunk) = chunks[index] else { return false };
    let own = key(phases[index], chunk);
    let key_of = |&other: &usize| chunks[other].map(|chunk| key(phases[index], chunk));
    flow.producers(index).iter().filter_map(key_of).all(|key| key <= own)
        && flow.users(index).iter().filter_map(key_of).all(|key| own <= key)
}

fn faults(
    program: &Program,
    ops: &[Op],
    flow: &Flow,
    chunks: &[Option<i32>],
    faulty: &[usize],
) -> Vec<Diagnostic> {
    let labels = Labels::of(program);
    let mut faults: Vec<Diagnostic> = faulty
        .iter()
        .take(MOST_SHOWN)
        .map(|&index| {
            let given = |others: &[usize]| {
                let unset = |other: &&usize| flow.slot[**other].is_none();
                let mut chunks: Vec<i32> =
                    others.iter().filter(unset).filter_map(|&other| chunks[other]).collect();
                chunks.sort_unstable();
                chunks.dedup();
                in_words(&chunks)
            };
            let message = format!(
                "cannot infer a chunk id for `{}` (op {index}): its producers are in {}, its users in {}",
                program.name_text(ops[index]),
                given(flow.producers(index)),
                given(flow.users(index)),
            );
            Diagnostic::error("E0203", message)
                .at(Place::op_in(program, ops[index], &labels))
                .help("set its `chunk_id`; producers and users of the same role count")
        })
        .collect();
    add_rest(&mut faults, faulty.len(), "ops without a chunk");
    faults
}

/// `no known chunk`, `chunk 0`, `chunks 0 and 1`, `chunks 0, 1 and 3`
fn in_words(chunks: &[i32]) -> String {
    match chunks {
        [] => "no known chunk".to_owned(),
        [one] => format!("chunk {one}"),
        [rest @ .., last] => {
            let rest: Vec<String> = rest.iter().map(i32::to_string).collect();
            format!("chunks {} and {last}", rest.join(", "))
        }
    }
}
