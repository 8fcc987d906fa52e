//! Sums over axes. A sum over an axis of one element only drops the axis, and a sum that keeps its
//! axes is one that drops them, reshaped.

use pirogue::ir::{ScalarType, Type};

use super::dims::{Dims, unknowns};
use crate::terms::{Application, Symbol, Term};
use crate::world::World;

/// Ranks above this have no place in the set of axes.
const MOST_AXES: usize = 32;

impl World {
    /// A `pd_op.sum` over constant axes; nothing where they are not, or where the sum does not give
    /// the type that the op says.
    pub(crate) fn sum_op(
        &mut self,
        x: Term,
        axes: Term,
        keeps_axes: bool,
        printed: Type,
    ) -> Option<Term> {
        let (dims, element) = self.tensor_of(x)?;
        let axes = axis_set(&self.constant_integers(axes)?, dims.len())?;
        let (printed, printed_element) = self.tensor(printed)?;
        let summed = axes_replaced(&dims, axes, keeps_axes.then_some(1));
        let is_so = summed == printed && element == printed_element && unknowns(&summed) <= 1;
        is_so.then(|| {
            let term = self.summed(x, &dims, axes, element);
            self.reshaped(term, &summed, element)
        })
    }

    /// The sum over the axes whose bits are set, without those axes.
    pub(super) fn summed(&mut self, x: Term, dims: &[i64], axes: u32, element: ScalarType) -> Term {
        let ones = (0..dims.len()).filter(|&axis| dims[axis] == 1);
        let ones = ones.fold(0, |set, axis| set | 1 << axis);
        let mut term = x;
        if axes & !ones != 0 {
            let kept = axes_replaced(dims, axes & !ones, None);
            let (x, types) = ([x], [self.tensor_type(&kept, element)]);
            let sum = Application::new(Symbol::Sum, &x, &types).extra(axes & !ones);
            term = self.terms.apply(&sum);
        }
        let dropped = axes_replaced(dims, axes, None);
        if unknowns(&dropped) > 1 { term } else { self.reshaped(term, &dropped, element) }
    }
}

/// The set of these axes, negative ones counted from the last; no axes: all.
fn axis_set(axes: &[i64], rank: usize) -> Option<u32> {
    if rank > MOST_AXES {
        return None;
    }
    let rank = rank as i64;
    if axes.is_empty() {
        return Some((1u64 << rank).wrapping_sub(1) as u32);
    }
    axes.iter().try_fold(0u32, |set, &axis| {
        let axis = if axis < 0 { axis + rank } else { axis };
        ((0..rank).contains(&axis) && set & 1 << axis == 0).then(|| set | 1 << axis)
    })
}

fn axes_replaced(dims: &[i64], axes: u32, by: Option<i64>) -> Dims {
    let each = dims.iter().enumerate();
    each.filter_map(|(axis, &dim)| if axes >> axis & 1 == 1 { by } else { Some(dim) }).collect()
}
