//! Extents of tensors, of which some are known only at run time.

use smallvec::SmallVec;

/// Extents, outermost first.
pub(crate) type Dims = SmallVec<[i64; 6]>;

/// An extent that is known only at run time.
pub(super) const UNKNOWN: i64 = -1;

/// How many extents are unknown.
pub(super) fn unknowns(dims: &[i64]) -> usize {
    dims.iter().filter(|&&dim| dim < 0).count()
}

/// The number of elements, if it is known.
pub(super) fn volume(dims: &[i64]) -> Option<i64> {
    dims.iter().try_fold(1i64, |product, &dim| product.checked_mul(dim).filter(|_| dim >= 0))
}

/// The extent of several folded into one.
pub(super) fn folded(dims: &[i64]) -> i64 {
    volume(dims).unwrap_or(UNKNOWN)
}

/// Whether the extents can be the same when the program runs.
pub(super) fn agree(a: &[i64], b: &[i64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| a == b || a < 0 || b < 0)
}

/// The batch extents: all but the last two.
pub(super) fn batch(dims: &[i64]) -> &[i64] {
    &dims[..dims.len().saturating_sub(2)]
}

/// Whether all extents are 1.
pub(super) fn all_ones(dims: &[i64]) -> bool {
    dims.iter().all(|&dim| dim == 1)
}

/// `dims` with ones before them.
pub(super) fn padded(dims: &[i64], rank: usize) -> Dims {
    let missing = rank.saturating_sub(dims.len());
    std::iter::repeat_n(1, missing).chain(dims.iter().copied()).collect()
}

/// The extents that broadcasting gives; none if they do not fit.
pub(super) fn broadcast(a: &[i64], b: &[i64]) -> Option<Dims> {
    let rank = a.len().max(b.len());
    let pairs = padded(a, rank).into_iter().zip(padded(b, rank));
    pairs
        .map(|pair| match pair {
            (a, b) if a == b => Some(a),
            (1, other) | (other, 1) => Some(other),
            (UNKNOWN, known) | (known, UNKNOWN) => Some(known),
            _ => None,
        })
        .collect()
}

/// Rows and columns of the matrices in a tensor, as they enter a product.
pub(super) fn matrix(dims: &[i64], transposed: bool) -> Option<[i64; 2]> {
    let &[.., rows, columns] = dims else { return None };
    Some(if transposed { [columns, rows] } else { [rows, columns] })
}

/// The extents of a matrix product; none if those of its factors do not fit.
pub(super) fn product(a: &[i64], b: &[i64], transposed: [bool; 2]) -> Option<Dims> {
    let [rows, inner] = matrix(a, transposed[0])?;
    let [other_inner, columns] = matrix(b, transposed[1])?;
    if !agree(&[inner], &[other_inner]) {
        return None;
    }
    let mut dims = broadcast(batch(a), batch(b))?;
    dims.extend([rows, columns]);
    Some(dims)
}
