//! The search: never worse than what is listed, sound, within the limit, the same each time.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use pirogue_schedule::auto::{AutoError, Question, auto};
use pirogue_schedule::check::Complete;
use pirogue_schedule::simulate::{ChunkCosts, Costs, Link, simulate};
use pirogue_schedule::{Counts, Stage};

fn question(p: u64, v: u64, m: u64, limit: Option<u64>, costs: Costs) -> Question {
    let limit = limit.map(|limit| vec![limit; p as usize]);
    Question { counts: Counts::new(p, v, m).unwrap(), costs, limit }
}

fn uneven() -> Costs {
    let chunk = |forward, backward_input, backward_weight| ChunkCosts {
        forward,
        backward_input,
        backward_weight,
        ..ChunkCosts::default()
    };
    Costs {
        chunk: chunk(10, 12, 6),
        exceptions: vec![(Stage(1), pirogue_schedule::Chunk(0), chunk(14, 17, 8))],
        link: Link { occupancy: 2, latency: 2 },
        ..Costs::default()
    }
}

#[test]
fn the_best_is_sound_fits_and_is_no_worse_than_any_family() {
    for (p, v, m, limit) in [
        (1, 1, 1, None),
        (2, 1, 1, None),
        (2, 2, 5, Some(4)),
        (3, 1, 7, Some(3)),
        (4, 1, 8, None),
        (4, 2, 4, Some(8)),
        (4, 2, 9, Some(10)),
        (6, 1, 4, Some(6)),
    ] {
        for costs in [Costs::default(), uneven()] {
            let question = question(p, v, m, limit, costs.clone());
            let answer = auto(&question).unwrap();
            let best = answer.best();
            assert!(best.fits);
            Complete::of(&best.schedule).unwrap();
            let simulation = simulate(&best.schedule, costs).unwrap();
            assert_eq!(simulation.makespan(), best.makespan);
            for stage in (0..p as u32).map(Stage) {
                assert!(simulation.peak_memory(stage) <= limit.unwrap_or(u64::MAX));
            }
            let fitting = answer.ranking().iter().filter(|candidate| candidate.fits);
            assert!(fitting.map(|candidate| candidate.makespan).is_sorted());
            assert!(answer.ranking().iter().any(|candidate| candidate.is_listed));
        }
    }
}

#[test]
fn it_beats_all_families_where_stages_differ_and_messages_take_time() {
    let answer = auto(&question(3, 1, 10, Some(4), uneven())).unwrap();
    let mut listed =
        answer.ranking().iter().filter(|candidate| candidate.is_listed && candidate.fits);
    assert!(answer.best().makespan < listed.next().unwrap().makespan);
}

#[test]
fn equal_questions_have_equal_answers() {
    let question = question(4, 2, 7, Some(9), uneven());
    let names = || -> Vec<(String, u64)> {
        let answer = auto(&question).unwrap();
        let of = answer.ranking().iter().map(|one| (one.name.clone(), one.makespan));
        of.collect()
    };
    assert_eq!(names(), names());
}

#[test]
fn what_does_not_fit_is_said_with_the_least_that_would() {
    let error = auto(&question(4, 1, 8, Some(0), Costs::default())).unwrap_err();
    let AutoError::NothingFits { least } = error else { panic!("{error}") };
    assert!((1..=4).contains(&least), "{least}");
    assert!(auto(&question(4, 1, 8, Some(least), Costs::default())).is_ok());

    let mut odd = question(4, 1, 8, Some(4), Costs::default());
    odd.limit = Some(vec![4; 3]);
    assert_eq!(auto(&odd).unwrap_err().to_string(), "there are 3 memory limits for 4 stages");
}

#[test]
fn absurd_costs_are_an_error() {
    let chunk = ChunkCosts { forward: u64::MAX, ..ChunkCosts::default() };
    let error = auto(&question(2, 1, 2, None, Costs { chunk, ..Costs::default() })).unwrap_err();
    assert_eq!(error, AutoError::NothingRuns);
}
