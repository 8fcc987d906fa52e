//! The job lists of one of Paddle's scheduler passes, for all stages:
//!
//! ```json
//! {"pass_":"VPP","pp":2,"vpp":1,"m":1,"split_backward":false,"ranks":[
//!  ["recv_forward0:0","forward0:0","backward0:0","send_backward0:0","optimizer:0"],
//!  ["recv_forward0:0","forward0:0","backward0:0","send_backward0:0","optimizer:0"]]}
//! ```
//!
//! The model lies in a V where `pass_` is `ZBVPP`, and is looped with any other pass or none.
//! `split_backward` is an option of the pass and not part of the schedule. `pass_` is written for a V alone:
//! a schedule does not know what it was made by.

use std::fmt::Write as _;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::counts::Counts;
use crate::format::jobs::{note_pairs, note_placement};
use crate::format::lost::{Loss, Losses};
use crate::format::source::Source;
use crate::format::{Format, FormatError, FormatFault, Writing};
use crate::job::{Job, JobKind};
use crate::placement::{Placement, Shape};
use crate::schedule::Schedule;

/// The pass that places the model in a V.
const V_PASS: &str = "ZBVPP";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row<'a> {
    #[serde(borrow)]
    pass_: Option<&'a RawValue>,
    #[serde(borrow)]
    pp: &'a RawValue,
    #[serde(borrow)]
    vpp: &'a RawValue,
    #[serde(borrow)]
    m: &'a RawValue,
    #[serde(rename = "split_backward")]
    _split_backward: Option<IgnoredAny>,
    #[serde(borrow)]
    ranks: Vec<Vec<&'a RawValue>>,
}

pub(super) fn read(text: &str) -> Result<Schedule, FormatError> {
    let source = Source { text, format: Format::Paddle };
    let row: Row = source.object()?;
    let (pp, vpp, m) = (source.value(row.pp)?, source.value(row.vpp)?, source.value(row.m)?);
    let counts = Counts::new(pp, vpp, m).map_err(|error| source.at(row.pp, error))?;
    source.check_count(row.pp, "`pp`", pp, row.ranks.len() as u64)?;
    let is_v = match row.pass_ {
        Some(pass) => source.string(pass)? == V_PASS,
        None => false,
    };
    let placement = if is_v { Placement::v(counts) } else { Placement::looped(counts) };
    let mut lists = Vec::with_capacity(row.ranks.len());
    for rank in &row.ranks {
        let jobs = rank.iter().map(|raw| job(&source, raw));
        lists.push(jobs.collect::<Result<Vec<_>, _>>()?);
    }
    let schedule = Schedule::with_placement(&lists, placement)?;
    source.check_count(row.m, "`m`", m, schedule.counts().micro_batches().into())?;
    Ok(schedule)
}

fn job<'a>(source: &Source<'a>, raw: &'a RawValue) -> Result<Job, FormatError> {
    let text = source.string(raw)?;
    let job = source.job(text)?;
    if is_of_paddle(job.kind()) {
        return Ok(job);
    }
    let wrong = "Paddle has no such job".to_owned();
    let fault = FormatFault::Action { text: text.to_owned(), wrong };
    Err(fault.at(source.position(text)))
}

/// Whether Paddle has jobs of this kind.
fn is_of_paddle(kind: JobKind) -> bool {
    matches!(
        kind,
        JobKind::RecvForward
            | JobKind::Forward
            | JobKind::Backward
            | JobKind::SendBackward
            | JobKind::BackwardInput
            | JobKind::BackwardWeight
            | JobKind::BackwardWeightReduce
            | JobKind::Optimizer
    )
}

pub(super) fn write(schedule: &Schedule) -> Writing {
    let mut losses = Losses::of(Format::Paddle);
    let counts = schedule.counts();
    let mut text = String::with_capacity(schedule.jobs().len() * 16);
    text.push('{');
    match schedule.placement().shape() {
        Shape::V => text.push_str("\"pass_\":\"ZBVPP\","),
        _ => note_placement(schedule, &mut losses),
    }
    note_pairs(schedule, &mut losses);
    let _ = write!(
        text,
        "\"pp\":{},\"vpp\":{},\"m\":{},\"ranks\":[",
        counts.stages(),
        counts.chunks(),
        counts.micro_batches()
    );
    for (stage, jobs) in schedule.stages() {
        text.push_str(if stage.0 == 0 { "\n [" } else { ",\n [" });
        let begin = text.len();
        for job in jobs {
            if !is_of_paddle(job.kind()) {
                losses.add(Loss::Jobs(job.kind()));
                continue;
            }
            let separator = if text.len() > begin { "," } else { "" };
            let _ = write!(text, "{separator}\"{job}\"");
        }
        text.push(']');
    }
    text.push_str("]}\n");
    Writing { text, lost: losses.finish() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(head: &str, ranks: &str) -> String {
        format!("{{{head},\n\"ranks\":[{ranks}]}}")
    }

    fn refused(head: &str, ranks: &str) -> String {
        read(&row(head, ranks)).unwrap_err().to_string()
    }

    const HEAD: &str = "\"pp\":1,\"vpp\":1,\"m\":1";

    #[test]
    fn the_pass_says_how_the_model_lies() {
        let ranks = "[\"forward0:0\",\"forward1:0\"],[\"forward0:0\",\"forward1:0\"]";
        let shape = |pass: &str| {
            let text = row(&format!("{pass}\"pp\":2,\"vpp\":2,\"m\":1"), ranks);
            let schedule = read(&text).unwrap();
            assert_eq!(read(&write(&schedule).text).as_ref(), Ok(&schedule));
            schedule.placement().shape()
        };
        assert_eq!(shape("\"pass_\":\"ZBVPP\","), Shape::V);
        assert_eq!(shape("\"pass_\":\"VPP\",\"split_backward\":true,"), Shape::Looped);
        assert_eq!(shape(""), Shape::Looped);
    }

    #[test]
    fn what_does_not_fit_its_counts_is_refused() {
        let two = "\"pp\":2,\"vpp\":1,\"m\":1";
        assert_eq!(refused(two, "[\"forward0:0\"]"), "line 1, column 7: `pp` is 2, but there is 1");
        assert_eq!(
            refused(HEAD, "[\"forward0:0\",\"forward0:1\"]"),
            "line 1, column 21: `m` is 1, but there are 2"
        );
        let error = read(&row(HEAD, "[\"forward1:0\"]")).unwrap_err();
        assert_eq!(error.code(), "E0336");
        assert_eq!(
            refused(HEAD, "[\"forward0:0\",\n\"send_forward0:0\"]"),
            "line 3, column 2: `send_forward0:0` is not an action: Paddle has no such job"
        );
        let huge = "\"pp\":1000000000000000000,\"vpp\":1,\"m\":1";
        assert_eq!(read(&row(huge, "[]")).unwrap_err().code(), "E0303");
    }

    #[test]
    fn a_refusal_is_no_schedule() {
        let text = "{\"pass_\":\"VPP\",\"pp\":2,\"vpp\":1,\"m\":1,\"error\":\"AssertionError: \"}";
        assert_eq!(read(text).unwrap_err().code(), "E0392");
    }
}
