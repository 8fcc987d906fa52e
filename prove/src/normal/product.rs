//! Products of matrices, with batches folded away.
//!
//! 1. Where the second factor has no batch, the rows of all matrices of the first are rows of one:
//!    `a · b = reshape(reshape(a, [N, k]) · b, dims)`, if `a` is not transposed.
//! 2. Where both have the same batch dims, these are one: `[2, 3, m, k] · [2, 3, k, n]` is
//!    `[6, m, k] · [6, k, n]`.
//!
//! Transposes are not moved: `xᵀ · d` and `dᵀ · x` differ, and that a real split takes one for the
//! other is what a proof must see.

use pirogue::ir::{ScalarType, Type};

use super::dims::{Dims, agree, all_ones, batch, folded, product, unknowns};
use crate::terms::{Application, Symbol, Term};
use crate::world::World;

/// Two factors with the dims of each.
struct Factors {
    terms: [Term; 2],
    dims: [Dims; 2],
    transposed: [bool; 2],
    element: ScalarType,
}

impl World {
    /// A `pd_op.matmul`; nothing where its factors are no matrices, or do not give the type that the
    /// op says.
    pub(crate) fn matmul_op(
        &mut self,
        factors: [Term; 2],
        transposed: [bool; 2],
        printed: Type,
    ) -> Option<Term> {
        let term = self.product(factors, transposed)?;
        let (dims, element) = self.tensor_of(term)?;
        let (printed, printed_element) = self.tensor(printed)?;
        (agree(&dims, &printed) && element == printed_element).then_some(term)
    }

    /// The product of two tensors of rank 2 or more.
    pub(super) fn product(&mut self, terms: [Term; 2], transposed: [bool; 2]) -> Option<Term> {
        let (a, element) = self.tensor_of(terms[0])?;
        let (b, other_element) = self.tensor_of(terms[1])?;
        if element != other_element {
            return None;
        }
        let out = product(&a, &b, transposed)?;
        let factors = Factors { terms, dims: [a, b], transposed, element };
        let fold = factors.without_batch(&out).or_else(|| factors.with_one_batch(&out));
        Some(match fold {
            None => self.plain_product(&factors, &out),
            Some(Fold { dims, product }) => {
                let [a, b] =
                    [0, 1].map(|side| self.reshaped(factors.terms[side], &dims[side], element));
                let folded = Factors { terms: [a, b], dims, transposed, element };
                let folded = self.plain_product(&folded, &product);
                self.reshaped(folded, &out, element)
            }
        })
    }

    fn plain_product(&mut self, factors: &Factors, out: &[i64]) -> Term {
        let types = [self.tensor_type(out, factors.element)];
        let [left, right] = factors.transposed.map(u32::from);
        let application = Application::new(Symbol::Product, &factors.terms, &types);
        self.terms.apply(&application.extra(left | right << 1))
    }
}

/// The dims of two factors and of their product.
struct Fold {
    dims: [Dims; 2],
    product: Dims,
}

impl Fold {
    /// The fold, if all of its reshapes can find their dims.
    fn if_found(self, out: &[i64]) -> Option<Self> {
        let [a, b] = &self.dims;
        let is_found = [a, b, out].into_iter().all(|dims| unknowns(dims) <= 1);
        is_found.then_some(self)
    }
}

impl Factors {
    fn without_batch(&self, out: &[i64]) -> Option<Fold> {
        let [a, b] = &self.dims;
        let applies = !self.transposed[0] && all_ones(batch(b)) && (a.len() > 2 || b.len() > 2);
        let (&inner, leading) = a.split_last()?;
        let (_, matrix) = b.split_at(b.len() - 2);
        let rows = folded(leading);
        let &columns = out.last()?;
        let fold = Fold {
            dims: [Dims::from_slice(&[rows, inner]), Dims::from_slice(matrix)],
            product: Dims::from_slice(&[rows, columns]),
        };
        applies.then_some(fold)?.if_found(out)
    }

    fn with_one_batch(&self, out: &[i64]) -> Option<Fold> {
        let [a, b] = &self.dims;
        let applies = a.len() > 3 && batch(a) == batch(b) && unknowns(batch(a)) == 0;
        let fold = |dims: &[i64]| {
            let (leading, matrix) = dims.split_at(dims.len() - 2);
            std::iter::once(folded(leading)).chain(matrix.iter().copied()).collect()
        };
        applies.then(|| Fold { dims: [fold(a), fold(b)], product: fold(out) })?.if_found(out)
    }
}
