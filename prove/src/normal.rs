//! Normal forms: what makes the ways in which a split may write a product one term.
//!
//! Each is a law of tensors, applied wherever a term is made, on both sides and whoever made it, with no
//! search: [`reshape`], [`product`], [`sum`], [`gradient`]. They are *total*: where a law does not
//! apply, because dims are unknown or do not fit, the op stays what it is. The element order of a
//! tensor is row-major throughout.
//!
//! Terms are as precise as a type: a dim is -1 where only a run knows it. A term is never given dims
//! of which more than one is unknown, unless an op said so, since a reshape could not find them.

mod dims;
mod gradient;
mod product;
mod reshape;
mod sum;

use pirogue::ir::{AttrValue, ScalarType, TensorType, Type, TypeKind, names};
use smallvec::SmallVec;

pub(crate) use gradient::Gradients;

use crate::terms::{Symbol, Term};
use crate::world::World;
pub(crate) use dims::Dims;

/// # Types as dims
impl World {
    /// Dims and element of a dense tensor of the usual storage.
    fn tensor(&self, ty: Type) -> Option<(Dims, ScalarType)> {
        match self.context.type_kind(ty) {
            TypeKind::Tensor(tensor) if tensor.storage.is_none() => {
                Some((Dims::from_slice(&tensor.dims), tensor.element))
            }
            _ => None,
        }
    }

    fn tensor_of(&self, term: Term) -> Option<(Dims, ScalarType)> {
        self.tensor(self.terms.ty(term))
    }

    fn tensor_type(&mut self, dims: &[i64], element: ScalarType) -> Type {
        let (context, key) = (&self.context, (Dims::from_slice(dims), element));
        *self
            .tensor_types
            .entry(key)
            .or_insert_with(|| context.ty(TypeKind::Tensor(TensorType::new(dims, element))))
    }

    /// The integers of a `pd_op.full_int_array`.
    fn constant_integers(&self, term: Term) -> Option<SmallVec<[i64; 6]>> {
        if self.terms.symbol(term) != Symbol::Op(names::FULL_INT_ARRAY) {
            return None;
        }
        let value = self.context.dict_get(self.terms.attrs(term), names::VALUE)?;
        match self.context.attr_value(value) {
            AttrValue::IntArray(integers) => Some(SmallVec::from_slice(integers)),
            AttrValue::Array(attrs) => {
                attrs.iter().map(|&attr| self.context.attr_value(attr).as_int()).collect()
            }
            _ => None,
        }
    }
}
