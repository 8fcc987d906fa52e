//! A clock for the laws of the families, apart from anything the crate has: F, I and W take one unit, B two,
//! messages nothing; the jobs of a fused pair begin together and end together.

use pirogue_schedule::{Dependences, JobKind, Schedule, Stage};

/// How a schedule went.
pub struct Run {
    /// From the first job to the last.
    pub makespan: u32,
    /// The longest idle time of a stage from the first job of any to the last of any.
    pub makespan_bubble: u32,
    /// The longest idle time of a stage between its own first and last job.
    pub span_bubble: u32,
    /// The most live activations of each stage.
    pub live: Vec<u32>,
}

fn duration(kind: JobKind) -> u32 {
    match kind {
        JobKind::Backward => 2,
        kind if kind.is_computation() => 1,
        _ => 0,
    }
}

/// Runs all stages, or nothing where they cannot come to an end.
pub fn run(schedule: &Schedule) -> Option<Run> {
    let dependences = Dependences::of(schedule);
    let mut ends: Vec<Option<u32>> = vec![None; schedule.jobs().len()];
    let begins: Vec<usize> = schedule
        .stages()
        .scan(0, |begin, (_, jobs)| Some(std::mem::replace(begin, *begin + jobs.len())))
        .collect();
    let mut done = vec![0; begins.len()];
    let mut is_stuck = false;
    while !is_stuck {
        is_stuck = true;
        for (stage, jobs) in schedule.stages() {
            let (index, done) = (stage.0 as usize, &mut done[stage.0 as usize]);
            while *done < jobs.len() {
                let first = begins[index] + *done;
                let count = if schedule.is_fused_with_next(first) { 2 } else { 1 };
                let action = first..first + count;
                let Some(start) = start(&dependences, stage, action.clone(), &ends) else { break };
                let after = if *done == 0 { 0 } else { ends[first - 1].unwrap() };
                let takes: u32 =
                    action.clone().map(|at| duration(schedule.jobs()[at].kind())).sum();
                ends[action].fill(Some(start.max(after) + takes));
                *done += count;
                is_stuck = false;
            }
        }
    }
    ends.iter().all(Option::is_some).then(|| summary(schedule, &begins, &ends))
}

/// When all that an action builds on, but for itself, has ended.
fn start(
    dependences: &Dependences<'_>,
    stage: Stage,
    action: std::ops::Range<usize>,
    ends: &[Option<u32>],
) -> Option<u32> {
    let mut start = 0;
    for index in action.clone() {
        let job = dependences.schedule().jobs()[index];
        for dependence in dependences.of_job(stage, job) {
            assert!(!action.contains(&dependence.on), "the jobs of a pair build on each other");
            start = start.max(ends[dependence.on]?);
        }
    }
    Some(start)
}

fn summary(schedule: &Schedule, begins: &[usize], ends: &[Option<u32>]) -> Run {
    let makespan = ends.iter().flatten().copied().max().unwrap_or(0);
    let mut run = Run { makespan, makespan_bubble: 0, span_bubble: 0, live: Vec::new() };
    for (stage, jobs) in schedule.stages() {
        let begin = begins[stage.0 as usize];
        let work: u32 = jobs.iter().map(|job| duration(job.kind())).sum();
        let count = if schedule.is_fused_with_next(begin) { 2 } else { 1 };
        let first: u32 = jobs[..count].iter().map(|job| duration(job.kind())).sum();
        let own_begin = ends[begin].unwrap() - first;
        let own_end = ends[begin + jobs.len() - 1].unwrap();
        run.makespan_bubble = run.makespan_bubble.max(makespan - work);
        run.span_bubble = run.span_bubble.max(own_end - own_begin - work);
        let (mut live, mut most) = (0, 0);
        for job in jobs {
            match job.kind() {
                JobKind::Forward => live += 1,
                JobKind::Backward => live -= 1,
                kind if kind.is_weight_half() => live -= 1,
                _ => {}
            }
            most = most.max(live);
        }
        run.live.push(most);
    }
    run
}
