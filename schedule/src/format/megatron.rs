//! Megatron-LM's order integers with its schedule table:
//!
//! ```json
//! {"pp":2,"vpp":1,"microbatches":2,"table":[[0,0],[1,0]],
//!  "order":[[1,1,-1,-1],[1,-1,1,-1]]}
//! ```
//!
//! A row of `table` is the micro-batch and the chunk of a step, one table for all ranks. `order` has a list
//! for each rank: k is a forward of chunk k-1, -k a backward of chunk k-1. The n-th forward of a rank takes
//! row n of the table; so does its n-th backward, with the chunks counted from the last: chunk `vpp`-1-c
//! where the row says c. The placement is looped.
//!
//! `group`, `warmup`, `warmup_moe_overlap` and `refused_by_caller`, which say how the schedule came to be,
//! are not part of it: they may be there, and are not written.

use std::fmt::Write as _;

use fixedbitset::FixedBitSet;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::counts::{Chunk, Counts, MicroBatch, Stage};
use crate::format::jobs::note_pairs;
use crate::format::lost::{Loss, Losses, is_message};
use crate::format::source::Source;
use crate::format::{Format, FormatError, FormatFault, Writing};
use crate::job::{Job, JobKind};
use crate::placement::{Placement, Shape};
use crate::schedule::Schedule;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row<'a> {
    #[serde(borrow)]
    pp: &'a RawValue,
    #[serde(borrow)]
    vpp: &'a RawValue,
    #[serde(borrow)]
    microbatches: &'a RawValue,
    #[serde(borrow)]
    table: &'a RawValue,
    #[serde(borrow)]
    order: Vec<&'a RawValue>,
    #[serde(rename = "group")]
    _group: Option<IgnoredAny>,
    #[serde(rename = "warmup")]
    _warmup: Option<IgnoredAny>,
    #[serde(rename = "warmup_moe_overlap")]
    _warmup_moe_overlap: Option<IgnoredAny>,
    #[serde(rename = "refused_by_caller")]
    _refused_by_caller: Option<IgnoredAny>,
}

/// The steps in the order in which every rank takes them.
struct Table {
    counts: Counts,
    steps: Vec<(MicroBatch, Chunk)>,
}

impl Table {
    /// The job of the n-th forward or backward of a rank.
    fn job(&self, kind: JobKind, n: usize) -> Option<Job> {
        let &(micro_batch, chunk) = self.steps.get(n)?;
        let chunk = match kind {
            JobKind::Forward => chunk,
            _ => Chunk((self.counts.chunks() - 1) as u16 - chunk.0),
        };
        Some(Job::new(kind.in_chunk(chunk), micro_batch))
    }
}

pub(super) fn read(text: &str) -> Result<Schedule, FormatError> {
    let source = Source { text, format: Format::Megatron };
    let row: Row = source.object()?;
    let (pp, vpp) = (source.value(row.pp)?, source.value(row.vpp)?);
    let counts = Counts::new(pp, vpp, source.value(row.microbatches)?);
    let counts = counts.map_err(|error| source.at(row.pp, error))?;
    source.check_count(row.pp, "`pp`", pp, row.order.len() as u64)?;
    let table = read_table(&source, row.table, counts)?;
    let mut lists = Vec::with_capacity(row.order.len());
    for (stage, &order) in (0..).map(Stage).zip(&row.order) {
        lists.push(read_order(&source, order, &table, stage)?);
    }
    Ok(Schedule::with_placement(&lists, Placement::looped(counts))?)
}

/// The table, which has every micro-batch of every chunk once.
fn read_table<'a>(
    source: &Source<'a>,
    raw: &'a RawValue,
    counts: Counts,
) -> Result<Table, FormatError> {
    let rows: Vec<&RawValue> = source.value(raw)?;
    let steps = u64::from(counts.steps());
    source.check_count(raw, "`microbatches` times `vpp`", steps, rows.len() as u64)?;
    let mut seen = FixedBitSet::with_capacity(rows.len());
    let mut table = Table { counts, steps: Vec::with_capacity(rows.len()) };
    for row in rows {
        let (micro_batch, chunk): (u32, u16) = source.value(row)?;
        let is_known = micro_batch < counts.micro_batches() && u32::from(chunk) < counts.chunks();
        let (micro_batch, chunk) = (MicroBatch(micro_batch), Chunk(chunk));
        if !is_known || seen.put(counts.cell(chunk, micro_batch)) {
            let why = if is_known { "is in `table` twice" } else { "is beyond the counts" };
            let wrong = format!("chunk {chunk} of micro-batch {micro_batch} {why}");
            return Err(FormatFault::Order { wrong }.at(source.position(row.get())));
        }
        table.steps.push((micro_batch, chunk));
    }
    Ok(table)
}

/// The jobs of a rank, which takes every step once forward and once backward.
fn read_order<'a>(
    source: &Source<'a>,
    raw: &'a RawValue,
    table: &Table,
    stage: Stage,
) -> Result<Vec<Job>, FormatError> {
    let order: Vec<&RawValue> = source.value(raw)?;
    let mut taken = [0; 2];
    let mut jobs = Vec::with_capacity(order.len());
    for &raw in &order {
        let number: i64 = source.value(raw)?;
        let kind = if number > 0 { JobKind::Forward } else { JobKind::Backward };
        let taken = &mut taken[usize::from(number > 0)];
        let wrong = match table.job(kind, *taken) {
            Some(job)
                if number.unsigned_abs() == u64::from(job.job_type.chunk_or_first().0) + 1 =>
            {
                jobs.push(job);
                *taken += 1;
                continue;
            }
            Some(job) => format!("{number} is not `{}`, which is due by `table`", job.job_type),
            None => format!("stage {stage} runs `{kind}` more often than `table` has rows"),
        };
        return Err(FormatFault::Order { wrong }.at(source.position(raw.get())));
    }
    let twice = table.steps.len() as u64 * 2;
    source.check_count(raw, "twice the rows of `table`", twice, order.len() as u64)?;
    Ok(jobs)
}

pub(super) fn write(schedule: &Schedule) -> Result<Writing, FormatError> {
    let counts = schedule.counts();
    if schedule.placement().shape() != Shape::Looped {
        let shape = schedule.placement().shape();
        return Err(cannot(format!("the placement is `{shape}`, Megatron's is looped")));
    }
    let mut losses = Losses::of(Format::Megatron);
    note_pairs(schedule, &mut losses);
    let table = table_of(schedule)?;
    let mut text = String::with_capacity(schedule.jobs().len() * 3);
    let _ = write!(
        text,
        "{{\"pp\":{},\"vpp\":{},\"microbatches\":{},\n \"table\":[",
        counts.stages(),
        counts.chunks(),
        counts.micro_batches()
    );
    for (index, (micro_batch, chunk)) in table.steps.iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let _ = write!(text, "{separator}[{micro_batch},{chunk}]");
    }
    text.push_str("],\n \"order\":[");
    for (stage, jobs) in schedule.stages() {
        text.push_str(if stage.0 == 0 { "\n  [" } else { ",\n  [" });
        write_order(&mut text, &table, stage, jobs, &mut losses)?;
        text.push(']');
    }
    text.push_str("]}\n");
    Ok(Writing { text, lost: losses.finish() })
}

/// The table by which the forwards of stage 0 go.
fn table_of(schedule: &Schedule) -> Result<Table, FormatError> {
    let counts = schedule.counts();
    let forwards = schedule.list(0).iter().filter(|job| job.kind() == JobKind::Forward);
    let steps: Vec<(MicroBatch, Chunk)> =
        forwards.map(|job| (job.micro_batch, job.job_type.chunk_or_first())).collect();
    let mut seen = FixedBitSet::with_capacity(counts.steps() as usize);
    for &(micro_batch, chunk) in &steps {
        if seen.put(counts.cell(chunk, micro_batch)) {
            return Err(cannot(format!("stage 0 runs `forward{chunk}:{micro_batch}` twice")));
        }
    }
    if steps.len() != counts.steps() as usize {
        let (runs, all) = (steps.len(), counts.steps());
        return Err(cannot(format!("stage 0 runs {runs} forwards and not all {all}")));
    }
    Ok(Table { counts, steps })
}

fn write_order(
    text: &mut String,
    table: &Table,
    stage: Stage,
    jobs: &[Job],
    losses: &mut Losses,
) -> Result<(), FormatError> {
    let mut taken = [0; 2];
    let begin = text.len();
    for &job in jobs {
        let kind = job.kind();
        if is_left_out(kind) {
            losses.add(Loss::Jobs(kind));
            continue;
        }
        if !matches!(kind, JobKind::Forward | JobKind::Backward) {
            return Err(cannot(format!(
                "stage {stage} runs `{job}`, and Megatron's backwards are whole"
            )));
        }
        if job.job_type.chunk().is_none() {
            losses.add(Loss::TypesWithoutChunk);
        }
        let is_forward = kind == JobKind::Forward;
        let chunk = job.job_type.chunk_or_first();
        let taken = &mut taken[usize::from(is_forward)];
        let due = table.job(kind, *taken);
        *taken += 1;
        if due != Some(Job::new(kind.in_chunk(chunk), job.micro_batch)) {
            let due = due.map_or("nothing more".to_owned(), |due| format!("`{due}`"));
            return Err(cannot(format!(
                "stage {stage} runs `{job}` where {due} is due: all ranks go by one table, \
                 that of the forwards of stage 0, backwards with the chunks from last to first"
            )));
        }
        let sign = if is_forward { "" } else { "-" };
        let separator = if text.len() > begin { "," } else { "" };
        let _ = write!(text, "{separator}{sign}{}", u32::from(chunk.0) + 1);
    }
    let all = table.steps.len();
    match taken.iter().find(|&&taken| taken != all) {
        None => Ok(()),
        Some(taken) => Err(cannot(format!(
            "stage {stage} runs {taken} forwards or backwards and not all {all}"
        ))),
    }
}

/// Whether what is left of the schedule says the same without jobs of this kind.
fn is_left_out(kind: JobKind) -> bool {
    is_message(kind)
        || matches!(
            kind,
            JobKind::ReduceGradient | JobKind::WaitReduceGradient | JobKind::Optimizer
        )
}

fn cannot(reason: String) -> FormatError {
    FormatFault::CannotHold { format: Format::Megatron, reason }.nowhere()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(table: &str, order: &str) -> String {
        format!("{{\"pp\":1,\"vpp\":2,\"microbatches\":1,\n\"table\":{table},\n\"order\":{order}}}")
    }

    fn refused(table: &str, order: &str) -> (&'static str, String) {
        let error = read(&row(table, order)).unwrap_err();
        (error.code(), error.to_string())
    }

    const TABLE: &str = "[[0,0],[0,1]]";

    #[test]
    fn backwards_take_the_chunks_from_last_to_first() {
        let schedule = read(&row(TABLE, "[[1,2,-2,-1]]")).unwrap();
        assert_eq!(schedule.to_string(), "forward0:0 forward1:0 backward1:0 backward0:0\n");
        assert_eq!(read(&write(&schedule).unwrap().text), Ok(schedule));
    }

    #[test]
    fn an_order_against_the_table_is_refused_where_it_leaves_it() {
        for (order, said) in [
            ("[[1,2,-1,-2]]", "line 3, column 15: -1 is not `backward1`, which is due by `table`"),
            ("[[0]]", "line 3, column 11: 0 is not `backward1`, which is due by `table`"),
            (
                "[[1,2,2]]",
                "line 3, column 15: stage 0 runs `forward` more often than `table` has rows",
            ),
        ] {
            assert_eq!(refused(TABLE, order), ("E0394", said.to_owned()));
        }
        assert_eq!(
            refused(TABLE, "[[1,2,-2]]"),
            ("E0393", "line 3, column 10: twice the rows of `table` is 4, but there are 3".into())
        );
        assert_eq!(refused(TABLE, "[]").0, "E0393");
        assert_eq!(refused(TABLE, "[[1.0]]").0, "E0392");
        assert_eq!(refused(TABLE, "[[-9223372036854775808]]").0, "E0394");
    }

    #[test]
    fn a_table_has_every_step_once() {
        let order = "[[1,2,-2,-1]]";
        assert_eq!(
            refused("[[0,0],[0,0]]", order).1,
            "line 2, column 16: chunk 0 of micro-batch 0 is in `table` twice"
        );
        assert_eq!(refused("[[0,0],[1,1]]", order).0, "E0394");
        assert_eq!(refused("[[0,0]]", order).0, "E0393");
        assert_eq!(refused("[[0,0],[0,1,2]]", order).0, "E0392");
    }

    #[test]
    fn what_does_not_go_by_one_table_is_not_written() {
        let said = |text: &str| {
            let schedule: Schedule = text.parse().unwrap();
            write(&schedule).unwrap_err().fault().to_string()
        };
        assert!(
            said("forward0:0 backward_b0:0 backward_w0:0")
                .contains("Megatron's backwards are whole")
        );
        assert!(
            said("forward0:0 forward0:1 backward0:1 backward0:0")
                .contains("stage 0 runs `backward0:1` where `backward0:0` is due")
        );
        assert!(said("forward0:0 forward0:0").contains("stage 0 runs `forward0:0` twice"));
        assert!(said("forward0:1").contains("stage 0 runs 1 forwards and not all 2"));
        assert!(said("forward0:0").contains("stage 0 runs 0 forwards or backwards and not all 1"));
    }
}
