//! Our own JSON: everything a schedule holds, and nothing twice that is not checked.
//!
//! ```json
//! {"format":"pirogue-schedule","version":1,
//!  "stages":2,"chunks":2,"micro_batches":1,
//!  "placement":"v",
//!  "jobs":[
//!   "forward0:0 forward1:0 backward1:0 backward0:0",
//!   "forward0:0 forward1:0 backward1:0 backward0:0"]}
//! ```
//!
//! A string of jobs a stage, with a space between two, or a `&` if they are a fused pair:
//! `forward0:4&backward1:0`. The placement is `"looped"`, `"v"`, `{"both_ways":4}` with the first
//! micro-batch that goes the other way, or `{"given":[[0,0],[1,0]]}` with the stage and the chunk of each
//! part. The three counts are what the rest amounts to.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::counts::{Chunk, Counts, MicroBatch, Part, Stage};
use crate::error::ScheduleError;
use crate::format::source::Source;
use crate::format::{Format, FormatError, FormatFault, Writing};
use crate::job::Job;
use crate::placement::{Placement, Shape};
use crate::schedule::Schedule;

/// What the `format` of the file says.
const NAME: &str = "pirogue-schedule";
/// The only version there is.
const VERSION: u64 = 1;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<'a> {
    #[serde(borrow)]
    format: &'a RawValue,
    #[serde(borrow)]
    version: &'a RawValue,
    #[serde(borrow)]
    stages: &'a RawValue,
    #[serde(borrow)]
    chunks: &'a RawValue,
    #[serde(borrow)]
    micro_batches: &'a RawValue,
    #[serde(borrow)]
    placement: &'a RawValue,
    #[serde(borrow)]
    jobs: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum PlacementText {
    Looped,
    V,
    BothWays(u64),
    Given(Vec<(u32, u16)>),
}

pub(super) fn read(text: &str) -> Result<Schedule, FormatError> {
    let source = Source { text, format: Format::Json };
    let file: File = source.object()?;
    check_head(&source, &file)?;
    let counts = read_counts(&source, &file)?;
    let placement = source.value(file.placement)?;
    let placement =
        self::placement(counts, placement).map_err(|error| source.at(file.placement, error))?;
    let chunks = placement.chunks().into();
    source.check_count(file.chunks, "`chunks`", counts.chunks().into(), chunks)?;

    let mut lists = Vec::with_capacity(file.jobs.len());
    let mut pairs = Vec::new();
    let mut begin = 0;
    for &raw in &file.jobs {
        let list = read_list(&source, source.string(raw)?, begin, &mut pairs)?;
        begin += list.len();
        lists.push(list);
    }
    let schedule = Schedule::with_placement(&lists, placement)?;
    let micro_batches = schedule.counts().micro_batches().into();
    source.check_count(
        file.micro_batches,
        "`micro_batches`",
        counts.micro_batches().into(),
        micro_batches,
    )?;
    Ok(schedule.with_fused_pairs(pairs)?)
}

fn check_head(source: &Source, file: &File) -> Result<(), FormatError> {
    let other = |raw: &RawValue, message: String| {
        let fault = FormatFault::Json { message, format: Format::Json };
        Err(fault.at(source.position(raw.get())))
    };
    if source.string(file.format)? != NAME {
        return other(file.format, format!("`format` is not `{NAME}`"));
    }
    match source.value::<u64>(file.version)? {
        VERSION => Ok(()),
        version => {
            other(file.version, format!("version {version} is not known: expected {VERSION}"))
        }
    }
}

/// The counts, which are no more than the file has lists for.
fn read_counts(source: &Source, file: &File) -> Result<Counts, FormatError> {
    let stages = source.value(file.stages)?;
    let counts = Counts::new(stages, source.value(file.chunks)?, source.value(file.micro_batches)?);
    let counts = counts.map_err(|error| source.at(file.stages, error))?;
    source.check_count(file.stages, "`stages`", stages, file.jobs.len() as u64)?;
    Ok(counts)
}

fn placement(counts: Counts, text: PlacementText) -> Result<Placement, ScheduleError> {
    match text {
        PlacementText::Looped => Ok(Placement::looped(counts)),
        PlacementText::V => Ok(Placement::v(counts)),
        PlacementText::BothWays(turn) => {
            let (stages, chunks) = (counts.stages().into(), counts.chunks().into());
            Placement::both_ways(Counts::new(stages, chunks, turn.saturating_mul(2))?)
        }
        PlacementText::Given(homes) => {
            let homes: Vec<(Stage, Chunk)> =
                homes.into_iter().map(|(stage, chunk)| (Stage(stage), Chunk(chunk))).collect();
            Placement::given(counts.stages().into(), &homes)
        }
    }
}

/// The jobs of a stage; `begin` is how many the stages before it have.
fn read_list(
    source: &Source,
    text: &str,
    begin: usize,
    pairs: &mut Vec<usize>,
) -> Result<Vec<Job>, FormatError> {
    let mut jobs = Vec::new();
    if text.is_empty() {
        return Ok(jobs);
    }
    for word in text.split(' ') {
        let Some((first, second)) = word.split_once('&') else {
            jobs.push(source.job(word)?);
            continue;
        };
        let pair = [source.job(first)?, source.job(second)?];
        if !pair[0].can_fuse_with(pair[1]) {
            let error = ScheduleError::NotAPair { index: begin + jobs.len() };
            return Err(FormatFault::Schedule(error).at(source.position(word)));
        }
        pairs.push(begin + jobs.len());
        jobs.extend(pair);
    }
    Ok(jobs)
}

pub(super) fn write(schedule: &Schedule) -> Writing {
    let counts = schedule.counts();
    let mut text = String::with_capacity(schedule.jobs().len() * 12);
    let _ = write!(
        text,
        "{{\"format\":\"{NAME}\",\"version\":{VERSION},\n \
         \"stages\":{},\"chunks\":{},\"micro_batches\":{},\n \"placement\":",
        counts.stages(),
        counts.chunks(),
        counts.micro_batches()
    );
    write_placement(&mut text, schedule.placement());
    text.push_str(",\n \"jobs\":[");
    for (stage, jobs) in schedule.stages() {
        text.push_str(if stage.0 == 0 { "\n  \"" } else { ",\n  \"" });
        let begin = schedule.begin(stage.0);
        for (index, job) in (begin..).zip(jobs) {
            if index > begin {
                text.push(if schedule.is_fused_with_next(index - 1) { '&' } else { ' ' });
            }
            let _ = write!(text, "{job}");
        }
        text.push('"');
    }
    text.push_str("]}\n");
    Writing { text, lost: Vec::new() }
}

fn write_placement(text: &mut String, placement: &Placement) {
    match placement.shape() {
        Shape::Looped => text.push_str("\"looped\""),
        Shape::V => text.push_str("\"v\""),
        Shape::BothWays => {
            let _ = write!(text, "{{\"both_ways\":{}}}", first_of_second_half(placement));
        }
        Shape::Given => {
            text.push_str("{\"given\":[");
            for part in 0..placement.parts() {
                let home = placement.home(Part(part), MicroBatch(0));
                let (stage, chunk) = home.expect("the part is below the count of parts");
                let separator = if part == 0 { "" } else { "," };
                let _ = write!(text, "{separator}[{stage},{chunk}]");
            }
            text.push_str("]}");
        }
    }
}

/// The first micro-batch that goes the other way, found by halving.
fn first_of_second_half(placement: &Placement) -> u32 {
    let goes_back = |micro_batch| placement.runs(Stage(0), Chunk(1), MicroBatch(micro_batch));
    let (mut below, mut above) = (0, u32::MAX);
    while below < above {
        let middle = below + (above - below) / 2;
        if goes_back(middle) {
            above = middle;
        } else {
            below = middle + 1;
        }
    }
    above
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(counts: &str, placement: &str, jobs: &str) -> String {
        format!(
            "{{\"format\":\"pirogue-schedule\",\"version\":1,\n{counts},\n\"placement\":{placement},\n\"jobs\":[{jobs}]}}"
        )
    }

    fn refused(counts: &str, placement: &str, jobs: &str) -> (&'static str, String) {
        let error = read(&file(counts, placement, jobs)).unwrap_err();
        (error.code(), error.to_string())
    }

    const TWO: &str = "\"stages\":2,\"chunks\":1,\"micro_batches\":1";
    const JOBS: &str = "\"forward0:0\",\"forward0:0\"";

    #[test]
    fn every_placement_comes_back() {
        let counts = Counts::new(2, 2, 6).unwrap();
        let both_ways = Placement::both_ways(counts).unwrap();
        let uneven = Placement::of_stages(3, &[2, 0, 2].map(Stage)).unwrap();
        let turned = [(0, 1), (0, 0), (1, 0)].map(|(s, c)| (Stage(s), Chunk(c)));
        let turned = Placement::given(2, &turned).unwrap();
        let one = |text: &str| vec![text.parse::<Job>().unwrap()];
        for (placement, lists) in [
            (both_ways.clone(), vec![one("forward0:1"), one("forward1:5")]),
            (both_ways, vec![one("forward0:1"), one("forward0:2")]),
            (Placement::v(counts), vec![one("forward0:1"), one("forward1:0")]),
            (Placement::looped(counts), vec![one("forward0:1"), one("optimizer:0")]),
            (uneven, vec![one("forward:1"), Vec::new(), one("backward_w1_reduce:0")]),
            (turned, vec![one("forward1:1"), one("reduce_gradient0:0")]),
        ] {
            let schedule = Schedule::with_placement(&lists, placement).unwrap();
            let text = write(&schedule).text;
            assert_eq!(read(&text).as_ref(), Ok(&schedule), "{text}");
        }
    }

    #[test]
    fn a_count_that_is_not_what_is_there_is_refused() {
        let other = "\"stages\":3,\"chunks\":1,\"micro_batches\":1";
        assert_eq!(
            refused(other, "\"looped\"", JOBS).1,
            "line 2, column 10: `stages` is 3, but there are 2"
        );
        let other = "\"stages\":2,\"chunks\":1,\"micro_batches\":2";
        assert_eq!(
            refused(other, "\"looped\"", JOBS).1,
            "line 2, column 39: `micro_batches` is 2, but there is 1"
        );
        let other = "\"stages\":2,\"chunks\":2,\"micro_batches\":1";
        assert_eq!(refused(other, "{\"given\":[[0,0],[1,0]]}", JOBS).0, "E0393");
    }

    #[test]
    fn absurd_counts_are_refused_before_anything_is_allocated() {
        let quintillion = "\"stages\":1000000000000000000,\"chunks\":1,\"micro_batches\":1";
        assert_eq!(refused(quintillion, "\"looped\"", JOBS).0, "E0303");
        let no_stage = "\"stages\":0,\"chunks\":1,\"micro_batches\":1";
        assert_eq!(refused(no_stage, "\"looped\"", "").0, "E0301");
        assert_eq!(refused(TWO, "{\"both_ways\":18446744073709551615}", JOBS).0, "E0303");
    }

    #[test]
    fn a_placement_that_comes_back_to_a_home_is_refused_where_it_stands() {
        assert_eq!(
            refused(TWO, "{\"given\":[[0,0],[1,0],[0,0]]}", JOBS),
            (
                "E0332",
                "line 3, column 13: parts 0 and 2 are both placed at chunk 0 of stage 0".into()
            )
        );
        assert_eq!(refused(TWO, "\"circle\"", JOBS).0, "E0392");
        assert_eq!(refused(TWO, "{\"given\":[[0,0],[9,0]]}", JOBS).0, "E0331");
    }

    #[test]
    fn a_fault_in_a_string_of_jobs_has_its_place() {
        let (code, said) = refused(TWO, "\"looped\"", "\"forward0:0\",\"forward0:0 forwardx:0\"");
        assert_eq!(code, "E0322");
        assert!(said.starts_with("line 4, column 34: `x` in `forwardx` is not a chunk"), "{said}");
        assert_eq!(refused(TWO, "\"looped\"", "\"forward0:0\\u0020\",\"\"").0, "E0392");
        assert_eq!(refused(TWO, "\"looped\"", "\"forward0:0  forward0:0\",\"\"").0, "E0324");
        let pair = "\"backward0:0&forward0:0\",\"forward0:0\"";
        assert_eq!(refused(TWO, "\"looped\"", pair).0, "E0337");
    }

    #[test]
    fn what_is_another_file_is_refused() {
        let text = file(TWO, "\"looped\"", JOBS);
        for (from, to, code) in [
            ("pirogue-schedule", "pirogue-plan", "E0392"),
            ("\"version\":1", "\"version\":2", "E0392"),
            ("\"version\":1", "\"version\":1,\"version\":1", "E0392"),
            ("\"version\":1,", "", "E0392"),
            ("\"version\":1", "\"version\":1,\"costs\":[]", "E0392"),
        ] {
            let error = read(&text.replace(from, to)).unwrap_err();
            assert_eq!(error.code(), code, "{error}");
            assert!(error.position().is_some());
        }
        assert_eq!(read(&format!("{text}{text}")).unwrap_err().code(), "E0392");
        let cut = read(&format!("{}\n", &text[..text.len() - 1])).unwrap_err();
        assert_eq!(cut.to_string(), "line 5, column 1: EOF while parsing an object");
        assert!(read(&text).is_ok());
    }
}
