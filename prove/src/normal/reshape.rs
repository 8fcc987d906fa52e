//! A reshape keeps the elements in their order, so only the last of several counts, and one to the
//! dims that are there already does nothing.
//!
//! `reshape(reshape(x, a), b) = reshape(x, b)` and `reshape(x, dims of x) = x`.

use pirogue::ir::{ScalarType, Type};

use super::dims::{Dims, UNKNOWN, unknowns, volume};
use crate::terms::{Application, Symbol, Term};
use crate::world::World;

impl World {
    /// A `pd_op.reshape` of `x` to what `shape` says; nothing where that is not a constant or does
    /// not give the type that the op says.
    pub(crate) fn reshape_op(&mut self, x: Term, shape: Term, printed: Type) -> Option<Term> {
        let target = self.constant_integers(shape)?;
        let (dims, element) = self.tensor_of(x)?;
        let resolved = resolve(&target, &dims)?;
        let (printed, printed_element) = self.tensor(printed)?;
        let is_so = resolved == printed && element == printed_element;
        (is_so && unknowns(&resolved) <= 1).then(|| self.reshaped(x, &resolved, element))
    }

    /// The elements of `x` in other dims, of which at most one is unknown.
    pub(super) fn reshaped(&mut self, mut x: Term, dims: &[i64], element: ScalarType) -> Term {
        while self.terms.symbol(x) == Symbol::Reshape {
            x = self.terms.operands(x)[0];
        }
        if self.tensor_of(x).is_some_and(|(now, _)| now[..] == *dims) {
            return x;
        }
        let types = [self.tensor_type(dims, element)];
        self.terms.apply(&Application::new(Symbol::Reshape, &[x], &types))
    }
}

/// The dims to which a target says to go: 0 copies a dim, one -1 is found from the number of
/// elements. None if it cannot be so.
fn resolve(target: &[i64], from: &[i64]) -> Option<Dims> {
    if target.iter().any(|&dim| dim < UNKNOWN) || unknowns(target) > 1 {
        return None;
    }
    let copied = target.iter().enumerate();
    let copied = copied.map(|(axis, &dim)| match dim {
        0 => from.get(axis).copied(),
        _ => Some(dim),
    });
    let mut resolved: Dims = copied.collect::<Option<_>>()?;
    let Some(elements) = volume(from) else { return Some(resolved) };
    match resolved.iter().position(|&dim| dim == UNKNOWN) {
        None => (volume(&resolved) == Some(elements)).then_some(resolved),
        Some(axis) => {
            let known: Dims = resolved.iter().copied().filter(|&dim| dim >= 0).collect();
            let known = volume(&known).filter(|&known| known > 0 && elements % known == 0)?;
            resolved[axis] = elements / known;
            Some(resolved)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_copies_dims_and_finds_one() {
        let resolve =
            |target: &[i64], from: &[i64]| resolve(target, from).map(|dims| dims.to_vec());
        assert_eq!(resolve(&[0, -1], &[2, 3, 4]), Some(vec![2, 12]));
        assert_eq!(resolve(&[-1, 4], &[-1, 3, 4]), Some(vec![-1, 4]));
        assert_eq!(resolve(&[1, 6], &[-1, -1, 6]), Some(vec![1, 6]));
        assert_eq!(resolve(&[5, -1], &[2, 3]), None, "5 does not divide 6");
        assert_eq!(resolve(&[2, 2], &[2, 3]), None);
        assert_eq!(resolve(&[-1, -1], &[2, 3]), None);
        assert_eq!(resolve(&[2, 3, 0], &[2, 3]), None, "there is no third dim to copy");
        assert_eq!(resolve(&[-2, 3], &[2, 3]), None);
        assert_eq!(resolve(&[0, -1], &[0, 3]), None, "any dim would do");
    }
}
