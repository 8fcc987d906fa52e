//! What becomes of one `pd_op.matmul_grad`, decided from types and attributes alone.

use pirogue::ir::{Op, Program, ScalarType};

use super::dims::Dims;
use super::form::{Form, WholeReason};
use super::paddle::Paddle;

/// Which operand a factor of a product is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Side {
    X,
    Y,
    Grad,
}

/// A product of two of the operands, each transposed or not.
#[derive(Copy, Clone, Debug)]
pub(super) struct Product {
    pub(super) factors: [Side; 2],
    pub(super) transpose: [bool; 2],
}

/// The ops that compute one gradient, in their order.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub(super) product: Product,
    /// The dims to which the factors are reshaped before.
    pub(super) folded: Option<[Dims; 2]>,
    /// The dims of the product.
    pub(super) dims: Dims,
    pub(super) sum: Option<Sum>,
    /// The dims to which the result is reshaped.
    pub(super) reshaped: Option<Dims>,
}

/// A sum over axes, which then are no more.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    pub(super) axes: Vec<i64>,
    /// The dims that are left.
    pub(super) dims: Dims,
}

impl Chain {
    /// A product of which nothing more is done.
    pub(super) fn plain(product: Product, dims: Dims) -> Self {
        Self { product, folded: None, dims, sum: None, reshaped: None }
    }

    /// The dims of what it computes.
    pub(super) fn result(&self) -> &[i64] {
        let summed = self.sum.as_ref().map(|sum| &sum.dims);
        self.reshaped.as_ref().or(summed).unwrap_or(&self.dims)
    }
}

/// How one op is split: the chains of its gradients, that of `dx` first.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) paddle: Paddle,
    pub(super) dx: Option<Chain>,
    pub(super) dy: Option<Chain>,
    pub(super) element: ScalarType,
}

/// Decides how an op is split, or why it is left whole.
pub(super) fn decide(program: &Program, op: Op) -> Result<Recipe, WholeReason> {
    let form = Form::read(program, op)?;
    if let Some(recipe) = form.paddle_recipe() {
        return Ok(recipe);
    }
    let problem = form.problem()?;
    let dx = form.wants.dx.then(|| problem.dx()).transpose()?;
    let dy = form.wants.dy.then(|| problem.dy()).transpose()?;
    let paddle = Paddle::Fails(form.failure());
    let element = form.element;
    Ok(Recipe { paddle, dx, dy, element })
}
