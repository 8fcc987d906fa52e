//! PyTorch's CSV: a row a rank, a cell an action, an empty cell an idle slot.
//!
//! `2F0` is part 2 (torch says stage), type F, micro-batch 0. With `<p>` a part and `<m>` a micro-batch:
//!
//! | action | job |
//! | --- | --- |
//! | `<p>F<m>`, `<p>B<m>` | `forward`, `backward` |
//! | `<p>I<m>`, `<p>W<m>` | `backward_b`, `backward_w` |
//! | `<p>SEND_F<m>`, `<p>SEND_B<m>` | `send_forward`, `send_backward` of the part that sends |
//! | `<p>RECV_F<m>`, `<p>RECV_B<m>` | `recv_forward`, `recv_backward` of the part that receives |
//! | `<p>WAIT_SEND_F<m>`, `<p>WAIT_SEND_B<m>` | `wait_send_forward`, `wait_send_backward` |
//! | `<p>REDUCE_GRAD`, `<p>WAIT_REDUCE_GRAD` | `reduce_gradient`, `wait_reduce_gradient` |
//! | `(<p>F<m>;<p>B<m>)OVERLAP_F_B` | a forward and a backward as a fused pair |
//! | `<p>UNSHARD`, `<p>RESHARD` | refused: a schedule does not say when parameters are gathered |
//!
//! Which rank holds a part is inferred from who computes it; the chunks of a rank are numbered in the order
//! of its parts. A row of idle slots alone is a rank that holds no part.
//!
//! Reading is anchored (`2F0xyz` is no action), takes no leading zeros, lines that end in LF or CRLF, and
//! spaces around an action. Messages are written where the schedule has both ends of those it has: lists with
//! one end alone, as Paddle's, are written without, as torch puts in both.

mod action;
mod write;

use crate::counts::{MicroBatch, Part, Stage};
use crate::format::lost::{Loss, Losses};
use crate::format::source::Source;
use crate::format::{Format, FormatError, FormatFault, Lost};
use crate::job::Job;
use crate::placement::Placement;
use crate::schedule::Schedule;
use action::{Action, Cell};
pub(super) use write::write;

/// An action with its word, for errors.
struct Placed<'a> {
    action: Action,
    word: &'a str,
}

/// The actions of a rank; a pair is two of them, noted by the index of the first.
#[derive(Default)]
struct Row<'a> {
    actions: Vec<Placed<'a>>,
    pairs: Vec<usize>,
}

pub(super) fn read(text: &str) -> Result<(Schedule, Vec<Lost>), FormatError> {
    let source = Source { text, format: Format::Csv };
    let mut losses = Losses::of(Format::Csv);
    let rows = source
        .lines()
        .map(|(stage, line)| read_row(&source, stage, line, &mut losses))
        .collect::<Result<Vec<_>, _>>()?;
    let placement = infer_placement(&source, &rows)?;
    let mut lists = Vec::with_capacity(rows.len());
    for (stage, row) in (0..).map(Stage).zip(&rows) {
        let jobs = row.actions.iter().map(|placed| job(&source, &placement, stage, placed));
        lists.push(jobs.collect::<Result<Vec<Job>, _>>()?);
    }
    let mut begin = 0;
    let mut pairs = Vec::new();
    for row in &rows {
        pairs.extend(row.pairs.iter().map(|index| begin + index));
        begin += row.actions.len();
    }
    drop(rows);
    let schedule = Schedule::with_placement(&lists, placement)?.with_fused_pairs(pairs)?;
    Ok((schedule, losses.finish()))
}

fn read_row<'a>(
    source: &Source<'a>,
    stage: Stage,
    line: &'a str,
    losses: &mut Losses,
) -> Result<Row<'a>, FormatError> {
    if line.trim().is_empty() {
        let fault = FormatFault::EmptyLine { stage, format: Format::Csv };
        return Err(fault.at(source.position(line)));
    }
    let mut row = Row::default();
    let mut idle = 0_usize;
    for word in line.split(',').map(|cell| cell.trim_matches([' ', '\t'])) {
        let cell = Cell::parse(word).map_err(|fault| fault.at(source.position(word)))?;
        match cell {
            Cell::Idle => idle += 1,
            Cell::One(action) => row.actions.push(Placed { action, word }),
            Cell::Pair(pair) => {
                row.pairs.push(row.actions.len());
                row.actions.extend(pair.map(|action| Placed { action, word }));
            }
        }
    }
    if !row.actions.is_empty() {
        (0..idle).for_each(|_| losses.add(Loss::IdleSlots));
    }
    Ok(row)
}

/// Each part is where it is computed, on one rank; none is left out.
fn infer_placement(source: &Source, rows: &[Row]) -> Result<Placement, FormatError> {
    let mut computed: Vec<(u32, Stage, &str)> = Vec::new();
    for (stage, row) in (0..).map(Stage).zip(rows) {
        let of_row = computed.len();
        let computations = row.actions.iter().filter(|placed| placed.action.kind.is_computation());
        computed.extend(computations.map(|placed| (placed.action.part, stage, placed.word)));
        // One action of each part is enough: a row has few parts and many actions.
        computed[of_row..].sort_by_key(|&(part, _, _)| part);
        let mut of_this_row = computed.split_off(of_row);
        of_this_row.dedup_by_key(|&mut (part, _, _)| part);
        computed.append(&mut of_this_row);
    }
    computed.sort_by_key(|&(part, stage, _)| (part, stage));
    let last = Part(computed.last().map_or(0, |&(part, _, _)| part));
    for (index, &(part, stage, word)) in computed.iter().enumerate() {
        if index > 0 && computed[index - 1].0 == part {
            let stages = [computed[index - 1].1, stage];
            let fault = FormatFault::PartTwice { part: Part(part), stages };
            return Err(fault.at(source.position(word)));
        }
        if part as usize != index {
            let fault = FormatFault::PartNowhere { part: Part(index as u32), last };
            return Err(fault.at(source.position(word)));
        }
    }
    let stages: Vec<Stage> = computed.iter().map(|&(_, stage, _)| stage).collect();
    Ok(Placement::of_stages(rows.len() as u64, &stages)?)
}

/// The job of an action on its rank.
fn job(
    source: &Source,
    placement: &Placement,
    stage: Stage,
    placed: &Placed,
) -> Result<Job, FormatError> {
    let Action { part, kind, micro_batch } = placed.action;
    match placement.home(Part(part), MicroBatch(micro_batch)) {
        Some((home, chunk)) if home == stage => {
            Ok(Job::new(kind.in_chunk(chunk), MicroBatch(micro_batch)))
        }
        _ => {
            let text = placed.word.to_owned();
            let fault = FormatFault::ForeignPart { text, stage };
            Err(fault.at(source.position(placed.word)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::Shape;

    fn refused(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    fn rewritten(text: &str) -> String {
        let written = write(&read(text).unwrap().0).unwrap();
        assert_eq!(written.lost, []);
        written.text
    }

    #[test]
    fn an_idle_slot_is_lost_and_counted() {
        let (schedule, lost) = read("0F0,,,0B0\r\n,1F0,1B0\r\n").unwrap();
        assert_eq!(schedule.to_string(), "forward0:0 backward0:0\nforward0:0 backward0:0\n");
        assert_eq!(
            lost.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["3 idle slots of `csv` left out"]
        );
    }

    #[test]
    fn each_type_is_the_job_that_it_means() {
        let csv = "0F0,0SEND_F0,0RECV_B0,0I0,0WAIT_SEND_F0,0W0,0REDUCE_GRAD,0WAIT_REDUCE_GRAD\n\
                   1RECV_F0,(1F0;1B0)OVERLAP_F_B,1SEND_B0,1WAIT_SEND_B0\n";
        let schedule = read(csv).unwrap().0;
        assert_eq!(
            schedule.to_string(),
            "forward0:0 send_forward0:0 recv_backward0:0 backward_b0:0 wait_send_forward0:0 \
             backward_w0:0 reduce_gradient0:0 wait_reduce_gradient0:0\n\
             recv_forward0:0 forward0:0 backward0:0 send_backward0:0 wait_send_backward0:0\n"
        );
        assert_eq!(schedule.fused_pairs(), [9]);
        assert_eq!(rewritten(csv), csv);
    }

    #[test]
    fn the_placement_is_who_computes_a_part() {
        let shape = |text| read(text).unwrap().0.placement().shape();
        assert_eq!(shape("0F0,2F0\n1F0,3F0\n"), Shape::Looped);
        assert_eq!(shape("0F0,3F0\n1F0,2F0\n"), Shape::V);
        assert_eq!(shape("0F0,1F0\n2F0,3F0\n"), Shape::Given);
        assert_eq!(
            refused("0F0,0B0\n2F0,2B0\n"),
            "line 2, column 1: part 1 is computed by no rank, but part 2 is"
        );
        assert_eq!(
            refused("0F0,0B0\n1F0,0B1\n"),
            "line 2, column 5: part 0 is computed by rank 0 and here by rank 1"
        );
        assert_eq!(
            refused("0F0,1SEND_F0\n1F0\n"),
            "line 1, column 5: `1SEND_F0` is of a part that rank 0 does not compute"
        );
    }

    #[test]
    fn a_rank_may_do_nothing_but_must_say_so() {
        assert_eq!(rewritten("0F0,0B0\n,\n1F0,1B0\n"), "0F0,0B0\n,\n1F0,1B0\n");
        assert_eq!(
            refused("0F0\n\n1F0\n"),
            "line 2, column 1: the line is empty: expected what stage 1 does"
        );
    }

    #[test]
    fn one_huge_number_does_not_make_a_huge_schedule() {
        assert_eq!(read("0F4294967295\n").unwrap_err().code(), "E0303");
        assert_eq!(read("1000000000000000000F0\n").unwrap_err().code(), "E0387");
        assert_eq!(read("4294967295F0\n").unwrap_err().code(), "E0389");
    }

    #[test]
    fn spaces_around_an_action_are_taken() {
        assert_eq!(rewritten("0F0, 0I0 ,0W0\n"), "0F0,0I0,0W0\n");
    }
}
