//! What holds for every schedule: random counts, random legal lists, random damage.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod circle;

use circle::assert_is_real;
use pirogue_schedule::check::{Blocking, Complete, Receives, Sends};
use pirogue_schedule::{BackwardMode, Job, JobKind, Schedule, Stage, Vpp};
use proptest::prelude::*;

fn any_vpp() -> impl Strategy<Value = Vpp> {
    let backward = prop_oneof![Just(BackwardMode::Whole), Just(BackwardMode::Split)];
    (1..=6_u64, 1..=4_u64, 0..=14_u64, backward).prop_map(|(stages, chunks, more, backward)| {
        Vpp::new(stages, chunks, stages + more, backward).unwrap()
    })
}

fn any_receives() -> impl Strategy<Value = Receives> {
    prop_oneof![Just(Receives::NonBlocking), Just(Receives::OwnStream), Just(Receives::Blocking)]
}

/// Lists in another order than `VPP`'s, each still complete and in order by itself, with and without jobs
/// that only receive or only send.
fn any_legal_schedule() -> impl Strategy<Value = Schedule> {
    let left_out =
        prop::sample::subsequence(vec![JobKind::RecvForward, JobKind::SendBackward], 0..=2);
    let moves = prop::collection::vec((any::<u32>(), any::<u32>(), 1..20_usize), 0..40);
    (any_vpp(), left_out, moves).prop_map(|(vpp, left_out, moves)| {
        let mut lists = lists(&vpp.schedule());
        for list in &mut lists {
            list.retain(|job| !left_out.contains(&job.kind()));
        }
        for (stage, place, distance) in moves {
            let count = lists.len();
            let list = &mut lists[stage as usize % count];
            let place = place as usize % list.len();
            move_forward(list, place, distance);
        }
        Schedule::from_lists(&lists).unwrap()
    })
}

fn lists(schedule: &Schedule) -> Vec<Vec<Job>> {
    schedule.stages().map(|(_, jobs)| jobs.to_vec()).collect()
}

/// Moves a job towards the front of its list, past jobs of other steps only.
fn move_forward(list: &mut [Job], place: usize, distance: usize) {
    if list[place].kind() == JobKind::Optimizer {
        return;
    }
    for place in (place.saturating_sub(distance)..place).rev() {
        if is_same_step(list[place], list[place + 1]) {
            return;
        }
        list.swap(place, place + 1);
    }
}

fn is_same_step(left: Job, right: Job) -> bool {
    left.job_type.chunk() == right.job_type.chunk() && left.micro_batch == right.micro_batch
}

/// Runs all lists by asking again and again of every job whether it can happen now.
fn runs_to_the_end(schedule: &Schedule, receives: Receives) -> bool {
    let oracle = Oracle::new(schedule, receives);
    let mut has_received: Vec<Vec<bool>> =
        oracle.lists.iter().map(|list| vec![false; list.len()]).collect();
    let mut has_run = has_received.clone();
    loop {
        let mut is_stuck = true;
        for stage in 0..oracle.lists.len() {
            for place in 0..oracle.lists[stage].len() {
                if !has_received[stage][place]
                    && oracle.can_receive(stage, place, &has_received, &has_run)
                {
                    has_received[stage][place] = true;
                    is_stuck = false;
                }
                if !has_run[stage][place] && oracle.can_run(stage, place, &has_received, &has_run) {
                    has_run[stage][place] = true;
                    is_stuck = false;
                }
            }
        }
        if is_stuck {
            return has_run.iter().flatten().all(|&has_run| has_run);
        }
    }
}

/// The rules by which [`runs_to_the_end`] decides: written apart from the crate's own.
struct Oracle {
    lists: Vec<Vec<Job>>,
    parts: usize,
    receives: Receives,
}

impl Oracle {
    fn new(schedule: &Schedule, receives: Receives) -> Self {
        let counts = schedule.counts();
        Self {
            lists: lists(schedule),
            parts: (counts.stages() * counts.chunks()) as usize,
            receives,
        }
    }

    /// The part of the model that a job works on, counted through all stages.
    fn part(&self, stage: usize, job: Job) -> usize {
        let chunk = job.job_type.chunk().map_or(0, |chunk| usize::from(chunk.0));
        chunk * self.lists.len() + stage
    }

    fn has(&self, kind: JobKind) -> bool {
        self.lists.iter().flatten().any(|job| job.kind() == kind)
    }

    /// The stage and place of a job that works on `part` and is of the first of `kinds` that there is.
    fn find(&self, part: usize, job: Job, kinds: &[JobKind]) -> (usize, usize) {
        let stage = part % self.lists.len();
        let found = kinds.iter().find_map(|&kind| {
            self.lists[stage].iter().position(|&other| {
                self.part(stage, other) == part
                    && other.micro_batch == job.micro_batch
                    && other.kind() == kind
            })
        });
        (stage, found.unwrap())
    }

    /// The job whose message this one receives.
    fn sender(&self, stage: usize, job: Job) -> Option<(usize, usize)> {
        let part = self.part(stage, job);
        let receives_apart = self.has(JobKind::RecvForward);
        match job.kind() {
            JobKind::Forward if receives_apart => None,
            JobKind::RecvForward | JobKind::Forward if part > 0 => {
                Some(self.find(part - 1, job, &[JobKind::Forward]))
            }
            JobKind::Backward | JobKind::BackwardInput if part + 1 < self.parts => {
                let senders = [JobKind::SendBackward, JobKind::Backward, JobKind::BackwardInput];
                Some(self.find(part + 1, job, &senders))
            }
            _ => None,
        }
    }

    fn can_receive(
        &self,
        stage: usize,
        place: usize,
        has_received: &[Vec<bool>],
        has_run: &[Vec<bool>],
    ) -> bool {
        let Some((sender, its_place)) = self.sender(stage, self.lists[stage][place]) else {
            return true;
        };
        let is_free = match self.receives {
            _ if self.lists.len() == 1 => true,
            Receives::NonBlocking => true,
            Receives::OwnStream => has_received[stage][..place].iter().all(|&done| done),
            Receives::Blocking => has_run[stage][..place].iter().all(|&done| done),
        };
        is_free && has_run[sender][its_place]
    }

    fn can_run(
        &self,
        stage: usize,
        place: usize,
        has_received: &[Vec<bool>],
        has_run: &[Vec<bool>],
    ) -> bool {
        let list = &self.lists[stage];
        let job = list[place];
        let blocks_all = self.receives == Receives::Blocking && self.lists.len() > 1;
        let is_computed = |kind| !matches!(kind, JobKind::RecvForward | JobKind::SendBackward);
        let mut earlier = 0..place;
        let is_free =
            match job.kind() {
                _ if blocks_all => earlier.all(|earlier| has_run[stage][earlier]),
                JobKind::RecvForward => true,
                JobKind::SendBackward => earlier
                    .all(|earlier| has_run[stage][earlier] || !is_same_step(list[earlier], job)),
                _ => earlier
                    .all(|earlier| has_run[stage][earlier] || !is_computed(list[earlier].kind())),
            };
        let is_fed = job.kind() != JobKind::Forward
            || !self.has(JobKind::RecvForward)
            || list[..place].iter().zip(&has_received[stage]).any(|(&earlier, &has_received)| {
                has_received && earlier.kind() == JobKind::RecvForward && is_same_step(earlier, job)
            });
        is_free && is_fed && has_received[stage][place]
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_list_is_complete_and_in_order(vpp in any_vpp()) {
        prop_assert!(Complete::of(&vpp.schedule()).is_ok());
    }

    #[test]
    fn a_stage_alone_is_that_stage_of_all(vpp in any_vpp()) {
        let schedule = vpp.schedule();
        prop_assert_eq!(schedule.counts(), vpp.counts());
        for (stage, jobs) in schedule.stages() {
            prop_assert_eq!(vpp.jobs(stage).unwrap(), jobs);
        }
        let beyond = Stage(vpp.counts().stages());
        prop_assert_eq!(vpp.jobs(beyond).unwrap_err().code(), "E0305");
        prop_assert_eq!(schedule.stage(beyond), None);
    }

    #[test]
    fn the_warmup_is_what_comes_before_the_first_backward(vpp in any_vpp()) {
        for (stage, jobs) in vpp.schedule().stages() {
            let is_backward =
                |job: &&Job| matches!(job.kind(), JobKind::Backward | JobKind::BackwardInput);
            let forwards = jobs.iter().take_while(|job| !is_backward(job));
            let forwards = forwards.filter(|job| job.kind() == JobKind::Forward).count();
            prop_assert_eq!(vpp.warmup(stage).unwrap() as usize, forwards);
        }
    }

    #[test]
    fn the_text_of_a_schedule_reads_back(schedule in any_legal_schedule()) {
        prop_assert_eq!(schedule.to_string().parse::<Schedule>().unwrap(), schedule);
    }

    #[test]
    fn no_text_makes_reading_panic(text in "[a-z_0-9:\\n\\t +-]{0,60}|(recv_forward|backward_w)[0-9]{0,12}:[0-9]{0,12}") {
        if let Ok(schedule) = text.parse::<Schedule>() {
            let _ = Complete::of(&schedule);
        }
    }

    #[test]
    fn a_deadlock_is_found_where_there_is_one_and_shown_as_it_is(
        schedule in any_legal_schedule(),
        receives in any_receives(),
    ) {
        let deadlock = Complete::of(&schedule).unwrap().deadlock(receives);
        prop_assert_eq!(deadlock.is_none(), runs_to_the_end(&schedule, receives), "{}", schedule);
        if let Some(deadlock) = deadlock {
            assert_is_real(&deadlock, &schedule);
        }
    }

    #[test]
    fn what_runs_with_stricter_receives_runs_with_laxer_ones(schedule in any_legal_schedule()) {
        let complete = Complete::of(&schedule).unwrap();
        let runs = |receives| complete.deadlock(receives).is_none();
        prop_assert!(runs(Receives::NonBlocking) || !runs(Receives::OwnStream));
        prop_assert!(runs(Receives::OwnStream) || !runs(Receives::Blocking));
    }

    #[test]
    fn what_runs_with_stricter_sends_runs_with_laxer_ones(
        schedule in any_legal_schedule(),
        receives in any_receives(),
    ) {
        let complete = Complete::of(&schedule).unwrap();
        let at_most = |most: u32| Sends::AtMost(most.try_into().unwrap());
        let from_strict_to_lax =
            [Sends::Rendezvous, at_most(1), at_most(2), at_most(1000), Sends::Buffered];
        let runs = from_strict_to_lax.map(|sends| complete.runs(Blocking { sends, receives }));
        prop_assert!(runs.is_sorted(), "{:?} {}", runs, schedule);
        prop_assert!(receives == Receives::OwnStream || runs[3] == runs[4]);
        let blocking = |receives| Blocking { sends: Sends::Rendezvous, receives };
        prop_assert!(complete.runs(blocking(receives)) || !complete.runs(blocking(Receives::Blocking)));
    }

    #[test]
    fn a_circle_of_sends_that_wait_closes(
        schedule in any_legal_schedule(),
        receives in any_receives(),
        most in 0..3_u32,
    ) {
        let sends = std::num::NonZeroU32::new(most).map_or(Sends::Rendezvous, Sends::AtMost);
        let blocking = Blocking { sends, receives };
        let complete = Complete::of(&schedule).unwrap();
        let deadlock = complete.deadlock_when(blocking);
        prop_assert_eq!(deadlock.is_none(), complete.runs(blocking));
        let waits = deadlock.map(|deadlock| deadlock.cycle).unwrap_or_default();
        for (index, wait) in waits.iter().enumerate() {
            prop_assert_eq!(wait.waits_for, waits[(index + 1) % waits.len()].waiter);
        }
    }

    #[test]
    fn a_job_that_is_left_out_or_doubled_is_found(vpp in any_vpp(), place in any::<u32>()) {
        let schedule = vpp.schedule();
        let mut lists = lists(&schedule);
        let stage = place as usize % lists.len();
        let place = place as usize % (lists[stage].len() - 1);
        let job = lists[stage].remove(place);
        let text = |lists: &[Vec<Job>]| -> Vec<String> {
            let schedule = Schedule::from_lists(lists).unwrap();
            let faults = Complete::of(&schedule).err().unwrap_or_default();
            faults.iter().map(ToString::to_string).collect()
        };
        if Schedule::from_lists(&lists).unwrap().counts() == vpp.counts()
            && has_kind_elsewhere(&lists, job)
        {
            let missing = format!("stage {stage}: `{job}` is missing");
            prop_assert!(text(&lists).contains(&missing), "{:?}", text(&lists));
        }
        lists[stage].splice(place..place, [job, job]);
        let repeated = format!("stage {stage}: `{job}` is there more than once");
        prop_assert_eq!(text(&lists), [repeated]);
    }
}

/// Whether the lists still show that they have jobs of this kind.
fn has_kind_elsewhere(lists: &[Vec<Job>], job: Job) -> bool {
    lists.iter().flatten().any(|other| other.kind() == job.kind())
}
