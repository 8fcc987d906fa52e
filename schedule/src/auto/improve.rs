//! Making a schedule faster by moving jobs.
//!
//! The makespan is the length of the critical path, so only a move on it can shorten it. Each round walks the
//! path; where a stage was busy with another job while one on the path could have run, the two change places.
//! A move that makes it faster, or as fast with less idle time, is kept. Rounds are counted, not timed.

use super::{Candidate, Question};
use crate::counts::Stage;
use crate::job::Job;
use crate::schedule::Schedule;
use crate::simulate::{Cause, Simulation, simulate};

/// How many jobs all simulations of a search may run together: some tenths of a second.
const MOST_JOBS: usize = 2_000_000;

/// A faster schedule that fits, if one is found.
pub(super) fn improve(question: &Question, best: &Candidate) -> Option<Candidate> {
    // A fused pair is one action; moving one of its members would tear it.
    if !best.schedule.fused_pairs().is_empty() {
        return None;
    }
    let mut rounds = MOST_JOBS / best.schedule.jobs().len().max(1);
    let mut current = best.clone();
    'rounds: while rounds > 0 {
        for (index, other) in moves(question, &current)? {
            if rounds == 0 {
                break 'rounds;
            }
            rounds -= 1;
            let Some(moved) = swapped(&current.schedule, index, other) else { continue };
            let name = format!("{}, improved", best.name);
            let Some(candidate) = Candidate::of(name, false, moved, question) else { continue };
            if candidate.fits && candidate.makespan < current.makespan {
                current = candidate;
                continue 'rounds;
            }
        }
        break;
    }
    (current.makespan < best.makespan).then_some(current)
}

/// Pairs of places on one stage, the earlier first, whose jobs may change places: one on the critical path
/// that waited for its stage, and one before it.
fn moves(question: &Question, current: &Candidate) -> Option<Vec<(usize, usize)>> {
    let simulation =
        simulate(&current.schedule, question.costs.for_chunks_of(&current.schedule)).ok()?;
    let mut moves = Vec::new();
    for index in simulation.critical_path() {
        let Cause::Stage { before } = simulation.cause(index) else { continue };
        for earlier in [Some(before), before.checked_sub(1), before.checked_sub(2)] {
            let Some(earlier) = earlier else { continue };
            if may_swap(&simulation, earlier, index) {
                moves.push((earlier, index));
            }
        }
    }
    Some(moves)
}

fn may_swap(simulation: &Simulation<'_>, earlier: usize, later: usize) -> bool {
    let schedule = simulation.schedule();
    let job = |index: usize| schedule.jobs()[index];
    let stage = |index: usize| schedule.stage_at(index);
    stage(earlier) == stage(later)
        && job(earlier).kind().is_computation()
        && job(later).kind().is_computation()
        && !is_same_step(job(earlier), job(later))
}

/// Jobs of one chunk and micro-batch have their order.
fn is_same_step(left: Job, right: Job) -> bool {
    let step = |job: Job| (job.job_type.chunk(), job.micro_batch);
    step(left) == step(right)
}

/// The schedule in which the later job stands before the earlier one.
fn swapped(schedule: &Schedule, earlier: usize, later: usize) -> Option<Schedule> {
    let stage = Stage(schedule.stage_at(earlier));
    let mut lists: Vec<Vec<Job>> = schedule.stages().map(|(_, jobs)| jobs.to_vec()).collect();
    let begin = schedule.begin(stage.0);
    lists[stage.0 as usize][earlier - begin..=later - begin].rotate_right(1);
    Schedule::with_placement(&lists, schedule.placement().clone()).ok()
}
