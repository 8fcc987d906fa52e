//! Is each list complete and in order by itself?
//!
//! One pass over a list notes where each job of each step stands; then every step is held against the rules:
//! [`ORDER`] says what must come before what, [`List::required`] what must be there at all. Which kinds of job
//! that send, receive, wait or reduce must be there is a matter of the [`Form`] of all lists.

use super::form::{Form, Presence};
use super::{Fault, MAX_FAULTS};
use crate::counts::{Chunk, Counts, MicroBatch, Stage};
use crate::job::{Job, JobKind, JobType};
use crate::placement::Placement;
use crate::schedule::Schedule;
use crate::traffic::Traffic;

/// What must come before what in a step, where both are there.
const ORDER: [(JobKind, JobKind); 14] = [
    (JobKind::RecvForward, JobKind::Forward),
    (JobKind::Forward, JobKind::SendForward),
    (JobKind::Forward, JobKind::WaitSendForward),
    (JobKind::SendForward, JobKind::WaitSendForward),
    (JobKind::Forward, JobKind::Backward),
    (JobKind::Forward, JobKind::BackwardInput),
    (JobKind::RecvBackward, JobKind::Backward),
    (JobKind::RecvBackward, JobKind::BackwardInput),
    (JobKind::BackwardInput, JobKind::BackwardWeight),
    (JobKind::Backward, JobKind::SendBackward),
    (JobKind::BackwardInput, JobKind::SendBackward),
    (JobKind::Backward, JobKind::WaitSendBackward),
    (JobKind::BackwardInput, JobKind::WaitSendBackward),
    (JobKind::SendBackward, JobKind::WaitSendBackward),
];

/// The halves of a backward.
const HALVES: [JobKind; 2] = [JobKind::BackwardInput, JobKind::BackwardWeight];

/// The first faults of all lists.
pub(super) fn faults(schedule: &Schedule, traffic: Traffic<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let form = Form::of(schedule, traffic);
    let mut places = vec![Places::default(); schedule.counts().steps() as usize];
    for (stage, jobs) in schedule.stages() {
        let list = List::new(stage, jobs, schedule, &form);
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
    placement: &'a Placement,
    form: &'a Form<'a>,
    /// Whether job types name their chunk.
    has_chunks: bool,
    /// Whether there are backwards in halves.
    has_halves: bool,
}

impl<'a> List<'a> {
    fn new(stage: Stage, jobs: &'a [Job], schedule: &'a Schedule, form: &'a Form<'a>) -> Self {
        Self {
            stage,
            jobs,
            counts: schedule.counts(),
            placement: schedule.placement(),
            form,
            has_chunks: jobs.iter().any(|job| job.job_type.chunk().is_some()),
            has_halves: jobs.iter().any(|job| HALVES.contains(&job.kind())),
        }
    }

    /// Appends the faults of this list: all, or at least so many that there are [`MAX_FAULTS`].
    fn collect_faults(&self, places: &mut [Places], faults: &mut Vec<Fault>) {
        let does_nothing = self.jobs.iter().all(|job| job.kind() == JobKind::Optimizer);
        if does_nothing && self.placement.chunks_of(self.stage) > 0 {
            faults.push(Fault::Idle { stage: self.stage });
            return;
        }
        places.fill(Places::default());
        self.note_places(places, faults);
        self.collect_beyond(faults);
        self.collect_optimizer(faults);
        for chunk in self.counts.each_chunk() {
            if self.placement.part(self.stage, chunk).is_none() {
                continue;
            }
            self.collect_reductions(chunk, places, faults);
            for micro_batch in 0..self.form.micro_batches() {
                if faults.len() >= MAX_FAULTS {
                    return;
                }
                let step = (chunk, MicroBatch(micro_batch));
                if self.placement.runs(self.stage, step.0, step.1) {
                    self.collect_step(step, places[self.counts.cell(step.0, step.1)], faults);
                }
            }
        }
    }

    /// Notes where each job stands. A second one of the same kind is a fault, and one that the form of the
    /// lists has no place for.
    fn note_places(&self, places: &mut [Places], faults: &mut Vec<Fault>) {
        let stage = self.stage;
        for (index, &job) in self.jobs.iter().enumerate() {
            if self.form.has_no_place_for(stage, job) && faults.len() < MAX_FAULTS {
                faults.push(Fault::Unneeded { stage, job });
                continue;
            }
            if job.kind() == JobKind::Optimizer {
                continue;
            }
            let cell = self.counts.cell(job.job_type.chunk_or_first(), job.micro_batch);
            let place = &mut places[cell].0[column(job.kind())];
            if *place == 0 {
                *place = index as u32 + 1;
            } else if faults.len() < MAX_FAULTS {
                faults.push(Fault::Repeated { stage, job });
            }
        }
    }

    /// No job is for a micro-batch that the other stages have not.
    fn collect_beyond(&self, faults: &mut Vec<Fault>) {
        let micro_batches = self.form.micro_batches();
        let is_beyond =
            |job: &&Job| job.kind().is_per_micro_batch() && job.micro_batch.0 >= micro_batches;
        let job = self.jobs.iter().find(is_beyond);
        faults.extend(job.map(|&job| Fault::Beyond { stage: self.stage, job, micro_batches }));
    }

    /// Nothing follows the optimizer, and if any stage has one, this one has.
    fn collect_optimizer(&self, faults: &mut Vec<Fault>) {
        let mut jobs = self.jobs.iter().copied();
        let stage = self.stage;
        let Some(optimizer) = jobs.find(|job| job.kind() == JobKind::Optimizer) else {
            if self.form.has(JobKind::Optimizer) {
                faults.push(Fault::Missing { stage, job: Job::OPTIMIZER });
            }
            return;
        };
        faults.extend(jobs.take(MAX_FAULTS).map(|job| match job.kind() {
            JobKind::Optimizer => Fault::Repeated { stage, job },
            _ => Fault::OutOfOrder { stage, job: optimizer, needs: job },
        }));
    }

    /// The reduction of a chunk's gradients comes after all of them, and its end after its start.
    fn collect_reductions(&self, chunk: Chunk, places: &[Places], faults: &mut Vec<Fault>) {
        let stage = self.stage;
        let first = places[self.counts.cell(chunk, MicroBatch(0))];
        for kind in [JobKind::ReduceGradient, JobKind::WaitReduceGradient] {
            if self.form.has(kind) && !first.has(kind) {
                faults.push(Fault::Missing { stage, job: self.job(kind, (chunk, MicroBatch(0))) });
            }
        }
        let start = first.of(JobKind::ReduceGradient);
        let end = first.of(JobKind::WaitReduceGradient);
        if let (Some(start), Some(end)) = (start, end)
            && end < start
        {
            let (job, needs) = (self.job_at(end), self.job_at(start));
            faults.push(Fault::OutOfOrder { stage, job, needs });
        }
        self.collect_early_reduction(chunk, start.or(end), faults);
    }

    /// Whatever reduces the gradients of a chunk comes after all that make them.
    fn collect_early_reduction(
        &self,
        chunk: Chunk,
        reduction: Option<u32>,
        faults: &mut Vec<Fault>,
    ) {
        let reduces = self.form.has(JobKind::BackwardWeightReduce);
        if reduction.is_none() && !reduces {
            return;
        }
        let stage = self.stage;
        let is_gradient = |job: &Job| {
            (job.kind() == JobKind::Backward || job.kind().is_weight_half())
                && job.job_type.chunk_or_first() == chunk
        };
        let Some(last) = self.jobs.iter().rposition(is_gradient) else { return };
        let needs = self.jobs[last];
        if let Some(place) = reduction.filter(|&place| place as usize <= last) {
            faults.push(Fault::OutOfOrder { stage, job: self.job_at(place), needs });
        }
        if !reduces {
            return;
        }
        let reducing = |job: &&Job| job.kind() == JobKind::BackwardWeightReduce && is_gradient(job);
        match self.jobs.iter().find(reducing) {
            Some(&job) if job != needs => {
                faults.push(Fault::OutOfOrder { stage, job, needs });
            }
            Some(_) => {}
            None => {
                let step = (chunk, needs.micro_batch);
                let job = self.job(JobKind::BackwardWeightReduce, step);
                faults.push(Fault::Missing { stage, job });
            }
        }
    }

    /// Holds the jobs of one step against the rules.
    fn collect_step(&self, step: (Chunk, MicroBatch), places: Places, faults: &mut Vec<Fault>) {
        let stage = self.stage;
        let job = |kind| self.job(kind, step);
        for kind in JobKind::ALL {
            if self.required(kind, step, places) && !places.has(kind) {
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
    fn required(&self, kind: JobKind, step: (Chunk, MicroBatch), places: Places) -> bool {
        let has_half = HALVES.into_iter().any(|half| places.has(half));
        let whole = places.has(JobKind::Backward) || !(has_half || self.has_halves);
        match kind {
            JobKind::Forward => true,
            JobKind::Backward => whole,
            JobKind::BackwardInput | JobKind::BackwardWeight => !whole,
            kind => match self.form.presence(kind) {
                Presence::Nowhere => false,
                Presence::Everywhere => true,
                Presence::WithMessages => self.form.carries(self.stage, self.job(kind, step)),
            },
        }
    }

    fn job(&self, kind: JobKind, (chunk, micro_batch): (Chunk, MicroBatch)) -> Job {
        let chunk = self.has_chunks.then_some(chunk);
        Job::new(JobType::new(kind, chunk), micro_batch)
    }

    /// The job at a place as [`Places`] notes it.
    fn job_at(&self, place: u32) -> Job {
        self.jobs[place as usize - 1]
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
