//! What each family says of itself holds: bubbles, memory, and that all stages can run what it yields.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use pirogue_schedule::check::{Complete, Receives, peak_live};
use pirogue_schedule::families::{
    self, FAMILIES, Family, FamilyOption, Refusal, Remainder, Request,
};
use pirogue_schedule::simulate::{Costs, simulate};
use pirogue_schedule::{BackwardMode, Counts, Form, JobKind, Schedule, Shape, ShardingReduce};
use proptest::prelude::*;

fn counts(stages: u32, chunks: u32, micro_batches: u32) -> Counts {
    Counts::new(stages.into(), chunks.into(), micro_batches.into()).unwrap()
}

fn generate(family: &str, request: &Request) -> Schedule {
    families::find(family).unwrap().generate(request).unwrap()
}

/// How a schedule goes where F, I and W take one unit, B and a fused pair what their parts take, messages nothing.
struct Run {
    makespan: u32,
    makespan_bubble: u32,
    span_bubble: u32,
    /// The most live activations of each stage.
    live: Vec<u32>,
}

fn run(schedule: &Schedule) -> Run {
    let simulation = simulate(schedule, Costs::default()).unwrap();
    Run {
        makespan: simulation.makespan() as u32,
        makespan_bubble: simulation.makespan_bubble() as u32,
        span_bubble: simulation.span_bubble() as u32,
        live: peak_live(schedule),
    }
}

fn timed(family: &str, counts: Counts) -> Run {
    run(&generate(family, &Request::new(counts)))
}

/// p = 2..8, each with several m from `least(p)` on.
fn grid(least: fn(u32) -> u32) -> impl Iterator<Item = (u32, u32)> {
    (2..=8).flat_map(move |p| [0, 1, p / 2, p, 2 * p + 1].map(|more| (p, least(p) + more)))
}

#[test]
fn forwards_first_and_1f1b_idle_for_p_minus_1_of_both() {
    for (p, m) in grid(|p| p) {
        for family in ["gpipe", "1f1b", "FThenB", "1F1B"] {
            assert_eq!(
                timed(family, counts(p, 1, m)).makespan_bubble,
                3 * (p - 1),
                "{family} {p} {m}"
            );
        }
        let live: Vec<u32> = (0..p).map(|stage| (p - stage).min(m)).collect();
        assert_eq!(timed("1f1b", counts(p, 1, m)).live, live);
        assert_eq!(timed("gpipe", counts(p, 1, m)).live, vec![m; p as usize]);
    }
    for (p, m) in grid(|p| 2 * p - 1) {
        let run = timed("Eager1F1B", counts(p, 1, m));
        assert_eq!(run.makespan_bubble, 3 * (p - 1));
        assert_eq!(run.live, (0..p).map(|stage| 2 * (p - stage) - 1).collect::<Vec<_>>());
    }
}

#[test]
fn chunks_divide_the_bubble() {
    for p in 2..=8 {
        for (v, groups) in (2..=4).flat_map(|v| (1..=3).map(move |groups| (v, groups))) {
            let counts = counts(p, v, groups * p);
            let looped = timed("interleaved", counts);
            assert_eq!(looped.makespan_bubble, 3 * (p - 1));
            let live = |stage: u32| (2 * (p - 1 - stage) + (v - 1) * p + 1).min(counts.steps());
            assert_eq!(looped.live, (0..p).map(live).collect::<Vec<_>>());
            assert_eq!(timed("looped-bfs", counts).makespan_bubble, 3 * (p - 1));
            let zero = timed("interleaved-zero-bubble", counts);
            assert_eq!(zero.makespan_bubble, p - 1);
            assert_eq!(zero.live, vec![(v * p).min(counts.steps()); p as usize]);
        }
    }
}

#[test]
fn zb_h1_idles_for_exactly_p_minus_1_where_m_is_p_or_more() {
    for p in 2..=8 {
        for m in p..=4 * p {
            let run = timed("zb-h1", counts(p, 1, m));
            assert_eq!(run.makespan_bubble, p - 1, "{p} {m}");
            assert_eq!(run.live, vec![p; p as usize]);
        }
    }
}

#[test]
fn paddles_zbh1_idles_for_longer_than_zb_h1() {
    for (p, m) in grid(|p| 2 * p) {
        assert_eq!(timed("ZBH1", counts(p, 1, m)).makespan_bubble, 2 * p - 3, "{p} {m}");
    }
}

#[test]
fn no_stage_of_zb_h2_and_zbv_idles_inside_where_m_is_2p_or_more() {
    for (p, m) in grid(|p| 2 * p) {
        let h2 = timed("zb-h2", counts(p, 1, m));
        assert_eq!((h2.span_bubble, h2.makespan_bubble), (0, p - 1), "{p} {m}");
        assert!(h2.live.iter().all(|&live| live < 2 * p), "{:?}", h2.live);
        let zbv = timed("zbv", counts(p, 2, m));
        assert_eq!((zbv.span_bubble, zbv.makespan_bubble), (0, p - 1), "{p} {m}");
        assert!(zbv.live.iter().all(|&live| live <= 2 * p), "{:?}", zbv.live);
    }
}

#[test]
fn a_higher_limit_of_live_activations_is_never_exceeded_and_never_makes_it_longer() {
    for (p, m) in grid(|p| p) {
        let of_limit = |limit| {
            let request = Request { live_limit: Some(limit), ..Request::new(counts(p, 1, m)) };
            run(&generate("zero-bubble", &request))
        };
        let runs: Vec<Run> = (1..=2 * p).map(of_limit).collect();
        for (run, limit) in runs.iter().zip(1..) {
            assert!(run.live.iter().all(|&live| live <= limit), "{p} {m} {limit}");
        }
        assert!(runs.windows(2).all(|pair| pair[1].makespan <= pair[0].makespan), "{p} {m}");
        let h1 = timed("zb-h1", counts(p, 1, m));
        assert_eq!(runs[p as usize - 1].makespan, h1.makespan, "{p} {m}");
        assert_eq!(
            runs[2 * p as usize - 2].span_bubble,
            timed("zb-h2", counts(p, 1, m)).span_bubble
        );
    }
}

#[test]
fn v_half_and_v_min_fit_in_their_published_memory() {
    for p in 1..=16_u32 {
        for m in [1, p, 2 * p, 3 * p + 1] {
            // Published in micro-batches, each two chunks: (p+2)/2 and (p+4)/3, rounded up.
            let half = timed("v-half", counts(p, 2, m));
            let most = *half.live.iter().max().unwrap();
            assert!(most <= 2 * (p + 2).div_ceil(2), "v-half {p} {m}: {most}");
            assert!(most <= 2 * (p / 2) + 2);
            let min = timed("v-min", counts(p, 2, m));
            let most = *min.live.iter().max().unwrap();
            assert!(most <= 2 * (p + 4).div_ceil(3), "v-min {p} {m}: {most}");
            assert!(most <= 2 * ((p + 1) / 3) + 2);
            if m >= p {
                // 1F1B idles for 6(p-1) units of a chunk's F.
                assert!(half.makespan_bubble <= 3 * (p - 1), "{p} {m}: {}", half.makespan_bubble);
                assert!(min.makespan_bubble <= 4 * (p - 1) + 1, "{p} {m}: {}", min.makespan_bubble);
            }
        }
    }
}

#[test]
fn dualpipev_and_dualpipe_idle_as_published_with_the_pair_as_one_action() {
    // (p-1)(t(F&B) + tB - 3tW) on p stages, (p/2-1)(...) for dualpipe, with 3, 2 and 1 units.
    for (p, m) in grid(|p| 2 * p) {
        let run = timed("dualpipev", counts(p, 2, m));
        assert_eq!(run.makespan_bubble, 2 * (p - 1), "{p} {m}");
        assert!(run.live.iter().all(|&live| live <= 2 * p + 1), "{p} {m}: {:?}", run.live);
        let (p, m) = (2 * (p / 2), 2 * m);
        let run = timed("dualpipe", counts(p, 2, m));
        assert_eq!(run.makespan_bubble, 2 * (p / 2 - 1), "{p} {m}");
        assert!(run.live.iter().all(|&live| live <= p + 1), "{p} {m}: {:?}", run.live);
    }
}

/// Every family, on p = 1..8, v = 1..4, m = 1..3p + 1, regrouped and not.
#[test]
fn whatever_a_family_yields_all_stages_can_run() {
    let mut yielded = vec![0; FAMILIES.len()];
    for p in 1..=8 {
        for (v, m) in (1..=4).flat_map(|v| (1..=3 * p + 1).map(move |m| (v, m))) {
            for remainder in [Remainder::Keep, Remainder::Regroup] {
                let request = Request { remainder, ..Request::new(counts(p, v, m)) };
                for (family, yielded) in FAMILIES.iter().zip(&mut yielded) {
                    *yielded += u32::from(is_sound_or_refused(family, &request));
                }
            }
        }
    }
    for (family, yielded) in FAMILIES.iter().zip(yielded) {
        assert!(yielded > 0, "{}", family.name);
    }
}

fn is_sound_or_refused(family: &Family, request: &Request) -> bool {
    let schedule = match family.generate(request) {
        Ok(schedule) => schedule,
        Err(refusal) => {
            assert!(!refusal.to_string().is_empty() && !refusal.help().is_empty());
            return false;
        }
    };
    let name = family.name;
    assert_eq!(schedule.counts(), request.counts, "{name}");
    let complete = Complete::of(&schedule).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
    assert_eq!(complete.deadlock(Receives::NonBlocking), None, "{name} {:?}", request.counts);
    assert!(simulate(&schedule, Costs::default()).is_ok(), "{name} {:?}", request.counts);
    true
}

/// Which families take every number of micro-batches, fewer than stages included.
#[test]
fn any_number_of_micro_batches_is_taken_where_the_conditions_say_so() {
    for family in FAMILIES {
        let chunks = (1..=4).filter(|&chunks| family.chunks.takes(chunks));
        let refused = chunks
            .flat_map(|v| (1..=6).map(move |p| (v, p)))
            .flat_map(|(v, p)| (1..=3 * p).map(move |m| counts(p, v, m)))
            .filter(|&counts| family.generate(&Request::new(counts)).is_err())
            .count();
        assert_eq!(refused == 0, family.conditions.starts_with("any m"), "{}", family.name);
    }
}

#[test]
fn groups_deadlock_where_so_few_are_left_over_that_the_law_says_so() {
    for (p, v) in (2..=8).flat_map(|p| (2..=4).map(move |v| (p, v))) {
        for (g, m) in (p..=p + 4).flat_map(|g| (g..=3 * g).map(move |m| (g, m))) {
            let left_over = m % g;
            let least = if v == 2 { 2 } else { 1 };
            let is_expected = least <= left_over && left_over + g + 3 <= 2 * p;
            let request = Request { group: Some(g), ..Request::new(counts(p, v, m)) };
            let of = |family| families::find(family).unwrap().generate(&request);
            let is_deadlock = matches!(of("interleaved"), Err(Refusal::Deadlock { .. }));
            assert_eq!(is_deadlock, is_expected, "{p} {v} {g} {m}");
            assert!(of("interleaved-zero-bubble").is_ok(), "{p} {v} {g} {m}");
        }
    }
}

#[test]
fn regrouping_takes_every_number_of_micro_batches() {
    for (family, least) in [("interleaved", 1), ("interleaved-zero-bubble", 1), ("VPP", 8)] {
        for m in least..=33 {
            let request =
                Request { remainder: Remainder::Regroup, ..Request::new(counts(8, 3, m)) };
            generate(family, &request);
        }
    }
}

#[test]
fn a_refusal_names_what_to_take_and_that_is_taken() {
    let refused = |family: &str, request: &Request| {
        let refusal = families::find(family).unwrap().generate(request).unwrap_err();
        format!("{} {refusal}; {}", refusal.code(), refusal.help())
    };
    let of = |p, v, m| Request::new(counts(p, v, m));
    assert_eq!(
        refused("1F1B", &of(4, 1, 3)),
        "E0344 `1F1B` on 4 stages takes 4 micro-batches or more, not 3; take 4 micro-batches"
    );
    assert_eq!(
        refused("Eager1F1B", &of(4, 1, 5)),
        "E0344 `Eager1F1B` on 4 stages takes 7 micro-batches or more, not 5; take 7 micro-batches"
    );
    assert_eq!(
        refused("dualpipe", &of(4, 2, 11)),
        "E0344 `dualpipe` on 4 stages takes an even number of micro-batches, 8 or more, not 11; \
         take 10 or 12 micro-batches"
    );
    assert_eq!(
        refused("dualpipe", &of(4, 2, 7)),
        "E0344 `dualpipe` on 4 stages takes an even number of micro-batches, 8 or more, not 7; \
         take 8 micro-batches"
    );
    assert_eq!(
        refused("dualpipe", &of(5, 2, 20)),
        "E0343 `dualpipe` takes an even number of stages, not 5; take 4 or 6 stages"
    );
    assert_eq!(
        refused("zbv", &of(4, 3, 8)),
        "E0342 `zbv` takes two chunks on a stage, not 3; take two chunks on a stage"
    );
    assert_eq!(
        refused("interleaved", &of(4, 3, 5)),
        "E0348 `interleaved` with 4 stages, 3 chunks and 5 micro-batches deadlocks: \
         stages 0 and 3 wait for each other in a circle; \
         take 4 or 6 micro-batches, or regroup those that fill no group of their own"
    );
    assert_eq!(
        refused("interleaved", &Request { group: Some(3), ..of(4, 2, 8) }),
        "E0346 a group of 3 micro-batches is not one for `interleaved`: expected 4 to 8; \
         take a group of 4 to 8"
    );
    assert_eq!(
        refused("gpipe", &Request { group: Some(3), ..of(4, 1, 8) }),
        "E0345 `gpipe` has no group size; leave the option out"
    );
    assert_eq!(
        refused("zero-bubble", &Request { live_limit: Some(0), ..of(4, 1, 8) }),
        "E0347 0 live activations are too few for `zero-bubble`: expected at least 1; \
         allow 1 live activations or more"
    );
}

#[test]
fn an_option_is_taken_only_by_the_families_that_have_it() {
    let ask = |option: FamilyOption, request: Request| match option {
        FamilyOption::SplitBackward => Request { backward: BackwardMode::Split, ..request },
        FamilyOption::Form => Request { form: Form::Legacy, ..request },
        FamilyOption::ShardingReduce => {
            Request { sharding_reduce: ShardingReduce::Overlapped, ..request }
        }
        FamilyOption::Group => Request { group: Some(4), ..request },
        FamilyOption::LiveLimit => Request { live_limit: Some(4), ..request },
    };
    for family in FAMILIES {
        let chunks = (1..=3).find(|&chunks| family.chunks.takes(chunks)).unwrap();
        let request = Request::new(counts(4, chunks, 16));
        for option in FamilyOption::ALL {
            let is_refused = matches!(
                family.generate(&ask(option, request)),
                Err(Refusal::NoSuchOption { option: refused, .. }) if refused == option
            );
            assert_eq!(is_refused, !family.options.contains(&option), "{} {option}", family.name);
        }
    }
}

#[test]
fn the_legacy_form_of_vpp_computes_in_the_order_of_the_current_one() {
    for p in 1..=8 {
        for (v, m) in (1..=4).flat_map(|v| (p..=3 * p + 1).map(move |m| (v, m))) {
            let request = Request::new(counts(p, v, m));
            let legacy = Request { form: Form::Legacy, ..request };
            let vpp = families::find("VPP").unwrap();
            let (Ok(current), Ok(legacy)) = (vpp.generate(&request), vpp.generate(&legacy)) else {
                assert!(vpp.generate(&request).is_err() && vpp.generate(&legacy).is_err());
                continue;
            };
            for (stage, jobs) in current.stages() {
                let is_message =
                    |kind| matches!(kind, JobKind::RecvForward | JobKind::SendBackward);
                let computations: Vec<_> =
                    jobs.iter().filter(|job| !is_message(job.kind())).copied().collect();
                assert_eq!(legacy.stage(stage).unwrap(), computations, "{p} {v} {m}");
            }
        }
    }
}

#[test]
fn an_overlapped_reduction_is_in_the_last_weight_half_of_each_chunk() {
    let request = Request {
        backward: BackwardMode::Split,
        sharding_reduce: ShardingReduce::Overlapped,
        ..Request::new(counts(2, 2, 2))
    };
    assert_eq!(
        generate("VPP", &request).to_string().lines().next().unwrap(),
        "forward0:0 forward0:1 forward1:0 forward1:1 backward_b1:0 backward_b1:1 backward_b0:0 \
         backward_b0:1 backward_w1:0 backward_w1_reduce:1 backward_w0:0 backward_w0_reduce:1 \
         optimizer:0"
    );
}

#[test]
fn dualpipe_lays_the_model_both_ways_and_the_v_families_in_a_v() {
    let shape = |family| generate(family, &Request::new(counts(4, 2, 8))).placement().shape();
    assert_eq!(shape("dualpipe"), Shape::BothWays);
    assert!(["zbv", "v-half", "v-min", "dualpipev"].iter().all(|family| shape(family) == Shape::V));
    assert_eq!(shape("interleaved"), Shape::Looped);
}

/// Two stages and eight micro-batches, four in each direction, by hand from the law: each stage runs what
/// `dualpipev` runs on its only stage, its own direction first.
#[test]
fn dualpipe_on_two_stages_is_as_written_by_hand() {
    let schedule = generate("dualpipe", &Request::new(counts(2, 2, 8)));
    assert_eq!(
        schedule.to_string(),
        "forward0:0 forward1:4 forward0:1 backward1:4 forward1:5 backward0:0 forward0:2 \
         backward1:5 forward1:6 backward0:1 forward0:3 backward1:6 forward1:7 backward0:2 \
         backward1:7 backward_b0:3 backward_w0:3 optimizer:0\n\
         forward1:4 forward0:0 forward1:5 backward0:0 forward0:1 backward1:4 forward1:6 \
         backward0:1 forward0:2 backward1:5 forward1:7 backward0:2 forward0:3 backward1:6 \
         backward0:3 backward_b1:7 backward_w1:7 optimizer:0\n"
    );
    assert_eq!(schedule.fused_pairs(), [4, 6, 8, 10, 12, 22, 24, 26, 28, 30]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_family_with_any_options_yields_what_all_stages_can_run_or_refuses(
        family in prop::sample::select(FAMILIES),
        (p, v, m) in (1..=9_u32, 1..=4_u32, 1..=30_u32),
        group in prop::option::weighted(0.3, 1..=30_u32),
        live_limit in prop::option::weighted(0.3, 0..=20_u32),
        is_regrouped in any::<bool>(),
    ) {
        let remainder = if is_regrouped { Remainder::Regroup } else { Remainder::Keep };
        let request = Request { group, live_limit, remainder, ..Request::new(counts(p, v, m)) };
        is_sound_or_refused(&family, &request);
    }
}
