//! What Paddle makes of a `pd_op.matmul_grad`, and where that is right.
//!
//! Whatever the transposes and ranks, Paddle puts eight ops in its place:
//!
//! ```text
//! dx = g · yᵀ
//! x2 = reshape(x, [x0*x1, x2, ...])
//! g2 = reshape(g, [g0*g1, g2, ...])
//! dy = reshape(x2ᵀ · g2, dims of y)
//! ```
//!
//! (each reshape is two ops: the target, and the reshape). Without transposes that is right where
//! `dy` is summed over exactly the first two dims, or over none. There ours are the same eight ops,
//! so that programs and names come out equal. That includes `dx` where nobody wants it.

use super::dims::{DYNAMIC, Dims, batch, can_be_target, fold, pad, product};
use super::form::Form;
use super::recipe::{Chain, Product, Recipe, Side};

/// How the recipe for an op compares with what Paddle does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Paddle {
    /// The same eight ops.
    Same,
    /// The same eight ops, the first of which computes what nobody reads.
    SameWithDeadProduct,
    /// Paddle fails, or its result is wrong.
    Fails(Failure),
}

/// How Paddle fails.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Failure {
    /// It takes transposed operands for untransposed ones.
    Transpose,
    /// It asks for the dims of a gradient that is not there.
    NoGradientOfY,
    /// It asks that `x` and `out_grad` have one rank and agree in their first two dims.
    Dims,
    /// It flattens a matrix to a vector.
    Matrix,
    /// It takes -1 times a dim for a dim.
    OneDynamicDim,
    /// It takes -1 times -1 for 1.
    TwoDynamicDims,
    /// It folds two dims where more, or none, are summed over.
    Batch,
}

impl Form {
    /// Paddle's eight ops, if they are right.
    pub(super) fn paddle_recipe(&self) -> Option<Recipe> {
        let is_wanted = self.transpose == [false, false] && self.wants.dy;
        if !is_wanted || self.grad.len() < 3 || !self.first_two_dims_agree() {
            return None;
        }
        let dx_fits = !self.wants.dx || batch(&self.x) == batch(&self.grad);
        if !dx_fits || !self.sums_over_first_two_or_none() {
            return None;
        }
        let to_x = Product { factors: [Side::Grad, Side::Y], transpose: [false, true] };
        let to_y = Product { factors: [Side::X, Side::Grad], transpose: [true, false] };
        let folded = [&self.x, &self.grad].map(|dims| fold_first_two(dims));
        if ![&folded[0], &folded[1], &self.y].into_iter().all(|dims| can_be_target(dims)) {
            return None;
        }
        let dx = Chain::plain(to_x, product(&self.grad, &self.y, to_x.transpose)?);
        let dims = product(&folded[0], &folded[1], to_y.transpose)?;
        let reshaped = Some(self.y.clone());
        let dy = Chain { folded: Some(folded), reshaped, ..Chain::plain(to_y, dims) };
        let paddle = if self.wants.dx { Paddle::Same } else { Paddle::SameWithDeadProduct };
        Some(Recipe { paddle, dx: Some(dx), dy: Some(dy), element: self.element })
    }

    fn first_two_dims_agree(&self) -> bool {
        self.x.len() == self.grad.len()
            && self.x[..2] == self.grad[..2]
            && !self.x[..2].contains(&DYNAMIC)
    }

    /// Whether the batch dims in which `y` was broadcast are exactly the first two dims that are
    /// folded away, or none.
    fn sums_over_first_two_or_none(&self) -> bool {
        let grad_batch = batch(&self.grad);
        match grad_batch {
            [_] => batch(&self.y).iter().all(|&dim| dim == 1),
            _ => {
                let is_known = |dims: &[i64]| !dims.contains(&DYNAMIC);
                pad(batch(&self.y), grad_batch.len()) == grad_batch
                    && is_known(grad_batch)
                    && is_known(batch(&self.x))
            }
        }
    }

    /// How Paddle fails on an op for which its eight ops are not right.
    pub(super) fn failure(&self) -> Failure {
        if self.transpose != [false, false] {
            return Failure::Transpose;
        }
        if !self.wants.dy {
            return Failure::NoGradientOfY;
        }
        if self.x.len() == 2 && self.grad.len() == 2 {
            return Failure::Matrix;
        }
        if self.x.len() != self.grad.len() || self.x[..2] != self.grad[..2] {
            return Failure::Dims;
        }
        match self.x[..2].iter().filter(|&&dim| dim == DYNAMIC).count() {
            0 => Failure::Batch,
            1 => Failure::OneDynamicDim,
            _ => Failure::TwoDynamicDims,
        }
    }
}

fn fold_first_two(dims: &[i64]) -> Dims {
    let (first_two, rest) = dims.split_at(2);
    std::iter::once(fold(first_two)).chain(rest.iter().copied()).collect()
}
