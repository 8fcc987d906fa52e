//! What a [`Type`](super::Type) can be, and how Paddle spells it.

use super::Type;

/// The kind behind a [`Type`](super::Type) handle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// The type of an absent result or operand: `<<NULL TYPE>>`.
    Null,
    /// Not known from what was read: an unused kwarg, a loop argument before its `cf.yield`.
    Unknown,
    /// A bare element type: `f32`, `index`.
    Scalar(ScalarType),
    /// A dense tensor: `tensor<2x-1xf32>`.
    Tensor(TensorType),
    /// A list of values that travels as one: `vec[tensor<2xf32>,f32]`.
    Vec(Box<[Type]>),
    /// `pd_op.selectedrows<2x-1xf32>`.
    SelectedRows(TensorType),
    /// `pd_op.tensor_array<f32>`; its dims are not printed.
    TensorArray(TensorType),
    /// `pd_op.sparsecootensor<2x3xf32>`.
    SparseCoo(TensorType),
    /// `pd_op.`: Paddle's printer stops after the dialect, so all CSR types are one in text.
    SparseCsr,
    /// A tensor spread over a mesh: `pd_dist.tensor<8xf32, mesh_shape:[2],...>`.
    Dist(DistTensorType),
    /// `cf.stack`, the stack of a control-flow op with gradients.
    Stack,
    /// `cf.inlet`, the end of a stack that is pushed to.
    Inlet,
    /// `cf.outlet`, the end of a stack that is popped from.
    Outlet,
    /// A type of a dialect that is not known here, kept as it was spelled.
    Opaque(Box<str>),
}

/// Dims and element type of a tensor, and what only JSON says about it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorType {
    /// Extent of each dimension, outermost first; -1 where it is known only at run time.
    pub dims: Box<[i64]>,
    /// The element type.
    pub element: ScalarType,
    /// Layout, LoD and offset where they are not the usual `NCHW`, none, 0.
    pub storage: Option<Box<TensorStorage>>,
}

/// How a tensor lies in memory. Text does not print it; JSON does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorStorage {
    /// The data layout, such as `NHWC`.
    pub layout: Box<str>,
    /// Level-of-detail offsets, a list for each level.
    pub lod: Box<[Box<[u64]>]>,
    /// Offset of the first element, in elements.
    pub offset: u64,
}

/// A tensor that is spread over a mesh of processes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DistTensorType {
    /// The global tensor.
    pub global: TensorType,
    /// Mesh, dims mapping and placements as Paddle prints them after the element type.
    pub placement: Box<str>,
    /// What text leaves out and JSON has: mesh dim names, local dims.
    pub local: Option<Box<str>>,
}

impl TensorType {
    /// A tensor of the usual storage.
    pub fn new(dims: impl Into<Box<[i64]>>, element: ScalarType) -> Self {
        Self { dims: dims.into(), element, storage: None }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }
}

impl TypeKind {
    /// The tensor behind a dense or distributed tensor type.
    pub fn as_tensor(&self) -> Option<&TensorType> {
        match self {
            Self::Tensor(tensor) => Some(tensor),
            Self::Dist(dist) => Some(&dist.global),
            _ => None,
        }
    }
}

/// Defines [`ScalarType`] with the spelling of each kind in one place.
macro_rules! scalar_types {
    ($($(#[$meta:meta])* $name:ident $spelling:literal $dtype:literal;)*) => {
        /// An element type.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
        pub enum ScalarType {$(
            $(#[$meta])*
            $name,
        )*}

        impl ScalarType {
            /// How a type spells it: `f32`.
            pub const fn spelling(self) -> &'static str {
                match self { $(Self::$name => $spelling,)* }
            }

            /// How a dtype attribute spells it: `float32`.
            pub const fn dtype(self) -> &'static str {
                match self { $(Self::$name => $dtype,)* }
            }

            /// The element type that a dtype attribute spells so.
            pub fn from_dtype(text: &str) -> Option<Self> {
                $(if text == $dtype { return Some(Self::$name); })*
                None
            }

            /// The element type that a type spells so.
            pub fn from_spelling(text: &[u8]) -> Option<Self> {
                $(if text == $spelling.as_bytes() { return Some(Self::$name); })*
                None
            }
        }
    };
}

scalar_types! {
    /// No element type.
    Undefined "undefined" "Undefined";
    /// bfloat16.
    BF16 "bf16" "bfloat16";
    /// IEEE half precision.
    F16 "f16" "float16";
    /// IEEE single precision.
    F32 "f32" "float32";
    /// IEEE double precision.
    F64 "f64" "float64";
    /// A truth value.
    Bool "b" "bool";
    /// A signed 8-bit integer.
    I8 "i8" "int8";
    /// An unsigned 8-bit integer.
    U8 "u8" "uint8";
    /// A signed 16-bit integer.
    I16 "i16" "int16";
    /// A signed 32-bit integer.
    I32 "i32" "int32";
    /// A signed 64-bit integer.
    I64 "i64" "int64";
    /// An index.
    Index "index" "index";
    /// A complex number of two `f32`.
    C64 "c64" "complex64";
    /// A complex number of two `f64`.
    C128 "c128" "complex128";
    /// An 8-bit float with 4 exponent bits.
    F8E4M3FN "f8e4m3fn" "float8_e4m3fn";
    /// An 8-bit float with 5 exponent bits.
    F8E5M2 "f8e5m2" "float8_e5m2";
}
