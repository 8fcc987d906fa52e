//! What others reported of schedules that hang or are wrong, each as its smallest trigger. The numbers are
//! those of the public reports.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod circle;

use circle::assert_is_real;
use pirogue_schedule::check::{
    Channels, CheckOptions, Cure, Fault, Receives, Sends, Verdict, check,
};
use pirogue_schedule::families::{self, Request};
use pirogue_schedule::{BackwardMode, Counts, Job, Placement, Schedule, Stage, Vpp, format};

const BUFFERED: CheckOptions = CheckOptions {
    sends: Sends::Buffered,
    receives: Receives::NonBlocking,
    channels: Channels::PerDirection,
    memory_limit: None,
};

/// Sender and receiver meet, each at the head of its list.
const RENDEZVOUS: CheckOptions =
    CheckOptions { sends: Sends::Rendezvous, receives: Receives::Blocking, ..BUFFERED };

fn read(text: &str) -> Schedule {
    format::read(text.as_bytes(), None).unwrap().schedule
}

fn family(name: &str, stages: u64, chunks: u64, micro_batches: u64) -> Schedule {
    let counts = Counts::new(stages, chunks, micro_batches).unwrap();
    families::find(name).unwrap().generate(&Request::new(counts)).unwrap()
}

fn lists(schedule: &Schedule) -> Vec<Vec<Job>> {
    schedule.stages().map(|(_, jobs)| jobs.to_vec()).collect()
}

fn placed(text: &str, placement: Placement) -> Schedule {
    let read = |line: &str| line.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let lists: Vec<Vec<Job>> = text.lines().map(read).collect();
    Schedule::with_placement(&lists, placement).unwrap()
}

/// The faults of a schedule, a line each with the circle of a deadlock beneath.
fn faults(schedule: &Schedule, options: &CheckOptions) -> Vec<String> {
    let verdict = check(schedule, options);
    let lines = verdict.faults.iter().flat_map(|fault| {
        if let (Fault::Deadlock { deadlock, .. }, Sends::Buffered) = (fault, options.sends) {
            assert_is_real(deadlock, schedule);
        }
        let head = format!("{} {fault}", fault.code());
        std::iter::once(head).chain(fault.details())
    });
    lines.collect()
}

fn codes(verdict: &Verdict) -> Vec<&'static str> {
    verdict.faults.iter().map(Fault::code).collect()
}

fn assert_sound(schedule: &Schedule, options: &CheckOptions) {
    assert_eq!(faults(schedule, options), Vec::<String>::new(), "{schedule}");
}

/// The cure of the deadlock that is the first fault.
fn cure(schedule: &Schedule, options: &CheckOptions) -> Cure {
    match &check(schedule, options).faults[..] {
        [Fault::Deadlock { cure, .. }, ..] => *cure,
        others => panic!("{others:?}"),
    }
}

#[test]
fn b1_torchs_1f1b_starts_its_last_rank_one_micro_batch_late() {
    assert_eq!(
        faults(&read("0F1,0B0\n"), &BUFFERED),
        ["E0311 stage 0: `forward0:0` is missing", "E0311 stage 0: `backward0:1` is missing"]
    );
    let four = "\
0F0,0F1,0F2,0F3,0B0,0B1,0B2,0B3
1F0,1F1,1F2,1B0,1F3,1B1,1B2,1B3
2F0,2F1,2B0,2F2,2B1,2F3,2B2,2B3
3F1,3B0,3F2,3B1,3F3,3B2,3F4,3B3
";
    assert_eq!(
        faults(&read(four), &BUFFERED),
        [
            "E0366 stage 3: `forward0:4` is for a micro-batch that the schedule has not: it has 4, \
             counted from 0",
            "E0311 stage 3: `forward0:0` is missing",
        ]
    );
}

#[test]
fn b5_what_a_check_by_sets_lets_through_is_found() {
    let code_of = |text: &str| codes(&check(&read(text), &BUFFERED)).join(" ");
    assert_eq!(code_of("0F0,0F0,0B0\n"), "E0312");
    assert_eq!(code_of("0F0,0F1,0B0,0I0,0W0\n"), "E0313 E0311 E0311");
    assert_eq!(code_of("0F7,0B7\n"), ["E0311"; 14].join(" "));
    let crossed = "0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n";
    assert_eq!(code_of(crossed), "E0361 E0362 E0362");
    assert!(format::read(b"2F0xyz\n", None).is_err());
    // A part of the model that nobody computes.
    assert!(format::read(b"5F0,5B0\n", None).is_err());
}

#[test]
fn b11_one_rank_refuses_what_the_others_run() {
    // Eager 1F1B of 5 micro-batches on 4 stages: stage 0 would need 7.
    let mut lists = lists(&family("1f1b", 4, 1, 5));
    lists[0].clear();
    let placement = Placement::looped(Counts::new(4, 1, 5).unwrap());
    let schedule = Schedule::with_placement(&lists, placement).unwrap();
    let found = faults(&schedule, &BUFFERED);
    assert_eq!(
        found,
        ["E0367 stage 0: nothing is to run, though the stage holds a part of the model"]
    );
}

#[test]
fn b12_a_partial_last_group_deadlocks_and_the_circle_is_shown() {
    for (p, v, m) in [(4, 3, 5), (4, 3, 9), (4, 4, 5), (8, 2, 10), (8, 2, 12), (8, 3, 9)] {
        let schedule = Vpp::new(p, v, m, BackwardMode::Whole).unwrap().schedule();
        let found = faults(&schedule, &BUFFERED);
        assert!(found[0].starts_with("E0361") && found.len() > 2, "{found:?}");
    }
    for (p, v, m) in [(3, 3, 4), (4, 2, 6), (4, 2, 10)] {
        let schedule = Vpp::new(p, v, m, BackwardMode::Whole).unwrap().schedule();
        assert_sound(&schedule, &CheckOptions::default());
        let blocking = CheckOptions { receives: Receives::Blocking, ..BUFFERED };
        assert_eq!(cure(&schedule, &blocking), Cure::PostReceives);
    }
}

#[test]
fn b14_vpp_with_one_chunk_holds_more_than_1f1b() {
    let vpp = Vpp::new(4, 1, 8, BackwardMode::Whole).unwrap().schedule();
    assert_eq!(check(&vpp, &BUFFERED).facts.peak_live, [7, 5, 3, 1]);
    let limited = CheckOptions { memory_limit: Some(4), ..BUFFERED };
    assert_eq!(
        faults(&vpp, &limited),
        [
            "E0364 stage 0 holds 7 activations at a time, more than 4, from `forward0:4` on",
            "E0364 stage 1 holds 5 activations at a time, more than 4, from `forward0:4` on",
        ]
    );
    assert_sound(&family("1f1b", 4, 1, 8), &limited);
}

#[test]
fn report_1_fewer_micro_batches_than_stages_run() {
    for m in 1..8 {
        assert_sound(&family("1f1b", 8, 1, m), &BUFFERED);
        let chain = "forward:0 backward:0\n".repeat(8);
        assert_sound(&chain.parse().unwrap(), &RENDEZVOUS);
        assert_sound(&family("interleaved", 8, 2, 8), &BUFFERED);
    }
}

#[test]
fn report_2_gpipe_runs_with_one_micro_batch() {
    for stages in 1..=8 {
        assert_sound(&family("gpipe", stages, 1, 1), &RENDEZVOUS);
    }
}

#[test]
fn report_3_sends_that_cross_hang_where_they_wait() {
    let schedule = family("interleaved", 2, 2, 4);
    assert_sound(&schedule, &BUFFERED);
    assert_eq!(cure(&schedule, &RENDEZVOUS), Cure::BufferSends);
    let two = CheckOptions { sends: Sends::AtMost(2.try_into().unwrap()), ..RENDEZVOUS };
    assert_sound(&schedule, &two);
}

/// Two ranks, two parts on each; stage 0 sends `forward0:1` before it receives for `forward1:0`.
const LATE_RECEIVES: &str = "\
forward0:0 send_forward0:0 forward0:1 send_forward0:1 recv_forward1:0 forward1:0 recv_forward1:1 \
send_forward1:0 forward1:1 send_forward1:1 backward1:0 backward0:0 backward1:1 backward0:1
recv_forward0:0 forward0:0 send_forward0:0 recv_forward0:1 forward0:1 send_forward0:1 \
recv_forward1:0 forward1:0 recv_forward1:1 forward1:1 backward1:0 backward0:0 backward1:1 backward0:1
";

#[test]
fn report_4_both_ranks_wait_in_a_send_unless_one_receives_first() {
    let late: Schedule = LATE_RECEIVES.parse().unwrap();
    assert_eq!(
        faults(&late, &RENDEZVOUS),
        [
            "E0361 deadlock: stages 0 and 1 wait for each other in a circle",
            "stage 0: `send_forward0:1` waits until it is taken by `recv_forward0:1` of stage 1",
            "stage 1: `recv_forward0:1` stands behind `send_forward0:0`",
            "stage 1: `send_forward0:0` waits until it is taken by `recv_forward1:0` of stage 0",
            "stage 0: `recv_forward1:0` stands behind `send_forward0:1`",
        ]
    );
    let parity = LATE_RECEIVES.replacen(
        "send_forward0:1 recv_forward1:0 forward1:0",
        "recv_forward1:0 send_forward0:1 forward1:0",
        1,
    );
    assert_sound(&parity.parse().unwrap(), &RENDEZVOUS);
}

#[test]
fn report_6_a_v_schedule_with_the_looped_map_is_refused() {
    let v = family("zbv", 4, 2, 8);
    assert_sound(&v, &BUFFERED);
    let looped = Schedule::from_lists(&lists(&v)).unwrap();
    assert_eq!(codes(&check(&looped, &BUFFERED))[0], "E0361");
}

#[test]
fn report_10_halves_of_a_backward_run_on_one_stage() {
    let text = "forward:0 forward:1 backward_b:0 backward_w:0 backward_b:1 backward_w:1\n";
    assert_sound(&text.parse().unwrap(), &RENDEZVOUS);
}

#[test]
fn report_11_an_input_half_alone_is_no_backward() {
    let found = faults(&read("0F0,0F1,0B0,0I1\n"), &BUFFERED);
    assert_eq!(found, ["E0311 stage 0: `backward_w0:1` is missing"]);
    let halves = "0F0,0I0,0F1,0I1,0W0,0W1\n";
    assert_eq!(check(&read(halves), &BUFFERED).facts.peak_live, [2]);
}

#[test]
fn report_16_a_schedule_of_one_chunk_does_not_run_a_split_into_two() {
    let lists = lists(&family("1f1b", 2, 1, 2));
    let placement = Placement::looped(Counts::new(2, 2, 2).unwrap());
    let schedule = Schedule::with_placement(&lists, placement).unwrap();
    let found = faults(&schedule, &BUFFERED);
    assert!(found.iter().all(|line| line.starts_with("E0311")), "{found:?}");
    assert_eq!(found.len(), 8);
}

#[test]
fn report_18_with_two_stages_both_directions_share_a_pair() {
    let schedule = Vpp::new(2, 2, 3, BackwardMode::Whole).unwrap().schedule();
    assert_sound(&schedule, &BUFFERED);
    let pair = CheckOptions { channels: Channels::PerPair, ..BUFFERED };
    assert_eq!(
        faults(&schedule, &pair),
        ["E0362 stage 1 sends to stage 0 in `send_backward1:1` before `forward0:2`, but stage 0 \
          receives what `forward0:2` sends first, in `recv_forward1:2`"]
    );
}

#[test]
fn report_19_sends_in_one_fixed_order_close_a_ring_of_four_stages() {
    let schedule = family("looped-bfs", 4, 2, 4);
    assert_sound(&schedule, &BUFFERED);
    let found = faults(&schedule, &RENDEZVOUS);
    assert_eq!(found[0], "E0361 deadlock: stages 0, 1, 2 and 3 wait for each other in a circle");
    assert_eq!(cure(&schedule, &RENDEZVOUS), Cure::BufferSends);
}

#[test]
fn report_21_a_stage_without_a_part_is_passed_over_or_refused() {
    let gap = Placement::of_stages(3, &[0, 2].map(Stage)).unwrap();
    assert_sound(
        &placed("forward0:0 backward0:0\n\nforward0:0 backward0:0\n", gap.clone()),
        &RENDEZVOUS,
    );
    let read = |word: &str| vec![word.parse::<Job>().unwrap()];
    let lists = [read("forward0:0"), read("forward0:0"), read("forward0:0")];
    assert_eq!(Schedule::with_placement(&lists, gap).unwrap_err().code(), "E0336");
}

#[test]
fn report_22_collectives_in_two_orders_are_found() {
    let text = "\
forward0:0 forward1:0 backward1:0 backward0:0 reduce_gradient1:0 reduce_gradient0:0
forward0:0 forward1:0 backward1:0 backward0:0 reduce_gradient0:0 reduce_gradient1:0
";
    assert_eq!(
        faults(&text.parse().unwrap(), &BUFFERED),
        [
            "E0363 stage 1 comes to `reduce_gradient0:0` where stage 0 comes to `reduce_gradient1:0`: \
          gradients are reduced in two orders"
        ]
    );
}

#[test]
fn report_22_the_two_homes_of_a_part_reduce_it_in_one_order() {
    let counts = Counts::new(2, 2, 2).unwrap();
    let homes = Placement::both_ways(counts).unwrap();
    let list = |last: &str| format!("forward0:0 forward1:1 backward1:1 backward0:0 {last}\n");
    let same = list("reduce_gradient0:0 reduce_gradient1:0");
    let mirrored = list("reduce_gradient1:0 reduce_gradient0:0");
    // Chunk 0 of stage 0 is the part that chunk 1 of stage 1 is.
    assert_sound(&placed(&format!("{same}{mirrored}"), homes.clone()), &BUFFERED);
    let found = check(&placed(&format!("{same}{same}"), homes), &BUFFERED);
    assert_eq!(codes(&found), ["E0363"]);
}

#[test]
fn report_31_two_directions_on_one_channel_get_each_others_messages() {
    let zbv = family("zbv", 4, 2, 8);
    let pair = CheckOptions { channels: Channels::PerPair, ..BUFFERED };
    assert_eq!(codes(&check(&zbv, &pair))[0], "E0362");
    assert_sound(&zbv, &BUFFERED);
}

#[test]
fn report_32_receives_on_a_stream_of_their_own_run_where_blocking_ones_hang() {
    let schedule = Vpp::new(3, 3, 4, BackwardMode::Whole).unwrap().schedule();
    assert_sound(&schedule, &CheckOptions::default());
    let facts = check(&schedule, &BUFFERED).facts.together.unwrap();
    assert!(!facts.executable_with_blocking_receives);
}

#[test]
fn reports_33_and_45_as_many_micro_batches_as_stages_run() {
    for (stages, chunks) in (1..=8).flat_map(|p| (1..=4).map(move |v| (p, v))) {
        for backward in [BackwardMode::Whole, BackwardMode::Split] {
            let schedule = Vpp::new(stages, chunks, stages, backward).unwrap().schedule();
            let blocking = CheckOptions { receives: Receives::Blocking, ..BUFFERED };
            assert_sound(&schedule, &blocking);
        }
    }
    assert_sound(&family("1f1b", 4, 1, 4), &BUFFERED);
    assert_sound(&family("interleaved", 4, 2, 4), &BUFFERED);
}

#[test]
fn report_34_with_one_full_group_the_warmup_is_all_forwards_and_no_more() {
    let vpp = Vpp::new(4, 2, 4, BackwardMode::Whole).unwrap();
    let of_stage = |stage| vpp.warmup(Stage(stage)).unwrap();
    assert_eq!([0, 1, 2, 3].map(of_stage), [8; 4]);
    let schedule = vpp.schedule();
    assert_sound(&schedule, &CheckOptions::default());
    assert_eq!(check(&schedule, &BUFFERED).facts.peak_live, [8; 4]);
}

#[test]
fn report_42_the_activations_held_are_exactly_those_of_the_law() {
    assert_eq!(check(&family("1f1b", 4, 1, 8), &BUFFERED).facts.peak_live, [4, 3, 2, 1]);
}

#[test]
fn report_44_a_stage_that_skips_a_collective_is_found() {
    let text = "forward:0 backward:0 reduce_gradient:0\nforward:0 backward:0\n";
    assert_eq!(
        faults(&text.parse().unwrap(), &BUFFERED),
        ["E0311 stage 1: `reduce_gradient:0` is missing"]
    );
}
