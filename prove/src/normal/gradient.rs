//! The gradients of a matrix product as products.
//!
//! With `out = x' · y'`, where a prime transposes if the op says so, and `d` the gradient of `out`,
//! `d(x' · y') = dx' · y' + x' · dy'` gives
//!
//! | x y | dx | dy |
//! | --- | --- | --- |
//! | N N | `d · yᵀ` | `xᵀ · d` |
//! | N T | `d · y` | `dᵀ · x` |
//! | T N | `y · dᵀ` | `x · d` |
//! | T T | `yᵀ · dᵀ` | `dᵀ · xᵀ` |
//!
//! N: as it is, T: transposed. Each is summed over the batch dims in which its operand was broadcast.
//! Where the operand has no batch and the product is of the form `pᵀ · q`, that sum is one product of
//! two matrices into which the leading dims are folded: the gradient of a weight.

use pirogue::ir::{ScalarType, Type};

use super::dims::{
    Dims, UNKNOWN, agree, all_ones, batch, broadcast, folded, matrix, padded, product, unknowns,
};
use crate::terms::Term;
use crate::world::World;

/// A `pd_op.matmul_grad`.
pub(crate) struct Gradients {
    pub(crate) x: Term,
    pub(crate) y: Term,
    pub(crate) out: Term,
    pub(crate) transposed: [bool; 2],
}

/// Operands with their dims, each as well known as the others make it.
struct Problem {
    terms: [Term; 3],
    dims: [Dims; 3],
    element: ScalarType,
}

const X: usize = 0;
const Y: usize = 1;
const OUT: usize = 2;

/// A product of two of the operands, each transposed or not.
struct Form {
    factors: [usize; 2],
    transposed: [bool; 2],
}

fn x_form(transposed: [bool; 2]) -> Form {
    let (factors, transposed) = match transposed {
        [false, false] => ([OUT, Y], [false, true]),
        [false, true] => ([OUT, Y], [false, false]),
        [true, false] => ([Y, OUT], [false, true]),
        [true, true] => ([Y, OUT], [true, true]),
    };
    Form { factors, transposed }
}

fn y_form(transposed: [bool; 2]) -> Form {
    let (factors, transposed) = match transposed {
        [false, false] => ([X, OUT], [true, false]),
        [false, true] => ([OUT, X], [true, false]),
        [true, false] => ([X, OUT], [false, false]),
        [true, true] => ([OUT, X], [true, true]),
    };
    Form { factors, transposed }
}

impl World {
    /// The gradients of `x` and of `y`, where they are products of the types that the op says.
    pub(crate) fn gradients(
        &mut self,
        gradients: &Gradients,
        printed: [Type; 2],
    ) -> [Option<Term>; 2] {
        let Some(problem) = self.problem(gradients) else { return [None, None] };
        let transposed = gradients.transposed;
        let dx = self.gradient(&problem, &x_form(transposed), [X, Y]);
        let dy = self.gradient(&problem, &y_form(transposed), [Y, X]);
        let [x_type, y_type] = printed;
        [self.if_typed(dx, x_type), self.if_typed(dy, y_type)]
    }

    fn if_typed(&self, term: Option<Term>, printed: Type) -> Option<Term> {
        let (dims, element) = self.tensor_of(term?)?;
        let (printed, printed_element) = self.tensor(printed)?;
        if agree(&dims, &printed) && element == printed_element { term } else { None }
    }

    fn problem(&self, gradients: &Gradients) -> Option<Problem> {
        let terms = [gradients.x, gradients.y, gradients.out];
        let (x, element) = self.tensor_of(gradients.x)?;
        let (y, y_element) = self.tensor_of(gradients.y)?;
        let (out, out_element) = self.tensor_of(gradients.out)?;
        if element != y_element || element != out_element || element_conjugates(element) {
            return None;
        }
        let [transposed_x, transposed_y] = gradients.transposed;
        if !agree(&product(&x, &y, gradients.transposed)?, &out) {
            return None;
        }
        let [rows, x_inner] = matrix(&x, transposed_x)?;
        let [y_inner, columns] = matrix(&y, transposed_y)?;
        let [out_rows, out_columns] = matrix(&out, false)?;
        let (rows, columns) = (rows.max(out_rows), columns.max(out_columns));
        let inner = x_inner.max(y_inner);
        let out_batch = broadcast(batch(&x), batch(&y))?;
        let dims = [
            with_matrix(batch(&x), [rows, inner], transposed_x),
            with_matrix(batch(&y), [inner, columns], transposed_y),
            with_matrix(&out_batch, [rows, columns], false),
        ];
        Some(Problem { terms, dims, element })
    }

    /// The gradient of the first of `sides`; the second is the other operand.
    fn gradient(&mut self, problem: &Problem, form: &Form, sides: [usize; 2]) -> Option<Term> {
        let [target, other] = sides.map(|side| &problem.dims[side]);
        let is_weight = sides[0] == Y && all_ones(batch(target)) && other.len() > 2;
        if is_weight && form.transposed == [true, false] {
            return self.folded_gradient(problem, form, target);
        }
        let axes = broadcast_axes(target, other, problem.dims[OUT].len() - 2)?;
        let term = self.product(form.factors.map(|side| problem.terms[side]), form.transposed)?;
        let (dims, _) = self.tensor_of(term)?;
        let term = self.summed(term, &dims, axes, problem.element);
        let (dims, _) = self.tensor_of(term)?;
        if agree(&dims, target) {
            return Some(term);
        }
        (unknowns(target) <= 1).then(|| self.reshaped(term, target, problem.element))
    }

    fn folded_gradient(&mut self, problem: &Problem, form: &Form, target: &[i64]) -> Option<Term> {
        let factors = form.factors.map(|side| {
            let (&last, leading) = problem.dims[side].split_last().unwrap_or((&1, &[]));
            Dims::from_slice(&[folded(leading), last])
        });
        if [&factors[0][..], &factors[1], target].iter().any(|dims| unknowns(dims) > 1) {
            return None;
        }
        let [a, b] = [0, 1].map(|factor| {
            let term = problem.terms[form.factors[factor]];
            self.reshaped(term, &factors[factor], problem.element)
        });
        let term = self.product([a, b], form.transposed)?;
        Some(self.reshaped(term, target, problem.element))
    }
}

/// Whether the gradient of a product of such elements conjugates them.
fn element_conjugates(element: ScalarType) -> bool {
    matches!(element, ScalarType::C64 | ScalarType::C128)
}

fn with_matrix(batch: &[i64], [rows, columns]: [i64; 2], transposed: bool) -> Dims {
    let last = if transposed { [columns, rows] } else { [rows, columns] };
    batch.iter().copied().chain(last).collect()
}

/// The batch axes in which the target was broadcast, as a set; none where only a run knows.
fn broadcast_axes(target: &[i64], other: &[i64], rank: usize) -> Option<u32> {
    let pairs = padded(batch(target), rank).into_iter().zip(padded(batch(other), rank));
    pairs.enumerate().try_fold(0, |axes, (axis, pair)| match pair {
        (1, 1) | (UNKNOWN, 1) => Some(axes),
        (1, _) => Some(axes | 1 << axis),
        (UNKNOWN, _) => None,
        _ => Some(axes),
    })
}
