//! Extents of tensors, of which some are known only at run time.

use pirogue::ir::{Context, ScalarType, TensorType, Type, TypeKind};

/// Extents, outermost first.
pub(super) type Dims = Vec<i64>;

/// An extent that is known only at run time.
pub(super) const DYNAMIC: i64 = -1;

/// Whether two extents, or lists of them, can be the same at run time.
pub(super) fn may_equal(a: &[i64], b: &[i64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| a == b || a == DYNAMIC || b == DYNAMIC)
}

/// Of two extents that are the same at run time, the one that says more.
pub(super) fn merge(a: i64, b: i64) -> i64 {
    a.max(b)
}

/// The extent of two broadcast ones; `None` if they do not fit.
pub(super) fn broadcast(a: i64, b: i64) -> Option<i64> {
    match (a, b) {
        _ if a == b => Some(a),
        (1, other) | (other, 1) => Some(other),
        (DYNAMIC, known) | (known, DYNAMIC) => Some(known),
        _ => None,
    }
}

/// The extents of two broadcast tensors, aligned at their last ones.
pub(super) fn broadcast_all(a: &[i64], b: &[i64]) -> Option<Dims> {
    let rank = a.len().max(b.len());
    let (a, b) = (pad(a, rank), pad(b, rank));
    a.into_iter().zip(b).map(|(a, b)| broadcast(a, b)).collect()
}

/// `dims` with ones before them.
pub(super) fn pad(dims: &[i64], rank: usize) -> Dims {
    let missing = rank.saturating_sub(dims.len());
    std::iter::repeat_n(1, missing).chain(dims.iter().copied()).collect()
}

/// The extent of several folded into one.
pub(super) fn fold(dims: &[i64]) -> i64 {
    let multiply = |product: i64, &dim: &i64| product.checked_mul(dim).filter(|_| dim != DYNAMIC);
    dims.iter().try_fold(1, multiply).unwrap_or(DYNAMIC)
}

/// Whether a reshape can have these extents as its target: it finds out one of them, not two.
pub(super) fn can_be_target(dims: &[i64]) -> bool {
    dims.iter().filter(|&&dim| dim == DYNAMIC).count() <= 1
}

/// The batch extents of a tensor of rank 2 or more: all but the last two.
pub(super) fn batch(dims: &[i64]) -> &[i64] {
    &dims[..dims.len().saturating_sub(2)]
}

/// The extents of a matrix product; `None` if those of the factors do not fit.
pub(super) fn product(left: &[i64], right: &[i64], transpose: [bool; 2]) -> Option<Dims> {
    let (rows, inner) = matrix(left, transpose[0])?;
    let (other_inner, columns) = matrix(right, transpose[1])?;
    if !may_equal(&[inner], &[other_inner]) {
        return None;
    }
    let mut dims = broadcast_all(batch(left), batch(right))?;
    dims.extend([rows, columns]);
    Some(dims)
}

/// Rows and columns of the matrices in a tensor, as they enter a product.
fn matrix(dims: &[i64], transposed: bool) -> Option<(i64, i64)> {
    let &[.., rows, columns] = dims else { return None };
    Some(if transposed { (columns, rows) } else { (rows, columns) })
}

/// The extents of a dense tensor and its element type.
pub(super) fn of_type(context: &Context, ty: Type) -> Option<(Dims, ScalarType)> {
    let TypeKind::Tensor(tensor) = context.type_kind(ty) else { return None };
    let dims = tensor.dims.iter().map(|&dim| dim.max(DYNAMIC)).collect();
    Some((dims, tensor.element))
}

/// The type of a dense tensor.
pub(super) fn tensor(context: &Context, dims: &[i64], element: ScalarType) -> Type {
    context.ty(TypeKind::Tensor(TensorType::new(dims, element)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dynamic_extent_makes_the_folded_one_dynamic_and_so_does_an_overflow() {
        assert_eq!(fold(&[2, 3, 4]), 24);
        assert_eq!(fold(&[2, DYNAMIC, 4]), DYNAMIC);
        assert_eq!(fold(&[DYNAMIC, DYNAMIC]), DYNAMIC);
        assert_eq!(fold(&[i64::MAX, 2]), DYNAMIC);
        assert_eq!(fold(&[]), 1);
    }

    #[test]
    fn a_one_gives_way_to_any_extent_and_a_dynamic_one_to_a_known_one() {
        assert_eq!(broadcast(1, DYNAMIC), Some(DYNAMIC));
        assert_eq!(broadcast(DYNAMIC, 8), Some(8));
        assert_eq!(broadcast(2, 3), None);
        assert_eq!(broadcast_all(&[4], &[2, 1]), Some(vec![2, 4]));
    }

    #[test]
    fn a_product_broadcasts_its_batch_and_checks_what_it_sums_over() {
        assert_eq!(product(&[2, 3, 4], &[4, 5], [false, false]), Some(vec![2, 3, 5]));
        assert_eq!(product(&[2, 4, 3], &[5, 4], [true, true]), Some(vec![2, 3, 5]));
        assert_eq!(product(&[3, 4], &[5, 4], [false, false]), None);
        assert_eq!(product(&[4], &[4, 5], [false, false]), None);
    }
}
