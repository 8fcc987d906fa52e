//! The best pairing of two short sequences, where some pairs are better than others.

use super::align::Pair;

/// Pairs that grow on both sides and whose scores have the greatest sum. A pair that scores 0 is
/// none. O(rows * columns) in time and memory.
pub(super) fn best_pairs(
    rows: usize,
    columns: usize,
    mut score: impl FnMut(usize, usize) -> u32,
) -> Vec<Pair> {
    let width = columns + 1;
    // The best sum from a cell on; the last row and column are the ends.
    let mut best = vec![0; (rows + 1) * width];
    let mut paired = vec![false; rows * columns];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let here = row * width + column;
            let without = u32::max(best[here + 1], best[here + width]);
            let score = score(row, column);
            let with = best[here + width + 1] + score;
            paired[row * columns + column] = score > 0 && with >= without;
            best[here] = u32::max(with, without);
        }
    }
    let mut pairs = Vec::new();
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        let here = row * width + column;
        if paired[row * columns + column] {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if best[here] == best[here + width] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs_of(scores: &[&[u32]]) -> Vec<Pair> {
        best_pairs(scores.len(), scores[0].len(), |row, column| scores[row][column])
    }

    #[test]
    fn a_good_pair_is_worth_more_than_two_poor_ones() {
        assert_eq!(pairs_of(&[&[1, 9], &[0, 1]]), [(0, 1)]);
        assert_eq!(pairs_of(&[&[6, 9], &[0, 6]]), [(0, 0), (1, 1)]);
    }

    #[test]
    fn what_scores_nothing_is_not_paired() {
        assert_eq!(pairs_of(&[&[0, 0], &[0, 0]]), []);
        assert_eq!(best_pairs(0, 3, |_, _| 1), []);
    }

    /// The first of equals, on both sides.
    #[test]
    fn of_equal_pairs_the_first_is_taken() {
        assert_eq!(pairs_of(&[&[3, 3, 3]]), [(0, 0)]);
        assert_eq!(pairs_of(&[&[3], &[3]]), [(0, 0)]);
    }
}
