//! The `VPP` lists equal Paddle's on a grid: every stage, job by job.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use pirogue_schedule::BackwardMode::{Split, Whole};
use pirogue_schedule::{Chunk, Job, JobKind, JobType, MicroBatch, Stage, Vpp};
use support::{backward_modes, data_lines, vpp};

const LISTS: &str = include_str!("data/paddle_vpp_lists.txt");

/// The distinct lists of the fixture, as groups, and its rows.
fn fixture() -> (Vec<Vec<&'static str>>, Vec<&'static str>) {
    let mut lines = data_lines(LISTS);
    let mut all: Vec<&str> = Vec::new();
    let lists = lines
        .by_ref()
        .take_while(|line| !line.is_empty())
        .map(|line| {
            let begin = all.len();
            line.split(' ').for_each(|item| append(item, &mut all));
            all[begin..].to_vec()
        })
        .collect();
    (lists, lines.collect())
}

/// Appends a group, or the groups that `@n+k` stands for.
fn append<'a>(item: &'a str, all: &mut Vec<&'a str>) {
    let Some(copy) = item.strip_prefix('@') else {
        all.push(item);
        return;
    };
    let (begin, count) = copy.split_once('+').unwrap();
    let (begin, count): (usize, usize) = (begin.parse().unwrap(), count.parse().unwrap());
    all.extend_from_within(begin..begin + count);
}

/// The jobs of a list.
fn jobs(groups: &[&str]) -> Vec<Job> {
    groups.iter().flat_map(|group| jobs_of_group(group)).collect()
}

fn jobs_of_group(group: &str) -> Vec<Job> {
    let (name, range) = group.split_once(':').unwrap();
    let (code, chunk) = name.split_at(1);
    let kind = match code {
        "r" => JobKind::RecvForward,
        "f" => JobKind::Forward,
        "b" => JobKind::Backward,
        "s" => JobKind::SendBackward,
        "B" => JobKind::BackwardInput,
        "W" => JobKind::BackwardWeight,
        "o" => JobKind::Optimizer,
        _ => panic!("`{code}` is not a code"),
    };
    let chunk = (!chunk.is_empty()).then(|| Chunk(chunk.parse().unwrap()));
    let job_type = JobType::new(kind, chunk);
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let micro_batches = first.parse::<u32>().unwrap()..=last.parse().unwrap();
    micro_batches.map(|number| Job::new(job_type, MicroBatch(number))).collect()
}

#[test]
fn every_list_of_every_stage_equals_paddles_and_what_paddle_refuses_is_refused() {
    let (lists, rows) = fixture();
    let mut equal = 0;
    let mut refused = 0;
    for row in rows {
        let fields: Vec<&str> = row.split(' ').collect();
        let [stages, chunks, micro_batches, flags, of_stages @ ..] = fields.as_slice() else {
            panic!("`{row}` is not a row");
        };
        let [stages, chunks, micro_batches] =
            [stages, chunks, micro_batches].map(|count| count.parse::<u64>().unwrap());
        for backward in backward_modes(flags) {
            if *of_stages == ["!AssertionError"] {
                let error = Vpp::new(stages, chunks, micro_batches, backward).unwrap_err();
                assert_eq!(error.code(), "E0304", "{row}");
                refused += 1;
                continue;
            }
            let vpp = vpp(stages, chunks, micro_batches, backward);
            let schedule = vpp.schedule();
            assert_eq!(of_stages.len() as u64, stages);
            for (stage, list) in (0..).map(Stage).zip(of_stages) {
                let expected = jobs(&lists[list.parse::<usize>().unwrap()]);
                assert!(vpp.jobs(stage).unwrap() == expected, "stage {stage} of {row}");
                assert!(schedule.stage(stage).unwrap() == expected, "stage {stage} of {row}");
                equal += 1;
            }
        }
    }
    // The grid: pp_degree 1..8, vpp_degree 1..4, num_micro_batches 1..24, both flags: 1536 points, of which
    // 4 * 2 * (0 + 1 + ... + 7) have fewer micro-batches than stages.
    assert_eq!((equal, refused), (5568, 224));
}

#[test]
fn job_types_are_in_paddles_order() {
    let spelled = |vpp: Vpp| {
        let types: Vec<String> = vpp.job_types().iter().map(ToString::to_string).collect();
        types.join(" ")
    };
    assert_eq!(
        spelled(vpp(2, 2, 4, Whole)),
        "recv_forward0 forward0 recv_forward1 forward1 \
         backward1 send_backward1 backward0 send_backward0 optimizer"
    );
    assert_eq!(
        spelled(vpp(2, 2, 2, Split)),
        "forward0 forward1 backward_b1 backward_b0 backward_w1 backward_w0 optimizer"
    );
    assert_eq!(spelled(vpp(2, 2, 4, Split)), spelled(vpp(2, 2, 4, Whole)));
}

#[test]
fn every_job_is_of_a_listed_type_and_every_type_has_a_job() {
    for vpp in [vpp(3, 2, 7, Whole), vpp(3, 3, 3, Split), vpp(1, 1, 1, Whole)] {
        let mut listed = vpp.job_types();
        let mut used: Vec<JobType> = vpp.schedule().jobs().iter().map(|job| job.job_type).collect();
        listed.sort();
        used.sort();
        used.dedup();
        assert_eq!(used, listed);
    }
}
