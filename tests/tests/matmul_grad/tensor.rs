//! Tensors of integers, and the ops that a split matmul_grad is made of. Everything is exact.

use std::collections::BTreeMap;

use pirogue::ir::{AttrValue, Op, Program, Type, Value, names};

/// A tensor in row-major order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    pub dims: Vec<usize>,
    pub data: Vec<i64>,
}

impl Tensor {
    pub fn new(dims: &[usize], mut element: impl FnMut() -> i64) -> Self {
        let count = dims.iter().product();
        Self { dims: dims.to_vec(), data: (0..count).map(|_| element()).collect() }
    }

    pub fn zeros(dims: &[usize]) -> Self {
        Self::new(dims, || 0)
    }

    /// The position of the element at `index`, of which leading entries beyond the rank and entries
    /// along dims of 1 count as 0: as broadcasting reads it.
    pub fn position(&self, index: &[usize]) -> usize {
        let index = &index[index.len() - self.dims.len()..];
        let step = |position, (&dim, &at): (&usize, &usize)| {
            position * dim + if dim == 1 { 0 } else { at }
        };
        self.dims.iter().zip(index).fold(0, step)
    }
}

/// All indices of a tensor of these dims, in row-major order.
pub fn indices(dims: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let dims = dims.to_vec();
    (0..dims.iter().product()).map(move |mut position: usize| {
        let mut index = vec![0; dims.len()];
        for (at, dim) in index.iter_mut().zip(&dims).rev() {
            (*at, position) = (position % dim, position / dim);
        }
        index
    })
}

/// `left · right` with broadcast batch dims.
fn matmul(left: &Tensor, right: &Tensor, transpose: [bool; 2]) -> Tensor {
    let matrix = |tensor: &Tensor, transposed: bool| {
        let rank = tensor.dims.len();
        let (rows, columns) = (tensor.dims[rank - 2], tensor.dims[rank - 1]);
        if transposed { (columns, rows) } else { (rows, columns) }
    };
    let ((rows, inner), (also_inner, columns)) =
        (matrix(left, transpose[0]), matrix(right, transpose[1]));
    assert_eq!(inner, also_inner, "the factors fit");
    let rank = left.dims.len().max(right.dims.len());
    let batch_dim = |tensor: &Tensor, axis: usize| {
        let missing = rank - tensor.dims.len();
        axis.checked_sub(missing).map_or(1, |axis| tensor.dims[axis])
    };
    let mut dims: Vec<usize> = (0..rank - 2)
        .map(|axis| {
            let (a, b) = (batch_dim(left, axis), batch_dim(right, axis));
            assert!(a == b || a == 1 || b == 1, "the batches fit");
            a.max(b)
        })
        .collect();
    dims.extend([rows, columns]);
    let at = |batch: &[usize], row: usize, column: usize, transposed: bool| {
        let mut index = batch.to_vec();
        index.extend(if transposed { [column, row] } else { [row, column] });
        index
    };
    let data = indices(&dims).map(|index| {
        let (batch, last) = index.split_at(rank - 2);
        let term = |sum| {
            left.data[left.position(&at(batch, last[0], sum, transpose[0]))]
                * right.data[right.position(&at(batch, sum, last[1], transpose[1]))]
        };
        (0..inner).map(term).sum()
    });
    let data = data.collect();
    Tensor { dims, data }
}

/// The sum over `axes`, which then are no more.
fn sum(tensor: &Tensor, axes: &[usize]) -> Tensor {
    let kept = |index: &[usize]| -> Vec<usize> {
        let is_kept = |&(axis, _): &(usize, &usize)| !axes.contains(&axis);
        index.iter().enumerate().filter(is_kept).map(|(_, &at)| at).collect()
    };
    let mut result = Tensor::zeros(&kept(&tensor.dims));
    for (position, index) in indices(&tensor.dims).enumerate() {
        let target = result.position(&kept(&index));
        result.data[target] += tensor.data[position];
    }
    result
}

fn reshape(tensor: &Tensor, target: &[i64]) -> Tensor {
    let known: usize = target.iter().filter(|&&dim| dim > 0).map(|&dim| dim as usize).product();
    assert!(target.iter().filter(|&&dim| dim < 0).count() <= 1 && !target.contains(&0));
    let dim = |&dim: &i64| usize::try_from(dim).unwrap_or(tensor.data.len() / known);
    let dims: Vec<usize> = target.iter().map(dim).collect();
    assert_eq!(dims.iter().product::<usize>(), tensor.data.len(), "a reshape keeps the elements");
    Tensor { dims, data: tensor.data.clone() }
}

/// What a value is at run time.
enum Meaning {
    Tensor(Tensor),
    Integers(Vec<i64>),
}

/// Runs the ops of the top block and gives the outputs by name. `inputs` are the values of
/// `pd_op.data`, by name. Each result is checked against its type.
pub fn run(program: &Program, inputs: &[(&str, &Tensor)]) -> BTreeMap<String, Tensor> {
    let mut meanings: BTreeMap<Value, Meaning> = BTreeMap::new();
    let mut outputs = BTreeMap::new();
    for op in program.top_ops() {
        let operand = |index: usize| &meanings[&program.operand(op, index).expect("an operand")];
        let tensor = |index: usize| match operand(index) {
            Meaning::Tensor(tensor) => tensor,
            Meaning::Integers(_) => panic!("operand {index} is no tensor"),
        };
        let integers = |index: usize| match operand(index) {
            Meaning::Integers(integers) => integers,
            Meaning::Tensor(_) => panic!("operand {index} is no list of integers"),
        };
        let meaning = match program.name(op) {
            names::DATA => {
                let name = program.attr_str(op, names::NAME).expect("a name");
                let input = inputs.iter().find(|input| input.0 == name).expect("an input");
                Meaning::Tensor(input.1.clone())
            }
            names::MATMUL => {
                let flags = [names::TRANSPOSE_X, names::TRANSPOSE_Y];
                let transpose =
                    flags.map(|name| program.attr_value(op, name).and_then(AttrValue::as_bool));
                Meaning::Tensor(matmul(
                    tensor(0),
                    tensor(1),
                    transpose.map(|flag| flag.expect("a flag")),
                ))
            }
            names::FULL_INT_ARRAY => Meaning::Integers(int_array(program, op)),
            names::RESHAPE => Meaning::Tensor(reshape(tensor(0), integers(1))),
            names::SUM => {
                let axes: Vec<usize> = integers(1).iter().map(|&axis| axis as usize).collect();
                Meaning::Tensor(sum(tensor(0), &axes))
            }
            names::SHADOW_OUTPUT => {
                let name = program.attr_str(op, names::OUTPUT_NAME).expect("a name");
                outputs.insert(name.to_owned(), tensor(0).clone());
                continue;
            }
            _ => panic!("`{}` is not known here", program.name_text(op)),
        };
        if let Meaning::Tensor(tensor) = &meaning {
            check_type(program, op, tensor);
        }
        meanings.insert(program.result(op, 0), meaning);
    }
    outputs
}

fn int_array(program: &Program, op: Op) -> Vec<i64> {
    let Some(AttrValue::Array(elements)) = program.attr_value(op, names::VALUE) else {
        panic!("`value` is an array");
    };
    let integer = |&attr: &_| program.context().attr_value(attr).as_int().expect("an integer");
    elements.iter().map(integer).collect()
}

fn check_type(program: &Program, op: Op, tensor: &Tensor) {
    let ty: Type = program.ty(program.result(op, 0));
    let said = &program.context().type_kind(ty).as_tensor().expect("a tensor").dims;
    let fits = |(&said, &is): (&i64, &usize)| said == -1 || said == is as i64;
    let is_right = said.len() == tensor.dims.len() && said.iter().zip(&tensor.dims).all(fits);
    assert!(
        is_right,
        "`{}` has dims {:?}, its type says {said:?}",
        program.name_text(op),
        tensor.dims
    );
}
