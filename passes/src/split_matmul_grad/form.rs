//! Reads a `pd_op.matmul_grad` and checks that it is one that can be split.

use pirogue::ir::{Op, Program, ScalarType, Type, Value, names};

use super::dims::{Dims, batch, broadcast_all, may_equal, merge, of_type, product};
use super::gradients::Problem;

/// Why a `pd_op.matmul_grad` is left whole.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WholeReason {
    /// It has not three operands, two results and truth values for its transposes, or a gradient
    /// that it does not compute is read.
    Malformed,
    /// A type is not that of a dense tensor.
    NotDense,
    /// The element types differ, or are not of real floating-point numbers.
    Elements,
    /// An operand is a vector.
    Vector,
    /// An operand has no elements.
    Empty,
    /// No gradient is wanted.
    NothingWanted,
    /// The dims of its operands and results do not fit together.
    Inconsistent,
    /// Which dims are broadcast is known only at run time.
    UnknownBroadcast,
    /// A reshape would have to find out two dims.
    TwoUnknownDims,
}

impl WholeReason {
    /// The reason as the end of a sentence.
    pub fn text(self) -> &'static str {
        match self {
            Self::Malformed => "it is not well formed",
            Self::NotDense => "an operand or result is not a dense tensor",
            Self::Elements => "its element types differ or are not real floating-point numbers",
            Self::Vector => "an operand is a vector",
            Self::Empty => "an operand has no elements",
            Self::NothingWanted => "neither of its gradients is wanted",
            Self::Inconsistent => "the dims of its operands and results do not fit together",
            Self::UnknownBroadcast => "which of its dims are broadcast is known only at run time",
            Self::TwoUnknownDims => "a reshape would have to find out two dims at run time",
        }
    }
}

/// Which gradients are wanted.
#[derive(Copy, Clone)]
pub(super) struct Wants {
    pub(super) dx: bool,
    pub(super) dy: bool,
}

/// An op as it is written. All dims have rank 2 or more and fit together.
pub(super) struct Form {
    pub(super) x: Dims,
    pub(super) y: Dims,
    pub(super) grad: Dims,
    /// Whether `x` and `y` are transposed.
    pub(super) transpose: [bool; 2],
    pub(super) wants: Wants,
    pub(super) element: ScalarType,
}

impl Form {
    pub(super) fn read(program: &Program, op: Op) -> Result<Self, WholeReason> {
        let (&[Some(x), Some(y), Some(grad)], Some([dx, dy])) =
            (program.operands(op), results(program, op))
        else {
            return Err(WholeReason::Malformed);
        };
        let transpose = transposes(program, op).ok_or(WholeReason::Malformed)?;
        let [dx, dy] = [wanted(program, dx)?, wanted(program, dy)?];
        if dx.is_none() && dy.is_none() {
            return Err(WholeReason::NothingWanted);
        }
        let read =
            |value| of_type(program.context(), program.ty(value)).ok_or(WholeReason::NotDense);
        let ((x, element), (y, y_element), (grad, grad_element)) =
            (read(x)?, read(y)?, read(grad)?);
        let wants = Wants { dx: dx.is_some(), dy: dy.is_some() };
        let form = Self { x, y, grad, transpose, wants, element };
        form.check(&[y_element, grad_element])?;
        for (gradient, operand) in [(dx, &form.x), (dy, &form.y)] {
            let Some((dims, element)) = gradient.map(read).transpose()? else { continue };
            if element != form.element {
                return Err(WholeReason::Elements);
            }
            if !may_equal(&dims, operand) {
                return Err(WholeReason::Inconsistent);
            }
        }
        Ok(form)
    }

    fn check(&self, other_elements: &[ScalarType]) -> Result<(), WholeReason> {
        use ScalarType::{BF16, F16, F32, F64};
        let operands = [&self.x, &self.y, &self.grad];
        if operands.iter().any(|dims| dims.len() < 2) {
            return Err(WholeReason::Vector);
        }
        // The gradient of a complex product conjugates; a sum of integers has wider elements.
        let is_real = matches!(self.element, BF16 | F16 | F32 | F64);
        if !is_real || other_elements.iter().any(|&other| other != self.element) {
            return Err(WholeReason::Elements);
        }
        // In the target of a reshape a 0 means "as before".
        if operands.iter().any(|dims| dims.contains(&0)) {
            return Err(WholeReason::Empty);
        }
        match product(&self.x, &self.y, self.transpose) {
            Some(out) if may_equal(&out, &self.grad) => Ok(()),
            _ => Err(WholeReason::Inconsistent),
        }
    }

    /// The same op with each dim as well known as the others make it.
    pub(super) fn problem(&self) -> Result<Problem, WholeReason> {
        let grad_batch =
            broadcast_all(batch(&self.x), batch(&self.y)).ok_or(WholeReason::Inconsistent)?;
        let [grad_rows, grad_columns] = matrix(&self.grad, false);
        let [rows, x_inner] = matrix(&self.x, self.transpose[0]);
        let [y_inner, columns] = matrix(&self.y, self.transpose[1]);
        let (rows, columns) = (merge(rows, grad_rows), merge(columns, grad_columns));
        let inner = merge(x_inner, y_inner);
        Ok(Problem {
            x: with_matrix(batch(&self.x), [rows, inner], self.transpose[0]),
            y: with_matrix(batch(&self.y), [inner, columns], self.transpose[1]),
            grad: with_matrix(&grad_batch, [rows, columns], false),
            transpose: self.transpose,
        })
    }
}

fn results(program: &Program, op: Op) -> Option<[Value; 2]> {
    let mut results = program.results(op);
    let both = [results.next()?, results.next()?];
    results.next().is_none().then_some(both)
}

fn transposes(program: &Program, op: Op) -> Option<[bool; 2]> {
    let said = |name| program.attr_value(op, name).map_or(Some(false), |value| value.as_bool());
    Some([said(names::TRANSPOSE_X)?, said(names::TRANSPOSE_Y)?])
}

/// The result, if the op computes it; nobody may read one that it does not compute.
fn wanted(program: &Program, result: Value) -> Result<Option<Value>, WholeReason> {
    match program.ty(result) {
        Type::NULL if program.is_unused(result) => Ok(None),
        Type::NULL => Err(WholeReason::Malformed),
        _ => Ok(Some(result)),
    }
}

/// The last two dims, as they enter the product.
fn matrix(dims: &[i64], transposed: bool) -> [i64; 2] {
    let &[.., rows, columns] = dims else { unreachable!("the rank was checked") };
    if transposed { [columns, rows] } else { [rows, columns] }
}

fn with_matrix(batch: &[i64], [rows, columns]: [i64; 2], transposed: bool) -> Dims {
    let last = if transposed { [columns, rows] } else { [rows, columns] };
    batch.iter().copied().chain(last).collect()
}
