//! How far the stages come when each runs its list against the others.
//!
//! There is no time in it: a stage goes on as far as it can, and what it sends or takes wakes the stage that
//! waits for that. Which stage runs first does not change where all of them end, since to run one job never
//! takes away what another needs. A job is looked at once when it runs, and a stage is woken at most once for
//! each message and each receipt: linear in the number of jobs.
//!
//! A stage has a *run* cursor: the first job of its list that is not done, or the first of two that are fused.
//! A job is done in two phases, its receive and computation, then its send; only a send that may block makes
//! the second more than a formality. Where receives have a stream of their own the stage also has a *receive*
//! cursor: the first job whose receive is not done. Everything before a cursor is done, which is all that the
//! wait-for graph of a standstill needs to know.
//!
//! Where neither sends nor receives block the list, a job that only sends waits for nothing but its
//! computation and has no place in the order of a stage. Otherwise it may stand behind what blocks.

use std::collections::VecDeque;

use fixedbitset::FixedBitSet;

use super::{Blocking, Complete, Receives, Sends};
use crate::job::{Job, JobKind};
use crate::schedule::Schedule;
use crate::traffic::{Message, Traffic};

/// The stages of a schedule after none of them can go on.
pub(super) struct Progress<'a> {
    pub(super) schedule: &'a Schedule,
    pub(super) traffic: Traffic<'a>,
    pub(super) blocking: Blocking,
    /// For each stage what is not done yet.
    pub(super) run: Vec<Cursor>,
    /// For each stage the first job whose receive is not done, with [`Receives::OwnStream`].
    pub(super) receive: Vec<usize>,
    /// For each stage what it has sent and nobody has taken, oldest first, with [`Sends::AtMost`].
    pub(super) in_flight: Vec<VecDeque<Message>>,
    /// Whether anybody may wait for a message to be taken.
    needs_receipts: bool,
    sent: FixedBitSet,
    received: FixedBitSet,
}

/// Where in its list a stage is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The first job that is not done.
    pub(super) position: usize,
    /// What of it is to be done.
    pub(super) phase: Phase,
}

/// What a stage does with a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// It receives what the job needs and runs it.
    Run,
    /// It sends what came of it.
    Send,
}

impl<'a> Progress<'a> {
    /// Runs every stage as far as it goes.
    pub(super) fn to_the_end(complete: &Complete<'a>, blocking: Blocking) -> Self {
        let Complete { schedule, traffic } = *complete;
        let stages = schedule.counts().stages();
        let has_waits =
            traffic.has(JobKind::WaitSendForward) || traffic.has(JobKind::WaitSendBackward);
        // A receive that is posted from the start takes its message at once: no send waits for it.
        let blocking = match blocking.receives {
            Receives::NonBlocking => Blocking { sends: Sends::Buffered, ..blocking },
            _ => blocking,
        };
        let begin = Cursor { position: 0, phase: Phase::Run };
        let mut progress = Self {
            schedule,
            traffic,
            blocking,
            run: vec![begin; stages as usize],
            receive: vec![0; stages as usize],
            in_flight: vec![VecDeque::new(); stages as usize],
            needs_receipts: has_waits || blocking.sends != Sends::Buffered,
            sent: FixedBitSet::with_capacity(traffic.numbers()),
            received: FixedBitSet::with_capacity(traffic.numbers()),
        };
        let mut awake = Awake::all(stages);
        while let Some(stage) = awake.next() {
            progress.advance(stage, &mut awake);
        }
        progress
    }

    /// Whether every stage has run its whole list.
    pub(super) fn is_finished(&self) -> bool {
        self.schedule
            .stages()
            .all(|(stage, jobs)| self.run[stage.0 as usize].position == jobs.len())
    }

    /// Whether jobs that only send have a place in the order of their stage.
    pub(super) fn sends_are_ordered(&self) -> bool {
        self.blocking.receives == Receives::Blocking || self.sends_may_block()
    }

    /// Whether a send may hold up its stage.
    pub(super) fn sends_may_block(&self) -> bool {
        self.blocking.sends != Sends::Buffered
    }

    /// How many jobs from this position of the list on run as one: two that are fused, or one.
    pub(super) fn width_at(&self, stage: u32, position: usize) -> usize {
        let is_fused = !self.schedule.fused_pairs().is_empty()
            && self.schedule.is_fused_with_next(self.schedule.begin(stage) + position);
        1 + usize::from(is_fused)
    }

    /// Whether a message has been sent, or its result is there where it stays on the stage.
    pub(super) fn is_sent(&self, message: Message) -> bool {
        self.sent.contains(self.traffic.number(message))
    }

    /// Whether the stage that a message goes to has taken it.
    pub(super) fn is_taken(&self, message: Message) -> bool {
        match self.blocking.receives {
            Receives::NonBlocking => self.is_sent(message),
            _ => self.received.contains(self.traffic.number(message)),
        }
    }

    /// Whether a computation that needs the message can use it.
    fn has_arrived(&self, message: Message) -> bool {
        match self.blocking.receives {
            Receives::OwnStream if message.is_sent() => self.is_taken(message),
            _ => self.is_sent(message),
        }
    }

    /// The message that holds up the list of the stage at this job, if it is still to come.
    pub(super) fn awaits(&self, stage: u32, job: Job) -> Option<Message> {
        let message = match self.blocking.receives {
            Receives::Blocking => self.blocking_input(stage, job),
            Receives::NonBlocking | Receives::OwnStream => self.traffic.input(stage, job),
        };
        message.filter(|&message| !self.has_arrived(message))
    }

    /// What a job receives itself, or needs of its own stage.
    fn blocking_input(&self, stage: u32, job: Job) -> Option<Message> {
        let stays = |message: &Message| !message.is_sent();
        self.traffic
            .received_by(stage, job)
            .or_else(|| self.traffic.input(stage, job).filter(stays))
    }

    /// The message that must be taken before the list goes on at this job.
    pub(super) fn awaits_receipt(&self, stage: u32, job: Job) -> Option<Message> {
        let message = self.traffic.waited_for_by(stage, job)?;
        (!self.is_taken(message)).then_some(message)
    }

    fn advance(&mut self, stage: u32, awake: &mut Awake) {
        if self.blocking.receives == Receives::OwnStream {
            self.advance_receives(stage, awake);
        }
        let jobs = self.schedule.list(stage);
        let mut cursor = self.run[stage as usize];
        while cursor.position < jobs.len() {
            let end = cursor.position + self.width_at(stage, cursor.position);
            let group = &jobs[cursor.position..end];
            if cursor.phase == Phase::Run {
                if !self.runs(stage, group, awake) {
                    break;
                }
                cursor.phase = Phase::Send;
            }
            if self.sends_may_block() && !self.sends(stage, group, awake) {
                break;
            }
            cursor = Cursor { position: end, phase: Phase::Run };
        }
        self.run[stage as usize] = cursor;
    }

    /// Runs jobs as one, if nothing holds them up.
    fn runs(&mut self, stage: u32, group: &[Job], awake: &mut Awake) -> bool {
        if self.needs_receipts && self.blocking.receives == Receives::Blocking {
            for &job in group {
                self.take(stage, job, awake);
            }
        }
        let is_held_up = |&job: &Job| {
            self.awaits(stage, job).is_some() || self.awaits_receipt(stage, job).is_some()
        };
        if group.iter().any(is_held_up) {
            return false;
        }
        for &job in group {
            self.finish(stage, job, awake);
        }
        true
    }

    /// Takes what a job receives, if it has come. Two jobs that are fused receive independently.
    fn take(&mut self, stage: u32, job: Job, awake: &mut Awake) {
        let Some(message) = self.traffic.received_by(stage, job) else { return };
        if self.is_sent(message) && !self.received.put(self.traffic.number(message)) {
            awake.wake(message.from);
        }
    }

    /// What a job has computed is there; if its send cannot block, it is sent.
    fn finish(&mut self, stage: u32, job: Job, awake: &mut Awake) {
        let output = self.traffic.output(stage, job);
        let message = match output {
            Some(message) if !message.is_sent() => output,
            _ if self.sends_may_block() => None,
            _ if self.sends_are_ordered() => self.traffic.sent_by(stage, job),
            _ => output,
        };
        if let Some(message) = message {
            self.send(message, awake);
        }
    }

    fn send(&mut self, message: Message, awake: &mut Awake) {
        self.sent.insert(self.traffic.number(message));
        if message.is_sent() {
            awake.wake(message.stage);
        }
    }

    /// Sends what jobs that run as one send, all of it at once, and says whether the stage can go on after that.
    fn sends(&mut self, stage: u32, group: &[Job], awake: &mut Awake) -> bool {
        let traffic = self.traffic;
        let messages = group.iter().filter_map(|&job| traffic.sent_by(stage, job));
        let has_begun = messages.clone().next().is_none_or(|message| self.is_sent(message));
        if !has_begun {
            if !self.has_room(stage) {
                return false;
            }
            for message in messages.clone() {
                self.send(message, awake);
                if let Sends::AtMost(_) = self.blocking.sends {
                    self.in_flight[stage as usize].push_back(message);
                }
            }
        }
        self.blocking.sends != Sends::Rendezvous
            || messages.into_iter().all(|message| self.is_taken(message))
    }

    /// Whether one more message may be on its way from this stage.
    fn has_room(&mut self, stage: u32) -> bool {
        let Sends::AtMost(most) = self.blocking.sends else { return true };
        while let Some(&oldest) = self.in_flight[stage as usize].front()
            && self.is_taken(oldest)
        {
            self.in_flight[stage as usize].pop_front();
        }
        self.in_flight[stage as usize].len() < most.get() as usize
    }

    fn advance_receives(&mut self, stage: u32, awake: &mut Awake) {
        let jobs = self.schedule.list(stage);
        let mut position = self.receive[stage as usize];
        while let Some(&job) = jobs.get(position) {
            if let Some(message) = self.traffic.received_by(stage, job) {
                if !self.is_sent(message) {
                    break;
                }
                self.received.insert(self.traffic.number(message));
                if self.needs_receipts {
                    awake.wake(message.from);
                }
            }
            position += 1;
        }
        self.receive[stage as usize] = position;
    }
}

/// The stages that may be able to go on.
struct Awake {
    stages: Vec<u32>,
    is_listed: Vec<bool>,
}

impl Awake {
    fn all(stages: u32) -> Self {
        Self { stages: (0..stages).rev().collect(), is_listed: vec![true; stages as usize] }
    }

    fn next(&mut self) -> Option<u32> {
        let stage = self.stages.pop()?;
        self.is_listed[stage as usize] = false;
        Some(stage)
    }

    fn wake(&mut self, stage: u32) {
        if !self.is_listed[stage as usize] {
            self.is_listed[stage as usize] = true;
            self.stages.push(stage);
        }
    }
}
