//! The gradients of a matrix product as products.
//!
//! With `out = x' · y'`, where a prime is a transpose if the op says so, and `g` the gradient of
//! `out`, they follow from `d(x' · y') = dx' · y' + x' · dy'`:
//!
//! | x y | dx | dy |
//! | --- | --- | --- |
//! | N N | `g · yᵀ` | `xᵀ · g` |
//! | N T | `g · y` | `gᵀ · x` |
//! | T N | `y · gᵀ` | `x · g` |
//! | T T | `yᵀ · gᵀ` | `gᵀ · xᵀ` |
//!
//! N: as it is, T: transposed. Each is then summed over the batch dims in which its operand was
//! broadcast. A product of the form `aᵀ · b` that is summed over all batch dims is one product of
//! two matrices into which the leading dims are folded: the gradient of a weight.

use super::dims::{DYNAMIC, Dims, batch, can_be_target, fold, may_equal, pad, product};
use super::form::WholeReason;
use super::recipe::{Chain, Product, Side, Sum};

/// The dims of an op, each as well known as the others make it.
///
/// The batch dims of `grad` are those that broadcasting gives, whatever its type says: where a
/// dynamic dim meets a 1, Paddle infers 1.
pub(super) struct Problem {
    pub(super) x: Dims,
    pub(super) y: Dims,
    pub(super) grad: Dims,
    /// Whether `x` and `y` are transposed.
    pub(super) transpose: [bool; 2],
}

impl Problem {
    pub(super) fn dx(&self) -> Result<Chain, WholeReason> {
        let (factors, transpose) = match self.transpose {
            [false, false] => ([Side::Grad, Side::Y], [false, true]),
            [false, true] => ([Side::Grad, Side::Y], [false, false]),
            [true, false] => ([Side::Y, Side::Grad], [false, true]),
            [true, true] => ([Side::Y, Side::Grad], [true, true]),
        };
        self.summed(Product { factors, transpose }, &self.x, &self.y)
    }

    pub(super) fn dy(&self) -> Result<Chain, WholeReason> {
        let (factors, transpose) = match self.transpose {
            [false, false] => ([Side::X, Side::Grad], [true, false]),
            [false, true] => ([Side::Grad, Side::X], [true, false]),
            [true, false] => ([Side::X, Side::Grad], [false, false]),
            [true, true] => ([Side::Grad, Side::X], [true, true]),
        };
        let product = Product { factors, transpose };
        let y_has_no_batch = batch(&self.y).iter().all(|&dim| dim == 1);
        if transpose == [true, false] && y_has_no_batch && self.x.len() > 2 {
            return self.folded(product, &self.y);
        }
        self.summed(product, &self.y, &self.x)
    }

    fn dims(&self, side: Side) -> &[i64] {
        match side {
            Side::X => &self.x,
            Side::Y => &self.y,
            Side::Grad => &self.grad,
        }
    }

    /// One product of two matrices, for a target without batch dims. What the factors have before
    /// their last dim is the same in both, but for leading ones.
    fn folded(&self, product: Product, target: &[i64]) -> Result<Chain, WholeReason> {
        let folded = product.factors.map(|side| {
            let (&last, leading) =
                self.dims(side).split_last().expect("factors have two dims or more");
            vec![fold(leading), last]
        });
        if ![&folded[0], &folded[1], target].into_iter().all(can_be_target) {
            return Err(WholeReason::TwoUnknownDims);
        }
        let dims = vec![folded[0][1], folded[1][1]];
        let reshaped = Some(target.to_vec());
        Ok(Chain { folded: Some(folded), reshaped, ..Chain::plain(product, dims) })
    }

    /// A batched product, summed down to the dims of the target; `other` is the other operand.
    fn summed(
        &self,
        product: Product,
        target: &[i64],
        other: &[i64],
    ) -> Result<Chain, WholeReason> {
        let [left, right] = product.factors.map(|side| self.dims(side));
        let dims =
            self::product(left, right, product.transpose).ok_or(WholeReason::Inconsistent)?;
        let mut chain = Chain::plain(product, dims);
        let axes = self.broadcast_axes(target, other)?;
        if !axes.is_empty() {
            let axis_dims = (0i64..).zip(&chain.dims);
            let kept = axis_dims.filter(|(axis, _)| !axes.contains(axis)).map(|(_, &dim)| dim);
            chain.sum = Some(Sum { dims: kept.collect(), axes });
        }
        if !may_equal(chain.result(), target) {
            if !can_be_target(target) {
                return Err(WholeReason::TwoUnknownDims);
            }
            chain.reshaped = Some(target.to_vec());
        }
        Ok(chain)
    }

    /// The batch axes of `grad` in which the target was broadcast, or may have been: a sum over a
    /// dim of 1 is no harm.
    fn broadcast_axes(&self, target: &[i64], other: &[i64]) -> Result<Vec<i64>, WholeReason> {
        let rank = batch(&self.grad).len();
        let pairs = pad(batch(target), rank).into_iter().zip(pad(batch(other), rank));
        let mut axes = Vec::new();
        for (axis, pair) in (0..).zip(pairs) {
            match pair {
                (1, 1) | (DYNAMIC, 1) => {}
                (1, _) => axes.push(axis),
                (DYNAMIC, _) => return Err(WholeReason::UnknownBroadcast),
                _ => {}
            }
        }
        Ok(axes)
    }
}
