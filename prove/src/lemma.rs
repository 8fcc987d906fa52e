//! The names of the normal forms.

use std::fmt;

use serde::{Serialize, Serializer};

/// Which operand of a `matmul_grad` was transposed, `x` first.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transposes {
    /// Neither.
    NN,
    /// Only `y`.
    NT,
    /// Only `x`.
    TN,
    /// Both.
    TT,
}

/// A normal form that was needed to see that a program and its plan mean the same.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Lemma {
    /// A `matmul_grad` is two products, summed or folded to the shapes of the operands.
    MatmulGrad {
        /// Which operands were transposed.
        transposes: Transposes,
        /// The rank of the gradient that comes in.
        rank: usize,
    },
}

/// `matmul_grad NN rank 3`.
impl fmt::Display for Lemma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MatmulGrad { transposes, rank } => {
                write!(f, "matmul_grad {transposes:?} rank {rank}")
            }
        }
    }
}

impl Serialize for Lemma {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
