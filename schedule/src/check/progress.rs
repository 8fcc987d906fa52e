//! How far the stages come when each runs its list against the others.
//!
//! There is no time in it: a stage goes on as far as it can, and a message that it sends wakes the stage that
//! waits for it. Which stage runs first does not change where all of them end, since to run one job never
//! takes away what another needs. A job is looked at once when it runs, and a stage is woken at most once for
//! each message: linear in the number of jobs.
//!
//! A stage has a *run* cursor: the first job of its list that has not run. Where receives have a stream of
//! their own it also has a *receive* cursor: the first job whose receive is not done. Everything before a
//! cursor is done, which is all that the wait-for graph of a standstill needs to know.
//!
//! Sends never block, so a `send_backward` waits for nothing but its `backward` and has no place in the order
//! of a stage, unless receives block the whole list: then it may stand behind one.

use fixedbitset::FixedBitSet;

use super::{Complete, Receives};
use crate::job::Job;
use crate::schedule::Schedule;
use crate::traffic::{Message, Traffic};

/// The stages of a schedule after none of them can go on.
pub(super) struct Progress<'a> {
    pub(super) schedule: &'a Schedule,
    pub(super) traffic: Traffic<'a>,
    pub(super) receives: Receives,
    /// For each stage the first job that has not run.
    pub(super) run: Vec<usize>,
    /// For each stage the first job whose receive is not done, with [`Receives::OwnStream`].
    pub(super) receive: Vec<usize>,
    sent: FixedBitSet,
    received: FixedBitSet,
}

impl<'a> Progress<'a> {
    /// Runs every stage as far as it goes.
    pub(super) fn to_the_end(complete: &Complete<'a>, receives: Receives) -> Self {
        let Complete { schedule, traffic } = *complete;
        let stages = schedule.counts().stages();
        // A single stage hands its results to itself: there is nothing to receive.
        let receives = if stages == 1 { Receives::NonBlocking } else { receives };
        let mut progress = Self {
            schedule,
            traffic,
            receives,
            run: vec![0; stages as usize],
            receive: vec![0; stages as usize],
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
        self.schedule.stages().all(|(stage, jobs)| self.run[stage.0 as usize] == jobs.len())
    }

    /// Whether a message has been sent.
    pub(super) fn is_sent(&self, message: Message) -> bool {
        self.sent.contains(self.traffic.number(message))
    }

    /// Whether a computation that needs the message can use it.
    pub(super) fn has_arrived(&self, message: Message) -> bool {
        match self.receives {
            Receives::OwnStream => self.received.contains(self.traffic.number(message)),
            Receives::NonBlocking | Receives::Blocking => self.is_sent(message),
        }
    }

    /// The message that holds up the list of the stage at this job, if it is still to come.
    pub(super) fn awaits(&self, stage: u32, job: Job) -> Option<Message> {
        let message = match self.receives {
            Receives::Blocking => self.traffic.received_by(stage, job),
            Receives::NonBlocking | Receives::OwnStream => self.traffic.input(stage, job),
        };
        message.filter(|&message| !self.has_arrived(message))
    }

    /// The message that goes out once this job has run.
    fn sends(&self, stage: u32, job: Job) -> Option<Message> {
        match self.receives {
            Receives::Blocking => self.traffic.sent_by(stage, job),
            Receives::NonBlocking | Receives::OwnStream => self.traffic.output(stage, job),
        }
    }

    fn advance(&mut self, stage: u32, awake: &mut Awake) {
        if self.receives == Receives::OwnStream {
            self.advance_receives(stage);
        }
        let jobs = self.schedule.list(stage);
        let mut position = self.run[stage as usize];
        while let Some(&job) = jobs.get(position) {
            if self.awaits(stage, job).is_some() {
                break;
            }
            if let Some(message) = self.sends(stage, job) {
                self.sent.insert(self.traffic.number(message));
                awake.wake(message.stage);
            }
            position += 1;
        }
        self.run[stage as usize] = position;
    }

    fn advance_receives(&mut self, stage: u32) {
        let jobs = self.schedule.list(stage);
        let mut position = self.receive[stage as usize];
        while let Some(&job) = jobs.get(position) {
            if let Some(message) = self.traffic.received_by(stage, job) {
                if !self.is_sent(message) {
                    break;
                }
                self.received.insert(self.traffic.number(message));
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
