//! Aligning two sequences: which elements of one are which of the other, without crossing.
//!
//! Three steps, each on what the one before left open:
//! 1. equal ends are taken off;
//! 2. tokens that are as frequent in one gap as in the other pair up in order, and the longest run
//!    of pairs that do not cross are anchors ("patience", by Bram Cohen, for tokens that repeat);
//! 3. between anchors, for tokens that both have, the shortest edit script (E. Myers, "An O(ND) Difference Algorithm and Its
//!    Variations", 1986, the greedy algorithm of section 2).
//!
//! The cost is bounded: step 2 is tried [`ROUNDS`] deep, and step 3 settles for the best path after
//! [`MOST_EDITS`] edits and goes on from its end. Nothing recurs, so depth is no matter.

use std::ops::Range;

/// A position in one sequence and one in the other.
pub(super) type Pair = (usize, usize);

/// How deep anchors are sought between anchors.
const ROUNDS: u32 = 8;
/// How many edits are searched at once. A window takes at most half of its square in steps and in
/// cells of memory, and gets on by as many elements at least.
const MOST_EDITS: usize = 256;

/// A stretch of each sequence that is not aligned yet.
struct Gap {
    first: Range<usize>,
    second: Range<usize>,
    round: u32,
}

/// Pairs of equal tokens, growing on both sides.
pub(super) fn align(first: &[u64], second: &[u64]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut pending = vec![Gap { first: 0..first.len(), second: 0..second.len(), round: 0 }];
    while let Some(mut gap) = pending.pop() {
        take_ends(first, second, &mut gap, &mut pairs);
        if gap.first.is_empty() || gap.second.is_empty() {
            continue;
        }
        let (a, b) = (&first[gap.first.clone()], &second[gap.second.clone()]);
        let shift = |(x, y): Pair| (gap.first.start + x, gap.second.start + y);
        let Common { anchors, places } = Common::of(a, b);
        if anchors.is_empty() || gap.round == ROUNDS {
            let [x, y] = &places;
            let [a, b] = [(a, x), (b, y)].map(|(tokens, places)| {
                places.iter().map(|&place| tokens[place]).collect::<Vec<_>>()
            });
            let edits = shortest_edits(&a, &b).into_iter();
            pairs.extend(edits.map(|pair| shift((x[pair.0], y[pair.1]))));
            continue;
        }
        let mut start = (gap.first.start, gap.second.start);
        for (x, y) in anchors.into_iter().map(shift) {
            pending.push(Gap { first: start.0..x, second: start.1..y, round: gap.round + 1 });
            pairs.push((x, y));
            start = (x + 1, y + 1);
        }
        let Gap { first, second, round } = gap;
        let (first, second) = (start.0..first.end, start.1..second.end);
        pending.push(Gap { first, second, round: round + 1 });
    }
    pairs.sort_unstable();
    pairs
}

/// Pairs off what is equal at both ends of a gap.
fn take_ends(first: &[u64], second: &[u64], gap: &mut Gap, pairs: &mut Vec<Pair>) {
    let is_open = |gap: &Gap| !gap.first.is_empty() && !gap.second.is_empty();
    while is_open(gap) && first[gap.first.start] == second[gap.second.start] {
        pairs.push((gap.first.start, gap.second.start));
        gap.first.start += 1;
        gap.second.start += 1;
    }
    while is_open(gap) && first[gap.first.end - 1] == second[gap.second.end - 1] {
        gap.first.end -= 1;
        gap.second.end -= 1;
        pairs.push((gap.first.end, gap.second.end));
    }
}

/// What two sequences have in common.
#[derive(Default)]
struct Common {
    /// The longest chain of pairs of tokens that are as frequent in one as in the other.
    anchors: Vec<Pair>,
    /// The places of tokens that the other sequence has too, in order.
    places: [Vec<usize>; 2],
}

impl Common {
    fn of(first: &[u64], second: &[u64]) -> Self {
        let Self { mut anchors, mut places } = Self::default();
        for_each_common(first, second, |here, there| {
            if here.len() == there.len() {
                anchors.extend(here.iter().zip(there).map(|(x, y)| (x.1, y.1)));
            }
            places[0].extend(here.iter().map(|placed| placed.1));
            places[1].extend(there.iter().map(|placed| placed.1));
        });
        anchors.sort_unstable();
        places.iter_mut().for_each(|places| places.sort_unstable());
        Self { anchors: longest_chain(&anchors), places }
    }
}

/// A token, and where it stands.
pub(super) type Placed = (u64, usize);

/// Calls `found` for each token that both sequences have, with all its places in both.
pub(super) fn for_each_common(
    first: &[u64],
    second: &[u64],
    mut found: impl FnMut(&[Placed], &[Placed]),
) {
    let [first, second] = [first, second].map(|tokens| {
        let mut places: Vec<Placed> = tokens.iter().copied().zip(0..).collect();
        places.sort_unstable();
        places
    });
    let mut others = second.chunk_by(|a, b| a.0 == b.0).peekable();
    for places in first.chunk_by(|a, b| a.0 == b.0) {
        while others.next_if(|other| other[0].0 < places[0].0).is_some() {}
        if let Some(other) = others.next_if(|other| other[0].0 == places[0].0) {
            found(places, other);
        }
    }
}

/// The longest selection of pairs that grow on the second side; they are given growing on the
/// first. O(n log n), linear if nothing crosses.
pub(super) fn longest_chain(pairs: &[Pair]) -> Vec<Pair> {
    /// Marks the start of a chain.
    const NONE: usize = usize::MAX;
    // For each length, the pair with the least second side that a chain of this length ends in.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![NONE; pairs.len()];
    for (index, &(_, y)) in pairs.iter().enumerate() {
        let length = match ends.last() {
            Some(&last) if pairs[last].1 < y => ends.len(),
            _ => ends.partition_point(|&end| pairs[end].1 < y),
        };
        before[index] = if length == 0 { NONE } else { ends[length - 1] };
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut chain = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied().unwrap_or(NONE);
    while let Some(&pair) = pairs.get(at) {
        chain.push(pair);
        at = before[at];
    }
    chain.reverse();
    chain
}

/// Pairs along a shortest edit script, or along the best one that is found window by window.
fn shortest_edits(first: &[u64], second: &[u64]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let (mut x, mut y) = (0, 0);
    let mut window = Window::default();
    while x < first.len() && y < second.len() {
        let reached = window.search(&first[x..], &second[y..]);
        pairs.extend(window.pairs(reached).map(|(a, b)| (x + a, y + b)));
        x += reached.x;
        y += reached.y();
    }
    pairs.sort_unstable();
    pairs
}

/// The furthest points that paths of 0, 1, 2, ... edits reach, by diagonal.
#[derive(Default)]
struct Window {
    /// A triangle: row `edits` has its diagonals `-edits`, `-edits + 2`, ..., `edits`. `None` where
    /// a path would leave the sequences.
    reach: Vec<Option<u32>>,
    /// How long the sequences are.
    lengths: (usize, usize),
}

/// The end of a path: how many edits it takes, and where it is.
#[derive(Copy, Clone)]
struct Reached {
    edits: usize,
    diagonal: isize,
    x: usize,
}

impl Reached {
    fn y(self) -> usize {
        (self.x as isize - self.diagonal) as usize
    }
}

impl Window {
    fn get(&self, edits: usize, diagonal: isize) -> Option<usize> {
        if diagonal.unsigned_abs() > edits {
            return None;
        }
        let row = edits * (edits + 1) / 2;
        let column = (edits as isize + diagonal) as usize / 2;
        self.reach[row + column].map(|x| x as usize)
    }

    /// Where a path of one edit more enters a diagonal: one element of the first sequence further
    /// from the diagonal below, or one of the second from the diagonal above.
    fn enter(&self, edits: usize, diagonal: isize) -> Option<usize> {
        let Some(edits) = edits.checked_sub(1) else { return Some(0) };
        let from_below = self.get(edits, diagonal - 1).map(|x| x + 1);
        let from_above = self.get(edits, diagonal + 1);
        let has_room = |x: &usize| *x as isize - diagonal <= self.lengths.1 as isize;
        from_below.filter(|&x| x <= self.lengths.0).max(from_above.filter(has_room))
    }

    /// Fills the triangle until a path reaches both ends, or the edits are used up.
    fn search(&mut self, first: &[u64], second: &[u64]) -> Reached {
        self.reach.clear();
        self.lengths = (first.len(), second.len());
        let mut best = Reached { edits: 0, diagonal: 0, x: 0 };
        for edits in 0..=MOST_EDITS {
            for step in 0..=edits {
                let diagonal = 2 * step as isize - edits as isize;
                let Some(mut x) = self.enter(edits, diagonal) else {
                    self.reach.push(None);
                    continue;
                };
                let mut y = (x as isize - diagonal) as usize;
                while x < first.len() && y < second.len() && first[x] == second[y] {
                    (x, y) = (x + 1, y + 1);
                }
                self.reach.push(Some(x as u32));
                if best.edits < edits || x + y > best.x + best.y() {
                    best = Reached { edits, diagonal, x };
                }
                if x == first.len() && y == second.len() {
                    return best;
                }
            }
        }
        best
    }

    /// The equal elements along the path to a point, last one first.
    fn pairs(&self, reached: Reached) -> impl Iterator<Item = Pair> + '_ {
        let mut at = reached;
        let mut entered = self.enter(at.edits, at.diagonal).unwrap_or(0);
        std::iter::from_fn(move || {
            while at.x == entered {
                if at.edits == 0 {
                    return None;
                }
                let from_below = self.get(at.edits - 1, at.diagonal - 1);
                let came_from_below = from_below.is_some_and(|x| x + 1 == entered);
                at.edits -= 1;
                at.diagonal += if came_from_below { -1 } else { 1 };
                at.x = self.get(at.edits, at.diagonal)?;
                entered = self.enter(at.edits, at.diagonal)?;
            }
            at.x -= 1;
            Some((at.x, at.y()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<u64> {
        text.bytes().map(u64::from).collect()
    }

    /// What is common, as `align` finds it.
    fn common(first: &str, second: &str) -> String {
        let pairs = align(&tokens(first), &tokens(second));
        assert!(pairs.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1), "{pairs:?}");
        for &(x, y) in &pairs {
            assert_eq!(first.as_bytes()[x], second.as_bytes()[y]);
        }
        pairs.iter().map(|&(x, _)| first.as_bytes()[x] as char).collect()
    }

    #[test]
    fn what_is_common_is_paired() {
        assert_eq!(common("", "abc"), "");
        assert_eq!(common("abc", "abc"), "abc");
        assert_eq!(common("abcde", "abxde"), "abde");
        assert_eq!(common("xabc", "abcy"), "abc");
        assert_eq!(common("abc", "xyz"), "");
    }

    /// Nothing in it is rarer on one side, so anchors cannot help.
    #[test]
    fn a_sequence_that_repeats_is_aligned_by_its_edits() {
        let first = "ab".repeat(40);
        let mut second = first.clone();
        second.remove(30);
        second.insert(50, 'c');
        assert_eq!(common(&first, &second).len(), first.len() - 1);
    }

    #[test]
    fn of_crossing_anchors_the_longer_chain_is_kept() {
        assert_eq!(common("12345678", "56781234x").len(), 4);
        assert_eq!(longest_chain(&[(0, 3), (1, 0), (2, 1), (3, 2)]), [(1, 0), (2, 1), (3, 2)]);
        assert_eq!(longest_chain(&[]), []);
    }

    /// More edits than one window has.
    #[test]
    fn what_differs_much_is_aligned_window_by_window() {
        let first: Vec<u64> = (0..3000).map(|n| n % 7).collect();
        let second: Vec<u64> = (0..3000).map(|n| (n * n) % 7).collect();
        let pairs = shortest_edits(&first, &second);
        assert!(pairs.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1));
        assert!(pairs.iter().all(|&(x, y)| first[x] == second[y]));
        assert!(pairs.len() > 1000, "{}", pairs.len());
        assert_eq!(shortest_edits(&first, &first).len(), first.len());
    }

    #[test]
    fn one_sequence_may_be_much_longer() {
        let long: Vec<u64> = (0..5000).map(|n| n % 3).collect();
        assert_eq!(shortest_edits(&long, &[7, 7, 7]).len(), 0);
        assert_eq!(shortest_edits(&[0, 1, 2], &long).len(), 3);
    }
}
