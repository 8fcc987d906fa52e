//! The schedules that zero-bubble prints: a line a stage, words such as `f0 F0 b0 w0` with spaces between.
//!
//! Taken are the computations: `f` forward, `b` the input half of a backward (what others call I), `w` its
//! weight half, `bw` a whole backward; small letters for chunk 0, capitals for chunk 1, and the micro-batch
//! after them. Two chunks lie in a V, which is what zero-bubble has two chunks for. A file of capitals alone
//! is one of chunk 0: schedules without chunks are printed so.
//!
//! Not taken are its sends and receives (`sf0`, `rb0`), peers (`r1f0s2`), post-validation, offloading and
//! recomputation: an order with them is of a run, and not all of it is in the text.

use std::fmt::Write as _;

use crate::counts::{Chunk, Counts, MicroBatch};
use crate::format::jobs::note_pairs;
use crate::format::lost::{Loss, Losses};
use crate::format::source::{Source, number, shown};
use crate::format::{Format, FormatError, FormatFault, Writing};
use crate::job::{Job, JobKind};
use crate::placement::{Placement, Shape};
use crate::schedule::Schedule;

/// The kinds of job that zero-bubble prints, for chunk 0 and for chunk 1.
const NAMES: [([&str; 2], JobKind); 4] = [
    (["f", "F"], JobKind::Forward),
    (["b", "B"], JobKind::BackwardInput),
    (["w", "W"], JobKind::BackwardWeight),
    (["bw", "BW"], JobKind::Backward),
];

pub(super) fn read(text: &str) -> Result<Schedule, FormatError> {
    let source = Source { text, format: Format::ZeroBubble };
    let mut lists = Vec::new();
    for (stage, line) in source.lines() {
        let words = line.split([' ', '\t']).filter(|word| !word.is_empty());
        let jobs = words.map(|word| job(&source, word)).collect::<Result<Vec<_>, _>>()?;
        if jobs.is_empty() {
            let fault = FormatFault::EmptyLine { stage, format: Format::ZeroBubble };
            return Err(fault.at(source.position(line)));
        }
        lists.push(jobs);
    }
    let has = |chunk| lists.iter().flatten().any(|job| job.job_type.chunk() == Some(Chunk(chunk)));
    if has(1) && !has(0) {
        lists.iter_mut().flatten().for_each(move_to_chunk_0);
    }
    let looped = Schedule::from_lists(&lists)?;
    let v = Placement::v(looped.counts());
    if v == *looped.placement() {
        return Ok(looped);
    }
    Ok(Schedule::with_placement(&lists, v)?)
}

fn move_to_chunk_0(job: &mut Job) {
    job.job_type = job.kind().in_chunk(Chunk(0));
}

fn job(source: &Source, word: &str) -> Result<Job, FormatError> {
    let wrong = |wrong: &str| {
        let fault = FormatFault::Action { text: shown(word), wrong: wrong.to_owned() };
        fault.at(source.position(word))
    };
    let letters = word.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, micro_batch) = word.split_at(letters);
    let found = NAMES.iter().find_map(|&(names, kind)| {
        let chunk = names.iter().position(|&known| known == name)?;
        Some(kind.in_chunk(Chunk(chunk as u16)))
    });
    let Some(job_type) = found else {
        return Err(wrong(
            "expected one of f, b, w and bw, small for chunk 0, capital for chunk 1",
        ));
    };
    match number(micro_batch) {
        Some(micro_batch) => Ok(Job::new(job_type, MicroBatch(micro_batch))),
        None => {
            Err(wrong("expected a micro-batch below 4294967296 without leading zeros behind it"))
        }
    }
}

pub(super) fn write(schedule: &Schedule) -> Result<Writing, FormatError> {
    check_placement(schedule)?;
    check_chunks(schedule)?;
    let mut losses = Losses::of(Format::ZeroBubble);
    note_pairs(schedule, &mut losses);
    let mut text = String::with_capacity(schedule.jobs().len() * 4);
    for (stage, jobs) in schedule.stages() {
        let begin = text.len();
        for &job in jobs {
            let Some(name) = name(job, &mut losses) else { continue };
            let separator = if text.len() > begin { " " } else { "" };
            let _ = write!(text, "{separator}{name}{}", job.micro_batch);
        }
        if text.len() == begin {
            return Err(cannot(format!(
                "stage {stage} computes nothing, and an empty line is none"
            )));
        }
        text.push('\n');
    }
    Ok(Writing { text, lost: losses.finish() })
}

/// One chunk, or two in a V.
fn check_placement(schedule: &Schedule) -> Result<(), FormatError> {
    let placement = schedule.placement();
    let counts = schedule.counts();
    let of_one_stage = Counts::new(1, u64::from(placement.chunks()), 1).map(Placement::looped);
    let is_known = match placement.chunks() {
        1 => placement.shape() == Shape::Looped,
        2 => placement.shape() == Shape::V || of_one_stage.as_ref() == Ok(placement),
        _ => false,
    };
    if is_known {
        return Ok(());
    }
    let (shape, chunks) = (placement.shape(), counts.chunks());
    Err(cannot(format!(
        "it has one chunk on a stage or two in a V, not {chunks} with the placement `{shape}`"
    )))
}

/// Every chunk computes something: otherwise a reader would count fewer.
fn check_chunks(schedule: &Schedule) -> Result<(), FormatError> {
    let computes = |chunk: Chunk| {
        let mut jobs = schedule.jobs().iter().filter(|job| job.kind().is_computation());
        jobs.any(|job| job.job_type.chunk_or_first() == chunk)
    };
    match schedule.counts().each_chunk().find(|&chunk| !computes(chunk)) {
        None => Ok(()),
        Some(chunk) => Err(cannot(format!("chunk {chunk} computes nothing"))),
    }
}

fn cannot(reason: String) -> FormatError {
    FormatFault::CannotHold { format: Format::ZeroBubble, reason }.nowhere()
}

/// The letters of a job, noting what they do not say; none if there are none for it.
fn name(job: Job, losses: &mut Losses) -> Option<&'static str> {
    let kind = match job.kind() {
        JobKind::BackwardWeightReduce => JobKind::BackwardWeight,
        kind => kind,
    };
    let Some((names, _)) = NAMES.iter().find(|&&(_, known)| known == kind) else {
        losses.add(Loss::Jobs(kind));
        return None;
    };
    if kind != job.kind() {
        losses.add(Loss::ReductionsInJobs);
    }
    if job.job_type.chunk().is_none() {
        losses.add(Loss::TypesWithoutChunk);
    }
    names.get(usize::from(job.job_type.chunk_or_first().0)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn capitals_are_the_second_chunk_of_a_v() {
        let text = "f0 F0 B0 W0 b0 w0\nf0 F0 BW0 bw0\n";
        let schedule = read(text).unwrap();
        assert_eq!(schedule.placement().shape(), Shape::V);
        assert_eq!(
            schedule.to_string(),
            "forward0:0 forward1:0 backward_b1:0 backward_w1:0 backward_b0:0 backward_w0:0\n\
             forward0:0 forward1:0 backward1:0 backward0:0\n"
        );
        assert_eq!(write(&schedule).unwrap(), Writing { text: text.into(), lost: Vec::new() });
    }

    #[test]
    fn capitals_alone_are_the_only_chunk() {
        let schedule = read("F0 F1 BW0 BW1\nF0 BW0 F1 BW1\n").unwrap();
        assert_eq!(schedule.counts().chunks(), 1);
        assert_eq!(write(&schedule).unwrap().text, "f0 f1 bw0 bw1\nf0 bw0 f1 bw1\n");
    }

    #[test]
    fn what_is_not_taken_is_refused_with_its_place() {
        assert_eq!(
            refused("f0\nf0 sf0"),
            "line 2, column 4: `sf0` is not an action: \
             expected one of f, b, w and bw, small for chunk 0, capital for chunk 1"
        );
        for word in ["r1f0s2", "Bw0", "f", "f01", "f0x", "f-1", "fÄ"] {
            let error = read(word).unwrap_err();
            assert_eq!(error.code(), "E0387", "{word}");
        }
        assert_eq!(
            refused("f0\n \nf0"),
            "line 2, column 1: the line is empty: expected what stage 1 does"
        );
    }

    #[test]
    fn a_placement_that_a_reader_would_not_guess_is_refused() {
        let looped: Schedule = "forward0:0 forward1:0\nforward0:0 forward1:0".parse().unwrap();
        assert_eq!(
            write(&looped).unwrap_err().to_string(),
            "`zero-bubble` cannot hold this schedule: \
             it has one chunk on a stage or two in a V, not 2 with the placement `looped`"
        );
        let one_stage: Schedule = "forward0:0 forward1:0 optimizer:0".parse().unwrap();
        let written = write(&one_stage).unwrap();
        assert_eq!(written.text, "f0 F0\n");
        assert_eq!(
            written.lost[0].to_string(),
            "1 `optimizer` job left out: `zero-bubble` has no such job"
        );
    }
}
