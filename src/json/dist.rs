//! How ops and values are spread over meshes of processes: what JSON says, and how it is printed.
//!
//! JSON holds structure, text the printed form; text leaves out the names of the mesh's dims.
//! A [`Spread`] is JSON's `4.a_tensor_dist`, an [`OpSpread`] its `4.a_op_dist`. Both can be read
//! from either form and written in either form.

use super::document::Json;
use super::fault::{Fault, ReadError};

mod printed;
mod structured;

pub(super) use structured::OP_SPREAD;

/// A mesh of processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mesh {
    shape: Vec<i64>,
    processes: Vec<i64>,
    names: Vec<String>,
}

/// How a tensor is spread over a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spread {
    mesh: Mesh,
    /// For each dim of the tensor the axis of the mesh that splits it, or -1.
    dims_mapping: Vec<i64>,
    /// The axes over which the tensor is a partial result, each with how it is to be reduced.
    partial: Vec<(i64, Reduce)>,
}

/// How an op and its operands and results are spread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OpSpread {
    mesh: Mesh,
    operands: Vec<Entry>,
    results: Vec<Entry>,
    chunk: i64,
}

/// What an [`OpSpread`] says of one operand or result.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Null,
    Tensor(Spread),
    /// Of the elements of a vector.
    List(Vec<Entry>),
}

/// How partial results are reduced, by the number that JSON has.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Reduce(usize);

impl Reduce {
    const NAMES: [&'static str; 6] = ["SUM", "MAX", "MIN", "PRODUCT", "AVG", "ANY"];

    fn name(self) -> &'static str {
        Self::NAMES[self.0]
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().position(|known| *known == name).map(Self)
    }

    fn from_json(json: Json<'_>) -> Result<Self, Fault> {
        let number =
            usize::try_from(json.integer()?).ok().filter(|&number| number < Self::NAMES.len());
        number.map(Self).ok_or_else(|| json.fault(ReadError::OutOfRange { kind: "a reduce type" }))
    }
}

impl Mesh {
    /// The names that Paddle gives to the dims of a mesh when the user gives none.
    fn with_usual_names(shape: Vec<i64>, processes: Vec<i64>) -> Self {
        let names = (0..shape.len()).map(|axis| format!("d{axis}")).collect();
        Self { shape, processes, names }
    }
}

impl Spread {
    /// The part of a tensor of the dims `global` that one process has; the last part may be
    /// smaller. What is not known stays so.
    pub(super) fn local_dims(&self, global: &[i64]) -> Vec<i64> {
        let axis_of = |dim: usize| {
            let axis = usize::try_from(*self.dims_mapping.get(dim)?).ok()?;
            self.mesh.shape.get(axis).copied().filter(|&parts| parts > 0)
        };
        let local = |(dim, &extent): (usize, &i64)| match axis_of(dim) {
            Some(parts) if extent >= 0 => extent / parts + i64::from(extent % parts != 0),
            _ => extent,
        };
        global.iter().enumerate().map(local).collect()
    }
}
