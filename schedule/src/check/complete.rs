//! Is each list complete and in order by itself?
//!
//! One pass over a list notes where each job of each step stands; then every step is held against the rules:
//! [`ORDER`] says what must come before what, [`List::required`] what must be there at all.

use super::{Fault, MAX_FAULTS};
use crate::counts::{Chunk, Counts, MicroBatch, Stage};
use crate::job::{Job, JobKind, JobType};
use crate::placement::Placement;
use crate::schedule::Schedule;
use crate::traffic::Traffic;

/// What must come before what, where both are there.
const ORDER: [(JobKind, JobKind); 6] = [
    (JobKind::RecvForward, JobKind::Forward),
    (JobKind::Forward, JobKind::Backward),
    (JobKind::Forward, JobKind::BackwardInput),
    (JobKind::BackwardInput, JobKind::BackwardWeight),
    (JobKind::Backward, JobKind::SendBackward),
    (JobKind::BackwardInput, JobKind::SendBackward),
];

/// The halves of a backward.
const HALVES: [JobKind; 2] = [JobKind::BackwardInput, JobKind::BackwardWeight];

/// The first faults of all lists.
pub(super) fn faults(schedule: &Schedule, traffic: Traffic<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut places = vec![Places::default(); schedule.counts().steps() as usize];
    for (stage, jobs) in schedule.stages() {
        let list = List::new(stage, jobs, schedule, traffic);
        list.collect_faults(&mut places, &mut faults);
        if faults.len() >= MAX_FAULTS {
            faults.truncate(MAX_FAULTS);
            break;
        }
    }
    faults
}

/// Where the jobs of one step stand in the list: for each kind but the optimizer one more than the index, or
/// 0 where there is none.
#[derive(Clone, Copy, Default)]
struct Places([u32; JobKind::ALL.len() - 1]);

impl Places {
    fn of(self, kind: JobKind) -> Option<u32> {
        Some(self.0[kind as usize]).filter(|&place| place != 0)
    }

    fn has(self, kind: JobKind) -> bool {
        self.of(kind).is_some()
    }
}

/// The place of a kind in [`Places`]: the weight half is one, with or without a reduction.
fn column(kind: JobKind) -> usize {
    match kind {
        JobKind::BackwardWeightReduce => JobKind::BackwardWeight as usize,
        kind => kind as usize,
    }
}

/// The list of one stage and the form it is in.
struct List<'a> {
    stage: Stage,
    jobs: &'a [Job],
    counts: Counts,
    traffic: Traffic<'a>,
    placement: &'a Placement,
    /// Whether job types name their chunk.
    has_chunks: bool,
    /// Whether there are backwards in halves.
    has_halves: bool,
}

impl<'a> List<'a> {
    fn new(stage: Stage, jobs: &'a [Job], schedule: &'a Schedule, traffic: Traffic<'a>) -> Self {
        Self {
            stage,
            jobs,
            counts: schedule.counts(),
            traffic,
            placement: schedule.placement(),
            has_chunks: jobs.iter().any(|job| job.job_type.chunk().is_some()),
            has_halves: jobs.iter().any(|job| HALVES.contains(&job.kind())),
        }
    }

    /// Appends the faults of this list: all, or at least so many that there are [`MAX_FAULTS`].
    fn collect_faults(&self, places: &mut [Places], faults: &mut Vec<Fault>) {
        places.fill(Places::default());
        self.note_places(places, faults);
        self.collect_after_optimizer(faults);
        for chunk in self.counts.each_chunk() {
            for micro_batch in 0..self.counts.micro_batches() {
                if faults.len() >= MAX_FAULTS {
                    return;
                }
                let step = (chunk, MicroBatch(micro_batch));
                if !self.placement.runs(self.stage, step.0, step.1) {
                    continue;
                }
                self.collect_step(step, places[self.counts.cell(step.0, step.1)], faults);
            }
        }
    }

    /// Notes where each job stands. A second one of the same kind is a fault.
    fn note_places(&self, places: &mut [Places], faults: &mut Vec<Fault>) {
        for (index, &job) in self.jobs.iter().enumerate() {
            if job.kind() == JobKind::Optimizer {
                continue;
            }
            let cell = self.counts.cell(job.job_type.chunk_or_first(), job.micro_batch);
            let place = &mut places[cell].0[column(job.kind())];
            if *place == 0 {
                *place = index as u32 + 1;
            } else if faults.len() < MAX_FAULTS {
                faults.push(Fault::Repeated { stage: self.stage, job });
            }
        }
    }

    /// Nothing follows the optimizer.
    fn collect_after_optimizer(&self, faults: &mut Vec<Fault>) {
        let mut jobs = self.jobs.iter().copied();
        let Some(optimizer) = jobs.find(|job| job.kind() == JobKind::Optimizer) else {
            return;
        };
        let stage = self.stage;
        faults.extend(jobs.take(MAX_FAULTS).map(|job| match job.kind() {
            JobKind::Optimizer => Fault::Repeated { stage, job },
            _ => Fault::OutOfOrder { stage, job: optimizer, needs: job },
        }));
    }

    /// Holds the jobs of one step against the rules.
    fn collect_step(&self, step: (Chunk, MicroBatch), places: Places, faults: &mut Vec<Fault>) {
        let stage = self.stage;
        let job = |kind| self.job(kind, step);
        for kind in JobKind::ALL {
            if self.required(kind, places) && !places.has(kind) {
                faults.push(Fault::Missing { stage, job: job(kind) });
            }
        }
        for (before, after) in ORDER {
            if let (Some(first), Some(second)) = (places.of(before), places.of(after))
                && first > second
            {
                faults.push(Fault::OutOfOrder { stage, job: job(after), needs: job(before) });
            }
        }
        let half = HALVES.into_iter().find(|&half| places.has(half));
        if let (true, Some(half)) = (places.has(JobKind::Backward), half) {
            let (job, other) = (job(JobKind::Backward), job(half));
            faults.push(Fault::WholeAndSplit { stage, job, other });
        }
    }

    /// Whether a step needs a job of this kind, given what else it has. A step without any backward lacks it
    /// in the form that the rest of the list has.
    fn required(&self, kind: JobKind, places: Places) -> bool {
        let has_half = HALVES.into_iter().any(|half| places.has(half));
        let whole = places.has(JobKind::Backward) || !(has_half || self.has_halves);
        match kind {
            JobKind::Forward => true,
            JobKind::RecvForward => self.traffic.receives_are_jobs(),
            JobKind::SendBackward => self.traffic.sends_are_jobs(),
            JobKind::Backward => whole,
            JobKind::BackwardInput | JobKind::BackwardWeight => !whole,
            _ => false,
        }
    }

    fn job(&self, kind: JobKind, (chunk, micro_batch): (Chunk, MicroBatch)) -> Job {
        let chunk = self.has_chunks.then_some(chunk);
        Job::new(JobType::new(kind, chunk), micro_batch)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Complete;
    use crate::schedule::Schedule;

    /// The faults of a list, one a line.
    fn faults(list: &str) -> String {
        let schedule: Schedule = list.parse().unwrap();
        let faults = Complete::of(&schedule).err().unwrap_or_default();
        let lines: Vec<String> =
            faults.iter().map(|fault| format!("{} {fault}", fault.code())).collect();
        lines.join("\n")
    }

    #[test]
    fn every_form_of_a_complete_list_passes() {
        for list in [
            "forward:0 backward:0",
            "forward0:0 backward0:0 optimizer:0",
            "recv_forward0:0 forward0:0 backward0:0 send_backward0:0 optimizer:0",
            "forward0:0 forward0:1 backward0:0 backward_b0:1 backward_w0:1",
        ] {
            assert_eq!(faults(list), "", "{list}");
        }
    }

    #[test]
    fn a_missing_job_is_named_in_the_form_of_the_list() {
        assert_eq!(
            faults("forward:0 forward:1 backward:1"),
            "E0311 stage 0: `backward:0` is missing"
        );
        assert_eq!(
            faults("forward0:0 forward0:1 backward_b0:1 backward_w0:1 backward_b0:0"),
            "E0311 stage 0: `backward_w0:0` is missing"
        );
        assert_eq!(
            faults("recv_forward0:0 forward0:0 forward0:1 backward0:0 backward0:1"),
            "E0311 stage 0: `recv_forward0:1` is missing"
        );
        assert_eq!(
            faults("forward0:0 backward0:0 send_backward0:0 forward0:1 backward0:1"),
            "E0311 stage 0: `send_backward0:1` is missing"
        );
    }

    #[test]
    fn a_job_that_is_there_twice_is_found() {
        assert_eq!(
            faults("forward0:0 forward0:0 backward0:0"),
            "E0312 stage 0: `forward0:0` is there more than once"
        );
        assert_eq!(
            faults("forward0:0 backward0:0 optimizer:0 optimizer:0"),
            "E0312 stage 0: `optimizer:0` is there more than once"
        );
    }

    #[test]
    fn a_backward_is_whole_or_in_halves() {
        assert_eq!(
            faults("forward0:0 backward0:0 backward_w0:0"),
            "E0313 stage 0: `backward0:0` is there, but also `backward_w0:0`"
        );
    }

    #[test]
    fn each_step_goes_receive_forward_backward_send() {
        assert_eq!(
            faults("forward0:0 recv_forward0:0 send_backward0:0 backward0:0"),
            "E0314 stage 0: `forward0:0` stands before `recv_forward0:0`\n\
             E0314 stage 0: `send_backward0:0` stands before `backward0:0`"
        );
        assert_eq!(
            faults("backward0:0 forward0:0"),
            "E0314 stage 0: `backward0:0` stands before `forward0:0`"
        );
        assert_eq!(
            faults("forward0:0 backward_w0:0 backward_b0:0"),
            "E0314 stage 0: `backward_w0:0` stands before `backward_b0:0`"
        );
        assert_eq!(
            faults("forward0:0 optimizer:0 backward0:0"),
            "E0314 stage 0: `optimizer:0` stands before `backward0:0`"
        );
    }

    #[test]
    fn a_step_that_only_one_stage_has_is_missing_on_the_others() {
        assert_eq!(
            faults("forward0:0 backward0:0\nforward0:0 backward0:0 forward0:1 backward0:1"),
            "E0311 stage 0: `forward0:1` is missing\nE0311 stage 0: `backward0:1` is missing"
        );
    }

    #[test]
    fn a_hopeless_list_is_cut_short() {
        assert_eq!(faults("forward0:1000").lines().count(), super::MAX_FAULTS);
    }
}
