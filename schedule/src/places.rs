//! Where in a schedule each job stands.
//!
//! A table with a row for each stage, chunk and micro-batch and a column for each kind of job that the
//! schedule has at all: a question is one look-up. Of a job that is there more than once the first is noted.
//! Jobs that run once a step have the row of micro-batch 0. The optimizer, which has no chunk, is not in the
//! table.

use crate::counts::{Chunk, MicroBatch, Stage};
use crate::job::{Job, JobKind};
use crate::schedule::Schedule;

/// The index among all jobs of each job but the optimizers.
#[derive(Debug, Clone)]
pub struct Places {
    steps: usize,
    micro_batches: usize,
    /// The column of each kind of job, and none for kinds that there are not.
    columns: [Option<u8>; JobKind::ALL.len()],
    width: usize,
    /// One more than the index of a job, or 0 where there is none.
    rows: Vec<u32>,
}

impl Places {
    /// Looks at every job once.
    pub fn of(schedule: &Schedule) -> Self {
        let counts = schedule.counts();
        let mut columns = [None; JobKind::ALL.len()];
        for job in schedule.jobs() {
            columns[job.kind() as usize] = Some(0);
        }
        columns[JobKind::Optimizer as usize] = None;
        let used = columns.iter_mut().flatten();
        let width = used.zip(0..).map(|(column, number)| *column = number).count();
        let steps = counts.steps() as usize;
        let mut places = Self {
            steps,
            micro_batches: counts.micro_batches() as usize,
            columns,
            width,
            rows: vec![0; counts.stages() as usize * steps * width],
        };
        for (stage, jobs) in schedule.stages() {
            let begin = schedule.begin(stage.0);
            for (index, &job) in (begin..).zip(jobs) {
                places.note(stage, job, index);
            }
        }
        places
    }

    fn note(&mut self, stage: Stage, job: Job, index: usize) {
        let chunk = job.job_type.chunk_or_first();
        let Some(cell) = self.cell(stage, job.kind(), chunk, job.micro_batch) else {
            return;
        };
        if self.rows[cell] == 0 {
            self.rows[cell] = index as u32 + 1;
        }
    }

    /// The index among all jobs of the job of this kind on this stage, if there is one.
    ///
    /// # Panics
    /// The stage, chunk or micro-batch is not below the counts of the schedule.
    #[inline]
    pub fn find(
        &self,
        stage: Stage,
        kind: JobKind,
        chunk: Chunk,
        micro_batch: MicroBatch,
    ) -> Option<usize> {
        let index = self.rows[self.cell(stage, kind, chunk, micro_batch)?];
        (index as usize).checked_sub(1)
    }

    fn cell(
        &self,
        stage: Stage,
        kind: JobKind,
        chunk: Chunk,
        micro_batch: MicroBatch,
    ) -> Option<usize> {
        let column = self.columns[kind as usize]?;
        let step = usize::from(chunk.0) * self.micro_batches + micro_batch.0 as usize;
        Some((stage.0 as usize * self.steps + step) * self.width + usize::from(column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_found_where_it_stands() {
        let text = "forward0:1 forward0:0 backward0:0 backward0:1 reduce_gradient0:0 optimizer:0\n\
                    forward0:0 backward0:0 forward0:1 backward0:1 optimizer:0\n";
        let schedule: Schedule = text.parse().unwrap();
        let places = Places::of(&schedule);
        for (stage, jobs) in schedule.stages() {
            let begin = schedule.begin(stage.0);
            for (index, job) in (begin..).zip(jobs) {
                let found = places.find(stage, job.kind(), Chunk(0), job.micro_batch);
                let expected = (job.kind() != JobKind::Optimizer).then_some(index);
                assert_eq!(found, expected, "{job}");
            }
        }
        assert_eq!(places.find(Stage(1), JobKind::ReduceGradient, Chunk(0), MicroBatch(0)), None);
        assert_eq!(places.find(Stage(0), JobKind::SendForward, Chunk(0), MicroBatch(0)), None);
    }
}
