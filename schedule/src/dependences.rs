//! What each job builds on: the one place where that is said.
//!
//! Of a part s and a micro-batch k:
//!
//! | job | builds on |
//! | --- | --- |
//! | F, forward | F(s-1, k), which its receive or a message brings |
//! | B, whole backward, and I, its input half | B or I of (s+1, k), brought likewise; on the last part F(s, k); on any part F(s, k) |
//! | W, its weight half | I(s, k) |
//! | receive | the send job of the other end, or the computation that sends where it has no such job |
//! | send | the computation whose result it sends |
//! | wait for a send | that send, and the receive at the other end |
//! | reduction of gradients | every B or W of its part |
//! | wait for a reduction | that reduction |
//! | optimizer | every B, W, reduction and wait for one on its stage |
//!
//! Where a list has a job that receives or sends for a computation, the dependence goes through that job;
//! where it has none, from computation to computation: lists with and without such jobs, and lists that mix
//! both, follow one rule. A job that is missing is built on by nobody.
//!
//! The order of a list is not in here, nor is what a blocked receive holds up: that depends on how a list is
//! run, this does not.

use smallvec::SmallVec;

use crate::counts::{Chunk, MicroBatch, Stage};
use crate::job::{Job, JobKind};
use crate::places::Places;
use crate::schedule::Schedule;

/// What one job needs of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Need {
    /// A result or a received message, on the same stage.
    Result,
    /// A message from another stage.
    Message,
    /// That another stage has taken the message.
    Receipt,
}

/// That a job builds on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dependence {
    /// The index of the other among all jobs of the schedule.
    pub on: usize,
    /// What is needed of it.
    pub need: Need,
}

/// A few dependences: most jobs have one or two.
type Few = SmallVec<[Dependence; 2]>;

/// The dependences of the jobs of a schedule.
///
/// ```
/// use pirogue_schedule::{Dependences, Need, Schedule, Stage};
///
/// let schedule: Schedule = "forward0:0 backward0:0\nforward0:0 backward0:0\n".parse()?;
/// let dependences = Dependences::of(&schedule);
/// let backward = schedule.jobs()[1];
/// let found = dependences.of_job(Stage(0), backward);
/// assert_eq!(found.len(), 2);
/// assert_eq!((found[1].on, found[1].need), (3, Need::Message));
/// # Ok::<(), pirogue_schedule::ScheduleTextError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Dependences<'a> {
    schedule: &'a Schedule,
    places: Places,
}

/// A chunk of a stage on a micro-batch.
#[derive(Debug, Clone, Copy)]
struct Cell {
    stage: Stage,
    chunk: Chunk,
    micro_batch: MicroBatch,
}

impl<'a> Dependences<'a> {
    /// The dependences of a schedule, after one look at each of its jobs.
    pub fn of(schedule: &'a Schedule) -> Self {
        Self { schedule, places: Places::of(schedule) }
    }

    /// The schedule.
    pub fn schedule(&self) -> &'a Schedule {
        self.schedule
    }

    /// Where its jobs stand.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// What a job builds on, the jobs of its own stage first.
    ///
    /// # Panics
    /// The job is not within the counts of the schedule.
    pub fn of_job(&self, stage: Stage, job: Job) -> SmallVec<[Dependence; 2]> {
        let chunk = job.job_type.chunk_or_first();
        let cell = Cell { stage, chunk, micro_batch: job.micro_batch };
        match job.kind() {
            JobKind::Forward => self.input_of_forward(cell).into_iter().collect(),
            JobKind::Backward | JobKind::BackwardInput => {
                let forward = self.result(cell, &[JobKind::Forward]);
                forward.into_iter().chain(self.input_of_backward(cell)).collect()
            }
            JobKind::BackwardWeight | JobKind::BackwardWeightReduce => {
                self.result(cell, &[JobKind::BackwardInput]).into_iter().collect()
            }
            JobKind::RecvForward => self.sender_of_forward(cell).into_iter().collect(),
            JobKind::RecvBackward => self.sender_of_backward(cell).into_iter().collect(),
            JobKind::SendForward => self.result(cell, &[JobKind::Forward]).into_iter().collect(),
            JobKind::SendBackward => self.result(cell, &BACKWARDS).into_iter().collect(),
            JobKind::WaitSendForward => self.end_of_send_forward(cell),
            JobKind::WaitSendBackward => self.end_of_send_backward(cell),
            JobKind::ReduceGradient => self.gradients(stage, Some(chunk)),
            JobKind::WaitReduceGradient => {
                self.result(cell, &[JobKind::ReduceGradient]).into_iter().collect()
            }
            JobKind::Optimizer => self.gradients(stage, None),
        }
    }

    /// The computation whose result the job with this index among all jobs sends; the job itself where it is
    /// no send job, or what it sends is not there.
    pub(crate) fn computation_of(&self, index: usize) -> usize {
        let job = self.schedule.jobs()[index];
        if !job.kind().is_send() {
            return index;
        }
        let stage = Stage(self.schedule.stage_at(index));
        self.of_job(stage, job).first().map_or(index, |dependence| dependence.on)
    }

    /// What brings the input of a forward: its receive, or what sends it.
    fn input_of_forward(&self, cell: Cell) -> Option<Dependence> {
        self.result(cell, &[JobKind::RecvForward]).or_else(|| self.sender_of_forward(cell))
    }

    /// What brings the input of a backward: its receive, or what sends it.
    fn input_of_backward(&self, cell: Cell) -> Option<Dependence> {
        self.result(cell, &[JobKind::RecvBackward]).or_else(|| self.sender_of_backward(cell))
    }

    /// What sends the input of a forward of this cell.
    fn sender_of_forward(&self, cell: Cell) -> Option<Dependence> {
        let source = self.previous(cell)?;
        self.find(source, &[JobKind::SendForward, JobKind::Forward], cell.stage)
    }

    /// What sends the input of a backward of this cell.
    fn sender_of_backward(&self, cell: Cell) -> Option<Dependence> {
        let source = self.next(cell)?;
        self.find(source, &[JobKind::SendBackward, BACKWARDS[0], BACKWARDS[1]], cell.stage)
    }

    fn end_of_send_forward(&self, cell: Cell) -> Few {
        let sent = self.result(cell, &[JobKind::SendForward]);
        let taker = self.next(cell).and_then(|taker| {
            self.find(taker, &[JobKind::RecvForward, JobKind::Forward], cell.stage)
        });
        sent.into_iter().chain(taker.map(as_receipt)).collect()
    }

    fn end_of_send_backward(&self, cell: Cell) -> Few {
        let sent = self.result(cell, &[JobKind::SendBackward]);
        let taker = self.previous(cell).and_then(|taker| {
            self.find(taker, &[JobKind::RecvBackward, BACKWARDS[0], BACKWARDS[1]], cell.stage)
        });
        sent.into_iter().chain(taker.map(as_receipt)).collect()
    }

    /// Everything on a stage that makes or reduces gradients of weights; of one chunk only what makes them.
    fn gradients(&self, stage: Stage, only: Option<Chunk>) -> Few {
        let begin = self.schedule.begin(stage.0);
        let is_gradient = |job: Job| match (job.kind(), only) {
            (JobKind::Backward, None) => true,
            (JobKind::ReduceGradient | JobKind::WaitReduceGradient, None) => true,
            (kind, None) => kind.is_weight_half(),
            (kind, Some(chunk)) => {
                (kind == JobKind::Backward || kind.is_weight_half())
                    && job.job_type.chunk_or_first() == chunk
            }
        };
        let jobs = (begin..).zip(self.schedule.list(stage.0));
        let gradients = jobs.filter(|(_, job)| is_gradient(**job));
        gradients.map(|(on, _)| Dependence { on, need: Need::Result }).collect()
    }

    /// The first of these kinds of job that there is on the same cell.
    fn result(&self, cell: Cell, kinds: &[JobKind]) -> Option<Dependence> {
        self.find(cell, kinds, cell.stage)
    }

    /// The first of these kinds of job that there is on a cell, for a job of stage `to`.
    fn find(&self, cell: Cell, kinds: &[JobKind], to: Stage) -> Option<Dependence> {
        let mut found = kinds
            .iter()
            .filter_map(|&kind| self.places.find(cell.stage, kind, cell.chunk, cell.micro_batch));
        let need = if cell.stage == to { Need::Result } else { Need::Message };
        found.next().map(|on| Dependence { on, need })
    }

    fn previous(&self, cell: Cell) -> Option<Cell> {
        let (stage, chunk) = self.schedule.placement().previous(cell.stage, cell.chunk)?;
        Some(Cell { stage, chunk, ..cell })
    }

    fn next(&self, cell: Cell) -> Option<Cell> {
        let (stage, chunk) = self.schedule.placement().next(cell.stage, cell.chunk)?;
        Some(Cell { stage, chunk, ..cell })
    }
}

/// The kinds of job that yield the gradients of a chunk's inputs.
const BACKWARDS: [JobKind; 2] = [JobKind::Backward, JobKind::BackwardInput];

fn as_receipt(dependence: Dependence) -> Dependence {
    let need = match dependence.need {
        Need::Result => Need::Result,
        Need::Message | Need::Receipt => Need::Receipt,
    };
    Dependence { need, ..dependence }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Counts;
    use crate::placement::Placement;

    /// What a job builds on, as `stage.job`, with `!` before a message and `?` before a receipt.
    fn found(schedule: &Schedule, stage: u32, job: &str) -> String {
        let job: Job = job.parse().unwrap();
        let found = Dependences::of(schedule).of_job(Stage(stage), job);
        let texts: Vec<String> = found
            .iter()
            .map(|dependence| {
                let mark = match dependence.need {
                    Need::Result => "",
                    Need::Message => "!",
                    Need::Receipt => "?",
                };
                let (stage, job) =
                    (schedule.stage_at(dependence.on), schedule.jobs()[dependence.on]);
                format!("{mark}{stage}.{job}")
            })
            .collect();
        texts.join(" ")
    }

    #[test]
    fn computations_build_on_each_other_where_nothing_sends_or_receives() {
        let text = "forward0:0 forward1:0 backward_b1:0 backward_w1:0 backward0:0 optimizer:0\n\
                    forward0:0 forward1:0 backward1:0 backward0:0 optimizer:0\n";
        let looped: Schedule = text.parse().unwrap();
        assert_eq!(found(&looped, 0, "forward0:0"), "");
        assert_eq!(found(&looped, 0, "forward1:0"), "!1.forward0:0");
        assert_eq!(found(&looped, 1, "backward1:0"), "1.forward1:0");
        assert_eq!(found(&looped, 1, "backward0:0"), "1.forward0:0 !0.backward_b1:0");
        assert_eq!(found(&looped, 0, "backward_w1:0"), "0.backward_b1:0");
        assert_eq!(found(&looped, 0, "optimizer:0"), "0.backward_w1:0 0.backward0:0");

        let lists: Vec<Vec<Job>> = looped.stages().map(|(_, jobs)| jobs.to_vec()).collect();
        let v = Placement::v(Counts::new(2, 2, 1).unwrap());
        let v = Schedule::with_placement(&lists, v).unwrap();
        assert_eq!(found(&v, 1, "forward1:0"), "1.forward0:0");
        assert_eq!(found(&v, 0, "forward1:0"), "!1.forward1:0");
        assert_eq!(found(&v, 0, "backward_b1:0"), "0.forward1:0");
        assert_eq!(found(&v, 1, "backward0:0"), "1.forward0:0 1.backward1:0");
    }

    #[test]
    fn a_job_that_sends_or_receives_stands_between() {
        let text = "forward0:0 send_forward0:0 recv_backward0:0 wait_send_forward0:0 backward0:0 \
                    reduce_gradient0:0 wait_reduce_gradient0:0 optimizer:0\n\
                    recv_forward0:0 forward0:0 backward0:0 send_backward0:0 wait_send_backward0:0\n";
        let schedule: Schedule = text.parse().unwrap();
        assert_eq!(found(&schedule, 0, "send_forward0:0"), "0.forward0:0");
        assert_eq!(found(&schedule, 1, "recv_forward0:0"), "!0.send_forward0:0");
        assert_eq!(found(&schedule, 1, "forward0:0"), "1.recv_forward0:0");
        assert_eq!(found(&schedule, 1, "send_backward0:0"), "1.backward0:0");
        assert_eq!(found(&schedule, 0, "recv_backward0:0"), "!1.send_backward0:0");
        assert_eq!(found(&schedule, 0, "backward0:0"), "0.forward0:0 0.recv_backward0:0");
        assert_eq!(
            found(&schedule, 0, "wait_send_forward0:0"),
            "0.send_forward0:0 ?1.recv_forward0:0"
        );
        assert_eq!(
            found(&schedule, 1, "wait_send_backward0:0"),
            "1.send_backward0:0 ?0.recv_backward0:0"
        );
        assert_eq!(found(&schedule, 0, "reduce_gradient0:0"), "0.backward0:0");
        assert_eq!(found(&schedule, 0, "wait_reduce_gradient0:0"), "0.reduce_gradient0:0");
        assert_eq!(
            found(&schedule, 0, "optimizer:0"),
            "0.backward0:0 0.reduce_gradient0:0 0.wait_reduce_gradient0:0"
        );
    }
}
