//! Which part of the model lies where.
//!
//! The model is a chain of *parts*, counted from 0 along the forward (what torch calls a stage). A stage (a
//! rank) holds some of them as its chunks 0, 1, ... The result of a forward goes from a part to the next,
//! that of a backward to the one before; whether that is a message or stays on the stage is a matter of
//! placement, and nothing else in a schedule is. With p stages, chunk c and stage r:
//!
//! | shape | part of chunk c on stage r |
//! | --- | --- |
//! | [`Looped`](Shape::Looped) | c·p + r |
//! | [`V`](Shape::V) | c·p + r where c is even, c·p + p-1-r where it is odd: forth and back |
//! | [`BothWays`](Shape::BothWays) | r for c = 0, p-1-r for c = 1: every part is there twice |
//! | [`Given`](Shape::Given) | as a list says; stages may hold different numbers of chunks, or none |
//!
//! Invariants: a home (a stage and a chunk) has one part; a part has one home, but two with `BothWays`, where
//! the first half of the micro-batches goes one way and the second half the other; the chunks of a stage are
//! numbered without a gap. A given list that is one of the other shapes becomes that shape, so that equal
//! placements are equal values.
//!
//! ```
//! use pirogue_schedule::{Chunk, Counts, Part, Placement, Stage};
//!
//! let v = Placement::v(Counts::new(4, 2, 8)?);
//! assert_eq!(v.part(Stage(3), Chunk(1)), Some(Part(4)));
//! assert_eq!(v.next(Stage(3), Chunk(0)), Some((Stage(3), Chunk(1))));
//! assert_eq!(v.previous(Stage(0), Chunk(0)), None);
//! # Ok::<(), pirogue_schedule::ScheduleError>(())
//! ```

mod given;

use std::fmt;

use crate::counts::{Chunk, Counts, MicroBatch, Part, Stage};
use crate::error::ScheduleError;
use given::Given;

/// Where each part of the model lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    stages: u32,
    /// The most chunks of a stage.
    chunks: u32,
    rule: Rule,
}

/// The shape with what it needs to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    Looped,
    V,
    BothWays { first_of_second_half: u32 },
    Given(Given),
}

/// The kind of a [`Placement`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Every pass over the stages begins at stage 0 again.
    Looped,
    /// Every second pass over the stages goes back.
    V,
    /// The whole model lies over the stages twice, once in each direction.
    BothWays,
    /// None of the others.
    Given,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Looped => "looped",
            Self::V => "V",
            Self::BothWays => "both ways",
            Self::Given => "given",
        })
    }
}

impl Placement {
    /// The looped placement of these numbers of stages and chunks.
    pub fn looped(counts: Counts) -> Self {
        Self { stages: counts.stages(), chunks: counts.chunks(), rule: Rule::Looped }
    }

    /// The placement that goes forth and back over the stages. With one chunk or one stage it is looped.
    pub fn v(counts: Counts) -> Self {
        let is_looped = counts.stages() == 1 || counts.chunks() == 1;
        let rule = if is_looped { Rule::Looped } else { Rule::V };
        Self { rule, ..Self::looped(counts) }
    }

    /// The model twice over the stages, one half of the micro-batches in each direction.
    ///
    /// # Errors
    /// There are not two chunks on a stage, or the micro-batches have no two halves.
    pub fn both_ways(counts: Counts) -> Result<Self, ScheduleError> {
        if counts.chunks() != 2 || !counts.micro_batches().is_multiple_of(2) {
            return Err(ScheduleError::NotBothWays { counts });
        }
        let rule = Rule::BothWays { first_of_second_half: counts.micro_batches() / 2 };
        Ok(Self { rule, ..Self::looped(counts) })
    }

    /// The placement in which part i lies at `homes[i]`.
    ///
    /// # Errors
    /// There is no part, a stage is not below `stages`, two parts have one home, or the chunks of a stage
    /// leave a number out.
    pub fn given(stages: u64, homes: &[(Stage, Chunk)]) -> Result<Self, ScheduleError> {
        let given = Given::new(stages, homes)?;
        let (stages, chunks) = (given.stages(), given.chunks());
        let of_rule = |rule| Self { stages, chunks, rule };
        let has_homes = |placement: &Self| {
            placement.parts() as usize == homes.len()
                && (0..).zip(homes).all(|(part, &home)| placement.first_home(part) == home)
        };
        let named = [Rule::Looped, Rule::V].map(of_rule).into_iter().find(has_homes);
        Ok(named.unwrap_or_else(|| of_rule(Rule::Given(given))))
    }

    /// The placement in which part i lies on `stages_of_parts[i]`, the chunks of each stage numbered in the
    /// order of the parts.
    ///
    /// # Errors
    /// There is no part, more than can be numbered on one stage, or a stage is not below `stages`.
    pub fn of_stages(stages: u64, stages_of_parts: &[Stage]) -> Result<Self, ScheduleError> {
        let mut order: Vec<usize> = (0..stages_of_parts.len()).collect();
        order.sort_by_key(|&part| stages_of_parts[part]);
        let mut homes = vec![(Stage(0), Chunk(0)); order.len()];
        for of_stage in
            order.chunk_by(|&left, &right| stages_of_parts[left] == stages_of_parts[right])
        {
            for (number, &part) in of_stage.iter().enumerate() {
                let chunk = u16::try_from(number)
                    .map_err(|_| ScheduleError::TooManyChunks { chunks: of_stage.len() as u64 })?;
                homes[part] = (stages_of_parts[part], Chunk(chunk));
            }
        }
        Self::given(stages, &homes)
    }

    /// What kind of placement this is.
    pub fn shape(&self) -> Shape {
        match self.rule {
            Rule::Looped => Shape::Looped,
            Rule::V => Shape::V,
            Rule::BothWays { .. } => Shape::BothWays,
            Rule::Given(_) => Shape::Given,
        }
    }

    /// The number of stages, those without a chunk included.
    pub fn stages(&self) -> u32 {
        self.stages
    }

    /// The most chunks that a stage holds.
    pub fn chunks(&self) -> u32 {
        self.chunks
    }

    /// The number of parts of the model.
    pub fn parts(&self) -> u32 {
        match &self.rule {
            Rule::Looped | Rule::V => self.stages * self.chunks,
            Rule::BothWays { .. } => self.stages,
            Rule::Given(given) => given.parts(),
        }
    }

    /// How many chunks a stage holds; none where there is no such stage.
    pub fn chunks_of(&self, stage: Stage) -> u32 {
        match &self.rule {
            _ if stage.0 >= self.stages => 0,
            Rule::Given(given) => given.chunks_of(stage.0),
            _ => self.chunks,
        }
    }

    /// The part that a stage holds as this chunk, if it has that chunk.
    #[inline]
    pub fn part(&self, stage: Stage, chunk: Chunk) -> Option<Part> {
        let (stages, stage, number) = (self.stages, stage.0, u32::from(chunk.0));
        if stage >= stages || number >= self.chunks {
            return None;
        }
        let mirrored = stages - 1 - stage;
        Some(Part(match &self.rule {
            Rule::Looped => number * stages + stage,
            Rule::V if number.is_multiple_of(2) => number * stages + stage,
            Rule::V => number * stages + mirrored,
            Rule::BothWays { .. } if number == 0 => stage,
            Rule::BothWays { .. } => mirrored,
            Rule::Given(given) => return given.part(stage, number),
        }))
    }

    /// Where a part runs on a micro-batch, if there is such a part.
    pub fn home(&self, part: Part, micro_batch: MicroBatch) -> Option<(Stage, Chunk)> {
        if part.0 >= self.parts() {
            return None;
        }
        match self.rule {
            Rule::BothWays { first_of_second_half } if micro_batch.0 >= first_of_second_half => {
                Some((Stage(self.stages - 1 - part.0), Chunk(1)))
            }
            _ => Some(self.first_home(part.0)),
        }
    }

    /// Whether a stage runs this chunk on this micro-batch: it holds it, and the micro-batch goes that way.
    #[inline]
    pub fn runs(&self, stage: Stage, chunk: Chunk, micro_batch: MicroBatch) -> bool {
        let goes_this_way = match self.rule {
            Rule::BothWays { first_of_second_half } => {
                (micro_batch.0 >= first_of_second_half) == (chunk.0 == 1)
            }
            _ => true,
        };
        goes_this_way && self.part(stage, chunk).is_some()
    }

    /// Where the result of a forward goes: the home of the next part, on the way of this one.
    #[inline]
    pub fn next(&self, stage: Stage, chunk: Chunk) -> Option<(Stage, Chunk)> {
        if let (Rule::Looped, true) = (&self.rule, stage.0 + 1 < self.stages) {
            return Some((Stage(stage.0 + 1), chunk));
        }
        let part = self.part(stage, chunk)?;
        self.on_the_way_of(chunk, part.0 + 1)
    }

    /// Where the input of a forward comes from: the home of the part before, on the way of this one.
    #[inline]
    pub fn previous(&self, stage: Stage, chunk: Chunk) -> Option<(Stage, Chunk)> {
        if let (Rule::Looped, 1..) = (&self.rule, stage.0) {
            return Some((Stage(stage.0 - 1), chunk));
        }
        let part = self.part(stage, chunk)?;
        self.on_the_way_of(chunk, part.0.checked_sub(1)?)
    }

    /// The home of a part on the way that `chunk` is on.
    fn on_the_way_of(&self, chunk: Chunk, part: u32) -> Option<(Stage, Chunk)> {
        if part >= self.parts() {
            return None;
        }
        match self.rule {
            Rule::BothWays { .. } if chunk.0 == 1 => {
                Some((Stage(self.stages - 1 - part), Chunk(1)))
            }
            _ => Some(self.first_home(part)),
        }
    }

    /// The home of a part that is known to exist; with two of them, the one on the first way.
    fn first_home(&self, part: u32) -> (Stage, Chunk) {
        let (chunk, place) = (part / self.stages, part % self.stages);
        let home = |stage| (Stage(stage), Chunk(chunk as u16));
        match &self.rule {
            Rule::Looped | Rule::BothWays { .. } => home(place),
            Rule::V if chunk.is_multiple_of(2) => home(place),
            Rule::V => home(self.stages - 1 - place),
            Rule::Given(given) => given.home(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(stages: u64, chunks: u64) -> Counts {
        Counts::new(stages, chunks, 4).unwrap()
    }

    /// The parts of each stage, as text.
    fn parts(placement: &Placement) -> String {
        let of_stage = |stage| {
            let chunks = (0..placement.chunks_of(stage)).map(|chunk| Chunk(chunk as u16));
            let parts: Vec<String> =
                chunks.map(|chunk| placement.part(stage, chunk).unwrap().to_string()).collect();
            parts.join(" ")
        };
        let stages: Vec<String> =
            (0..placement.stages()).map(|stage| of_stage(Stage(stage))).collect();
        stages.join(" | ")
    }

    #[test]
    fn each_shape_lays_the_parts_as_its_table_says() {
        assert_eq!(parts(&Placement::looped(counts(3, 2))), "0 3 | 1 4 | 2 5");
        assert_eq!(parts(&Placement::v(counts(3, 3))), "0 5 6 | 1 4 7 | 2 3 8");
        assert_eq!(parts(&Placement::both_ways(counts(3, 2)).unwrap()), "0 2 | 1 1 | 2 0");
        let homes = [(2, 0), (0, 0), (2, 1), (3, 0)].map(|(s, c)| (Stage(s), Chunk(c)));
        assert_eq!(parts(&Placement::given(4, &homes).unwrap()), "1 |  | 0 2 | 3");
    }

    #[test]
    fn the_next_of_the_previous_is_where_one_was() {
        for placement in [
            Placement::looped(counts(3, 2)),
            Placement::looped(counts(1, 3)),
            Placement::v(counts(3, 3)),
            Placement::both_ways(counts(4, 2)).unwrap(),
            Placement::of_stages(4, &[0, 3, 3, 1, 0].map(Stage)).unwrap(),
        ] {
            for stage in (0..placement.stages()).map(Stage) {
                for chunk in (0..placement.chunks_of(stage)).map(|chunk| Chunk(chunk as u16)) {
                    let part = placement.part(stage, chunk).unwrap();
                    let next = placement.next(stage, chunk);
                    assert_eq!(next.is_none(), part.0 + 1 == placement.parts());
                    if let Some((next_stage, next_chunk)) = next {
                        assert_eq!(placement.part(next_stage, next_chunk), Some(Part(part.0 + 1)));
                        assert_eq!(
                            placement.previous(next_stage, next_chunk),
                            Some((stage, chunk))
                        );
                    }
                    assert_eq!(placement.previous(stage, chunk).is_none(), part.0 == 0);
                }
            }
        }
    }

    #[test]
    fn each_part_runs_each_micro_batch_in_one_place() {
        let placement = Placement::both_ways(counts(4, 2)).unwrap();
        for (part, micro_batch) in (0..4).flat_map(|part| (0..4).map(move |m| (part, m))) {
            let micro_batch = MicroBatch(micro_batch);
            let homes: Vec<(Stage, Chunk)> = (0..4)
                .flat_map(|stage| [Chunk(0), Chunk(1)].map(|chunk| (Stage(stage), chunk)))
                .filter(|&(stage, chunk)| placement.runs(stage, chunk, micro_batch))
                .filter(|&(stage, chunk)| placement.part(stage, chunk) == Some(Part(part)))
                .collect();
            assert_eq!(homes, [placement.home(Part(part), micro_batch).unwrap()]);
        }
    }

    #[test]
    fn a_given_list_of_a_known_shape_is_that_shape() {
        let stages = |list: &[u32]| list.iter().copied().map(Stage).collect::<Vec<_>>();
        let shape = |p, list: &[u32]| Placement::of_stages(p, &stages(list)).unwrap().shape();
        assert_eq!(shape(2, &[0, 1, 0, 1]), Shape::Looped);
        assert_eq!(shape(2, &[0, 1, 1, 0]), Shape::V);
        assert_eq!(shape(1, &[0, 0]), Shape::Looped);
        assert_eq!(shape(2, &[1, 0]), Shape::Given);
        assert_eq!(shape(3, &[0, 1]), Shape::Given);
        assert_eq!(Placement::v(counts(4, 1)), Placement::looped(counts(4, 1)));
    }

    #[test]
    fn what_is_no_placement_is_refused() {
        let refused = |stages, homes: &[(u32, u16)]| {
            let homes: Vec<_> = homes.iter().map(|&(s, c)| (Stage(s), Chunk(c))).collect();
            Placement::given(stages, &homes).unwrap_err().to_string()
        };
        assert_eq!(refused(1, &[]), "the number of parts is 0");
        assert_eq!(refused(0, &[]), "the number of stages is 0");
        assert_eq!(
            refused(2, &[(0, 0), (2, 0)]),
            "part 1 is placed on stage 2, but there are 2 stages, counted from 0"
        );
        assert_eq!(
            refused(2, &[(0, 0), (1, 0), (0, 0)]),
            "parts 0 and 2 are both placed at chunk 0 of stage 0"
        );
        assert_eq!(
            refused(2, &[(0, 0), (1, 1)]),
            "stage 1 has no chunk 0, but chunk 1 holds part 1"
        );
        let quintillion = 1_000_000_000_000_000_000;
        assert_eq!(Placement::of_stages(quintillion, &[Stage(0)]).unwrap_err().code(), "E0303");
        let odd = Counts::new(4, 2, 5).unwrap();
        assert_eq!(Placement::both_ways(odd).unwrap_err().code(), "E0334");
    }
}
