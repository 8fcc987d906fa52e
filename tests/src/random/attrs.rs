//! Attributes and types of random programs.

use pirogue::ir::{
    Attr, AttrValue, Context, DistTensorType, FloatBits, FloatKind, IntKind, Place, ScalarType,
    TensorType, Type, TypeKind,
};

/// The types most values have. All products of activations and weights are activations.
#[derive(Copy, Clone, Debug)]
pub(super) struct Types {
    /// `tensor<4x3x8xf32>`
    pub(super) activation: Type,
    /// `tensor<8x8xf32>`
    pub(super) weight: Type,
    /// `tensor<8xf32>`
    pub(super) bias: Type,
    /// `tensor<4x3xf32>`: mean and variance of a layer norm.
    pub(super) moment: Type,
    /// `tensor<1xb>`
    pub(super) flag: Type,
    /// `tensor<1xi64>`
    pub(super) counter: Type,
    /// `tensor<1xf32>`
    pub(super) one: Type,
    /// `tensor<f32>`
    pub(super) scalar: Type,
    /// `vec[tensor<4x3x8xf32>,tensor<4x3x8xf32>]`
    pub(super) pair: Type,
}

impl Types {
    pub(super) fn new(context: &Context) -> Self {
        let float = |dims: &[i64]| tensor(context, dims, ScalarType::F32);
        let activation = float(&[4, 3, 8]);
        Self {
            activation,
            weight: float(&[8, 8]),
            bias: float(&[8]),
            moment: float(&[4, 3]),
            flag: tensor(context, &[1], ScalarType::Bool),
            counter: tensor(context, &[1], ScalarType::I64),
            one: float(&[1]),
            scalar: float(&[]),
            pair: list(context, &[activation, activation]),
        }
    }
}

pub(super) fn tensor(context: &Context, dims: &[i64], element: ScalarType) -> Type {
    context.ty(TypeKind::Tensor(TensorType::new(dims, element)))
}

pub(super) fn list(context: &Context, elements: &[Type]) -> Type {
    context.ty(TypeKind::Vec(elements.into()))
}

/// A type that few values have.
pub(super) fn odd_type(context: &Context, pick: u16) -> Type {
    let float = |dims: &[i64]| TensorType::new(dims, ScalarType::BF16);
    context.ty(match pick % 6 {
        0 => TypeKind::Tensor(float(&[-1, 8])),
        1 => TypeKind::Null,
        2 => TypeKind::Dist(DistTensorType {
            global: float(&[8, 8]),
            placement:
                "mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], placements:[Shard(dim=1)]"
                    .into(),
            local: None,
        }),
        3 => TypeKind::SelectedRows(float(&[2, -1])),
        4 => TypeKind::SparseCsr,
        _ => TypeKind::Tensor(float(&[0])),
    })
}

pub(super) fn flag(value: bool) -> AttrValue {
    AttrValue::Bool(value)
}

pub(super) fn text(value: &str) -> AttrValue {
    AttrValue::string(value)
}

pub(super) fn word(value: &str) -> AttrValue {
    AttrValue::DataType(value.into())
}

pub(super) fn float(value: f64) -> AttrValue {
    AttrValue::Float(FloatBits::new(value), FloatKind::F32)
}

/// A number of a kind that text does not say.
pub(super) fn number(value: i64) -> AttrValue {
    AttrValue::Int(value, IntKind::NotSaid)
}

pub(super) fn no_place() -> AttrValue {
    AttrValue::Place(Place { kind: "undefined".into(), device: Some(0) })
}

pub(super) fn shape(dims: &[i64]) -> AttrValue {
    AttrValue::IntArray(dims.into())
}

pub(super) fn flags(context: &Context, value: bool, count: usize) -> AttrValue {
    array(context, &vec![flag(value); count])
}

pub(super) fn array(context: &Context, values: &[AttrValue]) -> AttrValue {
    AttrValue::Array(
        values.iter().map(|value| context.attr(value.clone())).collect::<Vec<Attr>>().into(),
    )
}

const ODD_STRINGS: [&str; 10] = [
    "",
    "a,b",
    "\"quoted\"",
    "x}y{z]",
    "line\nfeed",
    "a\n// -----\nb",
    "tab\tand `tick`",
    "na\u{ef}ve \u{2192}",
    "%kwarg_x, (%0) = \"pd_op.relu\" () {}",
    "C:\\temp\\new",
];

/// An attribute that no op declares.
pub(super) fn odd_attr(context: &Context, pick: usize) -> (&'static str, AttrValue) {
    match pick % 16 {
        string @ 0..10 => ("zz_note", text(ODD_STRINGS[string])),
        10 => ("zz_null", AttrValue::Null),
        11 => ("a name, with blanks", number(i64::MIN)),
        12 => (
            "zz_nested",
            array(context, &[number(1), array(context, &[]), text("]"), AttrValue::Null]),
        ),
        13 => ("zz_type", AttrValue::Type(odd_type(context, 2))),
        14 => ("struct_name", text("/GPT/Block/Linear/")),
        _ => ("zz_float", AttrValue::Float(FloatBits::new(-2.5e-7), FloatKind::NotSaid)),
    }
}
