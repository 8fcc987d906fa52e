//! The families equal, job for job and on every stage, what PyTorch, Megatron-LM and Paddle generate.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/recorded.rs"]
mod recorded;

use pirogue_schedule::families::{self, Refusal, Remainder, Request};
use pirogue_schedule::{Counts, Job, Schedule, Shape};
use recorded::{Recorded, jobs, lists_and_rows};

const TORCH: &str = include_str!("data/torch_schedules.txt");
const MEGATRON: &str = include_str!("data/megatron_orders.txt");
const PADDLE: &str = include_str!("data/paddle_lists.txt");

fn numbers<const N: usize>(texts: &[&str]) -> [u64; N] {
    let numbers: Vec<u64> = texts.iter().map(|text| text.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

fn request([stages, chunks, micro_batches]: [u64; 3]) -> Request {
    Request::new(Counts::new(stages, chunks, micro_batches).unwrap())
}

/// The lists of all stages as the fixtures have them: without the optimizer, which each must end with.
fn recorded_form(schedule: &Schedule) -> Vec<Vec<Recorded>> {
    let mut index = 0;
    let mut lists = Vec::new();
    for (_, jobs) in schedule.stages() {
        let (optimizer, computations) = jobs.split_last().unwrap();
        assert_eq!(*optimizer, Job::OPTIMIZER);
        let with_pairs = (index..).zip(computations);
        lists.push(with_pairs.map(|(at, &job)| (job, schedule.is_fused_with_next(at))).collect());
        index += jobs.len();
    }
    lists
}

fn recorded_lists(lists: &[&str], of_stages: &[&str]) -> Vec<Vec<Recorded>> {
    of_stages.iter().map(|id| jobs(lists[id.parse::<usize>().unwrap()])).collect()
}

/// What of ours is to equal a schedule of torch.
fn asked_of_torch(row: &[&str]) -> (&'static str, Request) {
    let request = request(numbers(&row[1..4]));
    let regrouped = Request { remainder: Remainder::Regroup, ..request };
    match row[0] {
        "GPipe" => ("gpipe", request),
        "1F1B" => ("1f1b", request),
        "Interleaved1F1B" => ("interleaved", regrouped),
        "LoopedBFS" => ("looped-bfs", request),
        "InterleavedZeroBubble" => ("interleaved-zero-bubble", regrouped),
        "ZBVZeroBubble" => ("zbv", request),
        "DualPipeV" => ("dualpipev", request),
        name => panic!("`{name}` is not a schedule"),
    }
}

#[test]
fn every_schedule_that_torch_generates_is_equal_but_for_its_wrong_1f1b() {
    let (lists, rows) = lists_and_rows(TORCH);
    let (mut equal, mut wrong_in_torch) = (0, 0);
    for row in &rows {
        let (family, request) = asked_of_torch(row);
        let schedule = families::find(family).unwrap().generate(&request).unwrap();
        let expected = recorded_lists(&lists, &row[5..]);
        let found = recorded_form(&schedule);
        if row[0] == "1F1B" {
            // Torch counts the last stage's micro-batches from 1: up to one that there is not.
            let last = expected.last().unwrap();
            let micro_batches = request.counts.micro_batches();
            assert!(last.iter().any(|(job, _)| job.micro_batch.0 == micro_batches), "{row:?}");
            assert!(found != expected);
            assert!(found.split_last().unwrap().1 == expected.split_last().unwrap().1, "{row:?}");
            wrong_in_torch += 1;
            continue;
        }
        let shape = schedule.placement().shape();
        let is_one_leg = request.counts.stages() == 1;
        let expected_shape =
            if row[4] == "looped" || is_one_leg { Shape::Looped } else { Shape::V };
        assert_eq!(shape, expected_shape, "{row:?}");
        assert!(found == expected, "{row:?}");
        equal += 1;
    }
    assert_eq!((equal, wrong_in_torch), (757, 61));
}

#[test]
fn every_order_that_megatron_makes_is_equal_or_refused_for_a_deadlock() {
    let (lists, rows) = lists_and_rows(MEGATRON);
    let (mut equal, mut refused_there, mut deadlocks) = (0, 0, 0);
    for row in &rows {
        let [stages, chunks, micro_batches, group, is_refused, is_executable] = numbers(&row[..6]);
        let counts = [stages, chunks, micro_batches];
        let (family, asked) = match chunks {
            1 => ("1f1b", request(counts)),
            _ => ("interleaved", Request { group: Some(group as u32), ..request(counts) }),
        };
        match families::find(family).unwrap().generate(&asked) {
            Ok(schedule) => {
                assert!(recorded_form(&schedule) == recorded_lists(&lists, &row[6..]), "{row:?}");
                assert_eq!(is_executable, 1, "{row:?}");
                equal += 1;
                refused_there += is_refused;
            }
            Err(Refusal::Deadlock { .. }) => {
                assert_eq!((is_refused, is_executable), (1, 0), "{row:?}");
                deadlocks += 1;
            }
            Err(refusal) => panic!("{row:?}: {refusal}"),
        }
    }
    assert_eq!((equal, refused_there, deadlocks), (464, 118, 17));
}

#[test]
fn every_list_of_paddles_other_schedules_is_equal_and_what_a_stage_refuses_all_refuse() {
    let (lists, rows) = lists_and_rows(PADDLE);
    let (mut equal, mut refused) = (0, 0);
    for row in &rows {
        let asked = request(numbers(&row[1..4]));
        let answer = families::find(row[0]).unwrap().generate(&asked);
        if row[4].starts_with('!') {
            assert!(answer.is_err(), "{row:?}");
            refused += 1;
        } else {
            let found = recorded_form(&answer.unwrap());
            assert!(found == recorded_lists(&lists, &row[4..]), "{row:?}");
            equal += 1;
        }
    }
    assert_eq!((equal, refused), (680, 472));
}
