//! Times against an independent simulator and against formulas.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use pirogue_schedule::check::{Receives, peak_live};
use pirogue_schedule::simulate::{
    ChunkCosts, ChunkMemory, Costs, IdleCause, Link, Simulation, SimulationError, Transfers,
    simulate,
};
use pirogue_schedule::{Chunk, Schedule, Stage};
use support::{backward_modes, data_lines, vpp};

const TIMES: &str = include_str!("data/paddle_vpp_times.txt");

fn read(lists: &str) -> Schedule {
    lists.replace(" | ", "\n").parse().unwrap()
}

/// Stages with 1F1B: min(p-1-r, m) forwards, then forward and backward in turn, then the rest.
fn one_forward_one_backward(p: usize, m: usize) -> Schedule {
    let list = |r: usize| {
        let warmup = (p - 1 - r).min(m);
        let mut jobs: Vec<String> = (0..warmup).map(|k| format!("forward0:{k}")).collect();
        for k in 0..m {
            if warmup + k < m {
                jobs.push(format!("forward0:{}", warmup + k));
            }
            jobs.push(format!("backward0:{k}"));
        }
        jobs.join(" ")
    };
    let lists: Vec<String> = (0..p).map(list).collect();
    lists.join("\n").parse().unwrap()
}

fn stages(simulation: &Simulation<'_>) -> impl Iterator<Item = Stage> {
    (0..simulation.schedule().counts().stages()).map(Stage)
}

#[test]
fn times_equal_those_of_an_independent_simulator() {
    let mut rows = 0;
    for line in data_lines(TIMES) {
        let fields: Vec<&str> = line.split(' ').collect();
        let [p, v, m, flags, times @ ..] = fields.as_slice() else { panic!("`{line}`") };
        let [p, v, m] = [p, v, m].map(|count| count.parse().unwrap());
        let expected: Vec<u64> = times.iter().map(|time| time.parse().unwrap()).collect();
        for backward in backward_modes(flags) {
            let schedule = vpp(p, v, m, backward).schedule();
            let simulation = simulate(&schedule, Costs::default()).unwrap();
            let busy = simulation.busy(Stage(0));
            let mut found = vec![simulation.makespan(), busy, simulation.span_bubble()];
            found.extend(peak_live(&schedule).into_iter().map(u64::from));
            assert_eq!(found, expected, "{line}");
            rows += 1;
        }
    }
    assert_eq!(rows, 352);
}

#[test]
fn the_bubble_of_1f1b_is_p_minus_1_forwards_and_backwards() {
    for (p, m, forward, backward) in [(1, 1, 3, 5), (4, 4, 1, 2), (4, 9, 3, 5), (8, 8, 7, 11)] {
        let schedule = one_forward_one_backward(p, m);
        let chunk = ChunkCosts { forward, backward: Some(backward), ..ChunkCosts::default() };
        let simulation = simulate(&schedule, Costs { chunk, ..Costs::default() }).unwrap();
        let bubble = (p as u64 - 1) * (forward + backward);
        assert_eq!(simulation.makespan_bubble(), bubble);
        assert_eq!(simulation.makespan(), bubble + m as u64 * (forward + backward));
        for stage in stages(&simulation) {
            let live = (p - stage.0 as usize).min(m) as u64;
            assert_eq!(u64::from(peak_live(&schedule)[stage.0 as usize]), live);
            assert_eq!(simulation.peak_memory(stage), live);
            let idle: u64 = simulation.idle_by_cause(stage).iter().sum();
            assert_eq!(idle, simulation.makespan() - simulation.busy(stage));
        }
    }
}

#[test]
fn a_message_takes_its_link_and_messages_of_one_link_queue() {
    let schedule = read("forward0:0 forward0:1 forward0:2 | forward0:0 forward0:1 forward0:2");
    let with = |link, transfers| {
        let costs = Costs { link, transfers, ..Costs::default() };
        simulate(&schedule, costs).unwrap().starts()[3..].to_vec()
    };
    let link = |occupancy, latency| Link { occupancy, latency };
    assert_eq!(with(link(0, 5), Transfers::Overlapped), [6, 7, 8]);
    assert_eq!(with(link(4, 1), Transfers::Overlapped), [6, 10, 14]);
    // The second forward of stage 0 begins when the first message has left, at 5.
    assert_eq!(with(link(4, 1), Transfers::OnSender), [6, 11, 16]);
}

#[test]
fn a_fused_pair_begins_and_ends_as_one() {
    let schedule = read("forward0:0 forward0:1 backward0:0 backward0:1");
    let fused = schedule.with_fused_pairs(vec![1]).unwrap();
    let simulation = simulate(&fused, Costs::default()).unwrap();
    assert_eq!(simulation.starts(), [0, 1, 1, 4]);
    assert_eq!(simulation.ends(), [1, 4, 4, 6]);
    assert_eq!(simulation.busy(Stage(0)), 6);
    let chunk = ChunkCosts { fused: Some(2), ..ChunkCosts::default() };
    let simulation = simulate(&fused, Costs { chunk, ..Costs::default() }).unwrap();
    assert_eq!(simulation.makespan(), 5);
}

#[test]
fn a_blocking_receive_holds_up_what_stands_behind_it() {
    let lists = "recv_forward0:0 forward0:0 forward0:1 backward0:1 backward0:0 | \
                 recv_forward0:1 recv_forward0:0 forward0:0 backward0:0 forward0:1 backward0:1";
    let schedule = read(lists);
    let ends = |receives| {
        let costs = Costs { receives, ..Costs::default() };
        simulate(&schedule, costs).unwrap().starts()[5..].to_vec()
    };
    // Stage 1 gets micro-batch 0 at 1 and micro-batch 1 at 2.
    assert_eq!(ends(Receives::NonBlocking)[2], 1);
    assert_eq!(ends(Receives::OwnStream)[2], 2);
    assert_eq!(ends(Receives::Blocking)[2], 2);
}

#[test]
fn memory_is_taken_and_freed_by_kind() {
    let schedule = read("forward0:0 forward0:1 backward_b0:0 backward_w0:0 backward0:1");
    let memory = ChunkMemory { activation: 10, residue: 4, parameters: 100, gradients: 50 };
    let chunk = ChunkCosts { memory, ..ChunkCosts::default() };
    let simulation = simulate(&schedule, Costs { chunk, ..Costs::default() }).unwrap();
    let points: Vec<(u64, u64)> =
        simulation.memory(Stage(0)).iter().map(|point| (point.time, point.taken)).collect();
    let expected = [(0, 100), (0, 110), (1, 120), (3, 114), (3, 164), (4, 160), (6, 150)];
    assert_eq!(points, expected);
    assert_eq!(simulation.peak_memory(Stage(0)), 164);
}

#[test]
fn idle_times_have_their_causes() {
    let schedule = one_forward_one_backward(2, 2);
    let simulation = simulate(&schedule, Costs::default()).unwrap();
    let causes = |stage| {
        let idle = simulation.idle(Stage(stage));
        let texts: Vec<String> = idle
            .iter()
            .map(|idle| format!("{}..{} {}", idle.from, idle.to, idle.cause.name()))
            .collect();
        texts.join(", ")
    };
    assert_eq!(causes(0), "2..4 backward input, 6..7 backward input");
    assert_eq!(causes(1), "0..1 fill, 7..9 drain");
    assert_eq!(simulation.idle_by_cause(Stage(1))[IdleCause::Drain as usize], 2);
}

#[test]
fn a_job_is_explained_by_the_chain_that_led_to_it() {
    let schedule = one_forward_one_backward(2, 2);
    let link = Link { occupancy: 0, latency: 3 };
    let simulation = simulate(&schedule, Costs { link, ..Costs::default() }).unwrap();
    let last = simulation.critical_path().pop().unwrap();
    assert_eq!(
        simulation.explain(last).to_string(),
        "     0 to      1  stage 0: `forward0:0`\n\
         \u{20}    4 to      5  stage 1: `forward0:0`, as the message of stage 0 is there after 3 on its way\n\
         \u{20}    5 to      7  stage 1: `backward0:0`, as the stage is free\n\
         \u{20}    7 to      8  stage 1: `forward0:1`, as the stage is free\n\
         \u{20}    8 to     10  stage 1: `backward0:1`, as the stage is free\n\
         \u{20}   13 to     15  stage 0: `backward0:1`, as the message of stage 1 is there after 3 on its way\n"
    );
}

#[test]
fn a_standstill_and_an_absurd_cost_are_errors() {
    let schedule = read(
        "forward0:0 backward0:0 forward1:0 backward1:0 | \
                         forward0:0 backward0:0 forward1:0 backward1:0",
    );
    let error = simulate(&schedule, Costs::default()).unwrap_err();
    assert_eq!(error.code(), "E0372");
    let named = matches!(error, SimulationError::Standstill { stage: Stage(0), job } if job.to_string() == "backward0:0");
    assert!(named, "{error}");

    let costs = ChunkCosts { forward: u64::MAX, ..ChunkCosts::default() };
    let costs = Costs { exceptions: vec![(Stage(1), Chunk(0), costs)], ..Costs::default() };
    assert_eq!(simulate(&schedule, costs).unwrap_err().code(), "E0373");
}

/// A public report: receives that stand at the front of a list hold up the warmup. The time is shown with its cause.
#[test]
fn report_5_receives_ahead_of_their_turn_stall_the_warmup_and_the_stall_is_shown() {
    let lists = "forward0:0 forward0:1 backward0:0 backward0:1 | \
                 recv_forward0:0 recv_forward0:1 forward0:0 backward0:0 forward0:1 backward0:1";
    let schedule = read(lists);
    let fill = |receives| {
        let costs = Costs { receives, ..Costs::default() };
        let simulation = simulate(&schedule, costs).unwrap();
        let idle = simulation.idle_by_cause(Stage(1));
        (idle[IdleCause::Fill as usize], simulation.makespan())
    };
    assert_eq!(fill(Receives::NonBlocking), (1, 9));
    assert_eq!(fill(Receives::Blocking), (2, 10));
}
