//! The families of schedules: each a law that yields, for given counts, the lists of all stages at once.
//!
//! Paddle's spellings (`FThenB`, `1F1B`, `Eager1F1B`, `VPP`, `ZBH1`, `ZBVPP`) mean Paddle's lists, job for job,
//! where they are sound; the others are named as the field names them. A family takes every number of
//! micro-batches for which its law yields lists that all stages can run together, and refuses the others with
//! the reason and the nearest that it takes. The answer never depends on a stage.
//!
//! In the formulas p is the number of stages, r the stage, v of chunks on each, m of micro-batches, g of
//! micro-batches in a group; F, B, I, W a forward, a whole backward, its input half and its weight half, and
//! tF ... the time of one for one chunk. *Makespan bubble*: how long a stage idles from the first job of any
//! to the last. *Span bubble*: how long it idles between its own first and last job. *Live*: activations held
//! on a stage, each of one chunk and one micro-batch, from F to the end of B or W.
//!
//! ```
//! use pirogue_schedule::{Counts, families};
//!
//! let request = families::Request::new(Counts::new(4, 2, 8)?);
//! let schedule = families::find("zbv")?.generate(&request)?;
//! assert_eq!(schedule.stages().len(), 4);
//!
//! let unknown = families::find("zvb").unwrap_err();
//! assert_eq!(unknown.help(), "did you mean `zbv`?");
//!
//! let few = families::Request::new(Counts::new(4, 2, 5)?);
//! let refused = families::find("dualpipev")?.generate(&few).unwrap_err();
//! assert_eq!(refused.help(), "take 8 micro-batches");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clock;
mod dualpipe;
mod dualpipev;
mod gpipe;
mod interleaved;
mod interleaved_zero_bubble;
mod lists;
mod looped_bfs;
mod one_forward_one_backward;
mod paddle;
mod refusal;
mod request;
mod v_memory;
mod zb_h1;
mod zb_h2;
mod zbv;
mod zero_bubble;

use std::fmt;

use crate::schedule::Schedule;

pub use refusal::{MicroBatchRule, Refusal};
pub use request::{FamilyOption, Remainder, Request};

/// A family of schedules: what is known about it, and its generator.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// How long stages idle.
    pub bubble: &'static str,
    /// How many activations stage r holds.
    pub memory: &'static str,
    /// What it takes.
    pub conditions: &'static str,
    /// How many chunks it takes on a stage.
    pub chunks: ChunkRule,
    /// The options that it has and others have not.
    pub options: &'static [FamilyOption],
    law: fn(&Request) -> Result<Schedule, Refusal>,
}

/// How many chunks on a stage a family takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChunkRule {
    /// One.
    One,
    /// Two.
    Two,
    /// Two or more.
    Several,
    /// Any number.
    Any,
}

impl ChunkRule {
    /// Whether the rule takes this number.
    pub fn takes(self, chunks: u32) -> bool {
        match self {
            Self::One => chunks == 1,
            Self::Two => chunks == 2,
            Self::Several => chunks >= 2,
            Self::Any => true,
        }
    }
}

impl fmt::Display for ChunkRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::One => "one chunk",
            Self::Two => "two chunks",
            Self::Several => "two chunks or more",
            Self::Any => "any number of chunks",
        })
    }
}

/// Every family, in the order in which they are listed: Paddle's, then the others from simple to involved.
pub const FAMILIES: &[Family] = &[
    paddle::FTHENB,
    paddle::ONE_FORWARD_ONE_BACKWARD,
    paddle::EAGER,
    paddle::VPP,
    paddle::ZBH1,
    paddle::ZBVPP,
    gpipe::FAMILY,
    one_forward_one_backward::FAMILY,
    interleaved::FAMILY,
    looped_bfs::FAMILY,
    zb_h1::FAMILY,
    zb_h2::FAMILY,
    zero_bubble::FAMILY,
    interleaved_zero_bubble::FAMILY,
    zbv::FAMILY,
    v_memory::HALF,
    v_memory::MIN,
    dualpipe::FAMILY,
    dualpipev::FAMILY,
];

/// The family of this name.
///
/// # Errors
/// There is none: with the names that are like it.
pub fn find(name: &str) -> Result<&'static Family, Refusal> {
    FAMILIES
        .iter()
        .find(|family| family.name == name)
        .ok_or_else(|| Refusal::UnknownFamily { name: name.to_owned(), near: near(name) })
}

impl Family {
    /// The lists of all stages.
    ///
    /// # Errors
    /// The family has no schedule for the request: with the reason, and what to ask for instead.
    pub fn generate(&self, request: &Request) -> Result<Schedule, Refusal> {
        let family = self.name;
        if let Some(option) = request.options().find(|option| !self.options.contains(option)) {
            return Err(Refusal::NoSuchOption { family, option });
        }
        let chunks = request.counts.chunks();
        if !self.chunks.takes(chunks) {
            return Err(Refusal::Chunks { family, rule: self.chunks, chunks });
        }
        (self.law)(request)
    }
}

/// A longer name is like none of ours, and is not compared.
const LONGEST_NAME: usize = 64;

/// The names like this one, the likest first: those that differ in case, or in few letters.
fn near(name: &str) -> Vec<&'static str> {
    if name.len() > LONGEST_NAME {
        return Vec::new();
    }
    let wanted = name.to_lowercase().replace('_', "-");
    let mut near: Vec<(usize, &'static str)> = FAMILIES
        .iter()
        .map(|family| (distance(&wanted, &family.name.to_lowercase()), family.name))
        .filter(|&(distance, known)| distance <= known.len().min(wanted.len()) / 3)
        .collect();
    near.sort_by_key(|&(distance, _)| distance);
    let least = near.first().map_or(0, |&(distance, _)| distance);
    near.into_iter().filter(|&(far, _)| far == least).map(|(_, name)| name).collect()
}

/// In how many letters two words differ: letters to put in, to leave out, to change, or two to swap.
fn distance(left: &str, right: &str) -> usize {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
    for i in 0..=left.len() {
        for j in 0..=right.len() {
            rows[i][j] = match (i, j) {
                (0, _) => j,
                (_, 0) => i,
                _ => {
                    let changed = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
                    let swapped = i > 1
                        && j > 1
                        && (left[i - 1], left[i - 2]) == (right[j - 2], right[j - 1]);
                    let swap = if swapped { rows[i - 2][j - 2] + 1 } else { usize::MAX };
                    changed.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(swap)
                }
            };
        }
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_letters_whatever_their_case() {
        assert_eq!(near("GPipe"), ["gpipe"]);
        assert_eq!(near("zb_h1"), ["zb-h1"]);
        assert_eq!(near("vpp"), ["VPP"]);
        assert_eq!(near("1f1B"), ["1F1B", "1f1b"]);
        assert_eq!(near("interleavd"), ["interleaved"]);
        assert_eq!(near("something"), [""; 0]);
    }

    #[test]
    fn every_family_has_its_own_name_and_says_all_there_is_to_say() {
        for (index, family) in FAMILIES.iter().enumerate() {
            assert!(FAMILIES[..index].iter().all(|other| other.name != family.name));
            let said = [family.summary, family.bubble, family.memory, family.conditions];
            assert!(said.iter().all(|text| !text.is_empty()), "{}", family.name);
        }
    }
}
