//! Which `VPP` schedules all stages can run together, and what is said of those that they cannot.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod circle;
mod support;

use circle::assert_is_real;
use pirogue_schedule::BackwardMode::{Split, Whole};
use pirogue_schedule::check::{Channels, Complete, Receives};
use pirogue_schedule::{NearestMicroBatches, Remark, Schedule, ScheduleError, Severity, Vpp};
use support::{backward_modes, data_lines, vpp};

const FACTS: &str = include_str!("data/paddle_vpp_facts.txt");

const ALL_RECEIVES: [Receives; 3] =
    [Receives::NonBlocking, Receives::OwnStream, Receives::Blocking];

fn runs(schedule: &Schedule, receives: Receives) -> bool {
    let complete = Complete::of(schedule).unwrap();
    let deadlock = complete.deadlock(receives);
    if let Some(deadlock) = &deadlock {
        assert_is_real(deadlock, schedule);
    }
    deadlock.is_none()
}

fn is_in_order(schedule: &Schedule, channels: Channels) -> bool {
    Complete::of(schedule).unwrap().channel_mismatches(channels).is_empty()
}

/// The grid on which Paddle's lists were simulated: p = 2..8, v = 1..4, m = p..24, both flags.
fn paddle_grid() -> impl Iterator<Item = Vpp> {
    let counts = (2..=8).flat_map(|p| (1..=4).map(move |v| (p, v)));
    let counts = counts.flat_map(|(p, v)| (p..=24).map(move |m| (p, v, m)));
    counts.flat_map(|(p, v, m)| [Whole, Split].map(|backward| vpp(p, v, m, backward)))
}

/// p, v and m mod p.
fn last_group(vpp: Vpp) -> (u32, u32, u32) {
    let counts = vpp.counts();
    (counts.stages(), counts.chunks(), counts.micro_batches() % counts.stages())
}

#[test]
fn verdicts_equal_an_independent_simulators() {
    for fact in data_lines(FACTS) {
        let fields: Vec<&str> = fact.split(' ').collect();
        let [stages, chunks, micro_batches, flags, verdicts @ ..] = fields.as_slice() else {
            panic!("`{fact}` is not a fact");
        };
        let [stages, chunks, micro_batches] =
            [stages, chunks, micro_batches].map(|count| count.parse().unwrap());
        for backward in backward_modes(flags) {
            let schedule = vpp(stages, chunks, micro_batches, backward).schedule();
            let found = [
                runs(&schedule, Receives::NonBlocking),
                runs(&schedule, Receives::Blocking),
                is_in_order(&schedule, Channels::PerDirection),
                is_in_order(&schedule, Channels::PerPair),
            ];
            let found = found.map(|verdict| if verdict { "1" } else { "0" });
            assert_eq!(found.as_slice(), verdicts, "{fact}");
        }
    }
}

#[test]
fn receives_that_block_the_list_deadlock_348_of_1120_points() {
    let mut deadlocks = 0;
    let mut points = 0;
    for vpp in paddle_grid() {
        let (stages, chunks, last_group) = last_group(vpp);
        let least = if chunks == 2 { 2 } else { 1 };
        let is_expected = chunks > 1 && (least..stages - 1).contains(&last_group);
        assert_eq!(!runs(&vpp.schedule(), Receives::Blocking), is_expected, "{vpp:?}");
        deadlocks += u32::from(is_expected);
        points += 1;
    }
    assert_eq!((deadlocks, points), (348, 1120));
}

#[test]
fn receives_on_a_stream_of_their_own_deadlock_224_of_1120_points() {
    let mut deadlocks = 0;
    for vpp in paddle_grid() {
        let (stages, chunks, last_group) = last_group(vpp);
        let least = if chunks == 2 { 2 } else { 1 };
        let is_expected = chunks > 1 && (least..stages.max(2) - 2).contains(&last_group);
        let schedule = vpp.schedule();
        assert_eq!(!runs(&schedule, Receives::OwnStream), is_expected, "{vpp:?}");
        // The stream costs `VPP` nothing: what it blocks is blocked by the data already.
        assert_eq!(!runs(&schedule, Receives::NonBlocking), is_expected, "{vpp:?}");
        assert_eq!(vpp.verdict().is_err(), is_expected, "{vpp:?}");
        deadlocks += u32::from(is_expected);
    }
    assert_eq!(deadlocks, 224);
}

#[test]
fn messages_on_a_shared_channel_are_swapped_on_66_of_the_88_odd_points_of_two_stages() {
    let mut swapped = 0;
    for vpp in paddle_grid() {
        let (stages, chunks, last_group) = last_group(vpp);
        let is_expected = stages == 2 && chunks > 1 && last_group == 1;
        let schedule = vpp.schedule();
        assert_eq!(!is_in_order(&schedule, Channels::PerPair), is_expected, "{vpp:?}");
        assert!(is_in_order(&schedule, Channels::PerDirection), "{vpp:?}");
        swapped += u32::from(is_expected);
    }
    assert_eq!(swapped, 66);
}

/// [`Vpp::verdict`] does not run schedules in which p divides m. This is why it need not.
#[test]
fn full_groups_always_run_with_messages_in_order() {
    for (stages, chunks) in (1..=10).flat_map(|p| (1..=5).map(move |v| (p, v))) {
        for micro_batches in (1..=4).map(|groups| groups * stages) {
            for backward in [Whole, Split] {
                let schedule = vpp(stages, chunks, micro_batches, backward).schedule();
                for receives in ALL_RECEIVES {
                    assert!(runs(&schedule, receives), "{schedule:?} {receives:?}");
                }
                assert!(is_in_order(&schedule, Channels::PerPair), "{schedule:?}");
            }
        }
    }
}

#[test]
fn a_refusal_names_the_nearest_counts_that_run() {
    for (stages, chunks) in (4..=9).flat_map(|p| (2..=4).map(move |v| (p, v))) {
        let runs_with: Vec<bool> = (stages..=4 * stages)
            .map(|m| runs(&vpp(stages, chunks, m, Whole).schedule(), Receives::OwnStream))
            .collect();
        for micro_batches in stages..=3 * stages {
            let Err(refused) = vpp(stages, chunks, micro_batches, Whole).verdict() else {
                continue;
            };
            let ScheduleError::Deadlock { nearest, .. } = refused else {
                panic!("`{refused}` is not a deadlock");
            };
            let number = |index: usize| (index + stages as usize) as u32;
            let here = (micro_batches - stages) as usize;
            let expected = NearestMicroBatches {
                below: (0..here).rev().find(|&index| runs_with[index]).map(number),
                above: (here..runs_with.len()).find(|&index| runs_with[index]).map(number),
            };
            assert_eq!(nearest, expected, "{stages} {chunks} {micro_batches}");
        }
    }
}

#[test]
fn a_refusal_shows_the_circle_and_what_to_take_instead() {
    let refused = vpp(4, 3, 5, Whole).verdict().unwrap_err();
    assert_eq!(refused.code(), "E0306");
    assert_eq!(
        refused.to_string(),
        "`VPP` with 4 stages, 3 chunks and 5 micro-batches deadlocks: \
         stages 0 and 3 wait for each other in a circle"
    );
    assert_eq!(
        refused.details(),
        [
            "stage 0: `recv_forward2:4` waits for `forward1:4` of stage 3",
            "stage 3: `forward1:4` stands behind `backward1:0`",
            "stage 3: `backward1:0` waits for its receive",
            "stage 3: the receive of `backward1:0` waits for `send_backward2:0` of stage 0",
            "stage 0: `send_backward2:0` waits for `backward2:0`",
            "stage 0: `backward2:0` stands behind `forward2:4`",
            "stage 0: `forward2:4` waits for `recv_forward2:4`",
        ]
    );
    assert_eq!(
        refused.help(),
        "take 4 or 6 micro-batches; multiples of 4 always run and leave the stages least idle"
    );
}

#[test]
fn a_receive_that_blocks_its_list_is_part_of_the_circle() {
    let schedule = vpp(3, 3, 4, Whole).schedule();
    let complete = Complete::of(&schedule).unwrap();
    assert_eq!(complete.deadlock(Receives::OwnStream), None);
    let deadlock = complete.deadlock(Receives::Blocking).unwrap();
    let lines: Vec<String> = deadlock.cycle.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "stage 0: `recv_forward2:3` waits for `forward1:3` of stage 2",
            "stage 2: `forward1:3` stands behind `backward1:0`",
            "stage 2: `backward1:0` waits for `send_backward2:0` of stage 0",
            "stage 0: `send_backward2:0` stands behind `recv_forward2:3`",
        ]
    );
}

#[test]
fn swapped_messages_are_a_warning_that_names_them() {
    let remarks = vpp(2, 2, 3, Whole).verdict().unwrap();
    let lines: Vec<String> = remarks.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "W0302 messages would be swapped where both directions of a pair of stages share one \
             channel: stage 1 sends to stage 0 in `send_backward1:1` before `forward0:2`, \
             but stage 0 receives what `forward0:2` sends first, in `recv_forward1:2`; \
             give each direction a channel of its own, or take an even number of micro-batches",
            "N0303 the last group of micro-batches has 1 of 2: \
             all stages idle for longer than with a multiple of 2; \
             2 and 4 micro-batches fill every group",
        ]
    );
}

fn line(remark: &Remark) -> String {
    format!("{} {remark}; {}", remark.code(), remark.help())
}

#[test]
fn what_is_worth_knowing_is_said_and_nothing_else() {
    let codes = |stages, chunks, micro_batches, backward| {
        let remarks = vpp(stages, chunks, micro_batches, backward).verdict().unwrap();
        let codes: Vec<&str> = remarks.iter().map(Remark::code).collect();
        codes.join(" ")
    };
    assert_eq!(codes(4, 2, 8, Whole), "");
    assert_eq!(codes(4, 2, 8, Split), "W0301");
    assert_eq!(codes(4, 2, 4, Whole), "N0301");
    assert_eq!(codes(4, 2, 4, Split), "N0301");
    assert_eq!(codes(4, 1, 8, Whole), "N0302");
    assert_eq!(codes(4, 1, 9, Split), "W0301 N0302");
    assert_eq!(codes(4, 2, 7, Whole), "N0303");
    assert_eq!(codes(2, 2, 5, Split), "W0301 W0302 N0303");
    // All forwards first is what 1F1B does too where there is no pipeline.
    assert_eq!(codes(1, 1, 1, Whole), "");
    assert_eq!(codes(1, 3, 5, Whole), "");
}

#[test]
fn a_remark_is_a_warning_or_a_note_as_its_code_says() {
    for remark in vpp(2, 2, 5, Split).verdict().unwrap() {
        let is_warning = remark.severity() == Severity::Warning;
        assert_eq!(is_warning, remark.code().starts_with('W'));
    }
}
